#ifndef GET_H
#define GET_H

#include <limits.h>

#include "loop.h"
#include "task.h"

// A handle and when its request began.
struct slot {
    CURL *easy;
    uint64_t start;
};

// Runs one request after the other in each of `at_once` slots.
struct getter {
    const struct task *task;
    struct result *result;
    struct loop *loop;
    struct slot *slots;
    struct curl_slist *headers;
    long left;
    uint64_t until;
    uint64_t last;
};

struct getter getter_make(const struct task *task, struct result *result);
void getter_prepare(struct getter *getter);

// Runs until so many have begun or the time has come; the time until the last has ended.
uint64_t getter_run(struct getter *getter, long count, uint64_t until);

#endif
