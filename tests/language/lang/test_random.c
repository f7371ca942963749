/* SPDX-License-Identifier: BSD-3-Clause */
/* Random programs: all are legal, and together they use every construct of the
 * language. */
#include <stdio.h>

#include "lang/lang.h"
#include "test.h"

enum { PROGRAMS = 2000, POINTS = 1000 };

static text drawn(uint64_t seed, int64_t points_at_most)
{
    text t = {0};
    rng r = {hash_mix(seed)};
    random_program(&r, points_at_most, &t);
    REQUIRE(!t.failed && t.data);
    return t;
}

/* NULL if the program is refused. */
static program *parsed(const text *t)
{
    program *p = NULL;
    const pav_program_options options = {.name = "random"};
    (void)program_parse(t->data, t->length, &options, &p);
    return p;
}

TEST(random_programs_are_legal)
{
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        text t = drawn(seed, POINTS);
        program *p = parsed(&t);
        if (!p) {
            printf("seed %llu: %s\n", (unsigned long long)seed, pav_message());
            CHECK_STR(t.data, "legal");
        }
        program_free(p);
        text_free(&t);
    }
}

TEST(random_programs_keep_their_canonical_form)
{
    for (uint64_t seed = 1; seed <= PROGRAMS / 4; seed++) {
        text t = drawn(seed, POINTS), once = {0}, twice = {0};
        program *p = parsed(&t);
        REQUIRE(p);
        program_print(p, &once);
        program *q = parsed(&once);
        REQUIRE(q);
        program_print(q, &twice);
        CHECK_STR(twice.data, once.data);
        program_free(p);
        program_free(q);
        text_free(&t);
        text_free(&once);
        text_free(&twice);
    }
}

TEST(the_same_seed_draws_the_same_program)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        text one = drawn(seed, POINTS), same = drawn(seed, POINTS),
             other = drawn(seed + 50, POINTS);
        CHECK_STR(one.data, same.data);
        CHECK(strcmp(one.data, other.data) != 0);
        text_free(&one);
        text_free(&same);
        text_free(&other);
    }
}

/* Words and marks of the language, one for each construct. */
/* clang-format off */
static const char *const features[] = {
    "# ", "; ", " +\n", "2*2 + 1",
    /* grid and types */
    "grid x 1\n", ", y ", ", z ", " spacing ", " from ", "real f32", "real f64",
    "real f32 stored bf16", "real f64 stored f32", " stored f16", " stored bf16",
    /* declarations */
    "param ", "; nu = ", "dt = ", "nz = ", "param top = ", "scalar ", "field ", "; v ",
    " coarse", "prev(u) = ", "prev(u, 2) = ", "let f = ", "let f(a) = ",
    "let g(a, b) = ", "flux", "stencil A ", "centre ", "face ", "edge ", "corner ",
    "box ", "{ [",
    /* values of expressions */
    "random(", "sin(", "cos(", "tan(", "tanh(", "exp(", "log(", "sqrt(", "abs(", "pow(",
    "floor(", "ceil(", "round(", "sign(", "mod(", "log10(", "asin(", "acos(", "atan(",
    "atan2(", "sinh(", "cosh(", "cbrt(", "erf(", "sinc(", "hypot(", "ix",
    " % ", "bitand(", "bitor(", "bitxor(", "shl(", "shr(", "ricker(",
    "min(", "max(", "where(", "^2", "^-2", "2^(", "pi", "nx", "*h",
    "hx", "*t)", "step", "/(", "-(", "+(",
    /* conditions */
    " and ", " or ", "not ", "not (", " < ", " <= ", " > ", " >= ", " == ", " != ",
    /* neighbours */
    "u[1]", "u[-2]", "[1,0]", "[0,0,-1]", "u'[", "prev(u)", "prev(u)[", "prev(u, 3)",
    ")[", "f[", "A(", "blur(", "dx(", "dyy(", "dxy(", "dxxx(", "laplace(", "order 2",
    "order 4", "order 8", "at +1/2", "at -1/2", "2*u - prev(u)", "restrict(",
    "interpolate(", "v'", "= max(", "= sum(", "norm(",
    /* borders, layers and masks */
    "border = ", "border u = ", " beyond\n", " beyond x", "periodic", "neumann",
    "mirror", " odd", "clamp", " neumann\n", "neumann u = ", " at x-\n", " at y-, y+",
    "absorb ", "cells strength", "mask ", "mask u = ",
    /* events */
    "inject ", " by linear", " by sinc", "measure ", " every 2", "until ", "expect ",
    "output ", " slice ", " range ", " crop (", " stride ", "sample ", " along ",
    "steps ",
    /* lists, tables and complex numbers */
    "field list[2]", "field list[5]", " for part from ", "share[part]", "dot(list",
    "share[step]", "field zeta complex", "conj(zeta)[1, 0]",
    /* methods in time, vectors, tables by a field, scalars with components */
    "by rk4", "by ab2", " in 2 steps", "rod = cool(rod)", "grad(hill'", "div(hill*way)",
    "curl(way)", "dot(way", "soils[soil]", "insulated", " every 4", "scalar pair = [",
    "norm(tick')", " where ix < ", "turn' = turn^2", "prev(mode)[", "uniform(",
};
/* clang-format on */

TEST(a_thousand_random_programs_say_all_that_the_language_can)
{
    bool seen[COUNT_OF(features)] = {false};
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        text t = drawn(seed, POINTS);
        for (size_t i = 0; i < COUNT_OF(features); i++)
            seen[i] = seen[i] || strstr(t.data, features[i]);
        text_free(&t);
    }
    for (size_t i = 0; i < COUNT_OF(features); i++)
        if (!seen[i])
            CHECK_STR("no program says", features[i]);
}

static int64_t count_points(const program *p)
{
    return p->axis[0].points * p->axis[1].points * p->axis[2].points;
}

TEST(random_programs_have_no_more_points_than_asked_for)
{
    static const int64_t most[] = {1, 2, 17, 300, 5000};
    for (uint64_t seed = 1; seed <= 500; seed++) {
        const int64_t limit = most[seed % COUNT_OF(most)];
        text t = drawn(seed, limit);
        program *p = parsed(&t);
        REQUIRE(p);
        CHECK(count_points(p) <= limit);
        program_free(p);
        text_free(&t);
    }
}

/* Numbers of programs by dimension, storage, extents, fields and steps. Each must occur
 * often enough. */
typedef struct shapes {
    int dim[MAX_DIM + 1], types[4], odd, narrow, wide, fields[5], steps[5];
} shapes;

static void note_shape(shapes *s, const program *p)
{
    s->dim[p->dim]++;
    s->fields[p->fields.count < 4 ? p->fields.count : 4]++;
    s->steps[p->steps < 4 ? p->steps : 4]++;
    for (int64_t i = 0; i < p->fields.count; i++)
        s->types[p->fields.item[i]->storage]++;
    for (int axis = 0; axis < p->dim; axis++) {
        s->odd += p->axis[axis].points % 2 == 1;
        s->narrow += p->axis[axis].points == 1;
        s->wide += p->axis[axis].points > 8;
    }
}

TEST(random_programs_come_in_all_shapes)
{
    shapes s = {0};
    for (uint64_t seed = 1; seed <= 500; seed++) {
        text t = drawn(seed, POINTS);
        program *p = parsed(&t);
        REQUIRE(p);
        note_shape(&s, p);
        program_free(p);
        text_free(&t);
    }
    for (int i = 1; i <= MAX_DIM; i++)
        CHECK(s.dim[i] > 100);
    for (int i = 0; i < 4; i++)
        CHECK(s.types[i] > 20);
    for (int i = 1; i <= 4; i++)
        CHECK(s.fields[i] > 20 && s.steps[i] > 20);
    CHECK(s.odd > 100 && s.narrow > 100 && s.wide > 100);
}
