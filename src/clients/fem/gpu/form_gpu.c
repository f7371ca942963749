/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated forms on a GPU. The IR of an element kernel becomes a CUDA C++ function of
 * one cell, called by threads along columns. Contributions of cells to a node are
 * gathered in the order of the host's sums. */
#include <string.h>

#include "base/functions/functions.h"
#include "fem/gpu/fem_gpu_private.h"

extern const char prism_gpu_head[], prism_traversal[], form_gpu_work[],
    form_gpu_columns[], form_gpu_lids[], form_gpu_gather[];

enum { FORM_INPUTS = 3 + FORM_FIELDS, FORM_GPU_TERMS = 4 * MAX_ARGUMENTS };

typedef struct form_work { /* of kernels/fem/form_gpu_work.cuh */
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
    form_gpu *f = r->gpu ? mem_new(1, sizeof *f) : NULL;

    *result = f; /* the caller closes it whatever the status */
    if (!f)
        return r->gpu ? PAV_ENOMEM : PAV_OK;
    f->run = r;
    TRY(mesh_gpu_open(r->mesh, r->gpu, PAV_F64, &f->mesh));
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
    if (ir_has_functions(k->stage))
        text_add(t,
                 "typedef unsigned uint32_t;\ntypedef long long int64_t;\n"
                 "typedef unsigned long long uint64_t;\n"
                 "#define INLINE __device__ __forceinline__\n%s\n%s\n%s\n#undef FMA\n",
                 function_cuda_private, function_series_private, function_text_private);
    text_add(t,
             "typedef double real;\n#define FMA(a, b, c) fma(a, b, c)\n%s\n%s\n%s\n"
             "enum { CORNERS = %d, EACH = %d };\n"
             "#define IN(f, offset) w.in[(f) %% EACH][node[(f) / EACH] + (offset)]\n"
             "#define OUT(f) out[(f) - EACH * CORNERS]\n"
             "#define UNIFORM(slot) w.uniform[slot]\n\n"
             "CELL void form_cell(const form_work &w, const long long *node, real *out)\n"
             "{\n",
             prism_gpu_head, prism_traversal, form_gpu_work, k->corners, 3 + k->fields);
    TRY(emit_cell_lines(k->code, k->stage, t));
    return text_print(t, "}\n\n%s\n%s",
                      k->kind == ELEMENT_LID ? form_gpu_lids : form_gpu_columns,
                      form_gpu_gather);
}

/* ---- terms ------------------------------------------------------------------------- */

static pav_status set_inputs(form_gpu *f, const element *k, term *one)
{
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
            TRY(mesh_gpu_upload(&f->mesh, field->name, form_values(f->run, field),
                                &f->field[field->index]));
        one->work.in[3 + n] = f->field[field->index];
    }
    TRY(gpu_take(f->mesh.g, bytes, "numbers of a form", &uniform));
    one->work.uniform = uniform;
    return gpu_upload(f->mesh.g, uniform, k->uniform, bytes);
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
    TRY(set_inputs(f, k, one));
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
