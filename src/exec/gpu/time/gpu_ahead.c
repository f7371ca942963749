/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiles candidate fused launches in a thread of its own, in the order of the trials,
 * while the run continues. Results go to the cache, and the run's own thread loads them:
 * a driver may delay loading a module until the GPU is idle, and launches of the other
 * thread would put this off. */
#include <stdatomic.h>

#include "exec/gpu/gpu_private.h"

struct gpu_ahead {
    const gpurun *g;
    pthread_t thread;
    atomic_int done; /* of `count` */
    atomic_bool stopped;
    int count;
    schedule requested[EMIT_GPU_FUSED_CANDIDATES];
    gpu_module *module[EMIT_GPU_FUSED_CANDIDATES]; /* NULL: it could not be compiled */
};

static void *compile_all(void *argument)
{
    gpu_ahead *a = argument;
    for (int n = 0; n < a->count && !atomic_load(&a->stopped); n++) {
        if (gpu_fused_compile(a->g, &a->requested[n], &a->module[n]) != PAV_OK)
            a->module[n] = NULL;
        atomic_store(&a->done, n + 1);
    }
    return NULL;
}

gpu_ahead *gpu_ahead_begin(const gpurun *g, const schedule *requested, int count)
{
    gpu_ahead *a = mem_new(1, sizeof *a);
    if (!a)
        return NULL;
    a->g = g;
    a->count = count;
    for (int n = 0; n < count; n++)
        a->requested[n] = requested[n];
    if (host_thread_start(&a->thread, -1, compile_all, a) == 0)
        return a;
    mem_free(a);
    return NULL;
}

bool gpu_ahead_is_done(const gpu_ahead *a, int n)
{
    return atomic_load(&a->done) > n;
}

bool gpu_ahead_is_made(const gpu_ahead *a, int n)
{
    return a->module[n] != NULL;
}

bool gpu_ahead_is_kept(const gpu_ahead *a, int n)
{
    return gpu_ahead_is_made(a, n) && !*gpu_module_note(a->module[n]);
}

void gpu_ahead_stop(gpu_ahead *a)
{
    if (a)
        atomic_store(&a->stopped, true);
}

void gpu_ahead_end(gpu_ahead *a)
{
    if (!a)
        return;
    gpu_ahead_stop(a);
    (void)pthread_join(a->thread, NULL);
    for (int n = 0; n < a->count; n++)
        gpu_module_close(a->module[n]);
    mem_free(a);
}
