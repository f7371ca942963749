/* SPDX-License-Identifier: BSD-3-Clause */
/* Descends through the grammar from sums to primaries. Each function draws one construct
 * and returns a bound of its absolute value. With these bounds, callers keep the values
 * of a run bounded. */
#include <math.h>

#include "lang/lang_private.h"

/* ---- dice -------------------------------------------------------------------------- */

/* The dice of random programs, their numbers, and the scopes of their
 * expressions. */

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
static double draw_odd_number(sketch *s, double least, double most, text *t)
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

void draw_tuple(const sketch *s, const char *open, const int *value, const char *between,
                const char *close, text *t)
{
    for (int axis = 0; axis < MAX_DIM && axis < s->dim; axis++)
        text_add(t, "%s%d", axis > 0 ? between : open, value[axis]);
    text_add(t, "%s", close);
}

void draw_offset(const sketch *s, const int *offset, text *t)
{
    draw_tuple(s, "[", offset, ",", "]", t);
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

scope scope_of(sketch *s, unsigned may, int depth, int fuel)
{
    scope c = {.may = may, .depth = depth, .room = 200};
    for (int axis = 0; axis < s->dim; axis++)
        c.reach[axis] = s->reach[axis];
    s->fuel = fuel;
    return c;
}

/* Appends a form. In it $ draws a sum, ~ an expression of at most 1, # a number, @ a
 * coordinate, ? a condition. Returns the bound of the largest sum. */
static double draw_form(sketch *s, const scope *c, const char *form, text *t)
{
    const scope inner = scope_inside(c);
    double size = 0;
    for (; *form; form++)
        switch (*form) {
        case '$': size = fmax(size, draw_sum(s, &inner, t)); break;
        case '~': size = fmax(size, draw_unit(s, &inner, t)); break;
        case '#': draw_number(s, t); break;
        case '@': draw_coordinate(s, c, t); break;
        case '?': draw_condition(s, &inner, t); break;
        default: text_add_bytes(t, form, 1);
        }
    return size;
}

/* ---- leaves ------------------------------------------------------------------------ */

/* Expressions without operands: numbers, coordinates, time, names of
 * values. */

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

/* Draws a coordinate, or an index. Its bound includes points beyond the faces, and on a
 * coarse grid one step beyond the last point. */
double draw_coordinate(sketch *s, const scope *c, text *t)
{
    const int axis = pick(s, s->dim);
    const bool index = chance(s, 4);
    (void)c;
    text_add(t, "%s%c", index ? "i" : "", "xyz"[axis]);
    return index ? (double)s->extent[axis] + 2.0 * s->reach[axis] + 2
                 : coordinate_size(s, axis);
}

double draw_wave(sketch *s, const scope *c, text *t)
{
    draw_form(s, c, chance(s, 2) ? "sin(#*@ + #)" : "cos(#*@ + #)", t);
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
    static const char *const forms[][2] = {{"sin(", ".7*t)"},
                                           {"cos(0.", "*step)"},
                                           {"exp(-0.", "*t)"},
                                           {"ricker(0.", ", t)"}};
    const int n = 1 + pick(s, 3), chosen = pick(s, COUNT_OF(forms));
    (void)c;
    text_add(t, "%s%d%s", forms[chosen][0], n, forms[chosen][1]);
    return 1;
}

static double draw_named(sketch *s, const sketch_value *list, int count, text *t)
{
    if (count == 0)
        return draw_number(s, t);
    const sketch_value *v = &list[pick(s, count)];
    text_add(t, "%s", v->name);
    return v->size;
}

double draw_value(sketch *s, const scope *c, text *t)
{
    (void)c;
    return draw_named(s, s->param, s->params, t);
}

double draw_scalar(sketch *s, const scope *c, text *t)
{
    (void)c;
    return draw_named(s, s->scalar, s->scalars, t);
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
    text_add(t, "%s(%d)", chance(s, 8) ? "uniform" : "random", pick(s, 1000));
    return 1;
}

static double draw_noise(sketch *s, const scope *c, text *t)
{
    (void)c;
    const bool normal = chance(s, 4);
    text_add(t, "%s(%d)", normal ? "normal" : "uniform", pick(s, 1000));
    return normal ? 9 : 1; /* sqrt(2*53*log(2)) is below 9 */
}

/* ---- functions and conditions ------------------------------------------------------ */

/* Functions and conditions. Roots, quotients and powers keep away from
 * zero. The arguments of floor and of comparisons keep away from short decimals. No
 * result then depends on the last bit of another. */

/* Draws min, max, abs, or a function with a bound. Any argument will do. */
double draw_function(sketch *s, const scope *c, text *t)
{
    const function_info *bounded[FUNCTION_COUNT];
    int count = 0;
    for (int f = 0; f < FUNCTION_COUNT; f++)
        if (function_table[f].most > 0)
            bounded[count++] = &function_table[f];
    const int chosen = pick(s, count + 3) - 1;
    if (chosen < 0)
        return draw_form(s, c, "abs($)", t);
    if (chosen >= count)
        return draw_form(s, c, chance(s, 2) ? "min($, $)" : "max($, $)", t);
    text_add(t, "%s", bounded[chosen]->name);
    draw_form(s, c, "($)", t);
    return bounded[chosen]->most;
}

/* Draws a function, with its argument kept in a safe range. */
double draw_guarded(sketch *s, const scope *c, text *t)
{
    static const struct guarded {
        const char *form;
        double most;
    } forms[] = {
        {"sqrt(0.1 + abs($))", 0},
        {"log(1 + abs($))", 0},
        {"exp(~)", 2.72},
        {"exp(-abs($))", 1},
        {"tan(0.5*tanh($))", 0.55},
        {"pow(0.2 + abs(~), 1.5)", 1.4},
        {"(1.5 + ~)^-2", 4},
        {"2^(~)", 2},
        {"floor(0.00137 + 3*(~))", 4},
        {"ceil(0.00137 + 3*(~))", 4},
        {"round(0.00137 + 3*(~))", 4},
        {"sign(0.00137 + ~)", 1},
        {"mod(0.00137 + 3*(~), 1.7)", 1.7},
        {"((0.00137 + 3*(~)) % 1.7)", 1.7},
        {"bitand(floor(40.137 + 3*(~)), 27)", 27},
        {"bitor(floor(4.00137 + 3*(~)), 8)", 15},
        {"bitxor(floor(40.00137 + 3*(~)), floor(4.00137 + 3*(~)))", 47},
        {"shl(floor(4.00137 + 3*(~)), 2)", 28},
        {"shr(floor(400.137 + 90*(~)), 5)", 15},
        {"log10(1 + abs($))", 0},
        {"asin(0.9*(~))", 1.2},
        {"acos(0.9*(~))", 2.8},
        {"sinh(~)", 1.2},
        {"cosh(~)", 1.6},
        {"cbrt(0.2 + abs(~))", 1.1},
        {"atan2(~, 0.3 + abs(~))", 1.4},
        {"hypot(~, 0.3 + ~)", 1.7},
    };
    const int chosen = pick(s, COUNT_OF(forms));
    const double size = draw_form(s, c, forms[chosen].form, t);
    return forms[chosen].most > 0 ? forms[chosen].most
           : chosen == 0          ? sqrt(0.1 + size)
                                  : log(1 + size);
}

/* ---- conditions -------------------------------------------------------------------- */

/* Adds a condition on the parity of a sum of indices to some conditions. Other draws stay
 * those of the seed. */
static void draw_parity(sketch *s, text *t)
{
    rng apart = {~s->rng->state};

    if (rng_below(&apart, 3) != 0)
        return;
    text_add(t, " %s (%d", rng_below(&apart, 2) ? "and" : "or",
             (int)rng_below(&apart, 4) - 2);
    for (int axis = 0; axis < s->dim; axis++)
        text_add(t, " + %d*i%c", (int)rng_below(&apart, 4), "xyz"[axis]);
    text_add(t, ") %% 2 == %d", (int)rng_below(&apart, 2));
}

/* Draws a condition on the position: x == 3 if coordinates are indices, otherwise x <
 * 3.40137. */
static void draw_place(sketch *s, text *t)
{
    const int axis = pick(s, s->dim);
    const double length = (double)(s->extent[axis] - 1) * s->spacing[axis];
    if (s->plain && chance(s, 2)) {
        const char *sign = chance(s, 3) ? "==" : "!=";
        text_add(t, "%c %s %d", "xyz"[axis], sign, pick(s, (int)s->extent[axis]));
        return;
    }
    text_add(t, "%c %c ", "xyz"[axis], chance(s, 2) ? '<' : '>');
    draw_odd_number(s, s->origin[axis], s->origin[axis] + length, t);
}

static void draw_moment(sketch *s, text *t)
{
    static const char *const signs[] = {"==", "!=", "<", ">="};
    const char *sign = signs[pick(s, COUNT_OF(signs))];
    text_add(t, "step %s %d", sign, pick(s, 4));
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
    else if (c->depth <= 0 || chance(s, 2)) {
        draw_place(s, t);
        draw_parity(s, t);
    } else {
        static const char *const signs[] = {"<", "<=", ">", ">="};
        const scope inner = scope_inside(c);
        const double size = draw_sum(s, &inner, t);
        text_add(t, " %s ", signs[pick(s, COUNT_OF(signs))]);
        draw_odd_number(s, -0.5 * fmin(size, 1e3), 0.5 * fmin(size, 1e3), t);
    }
}

void draw_condition(sketch *s, const scope *c, text *t)
{
    const bool negated = chance(s, 6);
    text_add(t, "%s", negated ? "not (" : "");
    draw_test(s, c, t);
    for (int more = pick(s, 3); more > 0; more--) {
        text_add(t, " %s ", chance(s, 2) ? "and" : "or");
        text_add(t, "%s", chance(s, 6) ? "not " : "");
        draw_test(s, c, t);
    }
    text_add(t, "%s", negated ? ")" : "");
}

double draw_choice(sketch *s, const scope *c, text *t)
{
    return draw_form(s, c, "where(?, $, $)", t);
}

/* ---- expressions ------------------------------------------------------------------- */

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
    {1, true, MAY_NEXT, draw_noise},
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

static double draw_primary(sketch *s, const scope *c, text *t)
{
    int weight = 0;
    s->fuel--;
    if (c->depth > 0 && s->fuel > 0 && chance(s, 8))
        return draw_form(s, c, "($)", t);
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
    const bool plain = c->depth <= 0 || chance(s, 2);
    text_add(t, plain ? "/%d" : "/(%d + ", number);
    if (!plain)
        draw_form(s, c, "abs($))", t);
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
        const char sign = chance(s, 3) ? '-' : '+';
        text_add(t, " %c%s", sign, chance(s, 20) ? "\n    " : " ");
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
