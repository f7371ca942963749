/* SPDX-License-Identifier: BSD-3-Clause */
/* The seconds of a step, by the model of its kind of schedule. */
#include <math.h>

#include "cost/cost.h"

static const char *const names[COST_TERMS] = {"memory", "caches", "arithmetic",
                                              "synchronisation", "launches"};

const char *cost_term_name(cost_term term)
{
    return names[term];
}

/* A program, by a schedule, on a machine: what every model is asked about. */
typedef struct question {
    const ir *code;
    const schedule *requested;
    const machine_facts *machine;
} question;

static double seconds_of(double amount, double rate)
{
    return rate > 0 ? amount / rate : 0;
}

/* Of a stage whose points are computed `times` times. */
static pav_status add_arithmetic(const question *q, const ir_stage *s, double times,
                                 step_cost *c)
{
    const machine_rates *rate = &q->machine->rate;
    stage_load load;
    TRY(stage_load_of(q->code, s, &load));
    c->term[COST_ARITHMETIC] += seconds_of(times * load.points * load.instructions,
                                           s->real == PAV_F64 ? rate->f64 : rate->f32);
    return PAV_OK;
}

static pav_status add_step(const question *q, double times, step_cost *c)
{
    for (int64_t n = 0; n < q->code->step.count; n++)
        TRY(add_arithmetic(q, &q->code->stage[q->code->step.stage[n]], times, c));
    return PAV_OK;
}

static double points_of(const ir *code)
{
    double all = 1;
    for (int axis = 0; axis < code->dim; axis++)
        all *= (double)points_along(code, axis, false);
    return all;
}

/* ---- single steps ------------------------------------------------------------------ */

static pav_status stage_on_host(const question *q, const ir_stage *s, step_cost *c)
{
    stage_load load;
    TRY(stage_load_of(q->code, s, &load));
    c->bytes += load.points * load.bytes;
    return PAV_OK;
}

/* What has no kernel there the host runs, which reads and writes each level once. */
static pav_status stage_on_gpu(const question *q, int64_t number, step_cost *c)
{
    const ir_stage *s = &q->code->stage[number];
    const schedule own = emit_gpu_schedule_of(q->code, number, q->requested);
    double bytes;
    if (!emit_gpu_has_kernel(q->code, s))
        return stage_on_host(q, s, c);
    TRY(cost_stage_bytes(q->code, s, &own, &c->schedule, &bytes));
    c->bytes += bytes;
    return PAV_OK;
}

static pav_status cost_single(const question *q, step_cost *c)
{
    const ir_list *step = &q->code->step;
    for (int64_t n = 0; n < step->count; n++)
        TRY(q->machine->gpu ? stage_on_gpu(q, step->stage[n], c)
                            : stage_on_host(q, &q->code->stage[step->stage[n]], c));
    c->term[COST_LAUNCH] = (double)step->count * q->machine->rate.launch;
    return add_step(q, 1, c);
}

/* ---- time tiles on processors ------------------------------------------------------ */

/* How many times as fast as memory the smallest cache is that a tile fits into; 1: it
 * fits none. */
static double speedup_of(const question *q, const ir_blocking *b, double held)
{
    enum { THICK = 2 }; /* rows of a tile along the sweep, where nobody says */
    const schedule *s = q->requested;
    const int column = schedule_column_axis(q->code->dim), depth = s->tile.steps;
    cpu_cache cache[CPU_TILE_CACHES];
    double inside = s->tile.size[TILE_SWEEP] > 0 ? s->tile.size[TILE_SWEEP] : THICK;
    double faster = 1;
    inside += (double)cost_skew(b, q->code->dim == 1 ? 0 : 1, depth);
    if (column > 0)
        inside *= (double)points_along(q->code, 0, false);
    if (column >= 0)
        inside *= s->tile.size[TILE_COLUMN] > 0
                      ? s->tile.size[TILE_COLUMN] + 2 * b->skew[column]
                      : (double)points_along(q->code, column, false);
    cpu_tile_caches(&q->machine->cpu, cache);
    for (int n = 0; n < CPU_TILE_CACHES; n++)
        if (held * inside <= (double)cache[n].bytes)
            faster = fmax(faster, cache[n].speedup);
    return faster;
}

static pav_status tile_terms(const question *q, const ir_blocking *b, step_cost *c)
{
    const int column = schedule_column_axis(q->code->dim);
    const schedule_level *tile = &q->requested->tile;
    const double all = points_of(q->code);
    cost_traffic t;
    TRY(cost_traffic_of(q->code, b, &t));
    const double speedup = speedup_of(q, b, t.held);
    c->bytes = all * cost_tile_bytes(&t, b, column, tile->size[TILE_COLUMN], tile->steps,
                                     tile->steps);
    c->term[COST_CACHE] = seconds_of(all * t.held, speedup * q->machine->rate.memory);
    c->term[COST_LAUNCH] = q->machine->rate.launch / tile->steps;
    return add_step(q, 1, c);
}

static pav_status cost_tiles(const question *q, step_cost *c)
{
    ir_blocking b;
    if (q->requested->tile.steps < 1)
        return FAIL(PAV_EINVAL, "time tiles of 0 steps cost nothing: give depth=N");
    TRY(ir_blocking_open(q->code, NULL, &b));
    const pav_status status = tile_terms(q, &b, c);
    ir_blocking_close(&b);
    return status;
}

/* ---- fused launches ---------------------------------------------------------------- */

/* How often a point is computed: tiles overlap by the less the later the step. */
static double times_of(const emit_gpu_fused *what, int dim, int64_t planes)
{
    double each = 1;
    for (int axis = 0; axis < dim && what->schedule.kind == SCHEDULE_GPU_TIME; axis++) {
        const double own = axis == dim - 1 ? (double)planes : what->useful[axis];
        each *= (own + 2 * what->around[axis]) / own;
    }
    return (1 + each) / 2;
}

static pav_status launch_terms(const question *q, const emit_gpu_fused *what,
                               step_cost *c)
{
    const machine_rates *rate = &q->machine->rate;
    const cost_launch l = {.code = q->code, .what = what, .gpu = q->machine->gpu};
    const cost_sweep sweep = cost_first_sweep(&l, q->requested);
    const emit_gpu_fused_work w = cost_sweep_work(&l, sweep);
    c->schedule = what->schedule;
    c->bytes = points_of(q->code) * cost_launch_bytes(&l, sweep) / what->most;
    c->term[COST_LAUNCH] = rate->launch / what->most;
    c->term[COST_SYNCHRONISE] = seconds_of(what->cycles_waiting, rate->cycles);
    TRY(add_step(q, times_of(what, q->code->dim, cost_sweep_mean(&l, &w)), c));
    c->term[COST_ARITHMETIC] = fmax(c->term[COST_ARITHMETIC],
                                    seconds_of(what->cycles, rate->cycles));
    return PAV_OK;
}

static pav_status cost_fused(const question *q, step_cost *c)
{
    emit_gpu_fused what;
    TRY(emit_gpu_fused_of(q->code, q->requested, &what));
    const pav_status status = launch_terms(q, &what, c);
    emit_gpu_fused_free(&what);
    return status;
}

/* ---- all --------------------------------------------------------------------------- */

typedef pav_status model(const question *q, step_cost *c);
static model *const models[SCHEDULE_KINDS] = {
    [SCHEDULE_ROWS] = cost_single,    [SCHEDULE_BLOCKS] = cost_single,
    [SCHEDULE_CPU_TIME] = cost_tiles, [SCHEDULE_POINT] = cost_single,
    [SCHEDULE_SWEEP] = cost_single,   [SCHEDULE_TWO_PASS] = cost_single,
    [SCHEDULE_GPU_TIME] = cost_fused, [SCHEDULE_PERSISTENT] = cost_fused,
};

static pav_status is_legal(const question *q)
{
    char string[SCHEDULE_STRING];
    text why = {0};
    pav_status status = emit_legal(q->code, q->requested, q->machine->gpu, &why);
    if (status == PAV_OK && why.length > 0)
        status = FAIL(PAV_EUNSUPPORTED, "%s cannot go by %s: %s", q->code->program->name,
                      schedule_string(q->requested, string), why.data);
    text_free(&why);
    return status;
}

pav_status cost_of_step(const ir *code, const schedule *s, const machine_facts *m,
                        step_cost *c)
{
    const question q = {code, s, m};
    *c = (step_cost){.schedule = *s};
    if (!models[s->kind] || schedule_is_of_gpus(s->kind) != (m->gpu != NULL))
        return FAIL(PAV_EINVAL, "no model tells what the schedule %s costs on %s",
                    schedule_name(s->kind), m->gpu ? "a GPU" : "processors");
    TRY(is_legal(&q));
    TRY(models[s->kind](&q, c));
    const double *term = c->term;
    c->term[COST_MEMORY] = seconds_of(c->bytes, m->rate.memory);
    if (m->rate.memory > 0)
        c->seconds = fmax(term[COST_MEMORY] + term[COST_CACHE], term[COST_ARITHMETIC]) +
                     term[COST_SYNCHRONISE] + term[COST_LAUNCH];
    return PAV_OK;
}
