/* SPDX-License-Identifier: BSD-3-Clause */
/* The seconds of a step, by the model of its kind of schedule. */
#include <math.h>

#include "cost/cost.h"

static const char *const names[COST_TERMS] = {
    "memory", "caches", "arithmetic", "synchronisation", "beginning work", "idle units"};

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

/* Of a stage on units that reach so much of their rate. */
static pav_status arithmetic_of(const question *q, const ir_stage *s, double efficiency,
                                double *seconds)
{
    const machine_rates *rate = &q->machine->rate;
    stage_load load;
    TRY(stage_load_of(q->code, s, &load));
    *seconds = seconds_of(load.points * load.instructions,
                          efficiency * (s->real == PAV_F64 ? rate->f64 : rate->f32));
    return PAV_OK;
}

static pav_status add_step(const question *q, double efficiency, double *seconds)
{
    *seconds = 0;
    for (int64_t n = 0; n < q->code->step.count; n++) {
        double one;
        TRY(arithmetic_of(q, &q->code->stage[q->code->step.stage[n]], efficiency, &one));
        *seconds += one;
    }
    return PAV_OK;
}

static double points_of(const ir *code)
{
    double all = 1;
    for (int axis = 0; axis < code->dim; axis++)
        all *= (double)points_along(code, axis, false);
    return all;
}

/* Bytes that a step must at least move to memory and from it; 0 where L2 holds them. The
 * more values each point has, the less of its rate a GPU's memory reaches. */
typedef struct least {
    double bytes, slower;
} least;
static pav_status least_of(const question *q, least *l)
{
    const gpu_costs *k = gpu_costs_of(q->machine->gpu);
    *l = (least){.slower = 1};
    for (int64_t n = 0; n < q->code->step.count; n++) {
        stage_load load;
        TRY(stage_load_of(q->code, &q->code->stage[q->code->step.stage[n]], &load));
        l->bytes += load.points * load.bytes;
    }
    const double values = l->bytes / points_of(q->code) /
                          (double)pav_type_size(q->code->program->real);
    if (values > 2)
        l->slower += k->stream * (values - 2);
    if (l->bytes <= k->share * (double)q->machine->gpu->l2)
        l->bytes = 0;
    return PAV_OK;
}

/* ---- single steps ------------------------------------------------------------------ */

static pav_status stage_on_host(const question *q, const ir_stage *s, step_cost *c)
{
    const box b = ir_stage_box(q->code, s);
    cost_load load;
    double seconds;
    TRY(cost_load_of_stage(q->code, s, &load));
    TRY(arithmetic_of(q, s, 1, &seconds));
    cost_add_loop(&b, &load, q->requested, q->machine, seconds, c);
    return PAV_OK;
}

static pav_status cost_on_host(const question *q, step_cost *c)
{
    const ir_list *step = &q->code->step;
    for (int64_t n = 0; n < step->count; n++)
        TRY(stage_on_host(q, &q->code->stage[step->stage[n]], c));
    return PAV_OK;
}

/* What has no kernel there the host runs, which reads and writes each level once. */
static pav_status stage_on_gpu(const question *q, int64_t number, double *moved,
                               step_cost *c)
{
    const ir_stage *s = &q->code->stage[number];
    const schedule own = emit_gpu_schedule_of(q->code, number, q->requested);
    double bytes = 0;
    if (emit_gpu_has_kernel(q->code, s))
        TRY(cost_stage_bytes(q->code, s, &own, &c->schedule, &bytes));
    *moved += bytes;
    return PAV_OK;
}

/* L2 hands over what tiles read of each other. */
static pav_status cost_on_gpu(const question *q, step_cost *c)
{
    const machine_rates *rate = &q->machine->rate;
    const ir_list *step = &q->code->step;
    double moved = 0;
    least l;
    for (int64_t n = 0; n < step->count; n++)
        TRY(stage_on_gpu(q, step->stage[n], &moved, c));
    TRY(least_of(q, &l));
    c->bytes = l.bytes;
    c->term[COST_MEMORY] = seconds_of(l.bytes * l.slower, rate->memory);
    c->term[COST_CACHE] = seconds_of(moved, rate->last_cache);
    c->term[COST_LAUNCH] = (double)step->count * rate->launch;
    return add_step(q, gpu_costs_of(q->machine->gpu)->efficiency,
                    &c->term[COST_ARITHMETIC]);
}

static pav_status cost_single(const question *q, step_cost *c)
{
    return q->machine->gpu ? cost_on_gpu(q, c) : cost_on_host(q, c);
}

/* ---- time tiles on processors ------------------------------------------------------ */

static pav_status cost_tiles(const question *q, step_cost *c)
{
    ir_blocking b;
    if (q->requested->tile.steps < 1)
        return FAIL(PAV_EINVAL, "time tiles of 0 steps cost nothing: give depth=N");
    double arithmetic;
    TRY(add_step(q, 1, &arithmetic));
    TRY(ir_blocking_open(q->code, NULL, &b));
    const pav_status status = cost_add_tiles(q->code, &b, q->requested, q->machine,
                                             arithmetic, c);
    ir_blocking_close(&b);
    return status;
}

/* ---- fused launches ---------------------------------------------------------------- */

/* How often a point is computed across the sweep: tiles overlap. */
static double times_of(const emit_gpu_fused *what, int dim)
{
    double each = 1;
    for (int axis = 0; axis < dim - 1 && what->schedule.kind == SCHEDULE_GPU_TIME; axis++)
        if (what->useful[axis] > 0)
            each *= 1 + 2.0 * what->around[axis] / what->useful[axis];
    return each;
}

static pav_status persistent_terms(const question *q, const emit_gpu_fused *what,
                                   step_cost *c)
{
    const machine_rates *rate = &q->machine->rate;
    c->term[COST_SYNCHRONISE] = seconds_of(what->cycles_waiting, rate->cycles);
    TRY(add_step(q, 1, &c->term[COST_ARITHMETIC]));
    c->term[COST_ARITHMETIC] = fmax(c->term[COST_ARITHMETIC],
                                    seconds_of(what->cycles, rate->cycles));
    return PAV_OK;
}

/* Half of what tiles read of each other comes from L2. */
static pav_status time_terms(const question *q, const cost_launch *l, cost_sweep sweep,
                             step_cost *c)
{
    const machine_rates *rate = &q->machine->rate;
    const double moved = points_of(q->code) * cost_launch_bytes(l, sweep) / l->what->most;
    double arithmetic;
    least step;
    TRY(least_of(q, &step));
    TRY(add_step(q, gpu_costs_of(q->machine->gpu)->fused, &arithmetic));
    c->bytes = step.bytes > 0 ? (step.bytes / l->what->most + moved) / 2 : 0;
    c->term[COST_MEMORY] = seconds_of(c->bytes * step.slower, rate->memory);
    c->term[COST_CACHE] = seconds_of(moved, rate->last_cache);
    c->term[COST_ARITHMETIC] = arithmetic * times_of(l->what, q->code->dim);
    return PAV_OK;
}

static double largest(const step_cost *c);

static pav_status launch_terms(const question *q, const cost_launch *l, step_cost *c)
{
    const cost_sweep sweep = cost_first_sweep(l, q->requested);
    c->schedule = l->what->schedule;
    c->term[COST_LAUNCH] = q->machine->rate.launch / l->what->most;
    if (c->schedule.kind == SCHEDULE_PERSISTENT)
        return persistent_terms(q, l->what, c);
    TRY(time_terms(q, l, sweep, c));
    c->term[COST_IDLE] = largest(c) * (cost_sweep_idle(l, sweep) - 1);
    return PAV_OK;
}

static pav_status cost_fused(const question *q, step_cost *c)
{
    emit_gpu_fused what;
    TRY(emit_gpu_fused_of(q->code, q->requested, &what));
    const cost_launch l = {.code = q->code, .what = &what, .gpu = q->machine->gpu};
    const pav_status status = launch_terms(q, &l, c);
    emit_gpu_fused_free(&what);
    return status;
}

/* ---- all --------------------------------------------------------------------------- */

/* Of a GPU's parts that overlap: the longest counts, and the others where they are nearly
 * as long. */
static double largest(const step_cost *c)
{
    static const double sharp = 6;
    const double *term = c->term;
    const double most = fmax(fmax(term[COST_MEMORY], term[COST_CACHE]),
                             term[COST_ARITHMETIC]);
    double sum = 0;
    for (int n = COST_MEMORY; n <= COST_ARITHMETIC && most > 0; n++)
        sum += pow(term[n] / most, sharp);
    return most * pow(sum, 1 / sharp);
}

/* A core waits for each of its stores in turn, so that their seconds add up: the model of
 * Treibig and Hager, "Introducing a performance model for bandwidth-limited loop
 * kernels" (2010). A GPU has other warps meanwhile. */
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

typedef pav_status model(const question *q, step_cost *c);
static model *model_of(const schedule *s)
{
    if (s->kind == SCHEDULE_AUTO)
        return NULL;
    if (!schedule_fuses_steps(s))
        return cost_single;
    return schedule_is_of_gpus(s->kind) ? cost_fused : cost_tiles;
}

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
    if (!model_of(s) || schedule_is_of_gpus(s->kind) != (m->gpu != NULL))
        return FAIL(PAV_EINVAL, "no model tells what the schedule %s costs on %s",
                    schedule_name(s->kind), m->gpu ? "a GPU" : "processors");
    TRY(is_legal(&q));
    TRY(model_of(s)(&q, c));
    add_up(m, c);
    return PAV_OK;
}

pav_status cost_of_launch(const cost_launch *l, const schedule *s, const machine_facts *m,
                          step_cost *c)
{
    const machine_facts machine = {.gpu = l->gpu, .cpu = m->cpu, .rate = m->rate};
    const question q = {l->code, s, &machine};
    *c = (step_cost){.schedule = *s};
    TRY(launch_terms(&q, l, c));
    add_up(&machine, c);
    return PAV_OK;
}

double cost_of_loop(const box *b, const cost_load *l, const schedule *s,
                    const machine_facts *m)
{
    step_cost c = {0};
    cost_add_loop(b, l, s, m, 0, &c);
    add_up(m, &c);
    return c.seconds;
}

pav_status cost_of_tiles(const ir *code, const ir_blocking *b, const schedule *s,
                         const machine_facts *m, double arithmetic, step_cost *c)
{
    *c = (step_cost){.schedule = *s};
    TRY(cost_add_tiles(code, b, s, m, arithmetic, c));
    add_up(m, c);
    return PAV_OK;
}

pav_status cost_arithmetic(const ir *code, const machine_facts *m, double *seconds)
{
    const question q = {.code = code, .machine = m};
    return add_step(&q, 1, seconds);
}
