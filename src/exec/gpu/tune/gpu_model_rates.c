/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates of a GPU for the models of schedules: copy bandwidth of its memory and of its
 * cache, and the time between two launches of a graph. */
#include "exec/gpu/gpu_private.h"

enum {
    PACK = 16, /* bytes */
    THREADS = 256,
    LAUNCHES = 64,
    PARTS = 6, /* share of the cache for each of two blocks of memory */
    FEW = 1,   /* blocks of threads in a nearly empty launch */
};

typedef struct copier {
    gpu *gpu;
    gpu_module *module;
    void *from, *to;
    int64_t bytes;
    emit_gpu_copying argument;
    gpu_call call;
} copier;

static pav_status find_kernel(copier *c)
{
    text source = {0};
    emit_gpu_copies(&source);
    const pav_status status = source.failed
                                  ? PAV_ENOMEM
                                  : gpu_module_open(c->gpu, source.data, source.length,
                                                    HOST_KEEP, &c->module);
    text_free(&source);
    TRY(status);
    c->call.kernel = gpu_module_find(c->module, "copy_packs");
    return c->call.kernel ? PAV_OK
                          : FAIL(PAV_EINTERNAL, "the compiled kernels lack copy_packs");
}

static pav_status prepare(copier *c)
{
    const int64_t l2 = gpu_facts_of(c->gpu)->l2, least = THREADS * PACK;
    c->bytes = l2 / PARTS > least ? l2 / PARTS / least * least : least;
    TRY(gpu_take(c->gpu, c->bytes, "copying, to measure it,", &c->from));
    TRY(gpu_take(c->gpu, c->bytes, "copying, to measure it,", &c->to));
    TRY(gpu_fill(c->gpu, c->from, 0, c->bytes));
    TRY(find_kernel(c));
    c->argument = (emit_gpu_copying){
        .from = c->from, .to = c->to, .ny = 1, .nz = 1, .planes = 1, .never = c->to};
    c->call.argument = &c->argument;
    c->call.argument_bytes = sizeof c->argument;
    for (int axis = 0; axis < MAX_DIM; axis++)
        c->call.blocks[axis] = c->call.threads[axis] = 1;
    c->call.threads[0] = THREADS;
    return PAV_OK;
}

static pav_status time_blocks(copier *c, int64_t blocks, double *seconds)
{
    c->argument.nx = blocks * THREADS;
    c->call.blocks[0] = blocks;
    return gpu_time_row(c->gpu, &c->call, LAUNCHES, seconds);
}

static pav_status measure(copier *c, machine_rates *r)
{
    double all;
    TRY(prepare(c));
    TRY(time_blocks(c, FEW, &r->launch));
    TRY(time_blocks(c, c->bytes / (THREADS * PACK), &all));
    const double copying = all - r->launch;
    r->last_cache = copying > 0 ? 2 * (double)c->bytes / copying : 0;
    return PAV_OK;
}

static void close_copier(copier *c)
{
    void *const memory[] = {c->from, c->to};
    for (size_t k = 0; k < COUNT_OF(memory); k++)
        if (memory[k])
            gpu_release(c->gpu, memory[k]);
    if (c->module)
        gpu_module_close(c->module);
}

pav_status gpu_rates_measure(gpu *g, machine_rates *r)
{
    copier c = {.gpu = g};
    copy_rate memory;
    *r = (machine_rates){.measured = true};
    TRY(gpu_copy_rate(g, &memory));
    r->memory = memory.best;
    const pav_status status = measure(&c, r);
    close_copier(&c);
    return status == PAV_OK ? gpu_link_rates(g, r) : status;
}
