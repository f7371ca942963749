/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources, receivers and everything else that happens at a step: what can be done within
 * a time block is done there, tile by tile; a time block ends where anything observes
 * whole fields. */
#include <string.h>

#include "run/time/time_private.h"

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
    for (int64_t k = 0; k < code->injections.count; k++) {
        injecting i = {&m->inject[k], code, uniform, code->injections.item[k].weight};
        const box own = p->number < 0 ? *b : exec_split_injected(p->part, k);
        const box here = box_common(b, &own);
        TRY(sources_within(&p->run->part->injection[k], &p->state->injection[k],
                           p->state->stream, &here, p->step + m->step, inject_one, &i));
    }
    return PAV_OK;
}

/* ---- receivers --------------------------------------------------------------------- */

bool time_sample_is_due(const recorder *r, int64_t step)
{
    return r->statement->kind == STATEMENT_SAMPLE && sample_is_due(r->statement, step);
}

/* What is sampled after the last step of a time block is sampled as after any step. */
pav_status time_sample(const time_block *p, const time_instance *m, const box *b)
{
    const pav_run *run = p->run;
    const box own = p->number < 0 ? *b : p->part->grid->box, here = box_common(b, &own);
    for (int64_t k = 0; k < run->recorders && m->step + 1 < p->steps; k++) {
        const placed_points *marks = &p->state->sample[k];
        if (!time_sample_is_due(&run->recorder[k], p->step + m->step + 1))
            continue;
        const int field = run_field_of(run, run->recorder[k].statement->symbol);
        TRY(placed_values(marks, p->state->stream, &here,
                          m->view[field][!run->part->code->field[field].updated],
                          p->state->seen[k] + m->step * marks->count));
    }
    return PAV_OK;
}

pav_status time_keep_rows(pav_run *run, const time_state *s, int64_t step, int steps)
{
    for (int n = 0; n + 1 < steps; n++)
        for (int64_t k = 0; k < run->recorders; k++) {
            recorder *r = &run->recorder[k];
            if (!time_sample_is_due(r, step + n + 1))
                continue;
            sample_row(&r->points, s->seen[k] + n * s->sample[k].count, r->row + LEADING);
            r->last_step = step + n + 1;
            TRY(rows_keep(run, r, step + n + 1, s->time[n]));
        }
    return PAV_OK;
}

/* ---- everything else --------------------------------------------------------------- */

static void come_to(const pav_run *run, int64_t every, int64_t *steps)
{
    const int64_t left = every > 0 ? every - run->part->step % every : *steps;
    *steps = left < *steps ? left : *steps;
}

int64_t time_until_event(const pav_run *run, int64_t most)
{
    for (int64_t k = 0; k < run->recorders; k++) {
        const statement *s = run->recorder[k].statement;
        if (s->kind == STATEMENT_MEASURE ||
            (s->kind == STATEMENT_OUTPUT && !run->options.no_files))
            come_to(run, s->every_steps, &most);
    }
    for (int64_t k = 0; k < run->part->code->untils.count; k++) {
        const int64_t every = run->part->code->untils.item[k].statement->every_steps;
        come_to(run, every > 0 ? every : 1, &most);
    }
    if (run->checkpoint.path)
        come_to(run, run->checkpoint.every, &most);
    come_to(run, run->nan_check_every, &most);
    return most;
}
