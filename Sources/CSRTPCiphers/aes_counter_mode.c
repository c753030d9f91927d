// AES in counter mode as SRTP uses it (RFC 3711 §4.1.1, RFC 6188 for 256-bit keys), by libcrypto.
//
//   0                             13 14 15
//  +--------------------------------+-----+
//  | 14-byte salt                   | 0 0 |   from the stream's key
//  +--------------------------------+-----+
//    xor  IV: SSRC and packet index            from libsrtp, per packet
//    =    first counter block, counts up in bytes 14 and 15
//
// Key and salt come from libsrtp as one string: 16 or 32 bytes of key, then 14 of salt. The key schedule is made once,
// in `set_key`; a packet only sets the counter, which allocates nothing.

#include "types.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

enum { SALT_BYTES = 14, BLOCK_BYTES = 16 };

typedef struct {
  srtp_cipher_t cipher;
  EVP_CIPHER_CTX *context;
  uint8_t salt[BLOCK_BYTES];
} CounterMode;

static srtp_err_status_t create(srtp_cipher_t **out, int key_bytes, const srtp_cipher_type_t *type) {
  CounterMode *self = calloc(1, sizeof *self);
  if (!self) return srtp_err_status_alloc_fail;
  self->context = EVP_CIPHER_CTX_new();
  if (!self->context) {
    free(self);
    return srtp_err_status_alloc_fail;
  }
  self->cipher = (srtp_cipher_t){.type = type, .state = self, .key_len = key_bytes, .algorithm = (int)type->id};
  *out = &self->cipher;
  return srtp_err_status_ok;
}

static srtp_err_status_t create_128(srtp_cipher_t **out, int key_bytes, int tag_bytes) {
  (void)tag_bytes;  // counter mode has no tag of its own
  if (key_bytes != 16 + SALT_BYTES) return srtp_err_status_bad_param;
  return create(out, key_bytes, &antiphon_aes_128_counter_mode);
}

static srtp_err_status_t create_256(srtp_cipher_t **out, int key_bytes, int tag_bytes) {
  (void)tag_bytes;
  if (key_bytes != 32 + SALT_BYTES) return srtp_err_status_bad_param;
  return create(out, key_bytes, &antiphon_aes_256_counter_mode);
}

static srtp_err_status_t destroy(srtp_cipher_t *cipher) {
  CounterMode *self = cipher->state;
  EVP_CIPHER_CTX_free(self->context);
  OPENSSL_cleanse(self, sizeof *self);
  free(self);
  return srtp_err_status_ok;
}

static srtp_err_status_t set_key(void *state, const uint8_t *key) {
  CounterMode *self = state;
  int key_bytes = self->cipher.key_len - SALT_BYTES;
  const EVP_CIPHER *type = key_bytes == 32 ? EVP_aes_256_ctr() : EVP_aes_128_ctr();
  memset(self->salt, 0, sizeof self->salt);
  memcpy(self->salt, key + key_bytes, SALT_BYTES);
  // A first counter goes with the key, so that a packet's call is of the same kind as every later one.
  return EVP_EncryptInit_ex(self->context, type, NULL, key, self->salt) ? srtp_err_status_ok : srtp_err_status_init_fail;
}

static srtp_err_status_t set_iv(void *state, uint8_t *iv, srtp_cipher_direction_t direction) {
  (void)direction;  // counter mode encrypts and decrypts alike
  CounterMode *self = state;
  uint8_t counter[BLOCK_BYTES];
  for (int i = 0; i < BLOCK_BYTES; i++) counter[i] = self->salt[i] ^ iv[i];
  return EVP_EncryptInit_ex(self->context, NULL, NULL, NULL, counter) ? srtp_err_status_ok : srtp_err_status_init_fail;
}

static srtp_err_status_t apply(void *state, uint8_t *bytes, unsigned int *byte_count) {
  CounterMode *self = state;
  int done = 0;
  if (!EVP_EncryptUpdate(self->context, bytes, &done, bytes, (int)*byte_count)) return srtp_err_status_cipher_fail;
  return done == (int)*byte_count ? srtp_err_status_ok : srtp_err_status_cipher_fail;
}

// NIST SP 800-38A F.5's AES-128 key; salt, counter and keystream from RFC 3711 appendix B.2.
static const uint8_t key_128[] = {
    0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c,
    0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd};
static const uint8_t keystream_128[] = {
    0xe0, 0x3e, 0xad, 0x09, 0x35, 0xc9, 0x5e, 0x80, 0xe1, 0x66, 0xb1, 0x6d, 0xd9, 0x2b, 0x4e, 0xb4,
    0xd2, 0x35, 0x13, 0x16, 0x2b, 0x02, 0xd0, 0xf7, 0x2a, 0x43, 0xa2, 0xfe, 0x4a, 0x5f, 0x97, 0xab};

// RFC 6188 §7.1.
static const uint8_t key_256[] = {
    0x57, 0xf8, 0x2f, 0xe3, 0x61, 0x3f, 0xd1, 0x70, 0xa8, 0x5e, 0xc9, 0x3c, 0x40, 0xb1, 0xf0, 0x92,
    0x2e, 0xc4, 0xcb, 0x0d, 0xc0, 0x25, 0xb5, 0x82, 0x72, 0x14, 0x7c, 0xc4, 0x38, 0x94, 0x4a, 0x98,
    0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd};
static const uint8_t keystream_256[] = {
    0x92, 0xbd, 0xd2, 0x8a, 0x93, 0xc3, 0xf5, 0x25, 0x11, 0xc6, 0x77, 0xd0, 0x8b, 0x55, 0x15, 0xa4,
    0x9d, 0xa7, 0x1b, 0x23, 0x78, 0xa8, 0x54, 0xf6, 0x70, 0x50, 0x75, 0x6d, 0xed, 0x16, 0x5b, 0xac};

static const uint8_t zeros[32];
static uint8_t zero_iv[BLOCK_BYTES];

static const srtp_cipher_test_case_t answers_128 = {
    .key_length_octets = sizeof key_128, .key = key_128, .idx = zero_iv,
    .plaintext_length_octets = sizeof zeros, .plaintext = zeros,
    .ciphertext_length_octets = sizeof keystream_128, .ciphertext = keystream_128};
static const srtp_cipher_test_case_t answers_256 = {
    .key_length_octets = sizeof key_256, .key = key_256, .idx = zero_iv,
    .plaintext_length_octets = sizeof zeros, .plaintext = zeros,
    .ciphertext_length_octets = sizeof keystream_256, .ciphertext = keystream_256};

const srtp_cipher_type_t antiphon_aes_128_counter_mode = {
    .alloc = create_128, .dealloc = destroy, .init = set_key, .encrypt = apply, .decrypt = apply, .set_iv = set_iv,
    .description = "AES-128 counter mode, libcrypto", .test_data = &answers_128, .id = SRTP_AES_ICM_128};
const srtp_cipher_type_t antiphon_aes_256_counter_mode = {
    .alloc = create_256, .dealloc = destroy, .init = set_key, .encrypt = apply, .decrypt = apply, .set_iv = set_iv,
    .description = "AES-256 counter mode, libcrypto", .test_data = &answers_256, .id = SRTP_AES_ICM_256};
