/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds halos of fields and margins of tables from the loads of stages. All stages except
 * those of borders set the halos. A border's stage runs over the halo of its own field
 * and reads no other field there, so it widens only the tables it reads. */
#include "plan/plan_private.h"

bool ir_is_in_step(const ir *code, int64_t stage)
{
    for (int64_t n = 0; n < code->step.count; n++)
        if (code->step.stage[n] == stage ||
            code->stage[code->step.stage[n]].before == stage)
            return true;
    return false;
}

box ir_stage_box(const ir *code, const ir_stage *stage)
{
    box b;

    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int64_t extent = points_along(code, axis, stage->coarse);
        b.lo[axis] = stage->inset[axis][0];
        b.hi[axis] = extent - stage->inset[axis][1];
        if (b.hi[axis] < b.lo[axis])
            b.hi[axis] = b.lo[axis];
    }
    return b;
}

/* ---- uses of an index -------------------------------------------------------------- */

static bool knows_index(const ir *code, const ir_stage *s, int axis)
{
    for (int64_t k = 0; k < s->count; k++) {
        const ir_node *n = &s->node[k];
        if ((n->op == IR_INDEX && n->axis == axis) || n->op == IR_RANDOM ||
            (n->op == IR_TABLE && code->table[n->table].axis == axis))
            return true;
    }
    return s->inset[axis][0] > 0 || s->inset[axis][1] > 0;
}

static bool borders_know_index(const ir *code, int64_t field, int axis)
{
    bool any = false;
    for (int face = 0; face < 2 * code->dim; face++) {
        const int stage = code->field[field].border[face / 2][face % 2].stage;
        any = any || (stage >= 0 && knows_index(code, &code->stage[stage], axis));
    }
    return any;
}

bool ir_knows_index(const ir *code, int axis)
{
    bool any = false;
    for (int64_t f = 0; f < code->fields; f++)
        any = any || borders_know_index(code, f, axis);
    for (int64_t n = 0; n < code->step.count; n++)
        any = any || knows_index(code, &code->stage[code->step.stage[n]], axis);
    return any;
}

/* ---- one stage --------------------------------------------------------------------- */

static int64_t half(int64_t i)
{
    return (i - (i & 1)) / 2;
}

static int64_t index_read(const ir_node *n, int axis, int64_t i)
{
    switch (ir_transfer_along(n->transfer, n->kept, axis)) {
    case IR_TO_FINE: return 2 * i + n->offset[axis];
    case IR_TO_COARSE: return half(i + n->offset[axis]);
    default: return i + n->offset[axis];
    }
}

static void raise(const ir *code, int *beyond, int64_t needed)
{
    if (needed <= *beyond)
        return;
    if (needed > MAX_HALO)
        arena_fail(code->arena, PAV_ELIMIT,
                   "%s: a field is read %lld points beyond a face, and %d are the most "
                   "supported",
                   code->program->name, (long long)needed, MAX_HALO);
    *beyond = (int)needed;
}

/* Notes reads of indices lo to hi along an axis of `extent` points. */
static void raise_both(const ir *code, int *beyond, int64_t extent, int64_t lo,
                       int64_t hi)
{
    raise(code, &beyond[0], -lo);
    raise(code, &beyond[1], hi - (extent - 1));
}

static void reach_load(ir *code, const ir_node *n, const box *b)
{
    ir_field *f = &code->field[n->field];

    for (int axis = 0; axis < code->dim; axis++)
        raise_both(code, f->halo[axis], f->extent[axis], index_read(n, axis, b->lo[axis]),
                   index_read(n, axis, b->hi[axis] - 1));
}

static void reach_table(ir *code, const ir_node *n, const box *b)
{
    ir_table *t = &code->table[n->table];

    raise_both(code, t->margin, points_along(code, t->axis, t->coarse),
               b->lo[t->axis] + n->offset[0], b->hi[t->axis] - 1 + n->offset[0]);
}

static void reach_stage(ir *code, const ir_stage *stage, const box *b)
{
    for (int64_t k = 0; k < stage->count && !box_is_empty(b); k++) {
        const ir_node *n = &stage->node[k];
        if (n->op == IR_LOAD)
            reach_load(code, n, b);
        else if (n->op == IR_TABLE)
            reach_table(code, n, b);
    }
}

/* ---- all stages -------------------------------------------------------------------- */

typedef void visit_face(ir *code, ir_field *f, int axis, int side, void *with);

static void visit_faces(ir *code, visit_face *visit, void *with)
{
    for (int64_t k = 0; k < code->fields; k++)
        for (int axis = 0; axis < code->dim; axis++)
            for (int side = 0; side < 2; side++)
                visit(code, &code->field[k], axis, side, with);
}

/* The points of a face's slab: see struct ir. */
static box slab(const ir *code, const ir_field *f, int axis, int side)
{
    const int inner = border_stores_face(f->border[axis][side].kind);
    box b;

    for (int a = 0; a < MAX_DIM; a++) {
        const bool with_halo = a < axis && a < code->dim;
        b.lo[a] = with_halo ? -f->halo[a][0] : 0;
        b.hi[a] = f->extent[a] + (with_halo ? f->halo[a][1] : 0);
    }
    b.lo[axis] = side ? f->extent[axis] - inner : -f->halo[axis][0];
    b.hi[axis] = side ? f->extent[axis] + f->halo[axis][1] : inner;
    return b;
}

static void reach_border(ir *code, ir_field *f, int axis, int side, void *with)
{
    const int stage = f->border[axis][side].stage;
    const box b = slab(code, f, axis, side);

    (void)with;
    if (stage >= 0)
        reach_stage(code, &code->stage[stage], &b);
}

static void mark_border(ir *code, ir_field *f, int axis, int side, void *with)
{
    bool *is_border = with;

    (void)code;
    if (f->border[axis][side].stage >= 0)
        is_border[f->border[axis][side].stage] = true;
}

/* ---- whether the borders can fill the halos ---------------------------------------- */

static void check_face(ir *code, ir_field *f, int axis, int side, void *with)
{
    static const char *const name[MAX_DIM][2] = {
        {"x-", "x+"}, {"y-", "y+"}, {"z-", "z+"}};
    const char *face = name[axis][side];
    const border_kind kind = f->border[axis][side].kind;
    const int halo = f->halo[axis][side];

    (void)with;
    if (halo && !border_is(kind))
        arena_fail(
            code->arena, PAV_ESYNTAX,
            "%s: field %s is read %d points beyond %s, where it has no border; add "
            "one, such as `border %s = 0 beyond %s`",
            code->program->name, f->name, halo, face, f->name, face);
    if (halo && f->extent[axis] < border_points_needed(kind, halo))
        arena_fail(code->arena, PAV_ESYNTAX,
                   "%s: field %s is read %d points beyond %s, for which a border of its "
                   "kind (%s) needs %lld points along that axis; there are %lld",
                   code->program->name, f->name, halo, face, border_rules[kind].word,
                   (long long)border_points_needed(kind, halo),
                   (long long)f->extent[axis]);
}

void ir_stage_radius(ir *code, int stage)
{
    const box b = ir_stage_box(code, &code->stage[stage]);

    reach_stage(code, &code->stage[stage], &b);
}

void ir_set_radius(ir *code)
{
    bool *is_border = arena_alloc(code->arena, code->stages + 1, sizeof *is_border);

    visit_faces(code, mark_border, is_border);
    for (int64_t k = 0; k < code->stages; k++) {
        const box b = ir_stage_box(code, &code->stage[k]);
        if (!is_border[k])
            reach_stage(code, &code->stage[k], &b);
    }
    visit_faces(code, reach_border, NULL);
    visit_faces(code, check_face, NULL);
}
