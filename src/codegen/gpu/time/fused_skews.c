/* SPDX-License-Identifier: BSD-3-Clause */
/* The plane of each use in a fused launch. From the uses, the analysis of
 * src/plan/blocking finds the skew of each operation and the overlap of tiles. From the
 * skews follows the number of planes of each version in memory at the same time. */
#include "codegen/gpu/time/fused_private.h"

/* ---- skews ------------------------------------------------------------------------- */

const fused_operation *fused_producer_of(const fused_plan *p, int field)
{
    for (int64_t n = 0; n < p->operations; n++)
        if (fused_stores(fused_stage_of(p, &p->operation[n]), field))
            return &p->operation[n];
    return NULL;
}

typedef void load_visit(fused_plan *p, fused_operation *operation, const fused_read *r);

static void each_load(fused_plan *p, load_visit *visit)
{
    for (int64_t n = 0; n < p->operations; n++)
        for (int64_t k = 0; k < p->operation[n].reads; k++)
            if (p->moves[p->operation[n].read[k].load->field])
                visit(p, &p->operation[n], &p->operation[n].read[k]);
}

/* Planes until a load's value is ready. Results of another warp are ready after the next
 * barrier, a plane later; results of the thread and its warp are ready at once. Outside
 * registers, a border may copy from the mirrored offset, so both signs count. */
static int planes_until(const fused_plan *p, const fused_read *r)
{
    const ir_node *n = r->load;

    if (!p->in_registers)
        return fused_distance(n, p->axis) +
               (n->offset[0] || (p->axis == 2 && n->offset[1]));
    return r->z + (p->axis == 2 && n->offset[1] != 0);
}

int fused_last_skew(const fused_plan *p)
{
    int last = 0;

    for (int64_t n = 0; n < p->operations; n++)
        last = p->operation[n].skew > last ? p->operation[n].skew : last;
    return last + (p->schedule.tile.steps - 1) * p->skew;
}

/* ---- uses -------------------------------------------------------------------------- */

/* Operations in the form of the analysis: stages, then all sources together, because they
 * follow each other at a point, then samples. */
typedef struct survey {
    ir_uses uses;
    ir_use *use;
    bool *stored;
    ir_skews skews;
} survey;

static int64_t stages_of(const fused_plan *p)
{
    int64_t stages = 0;

    while (stages < p->operations && p->operation[stages].event < 0)
        stages++;
    return stages;
}

static int64_t number_of(const fused_plan *p, int64_t n)
{
    const int64_t stages = stages_of(p);

    return n < stages ? n : stages;
}

static void add_use(survey *s, int64_t operation, int field, int level)
{
    s->use[s->uses.uses++] = (ir_use){
        .operation = operation, .field = field, .level = level};
}

/* No operation reads a plane before it arrives. */
static void add_read(const fused_plan *p, int64_t operation, const fused_read *r,
                     survey *s)
{
    const ir_node *n = r->load;
    int *skew = s->skews.of[operation].skew, until = planes_until(p, r);

    add_use(s, operation, n->field, n->level);
    ir_use *u = &s->use[s->uses.uses - 1];
    u->far[p->axis] = until;
    for (int axis = 0; axis < MAX_DIM; axis++)
        u->reach[axis][0] = u->reach[axis][1] = fused_distance(n, axis);
    if (n->level < 1)
        skew[p->axis] = int_most(skew[p->axis], until);
}

static void add_uses(const fused_plan *p, survey *s)
{
    for (int64_t n = 0; n < p->operations; n++) {
        const fused_operation *o = &p->operation[n];
        for (int f = 0; f < p->code->fields; f++)
            s->stored[number_of(p, n) * p->code->fields + f] |= fused_stores(
                fused_stage_of(p, o), f);
        for (int64_t k = 0; k < o->reads; k++)
            if (p->moves[o->read[k].load->field])
                add_read(p, number_of(p, n), &o->read[k], s);
    }
    for (int f = 0; f < p->code->fields; f++)
        if (p->field[f].sampled)
            add_use(s, s->uses.operations - 1, f, 1);
}

static pav_status open_survey(const fused_plan *p, survey *s)
{
    int64_t reads = p->code->fields + 1;

    for (int64_t n = 0; n < p->operations; n++)
        reads += p->operation[n].reads;
    *s = (survey){.uses = {.operations = stages_of(p) + 2, .fields = p->code->fields}};
    s->use = mem_new(reads, sizeof *s->use);
    s->stored = mem_new(s->uses.operations * (p->code->fields + 1), sizeof *s->stored);
    s->skews.of = mem_new(s->uses.operations, sizeof *s->skews.of);
    s->uses.use = s->use;
    s->uses.stored = s->stored;
    return s->use && s->stored && s->skews.of ? PAV_OK : PAV_ENOMEM;
}

static void close_survey(survey *s)
{
    mem_free(s->use);
    mem_free(s->stored);
    mem_free(s->skews.of);
}

static void take_skews(fused_plan *p, const ir_skews *s)
{
    for (int64_t n = 0; n < p->operations; n++) {
        const ir_operation_skew *of = &s->of[number_of(p, n)];
        p->operation[n].skew = of->skew[p->axis];
        for (int axis = 0; axis < MAX_DIM && p->operation[n].event < 0; axis++)
            p->operation[n].around[axis] = of->around[axis][0];
    }
    for (int axis = 0; axis < MAX_DIM; axis++)
        p->reach[axis] = s->reach[axis][0];
    p->receiver_skew = s->of[stages_of(p) + 1].skew[p->axis];
    p->skew = int_most(1, int_most(p->reach[p->axis], s->step[p->axis]));
}

/* ---- planes ------------------------------------------------------------------------ */

int fused_age(const fused_plan *p, const fused_operation *operation, int field, int level,
              int z)
{
    return (1 - level) * p->skew + operation->skew - fused_producer_of(p, field)->skew -
           z;
}

int fused_input_age(const fused_operation *operation, int z)
{
    return operation->skew - z;
}

static void planes_of(fused_plan *p, fused_operation *operation, const fused_read *r)
{
    const ir_node *n = r->load;
    fused_field *f = &p->field[n->field];
    const int z = p->in_registers ? r->z : -fused_distance(n, p->axis);
    int age = fused_age(p, operation, n->field, n->level, z);

    if (n->level < 1) { /* in the last step that reads this input */
        const int last = -n->level * p->skew + fused_input_age(operation, z);
        f->input_planes = int_most(f->input_planes, last + 1);
        age = int_most(age, last);
    }
    f->oldest = n->level < f->oldest ? n->level : f->oldest;
    f->within |= n->level == 1;
    f->planes = int_most(f->planes, age + 1);
    if (p->in_registers && p->axis == 2 && n->offset[1] != 0) {
        f->exchange = int_most(f->exchange, age + 1);
        f->edge = int_most(f->edge, fused_distance(n, 1));
    }
    f->whole = f->whole && operation->input && age > 0;
}

/* A plane read from the exchange buffer need not be kept in registers, too. */
static void show_whole(fused_field *f)
{
    f->whole = f->whole && f->exchange > 0;
    if (!f->whole)
        return;
    f->planes = 1;
    f->edge = MAX_OFFSET;
}

/* Planes of the field until samples read it, in their step. */
static int planes_sampled(const fused_plan *p, int field)
{
    return p->field[field].sampled
               ? p->receiver_skew - fused_producer_of(p, field)->skew + 1
               : 1;
}

static void find_planes(fused_plan *p)
{
    for (int f = 0; f < p->code->fields; f++) {
        const int levels = p->code->field[f].levels;
        p->field[f].planes = planes_sampled(p, f);
        p->field[f].kept = p->moves[f] ? int_most(levels - 1, 1) : 0;
        p->field[f].whole = p->moves[f];
    }
    each_load(p, planes_of);
    for (int f = 0; f < p->code->fields; f++)
        show_whole(&p->field[f]);
}

pav_status fused_find_skews(fused_plan *p)
{
    survey s;
    const pav_status status = open_survey(p, &s);

    if (status == PAV_OK) {
        add_uses(p, &s);
        ir_find_skews(&s.uses, &s.skews);
        take_skews(p, &s.skews);
        find_planes(p);
    }
    close_survey(&s);
    return status;
}

void cuda_skewed_plane(const fused_plan *p, int64_t skew, text *t)
{
    text_add(t, "k");
    emit_plus_times("step", -p->skew, t);
    emit_plus(-skew, t);
    text_add(t, ");\n");
}
