#ifndef CFILESTATUS_SHIM_H
#define CFILESTATUS_SHIM_H

#include <errno.h>
#include <sys/stat.h>

// Several modules on Linux carry `struct stat`, and under MemberImportVisibility Swift asks for the
// one that it met first, which differs from build to build. So the few facts come as plain numbers.
struct cfile_status {
    // 0, or the system's errno; then the rest means nothing.
    int failure;
    int is_regular;
    int is_directory;
    long long size;
    long long links;
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

#endif
