/* SPDX-License-Identifier: BSD-3-Clause */
/* random_function.c: functions and conditions. Roots, quotients and powers keep away from
 * zero. The arguments of floor and of comparisons keep away from short decimals. No
 * result then depends on the last bit of another. */
#include <math.h>

#include "lang/lang_private.h"

/* NAME( sum CLOSE */
static double draw_call(sketch *s, const scope *c, const char *open, const char *close,
                        text *t)
{
    const scope inner = scope_inside(c);
    text_add(t, "%s", open);
    const double size = draw_sum(s, &inner, t);
    text_add(t, "%s", close);
    return size;
}

/* The same, with an argument of at most 1. */
static void draw_unit_call(sketch *s, const scope *c, const char *open, const char *close,
                           text *t)
{
    const scope inner = scope_inside(c);
    text_add(t, "%s", open);
    draw_unit(s, &inner, t);
    text_add(t, "%s", close);
}

/* Any argument will do. */
double draw_function(sketch *s, const scope *c, text *t)
{
    const scope inner = scope_inside(c);
    switch (pick(s, 6)) {
    case 0: return draw_call(s, c, "abs(", ")", t);
    case 1: draw_call(s, c, "sin(", ")", t); return 1;
    case 2: draw_call(s, c, "cos(", ")", t); return 1;
    case 3: draw_call(s, c, "tanh(", ")", t); return 1;
    default: break;
    }
    const double one = draw_call(s, c, chance(s, 2) ? "min(" : "max(", ", ", t);
    const double other = draw_sum(s, &inner, t);
    text_add(t, ")");
    return fmax(one, other);
}

/* Draws a function, with its argument kept in a safe range. */
double draw_guarded(sketch *s, const scope *c, text *t)
{
    switch (pick(s, 9)) {
    case 0: return sqrt(0.1 + draw_call(s, c, "sqrt(0.1 + abs(", "))", t));
    case 1: return log(1 + draw_call(s, c, "log(1 + abs(", "))", t));
    case 2: draw_unit_call(s, c, "exp(", ")", t); return 2.72;
    case 3: draw_call(s, c, "exp(-abs(", "))", t); return 1;
    case 4: draw_call(s, c, "tan(0.5*tanh(", "))", t); return 0.55;
    case 5: draw_unit_call(s, c, "pow(0.2 + abs(", "), 1.5)", t); return 1.4;
    case 6: draw_unit_call(s, c, "(1.5 + ", ")^-2", t); return 4;
    case 7: draw_unit_call(s, c, "2^(", ")", t); return 2;
    default: draw_unit_call(s, c, "floor(0.00137 + 3*(", "))", t); return 4;
    }
}

/* ---- conditions -------------------------------------------------------------------- */

static void draw_comparison(sketch *s, const scope *c, text *t)
{
    static const char *const signs[] = {"<", "<=", ">", ">="};
    const scope inner = scope_inside(c);
    const double size = draw_sum(s, &inner, t);
    text_add(t, " %s ", signs[pick(s, COUNT_OF(signs))]);
    draw_odd_number(s, -0.5 * fmin(size, 1e3), 0.5 * fmin(size, 1e3), t);
}

/* Draws a condition on the position: x == 3 if coordinates are indices, otherwise x <
 * 3.40137. */
static void draw_place(sketch *s, text *t)
{
    const int axis = pick(s, s->dim);
    const double length = (double)(s->extent[axis] - 1) * s->spacing[axis];
    text_add(t, "%c ", "xyz"[axis]);
    if (s->plain && chance(s, 2)) {
        text_add(t, "%s ", chance(s, 3) ? "==" : "!=");
        text_add(t, "%d", pick(s, (int)s->extent[axis]));
        return;
    }
    text_add(t, "%c ", chance(s, 2) ? '<' : '>');
    draw_odd_number(s, s->origin[axis], s->origin[axis] + length, t);
}

static void draw_moment(sketch *s, text *t)
{
    static const char *const signs[] = {"==", "!=", "<", ">="};
    text_add(t, "step %s ", signs[pick(s, COUNT_OF(signs))]);
    text_add(t, "%d", pick(s, 4));
}

static void draw_test(sketch *s, const scope *c, text *t)
{
    for (int i = 0; i < s->lets; i++)
        if ((c->may & MAY_LETS) && s->let[i].condition && chance(s, 2)) {
            text_add(t, "%s", s->let[i].name);
            return;
        }
    if ((c->may & MAY_TIME) && chance(s, 4))
        draw_moment(s, t);
    else if (c->depth <= 0 || chance(s, 2))
        draw_place(s, t);
    else
        draw_comparison(s, c, t);
}

static void draw_tests(sketch *s, const scope *c, text *t)
{
    draw_test(s, c, t);
    for (int more = pick(s, 3); more > 0; more--) {
        text_add(t, " %s ", chance(s, 2) ? "and" : "or");
        if (chance(s, 6))
            text_add(t, "not ");
        draw_test(s, c, t);
    }
}

void draw_condition(sketch *s, const scope *c, text *t)
{
    const bool negated = chance(s, 6);
    text_add(t, "%s", negated ? "not (" : "");
    draw_tests(s, c, t);
    text_add(t, "%s", negated ? ")" : "");
}

double draw_choice(sketch *s, const scope *c, text *t)
{
    const scope inner = scope_inside(c);
    text_add(t, "where(");
    draw_condition(s, &inner, t);
    text_add(t, ", ");
    const double one = draw_sum(s, &inner, t);
    text_add(t, ", ");
    const double other = draw_sum(s, &inner, t);
    text_add(t, ")");
    return fmax(one, other);
}
