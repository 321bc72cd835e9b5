#ifndef CEVENTS_H
#define CEVENTS_H

#include <stdbool.h>
#include <stdint.h>

// The processor's counter has no function that Swift could call. Reading it takes less than half
// of the time that the system's clock takes. 0: there is none here.
static inline uint64_t cevents_counter(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
}

// Whether ticks are of the counter; else they are of the clock.
extern bool cevents_counts;

uint64_t cevents_clock(void);

static inline bool cevents_is_counting(void) {
    return __atomic_load_n(&cevents_counts, __ATOMIC_RELAXED);
}

static inline uint64_t cevents_ticks(void) {
    return cevents_is_counting() ? cevents_counter() : cevents_clock();
}

static inline void cevents_set_counts(bool does) {
    __atomic_store_n(&cevents_counts, does, __ATOMIC_RELAXED);
}

// What is written next is fetched now. A line that is fetched when it is written holds up the next
// locked instruction, and every second call has one.
static inline void cevents_prefetch(const void *place) { __builtin_prefetch(place, 1); }

// The recording that is made now, from 1; 0: none is. A Swift variable of another module is reached by
// a call.
extern uint32_t cevents_recording;

static inline uint32_t cevents_get_recording(void) {
    return __atomic_load_n(&cevents_recording, __ATOMIC_RELAXED);
}

static inline void cevents_set_recording(uint32_t number) {
    __atomic_store_n(&cevents_recording, number, __ATOMIC_RELEASE);
}

// What is the thread's own: an address, null at first. `pthread_getspecific` is a call, and an event
// asks once or twice.
#if defined(__linux__)
#define CEVENTS_NEAR __attribute__((tls_model("initial-exec")))
#else
#define CEVENTS_NEAR
#endif
extern _Thread_local void *cevents_own CEVENTS_NEAR;

static inline void *cevents_get(void) { return cevents_own; }
static inline void cevents_set(void *own) { cevents_own = own; }

#endif
