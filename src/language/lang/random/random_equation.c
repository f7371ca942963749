/* SPDX-License-Identifier: BSD-3-Clause */
/* random_equation.c: lets, stencils and equations. Right sides are at most 1, so values
 * stay bounded for any number of steps. */
#include <stdlib.h>
#include <string.h>

#include "lang/lang_private.h"

static const char *const let_names[SKETCH_NAMES] = {"f", "g", "flux", "mix", "e1"};
static const char *const stencil_names[SKETCH_NAMES] = {"A", "blur", "k9", "S", "op"};

static bool has_coarse(const sketch *s)
{
    for (int i = 0; i < s->fields; i++)
        if (s->field[i].coarse)
            return true;
    return false;
}

/* ---- lets -------------------------------------------------------------------------- */

/* Scope of a let's body. It leaves a part of the radius to the readers of the let. */
static scope let_scope(sketch *s, int arguments)
{
    scope c = scope_of(s,
                       MAY_POINT | MAY_READ | MAY_OLDER | MAY_TIME | MAY_VALUES |
                           MAY_SCALARS | MAY_LETS | MAY_DERIVE,
                       2, 6);
    c.room = 20;
    c.arguments = arguments;
    for (int axis = 0; axis < s->dim; axis++)
        c.reach[axis] = pick(s, c.reach[axis] + 1);
    return c;
}

/* Draws the body of a let. Each use of the let repeats the reads of the body, and must
 * read each argument. */
static double draw_let_body(sketch *s, sketch_let *k, const scope *c, text *t)
{
    int before[SKETCH_FIELDS] = {0};
    for (int i = 0; i < s->fields; i++) {
        before[i] = s->field[i].oldest;
        s->field[i].oldest = 0;
    }
    double size = draw_sum(s, c, t);
    for (int i = 0; i < k->arguments; i++) {
        text_add(t, " + 0.%d*%c", i + 1, 'a' + i);
        size++;
    }
    for (int i = 0; i < s->fields; i++) {
        k->oldest[i] = s->field[i].oldest;
        s->field[i].oldest = before[i];
    }
    return size;
}

static void draw_let_declaration(sketch *s, int index, text *t)
{
    sketch_let *k = &s->let[index];
    k->name = let_names[index];
    k->condition = chance(s, 5);
    k->arguments = k->condition || chance(s, 2) ? 0 : 1 + pick(s, SKETCH_ARGUMENTS);
    k->taps = 8;
    const scope c = let_scope(s, k->arguments);
    const scope bare = scope_of(s, MAY_POINT | MAY_VALUES, 3, 6);
    memcpy(k->reach, c.reach, sizeof k->reach);
    text_add(t, "let %s", k->name);
    for (int i = 0; i < k->arguments; i++)
        text_add(t, "%s%c", i > 0 ? ", " : "(", 'a' + i);
    text_add(t, "%s = ", k->arguments > 0 ? ")" : "");
    if (k->condition)
        draw_condition(s, &bare, t);
    else
        k->size = draw_let_body(s, k, &c, t);
    text_add(t, "\n");
}

void draw_lets(sketch *s, text *t)
{
    for (int count = pick(s, 4); s->lets < count; s->lets++)
        draw_let_declaration(s, s->lets, t);
}

/* ---- stencils ---------------------------------------------------------------------- */

/* Draws the weights of a stencil. They read no field, because expressions on fine and
 * coarse grids share the stencils. At least one weight is not 0. */
static double draw_weight(sketch *s, bool zero, text *t)
{
    scope c = scope_of(s, MAY_POINT | MAY_VALUES | (has_coarse(s) ? 0 : MAY_READ), 1, 2);
    memset(c.reach, 0, sizeof c.reach);
    if (zero && chance(s, 8)) {
        text_add(t, "0");
        return 0;
    }
    if (chance(s, 6))
        return draw_unit(s, &c, t);
    if (chance(s, 4))
        text_add(t, "-");
    return draw_number(s, t);
}

static void draw_separator(sketch *s, text *t)
{
    static const char *const separators[] = {", ", "; ", "\n    "};
    text_add(t, "%s", separators[pick(s, COUNT_OF(separators))]);
}

/* Point i of the box of radius r about the centre. */
static void box_offset(int dim, int i, const int *r, int *offset)
{
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int side = axis < dim ? 2 * r[axis] + 1 : 1;
        offset[axis] = i % side - (axis < dim ? r[axis] : 0);
        i /= side;
    }
}

/* Draws a free list: each point of the box is in it or not. */
static void draw_list(sketch *s, sketch_let *k, text *t)
{
    int r[MAX_DIM] = {0}, all = 1, offset[MAX_DIM];
    for (int axis = 0; axis < s->dim; axis++) {
        r[axis] = pick(s, (s->reach[axis] < 4 ? s->reach[axis] : 4) + 1);
        all *= 2 * r[axis] + 1;
    }
    const int chosen = pick(s, all), one_in = 1 + all / 6;
    for (int i = 0; i < all; i++) {
        if (i != chosen && !chance(s, one_in))
            continue;
        if (k->taps++ > 0)
            draw_separator(s, t);
        box_offset(s->dim, i, r, offset);
        draw_offset(s, offset, t);
        text_add(t, " ");
        k->size += draw_weight(s, k->size > 0, t);
        for (int axis = 0; axis < MAX_DIM; axis++)
            if (abs(offset[axis]) > k->reach[axis])
                k->reach[axis] = abs(offset[axis]);
    }
}

static void draw_classes(sketch *s, sketch_let *k, text *t)
{
    static const char *const names[] = {"centre", "face", "edge", "corner"};
    static const int members[MAX_DIM + 1][4] = {{0}, {1, 2}, {1, 4, 4}, {1, 6, 12, 8}};
    const int chosen = pick(s, s->dim + 1);
    for (int i = 0; i <= s->dim; i++) {
        if (i != chosen && chance(s, 4))
            continue;
        if (k->taps > 0)
            draw_separator(s, t);
        text_add(t, "%s ", names[i]);
        k->size += members[s->dim][i] * draw_weight(s, k->size > 0, t);
        k->taps += members[s->dim][i];
    }
    for (int axis = 0; axis < s->dim; axis++)
        k->reach[axis] = 1;
}

static void draw_box_weights(sketch *s, sketch_let *k, int radius, text *t)
{
    k->taps = 1;
    for (int axis = 0; axis < s->dim; axis++) {
        k->reach[axis] = radius;
        k->taps *= 2 * radius + 1;
    }
    text_add(t, "box ");
    for (int i = 0; i < k->taps; i++) {
        text_add(t, "%s", i == 0 ? "" : i % (2 * radius + 1) ? ", " : ",\n        ");
        k->size += draw_weight(s, k->size > 0, t);
    }
}

static void draw_stencil_declaration(sketch *s, int index, text *t)
{
    sketch_let *k = &s->stencil[index];
    int least = s->reach[0];
    for (int axis = 1; axis < s->dim; axis++)
        least = s->reach[axis] < least ? s->reach[axis] : least;
    k->name = stencil_names[index];
    text_add(t, "stencil %s { ", k->name);
    if (least == 0 || chance(s, 3))
        draw_list(s, k, t);
    else if (chance(s, 2))
        draw_classes(s, k, t);
    else
        draw_box_weights(s, k, least > 1 && s->dim < 3 && chance(s, 2) ? 2 : 1, t);
    text_add(t, " }\n");
}

void draw_stencils(sketch *s, text *t)
{
    for (int count = pick(s, 3); s->stencils < count; s->stencils++)
        draw_stencil_declaration(s, s->stencils, t);
}

/* ---- equations --------------------------------------------------------------------- */

static scope equation_scope(sketch *s, const sketch_field *f)
{
    const unsigned always = MAY_POINT | MAY_READ | MAY_NEXT | MAY_OLDER | MAY_TIME |
                            MAY_VALUES | MAY_SCALARS | MAY_LETS | MAY_REDUCE | MAY_DERIVE;
    scope c = scope_of(
        s, always | (has_coarse(s) ? MAY_TRANSFER : 0) | (f->coarse ? MAY_STRIDE : 0), 3,
        16);
    c.coarse = f->coarse;
    return c;
}

/* Draws a right side: one of the common forms, or a free expression. */
static double draw_right_side(sketch *s, sketch_field *f, text *t)
{
    const scope c = equation_scope(s, f);
    switch (pick(s, 6)) {
    case 0: text_add(t, "%s + ", f->name); return 1.5 + draw_sum(s, &c, t);
    case 1:
        text_add(t, "2*%s - prev(%s) + ", f->name, f->name);
        f->oldest = f->oldest > 1 ? f->oldest : 1;
        return 4.5 + draw_sum(s, &c, t);
    case 2: return draw_star(s, &c, t);
    case 3: return draw_box(s, &c, t);
    default: return draw_sum(s, &c, t);
    }
}

/* Appends " + u[-1,1]": at a corner this point lies beyond two faces. */
static double draw_corner(sketch *s, const sketch_field *f, text *t)
{
    int offset[MAX_DIM] = {0};
    for (int axis = 0; axis < s->dim; axis++)
        if (s->reach[axis] > 0)
            offset[axis] = chance(s, 2) ? 1 : -1;
    text_add(t, " + 0.9*%s", f->name);
    draw_offset(s, offset, t);
    return 1.5;
}

/* Makes the right side an operation along an axis, in some programs. It has its own
 * random numbers, so that other programs of a seed stay the same. */
static double draw_line(const sketch *s, const sketch_field *f, text *e, double size)
{
    static const char *const forms[][2] = {
        {"scan(0.4, ", ""},
        {"scan(0.4, ", " down"},
        {"0.1*scan(-0.4, ", " exclusive"},
        {"tridiagonal(-1, 4, -1.25, ", ""},
        {"tridiagonal(-1, 4, -1.25, ", " cyclic"},
        {"tridiagonal(-1, 4 + sin(9*x), -1, ", ""},
        {"tridiagonal(-1, 4 + sin(9*x), -1, ", " cyclic"},
        {"max(", ""},
        {"0.05*sum(", ""}};
    rng own = *s->rng;
    if (rng_below(&own, 12))
        return size;
    const char axis = "xyz"[rng_below(&own, s->dim)];
    const int64_t n = rng_below(&own, COUNT_OF(forms));
    OWNED_BY(text_free) text inside = *e;
    *e = (text){0};
    rng apart = {~own.state}; /* a fixed field in the matrix; other draws stay */
    const sketch_field *k = &s->field[rng_below(&apart, s->fields)];
    const bool solves = *forms[n][0] == 't';
    OWNED_BY(text_free) text head = {0};
    if (solves && !k->updated && k->coarse == f->coarse)
        text_add(&head, "tridiagonal(-1, 4 + 0.5*%s, -1.25, ", k->name);
    else
        text_add(&head, "%s", forms[n][0]);
    text_add(e, "%s%s%s along %c%s)", rng_below(&own, 2) ? "" : "0.5*", head.data,
             inside.data ? inside.data : f->name, axis, forms[n][1]);
    if (solves && rng_below(&own, 2)) /* another right side */
        text_add(e, " + 0.1*%s%s along %c%s)", head.data, f->name, axis, forms[n][1]);
    return 2 * size + 1;
}

static void draw_equation(sketch *s, sketch_field *f, text *t)
{
    text e = {0};
    double size = 1.5;
    if (s->mixed && chance(s, 2))
        text_add(&e, "0.6*%s", f->name); /* and corners alone */
    else
        size = draw_right_side(s, f, &e);
    if (s->mixed)
        size += draw_corner(s, f, &e);
    size = draw_line(s, f, &e, size);
    text_add(t, "%s' = ", f->name);
    draw_scaled(t, &e, size, 1);
    text_add(t, "\n");
    f->solved = true;
}

/* Draws the equation of a scalar; its size stays the same, and dt positive. Later
 * equations read the new value. */
static void draw_evolution(sketch *s, sketch_value *v, text *t)
{
    static const char *const next[] = {"gain'", "q'", "dt'"};
    const scope c = scope_of(s, MAY_READ | MAY_NEXT | MAY_VALUES | MAY_SCALARS, 3, 6);
    const bool length = strcmp(v->name, "dt") == 0;
    text e = {0};
    double size = draw_reduction(s, &c, &e);
    if (chance(s, 2)) {
        text_add(&e, " - 0.5*");
        size += draw_scalar(s, &c, &e);
    }
    text_add_values(t, "%s' = %g*%s", v->name, v->size, length ? "(0.1 + abs(" : "(");
    draw_scaled(t, &e, size, 1);
    text_add(t, length ? ")/2)\n" : ")\n");
    v->name = next[length ? 2 : v - s->scalar];
}

/* Draws the equations in any order: later equations may read results of earlier ones. */
void draw_equations(sketch *s, text *t)
{
    const int start = pick(s, s->fields);
    sketch_value old[SKETCH_NAMES];
    memcpy(old, s->scalar, sizeof old);
    for (int i = 0; i < s->fields; i++) {
        sketch_field *f = &s->field[(start + i) % s->fields];
        if (f->updated)
            draw_equation(s, f, t);
        if (s->evolved < s->scalars && chance(s, 3))
            draw_evolution(s, &s->scalar[s->evolved++], t);
    }
    memcpy(s->scalar, old, sizeof old);
}
