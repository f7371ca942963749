/* SPDX-License-Identifier: BSD-3-Clause */
/* The argument of a fused launch: levels, tables, and the uniforms of its steps. */
#include <stdio.h>

#include "codegen/gpu/time/fused_private.h"

enum { TENSOR_WORD = 8 }; /* bytes: the accelerator counts in them */

/* ---- levels ------------------------------------------------------------------------ */

int fused_slot_of(const emit_gpu_fused *fused, int field, int level, bool stored)
{
    for (int k = 0; k < fused->slots; k++)
        if (fused->slot[k].field == field && fused->slot[k].level == level &&
            fused->slot[k].stored == stored)
            return k;
    return -1;
}

static void add_slot(emit_gpu_fused *fused, int field, int level, bool stored)
{
    if (fused_slot_of(fused, field, level, stored) < 0)
        fused->slot[fused->slots++] = (emit_slot){field, level, !stored, stored};
}

static void add_moving(const fused_plan *p, emit_gpu_fused *fused, int field)
{
    for (int level = 0; level >= p->field[field].oldest; level--)
        add_slot(fused, field, level, false);
    for (int age = 0; age < p->field[field].kept; age++)
        add_slot(fused, field, -age, true);
}

static pav_status add_slots(const fused_plan *p, emit_gpu_fused *fused)
{
    int64_t room = 1;

    for (int f = 0; f < p->code->fields; f++)
        room += 2 * p->code->field[f].levels;
    fused->slot = mem_new(room, sizeof *fused->slot);
    if (!fused->slot)
        return PAV_ENOMEM;
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            add_moving(p, fused, f);
    for (int64_t n = 0; n < p->operations; n++) {
        const ir_stage *s = &p->code->stage[p->operation[n].stage];
        for (int64_t k = 0; k < s->count; k++)
            if (s->node[k].op == IR_LOAD && !p->moves[s->node[k].field])
                add_slot(fused, s->node[k].field, 0, false);
    }
    return PAV_OK;
}

/* ---- stages ------------------------------------------------------------------------ */

static void note_tables(const ir_stage *s, bool *used)
{
    for (int64_t k = 0; k < s->count; k++)
        if (s->node[k].op == IR_TABLE)
            used[s->node[k].table] = true;
}

static pav_status add_stage(const fused_plan *p, emit_gpu_fused *fused, int stage,
                            bool *used)
{
    static const schedule plain = {.kind = SCHEDULE_POINT,
                                   .coefficients = UNIFORMS_ARGUMENT};
    emit_gpu_kernel *k = &fused->numbers[fused->stages];

    note_tables(&p->code->stage[stage], used);
    TRY(emit_gpu_kernel_of(p->code, &p->code->stage[stage], &plain, k));
    if (k->uniforms == 0) {
        emit_gpu_kernel_free(k);
        return PAV_OK;
    }
    fused->stage[fused->stages++] = stage;
    fused->number_bytes += k->number_bytes;
    return PAV_OK;
}

static pav_status add_borders(const fused_plan *p, emit_gpu_fused *fused, int field,
                              bool *used)
{
    for (int face = 0; face < 2 * p->code->dim; face++) {
        const int stage = p->code->field[field].border[face / 2][face % 2].stage;
        bool known = stage < 0;
        for (int64_t k = 0; k < fused->stages; k++)
            known |= fused->stage[k] == stage;
        if (!known)
            TRY(add_stage(p, fused, stage, used));
    }
    return PAV_OK;
}

static pav_status add_stages(const fused_plan *p, emit_gpu_fused *fused, bool *used)
{
    fused->stage = mem_new(p->code->stages + 1, sizeof *fused->stage);
    fused->numbers = mem_new(p->code->stages + 1, sizeof *fused->numbers);
    fused->table = mem_new(p->code->tables + 1, sizeof *fused->table);
    if (!fused->stage || !fused->numbers || !fused->table || !used)
        return PAV_ENOMEM;
    for (int64_t n = 0; n < p->operations; n++)
        TRY(add_stage(p, fused, p->operation[n].stage, used));
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            TRY(add_borders(p, fused, f, used));
    for (int n = 0; n < p->code->tables; n++)
        if (used[n])
            fused->table[fused->tables++] = n;
    return PAV_OK;
}

/* ---- points off the grid ----------------------------------------------------------- */

static pav_status add_samples(const fused_plan *p, emit_gpu_fused *fused)
{
    const ir *code = p->code;
    int64_t room = 1;

    for (const statement *s = code->program->first; s; s = s->next)
        room += s->kind == STATEMENT_SAMPLE;
    fused->injections = code->injections.count;
    fused->sample = mem_new(room, sizeof *fused->sample);
    if (!fused->sample)
        return PAV_ENOMEM;
    for (const statement *s = code->program->first; s; s = s->next)
        for (int f = 0; s->kind == STATEMENT_SAMPLE && f < code->fields; f++)
            if (code->field[f].symbol == s->symbol && p->moves[f])
                fused->sample[fused->samples++] = s;
    return PAV_OK;
}

/* ---- boxes of the tensor memory accelerator ---------------------------------------- */

/* A box includes the ghosts. Along x it goes to the end of a vector. */
static emit_gpu_tensor_box tensor_box_of(const fused_plan *p, const emit_gpu_fused *fused,
                                         int field, int level)
{
    const ir_field *f = &p->code->field[field];
    const int pack = p->schedule.thread.size[0], size = (int)pav_type_size(f->storage);
    emit_gpu_tensor_box s = {
        .slot = fused_slot_of(fused, field, level, false),
        .planes = p->axis,
        .pack = pack,
        .size = size,
        .box = {fused_points(p, 0) * size / TENSOR_WORD, fused_points(p, 1), 1}};

    for (int axis = 0; axis < MAX_DIM; axis++) {
        s.before[axis] = f->halo[axis][0];
        s.beyond[axis] = f->halo[axis][1];
    }
    s.beyond[0] = (s.beyond[0] + pack - 1) / pack * pack;
    return s;
}

static pav_status add_parts(const fused_plan *p, emit_gpu_fused *fused)
{
    if (!fused_is_copied(p))
        return PAV_OK;
    fused->part = mem_new(fused->slots + 1, sizeof *fused->part);
    if (!fused->part)
        return PAV_ENOMEM;
    for (int f = 0; f < p->code->fields; f++)
        for (int level = p->field[f].oldest; level <= 0 && p->moves[f]; level++)
            fused->part[fused->parts++] = tensor_box_of(p, fused, f, level);
    return PAV_OK;
}

static int64_t bytes_of_argument(const emit_gpu_fused *fused)
{
    const int64_t bytes = (int64_t)sizeof(emit_gpu_fused_work) +
                          fused->slots * (int64_t)sizeof(emit_grid) +
                          fused->tables * (int64_t)sizeof(double *) +
                          fused->injections * (int64_t)sizeof(emit_gpu_marks) +
                          fused->samples * (int64_t)sizeof(emit_gpu_sample) +
                          (fused->stages > 0 ? (int64_t)sizeof(void *) : 0);
    const int64_t suits = fused->parts > 0 ? (int64_t) _Alignof(emit_gpu_tensor) : 1;

    return (bytes + suits - 1) / suits * suits +
           fused->parts * (int64_t)sizeof(emit_gpu_tensor);
}

pav_status fused_slots(const fused_plan *p, emit_gpu_fused *fused)
{
    bool *used = mem_new(p->code->tables + 1, sizeof *used);
    pav_status status = add_slots(p, fused);

    if (status == PAV_OK)
        status = add_stages(p, fused, used);
    if (status == PAV_OK)
        status = add_samples(p, fused);
    mem_free(used);
    if (status == PAV_OK)
        status = add_parts(p, fused);
    fused->argument_bytes = bytes_of_argument(fused);
    return status;
}
