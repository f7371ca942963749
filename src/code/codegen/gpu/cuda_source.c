/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole sources in CUDA C++: device code from gpu_kernels/ and the C prelude, then
 * the kernels of each program with a comment above each; or the common kernels,
 * independent of any stage; or the launchers of a stand-alone program. */
#include <stdlib.h>
#include <string.h>

#include "base/functions/functions.h"
#include "codegen/gpu/fused_private.h"

/* ---- comments above kernels -------------------------------------------------------- */
/* The comment above each kernel: its schedule, tile, halo, shared memory, registers. It
 * omits the grid's size, so that kernels with equal code have equal text. */

/* Registers of a thread on the reference GPU, if `blocks` blocks share a
 * multiprocessor. */
static int most_registers(int threads, int blocks)
{
    const gpu_architecture *a = gpu_facts_architecture(cuda_reference());
    return int_least(a->registers / (threads * int_most(blocks, 1)),
                     GPU_THREAD_REGISTERS);
}

/* Without numbers that depend on the size: grids of all sizes share a compiled launch. */
void cuda_launch_header(const fused_plan *p, const emit_gpu_fused *fused, text *t)
{
    const schedule *s = &p->schedule;

    text_add(t, "\n/* ");
    schedule_print(s, t);
    text_add(t, ": %d fused steps; blocks of %d x %d threads store tiles of ",
             s->tile.steps, s->tile.size[0], s->tile.size[1]);

    for (int axis = 0; axis <= p->axis; axis++)
        if (axis < p->axis || !p->of->sweeps)
            text_add(t, "%s%d", axis > 0 ? " x " : "", fused->useful[axis]);
    text_add(t, "; overlap");
    for (int axis = 0; axis <= p->axis; axis++)
        text_add(t, "%s %c %d", axis > 0 ? "," : "", "xyz"[axis], (fused->around)[axis]);

    text_add(t, ";\n * %lld bytes of shared memory, at most %d registers a thread",
             (long long)fused->shared,
             most_registers(s->tile.size[0] * s->tile.size[1], 1));
    if (p->in_registers)
        text_add(t, ", %d of them for planes", fused_register_words(p));
    text_add(t, ". */\n");
}

/* ---- sources ----------------------------------------------------------------------- */

/* Generated from the files by the build. */
extern const char cuda_kernel_gpu[], cuda_kernel_narrow[], cuda_kernel_point[],
    cuda_kernel_line_tiles[], cuda_kernel_warps[], cuda_kernel_pieces[],
    cuda_kernel_sweep[], cuda_kernel_ring[], cuda_kernel_ring_async[],
    cuda_kernel_ring_remap[], cuda_kernel_ring_tensor[], cuda_kernel_ring_split[],
    cuda_kernel_neighbours[], cuda_kernel_uniforms[], cuda_kernel_ghosts[],
    cuda_run_common[], cuda_ghosts_argument_private[], cuda_run_arguments_private[],
    cuda_ghost_map_private[], cuda_run_ghosts[], cuda_run_borders[], cuda_run_samples[],
    cuda_run_reductions[], cuda_run_nan_check[], cuda_run_copy[], cuda_bench_copies[],
    cuda_bench_access[];

static bool is_requested(const ir *code, const schedule *requested, int64_t stage)
{
    return (!requested || requested->kind != SCHEDULE_NONE) &&
           emit_gpu_has_kernel(code, &code->stage[stage]);
}

static const schedule *requested_of(const schedule *const *of_stage, int64_t number,
                                    int64_t stage)
{
    return of_stage && of_stage[number] ? &of_stage[number][stage] : NULL;
}

/* Device code needed by the kernels of a source. */
typedef struct sweep_needs {
    bool near[STORAGE_SHARED + 1], copy[COPY_SPLIT + 1];
    bool staged; /* uniforms are copied to shared memory */
    bool ghosts, lines;
} sweep_needs;

static void note_sweep(const ir *code, const schedule *requested, int64_t stage,
                       sweep_needs *n)
{
    if (!is_requested(code, requested, stage))
        return;
    const schedule s = cuda_with_defaults(code, &code->stage[stage], requested);
    n->near[STORAGE_SHARED] |= code->stage[stage].transform != 0; /* has kernel_shared */
    n->staged |= s.coefficients == UNIFORMS_SHARED;
    n->ghosts |= cuda_stores_ghosts(code, &code->stage[stage], &s);
    n->lines |= abs(code->stage[stage].along) == 1 && !code->stage[stage].transform;
    if (s.kind != SCHEDULE_SWEEP)
        return;
    n->near[s.tile.storage] = true;
    n->copy[s.tile.copy] |= s.tile.storage == STORAGE_SHARED;
    n->copy[COPY_ASYNC] |= n->copy[COPY_SPLIT];
}

/* The helpers shared with C, then the GPU's replacements for some of them. */
void cuda_shared_prelude(const emit_needs *n, text *t)
{
    emit_shared_prelude(n, t);
    if (n->storage[PAV_BF16] || n->storage[PAV_F16])
        text_add(t, "\n%s", cuda_kernel_narrow);
}

static void add_prelude(const ir *const *code, int64_t count,
                        const schedule *const *of_stage, const emit_needs *n, text *t)
{
    sweep_needs sweeps = {0};

    for (int64_t p = 0; p < count; p++)
        for (int64_t s = 0; code[p] && s < code[p]->stages; s++)
            note_sweep(code[p], requested_of(of_stage, p, s), s, &sweeps);

    const bool rings = sweeps.near[STORAGE_SHARED];
    const emit_part part[] = {
        {true, cuda_kernel_point},
        {sweeps.lines, cuda_kernel_line_tiles},
        {true, cuda_kernel_sweep},
        {sweeps.ghosts, cuda_kernel_ghosts},
        {rings, cuda_kernel_ring},
        {rings && sweeps.copy[COPY_ASYNC], cuda_kernel_ring_async},
        {rings && sweeps.copy[COPY_REMAP], cuda_kernel_ring_remap},
        {rings && sweeps.copy[COPY_TMA], cuda_kernel_ring_tensor},
        {rings && sweeps.copy[COPY_SPLIT], cuda_kernel_ring_split},
        {sweeps.near[STORAGE_REGISTERS], cuda_kernel_neighbours},
        {sweeps.staged, cuda_kernel_uniforms},
        {n->folds, cuda_kernel_warps},
        {n->folds, cuda_kernel_pieces},
    };
    text_add(t, "\n%s", cuda_kernel_gpu);
    cuda_shared_prelude(n, t);
    emit_parts(part, COUNT_OF(part), t);
}

/* constants: bytes of constant memory of all stages so far. */
static pav_status take_constants(const emit_gpu_kernel *k, int64_t *constants)
{
    if (k->schedule.coefficients == UNIFORMS_CONSTANT)
        *constants += k->number_bytes;
    return *constants <= GPU_CONSTANT
               ? PAV_OK
               : FAIL(PAV_EUNSUPPORTED,
                      "the coefficients of all stages take more than the %d bytes of a "
                      "GPU's constant memory; say coefficients=global",
                      GPU_CONSTANT);
}

enum { NAMED = -1 };

/* name: the number of a kernel without names; or NAMED. */
static void add_text(arena *a, const ir *code, int64_t which, int64_t number,
                     const schedule *s, int64_t name, text *t)
{
    emit_stage e = emit_survey((emit_stage){.code = code,
                                            .stage = &code->stage[number],
                                            .arena = a,
                                            .program = name == NAMED ? which : 0,
                                            .number = name == NAMED ? number : name,
                                            .nameless = name != NAMED,
                                            .t = t,
                                            .schedule = s});

    emit_stage_comment(&e, t);
    cuda_argument(&e);
    cuda_kind_of(s->kind)->text(&e);
}

static pav_status add_stage(arena *a, const ir *code, int64_t which, int64_t number,
                            const schedule *requested, int64_t name, int64_t *constants,
                            text *t)
{
    const ir_stage *stage = &code->stage[number];
    const char *refusal = emit_gpu_refusal(code, stage, requested);
    emit_gpu_kernel k;

    if (refusal)
        return FAIL(PAV_EUNSUPPORTED, "stage %lld, %s: %s", (long long)number,
                    stage->name ? stage->name : "without a name", refusal);
    cuda_kernel_of(a, code, stage, requested, &k);
    TRY(take_constants(&k, constants));
    const schedule *s = &k.schedule;
    char words[SCHEDULE_STRING];
    text_add(t,
             "\n/* %s: blocks of %d x %d threads, each with %d x %d points%s;\n"
             " * %lld bytes of shared memory, at most %d registers a thread;\n"
             " * %lld bytes a point, each level once. */",
             schedule_string(s, words), s->tile.size[0], s->tile.size[1],
             s->thread.size[0], s->thread.size[1], emit_halo(a, code, stage),
             (long long)k.shared + k.fixed,
             most_registers(s->tile.size[0] * s->tile.size[1], s->blocks),
             (long long)emit_point_bytes(code, k.slot, k.slots));
    add_text(a, code, which, number, &k.schedule, name, t);
    return PAV_OK;
}

/* ---- stages that share a kernel ---------------------------------------------------- */

typedef struct source {
    const ir *const *code;
    const schedule *const *of_stage;
} source;

static bool has_kernel(const void *user, int64_t which, int64_t stage)
{
    const source *s = user;

    return is_requested(s->code[which], requested_of(s->of_stage, which, stage), stage);
}

static bool same_schedule(const void *user, int64_t which, int64_t like, int64_t stage)
{
    const source *s = user;

    return !requested_of(s->of_stage, which, like) ||
           schedule_is_same(requested_of(s->of_stage, which, like),
                            requested_of(s->of_stage, which, stage));
}

static pav_status add_unnamed(arena *a, const ir *code, int64_t which, int64_t number,
                              const schedule *s, text *t)
{
    add_text(a, code, which, number, s, 0, t);
    return PAV_OK;
}

/* Returns no text for uniforms in constant memory, because such a kernel cannot be
 * shared, and for refused stages: add_stage reports the error. */
static pav_status print_unnamed(void *user, int64_t which, int64_t stage, text *t)
{
    const source *s = user;
    const ir *code = s->code[which];
    const schedule *requested = requested_of(s->of_stage, which, stage);
    char words[SCHEDULE_STRING];

    if (emit_gpu_refusal(code, &code->stage[stage], requested))
        return PAV_OK;
    const schedule own = cuda_with_defaults(code, &code->stage[stage], requested);
    if (own.coefficients == UNIFORMS_CONSTANT)
        return PAV_OK;
    text_add(t, "%s", schedule_string(&own, words));
    RETURN_IN_ARENA(a, add_unnamed(a, code, which, stage, &own, t));
}

void cuda_add_functions(const emit_needs *n, text *t)
{
    if (n->functions)
        text_add(t, "\n%s\n%s\n%s", function_cuda_private, function_series_private,
                 function_text_private);
}

pav_status cuda_close_source(int64_t begin, int64_t end, int64_t kernels, text *t)
{
    TRY(emit_drop_unused(t, kernels));
    TRY(emit_prune(t, begin, end));
    return t->failed ? FAIL(PAV_ENOMEM, "memory ran out while CUDA was being written")
                     : PAV_OK;
}

/* shared: or NULL. A stage prints nothing if an earlier one has the same kernel. */
static pav_status print_stage(const source *s, int64_t which, int64_t number,
                              const emit_shared_kernels *shared, int64_t *constants,
                              text *t)
{
    const emit_shared_kernel *first = shared ? emit_shared_kernels_first(shared, which,
                                                                         number)
                                             : NULL;
    const int64_t name = first && first->key != 0 ? emit_shared_number(first) : NAMED;

    if (first && (first->program != which || first->stage != number))
        return PAV_OK;
    RETURN_IN_ARENA(a, add_stage(a, s->code[which], which, number,
                                 requested_of(s->of_stage, which, number), name,
                                 constants, t));
}

static pav_status print_scalars(const ir *code, int64_t which, int64_t number, text *t)
{
    RETURN_IN_ARENA(a, cuda_scalars_text(a, code, which, number, t));
}

/* shared: or NULL. */
static pav_status add_source(const source *s, int64_t count, const char *head,
                             const emit_shared_kernels *shared, text *t)
{
    const ir *const *code = s->code;
    const schedule *const *of_stage = s->of_stage;
    int64_t constants = 0;

    emit_head(head, t);
    const emit_needs needs = emit_needs_of(code, count, true);
    const int64_t begin = t->length;
    add_prelude(code, count, of_stage, &needs, t);
    const int64_t end = t->length;
    cuda_add_functions(&needs, t);
    cuda_add_transforms(code, count, t);
    const int64_t kernels = t->length;
    for (int64_t p = 0; p < count; p++)
        for (int64_t n = 0; code[p] && n < code[p]->stages; n++)
            if (has_kernel(s, p, n))
                TRY(print_stage(s, p, n, shared, &constants, t));
    for (int64_t p = 0; p < count; p++)
        for (int64_t n = 0; code[p] && n < code[p]->stages; n++)
            if (has_kernel(s, p, n))
                TRY(print_scalars(code[p], p, n, t));
    return cuda_close_source(begin, end, kernels, t);
}

pav_status emit_gpu_source(const ir *const *code, int64_t count,
                           const schedule *const *of_stage, const char *head, text *t)
{
    return add_source(&(source){code, of_stage}, count, head, NULL, t);
}

pav_status cuda_emit_stages(const ir *code, const schedule *s, const char *head, text *t)
{
    OWNED schedule *of_stage = mem_new(code->stages + 1, sizeof *of_stage);
    const schedule *const list[] = {of_stage};

    for (int64_t k = 0; of_stage && k < code->stages; k++)
        of_stage[k] = emit_gpu_schedule_of(code, k, s);
    return of_stage ? emit_gpu_source(&code, 1, list, head, t) : PAV_ENOMEM;
}

pav_status emit_gpu_shared_source(const ir *const *code, int64_t count,
                                  const schedule *const *of_stage, const char *head,
                                  emit_shared_kernels *shared, text *t)
{
    source s = {code, of_stage};

    TRY(emit_shared_kernels_find(code, count, has_kernel, same_schedule, print_unnamed,
                                 &s, shared));
    return add_source(&s, count, head, shared, t);
}

static void add_common_prelude(text *t)
{
    const emit_needs all = {.storage = {true, true, true, true, true}, .folds = true};

    text_add(t, "/* Kernels common to all stages. */\n\n%s", cuda_kernel_gpu);
    cuda_shared_prelude(&all, t);
    text_add(t,
             "\n%s\nenum { TYPE_F32 = %d, TYPE_F64 = %d, TYPE_BF16 = %d, TYPE_F16 = %d, "
             "TYPE_U8 = %d };\n%s",
             cuda_kernel_warps, PAV_F32, PAV_F64, PAV_BF16, PAV_F16, PAV_U8,
             cuda_ghosts_argument_private);
}

pav_status emit_gpu_program_common(text *t)
{
    const int64_t begin = t->length;

    add_common_prelude(t);
    text_add(t, "\n%s\n%s", cuda_run_common, cuda_ghost_map_private);
    const int64_t end = t->length;
    text_add(t, "\n%s\n%s", cuda_run_ghosts, cuda_run_copy);
    return emit_prune(t, begin, end);
}

void emit_gpu_common(text *t)
{
    static const emit_part part[] = {{true, cuda_run_arguments_private},
                                     {true, cuda_run_common},
                                     {true, cuda_ghost_map_private},
                                     {true, cuda_run_ghosts},
                                     {true, cuda_run_borders},
                                     {true, cuda_run_samples},
                                     {true, cuda_run_reductions},
                                     {true, cuda_run_nan_check},
                                     {true, cuda_run_copy}};

    add_common_prelude(t);
    text_add(t, "enum { REDUCTION_MIN = %d, REDUCTION_MAX = %d };\n", REDUCTION_MIN,
             REDUCTION_MAX);
    emit_parts(part, COUNT_OF(part), t);
}

void emit_gpu_copies(text *t)
{
    text_add(t,
             "/* Measurements: copy bandwidth and other rates of the GPU. */\n\n"
             "%s\n%s\n%s\n%s\n%s\n%s",
             cuda_kernel_gpu, cuda_kernel_sweep, cuda_kernel_ring, cuda_kernel_ring_remap,
             cuda_bench_copies, cuda_bench_access);
}

/* ---- launchers of stand-alone programs --------------------------------------------- */
/* Host code in CUDA C++ for stand-alone programs: a function launches a stage's kernel.
 * It fills the argument in readable text, like a run fills its bytes. */

/* Boxes of borders and sources differ from call to call, so their blocks are computed at
 * the call. A sweep or a reduction always has the same box, or planes of it. Blocks of a
 * transform take any groups of lines. */
static void add_launch(const emit_stage *e, const emit_gpu_kernel *k,
                       const emit_gpu_work *w)
{
    const long long number = e->number;
    int64_t blocks[3], shared;
    int threads[3];

    emit_gpu_extent(e->code, k, w, blocks, threads, &shared);
    if (!k->lines && abs(k->along) == 1) {
        text_add(
            e->t,
            "    launch(kernels::pav_0_%lld, tiles_across(c, %d), dim3(%d), %lld, a);\n",
            number, EMIT_LINE_TILE, threads[0], (long long)shared);
        return;
    }
    if (!k->lines && k->schedule.kind == SCHEDULE_POINT && k->reductions == 0) {
        text_add(e->t, "    launch_points(kernels::pav_0_%lld, %d, %d, %d, a);\n", number,
                 k->schedule.tile.size[0], k->schedule.tile.size[1], abs(k->along));
        return;
    }
    text_add(e->t, "    launch(kernels::pav_0_%lld, ", number);

    /* Blocks of a launch. Blocks along the slowest axis are computed at the call, because
     * a subdomain has fewer planes than the grid. */
    const int axis = e->code->dim - 1;
    const bool sweeps = k->schedule.kind == SCHEDULE_SWEEP;

    text_add(e->t, "dim3(");
    for (int n = 0; n < 3; n++) {
        text_add(e->t, n ? ", " : "");
        if (n != axis || axis == 0 || k->lines)
            text_add(e->t, "%lld", (long long)blocks[n]);
        else if (sweeps)
            text_add(e->t, "blocks_along(c, %d, a.w.planes)", axis);
        else
            text_add(e->t, "blocks_along(c, %d, %d)", axis, threads[axis]);
    }
    text_add(e->t, "), dim3(%d, %d, %d), %lld, a);\n", threads[0], threads[1], threads[2],
             (long long)shared);
}

static void add_function(emit_stage *e, const emit_gpu_kernel *k)
{
    const box b = ir_stage_box(e->code, e->stage);
    const int64_t most = k->schedule.tile.storage == STORAGE_SHARED ? 64 : 16;
    emit_gpu_work w = {.planes = k->schedule.planes > 0 ? k->schedule.planes : most};
    const long long number = e->number;

    memcpy(w.lo, b.lo, sizeof w.lo);
    memcpy(w.hi, b.hi, sizeof w.hi);
    text_add(
        e->t,
        "\n/* %s */\nextern \"C\" void PROGRAM_gpu_stage_%lld(const PROGRAM_call *c)\n"
        "{\n    kernels::argument_0_%lld a = {};\n\n"
        "    a.w = work_of(c);\n",
        emit_stage_name(e->arena, e->stage), number, number);
    if (k->schedule.kind == SCHEDULE_SWEEP)
        text_add(e->t, "    a.w.planes = %lld;\n", (long long)w.planes);
    for (int s = 0; s < e->slots; s++)
        text_add(e->t, "    a.g%d = grid_at(c, %d); /* %s */\n", s, s,
                 emit_level(e->arena, e->code, e->slot[s].field, e->slot[s].level));
    for (int n = 0; n < (int)e->code->tables; n++)
        if (e->table[n])
            text_add(e->t, "    a.table%d = c->table[%d];\n", emit_table_number(e, n), n);

    /* The same values as emit_gpu_pack_uniforms. */
    for (int u = 0; u < (int)e->code->uniforms; u++)
        if (e->uniform[u])
            text_add(e->t,
                     emit_is_seed(e, u) ? "    a.n.%s = bits_of_number(c->uniform[%d]);\n"
                     : e->real == PAV_F32 ? "    a.n.%s = (float)c->uniform[%d];\n"
                                          : "    a.n.%s = c->uniform[%d];\n",
                     emit_uniform_name(e, u), u);

    add_launch(e, k, &w);
    text_add(e->t, "}\n");
}

static pav_status check(const emit_stage *e, const emit_gpu_kernel *k)
{
    const char *name = e->stage->name ? e->stage->name : "without a name";

    if (k->parts > 0)
        return FAIL(PAV_EUNSUPPORTED,
                    "stage %s: copy=tma needs tensor maps by the driver, and stand-alone "
                    "programs make none yet: take copy=async",
                    name);
    if (k->uniforms > 0 && k->schedule.coefficients != UNIFORMS_ARGUMENT)
        return FAIL(PAV_EUNSUPPORTED,
                    "stage %s: stand-alone programs pass coefficients only as arguments: "
                    "leave out coefficients=",
                    name);
    if (k->argument_bytes > GPU_MOST_ARGUMENT)
        return FAIL(PAV_ELIMIT,
                    "stage %s: its coefficients need %lld bytes of arguments, and a "
                    "kernel of a stand-alone program can have %d",
                    name, (long long)k->argument_bytes, GPU_MOST_ARGUMENT);
    return PAV_OK;
}

static pav_status add_launcher(arena *a, const ir *code, int64_t stage,
                               const schedule *requested, text *t)
{
    emit_gpu_kernel k;

    cuda_kernel_of(a, code, &code->stage[stage], requested, &k);
    emit_stage e = emit_survey((emit_stage){.code = code,
                                            .stage = &code->stage[stage],
                                            .arena = a,
                                            .number = stage,
                                            .schedule = &k.schedule,
                                            .t = t});
    TRY(check(&e, &k));
    add_function(&e, &k);
    return PAV_OK;
}

pav_status emit_gpu_launcher(const ir *code, int64_t stage, const schedule *requested,
                             text *t)
{
    RETURN_IN_ARENA(a, add_launcher(a, code, stage, requested, t));
}
