/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of expressions: at all nodes, and numbers, in which reductions over the nodes
 * and integrals over the volume stand. */
#include <math.h>
#include <string.h>

#include "fem/form/form_private.h"

static pav_status known(void *context, const expr *e, const form_binding *bound,
                        double *value);

/* ---- at nodes ---------------------------------------------------------------------- */

enum { NODES = 256 * ELEMENT_ALIGNED };

/* So many nodes at once are a column without layers. */
static pav_status run_nodes(const pav_mesh_run *r, const element *k, double *values)
{
    double *out = mem_big(NODES * (int64_t)sizeof *out);
    pav_status status = out ? PAV_OK : PAV_ENOMEM;
    element_call c = {.out = {out}};

    for (int64_t first = 0; first < r->mesh->nodes && status == PAV_OK; first += NODES) {
        const int64_t left = r->mesh->nodes - first;
        c.layers = left < NODES ? left : NODES;
        for (int a = 0; a < 3; a++)
            c.at[0][a] = r->mesh->at[a] + first;
        for (int n = 0; n < k->fields; n++)
            c.field[0][n] = form_values(r, k->field[n]) + first;
        status = element_run(k, &c);
        memcpy(values + first, out, (size_t)c.layers * sizeof *out);
    }
    mem_big_free(out, NODES * (int64_t)sizeof *out);
    return status;
}

pav_status form_at_nodes(const pav_mesh_run *r, const expr *e, const form_binding *bound,
                         double *values)
{
    const element_source o = {.kind = ELEMENT_NODE,
                              .form = e,
                              .bound = bound,
                              .real = PAV_F64,
                              .once = true,
                              .context = (void *)r,
                              .known = known};
    element k;

    TRY(form_open(r, &o, &k));
    const pav_status status = run_nodes(r, &k, values);
    element_close(&k);
    return status;
}

/* ---- numbers ----------------------------------------------------------------------- */

static pav_status over_nodes(const pav_mesh_run *r, const expr *e,
                             const form_binding *bound, double *value)
{
    double *values = mem_new(r->mesh->nodes, sizeof *values);
    pav_status status = values ? form_at_nodes(r, e->arg[0], bound, values) : PAV_ENOMEM;

    if (status == PAV_OK)
        *value = interp_reduce(e->reduction, values, 0, r->mesh->nodes);
    mem_free(values);
    return status;
}

static pav_status over_volume(const pav_mesh_run *r, const expr *e,
                              const form_binding *bound, double *value)
{
    const element_source o = {.kind = ELEMENT_PRISM,
                              .form = e->arg[0],
                              .bound = bound,
                              .real = PAV_F64,
                              .once = true,
                              .context = (void *)r,
                              .known = known};
    element k;

    TRY(form_open(r, &o, &k));
    const form_sweep s = {.run = r, .k = &k};
    const pav_status status = form_sweep_integral(&s, value);
    element_close(&k);
    return status;
}

static pav_status known(void *context, const expr *e, const form_binding *bound,
                        double *value)
{
    const pav_mesh_run *r = context;

    if (e->kind == EXPR_SYMBOL)
        *value = r->measure[e->symbol->index];
    else if (e->reduction == REDUCTION_INTEGRAL)
        TRY(over_volume(r, e, bound, value));
    else
        TRY(over_nodes(r, e, bound, value));
    if (isfinite(*value))
        return PAV_OK;
    return FAIL(PAV_EINVAL, "%s:%d: %s is %g", r->p->name, e->at.line,
                e->kind == EXPR_SYMBOL ? e->symbol->name : reduction_names[e->reduction],
                *value);
}

static pav_status write_scalar(const pav_mesh_run *r, const expr *e, text *t)
{
    form_writer w = {.t = t, .point = -1, .context = (void *)r, .known = known};

    text_add(t, e->boolean ? "where(" : "");
    form_write_value(&w, e, NULL);
    text_add(t, e->boolean ? ", 1, 0)" : "");
    TRY(w.status);
    return t->failed ? PAV_ENOMEM : PAV_OK;
}

static pav_status evaluate(const char *source, double *value)
{
    static const double zero = 0;
    const double *const at[3] = {&zero, &zero, &zero};
    node_expression *e;

    TRY(node_expression_open(source, &e));
    const pav_status status = node_expression_values(e, at, 1, value);
    node_expression_free(e);
    return status;
}

pav_status form_scalar(const pav_mesh_run *r, const expr *e, double *value)
{
    text t = {0};
    pav_status status = write_scalar(r, e, &t);

    if (status == PAV_OK)
        status = evaluate(t.data, value);
    text_free(&t);
    return status;
}
