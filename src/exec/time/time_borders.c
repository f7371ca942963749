/* SPDX-License-Identifier: BSD-3-Clause */
/* Borders tile by tile. Of each face it fills the ghosts next to, or copied from, points
 * already done. The order is the same as for a whole level in fill_borders.c. */
#include "exec/time/tile_private.h"

/* One face of one field in one tile. */
typedef struct face_fill {
    const time_fill *fill;
    int axis, side;
} face_fill;

static pav_status fill_box(void *user, const box *b)
{
    const face_fill *f = user;
    const ready_stage *stage = &f->fill->face[f->axis][f->side];
    const border_kind kind = f->fill->field->border[f->axis][f->side].kind;
    const view *v = f->fill->view;
    box slab = *b;
    border_copy(v, f->axis, f->side, kind, b);
    if (!stage->there)
        return PAV_OK;
    border_slab(v, f->axis, f->side, kind, &slab);
    return ready_call(stage, &slab);
}

/* Cuts spans to the indices lo .. hi - 1 of a subdomain. */
static void limit(spans *s, int64_t lo, int64_t hi)
{
    for (int n = 0; n < s->count; n++) {
        s->at[n].lo = s->at[n].lo < lo ? lo : s->at[n].lo;
        s->at[n].hi = s->at[n].hi > hi ? hi : s->at[n].hi;
    }
}

static pav_status fill_face(const time_block *p, const time_instance *m, face_fill *f,
                            const time_tile *t)
{
    const ir_field *field = f->fill->field;
    const box there = view_window(f->fill->view);
    spans at[MAX_DIM];
    if (!border_is(
            subdomain_border(p->part, field - p->part->code->field, f->axis, f->side)
                ->kind) ||
        !time_has_face(&p->axis[f->axis], t->at[f->axis], time_shift_in(t, m, f->axis),
                       field, f->axis, f->side))
        return PAV_OK;
    for (int n = 0; n < MAX_DIM; n++) {
        at[n] = (n < f->axis ? time_outer : time_inner)(&p->axis[n], t->at[n],
                                                        time_shift_in(t, m, n), field, n);
        limit(&at[n], there.lo[n], there.hi[n]);
    }
    at[f->axis] = (spans){1, {{0, 1}}};
    return time_boxes(at, fill_box, f);
}

pav_status time_fill_borders(const time_block *p, const time_instance *m,
                             const time_tile *t)
{
    for (int64_t k = 0; k < m->fills; k++)
        for (int axis = 0; axis < p->part->code->dim; axis++)
            for (int side = 0; side < 2; side++) {
                face_fill f = {&m->fill[k], axis, side};
                TRY(fill_face(p, m, &f, t));
            }
    return PAV_OK;
}
