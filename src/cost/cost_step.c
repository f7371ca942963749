/* SPDX-License-Identifier: BSD-3-Clause */
/* Seconds of a step, by the model of its schedule in SCHEDULE_TABLE. */
#include <math.h>

#include "cost/models_private.h"

static const char *const names[COST_TERMS] = {
    "memory", "caches", "arithmetic", "synchronisation", "launches", "idle units"};

const char *cost_term_name(cost_term term)
{
    return names[term];
}

/* Efficiency of the arithmetic units, and instructions to load a value. */
typedef struct unit_use {
    double efficiency, read;
} unit_use;

/* A processor loads full vectors; a GPU's thread loads one value at a time. */
static double loads_of(const cost_question *q, const ir_stage *s)
{
    const machine_rates *rate = &q->machine->rate;
    return s->real == PAV_F64 && !q->machine->gpu ? rate->f64 : rate->f32;
}

static pav_status arithmetic_of(const cost_question *q, const ir_stage *s, unit_use u,
                                double *seconds)
{
    const machine_rates *rate = &q->machine->rate;
    stage_load load;
    TRY(stage_load_of(q->code, s, &load));
    *seconds = cost_seconds(load.points * load.instructions,
                            u.efficiency * (s->real == PAV_F64 ? rate->f64 : rate->f32)) +
               cost_seconds(load.points * load.reads * u.read,
                            u.efficiency * loads_of(q, s));
    return PAV_OK;
}

static const unit_use all_of_them = {.efficiency = 1};

static unit_use host_use(void)
{
    return (unit_use){.efficiency = 1, .read = cpu_costs_of()->read};
}

static pav_status add_step(const cost_question *q, unit_use u, double *seconds)
{
    *seconds = 0;
    for (int64_t n = 0; n < q->code->step.count; n++) {
        double one;
        TRY(arithmetic_of(q, &q->code->stage[q->code->step.stage[n]], u, &one));
        *seconds += one;
    }
    return PAV_OK;
}

double cost_points_of(const ir *code)
{
    double all = 1;
    for (int axis = 0; axis < code->dim; axis++)
        all *= (double)points_along(code, axis, false);
    return all;
}

pav_status cost_least_of(const cost_question *q, cost_least *l)
{
    const gpu_costs *k = gpu_costs_of(q->machine->gpu);
    *l = (cost_least){.slower = 1};
    for (int64_t n = 0; n < q->code->step.count; n++) {
        stage_load load;
        TRY(stage_load_of(q->code, &q->code->stage[q->code->step.stage[n]], &load));
        l->bytes += load.points * load.bytes;
    }
    const double values = l->bytes / cost_points_of(q->code) /
                          (double)pav_type_size(q->code->program->real);
    if (values > 2)
        l->slower += k->stream * (values - 2);
    if (l->bytes <= k->share * (double)q->machine->gpu->l2)
        l->bytes = 0;
    return PAV_OK;
}

/* ---- single steps ------------------------------------------------------------------ */

static pav_status stage_on_host(const cost_question *q, const ir_stage *s, step_cost *c)
{
    const box b = ir_stage_box(q->code, s);
    cost_load load;
    double seconds;
    TRY(cost_load_of_stage(q->code, s, &load));
    TRY(arithmetic_of(q, s, host_use(), &seconds));
    cost_add_loop(&b, &load, q, seconds, c);
    return PAV_OK;
}

pav_status cost_loops(const cost_question *q, step_cost *c)
{
    if (q->box) {
        cost_add_loop(q->box, q->load, q, 0, c);
        return PAV_OK;
    }
    const ir_list *step = &q->code->step;
    for (int64_t n = 0; n < step->count; n++)
        TRY(stage_on_host(q, &q->code->stage[step->stage[n]], c));
    return PAV_OK;
}

/* A stage without a GPU kernel runs on the host, and adds only the least traffic of
 * cost_least_of. */
static pav_status stage_on_gpu(const cost_question *q, int64_t number, double *moved,
                               double *waits, step_cost *c)
{
    const ir_stage *s = &q->code->stage[number];
    const schedule own = emit_gpu_schedule_of(q->code, number, q->schedule);
    double bytes = 0, seconds = 0;
    if (emit_gpu_has_kernel(q->code, s)) {
        TRY(cost_stage_bytes(q->code, s, &own, &c->schedule, &bytes));
        TRY(cost_stage_waits(q->code, s, &own, q->machine->gpu, &seconds));
    }
    *moved += bytes;
    *waits += seconds;
    return PAV_OK;
}

static double largest(const step_cost *c);

/* L2 delivers the points that tiles read from their neighbours. If few threads sweep
 * through many planes each, memory waits for them. */
pav_status cost_stages(const cost_question *q, step_cost *c)
{
    const machine_rates *rate = &q->machine->rate;
    const ir_list *step = &q->code->step;
    const unit_use u = {.efficiency = gpu_costs_of(q->machine->gpu)->efficiency};
    double moved = 0, waits = 0;
    cost_least l;
    for (int64_t n = 0; n < step->count; n++)
        TRY(stage_on_gpu(q, step->stage[n], &moved, &waits, c));
    TRY(cost_least_of(q, &l));
    c->bytes = l.bytes;
    c->term[COST_MEMORY] = cost_seconds(l.bytes * l.slower, rate->memory);
    c->term[COST_CACHE] = cost_seconds(moved, rate->last_cache);
    c->term[COST_LAUNCH] = (double)step->count * rate->launch;
    TRY(add_step(q, u, &c->term[COST_ARITHMETIC]));
    c->term[COST_IDLE] = hypot(largest(c), waits) - largest(c);
    return PAV_OK;
}

/* ---- time tiles on processors ------------------------------------------------------ */

static pav_status find_skews(const cost_question *q, double arithmetic, step_cost *c)
{
    ir_blocking b;
    TRY(ir_blocking_open(q->code, NULL, &b));
    const pav_status status = cost_add_tiles(q, &b, arithmetic, c);
    ir_blocking_close(&b);
    return status;
}

pav_status cost_tiles(const cost_question *q, step_cost *c)
{
    double arithmetic = q->arithmetic;
    if (q->schedule->tile.steps < 1)
        return FAIL(PAV_EINVAL, "time tiles of 0 steps cost nothing: give depth=N");
    if (arithmetic <= 0)
        TRY(add_step(q, host_use(), &arithmetic));
    return q->blocking ? cost_add_tiles(q, q->blocking, arithmetic, c)
                       : find_skews(q, arithmetic, c);
}

/* ---- fused launches ---------------------------------------------------------------- */

static pav_status persistent_terms(const cost_question *q, const emit_gpu_fused *what,
                                   step_cost *c)
{
    const machine_rates *rate = &q->machine->rate;
    c->term[COST_SYNCHRONISE] = cost_seconds(what->cycles_waiting, rate->cycles);
    TRY(add_step(q, all_of_them, &c->term[COST_ARITHMETIC]));
    c->term[COST_ARITHMETIC] = fmax(c->term[COST_ARITHMETIC],
                                    cost_seconds(what->cycles, rate->cycles));
    return PAV_OK;
}

static pav_status launch_terms(const cost_question *q, const cost_launch *l, step_cost *c)
{
    const cost_sweep sweep = cost_first_sweep(l, q->schedule);
    c->schedule = l->what->schedule;
    c->term[COST_LAUNCH] = q->machine->rate.launch / l->what->most;
    if (!l->what->sweeps)
        return persistent_terms(q, l->what, c);
    TRY(cost_add_fused(q, l, sweep, c));
    c->term[COST_IDLE] = largest(c) * (cost_sweep_idle(l, sweep) - 1);
    return PAV_OK;
}

pav_status cost_time(const cost_question *q, step_cost *c)
{
    emit_gpu_fused what;
    if (q->launch)
        return launch_terms(q, q->launch, c);
    TRY(emit_gpu_fused_of(q->code, q->schedule, q->machine->gpu, &what));
    const cost_launch l = {.code = q->code, .what = &what, .gpu = q->machine->gpu};
    const pav_status status = launch_terms(q, &l, c);
    emit_gpu_fused_free(&what);
    return status;
}

pav_status cost_persistent(const cost_question *q, step_cost *c)
{
    return cost_time(q, c);
}

/* ---- seconds of a step ------------------------------------------------------------- */

/* Joint time of overlapping parts of a GPU: the longest one, and a little more if others
 * are nearly equal. */
static double largest(const step_cost *c)
{
    static const double sharp = 4;
    const double *term = c->term;
    const double most = fmax(fmax(term[COST_MEMORY], term[COST_CACHE]),
                             term[COST_ARITHMETIC]);
    double sum = 0;
    for (int n = COST_MEMORY; n <= COST_ARITHMETIC && most > 0; n++)
        sum += pow(term[n] / most, sharp);
    return most * pow(sum, 1 / sharp);
}

/* A core waits for memory and for each of its caches in turn, so their seconds add up:
 * the model of Treibig and Hager, "Introducing a performance model for bandwidth-limited
 * loop kernels" (2010). A GPU switches to other warps meanwhile. */
static void add_up(const machine_facts *m, step_cost *c)
{
    const double *term = c->term;
    if (m->rate.memory <= 0)
        return;
    c->seconds = m->gpu ? largest(c)
                        : term[COST_MEMORY] + term[COST_CACHE] + term[COST_ARITHMETIC];
    c->seconds += term[COST_SYNCHRONISE] + term[COST_LAUNCH] + term[COST_IDLE];
}

const char *cost_bound(const step_cost *c)
{
    int most = 0;
    for (int n = 1; n < COST_TERMS; n++)
        if (c->term[n] > c->term[most])
            most = n;
    return names[most];
}

#define ROW(kind, name, on, steps, options, emitter, model) [SCHEDULE_##kind] = (model),
static cost_model *const models[SCHEDULE_KINDS] = {SCHEDULE_TABLE(ROW)};

static pav_status is_legal(const cost_question *q)
{
    char string[SCHEDULE_STRING];
    text why = {0};
    pav_status status = emit_legal(q->code, q->schedule, q->machine->gpu, &why);
    if (status == PAV_OK && why.length > 0)
        status = FAIL(PAV_EUNSUPPORTED, "%s cannot go by %s: %s", q->code->program->name,
                      schedule_string(q->schedule, string), why.data);
    text_free(&why);
    return status;
}

static pav_status of_schedule(const cost_question *q, step_cost *c)
{
    const machine_facts *m = q->machine;
    const schedule_kind kind = q->schedule->kind;
    *c = (step_cost){.schedule = *q->schedule};
    if (!models[kind] || schedule_is_of_gpus(kind) != (m->gpu != NULL))
        return FAIL(PAV_EINVAL, "no model says what the schedule %s costs on %s",
                    schedule_name(kind), m->gpu ? "a GPU" : "processors");
    if (!q->launch && !q->blocking && !q->box)
        TRY(is_legal(q));
    TRY(models[kind](q, c));
    add_up(m, c);
    return PAV_OK;
}

pav_status cost_forecast(const cost_question *q, step_cost *c)
{
    *c = (step_cost){0};
    if (q->subdomain)
        cost_add_exchange(q, c);
    else if (q->visits)
        cost_add_visits(q, c);
    else
        return of_schedule(q, c);
    return PAV_OK;
}

pav_status cost_arithmetic(const ir *code, const machine_facts *m, double *seconds)
{
    const cost_question q = {.code = code, .machine = m};
    return add_step(&q, m->gpu ? all_of_them : host_use(), seconds);
}
