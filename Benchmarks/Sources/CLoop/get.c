// Small requests: as many at once as wanted, each handle used again as soon as it is free.

#include "get.h"

#include <stdio.h>
#include <stdlib.h>

#include "measure.h"

static size_t count_bytes(char *bytes, size_t size, size_t count, void *getter) {
    (void)bytes;
    ((struct getter *)getter)->result->bytes += size * count;
    return size * count;
}

static CURL *make_handle(struct getter *getter) {
    const struct task *task = getter->task;
    CURL *easy = loop_easy(getter->loop);
    curl_easy_setopt(easy, CURLOPT_URL, task->url);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, count_bytes);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, getter);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
        task->is_http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1);
    if (task->is_http2) curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
    if (task->closes) curl_easy_setopt(easy, CURLOPT_HTTPHEADER, getter->headers);
    // Debian's default folder of authorities keeps libcurl from remembering those it has read.
    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    const char *authorities = getenv("SSL_CERT_FILE");
    if (authorities) curl_easy_setopt(easy, CURLOPT_CAINFO, authorities);
    return easy;
}

static void start(struct getter *getter, struct slot *slot) {
    slot->start = measure_now();
    getter->left--;
    loop_add(getter->loop, slot->easy);
}

static void ended(CURL *easy, CURLcode code, void *context) {
    struct getter *getter = context;
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    if (code != CURLE_OK || status != 200) {
        if (getter->result->failures++ == 0) {
            fprintf(stderr, "bench-loop: %s, status %ld\n", curl_easy_strerror(code), status);
        }
    }
    struct slot *slot;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &slot);
    uint64_t now = measure_now();
    result_note(getter->result, now - slot->start);
    getter->last = now;
    if (getter->left > 0 && now < getter->until) start(getter, slot);
}

struct getter getter_make(const struct task *task, struct result *result) {
    struct getter getter = {.task = task, .result = result};
    getter.headers = curl_slist_append(NULL, "Connection: close");
    getter.slots = calloc((size_t)task->at_once, sizeof *getter.slots);
    return getter;
}

void getter_prepare(struct getter *getter) {
    getter->loop = loop_make(ended, getter);
    for (int index = 0; index < getter->task->at_once; index++) {
        getter->slots[index].easy = make_handle(getter);
        curl_easy_setopt(getter->slots[index].easy, CURLOPT_PRIVATE, &getter->slots[index]);
    }
}

uint64_t getter_run(struct getter *getter, long count, uint64_t until) {
    getter->left = count;
    getter->until = until;
    uint64_t begin = measure_now();
    for (int index = 0; index < getter->task->at_once && getter->left > 0; index++)
        start(getter, &getter->slots[index]);
    while (loop_running(getter->loop) > 0)
        loop_round(getter->loop, UINT64_MAX);
    return getter->last - begin;
}

void get_many(const struct task *task, struct result *result) {
    struct getter getter = getter_make(task, result);
    getter_prepare(&getter);
    getter_run(&getter, LONG_MAX, measure_now() + (uint64_t)(task->warm_up * 1e9));
    result->requests = 0;
    result->bytes = 0;
    unsigned long before[3];
    measure_allocations(before);
    uint64_t cpu = measure_cpu();
    result->wall = getter_run(&getter, LONG_MAX, measure_now() + (uint64_t)(task->seconds * 1e9));
    result->cpu = measure_cpu() - cpu;
    result->counts_allocations = measure_allocations(result->allocations);
    for (int owner = 0; owner < 3; owner++) result->allocations[owner] -= before[owner];
}

// A request that waits for its turn: a list keeps them, since libcurl's own line is quadratic.
struct waiting {
    struct waiting *next;
    const char *url;
};

void get_queued(const struct task *task, struct result *result) {
    struct getter getter = getter_make(task, result);
    getter_prepare(&getter);
    getter_run(&getter, 2 * task->at_once, UINT64_MAX);
    result->requests = 0;
    result->bytes = 0;

    long resident = measure_resident();
    uint64_t cpu = measure_cpu(), begin = measure_now();
    struct waiting *first = NULL, **end = &first;
    for (int index = 0; index < task->count; index++) {
        *end = malloc(sizeof **end);
        **end = (struct waiting){.url = task->url};
        end = &(*end)->next;
    }
    result->enqueuing = measure_now() - begin;
    result->bytes_waiting = (double)(measure_resident() - resident) * 1024 / task->count;
    for (struct waiting *next; first; first = next) {
        // Each is taken when its turn comes; the handles ask for the same address anyway.
        next = first->next;
        free(first);
    }
    getter_run(&getter, task->count, UINT64_MAX);
    result->wall = getter.last - begin;
    result->cpu = measure_cpu() - cpu;
}

void get_one(const struct task *task, struct result *result) {
    struct getter getter = getter_make(task, result);
    uint64_t cpu = measure_cpu();
    getter_prepare(&getter);
    result->wall = getter_run(&getter, 1, UINT64_MAX);
    result->first_answer = measure_now();
    result->cpu = measure_cpu() - cpu;
}

void idle(const struct task *task, struct result *result) {
    struct getter getter = getter_make(task, result);
    getter_prepare(&getter);
    getter_run(&getter, 4 * task->at_once, UINT64_MAX);
    long sleeps = measure_sleeps();
    uint64_t cpu = measure_cpu(), begin = measure_now();
    // A program with connections to look after sleeps in its loop; one sleep is the wait itself.
    uint64_t until = begin + (uint64_t)(task->seconds * 1e9);
    while (measure_now() < until)
        loop_round(getter.loop, until);
    result->wall = measure_now() - begin;
    result->cpu = measure_cpu() - cpu;
    result->sleeps = measure_sleeps() - sleeps - 1;
}
