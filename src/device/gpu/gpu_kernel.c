/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of GPUs, real or emulated. Each launch is checked against the limits of the
 * GPU and the kernel first, so a refusal can name the numbers. */
#include <limits.h>
#include <stdio.h>

#include "device/device_private.h"

/* ---- modules ----------------------------------------------------------------------- */

static pthread_mutex_t lists = PTHREAD_MUTEX_INITIALIZER; /* of modules, of all GPUs */

pav_status gpu_module_open(gpu *g, const char *source, int64_t length, unsigned how,
                           gpu_module **result)
{
    gpu_module *m;

    *result = NULL;
    TRY(g->ops->compile(g, source, length, how, &m));
    (void)pthread_mutex_lock(&lists);
    m->owner = g;
    m->next = g->modules;
    g->modules = m;
    (void)pthread_mutex_unlock(&lists);
    *result = m;
    return PAV_OK;
}

void gpu_module_close(gpu_module *m)
{
    if (!m)
        return;
    (void)rounds_flush(m->owner);
    rounds_forget(m->owner);
    (void)pthread_mutex_lock(&lists);
    gpu_module **at = &m->owner->modules;
    while (*at && *at != m)
        at = &(*at)->next;
    if (*at)
        *at = m->next;
    (void)pthread_mutex_unlock(&lists);
    constants_close(m);
    m->owner->ops->discard(m);
}

const char *gpu_module_note(const gpu_module *m)
{
    return m->owner->ops->note(m);
}

gpu_kernel *gpu_module_find(gpu_module *m, const char *name)
{
    gpu_kernel *k = m->owner->ops->find(m, name);

    if (k) {
        k->module = m;
        (void)snprintf(k->name, sizeof k->name, "%s", name);
    }
    return k;
}

gpu_kernel_facts gpu_kernel_facts_of(const gpu_kernel *k)
{
    return k->facts;
}

/* ---- calls ------------------------------------------------------------------------- */

int64_t gpu_cooperative_blocks(const gpu_kernel *k, int threads, int64_t shared)
{
    return k->module->owner->ops->cooperative_blocks(k, threads, shared);
}

pav_status gpu_check_call(const gpu *g, const gpu_call *call)
{
    static const int64_t most_blocks[] = {INT_MAX, GPU_GRID_YZ, GPU_GRID_YZ};
    const gpu_kernel *k = call->kernel;
    const int64_t *blocks = call->blocks;
    int64_t threads = 1;

    for (int axis = 0; axis < 3; axis++) {
        if (call->threads[axis] < 1 || call->threads[axis] > k->facts.most_threads)
            threads = INT_MAX;
        else
            threads *= call->threads[axis];
    }
    if (threads > k->facts.most_threads)
        return FAIL(PAV_ELIMIT,
                    "kernel %s takes at most %d threads a block, not %d x %d x %d",
                    k->name, k->facts.most_threads, call->threads[0], call->threads[1],
                    call->threads[2]);
    for (int axis = 0; axis < 3; axis++)
        if (blocks[axis] < 0 || blocks[axis] > most_blocks[axis])
            return FAIL(PAV_ELIMIT,
                        "kernel %s takes at most %lld blocks along %c, not %lld", k->name,
                        (long long)most_blocks[axis], "xyz"[axis],
                        (long long)blocks[axis]);
    if (call->shared < 0 || call->shared > g->facts.shared_block - k->facts.shared)
        return FAIL(
            PAV_ELIMIT,
            "kernel %s needs %lld + %lld bytes of shared memory a block, %s has %d",
            k->name, (long long)k->facts.shared, (long long)call->shared, g->name,
            g->facts.shared_block);
    if (call->argument_bytes < 1 || call->argument_bytes > GPU_MOST_ARGUMENT)
        return FAIL(PAV_ELIMIT, "kernel %s takes an argument of 1 to %d bytes, not %lld",
                    k->name, GPU_MOST_ARGUMENT, (long long)call->argument_bytes);
    if (!call->together)
        return PAV_OK;
    const int64_t most = gpu_cooperative_blocks(k, (int)threads, call->shared);
    if (blocks[0] * blocks[1] * blocks[2] <= most)
        return PAV_OK;
    return FAIL(
        PAV_ELIMIT,
        "kernel %s has %lld x %lld x %lld blocks that wait for each other, and %s "
        "has room for %lld of them at once",
        k->name, (long long)blocks[0], (long long)blocks[1], (long long)blocks[2],
        g->name, (long long)most);
}

pav_status gpu_launch(gpu *g, const gpu_call *call)
{
    TRY(gpu_check_call(g, call));
    if (call->blocks[0] == 0 || call->blocks[1] == 0 || call->blocks[2] == 0)
        return PAV_OK;
    return rounds_add(g, call);
}

pav_status gpu_wait(gpu *g)
{
    TRY(rounds_flush(g));
    return g->ops->wait(g);
}

/* ---- time -------------------------------------------------------------------------- */

static pav_status check_mark(const gpu *g, int mark)
{
    if (mark >= 0 && mark < GPU_MARKS)
        return PAV_OK;
    return FAIL(PAV_EINTERNAL, "%s has marks 0 to %d, not %d", g->name, GPU_MARKS - 1,
                mark);
}

pav_status gpu_mark(gpu *g, int mark)
{
    TRY(check_mark(g, mark));
    TRY(rounds_flush(g));
    return g->ops->mark(g, mark);
}

pav_status gpu_seconds(gpu *g, int from, int to, double *seconds)
{
    *seconds = 0;
    TRY(check_mark(g, from));
    TRY(check_mark(g, to));
    TRY(rounds_flush(g));
    return g->ops->seconds(g, from, to, seconds);
}

/* ---- kernels reading the memory of another GPU ------------------------------------- */

bool gpu_reads(gpu *g, gpu *other)
{
    return g->ops == other->ops && g->ops->reads && g->ops->reads(g, other);
}

pav_status gpu_launch_reading(gpu *g, gpu *other, const gpu_call *call)
{
    TRY(gpu_check_call(g, call));
    if (call->blocks[0] == 0 || call->blocks[1] == 0 || call->blocks[2] == 0)
        return PAV_OK;
    TRY(rounds_flush(g));
    TRY(rounds_flush(other));
    return g->ops->launch_reading(g, other, call);
}

/* ---- the second queue, concurrent with the first: halo exchange -------------------- */

pav_status gpu_concurrent(gpu *g, gpu_concurrent_step step)
{
    if (!g->ops->concurrent)
        return PAV_OK;
    TRY(rounds_flush(g));
    return g->ops->concurrent(g, step);
}

pav_status gpu_join(gpu *g, gpu *other)
{
    if (!g->ops->join || g->ops != other->ops)
        return PAV_OK;
    TRY(rounds_flush(g));
    return g->ops->join(g, other);
}
