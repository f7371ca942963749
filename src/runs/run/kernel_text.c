/* SPDX-License-Identifier: BSD-3-Clause */
/* The source text of a program's kernels, with the reports of compilers, for users to
 * read. */
#include "run/run_private.h"

/* A text about a program's kernels by one schedule. */
typedef struct kernel_text {
    bool for_gpu;
    const schedule *all;
    text *t;
} kernel_text;
typedef pav_status add_text(const ir *code, kernel_text *k);

static pav_status add_source(const ir *code, bool for_gpu, const schedule *all, text *t)
{
    TRY(emit_check(code, all));
    return kernel_source(code, for_gpu, all, t);
}

static pav_status generate(const ir *code, kernel_text *k)
{
    return add_source(code, k->for_gpu, k->all, k->t);
}

static pav_status add_one(const program *p, add_text *add, kernel_text *k)
{
    OWNED_BY(free_code) ir *code = NULL;
    TRY(ir_build_grouped(p, schedule_groups_stages(k->all) ? 2 : 0, &code));
    TRY(emit_split_stages(code, k->all));
    if (!k->for_gpu)
        kernel_strides_of_whole(code);
    return add(code, k);
}

/* If the program has equations to solve, the text is about the kernels of their
 * solvers. */
static pav_status add_all(const program *p, add_text *add, kernel_text *k)
{
    OWNED_BY(solution_free) solution s = {0};
    TRY(solve_derive(p, &s));
    TRY(add_one(s.program ? s.program : p, add, k));
    for (int64_t n = 0; n < s.count; n++)
        TRY(add_one(s.each[n].program, add, k));
    return PAV_OK;
}

static pav_status make_text(const program *p, add_text *add, kernel_text *k,
                            char **result)
{
    OWNED_BY(text_free) text t = {0};
    k->t = &t;
    const pav_status status = add_all(p, add, k);
    k->t = NULL;
    return status == PAV_OK ? text_take(&t, result) : status;
}

/* Finds the kind for a name with or without a number, even if no such device is here;
 * false: the name, like auto, is not in the table. */
static bool kind_named(const char *name, place_kind *kind)
{
    const size_t length = strcspn(name, ":");
    for (int n = 0; device_table[n]; n++)
        if (strlen(device_table[n]->name) == length &&
            strncmp(device_table[n]->name, name, length) == 0) {
            *kind = place_kind_of(&(pav_device){.ops = device_table[n]});
            return true;
        }
    return false;
}

/* Printing needs neither the device nor a compiler; only "auto" is opened. */
static pav_status find_kind(const char *name, place_kind *kind)
{
    OWNED_BY(free_device) pav_device *device = NULL;
    if (kind_named(name, kind))
        return PAV_OK;
    TRY(pav_device_open(name, &device));
    *kind = place_kind_of(device);
    return PAV_OK;
}

static pav_status check_device(const char *name, const char *requested, bool *for_gpu,
                               schedule *s)
{
    *s = (schedule){.kind = SCHEDULE_ROWS};
    /* True if the text is for GPUs. */
    place_kind kind;
    *for_gpu = false;
    if (name) {
        TRY(device_check_name(name));
        TRY(find_kind(name, &kind));
        *for_gpu = kind == PLACE_GPU;
        TRY(kind != PLACE_INTERPRETER
                ? PAV_OK
                : FAIL(PAV_EUNSUPPORTED,
                       "the device %s runs programs without source of its own; --device "
                       "cpu and --device cuda have some",
                       name));
    }
    if (*for_gpu)
        return schedule_parse(requested, (schedule_place){true, name}, s);
    return !requested
               ? PAV_OK
               : FAIL(PAV_EINVAL,
                      "the C for processors is the same by all schedules: leave out "
                      "--schedule %s, or ask for a GPU's source (--device cuda)",
                      requested);
}

pav_status pav_program_generate(const pav_program *p, const char *device,
                                const char *name, char **result)
{
    GUARDED;
    if (result)
        *result = NULL;
    if (!p || !result)
        return FAIL(PAV_EINVAL,
                    "pav_program_generate needs a program and a place for the text");
    schedule all;
    kernel_text k = {.all = &all};
    TRY(check_device(device, name, &k.for_gpu, &all));
    return make_text(&p->tree, generate, &k, result);
}

/* Appends shared memory requested at launch, because compilers do not report it. */
static pav_status add_shared(const ir *code, const ir_stage *stage, const schedule *own,
                             text *t)
{
    OWNED_BY(emit_gpu_kernel_free) emit_gpu_kernel k = {0};
    TRY(emit_gpu_kernel_of(code, stage, own, &k));
    const int64_t bytes = k.shared + k.fixed;
    if (bytes > 0)
        text_add(t, "; %lld bytes of shared memory", (long long)bytes);
    text_add(t, "\n");
    return PAV_OK;
}

/* "pav_fused_0: by time:depth=4,threads=32x12: of 128 x 36 points that a block has 120 x
 * 28 are its own" */
static pav_status add_launch(const ir *code, const schedule *all, int64_t number, text *t)
{
    OWNED_BY(emit_gpu_fused_free) emit_gpu_fused fused = {0};
    char name[EMIT_NAME];
    TRY(emit_gpu_fused_of(code, all, NULL, &fused));
    emit_gpu_fused_name(name, number);
    text_add(t, "%s: by ", name);
    schedule_print(&fused.schedule, t);
    if (!fused.sweeps)
        text_add(
            t, ": a block keeps %d x %d x %d points, in %lld bytes of shared memory\n",
            fused.useful[0], fused.useful[1], fused.useful[2], (long long)fused.shared);
    else
        text_add(t,
                 ": a block stores %d x %d points of each plane, from %lld bytes of "
                 "shared memory\n",
                 fused.useful[0], fused.useful[1], (long long)fused.shared);
    return PAV_OK;
}

static pav_status add_kernels(const ir *code, const schedule *all, text *t)
{
    TRY(emit_check(code, all));
    OWNED_BY(emit_gpu_groups_free) emit_gpu_groups g = {0};
    if (schedule_groups_stages(all))
        TRY(emit_gpu_groups_open(code, all, NULL, &g));
    for (int64_t n = 0; n < g.count; n++)
        TRY(add_launch(&g.group[n].view.code, all, n, t));
    if (schedule_fuses_steps(all))
        TRY(add_launch(code, all, 0, t));
    if (schedule_fuses_steps(all) || schedule_groups_stages(all))
        return PAV_OK;
    for (int64_t k = 0; k < code->stages; k++) {
        /* "pav_0_1: u by sweep:threads=32x8,vector=4: 8 bytes a point, 10.2 with the
         * halo of every tile; 18 flops (14 instructions); 9216 bytes of shared memory" */
        const ir_stage *stage = &code->stage[k];
        const schedule own = emit_gpu_schedule_of(code, k, all);
        char name[EMIT_NAME];
        schedule settled;
        double bytes;
        stage_load load;
        if (emit_gpu_has_kernel(code, stage)) {
            TRY(stage_load_of(code, stage, &load));
            TRY(cost_stage_bytes(code, stage, &own, &settled, &bytes));
            emit_kernel_name(name, 0, k);
            text_add(t, "%s: %s by ", name, stage->name);
            schedule_print(&settled, t);
            text_add(t, ": %.4g bytes a point, %.4g with the halo of every tile; ",
                     load.bytes, load.points > 0 ? bytes / load.points : 0);
            if (settled.kind == SCHEDULE_SWEEP)
                text_add(t, "%.4g flops (%.4g instructions)", load.streamed,
                         load.instructions);
            else
                text_add(t, "%.4g flops", load.flops);
            TRY(add_shared(code, stage, &own, t));
        }
    }
    return PAV_OK;
}

/* Reports kernels with more shared memory than a block of the architecture has. */
static pav_status add_lacks(const ir *code, const schedule *all, int architecture,
                            text *t)
{
    const int64_t most = gpu_architecture_of(architecture)->shared_block;
    const bool fuses = schedule_fuses_steps(all);
    if (schedule_groups_stages(all)) /* emit_check is stricter */
        return PAV_OK;
    for (int64_t n = 0; n < (fuses ? 1 : code->stages); n++) {
        char name[EMIT_NAME];
        int64_t bytes;
        if (fuses) {
            OWNED_BY(emit_gpu_fused_free) emit_gpu_fused fused = {0};
            TRY(emit_gpu_fused_of(code, all, NULL, &fused));
            emit_gpu_fused_name(name, 0);
            bytes = fused.shared;
        } else if (emit_gpu_has_kernel(code, &code->stage[n])) {
            const schedule own = emit_gpu_schedule_of(code, n, all);
            OWNED_BY(emit_gpu_kernel_free) emit_gpu_kernel k = {0};
            TRY(emit_gpu_kernel_of(code, &code->stage[n], &own, &k));
            emit_kernel_name(name, 0, n);
            bytes = k.shared + k.fixed;
        } else {
            continue;
        }
        if (bytes > most)
            text_add(t,
                     "%s: takes %lld bytes of shared memory, of which a block of an "
                     "sm_%d has %lld: refused here\n",
                     name, (long long)bytes, architecture, (long long)most);
    }
    return PAV_OK;
}

static pav_status add_architectures(const ir *code, const text *source,
                                    const schedule *all, text *t)
{
    char string[SCHEDULE_STRING];
    for (int n = 0; n < GPU_GENERATIONS; n++) {
        const int architecture = gpu_generations[n];
        text_add(t, "\nsm_%d\n", architecture);
        if (architecture < emit_gpu_oldest(all)) {
            text_add(t, "%s is of sm_%d and newer: refused here\n",
                     schedule_string(all, string), emit_gpu_oldest(all));
            continue;
        }
        TRY(gpu_try_compile(architecture, source->data, source->length, t));
        TRY(add_lacks(code, all, architecture, t));
    }
    return PAV_OK;
}

static pav_status add_stats(const ir *code, kernel_text *k)
{
    OWNED_BY(text_free) text source = {0};
    TRY(add_kernels(code, k->all, k->t));
    TRY(add_source(code, true, k->all, &source));
    return add_architectures(code, &source, k->all, k->t);
}

pav_status pav_program_stats(const pav_program *p, const char *name, char **result)
{
    GUARDED;
    schedule all;
    kernel_text k = {.for_gpu = true, .all = &all};
    if (result)
        *result = NULL;
    if (!p || !result)
        return FAIL(PAV_EINVAL,
                    "pav_program_stats needs a program and a place for the text");
    TRY(schedule_parse(name, (schedule_place){true, "GPUs"}, &all));
    return make_text(&p->tree, add_stats, &k, result);
}
