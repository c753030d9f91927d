#include "CSRTPCiphers.h"
#include "types.h"

static const srtp_cipher_type_t *const ciphers[] = {
    &antiphon_aes_128_counter_mode, &antiphon_aes_256_counter_mode, &antiphon_aes_128_gcm, &antiphon_aes_256_gcm};
enum { CIPHERS = sizeof ciphers / sizeof ciphers[0] };

int antiphon_srtp_use_openssl(void) {
  for (int i = 0; i < CIPHERS; i++) {
    srtp_err_status_t status = srtp_replace_cipher_type(ciphers[i], ciphers[i]->id);
    if (status) return status;
  }
  return srtp_replace_auth_type(&antiphon_hmac_sha1, antiphon_hmac_sha1.id);
}

int antiphon_srtp_check_cipher(int cipher, const AntiphonCipherAnswer *answer) {
  uint8_t iv[16] = {0};
  int has_tag = cipher == SRTP_AES_GCM_128 || cipher == SRTP_AES_GCM_256;
  for (int i = 0; i < (has_tag ? 12 : 16); i++) iv[i] = answer->iv[i];
  srtp_cipher_test_case_t test = {
      .key_length_octets = answer->key_byte_count, .key = answer->key, .idx = iv,
      .plaintext_length_octets = (unsigned int)answer->text_byte_count, .plaintext = answer->text,
      .ciphertext_length_octets = (unsigned int)answer->sealed_byte_count, .ciphertext = answer->sealed,
      .aad_length_octets = answer->associated_byte_count, .aad = answer->associated,
      .tag_length_octets = has_tag ? 16 : 0};
  for (int i = 0; i < CIPHERS; i++)
    if (ciphers[i]->id == (srtp_cipher_type_id_t)cipher) return srtp_cipher_type_test(ciphers[i], &test);
  return srtp_err_status_bad_param;
}
