/* SPDX-License-Identifier: BSD-3-Clause */
/* An element kernel, from its description to a function over a column of cells: by the
 * interpreter, or compiled. */
#include <string.h>

#include "fem/form/form_private.h"

/* ---- opening ----------------------------------------------------------------------- */

/* The stage that stores level +1. */
static const ir_stage *stage_of(const ir *code)
{
    return code->step.count == 1 ? &code->stage[code->step.stage[0]] : NULL;
}

/* Computes the constants of all cells, such as exp(2), once. */
static pav_status set_uniforms(element *k)
{
    interp_args args = {.code = k->code};

    k->bare = *k->stage;
    k->bare.before = -1;
    k->uniform = mem_new(k->code->uniforms + 1, sizeof *k->uniform);
    if (!k->uniform)
        return PAV_ENOMEM;
    if (k->stage->before < 0)
        return PAV_OK;
    args.uniform = k->uniform;
    args.stage = &k->code->stage[k->stage->before];
    return interp_stage(&args);
}

static pav_status parse(element *k, const text *t)
{
    const pav_program_options options = {.name = "element kernel"};

    TRY(program_parse(t->data, t->length, &options, &k->tree));
    TRY(ir_build(k->tree, NULL, &k->code));
    k->stage = stage_of(k->code);
    if (!k->stage)
        return FAIL(PAV_EINTERNAL, "an element kernel is not one stage but %lld",
                    (long long)k->code->step.count);
    k->slot = mem_new(k->stage->count + k->stage->outputs, sizeof *k->slot);
    if (!k->slot)
        return PAV_ENOMEM;
    k->slots = emit_slots(k->stage, k->slot);
    return set_uniforms(k);
}

static pav_status compile(element *k)
{
    char name[EMIT_NAME];
    text source = {0};
    const ir *code = k->code;

    emit_kernel_name(name, 0, k->stage - code->stage);
    pav_status status = emit_source(&code, 1, "An element kernel", &source, NULL);
    if (status == PAV_OK)
        status = host_module_open(source.data, source.length, HOST_KEEP, &k->module);
    text_free(&source);
    if (status == PAV_OK)
        k->kernel = (emit_kernel *)host_module_find(k->module, name);
    return status;
}

pav_status element_open(const element_source *o, bool compiled, element *k)
{
    text t = {0};

    *k = (element){0};
    pav_status status = element_write(o, k, &t);
    if (status == PAV_OK && !k->empty)
        status = parse(k, &t);
    text_free(&t);
    if (status == PAV_OK && compiled && !k->empty && emit_has_kernel(k->stage))
        status = compile(k);
    if (status != PAV_OK)
        element_close(k);
    return status;
}

void element_close(element *k)
{
    if (k->module)
        host_module_close(k->module);
    if (k->tree)
        program_free(k->tree);
    ir_free(k->code);
    mem_free(k->slot);
    mem_free(k->uniform);
    *k = (element){0};
}

/* ---- running ----------------------------------------------------------------------- */

/* Fields of the description are 3 + fields of each corner, then the outputs. */
static void *memory_of(const element *k, const element_call *c, int field)
{
    const int each = 3 + k->fields, corner = field / each, n = field % each;

    if (corner >= k->corners)
        return c->out[field - each * k->corners];
    return n < 3 ? (void *)c->at[corner][n] : (void *)c->field[corner][n - 3];
}

static pav_status interpret(const element *k, const element_call *c)
{
    enum { MOST = 3 * (3 + FORM_FIELDS) + 6 };
    view v[MOST];
    const view *level[MOST][2];
    const view *const *all[MOST];

    for (int f = 0; f < k->code->fields; f++) {
        v[f] = (view){.data = memory_of(k, c, f),
                      .type = k->stage->real,
                      .extent = {c->layers, 1, 1},
                      .stride = {1, c->layers + 1, c->layers + 1},
                      .halo = {{0, 1}, {0, 0}, {0, 0}}};
        const bool out = f >= k->corners * (3 + k->fields);
        level[f][0] = out ? &v[f] : NULL;
        level[f][1] = out ? NULL : &v[f];
        all[f] = level[f];
    }
    const interp_args args = {.code = k->code,
                              .stage = &k->bare,
                              .view = all,
                              .uniform = k->uniform,
                              .box = {{0, 0, 0}, {c->layers, 1, 1}}};
    return interp_stage(&args);
}

pav_status element_run(const element *k, const element_call *c)
{
    emit_grid grid[3 * (3 + FORM_FIELDS) + 6];

    if (!k->kernel)
        return interpret(k, c);
    for (int64_t s = 0; s < k->slots; s++)
        grid[s] = (emit_grid){memory_of(k, c, k->slot[s].field), c->layers + 1,
                              c->layers + 1};
    const emit_work work = {.hi = {c->layers, 1, 1},
                            .grid = grid,
                            .uniform = k->uniform,
                            .block = 1,
                            .several_rows = 1};
    k->kernel(&work);
    return PAV_OK;
}
