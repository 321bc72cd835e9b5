#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// Not sys/ioctl.h: Swift would then look for the terminal's types in this module.
#ifdef __linux__
#include <asm/ioctls.h>
extern int ioctl(int descriptor, unsigned long request, ...);
#else
#include <sys/ioctl.h>
#endif

// libcurl's setters and getters are variadic, which Swift cannot call. Each function below only
// gives one of them a fixed type. libcurl defines the type of an option: option / 10000 is 0 for
// long, 1 for pointers and text, 2 for functions, 3 for curl_off_t.

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

// A child process inherits none of libcurl's connections. And the kernel buffers little more than
// the peer has room for, so that upload progress can be reported as bytes are sent.
static inline curl_socket_t ccurl_open_socket(struct curl_sockaddr *address) {
    int unsent = 131072;
    curl_socket_t made =
        socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (made != CURL_SOCKET_BAD && address->socktype == SOCK_STREAM && address->family != AF_UNIX) {
        setsockopt(made, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof(unsent));
    }
    return made;
}

static inline CURLcode ccurl_easy_set_open_socket(CURL *easy, curl_opensocket_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}

// The time of a clock in nanoseconds; 0 where there is no such clock.
static inline unsigned long long ccurl_clock_nanoseconds(clockid_t clock) {
    struct timespec time;
    return clock_gettime(clock, &time) == 0
        ? (unsigned long long)time.tv_sec * 1000000000ull + (unsigned long long)time.tv_nsec : 0;
}

// The total bytes read from a TCP socket; for another socket another number, which also changes
// when bytes are read. The kernel counts received bytes at offset 128 of its `struct tcp_info`, a
// member that the C library's lacks.
static inline long long ccurl_bytes_read(int socket) {
    unsigned char before[136], after[136];
    int unread = 0;
    for (int turn = 0; turn < 4; turn++) {
        socklen_t size = sizeof(before);
        if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, before, &size) != 0 || size < sizeof(before)) {
            return ioctl(socket, FIONREAD, &unread) == 0 ? -(long long)unread : 0;
        }
        if (ioctl(socket, FIONREAD, &unread) != 0) {
            return 0;
        }
        size = sizeof(after);
        getsockopt(socket, IPPROTO_TCP, TCP_INFO, after, &size);
        // Otherwise bytes were received meanwhile; retry.
        if (memcmp(before + 128, after + 128, 8) == 0) {
            break;
        }
    }
    unsigned long long received = 0;
    memcpy(&received, after + 128, sizeof(received));
    return (long long)received - unread;
}

// Ends a connection and replaces its descriptor by an unconnected socket, so that all further reads
// and writes fail at once. After `shutdown` alone, bytes already received could still be read.
static inline bool ccurl_disconnect(int descriptor) {
    int other = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (other < 0) {
        return shutdown(descriptor, SHUT_RDWR) == 0;
    }
    shutdown(descriptor, SHUT_RDWR);
    // Not `dup3`, which needs _GNU_SOURCE.
    bool isDone = dup2(other, descriptor) >= 0;
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    close(other);
    return isDone;
}

// The bytes in transit in a socket pair or pipe, seen from either end; -1 for another descriptor.
static inline int ccurl_bytes_between(int descriptor) {
    int domain = 0, unread = 0, unsent = 0;
    socklen_t size = sizeof(domain);
    if (getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0) {
        if (domain != AF_UNIX) {
            return -1;
        }
        ioctl(descriptor, TIOCOUTQ, &unsent);
    } else if (lseek(descriptor, 0, SEEK_CUR) != -1 || errno != ESPIPE || isatty(descriptor)) {
        return -1;
    }
    return ioctl(descriptor, FIONREAD, &unread) == 0 ? unread + unsent : -1;
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

// The socket of the connection that is or was last used; CURL_SOCKET_BAD where that is closed.
static inline curl_socket_t ccurl_easy_get_socket(CURL *easy) {
    curl_socket_t found = CURL_SOCKET_BAD;
    curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &found);
    return found;
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
