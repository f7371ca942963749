/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of a run on a mesh, for people and in JSON. */
#include "fem/form/form_private.h"

static void add_mesh(const pav_mesh_run *r, text *t)
{
    const pav_mesh *m = r->mesh;

    text_add(t, "%s: %lld cells in %d layers, %lld nodes, volume %.6g\n",
             r->p->mesh->path, (long long)m->cells, m->layers, (long long)m->nodes,
             m->volume);
}

static const char *where(const pav_mesh_run *r)
{
    return r->gpu ? r->gpu->name : r->compiled ? "cpu" : "interpreter";
}

static void add_solve(const pav_mesh_run *r, const struct form_solved *s, text *t)
{
    text_add(t, "%s by %s: %lld iterations, residual %.2e, ", s->s->symbol->name,
             s->method, (long long)s->result.iterations, s->result.residual);
    text_add_duration(t, s->result.seconds);
    text_add(t, " on %s, of which ", where(r));
    text_add_duration(t, s->result.setup_seconds);
    text_add(t, " before the first iteration\n");
}

static void add_text(const pav_mesh_run *r, text *t)
{
    add_mesh(r, t);
    for (int64_t k = 0; k < r->solves; k++)
        add_solve(r, &r->solved[k], t);
    for (int64_t k = 0; k < r->p->measures.count; k++)
        text_add(t, "%s = %.9g\n", r->p->measures.item[k]->name, r->measure[k]);
    if (r->expectations > 0)
        text_add(t, "%lld of %lld expectations hold\n",
                 (long long)(r->expectations - r->failed), (long long)r->expectations);
}

static void add_json_solve(const struct form_solved *s, text *t)
{
    text_add(t, "{\"field\": ");
    text_add_json(t, s->s->symbol->name);
    text_add(t, ", \"method\": ");
    text_add_json(t, s->method);
    text_add(t,
             ", \"iterations\": %lld, \"residual\": ", (long long)s->result.iterations);
    text_add_json_double(t, s->result.residual);
    text_add(t, ", \"seconds\": ");
    text_add_json_double(t, s->result.seconds);
    text_add(t, ", \"setup_seconds\": ");
    text_add_json_double(t, s->result.setup_seconds);
    text_add(t, "}");
}

static void add_json(const pav_mesh_run *r, text *t)
{
    const pav_mesh *m = r->mesh;

    text_add(t, "{\"status\": \"%s\", \"message\": ", pav_status_name(r->status));
    text_add_json(t, r->message.data ? r->message.data : "");
    text_add(t, ", \"mesh\": ");
    text_add_json(t, r->p->mesh->path);
    text_add(t, ", \"device\": ");
    text_add_json(t, where(r));
    text_add(t, ", \"cells\": %lld, \"layers\": %d, \"nodes\": %lld, \"volume\": ",
             (long long)m->cells, m->layers, (long long)m->nodes);
    text_add_json_double(t, m->volume);
    text_add(t, ", \"solves\": [");
    for (int64_t k = 0; k < r->solves; k++) {
        text_add(t, k ? ", " : "");
        add_json_solve(&r->solved[k], t);
    }
    text_add(t, "], \"measures\": {");
    for (int64_t k = 0; k < r->p->measures.count; k++) {
        text_add(t, k ? ", " : "");
        text_add_json(t, r->p->measures.item[k]->name);
        text_add(t, ": ");
        text_add_json_double(t, r->measure[k]);
    }
    text_add(t, "}, \"expectations\": %lld, \"failed\": %lld}\n",
             (long long)r->expectations, (long long)r->failed);
}

pav_status pav_mesh_run_report(const pav_mesh_run *r, int json, char **result)
{
    GUARDED;
    text t = {0};

    if (!r || !result)
        return FAIL(PAV_EINVAL,
                    "pav_mesh_run_report needs a run and a place for the text");
    if (json)
        add_json(r, &t);
    else
        add_text(r, &t);
    return text_take(&t, result);
}
