#define _GNU_SOURCE
#include "allocations.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Who asks, by the file that the calling code is in.
enum owner { LIBCURL, FOUNDATION, PROGRAM, RUNTIME };

static const struct { const char *start; enum owner owner; } owners[] = {
    {"libc.so", RUNTIME}, {"libm.so", RUNTIME}, {"ld-linux", RUNTIME}, {"libstdc++", RUNTIME},
    {"libgcc_s", RUNTIME}, {"libbench-allocations", RUNTIME}, {"libswiftDispatch", FOUNDATION},
    {"libswift", RUNTIME}, {"libFoundation", FOUNDATION}, {"lib_Foundation", FOUNDATION},
    {"libdispatch", FOUNDATION}, {"libBlocksRuntime", FOUNDATION}, {"lib", LIBCURL},
};

static struct { uintptr_t start, end; enum owner owner; } ranges[512];
static int range_count;
static atomic_ulong counts[3];
// Of this thread; 0 before it is known. In the thread's own block, for any other kind is allocated at first use.
static __thread uintptr_t stack_end __attribute__((tls_model("initial-exec")));
static __thread int is_asking __attribute__((tls_model("initial-exec")));

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static enum owner owner_of_file(const char *path) {
    const char *name = strrchr(path, '/');
    if (!name) return PROGRAM;
    for (size_t index = 0; index < sizeof owners / sizeof owners[0]; index++)
        if (strncmp(name + 1, owners[index].start, strlen(owners[index].start)) == 0)
            return owners[index].owner;
    return PROGRAM;
}

// Reads where each file is. Libraries that are loaded later count as the program.
__attribute__((constructor)) static void read_map(void) {
    static char text[1 << 18];
    int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    size_t length = 0;
    ssize_t more;
    while (file >= 0 && (more = read(file, text + length, sizeof text - 1 - length)) > 0)
        length += (size_t)more;
    if (file >= 0) close(file);
    for (char *line = text, *end; (end = strchr(line, '\n')) && range_count < 512; line = end + 1) {
        *end = 0;
        char *rest;
        uintptr_t start = strtoul(line, &rest, 16), stop = strtoul(rest + 1, &rest, 16);
        char *path = strchr(line, '/');
        if (rest[3] != 'x' || !path) continue;
        ranges[range_count].start = start;
        ranges[range_count].end = stop;
        ranges[range_count++].owner = owner_of_file(path);
    }
}

static enum owner owner_at(uintptr_t address) {
    int low = 0, high = range_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (ranges[middle].end <= address) low = middle + 1;
        else high = middle;
    }
    return low < range_count && ranges[low].start <= address ? ranges[low].owner : PROGRAM;
}

static uintptr_t end_of_stack(void) {
    if (stack_end || is_asking) return stack_end;
    is_asking = 1;
    pthread_attr_t attributes;
    void *start;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &start, &size) == 0)
            stack_end = (uintptr_t)start + size;
        pthread_attr_destroy(&attributes);
    }
    is_asking = 0;
    return stack_end;
}

// The caller's file counts, or the nearest above it that is not the runtime's. What has frame pointers can be followed:
// Swift's code has, and the files below libcurl need not be.
static void note(void *caller, void *frame) {
    enum owner owner = owner_at((uintptr_t)caller);
    uintptr_t end = owner == RUNTIME ? end_of_stack() : 0;
    uintptr_t *link = frame;
    for (int depth = 0; owner == RUNTIME && depth < 24; depth++) {
        uintptr_t next = link[0];
        if (next <= (uintptr_t)link || next + 16 > end || next % 8) break;
        link = (uintptr_t *)next;
        owner = owner_at(link[1]);
    }
    atomic_fetch_add_explicit(&counts[owner == RUNTIME ? PROGRAM : owner], 1, memory_order_relaxed);
}

#define COUNT() note(__builtin_return_address(0), __builtin_frame_address(0))

void *malloc(size_t size) { COUNT(); return __libc_malloc(size); }
void *calloc(size_t count, size_t size) { COUNT(); return __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { COUNT(); return __libc_realloc(old, size); }
void *aligned_alloc(size_t alignment, size_t size) { COUNT(); return __libc_memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    COUNT();
    *result = __libc_memalign(alignment, size);
    return *result ? 0 : ENOMEM;
}

char *strdup(const char *text) {
    COUNT();
    size_t size = strlen(text) + 1;
    char *copy = __libc_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

void allocations_so_far(unsigned long result[3]) {
    for (int owner = 0; owner < 3; owner++) result[owner] = atomic_load(&counts[owner]);
}
