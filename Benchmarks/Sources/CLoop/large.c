// One large body, down to nowhere or to a file, or up from a file.

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loop.h"
#include "measure.h"
#include "task.h"

struct mover {
    int file;
    uint64_t bytes;
    CURLcode code;
    long status;
    bool has_ended;
};

static size_t take(char *bytes, size_t size, size_t count, void *context) {
    struct mover *mover = context;
    mover->bytes += size * count;
    if (mover->file < 0) return size * count;
    ssize_t written = write(mover->file, bytes, size * count);
    return written < 0 ? 0 : (size_t)written;
}

static size_t drop(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    (void)context;
    return size * count;
}

static size_t give(char *buffer, size_t size, size_t count, void *context) {
    struct mover *mover = context;
    ssize_t length = read(mover->file, buffer, size * count);
    if (length < 0) return CURL_READFUNC_ABORT;
    mover->bytes += (uint64_t)length;
    return (size_t)length;
}

static void ended(CURL *easy, CURLcode code, void *context) {
    struct mover *mover = context;
    mover->code = code;
    mover->has_ended = true;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &mover->status);
}

void move_large(const struct task *task, struct result *result) {
    bool is_up = strcmp(task->kind, "up") == 0;
    bool has_file = strlen(task->path) > 0;
    struct mover mover = {.file = -1};
    struct loop *loop = loop_make(ended, &mover);
    CURL *easy = loop_easy(loop);
    curl_easy_setopt(easy, CURLOPT_URL, task->url);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    if (has_file) {
        mover.file = open(task->path, is_up ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC, 0600);
    }
    if (is_up) {
        struct stat status = {0};
        fstat(mover.file, &status);
        curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, curl_slist_append(NULL, "Expect:"));
        curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)status.st_size);
        curl_easy_setopt(easy, CURLOPT_READFUNCTION, give);
        curl_easy_setopt(easy, CURLOPT_READDATA, &mover);
        curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, 2L << 20);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, drop);
    } else {
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, &mover);
        curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 512L << 10);
    }
    uint64_t cpu = measure_cpu(), begin = measure_now();
    loop_add(loop, easy);
    while (!mover.has_ended)
        loop_round(loop, UINT64_MAX);
    result->wall = measure_now() - begin;
    result->cpu = measure_cpu() - cpu;
    result->requests = 1;
    result->bytes = mover.bytes;
    if (mover.code != CURLE_OK || mover.status / 100 != 2) {
        result->failures = 1;
        fprintf(stderr, "bench-loop: %s, status %ld\n", curl_easy_strerror(mover.code),
            mover.status);
    }
}
