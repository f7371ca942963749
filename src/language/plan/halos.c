/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds halos of fields and margins of tables from the loads of stages. All stages except
 * those of borders set the halos. A border's stage runs over the halo of its own field,
 * and widens the tables and the other fields that it reads there. A border reads only
 * earlier fields, so the last field comes first. */
#include <stdlib.h>

#include "plan/plan_private.h"

int ir_farthest_load(const ir *code, int axis)
{
    int most = 0;

    for (const ir_stage *s = code->stage; s < code->stage + code->stages; s++)
        for (const ir_node *n = NULL; (n = ir_next_load(s, n));)
            most = int_most(most, abs(n->offset[axis]));
    return most;
}

box ir_stage_box(const ir *code, const ir_stage *stage)
{
    box b;

    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int64_t extent = points_along(code, axis, stage->coarse);
        b.lo[axis] = stage->inset[axis][0];
        b.hi[axis] = int64_most(extent - stage->inset[axis][1], b.lo[axis]);
    }
    return b;
}

/* ---- uses of an index -------------------------------------------------------------- */

bool ir_stage_knows_index(const ir *code, const ir_stage *s, int axis)
{
    for (const ir_node *n = NULL; (n = ir_next_node(s, n));)
        if ((n->op == IR_INDEX && n->axis == axis) || n->op == IR_RANDOM ||
            (n->op == IR_TABLE && code->table[n->table].axis == axis))
            return true;
    return false;
}

static bool knows_index(const ir *code, const ir_stage *s, int axis)
{
    return s->inset[axis][0] > 0 || s->inset[axis][1] > 0 ||
           ir_stage_knows_index(code, s, axis);
}

bool ir_knows_index(const ir *code, int axis)
{
    for (int64_t f = 0; f < code->fields; f++)
        for (int face = 0; face < 2 * code->dim; face++) {
            const int stage = code->field[f].border[face / 2][face % 2].stage;
            if (stage >= 0 && knows_index(code, &code->stage[stage], axis))
                return true;
        }
    for (int64_t n = 0; n < code->step.count; n++)
        if (knows_index(code, &code->stage[code->step.stage[n]], axis))
            return true;
    return false;
}

/* ---- one stage --------------------------------------------------------------------- */

/* Widens halos or margins, for reads of indices lo to hi along an axis of `extent`
 * points. */
static void widen(const ir *code, int *beyond, int64_t extent, int64_t lo, int64_t hi)
{
    const int64_t needed[2] = {-lo, hi - (extent - 1)};

    for (int side = 0; side < 2; side++) {
        if (needed[side] <= beyond[side])
            continue;
        if (needed[side] > MAX_HALO)
            arena_fail(code->arena, PAV_ELIMIT,
                       "%s: a field is read %lld points beyond a face, and %d are the "
                       "most supported",
                       code->program->name, (long long)needed[side], MAX_HALO);
        beyond[side] = (int)needed[side];
    }
}

static void reach_stage(ir *code, const ir_stage *stage, const box *b)
{
    for (const ir_node *n = NULL; !box_is_empty(b) && (n = ir_next_node(stage, n));) {
        if (n->op == IR_TABLE) {
            ir_table *t = &code->table[n->table];
            widen(code, t->margin, points_along(code, t->axis, t->coarse),
                  b->lo[t->axis] + n->offset[0], b->hi[t->axis] - 1 + n->offset[0]);
        }
        for (int axis = 0; n->op == IR_LOAD && axis < code->dim; axis++) {
            ir_field *f = &code->field[n->field];
            widen(code, f->halo[axis], f->extent[axis],
                  ir_node_index(n, axis, b->lo[axis]),
                  ir_node_index(n, axis, b->hi[axis] - 1));
        }
    }
}

/* ---- all stages -------------------------------------------------------------------- */

/* The points of a face's slab: see struct ir. */
static box slab_of(const ir *code, const ir_field *f, int axis, int side)
{
    const int inner = ir_border_stores_face(&f->border[axis][side]);
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

bool ir_border_reads(const ir *code, int64_t field, int64_t other)
{
    for (int face = 0; face < 2 * code->dim; face++) {
        const ir_border *b = &code->field[field].border[face / 2][face % 2];
        const ir_stage *s = b->layers ? &code->stage[b->stage] : NULL;
        for (int64_t n = 0; s && n < s->count; n++)
            if (s->node[n].op == IR_LOAD && s->node[n].field == other)
                return true;
    }
    return false;
}

bool *ir_are_of_borders(const ir *code)
{
    bool *is_border = arena_alloc(code->arena, code->stages + 1, sizeof *is_border);

    for (int64_t f = 0; f < code->fields; f++)
        for (int face = 0; face < 2 * MAX_DIM; face++) {
            const ir_border *b = &code->field[f].border[face / 2][face % 2];
            for (int n = 0; n < ir_border_stages(b); n++)
                is_border[b->stage + n] = true;
        }
    return is_border;
}

static void reach_border(ir *code, const ir_field *f, int axis, int side)
{
    const ir_border *border = &f->border[axis][side];
    const box all = slab_of(code, f, axis, side);

    for (int n = 0; n < ir_border_stages(border); n++) {
        box b = all;
        if (border->layers) {
            b.lo[axis] = side ? all.lo[axis] + n : all.hi[axis] - 1 - n;
            b.hi[axis] = b.lo[axis] + 1;
        }
        reach_stage(code, &code->stage[border->stage + n], &b);
    }
    if (border->layers < all.hi[axis] - all.lo[axis] && border->layers)
        arena_fail(code->arena, PAV_EINTERNAL,
                   "%s: the border of %s has %d layers at a face, and %lld are read",
                   code->program->name, f->name, border->layers,
                   (long long)(all.hi[axis] - all.lo[axis]));
}

void ir_stage_radius(ir *code, int stage)
{
    const box b = ir_stage_box(code, &code->stage[stage]);

    reach_stage(code, &code->stage[stage], &b);
}

/* Fails if the border of a face cannot fill its halo. */
static void check_face(const ir *code, const ir_field *f, int axis, int side)
{
    const char *face = face_names[2 * axis + side];
    const border_kind kind = f->border[axis][side].kind;
    const int halo = f->halo[axis][side];

    if (halo && !border_is(kind) && !f->lined)
        arena_fail(
            code->arena, PAV_ESYNTAX,
            "%s: field %s is read %d points beyond %s, where it has no border; add "
            "one, such as `border %s = 0 beyond %s`",
            code->program->name, f->name, halo, face, f->name, face);
    if (halo && border_is(kind) && f->extent[axis] < border_points_needed(kind, halo))
        arena_fail(code->arena, PAV_ESYNTAX,
                   "%s: field %s is read %d points beyond %s, for which a border of its "
                   "kind (%s) needs %lld points along that axis; there are %lld",
                   code->program->name, f->name, halo, face, border_rules[kind].word,
                   (long long)border_points_needed(kind, halo),
                   (long long)f->extent[axis]);
}

void ir_set_radius(ir *code)
{
    const int faces = 2 * code->dim;
    const bool *is_border = ir_are_of_borders(code);

    for (int64_t k = 0; k < code->stages; k++) {
        const ir_stage *s = &code->stage[k];
        if (!is_border[k])
            ir_stage_radius(code, (int)k);
        for (int64_t n = 0; n < s->outputs && s->along; n++)
            code->field[s->output[n].field].lined = true;
    }
    for (int64_t k = 0; k < code->tables; k++) {
        const ir_table *t = &code->table[k];
        const box all = ir_stage_box(code, &t->stage);
        box line = {{0, 0, 0}, {1, 1, 1}}; /* other axes may have no points to compute */
        line.lo[t->axis] = all.lo[t->axis];
        line.hi[t->axis] = all.hi[t->axis];
        reach_stage(code, &t->stage, &line);
    }
    for (int64_t k = code->fields; k-- > 0;)
        for (int face = 0; face < faces; face++)
            reach_border(code, &code->field[k], face / 2, face % 2);
    for (int64_t k = 0; k < code->fields; k++)
        for (int face = 0; face < faces; face++)
            check_face(code, &code->field[k], face / 2, face % 2);
}
