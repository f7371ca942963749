/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of a fused launch: levels, and the numbers of its steps. A launch covers all
 * points, or out of core the planes of a visit. */
#include <assert.h>
#include <string.h>

#include "exec/gpu/time/gpu_fused_private.h"

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

/* Borders use the time at the end of the step. */
static pav_status put_borders(subdomain *part, const gpu_fused *p, int64_t step,
                              const ir_stage *s, char *to)
{
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
    return PAV_OK;
}

static bool has_points(const ir_stage *s)
{
    for (int64_t k = 0; k < s->outputs; k++)
        if (s->output[k].kind != IR_SET)
            return true;
    return false;
}

static pav_status put_injections(subdomain *part, const gpu_fused *p, char *to)
{
    for (int64_t k = 0; k < part->code->injections.count; k++) {
        const ir_list *list = &part->code->injections.item[k].list;
        for (int64_t n = 0; n + 1 < list->count; n++)
            TRY(subdomain_stage(part, list->stage[n], NULL));
        TRY(put_stage(part, p, list->stage[list->count - 1], to));
    }
    return PAV_OK;
}

/* Computes the scalars of a step on the host, in the order of single steps. */
static pav_status put_step(subdomain *part, const gpu_fused *p, int64_t step, char *to)
{
    const ir_list *list = &part->code->step;
    subdomain_set_time(part, step);
    for (int64_t n = 0; n < list->count; n++) {
        const ir_stage *s = &part->code->stage[list->stage[n]];
        if (!has_points(s)) {
            TRY(subdomain_stage(part, list->stage[n], NULL));
            continue;
        }
        TRY(put_stage(part, p, list->stage[n], to));
        TRY(put_borders(part, p, step, s, to));
    }
    return put_injections(part, p, to);
}

/* ---- the argument ------------------------------------------------------------------ */

/* The level of a slot, in the rotation before the fused launch. */
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
        gpu_put(at, &grid, sizeof grid);
    }
    return PAV_OK;
}

pav_status place_launch_numbers(subdomain *part, const gpu_fused *p, int64_t first,
                                int steps, void *numbers)
{
    for (int n = 0; n < steps; n++)
        TRY(put_step(part, p, first + n, (char *)numbers + n * p->what.number_bytes));
    return PAV_OK;
}

/* The numbers stay valid until the launch is over. */
static pav_status lend_numbers(gpurun *g, const gpu_fused *p, const void *numbers,
                               int steps, char **at)
{
    const void *there;
    if (p->what.stages == 0)
        return PAV_OK;
    TRY(gpu_argument_ring_put(g->gpu, numbers, steps * p->what.number_bytes, &there));
    gpu_put(at, &there, sizeof there);
    return PAV_OK;
}

/* Tensor maps of the levels: points from w.lo to w.hi. */
static pav_status put_parts(gpurun *g, gpu_fused *p, const emit_gpu_work *w,
                            char *argument)
{
    const emit_gpu_fused *what = &p->what;
    return gpu_tensors_put(g, &p->known, what->part, what->parts, w,
                           (const emit_grid *)(argument + sizeof(emit_gpu_fused_work)),
                           argument + what->argument_bytes -
                               what->parts * (int64_t)sizeof(emit_gpu_tensor));
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
    TRY(put_levels(g, p, &at));
    for (int64_t k = 0; k < p->what.tables; k++)
        gpu_put(&at, &g->table[p->what.table[k]], sizeof *g->table);
    gpu_fused_points_put(p->marks, &at);
    TRY(lend_numbers(g, p, numbers, (int)w->steps, &at));
    TRY(put_parts(g, p, part, argument));
    emit_gpu_fused_extent(code, &p->what, w, call.blocks, call.threads);
    return gpu_launch(g->gpu, &call);
}

pav_status gpu_fused_launch(gpurun *g, gpu_fused *p, int steps)
{
    _Alignas(8) char numbers[GPU_MOST_ARGUMENT] = {0};
    emit_gpu_fused_work w = p->work;
    emit_gpu_work all = {.planes = 0};
    assert(steps > 0 && steps * p->what.number_bytes <= GPU_MOST_ARGUMENT);
    g->base.part->singles = 0;
    w.steps = steps;
    w.seen = p->signals;
    w.epoch = p->epoch;
    memcpy(all.hi, w.extent, sizeof all.hi);
    TRY(place_launch_numbers(g->base.part, p, g->base.part->step, steps, numbers));
    return launch(g, p, &w, &all, numbers);
}

/* ---- of a visit, or a subdomain ---------------------------------------------------- */

/* The planes of the window, without the ghosts that the accelerator adds to the
 * points. */
static void place_part(const emit_gpu_fused *what, const place_visit *v,
                       emit_gpu_work *part)
{
    const emit_gpu_tensor_box *s = what->part;
    if (what->parts == 0)
        return;
    const int64_t lo = v->first + s->before[s->planes];
    const int64_t hi = v->last - s->beyond[s->planes];
    part->lo[s->planes] = lo > 0 ? lo : 0;
    if (part->hi[s->planes] > hi)
        part->hi[s->planes] = hi;
}

pav_status gpu_fused_make_visits(gpurun *g, const schedule *requested, int64_t planes,
                                 gpu_fused **fused)
{
    g->visit = planes;
    return gpu_fused_make(g, requested, g->owned ? NULL : g->set->launches, fused);
}

pav_status place_launch_points(executor *e, place_launch *launch, subdomain *whole)
{
    return gpu_fused_points_open(gpurun_of(e), &launch->what, whole, &launch->marks);
}

pav_status place_launch_samples(executor *e, const place_launch *launch,
                                const statement *sample, void *values, bool *moves)
{
    return gpu_fused_points_samples(gpurun_of(e), launch->marks, &launch->what, sample,
                                    values, moves);
}

pav_status gpu_fused_visit_planes(gpurun *g, gpu_fused *p, const place_visit *v)
{
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
    place_part(&p->what, v, &part);
    p->taken++;
    return launch(g, p, &w, &part, v->numbers);
}

pav_status place_make_within(executor *e, const schedule *requested, int64_t planes,
                             const emit_gpu_fused **what)
{
    gpurun *g = (gpurun *)e;
    g->visit = planes;
    TRY(gpu_fused_make(g, requested, g->owned ? NULL : g->set->launches, &g->fused));
    TRY(gpu_fused_points_open(g, &g->fused->what, e->part, &g->fused->marks));
    *what = &g->fused->what;
    return PAV_OK;
}

pav_status place_visit_within(executor *e, const place_visit *v)
{
    gpurun *g = (gpurun *)e;
    return gpu_fused_visit_planes(g, g->fused, v);
}

pav_status place_numbers_within(subdomain *whole, int steps, void *numbers)
{
    const subdomain *inner = whole->inner;
    while (inner->executor->absent)
        inner++;
    const gpurun *g = (const gpurun *)inner->executor;
    return place_launch_numbers(whole, g->fused, whole->step, steps, numbers);
}
