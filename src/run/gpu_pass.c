/* SPDX-License-Identifier: BSD-3-Clause */
/* Several steps in one launch on a GPU.
 *
 * A pass reads the levels that a run has and writes those of its end to other buffers, so that fields with more than two
 * levels get more buffers (gpu_pass_buffers). It leaves all levels but the oldest, which no step reads: so the last step
 * before anything looks at the fields is a single one. Their borders are filled after it, as after any step. */
#include <string.h>

#include "run/gpu_private.h"
#include "run/time_private.h"

struct gpu_pass {
    emit_gpu_pass what;
    gpu_kernel *call;
    gpu_module *module;    /* its own; NULL: of the set */
    gpu_pass *shorter;     /* taken where this one has no room; or NULL */
    gpu_pass_marks *marks; /* once a pass was taken */
    gpu_known_parts known; /* to the tensor memory accelerator */
    gpu_walk walk;
    emit_gpu_pass_work work; /* but for its steps */
    void *seen;    /* memory that blocks which stay tell each other by; or NULL */
    int64_t told;  /* how often they have met */
    int64_t taken; /* launches so far */
};

int gpu_pass_buffers(const ir_field *f, bool passes)
{
    const int needed = 2 * (f->levels - 1);
    return passes && f->updated && needed > f->levels ? needed : f->levels;
}

/* ---- opening ------------------------------------------------------------------------------ */

static pav_status compile(gpurun *g, const emit_gpu_schedule *wanted, gpu_pass *p)
{
    text source = {0};
    pav_status status = kernel_pass_source(g->run->program, g->run->code, wanted,
                                           &source);
    if (status == PAV_OK)
        status = gpu_module_open(g->gpu, source.data, source.length, HOST_KEEP,
                                 &p->module);
    text_free(&source);
    return status;
}

static bool stays(const gpu_pass *p)
{
    return p->what.schedule.form == EMIT_GPU_RESIDENT;
}

static gpu_walk walk_of(const gpurun *g, const gpu_pass *p)
{
    const emit_gpu_schedule *s = &p->what.schedule;
    gpu_walk_list likely;
    if (g->planes > 0 || s->planes > 0)
        return (gpu_walk){g->planes > 0 ? g->planes : s->planes, s->rest};
    gpu_walks(g, &p->what, p->call, &likely);
    return likely.walk[0];
}

static pav_status open_stay(gpurun *g, gpu_pass *p)
{
    const emit_gpu_pass *what = &p->what;
    TRY(gpu_pass_check_room(
        g, what, gpu_blocks_together(p->call, what->schedule.threads[0], what->shared)));
    TRY(gpurun_take(g, what->seen_bytes, "blocks that stay", &p->seen));
    return gpu_fill(g->gpu, p->seen, 0, what->seen_bytes);
}

static pav_status find(gpurun *g, const emit_gpu_schedule *wanted, gpu_module *m,
                       gpu_pass *p)
{
    char name[EMIT_NAME];
    emit_gpu_schedule suited = *wanted;
    TRY(gpu_pass_find(g, &suited, &p->what));
    if (!m) {
        TRY(compile(g, &suited, p));
        m = p->module;
    }
    emit_gpu_pass_name(name, g->owned ? 0 : g->number);
    p->call = gpu_module_find(m, name);
    if (!p->call)
        return FAIL(PAV_EINTERNAL, "the compiled passes lack %s", name);
    gpu_pass_walk(g, p, stays(p) ? (gpu_walk){0} : walk_of(g, p));
    return stays(p) ? open_stay(g, p) : PAV_OK;
}

pav_status gpu_pass_make(gpurun *g, const emit_gpu_schedule *wanted, gpu_module *m,
                         gpu_pass **pass)
{
    gpu_pass *p = mem_new(1, sizeof *p);
    if (!p)
        return PAV_ENOMEM;
    const pav_status status = find(g, wanted, m, p);
    if (status == PAV_OK)
        *pass = p;
    else
        gpu_pass_free(p);
    return status;
}

void gpu_pass_free(gpu_pass *p)
{
    if (!p)
        return;
    gpu_pass_free(p->shorter);
    gpu_pass_marks_close(p->marks);
    emit_gpu_pass_free(&p->what);
    if (p->module)
        gpu_module_close(p->module);
    mem_free(p);
}

pav_status gpu_pass_shorten(gpurun *g, const emit_gpu_schedule *shorter, gpu_pass *p)
{
    if (p->shorter)
        return PAV_OK;
    const pav_status status = gpu_pass_make(g, shorter, NULL, &p->shorter);
    if (status != PAV_OK && status != PAV_ENOMEM)
        run_note(g->run, "there is no launch of %d steps beside: %s", shorter->depth,
                 pav_message());
    return status == PAV_ENOMEM ? status : PAV_OK;
}

const emit_gpu_pass *gpu_pass_what(const gpu_pass *p)
{
    return &p->what;
}

void gpu_pass_walk(const gpurun *g, gpu_pass *p, gpu_walk walk)
{
    p->walk = walk;
    p->work = gpu_walk_work(g, &p->what, p->call, walk);
}

void gpu_pass_walks(const gpurun *g, const gpu_pass *p, gpu_walk_list *list)
{
    gpu_walks(g, &p->what, p->call, list);
}

/* ---- numbers ------------------------------------------------------------------------------ */

/* Where those of a stage lie among those of a step; NULL: it has none. */
static const emit_gpu_kernel *numbers_of(const gpu_pass *p, int stage, int64_t *at)
{
    *at = 0;
    for (int64_t n = 0; n < p->what.stages; n++) {
        if (p->what.stage[n] == stage)
            return &p->what.numbers[n];
        *at += p->what.numbers[n].number_bytes;
    }
    return NULL;
}

static pav_status put_stage(pav_run *run, const gpu_pass *p, int stage, char *to)
{
    const interp_args args = {.code = run->code,
                              .stage = &run->code->stage[stage],
                              .view = run->view,
                              .table = run->table,
                              .uniform = run->uniform};
    int64_t at;
    const emit_gpu_kernel *k = numbers_of(p, stage, &at);
    TRY(stage_before(&args));
    if (k)
        emit_gpu_numbers(k, run->uniform, to + at);
    return PAV_OK;
}

/* Those of borders are of the time that the step leads to. */
static pav_status put_borders(pav_run *run, const gpu_pass *p, int64_t step,
                              const ir_stage *s, char *to)
{
    run_set_time(run, step + 1);
    for (int64_t k = 0; k < s->outputs; k++) {
        const ir_field *f = &run->code->field[s->output[k].field];
        for (int face = 0; face < SIDES * run->code->dim; face++) {
            const int stage = f->border[face / SIDES][face % SIDES].stage;
            if (stage >= 0)
                TRY(put_stage(run, p, stage, to));
        }
    }
    run_set_time(run, step);
    return PAV_OK;
}

static bool has_points(const ir_stage *s)
{
    for (int64_t k = 0; k < s->outputs; k++)
        if (s->output[k].kind != IR_SET)
            return true;
    return false;
}

static pav_status put_injections(pav_run *run, const gpu_pass *p, char *to)
{
    for (int64_t k = 0; k < run->code->injections.count; k++) {
        const ir_list *list = &run->code->injections.item[k].list;
        for (int64_t n = 0; n + 1 < list->count; n++)
            TRY(run_stage(run, list->stage[n], NULL));
        TRY(put_stage(run, p, list->stage[list->count - 1], to));
    }
    return PAV_OK;
}

/* What single steps would compute on the host, in their order. */
static pav_status put_step(pav_run *run, const gpu_pass *p, int64_t step, char *to)
{
    const ir_list *list = &run->code->step;
    run_set_time(run, step);
    for (int64_t n = 0; n < list->count; n++) {
        const ir_stage *s = &run->code->stage[list->stage[n]];
        if (!has_points(s)) {
            TRY(run_stage(run, list->stage[n], NULL));
            continue;
        }
        TRY(put_stage(run, p, list->stage[n], to));
        TRY(put_borders(run, p, step, s, to));
    }
    return put_injections(run, p, to);
}

/* ---- the argument ------------------------------------------------------------------------- */

static void put(char **at, const void *from, size_t bytes)
{
    memcpy(*at, from, bytes);
    *at += bytes;
}

/* The level of a slot, in buffers as they stand before the pass. */
static const view *view_of(const pav_run *run, const emit_slot *s)
{
    const ir_field *f = &run->code->field[s->field];
    const levels *l = &run->field[s->field];
    if (!s->stored)
        return run->view[s->field][1 - s->level];
    const int ahead = f->levels - 1 + s->level;
    return &l->level[(l->newest + 1 - ahead + l->count) % l->count];
}

static pav_status put_levels(gpurun *g, const gpu_pass *p, char **at)
{
    for (int64_t k = 0; k < p->what.slots; k++) {
        const emit_slot *s = &p->what.slot[k];
        const view *v = view_of(g->run, s);
        const emit_grid grid = {v->data, v->stride[1], v->stride[2]};
        TRY(twins_on_gpu(g, s->field, v, s->stored));
        put(at, &grid, sizeof grid);
    }
    return PAV_OK;
}

static pav_status put_numbers(gpurun *g, const gpu_pass *p, int steps, char **at)
{
    _Alignas(8) char numbers[GPU_MOST_ARGUMENT] = {0};
    const void *lent;
    const int64_t each = p->what.number_bytes;
    for (int n = 0; n < steps; n++)
        TRY(put_step(g->run, p, g->run->step + n, numbers + n * each));
    if (p->what.stages == 0)
        return PAV_OK;
    TRY(gpu_lend(g->gpu, numbers, steps * each, &lent));
    put(at, &lent, sizeof lent);
    return PAV_OK;
}

/* Of all points, with the ghosts. */
static pav_status put_parts(gpurun *g, gpu_pass *p, const int64_t extent[MAX_DIM],
                            char *argument)
{
    const emit_gpu_pass *what = &p->what;
    emit_gpu_work all = {.planes = 0};
    memcpy(all.hi, extent, sizeof all.hi);
    return gpu_parts_put(g, &p->known, what->part, what->parts, &all,
                         (const emit_grid *)(argument + sizeof(emit_gpu_pass_work)),
                         argument + what->argument_bytes -
                             what->parts * (int64_t)sizeof(emit_gpu_tensor));
}

static pav_status launch(gpurun *g, gpu_pass *p, int steps)
{
    _Alignas(64) char argument[GPU_MOST_ARGUMENT] = {0};
    const ir *code = g->run->code;
    emit_gpu_pass_work w = p->work;
    gpu_call call = {.kernel = p->call,
                     .shared = p->what.shared,
                     .together = stays(p),
                     .argument = argument,
                     .argument_bytes = p->what.argument_bytes};
    char *at = argument;
    w.steps = steps;
    w.seen = p->seen;
    w.told = p->told;
    put(&at, &w, sizeof w);
    TRY(put_levels(g, p, &at));
    for (int64_t k = 0; k < p->what.tables; k++)
        put(&at, &g->table[p->what.table[k]], sizeof *g->table);
    gpu_pass_marks_put(p->marks, &at);
    TRY(put_numbers(g, p, steps, &at));
    TRY(put_parts(g, p, w.extent, argument));
    emit_gpu_pass_extent(code, &p->what, &w, call.blocks, call.threads);
    return gpu_launch(g->gpu, &call);
}

/* ---- a pass ------------------------------------------------------------------------------- */

/* Those around faces that wrap are read by single steps and by blocks that stay. */
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

static pav_status fill_borders(pav_run *run)
{
    const ir *code = run->code;
    for (int f = 0; f < code->fields; f++)
        for (int age = 0; age + 1 < code->field[f].levels && code->field[f].updated;
             age++)
            TRY(run_keep_border(run, f, -age, run->step - age));
    TRY(run_end_borders(run));
    run_set_time(run, run->step);
    run->gpu->bare = run->gpu->frayed = false;
    return PAV_OK;
}

pav_status gpu_pass_borders(pav_run *run)
{
    return run->gpu && run->gpu->bare ? fill_borders(run) : PAV_OK;
}

pav_status gpu_fill_borders(pav_run *run)
{
    return run->gpu->bare || run->gpu->frayed ? fill_borders(run) : PAV_OK;
}

/* Where a level that no step reads is not kept, as many rotations as levels are left. */
static pav_status end_steps(pav_run *run, int steps)
{
    const ir *code = run->code;
    for (int64_t f = 0; f < code->fields; f++)
        for (int n = 1; n < code->field[f].levels && code->field[f].updated; n++)
            levels_rotate(&run->field[f]);
    run_refresh_views(run);
    run->step += steps;
    run_set_time(run, run->step);
    run->gpu->bare = true;
    if (reads_ghosts(code))
        TRY(fill_borders(run));
    return gpurun_step(run->gpu, true);
}

/* Fields have had no borders yet where these are filled once. */
bool gpu_pass_may(const pav_run *run)
{
    for (int f = 0; f < run->code->fields; f++)
        if (run->code->field[f].updated && run_border_state(run, f) == BORDER_TO_KEEP)
            return false;
    return run->gpu->begun && !run->stopped && !run->checkpoint.waits;
}

/* The launch that has room before anything looks; NULL: a single step is next. */
static gpu_pass *next_of(const pav_run *run, int64_t room)
{
    gpu_pass *p = run->gpu->pass;
    if (!gpu_pass_may(run))
        return NULL;
    if (room < p->what.least)
        p = p->shorter;
    return p && room >= p->what.least ? p : NULL;
}

static pav_status take(pav_run *run, gpu_pass *p, int steps)
{
    if (!p->marks)
        TRY(gpu_pass_marks_open(run->gpu, &p->what, &p->marks));
    if (stays(p) || run->gpu->frayed)
        TRY(gpu_fill_borders(run));
    TRY(launch(run->gpu, p, steps));
    p->told += (steps - 1) / p->what.schedule.depth;
    p->taken++;
    run_count_pass(run, steps);
    run->count.shorter += p != run->gpu->pass;
    TRY(gpu_pass_marks_rows(run->gpu, p->marks, &p->what, steps));
    return end_steps(run, steps);
}

static int steps_of(const gpu_pass *p, int64_t room)
{
    const int depth = gpu_pass_most_steps(&p->what);
    return room < depth ? (int)room : depth;
}

int gpu_pass_next(const pav_run *run, int64_t most)
{
    const int64_t room = time_until_event(run, most) - 1;
    const gpu_pass *p = next_of(run, room);
    return p == run->gpu->pass ? steps_of(p, room) : 1;
}

pav_status gpu_pass_steps(pav_run *run, int64_t most)
{
    const int64_t room = time_until_event(run, most) - 1;
    gpu_pass *p = next_of(run, room);
    return p ? take(run, p, steps_of(p, room)) : run_one_step(run);
}

bool gpu_pass_is_behind(const gpurun *g)
{
    return g->behind;
}

static const gpu_pass *shorter_of(const gpurun *g)
{
    return g->pass ? g->pass->shorter : NULL;
}

int64_t gpu_pass_taken(const gpurun *g)
{
    const gpu_pass *p = shorter_of(g);
    return g->pass ? g->pass->taken + (p ? p->taken : 0) : 0;
}

int gpu_pass_short(const gpurun *g)
{
    return shorter_of(g) ? shorter_of(g)->what.most : 0;
}

int gpu_pass_depth(const gpurun *g)
{
    return g->pass ? g->pass->what.most + 1 : 1;
}

int gpu_pass_least(const gpurun *g)
{
    return g->pass ? g->pass->what.least + 1 : 1;
}

void gpu_pass_words(const gpurun *g, text *t)
{
    emit_gpu_schedule words = g->pass->what.schedule;
    if (!stays(g->pass)) {
        words.planes = (int)g->pass->walk.planes;
        words.rest = (int)g->pass->walk.rest;
    }
    emit_gpu_schedule_words(&words, t);
}

pav_status gpu_pass_bytes(const gpurun *g, double *bytes)
{
    const ir *code = g->run->code;
    const emit_gpu_pass *what = &g->pass->what;
    *bytes = gpu_points(code) / gpu_pass_most_steps(what) *
             emit_gpu_pass_bytes(code, what, gpu_walk_mean(g, what, &g->pass->work));
    return PAV_OK;
}
