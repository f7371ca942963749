/* SPDX-License-Identifier: BSD-3-Clause */
/* Several steps in one launch on a GPU.
 *
 * A fused launch reads the levels that a run has and writes those of its end to other
 * buffers, so that fields with more than two levels get more buffers (gpu_fused_buffers).
 * It leaves all levels but the oldest, which no step reads: so the last step before
 * anything observes the fields is a single one. Their borders are filled after it, as
 * after any step. */
#include <string.h>

#include "exec/gpu/gpu_private.h"

struct gpu_fused {
    emit_gpu_fused what;
    gpu_kernel *call;
    gpu_module *module;      /* its own; NULL: of the set */
    gpu_fused *shorter;      /* taken where this one has no room; or NULL */
    gpu_fused_points *marks; /* once a fused launch was taken */
    gpu_known_tensors known; /* to the tensor memory accelerator */
    gpu_sweep sweep;
    emit_gpu_fused_work work; /* but for its steps */
    void *seen;    /* memory that blocks which stay tell each other by; or NULL */
    int64_t epoch; /* how often they have synchronised */
    int64_t taken; /* launches so far */
};

/* ---- opening ------------------------------------------------------------------------------ */

static pav_status compile(gpurun *g, const schedule *requested, gpu_fused *p)
{
    text source = {0};
    pav_status status = kernel_fused_source(g->client->program, g->base.part->code,
                                            requested, &source);
    if (status == PAV_OK)
        status = gpu_module_open(g->gpu, source.data, source.length, HOST_KEEP,
                                 &p->module);
    text_free(&source);
    return status;
}

static bool is_persistent(const gpu_fused *p)
{
    return p->what.schedule.kind == SCHEDULE_PERSISTENT;
}

static gpu_sweep sweep_of(const gpurun *g, const gpu_fused *p)
{
    const schedule *s = &p->what.schedule;
    gpu_sweep_list candidate;
    if (g->planes > 0 || s->planes > 0)
        return (gpu_sweep){g->planes > 0 ? g->planes : s->planes, s->tail};
    gpu_sweeps(g, &p->what, p->call, &candidate);
    return candidate.sweep[0];
}

static pav_status open_persistent(gpurun *g, gpu_fused *p)
{
    const emit_gpu_fused *what = &p->what;
    TRY(gpu_fused_check_room(
        g, what,
        gpu_cooperative_blocks(p->call, what->schedule.tile.size[0], what->shared)));
    TRY(gpurun_take(g, what->seen_bytes, "persistent blocks", &p->seen));
    return gpu_fill(g->gpu, p->seen, 0, what->seen_bytes);
}

static pav_status find(gpurun *g, const schedule *requested, gpu_module *m, gpu_fused *p)
{
    char name[EMIT_NAME];
    schedule suited = *requested;
    TRY(gpu_fused_find(g, &suited, &p->what));
    if (!m) {
        TRY(compile(g, &suited, p));
        m = p->module;
    }
    emit_gpu_fused_name(name, g->owned ? 0 : g->number);
    p->call = gpu_module_find(m, name);
    if (!p->call)
        return FAIL(PAV_EINTERNAL, "the compiled passes lack %s", name);
    gpu_fused_sweep(g, p, is_persistent(p) ? (gpu_sweep){0} : sweep_of(g, p));
    return is_persistent(p) ? open_persistent(g, p) : PAV_OK;
}

pav_status gpu_fused_make(gpurun *g, const schedule *requested, gpu_module *m,
                          gpu_fused **fused)
{
    gpu_fused *p = mem_new(1, sizeof *p);
    if (!p)
        return PAV_ENOMEM;
    const pav_status status = find(g, requested, m, p);
    if (status == PAV_OK)
        *fused = p;
    else
        gpu_fused_free(p);
    return status;
}

void gpu_fused_free(gpu_fused *p)
{
    if (!p)
        return;
    gpu_fused_free(p->shorter);
    gpu_fused_points_close(p->marks);
    emit_gpu_fused_free(&p->what);
    if (p->module)
        gpu_module_close(p->module);
    mem_free(p);
}

pav_status gpu_fused_shorten(gpurun *g, const schedule *shorter, gpu_fused *p)
{
    if (p->shorter)
        return PAV_OK;
    const pav_status status = gpu_fused_make(g, shorter, NULL, &p->shorter);
    if (status != PAV_OK && status != PAV_ENOMEM)
        exec_note(g->client, "there is no launch of %d steps beside: %s",
                  shorter->tile.steps, pav_message());
    return status == PAV_ENOMEM ? status : PAV_OK;
}

const emit_gpu_fused *gpu_fused_what(const gpu_fused *p)
{
    return &p->what;
}

void gpu_fused_sweep(const gpurun *g, gpu_fused *p, gpu_sweep sweep)
{
    p->sweep = sweep;
    p->work = gpu_sweep_work(g, &p->what, p->call, sweep);
}

void gpu_fused_sweeps(const gpurun *g, const gpu_fused *p, gpu_sweep_list *list)
{
    gpu_sweeps(g, &p->what, p->call, list);
}

/* ---- numbers ------------------------------------------------------------------------------ */

/* Where those of a stage lie among those of a step; NULL: it has none. */
static const emit_gpu_kernel *numbers_of(const gpu_fused *p, int stage, int64_t *at)
{
    *at = 0;
    for (int64_t n = 0; n < p->what.stages; n++) {
        if (p->what.stage[n] == stage)
            return &p->what.numbers[n];
        *at += p->what.numbers[n].number_bytes;
    }
    return NULL;
}

static pav_status put_stage(gpurun *g, const gpu_fused *p, int stage, char *to)
{
    const interp_args args = {.code = g->base.part->code,
                              .stage = &g->base.part->code->stage[stage],
                              .view = g->base.part->view,
                              .table = g->base.part->table,
                              .uniform = g->base.part->uniform};
    int64_t at;
    const emit_gpu_kernel *k = numbers_of(p, stage, &at);
    TRY(stage_before(&args));
    if (k)
        emit_gpu_pack_uniforms(k, g->base.part->uniform, to + at);
    return PAV_OK;
}

/* Those of borders are of the time that the step leads to. */
static pav_status put_borders(gpurun *g, const gpu_fused *p, int64_t step,
                              const ir_stage *s, char *to)
{
    subdomain_set_time(g->base.part, step + 1);
    for (int64_t k = 0; k < s->outputs; k++) {
        const ir_field *f = &g->base.part->code->field[s->output[k].field];
        for (int face = 0; face < SIDES * g->base.part->code->dim; face++) {
            const int stage = f->border[face / SIDES][face % SIDES].stage;
            if (stage >= 0)
                TRY(put_stage(g, p, stage, to));
        }
    }
    subdomain_set_time(g->base.part, step);
    return PAV_OK;
}

static bool has_points(const ir_stage *s)
{
    for (int64_t k = 0; k < s->outputs; k++)
        if (s->output[k].kind != IR_SET)
            return true;
    return false;
}

static pav_status put_injections(gpurun *g, const gpu_fused *p, char *to)
{
    for (int64_t k = 0; k < g->base.part->code->injections.count; k++) {
        const ir_list *list = &g->base.part->code->injections.item[k].list;
        for (int64_t n = 0; n + 1 < list->count; n++)
            TRY(subdomain_stage(g->base.part, list->stage[n], NULL));
        TRY(put_stage(g, p, list->stage[list->count - 1], to));
    }
    return PAV_OK;
}

/* What single steps would compute on the host, in their order. */
static pav_status put_step(gpurun *g, const gpu_fused *p, int64_t step, char *to)
{
    const ir_list *list = &g->base.part->code->step;
    subdomain_set_time(g->base.part, step);
    for (int64_t n = 0; n < list->count; n++) {
        const ir_stage *s = &g->base.part->code->stage[list->stage[n]];
        if (!has_points(s)) {
            TRY(subdomain_stage(g->base.part, list->stage[n], NULL));
            continue;
        }
        TRY(put_stage(g, p, list->stage[n], to));
        TRY(put_borders(g, p, step, s, to));
    }
    return put_injections(g, p, to);
}

/* ---- the argument ------------------------------------------------------------------------- */

static void put(char **at, const void *from, size_t bytes)
{
    memcpy(*at, from, bytes);
    *at += bytes;
}

/* The level of a slot, in buffers as they stand before the fused launch. */
static const view *view_of(const gpurun *g, const emit_slot *s)
{
    const ir_field *f = &g->base.part->code->field[s->field];
    const levels *l = &g->base.part->field[s->field];
    if (!s->stored)
        return g->base.part->view[s->field][1 - s->level];
    const int ahead = f->levels - 1 + s->level;
    return &l->level[(l->newest + 1 - ahead + l->count) % l->count];
}

static pav_status put_levels(gpurun *g, const gpu_fused *p, char **at)
{
    for (int64_t k = 0; k < p->what.slots; k++) {
        const emit_slot *s = &p->what.slot[k];
        const view *v = view_of(g, s);
        const emit_grid grid = {v->data, v->stride[1], v->stride[2]};
        TRY(mirrors_on_gpu(g, s->field, v, s->stored));
        put(at, &grid, sizeof grid);
    }
    return PAV_OK;
}

static pav_status put_numbers(gpurun *g, const gpu_fused *p, int steps, char **at)
{
    _Alignas(8) char numbers[GPU_MOST_ARGUMENT] = {0};
    const void *lent;
    const int64_t each = p->what.number_bytes;
    for (int n = 0; n < steps; n++)
        TRY(put_step(g, p, g->base.part->step + n, numbers + n * each));
    if (p->what.stages == 0)
        return PAV_OK;
    TRY(gpu_argument_ring_put(g->gpu, numbers, steps * each, &lent));
    put(at, &lent, sizeof lent);
    return PAV_OK;
}

/* Of all points, with the ghosts. */
static pav_status put_parts(gpurun *g, gpu_fused *p, const int64_t extent[MAX_DIM],
                            char *argument)
{
    const emit_gpu_fused *what = &p->what;
    emit_gpu_work all = {.planes = 0};
    memcpy(all.hi, extent, sizeof all.hi);
    return gpu_tensors_put(g, &p->known, what->part, what->parts, &all,
                           (const emit_grid *)(argument + sizeof(emit_gpu_fused_work)),
                           argument + what->argument_bytes -
                               what->parts * (int64_t)sizeof(emit_gpu_tensor));
}

static pav_status launch(gpurun *g, gpu_fused *p, int steps)
{
    _Alignas(64) char argument[GPU_MOST_ARGUMENT] = {0};
    const ir *code = g->base.part->code;
    emit_gpu_fused_work w = p->work;
    gpu_call call = {.kernel = p->call,
                     .shared = p->what.shared,
                     .together = is_persistent(p),
                     .argument = argument,
                     .argument_bytes = p->what.argument_bytes};
    char *at = argument;
    w.steps = steps;
    w.seen = p->seen;
    w.epoch = p->epoch;
    put(&at, &w, sizeof w);
    TRY(put_levels(g, p, &at));
    for (int64_t k = 0; k < p->what.tables; k++)
        put(&at, &g->table[p->what.table[k]], sizeof *g->table);
    gpu_fused_points_put(p->marks, &at);
    TRY(put_numbers(g, p, steps, &at));
    TRY(put_parts(g, p, w.extent, argument));
    emit_gpu_fused_extent(code, &p->what, &w, call.blocks, call.threads);
    return gpu_launch(g->gpu, &call);
}

/* ---- a fused launch ----------------------------------------------------------------------- */

/* Those around faces that wrap are read by single steps and by persistent blocks. */
static bool reads_ghosts(const ir *code)
{
    for (int64_t f = 0; f < code->fields; f++)
        for (int face = 0; face < SIDES * code->dim; face++) {
            const border_kind kind =
                code->field[f].border[face / SIDES][face % SIDES].kind;
            if (code->field[f].updated && kind != BORDER_PERIODIC && kind != BORDER_NONE)
                return true;
        }
    return false;
}

static pav_status fill_borders(gpurun *g)
{
    const ir *code = g->base.part->code;
    for (int f = 0; f < code->fields; f++)
        for (int age = 0; age + 1 < code->field[f].levels && code->field[f].updated;
             age++)
            TRY(subdomain_keep_border(g->base.part, f, -age, g->base.part->step - age));
    TRY(g->base.part->executor->ops.end_borders(g->base.part->executor));
    subdomain_set_time(g->base.part, g->base.part->step);
    g->ghosts_stale = g->wrap_ghosts_stale = false;
    return PAV_OK;
}

pav_status gpu_fused_borders(executor *self)
{
    gpurun *g = (gpurun *)self;
    return g->ghosts_stale ? fill_borders(g) : PAV_OK;
}

pav_status gpu_fill_borders(gpurun *g)
{
    return g->ghosts_stale || g->wrap_ghosts_stale ? fill_borders(g) : PAV_OK;
}

/* Where a level that no step reads is not kept, as many rotations as levels are left. */
static pav_status end_steps(gpurun *g, int steps)
{
    const ir *code = g->base.part->code;
    for (int64_t f = 0; f < code->fields; f++)
        for (int n = 1; n < code->field[f].levels && code->field[f].updated; n++)
            levels_rotate(&g->base.part->field[f]);
    subdomain_refresh_views(g->base.part);
    g->base.part->step += steps;
    subdomain_set_time(g->base.part, g->base.part->step);
    g->ghosts_stale = true;
    if (reads_ghosts(code))
        TRY(fill_borders(g));
    return gpurun_step(g, true);
}

/* Fields have had no borders yet where these are filled once. */
bool gpu_fused_may(const gpurun *g)
{
    for (int f = 0; f < g->base.part->code->fields; f++)
        if (g->base.part->code->field[f].updated &&
            subdomain_border_state(g->base.part, f) == BORDER_TO_KEEP)
            return false;
    return g->begun && !g->client->ops->state(g->client).wants_single;
}

/* The launch that has room before anything looks; NULL: a single step is next. */
static gpu_fused *next_of(const gpurun *g, int64_t room)
{
    gpu_fused *p = g->fused;
    if (!gpu_fused_may(g))
        return NULL;
    if (room < p->what.least)
        p = p->shorter;
    return p && room >= p->what.least ? p : NULL;
}

static pav_status take(gpurun *g, gpu_fused *p, int steps)
{
    if (!p->marks)
        TRY(gpu_fused_points_open(g, &p->what, &p->marks));
    if (is_persistent(p) || g->wrap_ghosts_stale)
        TRY(gpu_fill_borders(g));
    TRY(launch(g, p, steps));
    p->epoch += (steps - 1) / p->what.schedule.tile.steps;
    p->taken++;
    g->client->ops->count(g->client, steps, p != g->fused);
    TRY(gpu_fused_points_rows(g, p->marks, &p->what, steps));
    return end_steps(g, steps);
}

static int steps_of(const gpu_fused *p, int64_t room)
{
    const int depth = gpu_fused_most_steps(&p->what);
    return room < depth ? (int)room : depth;
}

int gpu_fused_next(const gpurun *g, int64_t most)
{
    const int64_t room = g->client->ops->until_event(g->client, most) - 1;
    const gpu_fused *p = next_of(g, room);
    return p == g->fused ? steps_of(p, room) : 1;
}

pav_status gpu_fused_steps(gpurun *g, int64_t most)
{
    const int64_t room = g->client->ops->until_event(g->client, most) - 1;
    gpu_fused *p = next_of(g, room);
    return p ? take(g, p, steps_of(p, room)) : g->client->ops->one_step(g->client);
}

bool gpu_fused_is_behind(const gpurun *g)
{
    return g->behind;
}

static const gpu_fused *shorter_of(const gpurun *g)
{
    return g->fused ? g->fused->shorter : NULL;
}

int64_t gpu_fused_count(const gpurun *g)
{
    const gpu_fused *p = shorter_of(g);
    return g->fused ? g->fused->taken + (p ? p->taken : 0) : 0;
}

int gpu_fused_short(const gpurun *g)
{
    return shorter_of(g) ? shorter_of(g)->what.most : 0;
}

int gpu_fused_depth(const gpurun *g)
{
    return g->fused ? g->fused->what.most + 1 : 1;
}

int gpu_fused_least(const gpurun *g)
{
    return g->fused ? g->fused->what.least + 1 : 1;
}

void gpu_fused_string(const gpurun *g, text *t)
{
    if (!g->fused)
        return;
    schedule words = g->fused->what.schedule;
    if (!is_persistent(g->fused)) {
        words.planes = (int)g->fused->sweep.planes;
        words.tail = (int)g->fused->sweep.tail;
    }
    schedule_print(&words, t);
}

pav_status gpu_fused_bytes(const gpurun *g, double *bytes)
{
    const ir *code = g->base.part->code;
    const emit_gpu_fused *what = &g->fused->what;
    *bytes = gpu_points(code) / gpu_fused_most_steps(what) *
             emit_gpu_fused_bytes(code, what, gpu_sweep_mean(g, what, &g->fused->work));
    return PAV_OK;
}
