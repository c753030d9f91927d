#include "CSRTPCiphers.h"
#include "types.h"

int antiphon_srtp_use_openssl(void) {
  const srtp_cipher_type_t *ciphers[] = {
      &antiphon_aes_128_counter_mode, &antiphon_aes_256_counter_mode, &antiphon_aes_128_gcm, &antiphon_aes_256_gcm};
  for (int i = 0; i < 4; i++) {
    srtp_err_status_t status = srtp_replace_cipher_type(ciphers[i], ciphers[i]->id);
    if (status) return status;
  }
  return srtp_replace_auth_type(&antiphon_hmac_sha1, antiphon_hmac_sha1.id);
}
