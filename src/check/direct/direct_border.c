/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a field at any point, and applies the border rules to points beyond faces.
 * Filling goes axis by axis, x first, with the ghosts of lower axes included. Reading
 * therefore undoes the highest axis first, and of one axis the + side, which was filled
 * last. */
#include <math.h>

#include "check/check_private.h"

static bool gives_face(border_kind kind)
{
    return kind == BORDER_VALUE || kind == BORDER_ODD;
}

bool direct_is_given(const direct *d, const direct_field *f, const int64_t *at)
{
    for (int axis = 0; axis < d->program->dim; axis++)
        for (int side = 0; side < 2; side++)
            if (at[axis] == (side ? f->extent[axis] - 1 : 0) &&
                gives_face(f->face[axis][side].kind))
                return true;
    return false;
}

/* Finds the axis and side whose rule applies to a point; false for a plain point. */
static bool find_face(const direct *d, const direct_field *f, const int64_t *at,
                      int *axis, int *side)
{
    for (*axis = d->program->dim - 1; *axis >= 0; (*axis)--)
        for (*side = 1; *side >= 0; (*side)--) {
            const int64_t last = f->extent[*axis] - 1, i = at[*axis];
            const int64_t beyond = *side ? i - last : -i;
            if (beyond > 0 || (beyond == 0 && gives_face(f->face[*axis][*side].kind)))
                return true;
        }
    return false;
}

/* The share of a weight beyond a face that belongs to the copied point. 0: no rule
 * copies, and values are extrapolated linearly. */
int direct_share(border_kind kind)
{
    switch (kind) {
    case BORDER_NONE:
    case BORDER_VALUE:
    case BORDER_BEYOND:
    case BORDER_ODD: return 0;
    case BORDER_ANTIMIRROR: return -1;
    default: return 1;
    }
}

bool direct_wraps(const direct_field *f, int axis, int side)
{
    return f->face[axis][side].kind == BORDER_PERIODIC;
}

int64_t direct_copied(border_kind kind, int64_t n, int side, int64_t i)
{
    if (n == 1)
        return 0;
    switch (kind) {
    case BORDER_PERIODIC: return i < 0 ? i + n : i - n;
    case BORDER_ANTIMIRROR:
    case BORDER_MIRROR: return side ? 2 * n - 1 - i : -i - 1;
    case BORDER_CLAMP: return side ? n - 1 : 0;
    default: return side ? 2 * (n - 1) - i : -i;
    }
}

/* The value of `step` for a level. Fields without updates are filled once, at the
 * start. */
static int64_t step_of(const direct *d, const direct_field *f, int level)
{
    return f->symbol->updated ? d->step + level : 0;
}

static estimate given(direct *d, const direct_field *f, int level, const expr *value,
                      const int64_t *at)
{
    direct_spot here = direct_here(d, f->symbol->coarse, at);
    if (!value)
        return estimate_exact(0);
    here.step = step_of(d, f, level);
    return direct_value(d, value, &here);
}

/* 2*k*h*g, with g at the face. */
static estimate rise(direct *d, const direct_field *f, int level, int axis, int side,
                     const int64_t *at)
{
    const rounding *r = &d->rounding;
    const int64_t face = side ? f->extent[axis] - 1 : 0;
    const int64_t k = side ? at[axis] - face : -at[axis];
    const num h = direct_spacing(d, axis, f->symbol->coarse);
    const int coarse = f->symbol->coarse;
    int64_t foot[MAX_DIM];
    for (int a = 0; a < MAX_DIM; a++)
        foot[a] = a == axis ? face : at[a];
    const estimate g = given(d, f, level, f->face[axis][side].value, foot);
    estimate length = estimate_op(r, OP_MUL, estimate_of(r, 2 * (long double)k),
                                  estimate_num(r, h));
    if (axis_stretched(d->program, axis)) {
        const program *p = d->program;
        const estimate way = estimate_op(
            r, OP_SUB,
            estimate_of(r, (long double)axis_coordinate(p, axis, coarse, at[axis])),
            estimate_of(r, (long double)axis_coordinate(p, axis, coarse, face)));
        length = estimate_op(r, OP_MUL, estimate_of(r, side ? 2 : -2), way);
    }
    return estimate_op(r, OP_MUL, length, g);
}

static estimate ruled(direct *d, const direct_field *f, int level, const int64_t *at,
                      int axis, int side)
{
    const direct_face *face = &f->face[axis][side];
    const int64_t i = at[axis], n = f->extent[axis];
    const bool beyond = i < 0 || i >= n;
    int64_t from[MAX_DIM] = {at[0], at[1], at[2]};
    from[axis] = direct_copied(face->kind, n, side, i);
    switch (face->kind) {
    case BORDER_NONE: return (estimate){NAN, 0, INFINITY};
    case BORDER_VALUE:
    case BORDER_BEYOND: return given(d, f, level, face->value, at);
    case BORDER_ODD:
        return beyond ? estimate_neg(direct_read(d, f, level, from)) : estimate_exact(0);
    case BORDER_ANTIMIRROR: return estimate_neg(direct_read(d, f, level, from));
    case BORDER_NEUMANN:
        return estimate_op(&d->rounding, OP_ADD, direct_read(d, f, level, from),
                           rise(d, f, level, axis, side, at));
    default: return direct_read(d, f, level, from);
    }
}

estimate direct_read(direct *d, const direct_field *f, int level, const int64_t *at)
{
    int axis, side;
    if (!direct_ready(d, f, level))
        return (estimate){NAN, 0, INFINITY};
    if (!find_face(d, f, at, &axis, &side))
        return direct_level(f, level)[direct_index(f, at)];
    return estimate_store(&d->rounding, f->symbol->storage,
                          ruled(d, f, level, at, axis, side));
}
