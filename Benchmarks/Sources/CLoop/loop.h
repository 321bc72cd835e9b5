#ifndef LOOP_H
#define LOOP_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>

// libcurl's multi socket interface on one epoll and one thread.
struct loop;

// Called for each exchange that has ended; its handle is already out of libcurl's hands.
typedef void (*loop_ended)(CURL *easy, CURLcode result, void *context);

struct loop *loop_make(loop_ended ended, void *context);
void loop_free(struct loop *loop);

CURLM *loop_multi(struct loop *loop);

// A handle whose sockets the loop hears of when they close, as it must.
CURL *loop_easy(struct loop *loop);

void loop_add(struct loop *loop, CURL *easy);

// How many exchanges were added and have not ended.
int loop_running(const struct loop *loop);

// Takes out an exchange that has not ended; nobody is told.
void loop_remove(struct loop *loop, CURL *easy);

// Waits for events, at most until a time of the monotonic clock in nanoseconds, and handles them.
void loop_round(struct loop *loop, uint64_t until);

#endif
