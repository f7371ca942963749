/* SPDX-License-Identifier: BSD-3-Clause */
/* bench multigrid: cycles for Poisson's equation in turn with copying, and whole
 * solutions. The V-cycles are those of Table 6 of Krotkiewski and Dabrowski: f32, finite
 * elements of 27 points. The others are f64 and 7 points. Rates count points of the
 * finest grid, so for full multigrid they are solved unknowns per second. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench_list.h"

enum { DESCRIPTION = 512, MOST_CYCLES = 256 };
typedef int64_t extents[3];

/* Method and tolerance of an equation. Looks are rare, so none falls into a timed
 * cycle. */
typedef struct equation {
    const char *name, *type, *left, *method, *looks;
} equation;
static const equation vcycle = {"vcycle", "f32", "A(u)", "vcycle", "(every = 1000000)"},
                      fcycle = {"F", "f64", "-laplace(u)", "multigrid(cycle = F",
                                ", every = 1000000)"},
                      full = {"full", "f64", "-laplace(u)", "multigrid(cycle = full",
                              ", every = 1000000)"};

/* Table 6: V-cycles a second on an NVIDIA C2050. */
static const struct published {
    extents n;
    double cycles;
} table6[] = {{{129, 129, 129}, 233}, {{257, 257, 257}, 53}, {{513, 513, 257}, 15}};
enum { TABLE6 = sizeof table6 / sizeof *table6 };

static void describe(const equation *e, const extents n, const char *method,
                     const char *looks, const char *to, char text[DESCRIPTION])
{
    const double h = 1 / (double)(n[0] - 1);
    snprintf(text, DESCRIPTION,
             "grid x %lld, y %lld, z %lld spacing %.17g\nreal %s\n"
             "stencil A { centre 8/3; edge -1/6; corner -1/12 }\n"
             "field u; f = random(1) - 1/2\nsolve %s = f by %s%s to %s\nborder u = 0\n",
             (long long)n[0], (long long)n[1], (long long)n[2], h, e->type, e->left,
             method, looks, to);
}

/* ---- cycles ------------------------------------------------------------------------ */

/* The result counts the points of all stages; the row counts points of the finest
 * grid. */
static bench_row row_of_cycle(const char *word, const extents n,
                              const pav_bench_result *r)
{
    bench_row row = bench_row_of(word, r);
    const double gpts = 1e-9 * (double)(n[0] * n[1] * n[2]) / r->seconds_median;
    const double share = r->gpts / gpts; /* updates of each point */
    row.gpts = gpts;
    row.bound_gpts = r->bound_gpts / share;
    row.bytes_per_point *= share;
    row.effective_bytes *= share;
    row.footprint_bytes *= share;
    row.arithmetic_gpts /= share;
    row.read_bytes *= share;
    return row;
}

/* Prints the rate next to the published rate. */
static void report_cycles(const bench *b, const extents n, double seconds)
{
    if (b->json)
        return;
    printf("%-34s %.4g V-cycles a second", "", 1 / seconds);
    for (int k = 0; k < TABLE6; k++)
        if (memcmp(table6[k].n, n, sizeof table6[k].n) == 0)
            printf(", %.3g times the %.0f of a C2050 (Table 6)",
                   1 / seconds / table6[k].cycles, table6[k].cycles);
    printf("\n");
}

static void one_cycle(bench *b, const equation *e, const extents n)
{
    char word[BENCH_WORD], text[DESCRIPTION];
    pav_bench_result r = {0};
    bench_name(word, 3, n[0], n[2], e->type, "multigrid:%s", e->name);
    describe(e, n, e->method, e->looks, "1e-3", text);
    bench_trial t = bench_open(b, word, text, NULL);
    if (t.status == PAV_OK)
        t.status = pav_bench_program(t.program, b->device, &b->how, &r);
    if (!bench_close(b, word, &t))
        return;
    bench_keep(b, row_of_cycle(word, n, &r));
    if (e == &vcycle && !bench_ended(b))
        report_cycles(b, n, r.seconds_median);
}

/* ---- solutions --------------------------------------------------------------------- */

typedef struct solved {
    double seconds, cycles, factor;
} solved;

/* Steps alone, without files and set-up. */
static pav_status solve(const bench *b, const pav_program *program, solved *s)
{
    const pav_run_options how = bench_run_options(b, NULL);
    OWNED_BY(close_run) pav_run *run = NULL;
    double norm[MOST_CYCLES];
    *s = (solved){.factor = NAN};
    TRY(pav_run_open(program, b->device, &how, &run));
    TRY(bench_steps(run, MOST_CYCLES, &s->seconds));
    const int64_t count = pav_run_residuals(run, norm, MOST_CYCLES);
    s->cycles = (double)(count - 1);
    if (count > 1 && count <= MOST_CYCLES)
        s->factor = pow(norm[count - 1] / norm[0], 1 / s->cycles);
    return PAV_OK;
}

static void one_solution(bench *b, const equation *e, const char *method, const char *to,
                         const extents n)
{
    char word[BENCH_WORD], text[DESCRIPTION];
    solved s = {0};
    bench_name(word, 3, n[0], n[2], e->type, "multigrid:%s,to=%s", method, to);
    describe(e, n, method, "", to, text);
    bench_trial t = bench_open(b, word, text, NULL);
    for (int k = 0; k < 2 && t.status == PAV_OK; k++) /* the first may compile kernels */
        t.status = solve(b, t.program, &s);
    if (!bench_close(b, word, &t))
        return;
    bench_row row = bench_row_of_time(word, pav_device_name(b->device), s.seconds,
                                      s.cycles);
    snprintf(row.type, sizeof row.type, "%s", e->type);
    row.factor = s.factor;
    bench_keep(b, row);
}

/* ---- grids ------------------------------------------------------------------------- */

static void table6_row(bench *b, const extents n)
{
    one_cycle(b, &vcycle, n);
    one_solution(b, &vcycle, "vcycle", "1e-6", n);
}

static void cube(bench *b, int64_t size)
{
    const extents n = {size, size, size};
    one_cycle(b, &fcycle, n);
    one_cycle(b, &full, n);
    one_solution(b, &fcycle, "auto", "1e-8", n);
    one_solution(b, &fcycle, "auto", "1e-10", n);
}

/* 2^n + 1 points, so each coarser grid has a centre point. */
static void multigrid(bench *b)
{
    const bool gpu = bench_on_gpu(b), emulated = gpu && b->size[0] == 16;
    if (!b->sized && !b->small && gpu && !emulated) {
        for (int k = 0; k < TABLE6; k++)
            table6_row(b, table6[k].n);
        for (int64_t n = 129; n <= 513; n = 2 * n - 1)
            cube(b, n);
        return;
    }
    for (int k = 0; k < (b->sized ? b->sizes : 1); k++) {
        const int64_t size = b->sized ? b->size[k] : emulated ? 9 : 65;
        const extents n = {size, size, size};
        table6_row(b, n);
        cube(b, size);
    }
}

const bench_kind bench_multigrid = {
    .name = "multigrid",
    .run = multigrid,
    .fixed = "each grid of a cycle has a schedule of its own",
    .no_program = true,
};
