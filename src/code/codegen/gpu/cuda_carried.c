/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that a sweeping thread carries to the following planes. Nodes of one kind at
 * different places along the sweep are one value at different times: it is computed once,
 * in the farthest plane that needs it, and kept in registers until its last use. The
 * plane sums of the symmetric 27-point operator are such values.
 *
 * Nodes are taken by height, the highest first, so that all users of a value are known
 * when its turn comes. */
#include "codegen/codegen_private.h"

enum { LEAST_WORK = 3 /* fewest operations of a value worth carrying */ };

/* The lists of a plan with an entry for each node. */
static void open_nodes(const emit_stage *e, sweep_plan *s)
{
    const int64_t count = e->stage->count + 1;

    s->fate = arena_alloc(e->arena, count, sizeof *s->fate);
    s->early = arena_alloc(e->arena, count, sizeof *s->early);
    s->value = arena_alloc(e->arena, count, sizeof *s->value);
}

typedef struct keeper {
    const emit_stage *e;
    sweep_plan *s;
    ir_kind *kind;
    int *height, *work;
    /* tied: the node depends on a table along the sweep. Planes before the first plane
     * must not read such a table. */
    bool *needed, *tied;
    /* of each kind: first and last needed place, number of nodes */
    int *first, *last, *count;
    int64_t kinds;
    int tallest;
} keeper;

/* ---- before ------------------------------------------------------------------------ */

static void measure_nodes(keeper *k)
{
    const ir_stage *stage = k->e->stage;

    for (int64_t n = 0; n < stage->count; n++) {
        const ir_node *node = &stage->node[n];
        k->work[n] = ir_op_table[node->op].arguments > 0;
        k->tied[n] = node->op == IR_TABLE &&
                     k->e->code->table[node->table].axis == k->s->axis;
        for (int a = 0; a < ir_op_table[node->op].arguments; a++) {
            const int arg = node->arg[a];
            k->height[n] = int_most(k->height[n], k->height[arg] + 1);
            k->work[n] += int_least(k->work[arg], LEAST_WORK);
            k->tied[n] = k->tied[n] || k->tied[arg];
        }
        k->tallest = int_most(k->tallest, k->height[n]);
        k->kinds = int64_most(k->kinds, k->kind[n].kind + 1);
    }
    for (int64_t o = 0; o < stage->outputs; o++)
        k->needed[stage->output[o].node] = true;
}

static void need_arguments(keeper *k, int64_t n)
{
    const ir_node *node = &k->e->stage->node[n];

    for (int a = 0; a < ir_op_table[node->op].arguments; a++)
        k->needed[node->arg[a]] = true;
}

/* ---- one height -------------------------------------------------------------------- */

static bool may_be_in_registers(const keeper *k, int64_t n)
{
    return k->needed[n] && k->kind[n].placed && k->work[n] >= LEAST_WORK && !k->tied[n] &&
           k->e->place[n] == PLACE_POINT;
}

/* A value that has no nodes yet. */
static carried_value *add_carried(const emit_stage *e, sweep_plan *s, int lead, int first,
                                  int last)
{
    carried_value *v = &s->value[s->values++];

    *v = (carried_value){.lead = lead, .first = first, .last = last};
    v->node = arena_alloc(e->arena, last - first + 1, sizeof *v->node);
    for (int p = 0; p <= last - first; p++)
        v->node[p] = -1;
    return v;
}

static carried_value *value_of(keeper *k, int64_t n)
{
    const int kind = k->kind[n].kind;

    for (int64_t v = 0; v < k->s->values; v++)
        if (k->kind[k->s->value[v].lead].kind == kind)
            return &k->s->value[v];
    return add_carried(k->e, k->s, (int)n, k->first[kind], k->last[kind]);
}

static void hold(keeper *k, int64_t n)
{
    carried_value *v = value_of(k, n);
    int *stands = &v->node[k->kind[n].place - v->first];

    if (*stands >= 0) { /* another node computes the same */
        k->s->fate[n] = FATE_COMPUTED;
        need_arguments(k, n);
        return;
    }
    *stands = (int)n;
    k->s->fate[n] = FATE_CARRIED;
    if (k->kind[n].place == v->last) {
        v->lead = (int)n;
        k->s->fate[n] = FATE_LEAD;
        need_arguments(k, n);
    }
}

/* ---- after ------------------------------------------------------------------------- */

static void keep(keeper *k)
{
    arena *const memory = k->e->arena;

    emit_must(memory, ir_kinds(k->e->stage, k->s->axis, k->kind));
    measure_nodes(k);
    k->first = arena_alloc(memory, k->kinds + 1, sizeof *k->first);
    k->last = arena_alloc(memory, k->kinds + 1, sizeof *k->last);
    k->count = arena_alloc(memory, k->kinds + 1, sizeof *k->count);
    for (int height = k->tallest; height >= 0; height--) {
        for (int64_t n = 0; n < k->e->stage->count; n++) {
            const ir_kind *kind = &k->kind[n];
            if (k->height[n] != height || !may_be_in_registers(k, n))
                continue;
            if (k->count[kind->kind]++ == 0)
                k->first[kind->kind] = k->last[kind->kind] = kind->place;
            k->first[kind->kind] = int_least(k->first[kind->kind], kind->place);
            k->last[kind->kind] = int_most(k->last[kind->kind], kind->place);
        }

        for (int64_t n = 0; n < k->e->stage->count; n++) {
            const int kind = k->kind[n].kind;
            if (k->height[n] != height || !k->needed[n])
                continue;
            if (may_be_in_registers(k, n) && k->first[kind] < k->last[kind]) {
                hold(k, n);
                continue;
            }
            k->s->fate[n] = FATE_COMPUTED;
            need_arguments(k, n);
        }
    }

    /* Marks the arguments of leads, and leads among them. Nodes stand behind their
     * arguments. */
    for (int64_t n = k->e->stage->count - 1; n >= 0; n--) {
        const ir_node *node = &k->e->stage->node[n];
        k->s->early[n] = k->s->early[n] || k->s->fate[n] == FATE_LEAD;
        if (!k->s->early[n] || k->s->fate[n] == FATE_CARRIED)
            continue;
        for (int a = 0; a < ir_op_table[node->op].arguments; a++)
            k->s->early[node->arg[a]] = true;
    }
}

/* ---- the order of input planes ----------------------------------------------------- */
/* Sweeps in the order of input planes: each value is computed when its input plane has
 * arrived, for all results that need it. Registers keep partial results instead of
 * planes. The sum of a star stencil grows by one term in each plane, so the planes around
 * its points need not be kept.
 *
 * Nodes of one kind are one value at different times (ir_kinds), so a kind is computed
 * once a plane. Its `time` is its place then, counted from the plane of the results. The
 * time is as late as the users allow. It is as early as the inputs allow in two cases: if
 * the node reads neighbours in the plane, held by other threads, or if waiting would keep
 * more planes in registers. */

enum { NOWHERE = -MAX_OFFSET - 1 };

typedef struct flow {
    emit_stage *e;
    sweep_plan *s;
    ir_kind *kind;
    int *height, *reach; /* reach: the farthest plane among a node's inputs */
    /* planes between the computation of a node and the first plane of the points outside
     * the registers */
    int *slack;
    bool *wide; /* it depends on neighbours in the planes */
    bool *needed;
    int *time, *first; /* of each kind; first: the computed node, -1: none yet */
    /* of each slot: the nearest plane of the points kept in registers in any case */
    int *kept;
    int64_t kinds;
    int tallest, last; /* last: the farthest plane of all */
} flow;

static bool is_value(const flow *f, int64_t n)
{
    return f->kind[n].placed && f->e->place[n] != PLACE_UNUSED &&
           ir_op_table[f->e->stage->node[n].op].arguments > 0;
}

/* ---- inputs of nodes --------------------------------------------------------------- */

static void measure_node(flow *f, int64_t n)
{
    const ir_node *node = &f->e->stage->node[n];

    f->reach[n] = NOWHERE;
    if (node->op == IR_LOAD) {
        const int axis = f->s->axis;

        f->reach[n] = node->offset[axis];
        f->wide[n] = node->offset[0] != 0 || (axis == 2 && node->offset[1] != 0);
        f->e->place[n] = PLACE_INLINE; /* the same load stands for different planes */
    }
    for (int a = 0; a < ir_op_table[node->op].arguments; a++) {
        const int arg = node->arg[a];
        f->height[n] = int_most(f->height[n], f->height[arg] + 1);
        f->reach[n] = int_most(f->reach[n], f->reach[arg]);
        f->wide[n] = f->wide[n] || f->wide[arg];
    }
    f->tallest = int_most(f->tallest, f->height[n]);
    f->kinds = int_most((int)f->kinds, f->kind[n].kind + 1);
}

/* The place of a node in the plane that has just arrived. */
static int earliest(const flow *f, int64_t n)
{
    return f->last - f->reach[n];
}

/* A node of the points' own values in several planes keeps them in registers, whatever
 * the other nodes do. */
static void find_kept(flow *f)
{
    const ir_stage *stage = f->e->stage;
    const int axis = f->s->axis;

    for (int64_t n = 0; n < stage->count; n++) {
        const ir_node *node = &stage->node[n];
        for (int a = 1; is_value(f, n) && a < ir_op_table[node->op].arguments; a++) {
            const ir_node *one = &stage->node[node->arg[0]];
            const ir_node *other = &stage->node[node->arg[a]];
            if (one->op != IR_LOAD || other->op != IR_LOAD || f->wide[n] ||
                one->field != other->field || one->level != other->level)
                continue;
            int *kept = &f->kept[emit_slot_of(f->e, one->field, one->level)];
            *kept = int_least(*kept, earliest(f, n) + int_least(one->offset[axis],
                                                                other->offset[axis]));
        }
    }
}

/* ---- times ------------------------------------------------------------------------- */

/* Planes of the points and results computed from them cost the same registers. */
static int chosen(const flow *f, int64_t n, int late)
{
    const int early = earliest(f, n);
    const int planes = f->wide[n] ? MAX_OFFSET : int_most(f->slack[n] - late, 0);

    return planes == 0 || planes < early - late ? late : early;
}

/* Notes a user computed for the plane `ahead` planes ahead. */
static void want(flow *f, int n, int ahead)
{
    f->needed[n] = true;
    if (!is_value(f, n))
        return;
    int *time = &f->time[f->kind[n].kind];
    *time = int_most(*time, ahead + f->kind[n].place);
}

static int ahead_of(const flow *f, int64_t n)
{
    return is_value(f, n) ? f->time[f->kind[n].kind] - f->kind[n].place : 0;
}

/* The users of these nodes already have their times. */
static void take_height(flow *f, int height)
{
    for (int64_t n = 0; n < f->e->stage->count; n++) {
        const ir_kind *kind = &f->kind[n];
        if (!f->needed[n] || f->height[n] != height)
            continue;
        if (is_value(f, n) && f->first[kind->kind] >= 0)
            continue;
        if (is_value(f, n)) {
            f->first[kind->kind] = (int)n;
            f->time[kind->kind] = chosen(f, n, f->time[kind->kind] - kind->place) +
                                  kind->place;
        }

        const ir_node *node = &f->e->stage->node[n];

        for (int a = 0; a < ir_op_table[node->op].arguments; a++)
            want(f, node->arg[a], ahead_of(f, n));
    }
}

/* ---- for the text ------------------------------------------------------------------ */

static bool is_computed(const flow *f, int64_t n)
{
    return f->s->fate[n] != FATE_NONE;
}

/* The age in planes of the oldest use of a node's value. */
static int oldest_of(const flow *f, int64_t n)
{
    const ir_stage *stage = f->e->stage;
    int most = 0;

    for (int64_t m = 0; m < stage->count; m++)
        for (int a = 0; is_computed(f, m) && a < ir_op_table[stage->node[m].op].arguments;
             a++)
            if (f->s->stands[stage->node[m].arg[a]] == n)
                most = int_most(most, f->s->due[stage->node[m].arg[a]] - f->s->due[m]);
    for (int64_t o = 0; o < stage->outputs; o++)
        if (f->s->stands[stage->output[o].node] == n)
            most = int_most(most, f->s->due[stage->output[o].node]);
    return most;
}

static void settle(flow *f)
{
    const ir_stage *stage = f->e->stage;

    for (int64_t k = 0; k < f->kinds; k++) {
        f->time[k] = -2 * MAX_OFFSET;
        f->first[k] = -1;
    }
    for (int64_t o = 0; o < stage->outputs; o++)
        want(f, stage->output[o].node, 0);
    for (int height = f->tallest; height > 0; height--)
        take_height(f, height);

    for (int64_t n = 0; n < f->e->stage->count; n++) {
        const bool value = is_value(f, n) && f->needed[n];
        f->s->stands[n] = value ? f->first[f->kind[n].kind] : -1;
        f->s->due[n] = value ? ahead_of(f, n) : 0;
        f->s->fate[n] = f->needed[n] && f->e->place[n] != PLACE_INLINE &&
                                (!value || f->s->stands[n] == n)
                            ? FATE_COMPUTED
                            : FATE_NONE;
    }

    for (int64_t n = 0; n < f->e->stage->count; n++) {
        const int oldest = is_value(f, n) && is_computed(f, n) ? oldest_of(f, n) : 0;
        if (oldest > 0) {
            carried_value *v = add_carried(f->e, f->s, (int)n, -oldest, 0);
            v->node[oldest] = (int)n;
            f->s->fate[n] = FATE_LEAD;
        }
    }

    /* Marks nodes used before the first plane is stored: nodes that are due earlier, and
     * their arguments. */
    for (int64_t n = stage->count - 1; n >= 0; n--) {
        const int stands = f->s->stands[n];
        if (stands >= 0 && f->s->due[n] > 0)
            f->s->early[stands] = true;
        for (int a = 0; f->s->early[n] && a < ir_op_table[stage->node[n].op].arguments;
             a++) {
            const int arg = stage->node[n].arg[a];
            f->s->early[f->s->stands[arg] >= 0 ? f->s->stands[arg] : arg] = true;
        }
    }
}

static void find_slack(flow *f)
{
    const ir_stage *stage = f->e->stage;

    for (int slot = 0; slot < f->e->slots; slot++) {
        const cuda_planes read = cuda_planes_read(f->e, slot);
        f->kept[slot] = read.first >= read.last ? -2 * MAX_OFFSET : f->last;
    }
    find_kept(f);
    for (int64_t n = 0; n < stage->count; n++) {
        const ir_node *node = &stage->node[n];

        f->slack[n] = node->op == IR_LOAD && f->e->place[n] != PLACE_UNUSED
                          ? f->kept[emit_slot_of(f->e, node->field, node->level)] -
                                node->offset[f->s->axis]
                          : -2 * MAX_OFFSET;
        for (int a = 0; a < ir_op_table[node->op].arguments; a++)
            f->slack[n] = int_most(f->slack[n], f->slack[node->arg[a]]);
    }
}

void cuda_find_partial_sums(emit_stage *e, sweep_plan *s)
{
    const ir_stage *stage = e->stage;
    const int64_t count = stage->count + 1;
    arena *const a = e->arena;
    flow f = {.e = e,
              .s = s,
              .last = NOWHERE,
              .kind = arena_alloc(a, count, sizeof *f.kind),
              .height = arena_alloc(a, count, sizeof *f.height),
              .reach = arena_alloc(a, count, sizeof *f.reach),
              .slack = arena_alloc(a, count, sizeof *f.slack),
              .wide = arena_alloc(a, count, sizeof *f.wide),
              .needed = arena_alloc(a, count, sizeof *f.needed)};

    s->stands = arena_alloc(a, count, sizeof *s->stands);
    s->due = arena_alloc(a, count, sizeof *s->due);
    open_nodes(e, s);

    emit_must(a, ir_kinds(stage, s->axis, f.kind));
    for (int64_t n = 0; n < stage->count; n++)
        if (e->place[n] != PLACE_UNUSED)
            measure_node(&f, n);
    for (int64_t o = 0; o < stage->outputs; o++)
        f.last = int_most(f.last, f.reach[stage->output[o].node]);

    f.time = arena_alloc(a, f.kinds + 1, sizeof *f.time);
    f.first = arena_alloc(a, f.kinds + 1, sizeof *f.first);
    f.kept = arena_alloc(a, e->slots + 1, sizeof *f.kept);
    find_slack(&f);
    settle(&f);
}

/* ---- before the first plane -------------------------------------------------------- */

/* The age in planes of the oldest plane in registers of a load by a node that is computed
 * `due` planes ahead. */
static int load_history(const emit_stage *e, const sweep_plan *s, int node, int due)
{
    int most = 0;

    for (int row = 0; row < s->rows; row++)
        for (int lane = 0; lane < s->lanes; lane++) {
            const column *c = cuda_find_column(e, node, row, lane);
            if (c && c->kept)
                most = int_most(most, cuda_lead(s, c) - due -
                                          e->stage->node[node].offset[s->axis]);
        }
    return most;
}

/* Finds for each computed node the age in planes of its oldest input. */
static void find_sum_history(const emit_stage *e, const sweep_plan *s, int *history)
{
    for (int64_t n = 0; n < e->stage->count; n++) {
        const ir_node *node = &e->stage->node[n];
        for (int a = 0; s->fate[n] != FATE_NONE && a < ir_op_table[node->op].arguments;
             a++) {
            const int arg = node->arg[a], stands = s->stands[arg];
            const int before = e->stage->node[arg].op == IR_LOAD
                                   ? load_history(e, s, arg, s->due[n])
                                   : history[stands >= 0 ? stands : arg] + s->due[arg] -
                                         s->due[n];
            history[n] = int_most(history[n], before);
        }
    }
}

/* ---- planes before the first ------------------------------------------------------- */

static int history_of(const emit_stage *e, const sweep_plan *s, int64_t n,
                      const int *history)
{
    const ir_node *node = &e->stage->node[n];
    int most = 0;

    if (node->op == IR_LOAD)
        return load_history(e, s, (int)n, 0);
    for (int64_t v = 0; s->fate[n] == FATE_CARRIED && v < s->values; v++) {
        const carried_value *value = &s->value[v];
        for (int p = 0; p <= value->last - value->first; p++)
            if (value->node[p] == n)
                return value->last - value->first - p + history[value->lead];
    }
    for (int a = 0; a < ir_op_table[node->op].arguments; a++)
        most = int_most(most, history[node->arg[a]]);
    return s->fate[n] == FATE_CARRIED ? 0 : most;
}

/* Repeats until nothing changes: a lead may stand behind nodes that use its carried
 * value. */
static void find_history(const emit_stage *e, const sweep_plan *s, int *history)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (int64_t n = 0; n < e->stage->count; n++) {
            const int before = history[n];
            if (s->fate[n] != FATE_NONE)
                history[n] = history_of(e, s, n, history);
            changed = changed || history[n] != before;
        }
    }
}

/* Carried values must be computed before the first plane, from columns loaded before.
 * Without carried values the columns are loaded directly. */
void cuda_find_warm_up(const emit_stage *e, sweep_plan *s)
{
    int *history = arena_alloc(e->arena, e->stage->count + 1, sizeof *history);

    if (s->due)
        find_sum_history(e, s, history);
    else
        find_history(e, s, history);
    s->warm = 0;
    for (int64_t v = 0; v < s->values; v++) {
        const carried_value *value = &s->value[v];
        s->warm = int_most(s->warm, value->last - value->first + history[value->lead]);
    }
    for (int64_t c = 0; s->warm > 0 && c < s->columns; c++)
        if (s->column[c].kept)
            s->warm = int_most(s->warm, cuda_lead(s, &s->column[c]) - s->column[c].first);
}

void cuda_find_carried(const emit_stage *e, sweep_plan *s)
{
    const int64_t count = e->stage->count + 1;
    arena *const a = e->arena;
    keeper k = {.e = e,
                .s = s,
                .kind = arena_alloc(a, count, sizeof *k.kind),
                .height = arena_alloc(a, count, sizeof *k.height),
                .work = arena_alloc(a, count, sizeof *k.work),
                .needed = arena_alloc(a, count, sizeof *k.needed),
                .tied = arena_alloc(a, count, sizeof *k.tied)};

    open_nodes(e, s);
    keep(&k);
}
