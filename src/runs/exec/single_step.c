/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages of single steps that leave out work: points with a false mask, terms of layers,
 * and stages at rest. */
#include <assert.h>

#include "exec/exec.h"

/* ---- masks ------------------------------------------------------------------------- */

/* Single steps of fields with masks. Points with a false mask keep their values. After
 * one whole step for each buffer of a field, every buffer has these values. From then on,
 * boxes around the active rows are enough. Rows stay whole. */

struct active_boxes {
    bool known, narrow;   /* boxes were found; some points are left out */
    int64_t count, waste; /* waste: inactive points in the last box */
    box *box;
};

/* ---- masked stages ----------------------------------------------------------------- */

/* Shared buffers hold other values between two stages of a step. */
static bool keeps_masked(const ir *code, const ir_output *o)
{
    const ir_field *f = o->kind == IR_STORE ? &code->field[o->field] : NULL;
    bool keeps = f && o->level == 1 && f->masks > 0 && f->coarse == 0 && f->memory == 0 &&
                 !f->shared;
    for (int k = 0; keeps && k < f->masks; k++)
        keeps = code->field[f->mask[k]].coarse == 0;
    return keeps;
}

bool stage_is_masked(const ir *code, const ir_stage *s)
{
    for (int64_t k = 0; k < s->outputs; k++)
        if (!keeps_masked(code, &s->output[k]))
            return false;
    return s->outputs > 0 && code->dim > 1;
}

/* The largest number of buffers of a field. */
static int64_t most_buffers(const subdomain *part)
{
    int64_t most = 0;
    for (int64_t f = 0; f < part->code->fields; f++)
        most = part->field[f].count > most ? part->field[f].count : most;
    return most;
}

bool subdomain_is_masked(const subdomain *whole, const ir_stage *s)
{
    const int64_t least = most_buffers(whole->inners > 0 ? whole->inner : whole);
    return whole->singles >= least && whole->steady >= least && !whole->wide &&
           stage_is_masked(whole->code, s);
}

/* ---- active points ----------------------------------------------------------------- */

static bool field_computes(const ir_field *f, const view *const *mask, const int64_t *at)
{
    for (int k = 0; k < f->masks; k++)
        if (*(const uint8_t *)view_at(mask[f->mask[k]], at[0], at[1], at[2]) == 0)
            return false;
    return true;
}

bool stage_computes(const ir *code, const ir_stage *s, const view *const *mask,
                    const int64_t *at)
{
    for (int64_t k = 0; k < s->outputs; k++)
        if (field_computes(&code->field[s->output[k].field], mask, at))
            return true;
    return false;
}

typedef struct masked {
    const ir *code;
    const ir_stage *stage;
    const view **mask; /* of every mask field */
} masked;

static bool row_computes(const masked *m, const box *all, int64_t j, int64_t k)
{
    for (int64_t i = all->lo[0]; i < all->hi[0]; i++)
        if (stage_computes(m->code, m->stage, m->mask, (int64_t[MAX_DIM]){i, j, k}))
            return true;
    return false;
}

static box around_both(const box *a, const box *b)
{
    box all = *a;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        all.lo[axis] = b->lo[axis] < a->lo[axis] ? b->lo[axis] : a->lo[axis];
        all.hi[axis] = b->hi[axis] > a->hi[axis] ? b->hi[axis] : a->hi[axis];
    }
    return all;
}

/* Joins a plane to the last box, if the join wastes fewer points than another call
 * costs. */
static void add_plane(active_boxes *a, const box *plane, int64_t worth)
{
    box *last = a->box + a->count - 1;
    const box both = a->count > 0 ? around_both(last, plane) : *plane;
    const int64_t waste = a->count > 0 ? a->waste + box_points(both) - box_points(*last) -
                                             box_points(*plane)
                                       : 0;
    if (box_is_empty(plane))
        return;
    if (a->count == 0 || waste > worth) {
        a->box[a->count++] = *plane;
        a->waste = 0;
        return;
    }
    *last = both;
    a->waste = waste;
}

/* Finds at least one box, possibly a single row, because the stage's scalars are computed
 * in any case. */
static void find_boxes(const executor *e, const masked *m, const box *all,
                       active_boxes *a)
{
    const int axis = m->code->dim - 1;
    enum { MOST_CALLS = 64 };
    const int64_t least = e->full > 0 ? e->full : CPU_PARALLEL_POINTS;
    const int64_t share = box_points(*all) / MOST_CALLS;
    const int64_t worth = share > least ? share : least;
    int64_t left = box_points(*all);
    for (int64_t n = all->lo[axis]; n < all->hi[axis]; n++) {
        const box plane = box_along(*all, axis, n, n + 1);
        /* The bounding box of the active rows of a plane. */
        box rows = plane;
        while (rows.lo[1] < rows.hi[1] &&
               !row_computes(m, &plane, rows.lo[1], rows.lo[2]))
            rows.lo[1]++;
        while (rows.lo[1] < rows.hi[1] &&
               !row_computes(m, &plane, rows.hi[1] - 1, rows.lo[2]))
            rows.hi[1]--;
        add_plane(a, &rows, worth);
    }
    if (a->count == 0 && !box_is_empty(all)) {
        a->box[a->count] = *all;
        for (int other = 1; other < MAX_DIM; other++)
            a->box[a->count].hi[other] = all->lo[other] + 1;
        a->count++;
    }
    for (int64_t n = 0; n < a->count; n++) {
        assert(box_is_inside(a->box[n], *all));
        left -= box_points(a->box[n]);
    }
    a->narrow = left > worth;
}

/* ---- of a subdomain ---------------------------------------------------------------- */

pav_status subdomain_masked_stage(subdomain *part, const interp_args *args)
{
    interp_args own = *args;
    if (!part->active)
        TRY(mem_take(&part->active, part->code->stages + 1, sizeof *part->active));
    active_boxes *a = &part->active[args->stage - part->code->stage];
    if (!a->known) {
        const ir_stage *s = args->stage;
        const ir *code = part->code;
        const box all = part->grid ? part->grid->box : ir_stage_box(code, s);
        const int axis = code->dim - 1;
        OWNED const view **mask = NULL;
        TRY(mem_take(&mask, code->fields + 1, sizeof *mask));
        TRY(mem_take(&a->box, all.hi[axis] - all.lo[axis] + 1, sizeof *a->box));
        const masked m = {code, s, mask};
        for (int64_t k = 0; k < s->outputs; k++) {
            const ir_field *f = &part->code->field[s->output[k].field];
            for (int n = 0; n < f->masks; n++)
                TRY(subdomain_host_view(part, f->mask[n], 0, HOST_READ, NULL,
                                        &mask[f->mask[n]]));
        }
        find_boxes(part->executor, &m, &all, a);
        a->known = true;
    }
    if (!a->narrow)
        return part->executor->ops.stage(part->executor, args);
    assert(args->stage->coarse == 0); /* masks have the points of the finest grid */
    for (int64_t n = 0; n < a->count; n++) {
        own.box = box_common(args->box, a->box[n]);
        own.same_ends = false;
        if (!box_is_empty(&own.box))
            TRY(part->executor->ops.stage(part->executor, &own));
    }
    return PAV_OK;
}

void subdomain_close_active(subdomain *part)
{
    for (int64_t n = 0; n < part->inners; n++)
        subdomain_close_active(&part->inner[n]);
    for (int64_t n = 0; part->active && n < part->code->stages; n++)
        mem_free(part->active[n].box);
    mem_free(part->active);
    part->active = NULL;
}

/* ---- layers and rest --------------------------------------------------------------- */

/* Single steps with matched layers: their terms are computed next to the faces alone
 * (plan/layered.c proves bitwise identity). Before that, one whole step for each buffer
 * of a field makes sure that every buffer is 0 at points never stored again. */

/* On a GPU, launches for the boxes next to the faces take longer than one launch over all
 * points if the inside has too few points to fill the GPU. */
bool subdomain_is_layered(const subdomain *part, int stage)
{
    const ir_stage *s = &part->code->stage[stage];

    return s->layered && part->executor->compiled && part->inners == 0 &&
           part->singles >= most_buffers(part) &&
           box_points(s->inside) >= part->executor->full;
}

/* Stages at rest store fields with one buffer each. */
static bool may_skip_stage(const subdomain *part, const ir_stage *s)
{
    bool may = s->rests ? part->steady > 0 && !part->set
                        : s->gated && part->executor->compiled && part->inners == 0 &&
                              part->uniform[s->gate] == 0;

    for (int64_t k = 0; may && k < s->outputs; k++)
        may = part->field[s->output[k].field].count <= 2 &&
              ir_kept_levels(&part->code->field[s->output[k].field]) == 1;
    return may;
}

/* Skips a stage of a step, gated or at rest. The rotation after the step would swap the
 * two levels of each output of a gated stage, so they are swapped here first: after the
 * step both are in their old places. */
bool subdomain_skips_stage(subdomain *part, int stage)
{
    const ir_stage *s = &part->code->stage[stage];

    if (!may_skip_stage(part, s))
        return false;
    for (int64_t k = 0; k < s->outputs; k++)
        levels_rotate(&part->field[s->output[k].field]);
    subdomain_refresh_views(part);
    return true;
}

pav_status subdomain_layered_stage(subdomain *part, int stage)
{
    const ir_stage *s = &part->code->stage[stage];
    box left = ir_stage_box(part->code, s);

    /* guaranteed by the plan: the layers surround the inside */
    assert(box_is_inside(s->inside, left));
    for (int face = 2 * part->code->dim - 1; face >= 0; face--) {
        const int axis = face / 2;
        box strip = left;
        if (face % 2)
            strip.lo[axis] = left.hi[axis] = s->inside.hi[axis];
        else
            strip.hi[axis] = left.lo[axis] = s->inside.lo[axis];
        TRY(box_is_empty(&strip) ? PAV_OK
                                 : subdomain_stage(part, s->strip[axis], &strip));
    }
    return s->bare >= 0 ? subdomain_stage(part, s->bare, &left) : PAV_OK;
}
