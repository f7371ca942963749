/* SPDX-License-Identifier: BSD-3-Clause */
/* ---- base -------------------------------------------------------------------------- */

/* Memory, time and threads for the parts of Pavior that follow. */

enum { CPU_LINE = LINE };

static void *mem_new(int64_t count, size_t size)
{
    return calloc((size_t)count, size);
}

static void mem_free(void *block)
{
    free(block);
}

static double clock_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The threads of a program are not bound to processors. */
static int host_thread_start(pthread_t *thread, int cpu, void *(*live)(void *),
                             void *argument)
{
    (void)cpu;
    return pthread_create(thread, NULL, live, argument);
}
