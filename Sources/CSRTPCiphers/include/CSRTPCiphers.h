#pragma once
#include <stdint.h>

/// Gives libsrtp AES and HMAC-SHA1 from OpenSSL's libcrypto, whose contexts are made when a stream is.
///
/// Why: libsrtp may be built on NSS (Debian's is), and then makes and destroys an NSS context, with allocations and
/// locks, for every packet. Call once, after `srtp_init` and before the first session.
/// - Returns: libsrtp's status; 0 when each type passed libsrtp's known-answer and random tests.
int antiphon_srtp_use_openssl(void);

/// A known answer for one of the ciphers.
typedef struct {
  const uint8_t *key;  // with the salt behind it: 30 or 46 bytes in counter mode, 28 or 44 in GCM
  int key_byte_count;
  const uint8_t *iv;  // 16 bytes in counter mode, 12 in GCM
  const uint8_t *associated;
  int associated_byte_count;
  const uint8_t *text;
  int text_byte_count;
  const uint8_t *sealed;  // with GCM's tag of 16 bytes; 128 bytes at most
  int sealed_byte_count;
} AntiphonCipherAnswer;

/// Runs libsrtp's cipher test with an answer from outside: sealing, opening, and random round trips.
/// - Parameter cipher: libsrtp's number, 1 or 5 (counter mode), 6 or 7 (GCM), for 128 or 256 bits of key.
/// - Returns: libsrtp's status; 0 when all is as it should be.
int antiphon_srtp_check_cipher(int cipher, const AntiphonCipherAnswer *answer);
