/* SPDX-License-Identifier: BSD-3-Clause */
/* A mesh on a GPU: coordinates, sheets of cells with the order in which nodes take their
 * sums, and the vectors of iterations over the nodes. Then its kernels: of generated
 * forms, and of prisms. */
#include <string.h>

#include "base/functions/functions.h"
#include "fem/gpu/fem_gpu_private.h"

static int64_t node_bytes(const mesh_gpu *p)
{
    return p->m->nodes * (int64_t)pav_type_size(p->type);
}

/* Memory for values at all nodes. */
static pav_status mesh_gpu_take(mesh_gpu *p, const char *what, void **values)
{
    return gpu_take(p->g, node_bytes(p), what, values);
}

/* Values at all nodes, from doubles of the host. */
static pav_status mesh_gpu_send(mesh_gpu *p, const double *from, void *to)
{
    if (p->type == PAV_F64)
        return gpu_upload(p->g, to, from, node_bytes(p));
    type_convert(PAV_F32, p->narrow, PAV_F64, from, p->m->nodes);
    return gpu_upload(p->g, to, p->narrow, node_bytes(p));
}

/* Takes memory and sends the values. */
static pav_status mesh_gpu_upload(mesh_gpu *p, const char *what, const double *from,
                                  void **to)
{
    TRY(mesh_gpu_take(p, what, to));
    return mesh_gpu_send(p, from, *to);
}

/* Values at all nodes, to doubles of the host. */
static pav_status mesh_gpu_fetch(mesh_gpu *p, const void *from, double *to)
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

static pav_status mesh_gpu_open(const pav_mesh *m, const pav_device *device,
                                pav_type type, mesh_gpu *result)
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

static void mesh_gpu_close(mesh_gpu *p)
{
    if (p->narrow)
        mem_big_free(p->narrow, node_bytes(p));
    gpu_close(p->g);
}

/* Launches a kernel with this number of threads. */
static pav_status mesh_gpu_threads(mesh_gpu *p, gpu_kernel *kernel, const void *argument,
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
static int mesh_visit_each(int layers)
{
    int each = 1;

    while (25 * int_rounded((int64_t)each * layers, 32) > 26 * (int64_t)each * layers)
        each++;
    return each;
}

/* Launches a kernel with this number of warps. */
static pav_status mesh_gpu_warps(mesh_gpu *p, gpu_kernel *kernel, const void *argument,
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

static pav_status mesh_sheet_volume(mesh_gpu *p, mesh_sheet *s)
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
static pav_status mesh_sheet_walls(mesh_gpu *p, const char *border, mesh_sheet *s)
{
    const pav_mesh *m = p->m;
    const int64_t most = 2 * m->plane.edges + 2;
    int64_t ends = 0, columns = 0;

    OWNED_NEW(int32_t, end, 3 * most + m->columns);
    OWNED_NEW(int64_t, first, 2 * most + 1);
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
    void *memory = NULL;

    TRY(mem_take(&p->vectors, 1, sizeof *p->vectors));
    struct mesh_vectors *v = p->vectors;
    for (int k = 0; k < VECTOR_KERNELS; k++)
        if (!(v->kernel[k] = gpu_module_find(p->mesh->vectors, name[k])))
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

/* ---- generated forms --------------------------------------------------------------- */

/* Generated forms on a GPU. The IR of an element kernel becomes a CUDA C++ function of
 * one cell, called by threads along columns. Contributions of cells to a node are
 * gathered in the order of the host's sums. */

extern const char prism_gpu_head[], prism_traversal[], form_gpu_work[],
    form_gpu_columns[], form_gpu_lids[], form_gpu_gather[];

enum { FORM_INPUTS = 3 + FORM_FIELDS, FORM_GPU_TERMS = 4 * MAX_ARGUMENTS };

typedef struct form_work { /* of kernels/fem/form_gpu.cuh */
    const void *in[FORM_INPUTS];
    const void *uniform, *corner, *first, *incident, *column;
    void *part, *out;
    int64_t cells, columns;
    int layers, levels, each, heights, level;
} form_work;

/* A kernel on a sheet. trial: number of the input with the trial function; -1: none. */
typedef struct term {
    gpu_kernel *sums, *gather;
    form_work work;
    int trial;
} term;

struct form_gpu {
    const pav_mesh_run *run;
    mesh_gpu mesh;
    mesh_sheet volume;
    void **field; /* values of the program's fields, once they are there */
    term term[FORM_GPU_TERMS];
    int terms;
};

/* ---- opening ----------------------------------------------------------------------- */

pav_status form_gpu_open(const pav_mesh_run *r, form_gpu **result)
{
    form_gpu *f = *result = mem_new(1, sizeof *f);

    if (!f)
        return PAV_ENOMEM;
    f->run = r;
    TRY(mesh_gpu_open(r->mesh, r->gpu, PAV_F64, &f->mesh));
    TRY(gpu_module_open(f->mesh.g, mesh_vectors, (int64_t)strlen(mesh_vectors), HOST_KEEP,
                        &f->mesh.vectors));
    TRY(mem_take(&f->field, r->p->fields.count + 1, sizeof *f->field));
    return mesh_sheet_volume(&f->mesh, &f->volume);
}

void form_gpu_close(form_gpu *f)
{
    if (!f)
        return;
    mem_free(f->field);
    mesh_gpu_close(&f->mesh);
    mem_free(f);
}

mesh_gpu *form_gpu_mesh(form_gpu *f)
{
    return &f->mesh;
}

/* ---- text -------------------------------------------------------------------------- */

pav_status form_gpu_source(const element *k, text *t)
{
    unsigned on_cells = 0; /* a bit of each input */

    for (int n = 0; n < k->fields; n++)
        on_cells |= (unsigned)k->field[n]->on_cells << (3 + n);
    if (ir_has_functions(k->stage))
        text_add(t,
                 "typedef unsigned uint32_t;\ntypedef long long int64_t;\n"
                 "typedef unsigned long long uint64_t;\n"
                 "#define INLINE __device__ __forceinline__\n%s\n%s\n%s\n#undef FMA\n",
                 function_cuda_private, function_series_private, function_text_private);
    text_add(t,
             "typedef double real;\n#define FMA(a, b, c) fma(a, b, c)\n%s\n%s\n%s\n"
             "enum { CORNERS = %d, EACH = %d, ON_CELLS = %u };\n"
             "#define IN(f, offset) w.in[(f) %% EACH][ON_CELLS >> (f) %% EACH & 1 ? "
             "node[CORNERS] : node[(f) / EACH] + (offset)]\n"
             "#define OUT(f) out[(f) - EACH * CORNERS]\n"
             "#define UNIFORM(slot) w.uniform[slot]\n\n"
             "CELL void form_cell(const form_work &w, const long long *node, real *out)\n"
             "{\n",
             prism_gpu_head, prism_traversal, form_gpu_work, k->corners, 3 + k->fields,
             on_cells);
    TRY(emit_cell_lines(k->code, k->stage, t));
    return text_print(t, "}\n\n%s\n%s",
                      k->kind == ELEMENT_LID ? form_gpu_lids : form_gpu_columns,
                      form_gpu_gather);
}

/* ---- terms ------------------------------------------------------------------------- */

static pav_status upload(form_gpu *f, const symbol *field, void **to)
{
    const int64_t bytes = f->run->mesh->cells * (int64_t)sizeof(double);
    const double *values = form_values(f->run, field);

    if (!field->on_cells)
        return mesh_gpu_upload(&f->mesh, field->name, values, to);
    TRY(gpu_take(f->mesh.g, bytes, field->name, to));
    return gpu_upload(f->mesh.g, *to, values, bytes);
}

static pav_status add_term(form_gpu *f, const element *k, const mesh_sheet *sheet)
{
    term *one = &f->term[f->terms];
    const pav_mesh *m = f->run->mesh;
    gpu_module *module = NULL;
    OWNED_BY(text_free) text t = {0};

    *one = (term){.work = {.corner = sheet->corner,
                           .first = sheet->first,
                           .incident = sheet->incident,
                           .column = sheet->column,
                           .part = sheet->part,
                           .cells = sheet->cells,
                           .columns = sheet->columns,
                           .layers = m->layers,
                           .levels = m->levels,
                           .each = mesh_visit_each(m->layers),
                           .heights = sheet->heights,
                           .level = sheet->level}};
    if (sheet->cells == 0)
        return PAV_OK;
    TRY(form_gpu_source(k, &t));
    TRY(gpu_module_open(f->mesh.g, t.data, t.length, HOST_KEEP, &module));
    one->sums = gpu_module_find(module, "form_sums");
    one->gather = gpu_module_find(module, "form_gather");
    if (!one->sums || !one->gather)
        return FAIL(PAV_EINTERNAL, "a form's text for GPUs has no kernels");
    void *uniform;
    const int64_t bytes = (k->code->uniforms + 1) * (int64_t)sizeof *k->uniform;
    one->trial = -1;
    for (int a = 0; a < 3; a++)
        one->work.in[a] = f->mesh.at[a];
    for (int n = 0; n < k->fields; n++) {
        const symbol *field = k->field[n];
        if (field->kind != SYMBOL_FIELD) {
            one->trial = 3 + n;
            continue;
        }
        if (!f->field[field->index])
            TRY(upload(f, field, &f->field[field->index]));
        one->work.in[3 + n] = f->field[field->index];
    }
    TRY(gpu_take(f->mesh.g, bytes, "numbers of a form", &uniform));
    one->work.uniform = uniform;
    TRY(gpu_upload(f->mesh.g, uniform, k->uniform, bytes));
    f->terms++;
    return PAV_OK;
}

/* A sheet for the bottom or the top; it uses the memory of the volume's sheet. */
static mesh_sheet sheet_of_lid(const mesh_sheet *volume, int level)
{
    mesh_sheet s = *volume;

    s.heights = 1;
    s.level = level;
    return s;
}

pav_status form_gpu_add(form_gpu *f, const element *k, const char *border)
{
    mesh_sheet walls;

    if (k->empty)
        return PAV_OK;
    if (k->kind == ELEMENT_PRISM)
        return add_term(f, k, &f->volume);
    if (k->kind == ELEMENT_LID) {
        const mesh_sheet bottom = sheet_of_lid(&f->volume, 0),
                         top = sheet_of_lid(&f->volume, f->run->mesh->layers);
        if (strcmp(border, "top") != 0)
            TRY(add_term(f, k, &bottom));
        return strcmp(border, "bottom") != 0 ? add_term(f, k, &top) : PAV_OK;
    }
    TRY(mesh_sheet_walls(&f->mesh, border, &walls));
    return add_term(f, k, &walls);
}

/* ---- y = A x ----------------------------------------------------------------------- */

pav_status form_gpu_apply(void *context, const void *x, void *y)
{
    form_gpu *f = context;

    TRY(gpu_fill(f->mesh.g, y, 0, f->run->mesh->nodes * (int64_t)sizeof(double)));
    for (const term *one = f->term; one < f->term + f->terms; one++) {
        form_work w = one->work;
        if (one->trial >= 0)
            w.in[one->trial] = x;
        w.out = y;
        TRY(w.heights > 1 ? mesh_gpu_warps(&f->mesh, one->sums, &w, sizeof w,
                                           int_parts(w.cells, w.each))
                          : mesh_gpu_threads(&f->mesh, one->sums, &w, sizeof w, w.cells));
        TRY(mesh_gpu_warps(&f->mesh, one->gather, &w, sizeof w, w.columns));
    }
    return PAV_OK;
}

/* ---- prisms ------------------------------------------------------------------------ */

/* Prisms on a GPU. The mesh is uploaded once, vectors for each action. This file lists
 * the variants of the kernel and launches them. The kernels are CUDA written by hand,
 * because the language has no unstructured columns; the text of the cell is the CPU's. */

extern const char prism_cell_private[], prism_gpu_kernels[];

enum { RULE_NUMBERS = 200 };

typedef struct gpu_work { /* prism_work of kernels/fem/prism_gpu.cuh */
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
    /* The textbook's rule for `constant` and `accumulators`. */
    double rule[RULE_NUMBERS];
    float narrow[RULE_NUMBERS];
    gpu_constant *c = gpu_module_constant(
        p->module, "prism_rule", RULE_NUMBERS * (int64_t)pav_type_size(p->mesh.type));
    if (!c)
        return FAIL(PAV_EINTERNAL, "the kernels have no prism_rule");
    prism_reference_rule(rule);
    type_convert(PAV_F32, narrow, PAV_F64, rule, RULE_NUMBERS);
    TRY(gpu_constant_set(c, p->mesh.type == PAV_F32 ? (void *)narrow : (void *)rule));
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
static pav_status launch_cells(prism_gpu *p, bool mass)
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
    TRY(launch_cells(p, mass));
    TRY(gpu_mark(p->mesh.g, 1));
    TRY(mesh_gpu_fetch(&p->mesh, p->result, y));
    return gpu_seconds(p->mesh.g, 0, 1, &p->seconds);
}

double prism_gpu_seconds(const prism_gpu *p)
{
    return p->seconds;
}
