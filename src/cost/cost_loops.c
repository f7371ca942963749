/* SPDX-License-Identifier: BSD-3-Clause */
/* Model of a stage on processors by a loop schedule: the caches that deliver planes and
 * rows for their later uses, and the balance of threads over the box. */
#include <math.h>

#include "cost/models_private.h"

/* ---- loads of a stage -------------------------------------------------------------- */

/* Rows or planes spanned by the loads of a slot, including the point's own. */
static int64_t width_of(const ir_stage *stage, const emit_slot *slot, int axis)
{
    int least = 0, most = 0;
    for (int64_t k = 0; k < stage->count; k++) {
        const ir_node *n = &stage->node[k];
        if (n->op != IR_LOAD || n->field != slot->field || n->level != slot->level)
            continue;
        least = n->offset[axis] < least ? n->offset[axis] : least;
        most = n->offset[axis] > most ? n->offset[axis] : most;
    }
    return most - least + 1;
}

cost_load cost_load_of(const ir *code, const ir_stage *stage, const emit_slot *slot,
                       int64_t slots)
{
    cost_load load = {.rows = 1, .planes = 1, .levels = slots};
    for (int64_t n = 0; n < slots; n++) {
        const int64_t size = (int64_t)pav_type_size(code->field[slot[n].field].storage);
        load.point_bytes += size;
        load.element = int64_most(size, load.element);
        if (!slot[n].loaded)
            continue;
        load.loaded_bytes += size;
        load.rows = int64_most(width_of(stage, &slot[n], 1), load.rows);
        load.planes = int64_most(width_of(stage, &slot[n], 2), load.planes);
    }
    return load;
}

pav_status cost_load_of_stage(const ir *code, const ir_stage *stage, cost_load *load)
{
    emit_slot *slot = mem_new(stage->count + stage->outputs, sizeof *slot);
    *load = (cost_load){.rows = 1, .planes = 1};
    if (!slot)
        return PAV_ENOMEM;
    *load = cost_load_of(code, stage, slot, emit_slots(stage, slot));
    mem_free(slot);
    return PAV_OK;
}

/* Loads and stores of many levels use the same sets of a cache, because points of
 * different levels have similar addresses. */
double cost_crowd(const cost_load *load)
{
    const cpu_costs *k = cpu_costs_of();
    return 1 + k->crowd * fmax(0, (double)load->levels - k->streams);
}

/* ---- memory traffic ---------------------------------------------------------------- */

typedef struct loop {
    const box *box;
    const cost_load *load;
    const schedule *schedule;
    const machine_facts *machine;
    int threads, axis; /* split axis */
} loop;

static double width(const loop *l, int axis)
{
    return (double)(l->box->hi[axis] - l->box->lo[axis]);
}

/* Without an axis in the schedule, the outermost one. */
static loop loop_of(const box *b, const cost_load *load, const schedule *s,
                    const machine_facts *m)
{
    loop l = {b, load, s, m, .threads = m->cpu.threads > 0 ? m->cpu.threads : 1};
    for (int axis = 0; axis < MAX_DIM; axis++)
        if (width(&l, axis) > 1)
            l.axis = axis;
    if (s->device.size[0] == 1)
        l.threads = 1;
    for (int axis = 0; axis < MAX_DIM; axis++)
        if (s->device.size[axis] > 1)
            l.axis = axis;
    return l;
}

/* Bytes that pass through a thread's caches between the first and the last use of a
 * plane. */
static double passing(const loop *l)
{
    const int block = l->schedule->tile.size[1];
    double rows = block > 0 ? block : width(l, 1);
    if (l->axis == 1 && rows > width(l, 1) / l->threads)
        rows = ceil(width(l, 1) / l->threads);
    return (double)l->load->planes * (double)l->load->loaded_bytes * width(l, 0) *
           (rows + (double)l->load->rows - 1);
}

typedef struct loop_bytes {
    double memory, last_cache, core_cache;
} loop_bytes;

/* Later uses of a plane are served by the core's own cache, the last cache, or memory. */
static void add_planes(const loop *l, double points_of, loop_bytes *b)
{
    const cpu_facts *f = &l->machine->cpu;
    const double bytes = passing(l);
    const double more = (double)(l->load->planes - 1) * (double)l->load->element *
                        points_of;
    if (bytes <= cpu_costs_of()->share * (double)f->core_cache)
        b->core_cache += more;
    else if (bytes <= (double)f->last_cache / l->threads)
        b->last_cache += more;
    else
        b->memory += more;
}

/* Rows around a block are read again with the next block. Lines written into caches are
 * read first. */
static void add_points(const loop *l, double points_of, loop_bytes *b)
{
    const schedule *s = l->schedule;
    const double rows = s->tile.size[1];
    const double again = rows > 0 ? (rows + (double)l->load->rows - 1) / rows : 1;
    const double stored = (double)(l->load->point_bytes - l->load->loaded_bytes);
    const double moved = (double)l->load->loaded_bytes * again +
                         (s->non_temporal ? 1 : 2) * stored;
    const bool cached = points_of * (double)l->load->point_bytes <=
                        (double)l->machine->cpu.last_cache;
    *(cached ? &b->last_cache : &b->memory) += points_of * moved;
    b->core_cache += points_of * (double)l->load->point_bytes;
}

/* ---- seconds ----------------------------------------------------------------------- */

static double all_points(const loop *l)
{
    return width(l, 0) * width(l, 1) * width(l, 2);
}

/* Idle factor: the largest share of a thread over the mean share. */
static double idle_of(const loop *l)
{
    const int all = l->machine->cpu.threads;
    const double parts = width(l, l->axis);
    if (l->threads < all)
        return fmax(1, cpu_costs_of()->alone * all);
    return all > 1 ? ceil(parts / all) * all / parts : 1;
}

static void add_terms(const loop *l, const loop_bytes *b, double arithmetic, step_cost *c)
{
    const machine_rates *r = &l->machine->rate;
    const cpu_costs *k = cpu_costs_of();
    const double crowd = cost_crowd(l->load);
    const double memory = crowd * cost_seconds(b->memory, r->memory) *
                          (l->schedule->tile.ahead > 0 ? 1 : k->late);
    const double cache = crowd * (cost_seconds(b->last_cache, r->last_cache) +
                                  cost_seconds(b->core_cache, r->core_cache));
    const double work = arithmetic * (l->schedule->thread.size[1] == 1 ? k->single : 1);
    c->bytes += b->memory;
    c->term[COST_MEMORY] += memory;
    c->term[COST_CACHE] += cache;
    c->term[COST_ARITHMETIC] += work;
    c->term[COST_IDLE] += (memory + cache + work) * (idle_of(l) - 1);
    c->term[COST_LAUNCH] += l->threads > 1 ? r->launch : 0;
    if (r->launch > 0)
        c->term[COST_LAUNCH] += width(l, 1) * width(l, 2) * k->row / l->threads;
}

void cost_add_loop(const box *b, const cost_load *load, const cost_question *q,
                   double arithmetic, step_cost *c)
{
    const loop l = loop_of(b, load, q->schedule, q->machine);
    loop_bytes bytes = {0};
    if (box_is_empty(b))
        return;
    add_points(&l, all_points(&l), &bytes);
    add_planes(&l, all_points(&l), &bytes);
    add_terms(&l, &bytes, arithmetic, c);
}
