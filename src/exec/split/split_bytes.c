/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of an exchange, and points to compute, before any field has memory: for plans,
 * reports and models. */
#include "exec/split/split_private.h"

/* The future view of a field in the subdomain, without memory. */
static view shape_of(const subdomain *inner, int64_t field)
{
    const ir_field *f = &inner->code->field[field];
    field_shape shape = {0};
    for (int axis = 0; axis < MAX_DIM; axis++)
        for (int side = 0; side < 2; side++)
            shape.halo[axis][side] = f->halo[axis][side];
    shape = subdomain_shape(inner, field, &shape);
    view v = {0};
    for (int axis = 0; axis < MAX_DIM; axis++) {
        v.extent[axis] = shape.extent[axis];
        v.halo[axis][0] = shape.halo[axis][0];
        v.halo[axis][1] = shape.halo[axis][1];
    }
    return v;
}

static int64_t face_bytes(const subdomain *inner, int64_t field, int axis, int side)
{
    const halo_use use = halo_use_of(inner->code, field, inner->wide != NULL);
    const view v = shape_of(inner, field);
    if (!subdomain_is_seam(inner, field, axis, side))
        return 0;
    const box b = split_beyond(inner, field, use, &v, axis, side);
    return box_points(&b) * (int64_t)pav_type_size(inner->code->field[field].storage);
}

/* Bytes computed by others of a grid too small to cut. */
static int64_t bytes_of_others(const subdomain *inner, int64_t field)
{
    const ir_field *f = &inner->code->field[field];
    const subdomain_grid *g = &inner->grid[f->coarse];
    if (!g->all)
        return 0;
    return (f->extent[0] * f->extent[1] * f->extent[2] - box_points(&g->box)) *
           (int64_t)pav_type_size(f->storage);
}

/* Number of levels of a field moved by an exchange, or by all exchanges of a step. */
static int64_t levels_of(const subdomain *inner, int64_t field)
{
    const ir *code = inner->code;
    int64_t count = 0;
    if (inner->wide)
        return wide_halo_levels(inner->wide, field);
    for (int64_t n = 0; n < code->step.count; n++) {
        const ir_stage *stage = &code->stage[code->step.stage[n]];
        for (int64_t k = 0; k < stage->outputs; k++)
            count += stage->output[k].kind == IR_STORE && stage->output[k].field == field;
    }
    for (int64_t n = 0; n < code->injections.count; n++)
        count += code->injections.item[n].field == field;
    return count;
}

int64_t split_bytes_from(const subdomain *inner, int axis, int side, int64_t *messages)
{
    int64_t bytes = 0;
    *messages = 0;
    for (int64_t f = 0; f < inner->code->fields; f++) {
        const int64_t times = levels_of(inner, f);
        const int64_t own = times > 0 ? face_bytes(inner, f, axis, side) : 0;
        *messages += own > 0 ? times : 0;
        bytes += times * own;
    }
    return bytes;
}

int64_t split_bytes_of(const subdomain *inner)
{
    int64_t bytes = 0, messages;
    for (int64_t f = 0; f < inner->code->fields; f++)
        bytes += levels_of(inner, f) * bytes_of_others(inner, f);
    for (int face = 0; face < 2 * inner->code->dim; face++)
        bytes += split_bytes_from(inner, face / 2, face % 2, &messages);
    return bytes;
}

/* ---- points ------------------------------------------------------------------------ */

static double points_of(const subdomain *inner, const ir_stage *stage, int left)
{
    const box *own = &inner->grid[stage->coarse].box;
    const int field = stage->outputs > 0 ? stage->output[0].field : -1;
    halo_depth extra = {{{0}}};
    double count = 1;
    if (inner->wide && field >= 0 && stage_may_be_cut(stage))
        extra = wide_halo_extra(inner->wide, inner->code, left, stage);
    for (int axis = 0; axis < MAX_DIM; axis++) {
        int64_t width = own->hi[axis] - own->lo[axis];
        for (int side = 0; side < 2; side++)
            if (extra.side[axis][side] > 0 && subdomain_is_seam(inner, field, axis, side))
                width += extra.side[axis][side];
        count *= (double)width;
    }
    return count;
}

double split_points_of(const subdomain *inner)
{
    const ir *code = inner->code;
    const int steps = wide_halo_steps(inner->wide);
    double count = 0, own = 0;
    for (int64_t n = 0; n < code->step.count; n++)
        for (int left = 0; left < steps; left++) {
            const ir_stage *stage = &code->stage[code->step.stage[n]];
            count += points_of(inner, stage, left);
            own += (double)box_points(&inner->grid[stage->coarse].box);
        }
    return own > 0 ? count / own * (double)box_points(&inner->grid->box) : 0;
}

int64_t split_exchange_bytes(const subdomain *whole)
{
    int64_t bytes = 0;
    for (int64_t n = 0; n < whole->inners; n++)
        bytes += split_bytes_of(&whole->inner[n]);
    return bytes;
}
