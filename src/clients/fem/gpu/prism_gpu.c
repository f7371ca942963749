/* SPDX-License-Identifier: BSD-3-Clause */
/* Prisms on a GPU. The mesh is uploaded once, vectors for each action. This file lists
 * the variants of the kernel and launches them. The kernels are CUDA written by hand,
 * because the language has no unstructured columns; the text of the cell is the CPU's. */
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
    return text_print(
        t, "typedef %s real;\n#define FMA(a, b, c) %s(a, b, c)\n%s\n%s\n%s\n%s",
        type == PAV_F32 ? "float" : "double", type == PAV_F32 ? "fmaf" : "fma",
        prism_gpu_head, prism_cell_private, prism_traversal, prism_gpu_kernels);
}

/* ---- opening ----------------------------------------------------------------------- */

/* The textbook's rule for `constant` and `accumulators`. */
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

pav_status prism_gpu_open(const pav_mesh *m, pav_form form, pav_type type,
                          const pav_device *device, const char *variant,
                          prism_gpu **result)
{
    static const char *const names[] = {"prism_best", "prism_direct", "prism_constant",
                                        "prism_accumulators"};
    prism_gpu *p = *result = mem_new(1, sizeof *p);
    OWNED_BY(text_free) text source = {0};
    int found = 0;

    if (!p)
        return PAV_ENOMEM;
    gpu_work *w = &p->work;
    TRY(mesh_gpu_open(m, device, type, &p->mesh));
    if (variant)
        TRY(text_choice("method for prisms on a GPU", variant, prism_gpu_variants,
                        PRISM_GPU_VARIANTS, &found));
    TRY(prism_gpu_source(type, &source));
    TRY(gpu_module_open(p->mesh.g, source.data, source.length, HOST_KEEP, &p->module));
    p->kernel = gpu_module_find(p->module, names[found]);
    p->mass = gpu_module_find(p->module, "prism_best_mass");
    p->gather = gpu_module_find(p->module, "prism_gather");
    if (!p->kernel || !p->mass || !p->gather)
        return FAIL(PAV_EINTERNAL, "a kernel of %s is missing", names[found]);
    TRY(set_rule(p));
    p->by_atomics = found != 0;
    TRY(mesh_gpu_take(&p->mesh, "u", &w->u));
    TRY(mesh_gpu_take(&p->mesh, "the result", &p->result));
    TRY(mesh_sheet_volume(&p->mesh, &p->volume));
    *w = (gpu_work){.corner = p->volume.corner,
                    .u = w->u,
                    .at = {p->mesh.at[0], p->mesh.at[1], p->mesh.at[2]},
                    .part = p->volume.part,
                    .first = p->volume.first,
                    .incident = p->volume.incident,
                    .triangles = m->triangles,
                    .columns = m->columns,
                    .stiffness = form.stiffness,
                    .mass = form.mass,
                    .layers = m->layers,
                    .levels = m->levels,
                    .each = mesh_visit_each(m->layers)};
    return PAV_OK;
}

void prism_gpu_close(prism_gpu *p)
{
    if (p)
        mesh_gpu_close(&p->mesh);
    mem_free(p);
}

/* ---- launches ---------------------------------------------------------------------- */

/* By warps along columns, and a gathering of each node's sums; or (the other variants) by
 * a thread for each cell and atomics. */
static pav_status launch(prism_gpu *p, bool mass)
{
    const pav_mesh *m = p->mesh.m;
    gpu_work w = p->work, parts = w;

    w.out = p->result;
    if (p->by_atomics && !mass) {
        TRY(gpu_fill(p->mesh.g, w.out, 0,
                     m->nodes * (int64_t)pav_type_size(p->mesh.type)));
        return mesh_gpu_threads(&p->mesh, p->kernel, &w, sizeof w, m->cells);
    }
    parts.out = w.part;
    parts.mass = mass ? 1 : w.mass;
    TRY(mesh_gpu_warps(&p->mesh, mass ? p->mass : p->kernel, &parts, sizeof parts,
                       int_parts(m->triangles, w.each)));
    return mesh_gpu_warps(&p->mesh, p->gather, &w, sizeof w, m->columns);
}

pav_status prism_gpu_apply(prism_gpu *p, bool mass, const double *u, double *y)
{
    TRY(mesh_gpu_send(&p->mesh, u, p->work.u));
    TRY(gpu_mark(p->mesh.g, 0));
    TRY(launch(p, mass));
    TRY(gpu_mark(p->mesh.g, 1));
    TRY(mesh_gpu_fetch(&p->mesh, p->result, y));
    return gpu_seconds(p->mesh.g, 0, 1, &p->seconds);
}

double prism_gpu_seconds(const prism_gpu *p)
{
    return p->seconds;
}
