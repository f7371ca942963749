/* SPDX-License-Identifier: BSD-3-Clause */
/* random_leaf.c: expressions without operands: numbers, coordinates, time, names of
 * values. */
#include <math.h>

#include "lang/lang_private.h"

double draw_literal(sketch *s, const scope *c, text *t)
{
    (void)c;
    return draw_number(s, t);
}

double coordinate_size(const sketch *s, int axis)
{
    const double steps = (double)s->extent[axis] + 2.0 * s->reach[axis] + 2;
    return fabs(s->origin[axis]) + steps * s->spacing[axis];
}

/* Draws a coordinate. Its bound includes points beyond the faces, and on a coarse grid
 * one step beyond the last point. */
double draw_coordinate(sketch *s, const scope *c, text *t)
{
    const int axis = pick(s, s->dim);
    (void)c;
    text_add(t, "%c", "xyz"[axis]);
    return coordinate_size(s, axis);
}

double draw_wave(sketch *s, const scope *c, text *t)
{
    text_add(t, "%s(", chance(s, 2) ? "sin" : "cos");
    draw_number(s, t);
    text_add(t, "*");
    draw_coordinate(s, c, t);
    text_add(t, " + ");
    draw_number(s, t);
    text_add(t, ")");
    return 1;
}

double draw_geometry(sketch *s, const scope *c, text *t)
{
    const int axis = pick(s, s->dim);
    int kind = pick(s, s->same_spacing ? 4 : 3);
    if (kind == 2 && s->stretched[axis] && !(c->may & MAY_POINT))
        kind = 1; /* its spacings differ from point to point */
    switch (kind) {
    case 0: text_add(t, "pi"); return 3.15;
    case 1: text_add(t, "n%c", "xyz"[axis]); return (double)s->extent[axis];
    case 2: text_add(t, "h%c", "xyz"[axis]); return 2 * s->spacing[axis];
    default: text_add(t, "h"); return 2 * s->spacing[axis];
    }
}

double draw_time(sketch *s, const scope *c, text *t)
{
    const int n = 1 + pick(s, 3);
    (void)c;
    switch (pick(s, 4)) {
    case 0: text_add(t, "sin(%d.7*t)", n); break;
    case 1: text_add(t, "cos(0.%d*step)", n); break;
    case 2: text_add(t, "exp(-0.%d*t)", n); break;
    default: text_add(t, "ricker(0.%d, t)", n); break;
    }
    return 1;
}

double draw_value(sketch *s, const scope *c, text *t)
{
    if (s->params == 0)
        return draw_literal(s, c, t);
    const sketch_value *v = &s->param[pick(s, s->params)];
    text_add(t, "%s", v->name);
    return v->size;
}

double draw_scalar(sketch *s, const scope *c, text *t)
{
    if (s->scalars == 0)
        return draw_literal(s, c, t);
    const sketch_value *v = &s->scalar[pick(s, s->scalars)];
    text_add(t, "%s", v->name);
    return v->size;
}

double draw_argument(sketch *s, const scope *c, text *t)
{
    const int reach[MAX_DIM] = {1};
    if (c->arguments == 0)
        return draw_literal(s, c, t);
    text_add(t, "%c", 'a' + pick(s, c->arguments));
    if (scope_radii(c, reach, 1) && chance(s, 3)) {
        const int offset[MAX_DIM] = {chance(s, 2) ? 1 : -1};
        draw_offset(s, offset, t);
    }
    return 1;
}

double draw_random(sketch *s, const scope *c, text *t)
{
    (void)c;
    text_add(t, "random(%d)", pick(s, 1000));
    return 1;
}
