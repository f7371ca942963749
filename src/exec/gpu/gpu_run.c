/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens a subdomain on a GPU: the GPU, its kernels, and kernels of the host for stages
 * without a GPU kernel. */
#include <stdio.h>
#include <string.h>

#include "exec/gpu/gpu_private.h"

enum { LONGEST_PERIOD = 12 };

/* ---- memory ------------------------------------------------------------------------ */

static pav_status take_folds(gpurun *g)
{
    int64_t values, rows;
    gpurun_reduction_counts(g->base.part->code, &values, &rows);
    TRY(gpurun_take(g, sizeof *g->not_finite, "the NaN check", (void **)&g->not_finite));
    if (values == 0)
        return PAV_OK;
    TRY(gpurun_take(g, values * (int64_t)sizeof(double), "reductions",
                    (void **)&g->reduced));
    return gpurun_take(g, rows * (int64_t)sizeof(double), "rows of reductions",
                       (void **)&g->rows);
}

/* ---- stages for the host ----------------------------------------------------------- */

static const char *why_not(const ir_stage *s)
{
    if (emit_gpu_differs(s))
        return "functions of the host's library";
    return ir_reads_new_neighbours(s) ? "it reads what it changes nearby"
                                      : "it is too long";
}

static bool is_hosts(const gpurun *g, int64_t stage)
{
    return g->stage[stage].variants == 0 && g->stage[stage].slots > 0;
}

static void list_hosts(const gpurun *g, text *t)
{
    const ir *code = g->base.part->code;
    for (int64_t n = 0; n < code->stages; n++)
        if (is_hosts(g, n))
            text_add(t, "%s%s (%s)", t->length > 0 ? ", " : "", code->stage[n].name,
                     why_not(&code->stage[n]));
}

static pav_status compile_hosts(gpurun *g)
{
    exec_client *client = g->client;
    kernel_set *set = NULL;
    host_team *team;
    const ir *const code[] = {g->base.part->code};
    TRY(client->ops->host_team(client, &team));
    TRY(kernel_set_open(code, 1, kernel_head(false), HOST_KEEP, &set));
    return kernels_open(g->base.part, set, true, 0, NULL, client, team, &g->host);
}

/* Reports once for a run, even with several subdomains and GPUs. */
static void report_hosts(const gpurun *g, const text *list, pav_status status)
{
    const char *name = gpu_name(g->gpu);
    if (g->client->noted_hosts)
        return;
    g->client->noted_hosts = true;
    if (status != PAV_OK && status != PAV_ENOMEM)
        exec_warn(g->client, "the interpreter runs on the host what %s cannot: %s; %s",
                  name, list->data, pav_message());
    else
        exec_note(g->client, "the host runs what %s cannot: %s", name, list->data);
}

/* If the host has no compiler, the interpreter runs these stages. */
static pav_status open_hosts(gpurun *g)
{
    text list = {0};
    list_hosts(g, &list);
    if (!list.data)
        return PAV_OK;
    const pav_status status = g->of_stage[0] && !g->client->rough ? compile_hosts(g)
                                                                  : PAV_OK;
    report_hosts(g, &list, status);
    g->client->ops->has_kernels(g->client, g->host != NULL);
    text_free(&list);
    return status == PAV_ENOMEM ? status : PAV_OK;
}

/* ---- opening and closing ----------------------------------------------------------- */

/* Compiles the program once for each candidate schedule of any stage. */
static pav_status compile(gpurun *g)
{
    const ir *code[EMIT_GPU_CANDIDATES];
    const schedule *candidates[EMIT_GPU_CANDIDATES];
    for (int n = 0; n < EMIT_GPU_CANDIDATES; n++) {
        code[n] = g->base.part->code;
        candidates[n] = g->of_stage[n];
    }
    return place_set_open(g->gpu, code, EMIT_GPU_CANDIDATES, candidates,
                          kernel_head(true), HOST_KEEP, &g->set);
}

static pav_status make_kernels(gpurun *g)
{
    TRY(gpurun_choose(g));
    TRY(compile(g));
    g->set->candidates = NULL;
    const char *notes[] = {gpu_module_note(g->set->kernels),
                           gpu_module_note(g->set->common)};
    if (*notes[0] || *notes[1])
        exec_warn(g->client, "%s", *notes[0] ? notes[0] : notes[1]);
    return PAV_OK;
}

static pav_status take_lists(gpurun *g)
{
    const ir *code = g->base.part->code;
    g->table = mem_new(code->tables + 1, sizeof *g->table);
    g->inject = mem_new(code->injections.count + 1, sizeof *g->inject);
    if (!g->table || !g->inject)
        return PAV_ENOMEM;
    TRY(mirrors_prepare(g));
    return take_folds(g);
}

/* Number of steps after which every level is in its first buffer again. */
static int64_t period_of(const ir *code, bool fuses_steps)
{
    int64_t period = 1;
    for (int64_t f = 0; f < code->fields; f++) {
        const int64_t turns = code->field[f].updated
                                  ? field_buffers(&code->field[f], fuses_steps)
                                  : 1;
        int64_t whole = period;
        while (whole % turns != 0)
            whole += period;
        period = whole;
    }
    return period <= LONGEST_PERIOD ? period : 0;
}

pav_status gpurun_compile(gpurun *g)
{
    g->period = period_of(g->base.part->code, g->base.part->fuses_steps);
    if (g->owned)
        TRY(make_kernels(g));
    TRY(gpu_stages_open(g));
    TRY(gpu_scalars_open(g));
    TRY(gpu_choice_open(g));
    gpu_choice_begin(g);
    TRY(open_hosts(g));
    return take_lists(g);
}

static void give_memory(gpurun *g)
{
    for (int64_t k = 0; k < g->blocks; k++)
        gpu_release(g->gpu, g->memory[k]);
    gpu_drop_box(&g->base, &g->packed);
    mem_free(g->memory);
}

static void close_gpurun(executor *self)
{
    gpurun *g = (gpurun *)self;
    if (g->host)
        g->host->ops.close(g->host);
    gpu_inject_close(g);
    gpu_choice_close(g);
    gpu_stages_close(g);
    gpu_scalars_close(g);
    mirrors_close(g);
    mem_free(g->transfer);
    give_memory(g);
    if (g->owned && g->set)
        place_set_close(g->set);
    if (g->owned && g->gpu && !g->borrowed)
        gpu_close(g->gpu);
    for (int n = 0; n < EMIT_GPU_CANDIDATES && g->owned; n++)
        mem_free(g->of_stage[n]);
    mem_free(g->table);
    mem_free(g->host_views);
    mem_free(g->host_view);
    mem_free(g);
}

static pav_status open_for(const gpurun *like, subdomain *part, gpurun **result)
{
    gpurun *g = mem_new(1, sizeof *g);
    *result = g;
    if (!g)
        return PAV_ENOMEM;
    *g = *like;
    g->base = (executor){.ops = gpu_executor_ops(),
                         .part = part,
                         .line = GPU_LINE,
                         .compiled = true,
                         .own_memory = true,
                         .asynchronous = true,
                         .place_ops = &gpu_place_ops};
    g->base.ops.close = close_gpurun;
    subdomain_use(part, &g->base);
    return PAV_OK;
}

static void stand_on(gpurun *g)
{
    g->base.place = g->gpu;
    g->base.full = gpu_full_points(gpu_facts_of(g->gpu));
}

pav_status gpurun_open(exec_client *client, subdomain *part, const place_source *from,
                       executor **result)
{
    const place_set *set = from->set;
    gpu *borrowed = from->like ? executor_gpu(from->like) : NULL;
    gpurun *g;
    const gpurun like = {.client = client,
                         .set = (place_set *)(uintptr_t)set,
                         .gpu = set ? set->gpu : borrowed,
                         .owned = !set,
                         .borrowed = borrowed != NULL,
                         .number = from->number,
                         .planes = from->planes};
    TRY(open_for(&like, part, &g));
    *result = &g->base;
    if (!g->gpu)
        TRY(gpu_open(from->device, &g->gpu));
    stand_on(g);
    return PAV_OK;
}

pav_status gpurun_open_another(const gpurun *first, subdomain *part)
{
    gpurun like = {.client = first->client,
                   .set = first->set,
                   .gpu = first->gpu,
                   .number = first->number,
                   .planes = first->planes};
    gpurun *g;
    memcpy(like.of_stage, first->of_stage, sizeof like.of_stage);
    TRY(open_for(&like, part, &g));
    stand_on(g);
    return gpurun_compile(g);
}

gpu *executor_gpu(const executor *e)
{
    return e->place_ops == &gpu_place_ops ? ((const gpurun *)e)->gpu : NULL;
}
