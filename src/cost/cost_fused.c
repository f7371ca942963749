/* SPDX-License-Identifier: BSD-3-Clause */
/* Model of sweeping fused launches on a GPU: their bytes and arithmetic. */
#include "cost/models_private.h"

/* How often a point is computed across the sweep, because tiles overlap. With tiles in
 * shared memory, the overlap shrinks from step to step. */
static double times_of(const emit_gpu_fused *what, int dim)
{
    const bool shrinks = what->schedule.tile.storage == STORAGE_SHARED;
    double each = 1;
    for (int axis = 0; axis < dim - 1 && what->sweeps; axis++)
        if (what->useful[axis] > 0)
            each *= 1 + (shrinks ? 1.0 : 2.0) * what->around[axis] / what->useful[axis];
    return each;
}

/* True if a loop unrolled over all planes of a point keeps each value in its register. In
 * three dimensions this also needs copies by the tensor memory accelerator. */
static bool keeps_values(const emit_gpu_fused *what, int dim)
{
    const schedule *s = &what->schedule;
    const int planes = 2 * what->around[dim - 1] / what->most + 1;
    return s->unroll >= planes && (dim < 3 || s->tile.copy == COPY_TMA);
}

static double fused_rate(const cost_question *q)
{
    const machine_rates *rate = &q->machine->rate;
    return q->code->program->real == PAV_F64 ? rate->f64 : rate->f32;
}

static pav_status fused_load(const cost_question *q, stage_load *all)
{
    *all = (stage_load){.points = cost_points_of(q->code)};
    for (int64_t n = 0; n < q->code->step.count; n++) {
        stage_load one;
        TRY(stage_load_of(q->code, &q->code->stage[q->code->step.stage[n]], &one));
        all->instructions += one.instructions;
        all->reads += one.reads;
        all->again += one.again;
    }
    return PAV_OK;
}

static int updated_fields(const ir *code)
{
    int count = 0;
    for (int f = 0; f < code->fields; f++)
        count += code->field[f].updated;
    return count;
}

/* Seconds of arithmetic for points computed once each. */
static double fused_arithmetic(const cost_question *q, const emit_gpu_fused *what,
                               const stage_load *load)
{
    const gpu_costs *k = gpu_costs_of(q->machine->gpu);
    const bool in_registers = what->registers > 0;
    const gpu_fused_costs *each = !in_registers      ? &k->shared
                                  : q->code->dim < 3 ? &k->flat
                                                     : &k->deep;
    const double all = each->instruction * load->instructions + each->read * load->reads +
                       each->field * updated_fields(q->code);
    return cost_seconds(load->points * all, fused_rate(q)) *
           (in_registers && !keeps_values(what, q->code->dim) ? k->moved : 1);
}

/* Additional L2 bytes of a point and step: values that each step loads again, and spilled
 * registers. */
static double fused_bytes(const cost_question *q, const emit_gpu_fused *what,
                          const stage_load *load)
{
    enum { REGISTER = 4, EACH_WAY = 2 };
    const gpu_costs *k = gpu_costs_of(q->machine->gpu);
    const schedule *s = &what->schedule;
    const double lacking = what->registers > k->kept ? what->registers - k->kept : 0;
    return k->again * load->again * (what->most - 1) / what->most +
           k->spill * EACH_WAY * REGISTER * lacking /
               (s->thread.size[0] * s->thread.size[1]) / what->most;
}

/* Half of the points read from neighbour tiles come from L2. */
pav_status cost_add_fused(const cost_question *q, const cost_launch *l, cost_sweep sweep,
                          step_cost *c)
{
    const machine_rates *rate = &q->machine->rate;
    const double moved = cost_points_of(q->code) * cost_launch_bytes(l, sweep) /
                         l->what->most;
    const double times = times_of(l->what, q->code->dim);
    stage_load load;
    cost_least step;
    TRY(cost_least_of(q, &step));
    TRY(fused_load(q, &load));
    const double again = load.points * fused_bytes(q, l->what, &load) * times;
    c->bytes = step.bytes > 0 ? (step.bytes / l->what->most + moved) / 2 : 0;
    c->term[COST_MEMORY] = cost_seconds(c->bytes * step.slower, rate->memory);
    c->term[COST_CACHE] = cost_seconds(moved + again, rate->last_cache);
    c->term[COST_ARITHMETIC] = fused_arithmetic(q, l->what, &load) * times;
    return PAV_OK;
}
