#ifndef CEVENTS_H
#define CEVENTS_H

#include <stddef.h>
#include <stdint.h>

// The number of the current recording, from 1; 0: none. Swift accesses another module's variable by
// a call.
extern uint32_t cevents_recording;

static inline uint32_t cevents_get_recording(void) {
    return __atomic_load_n(&cevents_recording, __ATOMIC_RELAXED);
}

static inline void cevents_set_recording(uint32_t number) {
    __atomic_store_n(&cevents_recording, number, __ATOMIC_RELEASE);
}

// The number of listeners to be called with each event. Read only while something is recorded.
extern uint32_t cevents_listeners;

static inline uint32_t cevents_get_listeners(void) {
    return __atomic_load_n(&cevents_listeners, __ATOMIC_ACQUIRE);
}

static inline void cevents_set_listeners(uint32_t count) {
    __atomic_store_n(&cevents_listeners, count, __ATOMIC_RELEASE);
}

// The thread's own log; null at first. Swift has no thread-local variables.
#if defined(__linux__)
#define CEVENTS_NEAR __attribute__((tls_model("initial-exec")))
#else
#define CEVENTS_NEAR
#endif
extern _Thread_local void *cevents_log CEVENTS_NEAR;

static inline void *cevents_get_log(void) { return cevents_log; }

// Sets the log. The function, always the same one, is called with it when the thread is about to
// end.
void cevents_set_log(void *log, void (*at_end_of_thread)(void *log));

// Nanoseconds of the system's monotonic clock, the same for all processes of a machine.
uint64_t cevents_now(void);

// The kernel's id of this thread.
uint32_t cevents_thread(void);

// The kernel's name of this thread; 64 bytes are enough.
void cevents_get_name(char *name, size_t size);

// Sets the name; the kernel stores 15 bytes.
void cevents_set_name(const char *name);

#endif
