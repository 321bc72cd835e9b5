// What nginx cannot do. One thread, one epoll:
//   GET /never     is never answered
//   GET /waiting   says how many such requests wait now
//   GET /after/N   is answered after N seconds
//   PUT, POST      are answered once their body (Content-Length) is there; it is thrown away
// It listens on 127.0.0.1, prints its port, and ends when its parent does.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { most_connections = 65536, head_room = 8192 };

struct connection {
    char head[head_room];
    size_t length;
    uint64_t body_left;
    bool is_in_body;
    bool never_answered;
    // When to answer, in milliseconds of the monotonic clock; 0: not later.
    uint64_t answer_at;
};

static struct connection *connections[most_connections];
static int epoll;
static long waiting;
static int highest;

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static void answer(int socket, const char *body) {
    char text[256];
    int length = snprintf(text, sizeof text,
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n\r\n%s", strlen(body),
        body);
    // So short that a fresh or idle socket takes it at once.
    if (write(socket, text, (size_t)length) != length) shutdown(socket, SHUT_RDWR);
}

static void drop(int socket) {
    if (connections[socket]->never_answered) waiting--;
    free(connections[socket]);
    connections[socket] = NULL;
    close(socket);
}

static void handle(int socket, struct connection *connection, size_t count) {
    char *head = connection->head;
    if (strncmp(head, "GET /never", 10) == 0) {
        connection->never_answered = true;
        waiting++;
    } else if (strncmp(head, "GET /waiting", 12) == 0) {
        char text[32];
        snprintf(text, sizeof text, "%ld\n", waiting);
        answer(socket, text);
        if (strcasestr(head, "\r\nconnection: close")) shutdown(socket, SHUT_WR);
    } else if (strncmp(head, "GET /after/", 11) == 0) {
        connection->answer_at = now() + strtoull(head + 11, NULL, 10) * 1000;
    } else {
        char *length = strcasestr(head, "\r\ncontent-length:");
        connection->body_left = length ? strtoull(length + 17, NULL, 10) : 0;
        connection->body_left -= count < connection->body_left ? count : connection->body_left;
        connection->is_in_body = connection->body_left > 0;
        if (!connection->is_in_body) answer(socket, "taken\n");
    }
}

static void readable(int socket) {
    struct connection *connection = connections[socket];
    if (connection->is_in_body) {
        // With MSG_TRUNC the kernel throws the bytes away instead of copying them.
        ssize_t count = recv(socket, NULL, 4 << 20, MSG_TRUNC | MSG_DONTWAIT);
        if (count < 0 && errno == EAGAIN) return;
        if (count <= 0) return drop(socket);
        connection->body_left -= (uint64_t)count < connection->body_left ? (uint64_t)count
                                                                        : connection->body_left;
        if (connection->body_left == 0) {
            connection->is_in_body = false;
            answer(socket, "taken\n");
        }
        return;
    }
    ssize_t count = recv(socket, connection->head + connection->length,
        head_room - 1 - connection->length, MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return drop(socket);
    connection->length += (size_t)count;
    connection->head[connection->length] = 0;
    char *end = strstr(connection->head, "\r\n\r\n");
    if (!end) {
        if (connection->length == head_room - 1) drop(socket);
        return;
    }
    size_t body = connection->length - (size_t)(end + 4 - connection->head);
    end[2] = 0;
    connection->length = 0;
    handle(socket, connection, body);
}

static void accept_all(int listener) {
    for (int socket; (socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0;) {
        if (socket >= most_connections) {
            close(socket);
            continue;
        }
        int yes = 1;
        setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        connections[socket] = calloc(1, sizeof *connections[socket]);
        if (socket > highest) highest = socket;
        struct epoll_event event = {.events = EPOLLIN, .data.fd = socket};
        epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event);
    }
}

// The next moment at which an answer is due; 0: none.
static uint64_t answer_due(void) {
    uint64_t next = 0, moment = now();
    for (int socket = 0; socket <= highest; socket++) {
        struct connection *connection = connections[socket];
        if (!connection || connection->answer_at == 0) continue;
        if (connection->answer_at <= moment) {
            connection->answer_at = 0;
            answer(socket, "late\n");
        } else if (next == 0 || connection->answer_at < next) {
            next = connection->answer_at;
        }
    }
    return next;
}

int main(void) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    signal(SIGPIPE, SIG_IGN);
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);

    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct sockaddr_in address = {.sin_family = AF_INET};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 4096) != 0
        || getsockname(listener, (struct sockaddr *)&address, &length) != 0) {
        perror("bench-peer: cannot listen on 127.0.0.1");
        return 1;
    }
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);

    epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        struct epoll_event events[256];
        uint64_t due = answer_due(), moment = now();
        int timeout = due == 0 ? -1 : due > moment ? (int)(due - moment) : 0;
        int count = epoll_wait(epoll, events, 256, timeout);
        for (int index = 0; index < count; index++) {
            int socket = events[index].data.fd;
            if (socket == listener)
                accept_all(listener);
            else if (connections[socket])
                readable(socket);
        }
    }
}
