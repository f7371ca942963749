/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors over the nodes on a GPU, bitwise identical to mesh_space.c. The host computes
 * the scalars of the iterations. */
#include "fem/gpu/fem_gpu_private.h"

extern const char mesh_vectors[];

typedef struct vector_work { /* of kernels/fem/mesh_vectors.cuh */
    void *y;
    const void *x, *z, *fixed, *diagonal, *above;
    double a, b;
    int64_t n;
    int levels, block;
} vector_work;

typedef enum vector_kernel {
    VECTOR_AXPBY,
    VECTOR_MASK,
    VECTOR_RESTORE,
    VECTOR_SUMS,
    VECTOR_COLUMNS,
    VECTOR_KERNELS
} vector_kernel;

struct mesh_vectors {
    gpu_kernel *kernel[VECTOR_KERNELS];
    void *fixed, *diagonal, *above, *sums;
};

/* ---- opening ----------------------------------------------------------------------- */

static pav_status compile(mesh_place *p)
{
    static const char *const name[] = {"mesh_axpby", "mesh_mask", "mesh_restore",
                                       "mesh_sums", "mesh_columns"};
    gpu_module *module;
    text t = {0};

    text_add(&t, "%s", mesh_vectors);
    pav_status status = t.failed ? PAV_ENOMEM
                                 : gpu_module_open(p->mesh->g, t.data, t.length,
                                                   HOST_KEEP, &module);
    text_free(&t);
    TRY(status);
    for (int k = 0; k < VECTOR_KERNELS; k++)
        if (!(p->vectors->kernel[k] = gpu_module_find(module, name[k])))
            return FAIL(PAV_EINTERNAL, "there is no kernel %s", name[k]);
    return PAV_OK;
}

static pav_status bring(mesh_place *p, const double *from, const char *what, void **to)
{
    if (!from)
        return PAV_OK;
    TRY(mesh_gpu_take(p->mesh, what, to));
    return mesh_gpu_send(p->mesh, from, *to);
}

static pav_status take_vectors(mesh_solver *s, int vectors)
{
    mesh_place *p = s->place;
    void *memory = NULL;

    for (int k = 0; k < vectors; k++) {
        TRY(mesh_gpu_take(p->mesh, "vectors of the iterations", &memory));
        s->vector[k] = memory;
    }
    TRY(bring(p, s->u, "the solution", &memory));
    s->x = memory;
    TRY(bring(p, s->b, "the right-hand side", &memory));
    s->right = memory;
    return PAV_OK;
}

static pav_status open(mesh_solver *s, int vectors)
{
    mesh_place *p = s->place;

    p->vectors = mem_new(1, sizeof *p->vectors);
    if (!p->vectors)
        return PAV_ENOMEM;
    TRY(compile(p));
    TRY(bring(p, s->diagonal, "the preconditioner", &p->vectors->diagonal));
    TRY(bring(p, s->above, "the preconditioner", &p->vectors->above));
    TRY(gpu_take(p->mesh->g, s->n, "fixed nodes", &p->vectors->fixed));
    TRY(gpu_upload(p->mesh->g, p->vectors->fixed, s->fixed, s->n));
    TRY(gpu_take(p->mesh->g, int_parts(s->n, MESH_SUM_BLOCK) * (int64_t)sizeof(double),
                 "sums", &p->vectors->sums));
    return take_vectors(s, vectors);
}

static pav_status close(mesh_solver *s)
{
    mesh_place *p = s->place;
    const pav_status status = s->x && s->status == PAV_OK
                                  ? mesh_gpu_fetch(p->mesh, s->x, s->u)
                                  : s->status;

    mem_free(p->vectors);
    p->vectors = NULL;
    return status;
}

/* ---- launches ---------------------------------------------------------------------- */

static void note(mesh_solver *s, pav_status status)
{
    if (s->status == PAV_OK)
        s->status = status;
}

static void launch(mesh_solver *s, vector_kernel kernel, vector_work w, int64_t threads)
{
    mesh_place *p = s->place;

    w.n = s->n;
    w.levels = s->m->levels;
    w.block = MESH_SUM_BLOCK;
    w.fixed = p->vectors->fixed;
    w.diagonal = p->vectors->diagonal;
    w.above = p->vectors->above;
    note(s, mesh_gpu_threads(p->mesh, p->vectors->kernel[kernel], &w, sizeof w, threads));
}

static void axpby(mesh_solver *s, double a, const double *x, double b, double *y)
{
    launch(s, VECTOR_AXPBY, (vector_work){.y = y, .x = x, .a = a, .b = b}, s->n);
}

static void copy(mesh_solver *s, const double *x, double *y)
{
    const mesh_place *p = s->place;

    note(s, gpu_copy(p->mesh->g, y, x, s->n * (int64_t)sizeof *y));
}

static void zero(mesh_solver *s, double *y)
{
    const mesh_place *p = s->place;

    note(s, gpu_fill(p->mesh->g, y, 0, s->n * (int64_t)sizeof *y));
}

static void mask(mesh_solver *s, const double *x, double *y)
{
    launch(s, VECTOR_MASK, (vector_work){.y = y, .x = x}, s->n);
}

static void restore(mesh_solver *s, const double *x, double *y)
{
    launch(s, VECTOR_RESTORE, (vector_work){.y = y, .x = x}, s->n);
}

static void precondition(mesh_solver *s, const double *r, double *z)
{
    launch(s, VECTOR_COLUMNS, (vector_work){.y = z, .x = r}, s->m->columns);
}

static double dot(mesh_solver *s, const double *x, const double *z)
{
    const mesh_place *p = s->place;
    const int64_t blocks = int_parts(s->n, MESH_SUM_BLOCK);

    launch(s, VECTOR_SUMS, (vector_work){.y = p->vectors->sums, .x = x, .z = z},
           32 * blocks);
    if (s->status == PAV_OK)
        note(s, gpu_download(p->mesh->g, s->sums, p->vectors->sums,
                             blocks * (int64_t)sizeof *s->sums));
    return s->status == PAV_OK ? mesh_sum_blocks(s->sums, s->n) : 0;
}

static void act(mesh_solver *s, const double *x, double *y)
{
    const mesh_place *p = s->place;

    note(s, p->act(p->context, x, y));
}

const mesh_space mesh_space_gpu = {open, close,   axpby,        copy, zero,
                                   mask, restore, precondition, dot,  act};
