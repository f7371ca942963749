/* SPDX-License-Identifier: BSD-3-Clause */
/* Manufactured solutions: the error against a solution chosen beforehand falls with the
 * square of the spacing, for every mix of borders and for operators with variable
 * weights. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "trial.h"

/* An axis: the borders of its two faces, and a matching factor of the solution with its
 * first and second derivatives (@ is the coordinate). The slopes at the faces are the
 * slopes of the factor. */
typedef struct axis_case {
    const char *name;
    char low, high; /* v: a value, n: a slope, p: periodic, m: mirror, o: odd,
                       * a: antimirror */
    const char *factor, *first, *second;
} axis_case;

#define GENERAL "(3/2 + sin(2*@ + 3/10))", "(2*cos(2*@ + 3/10))", "(-4*sin(2*@ + 3/10))"
#define WAVE                                                                             \
    "(3/2 + sin(2*pi*@ + 3/10))", "(2*pi*cos(2*pi*@ + 3/10))",                           \
        "(-4*pi^2*sin(2*pi*@ + 3/10))"
static const axis_case cases[] = {
    {"values", 'v', 'v', GENERAL},
    {"value and slope", 'v', 'n', GENERAL},
    {"slope and value", 'n', 'v', GENERAL},
    {"slopes", 'n', 'n', GENERAL},
    {"periodic", 'p', 'p', WAVE},
    {"mirrors", 'm', 'm', "(3/2 + cos(pi*@))", "(-pi*sin(pi*@))", "(-pi^2*cos(pi*@))"},
    {"antimirrors", 'a', 'a', "sin(pi*@)", "(pi*cos(pi*@))", "(-pi^2*sin(pi*@))"},
    {"odd", 'o', 'o', "sin(pi*@)", "(pi*cos(pi*@))", "(-pi^2*sin(pi*@))"},
};
enum { CASES = sizeof cases / sizeof *cases, AXES = 3, TEXT = 4000 };

typedef struct problem {
    int dim;
    const axis_case *axis[AXES];
    bool varying; /* -div(k*grad(u)) + c*u in place of -laplace(u) */
    bool compact; /* -laplace(u) by all 3^dim points */
} problem;

typedef struct writer {
    char text[TEXT];
    size_t length;
} writer;

__attribute__((format(printf, 2, 3))) static void add(writer *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    w->length += (size_t)vsnprintf(w->text + w->length, TEXT - w->length, format, list);
    va_end(list);
    CHECK(w->length < TEXT);
}

/* ---- the description --------------------------------------------------------------- */

static void add_grid(writer *w, const problem *p, int cells)
{
    for (int axis = 0; axis < p->dim; axis++) {
        const char kind = p->axis[axis]->low;
        const double h = 1.0 / cells, between = kind == 'm' || kind == 'a' ? h / 2 : 0;
        const int points = kind == 'p' || between > 0 ? cells : cells + 1;
        add(w, "%s%c %d from %.17g to %.17g", axis ? ", " : "grid ", "xyz"[axis], points,
            between, kind == 'p' ? 1 - h : 1 - between);
    }
    add(w, "\n");
}

/* Writes a function of one coordinate. */
static void add_along(writer *w, const char *function, int axis)
{
    for (const char *c = function; *c; c++)
        add(w, "%c", *c == '@' ? "xyz"[axis] : *c);
}

/* Writes the product of all factors, with a derivative of the factor of axis `of` (-1:
 * none). */
static void add_product(writer *w, const problem *p, int of, int derivative)
{
    for (int axis = 0; axis < p->dim; axis++) {
        const axis_case *c = p->axis[axis];
        const char *function = of != axis        ? c->factor
                               : derivative == 1 ? c->first
                                                 : c->second;
        add(w, "%s", axis ? "*" : "");
        add_along(w, function, axis);
    }
}

static void add_sum(writer *w, const problem *p, int derivative, const char *times)
{
    for (int axis = 0; axis < p->dim; axis++) {
        add(w, "%s%s%c*", axis ? " + " : "", times, "xyz"[axis]);
        add_product(w, p, axis, derivative);
    }
}

/* The coefficient k is periodic, and even about all faces. */
static void add_coefficient(writer *w, const problem *p)
{
    add(w, "field k = 3/2");
    for (int axis = 0; axis < p->dim; axis++)
        add(w, " + cos(2*pi*%c)/%d", "xyz"[axis], axis + 4);
    add(w, "\n");
    for (int axis = 0; axis < p->dim; axis++) {
        const char c = "xyz"[axis], kind = p->axis[axis]->low;
        add(w, "let k%c = -2*pi*sin(2*pi*%c)/%d\n", c, c, axis + 4);
        add(w, "border %s k at %c-, %c+\n",
            kind == 'p'                  ? "periodic"
            : kind == 'm' || kind == 'a' ? "mirror"
                                         : "neumann",
            c, c);
    }
}

/* True if the solution is determined up to a constant only; then the constant of the
 * start remains. */
static bool is_open(const problem *p)
{
    bool open = !p->varying;
    for (int axis = 0; axis < p->dim; axis++)
        open = open && !strchr("vo", p->axis[axis]->low) &&
               !strchr("vo", p->axis[axis]->high);
    return open;
}

static void add_equation(writer *w, const problem *p)
{
    static const char *const next[2][3] = {{"1, 0", "0, 1", ""},
                                           {"1, 0, 0", "0, 1, 0", "0, 0, 1"}};
    if (!p->varying) {
        if (p->compact)
            add(w, "stencil S { %s }\n",
                p->dim == 3 ? "centre 8/3; face 0; edge -1/6; corner -1/12"
                            : "centre 20/6; face -4/6; edge -1/6");
        add(w, "let onex = 1; oney = 1; onez = 1\nsolve %s = -(",
            p->compact ? "S(u)/hx^2" : "-laplace(u)");
        add_sum(w, p, 2, "one");
        add(w, ")");
    } else {
        add_coefficient(w, p);
        add(w, "let kkx = k; kky = k; kkz = k\nsolve 2*u");
        for (int axis = 0; axis < p->dim; axis++)
            add(w, " - d%c((k + k[%s])/2*d%c(u, at +1/2), at -1/2)", "xyz"[axis],
                next[p->dim == 3][axis], "xyz"[axis]);
        add(w, " = 2*e - (");
        add_sum(w, p, 2, "kk");
        add(w, ") - (");
        add_sum(w, p, 1, "k");
        add(w, ")");
    }
    add(w, " by auto to %s\n", is_open(p) ? "1e-7" : "1e-10");
}

static void add_border(writer *w, const problem *p, int axis, bool high)
{
    const char kind = high ? p->axis[axis]->high : p->axis[axis]->low;
    static const char *const words[] = {['v'] = "u = e",
                                        ['p'] = "periodic u",
                                        ['m'] = "mirror u",
                                        ['a'] = "antimirror u",
                                        ['o'] = "odd u"};
    if (kind == 'n') {
        add(w, "border neumann u = %s(", high ? "" : "-");
        add_product(w, p, axis, 1);
        add(w, ")");
    } else
        add(w, "border %s", words[(int)kind]);
    add(w, " at %c%c\n", "xyz"[axis], high ? '+' : '-');
}

static double error_of(const problem *p, int cells)
{
    static writer w;
    w.length = 0;
    add_grid(&w, p, cells);
    add(&w, "let e = ");
    add_product(&w, p, -1, 0);
    add(&w, "\nfield u%s\n", is_open(p) ? " = e" : "");
    add_equation(&w, p);
    for (int axis = 0; axis < p->dim; axis++)
        for (int high = 0; high < 2; high++)
            add_border(&w, p, axis, high);
    add(&w, "measure error = max(abs(u - e))\n");
    trial t;
    trial_interpret(&t, "%s", w.text);
    REQUIRE_OK(pav_run_finish(t.run));
    const double error = trial_get(&t, "error");
    trial_close(&t);
    return error;
}

/* ---- mixes ------------------------------------------------------------------------- */

static void check_order(const problem *p)
{
    static const int cells[2][3] = {{12, 24, 48}, {8, 16, 32}};
    const int *n = cells[p->dim == 3];
    double error[3];
    for (int k = 0; k < 3; k++)
        error[k] = error_of(p, n[k]);
    const double order = order_of(error, n);
    if (order < 1.9 || order > 2.2)
        printf("%s, %s, %s%s: %g %g %g\n", p->axis[0]->name, p->axis[1]->name,
               p->dim == 3 ? p->axis[2]->name : "", p->varying ? ", varying" : "",
               error[0], error[1], error[2]);
    CHECK(order >= 1.9 && order <= 2.2);
}

LONG_TEST(every_mix_of_borders_in_a_plane_is_of_second_order)
{
    for (int x = 0; x < CASES; x++)
        for (int y = 0; y < CASES; y++)
            check_order(&(problem){2, {&cases[x], &cases[y]}, .varying = false});
}

LONG_TEST(weights_that_vary_keep_the_order_for_every_mix)
{
    for (int x = 0; x < CASES; x++)
        for (int y = x; y < CASES; y++)
            check_order(&(problem){2, {&cases[x], &cases[y]}, .varying = true});
}

LONG_TEST(compact_operators_are_of_second_order)
{
    for (int x = 0; x < CASES; x++) {
        const axis_case *y = &cases[(x + 3) % CASES], *z = &cases[(x + 1) % CASES];
        check_order(&(problem){2, {&cases[x], y}, .compact = true});
        if (x % 2)
            check_order(&(problem){3, {&cases[x], y, z}, .compact = true});
    }
}

LONG_TEST(weights_that_vary_in_space_keep_the_order)
{
    for (int x = 0; x < CASES; x += 2)
        check_order(
            &(problem){3,
                       {&cases[x], &cases[(x + 3) % CASES], &cases[(x + 1) % CASES]},
                       .varying = true});
}

LONG_TEST(mixes_of_borders_in_space_are_of_second_order)
{
    for (int x = 0; x < CASES; x++)
        for (int y = x; y < CASES; y++)
            check_order(&(problem){3,
                                   {&cases[x], &cases[y], &cases[(x + 3 * y) % CASES]},
                                   .varying = false});
}
