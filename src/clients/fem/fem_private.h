/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of fem: the textbook prism, operators over columns, matrices. */
#ifndef FEM_FEM_PRIVATE_H
#define FEM_FEM_PRIVATE_H

#include "fem/fem.h"

/* ---- the slow, obvious reference, in f64 (prism_operator.c) ------------------------ */

enum { PRISM_NODES = 6, PRISM_POINTS = 8 };

void prism_reference_matrix(const double *at, pav_form form,
                            double matrix[PRISM_NODES * PRISM_NODES]);
void prism_reference_action(const pav_mesh *m, pav_form form, const double *u, double *y);

/* At quadrature point 0 to 7: the shape functions, their gradients, and the point's
 * weight times its determinant. */
double prism_reference_point(const double *at, int number, double value[PRISM_NODES],
                             double gradient[PRISM_NODES][3]);
/* Eight points of 25 numbers: the weight, six values, their derivatives. */
void prism_reference_rule(double *rule);

/* ---- columns of prisms (prism_f64_*.c, prism_f32_*.c) ------------------------------ */

/* One triangle's column of cells. The sums of a cell's lower corners go to
 * low[corner*layers + layer], of its upper ones to high[...]; `matrix` to entry*layers +
 * layer of 27 (kernels/prism_cell_private.h has their order). */
typedef struct prism_column {
    const void *at[3][3]; /* [corner][axis], from level 0 on */
    const void *u[3];
    int layers;
    double stiffness, mass;
    void *low, *high, *matrix;
} prism_column;
typedef void prism_kernel(const prism_column *c);
typedef struct prism_kernels {
    prism_kernel *action, *mass, *matrix;
    int lanes;
} prism_kernels;
extern const prism_kernels prism_f64_plain, prism_f32_plain, prism_f64_vector,
    prism_f32_vector;

/* ---- operators over a mesh (prism_operator.c) -------------------------------------- */

/* How an operator is applied by threads. COLUMNS: chunks of one colour at the same time;
 * this needs no atomics, and gives the same bits for every number of threads. ATOMICS:
 * all chunks at the same time; sums at shared columns go by compare and swap, in any
 * order. REFERENCE: the textbook's loop, on one thread. */
typedef enum prism_method { PRISM_COLUMNS, PRISM_ATOMICS, PRISM_REFERENCE } prism_method;
typedef struct prism_operator {
    const pav_mesh *m;
    pav_form form;
    pav_type type; /* of u and y: f64 or f32 */
    prism_method method;
    const prism_kernels *kernels;
    host_team *team;
    int threads;
    const void *at[3]; /* the mesh's, or in f32 of its own */
    void *own[3];
    char *scratch; /* scratch_bytes of each thread */
    int64_t scratch_bytes;
} prism_operator;
/* Close *result even after a failure. */
pav_status prism_operator_open(const pav_mesh *m, pav_form form, pav_type type,
                               const char *method, int threads, prism_operator **result);
void prism_operator_close(prism_operator *o);
/* y = A u, or (mass alone, of coefficient 1) y = M u; in the operator's type. */
void prism_operator_apply(prism_operator *o, bool mass, const void *u, void *y);
/* Adds the sums of a column of cells. A node between two cells gets their sum, once. */
INLINE void prism_add_column(double *restrict y, const double *restrict low,
                             const double *restrict high, int layers)
{
    y[0] += low[0];
    for (int l = 1; l < layers; l++)
        y[l] += low[l] + high[l - 1];
    y[layers] += high[layers - 1];
}
/* Calls visit(context, triangle, thread) for all triangles, chunk by chunk. Triangles of
 * a common column never run at the same time. */
typedef void prism_visit(void *context, int64_t triangle, int thread);
void prism_for_triangles(prism_operator *o, prism_visit *visit, void *context);
/* Calls run(context, from, to) on about equal parts of 0 .. count - 1. */
typedef void prism_run(void *context, int64_t from, int64_t to);
void prism_for_parts(prism_operator *o, int64_t count, prism_run *run, void *context);
/* The column of a triangle, with the thread's scratch memory for results. */
prism_column prism_column_of(const prism_operator *o, int64_t triangle, const void *u,
                             int thread);

/* ---- matrices and lines along columns (multigrid_setup.c) -------------------------- */

/* A sparse matrix over columns of nodes. Entry e of row c couples column c to column
 * near[e]. Each entry has 3*levels values, for the level below, the same one and the one
 * above; or (each = 1) one value for all levels. */
typedef struct mesh_matrix {
    int64_t rows, each;
    int64_t *first; /* of a row's entries */
    int32_t *near;
    double *value;
} mesh_matrix;
/* The mesh's couplings, ascending, with values of 0; or each column's own alone. Close *a
 * whatever the status. */
pav_status mesh_matrix_open(const pav_mesh *m, bool whole, int64_t each, mesh_matrix *a);
void mesh_matrix_close(mesh_matrix *a);
/* The values of an entry, or NULL; and the value that couples two nodes. */
double *mesh_matrix_at(const mesh_matrix *a, int64_t row, int64_t column);
double *mesh_matrix_node(const mesh_matrix *a, int64_t row, int64_t column);

/* A matrix along each column: its diagonal, and the coupling of each of the n nodes to
 * the node above it, or NULL. Factored, it is the unit's lower part, and the diagonal. */
typedef struct mesh_lines {
    int64_t n;
    double *diagonal, *above;
} mesh_lines;

/* A grid of multigrid: its matrix and lines, the transfers to and from the next grid,
 * vectors for its cycle, and the largest eigenvalue of inv(lines) a, or 0 if the lines
 * solve it. Pointers are valid where the iterations run. */
enum { MESH_GRID_VECTORS = 4 };
typedef struct mesh_grid {
    mesh_matrix a, up, down;
    mesh_lines lines;
    double *vectors, largest;
} mesh_grid;

/* ---- sparse matrices (prism_csr.c) ------------------------------------------------- */

/* A row's entries lie by neighbouring columns, in each of them level below, this one,
 * above. */
typedef struct prism_csr {
    int64_t rows, entries;
    int64_t *first;
    int32_t *column;
    double *value;
} prism_csr;
pav_status prism_csr_open(prism_operator *o, prism_csr **result);
pav_matrix prism_csr_sizes(const prism_csr *a);
void prism_csr_take(prism_csr *a, const mesh_matrix *values);
void prism_csr_close(prism_csr *a);
pav_status prism_csr_assemble(prism_operator *o, prism_csr *a);
void prism_csr_multiply(prism_operator *o, const prism_csr *a, const double *x,
                        double *y);

/* ---- GPUs (mesh_gpu.c) ------------------------------------------------------------- */

enum { PRISM_GPU_VARIANTS = 4 };
extern const char *const prism_gpu_variants[PRISM_GPU_VARIANTS]; /* "best" first */
typedef struct prism_gpu prism_gpu;
bool mesh_has_gpu(const pav_device *device); /* gpu/ computes there */
/* Close *result even after a failure. */
pav_status prism_gpu_open(const pav_mesh *m, pav_form form, pav_type type,
                          const pav_device *device, const char *variant,
                          prism_gpu **result);
void prism_gpu_close(prism_gpu *p);
/* Vectors are the host's and f64, whatever the arithmetic. */
pav_status prism_gpu_apply(prism_gpu *p, bool mass, const double *u, double *y);
double prism_gpu_seconds(const prism_gpu *p); /* of the last, on the GPU alone */
pav_status prism_gpu_source(pav_type type, text *t);

/* ---- faces of borders (mesh_border.c) ---------------------------------------------- */

typedef struct prism_face {
    int corners; /* 3 or 4 */
    int64_t node[4];
    double mass[16];
} prism_face;
typedef struct prism_faces {
    prism_face *face;
    int64_t count;
} prism_faces;
pav_status prism_faces_open(const pav_mesh *m, const char *border, prism_faces *result);
void prism_faces_close(prism_faces *f);

/* ---- solving (krylov.c) ------------------------------------------------------------ */

enum {
    MESH_SOLVER_VECTORS = 9,
    MESH_SUM_BLOCK = 4096, /* nodes per partial sum */
    MESH_GRIDS = 32
};

/* The place of vectors and iterations: the host (mesh_space.c) or a GPU
 * (gpu/mesh_gpu.c), bitwise identical. Errors are kept in s->status. */
typedef struct mesh_solver mesh_solver;
typedef struct mesh_space {
    pav_status (*open)(mesh_solver *s, int vectors); /* fills vector, x and right */
    pav_status (*close)(mesh_solver *s);             /* x goes back to u; or NULL */
    /* y = a x + b y, of n numbers */
    void (*axpby)(mesh_solver *s, int64_t n, double a, const double *x, double b,
                  double *y);
    void (*copy)(mesh_solver *s, const double *x, double *y);
    void (*zero)(mesh_solver *s, double *y);
    void (*mask)(mesh_solver *s, const double *x, double *y);    /* 0 at fixed nodes */
    void (*restore)(mesh_solver *s, const double *x, double *y); /* x at fixed nodes */
    /* solves factored lines; r may be z */
    void (*lines)(mesh_solver *s, const mesh_lines *f, const double *r, double *z);
    /* y = b + sign m x; b may be NULL for 0, or y */
    void (*product)(mesh_solver *s, const mesh_matrix *m, double sign, const double *x,
                    const double *b, double *y);
    double (*dot)(mesh_solver *s, int64_t n, const double *x, const double *z);
    void (*act)(mesh_solver *s, const double *x, double *y);
} mesh_space;
extern const mesh_space mesh_space_host, mesh_space_gpu;
double mesh_sum_blocks(const double *sums, int64_t n); /* of n nodes */

/* apply: y = A x over all nodes, on the host. matrix: adds A, or a positive operator like
 * A, to the entries of an open matrix. u: given values at fixed nodes; b: the right-hand
 * side without them. */
struct mesh_solver {
    const pav_mesh *m;
    prism_operator *o; /* used for its threads */
    void *context;
    void (*apply)(void *context, const double *x, double *y);
    pav_status (*matrix)(void *context, bool positive, mesh_matrix *a);
    uint8_t *fixed;
    /* The preconditioner: none, lines alone, or multigrid. `at` is `grid` where the
     * iterations run. */
    mesh_grid grid[MESH_GRIDS], *at;
    int grids;
    bool unsymmetric; /* grids of multigrid have artificial diffusion */
    double *host[MESH_SOLVER_VECTORS],
        *sums; /* host[0] is for use before the iterations */
    double *u, *b;
    const mesh_space *space;
    void *place; /* of mesh_space_gpu: who owns the GPU */
    double *vector[MESH_SOLVER_VECTORS], *x,
        *right; /* u and b, where the iterations run */
    pav_status status;
    int64_t n, most;
    double tolerance, opened;
    pav_solve_result *result;
};
pav_status mesh_solver_open(const pav_mesh *m, prism_operator *o, double *u,
                            mesh_solver *s);
void mesh_solver_close(mesh_solver *s);
/* Nodes of a border get given values. */
pav_status mesh_solver_mark(mesh_solver *s, const char *border, const double *values);
/* method: NULL: minres where A may be indefinite. */
pav_status mesh_solver_run(mesh_solver *s, const char *method, bool indefinite,
                           const char *preconditioner, pav_solve_result *result);
/* Sets the lines of the preconditioners column and jacobi, or all grids of multigrid, on
 * the host (multigrid_setup.c). */
pav_status mesh_lines_open(mesh_solver *s, bool columns);
pav_status mesh_grids_open(mesh_solver *s);
/* One cycle, z = about inv(A) r (multigrid_cycle.c); lines alone are solved. */
void mesh_grids_cycle(mesh_solver *s, const double *r, double *z);

#endif
