/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs stages of a subdomain, and work on boxes of points in pieces. */
#include <assert.h>

#include "exec/exec_private.h"

enum { PIECE = 1 << 18 /* points */ };

static pav_status ask_for_loads(const subdomain *part, const ir_stage *s)
{
    for (int64_t k = 0; k < s->count && part->keeper.ask; k++) {
        const ir_node *n = &s->node[k];
        if (n->op == IR_LOAD)
            TRY(subdomain_ask(part, n->field, part->view[n->field][1 - n->level],
                              HOST_READ, NULL));
    }
    return PAV_OK;
}

pav_status subdomain_stage(subdomain *part, int stage, const box *where)
{
    assert(stage >= 0 && stage < part->code->stages);
    const ir_stage *s = &part->code->stage[stage];
    const interp_args args = {
        .code = part->code,
        .stage = s,
        .view = part->view,
        .table = part->table,
        .uniform = part->uniform,
        .box = where ? *where : ir_stage_box(part->code, s),
        .same_ends = !where && subdomain_ends_are_alike(part, s),
    };
    TRY(ask_for_loads(part, s));
    if (part->inners == 0 && !part->executor->own_memory && part->executor->compiled &&
        subdomain_is_masked(part, s))
        return subdomain_masked_stage(part, &args);
    return part->executor->ops.stage(part->executor, &args);
}

/* Stored values do not depend on cuts of the box; reductions do. */
bool stage_may_be_cut(const ir_stage *s)
{
    for (int64_t k = 0; k < s->outputs; k++)
        if (s->output[k].kind != IR_STORE)
            return false;
    return s->outputs > 0;
}

/* Halves the box along the outermost axis with more than one point. */
pav_status subdomain_in_pieces(subdomain *part, const box *all, bool counted,
                               piece_work *work, void *user)
{
    const progress_sink *sink = part->setup && part->setup->ask ? part->setup : NULL;
    box half = *all;
    int axis = MAX_DIM - 1;
    if (!sink || part->executor->own_memory || box_points(all) <= PIECE) {
        TRY(work(part, all, user));
        return sink ? sink->ask(sink->user, counted ? box_points(all) : 0) : PAV_OK;
    }
    while (all->hi[axis] - all->lo[axis] < 2)
        axis--;
    half.hi[axis] = all->lo[axis] + (all->hi[axis] - all->lo[axis]) / 2;
    TRY(subdomain_in_pieces(part, &half, counted, work, user));
    assert(half.hi[axis] > all->lo[axis] && half.hi[axis] < all->hi[axis]);
    half.lo[axis] = half.hi[axis];
    half.hi[axis] = all->hi[axis];
    return subdomain_in_pieces(part, &half, counted, work, user);
}
