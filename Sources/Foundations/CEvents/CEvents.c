#define _GNU_SOURCE
#include "CEvents.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

uint32_t cevents_recording = 0;
uint32_t cevents_listeners = 0;
_Thread_local void *cevents_log = 0;

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void (*at_end)(void *log);

static void end_thread(void *log) {
    cevents_log = 0;
    __atomic_load_n(&at_end, __ATOMIC_RELAXED)(log);
}

static void make_key(void) { pthread_key_create(&key, end_thread); }

void cevents_set_log(void *log, void (*at_end_of_thread)(void *log)) {
    __atomic_store_n(&at_end, at_end_of_thread, __ATOMIC_RELAXED);
    pthread_once(&once, make_key);
    pthread_setspecific(key, log);
    cevents_log = log;
}

uint64_t cevents_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint32_t cevents_thread(void) {
#if defined(__linux__)
    return (uint32_t)gettid();
#else
    uint64_t number = 0;
    pthread_threadid_np(NULL, &number);
    return (uint32_t)number;
#endif
}

void cevents_get_name(char *name, size_t size) {
    if (pthread_getname_np(pthread_self(), name, size) != 0) name[0] = 0;
}

void cevents_set_name(const char *name) {
#if defined(__linux__)
    pthread_setname_np(pthread_self(), name);
#else
    pthread_setname_np(name);
#endif
}
