#pragma once
#include <srtp2/auth.h>
#include <srtp2/cipher.h>

extern const srtp_cipher_type_t antiphon_aes_128_counter_mode;
extern const srtp_cipher_type_t antiphon_aes_256_counter_mode;
extern const srtp_cipher_type_t antiphon_aes_128_gcm;
extern const srtp_cipher_type_t antiphon_aes_256_gcm;
extern const srtp_auth_type_t antiphon_hmac_sha1;
