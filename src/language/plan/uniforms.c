/* SPDX-License-Identifier: BSD-3-Clause */
/* Uniforms that change between steps, and uniforms that only a step itself sets and
 * reads. Both follow from the stages of uniforms, so all stages are surveyed once.
 * Reductions of a step move to the stage that stores their inputs. */
#include "plan/plan_private.h"

/* True if the stage (or NULL) reads a uniform of the set. */
static bool reads_any(const ir_stage *stage, const bool *set)
{
    for (const ir_node *n = NULL; stage && (n = ir_next_node(stage, n));)
        if ((n->op == IR_UNIFORM || n->op == IR_RANDOM) && set[n->uniform])
            return true;
    return false;
}

/* If a stage (or NULL) reads a uniform of the set, all uniforms it sets are added. Few
 * stages set uniforms, so the nodes of all others are not looked at. */
static bool spread(const ir_stage *stage, bool *set)
{
    bool more = false;

    for (const ir_output *o = NULL; stage && (o = ir_next_output(stage, o));)
        if (o->kind == IR_SET && !set[o->uniform] && reads_any(stage, set))
            more = set[o->uniform] = true;
    return more;
}

/* Adds all uniforms that follow from those of the set. */
static void spread_all(const ir *code, bool *set)
{
    for (bool more = true; more;) {
        more = false;
        for (int64_t s = 0; s < code->stages; s++)
            more |= spread(&code->stage[s], set);
    }
}

/* Stages outside the step, and equations of scalars, read uniforms on the host. */
static bool stays_within(const ir *code, const bool *set)
{
    for (int64_t s = 0; s < code->stages; s++)
        if (reads_any(&code->stage[s], set) &&
            (!ir_is_in_step(code, s) ||
             (ir_is_uniform(&code->stage[s]) && ir_list_has(&code->step, s))))
            return false;
    for (int64_t u = 0; u < code->uniforms; u++)
        if (set[u] && code->uniform[u].kind != UNIFORM_REDUCTION &&
            code->uniform[u].kind != UNIFORM_COMPUTED)
            return false;
    return true;
}

void ir_know_uniforms(ir *code)
{
    bool *changes = arena_alloc(code->arena, code->uniforms + 1, sizeof *changes),
         *live = arena_alloc(code->arena, code->uniforms + 1, sizeof *live);

    for (int64_t u = 0; u < code->uniforms; u++) {
        const ir_uniform_kind kind = code->uniform[u].kind;
        changes[u] |= kind == UNIFORM_T || kind == UNIFORM_STEP ||
                      kind == UNIFORM_REDUCTION || code->uniform[u].next;
        changes[code->uniform[u].next] = true; /* 0, without a next value, is t */
    }
    spread_all(code, changes);
    for (int64_t n = 0; n < code->step.count; n++) {
        const ir_stage *s = &code->stage[code->step.stage[n]];
        for (int64_t k = 0; k < s->outputs; k++)
            if (s->output[k].kind == IR_REDUCE)
                live[s->output[k].uniform] = true;
    }
    for (bool more = true; more;) {
        more = false;
        for (int64_t n = 0; n < code->step.count; n++) {
            const int before = code->stage[code->step.stage[n]].before;
            more |= before >= 0 && spread(&code->stage[before], live);
        }
    }
    const bool stays = stays_within(code, live);
    for (int64_t u = 0; u < code->uniforms; u++) {
        code->uniform[u].changes = changes[u];
        code->uniform[u].live = live[u] && stays;
    }
}

const ir_event *ir_waits_for_time(const ir *code)
{
    const ir_event *waits = NULL;

    for (int64_t k = 0; k < code->untils.count; k++) {
        const ir_event *event = &code->untils.item[k];
        for (int64_t n = 0; n < event->list.count; n++)
            for (const ir_node *node = NULL;
                 (node = ir_next_node(&code->stage[event->list.stage[n]], node));) {
                const bool uniform = node->op == IR_UNIFORM;
                if (uniform && code->uniform[node->uniform].kind == UNIFORM_STEP)
                    return NULL;
                if (uniform && code->uniform[node->uniform].kind == UNIFORM_T)
                    waits = event;
            }
    }
    return waits;
}

/* ---- reductions beside stores ------------------------------------------------------ */

/* Scalar products of a solver cover values before the step. The stage that stores the
 * last of these values, in the step before, has them at hand. So this stage takes the
 * reduction: the same operations on the same values, hence the same bits, and no second
 * pass over the fields. The first step needs the reduction by itself (ir.first). Other
 * reductions share a pass over their fields, for example sums in f64 of fields in f32. */

/* True if a node is 0 at a face, because a border gives 0 there. */
static bool is_zero(const ir *code, const ir_stage *s, int node, int face)
{
    const ir_node *n = &s->node[node];

    if (n->op == IR_LOAD) {
        const int border = code->field[n->field].border[face / 2][face % 2].stage;
        const ir_stage *of = border < 0 ? NULL : &code->stage[border];
        return of && of->node[of->output->node].op == IR_CONST &&
               num_equal(of->node[of->output->node].value, num_int(0));
    }
    return n->op == IR_MUL &&
           (is_zero(code, s, n->arg[0], face) || is_zero(code, s, n->arg[1], face));
}

/* The place in the step of the last stage that stores an input of reduction r, or reads
 * its result; -1: the reduction stays. */
static int64_t find_place(const ir *code, const ir_stage *r)
{
    bool *set = arena_alloc(code->arena, code->uniforms + 1, sizeof *set);
    int64_t last = -1;

    for (const ir_node *n = NULL; (n = ir_next_load(r, n));)
        if (n->level != 0 || !ir_is_here(n) || !code->field[n->field].updated)
            return -1;
    set[r->output->uniform] = true;
    spread_all(code, set);
    for (int64_t k = 0; k < code->step.count; k++) {
        const ir_stage *s = &code->stage[code->step.stage[k]];
        if (reads_any(s, set) ||
            (s->before >= 0 && reads_any(&code->stage[s->before], set)))
            last = k;
        for (const ir_node *n = NULL; (n = ir_next_load(r, n));)
            for (const ir_output *o = NULL; (o = ir_next_store(s, o));)
                last = o->field == n->field ? k : last;
    }
    return last;
}

/* Each sum takes registers of a GPU. */
enum { MOST_SUMS = 4 };

/* Points of r beyond those of the stage add 0. */
static bool may_take(const ir *code, const ir_stage *s, const ir_stage *r)
{
    bool may = s->real == r->real && s->coarse == r->coarse && !s->along &&
               r->output->reduction == REDUCTION_SUM && ir_reductions(s) < MOST_SUMS;

    for (int face = 0; face < 2 * code->dim; face++) {
        const int more = s->inset[face / 2][face % 2] - r->inset[face / 2][face % 2];
        may = may &&
              (more == 0 || (more == 1 && is_zero(code, r, r->output->node, face)));
    }
    return may;
}

/* The stage takes a reduction over levels that were younger by `age`. */
static void take(ir *code, ir_stage *s, const ir_stage *r, int age)
{
    const ir_stage old = *s;
    ir_stage sums = *r;

    sums.node = arena_alloc(code->arena, r->count + 1, sizeof *sums.node);
    for (int64_t k = 0; k < r->count; k++) {
        sums.node[k] = r->node[k];
        sums.node[k].level += r->node[k].op == IR_LOAD ? age : 0;
    }
    s->name = NULL;
    s->outputs = 0;
    builder b = builder_open(code, s);
    build_join(&b, &old);
    build_join(&b, &sums);
}

/* True for reductions that read fields alone. */
static bool sums_only(const ir_stage *s)
{
    for (const ir_node *n = NULL; (n = ir_next_node(s, n));)
        if (n->op == IR_UNIFORM || n->op == IR_RANDOM)
            return false;
    return s->before < 0 && s->outputs > 0 && ir_reductions(s) == s->outputs;
}

void ir_place_reductions(ir *code)
{
    ir_list step = {0};

    for (int64_t k = 0; code->program->derived && k < code->step.count; k++) {
        const int number = code->step.stage[k];
        const ir_stage *r = &code->stage[number];
        const bool may = code->injections.count == 0 && sums_only(r);
        const int64_t at = may ? find_place(code, r) : -1;
        ir_stage *s = at < 0 ? NULL : &code->stage[code->step.stage[at]],
                 *last = step.count ? &code->stage[step.stage[step.count - 1]] : NULL;
        if (s && ir_next_store(s, NULL) && may_take(code, s, r)) {
            take(code, s, r, 1);
            list_add(code, &code->first, number);
        } else if (may && last && sums_only(last) && may_take(code, last, r))
            take(code, last, r, 0);
        else
            list_add(code, &step, number);
    }
    code->step = code->program->derived ? step : code->step;
}
