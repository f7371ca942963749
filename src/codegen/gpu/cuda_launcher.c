/* SPDX-License-Identifier: BSD-3-Clause */
/* Host code in CUDA C++ for stand-alone programs: a function launches a stage's kernel.
 * It fills the argument in readable text, like a run fills its bytes. */
#include <string.h>

#include "codegen/codegen_private.h"

static void add_levels(const emit_stage *e)
{
    for (int64_t k = 0; k < e->slots; k++) {
        text_add(e->t, "    a.g%lld = grid_at(c, %lld); /* ", (long long)k, (long long)k);
        emit_level_text(e->code, e->slot[k].field, e->slot[k].level, e->t);
        text_add(e->t, " */\n");
    }
}

static void add_tables(const emit_stage *e)
{
    for (int n = 0; n < (int)e->code->tables; n++)
        if (e->table[n])
            text_add(e->t, "    a.table%d = c->table[%d];\n", emit_table_number(e, n), n);
}

/* The same values as emit_gpu_pack_uniforms. */
static void add_numbers(const emit_stage *e)
{
    for (int u = 0; u < (int)e->code->uniforms; u++) {
        if (!e->uniform[u])
            continue;
        text_add(e->t, "    a.n.");
        emit_uniform_name(e, u, e->t);
        if (emit_is_seed(e, u))
            text_add(e->t, " = bits_of_number(c->uniform[%d]);\n", u);
        else
            text_add(e->t, " = %sc->uniform[%d];\n", e->real == PAV_F32 ? "(float)" : "",
                     u);
    }
}

/* Blocks of a launch. Blocks along the slowest axis are computed at the call, because a
 * subdomain has fewer planes than the grid. */
static void add_blocks(const emit_stage *e, const emit_gpu_kernel *k,
                       const int64_t *blocks, const int *threads)
{
    const int axis = e->code->dim - 1;
    const bool sweeps = k->schedule.kind == SCHEDULE_SWEEP;

    text_add(e->t, "dim3(");
    for (int n = 0; n < 3; n++) {
        text_add(e->t, n ? ", " : "");
        if (n != axis || axis == 0)
            text_add(e->t, "%lld", (long long)blocks[n]);
        else if (sweeps)
            text_add(e->t, "blocks_along(c, %d, a.w.planes)", axis);
        else
            text_add(e->t, "blocks_along(c, %d, %d)", axis, threads[axis]);
    }
    text_add(e->t, "), ");
}

/* Boxes of borders and sources differ from call to call, so their blocks are computed at
 * the call. A sweep or a reduction always has the same box, or planes of it. */
static void add_launch(const emit_stage *e, const emit_gpu_kernel *k,
                       const emit_gpu_work *w)
{
    const long long number = e->number;
    int64_t blocks[3], shared;
    int threads[3];

    if (k->schedule.kind == SCHEDULE_POINT && k->reductions == 0) {
        text_add(e->t, "    launch_points(kernels::pav_0_%lld, %d, %d, a);\n", number,
                 k->schedule.tile.size[0], k->schedule.tile.size[1]);
        return;
    }
    emit_gpu_extent(e->code, k, w, blocks, threads, &shared);
    text_add(e->t, "    launch(kernels::pav_0_%lld, ", number);
    add_blocks(e, k, blocks, threads);
    text_add(e->t, "dim3(%d, %d, %d), %lld, a);\n", threads[0], threads[1], threads[2],
             (long long)shared);
}

static emit_gpu_work work_of(const emit_stage *e, const emit_gpu_kernel *k)
{
    const box b = ir_stage_box(e->code, e->stage);
    const int64_t most = k->schedule.tile.storage == STORAGE_SHARED ? 64 : 16;
    emit_gpu_work w = {.planes = k->schedule.planes > 0 ? k->schedule.planes : most};

    memcpy(w.lo, b.lo, sizeof w.lo);
    memcpy(w.hi, b.hi, sizeof w.hi);
    return w;
}

static void add_function(emit_stage *e, const emit_gpu_kernel *k)
{
    const emit_gpu_work w = work_of(e, k);
    const long long number = e->number;

    text_add(e->t, "\n/* ");
    emit_plain(e->stage->name ? e->stage->name : "without a name", e->t);
    text_add(e->t,
             " */\nextern \"C\" void PROGRAM_gpu_stage_%lld(const PROGRAM_call *c)\n"
             "{\n    kernels::argument_0_%lld a = {};\n\n"
             "    a.w = work_of(c);\n",
             number, number);
    if (k->schedule.kind == SCHEDULE_SWEEP)
        text_add(e->t, "    a.w.planes = %lld;\n", (long long)w.planes);
    add_levels(e);
    add_tables(e);
    add_numbers(e);
    add_launch(e, k, &w);
    text_add(e->t, "}\n");
}

static pav_status check(const emit_stage *e, const emit_gpu_kernel *k)
{
    const char *name = e->stage->name ? e->stage->name : "without a name";

    if (k->parts > 0)
        return FAIL(PAV_EUNSUPPORTED,
                    "stage %s: copy=tma needs the driver's descriptions of memory, which "
                    "stand-alone programs do not make yet: take copy=async",
                    name);
    if (k->uniforms > 0 && k->schedule.coefficients != UNIFORMS_ARGUMENT)
        return FAIL(PAV_EUNSUPPORTED,
                    "stage %s: stand-alone programs hand numbers to kernels as arguments "
                    "alone: leave out coefficients",
                    name);
    if (k->argument_bytes > GPU_MOST_ARGUMENT)
        return FAIL(PAV_ELIMIT,
                    "stage %s: its numbers make %lld bytes of arguments, of which a "
                    "kernel of a stand-alone program can have %d",
                    name, (long long)k->argument_bytes, GPU_MOST_ARGUMENT);
    return PAV_OK;
}

pav_status emit_gpu_launcher(const ir *code, int64_t stage, const schedule *requested,
                             text *t)
{
    emit_gpu_kernel k;
    emit_stage e;

    TRY(emit_gpu_kernel_of(code, &code->stage[stage], requested, &k));
    pav_status status = emit_survey(code, &code->stage[stage], &e);
    if (status != PAV_OK) {
        emit_gpu_kernel_free(&k);
        return status;
    }
    e.number = stage;
    e.schedule = &k.schedule;
    e.t = t;
    status = check(&e, &k);
    if (status == PAV_OK)
        add_function(&e, &k);
    emit_survey_close(&e);
    emit_gpu_kernel_free(&k);
    return status;
}
