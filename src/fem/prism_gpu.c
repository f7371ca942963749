/* SPDX-License-Identifier: BSD-3-Clause */
/* Prisms on a GPU: the mesh goes there once, vectors for each action; which kernels there are and how they are launched.
 * A CUDA text of this project's own, for the language has no unstructured columns; the cell itself is the CPU's. */
#include <string.h>

#include "fem/fem_private.h"

extern const char prism_cell_private[], prism_gpu_head[], prism_gpu_kernels[];

enum { THREADS = 128, MOST_THREADS = 256, RULE_NUMBERS = 200 };

typedef struct gpu_work { /* prism_work of kernels/fem/prism_gpu_kernels.cuh */
    void *corner, *u, *at[3], *out, *part, *first, *incident;
    long long triangles, columns;
    double stiffness, mass;
    int layers, levels;
} gpu_work;

struct prism_gpu {
    const pav_mesh *m;
    pav_type type;
    gpu *g;
    gpu_module *module;
    gpu_kernel *kernel, *mass, *gather;
    bool by_atomics;
    gpu_work work;
    void *result, *narrow;
    double seconds;
};

/* ---- variants ------------------------------------------------------------------------------ */

const char *const prism_gpu_variants[] = {"best", "direct", "constant", "accumulators"};

pav_status prism_gpu_source(pav_type type, text *t)
{
    text_add(t, "typedef %s real;\n#define FMA(a, b, c) %s(a, b, c)\n%s\n%s\n%s",
             type == PAV_F32 ? "float" : "double", type == PAV_F32 ? "fmaf" : "fma",
             prism_gpu_head, prism_cell_private, prism_gpu_kernels);
    return t->failed ? PAV_ENOMEM : PAV_OK;
}

static pav_status find(prism_gpu *p, const char *name, gpu_kernel **kernel)
{
    char whole[64] = "prism_";

    strncat(whole, name, sizeof whole - sizeof "prism_");
    *kernel = gpu_module_find(p->module, whole);
    return *kernel ? PAV_OK : FAIL(PAV_EINTERNAL, "there is no kernel %s", whole);
}

/* The rule of `constant` and `accumulators`, as the textbook's cell has it. */
static pav_status set_rule(prism_gpu *p)
{
    double rule[RULE_NUMBERS];
    float narrow[RULE_NUMBERS];
    gpu_constant *c = gpu_module_constant(p->module, "prism_rule",
                                          RULE_NUMBERS * (int64_t)pav_type_size(p->type));

    if (!c)
        return FAIL(PAV_EINTERNAL, "the kernels have no prism_rule");
    prism_reference_rule(rule);
    type_convert(PAV_F32, narrow, PAV_F64, rule, RULE_NUMBERS);
    return gpu_constant_set(c, p->type == PAV_F32 ? (void *)narrow : (void *)rule);
}

static pav_status compile(prism_gpu *p, const char *variant)
{
    int found = 0;
    text source = {0};

    if (variant)
        TRY(text_choice("method for prisms on a GPU", variant, prism_gpu_variants,
                        PRISM_GPU_VARIANTS, &found));
    pav_status status = prism_gpu_source(p->type, &source);
    if (status == PAV_OK)
        status = gpu_module_open(p->g, source.data, source.length, HOST_KEEP, &p->module);
    text_free(&source);
    TRY(status);
    TRY(find(p, prism_gpu_variants[found], &p->kernel));
    TRY(find(p, "best_mass", &p->mass));
    TRY(find(p, "gather", &p->gather));
    TRY(set_rule(p));
    p->by_atomics = found != 0;
    return PAV_OK;
}

/* ---- memory -------------------------------------------------------------------------------- */

static pav_status bring(prism_gpu *p, const void *from, int64_t bytes, const char *what,
                        void **to)
{
    TRY(gpu_take(p->g, bytes, what, to));
    return gpu_upload(p->g, *to, from, bytes);
}

/* Doubles, as the arithmetic has them. */
static pav_status send(prism_gpu *p, const double *from, int64_t count, void *to)
{
    if (p->type == PAV_F64)
        return gpu_upload(p->g, to, from, count * (int64_t)sizeof *from);
    type_convert(PAV_F32, p->narrow, PAV_F64, from, count);
    return gpu_upload(p->g, to, p->narrow, count * (int64_t)sizeof(float));
}

static pav_status take_mesh(prism_gpu *p)
{
    const pav_mesh *m = p->m;
    const int64_t bytes = m->nodes * (int64_t)pav_type_size(p->type),
                  corners = 3 * m->triangles;
    gpu_work *w = &p->work;

    if (p->type == PAV_F32 && !(p->narrow = mem_big(bytes)))
        return PAV_ENOMEM;
    for (int a = 0; a < 3; a++) {
        TRY(gpu_take(p->g, bytes, "coordinates", &w->at[a]));
        TRY(send(p, m->at[a], m->nodes, w->at[a]));
    }
    TRY(gpu_take(p->g, bytes, "u", &w->u));
    TRY(gpu_take(p->g, bytes, "the result", &p->result));
    TRY(gpu_take(p->g, corners * m->levels * (int64_t)pav_type_size(p->type),
                 "columns of triangles", &w->part));
    TRY(bring(p, m->corner, corners * (int64_t)sizeof *m->corner, "triangles",
              &w->corner));
    TRY(bring(p, m->first, (m->columns + 1) * (int64_t)sizeof *m->first, "columns",
              &w->first));
    return bring(p, m->incident, corners * (int64_t)sizeof *m->incident, "columns",
                 &w->incident);
}

static pav_status set_up(prism_gpu *p, const pav_device *device, pav_form form,
                         const char *variant)
{
    TRY(gpu_open(device, &p->g));
    TRY(compile(p, variant));
    p->work = (gpu_work){.triangles = p->m->triangles,
                         .columns = p->m->columns,
                         .stiffness = form.stiffness,
                         .mass = form.mass,
                         .layers = p->m->layers,
                         .levels = p->m->levels};
    return take_mesh(p);
}

pav_status prism_gpu_open(const pav_mesh *m, pav_form form, pav_type type,
                          const pav_device *device, const char *variant,
                          prism_gpu **result)
{
    *result = NULL;
    prism_gpu *p = mem_new(1, sizeof *p);
    if (!p)
        return PAV_ENOMEM;
    p->m = m;
    p->type = type;
    const pav_status status = set_up(p, device, form, variant);
    if (status == PAV_OK)
        *result = p;
    else
        prism_gpu_close(p);
    return status;
}

void prism_gpu_close(prism_gpu *p)
{
    if (!p)
        return;
    if (p->narrow)
        mem_big_free(p->narrow, p->m->nodes * (int64_t)sizeof(float));
    if (p->g)
        gpu_close(p->g);
    mem_free(p);
}

/* ---- launches ------------------------------------------------------------------------------ */

static pav_status launch(prism_gpu *p, gpu_kernel *kernel, const gpu_work *w,
                         int64_t blocks, int across, int rows)
{
    const gpu_call call = {.kernel = kernel,
                           .blocks = {blocks, 1, 1},
                           .threads = {across, rows, 1},
                           .argument = w,
                           .argument_bytes = sizeof *w};

    return gpu_launch(p->g, &call);
}

/* A row of threads is a column's layers, or as many of them as a block holds. */
static pav_status launch_columns(prism_gpu *p, gpu_kernel *kernel, double mass)
{
    const pav_mesh *m = p->m;
    const int tile = int_least(m->layers, MOST_THREADS),
              rows = int_most(1, int_least(144, MOST_THREADS) / tile);
    gpu_work w = p->work;

    w.out = w.part;
    w.mass = mass;
    TRY(launch(p, kernel, &w, int_parts(m->triangles, rows), tile, rows));
    w.out = p->result;
    return launch(p, p->gather, &w, int_parts(m->nodes, THREADS), THREADS, 1);
}

static pav_status launch_cells(prism_gpu *p)
{
    gpu_work w = p->work;

    w.out = p->result;
    TRY(gpu_fill(p->g, w.out, 0, p->m->nodes * (int64_t)pav_type_size(p->type)));
    return launch(p, p->kernel, &w, int_parts(p->m->cells, THREADS), THREADS, 1);
}

static pav_status bring_back(prism_gpu *p, double *y)
{
    const int64_t bytes = p->m->nodes * (int64_t)pav_type_size(p->type);

    if (p->type == PAV_F64)
        return gpu_download(p->g, y, p->result, bytes);
    TRY(gpu_download(p->g, p->narrow, p->result, bytes));
    type_convert(PAV_F64, y, PAV_F32, p->narrow, p->m->nodes);
    return PAV_OK;
}

pav_status prism_gpu_action(prism_gpu *p, const double *u, double *y)
{
    TRY(send(p, u, p->m->nodes, p->work.u));
    TRY(gpu_mark(p->g, 0));
    TRY(p->by_atomics ? launch_cells(p) : launch_columns(p, p->kernel, p->work.mass));
    TRY(gpu_mark(p->g, 1));
    TRY(bring_back(p, y));
    return gpu_seconds(p->g, 0, 1, &p->seconds);
}

pav_status prism_gpu_mass(prism_gpu *p, const double *u, double *y)
{
    TRY(send(p, u, p->m->nodes, p->work.u));
    TRY(gpu_mark(p->g, 0));
    TRY(launch_columns(p, p->mass, 1));
    TRY(gpu_mark(p->g, 1));
    TRY(bring_back(p, y));
    return gpu_seconds(p->g, 0, 1, &p->seconds);
}

double prism_gpu_seconds(const prism_gpu *p)
{
    return p->seconds;
}
