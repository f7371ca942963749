/* SPDX-License-Identifier: BSD-3-Clause */
/* Transforms of lines that cross seams. Subdomains of one row along the axis divide the
 * lines of their row. Each gets its lines whole, transforms them, and sends the points
 * back. A GPU has memory for its lines; other lines lie in the mirror of the whole, where
 * processors transform them. */
#include <assert.h>
#include <string.h>

#include "exec/gpu/gpu.h"
#include "exec/split/split_private.h"

/* ---- the lines of a subdomain ------------------------------------------------------ */

static box lines_of(const split *s, int64_t n, const interp_args *args)
{
    const int axis = args->stage->along - 1, coarse = args->stage->coarse;
    int64_t at[MAX_DIM];
    const box across = box_along(split_share(s, n, coarse, &args->box), axis, 0, 1);
    const int other = partition_axis(&across, 1);
    const int64_t lo = across.lo[other], count = across.hi[other] - lo,
                  parts = s->cut[coarse].parts[axis];

    decomposition_place(&s->cut[coarse], n, at);
    const box own = box_along(across, other, lo + count * at[axis] / parts,
                              lo + count * (at[axis] + 1) / parts);
    return box_is_empty(&own)
               ? own
               : box_along(own, axis, args->box.lo[axis], args->box.hi[axis]);
}

/* Memory of a GPU for exactly these lines. A subdomain of another rank needs none. */
static pav_status take_lines(executor *e, split_lines *l)
{
    const int64_t bytes = box_points(l->range) * (int64_t)pav_type_size(l->level.type);
    int64_t stride = 1, before = 0;

    if (bytes > l->room && !e->absent) {
        if (l->memory)
            e->ops.release_memory(e, l->memory);
        l->memory = NULL;
        l->room = 0;
        TRY(e->ops.take_memory(e, bytes, &l->memory));
        l->room = bytes;
    }
    for (int axis = 0; axis < MAX_DIM; axis++) {
        l->level.first[axis] = l->range.lo[axis];
        l->level.extent[axis] = l->range.hi[axis] - l->range.lo[axis];
        l->level.stride[axis] = stride;
        l->level.halo[axis][0] = l->level.halo[axis][1] = 0;
        before += l->range.lo[axis] * stride;
        stride *= l->level.extent[axis];
    }
    l->level.data = e->absent ? NULL
                              : (char *)l->memory -
                                    before * (int64_t)pav_type_size(l->level.type);
    return PAV_OK;
}

void split_close_lines(split *s)
{
    for (int64_t n = 0; s->lines && n < s->whole->inners; n++) {
        executor *e = s->whole->inner[n].executor;
        if (s->lines[n].memory)
            e->ops.release_memory(e, s->lines[n].memory);
    }
    mem_free(s->lines);
}

/* ---- transforms -------------------------------------------------------------------- */

/* The stage finds the lines in place of its level. */
static pav_status transform_some(split *s, int64_t n, int group, double *uniform,
                                 void *user)
{
    interp_args own = *(const interp_args *)user;
    const ir_output *o = own.stage->output;
    executor *e = s->whole->inner[n].executor;
    const view *level[2] = {NULL};
    OWNED_NEW(const view *const *, fields, own.code->fields);

    (void)group;
    level[1 - o->level] = &s->lines[n].level;
    fields[o->field] = level;
    own.view = fields;
    own.uniform = uniform;
    own.box = s->lines[n].range;
    return e->absent || box_is_empty(&own.box)    ? PAV_OK
           : e->own_memory && s->lines[n].at != e ? interp_stage(&own)
                                                  : e->ops.stage(e, &own);
}

pav_status split_transform(split *s, const interp_args *args)
{
    const ir_output *o = args->stage->output;
    const view *v = args->view[o->field][1 - o->level];
    const int64_t buffer = split_buffer(s, o->field, v);
    int64_t count = 0;

    for (int64_t n = 0; n < s->whole->inners; n++) {
        executor *e = s->whole->inner[n].executor;
        split_lines *l = &s->lines[n];
        const bool on_gpu = (e->linked || executor_gpu(e)) &&
                            emit_gpu_has_kernel(args->code, args->stage);
        l->host = (executor){
            .ops = executor_host_ops, .part = s->whole, .absent = e->absent};
        l->at = on_gpu ? e : &l->host;
        l->range = lines_of(s, n, args);
        l->level = *v;
        TRY(on_gpu ? take_lines(e, l) : PAV_OK);
        count += box_points(s->lines[n].range);
    }
    assert(count == box_points(args->box)); /* each line has one owner */
    TRY(split_on_parts(s, o->field, buffer, true));
    TRY(split_exchange_lines(s, o->field, buffer, s->lines, false));
    TRY(work_on_all(s, transform_some, args->uniform, (void *)(uintptr_t)args));
    TRY(split_exchange_lines(s, o->field, buffer, s->lines, true));
    split_is_stale(&s->level[o->field][buffer]);
    return PAV_OK;
}
