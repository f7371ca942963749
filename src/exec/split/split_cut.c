/* SPDX-License-Identifier: BSD-3-Clause */
/* A grid is cut into subdomains: their boxes, which of their faces are seams, and how deep their
 * halos are there. */
#include "exec/split/split_private.h"

/* ---- how deep ----------------------------------------------------------------------------- */

static void widen(int *depth, int offset)
{
    const int side = offset > 0, far = offset < 0 ? -offset : offset;
    if (depth[side] < far)
        depth[side] = far;
}

halo_depth halo_depth_of(const ir *code, int64_t field)
{
    halo_depth d = {{{0}}};
    for (int64_t n = 0; n < code->stages; n++)
        for (int64_t k = 0; k < code->stage[n].count; k++) {
            const ir_node *node = &code->stage[n].node[k];
            for (int axis = 0; axis < code->dim; axis++)
                if (node->op == IR_LOAD && node->field == field)
                    widen(d.side[axis], node->offset[axis]);
        }
    return d;
}

/* Beyond an outer face no more is read than the whole grid has there. */
field_shape subdomain_shape(const subdomain *inner, int64_t field,
                            const field_shape *of_whole)
{
    const halo_depth depth = halo_depth_of(inner->code, field);
    field_shape shape = *of_whole;
    shape.line = subdomain_line(inner, shape.type);
    for (int axis = 0; axis < MAX_DIM; axis++) {
        shape.first[axis] = inner->box.lo[axis];
        shape.extent[axis] = inner->box.hi[axis] - inner->box.lo[axis];
        for (int side = 0; side < 2; side++)
            if (inner->seam[axis][side] &&
                shape.halo[axis][side] < depth.side[axis][side])
                shape.halo[axis][side] = depth.side[axis][side];
    }
    return shape;
}

/* ---- what cannot be cut ------------------------------------------------------------------- */

static pav_status check_program(const ir *code)
{
    for (int64_t f = 0; f < code->fields; f++)
        if (code->field[f].coarse)
            return FAIL(PAV_EUNSUPPORTED,
                        "%s: field %s is on the coarse grid, and a grid with such fields "
                        "cannot be cut into subdomains yet: leave out --subdomains",
                        code->program->name, code->field[f].name);
    return PAV_OK;
}

static int64_t least_width(const ir *code, int axis, const char **field)
{
    int64_t least = 1;
    for (int64_t f = 0; f < code->fields; f++) {
        const halo_depth d = halo_depth_of(code, f);
        for (int side = 0; side < 2; side++) {
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

int64_t subdomain_least_width(const ir *code, int axis)
{
    const char *field;
    return least_width(code, axis, &field);
}

static pav_status check_widths(const ir *code, const decomposition *d, int axis)
{
    const char *field = NULL;
    const int64_t least = least_width(code, axis, &field);
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
            "at least %lld are needed, since %s is read %lld points beyond a face; "
            "give fewer along %c",
            (long long)d->parts[axis], "xyz"[axis], (long long)width, (long long)least,
            field, (long long)least - 1, "xyz"[axis]);
    }
    return PAV_OK;
}

static pav_status check(const ir *code, const decomposition *d)
{
    TRY(check_program(code));
    for (int axis = 0; axis < MAX_DIM; axis++)
        TRY(check_widths(code, d, axis));
    return PAV_OK;
}

/* ---- cutting ------------------------------------------------------------------------------ */

static void find_seams(const decomposition *d, int64_t n, subdomain *inner)
{
    int64_t at[MAX_DIM];
    decomposition_place(d, n, at);
    for (int axis = 0; axis < MAX_DIM; axis++) {
        inner->cut[axis] = d->parts[axis] > 1;
        inner->seam[axis][0] = at[axis] > 0;
        inner->seam[axis][1] = at[axis] + 1 < d->parts[axis];
    }
}

pav_status subdomain_cut(subdomain *whole, const decomposition *d)
{
    const int64_t count = decomposition_count(d);
    TRY(check(whole->code, d));
    whole->inner = mem_new(count, sizeof *whole->inner);
    if (!whole->inner)
        return PAV_ENOMEM;
    whole->inners = count;
    for (int64_t n = 0; n < count; n++) {
        subdomain *inner = &whole->inner[n];
        inner->code = whole->code;
        inner->plain = whole->plain;
        inner->is_inner = true;
        inner->box = decomposition_box(d, n);
        find_seams(d, n, inner);
    }
    return PAV_OK;
}

/* The first may own what the others share. */
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
}
