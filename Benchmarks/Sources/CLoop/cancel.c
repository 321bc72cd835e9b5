// Many requests that nobody answers, taken back all at once.

#include <stdlib.h>

#include "loop.h"
#include "measure.h"
#include "task.h"

static void ended(CURL *easy, CURLcode code, void *context) {
    (void)easy;
    (void)code;
    // None should: the peer does not answer.
    ((struct result *)context)->failures++;
}

void cancel_many(const struct task *task, struct result *result) {
    struct loop *loop = loop_make(ended, result);
    CURL **handles = calloc((size_t)task->count, sizeof *handles);
    for (int index = 0; index < task->count; index++) {
        handles[index] = loop_easy(loop);
        curl_easy_setopt(handles[index], CURLOPT_URL, task->url);
        curl_easy_setopt(handles[index], CURLOPT_NOSIGNAL, 1L);
        loop_add(loop, handles[index]);
    }
    uint64_t give_up = measure_now() + 10000000000ull;
    while (measure_waiting_at_peer(task->peer) < task->count && measure_now() < give_up) {
        uint64_t until = measure_now() + 20000000ull;
        while (measure_now() < until)
            loop_round(loop, until);
    }
    uint64_t cpu = measure_cpu(), begin = measure_now();
    for (int index = 0; index < task->count; index++) {
        loop_remove(loop, handles[index]);
        curl_easy_cleanup(handles[index]);
    }
    result->wall = measure_now() - begin;
    result->cpu = measure_cpu() - cpu;
    result->requests = task->count;
    uint64_t until = measure_now() + 1000000000ull;
    while (measure_now() < until)
        loop_round(loop, until);
    result->sockets_left = measure_sockets();
}
