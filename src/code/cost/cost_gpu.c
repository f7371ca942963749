/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of GPUs. Single steps: memory traffic of a stage's launch, and the time it waits
 * for planes. Fused launches: bytes and arithmetic, and the best number of planes in a
 * sweep. A short sweep reads relatively many planes before its first one. Blocks that do
 * not fill the multiprocessors a whole number of times leave some idle at the end. The
 * tail tiles may therefore be cut into shorter sweeps, the tail. */
#include <math.h>
#include <string.h>

#include "cost/cost_private.h"

/* ---- a stage ----------------------------------------------------------------------- */

static emit_gpu_work work_of(const box *b, const emit_gpu_kernel *k)
{
    emit_gpu_work w = {.planes = k->schedule.planes > 0 ? k->schedule.planes
                                                        : COST_FIRST_PLANES};
    memcpy(w.lo, b->lo, sizeof w.lo);
    memcpy(w.hi, b->hi, sizeof w.hi);
    return w;
}

static int64_t stage_blocks(const ir *code, const ir_stage *stage,
                            const emit_gpu_kernel *k, const gpu_facts *gpu,
                            int64_t threads, int64_t shared)
{
    const gpu_architecture *a = gpu_facts_architecture(gpu);
    const gpu_costs *costs = gpu_costs_of(gpu);
    const schedule *s = &k->schedule;
    const int64_t planes = shared > 0 ? (int64_t)costs->shared_registers *
                                            s->thread.size[0] * s->thread.size[1]
                                      : emit_gpu_sweep_registers(code, stage, s),
                  each = int64_least(costs->registers + planes, GPU_THREAD_REGISTERS);
    int64_t blocks = int64_least(a->registers / (each * threads), a->threads / threads);
    if (shared > 0)
        blocks = int64_least(blocks,
                             gpu->shared_multiprocessor / (shared + GPU_BLOCK_RESERVED));
    return int64_most(blocks, 1);
}

static double plane_seconds(const ir *code, const emit_gpu_kernel *k,
                            const stage_load *load, const gpu_costs *costs)
{
    enum { POINTS = 4 };
    const schedule *s = &k->schedule;
    const double packs = (double)s->thread.size[0] * s->thread.size[1] / POINTS,
                 work = (load->instructions + load->reads) * packs *
                        (code->dim < 3 ? costs->flat_work : costs->deep_work),
                 seconds = costs->plane + costs->level * (double)k->slots + work;
    return s->tile.storage == STORAGE_REGISTERS ? seconds * costs->exchanged
           : s->tile.storage == STORAGE_SHARED && s->tile.copy != COPY_TMA
               ? seconds * costs->copied
               : seconds;
}

/* Planes loaded by a block, including those before its first and after its last plane. */
static int64_t stage_planes(const ir *code, const cost_load *load, const emit_gpu_work *w,
                            const emit_gpu_kernel *k)
{
    return k->schedule.kind == SCHEDULE_POINT
               ? 1
               : w->planes + (code->dim < 3 ? load->rows : load->planes) - 1;
}

static pav_status waits_of(const ir *code, const ir_stage *stage,
                           const emit_gpu_kernel *k, const gpu_facts *gpu,
                           double *seconds)
{
    const box b = ir_stage_box(code, stage);
    const emit_gpu_work w = work_of(&b, k);
    int64_t blocks[MAX_DIM], shared;
    int threads[MAX_DIM];
    stage_load load;
    cost_load levels;
    TRY(stage_load_of(code, stage, &load));
    TRY(cost_load_of_stage(code, stage, &levels));
    emit_gpu_extent(code, k, &w, blocks, threads, &shared);
    const int64_t each = (int64_t)threads[0] * threads[1] * threads[2],
                  at_once = gpu->multiprocessors *
                            stage_blocks(code, stage, k, gpu, each, shared);
    *seconds = (double)int_parts(blocks[0] * blocks[1] * blocks[2], at_once) *
               (double)stage_planes(code, &levels, &w, k) *
               plane_seconds(code, k, &load, gpu_costs_of(gpu));
    return PAV_OK;
}

/* Memory traffic of a stage. With a GPU, also the seconds of a launch spent only waiting
 * for planes: multiprocessors full of threads, one plane after another. */
static pav_status stage_costs(const ir *code, const ir_stage *stage,
                              const schedule *requested, const gpu_facts *gpu,
                              schedule *settled, double *bytes, double *seconds)
{
    const box b = ir_stage_box(code, stage);
    OWNED_BY(emit_gpu_kernel_free) emit_gpu_kernel k = {0};
    *bytes = *seconds = 0;
    TRY(emit_gpu_kernel_of(code, stage, requested, &k));
    const emit_gpu_work w = work_of(&b, &k);
    *settled = k.schedule;
    emit_gpu_leave_defaults(code, stage, settled);
    if (box_is_empty(&b))
        return PAV_OK;
    TRY(emit_gpu_footprint(code, stage, &k, &w, bytes));
    return gpu ? waits_of(code, stage, &k, gpu, seconds) : PAV_OK;
}

pav_status cost_stage_bytes(const ir *code, const ir_stage *stage,
                            const schedule *requested, schedule *settled, double *bytes)
{
    double seconds;
    return stage_costs(code, stage, requested, NULL, settled, bytes, &seconds);
}

/* ---- single steps ------------------------------------------------------------------ */

/* Least memory traffic of a step; 0 if L2 holds all levels. A point with many values
 * slows down the memory of a GPU by the factor `slower`. */
typedef struct least_traffic {
    double bytes, slower;
    stage_load load; /* of a point, in all stages */
} least_traffic;

static pav_status least_of(const cost_question *q, least_traffic *l)
{
    const gpu_costs *k = gpu_costs_of(q->machine->gpu);
    *l = (least_traffic){.slower = 1, .load.points = cost_points_of(q->code)};
    for (int64_t n = 0; n < q->code->step.count; n++) {
        stage_load load;
        TRY(stage_load_of(q->code, &q->code->stage[q->code->step.stage[n]], &load));
        l->bytes += load.points * load.bytes;
        l->load.instructions += load.instructions;
        l->load.reads += load.reads;
        l->load.again += load.again;
    }
    const double values = l->bytes / cost_points_of(q->code) /
                          (double)pav_type_size(q->code->program->real);
    if (values > 2)
        l->slower += k->stream * (values - 2);
    if (l->bytes <= k->share * (double)q->machine->gpu->l2)
        l->bytes = 0;
    return PAV_OK;
}

/* Of a stage and of all stages like it. */
typedef struct stage_cost {
    bool known;
    double bytes, seconds;
    schedule settled;
} stage_cost;

/* L2 delivers the points that tiles read from their neighbours. If few threads sweep
 * through many planes each, memory waits for them. A stage without a GPU kernel runs on
 * the host, and adds only the least traffic. */
static pav_status sum_stages(const cost_question *q, stage_cost *like, step_cost *c)
{
    const machine_rates *rate = &q->machine->rate;
    const ir *code = q->code;
    const unit_use u = {.efficiency = gpu_costs_of(q->machine->gpu)->efficiency};
    double moved = 0, waits = 0;
    least_traffic l;
    for (int64_t n = 0; n < code->step.count; n++) {
        const int64_t number = code->step.stage[n];
        const ir_stage *s = &code->stage[number];
        stage_cost *one = &like[ir_known_of(code, s)->like];
        if (s->rests || (!one->known && !emit_gpu_has_kernel(code, s)))
            continue;
        if (!one->known) {
            const schedule own = emit_gpu_schedule_of(code, number, q->schedule);
            TRY(stage_costs(code, s, &own, q->machine->gpu, &one->settled, &one->bytes,
                            &one->seconds));
            one->known = true;
        }
        c->schedule = one->settled;
        moved += one->bytes;
        waits += one->seconds;
    }
    TRY(least_of(q, &l));
    c->bytes = l.bytes;
    c->term[COST_MEMORY] = cost_seconds(l.bytes * l.slower, rate->memory);
    c->term[COST_CACHE] = cost_seconds(moved, rate->last_cache);
    c->term[COST_LAUNCH] = (double)code->step.count * rate->launch;
    TRY(cost_step_arithmetic(q, u, &c->term[COST_ARITHMETIC]));
    c->term[COST_IDLE] = hypot(cost_overlap(c), waits) - cost_overlap(c);
    return PAV_OK;
}

pav_status cost_stages(const cost_question *q, step_cost *c)
{
    OWNED_NEW(stage_cost, like, q->code->stages + 1);
    return sum_stages(q, like, c);
}

/* ---- sweeps of a fused launch ------------------------------------------------------ */

enum {
    MOST_PARTS = 64,
    ROUND = 100, /* of blocks */
    SHORTEST = 40,
    LATE = 6
};

/* Blocks resident on the GPU: measured for a compiled kernel, or estimated. */
static int64_t blocks_at_once(const cost_launch *l)
{
    const gpu_architecture *a = gpu_facts_architecture(l->gpu);
    const schedule *s = &l->what->schedule;
    const int64_t threads = (int64_t)s->tile.size[0] * s->tile.size[1],
                  by_threads = s->tile.storage == STORAGE_REGISTERS
                                   ? a->registers / (GPU_LAUNCH_REGISTERS * threads)
                                   : a->threads / threads,
                  by_memory = l->what->shared > 0 ? l->gpu->shared_block / l->what->shared
                                                  : by_threads,
                  candidate = by_threads < by_memory ? by_threads : by_memory;
    return l->at_once > 0 ? l->at_once
                          : l->gpu->multiprocessors * (candidate > 0 ? candidate : 1);
}

/* How many rounds of resident blocks a launch takes, in hundredths. Blocks of a partial
 * last round share a multiprocessor with fewer others, so they finish sooner. Blocks at
 * faces finish later than other blocks. */
static int64_t rounds_of(int64_t blocks, int64_t at_once, int multiprocessors)
{
    const int left = (int)(int_parts(blocks % at_once, multiprocessors) * ROUND *
                           multiprocessors / at_once),
              last = left == 0 || left >= ROUND ? left : int_most(left + 4, SHORTEST);

    return blocks / at_once * ROUND + last + LATE;
}

static int64_t blocks_of(const cost_launch *l, const emit_gpu_fused_work *w)
{
    int64_t blocks[MAX_DIM];
    int threads[MAX_DIM];
    emit_gpu_fused_extent(l->code, l->what, w, blocks, threads);
    return blocks[0] * blocks[1] * blocks[2];
}

/* Number of planes stored by a launch. */
static int64_t planes_of(const cost_launch *l)
{
    return l->stored > 0 ? l->stored : points_along(l->code, l->code->dim - 1, false);
}

static emit_gpu_fused_work extent_of(const cost_launch *l)
{
    const ir *code = l->code;
    return (emit_gpu_fused_work){.extent = {points_along(code, 0, false),
                                            points_along(code, 1, false),
                                            points_along(code, 2, false)},
                                 .end = planes_of(l),
                                 .behind = points_along(code, code->dim - 1, false)};
}

/* Number of tiles: blocks that sweep through all planes. */
static int64_t tiles_of(const cost_launch *l)
{
    emit_gpu_fused_work w = extent_of(l);
    w.planes = w.tail = w.end;
    return blocks_of(l, &w);
}

emit_gpu_fused_work cost_sweep_work(const cost_launch *l, cost_sweep sweep)
{
    emit_gpu_fused_work w = extent_of(l);
    if (sweep.planes <= 0)
        return w;
    const int64_t all = tiles_of(l), parts = int_parts(w.end, sweep.planes),
                  at_once = blocks_at_once(l);
    w.planes = sweep.planes;
    w.tail = sweep.tail > 0 ? sweep.tail : sweep.planes;
    w.tiles = sweep.tail > 0 ? all * parts / at_once * at_once / parts : all;
    return w;
}

/* Planes swept by one multiprocessor, block after block, including planes before the
 * first one of a tile. */
static int64_t planes_swept(const cost_launch *l, cost_sweep sweep)
{
    const int axis = l->code->dim - 1, around = 2 * l->what->around[axis];
    const emit_gpu_fused_work w = cost_sweep_work(l, sweep);
    const int64_t all = blocks_of(l, &w), at_once = blocks_at_once(l),
                  first = sweep.tail > 0 ? w.tiles * int_parts(w.end, sweep.planes) : 0;
    return int_parts(first, at_once) * ROUND * (sweep.planes + around) +
           rounds_of(all - first, at_once, l->gpu->multiprocessors) *
               ((sweep.tail > 0 ? sweep.tail : sweep.planes) + around);
}

/* Inserts a sweep into the list, better sweeps first. */
static void put(cost_sweep_list *list, cost_sweep sweep, int64_t swept)
{
    int at = list->count;
    while (at > 0 && list->cost[at - 1] > swept)
        at--;
    if (at == COST_SWEEPS)
        return;
    list->count += list->count < COST_SWEEPS;
    for (int k = list->count - 1; k > at; k--) {
        list->sweep[k] = list->sweep[k - 1];
        list->cost[k] = list->cost[k - 1];
    }
    list->sweep[at] = sweep;
    list->cost[at] = swept;
}

/* The next shorter sweep that divides the planes evenly; 0: there is none. */
static int64_t next_sweep(const cost_launch *l, int64_t planes)
{
    const int64_t all = planes_of(l), parts = planes > 0 ? int_parts(all, planes) + 1 : 1,
                  next = int_parts(all, parts);
    const bool is_short = next < l->what->schedule.tile.steps && parts > 1;
    return is_short || parts > MOST_PARTS || next == planes ? 0 : next;
}

/* Adds a sweep with full rounds of blocks, and shorter sweeps for the tail tiles. Fused
 * launches support tails in three dimensions only. */
static void put_tails(const cost_launch *l, int64_t planes, cost_sweep_list *list)
{
    cost_sweep best = {0};
    int64_t least = INT64_MAX;
    if (l->code->dim < 3 || l->what->schedule.tile.storage != STORAGE_REGISTERS)
        return;
    for (int64_t tail = next_sweep(l, planes); tail > 0; tail = next_sweep(l, tail)) {
        const cost_sweep sweep = {planes, tail};
        const int64_t swept = planes_swept(l, sweep);
        if (swept >= least)
            continue;
        best = sweep;
        least = swept;
    }
    if (best.tail > 0 && cost_sweep_work(l, best).tiles > 0)
        put(list, best, least);
}

void cost_sweeps(const cost_launch *l, cost_sweep_list *list)
{
    *list = (cost_sweep_list){0};
    for (int64_t planes = next_sweep(l, 0); planes > 0; planes = next_sweep(l, planes)) {
        const cost_sweep sweep = {planes, 0};
        put(list, sweep, planes_swept(l, sweep));
        put_tails(l, planes, list);
    }
}

cost_sweep cost_first_sweep(const cost_launch *l, const schedule *requested)
{
    cost_sweep_list list;
    if (!l->what->sweeps)
        return (cost_sweep){0};
    if (requested->planes > 0)
        return (cost_sweep){requested->planes, requested->tail};
    cost_sweeps(l, &list);
    return list.sweep[0];
}

/* The mean of the planes that a block sweeps through counts; 0: persistent blocks. */
double cost_launch_bytes(const cost_launch *l, cost_sweep sweep)
{
    const emit_gpu_fused_work w = cost_sweep_work(l, sweep);
    const int64_t mean = w.planes > 0 ? tiles_of(l) * planes_of(l) / blocks_of(l, &w) : 0;
    return emit_gpu_fused_bytes(l->code, l->what, mean);
}

/* ---- fused launches ---------------------------------------------------------------- */

/* How often a point is computed across the sweep, because tiles overlap. With tiles in
 * shared memory, the overlap shrinks from step to step. */
static double overlap_of(const emit_gpu_fused *what, int dim)
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
    return s->unroll > 2 * what->around[dim - 1] / what->most &&
           (dim < 3 || s->tile.copy == COPY_TMA);
}

/* Seconds of arithmetic for points computed once each. */
static double fused_arithmetic(const cost_question *q, const emit_gpu_fused *what,
                               const stage_load *load)
{
    const machine_rates *rate = &q->machine->rate;
    const gpu_costs *k = gpu_costs_of(q->machine->gpu);
    const bool in_registers = what->registers > 0;
    const gpu_fused_costs *each = !in_registers      ? &k->shared
                                  : q->code->dim < 3 ? &k->flat
                                                     : &k->deep;
    int updated = 0;
    for (int f = 0; f < q->code->fields; f++)
        updated += q->code->field[f].updated;
    const double all = each->instruction * load->instructions + each->read * load->reads +
                       each->field * updated;
    return cost_seconds(load->points * all,
                        q->code->program->real == PAV_F64 ? rate->f64 : rate->f32) *
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

/* Slowdown of a launch relative to an ideal launch: its blocks would fill the GPU to the
 * end, and would read nothing before their first plane. */
static double sweep_idle(const cost_launch *l, cost_sweep sweep)
{
    const double all = (double)tiles_of(l) * (double)planes_of(l) * ROUND,
                 idle = sweep.planes > 0 ? (double)planes_swept(l, sweep) *
                                               (double)blocks_at_once(l) / all
                                         : 1;
    return idle > 1 ? idle : 1;
}

static pav_status launch_terms(const cost_question *q, const cost_launch *l, step_cost *c)
{
    const machine_rates *rate = &q->machine->rate;
    const emit_gpu_fused *what = l->what;
    const cost_sweep sweep = cost_first_sweep(l, q->schedule);
    c->schedule = what->schedule;
    c->term[COST_LAUNCH] = rate->launch / what->most;
    if (what->sweeps) {
        /* Adds memory, caches and arithmetic of a sweeping launch. Half of the points
         * read from neighbour tiles come from L2. */
        const double moved = cost_points_of(q->code) * cost_launch_bytes(l, sweep) /
                             l->what->most,
                     times = overlap_of(l->what, q->code->dim);
        least_traffic step;
        TRY(least_of(q, &step));
        const double again = step.load.points * fused_bytes(q, l->what, &step.load) *
                             times;
        c->bytes = step.bytes > 0 ? (step.bytes / l->what->most + moved) / 2 : 0;
        c->term[COST_MEMORY] = cost_seconds(c->bytes * step.slower, rate->memory);
        c->term[COST_CACHE] = cost_seconds(moved + again, rate->last_cache);
        c->term[COST_ARITHMETIC] = fused_arithmetic(q, l->what, &step.load) * times;
        c->term[COST_IDLE] = cost_overlap(c) * (sweep_idle(l, sweep) - 1);
        return PAV_OK;
    }
    c->term[COST_SYNCHRONISE] = cost_seconds(what->cycles_waiting, rate->cycles);
    TRY(cost_step_arithmetic(q, (unit_use){.efficiency = 1}, &c->term[COST_ARITHMETIC]));
    c->term[COST_ARITHMETIC] = fmax(c->term[COST_ARITHMETIC],
                                    cost_seconds(what->cycles, rate->cycles));
    return PAV_OK;
}

pav_status cost_time(const cost_question *q, step_cost *c)
{
    OWNED_BY(emit_gpu_fused_free) emit_gpu_fused what = {.sweeps = false};
    if (q->launch)
        return launch_terms(q, q->launch, c);
    TRY(emit_gpu_fused_of(q->code, q->schedule, q->machine->gpu, &what));
    const cost_launch l = {.code = q->code, .what = &what, .gpu = q->machine->gpu};
    return launch_terms(q, &l, c);
}
