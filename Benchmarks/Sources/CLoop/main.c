// The limit that the rivals are measured against: nothing but libcurl, epoll and a few calls.

#include <curl/curl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "measure.h"
#include "task.h"

int main(int count, char **arguments) {
    signal(SIGPIPE, SIG_IGN);
    measure_allow_descriptors();
    struct task task = task_from(count - 1, arguments + 1);
    struct result result = result_empty();
    curl_global_init(CURL_GLOBAL_DEFAULT);
    static const struct {
        const char *kind;
        void (*run)(const struct task *, struct result *);
    } kinds[] = {{"get", get_many}, {"enqueue", get_queued}, {"down", move_large},
        {"up", move_large}, {"cancel", cancel_many}, {"wait", get_one}, {"cold", get_one},
        {"idle", idle}};
    for (size_t index = 0; index < sizeof kinds / sizeof *kinds; index++) {
        if (strcmp(task.kind, kinds[index].kind) == 0) {
            kinds[index].run(&task, &result);
            result_print(&result, &task);
            return 0;
        }
    }
    fprintf(stderr, "bench-loop: no kind of task is called \"%s\"\n", task.kind);
    return 2;
}
