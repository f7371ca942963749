/* SPDX-License-Identifier: BSD-3-Clause */
/* A mesh on a GPU: coordinates, sheets of cells with the order in which nodes take their
 * sums, and the vectors of iterations over the nodes. */
#include <string.h>

#include "fem/gpu/fem_gpu_private.h"

static int64_t node_bytes(const mesh_gpu *p)
{
    return p->m->nodes * (int64_t)pav_type_size(p->type);
}

pav_status mesh_gpu_take(mesh_gpu *p, const char *what, void **values)
{
    return gpu_take(p->g, node_bytes(p), what, values);
}

pav_status mesh_gpu_send(mesh_gpu *p, const double *from, void *to)
{
    if (p->type == PAV_F64)
        return gpu_upload(p->g, to, from, node_bytes(p));
    type_convert(PAV_F32, p->narrow, PAV_F64, from, p->m->nodes);
    return gpu_upload(p->g, to, p->narrow, node_bytes(p));
}

pav_status mesh_gpu_upload(mesh_gpu *p, const char *what, const double *from, void **to)
{
    TRY(mesh_gpu_take(p, what, to));
    return mesh_gpu_send(p, from, *to);
}

pav_status mesh_gpu_fetch(mesh_gpu *p, const void *from, double *to)
{
    if (p->type == PAV_F64)
        return gpu_download(p->g, to, from, node_bytes(p));
    TRY(gpu_download(p->g, p->narrow, from, node_bytes(p)));
    type_convert(PAV_F64, to, PAV_F32, p->narrow, p->m->nodes);
    return PAV_OK;
}

bool mesh_has_gpu(const pav_device *device)
{
    return device && device->ops->gpu;
}

pav_status mesh_gpu_open(const pav_mesh *m, const pav_device *device, pav_type type,
                         mesh_gpu *result)
{
    mesh_gpu *const p = result;
    *p = (mesh_gpu){.m = m, .type = type};
    TRY(gpu_open(device, &p->g));
    if (type == PAV_F32 && !(p->narrow = mem_big(node_bytes(p))))
        return PAV_ENOMEM;
    for (int a = 0; a < 3; a++)
        TRY(mesh_gpu_upload(p, "coordinates", m->at[a], &p->at[a]));
    return PAV_OK;
}

void mesh_gpu_close(mesh_gpu *p)
{
    if (p->narrow)
        mem_big_free(p->narrow, node_bytes(p));
    gpu_close(p->g);
}

pav_status mesh_gpu_threads(mesh_gpu *p, gpu_kernel *kernel, const void *argument,
                            int64_t bytes, int64_t threads)
{
    const gpu_call call = {.kernel = kernel,
                           .blocks = {int_parts(threads, GPU_THREADS), 1, 1},
                           .threads = {GPU_THREADS, 1, 1},
                           .argument = argument,
                           .argument_bytes = bytes};

    return gpu_launch(p->g, &call);
}

/* The smallest number of columns of cells for a warp with at most one idle lane in 25. A
 * warp takes their layers in rounds of 32 lanes. */
int mesh_visit_each(int layers)
{
    int each = 1;

    while (25 * int_rounded((int64_t)each * layers, 32) > 26 * (int64_t)each * layers)
        each++;
    return each;
}

pav_status mesh_gpu_warps(mesh_gpu *p, gpu_kernel *kernel, const void *argument,
                          int64_t bytes, int64_t warps)
{
    return mesh_gpu_threads(p, kernel, argument, bytes, 32 * warps);
}

/* ---- sheets ------------------------------------------------------------------------ */

static pav_status bring(mesh_gpu *p, const void *from, int64_t bytes, const char *what,
                        void **to)
{
    TRY(gpu_take(p->g, bytes, what, to));
    return gpu_upload(p->g, *to, from, bytes);
}

/* Brings the corners of cells, and the corners at each column. */
static pav_status upload_sheet(mesh_gpu *p, const char *cells, const int32_t *corner,
                               const char *columns, const int64_t *first,
                               const int64_t *incident, mesh_sheet *s)
{
    const int64_t corners = s->corners * s->cells;

    TRY(gpu_take(p->g, corners * s->heights * (int64_t)pav_type_size(p->type),
                 "sums of cells", &s->part));
    TRY(bring(p, corner, corners * (int64_t)sizeof *corner, cells, &s->corner));
    TRY(bring(p, first, (s->columns + 1) * (int64_t)sizeof *first, columns, &s->first));
    return bring(p, incident, corners * (int64_t)sizeof *incident, columns, &s->incident);
}

pav_status mesh_sheet_volume(mesh_gpu *p, mesh_sheet *s)
{
    const pav_mesh *m = p->m;

    *s = (mesh_sheet){
        .corners = 3, .cells = m->triangles, .columns = m->columns, .heights = m->levels};
    return upload_sheet(p, "triangles", m->corner, "columns", m->first, m->incident, s);
}

/* ---- walls ------------------------------------------------------------------------- */

/* On the host: `end` and `at` hold two of each edge of the border, its columns and their
 * numbers in `column`, which has each column once. `number` holds 1 + this number for
 * each column of the mesh, or 0. `incident` lists 2*edge + end of the edges at each of
 * the columns. */
pav_status mesh_sheet_walls(mesh_gpu *p, const char *border, mesh_sheet *s)
{
    const pav_mesh *m = p->m;
    const int64_t most = 2 * m->plane.edges + 2;
    OWNED int32_t *end = mem_new(3 * most + m->columns, sizeof *end);
    OWNED int64_t *first = mem_new(2 * most + 1, sizeof *first);
    int64_t ends = 0, columns = 0;

    if (!end || !first)
        return PAV_ENOMEM;
    int32_t *at = end + most, *column = at + most, *number = column + most;
    int64_t *incident = first + most + 1;
    for (int64_t k = 0; k < 2 * m->plane.edges; k++) {
        const int32_t *edge = m->plane.edge + 3 * (k / 2), here = edge[k % 2];
        if (!mesh_is_border(m, edge[2], border))
            continue;
        if (number[here] == 0) {
            column[columns++] = here;
            number[here] = (int32_t)columns;
        }
        end[ends] = here;
        at[ends++] = number[here] - 1;
    }
    mesh_list_incident(at, ends, columns, first, incident);
    *s = (mesh_sheet){
        .corners = 2, .cells = ends / 2, .columns = columns, .heights = m->levels};
    if (ends == 0)
        return PAV_OK;
    TRY(bring(p, column, columns * (int64_t)sizeof *column, "edges", &s->column));
    return upload_sheet(p, "edges", end, "edges", first, incident, s);
}

/* ---- vectors ----------------------------------------------------------------------- */

/* Vectors over the nodes on a GPU, bitwise identical to mesh_space.c. The host computes
 * the scalars of the iterations. */

extern const char mesh_vectors[];

typedef struct vector_work { /* of kernels/fem/mesh_vectors.cuh */
    void *y;
    const void *x, *z, *fixed, *diagonal, *above, *first, *near, *value;
    double a, b;
    int64_t n, each;
    int levels, block;
} vector_work;

typedef enum vector_kernel {
    VECTOR_AXPBY,
    VECTOR_MASK,
    VECTOR_RESTORE,
    VECTOR_SUMS,
    VECTOR_COLUMNS,
    VECTOR_PRODUCT,
    VECTOR_KERNELS
} vector_kernel;

struct mesh_vectors {
    gpu_kernel *kernel[VECTOR_KERNELS];
    void *fixed, *sums;
    mesh_grid grid[MESH_GRIDS];
};

/* ---- opening ----------------------------------------------------------------------- */

static pav_status upload_matrix(mesh_gpu *p, const mesh_matrix *a, mesh_matrix *to)
{
    const int64_t entries = a->first ? a->first[a->rows] : 0;
    const void *const from[] = {a->first, a->near, a->value};
    const int64_t bytes[] = {(a->rows + 1) * (int64_t)sizeof *a->first,
                             entries * (int64_t)sizeof *a->near,
                             entries * a->each * (int64_t)sizeof *a->value};
    void *memory[COUNT_OF(from)] = {NULL};

    for (size_t k = 0; k < COUNT_OF(from) && entries > 0; k++)
        TRY(bring(p, from[k], bytes[k], "the matrices of multigrid", &memory[k]));
    *to = (mesh_matrix){a->rows, a->each, memory[0], memory[1], memory[2]};
    return PAV_OK;
}

static pav_status upload_grid(mesh_gpu *p, const mesh_grid *g, mesh_grid *to)
{
    const int64_t bytes = g->lines.n * (int64_t)sizeof(double);
    const double *const from[] = {g->lines.diagonal, g->lines.above, g->vectors};
    void *memory[COUNT_OF(from)] = {NULL};

    for (size_t k = 0; k < COUNT_OF(from); k++)
        if (from[k])
            TRY(bring(p, from[k], k == 2 ? MESH_GRID_VECTORS * bytes : bytes,
                      "the preconditioner", &memory[k]));
    *to = (mesh_grid){.lines = {g->lines.n, memory[0], memory[1]},
                      .vectors = memory[2],
                      .largest = g->largest};
    TRY(upload_matrix(p, &g->a, &to->a));
    TRY(upload_matrix(p, &g->up, &to->up));
    return upload_matrix(p, &g->down, &to->down);
}

static pav_status open_vectors(mesh_solver *s, int vectors)
{
    static const char *const name[] = {"mesh_axpby", "mesh_mask",    "mesh_restore",
                                       "mesh_sums",  "mesh_columns", "mesh_product"};
    mesh_place *p = s->place;
    gpu_module *module;
    void *memory = NULL;

    TRY(mem_take(&p->vectors, 1, sizeof *p->vectors));
    struct mesh_vectors *v = p->vectors;
    TRY(gpu_module_open(p->mesh->g, mesh_vectors, (int64_t)strlen(mesh_vectors),
                        HOST_KEEP, &module));
    for (int k = 0; k < VECTOR_KERNELS; k++)
        if (!(v->kernel[k] = gpu_module_find(module, name[k])))
            return FAIL(PAV_EINTERNAL, "there is no kernel %s", name[k]);
    for (int k = 0; k < s->grids; k++)
        TRY(upload_grid(p->mesh, &s->grid[k], &v->grid[k]));
    s->at = v->grid;
    TRY(bring(p->mesh, s->fixed, s->n, "fixed nodes", &v->fixed));
    TRY(gpu_take(p->mesh->g, int_parts(s->n, MESH_SUM_BLOCK) * (int64_t)sizeof(double),
                 "sums", &v->sums));
    for (int k = 0; k < vectors; k++) {
        TRY(mesh_gpu_take(p->mesh, "vectors of the iterations", &memory));
        s->vector[k] = memory;
    }
    TRY(mesh_gpu_upload(p->mesh, "the solution", s->u, &memory));
    s->x = memory;
    TRY(mesh_gpu_upload(p->mesh, "the right-hand side", s->b, &memory));
    s->right = memory;
    return PAV_OK;
}

static pav_status close_vectors(mesh_solver *s)
{
    mesh_place *p = s->place;
    const pav_status status = s->x && s->status == PAV_OK
                                  ? mesh_gpu_fetch(p->mesh, s->x, s->u)
                                  : s->status;

    mem_free(p->vectors);
    p->vectors = NULL;
    s->at = s->grid;
    return status;
}

/* ---- launches ---------------------------------------------------------------------- */

static void note(mesh_solver *s, pav_status status)
{
    s->status = s->status == PAV_OK ? status : s->status;
}

static void launch(mesh_solver *s, vector_kernel kernel, vector_work w, int64_t threads)
{
    const mesh_place *p = s->place;
    const struct mesh_vectors *v = p->vectors;

    w.fixed = v->fixed;
    w.n = w.n > 0 ? w.n : s->n;
    w.levels = s->m->levels;
    w.block = MESH_SUM_BLOCK;
    note(s, mesh_gpu_threads(p->mesh, v->kernel[kernel], &w, sizeof w, threads));
}

static void axpby(mesh_solver *s, int64_t n, double a, const double *x, double b,
                  double *y)
{
    launch(s, VECTOR_AXPBY, (vector_work){.y = y, .x = x, .a = a, .b = b, .n = n}, n);
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

static void lines(mesh_solver *s, const mesh_lines *f, const double *r, double *z)
{
    const vector_work w = {
        .y = z, .x = r, .diagonal = f->diagonal, .above = f->above, .n = f->n};

    launch(s, VECTOR_COLUMNS, w, f->n / s->m->levels);
}

static void product(mesh_solver *s, const mesh_matrix *m, double sign, const double *x,
                    const double *b, double *y)
{
    const vector_work w = {.y = y,
                           .x = x,
                           .z = b,
                           .first = m->first,
                           .near = m->near,
                           .value = m->value,
                           .a = sign,
                           .n = m->rows * s->m->levels,
                           .each = m->each};

    launch(s, VECTOR_PRODUCT, w, w.n);
}

static double dot(mesh_solver *s, int64_t n, const double *x, const double *z)
{
    const mesh_place *p = s->place;
    const int64_t blocks = int_parts(n, MESH_SUM_BLOCK);

    launch(s, VECTOR_SUMS, (vector_work){.y = p->vectors->sums, .x = x, .z = z, .n = n},
           32 * blocks);
    if (s->status == PAV_OK)
        note(s, gpu_download(p->mesh->g, s->sums, p->vectors->sums,
                             blocks * (int64_t)sizeof *s->sums));
    return s->status == PAV_OK ? mesh_sum_blocks(s->sums, n) : 0;
}

static void act(mesh_solver *s, const double *x, double *y)
{
    const mesh_place *p = s->place;

    note(s, p->act(p->context, x, y));
}

const mesh_space mesh_space_gpu = {open_vectors, close_vectors, axpby,   copy, zero, mask,
                                   restore,      lines,         product, dot,  act};
