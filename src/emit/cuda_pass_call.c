/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether steps can be taken in passes, and what a call of one needs. */
#include <stdio.h>
#include <string.h>

#include "emit/pass_private.h"

pav_status emit_gpu_pass_refusal(const ir *code, const emit_gpu_schedule *schedule,
                                 text *why)
{
    pass_plan p;

    TRY(pass_plan_open(code, schedule, &p));
    if (p.refusal)
        text_add(why, "%s", p.refusal);
    pass_plan_close(&p);
    return why->failed ? PAV_ENOMEM : PAV_OK;
}

static pav_status refuse(const pass_plan *p)
{
    return FAIL(PAV_EUNSUPPORTED, "%s cannot take several steps in one launch: %s",
                p->code->program->name, p->refusal);
}

static void describe_tile(const pass_plan *p, emit_gpu_pass *pass)
{
    const bool stays = p->schedule.form == EMIT_GPU_RESIDENT;

    for (int axis = 0; axis < MAX_DIM; axis++) {
        const bool across = axis < p->axis;
        const int around = stays || axis > p->axis ? 0 : pass_overlap(p, axis);
        pass->around[axis] = around;
        pass->useful[axis] = stays ? resident_units(p, axis) *
                                         (axis == 0 ? p->schedule.vector : 1)
                             : across ? pass_points(p, axis) - 2 * around
                                      : 1;
    }
}

static pav_status describe(const pass_plan *p, emit_gpu_pass *pass)
{
    *pass = (emit_gpu_pass){.schedule = p->schedule,
                            .shared = p->shared,
                            .least = p->held ? p->schedule.depth : pass_least(p),
                            .seen_bytes = p->common_bytes,
                            .most = p->schedule.depth};
    if (p->schedule.form == EMIT_GPU_RESIDENT)
        pass->most = EMIT_GPU_MOST_RESIDENT;
    pass->together = p->held && p->axis == 1 ? p->schedule.threads[1] : 1;
    describe_tile(p, pass);
    return pass_slots(p, pass);
}

pav_status emit_gpu_pass_of(const ir *code, const emit_gpu_schedule *schedule,
                            emit_gpu_pass *pass)
{
    pass_plan p;

    *pass = (emit_gpu_pass){0};
    TRY(pass_plan_open(code, schedule, &p));
    pav_status status = p.refusal ? refuse(&p) : describe(&p, pass);
    pass_plan_close(&p);
    if (status != PAV_OK)
        emit_gpu_pass_free(pass);
    return status;
}

void emit_gpu_pass_free(emit_gpu_pass *pass)
{
    for (int64_t n = 0; n < pass->stages; n++)
        emit_gpu_kernel_free(&pass->numbers[n]);
    mem_free(pass->slot);
    mem_free(pass->part);
    mem_free((void *)pass->look);
    mem_free(pass->table);
    mem_free(pass->stage);
    mem_free(pass->numbers);
    *pass = (emit_gpu_pass){0};
}

void emit_gpu_pass_name(char name[EMIT_NAME], int64_t which)
{
    (void)snprintf(name, EMIT_NAME, "pav_pass_%lld", (long long)which);
}

pav_status emit_gpu_pass_suit(const ir *code, int blocks, int64_t shared,
                              emit_gpu_schedule *schedule)
{
    pass_plan p;

    TRY(pass_plan_open_on(code, schedule, &(resident_limits){blocks, shared}, &p));
    const pav_status status = p.refusal ? refuse(&p) : PAV_OK;
    memcpy(schedule->parts, p.schedule.parts, sizeof schedule->parts);
    schedule->depth = p.schedule.depth;
    schedule->versions = p.schedule.versions;
    pass_plan_close(&p);
    return status;
}

static void extent_of_parts(const emit_gpu_schedule *s, int64_t blocks[3], int threads[3])
{
    blocks[0] = (int64_t)s->parts[0] * s->parts[1] * s->parts[2];
    threads[0] = s->threads[0];
    blocks[1] = blocks[2] = threads[1] = threads[2] = 1;
}

/* In one row: as walk_of_block of kernel_held.cuh has it. */
static void extent_of_walks(const emit_gpu_pass_work *w, int64_t blocks[3])
{
    const int64_t others = blocks[0] * blocks[1] - w->tiles;

    blocks[0] = w->tiles * blocks[2] +
                (others > 0 ? others * int_parts(w->extent[2], w->rest) : 0);
    blocks[1] = blocks[2] = 1;
}

void emit_gpu_pass_extent(const ir *code, const emit_gpu_pass *pass,
                          const emit_gpu_pass_work *w, int64_t blocks[3], int threads[3])
{
    const int axis = code->dim - 1;

    if (pass->schedule.form == EMIT_GPU_RESIDENT) {
        extent_of_parts(&pass->schedule, blocks, threads);
        return;
    }
    for (int n = 0; n < MAX_DIM; n++) {
        blocks[n] = n < axis ? int_parts(w->extent[n], (int64_t)pass->useful[n] *
                                                           (n == 0 ? pass->together : 1))
                             : 1;
        threads[n] = n < 2 ? pass->schedule.threads[n] : 1;
    }
    blocks[axis] = int_parts(w->extent[axis], w->planes);
    if (axis == 2 && pass->schedule.source == EMIT_GPU_SHUFFLE)
        extent_of_walks(w, blocks);
}
