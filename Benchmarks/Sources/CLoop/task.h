#ifndef TASK_H
#define TASK_H

#include <stdbool.h>
#include <stdint.h>

// What to do, as `bench` says it: a kind, then key=value. The Swift clients take the same.
struct task {
    const char *kind;
    const char *url;
    const char *path;
    int at_once;
    int count;
    int peer;
    double seconds;
    double warm_up;
    bool closes;
    bool is_http2;
};

struct task task_from(int count, char **arguments);

// What was measured; printed as one line of JSON.
struct result {
    long requests;
    long failures;
    uint64_t wall;
    uint64_t cpu;
    uint64_t bytes;
    // Of each request, in nanoseconds.
    uint32_t *latencies;
    long latency_room;
    // Only where the kind of task has them.
    uint64_t enqueuing;
    double bytes_waiting;
    long sleeps;
    long sockets_left;
    uint64_t first_answer;
    // Of libcurl, of Foundation, of the program.
    unsigned long allocations[3];
    int counts_allocations;
};

struct result result_empty(void);
void result_note(struct result *result, uint64_t latency);
void result_print(struct result *result, const struct task *task);

// The kinds.
void get_many(const struct task *task, struct result *result);
void get_queued(const struct task *task, struct result *result);
void move_large(const struct task *task, struct result *result);
void cancel_many(const struct task *task, struct result *result);
void get_one(const struct task *task, struct result *result);
void idle(const struct task *task, struct result *result);

#endif
