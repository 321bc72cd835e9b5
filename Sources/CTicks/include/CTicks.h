#ifndef CTICKS_H
#define CTICKS_H

#include <stdint.h>

// The processor's counter has no function that Swift could call. Reading it takes a third of the time
// that the system's clock takes. 0: there is none here.
static inline uint64_t cticks_now(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
}

// What is written next is fetched now. A line that is fetched when it is written holds up the next
// locked instruction, and every second call has one.
static inline void cticks_prefetch(const void *place) { __builtin_prefetch(place, 1); }

// What is this thread's own: an address, null at first. `pthread_getspecific` finds one of its many in
// three times the time, and an event asks once or twice.
extern _Thread_local void *cticks_own __attribute__((tls_model("initial-exec")));

static inline void *cticks_get(void) { return cticks_own; }
static inline void cticks_set(void *own) { cticks_own = own; }

#endif
