/* SPDX-License-Identifier: BSD-3-Clause */
/* Can several steps share one pass over memory? The survey of a step finds reasons
 * against it, and the uses and stores of each of its operations. From these follows the
 * necessary lag between operations, and between a step and the previous one: the skews of
 * time tiles on processors, windows out of core and fused launches on GPUs.
 *
 * Every use of a field is compared with every operation that stores the field. The store
 * is in the same step, in the step that made the value read, or in the step that
 * overwrites its buffer. Each pair requires a lag of one operation behind the other.
 * Within a step the skews follow in the order of the operations. The skew of a whole step
 * is then the least value for the pairs of different steps. */
#include <assert.h>
#include <string.h>

#include "plan/plan_private.h"

/* ---- skews from uses --------------------------------------------------------------- */

void ir_add_store(ir_uses *u, int64_t operation, int field)
{
    u->store[u->stores++] = (ir_store){operation, u->stored[field]};
    u->stored[field] = u->stores;
}

/* Operation `later`, `steps` steps afterwards, stays at least `apart` behind operation
 * `before`. True if a skew grew. */
typedef bool pair_visit(ir_skews *s, int64_t before, int64_t later, int steps,
                        const int *apart);

/* A level is stored by `operation`, `made` steps before it is used. Its buffer is
 * overwritten levels - made steps after the use. */
static bool visit_use(const ir_uses *u, const ir_use *one, int64_t operation, ir_skews *s,
                      pair_visit *visit)
{
    const int made = 1 - one->level;
    bool grew = false;

    if (made > 0 || operation < one->operation)
        grew |= visit(s, operation, one->operation, made, one->far);
    if (one->level == 1 && operation > one->operation)
        grew |= visit(s, one->operation, operation, 0, one->far);
    if (u->levels)
        grew |= visit(s, one->operation, operation, u->levels[one->field] - made,
                      one->far);
    return grew;
}

/* Linear in the uses, because most fields have one store. */
static bool visit_uses(const ir_uses *u, ir_skews *s, pair_visit *visit)
{
    bool grew = false;

    for (int64_t k = 0; k < u->uses; k++)
        for (int64_t n = u->stored[u->use[k].field]; n > 0; n = u->store[n - 1].next)
            grew |= visit_use(u, &u->use[k], u->store[n - 1].operation, s, visit);
    return grew;
}

static bool skew_within(ir_skews *s, int64_t before, int64_t later, int steps,
                        const int *apart)
{
    bool grew = false;

    for (int axis = 0; axis < MAX_DIM && steps == 0 && before < later; axis++) {
        const int skew = s->of[before].skew[axis] + apart[axis];
        grew |= skew > s->of[later].skew[axis];
        s->of[later].skew[axis] = int_most(s->of[later].skew[axis], skew);
    }
    return grew;
}

static bool skew_between(ir_skews *s, int64_t before, int64_t later, int steps,
                         const int *apart)
{
    for (int axis = 0; axis < MAX_DIM && steps > 0; axis++) {
        const int more = apart[axis] + s->of[before].skew[axis] - s->of[later].skew[axis];
        s->step[axis] = int_most(s->step[axis],
                                 more > 0 ? (more + steps - 1) / steps : 0);
    }
    return false;
}

/* The distance around the points of a step to which operations must be computed for
 * their users in this step. Users mostly come later in the list, and so are settled. True
 * if a distance grew. */
static bool spread_around(const ir_uses *u, ir_skews *s)
{
    bool grew = false;

    for (int64_t k = u->uses; k-- > 0;) {
        const ir_use *one = &u->use[k];
        const int64_t last = one->level == 1 ? u->stored[one->field] : 0;
        for (int64_t n = last; n > 0; n = u->store[n - 1].next)
            for (int face = 0; face < 2 * MAX_DIM; face++) {
                const int axis = face / 2, side = face % 2;
                const int64_t before = u->store[n - 1].operation;
                int *around = &s->of[before].around[axis][side];
                const int least = s->of[one->operation].around[axis][side] +
                                  one->reach[axis][side];
                if (before >= one->operation || least <= *around)
                    continue;
                *around = least;
                grew = true;
            }
    }
    return grew;
}

/* A round looks at all pairs. Uses mostly come in the order of their operations, so a few
 * rounds settle all skews within a step. One round more is for whole steps. */
void ir_find_skews(const ir_uses *u, ir_skews *s)
{
    while (visit_uses(u, s, skew_within))
        continue;
    (void)visit_uses(u, s, skew_between);
    for (int64_t n = 0; n < u->operations; n++) /* tiles are skewed to one side */
        for (int axis = 0; axis < MAX_DIM; axis++)
            assert(s->of[n].skew[axis] >= 0 && s->step[axis] >= 0);
    while (spread_around(u, s))
        continue;
    for (int face = 0; face < 2 * MAX_DIM; face++) {
        const int axis = face / 2, side = face % 2;
        int *reach = &s->reach[axis][side];
        /* a result that reads no old level must be computed there, too */
        for (int64_t n = 0; n < u->operations; n++)
            *reach = int_most(*reach, s->of[n].around[axis][side]);
        for (int64_t n = 0; n < u->uses; n++)
            if (u->use[n].level < 1)
                *reach = int_most(*reach, s->of[u->use[n].operation].around[axis][side] +
                                              u->use[n].reach[axis][side]);
    }
}

/* ---- the survey of a step ---------------------------------------------------------- */

typedef struct survey {
    const ir *code;
    arena *arena;
    ir_blocking *result;
    int64_t uses, capacity, operation_capacity;
    ir_use *use; /* far: ghosts count at their place inside */
    ir_uses all;
} survey;

/* ---- refusals ---------------------------------------------------------------------- */

/* Prints the first refusal alone: a solver has hundreds. */
#define REFUSE(s, ...)                                                                   \
    do {                                                                                 \
        if (!(s)->result->refusal)                                                       \
            (s)->result->refusal = arena_print((s)->arena, __VA_ARGS__);                 \
    } while (0)

static void check_nodes(survey *s, const ir_stage *stage)
{
    bool solves = false;

    for (const ir_node *n = NULL; (n = ir_next_node(stage, n));) {
        const symbol *of = n->op == IR_LOAD ? s->code->field[n->field].symbol : NULL;
        if (n->op == IR_LOAD && n->transfer != IR_SAME && !s->code->group_of)
            REFUSE(s, "stage \"%s\" reads across two grids", stage->name);
        solves = solves || (of && of->solved);
    }
    if (solves)
        REFUSE(s, "a step solves an equation");
    if (stage->coarse)
        REFUSE(s, "stage \"%s\" is on the coarse grid", stage->name);
    if (stage->along)
        REFUSE(s, "stage \"%s\" goes along a whole axis", stage->name);
}

static void check_outputs(survey *s, const ir_stage *stage)
{
    if (ir_reductions(stage) > 0)
        REFUSE(s,
               "a step folds all points into one value (stage \"%s\"), "
               "which other points need",
               stage->name);
}

static void check_field(survey *s, int field)
{
    const ir_field *f = &s->code->field[field];

    for (int axis = 0; axis < s->code->dim; axis++) {
        for (int side = 0; side < 2; side++) {
            const ir_border *b = &f->border[axis][side];
            const ir_stage *stage = b->stage >= 0 ? &s->code->stage[b->stage] : NULL;
            for (const ir_node *n = NULL; stage && (n = ir_next_load(stage, n));)
                if (n->field != field || n->level != 0 || !ir_is_here(n))
                    REFUSE(s, "\"%s\" is computed from other points", stage->name);
            if (stage && b->layers)
                REFUSE(s, "\"%s\" has a stage for each layer of points", stage->name);
            s->result->periodic[axis] |= border_wraps(b->kind);
        }
        if (f->extent[axis] <= ir_halo_of(f, axis) + 1)
            REFUSE(s,
                   "field %s has %lld point%s along %c, where steps that "
                   "are taken together need %d",
                   f->name, (long long)f->extent[axis], f->extent[axis] == 1 ? "" : "s",
                   axis_letters[axis], ir_halo_of(f, axis) + 2);
    }
}

/* ---- operations and uses ----------------------------------------------------------- */

static int64_t add_operation(survey *s, ir_operation_kind kind, int stage)
{
    ir_blocking *r = s->result;

    ARENA_ADD(s->arena, r->operation, r->operations,
              s->operation_capacity) = (ir_operation){.kind = kind, .stage = stage};
    return r->operations - 1;
}

/* Uses are added in the order of their operations. */
static ir_use *find_use(survey *s, int64_t operation, int field, int level)
{
    for (int64_t k = s->uses; k-- > 0 && s->use[k].operation == operation;)
        if (s->use[k].field == field && s->use[k].level == level)
            return &s->use[k];
    ARENA_ADD(s->arena, s->use, s->uses, s->capacity) = (ir_use){
        .operation = operation, .field = field, .level = level};
    return &s->use[s->uses - 1];
}

static void add_load(survey *s, int64_t operation, const ir_node *n)
{
    ir_use *u = find_use(s, operation, n->field, n->level);

    ir_widen_reach(u->reach, n->offset);
    for (int axis = 0; axis < MAX_DIM; axis++)
        u->far[axis] = int_most(ir_halo_of(&s->code->field[n->field], axis),
                                int_most(u->reach[axis][0], u->reach[axis][1]));
}

static void add_stage(survey *s, int number)
{
    const ir_stage *stage = &s->code->stage[number];

    check_outputs(s, stage);
    for (int64_t u = 0; ir_is_uniform(stage) && u < s->code->uniforms; u++)
        if (s->code->uniform[u].next == stage->output->uniform)
            REFUSE(s, "the scalar %s has an equation", s->code->uniform[u].name);
    if (ir_is_uniform(stage))
        return;
    const int64_t operation = add_operation(s, OPERATION_STAGE, number);
    check_nodes(s, stage);
    for (const ir_node *n = NULL; (n = ir_next_load(stage, n));)
        add_load(s, operation, n);
    for (const ir_output *o = NULL; (o = ir_next_store(stage, o));) {
        ir_add_store(&s->all, operation, o->field);
        if (o->level != 1)
            REFUSE(s, "stage \"%s\" stores an old level", stage->name);
    }
}

/* Points of sources are neither ghosts nor given by borders. */
static void add_injection(survey *s, int64_t operation, const ir_event *event)
{
    const ir_stage *last = &s->code->stage[event->list.stage[event->list.count - 1]];

    for (int64_t k = 0; k < event->list.count; k++)
        check_outputs(s, &s->code->stage[event->list.stage[k]]);
    check_nodes(s, last);
    for (const ir_node *n = NULL; (n = ir_next_load(last, n));)
        if (n->field != event->field || n->level != 1)
            add_load(s, operation, n);
    ir_add_store(&s->all, operation, event->field);
}

/* The value added at one point must not depend on values added at other points. */
static void add_injections(survey *s)
{
    const ir_event_list *list = &s->code->injections;
    const int64_t operation = list->count ? add_operation(s, OPERATION_INJECT, -1) : 0;

    for (int64_t k = 0; k < list->count; k++)
        add_injection(s, operation, &list->item[k]);
    for (int64_t k = 0; k < list->count; k++) {
        const ir_list *stages = &list->item[k].list;
        const ir_stage *last = &s->code->stage[stages->stage[stages->count - 1]];
        for (const ir_node *n = NULL; (n = ir_next_load(last, n));) {
            const int64_t made = s->all.stored[n->field];
            if (made > 0 && s->all.store[made - 1].operation == operation &&
                n->level == 1 && !ir_is_here(n))
                REFUSE(s, "\"%s\" depends on other points injected into", last->name);
        }
        (void)find_use(s, operation, list->item[k].field, 1);
    }
}

static void add_operations(survey *s)
{
    const ir *code = s->code;
    int64_t stores = code->injections.count;

    for (int64_t k = 0; k < code->step.count; k++)
        stores += code->stage[code->step.stage[k]].outputs;
    s->all.store = arena_alloc(s->arena, stores + 1, sizeof *s->all.store);
    s->all.stored = arena_alloc(s->arena, code->fields + 1, sizeof *s->all.stored);
    for (int64_t k = 0; k < code->step.count; k++)
        add_stage(s, code->step.stage[k]);
    if (s->result->operations == 0)
        REFUSE(s, "a step computes no points");
    add_injections(s);
    /* points with values given by a border are observed, too */
    const int64_t sample = add_operation(s, OPERATION_SAMPLE, -1);
    for (int k = 0; k < code->fields; k++) {
        const ir_field *f = &code->field[k];
        if (!f->updated)
            continue;
        ir_use *u = find_use(s, sample, k, 1);
        for (int axis = 0; axis < code->dim; axis++)
            if (border_rules[f->border[axis][0].kind].has_face ||
                border_rules[f->border[axis][1].kind].has_face)
                u->far[axis] = ir_halo_of(f, axis);
    }
    for (int k = 0; k < code->fields; k++)
        if (code->field[k].updated)
            check_field(s, k);
}

/* ---- skews ------------------------------------------------------------------------- */

/* Along a periodic axis, the last tile gives the first face, and the first tile must lag
 * behind it. With only the load distance between operations, the first tile would read
 * this face too early. So uses of fields with such a face count as one point farther. */
static pav_status survey_step(survey *s, const int *unit)
{
    const ir *code = s->code;
    ir_blocking *r = s->result;
    int *levels = arena_alloc(s->arena, code->fields + 1, sizeof *levels);
    ir_skews found = {0};

    add_operations(s);
    memcpy(r->unit, unit, sizeof r->unit);
    for (int64_t k = 0; k < s->uses; k++)
        for (int axis = 0; axis < MAX_DIM; axis++) {
            ir_use *u = &s->use[k];
            const border_kind first = code->field[u->field].border[axis][0].kind;
            const bool given = r->periodic[axis] && border_rules[first].has_face;
            u->far[axis] = (int)int_rounded(u->far[axis] + given, unit[axis]);
        }
    for (int f = 0; f < code->fields; f++)
        levels[f] = code->field[f].levels;
    found.of = arena_alloc(s->arena, r->operations + 1, sizeof *found.of);
    s->all.operations = r->operations;
    s->all.uses = s->uses;
    s->all.use = s->use;
    s->all.levels = levels;
    ir_find_skews(&s->all, &found);
    for (int64_t k = 0; k < r->operations; k++)
        memcpy(r->operation[k].skew, found.of[k].skew, sizeof found.of[k].skew);
    for (int axis = 0; axis < MAX_DIM; axis++)
        r->skew[axis] = (int)int_rounded(found.step[axis], unit[axis]);
    memcpy(r->reach, found.reach, sizeof r->reach);
    return PAV_OK;
}

pav_status ir_blocking_open(const ir *code, const int unit[MAX_DIM], ir_blocking *result)
{
    static const int ones[MAX_DIM] = {1, 1, 1};
    survey s = {.code = code, .arena = arena_new(), .result = result};
    pav_status status;

    *result = (ir_blocking){.arena = s.arena};
    ARENA_GUARD(s.arena, status, survey_step(&s, unit ? unit : ones));
    if (status != PAV_OK)
        ir_blocking_close(result);
    return status;
}

void ir_blocking_close(ir_blocking *b)
{
    arena_free(b->arena);
    *b = (ir_blocking){0};
}
