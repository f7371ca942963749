/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies boxes of whole rows between a field on a GPU and a store in the host's memory
 * with the same row stride: at once, or while stages run. */
#include "exec/gpu/gpu_private.h"

static char *place_of(const view *v, const box *range, int64_t *bytes)
{
    char *from = view_at(v, range->lo[0], range->lo[1], range->lo[2]);
    const char *end = view_at(v, range->hi[0], range->hi[1] - 1, range->hi[2] - 1);
    *bytes = end - from;
    return from;
}

static pav_status check_alike(const view *v, const view *host, const box *range)
{
    for (int axis = 1; axis < MAX_DIM; axis++)
        if (range->hi[axis] - range->lo[axis] > 1 &&
            v->stride[axis] != host->stride[axis])
            return FAIL(PAV_EINTERNAL, "rows lie otherwise on the GPU than in the store");
    return PAV_OK;
}

pav_status mirrors_from_host(executor *self, int field, const view *to, const box *range,
                             const view *host)
{
    gpurun *g = (gpurun *)self;
    int64_t bytes;
    TRY(check_alike(to, host, range));
    TRY(gpu_borders_done(g));
    TRY(mirrors_on_gpu(g, field, to, true));
    char *at = place_of(to, range, &bytes);
    return gpu_upload(g->gpu, at, place_of(host, range, &bytes), bytes);
}

pav_status mirrors_to_host(executor *self, int field, const view *from, const box *range,
                           const view *host)
{
    gpurun *g = (gpurun *)self;
    int64_t bytes;
    TRY(check_alike(from, host, range));
    TRY(gpu_borders_done(g));
    TRY(mirrors_on_gpu(g, field, from, false));
    const char *at = place_of(from, range, &bytes);
    return gpu_download(g->gpu, place_of(host, range, &bytes), at, bytes);
}

/* ---- while stages run -------------------------------------------------------------- */

static pav_status describe(gpurun *g, const box_move *m, gpu_transfer *t)
{
    const int axis = g->base.part->code->dim - 1;
    box here = m->range;
    int64_t bytes;
    TRY(check_alike(m->there, m->here, &m->range));
    TRY(mirrors_on_gpu(g, m->field, m->there, m->up));
    here.lo[axis] += m->by;
    here.hi[axis] += m->by;
    t->here = place_of(m->here, &here, &bytes);
    t->there = place_of(m->there, &m->range, &bytes);
    t->bytes = bytes;
    t->up = m->up;
    return PAV_OK;
}

pav_status gpu_exchange_boxes(executor *self, const box_move *list, int64_t count)
{
    gpurun *g = (gpurun *)self;
    TRY(gpu_borders_done(g));
    mem_free(g->transfer);
    g->transfer = mem_new(count + 1, sizeof *g->transfer);
    if (!g->transfer)
        return PAV_ENOMEM;
    for (int64_t n = 0; n < count; n++)
        TRY(describe(g, &list[n], &g->transfer[n]));
    return gpu_exchange_begin(g->gpu, g->transfer, count);
}

pav_status gpu_exchanged_boxes(executor *self)
{
    gpurun *g = (gpurun *)self;
    TRY(gpu_borders_done(g));
    return gpu_exchange_end(g->gpu);
}
