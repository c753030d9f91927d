// HMAC-SHA1 (RFC 2104) for SRTP's authentication tags, by libcrypto's SHA-1.
//
// The hash states after the inner and the outer key block are kept; a packet starts from a copy of each. That is why the
// deprecated SHA1_* calls are used: their state is a plain struct, copied by assignment, whereas EVP's and HMAC's
// contexts may allocate when copied.

#define OPENSSL_SUPPRESS_DEPRECATED
#include "types.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <stdlib.h>

enum { BLOCK_BYTES = 64, DIGEST_BYTES = 20 };

typedef struct {
  srtp_auth_t auth;
  SHA_CTX inner, outer;  // after the key block
  SHA_CTX running;       // inner, with what has come of the present packet
} HMACSHA1;

static srtp_err_status_t create(srtp_auth_t **out, int key_bytes, int tag_bytes) {
  if (key_bytes < 0 || key_bytes > BLOCK_BYTES || tag_bytes < 0 || tag_bytes > DIGEST_BYTES)
    return srtp_err_status_bad_param;
  HMACSHA1 *self = calloc(1, sizeof *self);
  if (!self) return srtp_err_status_alloc_fail;
  self->auth = (srtp_auth_t){.type = &antiphon_hmac_sha1, .state = self, .out_len = tag_bytes, .key_len = key_bytes};
  *out = &self->auth;
  return srtp_err_status_ok;
}

static srtp_err_status_t destroy(srtp_auth_t *auth) {
  HMACSHA1 *self = auth->state;
  OPENSSL_cleanse(self, sizeof *self);
  free(self);
  return srtp_err_status_ok;
}

static srtp_err_status_t set_key(void *state, const uint8_t *key, int key_bytes) {
  HMACSHA1 *self = state;
  if (key_bytes < 0 || key_bytes > BLOCK_BYTES) return srtp_err_status_bad_param;
  uint8_t inner[BLOCK_BYTES], outer[BLOCK_BYTES];
  for (int i = 0; i < BLOCK_BYTES; i++) {
    uint8_t byte = i < key_bytes ? key[i] : 0;
    inner[i] = byte ^ 0x36;
    outer[i] = byte ^ 0x5c;
  }
  int done = SHA1_Init(&self->inner) && SHA1_Update(&self->inner, inner, sizeof inner) && SHA1_Init(&self->outer) &&
             SHA1_Update(&self->outer, outer, sizeof outer);
  OPENSSL_cleanse(inner, sizeof inner);
  OPENSSL_cleanse(outer, sizeof outer);
  self->running = self->inner;
  return done ? srtp_err_status_ok : srtp_err_status_init_fail;
}

static srtp_err_status_t start(void *state) {
  HMACSHA1 *self = state;
  self->running = self->inner;
  return srtp_err_status_ok;
}

static srtp_err_status_t update(void *state, const uint8_t *bytes, int byte_count) {
  HMACSHA1 *self = state;
  return SHA1_Update(&self->running, bytes, (size_t)byte_count) ? srtp_err_status_ok : srtp_err_status_auth_fail;
}

static srtp_err_status_t compute(void *state, const uint8_t *bytes, int byte_count, int tag_bytes, uint8_t *tag) {
  HMACSHA1 *self = state;
  if (tag_bytes < 0 || tag_bytes > DIGEST_BYTES) return srtp_err_status_bad_param;
  uint8_t digest[DIGEST_BYTES];
  SHA_CTX outer = self->outer;
  if (!SHA1_Update(&self->running, bytes, (size_t)byte_count) || !SHA1_Final(digest, &self->running) ||
      !SHA1_Update(&outer, digest, sizeof digest) || !SHA1_Final(digest, &outer))
    return srtp_err_status_auth_fail;
  for (int i = 0; i < tag_bytes; i++) tag[i] = digest[i];
  return srtp_err_status_ok;
}

// RFC 2202 §3, test cases 1 and 3.
static const uint8_t key_1[] = {0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b,
                                0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b};
static const uint8_t data_1[] = {'H', 'i', ' ', 'T', 'h', 'e', 'r', 'e'};
static const uint8_t tag_1[] = {0xb6, 0x17, 0x31, 0x86, 0x55, 0x05, 0x72, 0x64, 0xe2, 0x8b,
                                0xc0, 0xb6, 0xfb, 0x37, 0x8c, 0x8e, 0xf1, 0x46, 0xbe, 0x00};
static const uint8_t key_3[] = {0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa,
                                0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa};
static const uint8_t data_3[] = {
    0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd,
    0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd,
    0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd};
static const uint8_t tag_3[] = {0x12, 0x5d, 0x73, 0x42, 0xb9, 0xac, 0x11, 0xcd, 0x91, 0xa3,
                                0x9a, 0xf4, 0x8a, 0xa1, 0x7b, 0x4f, 0x63, 0xf1, 0x75, 0xd3};

static const srtp_auth_test_case_t answer_3 = {
    .key_length_octets = sizeof key_3, .key = key_3, .data_length_octets = sizeof data_3, .data = data_3,
    .tag_length_octets = sizeof tag_3, .tag = tag_3};
static const srtp_auth_test_case_t answer_1 = {
    .key_length_octets = sizeof key_1, .key = key_1, .data_length_octets = sizeof data_1, .data = data_1,
    .tag_length_octets = sizeof tag_1, .tag = tag_1, .next_test_case = &answer_3};

const srtp_auth_type_t antiphon_hmac_sha1 = {
    .alloc = create, .dealloc = destroy, .init = set_key, .compute = compute, .update = update, .start = start,
    .description = "HMAC-SHA1, libcrypto", .test_data = &answer_1, .id = SRTP_HMAC_SHA1};
