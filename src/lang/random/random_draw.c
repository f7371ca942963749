/* SPDX-License-Identifier: BSD-3-Clause */
/* random_draw.c: the dice of random programs, their numbers, and the scopes of their
 * expressions. */
#include <math.h>

#include "lang/lang_private.h"

bool chance(sketch *s, int one_in)
{
    return rng_below(s->rng, one_in) == 0;
}

int pick(sketch *s, int n)
{
    return (int)rng_below(s->rng, n);
}

/* Draws a positive number, mostly below one, in one of several common spellings. */
double draw_number(sketch *s, text *t)
{
    const int a = 1 + pick(s, 9), b = 2 + pick(s, 8), whole = a / 5;
    switch (pick(s, 8)) {
    case 0: text_add(t, "%d", a); return a;
    case 1: text_add(t, "%d.%d", whole, b); return whole + b / 10.0;
    case 2: text_add(t, ".%d", a); return a / 10.0;
    case 3:
        text_add(t, "%d.5e-%d", a, b % 3 + 1);
        return (a + 0.5) * pow(10, -(b % 3 + 1));
    case 4: text_add(t, "(%d/%d)", a, b); return (double)a / b;
    default: text_add(t, "0.%d%d", a, b - 1); return a / 10.0 + (b - 1) / 100.0;
    }
}

/* Draws a decimal number unequal to every sum of short decimals. Comparisons with it do
 * not depend on rounding. */
double draw_odd_number(sketch *s, double least, double most, text *t)
{
    const double value = least + (most - least) * rng_unit(s->rng);
    const int64_t hundredths = (int64_t)floor(value * 100);
    const int64_t size = hundredths < 0 ? -hundredths : hundredths;
    text_add(t, "%s%lld.%02lld137", hundredths < 0 ? "-" : "", (long long)(size / 100),
             (long long)(size % 100));
    return (double)size / 100 + 0.01;
}

void draw_scaled(text *t, text *expression, double size, int most)
{
    const double largest = 1e15;
    const char *const data = expression->data ? expression->data : "0";
    if (expression->failed)
        t->failed = true;
    if (size <= most)
        text_add(t, "%s", data);
    else if (size < largest)
        text_add(t, "(%s)/%lld", data, (long long)ceil(size / most));
    else
        text_add(t, "tanh(%s)", data);
    text_free(expression);
}

void draw_offset(sketch *s, const int *offset, text *t)
{
    for (int axis = 0; axis < s->dim; axis++)
        text_add(t, "%s%d", axis > 0 ? "," : "[", offset[axis]);
    text_add(t, "]");
}

scope scope_inside(const scope *c)
{
    scope inner = *c;
    inner.depth--;
    return inner;
}

bool scope_radii(const scope *c, const int *reach, int taps)
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        if (reach[axis] > c->reach[axis])
            return false;
    return taps <= c->room;
}

/* Scope inside a construct with the given radius and number of taps. */
scope scope_within(const scope *c, const int *reach, int taps)
{
    scope inner = scope_inside(c);
    inner.may &= ~(unsigned)MAY_STRIDE;
    inner.room /= taps;
    for (int axis = 0; axis < MAX_DIM; axis++)
        inner.reach[axis] -= reach[axis];
    return inner;
}

scope scope_of(const sketch *s, unsigned may)
{
    scope c = {.may = may, .depth = 3, .room = 200};
    for (int axis = 0; axis < s->dim; axis++)
        c.reach[axis] = s->reach[axis];
    return c;
}
