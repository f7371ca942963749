/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources and receivers within a time block, tile by tile. */
#include <assert.h>
#include <string.h>

#include "exec/time/tile_private.h"

/* ---- sources ----------------------------------------------------------------------- */

typedef struct injecting {
    const ready_stage *stage;
    const ir *code;
    double *uniform; /* the thread's own */
    int weight;
} injecting;

static pav_status inject_one(void *user, double amount, const box *point)
{
    const injecting *i = user;
    ready_stage one = *i->stage;
    memcpy(i->uniform, one.args.uniform, (size_t)i->code->uniforms * sizeof *i->uniform);
    i->uniform[i->weight] = amount;
    one.args.uniform = i->uniform;
    one.work.uniform = i->uniform;
    return ready_call(&one, point);
}

pav_status time_inject(const time_block *p, const time_instance *m, const box *b,
                       double *uniform)
{
    const ir *code = p->part->code;
    assert(p->state->ready); /* points are sorted before a block */
    for (int64_t k = 0; k < code->injections.count; k++) {
        injecting i = {&m->inject[k], code, uniform, code->injections.item[k].weight};
        const box own = p->number < 0 ? *b : exec_split_injected(p->part, k);
        const box here = box_common(b, &own);
        TRY(sources_within(&p->whole->injection[k], &p->state->injection[k], &here,
                           p->step + m->step, inject_one, &i));
    }
    return PAV_OK;
}

/* ---- receivers --------------------------------------------------------------------- */

bool time_is_due(const time_receiver *r, int64_t step)
{
    return r->points && sample_is_due(r->statement, step);
}

/* Samples after the last step of a time block are taken like after any step, unless other
 * steps follow at once. */
pav_status time_sample(const time_block *p, const time_instance *m, const box *b)
{
    const time_state *s = p->state;
    const box own = p->number < 0 ? *b : p->part->grid->box, here = box_common(b, &own);
    const bool is_own = m->step + 1 < p->steps || p->goes_on;
    assert(s->receivers == 0 || p->before + m->step < s->sampled_steps);
    for (int64_t k = 0; k < s->receivers && is_own; k++) {
        const placed_points *marks = &s->sample[k];
        if (!time_is_due(&s->receiver[k], p->step + m->step + 1))
            continue;
        const int field = s->receiver[k].field;
        TRY(placed_values(marks, &here,
                          m->view[field][!p->whole->code->field[field].updated],
                          s->sampled[k] + (p->before + m->step) * marks->count));
    }
    return PAV_OK;
}
