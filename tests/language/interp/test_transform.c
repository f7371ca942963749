/* SPDX-License-Identifier: BSD-3-Clause */
/* Transforms of lines against their definition, summed in long double: all borders, both
 * directions, along all axes, and lengths with all kinds of factors. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "interp/interp.h"
#include "test.h"

enum { MOST = 5000, WIDE = 19 };

/* A border, the distance from the outermost element to the wall in halves, and the parity
 * of the image behind it. */
typedef struct end {
    const char *border;
    int halves, odd, faces;
} end;

static const end ends[] = {
    {"v = 0 at", 2, 1, 1},     {"v = 0 beyond", 2, 1, 0}, {"odd v at", 2, 1, 1},
    {"neumann v at", 0, 0, 0}, {"mirror v at", 1, 0, 0},  {"antimirror v at", 1, 1, 0},
    {"clamp v at", 1, 0, 0},
};
enum { ENDS = sizeof ends / sizeof *ends };

typedef struct lines {
    int64_t extent[MAX_DIM]; /* with faces */
    int axis, first, count;  /* of a line: elements from index `first` on */
    bool f32, inverse;
    double x[MOST], y[MOST]; /* before and after */
} lines;

/* ---- a program with one transform -------------------------------------------------- */

typedef struct built {
    program *whole, *derived;
    ir *code;
} built;

static built build(const char *source)
{
    const char *of = "grid x 9\nfield u\nu' = u\nsteps 1\n";
    built b = {0};

    REQUIRE_OK(program_parse(of, (int64_t)strlen(of), NULL, &b.whole));
    REQUIRE_OK(program_parse_derived(source, b.whole, &b.derived));
    b.derived->derived = true;
    REQUIRE_OK(ir_build(b.derived, NULL, &b.code));
    return b;
}

static view view_of(const ir *code, void *data)
{
    const ir_field *f = &code->field[0];
    view v = {.data = data, .type = f->storage, .stride = {1, 0, 0}};

    for (int axis = 0; axis < MAX_DIM; axis++) {
        v.extent[axis] = points_along(code, axis, 0);
        v.stride[axis] = axis ? v.stride[axis - 1] * v.extent[axis - 1] : 1;
    }
    return v;
}

/* Runs the stages of the step: the copy of u to v', and the transform. */
static void run(const ir *code, lines *l)
{
    static double memory[2][MOST];
    const view u = view_of(code, memory[0]), v = view_of(code, memory[1]);
    const view *const level[2][4] = {{NULL, &u}, {&v, &v}};
    const view *const *const all[] = {level[0], level[1]};
    const double *table[4] = {NULL};
    double *values[4] = {NULL}, uniform[64] = {0};
    const int64_t all_points = u.extent[0] * u.extent[1] * u.extent[2];
    const size_t size = pav_type_size(u.type);

    REQUIRE(all_points <= MOST && code->tables <= 4 && code->uniforms <= 64);
    for (int64_t t = 0; t < code->tables; t++) {
        const ir_table *of = &code->table[t];
        values[t] = calloc(
            (size_t)(points_along(code, of->axis, 0) + of->margin[0] + of->margin[1]),
            sizeof(double));
        REQUIRE_OK(interp_table(code, (int)t, table, values[t]));
        table[t] = values[t] + of->margin[0];
    }
    for (int64_t n = 0; n < all_points; n++)
        type_store(u.type, (char *)u.data + (size_t)n * size, l->x[n]);
    for (int64_t k = 0; k < code->step.count; k++) {
        const ir_stage *s = &code->stage[code->step.stage[k]];
        const interp_args args = {.code = code,
                                  .stage = s,
                                  .view = all,
                                  .table = table,
                                  .uniform = uniform,
                                  .box = ir_stage_box(code, s)};
        REQUIRE_OK(interp_stage(&args));
    }
    for (int64_t n = 0; n < all_points; n++)
        l->y[n] = type_load(v.type, (char *)v.data + (size_t)n * size);
    for (int t = 0; t < 4; t++)
        free(values[t]);
}

/* ---- the definition ---------------------------------------------------------------- */

typedef long double wave(const lines *l, const end *e, int j, int k);

/* Twice the distance of the walls. */
static int period_of(const lines *l, const end *e)
{
    return 2 * (l->count - 1) + e[0].halves + e[1].halves;
}

/* The mode k of a line between two walls, at element j. */
static long double of_walls(const lines *l, const end *e, int j, int k)
{
    const long double number = k + (e[0].odd + e[1].odd) / 2.0L,
                      where = j + e[0].halves / 2.0L,
                      angle = 2 * acosl(-1.0L) * number * where / period_of(l, e);
    return e[0].odd ? sinl(angle) : cosl(angle);
}

static long double of_ring(const lines *l, const end *e, int j, int k)
{
    const long double angle = 2 * acosl(-1.0L) * j * k / l->count;

    (void)e;
    return cosl(angle) + sinl(angle);
}

/* Half the weight of an element at a wall that its image repeats. */
static long double weight(const lines *l, const end *e, int j)
{
    return ((j == 0 && e[0].halves == 0) || (j == l->count - 1 && e[1].halves == 0)) ? 1
                                                                                     : 2;
}

/* The weight of mode k: half of it if it is the same at all points, but for the sign. */
static long double mode_weight(const lines *l, const end *e, int k)
{
    const int number = 2 * k + e[0].odd + e[1].odd; /* in halves */

    return number == 0 || number == period_of(l, e) ? 1 : 2;
}

static double expected(const lines *l, const end *e, wave *f, const double *x,
                       int64_t step, int k)
{
    long double sum = 0;

    for (int j = 0; j < l->count; j++)
        sum += f == of_ring ? x[j * step] * f(l, e, j, k)
               : l->inverse ? x[j * step] * mode_weight(l, e, j) * f(l, e, k, j)
                            : x[j * step] * weight(l, e, j) * f(l, e, j, k);
    return (double)(l->inverse ? sum / (f == of_ring ? l->count : period_of(l, e)) : sum);
}

/* The largest error of all lines, relative to the largest sum of absolute values. */
static double worst(const lines *l, const end *e, wave *f)
{
    const int64_t stride[] = {1, l->extent[0], l->extent[0] * l->extent[1]};
    const int64_t step = stride[l->axis];
    const int a = l->axis == 0, b = l->axis == 2 ? 1 : 2;
    double most = 0;

    for (int64_t n = 0; n < l->extent[b]; n++)
        for (int64_t m = 0; m < l->extent[a]; m++) {
            const int64_t at = m * stride[a] + n * stride[b] + l->first * step;
            for (int k = 0; k < l->count; k++)
                most = fmax(most, fabs(l->y[at + k * step] -
                                       expected(l, e, f, l->x + at, step, k)));
        }
    return most / (l->inverse ? 2 : 2.0 * l->count);
}

static double error_of(const end *e, int count, int axis, bool inverse, bool f32)
{
    static lines l;
    wave *f = e ? of_walls : of_ring;
    char source[600], grid[100] = "", border[200] = "border periodic v at x-, x+\n";
    const int faces = e ? e[0].faces + e[1].faces : 0;
    rng random = {.state = 7};

    l = (lines){.axis = axis, .count = count, .inverse = inverse, .f32 = f32};
    l.first = e && e[0].faces;
    for (int k = 0; k < MAX_DIM; k++)
        l.extent[k] = k == axis ? count + faces : axis == 2 - k ? WIDE : 1 + (axis == 1);
    for (int k = 0; k < MAX_DIM; k++)
        (void)snprintf(grid + strlen(grid), sizeof grid - strlen(grid), "%s%c %d",
                       k ? ", " : "", "xyz"[k], (int)l.extent[k]);
    if (e)
        (void)snprintf(border, sizeof border, "border %s %c-\nborder %s %c+\n",
                       e[0].border, "xyz"[axis], e[1].border, "xyz"[axis]);
    else
        border[sizeof "border periodic v at " - 1] =
            border[sizeof "border periodic v at x-, " - 1] = "xyz"[axis];
    (void)snprintf(source, sizeof source,
                   "grid %s\n%sfield u; v\nv' = transform(u along %c%s)\n%ssteps 1\n",
                   grid, f32 ? "real f32\n" : "", "xyz"[axis], inverse ? " inverse" : "",
                   border);
    for (int n = 0; n < MOST; n++)
        l.x[n] = (float)(rng_unit(&random) - 0.5);
    const built b = build(source);
    run(b.code, &l);
    ir_free(b.code);
    program_free(b.derived);
    program_free(b.whole);
    return worst(&l, e, f);
}

/* ---- tests ------------------------------------------------------------------------- */

static const int lengths[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  11,  12,
                              13, 16, 17, 23, 30, 37, 47, 64, 65, 127, 131};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

TEST(transforms_between_walls_are_their_sums)
{
    for (int a = 0; a < ENDS; a++)
        for (int b = 0; b < ENDS; b++)
            for (int n = 0; n < LENGTHS; n++) {
                const end pair[] = {ends[a], ends[b]};
                const bool single = lengths[n] == 1 && (a == 3 || b == 3);
                const bool left_out = lengths[n] > 64 && (a + b) % 4 != 1; /* slow sums */
                if (single || left_out) /* neumann reads a second point */
                    continue;
                CHECK_NEAR(error_of(pair, lengths[n], n % 3, false, false), 0, 2e-15);
                CHECK_NEAR(error_of(pair, lengths[n], n % 3, true, false), 0, 2e-15);
            }
}

TEST(transforms_of_periodic_lines_are_sums_of_sines_and_cosines)
{
    for (int n = 1; n < LENGTHS; n++)
        for (int inverse = 0; inverse < 2; inverse++)
            CHECK_NEAR(error_of(NULL, lengths[n], n % 3, inverse, false), 0, 1e-15);
}

TEST(transforms_in_f32_round_to_f32)
{
    for (int a = 0; a < ENDS; a++) {
        const end pair[] = {ends[a], ends[(a + 1) % ENDS]};
        CHECK_NEAR(error_of(pair, 30, a % 3, false, true), 0, 1e-6);
        CHECK_NEAR(error_of(pair, 30, a % 3, true, true), 0, 1e-6);
    }
}
