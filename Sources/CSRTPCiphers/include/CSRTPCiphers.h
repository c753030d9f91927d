#pragma once

/// Gives libsrtp AES and HMAC-SHA1 from OpenSSL's libcrypto, whose contexts are made when a stream is.
///
/// Why: libsrtp may be built on NSS (Debian's is), and then makes and destroys an NSS context, with allocations and
/// locks, for every packet. Call once, after `srtp_init` and before the first session.
/// - Returns: libsrtp's status; 0 when each type passed libsrtp's known-answer and random tests.
int antiphon_srtp_use_openssl(void);
