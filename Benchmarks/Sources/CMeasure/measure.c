#define _GNU_SOURCE
#include "measure.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

uint64_t measure_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_nsec;
}

uint64_t measure_cpu(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_nsec;
}

static long number_in(const char *path, const char *key) {
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    char line[256];
    long number = 0;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, key, strlen(key)) == 0) {
            number = strtol(line + strlen(key), NULL, 10);
            break;
        }
    }
    fclose(file);
    return number;
}

long measure_resident(void) { return number_in("/proc/self/status", "VmRSS:"); }
long measure_peak(void) { return number_in("/proc/self/status", "VmHWM:"); }

// Of a library that is there only where it was loaded first.
extern void allocations_so_far(unsigned long counts[3]) __attribute__((weak));

int measure_allocations(unsigned long counts[3]) {
    if (!allocations_so_far) return 0;
    allocations_so_far(counts);
    return 1;
}

long measure_sleeps(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw;
}

int measure_sockets(void) {
    DIR *descriptors = opendir("/proc/self/fd");
    if (!descriptors) return -1;
    int count = 0;
    for (struct dirent *entry; (entry = readdir(descriptors));) {
        struct sockaddr_in address = {0};
        socklen_t length = sizeof address;
        if (entry->d_name[0] != '.'
            && getsockname(atoi(entry->d_name), (struct sockaddr *)&address, &length) == 0
            && address.sin_family == AF_INET)
            count++;
    }
    closedir(descriptors);
    return count;
}

long measure_allow_descriptors(void) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
    return (long)limit.rlim_cur;
}

int measure_pin(int core) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    if (core >= 0) CPU_SET(core, &cores);
    // The kernel keeps those of them that there are.
    for (int each = 0; core < 0 && each < CPU_SETSIZE; each++) CPU_SET(each, &cores);
    return sched_setaffinity(0, sizeof cores, &cores) == 0;
}

long measure_waiting_at_peer(int port) {
    int peer = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (peer < 0) return -1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    static const char request[] =
        "GET /waiting HTTP/1.1\r\nHost: peer\r\nConnection: close\r\n\r\n";
    char answer[512];
    size_t length = 0;
    if (connect(peer, (struct sockaddr *)&address, sizeof address) == 0
        && write(peer, request, sizeof request - 1) == sizeof request - 1) {
        ssize_t count;
        while (length < sizeof answer - 1
               && (count = read(peer, answer + length, sizeof answer - 1 - length)) > 0)
            length += (size_t)count;
    }
    close(peer);
    answer[length] = 0;
    char *body = strstr(answer, "\r\n\r\n");
    return body ? strtol(body + 4, NULL, 10) : -1;
}

pid_t measure_spawn(char *const *arguments, char *const *environment, int output, int errors) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_adddup2(&actions, errors, 2);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    pid_t process = -1;
    int failure =
        posix_spawnp(&process, arguments[0], &actions, &attributes, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failure == 0 ? process : -1;
}

static uint64_t nanoseconds(struct timeval time) {
    return (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_usec * 1000ull;
}

struct measure_end measure_wait(pid_t process) {
    struct rusage usage = {0};
    struct measure_end end = {.status = -1};
    wait4(process, &end.status, 0, &usage);
    end.cpu = nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
    end.peak = usage.ru_maxrss;
    return end;
}
