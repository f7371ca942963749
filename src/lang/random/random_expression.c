/* SPDX-License-Identifier: BSD-3-Clause */
/* random_expression.c: descends through the grammar from sums to primaries. Each function
 * draws one construct and returns a bound of its absolute value. With these bounds,
 * callers keep the values of a run bounded. */
#include <math.h>

#include "lang/lang_private.h"

typedef struct construct {
    int weight;
    bool leaf;
    unsigned needs; /* of scope.may */
    draw_construct *draw;
} construct;

static const construct constructs[] = {
    {4, true, 0, draw_literal},
    {1, true, MAY_POINT, draw_coordinate},
    {4, true, MAY_POINT, draw_wave},
    {1, true, MAY_POINT, draw_geometry},
    {2, true, MAY_TIME, draw_time},
    {3, true, MAY_VALUES, draw_value},
    {2, true, MAY_SCALARS, draw_scalar},
    {8, true, 0, draw_argument},
    {8, true, MAY_RANDOM, draw_random},
    {16, true, MAY_READ, draw_tap},
    {5, false, 0, draw_function},
    {3, false, 0, draw_guarded},
    {3, false, MAY_POINT, draw_choice},
    {5, false, MAY_READ, draw_star},
    {3, false, MAY_READ, draw_box},
    {3, false, MAY_READ, draw_shift},
    {6, false, MAY_READ | MAY_LETS, draw_stencil},
    {8, false, MAY_READ | MAY_LETS, draw_let},
    {3, false, MAY_READ | MAY_REDUCE, draw_reduction},
    {8, false, MAY_READ | MAY_TRANSFER, draw_transfer},
    {6, false, MAY_READ | MAY_DERIVE, draw_derivative},
    {4, false, MAY_READ | MAY_DERIVE, draw_laplace},
    {2, false, MAY_READ | MAY_DERIVE, draw_flux},
};

static bool fits(const sketch *s, const scope *c, const construct *k)
{
    return (k->leaf || (c->depth > 0 && s->fuel > 0)) && (c->may & k->needs) == k->needs;
}

static double draw_parentheses(sketch *s, const scope *c, text *t)
{
    const scope inner = scope_inside(c);
    text_add(t, "(");
    const double size = draw_sum(s, &inner, t);
    text_add(t, ")");
    return size;
}

static double draw_primary(sketch *s, const scope *c, text *t)
{
    int weight = 0;
    s->fuel--;
    if (c->depth > 0 && s->fuel > 0 && chance(s, 8))
        return draw_parentheses(s, c, t);
    for (size_t i = 0; i < COUNT_OF(constructs); i++)
        weight += fits(s, c, &constructs[i]) ? constructs[i].weight : 0;
    int left = pick(s, weight);
    for (size_t i = 0; i < COUNT_OF(constructs); i++) {
        if (!fits(s, c, &constructs[i]))
            continue;
        if (left < constructs[i].weight)
            return constructs[i].draw(s, c, t);
        left -= constructs[i].weight;
    }
    return draw_literal(s, c, t);
}

double draw_power(sketch *s, const scope *c, text *t)
{
    const double size = draw_primary(s, c, t);
    if (!chance(s, 10))
        return size;
    const int exponent = 2 + pick(s, 2);
    text_add(t, "^%d", exponent);
    return pow(size, exponent);
}

static double draw_unary(sketch *s, const scope *c, text *t)
{
    if (chance(s, 10))
        text_add(t, "%s", chance(s, 4) ? "+" : "-");
    return draw_power(s, c, t);
}

/* Divides by a value of at least one. */
static double draw_divisor(sketch *s, const scope *c, text *t)
{
    const int number = 2 + pick(s, 8);
    const scope inner = scope_inside(c);
    if (c->depth <= 0 || chance(s, 2)) {
        text_add(t, "/%d", number);
        return number;
    }
    text_add(t, "/(%d + ", number);
    text_add(t, "abs(");
    draw_sum(s, &inner, t);
    text_add(t, "))");
    return number;
}

static double draw_product(sketch *s, const scope *c, text *t)
{
    double size = 1;
    if (chance(s, 2)) {
        size = draw_number(s, t);
        text_add(t, "*");
    }
    size *= draw_unary(s, c, t);
    if (c->depth > 0 && chance(s, 4)) {
        text_add(t, "*");
        size *= draw_unary(s, c, t);
    }
    if (chance(s, 8))
        size /= draw_divisor(s, c, t);
    return size;
}

double draw_sum(sketch *s, const scope *c, text *t)
{
    const int terms = c->depth > 0 && s->fuel > 0 ? 1 + pick(s, 3) : 1;
    double size = draw_product(s, c, t);
    for (int i = 1; i < terms; i++) {
        text_add(t, chance(s, 3) ? " -" : " +");
        text_add(t, chance(s, 20) ? "\n    " : " ");
        size += draw_product(s, c, t);
    }
    return size;
}

double draw_unit(sketch *s, const scope *c, text *t)
{
    text e = {0};
    const double size = draw_sum(s, c, &e);
    draw_scaled(t, &e, size, 1);
    return size < 1 ? size : 1;
}
