#ifndef MEASURE_H
#define MEASURE_H

#include <stdint.h>
#include <sys/types.h>

// The monotonic clock, in nanoseconds; the same in every process.
uint64_t measure_now(void);

// CPU time of this process so far, all threads, user and system, in nanoseconds.
uint64_t measure_cpu(void);

// Memory now and at most so far, in KiB; from /proc/self/status.
long measure_resident(void);
long measure_peak(void);

// Blocks of memory asked for so far: libcurl's, Foundation's, the program's own; false where nobody counts.
int measure_allocations(unsigned long counts[3]);

// How often threads of this process went to sleep by themselves, those that have ended included.
long measure_sleeps(void);

// Open descriptors that are connections; libcurl's own pair of sockets is none.
int measure_sockets(void);

// As many descriptors as the system allows; the number.
long measure_allow_descriptors(void);

// The calling thread, and what it starts from now on, runs on one core, or with -1 on any; false where it cannot.
int measure_pin(int core);

// How many requests wait at the peer for an answer that never comes; -1 where it cannot be asked.
long measure_waiting_at_peer(int port);

// Starts a program with its output at `output`; the process, or -1.
// A new session: an interrupt from the keyboard is for the benchmark, which ends what it started.
pid_t measure_spawn(char *const *arguments, char *const *environment, int output, int errors);

// Waits for a process; its CPU time in nanoseconds, its peak in KiB, and how it ended.
struct measure_end {
    int status;
    uint64_t cpu;
    long peak;
};
struct measure_end measure_wait(pid_t process);

#endif
