#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#endif
