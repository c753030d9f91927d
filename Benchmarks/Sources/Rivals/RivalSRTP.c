#include "RivalSRTP.h"

#include <srtp2/srtp.h>
#include <stdlib.h>
#include <string.h>

#include "Checksum.h"
#include "Clock.h"

enum { HEADER = 12, PACKET_ROOM = 1500 };

struct RivalSRTP {
  srtp_t sender, receiver;
  uint32_t ssrc;
  uint16_t sequence;
  uint64_t checksum;
  uint8_t packet[PACKET_ROOM] __attribute__((aligned(4)));
};

static srtp_t create_session(enum RivalSRTPProfile profile, const uint8_t *key_and_salt, uint32_t ssrc) {
  srtp_policy_t policy;
  memset(&policy, 0, sizeof policy);
  if (profile == RIVAL_AEAD_AES_128_GCM) {
    srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtp);
    srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtcp);
  } else {
    srtp_crypto_policy_set_aes_cm_128_hmac_sha1_80(&policy.rtp);
    srtp_crypto_policy_set_aes_cm_128_hmac_sha1_80(&policy.rtcp);
  }
  policy.ssrc.type = ssrc_specific;
  policy.ssrc.value = ssrc;
  policy.key = (unsigned char *)key_and_salt;
  policy.window_size = 128;
  srtp_t session = NULL;
  return srtp_create(&session, &policy) == srtp_err_status_ok ? session : NULL;
}

RivalSRTP *rival_srtp_create(enum RivalSRTPProfile profile, const uint8_t *key_and_salt, uint32_t ssrc) {
  static int is_started;
  if (!is_started && srtp_init() != srtp_err_status_ok) abort();
  is_started = 1;
  RivalSRTP *srtp = calloc(1, sizeof *srtp);
  srtp->ssrc = ssrc;
  srtp->sender = create_session(profile, key_and_salt, ssrc);
  srtp->receiver = create_session(profile, key_and_salt, ssrc);
  if (srtp->sender != NULL && srtp->receiver != NULL) return srtp;
  rival_srtp_destroy(srtp);
  return NULL;
}

void rival_srtp_destroy(RivalSRTP *srtp) {
  if (srtp->sender != NULL) srtp_dealloc(srtp->sender);
  if (srtp->receiver != NULL) srtp_dealloc(srtp->receiver);
  free(srtp);
}

static void write_packet(RivalSRTP *srtp, size_t payload_byte_count) {
  uint8_t *p = srtp->packet;
  const uint32_t timestamp = srtp->sequence * 960u;
  p[0] = 0x80;
  p[1] = 111;
  p[2] = srtp->sequence >> 8;
  p[3] = (uint8_t)srtp->sequence;
  for (int i = 0; i < 4; i++) {
    p[4 + i] = (uint8_t)(timestamp >> (24 - 8 * i));
    p[8 + i] = (uint8_t)(srtp->ssrc >> (24 - 8 * i));
  }
  memset(p + HEADER, srtp->sequence & 0xFF, payload_byte_count);
  srtp->sequence++;
}

void rival_srtp_run(
    RivalSRTP *srtp, size_t payload_byte_count, int times_unprotecting, int64_t *times, size_t count) {
  for (size_t call = 0; call < count; call++) {
    write_packet(srtp, payload_byte_count);
    int size = HEADER + (int)payload_byte_count;
    const int64_t start = bench_now();
    const srtp_err_status_t sent = srtp_protect(srtp->sender, srtp->packet, &size);
    const int64_t protected_at = bench_now();
    srtp->checksum = bench_checksum(srtp->checksum, srtp->packet, size);
    const int64_t restart = bench_now();
    const srtp_err_status_t received = srtp_unprotect(srtp->receiver, srtp->packet, &size);
    times[call] = times_unprotecting ? bench_now() - restart : protected_at - start;
    if (sent != srtp_err_status_ok || received != srtp_err_status_ok) abort();
  }
}

uint64_t rival_srtp_checksum(const RivalSRTP *srtp) { return srtp->checksum; }
