/* SPDX-License-Identifier: BSD-3-Clause */
/* Why a stage cannot go by a schedule. */
#include "emit/emit_private.h"

enum {
    MOST_THREADS = 1024,
    OF_WARP = 32,
    MOST_AHEAD = 8,
    MOST_SHARED = 227 << 10, /* bytes of a block, of sm_90 and sm_100 */
    MOST_LINES = 4000 /* values of a thread; compilers take more than linear time */
};

const char *cuda_stream_refusal(const ir *code, const ir_stage *stage)
{
    if (cuda_reductions(stage) > 0)
        return "what is reduced goes piece by piece of a row";
    if (code->dim == 1)
        return "a grid of one dimension has no planes to stream";
    if (cuda_is_injected(code, stage))
        return "injections are of single points";
    for (int64_t k = 0; k < stage->count; k++) {
        const ir_node *n = &stage->node[k];
        if (n->op == IR_LOAD && n->transfer != IR_SAME)
            return "it reads another grid than its own";
        for (int64_t o = 0; n->op == IR_LOAD && o < stage->outputs; o++)
            if (stage->output[o].field == n->field && stage->output[o].level == n->level)
                return "it reads what it also stores";
    }
    return NULL;
}

static bool has_rows(const ir *code, const ir_stage *stage, int rows)
{
    const box b = ir_stage_box(code, stage);

    return code->dim == 2 || b.hi[1] - b.lo[1] >= rows;
}

/* ---- neighbours --------------------------------------------------------------------------- */

int64_t cuda_shared_bytes(const ir *code, const ir_stage *stage,
                          const emit_gpu_schedule *s)
{
    int64_t bytes = 0;
    emit_stage e;

    if (emit_survey(code, stage, &e) != PAV_OK)
        return 0;
    e.schedule = s;
    if (cuda_stream_shared(&e, &bytes) != PAV_OK)
        bytes = 0;
    emit_survey_close(&e);
    return bytes;
}

static const char *near_refusal(const ir *code, const ir_stage *stage,
                                const emit_gpu_schedule *s)
{
    if (s->source == EMIT_GPU_SHUFFLE && s->threads[0] % OF_WARP != 0)
        return "threads take from each other in whole warps: 32 along x, or a multiple";
    if (s->source == EMIT_GPU_SHUFFLE && cuda_reach(stage, 0) == 0)
        return "there are no neighbours along x that threads could take from each other";
    if (s->source != EMIT_GPU_SHARED)
        return s->ahead > 1 ? "what comes to registers is read at most one plane ahead"
                            : NULL;
    if (s->ahead > MOST_AHEAD)
        return "at most 8 planes are copied ahead";
    const int64_t bytes = cuda_shared_bytes(code, stage, s);
    if (bytes == 0)
        return "there are no neighbours in a plane that threads could share";
    return bytes > MOST_SHARED ? "its planes take more than the 227 KiB of shared memory "
                                 "that a block can "
                                 "have: take fewer threads, rows or planes ahead"
                               : NULL;
}

/* ---- all ---------------------------------------------------------------------------------- */

bool cuda_is_short(const ir_stage *stage, const emit_gpu_schedule *s)
{
    return stage->count * s->vector * s->rows <= MOST_LINES;
}

static bool is_power(int n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

const char *emit_gpu_refusal(const ir *code, const ir_stage *stage,
                             const emit_gpu_schedule *schedule)
{
    const emit_gpu_schedule s = cuda_settled(code, stage, schedule);

    if (!is_power(s.threads[0]) || !is_power(s.vector))
        return "the threads of a block along x, and the points of each, have to be "
               "powers of two";
    if (s.threads[0] * s.threads[1] > MOST_THREADS)
        return "a block has at most 1024 threads";
    if (s.form == EMIT_GPU_POINT)
        return NULL;
    if (code->dim == 2 && schedule && (schedule->rows > 1 || schedule->threads[1] > 1))
        return "what is walked through in two dimensions has one row: no rows, and one "
               "thread along y";
    if (s.prefetch > MOST_AHEAD)
        return "at most 8 planes are asked for ahead";
    if (s.vector > cuda_usual_vector(code, stage))
        return "a thread loads at most 16 bytes at once";
    if (!cuda_is_short(stage, &s))
        return "a thread would compute so many points that compilers take minutes";
    if (s.rows > 1 && !has_rows(code, stage, s.rows))
        return "a thread takes more rows than there are";
    const char *why = cuda_stream_refusal(code, stage);
    return why ? why : near_refusal(code, stage, &s);
}
