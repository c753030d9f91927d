// AES-GCM as SRTP uses it (RFC 7714, SRTP with 16-byte tags), by libcrypto.
//
// libsrtp works out the 12-byte IV itself; of the 16 + 12 or 32 + 12 bytes of key and salt only the key matters here.
// The key schedule and the table of GHASH are made once, in `set_key`; a packet sets the IV and the direction, hands
// over the associated data (in one part for RTP, two for RTCP), then the text. None of that allocates, and neither does
// a tag that does not match.

#include "types.h"

#include <openssl/evp.h>
#include <stdlib.h>

enum { SALT_BYTES = 12, TAG_BYTES = 16 };

typedef struct {
  srtp_cipher_t cipher;
  EVP_CIPHER_CTX *context;
  int tag_bytes;
} GaloisCounterMode;

static srtp_err_status_t create(srtp_cipher_t **out, int key_bytes, int tag_bytes, const srtp_cipher_type_t *type) {
  // RFC 7714 §14.2 has only 16; libsrtp's own known answers, which a replacement must give, have 8 too.
  if (tag_bytes != TAG_BYTES && tag_bytes != 8) return srtp_err_status_bad_param;
  GaloisCounterMode *self = calloc(1, sizeof *self);
  if (!self) return srtp_err_status_alloc_fail;
  self->context = EVP_CIPHER_CTX_new();
  if (!self->context) {
    free(self);
    return srtp_err_status_alloc_fail;
  }
  self->tag_bytes = tag_bytes;
  self->cipher = (srtp_cipher_t){.type = type, .state = self, .key_len = key_bytes, .algorithm = (int)type->id};
  *out = &self->cipher;
  return srtp_err_status_ok;
}

static srtp_err_status_t create_128(srtp_cipher_t **out, int key_bytes, int tag_bytes) {
  if (key_bytes != 16 + SALT_BYTES) return srtp_err_status_bad_param;
  return create(out, key_bytes, tag_bytes, &antiphon_aes_128_gcm);
}

static srtp_err_status_t create_256(srtp_cipher_t **out, int key_bytes, int tag_bytes) {
  if (key_bytes != 32 + SALT_BYTES) return srtp_err_status_bad_param;
  return create(out, key_bytes, tag_bytes, &antiphon_aes_256_gcm);
}

static srtp_err_status_t destroy(srtp_cipher_t *cipher) {
  GaloisCounterMode *self = cipher->state;
  EVP_CIPHER_CTX_free(self->context);
  OPENSSL_cleanse(self, sizeof *self);
  free(self);
  return srtp_err_status_ok;
}

static srtp_err_status_t set_key(void *state, const uint8_t *key) {
  GaloisCounterMode *self = state;
  const EVP_CIPHER *type = self->cipher.key_len == 32 + SALT_BYTES ? EVP_aes_256_gcm() : EVP_aes_128_gcm();
  // 12 bytes, the length of SRTP's IV, is libcrypto's own default.
  return EVP_EncryptInit_ex(self->context, type, NULL, key, NULL) ? srtp_err_status_ok : srtp_err_status_init_fail;
}

static srtp_err_status_t set_iv(void *state, uint8_t *iv, srtp_cipher_direction_t direction) {
  GaloisCounterMode *self = state;
  if (direction == srtp_direction_any) return srtp_err_status_bad_param;
  int encrypts = direction == srtp_direction_encrypt;
  return EVP_CipherInit_ex(self->context, NULL, NULL, NULL, iv, encrypts) ? srtp_err_status_ok
                                                                           : srtp_err_status_init_fail;
}

static srtp_err_status_t add_associated_data(void *state, const uint8_t *bytes, uint32_t byte_count) {
  GaloisCounterMode *self = state;
  int done = 0;
  return EVP_CipherUpdate(self->context, NULL, &done, bytes, (int)byte_count) ? srtp_err_status_ok
                                                                              : srtp_err_status_algo_fail;
}

static srtp_err_status_t encrypt(void *state, uint8_t *bytes, unsigned int *byte_count) {
  GaloisCounterMode *self = state;
  int done = 0;
  return EVP_CipherUpdate(self->context, bytes, &done, bytes, (int)*byte_count) ? srtp_err_status_ok
                                                                                : srtp_err_status_cipher_fail;
}

static srtp_err_status_t get_tag(void *state, uint8_t *tag, uint32_t *byte_count) {
  GaloisCounterMode *self = state;
  int done = 0;
  if (!EVP_CipherFinal_ex(self->context, tag, &done)) return srtp_err_status_algo_fail;
  if (!EVP_CIPHER_CTX_ctrl(self->context, EVP_CTRL_AEAD_GET_TAG, self->tag_bytes, tag))
    return srtp_err_status_algo_fail;
  *byte_count = (uint32_t)self->tag_bytes;
  return srtp_err_status_ok;
}

// `bytes` ends with the tag, which is checked and taken off.
static srtp_err_status_t decrypt(void *state, uint8_t *bytes, unsigned int *byte_count) {
  GaloisCounterMode *self = state;
  int text_bytes = (int)*byte_count - self->tag_bytes, done = 0;
  if (text_bytes < 0) return srtp_err_status_bad_param;
  uint8_t *tag = bytes + text_bytes;
  if (!EVP_CIPHER_CTX_ctrl(self->context, EVP_CTRL_AEAD_SET_TAG, self->tag_bytes, tag))
    return srtp_err_status_algo_fail;
  if (!EVP_CipherUpdate(self->context, bytes, &done, bytes, text_bytes)) return srtp_err_status_cipher_fail;
  if (!EVP_CipherFinal_ex(self->context, tag, &done)) return srtp_err_status_auth_fail;
  *byte_count = (unsigned int)text_bytes;
  return srtp_err_status_ok;
}

// NIST's GCM specification (McGrew and Viega), test cases 4 and 16; 12 bytes of salt stand after the key, unused.
static const uint8_t key_128[16 + SALT_BYTES] = {
    0xfe, 0xff, 0xe9, 0x92, 0x86, 0x65, 0x73, 0x1c, 0x6d, 0x6a, 0x8f, 0x94, 0x67, 0x30, 0x83, 0x08};
static const uint8_t key_256[32 + SALT_BYTES] = {
    0xfe, 0xff, 0xe9, 0x92, 0x86, 0x65, 0x73, 0x1c, 0x6d, 0x6a, 0x8f, 0x94, 0x67, 0x30, 0x83, 0x08,
    0xfe, 0xff, 0xe9, 0x92, 0x86, 0x65, 0x73, 0x1c, 0x6d, 0x6a, 0x8f, 0x94, 0x67, 0x30, 0x83, 0x08};
static uint8_t iv[12] = {0xca, 0xfe, 0xba, 0xbe, 0xfa, 0xce, 0xdb, 0xad, 0xde, 0xca, 0xf8, 0x88};
static const uint8_t associated[20] = {
    0xfe, 0xed, 0xfa, 0xce, 0xde, 0xad, 0xbe, 0xef, 0xfe, 0xed,
    0xfa, 0xce, 0xde, 0xad, 0xbe, 0xef, 0xab, 0xad, 0xda, 0xd2};
static const uint8_t text[60] = {
    0xd9, 0x31, 0x32, 0x25, 0xf8, 0x84, 0x06, 0xe5, 0xa5, 0x59, 0x09, 0xc5, 0xaf, 0xf5, 0x26, 0x9a,
    0x86, 0xa7, 0xa9, 0x53, 0x15, 0x34, 0xf7, 0xda, 0x2e, 0x4c, 0x30, 0x3d, 0x8a, 0x31, 0x8a, 0x72,
    0x1c, 0x3c, 0x0c, 0x95, 0x95, 0x68, 0x09, 0x53, 0x2f, 0xcf, 0x0e, 0x24, 0x49, 0xa6, 0xb5, 0x25,
    0xb1, 0x6a, 0xed, 0xf5, 0xaa, 0x0d, 0xe6, 0x57, 0xba, 0x63, 0x7b, 0x39};
static const uint8_t sealed_128[60 + TAG_BYTES] = {
    0x42, 0x83, 0x1e, 0xc2, 0x21, 0x77, 0x74, 0x24, 0x4b, 0x72, 0x21, 0xb7, 0x84, 0xd0, 0xd4, 0x9c,
    0xe3, 0xaa, 0x21, 0x2f, 0x2c, 0x02, 0xa4, 0xe0, 0x35, 0xc1, 0x7e, 0x23, 0x29, 0xac, 0xa1, 0x2e,
    0x21, 0xd5, 0x14, 0xb2, 0x54, 0x66, 0x93, 0x1c, 0x7d, 0x8f, 0x6a, 0x5a, 0xac, 0x84, 0xaa, 0x05,
    0x1b, 0xa3, 0x0b, 0x39, 0x6a, 0x0a, 0xac, 0x97, 0x3d, 0x58, 0xe0, 0x91,
    0x5b, 0xc9, 0x4f, 0xbc, 0x32, 0x21, 0xa5, 0xdb, 0x94, 0xfa, 0xe9, 0x5a, 0xe7, 0x12, 0x1a, 0x47};
static const uint8_t sealed_256[60 + TAG_BYTES] = {
    0x52, 0x2d, 0xc1, 0xf0, 0x99, 0x56, 0x7d, 0x07, 0xf4, 0x7f, 0x37, 0xa3, 0x2a, 0x84, 0x42, 0x7d,
    0x64, 0x3a, 0x8c, 0xdc, 0xbf, 0xe5, 0xc0, 0xc9, 0x75, 0x98, 0xa2, 0xbd, 0x25, 0x55, 0xd1, 0xaa,
    0x8c, 0xb0, 0x8e, 0x48, 0x59, 0x0d, 0xbb, 0x3d, 0xa7, 0xb0, 0x8b, 0x10, 0x56, 0x82, 0x88, 0x38,
    0xc5, 0xf6, 0x1e, 0x63, 0x93, 0xba, 0x7a, 0x0a, 0xbc, 0xc9, 0xf6, 0x62,
    0x76, 0xfc, 0x6e, 0xce, 0x0f, 0x4e, 0x17, 0x68, 0xcd, 0xdf, 0x88, 0x53, 0xbb, 0x2d, 0x55, 0x1b};

static const srtp_cipher_test_case_t answers_128 = {
    .key_length_octets = sizeof key_128, .key = key_128, .idx = iv,
    .plaintext_length_octets = sizeof text, .plaintext = text,
    .ciphertext_length_octets = sizeof sealed_128, .ciphertext = sealed_128,
    .aad_length_octets = sizeof associated, .aad = associated, .tag_length_octets = TAG_BYTES};
static const srtp_cipher_test_case_t answers_256 = {
    .key_length_octets = sizeof key_256, .key = key_256, .idx = iv,
    .plaintext_length_octets = sizeof text, .plaintext = text,
    .ciphertext_length_octets = sizeof sealed_256, .ciphertext = sealed_256,
    .aad_length_octets = sizeof associated, .aad = associated, .tag_length_octets = TAG_BYTES};

const srtp_cipher_type_t antiphon_aes_128_gcm = {
    .alloc = create_128, .dealloc = destroy, .init = set_key, .set_aad = add_associated_data, .encrypt = encrypt,
    .decrypt = decrypt, .set_iv = set_iv, .get_tag = get_tag,
    .description = "AES-128 GCM, libcrypto", .test_data = &answers_128, .id = SRTP_AES_GCM_128};
const srtp_cipher_type_t antiphon_aes_256_gcm = {
    .alloc = create_256, .dealloc = destroy, .init = set_key, .set_aad = add_associated_data, .encrypt = encrypt,
    .decrypt = decrypt, .set_iv = set_iv, .get_tag = get_tag,
    .description = "AES-256 GCM, libcrypto", .test_data = &answers_256, .id = SRTP_AES_GCM_256};
