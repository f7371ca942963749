/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan of a fused launch: its stages, sources and fields, what each operation reads
 * and in which planes; or the reason why the launch is impossible. fused_sizes.c finds
 * its size. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "codegen/gpu/fused_private.h"

/* ---- refusals ---------------------------------------------------------------------- */
/* Refusals of fused launches: the first reason is kept. */

void fused_refuse_if(fused_plan *p, bool refused, const char *format, ...)
{
    va_list list;

    if (!refused || p->refusal)
        return;
    va_start(list, format);
    (void)vsnprintf(p->said, FUSED_SAID, format, list);
    va_end(list);
    p->refusal = p->said;
}

bool fused_stores(const ir_stage *s, int field)
{
    for (int64_t k = 0; k < s->outputs; k++)
        if (s->output[k].kind == IR_STORE && s->output[k].field == field)
            return true;
    return false;
}

/* ---- reads ------------------------------------------------------------------------- */
/* The loads of an operation in a fused launch, and their planes. An operation goes in the
 * order of input planes (cuda_carried.c) if versions are kept in registers, and
 * loads in its farthest plane are not at the point alone. Each plane then contributes
 * once to all results. Registers keep partial results instead of planes, and only the
 * newest plane is published to other warps. A star reads its farthest plane at the point
 * alone; its other terms need not wait for the barrier before this plane. */

static int farthest_of(const fused_plan *p, const ir_stage *stage, bool neighbours)
{
    const int across = p->axis == 2 ? 1 : 0;
    int far = -MAX_OFFSET;

    for (const ir_node *n = NULL; (n = ir_next_load(stage, n));)
        if (p->moves[n->field] && (!neighbours || n->offset[across]))
            far = int_most(far, n->offset[p->axis]);
    return far;
}

sweep_plan fused_sweep_plan(const fused_plan *p, const fused_operation *operation,
                            emit_stage *e)
{
    sweep_plan s = {.axis = p->axis, .lanes = 1, .rows = 1};

    e->sweep_plan = &s;
    if (operation->input)
        cuda_find_partial_sums(e, &s);
    e->sweep_plan = NULL; /* the caller has the plan */
    return s;
}

/* ---- loads ------------------------------------------------------------------------- */

static void note(const fused_plan *p, fused_operation *operation, const ir_node *n,
                 int ahead)
{
    if (n->op == IR_LOAD)
        operation->read[operation->reads++] = (fused_read){n, n->offset[p->axis] + ahead};
}

static void find_reads(const fused_plan *p, fused_operation *operation, emit_stage *e)
{
    const ir_stage *stage = e->stage;
    const sweep_plan s = fused_sweep_plan(p, operation, e);

    operation->read = arena_alloc(p->arena, 3 * stage->count + stage->outputs + 1,
                                  sizeof *operation->read);
    operation->sum = arena_alloc(p->arena, s.values + 1, sizeof *operation->sum);
    if (!operation->input) {
        for (int64_t n = 0; n < stage->count; n++)
            note(p, operation, &stage->node[n], 0);
        return;
    }

    /* A node reads its loads in its own plane. */
    for (int64_t n = 0; n < stage->count; n++)
        for (int a = 0; s.fate[n] && a < ir_op_table[stage->node[n].op].arguments; a++)
            note(p, operation, &stage->node[stage->node[n].arg[a]], s.due[n]);
    for (int64_t o = 0; o < stage->outputs; o++)
        note(p, operation, &stage->node[stage->output[o].node], 0);
    for (int64_t v = 0; v < s.values; v++)
        operation->sum[operation->sums++] = (fused_sum){s.value[v].lead,
                                                        1 - s.value[v].first};
}

/* ---- skews ------------------------------------------------------------------------- */
/* The plane of each use in a fused launch. From the uses, the analysis of
 * plan/blocking finds the skew of each operation and the overlap of tiles. From the
 * skews follows the number of planes of each version in memory at the same time. */

/* ---- skews ------------------------------------------------------------------------- */

const fused_operation *fused_producer_of(const fused_plan *p, int field)
{
    for (int64_t n = 0; n < p->operations; n++)
        if (fused_stores(fused_stage_of(p, &p->operation[n]), field))
            return &p->operation[n];
    return NULL;
}

/* Planes until a load's value is ready. Results of another warp are ready after the next
 * barrier, a plane later; results of the thread and its warp are ready at once. Outside
 * registers, a border may copy from the mirrored offset, so both signs count. */
static int planes_until(const fused_plan *p, const fused_read *r)
{
    const ir_node *n = r->load;

    return !p->in_registers ? fused_distance(n, p->axis) +
                                  (n->offset[0] || (p->axis == 2 && n->offset[1]))
                            : r->z + (p->axis == 2 && n->offset[1] != 0);
}

/* ---- uses -------------------------------------------------------------------------- */

/* Operations in the form of the analysis: stages, then all sources together, because they
 * follow each other at a point, then samples. */
typedef struct survey {
    ir_uses uses;
    ir_use *use;
    ir_skews skews;
} survey;

static int64_t stages_of(const fused_plan *p)
{
    int64_t stages = 0;

    while (stages < p->operations && p->operation[stages].event < 0)
        stages++;
    return stages;
}

static int64_t number_operation(const fused_plan *p, int64_t n)
{
    return int64_least(n, stages_of(p));
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

static survey open_survey(const fused_plan *p)
{
    survey s = {.uses = {.operations = stages_of(p) + 2}};
    int64_t reads = p->code->fields + 1;

    for (int64_t n = 0; n < p->operations; n++)
        reads += p->operation[n].reads;
    s.use = arena_alloc(p->arena, reads, sizeof *s.use);
    s.uses.store = arena_alloc(p->arena, p->operations * p->code->fields + 1,
                               sizeof *s.uses.store);
    s.uses.stored = arena_alloc(p->arena, p->code->fields + 1, sizeof *s.uses.stored);
    s.skews.of = arena_alloc(p->arena, s.uses.operations, sizeof *s.skews.of);
    s.uses.use = s.use;
    return s;
}

/* ---- planes ------------------------------------------------------------------------ */

int fused_age(const fused_plan *p, const fused_operation *operation, int field, int level,
              int z)
{
    if (!fused_producer_of(p, field))
        return fused_input_age(operation, z);
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

static void find_planes(fused_plan *p)
{
    for (int f = 0; f < p->code->fields; f++) {
        /* Planes of the field until samples read it, in their step. */
        p->field[f].planes = p->field[f].sampled
                                 ? p->receiver_skew - fused_producer_of(p, f)->skew + 1
                                 : 1;
        p->field[f].kept = p->moves[f] && fused_producer_of(p, f)
                               ? ir_kept_levels(&p->code->field[f])
                               : 0;
        p->field[f].oldest = p->code->group_of ? 1 : 0;
        p->field[f].whole = p->moves[f];
    }

    for (int64_t n = 0; n < p->operations; n++)
        for (int64_t k = 0; k < p->operation[n].reads; k++)
            if (p->moves[p->operation[n].read[k].load->field])
                planes_of(p, &p->operation[n], &p->operation[n].read[k]);

    /* A plane read from the exchange buffer need not be kept in registers, too. */
    for (int f = 0; f < p->code->fields; f++) {
        fused_field *field = &p->field[f];
        field->whole = field->whole && field->exchange > 0 &&
                       field->planes <= field->exchange;
        field->planes = field->whole ? 1 : field->planes;
        field->edge = field->whole ? MAX_OFFSET : field->edge;
    }
}

static void find_skews(fused_plan *p)
{
    survey s = open_survey(p);

    for (int64_t n = 0; n < p->operations; n++) {
        const fused_operation *o = &p->operation[n];
        for (int f = 0; f < p->code->fields; f++)
            if (fused_stores(fused_stage_of(p, o), f))
                ir_add_store(&s.uses, number_operation(p, n), f);
        for (int64_t k = 0; k < o->reads; k++)
            if (p->moves[o->read[k].load->field])
                add_read(p, number_operation(p, n), &o->read[k], &s);
    }
    for (int f = 0; f < p->code->fields; f++)
        if (p->field[f].sampled)
            add_use(&s, s.uses.operations - 1, f, 1);
    ir_find_skews(&s.uses, &s.skews);
    for (int64_t n = 0; n < p->operations; n++) {
        const ir_operation_skew *of = &s.skews.of[number_operation(p, n)];
        p->operation[n].skew = of->skew[p->axis];
        for (int axis = 0; axis < MAX_DIM && p->operation[n].event < 0; axis++)
            p->operation[n].around[axis] = of->around[axis][0];
    }
    for (int axis = 0; axis < MAX_DIM; axis++)
        p->reach[axis] = s.skews.reach[axis][0];
    p->receiver_skew = s.skews.of[stages_of(p) + 1].skew[p->axis];
    p->skew = int_most(1, int_most(p->reach[p->axis], s.skews.step[p->axis]));
    find_planes(p);
}

const char *fused_fixed(const fused_plan *p, const ir_node *n, const char *const *names)
{
    const char *at[MAX_DIM];

    for (int axis = 0; axis < MAX_DIM; axis++) {
        const ir_transfer t = ir_transfer_along(n->transfer, n->kept, axis);
        at[axis] = t == IR_SAME ? arena_print(p->arena, "%s%s", names[axis],
                                              emit_plus(p->arena, n->offset[axis]))
                                : emit_index(p->arena, names[axis], n->offset[axis], t);
    }
    return arena_print(
        p->arena, "point_at<const %s>(a.g%d, %s, %s, %s)", fused_type(p, n->field),
        fused_slot_of(p->fused, n->field, n->level, false), at[0], at[1], at[2]);
}

const char *cuda_skewed_plane(const fused_plan *p, int64_t skew)
{
    return arena_print(p->arena, "k%s%s", emit_plus_times(p->arena, "step", -p->skew),
                       emit_plus(p->arena, -skew));
}

/* ---- settings ---------------------------------------------------------------------- */
/* Settings of a fused launch. A setting without effect is refused, so that nobody
 * measures something other than the request. */

enum {
    MOST_UNROLLED = 64,
    MOST_LINES = 12000 /* values in the text of a thread: a minute of compile time */
};

/* The name of a requested option for versions in registers; NULL: none. */
static const char *of_registers(const schedule *requested)
{
    const struct {
        const char *name;
        int value;
    } all[] = {{"rows", requested->thread.size[1]}, {"vector", requested->thread.size[0]},
               {"ahead", requested->tile.ahead},    {"prefetch", requested->prefetch},
               {"unroll", requested->unroll},       {"tail", requested->tail}};

    for (size_t k = 0; k < COUNT_OF(all); k++)
        if (all[k].value > 0)
            return all[k].name;
    return NULL;
}

void fused_check_shared(fused_plan *p, const schedule *requested)
{
    const char *name = of_registers(requested);

    if (p->in_registers)
        return;
    fused_refuse_if(p, name, "%s is of time:shuffle, and that cannot be: %s", name,
                    p->why_not_registers);
    fused_refuse_if(p, p->axis == 1 && requested->tile.size[1] > 1,
                    "threads of time:shared in two dimensions stand along x: threads=%d",
                    requested->tile.size[0] * requested->tile.size[1]);
}

/* ---- settled launch ---------------------------------------------------------------- */

static void check_text(fused_plan *p)
{
    const schedule *s = &p->schedule;
    const int most = 2 * fused_vector(p);
    int64_t nodes = 0;

    for (int64_t n = 0; n < p->operations; n++)
        nodes += fused_stage_of(p, &p->operation[n])->count;
    fused_refuse_if(
        p, s->thread.size[0] > most || (s->thread.size[0] & (s->thread.size[0] - 1)) != 0,
        "a thread computes 1, 2 or another power of two of points along x, "
        "at most %d: vector=%d",
        most, most / 2);
    fused_refuse_if(p, s->unroll > MOST_UNROLLED, "at most %d planes can be unrolled",
                    MOST_UNROLLED);
    fused_refuse_if(
        p,
        nodes * s->tile.steps * s->thread.size[1] * s->thread.size[0] *
                int_most(s->unroll, 1) >
            MOST_LINES,
        "a thread would compute so many points that compilers take minutes: take "
        "fewer steps (depth=), rows or planes one after the other (unroll=)");
}

/* ---- refusals ---------------------------------------------------------------------- */

/* Beyond a periodic face lie points of the grid, which a tile computes. Beyond other
 * faces values are made from the points inside. */
static void check_faces(fused_plan *p, int field)
{
    const ir_field *f = &p->code->field[field];

    for (int face = 0; face < 2 * p->code->dim; face++) {
        const border_kind kind = f->border[face / 2][face % 2].kind;
        fused_refuse_if(p,
                        p->periodic[face / 2] && !border_wraps(kind) &&
                            (f->halo[face / 2][face % 2] > 0 || kind),
                        "along one axis field %s does not wrap around and another does",
                        f->name);
    }
}

/* Beyond a periodic end, the face of a later axis has a value by this place. The tile
 * needs the face at the wrapped place instead. */
static void check_corners(fused_plan *p, const fused_operation *operation)
{
    const ir_stage *s = fused_stage_of(p, operation);

    for (const ir_node *n = NULL; (n = ir_next_load(s, n));)
        for (int axis = 0; axis < p->code->dim; axis++)
            if (p->periodic[axis] && p->moves[n->field])
                fused_refuse_if(
                    p, emit_corner_differs(p->code, n, axis),
                    "a face of field %s has values by the place along an axis "
                    "that wraps around, and corners are read",
                    p->code->field[n->field].name);
}

static void check_field(fused_plan *p, int field)
{
    const ir_field *f = &p->code->field[field];
    int stored = 0;

    for (int64_t n = 0; n < p->operations; n++)
        stored += p->operation[n].event < 0 &&
                  fused_stores(fused_stage_of(p, &p->operation[n]), field);
    fused_refuse_if(p, f->updated && stored != 1,
                    "field %s is not stored by exactly one stage of a step", f->name);
    if (p->moves[field])
        check_faces(p, field);
    for (int face = 0; face < 2 * p->code->dim && p->moves[field]; face++) {
        const int stage = f->border[face / 2][face % 2].stage;
        fused_refuse_if(
            p, stage >= 0 && !emit_gpu_has_kernel(p->code, &p->code->stage[stage]),
            "a border of field %s has no kernel", f->name);
    }
}

static void check(fused_plan *p)
{
    fused_refuse_if(p, p->code->dim < p->of->least_dim,
                    "a grid of one dimension has no planes to sweep");
    for (int64_t n = 0; n < p->operations; n++) {
        const fused_operation *operation = &p->operation[n];
        const ir_stage *s = fused_stage_of(p, operation);

        fused_refuse_if(p, !emit_gpu_has_kernel(p->code, s), "stage %s has no kernel",
                        s->name);
        for (int64_t k = 0; k < s->count && operation->event < 0; k++)
            fused_refuse_if(p,
                            s->node[k].op == IR_LOAD && s->node[k].level == 1 &&
                                fused_stores(s, s->node[k].field),
                            "stage %s reads a level that it also stores", s->name);

        check_corners(p, &p->operation[n]);
    }

    /* With more fields the registers spill: kilobytes for the 19 of lattice Boltzmann. */
    enum { MOST_FIELDS = 16 };
    int stored = 0;

    for (int f = 0; f < p->code->fields; f++)
        stored += p->moves[f];
    fused_refuse_if(
        p, stored > MOST_FIELDS,
        "a thread has no registers for several steps of %d fields: %d at most", stored,
        MOST_FIELDS);
    for (int f = 0; f < p->code->fields; f++)
        check_field(p, f);

    for (int64_t k = 0; k < p->code->injections.count; k++)
        fused_refuse_if(p, p->code->injections.item[k].statement->trace,
                        "traces of a file are injected step by step");
}

/* ---- operations -------------------------------------------------------------------- */

/* It takes no memory, because it holds a blocking. */
static void take_blocking(fused_plan *p, const ir_blocking *b)
{
    const ir *code = p->code;

    for (int64_t n = 0; n < b->operations; n++)
        if (b->operation[n].kind == OPERATION_STAGE)
            p->operation[p->operations++] = (fused_operation){
                .stage = b->operation[n].stage, .event = -1};
    for (int64_t k = 0; k < code->injections.count; k++) {
        const ir_list *list = &code->injections.item[k].list;
        p->operation[p->operations++] = (fused_operation){
            .stage = list->stage[list->count - 1], .event = (int)k};
    }
    /* p->operation has room */
    assert(p->operations <= code->step.count + code->injections.count);

    p->is_single = b->refusal != NULL;
    fused_refuse_if(p, b->refusal, "%s", b->refusal);
    if (p->refusal)
        return;
    for (int64_t n = 0; n < p->operations; n++)
        for (const ir_output *o = NULL;
             (o = ir_next_output(fused_stage_of(p, &p->operation[n]), o));)
            if (o->kind == IR_STORE)
                p->moves[o->field] = true;
    for (int f = 0; f < code->fields; f++) {
        const ir_field *field = &code->field[f];
        /* planes of a group's inputs on its grid are kept like those of its results */
        p->moves[f] |= code->group_of && f >= code->group_of && field->coarse == 0;
        for (int axis = 0; axis < code->dim && p->moves[f]; axis++)
            p->periodic[axis] |= border_wraps(field->border[axis][0].kind) ||
                                 border_wraps(field->border[axis][1].kind);
    }
    EACH_STATEMENT(s, code->program)
        for (int f = 0; s->kind == STATEMENT_SAMPLE && f < code->fields; f++)
            p->field[f].sampled |= p->moves[f] && code->field[f].symbol == s->symbol;
}

/* ---- all --------------------------------------------------------------------------- */

static void find(fused_plan *p)
{
    const schedule requested = p->schedule;

    check(p);
    if (p->refusal)
        return;
    if (p->of->place)
        p->of->place(p, &requested);

    fused_refuse_if(p, requested.tail > 0 && p->axis == 1,
                    "tiles of two dimensions fill a GPU by planes=: leave out tail");
    fused_refuse_if(
        p, requested.tail > 0 && requested.planes == 0,
        "tail= is for the tiles left over by sweeps of planes=N: give planes=, too");

    p->of->settings(p, &requested);
    fused_refuse_if(p,
                    p->code->dim < 3 && requested.thread.size[1] > 1 &&
                        (p->in_registers || p->code->dim == 1),
                    "%s has one row: leave out rows",
                    p->in_registers ? "a sweep in two dimensions"
                                    : "a grid of one dimension");

    /* Finds the operations in the order of input planes, their reads, and their partial
     * results. */
    for (int64_t n = 0; n < p->operations; n++) {
        fused_operation *operation = &p->operation[n];
        const ir_stage *stage = fused_stage_of(p, operation);
        const int far = farthest_of(p, stage, false);
        emit_stage e = emit_survey(
            (emit_stage){.code = p->code, .stage = stage, .arena = p->arena});

        operation->input = p->in_registers && far > 0 &&
                           farthest_of(p, stage, true) == far &&
                           !ir_stage_knows_index(p->code, stage, p->code->dim - 1);
        find_reads(p, operation, &e);
    }

    find_skews(p);
    p->of->choose(p, &requested);
    if (p->in_registers)
        check_text(p);
}

static fused_plan open_by(arena *a, const ir *code, const schedule *requested,
                          const gpu_facts *gpu)
{
    fused_plan p = {
        .arena = a,
        .code = code,
        .of = cuda_launch_kind_of(requested->kind),
        .gpu = gpu,
        .axis = code->dim - 1,
        .schedule = *requested,
        .operation = arena_alloc(a, code->step.count + code->injections.count + 1,
                                 sizeof *p.operation),
        .moves = arena_alloc(a, code->fields + 1, sizeof *p.moves),
        .field = arena_alloc(a, code->fields + 1, sizeof *p.field),
        .said = arena_alloc(a, FUSED_SAID, 1)};
    ir_blocking b;

    emit_must(a, ir_blocking_open(code, NULL, &b));
    take_blocking(&p, &b);
    ir_blocking_close(&b);
    if (!p.refusal)
        find(&p);
    return p;
}

void fused_plan_open(arena *a, const ir *code, const schedule *requested,
                     const gpu_facts *gpu, fused_plan *p)
{
    schedule asked = requested ? *requested : (schedule){.kind = SCHEDULE_GPU_TIME};
    const gpu_facts *of = gpu ? gpu : cuda_reference();

    *p = open_by(a, code, &asked, of);
    if (p->refusal && p->in_registers && asked.tile.storage == STORAGE_CACHE &&
        asked.tile.copy == COPY_ASYNC && !of_registers(&asked)) {
        /* Versions too wide for registers go to shared memory, unless the request
         * excludes it. */
        asked.tile.storage = STORAGE_SHARED;
        const fused_plan other = open_by(a, code, &asked, of);
        if (!other.refusal)
            *p = other;
    }
}
