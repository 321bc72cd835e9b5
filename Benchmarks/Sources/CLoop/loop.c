#include "loop.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "measure.h"

// What the kernel watches of a descriptor, and what it should.
struct interest {
    uint32_t registered;
    uint32_t wanted;
    bool is_dirty;
};

struct loop {
    CURLM *multi;
    int epoll;
    int running;
    loop_ended ended;
    void *context;
    // When libcurl wants its timer; UINT64_MAX: never.
    uint64_t deadline;
    // By descriptor.
    struct interest *interests;
    int interest_count;
    int *dirty;
    int dirty_count;
    int dirty_room;
};

static struct interest *interest_in(struct loop *loop, curl_socket_t socket) {
    if (socket >= loop->interest_count) {
        int count = socket * 2 + 64;
        loop->interests = realloc(loop->interests, (size_t)count * sizeof *loop->interests);
        memset(loop->interests + loop->interest_count, 0,
            (size_t)(count - loop->interest_count) * sizeof *loop->interests);
        loop->interest_count = count;
    }
    return &loop->interests[socket];
}

// libcurl drops and takes up a socket around each request; most pairs cancel out before the kernel
// hears of them, which is worth a quarter of all time.
static int watch(CURL *easy, curl_socket_t socket, int what, void *context, void *unused) {
    (void)easy;
    (void)unused;
    struct loop *loop = context;
    struct interest *interest = interest_in(loop, socket);
    interest->wanted = (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0);
    if (what == CURL_POLL_REMOVE) interest->wanted = 0;
    if (!interest->is_dirty) {
        interest->is_dirty = true;
        if (loop->dirty_count == loop->dirty_room) {
            loop->dirty_room = loop->dirty_room * 2 + 64;
            loop->dirty = realloc(loop->dirty, (size_t)loop->dirty_room * sizeof *loop->dirty);
        }
        loop->dirty[loop->dirty_count++] = socket;
    }
    return 0;
}

// The kernel forgets a closed socket by itself; so must the table, as its number is given again.
static int close_socket(void *context, curl_socket_t socket) {
    struct interest *interest = interest_in(context, socket);
    interest->registered = 0;
    interest->wanted = 0;
    return close(socket);
}

static void apply_changes(struct loop *loop) {
    for (int index = 0; index < loop->dirty_count; index++) {
        int socket = loop->dirty[index];
        struct interest *interest = &loop->interests[socket];
        interest->is_dirty = false;
        if (interest->wanted == interest->registered) continue;
        struct epoll_event event = {.events = interest->wanted, .data.fd = socket};
        int action = interest->wanted == 0 ? EPOLL_CTL_DEL
            : interest->registered == 0    ? EPOLL_CTL_ADD
                                           : EPOLL_CTL_MOD;
        epoll_ctl(loop->epoll, action, socket, &event);
        interest->registered = interest->wanted;
    }
    loop->dirty_count = 0;
}

static int set_timer(CURLM *multi, long milliseconds, void *context) {
    (void)multi;
    struct loop *loop = context;
    loop->deadline = milliseconds < 0 ? UINT64_MAX
        : milliseconds == 0           ? 0
                                      : measure_now() + (uint64_t)milliseconds * 1000000ull;
    return 0;
}

struct loop *loop_make(loop_ended ended, void *context) {
    struct loop *loop = calloc(1, sizeof *loop);
    loop->ended = ended;
    loop->context = context;
    loop->deadline = UINT64_MAX;
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    loop->multi = curl_multi_init();
    curl_multi_setopt(loop->multi, CURLMOPT_SOCKETFUNCTION, watch);
    curl_multi_setopt(loop->multi, CURLMOPT_SOCKETDATA, loop);
    curl_multi_setopt(loop->multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(loop->multi, CURLMOPT_TIMERDATA, loop);
    curl_multi_setopt(loop->multi, CURLMOPT_MAXCONNECTS, 2048L);
    return loop;
}

void loop_free(struct loop *loop) {
    curl_multi_cleanup(loop->multi);
    close(loop->epoll);
    free(loop->interests);
    free(loop->dirty);
    free(loop);
}

CURLM *loop_multi(struct loop *loop) { return loop->multi; }

CURL *loop_easy(struct loop *loop) {
    CURL *easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, loop);
    return easy;
}

void loop_add(struct loop *loop, CURL *easy) {
    loop->running++;
    curl_multi_add_handle(loop->multi, easy);
}

int loop_running(const struct loop *loop) { return loop->running; }

void loop_remove(struct loop *loop, CURL *easy) {
    loop->running--;
    curl_multi_remove_handle(loop->multi, easy);
}

void loop_round(struct loop *loop, uint64_t until) {
    struct epoll_event events[256];
    int running;
    apply_changes(loop);
    uint64_t next = loop->deadline < until ? loop->deadline : until;
    uint64_t now = next == 0 ? 0 : measure_now();
    int wait = next <= now ? 0 : (int)((next - now + 999999ull) / 1000000ull);
    int count = epoll_wait(loop->epoll, events, 256, wait);
    for (int index = 0; index < count; index++) {
        uint32_t seen = events[index].events;
        int readiness = (seen & (EPOLLIN | EPOLLHUP) ? CURL_CSELECT_IN : 0)
            | (seen & EPOLLOUT ? CURL_CSELECT_OUT : 0) | (seen & EPOLLERR ? CURL_CSELECT_ERR : 0);
        curl_multi_socket_action(loop->multi, events[index].data.fd, readiness, &running);
    }
    // One timer a round, so that busy connections do not keep the others waiting.
    if (loop->deadline != UINT64_MAX && (loop->deadline == 0 || loop->deadline <= measure_now())) {
        loop->deadline = UINT64_MAX;
        curl_multi_socket_action(loop->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    int left;
    for (CURLMsg *message; (message = curl_multi_info_read(loop->multi, &left));) {
        if (message->msg != CURLMSG_DONE) continue;
        CURL *easy = message->easy_handle;
        CURLcode result = message->data.result;
        loop_remove(loop, easy);
        loop->ended(easy, result, loop->context);
    }
}
