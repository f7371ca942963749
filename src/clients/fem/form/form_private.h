/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs on a mesh. An element kernel is itself a description with one axis, the layers
 * above a triangle. The columns of nodes at the triangle's corners are fields, `X0[1] -
 * X0` is an edge upwards, and the equations give the cell's contributions to its nodes.
 * So forms use the IR, the passes, the interpreter and the emitters of stencils, and are
 * bitwise identical on all devices. */
#ifndef FEM_FORM_PRIVATE_H
#define FEM_FORM_PRIVATE_H

#include "codegen/codegen.h"
#include "fem/fem_private.h"
#include "interp/interp.h"
#include "io/io.h"
#include "lang/lang.h"
#include "plan/plan.h"

/* ---- expressions as text (form_text.c) --------------------------------------------- */

enum { FORM_FIELDS = 24 /* of one kernel, the trial function included */ };

/* A field, or the trial function, read by a kernel at the nodes. */
typedef struct form_field {
    const symbol *symbol;
    bool value, gradient; /* the parts read by the kernel */
} form_field;

/* The value of an argument of a let. */
typedef struct form_binding form_binding;
struct form_binding {
    const symbol *argument;
    const expr *value;
    const form_binding *inside, *next; /* of the value itself; of this let */
};

typedef struct form_writer {
    text *t;
    const symbol *test; /* NULL: there is none */
    int fields;
    form_field field[FORM_FIELDS];
    bool overflow; /* more fields than FORM_FIELDS */
    bool points;   /* coordinates are read */
    int point;     /* number of the quadrature point; -1: the value has no place */
    /* true: measures and reductions are written as numbers known to the caller */
    void *context;
    pav_status (*known)(void *context, const expr *e, const form_binding *bound,
                        double *value);
    pav_status status;
} form_writer;
/* The factor of the test function (part 0), or of its derivative along x, y, z (parts 1
 * to 3); false: it is 0. */
bool form_write_part(form_writer *w, const expr *e, int part);
void form_write_value(form_writer *w, const expr *e, const form_binding *bound);

/* ---- element kernels (element.c) --------------------------------------------------- */

/* NODE: an expression at the nodes. Forms over the volume, over faces between two
 * columns, over triangles of the bottom or top. */
typedef enum element_kind {
    ELEMENT_NODE,
    ELEMENT_PRISM,
    ELEMENT_WALL,
    ELEMENT_LID
} element_kind;

/* The source of a kernel: a form, or its parts with the test function itself or with its
 * gradient; or (test NULL) the integral or the values of an expression. */
typedef enum element_parts { ELEMENT_ALL, ELEMENT_VALUES, ELEMENT_SLOPES } element_parts;
typedef struct element_source {
    element_kind kind;
    element_parts parts;
    const expr *form;
    const form_binding *bound;
    const symbol *test;
    pav_type real;
    bool once;     /* runs only once, so it is compiled only for a large mesh */
    void *context; /* passed to `known` */
    pav_status (*known)(void *context, const expr *e, const form_binding *bound,
                        double *value);
} element_source;

/* corners: columns of nodes of the cell. outputs: results of the kernel: 2*corners for
 * the lower and upper nodes of a cell, `corners` for a triangle of the bottom or top, 1
 * for an integral or a value at nodes. */
typedef struct element {
    element_kind kind;
    bool empty; /* the form has no term of these parts */
    int corners, outputs;
    int fields;
    const symbol
        *field[FORM_FIELDS]; /* in the order of slots; the trial function is one */
    program *tree;
    ir *code;
    const ir_stage *stage;
    ir_stage bare;   /* the same, with constants of all points moved to `uniform` */
    double *uniform; /* slots of the IR */
    int64_t slots;
    emit_slot *slot;
    host_module *module;
    emit_kernel *kernel; /* NULL: it is interpreted */
} element;
/* Close *k whatever the status. */
pav_status element_open(const element_source *o, bool compiled, element *k);
void element_close(element *k);

/* Alignment: values of an output begin at a multiple of this number. Values of an input
 * have MESH_PADDING values behind the last. */
enum { ELEMENT_ALIGNED = 16 };
/* Columns of cells: at[corner][axis], field[corner][slot of the kernel's fields],
 * out[outputs], each from layer 0. */
typedef struct element_call {
    const void *at[3][3], *field[3][FORM_FIELDS];
    void *out[6];
    int64_t layers;
} element_call;

/* ---- a run (form_run.c and those it calls) ----------------------------------------- */

struct pav_mesh_run {
    const program *p;
    const char *directory;
    bool compiled, no_files, allow_outside;
    const pav_device *gpu; /* place of the iterations; NULL: the host */
    pav_mesh *mesh;
    prism_operator *team; /* its threads */
    double **value;       /* of each field of the program */
    double *measure;      /* of each measure */
    int64_t solves, expectations, failed;
    struct form_solved {
        const statement *s;
        const char *method, *preconditioner; /* the latter: NULL for column */
        int grids;                           /* of multigrid */
        double complexity; /* entries of all grids' matrices / those of the finest */
        pav_solve_result result;
    } * solved;
    prism_csr *matrix; /* the last requested matrix */
    io_origin origin;  /* for the files */
    text why;          /* failures: one sentence per line */
    pav_status status; /* of pav_mesh_run_finish, and its sentence */
    text message;
};
pav_status form_open(const pav_mesh_run *r, const element_source *o, element *k);
const double *form_values(const pav_mesh_run *r, const symbol *field);

/* form_sweep.c: y += the kernel's sums over the volume, or over the faces of a border. u:
 * values of the trial function. The kind of the kernel selects the walls or the lids of
 * the border. */
typedef struct form_sweep {
    const pav_mesh_run *run;
    const element *k;
    const char *border;
    const double *u;
    double *y;
} form_sweep;
pav_status form_sweep_add(const form_sweep *s);
/* Adds the kernel's matrix to the entries of a matrix. */
pav_status form_sweep_matrix(const form_sweep *s, mesh_matrix *matrix);
/* True if kernels of this kind belong to a border, or (NULL) to the volume. */
bool form_covers(const char *border, element_kind kind);

/* form_solve.c, form_sweep.c */
pav_status form_solve(pav_mesh_run *r, const statement *s);
pav_status form_at_nodes(const pav_mesh_run *r, const expr *e, const form_binding *bound,
                         double *values);
pav_status form_scalar(const pav_mesh_run *r, const expr *e, double *value);

#endif
