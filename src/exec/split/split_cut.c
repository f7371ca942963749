/* SPDX-License-Identifier: BSD-3-Clause */
/* Cuts a grid into subdomains, and counts the bytes and points that the cuts cost. */
#include <assert.h>

#include "exec/split/split_private.h"

/* ---- depths ------------------------------------------------------------------------ */

static void widen(int *depth, int below, int above)
{
    if (depth[0] < below)
        depth[0] = below;
    if (depth[1] < above)
        depth[1] = above;
}

/* A cut at point c is a cut at (c + 1)/2 of the next coarser grid. The depths bound the
 * reads of a stage on either side of the cut. */
void halo_reach(const ir_node *n, int axis, int *depth)
{
    const int o = n->offset[axis];
    if (ir_transfer_along(n->transfer, n->kept, axis) == IR_TO_COARSE)
        widen(depth, o > 2 ? 0 : (2 - o) / 2, o < 0 ? 0 : (o + 1) / 2);
    else
        widen(depth, -o, o);
}

/* Fields in one buffer share their layout. */
int64_t halo_buffer_of(const ir *code, int64_t field)
{
    const int memory = code->field[field].memory;
    return memory ? memory - 1 : field;
}

halo_depth halo_depth_of(const ir *code, int64_t field)
{
    halo_depth d = {{{0}}};
    for (int64_t n = 0; n < code->stages; n++)
        for (int64_t k = 0; k < code->stage[n].count; k++) {
            const ir_node *node = &code->stage[n].node[k];
            for (int axis = 0; axis < code->dim; axis++)
                if (node->op == IR_LOAD &&
                    halo_buffer_of(code, node->field) == halo_buffer_of(code, field))
                    halo_reach(node, axis, d.side[axis]);
        }
    return d;
}

/* ---- loads beyond seams ------------------------------------------------------------ */

static bool is_of(const ir *code, const ir_node *n, int64_t field)
{
    return n->op == IR_LOAD &&
           halo_buffer_of(code, n->field) == halo_buffer_of(code, field);
}

static bool reads_corners(const ir *code, const ir_node *n)
{
    int axes = 0;
    for (int axis = 0; axis < code->dim; axis++)
        axes += n->offset[axis] != 0;
    return axes > 1 || n->transfer != IR_SAME;
}

static bool border_reads(const ir *code, int stage, int across, int64_t field)
{
    for (int64_t k = 0; stage >= 0 && k < code->stage[stage].count; k++) {
        const ir_node *n = &code->stage[stage].node[k];
        for (int axis = 0; axis < code->dim && is_of(code, n, field); axis++)
            if (axis != across && (n->offset[axis] != 0 || n->transfer != IR_SAME))
                return true;
    }
    return false;
}

halo_use halo_use_of(const ir *code, int64_t field, bool wide)
{
    bool corners = wide;
    for (int64_t f = 0; f < code->fields; f++)
        for (int face = 0; face < 2 * code->dim; face++)
            if (border_reads(code, code->field[f].border[face / 2][face % 2].stage,
                             face / 2, field))
                return HALO_AT_ONCE;
    for (int64_t n = 0; n < code->stages; n++)
        for (int64_t k = 0; k < code->stage[n].count; k++)
            corners = corners || (is_of(code, &code->stage[n].node[k], field) &&
                                  reads_corners(code, &code->stage[n].node[k]));
    return corners ? HALO_CORNERS : HALO_FACES;
}

void halo_depth_join(halo_depth *d, const halo_depth *other)
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        widen(d->side[axis], other->side[axis][0], other->side[axis][1]);
}

/* Largest offset of any load along an axis. */
static int64_t radius_along(const ir *code, int axis)
{
    int64_t most = 0;
    for (int64_t n = 0; n < code->stages; n++)
        for (int64_t k = 0; k < code->stage[n].count; k++) {
            const ir_node *node = &code->stage[n].node[k];
            const int64_t far = node->op == IR_LOAD ? node->offset[axis] : 0;
            most = far > most ? far : -far > most ? -far : most;
        }
    return most;
}

/* Rows of all fields have equal strides, even if their halos have different depths. */
static int64_t deepest_along(const subdomain *inner, int axis)
{
    int64_t most = radius_along(inner->code, axis);
    for (int64_t f = 0; inner->wide && f < inner->code->fields; f++) {
        const halo_depth d = subdomain_depth(inner, f);
        for (int side = 0; side < 2; side++)
            most = d.side[axis][side] > most ? d.side[axis][side] : most;
    }
    return most;
}

/* Beyond an outer face the halo of the whole grid is enough. */
field_shape subdomain_shape(const subdomain *inner, int64_t field,
                            const field_shape *of_whole)
{
    const halo_depth depth = subdomain_depth(inner, field);
    const subdomain_grid *g = &inner->grid[inner->code->field[field].coarse];
    field_shape shape = *of_whole;
    shape.line = subdomain_line(inner, shape.type);
    for (int axis = 0; axis < MAX_DIM && !g->all; axis++) {
        shape.first[axis] = g->box.lo[axis];
        shape.extent[axis] = g->box.hi[axis] - g->box.lo[axis];
        for (int side = 0; side < 2; side++)
            if ((inner->wide ? subdomain_is_seam(inner, field, axis, side)
                             : g->seam[axis][side]) &&
                shape.halo[axis][side] < depth.side[axis][side])
                shape.halo[axis][side] = depth.side[axis][side];
    }
    for (int axis = 0; axis < 2; axis++)
        shape.room[axis] += 2 * deepest_along(inner, axis);
    return shape;
}

/* ---- grids ------------------------------------------------------------------------- */

int subdomain_grids(const ir *code)
{
    int grids = 1;
    for (int64_t f = 0; f < code->fields; f++)
        if (code->field[f].coarse >= grids)
            grids = code->field[f].coarse + 1;
    for (int64_t n = 0; n < code->stages; n++)
        if (code->stage[n].coarse >= grids)
            grids = code->stage[n].coarse + 1;
    return grids;
}

pav_status decompose_coarse(const ir *code, const decomposition *d, int coarse,
                            decomposition *result)
{
    TRY(decomposition_copy(d, result));
    for (int axis = 0; axis < code->dim; axis++) {
        const int64_t step = INT64_C(1) << coarse_shift(code->program, coarse, axis);
        const int64_t end = points_along(code, axis, coarse);
        for (int64_t n = 1; n <= d->parts[axis]; n++) {
            const int64_t at = (d->cut[axis][n] + step - 1) / step;
            result->cut[axis][n] = n < d->parts[axis] && at < end ? at : end;
        }
    }
    return PAV_OK;
}

/* ---- limits of cuts ---------------------------------------------------------------- */

static int64_t least_width(const subdomain *whole, int axis, int coarse,
                           const char **field)
{
    const ir *code = whole->code;
    int64_t least = 1;
    for (int64_t f = 0; f < code->fields; f++) {
        const halo_depth d = subdomain_depth(whole, f);
        for (int side = 0; side < 2 && code->field[f].coarse == coarse; side++) {
            const int halo = code->field[f].halo[axis][side], deep = d.side[axis][side];
            const int64_t needed = (halo > deep ? halo : deep) + 1;
            if (needed <= least)
                continue;
            least = needed;
            *field = code->field[f].name;
        }
    }
    return least;
}

/* A field that forbids cuts along a periodic axis. Its points around that axis are read
 * where a face along a later axis sets values by position. A subdomain on the other side
 * has values for other positions. NULL: there is none. */
static const char *differs_around(const ir *code, int axis)
{
    for (int64_t k = 0; k < code->stages; k++)
        for (int64_t n = 0; n < code->stage[k].count; n++) {
            const ir_node *load = &code->stage[k].node[n];
            if (load->op != IR_LOAD)
                continue;
            const ir_field *f = &code->field[load->field];
            if (border_wraps(f->border[axis][0].kind) &&
                emit_corner_differs(code, load, axis))
                return f->name;
        }
    return NULL;
}

int64_t subdomain_least_width(const ir *code, int axis)
{
    const subdomain whole = {.code = (ir *)(uintptr_t)code};
    const char *field;
    if (differs_around(code, axis))
        return points_along(code, axis, false);
    return least_width(&whole, axis, 0, &field);
}

static bool is_too_thin(const subdomain *whole, const decomposition *d, int coarse)
{
    const char *field;
    for (int axis = 0; axis < whole->code->dim; axis++) {
        const int64_t least = least_width(whole, axis, coarse, &field);
        for (int64_t n = 0; n < d->parts[axis] && d->parts[axis] > 1; n++)
            if (d->cut[axis][n + 1] - d->cut[axis][n] < least)
                return true;
    }
    return false;
}

static pav_status check(const subdomain *whole, const decomposition *d)
{
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const char *field = differs_around(whole->code, axis);
        if (d->parts[axis] > 1 && field)
            return FAIL(
                PAV_EUNSUPPORTED,
                "the grid cannot be cut along %c: %s wraps around there and has a "
                "face with values by the place along %c, which are read beyond the "
                "ends; give 1 along %c",
                "xyz"[axis], field, "xyz"[axis], "xyz"[axis]);
        const int64_t least = least_width(whole, axis, 0, &field);
        for (int64_t n = 0; n < d->parts[axis] && d->parts[axis] > 1; n++) {
            const int64_t width = d->cut[axis][n + 1] - d->cut[axis][n];
            if (width >= least)
                continue;
            if (!field)
                return FAIL(
                    PAV_EINVAL,
                    "%lld subdomains along %c are more than the grid has points there",
                    (long long)d->parts[axis], "xyz"[axis]);
            return FAIL(
                PAV_EINVAL,
                "%lld subdomains along %c are too thin: one has %lld points there, and "
                "at least %lld are needed, since %s is read %lld points beyond a face%s; "
                "give fewer along %c",
                (long long)d->parts[axis], "xyz"[axis], (long long)width,
                (long long)least, field, (long long)least - 1,
                whole->wide ? " before the next exchange" : "", "xyz"[axis]);
        }
    }
    return PAV_OK;
}

/* ---- cutting ----------------------------------------------------------------------- */

static void take_grid(const decomposition *d, int64_t n, bool all, subdomain_grid *g)
{
    int64_t at[MAX_DIM];
    decomposition_place(d, n, at);
    g->box = decomposition_box(d, n);
    g->all = all;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        g->cut[axis] = d->parts[axis] > 1;
        g->seam[axis][0] = at[axis] > 0;
        g->seam[axis][1] = at[axis] + 1 < d->parts[axis];
    }
}

pav_status subdomain_cut(subdomain *whole, const decomposition *d)
{
    const int64_t count = decomposition_count(d);
    const int grids = subdomain_grids(whole->code);
    TRY(check(whole, d));
    whole->inner = mem_new(count, sizeof *whole->inner);
    if (!whole->inner)
        return PAV_ENOMEM;
    whole->inners = count;
    assert(count > 0 && !whole->is_inner); /* subdomains are not cut again */
    for (int64_t n = 0; n < count; n++) {
        subdomain *inner = &whole->inner[n];
        inner->code = whole->code;
        inner->plain = whole->plain;
        inner->step = whole->step;
        inner->is_inner = true;
        inner->wide = whole->wide;
        inner->grid = mem_new(grids, sizeof *inner->grid);
        if (!inner->grid)
            return PAV_ENOMEM;
    }
    /* If one grid is too small to cut, all coarser grids are, too. */
    bool all = false;
    for (int coarse = 0; coarse < subdomain_grids(whole->code); coarse++) {
        decomposition own;
        TRY(decompose_coarse(whole->code, d, coarse, &own));
        all = all || (coarse > 0 && is_too_thin(whole, &own, coarse));
        for (int64_t n = 0; n < whole->inners; n++)
            take_grid(&own, n, all, &whole->inner[n].grid[coarse]);
        decomposition_free(&own);
    }
    return PAV_OK;
}

pav_status subdomain_widen(subdomain *whole, const decomposition *d, wide_halo *wide)
{
    wide_halo_free(whole->wide);
    whole->wide = wide;
    for (int64_t n = 0; n < whole->inners; n++)
        whole->inner[n].wide = wide;
    return check(whole, d);
}

/* Closes in reverse order, because the first subdomain may own data shared by the
 * others. */
void subdomain_uncut(subdomain *whole)
{
    for (int64_t n = whole->inners - 1; n >= 0; n--) {
        subdomain_use(&whole->inner[n], NULL);
        split_close_sources(&whole->inner[n]);
        subdomain_release(&whole->inner[n]);
    }
    mem_free(whole->inner);
    whole->inner = NULL;
    whole->inners = 0;
    wide_halo_free(whole->wide);
    whole->wide = NULL;
}

/* ---- bytes and points of an exchange ----------------------------------------------- */

/* Bytes of an exchange, and points to compute, before any field has memory: for plans,
 * reports and models. */

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
