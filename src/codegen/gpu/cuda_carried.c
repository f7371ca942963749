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

typedef struct keeper {
    const emit_stage *e;
    sweep_plan *s;
    ir_kind *kind;
    int *height, *work;
    bool *needed,
        /* tied: it depends on a table along the sweep, which planes before the first must
         * not read */
        *tied;
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

static carried_value *value_of(keeper *k, int64_t n)
{
    const int kind = k->kind[n].kind;

    for (int64_t v = 0; v < k->s->values; v++)
        if (k->kind[k->s->value[v].lead].kind == kind)
            return &k->s->value[v];
    return cuda_add_carried(k->e, k->s, (int)n, k->first[kind], k->last[kind]);
}

carried_value *cuda_add_carried(const emit_stage *e, sweep_plan *s, int lead, int first,
                                int last)
{
    carried_value *v = &s->value[s->values++];

    *v = (carried_value){.lead = lead, .first = first, .last = last};
    v->node = arena_alloc(e->arena, last - first + 1, sizeof *v->node);
    for (int p = 0; p <= last - first; p++)
        v->node[p] = -1;
    return v;
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

/* ---- planes before the first ------------------------------------------------------- */

static int history_of(const emit_stage *e, const sweep_plan *s, int64_t n,
                      const int *history)
{
    const ir_node *node = &e->stage->node[n];
    int most = 0;

    if (node->op == IR_LOAD)
        return cuda_load_history(e, s, (int)n, 0);
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
        cuda_partial_sums_history(e, s, history);
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
    keeper k = {.e = e, .s = s};

    s->fate = arena_alloc(a, count, sizeof *s->fate);
    s->early = arena_alloc(a, count, sizeof *s->early);
    s->value = arena_alloc(a, count, sizeof *s->value);
    k.kind = arena_alloc(a, count, sizeof *k.kind);
    k.height = arena_alloc(a, count, sizeof *k.height);
    k.work = arena_alloc(a, count, sizeof *k.work);
    k.needed = arena_alloc(a, count, sizeof *k.needed);
    k.tied = arena_alloc(a, count, sizeof *k.tied);
    keep(&k);
}
