/* SPDX-License-Identifier: BSD-3-Clause */
/* Host memory for a run on a GPU: host mirrors of levels filled at the start or written
 * out, and the memory of the driver. */
#include <string.h>

#include "run/plan/needs_private.h"
#include "run/run_private.h"

/* For each field, one bit for each buffer with a host mirror. */
typedef struct touched {
    const pav_run *run;
    uint64_t *buffer;
} touched;

/* Marks a level after `steps` steps. Buffers rotate, so its buffer depends on the
 * step. */
static void touch(touched *t, int field, int level, int64_t steps)
{
    const ir_field *f = &t->run->code->field[field];
    const int64_t age = f->levels == 1 ? 0 : 1 - level - (f->updated ? steps : 0);
    const int64_t at = (age % f->levels + f->levels) % f->levels;
    t->buffer[field] |= at < 64 ? UINT64_C(1) << at : 0;
}

static pav_status touch_stage(touched *t, const ir_stage *s)
{
    if (emit_gpu_has_kernel(t->run->code, s))
        return PAV_OK;
    emit_slot *slot = mem_new(s->count + s->outputs + 1, sizeof *slot);
    if (!slot)
        return PAV_ENOMEM;
    const int64_t slots = emit_slots(s, slot);
    for (int64_t n = 0; n < slots; n++)
        touch(t, slot[n].field, slot[n].level, 0);
    mem_free(slot);
    return PAV_OK;
}

static pav_status touch_start(touched *t)
{
    const ir *code = t->run->code;
    for (int64_t n = 0; n < code->start.count; n++) {
        const ir_start *s = &code->start.item[n];
        if (s->kind == START_FILE)
            touch(t, s->field, s->level, 0);
        if (s->kind == START_STAGE)
            TRY(touch_stage(t, &code->stage[s->stage]));
    }
    return PAV_OK;
}

/* The coefficients of linear equations limit the step. For a wave: all its fields. */
static pav_status touch_wave(touched *t)
{
    const symbol_list *fields = &t->run->program->fields;
    double *ones = mem_new(fields->count + 1, sizeof *ones);
    wave_limit w = {0};
    if (!ones)
        return PAV_ENOMEM;
    for (int64_t f = 0; f < fields->count; f++)
        ones[f] = 1;
    pav_status status = wave_limit_find(t->run->program, 1, ones, ones, &w);
    if (status == PAV_OK && !w.equation)
        status = wave_system_find(t->run->program, 1, NULL, 0, &w);
    for (int k = 0; k < w.coefficients && w.equations > 0; k++)
        touch(t, run_field_of(t->run, w.coefficient[k]), 0, 0);
    for (int64_t f = 0; f < fields->count && w.equation && w.equations == 0; f++)
        if (!fields->item[f]->updated && !fields->item[f]->coarse)
            touch(t, run_field_of(t->run, fields->item[f]), 0, 0);
    mem_free(ones);
    return status;
}

/* Outputs touch the newest level of each frame, until each buffer has been the newest. */
static void touch_outputs(touched *t)
{
    const pav_run *run = t->run;
    for (const statement *s = run->program->first; s && !run->options.no_files;
         s = s->next) {
        if (s->kind != STATEMENT_OUTPUT)
            continue;
        const int field = run_field_of(run, s->symbol);
        const int64_t every = s->every_steps > 0 ? s->every_steps : run->steps;
        const int64_t from = s->every_steps > 0 ? 0 : run->steps;
        for (int64_t n = 0; n < 64 && from + n * every <= run->steps; n++)
            touch(t, field, 0, from + n * every);
    }
}

static pav_status add_touched(const touched *t, needs *n)
{
    need_item what = {.kind = NEED_COPIES};
    for (int64_t f = 0; f < t->run->code->fields; f++) {
        field_shape shape = run_shape_of(t->run, &t->run->code->field[f]);
        levels_size size;
        shape.count = 1;
        for (uint64_t left = t->buffer[f]; left; left &= left - 1)
            if (!levels_measure(&shape, &size) ||
                !add_fits(what.bytes, size.bytes, &what.bytes))
                return FAIL(PAV_ELIMIT, "the fields are larger than 64-bit sizes can "
                                        "say; make the grid smaller");
    }
    return what.bytes > 0 ? needs_add(n, &what, NULL) : PAV_OK;
}

pav_status needs_copies(const pav_run *run, needs *n)
{
    touched t = {run, mem_new(run->code->fields + 1, sizeof *t.buffer)};
    if (!t.buffer)
        return PAV_ENOMEM;
    pav_status status = touch_start(&t);
    if (status == PAV_OK)
        status = touch_wave(&t);
    if (status == PAV_OK) {
        touch_outputs(&t);
        status = add_touched(&t, n);
    }
    mem_free(t.buffer);
    return status;
}
