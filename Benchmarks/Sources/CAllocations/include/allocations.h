#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

// How many blocks of memory this process has asked for so far: libcurl and the libraries below it; Foundation and
// Dispatch; the program itself. Swift's runtime and libc ask for whoever calls them.
//
// In a library that is loaded first (LD_PRELOAD), so that the programs that are timed do not count.
void allocations_so_far(unsigned long counts[3]);

#endif
