#include "CEvents.h"

#include <time.h>

uint32_t cevents_recording = 0;
bool cevents_counts = false;
_Thread_local void *cevents_own = 0;

uint64_t cevents_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
