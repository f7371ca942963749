/* SPDX-License-Identifier: BSD-3-Clause */
/* bench prism: the stages of a finite-element assembly on an extruded mesh, one at a
 * time. Methods: the textbook's on one core; columns, on one core and on all; atomics;
 * every kernel of a GPU. Rates count cells. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_list.h"

enum { LAYERS = 72, REPETITIONS = 9, MOST_REPETITIONS = 99, MOST_SIZE = 4096 };

typedef struct trial {
    bench *b;
    pav_mesh *mesh;
    pav_mesh_size size;
    pav_prism *prism;
    double *u, *y;
    char where[96]; /* "square:n=64x72" */
} trial;

typedef pav_status stage_run(trial *t);
typedef struct stage {
    const char *name;
    stage_run *run;
    bool kernel; /* function of a pav_prism, with its own timer */
} stage;

/* ---- stages ------------------------------------------------------------------------ */

static pav_status expression(trial *t)
{
    return pav_mesh_evaluate(t->mesh, "cos(2*pi*x)*cos(2*pi*y)*cos(pi*z)", t->u);
}

static pav_status zero(trial *t)
{
    memset(t->y, 0, (size_t)t->size.nodes * sizeof *t->y);
    return PAV_OK;
}

/* From nodes to the same nodes: a copy. */
static pav_status interpolation(trial *t)
{
    memcpy(t->y, t->u, (size_t)t->size.nodes * sizeof *t->y);
    return PAV_OK;
}

static pav_status rhs(trial *t)
{
    return pav_prism_rhs(t->prism, t->u, t->y);
}

static pav_status action(trial *t)
{
    return pav_prism_action(t->prism, t->u, t->y);
}

static pav_status matrix(trial *t)
{
    pav_matrix m;
    return pav_prism_assemble(t->prism, &m);
}

static pav_status product(trial *t)
{
    return pav_prism_multiply(t->prism, t->u, t->y);
}

static const stage at_nodes[] = {{"expression", expression, false},
                                 {"zero", zero, false},
                                 {"interpolation", interpolation, false}},
                   on_host[] = {{"rhs", rhs, true},
                                {"action", action, true},
                                {"matrix", matrix, true},
                                {"product", product, true}},
                   on_gpu[] = {{"rhs", rhs, true}, {"action", action, true}};

/* ---- timing ------------------------------------------------------------------------ */

static pav_status time_stage(trial *t, const stage *s, int repetitions, double *seconds)
{
    for (int k = 0; k <= repetitions; k++) { /* the first is not counted */
        const double begun = seconds_now();
        TRY(s->run(t));
        if (k > 0)
            seconds[k - 1] = s->kernel ? pav_prism_seconds(t->prism)
                                       : seconds_now() - begun;
    }
    qsort(seconds, (size_t)repetitions, sizeof *seconds, bench_by_value);
    return PAV_OK;
}

static void keep_stage(trial *t, const stage *s, const char *method, int threads,
                       const char *type)
{
    double seconds[MOST_REPETITIONS];
    char word[BENCH_WORD];
    /* The textbook is slow: once is enough. */
    const int asked = t->b->how.repetitions ? t->b->how.repetitions : REPETITIONS;
    const int repetitions = strcmp(method, "reference") == 0 ? 1
                            : asked < MOST_REPETITIONS       ? asked
                                                             : MOST_REPETITIONS;
    if (bench_ended(t->b))
        return;
    const pav_status status = time_stage(t, s, repetitions, seconds);
    if (status != PAV_OK) {
        bench_missed(t->b, s->name, status);
        return;
    }
    snprintf(word, sizeof word, "prism:%s@%s", s->name, t->where);
    bench_row row = bench_row_of_rate(
        word, threads ? "cpu" : pav_device_name(t->b->device), type,
        seconds[repetitions / 2], 1, (double)t->size.cells, NAN);
    row.seconds_min = seconds[0];
    if (threads)
        row.threads = threads;
    snprintf(row.schedule, sizeof row.schedule, "%s", method);
    bench_keep(t->b, row);
}

/* All stages with one method. */
static void one_way(trial *t, const pav_prism_options *how, const stage *stages,
                    int count)
{
    if (bench_ended(t->b))
        return;
    const pav_status status = pav_prism_open(t->mesh, (pav_form){1, -9}, how, &t->prism);
    if (status != PAV_OK) {
        bench_missed(t->b, how->method, status);
        return;
    }
    for (int k = 0; k < count; k++)
        keep_stage(t, &stages[k], how->method, how->threads, how->f32 ? "f32" : "f64");
    pav_prism_free(t->prism);
}

static void on_processors(trial *t, int threads)
{
    const pav_prism_options ways[] = {{.method = "reference", .threads = 1},
                                      {.method = "columns", .threads = 1},
                                      {.method = "columns", .threads = threads},
                                      {.method = "atomics", .threads = threads}};
    static const int stages[] = {3, 4, 4, 2};
    for (int k = 0; k < 3; k++)
        keep_stage(t, &at_nodes[k], "nodes", 1, "f64");
    for (int k = 0; k < 4; k++)
        if (k != 2 || threads > 1)
            one_way(t, &ways[k], on_host, stages[k]);
}

static void on_a_gpu(trial *t)
{
    static const char *const variants[] = {"direct", "constant", "accumulators", "best"};
    for (int k = 0; k < 8; k++) {
        const bool best = k % 4 == 3;
        const pav_prism_options how = {
            .device = t->b->device, .method = variants[k % 4], .f32 = k / 4};
        one_way(t, &how, best ? on_gpu : on_gpu + 1, best ? 2 : 1);
    }
}

/* ---- the mesh ---------------------------------------------------------------------- */

static int host_threads_of(const trial *t)
{
    pav_bench_result r;
    return t->b->how.threads                                ? t->b->how.threads
           : pav_bench_copy(NULL, &t->b->how, &r) == PAV_OK ? r.threads
                                                            : 1;
}

static void measure_mesh(trial *t)
{
    t->size = pav_mesh_sizes(t->mesh);
    t->u = bench_take(t->b, t->size.nodes, sizeof *t->u);
    t->y = bench_take(t->b, t->size.nodes, sizeof *t->y);
    if (t->u && t->y) {
        bench_check(t->b, expression(t));
        on_processors(t, host_threads_of(t));
        if (bench_on_gpu(t->b))
            on_a_gpu(t);
    }
    free(t->u);
    free(t->y);
}

static void prisms(bench *b)
{
    const bool tiny = bench_on(b, "emulated");
    const long long n = b->sized ? b->size[0] : tiny ? 4 : b->small ? 16 : 64;
    const pav_mesh_options layers = {.layers = tiny ? 8 : LAYERS};
    trial t = {.b = b};
    char word[64];
    if (n > MOST_SIZE) {
        b->code = complain(PAV_EINVAL, "prism takes sizes of 1 to %d, not %lld",
                           MOST_SIZE, n);
        return;
    }
    snprintf(word, sizeof word, "square:n=%lld", n);
    snprintf(t.where, sizeof t.where, "%sx%d", word, layers.layers);
    const pav_status status = pav_mesh_open(word, &layers, &t.mesh);
    if (status == PAV_OK)
        measure_mesh(&t);
    else
        b->code = fail_with(status);
    pav_mesh_free(t.mesh);
}

const bench_kind bench_prism = {
    .name = "prism",
    .run = prisms,
    .fixed = "its methods are its rows",
    .one_size = true,
    .no_program = true,
};
