/* SPDX-License-Identifier: BSD-3-Clause */
/* pav_mesh_* and pav_prism_*: the functions of pavior.h for meshes and prisms. */
#include <string.h>

#include "fem/fem_private.h"
#include "io/io.h"

pav_status fem_missing(const char *call, const char *what)
{
    return FAIL(PAV_EINVAL, "%s needs %s; it is NULL", call, what);
}

pav_status pav_mesh_open(const char *path, const pav_mesh_options *options,
                         pav_mesh **result)
{
    GUARDED;
    OWNED_BY(plane_free) plane p = {0};

    if (!result)
        return fem_missing("pav_mesh_open", "a place for the mesh");
    *result = NULL;
    if (!path)
        return fem_missing("pav_mesh_open", "a path");
    TRY(plane_read(path, &p));
    return mesh_extrude(path, &p, options, result);
}

pav_status pav_mesh_make(const double *points, int64_t point_count,
                         const int32_t *triangles, int64_t triangle_count,
                         const pav_mesh_options *options, pav_mesh **result)
{
    GUARDED;
    OWNED_BY(plane_free) plane p = {0};

    if (!points || !triangles || !result)
        return fem_missing("pav_mesh_make", "points, triangles and a place for the mesh");
    *result = NULL;
    if (point_count < 3 || triangle_count < 1)
        return FAIL(PAV_EINVAL,
                    "a mesh needs a triangle: %lld points and %lld triangles "
                    "are given",
                    (long long)point_count, (long long)triangle_count);
    TRY(plane_take(&p, point_count, triangle_count, 0));
    memcpy(p.at, points, (size_t)p.points * 3 * sizeof *p.at);
    for (int64_t k = 0; k < 3 * p.triangles; k++) {
        if (triangles[k] < 0 || triangles[k] >= p.points)
            return FAIL(PAV_EINVAL,
                        "triangle %lld has corner %d; there are %lld points, "
                        "counted from 0",
                        (long long)(k / 3), (int)triangles[k], (long long)p.points);
        p.corner[k] = triangles[k];
    }
    TRY(plane_check("the arrays", &p));
    return mesh_extrude("the arrays", &p, options, result);
}

pav_mesh_size pav_mesh_sizes(const pav_mesh *m)
{
    if (!m)
        return (pav_mesh_size){0};
    return (pav_mesh_size){.columns = m->columns,
                           .triangles = m->triangles,
                           .nodes = m->nodes,
                           .cells = m->cells,
                           .layers = m->layers,
                           .levels = m->levels,
                           .colours = m->colours,
                           .volume = m->volume};
}

const double *pav_mesh_coordinates(const pav_mesh *m, int axis)
{
    return m && axis >= 0 && axis < 3 ? m->at[axis] : NULL;
}

const int32_t *pav_mesh_columns(const pav_mesh *m)
{
    return m ? m->given : NULL;
}

const char *pav_mesh_border_name(const pav_mesh *m, int number)
{
    return m && number >= 0 && number < m->plane.names ? m->plane.name[number] : NULL;
}

/* ---- stages ------------------------------------------------------------------------ */

struct pav_prism {
    prism_operator *operator;
    prism_csr *csr;
    prism_gpu *gpu;
    void *narrow[2]; /* vectors in f32, on the host */
    int64_t narrow_bytes;
    double seconds;
};

RELEASES(drop, pav_prism, pav_prism_free)

pav_status pav_prism_open(const pav_mesh *mesh, pav_form form,
                          const pav_prism_options *options, pav_prism **result)
{
    GUARDED;
    const pav_prism_options *o = options ? options : &(pav_prism_options){0};
    const pav_type type = o->f32 ? PAV_F32 : PAV_F64;

    if (!mesh || !result)
        return fem_missing("pav_prism_open", "a mesh and a place for the prism");
    *result = NULL;
    NEW_BY(drop, pav_prism, p, 1);
    p->narrow_bytes = mesh->nodes * (int64_t)sizeof(float);
    TRY(mesh_has_gpu(o->device)
            ? prism_gpu_open(mesh, form, type, o->device, o->method, &p->gpu)
            : prism_operator_open(mesh, form, type, o->method, o->threads, &p->operator));
    for (int k = 0; k < 2 && o->f32 && !p->gpu; k++)
        if (!(p->narrow[k] = mem_big(p->narrow_bytes)))
            return PAV_ENOMEM;
    *result = mem_hand_over(&p);
    return PAV_OK;
}

void pav_prism_free(pav_prism *p)
{
    if (!p)
        return;
    for (int k = 0; k < 2; k++)
        mem_big_free(p->narrow[k], p->narrow_bytes);
    prism_csr_close(p->csr);
    prism_operator_close(p->operator);
    prism_gpu_close(p->gpu);
    mem_free(p);
}

double pav_prism_seconds(const pav_prism *p)
{
    return !p ? 0 : p->gpu ? prism_gpu_seconds(p->gpu) : p->seconds;
}

/* Runs the action, or the mass term alone. */
static pav_status run_stage(pav_prism *p, const char *call, bool mass, const double *u,
                            double *y)
{
    if (!p || !u || !y)
        return fem_missing(call, "a prism and two vectors");
    if (p->gpu)
        return prism_gpu_apply(p->gpu, mass, u, y);
    const int64_t nodes = p->operator->m->nodes;
    void **narrow = p->narrow[0] ? p->narrow : NULL;
    if (narrow)
        type_convert(PAV_F32, narrow[0], PAV_F64, u, nodes);
    const double start = clock_seconds();
    prism_operator_apply(p->operator, mass, narrow ? narrow[0] : (const void *)u,
                         narrow ? narrow[1] : (void *)y);
    p->seconds = clock_seconds() - start;
    if (narrow)
        type_convert(PAV_F64, y, PAV_F32, narrow[1], nodes);
    return PAV_OK;
}

pav_status pav_prism_rhs(pav_prism *p, const double *f, double *b)
{
    GUARDED;
    return run_stage(p, "pav_prism_rhs", true, f, b);
}

pav_status pav_prism_action(pav_prism *p, const double *u, double *y)
{
    GUARDED;
    return run_stage(p, "pav_prism_action", false, u, y);
}

pav_status pav_prism_assemble(pav_prism *p, pav_matrix *matrix)
{
    GUARDED;
    if (!p || !matrix)
        return fem_missing("pav_prism_assemble", "a prism and a place for the matrix");
    *matrix = (pav_matrix){0};
    if (p->gpu || p->narrow[0])
        return FAIL(PAV_EUNSUPPORTED,
                    "matrices are assembled in f64 on the host; the action "
                    "goes without one on every device");
    if (!p->csr)
        TRY(prism_csr_open(p->operator, & p->csr));
    const double start = clock_seconds();
    TRY(prism_csr_assemble(p->operator, p->csr));
    p->seconds = clock_seconds() - start;
    *matrix = prism_csr_sizes(p->csr);
    return PAV_OK;
}

pav_status pav_prism_multiply(pav_prism *p, const double *u, double *y)
{
    GUARDED;
    if (!p || !u || !y)
        return fem_missing("pav_prism_multiply", "a prism and two vectors");
    if (!p->csr)
        return FAIL(PAV_EINVAL, "there is no matrix yet: call pav_prism_assemble first");
    const double start = clock_seconds();
    prism_csr_multiply(p->operator, p->csr, u, y);
    p->seconds = clock_seconds() - start;
    return PAV_OK;
}

pav_status pav_mesh_evaluate(const pav_mesh *m, const char *expression, double *values)
{
    GUARDED;
    if (!m || !expression || !values)
        return fem_missing("pav_mesh_evaluate", "a mesh, an expression and a vector");
    OWNED_BY(node_expression_free) node_expression e = {0};
    const double *const at[3] = {m->at[0], m->at[1], m->at[2]};
    TRY(node_expression_open(expression, &e));
    node_expression_values(&e, at, m->nodes, values);
    return PAV_OK;
}

static void nodes_of(const void *context, int64_t cell, int64_t node[6])
{
    const pav_mesh *m = context;

    mesh_cell(m, cell / m->layers, (int)(cell % m->layers), node);
}

pav_status pav_mesh_write(const pav_mesh *m, const char *path, const char *const *names,
                          const double *const *values, int count)
{
    GUARDED;
    if (!m || !path || (count > 0 && (!names || !values)))
        return fem_missing("pav_mesh_write", "a mesh, a path, names and values");
    if (strcmp(path_ending(path), ".vtu") != 0)
        return FAIL(PAV_EINVAL, "%s: a mesh is written for ParaView as .vtu", path);
    const vtu v = {.nodes = m->nodes,
                   .cells = m->cells,
                   .at = {m->at[0], m->at[1], m->at[2]},
                   .cell = nodes_of,
                   .context = m,
                   .name = names,
                   .value = values,
                   .count = count,
                   .made = m->made};
    return vtu_write(path, &v);
}
