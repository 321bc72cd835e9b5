#ifndef CNETLINK_SHIM_H
#define CNETLINK_SHIM_H

// Swift's Glibc module leaves these headers out; nothing is added to them.
#ifdef __linux__
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#endif

#endif
