#ifndef CEPOLL_SHIM_H
#define CEPOLL_SHIM_H

// Swift's Glibc module leaves these three headers out.
#ifdef __linux__
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

// Several modules carry `struct timespec`, and Swift asks for the one it met first (see CFileStatus).
// The moment is in nanoseconds of the monotonic clock; 0 disarms.
static inline int cepoll_set_timer(int timer, unsigned long long moment) {
    struct itimerspec time = {0};
    time.it_value.tv_sec = (time_t)(moment / 1000000000ull);
    time.it_value.tv_nsec = (long)(moment % 1000000000ull);
    return timerfd_settime(timer, TFD_TIMER_ABSTIME, &time, NULL);
}
#endif

#endif
