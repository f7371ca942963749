/* SPDX-License-Identifier: BSD-3-Clause */
/* Fused launches on a GPU: several steps in one launch, with sources and receivers. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "exec/gpu/gpu_private.h"

/* ---- sources and receivers --------------------------------------------------------- */

/* Sources and receivers within fused launches on a GPU: lists of their neighbours sorted
 * by planes, and values sampled in each step of a launch. Rows are made from these values
 * like after single steps. */

/* Values sampled in each step, in the order of the sample's neighbours. */
typedef struct sampled_points {
    emit_gpu_sample sample;
    void *index; /* place of each neighbour among the values of a step */
} sampled_points;

struct gpu_fused_points {
    int64_t injections, samples;
    emit_gpu_marks *inject;
    sampled_points *sample;
};

/* ---- lists ------------------------------------------------------------------------- */

static int compare(const void *one, const void *other)
{
    const placed_point *a = one, *b = other;
    for (int axis = MAX_DIM; axis-- > 0;)
        if (a->point[axis] != b->point[axis])
            return a->point[axis] < b->point[axis] ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Sorts points by planes. first: planes + 1 elements, the first mark of each plane. */
static void list(const placed_points *m, int axis, int64_t planes, emit_gpu_mark *mark,
                 int64_t *first)
{
    qsort(m->item, (size_t)m->count, sizeof *m->item, compare);
    for (int64_t n = 0; n < m->count; n++) {
        const placed_point *from = &m->item[n];
        mark[n] = (emit_gpu_mark){.i = from->point[0],
                                  .j = axis == 2 ? from->point[1] : 0,
                                  .number = from->number,
                                  .weight = from->weight};
        /* `first` has room */
        assert(from->point[axis] >= 0 && from->point[axis] < planes);
        first[from->point[axis] + 1]++;
    }
    for (int64_t p = 0; p < planes; p++)
        first[p + 1] += first[p];
}

static pav_status give(gpurun *g, const placed_points *m, emit_gpu_marks *to)
{
    const int axis = g->base.part->code->dim - 1;
    const int64_t planes = points_along(g->base.part->code, axis, false);
    const int64_t bytes = (planes + 1) * (int64_t)sizeof *to->first;
    OWNED_NEW(emit_gpu_mark, mark, m->count + 1);
    OWNED_NEW(int64_t, first, planes + 1);
    list(m, axis, planes, mark, first);
    TRY(gpurun_give_list(g, first, bytes, "planes of points", (void **)&to->first));
    return gpurun_give_list(g, mark, (m->count + 1) * (int64_t)sizeof *mark,
                            "points of a launch", (void **)&to->mark);
}

/* Out of core the sources belong to the whole grid, and the GPU holds a window of it. */
static pav_status open_injection(gpurun *g, subdomain *of, int64_t k, emit_gpu_marks *to)
{
    OWNED_BY(placed_close) placed_points m = {0};
    TRY(subdomain_bring_masks(of, of->code->injections.item[k].field));
    TRY(placed_of_source(of, k, of->code->dim - 1, &m));
    return give(g, &m, to);
}

/* ---- samples ----------------------------------------------------------------------- */

static pav_status give_index(gpurun *g, int64_t count, void **to)
{
    OWNED int64_t(*index)[MAX_DIM] = NULL;
    TRY(mem_take(&index, count + 1, sizeof *index));
    for (int64_t n = 0; n < count; n++)
        index[n][0] = n;
    return gpurun_give_list(g, index, (count + 1) * (int64_t)sizeof *index,
                            "positions of samples", to);
}

static pav_status open_sample(gpurun *g, const statement *s, int depth,
                              sampled_points *to)
{
    const sampler *r = g->client->ops->sampler_of(g->client->run, s);
    const ir_field *f = &g->base.part->code->field[r->field];
    const int64_t size = (int64_t)pav_type_size(f->storage);
    OWNED_BY(placed_close) placed_points m = {0};
    to->sample.count = r->points->neighbours;
    TRY(placed_of_sample(r->points, g->base.part->code->dim - 1, &m));
    TRY(give(g, &m, &to->sample.points));
    TRY(gpurun_take(g, depth * to->sample.count * size + size, "samples",
                    &to->sample.value));
    return give_index(g, to->sample.count, &to->index);
}

RELEASES(close_points, gpu_fused_points, gpu_fused_points_close)

static pav_status open_points(gpurun *g, const emit_gpu_fused *what, subdomain *of,
                              gpu_fused_points **m)
{
    NEW_BY(close_points, gpu_fused_points, opened, 1);
    TRY(mem_take(&opened->inject, what->injections + 1, sizeof *opened->inject));
    TRY(mem_take(&opened->sample, what->samples + 1, sizeof *opened->sample));
    for (; opened->injections < what->injections; opened->injections++)
        TRY(open_injection(g, of, opened->injections,
                           &opened->inject[opened->injections]));
    for (; opened->samples < what->samples; opened->samples++)
        TRY(open_sample(g, what->sample[opened->samples], what->schedule.tile.steps,
                        &opened->sample[opened->samples]));
    *m = mem_hand_over(&opened);
    return PAV_OK;
}

/* Leaves the lists on the GPU: they are freed with the run. */
void gpu_fused_points_close(gpu_fused_points *m)
{
    if (!m)
        return;
    MEM_FREE_ALL(m->inject, m->sample, m);
}

static void put_points(const gpu_fused_points *m, char **at)
{
    gpu_put(at, m->inject, (size_t)m->injections * sizeof *m->inject);
    for (int64_t k = 0; k < m->samples; k++)
        gpu_put(at, &m->sample[k].sample, sizeof m->sample[k].sample);
}

/* ---- rows -------------------------------------------------------------------------- */

/* A row of samples; step: its number within the fused launch. */
typedef struct row {
    gpurun *g;
    const gpu_fused_points *m;
    const emit_gpu_fused *what;
    int step;
} row;

/* Sampled points of a statement; NULL: no step changes its field. */
static const sampled_points *samples_of(const gpu_fused_points *m,
                                        const emit_gpu_fused *what,
                                        const statement *sample)
{
    for (int64_t k = 0; k < m->samples; k++)
        if (what->sample[k] == sample)
            return &m->sample[k];
    return NULL;
}

pav_status place_launch_samples(executor *e, const place_launch *launch,
                                const statement *sample, void *values, bool *moves)
{
    gpurun *g = gpurun_of(e);
    const sampled_points *s = samples_of(launch->marks, &launch->what, sample);
    const sampler *r = g->client->ops->sampler_of(g->client->run, sample);
    const pav_type type = g->base.part->code->field[r->field].storage;
    *moves = s != NULL;
    return s ? gpu_download(g->gpu, values, s->sample.value,
                            (launch->what.most - 1) * s->sample.count *
                                (int64_t)pav_type_size(type))
             : PAV_OK;
}

static pav_status keep_row(void *user, const statement *sample, sampler *of)
{
    const row *now = user;
    gpurun *g = now->g;
    const pav_type type = g->base.part->code->field[of->field].storage;
    const sampled_points *s = samples_of(now->m, now->what, sample);
    if (!s)
        return gpu_sample_take(&g->base, of);
    const emit_gpu_view v = {.type = (int64_t)type,
                             .data = (char *)s->sample.value +
                                     now->step * s->sample.count *
                                         (int64_t)pav_type_size(type)};
    return gpu_sample_from(g, of, &v, s->index);
}

/* ---- launches ---------------------------------------------------------------------- */

/* Arguments of a fused launch: levels, and the numbers of its steps. A launch covers all
 * points, or out of core the planes of a visit. */

/* ---- numbers ----------------------------------------------------------------------- */

/* Finds the numbers of a stage among the numbers of a step; NULL: it has none. */
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

static pav_status put_stage(subdomain *part, const gpu_fused *p, int stage, char *to)
{
    const interp_args args = {.code = part->code,
                              .stage = &part->code->stage[stage],
                              .view = part->view,
                              .table = part->table,
                              .uniform = part->uniform};
    int64_t at;
    const emit_gpu_kernel *k = numbers_of(p, stage, &at);
    TRY(stage_before(&args));
    if (k)
        emit_gpu_pack_uniforms(k, part->uniform, to + at);
    return PAV_OK;
}

static bool has_points(const ir_stage *s)
{
    for (int64_t k = 0; k < s->outputs; k++)
        if (s->output[k].kind != IR_SET)
            return true;
    return false;
}

/* Computes the scalars of a step on the host, in the order of single steps. */
static pav_status put_step(subdomain *part, const gpu_fused *p, int64_t step, char *to)
{
    const ir_list *list = p->view ? &p->view->code.step : &part->code->step;
    subdomain_set_time(part, step);
    for (int64_t n = 0; n < list->count; n++) {
        const ir_stage *s = &part->code->stage[list->stage[n]];
        if (!has_points(s)) {
            TRY(subdomain_stage(part, list->stage[n], NULL));
            continue;
        }
        TRY(put_stage(part, p, list->stage[n], to));
        /* Borders use the time at the end of the step. */
        subdomain_set_time(part, step + 1);
        for (int64_t k = 0; k < s->outputs; k++) {
            const ir_field *f = &part->code->field[s->output[k].field];
            for (int face = 0; face < SIDES * part->code->dim; face++) {
                const int stage = f->border[face / SIDES][face % SIDES].stage;
                if (stage >= 0)
                    TRY(put_stage(part, p, stage, to));
            }
        }
        subdomain_set_time(part, step);
    }
    const ir_event_list *sources = &part->code->injections;
    for (int64_t k = 0; k < sources->count; k++) {
        TRY(subdomain_source_numbers(part, k));
        TRY(put_stage(part, p, source_stage(&sources->item[k]), to));
    }
    return PAV_OK;
}

/* ---- the argument ------------------------------------------------------------------ */

/* The level of a slot, in the rotation before the fused launch. */
static const view *view_of(const gpurun *g, const gpu_fused *p, const emit_slot *s)
{
    const ir_field_level *own = p->view ? &p->view->of[s->field] : NULL;
    if (own)
        return g->base.part->view[own->field][1 - own->level];
    const ir_field *f = &g->base.part->code->field[s->field];
    const levels *l = &g->base.part->field[s->field];
    if (!s->stored)
        return g->base.part->view[s->field][1 - s->level];
    return &l->level[(l->newest + 1 - (ir_kept_levels(f) + s->level) + l->count) %
                     l->count];
}

pav_status place_launch_numbers(subdomain *part, const gpu_fused *p, int64_t first,
                                int steps, void *numbers)
{
    for (int n = 0; n < steps; n++)
        TRY(put_step(part, p, first + n, (char *)numbers + n * p->what.number_bytes));
    return PAV_OK;
}

/* ---- a launch ---------------------------------------------------------------------- */

static pav_status launch(gpurun *g, gpu_fused *p, const emit_gpu_fused_work *w,
                         const emit_gpu_work *part, const void *numbers)
{
    _Alignas(64) char argument[GPU_MOST_ARGUMENT] = {0};
    const ir *code = g->base.part->code;
    gpu_call call = {.kernel = p->call,
                     .shared = p->what.shared,
                     .together = gpu_fused_is_persistent(p),
                     .argument = argument,
                     .argument_bytes = p->what.argument_bytes};
    char *at = argument;
    gpu_put(&at, w, sizeof *w);
    for (int64_t k = 0; k < p->what.slots; k++) {
        const emit_slot *s = &p->what.slot[k];
        const view *v = view_of(g, p, s);
        const emit_grid grid = {v->data, v->stride[1], v->stride[2]};
        TRY(mirrors_on_gpu(g, p->view ? p->view->of[s->field].field : s->field, v,
                           s->stored));
        gpu_put(&at, &grid, sizeof grid);
    }
    for (int64_t k = 0; k < p->what.tables; k++)
        gpu_put(&at, &g->table[p->what.table[k]], sizeof *g->table);
    if (p->view)
        gpu_put(&at, numbers, (size_t)p->what.number_bytes);
    else
        put_points(p->marks, &at);
    /* The numbers stay valid until the launch is over. */
    const void *there;
    if (p->what.stages != 0 && !p->view) {
        TRY(gpu_argument_ring_put(g->gpu, numbers, (int)w->steps * p->what.number_bytes,
                                  &there));
        gpu_put(&at, &there, sizeof there);
    }
    /* Tensor maps of the levels: points from w.lo to w.hi. */
    const emit_gpu_fused *what = &p->what;
    TRY(gpu_tensors_put(g, &p->known, what->part, what->parts, part,
                        (const emit_grid *)(argument + sizeof(emit_gpu_fused_work)),
                        argument + what->argument_bytes -
                            what->parts * (int64_t)sizeof(emit_gpu_tensor)));
    emit_gpu_fused_extent(code, &p->what, w, call.blocks, call.threads);
    return gpu_launch(g->gpu, &call);
}

/* ---- of a visit, or a subdomain ---------------------------------------------------- */

pav_status place_launch_make(executor *e, const schedule *requested, int64_t planes,
                             place_launch **launch)
{
    gpurun *g = gpurun_of(e);
    g->visit = planes;
    return gpu_fused_make(g, requested, g->owned ? NULL : g->set->launches, launch);
}

pav_status place_launch_points(executor *e, place_launch *launch, subdomain *whole)
{
    return open_points(gpurun_of(e), &launch->what, whole, &launch->marks);
}

pav_status place_launch_visit(executor *e, place_launch *p, const place_visit *v)
{
    gpurun *g = gpurun_of(e);
    enum { BEYOND = 1 << 30 };
    emit_gpu_fused_work w = p->work;
    emit_gpu_work part = {.planes = 0};
    if (v->goes_on)
        w.extent[g->base.part->code->dim - 1] = BEYOND;
    w.steps = p->what.most;
    w.begin = v->begin;
    w.end = v->end;
    w.behind = v->behind;
    memcpy(part.hi, w.extent, sizeof part.hi);
    /* The planes of the window, without the ghosts that the accelerator adds to the
     * points. */
    const emit_gpu_tensor_box *s = p->what.part;
    if (p->what.parts != 0) {
        const int64_t lo = v->first + s->before[s->planes];
        const int64_t hi = v->last - s->beyond[s->planes];
        part.lo[s->planes] = lo > 0 ? lo : 0;
        if (part.hi[s->planes] > hi)
            part.hi[s->planes] = hi;
    }
    p->taken++;
    return launch(g, p, &w, &part, v->numbers);
}

pav_status place_make_within(executor *e, const schedule *requested, int64_t planes,
                             const emit_gpu_fused **what)
{
    gpurun *g = (gpurun *)e;
    TRY(place_launch_make(e, requested, planes, &g->fused));
    TRY(open_points(g, &g->fused->what, e->part, &g->fused->marks));
    *what = &g->fused->what;
    return PAV_OK;
}

pav_status place_visit_within(executor *e, const place_visit *v)
{
    return place_launch_visit(e, gpurun_of(e)->fused, v);
}

pav_status place_numbers_within(subdomain *whole, int steps, void *numbers)
{
    const subdomain *inner = whole->inner;
    while (inner->executor->absent)
        inner++;
    const gpurun *g = (const gpurun *)inner->executor;
    return place_launch_numbers(whole, g->fused, whole->step, steps, numbers);
}

/* ---- steps ------------------------------------------------------------------------- */

/* Fused launches on a GPU: several steps in one launch.
 * A fused launch reads the present levels and writes its last levels to other buffers, so
 * fields with more than two levels get more buffers (field_buffers). It does not keep the
 * oldest level, because no step reads it. The last step before an observation is
 * therefore a single step. Borders are filled after the launch, like after any step. */

/* ---- a fused launch ---------------------------------------------------------------- */

/* Ghosts beyond periodic faces are read by single steps and by persistent blocks. */
static bool reads_ghosts(const ir *code)
{
    for (int64_t f = 0; f < code->fields; f++)
        for (int face = 0; face < SIDES * code->dim; face++) {
            const border_kind kind =
                code->field[f].border[face / SIDES][face % SIDES].kind;
            if (code->field[f].updated && border_is(kind) && !border_wraps(kind))
                return true;
        }
    return false;
}

pav_status gpurun_step(gpurun *g, bool behind)
{
    g->behind = behind;
    return g->period > 0 ? gpu_step(g->gpu, g->period) : PAV_OK;
}

/* Fused launches must wait until constant borders have been filled once. */
bool gpu_fused_may(const gpurun *g)
{
    for (int f = 0; f < g->base.part->code->fields; f++)
        if (g->base.part->code->field[f].updated &&
            subdomain_border_state(g->base.part, f) == BORDER_TO_KEEP)
            return false;
    return g->begun && !g->client->ops->state(g->client->run).wants_single;
}

/* The launch that fits before the next observation; NULL: a single step is next. */
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
        TRY(open_points(g, &p->what, g->base.part, &p->marks));
    if (gpu_fused_is_persistent(p) || g->wrap_ghosts_stale)
        TRY(gpu_fill_borders(g));
    _Alignas(8) char numbers[GPU_MOST_ARGUMENT] = {0};
    emit_gpu_fused_work w = p->work;
    emit_gpu_work all = {.planes = 0};
    /* numbers of all steps fit */
    assert(steps > 0 && steps * p->what.number_bytes <= GPU_MOST_ARGUMENT);
    g->base.part->singles = 0;
    w.steps = steps;
    w.seen = p->signals;
    w.epoch = p->epoch;
    memcpy(all.hi, w.extent, sizeof all.hi);
    TRY(place_launch_numbers(g->base.part, p, g->base.part->step, steps, numbers));
    TRY(launch(g, p, &w, &all, numbers));
    p->epoch += (steps - 1) / p->what.schedule.tile.steps;
    p->taken++;
    g->client->ops->count(g->client->run, steps, p != g->fused);
    subdomain *part = g->base.part;
    const int64_t first = part->step;
    row now = {.g = g, .m = p->marks, .what = &p->what};
    pav_status status = PAV_OK;
    for (; now.step + 1 < steps && status == PAV_OK; now.step++) {
        subdomain_set_step(part, first + now.step + 1);
        status = g->client->ops->each_sample(g->client->run, part->step, keep_row, &now);
    }
    subdomain_set_step(part, first);
    TRY(status);
    subdomain_turn(part);
    subdomain_set_step(part, part->step + steps);
    g->ghosts_stale = true;
    if (reads_ghosts(part->code))
        TRY(gpu_fill_borders(g));
    return gpurun_step(g, true);
}

/* In asynchronous programs all blocks see the newest values at the end of a launch. */
static int steps_of(const gpurun *g, const gpu_fused *p, int64_t room)
{
    const int64_t chaotic = g->base.part->code->program->chaotic;
    int depth = gpu_fused_most_steps(&p->what);
    if (chaotic > 0 && gpu_fused_is_persistent(p))
        depth = int_least(depth, int_most((int)chaotic, p->what.least));
    return room < depth ? (int)room : depth;
}

int gpu_fused_next(const gpurun *g, int64_t most)
{
    const int64_t room = g->client->ops->until_event(g->client->run, most) - 1;
    const gpu_fused *p = next_of(g, room);
    return p == g->fused ? steps_of(g, p, room) : 1;
}

pav_status gpu_fused_steps(gpurun *g, int64_t most)
{
    const int64_t room = g->client->ops->until_event(g->client->run, most) - 1;
    gpu_fused *p = next_of(g, room);
    return p ? take(g, p, steps_of(g, p, room))
             : g->client->ops->one_step(g->client->run);
}

bool gpu_fused_is_behind(const gpurun *g)
{
    return g->behind;
}

int64_t gpu_fused_count(const gpurun *g)
{
    const gpu_fused *shorter = g->fused ? g->fused->shorter : NULL;
    return g->fused ? g->fused->taken + (shorter ? shorter->taken : 0) : 0;
}

int gpu_fused_short(const gpurun *g)
{
    return g->fused && g->fused->shorter ? g->fused->shorter->what.most : 0;
}

/* ---- groups of stages -------------------------------------------------------------- */

pav_status gpu_group_take(gpurun *g, gpu_fused *p)
{
    const ir *code = &p->view->code;
    _Alignas(8) char numbers[GPU_MOST_ARGUMENT] = {0};
    emit_gpu_fused_work w = p->work;
    emit_gpu_work all = {.planes = 0};
    for (int64_t n = 0; n < code->step.count; n++)
        TRY(gpu_refresh_wrapped_ghosts(g, &code->stage[code->step.stage[n]]));
    w.steps = 1;
    memcpy(all.hi, w.extent, sizeof all.hi);
    TRY(place_launch_numbers(g->base.part, p, g->base.part->step, 1, numbers));
    p->taken++;
    return launch(g, p, &w, &all, numbers);
}
