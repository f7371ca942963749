/* SPDX-License-Identifier: BSD-3-Clause */
/* Explains a program on a mesh: operations and memory traffic per cell of each kernel,
 * pass by pass, and the memory of a run. */
#include "fem/form/form_private.h"

/* ---- costs of a kernel ------------------------------------------------------------- */

static const char *const cell_names[] = {"a node", "a cell", "a face between columns",
                                         "a triangle of the bottom or top"};

static void add_pass(void *user, const ir *code, const char *pass, const char *about,
                     const ir_cost *before, const ir_cost *after)
{
    (void)code;
    if (before->flops != after->flops || before->instructions != after->instructions)
        text_add(user, "  %-9s %lld flops, %lld instructions: %s\n", pass,
                 (long long)after->flops, (long long)after->instructions, about);
}

/* Built once more, watched. */
static pav_status trace(const element *k, text *t)
{
    const ir_trace trace_of = {.after = add_pass, .user = t};
    ir *code;

    TRY(ir_build(k->tree, &trace_of, &code));
    ir_free(code);
    return PAV_OK;
}

typedef struct cell_cost {
    int64_t flops, instructions, special, read, written;
} cell_cost;

static pav_status cost_of(const element *k, cell_cost *c)
{
    arena *a = arena_new();
    ir_analysis found;
    pav_status status;

    if (!a)
        return PAV_ENOMEM;
    ARENA_GUARD(a, status, (ir_analyse(k->code, k->stage, a, &found), PAV_OK));
    if (status == PAV_OK)
        *c = (cell_cost){found.cost.flops, found.cost.instructions, found.special,
                         found.bytes_read, found.bytes_written};
    arena_free(a);
    return status;
}

static void add_text(const symbol *form, const element *k, const cell_cost *c, text *t)
{
    text_add(t,
             "form %s, %s: %lld flops (%lld instructions, %lld of them divisions, roots "
             "or functions); %lld bytes loaded, %lld bytes of sums\n",
             form->name, cell_names[k->kind], (long long)c->flops,
             (long long)c->instructions, (long long)c->special, (long long)c->read,
             (long long)c->written);
}

static void add_json(const symbol *form, const element *k, const cell_cost *c, text *t)
{
    text_add(t, "{\"form\": ");
    text_add_json(t, form->name);
    text_add(t, ", \"of\": ");
    text_add_json(t, cell_names[k->kind]);
    text_add(t,
             ", \"flops\": %lld, \"instructions\": %lld, \"special\": %lld, "
             "\"bytes_loaded\": %lld, \"bytes_of_sums\": %lld}",
             (long long)c->flops, (long long)c->instructions, (long long)c->special,
             (long long)c->read, (long long)c->written);
}

static pav_status explain_kernel(const symbol *form, element_kind kind, bool json,
                                 text *t)
{
    const element_source o = {.kind = kind,
                              .form = form->value,
                              .test = form->argument[form->arguments - 1],
                              .real = PAV_F64};
    element k;
    cell_cost c = {0};

    TRY(element_open(&o, false, &k));
    pav_status status = k.empty ? PAV_OK : cost_of(&k, &c);
    if (status == PAV_OK && json)
        add_json(form, &k, &c, t);
    else if (status == PAV_OK)
        add_text(form, &k, &c, t);
    if (status == PAV_OK && !json && !k.empty)
        status = trace(&k, t);
    element_close(&k);
    return status;
}

static pav_status explain_form(const symbol *form, bool json, text *t)
{
    if (!form->border)
        return explain_kernel(form, ELEMENT_PRISM, json, t);
    if (form_has_walls(form->border))
        TRY(explain_kernel(form, ELEMENT_WALL, json, t));
    if (!form_has_lids(form->border))
        return PAV_OK;
    if (json && form_has_walls(form->border))
        text_add(t, ", ");
    return explain_kernel(form, ELEMENT_LID, json, t);
}

static pav_status explain(const program *p, bool json, text *t)
{
    text printed = {0};

    program_print(p, &printed);
    text_add(t, json ? "{\"program\": " : "%s\n",
             printed.data && !json ? printed.data : "");
    if (json) {
        text_add_json(t, printed.data);
        text_add(t, ", \"kernels\": [");
    }
    t->failed |= printed.failed;
    text_free(&printed);
    for (int64_t k = 0; k < p->forms.count; k++) {
        text_add(t, json && k ? ", " : "");
        TRY(explain_form(p->forms.item[k], json, t));
    }
    text_add(t, json ? "]}\n" : "");
    return PAV_OK;
}

static pav_status check(const pav_program *p, const void *result, const char *call)
{
    if (!p || !result)
        return FAIL(PAV_EINVAL, "%s needs a program and a place for the text", call);
    if (!p->tree.mesh)
        return FAIL(PAV_EINVAL, "%s is a program on a grid", p->tree.name);
    return PAV_OK;
}

pav_status pav_mesh_explain(const pav_program *p, int json, char **result)
{
    GUARDED;
    text t = {0};

    if (result)
        *result = NULL;
    TRY(check(p, result, "pav_mesh_explain"));
    const pav_status status = explain(&p->tree, json != 0, &t);
    if (status == PAV_OK)
        return text_take(&t, result);
    text_free(&t);
    return status;
}

/* ---- memory ------------------------------------------------------------------------ */

enum {
    MINRES_VECTORS = MESH_SOLVER_VECTORS,
    OTHER_VECTORS = 5 /* b, fixed, couplings */
};

/* Of one solve at a time: its vectors and the preconditioner, while that is made. */
static int64_t solver_bytes(const program *p, int64_t nodes)
{
    int64_t vectors = 0;

    for (const statement *s = p->first; s; s = s->next)
        if (s->kind == STATEMENT_SOLVE)
            vectors = MINRES_VECTORS + OTHER_VECTORS;
    return vectors * nodes * (int64_t)sizeof(double);
}

static int64_t mesh_bytes(const pav_mesh *m)
{
    return 3 * m->nodes * (int64_t)sizeof(double) +
           m->triangles * (int64_t)(6 * sizeof(int32_t) + 3 * sizeof(int64_t)) +
           m->columns * (int64_t)(3 * sizeof(double) + 2 * sizeof(int64_t));
}

static void add_line(text *t, bool json, const char *what, const char *key, int64_t bytes)
{
    if (json) {
        text_add(t, ", \"%s\": %lld", key, (long long)bytes);
        return;
    }
    text_add(t, "%-28s ", what);
    text_add_bytes_size(t, bytes);
    text_add(t, "\n");
}

static void add_memory(const pav_mesh_run *r, bool json, text *t)
{
    const pav_mesh *m = r->mesh;
    const int64_t mesh = mesh_bytes(m),
                  fields = r->p->fields.count * m->nodes * (int64_t)sizeof(double),
                  solver = solver_bytes(r->p, m->nodes), all = mesh + fields + solver;

    text_add(t, json ? "{\"cells\": %lld, \"nodes\": %lld" : "%lld cells, %lld nodes\n",
             (long long)m->cells, (long long)m->nodes);
    add_line(t, json, "the mesh", "mesh_bytes", mesh);
    add_line(t, json, "fields at the nodes", "field_bytes", fields);
    add_line(t, json, "a solve, at most", "solve_bytes", solver);
    add_line(t, json, "all", "all_bytes", all);
    add_line(t, json, "available", "available_bytes", mem_available());
    text_add(t, json ? "}\n" : "");
}

pav_status pav_mesh_run_plan(const pav_mesh_run *r, int json, char **result)
{
    GUARDED;
    text t = {0};

    if (!r || !result)
        return FAIL(PAV_EINVAL, "pav_mesh_run_plan needs a run and a place for the text");
    add_memory(r, json != 0, &t);
    return text_take(&t, result);
}
