/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole sources in CUDA C++: what kernels stand on, of src/cuda/ and of the C prelude, then the kernels of each
 * program; or those that know no stage. */
#include "emit/emit_private.h"

/* Made of the files by the build. */
extern const char kernel_gpu[], kernel_point[], kernel_warps[], kernel_pieces[];

static void note_programs(const ir *const *code, int64_t count, emit_needs *n)
{
    for (int64_t p = 0; p < count; p++)
        for (int64_t s = 0; code[p] && s < code[p]->stages; s++)
            if (emit_gpu_has_kernel(code[p], &code[p]->stage[s]))
                emit_note_needs(code[p], &code[p]->stage[s], n);
}

static void add_prelude(const ir *const *code, int64_t count, text *t)
{
    emit_needs n = {0};

    note_programs(code, count, &n);
    text_add(t, "\n%s", kernel_gpu);
    emit_shared_prelude(&n, t);
    text_add(t, "\n%s", kernel_point);
    if (n.folds)
        text_add(t, "\n%s\n%s", kernel_warps, kernel_pieces);
}

static pav_status add_stage(const ir *code, int64_t which, int64_t number,
                            const emit_gpu_schedule *wanted, text *t)
{
    const ir_stage *stage = &code->stage[number];
    const char *refusal = emit_gpu_refusal(code, stage, wanted);
    emit_gpu_kernel k;
    emit_stage e;

    if (refusal)
        return FAIL(PAV_EUNSUPPORTED, "stage %lld, %s: %s", (long long)number,
                    stage->name ? stage->name : "without a name", refusal);
    TRY(emit_gpu_kernel_of(code, stage, wanted, &k));
    const emit_gpu_schedule schedule = k.schedule;
    emit_gpu_kernel_free(&k);
    TRY(emit_survey(code, stage, &e));
    e.program = which;
    e.number = number;
    e.t = t;
    e.schedule = &schedule;
    emit_stage_comment(&e, t);
    cuda_argument(&e);
    cuda_point_text(&e);
    emit_survey_close(&e);
    return PAV_OK;
}

pav_status emit_gpu_source(const ir *const *code, int64_t count,
                           const emit_gpu_schedule *const *schedule, const char *head,
                           text *t)
{
    text_add(t, "/* ");
    emit_plain(head, t);
    text_add(t, " */\n");
    add_prelude(code, count, t);
    for (int64_t p = 0; p < count; p++)
        for (int64_t s = 0; code[p] && s < code[p]->stages; s++)
            if (emit_gpu_has_kernel(code[p], &code[p]->stage[s]))
                TRY(add_stage(code[p], p, s,
                              schedule && schedule[p] ? &schedule[p][s] : NULL, t));
    return t->failed ? FAIL(PAV_ENOMEM, "memory ran out while CUDA was being written")
                     : PAV_OK;
}
