/* SPDX-License-Identifier: BSD-3-Clause */
/* The dependences between stages of a step, and the reasons against joining them. */
#include "plan/plan_private.h"

bool ir_reads_new_neighbours(const ir_stage *stage)
{
    for (int64_t k = 0; k < stage->count; k++) {
        const ir_node *n = &stage->node[k];
        if (n->op == IR_LOAD && n->level == 1 &&
            (n->offset[0] != 0 || n->offset[1] != 0 || n->offset[2] != 0))
            return true;
    }
    return false;
}

typedef struct finding {
    const ir *code;
    arena *arena;
    int64_t count, capacity;
    dependence *item;
} finding;

static dependence *find(finding *f, const dependence *wanted)
{
    for (int64_t k = 0; k < f->count; k++) {
        const dependence *d = &f->item[k];
        if (d->stage == wanted->stage && d->on == wanted->on &&
            d->field == wanted->field && d->level == wanted->level &&
            d->uniform == wanted->uniform)
            return &f->item[k];
    }
    arena_reserve(f->arena, &f->item, f->count, &f->capacity, sizeof *f->item);
    f->item[f->count] = *wanted;
    return &f->item[f->count++];
}

static void widen(dependence *d, const ir_node *n)
{
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int o = n->offset[axis];
        if (-o > d->reach[axis][0])
            d->reach[axis][0] = -o;
        if (o > d->reach[axis][1])
            d->reach[axis][1] = o;
        d->elsewhere = d->elsewhere || o != 0 || n->transfer != IR_SAME;
    }
}

/* True if the node reads this output. */
static bool reads(const ir_node *n, const ir_output *o)
{
    if (o->kind == IR_STORE)
        return n->op == IR_LOAD && n->field == o->field && n->level == o->level;
    return n->op == IR_UNIFORM && n->uniform == o->uniform;
}

static void compare(finding *f, int stage, const ir_stage *reader, int on)
{
    const ir_stage *maker = &f->code->stage[on];

    for (int64_t k = 0; k < maker->outputs; k++) {
        const ir_output *o = &maker->output[k];
        const bool stores = o->kind == IR_STORE;
        const dependence wanted = {.stage = stage,
                                   .on = on,
                                   .field = stores ? o->field : -1,
                                   .level = o->level,
                                   .uniform = stores ? -1 : o->uniform,
                                   .elsewhere = !stores};
        for (int64_t i = 0; i < reader->count; i++) {
            if (!reads(&reader->node[i], o))
                continue;
            dependence *d = find(f, &wanted);
            if (stores)
                widen(d, &reader->node[i]);
        }
    }
}

int64_t find_dependences(const ir *code, arena *a, dependence **result)
{
    finding f = {.code = code, .arena = a};

    for (int64_t k = 0; k < code->step.count; k++) {
        const int stage = code->step.stage[k];
        const ir_stage *s = &code->stage[stage];
        for (int64_t i = 0; i < k; i++) {
            compare(&f, stage, s, code->step.stage[i]);
            if (s->before >= 0)
                compare(&f, stage, &code->stage[s->before], code->step.stage[i]);
        }
    }
    *result = f.item;
    return f.count;
}
