/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations of a block of steps, with their uniforms. Stages of uniforms are
 * evaluated here, before the first visit. */
#include <assert.h>
#include <string.h>

#include "run/outofcore/outofcore_private.h"

static double *keep_uniforms(const outofcore_block *b)
{
    const int64_t count = b->run->code->uniforms;
    double *kept = arena_alloc(b->arena, count + 1, sizeof *kept);
    memcpy(kept, b->run->part->uniform, (size_t)count * sizeof *kept);
    return kept;
}

static outofcore_operation *add(outofcore_block *b, const ir_operation *what, int step)
{
    outofcore_operation *m = &b->operation[b->operations++];
    *m = (outofcore_operation){
        .what = what,
        .step = step,
        .launches = b->launches,
        .singles = step - b->launches * b->o->depth,
        .shift = outofcore_shift(b->o, what, step, b->launches, b->stages),
    };
    b->stages += what && what->kind == OPERATION_STAGE;
    return m;
}

/* ---- stages ------------------------------------------------------------------------ */

static const bool *stored_by(const outofcore_block *b, const ir_stage *s)
{
    bool *stored = arena_alloc(b->arena, b->run->code->fields + 1, sizeof *stored);
    for (int64_t k = 0; k < s->outputs; k++)
        if (s->output[k].kind == IR_STORE)
            stored[s->output[k].field] = !outofcore_keeps_border(b, s->output[k].field);
    return stored;
}

static pav_status make_stages(outofcore_block *b, int step, const ir_operation **next)
{
    const ir_list *list = &b->run->code->step;
    for (int64_t n = 0; n < list->count; n++) {
        if ((*next)->kind != OPERATION_STAGE || (*next)->stage != list->stage[n]) {
            TRY(subdomain_stage(b->run->part, list->stage[n], NULL));
            continue;
        }
        outofcore_operation *m = add(b, (*next)++, step);
        m->fill = stored_by(b, &b->run->code->stage[list->stage[n]]);
        m->uniform = keep_uniforms(b);
    }
    return PAV_OK;
}

/* ---- sources ----------------------------------------------------------------------- */

static pav_status make_injections(outofcore_block *b, outofcore_operation *m)
{
    const ir_event_list *all = &b->run->code->injections;
    bool *near = arena_alloc(b->arena, b->run->code->fields + 1, sizeof *near);
    m->inject = arena_alloc(b->arena, all->count + 1, sizeof *m->inject);
    for (int64_t k = 0; k < all->count; k++) {
        const ir_list *list = &all->item[k].list;
        for (int64_t n = 0; n + 1 < list->count; n++)
            TRY(subdomain_stage(b->run->part, list->stage[n], NULL));
        m->inject[k] = keep_uniforms(b);
        near[all->item[k].field] |= outofcore_state(b->o)->injection[k].near_face &&
                                    !outofcore_keeps_border(b, all->item[k].field);
    }
    m->uniform = keep_uniforms(b);
    m->fill = near;
    return PAV_OK;
}

/* ---- fused launches ---------------------------------------------------------------- */

static const bool *stored_in_step(const outofcore_block *b)
{
    bool *stored = arena_alloc(b->arena, b->run->code->fields + 1, sizeof *stored);
    for (int f = 0; f < b->run->code->fields; f++)
        stored[f] = b->run->code->field[f].updated && !outofcore_keeps_border(b, f);
    return stored;
}

static pav_status make_launch(outofcore_block *b, int step)
{
    subdomain *whole = b->run->part;
    const int depth = b->o->depth;
    const emit_gpu_fused *what = place_launch_what(b->o->fused);
    double *numbers = arena_alloc(b->arena, depth * what->number_bytes / 8 + 1,
                                  sizeof *numbers);
    outofcore_operation *m = add(b, NULL, step);
    m->numbers = numbers;
    m->uniform = whole->uniform;
    m->fill = stored_in_step(b);
    b->launches++;
    TRY(place_launch_numbers(b->run->part, b->o->fused, b->step + step, depth, numbers));
    for (int n = step; n < step + depth; n++) {
        subdomain_set_time(whole, b->step + n + 1);
        outofcore_state(b->o)->time[n] = whole->uniform[whole->code->uniform_t];
    }
    return PAV_OK;
}

/* ---- all --------------------------------------------------------------------------- */

static pav_status make_step(outofcore_block *b, int step)
{
    subdomain *whole = b->run->part;
    const ir_operation *next = b->o->state.blocking.operation;
    subdomain_set_time(whole, b->step + step);
    TRY(make_stages(b, step, &next));
    if (next->kind == OPERATION_INJECT)
        TRY(make_injections(b, add(b, next++, step)));
    assert(next->kind == OPERATION_SAMPLE); /* it ends each step */
    (void)add(b, next, step);
    subdomain_set_time(whole, b->step + step + 1);
    outofcore_state(b->o)->time[step] = whole->uniform[whole->code->uniform_t];
    return PAV_OK;
}

static pav_status make_all(outofcore_block *b)
{
    b->operation = arena_alloc(b->arena, b->steps * b->o->state.blocking.operations,
                               sizeof *b->operation);
    const int launches = outofcore_launches(b->o, b->steps, b->whole);
    int step = 0;
    for (; b->launches < launches; step += b->o->depth)
        TRY(make_launch(b, step));
    assert(step <= b->steps); /* launches take no more steps than the block has */
    for (; step < b->steps; step++)
        TRY(make_step(b, step));
    return PAV_OK;
}

pav_status outofcore_operations_open(outofcore_block *b)
{
    pav_status status = PAV_ENOMEM;
    ARENA_GUARD(b->arena, status, make_all(b));
    return status;
}
