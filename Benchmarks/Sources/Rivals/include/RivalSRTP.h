#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// libsrtp2 called from C, with the ciphers that it brings itself.
typedef struct RivalSRTP RivalSRTP;

enum RivalSRTPProfile { RIVAL_AES_CM_128_HMAC_SHA1_80, RIVAL_AEAD_AES_128_GCM };

/// A session that protects, and one of the same key that unprotects. libsrtp's table of ciphers is one for the process:
/// create this before anything replaces them. NULL when the library was built without the profile.
RivalSRTP *rival_srtp_create(enum RivalSRTPProfile profile, const uint8_t *key_and_salt, uint32_t ssrc);
void rival_srtp_destroy(RivalSRTP *srtp);

/// Protects `count` packets of a header and `payload_byte_count` bytes each, unprotects each again, and notes how long
/// the one or the other took. Sequence numbers go on from the last call.
void rival_srtp_run(
    RivalSRTP *srtp, size_t payload_byte_count, int times_unprotecting, int64_t *times, size_t count);
/// Of all protected packets so far.
uint64_t rival_srtp_checksum(const RivalSRTP *srtp);

#ifdef __cplusplus
}
#endif
