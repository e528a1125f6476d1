/* fake_stacks.c - of a test that hangs, where each thread stands: printed WEIR_TEST_STACKS_S seconds after the first launch, and the test goes on. A hang that comes
 * once in thousands of runs leaves nothing else behind. */
#define _GNU_SOURCE
#include "fake.h"
#include <dirent.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FRAMES_MOST = 48 };

static void print_own(int signal)
{
    void *frame[FRAMES_MOST];
    char line[64];
    (void)signal;
    int length = snprintf(line, sizeof line, "thread %ld:\n", (long)syscall(SYS_gettid));
    if (write(STDERR_FILENO, line, (size_t)length) == length)
        backtrace_symbols_fd(frame, backtrace(frame, FRAMES_MOST), STDERR_FILENO);
}

static void print_all(void)
{
    DIR *tasks = opendir("/proc/self/task");
    for (const struct dirent *d = tasks ? readdir(tasks) : NULL; d; d = readdir(tasks)) {
        long thread = strtol(d->d_name, NULL, 10);
        if (thread <= 0 || thread == (long)syscall(SYS_gettid))
            continue;
        (void)syscall(SYS_tgkill, (long)getpid(), thread, (long)SIGUSR2);
        usleep(100000); /* one after the other */
    }
    if (tasks)
        closedir(tasks);
}

static void *wait_and_print(void *seconds)
{
    sleep(*(unsigned *)seconds);
    fprintf(stderr, "after %u s this test still runs; its threads:\n", *(unsigned *)seconds);
    print_all();
    return NULL;
}

void fake_promise_stacks(void)
{
    static unsigned seconds;
    const char *text = getenv("WEIR_TEST_STACKS_S");
    void *frame[1];
    pthread_t thread;
    seconds = text ? (unsigned)strtoul(text, NULL, 10) : 0;
    if (seconds == 0)
        return;
    (void)backtrace(frame, 1); /* loads what it needs, which a handler may not */
    (void)sigaction(SIGUSR2, &(struct sigaction){.sa_handler = print_own, .sa_flags = SA_RESTART}, NULL);
    if (pthread_create(&thread, NULL, wait_and_print, &seconds) == 0)
        pthread_detach(thread);
}
