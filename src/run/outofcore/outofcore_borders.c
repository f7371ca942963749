/* SPDX-License-Identifier: BSD-3-Clause */
/* Fills borders in a visit, in the same order as for a whole level. First the lower axes,
 * over the planes stored by an operation. Then the ghosts beyond an end of the window's
 * axis, once the planes that they copy are computed. */
#include "run/outofcore/outofcore_private.h"

/* The planes of a level from lo up to hi, with `before` and `behind` ghosts. */
static view planes_of(const view *v, int axis, int64_t lo, int64_t hi, int before,
                      int behind)
{
    view part = *v;
    part.first[axis] = lo;
    part.extent[axis] = hi - lo;
    part.halo[axis][0] = before;
    part.halo[axis][1] = behind;
    return part;
}

/* The level stored by the present step. */
static view *stored_level(const outofcore_block *b, int field)
{
    levels *l = &b->window->field[field];
    return &l->level[b->window->view[field][0] - l->level];
}

/* Narrows the level itself for the call, because executors find it by its address. */
static pav_status fill_part(outofcore_block *b, int field, view *v, const view *part,
                            int axis, int end)
{
    executor *e = b->window->executor;
    const view whole = *v;
    *v = *part;
    const pav_status status = e->ops.fill_axes(e, field, v, axis, end);
    *v = whole;
    return status;
}

/* ---- lower axes -------------------------------------------------------------------- */

static bool is_around(const outofcore_block *b, const span *s)
{
    return b->at.wrapped > 0 && s->lo < b->at.lo;
}

static pav_status fill_sides(outofcore_block *b, const outofcore_operation *m, int field)
{
    const int axis = b->o->axis;
    view *v = stored_level(b, field);
    const spans at = outofcore_inner(b, m->shift, &b->run->code->field[field]);
    for (int n = 0; n < at.count && axis > 0; n++) {
        outofcore_place(b, is_around(b, &at.at[n]));
        const view part = planes_of(v, axis, at.at[n].lo, at.at[n].hi, 0, 0);
        TRY(fill_part(b, field, v, &part, 0, axis));
    }
    outofcore_place(b, false);
    return PAV_OK;
}

/* ---- the window's axis ------------------------------------------------------------- */

static void set_seams(const outofcore_block *b, int side)
{
    const int axis = b->o->axis;
    b->window->grid->seam[axis][side] = false;
    b->window->grid->seam[axis][1 - side] = true;
}

static pav_status fill_end(outofcore_block *b, int field, view *v, int side)
{
    const ir_field *f = &b->run->code->field[field];
    executor *e = b->window->executor;
    const int axis = b->o->axis;
    const bool around = side == 0 && b->at.wrapped > 0;
    const int64_t last = around ? b->at.wrapped : b->at.hi;
    const int64_t lo = side == 0 || b->at.lo < 0 ? 0 : b->at.lo;
    const int64_t hi = last < b->o->extent ? last : b->o->extent;
    TRY(e->ops.end_borders(e)); /* the other axes' ghosts must be filled first */
    outofcore_place(b, around);
    set_seams(b, side);
    const view part = planes_of(v, axis, lo, hi, side == 0 ? f->halo[axis][0] : 0,
                                side == 1 ? f->halo[axis][1] : 0);
    const pav_status status = fill_part(b, field, v, &part, axis, axis + 1);
    outofcore_place(b, false);
    return status;
}

static pav_status fill_field(outofcore_block *b, const outofcore_operation *m, int field)
{
    const ir_field *f = &b->run->code->field[field];
    const int axis = b->o->axis;
    TRY(fill_sides(b, m, field));
    for (int side = 0; side < 2; side++)
        if (border_is(f->border[axis][side].kind) &&
            outofcore_has_face(b, m->shift, f, side))
            TRY(fill_end(b, field, stored_level(b, field), side));
    return PAV_OK;
}

pav_status outofcore_fill(outofcore_block *b, const outofcore_operation *m)
{
    executor *e = b->window->executor;
    subdomain_set_time(b->window, b->step + m->step + 1);
    for (int f = 0; f < b->run->code->fields && m->fill; f++)
        if (m->fill[f])
            TRY(fill_field(b, m, f));
    TRY(e->ops.end_borders(e));
    subdomain_set_time(b->window, b->step + m->step);
    return PAV_OK;
}

/* A launch stores all levels except the oldest. */
static pav_status fill_levels(outofcore_block *b, const outofcore_operation *m, int field)
{
    const int end = m->step + b->o->depth;
    for (int n = 0; n + 1 < b->run->code->field[field].levels; n++) {
        levels *l = &b->window->field[field];
        const int newest = outofcore_newest(b, field, m->launches + 1, m->singles);
        l->newest = (newest + 1 + n) % l->count;
        subdomain_refresh_views(b->window);
        subdomain_set_time(b->window, b->step + end - n);
        TRY(fill_field(b, m, field));
    }
    return b->window->executor->ops.end_borders(b->window->executor);
}

pav_status outofcore_fill_launch(outofcore_block *b, const outofcore_operation *m)
{
    for (int f = 0; f < b->run->code->fields; f++)
        if (m->fill && m->fill[f])
            TRY(fill_levels(b, m, f));
    subdomain_set_time(b->window, b->step + m->step);
    return PAV_OK;
}

/* ---- borders that stay as they are ------------------------------------------------- */

bool outofcore_keeps_border(const outofcore_block *b, int field)
{
    const ir *code = b->run->code;
    const ir_field *f = &code->field[field];
    return f->updated && !f->shared && borders_are_still(code, f);
}

static pav_status keep_level(outofcore_block *b, int field, view *v, int64_t lo,
                             int64_t hi)
{
    const int axis = b->o->axis;
    const ir_field *f = &b->run->code->field[field];
    const int64_t first = lo < 0 ? 0 : lo;
    const int64_t end = hi < b->o->extent ? hi : b->o->extent;
    if (axis > 0 && first < end) {
        const view part = planes_of(v, axis, first, end, 0, 0);
        TRY(fill_part(b, field, v, &part, 0, axis));
    }
    for (int side = 0; side < 2; side++) {
        const bool is_end = side == 0 ? lo <= -f->halo[axis][0]
                                      : hi >= b->o->extent + f->halo[axis][1];
        if (is_end && border_is(f->border[axis][side].kind))
            TRY(fill_end(b, field, v, side));
    }
    return PAV_OK;
}

/* Fills the buffers without an uploaded level, too. */
static pav_status keep_field(outofcore_block *b, int field, int64_t lo, int64_t hi)
{
    levels *l = &b->window->field[field];
    const int first = outofcore_newest(b, field, 0, 0);
    TRY(keep_level(b, field, &l->level[first], lo, hi));
    for (int n = b->run->code->field[field].levels; n < l->count; n++)
        TRY(keep_level(b, field, &l->level[(first + n) % l->count], lo, hi));
    return PAV_OK;
}

/* Fills constant borders of uploaded planes in the buffers for the first steps of the
 * block. */
pav_status outofcore_keep_borders(outofcore_block *b, int64_t lo, int64_t hi)
{
    executor *e = b->window->executor;
    for (int f = 0; f < b->run->code->fields && lo < hi; f++)
        if (outofcore_keeps_border(b, f))
            TRY(keep_field(b, f, lo, hi));
    return e->ops.end_borders(e);
}
