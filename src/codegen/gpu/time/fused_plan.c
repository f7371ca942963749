/* SPDX-License-Identifier: BSD-3-Clause */
/* The content of a fused launch: its stages, sources and fields, or the reason why it is
 * impossible. fused_skews.c and fused_sizes.c find its timing and its size. */
#include <stdarg.h>
#include <stdio.h>

#include "codegen/gpu/time/fused_private.h"

/* ---- refusals ---------------------------------------------------------------------- */

static bool is_copied_around(const ir_field *f, int axis)
{
    return border_wraps(f->border[axis][0].kind) || border_wraps(f->border[axis][1].kind);
}

/* Beyond a periodic face lie points of the grid, which a tile computes. Beyond other
 * faces values are made from the points inside. */
static void check_faces(fused_plan *p, int field)
{
    const ir_field *f = &p->code->field[field];

    for (int axis = 0; axis < p->code->dim; axis++)
        for (int side = 0; side < 2; side++) {
            const bool wraps = border_wraps(f->border[axis][side].kind);
            const bool faces = f->halo[axis][side] > 0 || f->border[axis][side].kind;
            if (p->periodic[axis] && !wraps && faces)
                fused_refuse(
                    p, "along one axis field %s does not wrap around and another does",
                    f->name);
        }
}

/* Beyond a periodic end, the face of a later axis has a value by this place. The tile
 * needs the face at the wrapped place instead. */
static void check_corners(fused_plan *p, const fused_operation *operation)
{
    const ir_stage *s = fused_stage_of(p, operation);

    for (int64_t k = 0; k < s->count; k++)
        for (int axis = 0; axis < p->code->dim; axis++) {
            const ir_node *n = &s->node[k];
            if (n->op == IR_LOAD && p->periodic[axis] && p->moves[n->field] &&
                emit_corner_differs(p->code, n, axis))
                fused_refuse(p,
                             "a face of field %s has values by the place along an "
                             "axis that wraps around, and corners are read",
                             p->code->field[n->field].name);
        }
}

static void check_act(fused_plan *p, const fused_operation *operation)
{
    const ir_stage *s = fused_stage_of(p, operation);

    if (!emit_gpu_has_kernel(p->code, s))
        fused_refuse(p, "stage %s has no kernel", s->name);
    for (int64_t k = 0; k < s->count && operation->event < 0; k++)
        if (s->node[k].op == IR_LOAD && s->node[k].level == 1 &&
            fused_stores(s, s->node[k].field))
            fused_refuse(p, "stage %s reads what it also stores", s->name);
}

static void check_field(fused_plan *p, int field)
{
    const ir_field *f = &p->code->field[field];
    int stored = 0;

    for (int64_t n = 0; n < p->operations; n++)
        stored += p->operation[n].event < 0 &&
                  fused_stores(fused_stage_of(p, &p->operation[n]), field);
    if (f->updated && stored != 1)
        fused_refuse(p, "field %s is not stored by exactly one stage of a step", f->name);
    if (p->moves[field])
        check_faces(p, field);
    for (int face = 0; face < 2 * p->code->dim && p->moves[field]; face++) {
        const int stage = f->border[face / 2][face % 2].stage;
        if (stage >= 0 && !emit_gpu_has_kernel(p->code, &p->code->stage[stage]))
            fused_refuse(p, "a border of field %s has no kernel", f->name);
    }
}

/* With more fields the registers spill: kilobytes for the 19 of lattice Boltzmann. */
static void check_fields(fused_plan *p)
{
    enum { MOST_FIELDS = 16 };
    int stored = 0;

    for (int f = 0; f < p->code->fields; f++)
        stored += p->moves[f];
    if (stored > MOST_FIELDS)
        fused_refuse_with(p,
                          "a thread has no registers for several steps of %d fields: %d "
                          "at most",
                          stored, MOST_FIELDS);
    for (int f = 0; f < p->code->fields; f++)
        check_field(p, f);
}

static void check(fused_plan *p)
{
    if (p->code->dim < p->of->least_dim)
        fused_refuse(p, "a grid of one dimension has no planes to sweep", NULL);
    for (int64_t n = 0; n < p->operations; n++) {
        check_act(p, &p->operation[n]);
        check_corners(p, &p->operation[n]);
    }
    check_fields(p);
    for (int64_t k = 0; k < p->code->injections.count; k++)
        if (p->code->injections.item[k].statement->trace)
            fused_refuse(p, "traces of a file are injected step by step", NULL);
}

/* ---- operations -------------------------------------------------------------------- */

static void take_injections(fused_plan *p)
{
    for (int64_t k = 0; k < p->code->injections.count; k++) {
        const ir_list *list = &p->code->injections.item[k].list;
        const int last = list->stage[list->count - 1];
        p->operation[p->operations++] = (fused_operation){.stage = last, .event = (int)k};
    }
}

static pav_status take_acts(fused_plan *p, const ir_blocking *b)
{
    p->operation = mem_new(b->operations + p->code->injections.count + 1,
                           sizeof *p->operation);
    p->moves = mem_new(p->code->fields + 1, sizeof *p->moves);
    p->field = mem_new(p->code->fields + 1, sizeof *p->field);
    if (!p->operation || !p->moves || !p->field)
        return PAV_ENOMEM;
    for (int64_t n = 0; n < b->operations; n++)
        if (b->operation[n].kind == OPERATION_STAGE)
            p->operation[p->operations++] = (fused_operation){
                .stage = b->operation[n].stage, .event = -1};
    take_injections(p);
    return PAV_OK;
}

static void find_sampled(fused_plan *p)
{
    for (const statement *s = p->code->program->first; s; s = s->next)
        for (int f = 0; f < p->code->fields; f++)
            if (s->kind == STATEMENT_SAMPLE && p->code->field[f].symbol == s->symbol)
                p->field[f].sampled = p->moves[f];
}

static pav_status take_blocking(fused_plan *p, const ir_blocking *b)
{
    TRY(take_acts(p, b));
    for (int f = 0; f < p->code->fields; f++)
        for (int64_t n = 0; n < p->operations; n++)
            p->moves[f] |= fused_stores(fused_stage_of(p, &p->operation[n]), f);
    for (int f = 0; f < p->code->fields; f++)
        for (int axis = 0; axis < p->code->dim && p->moves[f]; axis++)
            p->periodic[axis] |= is_copied_around(&p->code->field[f], axis);
    find_sampled(p);
    if (b->refusal)
        fused_refuse(p, "%s", b->refusal);
    return PAV_OK;
}

/* ---- all --------------------------------------------------------------------------- */

static pav_status find(fused_plan *p)
{
    const schedule requested = p->schedule;

    check(p);
    if (p->refusal)
        return PAV_OK;
    if (p->of->place)
        p->of->place(p, &requested);
    fused_check_settings(p, &requested);
    TRY(fused_find_reads(p));
    TRY(fused_find_skews(p));
    p->of->choose(p, &requested);
    if (p->in_registers)
        fused_check_text(p);
    return PAV_OK;
}

static pav_status open_by(const ir *code, const schedule *requested, const gpu_facts *gpu,
                          fused_plan *p)
{
    ir_blocking b;

    *p = (fused_plan){.code = code,
                      .of = cuda_launch_kind_of(requested->kind),
                      .gpu = gpu,
                      .axis = code->dim - 1,
                      .schedule = *requested};
    TRY(ir_blocking_open(code, NULL, &b));
    pav_status status = take_blocking(p, &b);
    ir_blocking_close(&b);
    if (status == PAV_OK && !p->refusal)
        status = find(p);
    if (status != PAV_OK)
        fused_plan_close(p);
    return status;
}

/* Versions too wide for registers go to shared memory, unless the request excludes it. */
static pav_status try_shared(schedule requested, fused_plan *p)
{
    fused_plan other;

    requested.tile.storage = STORAGE_SHARED;
    TRY(open_by(p->code, &requested, p->gpu, &other));
    if (other.refusal) {
        fused_plan_close(&other);
        return PAV_OK;
    }
    fused_plan_close(p);
    *p = other;
    return PAV_OK;
}

pav_status fused_plan_open(const ir *code, const schedule *requested,
                           const gpu_facts *gpu, fused_plan *p)
{
    const schedule asked = requested ? *requested : (schedule){.kind = SCHEDULE_GPU_TIME};

    TRY(open_by(code, &asked, gpu ? gpu : cuda_reference(), p));
    if (!p->refusal || !p->in_registers || !fused_may_use_shared(&asked))
        return PAV_OK;
    const pav_status status = try_shared(asked, p);
    if (status != PAV_OK)
        fused_plan_close(p);
    return status;
}

void fused_plan_close(fused_plan *p)
{
    for (int64_t n = 0; p->operation && n < p->operations; n++) {
        mem_free(p->operation[n].read);
        mem_free(p->operation[n].sum);
    }
    mem_free(p->operation);
    mem_free(p->moves);
    mem_free(p->field);
    p->operation = NULL;
    p->moves = NULL;
    p->field = NULL;
}
