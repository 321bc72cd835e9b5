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
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>

// Several modules carry `struct timespec` and `struct timeval`, and Swift asks for the one it met first.

// The moment is in nanoseconds of the monotonic clock; 0 disarms.
static inline int clinux_set_timer(int timer, unsigned long long moment) {
    struct itimerspec time = {0};
    time.it_value.tv_sec = (time_t)(moment / 1000000000ull);
    time.it_value.tv_nsec = (long)(moment % 1000000000ull);
    return timerfd_settime(timer, TFD_TIMER_ABSTIME, &time, NULL);
}

static inline int clinux_limit_waiting(int descriptor, int seconds) {
    struct timeval patience = {.tv_sec = seconds};
    return setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
}
#endif

// Several modules on Linux carry `struct stat`, and under MemberImportVisibility Swift asks for the
// one that it met first, which differs from build to build. So the few facts come as plain numbers.
struct cfile_status {
    // 0, or the system's errno; then the rest means nothing.
    int failure;
    int is_regular;
    int is_directory;
    long long size;
    long long links;
    // Together they name a file for as long as it is open somewhere.
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

// An extended attribute of an open file: 0 or more are its bytes, -1 is an error in errno.
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

// Reserves room behind a file's end, and leaves its length as it is: 0, or -1 with an error in errno.
// Only with _GNU_SOURCE has glibc a name for it, and not every build of the module sets that.
#ifdef __linux__
static inline int cfile_reserve(int descriptor, long long start, long long length) {
    return (int)syscall(SYS_fallocate, descriptor, 1, start, length);
}
#endif

// Writes all files of a file system through to its disk, and their names: 0, or the system's errno.
static inline int cfile_sync_all(int descriptor) {
#ifdef __linux__
    return syscall(SYS_syncfs, descriptor) == 0 ? 0 : errno;
#else
    (void)descriptor;
    sync();
    return 0;
#endif
}

// When the system began to run, in seconds of the calendar; 0 where that is not known.
static inline long long cfile_start_of_system(void) {
#if defined(__linux__) && defined(__LP64__)
    // Not time.h, whose types Swift would then look for in this module. 7 is CLOCK_BOOTTIME, 0 CLOCK_REALTIME.
    struct timespec up, now;
    if (syscall(SYS_clock_gettime, 7, &up) != 0 || syscall(SYS_clock_gettime, 0, &now) != 0) return 0;
    return (long long)now.tv_sec - (long long)up.tv_sec;
#else
    return 0;
#endif
}

// Gives a file a name that no file has: 0, or the system's errno. Where a file system cannot do
// that in one step, it looks first.
static inline int cfile_rename_new(const char *from, const char *to) {
#ifdef __APPLE__
    if (renamex_np(from, to, RENAME_EXCL) == 0) return 0;
#elif defined(SYS_renameat2)
    // Only with _GNU_SOURCE has glibc a name for it, too; 1 is RENAME_NOREPLACE.
    if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1) == 0) return 0;
#else
    errno = ENOSYS;
#endif
    if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) return errno;
    if (access(to, F_OK) == 0) return EEXIST;
    return rename(from, to) == 0 ? 0 : errno;
}

#endif
