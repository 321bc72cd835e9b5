#ifndef CEPOLL_SHIM_H
#define CEPOLL_SHIM_H

// Swift's Glibc module leaves these three headers out; nothing is added to them.
#ifdef __linux__
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#endif

#endif
