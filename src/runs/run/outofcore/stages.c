/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps without blocks: with reductions, with borders computed from other points, on
 * coarse grids, or on a periodic axis in one dimension. Each stage visits the grid by
 * itself. Everything between stages, and each stage on coarse grids, is computed in the
 * store. Rows of a reduction are joined by the tree over the indices of the whole
 * grid. */
#include <stdlib.h>

#include "run/outofcore/outofcore_private.h"

/* ---- stages within visits ---------------------------------------------------------- */

/* Only the store has lines along the slowest axis whole. In one dimension a reduction is
 * such a line. */
bool outofcore_is_visited(const ir *code, const ir_stage *s)
{
    bool any = false;
    if (abs(s->along) == code->dim)
        return false;
    for (const ir_node *n = NULL; (n = ir_next_load(s, n));)
        if (n->transfer != IR_SAME || code->field[n->field].coarse ||
            code->field[n->field].memory)
            return false;
    for (const ir_output *o = NULL; (o = ir_next_output(s, o));) {
        any |= o->kind != IR_SET;
        if ((o->kind == IR_REDUCE && code->dim == 1) ||
            (o->kind == IR_STORE &&
             (code->field[o->field].coarse || code->field[o->field].memory)))
            return false;
    }
    return any && !s->coarse;
}

/* ---- levels of a stage ------------------------------------------------------------- */

/* Whole planes of the stage's results go back, so planes stored only in part must be
 * uploaded, too. A transform reads the points that it stores. */
bool outofcore_stage_moves(const ir *code, const ir_stage *s, int field, int level,
                           int where)
{
    bool read = false, stored = false,
         whole = !code->field[field].shared && !s->transform;
    for (const ir_node *n = NULL; (n = ir_next_load(s, n));)
        read |= n->field == field && n->level == level;
    for (const ir_output *o = NULL; (o = ir_next_store(s, o));)
        stored |= o->field == field && o->level == level;
    /* All points are stored, except those filled by borders after it. */
    for (int n = 0; n < 2 * code->dim; n++)
        whole &= s->inset[n / 2][n % 2] <=
                 time_ends_of(&code->field[field], n / 2).given[n % 2];
    return where == TO_STORE ? stored : read || (stored && !whole);
}

static pav_status move_stage(outofcore_block *b, const ir_stage *s, int64_t lo,
                             int64_t hi, int where)
{
    for (int f = 0; f < b->run->code->fields; f++) {
        const box range = outofcore_range(b, f, lo, hi, true);
        for (int level = 1; level >= 1 - b->run->code->field[f].levels; level--)
            if (outofcore_stage_moves(b->run->code, s, f, level, where))
                TRY(outofcore_copy(b, f, b->window->view[f][1 - level],
                                   b->run->part->view[f][1 - level], &range, where));
    }
    return PAV_OK;
}

/* ---- reductions -------------------------------------------------------------------- */

typedef struct folded {
    int64_t reductions;
    double *all, *some; /* rows of the whole box; rows of one visit */
} folded;

/* ---- a stage ----------------------------------------------------------------------- */

static pav_status visit(outofcore_block *b, const ir_stage *s, const box *all,
                        int64_t first, folded *f)
{
    outofcore *o = b->o;
    const int axis = o->axis;
    const double begun = clock_seconds();
    const box part = box_along(*all, axis, first,
                               int64_least(first + o->width, all->hi[axis]));
    b->visit = o->visits++;
    const int64_t lo = first - o->halo;
    b->at.lo = lo - ((lo % o->unit) + o->unit) % o->unit;
    b->at.hi = part.hi[axis] + o->halo;
    outofcore_place(b, false);
    TRY(move_stage(b, s, b->at.lo, b->at.hi, TO_DEVICE));
    TRY(outofcore_note(b, true, b->visit, begun));
    const double moved = clock_seconds();
    const interp_args args = {.code = b->run->code,
                              .stage = s,
                              .view = b->window->view,
                              .table = b->window->table,
                              .uniform = b->run->part->uniform,
                              .box = part,
                              .rows = f->some};
    executor *e = b->window->executor;
    TRY(e->ops.stage(e, &args));
    TRY(e->ops.wait(e));
    TRY(outofcore_note(b, false, b->visit, moved));
    exec_put_rows(all, &part, f->reductions, f->some, f->all);
    return move_stage(b, s, part.lo[axis], part.hi[axis], TO_STORE);
}

static pav_status visit_all(outofcore_block *b, const ir_stage *s)
{
    const int axis = b->o->axis;
    const box all = ir_stage_box(b->run->code, s);
    const int64_t reductions = ir_reductions(s),
                  lines = (all.hi[1] - all.lo[1]) * (all.hi[2] - all.lo[2]);
    if (box_is_empty(&all))
        return PAV_OK;
    OWNED_NEW(double, rows, 1 + reductions * lines);
    OWNED_NEW(double, some, 1 + reductions * lines);
    folded f = {reductions, rows, some};
    for (int64_t at = all.lo[axis]; at < all.hi[axis]; at += b->o->width)
        TRY(visit(b, s, &all, at, &f));
    double *row = rows;
    for (const ir_output *o = NULL; (o = ir_next_output(s, o));) {
        if (o->kind != IR_REDUCE)
            continue;
        b->run->part->uniform[o->uniform] = reduction_of_rows(o->reduction, &all, row);
        row += lines;
    }
    return PAV_OK;
}

/* Takes one stage of a step. */
pav_status outofcore_stage(pav_run *run, int stage)
{
    outofcore *o = run->outofcore;
    const ir_stage *s = &run->code->stage[stage];
    if (!o->why_stages[0] || !o->window || !outofcore_is_visited(run->code, s))
        return subdomain_is_layered(run->part, stage)
                   ? subdomain_layered_stage(run->part, stage)
                   : subdomain_stage(run->part, stage, NULL);
    outofcore_block b = {.run = run, .o = o, .window = o->window, .number = o->blocks};
    o->window->grid->cut[o->axis] = true;
    for (int f = 0; f < run->code->fields; f++) /* with the names of the store's levels */
        o->window->field[f].newest = 0;
    subdomain_refresh_views(o->window);
    /* ghosts from the window are invalid there */
    for (const ir_output *made = NULL; (made = ir_next_store(s, made));)
        run->part->kept[made->field] = 0;
    return visit_all(&b, s);
}

/* ---- plans ------------------------------------------------------------------------- */
