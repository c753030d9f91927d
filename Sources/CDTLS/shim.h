// OpenSSL 3's DTLS. Its macros and variadic calls as functions; nothing else.
#pragma once
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/srtp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/time.h>

static inline EVP_PKEY *antiphon_make_p256_key(void) { return EVP_EC_gen("P-256"); }

static inline int antiphon_set_dtls12_only(SSL_CTX *context) {
  return SSL_CTX_set_min_proto_version(context, DTLS1_2_VERSION) == 1
      && SSL_CTX_set_max_proto_version(context, DTLS1_2_VERSION) == 1;
}

static inline int antiphon_set_groups(SSL_CTX *context, const char *groups) {
  return SSL_CTX_set1_groups_list(context, groups) == 1;
}

// No resumption and no renegotiation: each would end in keys that no fingerprint was checked for. The size of datagrams
// is set, since a memory BIO knows none.
static inline void antiphon_set_options(SSL_CTX *context) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_QUERY_MTU);
}

static inline void antiphon_set_mtu(SSL *ssl, long byte_count) { SSL_set_mtu(ssl, byte_count); }

// A memory BIO that says "nothing yet" when it is empty, where it would say "end of file".
static inline BIO *antiphon_new_memory(void) {
  BIO *memory = BIO_new(BIO_s_mem());
  if (memory) BIO_set_mem_eof_return(memory, -1);
  return memory;
}

static inline size_t antiphon_pending(BIO *memory) { return BIO_ctrl_pending(memory); }
static inline int antiphon_reset(BIO *memory) { return BIO_reset(memory) == 1; }

// Whether a flight waits for an answer, and for how much longer, in nanoseconds.
static inline int antiphon_timeout(SSL *ssl, int64_t *nanoseconds) {
  struct timeval left;
  if (DTLSv1_get_timeout(ssl, &left) != 1) return 0;
  *nanoseconds = (int64_t)left.tv_sec * 1000000000 + (int64_t)left.tv_usec * 1000;
  return 1;
}

static inline int antiphon_handle_timeout(SSL *ssl) { return (int)DTLSv1_handle_timeout(ssl); }
