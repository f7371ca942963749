/* SPDX-License-Identifier: BSD-3-Clause */
/* Reasons against a schedule for a stage: a property missing in its nature, for example
 * planes or neighbours; or impossible settings. */
#include "codegen/codegen_private.h"

enum {
    MOST_UNROLLED = 64,
    MOST_AHEAD = 8,
};

static const char too_large[] = "its planes take more than the " GPU_LIMIT_TEXT(
    GPU_MOST_SHARED_KIB) " KiB of shared memory that a block can have: take fewer "
                         "threads, rows or planes ahead";

/* ---- neighbours -------------------------------------------------------------------- */

/* The kernel's shared memory and boxes; 0 bytes if nothing is shared. */
static emit_gpu_kernel shares(arena *a, const ir *code, const ir_stage *stage,
                              const schedule *s)
{
    emit_gpu_kernel k = {0};
    emit_stage e = emit_survey(code, stage, a);

    e.schedule = s;
    cuda_sweep_shared(&e, &k);
    return k;
}

static pav_status find_bytes(arena *a, const ir *code, const ir_stage *stage,
                             const schedule *s, int64_t *bytes)
{
    *bytes = shares(a, code, stage, s).shared;
    return PAV_OK;
}

void cuda_find_shared_bytes(const ir *code, const ir_stage *stage, const schedule *s,
                            int64_t *bytes)
{
    pav_status status;

    *bytes = 0;
    IN_ARENA(a, status, find_bytes(a, code, stage, s, bytes));
    if (status != PAV_OK)
        *bytes = 0;
}

/* True if all fields with loads of neighbours in the plane are stored in f64. */
static bool has_doubles(const ir *code, const ir_stage *stage)
{
    for (int64_t k = 0; k < stage->count; k++) {
        const ir_node *n = &stage->node[k];
        for (int axis = 0; n->op == IR_LOAD && axis < code->dim - 1; axis++)
            if (n->offset[axis] != 0 && code->field[n->field].storage != PAV_F64)
                return false;
    }
    return true;
}

/* True if all loads of neighbours in the plane are vectors of 16 bytes. */
static bool has_whole_packs(const ir *code, const ir_stage *stage, const schedule *s)
{
    for (int64_t k = 0; k < stage->count; k++) {
        const ir_node *n = &stage->node[k];
        for (int axis = 0; n->op == IR_LOAD && axis < code->dim - 1; axis++)
            if (n->offset[axis] != 0 &&
                s->thread.size[0] * (int)pav_type_size(code->field[n->field].storage) !=
                    GPU_VECTOR)
                return false;
    }
    return true;
}

/* ---- coefficients ------------------------------------------------------------------ */

/* Checks a requested place of the uniforms only: the default always fits. */
static const char *place_refusal(const ir *code, const ir_stage *stage,
                                 const schedule *requested)
{
    emit_gpu_kernel k;

    if (!requested || requested->coefficients == UNIFORMS_DEFAULT ||
        emit_gpu_kernel_of(code, stage, requested, &k) != PAV_OK)
        return NULL;
    const bool is_long = k.argument_bytes > GPU_MOST_ARGUMENT;
    const bool fits = k.shared + k.fixed <= gpu_shared_most();
    emit_gpu_kernel_free(&k);
    return is_long ? "its coefficients make the argument longer than 4000 bytes: say "
                     "coefficients=global"
           : fits  ? NULL
                   : too_large;
}

/* ---- by its nature ----------------------------------------------------------------- */

const char *cuda_sweep_lack(const ir *code, const ir_stage *stage,
                            const schedule *requested)
{
    const schedule kind = {.kind = requested->kind,
                           .tile.storage = requested->tile.storage,
                           .tile.copy = requested->tile.copy,
                           .input = requested->input,
                           .plain = requested->plain};
    const char *why = cuda_sweep_refusal(code, stage);
    int64_t bytes = 1;

    if (why)
        return why;
    const schedule s = cuda_with_defaults(code, stage, &kind);

    if (s.tile.storage == STORAGE_REGISTERS && cuda_radius(stage, 0) == 0)
        return "there are no neighbours along x that threads could take from each other";
    if (s.tile.storage == STORAGE_SHARED)
        cuda_find_shared_bytes(code, stage, &s, &bytes);
    if (bytes == 0)
        return "there are no neighbours in a plane that threads could share";
    if (s.tile.copy == COPY_SPLIT && !has_doubles(code, stage))
        return "only fields in f64 are split into halves";
    if (s.input && cuda_knows_plane(code, stage))
        return "its values depend on where a plane is, not only on what is read of it";
    if (s.input && cuda_radius(stage, code->dim - 1) == 0)
        return "it reads one plane only, which is used as it comes anyway";
    return NULL;
}

const char *emit_gpu_lack(const ir *code, const ir_stage *stage,
                          const schedule *requested)
{
    const cuda_kind *form = cuda_kind_of(requested ? requested->kind : SCHEDULE_AUTO);

    return form->lack && cuda_is_listed(code, stage) ? form->lack(code, stage, requested)
                                                     : NULL;
}

/* ---- all --------------------------------------------------------------------------- */

static bool is_power(int n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

static const char *thread_refusal(const schedule *s)
{
    if (!is_power(s->tile.size[0]) || !is_power(s->thread.size[0]))
        return "the threads of a block along x, and the points of each, have to be "
               "powers of two";
    if (s->tile.size[0] * s->tile.size[1] > GPU_BLOCK_THREADS)
        return "a block has at most " GPU_LIMIT_TEXT(GPU_BLOCK_THREADS) " threads";
    if (s->blocks * s->tile.size[0] * s->tile.size[1] >
        gpu_facts_architecture(cuda_reference())->threads)
        return "a multiprocessor has room for " GPU_LIMIT_TEXT(
            GPU_MOST_THREADS) " threads: take fewer blocks or threads";
    return NULL;
}

static pav_status check_shared(arena *a, const ir *code, const ir_stage *stage,
                               const schedule *s, const char **why)
{
    const emit_gpu_kernel k = shares(a, code, stage, s);

    *why = k.shared > gpu_shared_most() ? too_large : cuda_box_refusal(&k);
    return PAV_OK;
}

const char *cuda_sweep_settings(const ir *code, const ir_stage *stage,
                                const schedule *requested, const schedule *s)
{
    if (code->dim == 2 && requested &&
        (requested->thread.size[1] > 1 || requested->tile.size[1] > 1))
        return "a sweep in two dimensions has one row: leave out rows, with one thread "
               "along y";
    if (s->unroll > MOST_UNROLLED)
        return "at most 64 planes stand one after the other";
    if (s->prefetch > MOST_AHEAD)
        return "at most 8 planes are prefetched";
    if (s->plain && s->thread.size[0] > 1)
        return "rows without padding are read point by point: no vector with plain";
    if (s->thread.size[0] > cuda_default_vector(code, stage))
        return "a thread loads at most 16 bytes at once";
    if (!cuda_is_short(stage, s))
        return "a thread would compute so many points that compilers take minutes";
    const box b = ir_stage_box(code, stage);
    if (s->thread.size[1] > 1 && code->dim != 2 && b.hi[1] - b.lo[1] < s->thread.size[1])
        return "a thread takes more rows than there are";
    if (requested && !emit_gpu_is_open(requested) && requested->tile.copy != COPY_ASYNC &&
        requested->tile.storage != STORAGE_SHARED)
        return "how planes are copied is of sweep:shared and two-pass:shared";

    if (s->tile.storage == STORAGE_REGISTERS && s->tile.size[0] % GPU_WARP != 0)
        return "threads take from each other in whole warps: 32 along x, or a multiple";
    if (s->tile.storage != STORAGE_SHARED)
        return s->tile.ahead > 1
                   ? "what comes to registers is read at most one plane ahead"
                   : NULL;
    if (s->tile.copy == COPY_REMAP && s->tile.ahead > 1)
        return "what comes through registers is read one plane ahead";
    if (s->tile.copy == COPY_TMA && !has_whole_packs(code, stage, s))
        return s->plain
                   ? "rows without padding have no vectors, and the tensor memory "
                     "accelerator copies vectors of 16 bytes: leave out plain or copy=tma"
                   : "the tensor memory accelerator copies vectors of 16 bytes";
    if (s->tile.ahead > MOST_AHEAD)
        return "at most 8 planes are copied ahead";

    const char *why = NULL;
    pav_status status;

    /* Without memory for the answer, printing the kernel fails, too. */
    IN_ARENA(a, status, check_shared(a, code, stage, s, &why));
    return status == PAV_OK ? why : NULL;
}

const char *emit_gpu_refusal(const ir *code, const ir_stage *stage,
                             const schedule *requested)
{
    const char *why = emit_gpu_lack(code, stage, requested);
    if (why)
        return why;
    const schedule s = cuda_with_defaults(code, stage, requested);
    const cuda_kind *form = cuda_kind_of(s.kind);

    why = thread_refusal(&s);
    why = why ? why : place_refusal(code, stage, requested);
    return why || !form->refusal ? why : form->refusal(code, stage, requested, &s);
}

/* ---- requested schedules ----------------------------------------------------------- */
/* A schedule requested for a whole program. Stages without neighbours to share, and
 * reductions, use their default. But some stage of the step must use the requested
 * schedule, and no stage may contradict its settings. */

static void refuse(const ir_stage *stage, const char *reason, text *why)
{
    text_add(why, "stage %s: %s", stage->name ? stage->name : "without a name", reason);
}

/* Writes to `why` the machine's missing property for a stage whose nature allows the
 * schedule. */
pav_status emit_gpu_machine_lack(const ir *code, const ir_stage *stage,
                                 const schedule *requested, const gpu_facts *machine,
                                 text *why)
{
    emit_gpu_kernel k;

    TRY(emit_gpu_kernel_of(code, stage, requested, &k));
    const int64_t bytes = k.shared + k.fixed;
    if (k.parts > 0 && machine->no_tensors)
        text_add(why, "%s", machine->no_tensors);
    else if (bytes > machine->shared_block)
        text_add(why, "a block takes %lld bytes of shared memory, and has %d",
                 (long long)bytes, machine->shared_block);
    emit_gpu_kernel_free(&k);
    return why->failed ? PAV_ENOMEM : PAV_OK;
}

static bool has_numbers(const ir *code, const ir_stage *stage, const schedule *requested)
{
    emit_gpu_kernel k;

    if (emit_gpu_kernel_of(code, stage, requested, &k) != PAV_OK)
        return true; /* the caller that makes it reports the error */
    const bool any = k.number_bytes > 0;
    emit_gpu_kernel_free(&k);
    return any;
}

static bool any_has_numbers(const ir *code, const schedule *requested)
{
    for (int64_t n = 0; n < code->stages; n++) {
        const ir_stage *stage = &code->stage[n];
        if (emit_gpu_has_kernel(code, stage) && !emit_gpu_lack(code, stage, requested) &&
            has_numbers(code, stage, requested))
            return true;
    }
    return false;
}

static pav_status check_machine(const ir *code, const schedule *requested,
                                const gpu_facts *machine, text *why)
{
    text lack = {0};
    pav_status status = PAV_OK;

    for (int64_t n = 0; n < code->stages && status == PAV_OK && lack.length == 0; n++) {
        const ir_stage *stage = &code->stage[n];
        const schedule own = emit_gpu_schedule_of(code, n, requested);
        if (!emit_gpu_has_kernel(code, stage) || emit_gpu_is_open(&own))
            continue;
        status = emit_gpu_machine_lack(code, stage, &own, machine, &lack);
        if (lack.length > 0)
            refuse(stage, lack.data, why);
    }
    text_free(&lack);
    return status;
}

pav_status cuda_accept_stages(const ir *code, const schedule *s, const gpu_facts *machine,
                              text *why)
{
    const ir_stage *left = NULL;
    bool any = false;

    for (int64_t n = 0; n < code->stages && why->length == 0; n++) {
        const ir_stage *stage = &code->stage[n];
        if (!emit_gpu_has_kernel(code, stage))
            continue;
        const bool lacks = emit_gpu_lack(code, stage, s) != NULL;
        const char *reason = lacks ? NULL : emit_gpu_refusal(code, stage, s);
        if (reason)
            refuse(stage, reason, why);
        left = lacks ? stage : left;
        any |= !lacks && cuda_is_listed(code, stage);
    }
    if (!any && left && why->length == 0)
        refuse(left, emit_gpu_lack(code, left, s), why);

    if (s->coefficients != UNIFORMS_DEFAULT && why->length == 0 &&
        !any_has_numbers(code, s))
        text_add(why, "all numbers of this program are literals of its kernels: leave "
                      "out coefficients");
    return machine && why->length == 0 ? check_machine(code, s, machine, why) : PAV_OK;
}

/* Rows without padding have no vectors, and sweeps read vectors. */
schedule emit_gpu_schedule_of(const ir *code, int64_t stage, const schedule *requested)
{
    if (!emit_gpu_lack(code, &code->stage[stage], requested))
        return *requested;
    return (schedule){.kind = requested->plain ? SCHEDULE_POINT : SCHEDULE_AUTO,
                      .plain = requested->plain};
}
