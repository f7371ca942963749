/* SPDX-License-Identifier: BSD-3-Clause */
/* GPUs as places: sets of kernels, and the executor of a subdomain from opening to
 * closing. */
#include <stdio.h>
#include <string.h>

#include "exec/gpu/gpu_private.h"

/* ---- sets of kernels --------------------------------------------------------------- */

/* Kernels for a GPU, of one program or many, from the IR to functions. Common kernels
 * form a module of their own: their text never changes, so they are compiled once and
 * kept. */

pav_status gpu_open_text(gpu *g, pav_status emitted, const text *source, unsigned how,
                         gpu_module **module)
{
    TRY(emitted);
    return source->failed ? PAV_ENOMEM
                          : gpu_module_open(g, source->data, source->length, how, module);
}

static pav_status find_common(place_set *set)
{
    const struct {
        const char *name;
        gpu_kernel **kernel;
    } common[] = {
        {"run_ghosts", &set->ghosts},       {"run_borders", &set->borders},
        {"run_samples", &set->samples},     {"run_reductions", &set->reductions},
        {"run_check_nan", &set->nan_check}, {"run_copy", &set->copy},
    };
    for (size_t n = 0; n < COUNT_OF(common); n++) {
        *common[n].kernel = gpu_module_find(set->common, common[n].name);
        if (!*common[n].kernel)
            return FAIL(PAV_EINTERNAL, "the compiled kernels lack %s", common[n].name);
    }
    return PAV_OK;
}

RELEASES(close_set, place_set, place_set_close)

pav_status place_set_open(gpu *g, const ir *const *code, int64_t count,
                          const schedule *const *candidates, const char *head,
                          unsigned how, place_set **result)
{
    *result = NULL;
    NEW_BY(close_set, place_set, set, 1);
    *set = (place_set){.gpu = g, .candidates = candidates};
    OWNED_BY(text_free) text common = {0}, source = {0};
    emit_gpu_common(&common);
    TRY(gpu_open_text(g, PAV_OK, &common, HOST_KEEP, &set->common));
    TRY(find_common(set));
    TRY(gpu_open_text(
        g, emit_gpu_shared_source(code, count, candidates, head, &set->shared, &source),
        &source, how, &set->kernels));
    *result = mem_hand_over(&set);
    return PAV_OK;
}

pav_status place_set_add_launches(place_set *set, const ir *const *code, int64_t count,
                                  const schedule *const *fused, const char *head,
                                  unsigned how)
{
    OWNED_BY(text_free) text source = {0};
    set->fused = fused;
    return gpu_open_text(set->gpu,
                         emit_gpu_fused_source(code, count, fused, head, &source),
                         &source, how, &set->launches);
}

const schedule *place_set_fused(const place_set *set, int64_t number)
{
    return set->fused ? set->fused[number] : NULL;
}

void place_set_close(place_set *set)
{
    if (!set)
        return;
    gpu_module_close(set->kernels);
    gpu_module_close(set->common);
    gpu_module_close(set->launches);
    emit_shared_kernels_free(&set->shared);
    mem_free(set);
}

/* ---- operations of the executor ---------------------------------------------------- */

/* Operations of the executor on a GPU. */

static pav_status wait(executor *self)
{
    return gpu_wait(gpurun_of(self)->gpu);
}

/* Waits, so that the seconds of steps exclude the initial values. */
static pav_status begin(executor *self)
{
    gpurun_of(self)->begun = true;
    TRY(gpu_scalars_upload(gpurun_of(self), self->part->uniform));
    return wait(self);
}

/* A single step reads ghosts left stale by fused launches. */
static pav_status begin_step(executor *self)
{
    return gpurun_of(self)->ghosts_stale ? gpu_fill_borders(gpurun_of(self)) : PAV_OK;
}

static pav_status end_step(executor *self)
{
    return gpurun_step(gpurun_of(self), false);
}

static pav_status end_borders(executor *self)
{
    return gpu_borders_done(gpurun_of(self));
}

static pav_status advance(executor *self, int64_t most)
{
    return gpu_choice_steps(gpurun_of(self), most);
}

/* ---- reports ----------------------------------------------------------------------- */

static bool is_tuned(const executor *self)
{
    const gpurun *g = (const gpurun *)self;
    return gpu_choice_is_tuned(g) && (g->fused || gpu_stages_are_tuned(self));
}

static bool has_schedule(const gpu_stage *s, schedule_kind kind)
{
    return s->variants > 0 && s->variant[0].what.schedule.kind == kind;
}

static const char *gpu_stages_schedule(const executor *self)
{
    const gpurun *g = (const gpurun *)self;
    const ir_list *step = &g->base.part->code->step;
    bool pointwise = false, streams = false, split = false;
    for (int64_t n = 0; n < step->count; n++) {
        const gpu_stage *s = &g->stage[step->stage[n]];
        const bool part = g->base.part->code->stage[step->stage[n]].part > 0;
        pointwise |= has_schedule(s, SCHEDULE_POINT);
        streams |= has_schedule(s, SCHEDULE_SWEEP) && !part;
        split |= part;
    }
    if (pointwise + streams + split > 1)
        return "mixed";
    return schedule_name(split     ? SCHEDULE_TWO_PASS
                         : streams ? SCHEDULE_SWEEP
                                   : SCHEDULE_POINT);
}

static const char *schedule_of(const executor *self)
{
    const gpurun *g = (const gpurun *)self;
    return g->fused ? schedule_name(g->fused->what.schedule.kind)
                    : gpu_stages_schedule(self);
}

static void describe(const executor *self, text *t)
{
    const gpurun *g = (const gpurun *)self;
    if (g->fused) {
        schedule words = g->fused->what.schedule;
        if (!gpu_fused_is_persistent(g->fused)) {
            words.planes = (int)g->fused->sweep.planes;
            words.tail = (int)g->fused->sweep.tail;
        }
        schedule_print(&words, t);
    } else
        gpu_tuned_string(g, t);
}

static executor_figures figures_of(const executor *self)
{
    const gpurun *g = (const gpurun *)self;
    return (executor_figures){.name = gpu_facts_of(g->gpu)->name,
                              .crossing = g->fused ? g->fused->what.most : 1,
                              .depth = g->fused ? g->fused->what.most + 1 : 1,
                              .least = g->fused ? g->fused->what.least + 1 : 1,
                              .shorter = gpu_fused_short(g),
                              .bytes = g->bytes,
                              .behind = g->behind,
                              .persistent = g->fused && g->fused->what.schedule.kind ==
                                                            SCHEDULE_PERSISTENT};
}

static pav_status limits(const executor *self, double *bytes, double *seconds)
{
    const gpurun *g = (const gpurun *)self;
    *bytes = *seconds = 0;
    TRY(g->fused ? gpu_fused_bytes(g, bytes) : gpu_tuned_bytes(g, bytes));
    return gpu_tuned_arithmetic(g, seconds);
}

/* ---- opening ----------------------------------------------------------------------- */

/* Opens a subdomain on a GPU: the GPU, its kernels, and kernels of the host for stages
 * without a GPU kernel. */

enum { LONGEST_PERIOD = 12 };

/* ---- stages for the host ----------------------------------------------------------- */

static pav_status compile_hosts(gpurun *g)
{
    exec_client *client = g->client;
    kernel_set *set = NULL;
    host_team *team;
    const ir *const code[] = {g->base.part->code};
    TRY(client->ops->host_team(client->run, &team));
    TRY(kernel_set_open(code, 1, kernel_head(false), HOST_KEEP, &set));
    return kernels_open(g->base.part, set, true, 0, NULL, client, team, &g->host);
}

/* If the host has no compiler, the interpreter runs these stages. */
static pav_status open_hosts(gpurun *g)
{
    OWNED_BY(text_free) text list = {0};
    const ir *code = g->base.part->code;
    for (int64_t n = 0; n < code->stages; n++)
        if (g->stage[n].variants == 0 && g->stage[n].slots > 0)
            text_add(&list, "%s%s (%s)", list.length > 0 ? ", " : "", code->stage[n].name,
                     (ir_reads_new_neighbours(&code->stage[n])
                          ? "it reads neighbours of points changed by itself"
                          : "it is too long"));
    if (!list.data)
        return PAV_OK;
    const pav_status status = g->of_stage[0] ? compile_hosts(g) : PAV_OK;
    /* Reports once for a run, even with several subdomains and GPUs. */
    const char *name = gpu_name(g->gpu);
    if (!g->client->noted_hosts) {
        g->client->noted_hosts = true;
        if (status != PAV_OK && status != PAV_ENOMEM)
            exec_warn(g->client,
                      "the interpreter runs on the host what %s cannot: %s; %s", name,
                      list.data, pav_message());
        else
            exec_note(g->client, "the host runs what %s cannot: %s", name, list.data);
    }
    g->client->ops->has_kernels(g->client->run, g->host != NULL);
    return status == PAV_ENOMEM ? status : PAV_OK;
}

/* ---- opening and closing ----------------------------------------------------------- */

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

pav_status gpurun_compile(executor *self)
{
    gpurun *g = gpurun_of(self);
    g->period = period_of(g->base.part->code, g->base.part->fuses_steps);
    const bool chooses = g->owned && !schedule_fuses_steps(g->client->schedule);
    if (g->owned) {
        TRY(gpurun_choose(self));
        TRY(gpu_groups_print(g));
        if (chooses)
            TRY(gpu_choice_open(g));
        gpu_choice_begin(g);
        /* Compiles the program once for each candidate schedule of any stage. */
        const ir *code[EMIT_GPU_CANDIDATES];
        const schedule *candidates[EMIT_GPU_CANDIDATES];
        for (int n = 0; n < EMIT_GPU_CANDIDATES; n++) {
            code[n] = g->base.part->code;
            candidates[n] = g->of_stage[n];
        }
        pthread_t thread; /* compiles the launches of groups meanwhile */
        const bool ahead = g->groups.count > 0 && !images_are_recorded() &&
                           !gpu_facts_of(g->gpu)->emulated &&
                           host_thread_start(&thread, -1, gpu_groups_compile, g) == 0;
        const pav_status status = place_set_open(g->gpu, code, EMIT_GPU_CANDIDATES,
                                                 candidates, kernel_head(true), HOST_KEEP,
                                                 &g->set);
        if (ahead)
            (void)pthread_join(thread, NULL);
        TRY(status);
        g->set->candidates = NULL;
        const char *notes[] = {gpu_module_note(g->set->kernels),
                               gpu_module_note(g->set->common)};
        if (*notes[0] || *notes[1])
            exec_warn(g->client, "%s", *notes[0] ? notes[0] : notes[1]);
    }
    TRY(gpu_stages_open(g));
    TRY(gpu_groups_open(g));
    TRY(chooses ? PAV_OK : gpu_choice_open(g));
    TRY(open_hosts(g));
    const ir *code = g->base.part->code;
    TRY(mem_take(&g->table, code->tables + 1, sizeof *g->table));
    TRY(mem_take(&g->inject, code->injections.count + 1, sizeof *g->inject));
    TRY(mem_take(&g->host_mirror, code->fields + 1, sizeof *g->host_mirror));
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

static void close_gpurun(executor *self)
{
    gpurun *g = (gpurun *)self;
    if (g->host)
        g->host->ops.close(g->host);
    gpu_inject_close(g);
    gpu_choice_close(g);
    gpu_groups_close(g);
    for (int64_t n = 0; g->stage && n < g->base.part->code->stages; n++) {
        for (int v = 0; v < g->stage[n].variants; v++)
            emit_gpu_kernel_free(&g->stage[n].variant[v].what);
        MEM_FREE_ALL(g->stage[n].slot, g->stage[n].grid);
    }
    MEM_FREE_ALL(g->stage, g->live);
    mirrors_close(g);
    mem_free(g->transfer);
    for (int64_t k = 0; k < g->blocks; k++)
        gpu_release(g->gpu, g->memory[k]);
    gpu_drop_box(&g->base, &g->packed);
    mem_free(g->memory);
    if (g->owned)
        place_set_close(g->set);
    if (g->owned && !g->borrowed)
        gpu_close(g->gpu);
    for (int n = 0; n < EMIT_GPU_CANDIDATES && g->owned; n++)
        mem_free(g->of_stage[n]);
    MEM_FREE_ALL(g->traffic, g->table, g->host_views, g->host_view, g);
}

/* The last call of a stage filled the borders of all its outputs. */
static bool stage_fills(const executor *self, const ir_stage *stage)
{
    const gpurun *g = (const gpurun *)self;
    return g->stage[stage - self->part->code->stage].fills;
}

/* after the host's tables */
static pav_status gpurun_fill_tables(executor *self)
{
    gpurun *g = gpurun_of(self);
    const ir *code = g->base.part->code;
    for (int64_t k = 0; k < code->tables; k++) {
        const int64_t before = g->base.part->table[k] - g->base.part->table_memory[k];
        void *memory;
        TRY(gpurun_give_list(g, g->base.part->table_memory[k],
                             subdomain_table_count(code, &code->table[k]) *
                                 (int64_t)sizeof(double),
                             "tables along the axes", &memory));
        g->table[k] = (const double *)memory + before;
    }
    return PAV_OK;
}

/* One launch for each side with ghosts that are copies. */
static pav_status gpu_copy_ghosts(executor *self, int field, const view *v, int axis,
                                  ghost_sides sides, const box *range)
{
    gpurun *g = gpurun_of(self);
    for (int side = 0; side < SIDES; side++) {
        emit_gpu_ghosts a = {.view = gpu_view_from_first(v, axis, axis + 1),
                             .axis = axis,
                             .side = side,
                             .map = sides.map[side],
                             .extent = v->extent[axis],
                             .depth = v->halo[axis][side]};
        if (!sides.filled[side])
            continue;
        box_bounds(range, a.lo, a.hi);
        TRY(mirrors_on_gpu(g, field, v, true));
        TRY(gpu_call_common(g, g->set->ghosts,
                            gpu_blocks(box_points(box_along(*range, axis, 0, 1))), &a,
                            sizeof a));
    }
    return PAV_OK;
}

static pav_status gpu_exchanged_boxes(executor *self)
{
    gpurun *g = (gpurun *)self;
    TRY(gpu_borders_done(g));
    return gpu_exchange_end(g->gpu);
}

static void gpu_kept_release(executor *self, void *memory)
{
    gpu_release(((gpurun *)self)->gpu, memory);
}

static pav_status gpu_kept_take(executor *self, int64_t bytes, void **memory)
{
    return gpu_take(((gpurun *)self)->gpu, bytes, "points beside the fields", memory);
}

/* The mirror is stale from now on: the other code may have changed the level. */
static pav_status mirrors_lend(executor *self, int64_t field, const view *v, int *number)
{
    gpurun *g = gpurun_of(self);
    TRY(gpu_borders_done(g));
    TRY(mirrors_on_gpu(g, field, v, true));
    return gpu_share(g->gpu, v->data, number);
}

/* After part->views. */
static pav_status mirrors_place_views(executor *self)
{
    gpurun *g = gpurun_of(self);
    const subdomain *part = self->part;
    int64_t slots = 1;
    for (int64_t f = 0; f < part->code->fields; f++)
        slots += part->code->field[f].levels + 1;
    TRY(mem_take(&g->host_views, slots, sizeof *g->host_views));
    TRY(mem_take(&g->host_view, part->code->fields + 1, sizeof *g->host_view));
    for (int64_t f = 0; f < part->code->fields; f++)
        g->host_view[f] = g->host_views +
                          (part->view[f] - (const view *const *)part->views);
    return PAV_OK;
}

static void point_at(const box *b, int64_t number, int64_t *point)
{
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int64_t width = b->hi[axis] - b->lo[axis];
        point[axis] = b->lo[axis] + number % width;
        number /= width;
    }
}

static pav_status gpu_find_not_finite(executor *self, int field, const view *v,
                                      const box *range, int64_t *point, bool *any)
{
    gpurun *g = gpurun_of(self);
    emit_gpu_nan_check a = {.view = gpu_view_of(v), .found = g->not_finite};
    const int64_t count = box_points(*range);
    uint64_t found = UINT64_MAX;
    *any = false;
    if (count == 0)
        return PAV_OK;
    box_bounds(range, a.lo, a.hi);
    TRY(mirrors_on_gpu(g, field, v, false));
    TRY(gpu_fill(g->gpu, g->not_finite, 0xff, sizeof found));
    TRY(gpu_call_common(g, g->set->nan_check,
                        int_parts(gpu_blocks(count), EMIT_GPU_CHECKED), &a, sizeof a));
    TRY(gpu_download(g->gpu, &found, g->not_finite, sizeof found));
    *any = found != UINT64_MAX;
    if (*any)
        point_at(range, (int64_t)found, point);
    return PAV_OK;
}

static pav_status take_block(gpurun *g, int64_t field, const field_shape *shape)
{
    const ir_field *f = &g->base.part->code->field[field];
    levels *own = &g->base.part->field[field];
    levels_size size;
    void *block;
    char what[96];
    if (!levels_measure(shape, &size))
        return levels_at(shape, NULL, own); /* sets the message */
    if (f->memory)
        return levels_at(shape, g->base.part->field[f->memory - 1].block, own);
    (void)snprintf(what, sizeof what, "field %.64s", f->name);
    TRY(gpurun_take(g, size.bytes, what, &block));
    TRY(gpu_fill(g->gpu, block, 0xff, size.bytes));
    return levels_at(shape, block, own);
}

/* Creates levels of a field in the GPU's memory; levels_new does so in the host's. */
static pav_status mirrors_new(executor *self, int64_t field, const field_shape *shape,
                              progress_sink *progress)
{
    gpurun *g = gpurun_of(self);
    TRY(mem_take(&g->host_mirror[field], shape->count, sizeof **g->host_mirror));
    TRY(take_block(g, field, shape));
    for (int n = 0; n < shape->count; n++) {
        g->host_mirror[field][n].gpu_is_new = true;
        TRY(gpu_copy_points(self, (int)field, &self->part->field[field].level[n], NULL,
                            progress));
    }
    return PAV_OK;
}

static const executor_ops gpu_ops = {
    .stage = gpu_stage_run,
    .tuned = is_tuned,
    .schedule = schedule_of,
    .chosen = gpu_tuned_stage,
    .close = close_gpurun,
    .wait = wait,
    .take_field = mirrors_new,
    .place_views = mirrors_place_views,
    .fill_tables = gpurun_fill_tables,
    .host_view = mirrors_on_host,
    .lend = mirrors_lend,
    .copy_points = gpu_copy_points,
    .copy_box = gpu_copy_box,
    .read_box = gpu_read_box,
    .write_box = gpu_write_box,
    .move_rows = mirrors_move_rows,
    .take_memory = gpu_kept_take,
    .release_memory = gpu_kept_release,
    .keep_points = gpu_keep_points,
    .exchange = gpu_exchange_boxes,
    .exchanged = gpu_exchanged_boxes,
    .find_not_finite = gpu_find_not_finite,
    .begin = begin,
    .begin_step = begin_step,
    .end_step = end_step,
    .fills_borders = stage_fills,
    .fill_axes = gpu_fill_axes,
    .end_borders = end_borders,
    .copy_ghosts = gpu_copy_ghosts,
    .inject = gpu_inject,
    .take_sample = gpu_sample_take,
    .flush_sample = gpu_sample_flush,
    .close_sample = gpu_sample_close,
    .advance = advance,
    .figures = figures_of,
    .describe = describe,
    .limits = limits,
};

static pav_status open_for(const gpurun *like, subdomain *part, gpurun **result)
{
    TRY(mem_take(result, 1, sizeof **result));
    gpurun *g = *result;
    *g = *like;
    g->base = (executor){.ops = gpu_ops,
                         .part = part,
                         .line = GPU_LINE,
                         .compiled = true,
                         .own_memory = true,
                         .asynchronous = true};
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

pav_status place_open_another(const exec_place *p, subdomain *part)
{
    const gpurun *first = gpurun_of(p->executor);
    if (!first)
        return PAV_OK;
    gpurun like = {.client = first->client,
                   .set = first->set,
                   .gpu = first->gpu,
                   .number = first->number,
                   .planes = first->planes};
    gpurun *g;
    memcpy(like.of_stage, first->of_stage, sizeof like.of_stage);
    TRY(open_for(&like, part, &g));
    stand_on(g);
    return gpurun_compile(&g->base);
}

gpu *executor_gpu(const executor *e)
{
    return e->ops.stage == gpu_stage_run ? ((const gpurun *)e)->gpu : NULL;
}
