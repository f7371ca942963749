/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of lowering: errors, the depth of expressions, memos, and drafts. A draft is
 * a stage while it is lowered. It is separate from the ir until it is closed, because
 * lowering it may add other stages (its reductions) before it. */
#include <stdio.h>

#include "plan/plan_private.h"

enum {
    MOST_DEPTH = 6000, /* of expressions with their lets expanded */
};

/* ---- errors, names, depth, single nodes -------------------------------------------- */

void lower_fail(lowering *l, pav_status status, const char *format, ...)
{
    char sentence[512];
    va_list list;

    va_start(list, format);
    (void)vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    arena_fail(l->arena, status, "%s:%d:%d: %s", l->program->name, l->at.line,
               l->at.column, sentence);
}

static const char *take_scratch(lowering *l)
{
    if (l->scratch->failed)
        lower_fail(l, PAV_ENOMEM, "memory ran out while an expression was written down");
    return arena_copy(l->arena, l->scratch->data, (size_t)l->scratch->length);
}

const char *lower_text(lowering *l, const expr *e)
{
    text_free(l->scratch);
    expr_print(e, l->scratch);
    if (l->program->upright && !l->scratch->failed)
        upright_swap(l->scratch->data, l->scratch->length);
    return take_scratch(l);
}

const char *lower_digits(lowering *l, num value)
{
    text_free(l->scratch);
    num_print(l->scratch, value);
    return take_scratch(l);
}

void lower_enter(lowering *l)
{
    if (++l->depth > MOST_DEPTH)
        lower_fail(l, PAV_ELIMIT,
                   "with its lets put in, an expression is nested more than %d deep",
                   MOST_DEPTH);
}

void lower_leave(lowering *l)
{
    l->depth--;
}

int lower_op(lowering *l, ir_op op, int a0, int a1)
{
    return build_op(&l->draft->build, op, a0, a1, -1);
}

int lower_const(lowering *l, num value)
{
    return build_const(&l->draft->build, value);
}

/* ---- memos ------------------------------------------------------------------------- */

/* A memo maps an expression at a spot to its node, with an open-addressing table. So the
 * cost of composed stencils (a laplacian of a laplacian of ...) is proportional to the
 * number of their spots. */
enum {
    FIRST_ENTRIES = 16, /* a power of two; doubled when half full */
    MOST_ENTRIES = 1 << 20,
};

/* The entry, or the free entry for it. */
static memo_entry *find_entry(const memo *m, const expr *e, const spot *at)
{
    const uint64_t mask = (uint64_t)m->capacity - 1;
    uint64_t h = hash_mix((uint64_t)(uintptr_t)e ^ (uint64_t)at->coarse);

    h = hash_mix(h ^ (uint64_t)(uintptr_t)at->scope);
    for (int axis = 0; axis < MAX_DIM; axis++)
        h = hash_mix(h ^ (uint32_t)at->offset[axis]);
    for (h &= mask; m->entry[h].expr; h = (h + 1) & mask) {
        const spot *b = &m->entry[h].at;
        if (m->entry[h].expr == e && b->scope == at->scope && b->coarse == at->coarse &&
            b->offset[0] == at->offset[0] && b->offset[1] == at->offset[1] &&
            b->offset[2] == at->offset[2])
            break;
    }
    return &m->entry[h];
}

int memo_get(const memo *m, const expr *e, const spot *at)
{
    if (!m->capacity)
        return -1;
    const memo_entry *entry = find_entry(m, e, at);
    return entry->expr ? entry->value : -1;
}

void memo_put(lowering *l, memo *m, const expr *e, const spot *at, int value)
{
    if (2 * m->count >= m->capacity) {
        const memo old = *m;
        m->capacity = old.capacity ? 2 * old.capacity : FIRST_ENTRIES;
        if (m->capacity > MOST_ENTRIES)
            lower_fail(l, PAV_ELIMIT,
                       "the parts of this statement are read at more than %d points, as "
                       "derivatives of derivatives are; split it in two equations",
                       MOST_ENTRIES / 2);
        m->entry = arena_alloc(l->arena, m->capacity, sizeof *m->entry);
        for (int64_t k = 0; k < old.capacity; k++)
            if (old.entry[k].expr)
                *find_entry(m, old.entry[k].expr, &old.entry[k].at) = old.entry[k];
    }
    *find_entry(m, e, at) = (memo_entry){.expr = e, .at = *at, .value = value};
    m->count++;
}

/* ---- drafts ------------------------------------------------------------------------ */

draft draft_new(const char *name, pav_type real, int coarse, draft_use use)
{
    return (draft){
        .stage = {.name = name, .real = real, .coarse = coarse, .before = -1},
        .use = use,
        .fixed_axis = -1,
    };
}

void draft_open(lowering *l, draft *d)
{
    d->outer = l->draft;
    d->build = builder_open(l->code, &d->stage);
    l->draft = d;
}

void draft_leave(lowering *l, draft *d)
{
    l->draft = d->outer;
}

int draft_add(lowering *l, draft *d)
{
    const int number = code_add_stage(l->code, d->stage.name, d->stage.real,
                                      d->stage.coarse);

    l->code->stage[number] = d->stage;
    return number;
}

int draft_close(lowering *l, draft *d)
{
    draft_leave(l, d);
    return draft_add(l, d);
}

void draft_store(lowering *l, draft *d, int node, int field, int level)
{
    const pav_type storage = l->code->field[field].storage, real = d->stage.real;
    ir_output output = {
        .kind = IR_STORE,
        .node = node,
        .field = field,
        .level = level,
        .uniform = -1,
    };

    /* masks (u8) hold 0 or 1 */
    if (storage != PAV_U8 && storage != real &&
        !(real == PAV_F32 && storage == PAV_F64)) {
        ir_node n = node_blank(IR_ROUND);
        n.arg[0] = node;
        n.type = storage;
        output.node = build_node(&d->build, &n);
    }
    stage_add_output(l->code, &d->stage, &output);
}

void draft_set(lowering *l, draft *d, int node, int slot)
{
    const ir_output output = {.kind = IR_SET, .node = node, .field = -1, .uniform = slot};

    stage_add_output(l->code, &d->stage, &output);
}
