/* SPDX-License-Identifier: BSD-3-Clause */
/* What a pass is called with: levels, tables, and the numbers of its steps. */
#include <stdio.h>

#include "emit/pass_private.h"

enum { TENSOR_WORD = 8 }; /* bytes: the accelerator counts in them */

/* ---- levels ------------------------------------------------------------------------------- */

int pass_slot_of(const emit_gpu_pass *pass, int field, int level, bool stored)
{
    for (int k = 0; k < pass->slots; k++)
        if (pass->slot[k].field == field && pass->slot[k].level == level &&
            pass->slot[k].stored == stored)
            return k;
    return -1;
}

static void add_slot(emit_gpu_pass *pass, int field, int level, bool stored)
{
    if (pass_slot_of(pass, field, level, stored) < 0)
        pass->slot[pass->slots++] = (emit_slot){field, level, !stored, stored};
}

static void add_moving(const pass_plan *p, emit_gpu_pass *pass, int field)
{
    for (int level = 0; level >= p->field[field].oldest; level--)
        add_slot(pass, field, level, false);
    for (int age = 0; age < p->field[field].kept; age++)
        add_slot(pass, field, -age, true);
}

static pav_status add_slots(const pass_plan *p, emit_gpu_pass *pass)
{
    int64_t room = 1;

    for (int f = 0; f < p->code->fields; f++)
        room += 2 * p->code->field[f].levels;
    pass->slot = mem_new(room, sizeof *pass->slot);
    if (!pass->slot)
        return PAV_ENOMEM;
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            add_moving(p, pass, f);
    for (int64_t n = 0; n < p->acts; n++) {
        const ir_stage *s = &p->code->stage[p->act[n].stage];
        for (int64_t k = 0; k < s->count; k++)
            if (s->node[k].op == IR_LOAD && !p->moves[s->node[k].field])
                add_slot(pass, s->node[k].field, 0, false);
    }
    return PAV_OK;
}

/* ---- stages ------------------------------------------------------------------------------- */

static void note_tables(const ir_stage *s, bool *used)
{
    for (int64_t k = 0; k < s->count; k++)
        if (s->node[k].op == IR_TABLE)
            used[s->node[k].table] = true;
}

static pav_status add_stage(const pass_plan *p, emit_gpu_pass *pass, int stage,
                            bool *used)
{
    static const emit_gpu_schedule plain = {.form = EMIT_GPU_POINT,
                                            .coefficients = EMIT_GPU_PLACE_ARGUMENT};
    emit_gpu_kernel *k = &pass->numbers[pass->stages];

    note_tables(&p->code->stage[stage], used);
    TRY(emit_gpu_kernel_of(p->code, &p->code->stage[stage], &plain, k));
    if (k->uniforms == 0) {
        emit_gpu_kernel_free(k);
        return PAV_OK;
    }
    pass->stage[pass->stages++] = stage;
    pass->number_bytes += k->number_bytes;
    return PAV_OK;
}

static pav_status add_borders(const pass_plan *p, emit_gpu_pass *pass, int field,
                              bool *used)
{
    for (int face = 0; face < 2 * p->code->dim; face++) {
        const int stage = p->code->field[field].border[face / 2][face % 2].stage;
        bool known = stage < 0;
        for (int64_t k = 0; k < pass->stages; k++)
            known |= pass->stage[k] == stage;
        if (!known)
            TRY(add_stage(p, pass, stage, used));
    }
    return PAV_OK;
}

static pav_status add_stages(const pass_plan *p, emit_gpu_pass *pass, bool *used)
{
    pass->stage = mem_new(p->code->stages + 1, sizeof *pass->stage);
    pass->numbers = mem_new(p->code->stages + 1, sizeof *pass->numbers);
    pass->table = mem_new(p->code->tables + 1, sizeof *pass->table);
    if (!pass->stage || !pass->numbers || !pass->table || !used)
        return PAV_ENOMEM;
    for (int64_t n = 0; n < p->acts; n++)
        TRY(add_stage(p, pass, p->act[n].stage, used));
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            TRY(add_borders(p, pass, f, used));
    for (int n = 0; n < p->code->tables; n++)
        if (used[n])
            pass->table[pass->tables++] = n;
    return PAV_OK;
}

/* ---- points off the grid ------------------------------------------------------------------ */

static pav_status add_looks(const pass_plan *p, emit_gpu_pass *pass)
{
    const ir *code = p->code;
    int64_t room = 1;

    for (const statement *s = code->program->first; s; s = s->next)
        room += s->kind == STATEMENT_SAMPLE;
    pass->injections = code->injections.count;
    pass->look = mem_new(room, sizeof *pass->look);
    if (!pass->look)
        return PAV_ENOMEM;
    for (const statement *s = code->program->first; s; s = s->next)
        for (int f = 0; s->kind == STATEMENT_SAMPLE && f < code->fields; f++)
            if (code->field[f].symbol == s->symbol && p->moves[f])
                pass->look[pass->looks++] = s;
    return PAV_OK;
}

/* ---- what the tensor memory accelerator is shown ------------------------------------------ */

/* With the ghosts; along x to the end of a pack. */
static emit_gpu_shown shown_of(const pass_plan *p, const emit_gpu_pass *pass, int field,
                               int level)
{
    const ir_field *f = &p->code->field[field];
    const int pack = p->schedule.vector, size = (int)pav_type_size(f->storage);
    emit_gpu_shown s = {
        .slot = pass_slot_of(pass, field, level, false),
        .planes = p->axis,
        .pack = pack,
        .size = size,
        .box = {pass_points(p, 0) * size / TENSOR_WORD, pass_points(p, 1), 1}};

    for (int axis = 0; axis < MAX_DIM; axis++) {
        s.before[axis] = f->halo[axis][0];
        s.beyond[axis] = f->halo[axis][1];
    }
    s.beyond[0] = (s.beyond[0] + pack - 1) / pack * pack;
    return s;
}

static pav_status add_parts(const pass_plan *p, emit_gpu_pass *pass)
{
    if (!pass_is_copied(p))
        return PAV_OK;
    pass->part = mem_new(pass->slots + 1, sizeof *pass->part);
    if (!pass->part)
        return PAV_ENOMEM;
    for (int f = 0; f < p->code->fields; f++)
        for (int level = p->field[f].oldest; level <= 0 && p->moves[f]; level++)
            pass->part[pass->parts++] = shown_of(p, pass, f, level);
    return PAV_OK;
}

static int64_t bytes_of_argument(const emit_gpu_pass *pass)
{
    const int64_t bytes = (int64_t)sizeof(emit_gpu_pass_work) +
                          pass->slots * (int64_t)sizeof(emit_grid) +
                          pass->tables * (int64_t)sizeof(double *) +
                          pass->injections * (int64_t)sizeof(emit_gpu_marks) +
                          pass->looks * (int64_t)sizeof(emit_gpu_look) +
                          (pass->stages > 0 ? (int64_t)sizeof(void *) : 0);
    const int64_t suits = pass->parts > 0 ? (int64_t) _Alignof(emit_gpu_tensor) : 1;

    return (bytes + suits - 1) / suits * suits +
           pass->parts * (int64_t)sizeof(emit_gpu_tensor);
}

pav_status pass_slots(const pass_plan *p, emit_gpu_pass *pass)
{
    bool *used = mem_new(p->code->tables + 1, sizeof *used);
    pav_status status = add_slots(p, pass);

    if (status == PAV_OK)
        status = add_stages(p, pass, used);
    if (status == PAV_OK)
        status = add_looks(p, pass);
    mem_free(used);
    if (status == PAV_OK)
        status = add_parts(p, pass);
    pass->argument_bytes = bytes_of_argument(pass);
    return status;
}
