#ifndef CLINUX_SHIM_H
#define CLINUX_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

// Swift's Glibc module leaves these headers out.
#ifdef __linux__
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

// Several modules declare `struct timespec` and `struct sockaddr`, and Swift uses the one it met
// first.

// The time is in nanoseconds of the monotonic clock; 0 disarms.
static inline int clinux_set_timer(int timer, unsigned long long moment) {
    struct itimerspec time = {0};
    time.it_value.tv_sec = (time_t)(moment / 1000000000ull);
    time.it_value.tv_nsec = (long)(moment % 1000000000ull);
    return timerfd_settime(timer, TFD_TIMER_ABSTIME, &time, NULL);
}

// A socket that becomes readable when interfaces, addresses, routes or rules of the thread's
// network change; -1 with errno set where it is refused.
static inline int clinux_network_news(void) {
    struct sockaddr_nl groups = {.nl_family = AF_NETLINK};
    groups.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE
        | RTMGRP_IPV6_ROUTE | RTMGRP_IPV4_RULE | 1u << (RTNLGRP_IPV6_RULE - 1)
        | 1u << (RTNLGRP_NEXTHOP - 1);
    int news = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (news < 0) return -1;
    if (bind(news, (struct sockaddr *)&groups, sizeof groups) == 0) return news;
    int failure = errno;
    close(news);
    errno = failure;
    return -1;
}

// The source address of packets to an IPv4 address (4 bytes) or IPv6 address (16). Nothing is sent.
// 1: it is in the 28 bytes, as a `sockaddr_in` or `sockaddr_in6`. 0: there is no route. -1: the
// kernel could not be asked, with errno set.
static inline int clinux_source(
    const unsigned char *bytes, int count, unsigned interface, void *source) {
    // A web server's port, because routing rules may depend on it.
    unsigned short port = htons(443);
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = port};
    struct sockaddr_in6 six = {
        .sin6_family = AF_INET6, .sin6_port = port, .sin6_scope_id = interface};
    int is_four = count == sizeof four.sin_addr;
    if (is_four) memcpy(&four.sin_addr, bytes, sizeof four.sin_addr);
    else memcpy(&six.sin6_addr, bytes, sizeof six.sin6_addr);
    int probe = socket(is_four ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (probe < 0) return errno == EAFNOSUPPORT ? 0 : -1;
    socklen_t size = sizeof six;
    int found = is_four ? connect(probe, (struct sockaddr *)&four, sizeof four) == 0
                        : connect(probe, (struct sockaddr *)&six, sizeof six) == 0;
    found = found && getsockname(probe, source, &size) == 0;
    close(probe);
    return found;
}
#endif

// Several modules on Linux declare `struct stat`, and under MemberImportVisibility Swift uses the
// one that it met first, which differs from build to build. So the needed members are plain
// numbers.
struct cfile_status {
    // 0, or errno; then the other members are not valid.
    int failure;
    int is_regular;
    int is_directory;
    long long size;
    long long links;
    // Together they identify a file while it is open.
    unsigned long long device;
    unsigned long long inode;
    long long modified_seconds;
    long long modified_nanoseconds;
};

static inline struct cfile_status cfile_status_make(int result, const struct stat *status) {
    struct cfile_status facts = {0};
    if (result != 0) {
        facts.failure = errno;
        return facts;
    }
    facts.is_regular = S_ISREG(status->st_mode);
    facts.is_directory = S_ISDIR(status->st_mode);
    facts.size = status->st_size;
    facts.links = status->st_nlink;
    facts.device = (unsigned long long)status->st_dev;
    facts.inode = status->st_ino;
#ifdef __APPLE__
    facts.modified_seconds = status->st_mtimespec.tv_sec;
    facts.modified_nanoseconds = status->st_mtimespec.tv_nsec;
#else
    facts.modified_seconds = status->st_mtim.tv_sec;
    facts.modified_nanoseconds = status->st_mtim.tv_nsec;
#endif
    return facts;
}

static inline struct cfile_status cfile_status_at(const char *path) {
    struct stat status;
    return cfile_status_make(stat(path, &status), &status);
}

static inline struct cfile_status cfile_status_of(int descriptor) {
    struct stat status;
    return cfile_status_make(fstat(descriptor, &status), &status);
}

// An extended attribute of an open file: 0 or more is its size, -1 an error in errno.
static inline long cfile_attribute(int descriptor, const char *name, void *bytes, size_t count) {
#ifdef __APPLE__
    return fgetxattr(descriptor, name, bytes, count, 0, 0);
#else
    return fgetxattr(descriptor, name, bytes, count);
#endif
}

static inline int cfile_set_attribute(
    int descriptor, const char *name, const void *bytes, size_t count) {
#ifdef __APPLE__
    return fsetxattr(descriptor, name, bytes, count, 0, 0);
#else
    return fsetxattr(descriptor, name, bytes, count, 0);
#endif
}

// Writes all files of a file system, and their names, to its disk: 0, or errno.
static inline int cfile_sync_all(int descriptor) {
#ifdef __linux__
    return syscall(SYS_syncfs, descriptor) == 0 ? 0 : errno;
#else
    (void)descriptor;
    sync();
    return 0;
#endif
}

// When the system started, in seconds of the calendar; 0 where that is not known.
static inline long long cfile_start_of_system(void) {
#if defined(__linux__) && defined(__LP64__)
    // Without time.h, whose types Swift would then look up in this module. 7 is CLOCK_BOOTTIME, 0
    // CLOCK_REALTIME.
    struct timespec up, now;
    if (syscall(SYS_clock_gettime, 7, &up) != 0 || syscall(SYS_clock_gettime, 0, &now) != 0) return 0;
    return (long long)now.tv_sec - (long long)up.tv_sec;
#else
    return 0;
#endif
}

// Renames a file to a name that no file has: 0, or errno. Where a file system cannot do that
// atomically, it checks first.
static inline int cfile_rename_new(const char *from, const char *to) {
#ifdef __APPLE__
    if (renamex_np(from, to, RENAME_EXCL) == 0) return 0;
#elif defined(SYS_renameat2)
    // glibc declares this only with _GNU_SOURCE, too; 1 is RENAME_NOREPLACE.
    if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1) == 0) return 0;
#else
    errno = ENOSYS;
#endif
    if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) return errno;
    if (access(to, F_OK) == 0) return EEXIST;
    return rename(from, to) == 0 ? 0 : errno;
}

#endif
