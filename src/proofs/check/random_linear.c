/* SPDX-License-Identifier: BSD-3-Clause */
/* Linear descriptions drawn at random, and their dot-product test, (F x, y) = (x, F' y):
 * one to three axes, waves and systems of first order, differences of any order,
 * coefficients, borders of every kind, layers, masks, sources, receivers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check/check_private.h"

typedef struct sketch {
    rng r;
    int dim, extent[3];
    bool layer;
    const char *last; /* the field computed last */
    text t;
} sketch;

static int pick(sketch *s, int count)
{
    return (int)(rng_unit(&s->r) * count);
}

static void add_coordinates(sketch *s, int room, bool whole)
{
    for (int axis = 0; axis < s->dim; axis++) {
        const int at = room + pick(s, s->extent[axis] - 2 * room - 1);
        text_add(&s->t, "%s%d%s", axis ? ", " : "(", at, whole ? "" : ".3");
    }
    text_add(&s->t, ")");
}

static void draw_grid(sketch *s)
{
    static const int least[] = {18, 11, 8};

    s->dim = 1 + pick(s, 3);
    text_add(&s->t, "%sgrid ", pick(s, 4) ? "" : "real f32\n");
    for (int axis = 0; axis < s->dim; axis++) {
        s->extent[axis] = least[s->dim - 1] + pick(s, 3);
        text_add(&s->t, "%s%c %d", axis ? ", " : "", "xyz"[axis], s -> extent[axis]);
    }
    text_add(&s->t, "\nfield c = 0.1 + 0.01*x; r = 1 + 0.02*x\n");
}

/* A difference along an axis, of even order, forwards or backwards. */
static void add_difference(sketch *s, const char *of, int axis, int half)
{
    const int order = 2 + 2 * pick(s, s->dim == 3 ? 1 : 2);

    text_add(&s->t, "d%c(%s, order %d", "xyz"[axis], of, order);
    if (half)
        text_add(&s->t, ", at %c1/2", half > 0 ? '+' : '-');
    text_add(&s->t, ")");
}

static void add_term(sketch *s, const char *field)
{
    static const char *const coefficient[] = {"c", "0.07", "c*r", "0.05/r", "-0.03"};
    char of[24];

    (void)snprintf(of, sizeof of, pick(s, 3) ? "%s" : "r*%s", field);
    text_add(&s->t, " + %s*", coefficient[pick(s, 5)]);
    switch (pick(s, s->layer ? 2 : 4)) {
    case 0: text_add(&s->t, "laplace(%s, order %d)", of, 2 + 2 * pick(s, 2)); break;
    case 1: add_difference(s, of, pick(s, s->dim), 0); break;
    case 2:
        text_add(&s->t, "%s[%s%s]", field, pick(s, 2) ? "1" : "-2",
                 s->dim == 1   ? ""
                 : s->dim == 2 ? ", -1"
                               : ", 0, 1");
        break;
    default: text_add(&s->t, "where(x > 4, %s, prev(%s)/2)", field, field); break;
    }
}

static void draw_wave(sketch *s)
{
    const bool two = pick(s, 2), ahead = pick(s, 2);

    s->last = two && ahead ? "w" : "u";
    text_add(&s->t, "field u%s\nu' = 1.8*u - 0.9*prev(u)", two ? "; w" : "");
    for (int k = 1 + pick(s, 2); k > 0; k--)
        add_term(s, "u");
    if (two)
        add_term(s, "w");
    text_add(&s->t, "\n");
    if (!two)
        return;
    text_add(&s->t, "w' = 0.7*w + 0.1*%s", ahead ? "u'" : "u");
    add_term(s, "w");
    text_add(&s->t, "\n");
}

static void draw_staggered(sketch *s)
{
    static const char *const name[] = {"vx", "vy", "vz"};

    s->last = "u";
    text_add(&s->t, "field u");
    for (int axis = 0; axis < s->dim && axis < 3; axis++)
        text_add(&s->t, "; %s", name[axis]);
    for (int axis = 0; axis < s->dim && axis < 3; axis++) {
        text_add(&s->t, "\n%s' = %s + 0.3/r*", name[axis], name[axis]);
        add_difference(s, "u", axis, 1);
    }
    text_add(&s->t, "\nu' = u");
    for (int axis = 0; axis < s->dim && axis < 3; axis++) {
        char now[8];
        (void)snprintf(now, sizeof now, "%s'", name[axis]);
        text_add(&s->t, " + c*");
        add_difference(s, now, axis, -1);
    }
    text_add(&s->t, "\n");
}

static void draw_borders(sketch *s)
{
    static const char *const kind[] = {"border mirror at ", "border odd at ",
                                       "border clamp at ",  "border neumann at ",
                                       "border = 0 at ",    "border antimirror at "};

    if (s->layer)
        text_add(&s->t, "absorb 2 cells%s\n", pick(s, 2) ? " by pml" : "");
    for (int face = 0; face < 2 * s->dim && !s->layer; face++)
        text_add(&s->t, "%s%c%c\n", kind[pick(s, 6)], "xyz"[face / 2], "-+"[face % 2]);
    text_add(&s->t, "border clamp c, r\n");
}

static void draw_receivers(sketch *s, bool staggered)
{
    static const char *const of[] = {"u", "2*u - u/3", "u, u"};

    text_add(&s->t, "inject 1 into %s at ", s->last);
    add_coordinates(s, 3, false);
    text_add(&s->t, "\nsample %s at ", of[pick(s, 3)]);
    add_coordinates(s, 2, pick(s, 2));
    if (pick(s, 2)) {
        text_add(&s->t, "\nsample %s at ", staggered ? "vx" : "u");
        add_coordinates(s, 2, false);
        text_add(&s->t, " every 2");
    }
    text_add(&s->t, "\nsteps %d\n", 4 + pick(s, 5));
}

void random_linear(uint64_t seed, text *t)
{
    static const char *const mask[] = {"mask x > 3", "mask u = r != 1.08",
                                       "mask abs(x - 7) > 1\nmask u = x != 5"};
    sketch s = {.r = {hash_mix(seed)}};

    draw_grid(&s);
    s.layer = pick(&s, 2);
    const bool staggered = pick(&s, 3) == 0;
    if (staggered)
        draw_staggered(&s);
    else
        draw_wave(&s);
    draw_borders(&s);
    if (!pick(&s, 4))
        text_add(&s.t, "%s\n", mask[pick(&s, 3)]);
    draw_receivers(&s, staggered);
    *t = s.t;
}

/* ---- the test ---------------------------------------------------------------------- */

pav_status adjoint_holds(const text *source, const char *device, double *size)
{
    OWNED_BY(free_device) pav_device *there = NULL;
    OWNED_BY(close_program) pav_program *p = NULL;
    double forward = 0, backward = 0;

    *size = 0;
    if (source->failed)
        return PAV_ENOMEM;
    TRY(pav_program_parse(source->data, (size_t)source->length, NULL, &p));
    TRY(pav_device_open(device, &there));
    TRY(pav_adjoint_test(p, there, NULL, &forward, &backward, size));
    const double most = strstr(source->data, "f32") ? 1e-5 : 1e-12;
    const double error = *size > 0 ? fabs(forward - backward) / *size : fabs(backward);
    if (error <= most)
        return PAV_OK;
    return FAIL(PAV_EINTERNAL,
                "(F x, y) is %.17g and (x, F' y) is %.17g: they differ by %.3g of |F x| "
                "|y|, %.0e at most",
                forward, backward, error, most);
}
