/* SPDX-License-Identifier: BSD-3-Clause */
/* A random program for the proof over places. Places treat some features specially:
 * sources, receivers, borders, masks, sums, levels. This program draws them by name, so
 * pairs can be counted. random_program of lang draws richer expressions. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "places.h"

enum { MOST_POINTS = 9000, FIELDS = 2, FACES = 2 };

typedef struct sketch {
    rng r;
    rng late; /* draws features added later, so `r` gives the old programs of a seed */
    drawn_program *d;
    text *t;
    int fields, reach;
    bool coefficient, coarse, equation, layer;
    bool once;  /* steps at once: all equations have constant weights */
    int beside; /* of these: more fields */
    bool stretched[MAX_DIM], periodic[MAX_DIM];
    bool given; /* a border gives values on the outermost points */
    bool reads; /* the border of v reads u, so no source adds to u */
    bool level; /* a scalar with an equation stands before the equation to solve */
} sketch;

static const char field_name[FIELDS] = {'u', 'v'};
static const char axis_name[MAX_DIM] = {'x', 'y', 'z'};

static int64_t pick(sketch *s, int64_t count)
{
    return rng_below(&s->r, count);
}

static bool one_in(sketch *s, int64_t count)
{
    return pick(s, count) == 0;
}

static bool draw_late_chance(sketch *s, int64_t count)
{
    return rng_below(&s->late, count) == 0;
}

static void note_element(sketch *s, element e)
{
    s->d->set.has[e] = true;
}

/* Appends words, and notes the element that they bring. */
static void say(sketch *s, element e, const char *format, ...) PRINTF_LIKE(3, 4);
static void say(sketch *s, element e, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    text_add_list(s->t, format, list);
    va_end(list);
    note_element(s, e);
}

/* ---- features in whole texts ------------------------------------------------------- */

enum { DECLARED, TERM, EQUATION, BORDER, TEXTS };

/* Fields and params, a term of the equation of u, equations behind it, borders. */
static const struct feature_text {
    element e;
    const char *text[TEXTS];
} features[] = {
    {ELEMENT_TABLE,
     {"param tab = [0.01, 0.03, 0.02]\nfield mat = floor(3*random(9))\n", " + tab[mat]"}},
    {ELEMENT_RANDOM, {[TERM] = " + 0.01*uniform(4) + 0.01*normal(5)"}},
    {ELEMENT_BITS, {[TERM] = " + 0.001*bitxor(shl(ix % 7, 2), 5)"}},
    {ELEMENT_FUNCTION, {[TERM] = " + 0.01*atan2(u, 2) + 0.01*erf(u)"}},
    {ELEMENT_EVOLVE,
     {"scalar s = 1\n", " + 0.001*s", "s' = 0.5*s + 0.001*max(abs(u') where x > 1)\n"}},
    {ELEMENT_LISTS,
     {"field q[2] = [1, x]\nfield b complex = exp(0.3*i*x)\n", " + 0.01*q.1",
      "q' = 0.9*q + 0.05*[q.1, re(b)]\nb' = b*exp(0.1*i) + 0.01*u'\n"}},
    {ELEMENT_ADVANCE,
     {"param dt = 0.5\nfield w = x\n", " + 0.001*w",
      "advance w = 0.1*laplace(w) - w + 0.01*u by rk4 in 2 steps\n", "border clamp w\n"}},
    {ELEMENT_EVERY, {"field k = 1\n", " + 0.001*k", "k' = 0.5*k + 0.1*u' every 2\n"}},
    {ELEMENT_COPY,
     {"field a = x/9\nfield o = 1\nfield p\n", " + 0.01*o",
      "a' = 0.5*a + 0.1*u\no' = a\np' = o\n"}},
    {ELEMENT_COPY_NEWER,
     {"field m = 1\nfield n = x/9\n", " + 0.01*n", "m' = 0.5*m + 0.1*u'\nn' = m'\n"}},
};

static void draw_features(sketch *s, uint64_t seed)
{
    rng r = {hash_mix(hash_mix(seed) + 1)};
    for (size_t k = 0; k < COUNT_OF(features); k++)
        s->d->set.has[features[k].e] = rng_below(&r, 9) == 0;
}

static void add_features(sketch *s, int part)
{
    for (size_t k = 0; k < COUNT_OF(features) && !s->once; k++)
        if (s->d->set.has[features[k].e] && features[k].text[part])
            text_add(s->t, "%s", features[k].text[part]);
}

/* ---- grid, fields ------------------------------------------------------------------ */

static int64_t draw_extent(sketch *s, int axis, int64_t most)
{
    const int64_t n = one_in(s, 10)                                ? 1
                      : one_in(s, 6)                               ? 2 + pick(s, 5)
                      : axis == 0 && s->d->dim < 3 && one_in(s, 5) ? 34 + pick(s, 40)
                                                                   : 7 + pick(s, 27);
    const int64_t extent = n < most ? n : most;
    s->d->set.has[ELEMENT_ONE_POINT] |= extent == 1;
    s->d->set.has[ELEMENT_SHORT] |= extent > 1 && extent < 7;
    return extent;
}

static void draw_grid(sketch *s)
{
    drawn_program *d = s->d;
    int64_t room = MOST_POINTS;
    d->dim = one_in(s, 5) ? 1 : 2 + (int)pick(s, 2);
    note_element(s, (element)(ELEMENT_LINE + d->dim - 1));
    text_add(s->t, "grid ");
    for (int axis = 0; axis < d->dim; axis++) {
        const char a = axis_name[axis];
        const int64_t n = draw_extent(s, axis, room);
        room /= n;
        d->extent[axis] = n;
        text_add(s->t, "%s%c %lld", axis ? ", " : "", a, (long long)n);
        if (n < 3 || !one_in(s, 9))
            continue;
        say(s, ELEMENT_STRETCHED, " at %c + 0.3*%c*(%lld - %c)/%lld", a, a,
            (long long)n - 1, a, (long long)n - 1);
        s->stretched[axis] = true;
    }
    text_add(s->t, "\n");
}

static bool has_stretched(const sketch *s)
{
    return s->stretched[0] || s->stretched[1] || s->stretched[2];
}

/* True if each axis has room for a transform between any borders. */
static bool has_long_axes(const sketch *s)
{
    for (int axis = 0; axis < s->d->dim; axis++)
        if (s->d->extent[axis] < 3)
            return false;
    return true;
}

static void draw_start(sketch *s)
{
    static const char *const one[] = {"", " = x", " = sin(0.3*x)", " = random(3)",
                                      " = exp(-x/9)"};
    static const char *const more[] = {"", " = x + 2*y", " = sin(x) + y", " = random(3)",
                                       " = exp(-x*y/9)"};
    const int kind = (int)pick(s, 5);
    text_add(s->t, "%s", s->d->dim == 1 ? one[kind] : more[kind]);
}

static void draw_fields(sketch *s)
{
    static const char *const narrow[] = {"bf16", "f16", "f32"};
    s->fields = 1 + (int)pick(s, 2);
    s->coefficient = one_in(s, 4);
    s->coarse = one_in(s, 16);
    s->equation = !s->coarse && !has_stretched(s) && one_in(s, 10);
    s->once = !s->coarse && !s->equation && !has_stretched(s) && has_long_axes(s) &&
              draw_late_chance(s, 12);
    if (s->once) {
        rng apart = {~s->late.state}; /* other draws stay */
        s->fields = 1;
        s->beside = (int)rng_below(&apart, 4) % 3;
        for (int k = 0; k < s->beside; k++)
            text_add(s->t, "field j%d = random(%d)\n", k, 11 + k);
        s->coefficient = false;
        for (size_t k = 0; k < COUNT_OF(features); k++)
            s->d->set.has[features[k].e] = false;
    }
    s->d->set.has[ELEMENT_EQUATION] = s->equation;
    s->d->set.has[ELEMENT_SEVERAL] = s->fields > 1;
    for (int f = 0; f < FIELDS && f < s->fields; f++) {
        text_add(s->t, "field %c", field_name[f]);
        if (one_in(s, 8) && !s->equation && !s->once)
            say(s, ELEMENT_NARROW, " stored %s", narrow[pick(s, 3)]);
        else if (s->equation && s->d->set.has[ELEMENT_DOUBLE] && one_in(s, 3))
            say(s, ELEMENT_NARROW, " stored f32");
        draw_start(s);
        text_add(s->t, "\n");
    }
    if (s->coefficient) {
        s->d->set.has[ELEMENT_FIELD_FILE] = draw_late_chance(s, 3);
        say(s, ELEMENT_COEFFICIENT, "field c = %s\n",
            s->d->set.has[ELEMENT_FIELD_FILE] ? "\"" PLACES_FIELD "\""
                                              : "0.5 + 0.5*random(8)");
    }
    if (s->coarse)
        say(s, ELEMENT_COARSE, "field e coarse\n");
    add_features(s, DECLARED);
}

/* ---- updates ----------------------------------------------------------------------- */

static void add_extents(sketch *s)
{
    for (int axis = 0; axis < MAX_DIM && axis < s->d->dim; axis++)
        text_add(s->t, "%sn%c", axis ? "*" : "", axis_name[axis]);
}

static void add_offset(sketch *s)
{
    static const char *const offset[][MAX_DIM] = {{"[1]", "[-1,1]", "[1,-1,0]"},
                                                  {"[-1]", "[1,1]", "[0,1,1]"},
                                                  {"[1]", "[0,-1]", "[-1,-1,-1]"}};
    const int n = (int)pick(s, 3);
    text_add(s->t, "%s", offset[n][s->d->dim - 1]);
    s->d->set.has[ELEMENT_CORNER] |= s->d->dim > 1 && !(n == 2 && s->d->dim == 2);
}

static void add_laplace(sketch *s, char a)
{
    const bool order_4 = !has_stretched(s) && one_in(s, 3);
    text_add(s->t, order_4 ? "laplace(%c, order 4)" : "laplace(%c)", a);
    s->d->set.has[ELEMENT_ORDER_4] |= order_4;
    s->reach = int_most(s->reach, 1 + order_4);
}

static void add_body(sketch *s, char a)
{
    const char *const factor = s->coefficient && one_in(s, 2) ? "*c" : "";
    switch (pick(s, 6)) {
    case 0:
        say(s, ELEMENT_OLDER, "1.8*%c - 0.9*prev(%c) + 0.07%s*", a, a, factor);
        add_laplace(s, a);
        break;
    case 1:
        text_add(s->t, "0.7*%c + 0.2*%c", a, a);
        add_offset(s);
        s->reach = s->reach > 1 ? s->reach : 1;
        break;
    case 2: text_add(s->t, one_in(s, 2) ? "%c" : "0.5*%c + 1", a); break;
    default: text_add(s->t, "%c + 0.1%s*", a, factor); add_laplace(s, a);
    }
}

static void add_terms(sketch *s, int field)
{
    const char a = field_name[field], other = field_name[s->fields - 1 - field];
    if (s->fields > 1 && one_in(s, 2)) {
        const bool newer = field > 0 && one_in(s, 2);
        text_add(s->t, " + 0.05*%c%s", other, newer ? "'" : "");
        s->d->set.has[ELEMENT_NEWER] |= newer;
        if (one_in(s, 3)) {
            add_offset(s);
            s->reach = s->reach > 1 ? s->reach : 1;
        }
    }
    if (one_in(s, 7))
        say(s, ELEMENT_COORDINATE, " + 0.01*sin(%c)", axis_name[pick(s, s->d->dim)]);
    if (one_in(s, 8))
        say(s, ELEMENT_TIME, " + 0.01*cos(t)");
    if (one_in(s, 6)) {
        static const char *const of[][2] = {
            {"sum(", ")"}, {"sum(", "^2)"}, {"max(abs(", "))"}};
        const int n = (int)pick(s, 3);
        say(s, ELEMENT_REDUCTION, " - 0.001*%s%c%s/(", of[n][0], a, of[n][1]);
        add_extents(s);
        text_add(s->t, ")");
    }
    if (s->coarse && field == 0)
        text_add(s->t, " + 0.1*interpolate(e)");
    if (field == 0)
        add_features(s, TERM);
    if (draw_late_chance(s, 12)) {
        static const char *const of[][2] = {{"scan(0.5, ", ""},
                                            {"scan(-0.5, ", " down"},
                                            {"tridiagonal(-1, 4, -1, ", ""},
                                            {"tridiagonal(-1, 4 + sin(x), -1, ", ""},
                                            {"tridiagonal(-1, 4, -1, ", " cyclic"},
                                            {"0.1*max(", ""}};
        const int64_t n = rng_below(&s->late, (int64_t)COUNT_OF(of));
        say(s, ELEMENT_ALONG, " + 0.01*%s%c along %c%s)", of[n][0], a,
            axis_name[rng_below(&s->late, s->d->dim)], of[n][1]);
    }
}

/* Jumps of two steps, so that `every 2` fits them. */
static void draw_jumps(sketch *s)
{
    s->d->set.has[ELEMENT_OLDER] = s->d->set.has[ELEMENT_DOUBLE] &&
                                   draw_late_chance(s, 3);
    s->reach = 1;
    s->d->steps = 1 + (int)pick(s, 5);
    say(s, ELEMENT_AT_ONCE, "steps %d at once 2\n", 2 * s->d->steps);
}

/* An equation to solve with coefficients of old levels, in half of these programs. A
 * scalar with an equation may be a coefficient; draw_borders may make it a border's
 * value. The draws come from another stream, so other draws stay those of the seed. */
static bool add_coefficients(sketch *s, char a)
{
    static const char *const methods[] = {"cg", "jacobi", "bicgstab", "gmres", "minres"};
    rng apart = {~s->late.state};
    const int64_t kind = rng_below(&apart, 8);
    const char *const k = a == 'u' ? "held'" : rng_below(&apart, 2) ? "u'" : "u";

    if (kind > 3 || s->d->set.has[ELEMENT_TRANSFORM])
        return false;
    s->level = kind % 2;
    if (s->level)
        say(s, ELEMENT_LEVEL,
            "scalar level = 0.5\nlevel' = 0.5*level + 0.01*max(abs(%c))\n", a);
    if (a == 'u' && !(s->level && kind > 1)) /* its own old level needs a name */
        text_add(s->t, "field held\nheld' = abs(u)\n");
    say(s, ELEMENT_OLD_COEFFICIENT, "solve %c' - 0.1*laplace(%c')", a, a);
    if (kind < 2)
        text_add(s->t, " + 0.1*abs(%s)*%c'", k, a);
    else if (s->level)
        text_add(s->t, " + 0.2*level%s*%c'", rng_below(&apart, 2) ? "'" : "", a);
    else
        text_add(s->t, " - dx((1 + %s^2/(1 + %s^2))/20*dx(%c', at +1/2), at -1/2)", k, k,
                 a);
    text_add(s->t, " = %c%s by %s", a, s->level && kind < 2 ? " + level'" : "",
             methods[rng_below(&apart, COUNT_OF(methods))]);
    return true;
}

/* Flows along periodic axes, and reactions. */
static void draw_jump(sketch *s, rng *apart, const char *name, const char *next)
{
    for (int axis = 0; axis < s->d->dim; axis++)
        if (s->periodic[axis] && rng_below(apart, 2)) {
            text_add(s->t, " + 0.05*(%s[", name);
            for (int n = 0; n < s->d->dim; n++)
                text_add(s->t, "%s%d", n ? ", " : "", n == axis ? -1 : 0);
            text_add(s->t, "] - %s)", name);
        }
    if (s->beside)
        text_add(s->t, " + 0.02*(%s - %s)", next, name);
    text_add(s->t, "\n");
}

static void draw_jump_equations(sketch *s)
{
    rng apart = {hash_mix(~s->late.state)};
    char name[] = "j0", next[] = "j1";

    text_add(s->t, s->d->set.has[ELEMENT_OLDER] ? "u' = 2*u - prev(u) + 0.07*laplace(u)"
                                                : "u' = u + 0.1*laplace(u)");
    draw_jump(s, &apart, "u", "j0");
    for (int k = 0; k < s->beside; k++, name[1]++, next[1]++) {
        const bool last = k == s->beside - 1;
        text_add(s->t, "%s' = %s + 0.08*laplace(%s)", name, name, name);
        draw_jump(s, &apart, name, !last ? next : rng_below(&apart, 2) ? "u'" : "u");
    }
}

static void draw_updates(sketch *s)
{
    static const char *const method[] = {"cg",
                                         "jacobi",
                                         "chebyshev",
                                         "bicgstab",
                                         "gmres",
                                         "transform",
                                         "cg(preconditioner = transform)"};
    const int64_t first = 5,
                  methods = has_long_axes(s) ? (int64_t)COUNT_OF(method) : first;
    if (s->once) {
        draw_jumps(s);
        return;
    }
    for (int f = 0; f < s->fields; f++) {
        const char a = field_name[f];
        if (s->equation && f == s->fields - 1) {
            const bool named = s->d->set.has[ELEMENT_METHOD] = draw_late_chance(s, 2);
            const int64_t drawn = named ? rng_below(&s->late, methods) : 0;
            s->d->set.has[ELEMENT_TRANSFORM] = drawn >= first;
            if (!add_coefficients(s, a))
                text_add(s->t, "solve %c' - 0.1*laplace(%c') = %c by %s", a, a, a,
                         named ? method[drawn] : "auto");
            text_add(s->t, " to %s\n",
                     s->d->set.has[ELEMENT_SINGLE] || s->d->set.has[ELEMENT_NARROW]
                         ? "1e-4"
                         : "1e-8");
            s->reach = s->reach > 1 ? s->reach : 1;
            continue;
        }
        text_add(s->t, "%c' = ", a);
        add_body(s, a);
        add_terms(s, f);
        text_add(s->t, "\n");
    }
    add_features(s, EQUATION);
    s->reach = int_most(s->reach, s->d->set.has[ELEMENT_ADVANCE]);
    s->d->set.has[ELEMENT_POINTWISE] = s->reach == 0;
    if (s->coarse) {
        text_add(s->t, "e' = 0.5*restrict(u)\n");
        s->reach = int_most(s->reach, 2);
    }
    s->d->steps = 1 + (int)pick(s, 9);
    text_add(s->t, "steps %d\n", s->d->steps);
}

/* ---- borders, layers, masks -------------------------------------------------------- */

static bool is_legal(const sketch *s, int axis, border_kind kind)
{
    const int64_t n = s->d->extent[axis];
    const int64_t least = border_points_needed(kind, s->reach > 0 ? s->reach : 1);
    return (s->coarse ? (n + 1) / 2 : n) >= least;
}

static void add_kind(sketch *s, border_kind kind)
{
    static const element of[BORDER_KINDS] = {
        [BORDER_MIRROR] = ELEMENT_MIRROR,  [BORDER_ODD] = ELEMENT_ODD,
        [BORDER_ANTIMIRROR] = ELEMENT_ODD, [BORDER_NEUMANN] = ELEMENT_NEUMANN,
        [BORDER_CLAMP] = ELEMENT_CLAMP,
    };
    if (!border_rules[kind].values) {
        say(s, of[kind], "border %s", border_rules[kind].word);
        return;
    }
    const bool by_place = one_in(s, 2);
    say(s, by_place ? ELEMENT_GIVEN_PLACE : ELEMENT_GIVEN,
        by_place ? "border = 0.01*(%c + 2)" : "border = 0.5",
        axis_name[pick(s, s->d->dim)]);
}

/* A value that reads fields on the face and inwards: the field itself, and u in the
 * border of v. */
static void draw_reading(sketch *s, border_kind kind, int axis, int side)
{
    const char *const word = border_rules[kind].copies ? border_rules[kind].word : "";
    const bool inwards = s->d->extent[axis] > 2 &&
                         (border_rules[kind].has_face || draw_late_chance(s, 2));
    for (int f = 0; f < FIELDS && f < s->fields; f++) {
        const char a = field_name[f];
        say(s, ELEMENT_READS, "border %s %c = 0.02 - 0.1*%c", word, a, a);
        for (int n = 0; inwards && n < s->d->dim; n++)
            text_add(s->t, "%s%d", n ? "," : "[", n != axis ? 0 : side ? -1 : 1);
        text_add(s->t, "%s", inwards ? "]" : "");
        if (f > 0 && draw_late_chance(s, 2)) {
            text_add(s->t, " + 0.2*u");
            s->reads = true;
        }
        text_add(s->t, "%s %c%c\n", border_lies_beyond(kind) ? " beyond" : " at",
                 axis_name[axis], side ? '+' : '-');
    }
}

static void draw_face(sketch *s, int axis, int side)
{
    border_kind kind = BORDER_CLAMP;
    for (int tries = 0; tries < 8; tries++) {
        const border_kind drawn = (border_kind)(1 + pick(s, BORDER_KINDS - 1));
        if (!border_wraps(drawn) && is_legal(s, axis, drawn)) {
            kind = drawn;
            break;
        }
    }
    if (border_rules[kind].takes_value && !s->equation && !s->once && !s->coarse &&
        s->d->extent[axis] > 1 + border_rules[kind].has_face && !has_stretched(s) &&
        draw_late_chance(s, 4)) {
        draw_reading(s, kind, axis, side);
        return;
    }
    add_kind(s, kind);
    text_add(s->t, "%s %c%c\n", border_lies_beyond(kind) ? " beyond" : " at",
             axis_name[axis], side ? '+' : '-');
}

/* Draws the same periodic axes for all fields; then one of two fields may differ along
 * one axis. */
static void draw_borders(sketch *s)
{
    const int wish = (int)pick(s, 4); /* 0: no axis wraps around; 3: all do */
    const int dim = s->d->dim;
    int around = 0;
    for (int axis = 0; axis < dim; axis++) {
        s->periodic[axis] = (wish == 3 || (wish > 0 && one_in(s, 2))) &&
                            is_legal(s, axis, BORDER_PERIODIC);
        around += s->periodic[axis];
        if (s->periodic[axis]) {
            text_add(s->t, "border periodic at %c-, %c+\n", axis_name[axis],
                     axis_name[axis]);
            continue;
        }
        draw_face(s, axis, 0);
        draw_face(s, axis, 1);
    }
    if (dim > 1 && !s->periodic[0] && !s->equation && !s->once && s->d->extent[0] > 6 &&
        draw_late_chance(s, 6))
        say(s, ELEMENT_FACE_PART, "border u = 0.25 at x- where %c > 2\n",
            axis_name[dim - 1]);
    if (s->level && !s->periodic[0] && s->d->extent[0] > 6 && draw_late_chance(s, 2))
        say(s, ELEMENT_LEVEL_BORDER, "border %c = level at x-\n",
            field_name[s->fields - 1]);
    add_features(s, BORDER);
    s->d->set.has[ELEMENT_PERIODIC_ONE] = around == 1;
    s->d->set.has[ELEMENT_PERIODIC_TWO] = around == 2;
    s->d->set.has[ELEMENT_PERIODIC_ALL] = around == dim;
    s->d->set.has[ELEMENT_PERIODIC_LAST] = s->periodic[dim - 1];
    const int axis = (int)pick(s, dim);
    if (s->fields < 2 || s->stretched[axis] || !one_in(s, 4))
        return;
    say(s, ELEMENT_UNLIKE, "border clamp v at %c-, %c+\n", axis_name[axis],
        axis_name[axis]);
    s->periodic[axis] = false; /* for positions */
    note_element(s, ELEMENT_CLAMP);
}

static void draw_layer(sketch *s)
{
    const char *separator = " at ";
    int64_t width = 4;
    OWNED_BY(text_free) text faces = {0};
    if (s->equation || s->once || s->coarse || !one_in(s, 8) ||
        s->d->set.has[ELEMENT_ADVANCE])
        return;
    for (int axis = 0; axis < s->d->dim; axis++) {
        if (s->periodic[axis])
            continue;
        width = int64_least(width, s->d->extent[axis]);
        text_add(&faces, "%s%c-", separator, axis_name[axis]);
        separator = ", ";
        if (one_in(s, 2))
            text_add(&faces, ", %c+", axis_name[axis]);
    }
    if (faces.data)
        say(s, ELEMENT_LAYER, "absorb %lld cells%s\n", (long long)width, faces.data);
}

static void draw_mask(sketch *s)
{
    static const char *const of[] = {"x > 2", "abs(x - 9) > 1", "u < 0.7"};
    if (s->coarse || s->once || s->d->set.has[ELEMENT_TRANSFORM] || !one_in(s, 6))
        return;
    const bool one = one_in(s, 2);
    const char *drawn = of[pick(s, s->equation ? 2 : 3)];
    s->d->set.has[ELEMENT_MASK_FILE] = draw_late_chance(s, 3);
    say(s, one ? ELEMENT_MASK_ONE : ELEMENT_MASK, one ? "mask u = %s" : "mask %s",
        s->d->set.has[ELEMENT_MASK_FILE] ? "\"" PLACES_MASK "\"" : drawn);
    if (!s->equation && draw_late_chance(s, 2))
        say(s, ELEMENT_INSULATED, " insulated");
    text_add(s->t, "\n");
}

/* ---- sources, receivers ------------------------------------------------------------ */

/* An index: often the first, the last, or one next to a cut into 2 to 4 parts. */
static double draw_index(sketch *s, int axis)
{
    const int64_t n = s->d->extent[axis];
    const int64_t parts = 2 + pick(s, 3), part = pick(s, parts + 1);
    const int64_t at = n * part / parts - pick(s, 2);
    if (one_in(s, 2)) {
        note_element(s, ELEMENT_EDGE);
        return (double)int64_least(int64_most(at, 0), n - 1);
    }
    return (double)pick(s, 4 * (s->periodic[axis] && !s->stretched[axis] ? n : n - 1)) /
           4;
}

static void draw_position(sketch *s)
{
    for (int axis = 0; axis < s->d->dim; axis++) {
        const double i = draw_index(s, axis), last = (double)s->d->extent[axis] - 1;
        text_add(s->t, axis ? ", " : "(");
        text_add_double(s->t, s->stretched[axis] ? i + 0.3 * i * (last - i) / last : i);
    }
    text_add(s->t, ")");
}

static int64_t draw_positions(sketch *s)
{
    const int64_t count = 1 + (one_in(s, 2) ? 0 : pick(s, 7));
    text_add(s->t, " at ");
    for (int64_t n = 0; n < count; n++) {
        text_add(s->t, "%s", n ? ", " : "");
        draw_position(s);
    }
    return count;
}

static void draw_method(sketch *s, element sinc)
{
    if (!has_stretched(s) && one_in(s, 4))
        say(s, sinc, " by sinc");
}

void places_trace_name(int number, char name[16])
{
    snprintf(name, 16, "w%d.npy", number);
}

/* The table is as long as the run, or ends before. */
static void add_trace(sketch *s, bool times)
{
    drawn_program *d = s->d;
    char name[16];
    places_trace_name(d->traces, name);
    text_add(s->t, "\"%s\"%s", name, times ? "*(1 + 0.5*step)" : "");
    d->rows[d->traces] = one_in(s, 4) ? 1 + pick(s, d->steps) : d->steps;
}

static void draw_source(sketch *s)
{
    drawn_program *d = s->d;
    enum { EXPRESSION, ONE, EACH, TIMES, KINDS };
    static const element of[KINDS] = {ELEMENT_INJECT, ELEMENT_TRACE, ELEMENT_TRACES,
                                      ELEMENT_TRACE_TIMES};
    const int kind = (int)pick(s, KINDS);
    say(s, of[kind], "inject ");
    if (kind == EXPRESSION)
        text_add(s->t, "%s", one_in(s, 2) ? "1" : "0.1 + sin(0.7*t)");
    else
        add_trace(s, kind == TIMES);
    text_add(s->t, " into %c", field_name[s->reads ? 1 : pick(s, s->fields)]);
    const int64_t count = draw_positions(s);
    s->d->set.has[ELEMENT_MANY_SOURCES] |= count > 2;
    if (kind != EXPRESSION)
        d->columns[d->traces++] = kind == EACH || (kind == TIMES && one_in(s, 2)) ? count
                                                                                  : 1;
    draw_method(s, ELEMENT_SINC_SOURCE);
    text_add(s->t, "\n");
}

static void draw_receiver(sketch *s)
{
    const char a = field_name[pick(s, s->fields)];
    say(s, ELEMENT_SAMPLE, "sample ");
    if (one_in(s, 4)) {
        say(s, ELEMENT_SAMPLE_SUM, "2*%c - 0.3*%c", a, field_name[s->fields - 1]);
        if (!has_stretched(s) && s->reach > 0)
            add_offset(s);
    } else {
        text_add(s->t, "%c", a);
    }
    (void)draw_positions(s);
    draw_method(s, ELEMENT_SINC_SAMPLE);
    text_add(s->t, one_in(s, 3) ? " every 2\n" : "\n");
}

static void draw_observers(sketch *s)
{
    static const char *const name[] = {"sum", "max", "norm"};
    if (!one_in(s, 3) && !s->once)
        for (int64_t n = 1 + pick(s, MOST_TRACES); n > 0; n--)
            draw_source(s);
    if (one_in(s, 2))
        for (int64_t n = 1 + pick(s, 2); n > 0; n--)
            draw_receiver(s);
    if (one_in(s, 3))
        say(s, ELEMENT_MEASURE, "measure total = %s(%c)%s\n", name[pick(s, 3)],
            field_name[pick(s, s->fields)], one_in(s, 2) ? " every 2" : "");
    if (draw_late_chance(s, 5))
        say(s, ELEMENT_OUTPUT, "output %c into \"out.npy\"%s\n",
            field_name[rng_below(&s->late, s->fields)],
            draw_late_chance(s, 2) ? " every 2" : "");
    if (s->fields > 1 && draw_late_chance(s, 6)) {
        say(s, ELEMENT_TOGETHER, "output u, v into \"all.%s\" every 2\n",
            has_stretched(s) ? "vtr" : "vti");
        note_element(s, ELEMENT_OUTPUT);
    }
}

void draw_places_program(uint64_t seed, drawn_program *d)
{
    *d = (drawn_program){.extent = {1, 1, 1}};
    sketch s = {
        .r = {hash_mix(seed)}, .late = {hash_mix(~seed)}, .d = d, .t = &d->source};
    const bool single = one_in(&s, 2);
    say(&s, single ? ELEMENT_SINGLE : ELEMENT_DOUBLE, "%s", single ? "real f32\n" : "");
    draw_grid(&s);
    draw_features(&s, seed);
    draw_fields(&s);
    draw_updates(&s);
    draw_borders(&s);
    if (s.once)
        draw_jump_equations(&s);
    draw_layer(&s);
    draw_mask(&s);
    draw_observers(&s);
}
