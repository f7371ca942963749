/* SPDX-License-Identifier: BSD-3-Clause */
/* Uniforms that change between steps, and uniforms that only a step itself sets and
 * reads. Both follow from the stages of uniforms, so all stages are surveyed once. */
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

static void find_changing(const ir *code, bool *set)
{
    for (int64_t u = 0; u < code->uniforms; u++) {
        const ir_uniform_kind kind = code->uniform[u].kind;
        set[u] |= kind == UNIFORM_T || kind == UNIFORM_STEP ||
                  kind == UNIFORM_REDUCTION || code->uniform[u].next;
        set[code->uniform[u].next] = true; /* 0, without a next value, is t */
    }
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

static void find_live(const ir *code, bool *set)
{
    for (int64_t n = 0; n < code->step.count; n++) {
        const ir_stage *s = &code->stage[code->step.stage[n]];
        for (int64_t k = 0; k < s->outputs; k++)
            if (s->output[k].kind == IR_REDUCE)
                set[s->output[k].uniform] = true;
    }
    for (bool more = true; more;) {
        more = false;
        for (int64_t n = 0; n < code->step.count; n++) {
            const int before = code->stage[code->step.stage[n]].before;
            more |= before >= 0 && spread(&code->stage[before], set);
        }
    }
}

void ir_know_uniforms(ir *code)
{
    bool *changes = arena_alloc(code->arena, code->uniforms + 1, sizeof *changes),
         *live = arena_alloc(code->arena, code->uniforms + 1, sizeof *live);

    find_changing(code, changes);
    find_live(code, live);
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
