/* SPDX-License-Identifier: BSD-3-Clause */
/* ---- base -------------------------------------------------------------------------- */

/* Memory, time and threads for the parts of Pavior that follow. */

enum { CPU_LINE = LINE, PARTITION_PIECE = PIECE, PAV_MAX_DIMENSIONS = 3 };

typedef PROGRAM_view view;

INLINE size_t pav_type_size(int type)
{
    static const size_t size[] = {4, 8, 2, 2, 1};

    return size[type];
}

/* The views of a program begin at point 0. */
INLINE int64_t view_first(const view *v, int axis)
{
    (void)v, (void)axis;
    return 0;
}

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

INLINE int64_t int64_most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The threads of a program are not bound to processors. */
static int host_thread_start(pthread_t *thread, int cpu, void *(*live)(void *),
                             void *argument)
{
    (void)cpu;
    return pthread_create(thread, NULL, live, argument);
}

typedef int reduction_kind;

/* Kernels reduce the points of a piece by the same tree. */
INLINE double interp_reduce(reduction_kind kind, double *values, int64_t first,
                            int64_t count)
{
    return reduce(kind, values, first, count);
}
