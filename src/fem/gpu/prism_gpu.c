/* SPDX-License-Identifier: BSD-3-Clause */
/* Prisms on a GPU: the mesh goes there once, vectors for each action; which kernels there
 * are and how they are launched. A CUDA text of this project's own, for the language has
 * no unstructured columns; the cell itself is the CPU's. */
#include <string.h>

#include "fem/gpu/fem_gpu_private.h"

extern const char prism_cell_private[], prism_gpu_head[], prism_traversal[],
    prism_gpu_kernels[];

enum { RULE_NUMBERS = 200 };

typedef struct gpu_work { /* prism_work of kernels/fem/prism_gpu_kernels.cuh */
    void *corner, *u, *at[3], *out, *part, *first, *incident;
    long long triangles, columns;
    double stiffness, mass;
    int layers, levels, each;
} gpu_work;

struct prism_gpu {
    mesh_gpu mesh;
    mesh_sheet volume;
    gpu_module *module;
    gpu_kernel *kernel, *mass, *gather;
    bool by_atomics;
    gpu_work work;
    void *result;
    double seconds;
};

/* ---- variants ---------------------------------------------------------------------- */

const char *const prism_gpu_variants[] = {"best", "direct", "constant", "accumulators"};

pav_status prism_gpu_source(pav_type type, text *t)
{
    text_add(t, "typedef %s real;\n#define FMA(a, b, c) %s(a, b, c)\n%s\n%s\n%s\n%s",
             type == PAV_F32 ? "float" : "double", type == PAV_F32 ? "fmaf" : "fma",
             prism_gpu_head, prism_cell_private, prism_traversal, prism_gpu_kernels);
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
    gpu_constant *c = gpu_module_constant(
        p->module, "prism_rule", RULE_NUMBERS * (int64_t)pav_type_size(p->mesh.type));

    if (!c)
        return FAIL(PAV_EINTERNAL, "the kernels have no prism_rule");
    prism_reference_rule(rule);
    type_convert(PAV_F32, narrow, PAV_F64, rule, RULE_NUMBERS);
    return gpu_constant_set(c, p->mesh.type == PAV_F32 ? (void *)narrow : (void *)rule);
}

static pav_status compile(prism_gpu *p, const char *variant)
{
    int found = 0;
    text source = {0};

    if (variant)
        TRY(text_choice("method for prisms on a GPU", variant, prism_gpu_variants,
                        PRISM_GPU_VARIANTS, &found));
    pav_status status = prism_gpu_source(p->mesh.type, &source);
    if (status == PAV_OK)
        status = gpu_module_open(p->mesh.g, source.data, source.length, HOST_KEEP,
                                 &p->module);
    text_free(&source);
    TRY(status);
    TRY(find(p, prism_gpu_variants[found], &p->kernel));
    TRY(find(p, "best_mass", &p->mass));
    TRY(find(p, "gather", &p->gather));
    TRY(set_rule(p));
    p->by_atomics = found != 0;
    return PAV_OK;
}

/* ---- opening ----------------------------------------------------------------------- */

static pav_status take_mesh(prism_gpu *p)
{
    gpu_work *w = &p->work;

    for (int a = 0; a < 3; a++)
        w->at[a] = p->mesh.at[a];
    TRY(mesh_gpu_take(&p->mesh, "u", &w->u));
    TRY(mesh_gpu_take(&p->mesh, "the result", &p->result));
    TRY(mesh_sheet_volume(&p->mesh, &p->volume));
    w->corner = p->volume.corner;
    w->first = p->volume.first;
    w->incident = p->volume.incident;
    w->part = p->volume.part;
    return PAV_OK;
}

static pav_status set_up(prism_gpu *p, const pav_mesh *m, const pav_device *device,
                         pav_form form, pav_type type, const char *variant)
{
    TRY(mesh_gpu_open(m, device, type, &p->mesh));
    TRY(compile(p, variant));
    p->work = (gpu_work){.triangles = m->triangles,
                         .columns = m->columns,
                         .stiffness = form.stiffness,
                         .mass = form.mass,
                         .layers = m->layers,
                         .levels = m->levels,
                         .each = mesh_visit_each(m->layers)};
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
    const pav_status status = set_up(p, m, device, form, type, variant);
    if (status == PAV_OK)
        *result = p;
    else
        prism_gpu_close(p);
    return status;
}

void prism_gpu_close(prism_gpu *p)
{
    if (p)
        mesh_gpu_close(&p->mesh);
    mem_free(p);
}

/* ---- launches ---------------------------------------------------------------------- */

/* y = A u by warps along columns, and a gathering of each node's sums. */
static pav_status launch_columns(prism_gpu *p, gpu_kernel *kernel, double mass)
{
    const pav_mesh *m = p->mesh.m;
    gpu_work w = p->work;

    w.out = w.part;
    w.mass = mass;
    TRY(mesh_gpu_warps(&p->mesh, kernel, &w, sizeof w, int_parts(m->triangles, w.each)));
    w.out = p->result;
    return mesh_gpu_warps(&p->mesh, p->gather, &w, sizeof w, m->columns);
}

static pav_status launch_cells(prism_gpu *p)
{
    gpu_work w = p->work;

    w.out = p->result;
    TRY(gpu_fill(p->mesh.g, w.out, 0,
                 p->mesh.m->nodes * (int64_t)pav_type_size(p->mesh.type)));
    return mesh_gpu_threads(&p->mesh, p->kernel, &w, sizeof w, p->mesh.m->cells);
}

/* Ends an action: kernels were launched between two marks, u was sent before, and y is
 * fetched now. */
static pav_status finish(prism_gpu *p, pav_status launched, double *y)
{
    TRY(launched);
    TRY(gpu_mark(p->mesh.g, 1));
    TRY(mesh_gpu_fetch(&p->mesh, p->result, y));
    return gpu_seconds(p->mesh.g, 0, 1, &p->seconds);
}

pav_status prism_gpu_action(prism_gpu *p, const double *u, double *y)
{
    TRY(mesh_gpu_send(&p->mesh, u, p->work.u));
    TRY(gpu_mark(p->mesh.g, 0));
    return finish(
        p, p->by_atomics ? launch_cells(p) : launch_columns(p, p->kernel, p->work.mass),
        y);
}

pav_status prism_gpu_mass(prism_gpu *p, const double *u, double *y)
{
    TRY(mesh_gpu_send(&p->mesh, u, p->work.u));
    TRY(gpu_mark(p->mesh.g, 0));
    return finish(p, launch_columns(p, p->mass, 1), y);
}

double prism_gpu_seconds(const prism_gpu *p)
{
    return p->seconds;
}
