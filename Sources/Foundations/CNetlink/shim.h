#ifndef CNETLINK_SHIM_H
#define CNETLINK_SHIM_H

// Swift's Glibc module leaves these headers out.
#ifdef __linux__
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <sys/time.h>

// Several modules carry `struct timeval`, and Swift asks for the one it met first (see CFileStatus).
static inline int cnetlink_limit_waiting(int descriptor, int seconds) {
    struct timeval patience = {.tv_sec = seconds};
    return setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
}
#endif

#endif
