#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H

#include <curl/curl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

// libcurl's setters and getters are variadic, which Swift cannot call. Each function below gives one
// of them a fixed type; none does anything else. The type of an option is libcurl's own rule:
// option / 10000 is 0 for long, 1 for pointers and text, 2 for functions, 3 for curl_off_t.

static inline CURLcode ccurl_easy_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_easy_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_easy_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_easy_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

// One setter a callback type: a C function pointer cannot pass through void * in portable C.

typedef size_t (*ccurl_bytes_callback)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode ccurl_easy_set_bytes_callback(
    CURL *easy, CURLoption option, ccurl_bytes_callback callback) {
    return curl_easy_setopt(easy, option, callback);
}

static inline CURLcode ccurl_easy_set_seek_callback(
    CURL *easy, int (*callback)(void *context, curl_off_t offset, int origin)) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, callback);
}

static inline CURLcode ccurl_easy_set_socket_callback(
    CURL *easy, int (*callback)(void *context, curl_socket_t socket, curlsocktype purpose)) {
    return curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, callback);
}

// A child process gets none of libcurl's connections. And the system takes no more from a sender than
// the peer has room for and 128 KiB: what is sent can be told as it goes, and not megabytes at once.
static inline curl_socket_t ccurl_open_socket(
    void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)context;
    (void)purpose;
    int unsent = 131072;
    curl_socket_t made =
        socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (made != CURL_SOCKET_BAD && address->socktype == SOCK_STREAM && address->family != AF_UNIX) {
        setsockopt(made, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof(unsent));
    }
    return made;
}

static inline CURLcode ccurl_easy_set_open_socket(CURL *easy) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, ccurl_open_socket);
}

static inline CURLcode ccurl_easy_set_resolver_callback(
    CURL *easy, int (*callback)(void *resolver, void *reserved, void *context)) {
    return curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, callback);
}

static inline CURLcode ccurl_easy_set_close_callback(
    CURL *easy, int (*callback)(void *context, curl_socket_t socket)) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, callback);
}

static inline CURLcode ccurl_easy_set_prerequest_callback(
    CURL *easy,
    int (*callback)(void *context, char *remote, char *local, int remote_port, int local_port)) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
}

static inline CURLcode ccurl_easy_set_tls_callback(
    CURL *easy, CURLcode (*callback)(CURL *easy, void *tls, void *context)) {
    return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, callback);
}

static inline CURLcode ccurl_easy_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_easy_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_easy_get_pointer(CURL *easy, CURLINFO info, void **value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode ccurl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode ccurl_multi_set_socket_callback(
    CURLM *multi,
    int (*callback)(CURL *easy, curl_socket_t socket, int what, void *context, void *per_socket)) {
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback);
}

static inline CURLMcode ccurl_multi_set_timer_callback(
    CURLM *multi, int (*callback)(CURLM *multi, long milliseconds, void *context)) {
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callback);
}

// The result of a message is a union member, which Swift imports as an unnamed tuple.
static inline CURLcode ccurl_message_result(const CURLMsg *message) {
    return message->data.result;
}

// The age of the structure is a macro over an enumerator, which Swift's importer leaves out.
static inline const curl_version_info_data *ccurl_version(void) {
    return curl_version_info(CURLVERSION_NOW);
}

// Macros with casts or expressions that Swift's importer leaves out.
static const unsigned long ccurl_write_pause = CURL_WRITEFUNC_PAUSE;
static const unsigned long ccurl_read_abort = CURL_READFUNC_ABORT;
static const unsigned long ccurl_read_pause = CURL_READFUNC_PAUSE;
static const long ccurl_global_all = CURL_GLOBAL_ALL;

#endif
