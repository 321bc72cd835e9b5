#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// Macros over variadic functions and casts, which Swift cannot use, as plain functions.

static const unsigned long copenssl_one_line = XN_FLAG_ONELINE;
static const uint64_t copenssl_no_ticket = SSL_OP_NO_TICKET;
static const uint64_t copenssl_ignore_unexpected_end = SSL_OP_IGNORE_UNEXPECTED_EOF;

// OpenSSL frees its tables at `exit`, and a thread that ends at that moment frees its own part
// again: "double free". This option, in the first call into OpenSSL, prevents that; later calls
// cost next to nothing. The system reclaims the memory anyway.
static inline void copenssl_stay_through_exit(void) {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}

// An index for a value in every SSL_CTX, and the function that frees the value; negative on
// failure.
static inline int copenssl_new_context_slot(CRYPTO_EX_free *release) {
    return CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL_CTX, 0, NULL, NULL, NULL, release);
}

// The same for every SSL, which is one connection.
static inline int copenssl_new_session_slot(CRYPTO_EX_free *release) {
    return CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL, 0, NULL, NULL, NULL, release);
}

static inline EVP_PKEY *copenssl_new_p256_key(void) {
    return EVP_EC_gen("P-256");
}

static inline EVP_PKEY *copenssl_new_rsa_key(unsigned int bits) {
    return EVP_RSA_gen(bits);
}

// The signing and the signed certificate, which extensions in text form refer to.
static inline int copenssl_add_extension(X509 *certificate, X509 *issuer, int nid, const char *text) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, text);
    if (extension == NULL) {
        return 0;
    }
    int added = X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return added;
}

// PKCS#12 files with client certificates, also of older systems.

#include <openssl/pkcs12.h>
#include <openssl/provider.h>

static inline void copenssl_clear_free(void *secret, size_t length) {
    OPENSSL_clear_free(secret, length);
}

#endif
