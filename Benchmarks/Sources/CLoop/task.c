#include "task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

static const char *value_of(const char *argument, const char *key) {
    size_t length = strlen(key);
    return strncmp(argument, key, length) == 0 && argument[length] == '=' ? argument + length + 1
                                                                         : NULL;
}

struct task task_from(int count, char **arguments) {
    struct task task = {
        .kind = count > 0 ? arguments[0] : "", .url = "", .path = "", .at_once = 1, .count = 1,
        .seconds = 1, .warm_up = 0.1};
    for (int index = 1; index < count; index++) {
        const char *value;
        if ((value = value_of(arguments[index], "url"))) task.url = value;
        if ((value = value_of(arguments[index], "path"))) task.path = value;
        if ((value = value_of(arguments[index], "at-once"))) task.at_once = atoi(value);
        if ((value = value_of(arguments[index], "count"))) task.count = atoi(value);
        if ((value = value_of(arguments[index], "peer"))) task.peer = atoi(value);
        if ((value = value_of(arguments[index], "seconds"))) task.seconds = atof(value);
        if ((value = value_of(arguments[index], "warm-up"))) task.warm_up = atof(value);
        if ((value = value_of(arguments[index], "closes"))) task.closes = atoi(value) != 0;
        if ((value = value_of(arguments[index], "http2"))) task.is_http2 = atoi(value) != 0;
    }
    return task;
}

struct result result_empty(void) {
    return (struct result){.bytes_waiting = -1, .sleeps = -1, .sockets_left = -1};
}

void result_note(struct result *result, uint64_t latency) {
    if (result->requests == result->latency_room) {
        result->latency_room = result->latency_room * 2 + 4096;
        result->latencies =
            realloc(result->latencies, (size_t)result->latency_room * sizeof *result->latencies);
    }
    result->latencies[result->requests++] = latency > UINT32_MAX ? UINT32_MAX : (uint32_t)latency;
}

static int compare(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

void result_print(struct result *result, const struct task *task) {
    long peak = measure_peak();
    printf("{\"kind\":\"%s\",\"requests\":%ld,\"failures\":%ld,\"seconds\":%.6f,\"cpu\":%.6f,"
           "\"bytes\":%llu,\"peakMiB\":%.2f",
        task->kind, result->requests, result->failures, (double)result->wall / 1e9,
        (double)result->cpu / 1e9, (unsigned long long)result->bytes, (double)peak / 1024);
    if (result->latencies && result->requests > 0) {
        qsort(result->latencies, (size_t)result->requests, sizeof *result->latencies, compare);
        printf(",\"medianLatency\":%.9f,\"latency99\":%.9f",
            (double)result->latencies[result->requests / 2] / 1e9,
            (double)result->latencies[result->requests * 99 / 100] / 1e9);
    }
    if (result->enqueuing > 0) printf(",\"enqueuing\":%.6f", (double)result->enqueuing / 1e9);
    if (result->bytes_waiting >= 0) printf(",\"bytesWaiting\":%.1f", result->bytes_waiting);
    if (result->sleeps >= 0) printf(",\"sleeps\":%ld", result->sleeps);
    if (result->sockets_left >= 0) printf(",\"socketsLeft\":%ld", result->sockets_left);
    if (result->first_answer > 0)
        printf(",\"firstAnswer\":%llu", (unsigned long long)result->first_answer);
    if (result->counts_allocations)
        printf(",\"allocations\":[%lu,%lu,%lu]", result->allocations[0], result->allocations[1],
            result->allocations[2]);
    printf("}\n");
}
