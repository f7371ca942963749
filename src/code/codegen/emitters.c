/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs by schedule: checks that a schedule and a machine allow the program, and
 * prints its kernels. A GPU gets kernels of stages for single steps, or of a fused launch
 * for several steps; on processors one text serves all schedules. */
#include "codegen/codegen_private.h"

/* ---- schedules of processors ------------------------------------------------------- */
/* The schedules of processors. One text serves all: a kernel computes any box, and its
 * argument (emit_work) holds the schedule. Time tiles are such boxes; exec/time hands
 * them to the threads. */

static pav_status emit(const ir *code, const schedule *s, const char *head, text *t)
{
    (void)s;
    return emit_source(&code, 1, head, NULL, t, NULL);
}

static pav_status accept_tiles(const ir *code, const schedule *s,
                               const gpu_facts *machine, text *why)
{
    OWNED_BY(ir_blocking_close) ir_blocking b = {0};

    (void)machine;

    /* Refuses columns and diamonds if the grid has one dimension. */
    const int *tile = s->tile.size;

    if (tile[TILE_COLUMN] > 0 && code->dim == 1)
        text_add(why,
                 "a grid of one dimension has no columns of %d points: give tile=0x%d, "
                 "tiles of %d points",
                 tile[TILE_COLUMN], tile[TILE_SWEEP], tile[TILE_SWEEP]);
    else if (s->shape != SHAPE_SKEWED && code->dim == 1)
        text_add(why, "tiles of this shape stand side by side, and a grid of one "
                      "dimension has them one after another: leave out diamond");

    if (why->length > 0)
        return PAV_OK;
    TRY(ir_blocking_open(code, NULL, &b));
    if (b.refusal)
        text_add(why, "%s", b.refusal);
    return PAV_OK;
}
static pav_status accept_all(const ir *code, const schedule *s, const gpu_facts *machine,
                             text *why)
{
    (void)code;
    (void)s;
    (void)machine;
    return why->failed ? PAV_ENOMEM : PAV_OK;
}

const emitter host_loops = {accept_all, emit};
const emitter host_time = {accept_tiles, emit};

/* ---- all schedules ----------------------------------------------------------------- */

static const emitter of_stages = {cuda_accept_stages, cuda_emit_stages};
static const emitter of_launches = {cuda_accept_launch, cuda_emit_launch};
static const emitter of_auto = {accept_all, cuda_emit_stages};

#define DECLARE(kind, name, on, steps, options, of, model) extern const emitter of;
#define HOST(kind, name, on, steps, options, of, model) [SCHEDULE_##kind] = &(of),
#define STAGES(kind, name, on, steps, options, of, model) [SCHEDULE_##kind] = &of_stages,
#define LAUNCH(kind, name, on, steps, options, of, model)                                \
    [SCHEDULE_##kind] = &of_launches,

SCHEDULES_CPU_SINGLE(DECLARE)
SCHEDULES_CPU_FUSED(DECLARE)
static const emitter *const table[SCHEDULE_KINDS] = {
    [SCHEDULE_AUTO] = &of_auto,
    SCHEDULES_CPU_SINGLE(HOST) SCHEDULES_CPU_FUSED(HOST) SCHEDULES_GPU_SINGLE(STAGES)
        SCHEDULES_GPU_FUSED(LAUNCH)};

pav_status emit_legal(const ir *code, const schedule *s, const gpu_facts *machine,
                      text *why)
{
    TRY(table[s->kind]->accept(code, s, machine, why));
    return why->failed ? PAV_ENOMEM : PAV_OK;
}

pav_status emit_check(const ir *code, const schedule *s)
{
    char string[SCHEDULE_STRING];
    OWNED_BY(text_free) text why = {0};

    TRY(emit_legal(code, s, NULL, &why));
    if (why.length == 0)
        return PAV_OK;
    return schedule_groups_stages(s)
               ? FAIL(PAV_EUNSUPPORTED,
                      "%s has no launches of several stages of a step: %s",
                      code->program->name, why.data)
           : schedule_fuses_steps(s)
               ? FAIL(PAV_EUNSUPPORTED, "%s cannot take several steps in one launch: %s",
                      code->program->name, why.data)
               : FAIL(PAV_EUNSUPPORTED, "the schedule %s cannot be: %s",
                      schedule_string(s, string), why.data);
}

pav_status emit_split_stages(ir *code, const schedule *s)
{
    const cuda_kind *of = cuda_kind_of(s->kind);

    return of->split ? of->split(code) : PAV_OK;
}

pav_status emit_program(const ir *code, const schedule *s, const char *head, text *t)
{
    return table[s->kind]->emit(code, s, head, t);
}
