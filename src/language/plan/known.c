/* SPDX-License-Identifier: BSD-3-Clause */
/* Classes of stages, and facts about each stage: its place in a run, the first stage like
 * it, and its cost. The cycle of a solver repeats a few stages on each grid, in other
 * fields. Passes and analyses go over the first stage of each class alone. */
#include <string.h>

#include "plan/plan_private.h"

/* ---- stages that differ in their fields alone -------------------------------------- */

bool same_borders(const ir *code, const ir_field *f, const ir_field *g)
{
    for (int face = 0; face < 2 * code->dim; face++) {
        const ir_border *x = &f->border[face / 2][face % 2],
                        *y = &g->border[face / 2][face % 2];
        if (x->kind != y->kind || (x->stage < 0) != (y->stage < 0) ||
            (x->stage >= 0 &&
             !stage_equals(&code->stage[x->stage], &code->stage[y->stage])))
            return false;
    }
    return true;
}

/* True if kernels and costs of a stage may not tell one field from the other. */
static bool same_nature(const ir *code, const ir_field *f, const ir_field *g)
{
    bool same = f->storage == g->storage && f->coarse == g->coarse &&
                f->updated == g->updated && f->levels == g->levels &&
                f->in_place == g->in_place && f->shared == g->shared &&
                f->refills == g->refills && f->masks == g->masks &&
                memcmp(f->halo, g->halo, sizeof f->halo) == 0;

    for (int m = 0; m < f->masks; m++)
        same = same && f->mask[m] == g->mask[m];
    return same && same_borders(code, f, g);
}

static bool rename_field(const ir *code, ir_class *c, int from, int to)
{
    for (int k = 0; k < c->fields; k++)
        if (c->from[k] == from || c->to[k] == to)
            return c->from[k] == from && c->to[k] == to;
    if (c->fields == CLASS_FIELDS)
        return false;
    c->from[c->fields] = from;
    c->to[c->fields++] = to;
    return from == to || same_nature(code, &code->field[from], &code->field[to]);
}

static bool is_like(const ir *code, const ir_stage *a, const ir_stage *b, ir_class *c)
{
    c->fields = 0;
    if (a->count != b->count || a->outputs != b->outputs || a->real != b->real ||
        a->coarse != b->coarse || a->part != b->part || a->transform != b->transform ||
        memcmp(a->inset, b->inset, sizeof a->inset) != 0)
        return false;
    for (int64_t k = 0; k < a->count; k++) {
        ir_node n = b->node[k];
        if (n.op == IR_LOAD && a->node[k].op == IR_LOAD) {
            if (!rename_field(code, c, a->node[k].field, n.field))
                return false;
            n.field = a->node[k].field;
        }
        if (!node_equals(&a->node[k], &n))
            return false;
    }
    for (int64_t k = 0; k < a->outputs; k++) {
        const ir_output *x = &a->output[k], *y = &b->output[k];
        if (x->kind != y->kind || x->node != y->node)
            return false;
        if (x->kind == IR_STORE
                ? x->level != y->level || !rename_field(code, c, x->field, y->field)
                : x->uniform != y->uniform || x->reduction != y->reduction)
            return false;
    }
    return true;
}

/* Equal for stages that are alike. */
static uint64_t key_of(const ir_stage *s)
{
    uint64_t h = hash_mix((uint64_t)s->count ^ (uint64_t)s->coarse << 32);

    for (const ir_node *n = NULL; (n = ir_next_node(s, n));) {
        h = h * 31 + (uint64_t)n->op + ((uint64_t)(unsigned)n->arg[0] << 8) +
            ((uint64_t)(unsigned)n->offset[0] << 40);
        h = hash_mix(h ^ double_bits(n->value.v));
    }
    return h;
}

/* ---- all --------------------------------------------------------------------------- */

/* Finds the first stage like stage `number` in the hash table of first stages, or adds
 * the stage. */
static ir_class find_first(const ir *code, const ir_known *known, int number, int *slot,
                           int64_t slots)
{
    uint64_t at = key_of(&code->stage[number]) & (uint64_t)(slots - 1);
    ir_class c;

    for (; slot[at]; at = (at + 1) & (uint64_t)(slots - 1)) {
        c.first = slot[at] - 1;
        if (known[c.first].in_step == known[number].in_step &&
            known[c.first].of_border == known[number].of_border &&
            is_like(code, &code->stage[c.first], &code->stage[number], &c))
            return c;
    }
    slot[at] = number + 1;
    return (ir_class){.first = number};
}

static ir_class *find_classes(ir *code, const ir_known *known)
{
    ir_class *of = arena_alloc(code->arena, code->stages + 1, sizeof *of);
    int64_t slots = 64;

    while (slots < 2 * code->stages)
        slots *= 2;
    int *slot = arena_alloc(code->arena, slots, sizeof *slot);
    for (int n = 0; n < code->stages; n++) {
        const ir_stage *s = &code->stage[n];
        of[n] = s->before >= 0 || s->layered || s->stands_in || s->gated ||
                        ir_is_uniform(s)
                    ? (ir_class){.first = n}
                    : find_first(code, known, n, slot, slots);
    }
    return of;
}

static void find_places(const ir *code, ir_known *known)
{
    const bool *of_border = ir_are_of_borders(code);

    for (int64_t n = 0; n < code->stages; n++)
        known[n].of_border = of_border[n];
    for (int64_t k = 0; k < code->step.count; k++) {
        const int stage = code->step.stage[k], before = code->stage[stage].before;
        known[stage].in_step = true;
        if (before >= 0)
            known[before].before_step = true;
    }
}

ir_class *ir_find_classes(ir *code)
{
    ir_known *known = arena_alloc(code->arena, code->stages + 1, sizeof *known);

    find_places(code, known);
    return find_classes(code, known);
}

void ir_know_stages(ir *code)
{
    ir_known *known = arena_alloc(code->arena, code->stages + 1, sizeof *known);

    find_places(code, known);
    const ir_class *of = find_classes(code, known);
    for (int64_t n = 0; n < code->stages; n++) {
        ir_known *k = &known[n];
        k->like = of[n].first;
        if (k->like < n)
            k->analysis = known[k->like].analysis;
        else if (k->in_step)
            ir_analyse(code, &code->stage[n], code->arena, &k->analysis);
    }
    code->known = known;
    code->knowns = code->stages;
    ir_know_uniforms(code);
}

const ir_known *ir_known_of(const ir *code, const ir_stage *stage)
{
    const uintptr_t beyond = (uintptr_t)stage - (uintptr_t)code->stage;

    return beyond < (uintptr_t)code->knowns * sizeof *stage
               ? &code->known[beyond / sizeof *stage]
               : NULL;
}

bool ir_is_first(const ir *code, int64_t stage)
{
    return stage >= code->knowns || code->known[stage].like == stage;
}

bool ir_is_in_step(const ir *code, int64_t stage)
{
    return code->known[stage].in_step || code->known[stage].before_step;
}
