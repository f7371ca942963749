/* SPDX-License-Identifier: BSD-3-Clause */
/* Fused launches for their callers: legality, the facts about a launch, its blocks, the
 * candidates of autotuning, and sources with the launches of programs. */
#include <stdio.h>
#include <string.h>

#include "codegen/gpu/fused_private.h"

/* ---- slots, tables and uniforms ---------------------------------------------------- */
/* The argument of a fused launch: levels, tables, and the uniforms of its steps. */

enum { TENSOR_WORD = 8 }; /* bytes: the accelerator counts in them */

int fused_slot_of(const emit_gpu_fused *fused, int field, int level, bool stored)
{
    for (int k = 0; k < fused->slots; k++)
        if (fused->slot[k].field == field && fused->slot[k].level == level &&
            fused->slot[k].stored == stored)
            return k;
    return -1;
}

static void add_slot(emit_gpu_fused *fused, int field, int level, bool stored)
{
    if (fused_slot_of(fused, field, level, stored) < 0)
        fused->slot[fused->slots++] = (emit_slot){field, level, !stored, stored};
}

static void add_slots(const fused_plan *p, emit_gpu_fused *fused)
{
    int64_t room = 1;

    for (int f = 0; f < p->code->fields; f++)
        room += 2 * p->code->field[f].levels;
    fused->slot = arena_alloc(p->arena, room, sizeof *fused->slot);
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f]) {
            for (int level = 0; level >= p->field[f].oldest; level--)
                add_slot(fused, f, level, false);
            for (int age = 0; age < p->field[f].kept; age++)
                add_slot(fused, f, -age, true);
        }
    for (int64_t n = 0; n < p->operations; n++) {
        const ir_stage *s = &p->code->stage[p->operation[n].stage];
        for (int64_t k = 0; k < s->count; k++)
            if (s->node[k].op == IR_LOAD && !p->moves[s->node[k].field])
                add_slot(fused, s->node[k].field, 0, false);
    }
}

/* ---- stages ------------------------------------------------------------------------ */

static void add_stage(const fused_plan *p, emit_gpu_fused *fused, int stage, bool *used)
{
    static const schedule plain = {.kind = SCHEDULE_POINT,
                                   .coefficients = UNIFORMS_ARGUMENT};
    emit_gpu_kernel *k = &fused->numbers[fused->stages];
    const ir_stage *s = &p->code->stage[stage];

    for (int64_t n = 0; n < s->count; n++)
        if (s->node[n].op == IR_TABLE)
            used[s->node[n].table] = true;
    cuda_kernel_of(p->arena, p->code, s, &plain, k);
    if (k->uniforms == 0)
        return;
    fused->stage[fused->stages++] = stage;
    fused->number_bytes += k->number_bytes;
}

static void add_borders(const fused_plan *p, emit_gpu_fused *fused, int field, bool *used)
{
    for (int face = 0; face < 2 * p->code->dim; face++) {
        const int stage = p->code->field[field].border[face / 2][face % 2].stage;
        bool known = stage < 0;
        for (int64_t k = 0; k < fused->stages; k++)
            known |= fused->stage[k] == stage;
        if (!known)
            add_stage(p, fused, stage, used);
    }
}

static void add_stages(const fused_plan *p, emit_gpu_fused *fused)
{
    const int64_t stages = p->code->stages + 1, tables = p->code->tables + 1;
    bool *used = arena_alloc(p->arena, tables, sizeof *used);

    fused->stage = arena_alloc(p->arena, stages, sizeof *fused->stage);
    fused->numbers = arena_alloc(p->arena, stages, sizeof *fused->numbers);
    fused->table = arena_alloc(p->arena, tables, sizeof *fused->table);
    for (int64_t n = 0; n < p->operations; n++)
        add_stage(p, fused, p->operation[n].stage, used);
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            add_borders(p, fused, f, used);
    for (int n = 0; n < p->code->tables; n++)
        if (used[n])
            fused->table[fused->tables++] = n;
}

/* ---- points off the grid ----------------------------------------------------------- */

static void add_samples(const fused_plan *p, emit_gpu_fused *fused)
{
    const ir *code = p->code;
    int64_t room = 1;

    EACH_STATEMENT(s, code->program)
        room += s->kind == STATEMENT_SAMPLE;
    fused->injections = code->injections.count;
    fused->sample = arena_alloc(p->arena, room, sizeof *fused->sample);
    EACH_STATEMENT(s, code->program)
        for (int f = 0; s->kind == STATEMENT_SAMPLE && f < code->fields; f++)
            if (code->field[f].symbol == s->symbol && p->moves[f])
                fused->sample[fused->samples++] = s;
}

/* ---- boxes of the tensor memory accelerator ---------------------------------------- */

/* A box includes the ghosts. Along x it goes to the end of a vector. */
static emit_gpu_tensor_box tensor_box_of(const fused_plan *p, const emit_gpu_fused *fused,
                                         int field, int level)
{
    const ir_field *f = &p->code->field[field];
    const int pack = p->schedule.thread.size[0], size = (int)pav_type_size(f->storage);
    emit_gpu_tensor_box s = {
        .slot = fused_slot_of(fused, field, level, false),
        .planes = p->axis,
        .pack = pack,
        .size = size,
        .box = {fused_points(p, 0) * size / TENSOR_WORD, fused_points(p, 1), 1}};

    for (int axis = 0; axis < MAX_DIM; axis++) {
        s.before[axis] = f->halo[axis][0];
        s.beyond[axis] = f->halo[axis][1];
    }
    s.beyond[0] = (int)int_rounded(s.beyond[0], pack);
    return s;
}

static void add_parts(const fused_plan *p, emit_gpu_fused *fused)
{
    if (!fused_is_copied(p))
        return;
    fused->part = arena_alloc(p->arena, fused->slots + 1, sizeof *fused->part);
    for (int f = 0; f < p->code->fields; f++)
        for (int level = p->field[f].oldest; level <= 0 && p->moves[f]; level++)
            fused->part[fused->parts++] = tensor_box_of(p, fused, f, level);
}

/* ---- launches ---------------------------------------------------------------------- */

static pav_status accept_groups(const ir *code, const schedule *s, const gpu_facts *f,
                                text *why)
{
    OWNED_BY(emit_gpu_groups_free) emit_gpu_groups g = {0};

    TRY(emit_gpu_groups_open(code, s, f, &g));
    if (g.count == 0)
        text_add(why, "%s", g.refusal);
    return PAV_OK;
}

static pav_status accept(arena *a, const ir *code, const schedule *s, const gpu_facts *f,
                         text *why)
{
    fused_plan p;

    if (schedule_groups_stages(s))
        return accept_groups(code, s, f, why);
    fused_plan_open(a, code, s, f, &p);
    if (p.refusal)
        text_add(why, "%s", p.refusal);
    else if (p.shared > f->shared_block)
        text_add(why, "a block takes %lld bytes of shared memory, and has %d",
                 (long long)p.shared, f->shared_block);
    return PAV_OK;
}

pav_status cuda_accept_launch(const ir *code, const schedule *s, const gpu_facts *machine,
                              text *why)
{
    RETURN_IN_ARENA(a, accept(a, code, s, machine ? machine : cuda_reference(), why));
}

static pav_status refuse(const fused_plan *p)
{
    return FAIL(PAV_EUNSUPPORTED, "%s cannot take several steps in one launch: %s",
                p->code->program->name, p->refusal);
}

/* The input levels of a fused launch with fixed fields, its output levels, named by
 * its end, and the tables and uniforms it reads. */
static void describe(const fused_plan *p, emit_gpu_fused *fused)
{
    *fused = (emit_gpu_fused){
        .schedule = p->schedule,
        .sweeps = p->of->sweeps,
        .shared = p->shared,
        .least = p->in_registers ? p->schedule.tile.steps : fused_least(p),
        .signal_bytes = p->common_bytes,
        .most = p->schedule.tile.steps,
        .ahead = fused_prefetch_planes(p),
        .registers = p->in_registers ? fused_register_words(p) : 0,
        .together = p->in_registers && p->axis == 1 ? p->schedule.tile.size[1] : 1};
    p->of->describe(p, fused);
    add_slots(p, fused);
    add_stages(p, fused);
    add_samples(p, fused);
    add_parts(p, fused);

    const int64_t bytes = (int64_t)sizeof(emit_gpu_fused_work) +
                          fused->slots * (int64_t)sizeof(emit_grid) +
                          fused->tables * (int64_t)sizeof(double *) +
                          fused->injections * (int64_t)sizeof(emit_gpu_marks) +
                          fused->samples * (int64_t)sizeof(emit_gpu_sample) +
                          (p->code->group_of   ? fused->number_bytes
                           : fused->stages > 0 ? (int64_t)sizeof(void *)
                                               : 0);
    fused->argument_bytes = cuda_argument_bytes(bytes, fused->parts);
}

static pav_status make_launch(arena *a, const ir *code, const schedule *requested,
                              const gpu_facts *gpu, emit_gpu_fused *fused)
{
    fused_plan p;

    fused_plan_open(a, code, requested, gpu, &p);
    if (p.refusal)
        return refuse(&p);
    describe(&p, fused);
    return PAV_OK;
}

pav_status emit_gpu_fused_of(const ir *code, const schedule *requested,
                             const gpu_facts *gpu, emit_gpu_fused *fused)
{
    arena *a = arena_new();
    pav_status status;

    ARENA_GUARD(a, status, make_launch(a, code, requested, gpu, fused));
    fused->memory = a;
    if (status != PAV_OK)
        emit_gpu_fused_free(fused);
    return status;
}

void emit_gpu_fused_free(emit_gpu_fused *fused)
{
    arena_free(fused->memory);
    *fused = (emit_gpu_fused){0};
}

void emit_gpu_fused_name(char name[EMIT_NAME], int64_t which)
{
    (void)snprintf(name, EMIT_NAME, "pav_fused_%lld", (long long)which);
}

static pav_status fit(arena *a, const ir *code, const gpu_facts *gpu, schedule *requested)
{
    fused_plan p;

    fused_plan_open(a, code, requested, gpu, &p);
    memcpy(requested->device.size, p.schedule.device.size, sizeof requested->device.size);
    requested->tile.steps = p.schedule.tile.steps;
    requested->buffers = p.schedule.buffers;
    if (code->dim == 2)
        requested->thread.size[1] = p.schedule.thread.size[1];
    return p.refusal ? refuse(&p) : PAV_OK;
}

pav_status emit_gpu_fused_fit(const ir *code, const gpu_facts *gpu, schedule *requested)
{
    RETURN_IN_ARENA(a, fit(a, code, gpu, requested));
}

void emit_gpu_fused_extent(const ir *code, const emit_gpu_fused *fused,
                           const emit_gpu_fused_work *w, int64_t blocks[3],
                           int threads[3])
{
    cuda_launch_kind_of(fused->schedule.kind)->extent(code, fused, w, blocks, threads);
}

/* ---- candidates -------------------------------------------------------------------- */

/* Unrolled by three, planes in registers need no moves between registers. These schedules
 * were the fastest of 7 and 5 points on some grid, in f32 or in f64
 * (docs/notes/gpu-temporal-blocking.md). */
static const schedule solid[] = {{.tile.steps = 4, .unroll = 3, .tile.copy = COPY_TMA},
                                 {.tile.steps = 3, .unroll = 3, .tile.copy = COPY_TMA},
                                 {.tile.steps = 2, .unroll = 3, .tile.copy = COPY_TMA},
                                 {.tile.steps = 4, .unroll = 3}};
/* For box stencils and several fields: deeper schedules have fewer points of their own,
 * or no registers. */
static const schedule wide[] = {
    {.tile.steps = 2, .unroll = 3, .tile.copy = COPY_TMA},
    {.tile.steps = 3, .unroll = 3, .tile.copy = COPY_TMA},
    {.tile.steps = 2, .unroll = 3},
    {.tile.steps = 3, .unroll = 3, .tile.size = {GPU_WARP, 8}, .tile.copy = COPY_TMA}};
/* In two dimensions a warp is a tile. With 128 registers a thread, sixteen warps share a
 * multiprocessor; with 250, eight. In f64 eight warps are as fast, because they have
 * vectors of 4 points: with vectors of 2 points half of a tile would be overlap. */
static const schedule flat[] = {
    {.tile.steps = 8, .unroll = 4, .tile.size = {GPU_WARP, 2}, .prefetch = 8},
    {.tile.steps = 6, .unroll = 4, .tile.size = {GPU_WARP, 2}, .prefetch = 8},
    {.tile.steps = 4, .unroll = 4, .tile.size = {GPU_WARP, 2}, .prefetch = 8},
    {.tile.steps = 3, .unroll = 3}};
static const schedule flat_long[] = {
    {.tile.steps = 8,
     .unroll = 3,
     .tile.size = {GPU_WARP, 2},
     .thread.size[0] = 4,
     .prefetch = 8},
    {.tile.steps = 6,
     .unroll = 3,
     .tile.size = {GPU_WARP, 2},
     .thread.size[0] = 4,
     .prefetch = 8},
    {.tile.steps = 4, .unroll = 4, .tile.size = {GPU_WARP, 2}, .prefetch = 8},
    {.tile.steps = 3, .unroll = 3}};

/* The schedule if several fields leave few registers. */
static const schedule flat_short = {
    .kind = SCHEDULE_GPU_TIME, .tile.steps = 2, .tile.storage = STORAGE_REGISTERS};

/* Candidates in two dimensions, by the widest type of the fields. */
static const schedule *flat_of(const ir *code)
{
    bool is_long = false;

    for (int f = 0; f < code->fields; f++)
        is_long |= code->field[f].updated && pav_type_size(code->field[f].storage) > 4;
    return is_long ? flat_long : flat;
}

/* More registers leave fewer warps on a multiprocessor. Two steps are worth that. */
static bool has_registers(const fused_plan *p)
{
    const int words = fused_register_words(p);
    return words <= GPU_FLAT_REGISTERS ||
           (p->schedule.tile.steps == 2 && words <= GPU_SHORT_REGISTERS);
}

/* Tiles of warps are for versions in registers, and these must suffice. */
static bool is_good(arena *a, const ir *code, const schedule *s)
{
    fused_plan p;

    fused_plan_open(a, code, s, NULL, &p);
    return !p.refusal && (code->dim != 2 || !p.of->sweeps ||
                          (p.in_registers ? has_registers(&p) : s->tile.size[0] == 0));
}

static bool add_good(arena *a, const ir *code, const schedule *one, schedule *list,
                     int *count)
{
    const bool good = cuda_is_new(list, *count, one) && is_good(a, code, one);

    if (good)
        list[(*count)++] = *one;
    return good;
}

/* A persistent kernel may be a candidate if the grid fits in the shared memory of the
 * multiprocessors. */
static pav_status find_candidates(arena *a, const ir *code, schedule *list, int *count)
{
    static const schedule is_persistent = {.kind = SCHEDULE_PERSISTENT};
    const schedule any = {.kind = SCHEDULE_GPU_TIME, .tile.steps = 2};
    fused_plan p;

    fused_plan_open(a, code, &any, NULL, &p);
    if (p.is_single)
        return PAV_OK;
    const schedule *all = code->dim == 2      ? flat_of(code)
                          : fused_is_wide(&p) ? wide
                                              : solid;
    bool keeps_several = false; /* some candidate keeps planes in registers */

    (void)add_good(a, code, &is_persistent, list, count);
    for (size_t n = 0; n < COUNT_OF(solid); n++) {
        /* For a schedule outside registers the depth is the only option. */
        schedule one = all[n];
        const schedule bare = {.kind = SCHEDULE_GPU_TIME, .tile.steps = one.tile.steps};

        one.kind = SCHEDULE_GPU_TIME;
        if (add_good(a, code, &one, list, count))
            keeps_several = true;
        else
            (void)add_good(a, code, &bare, list, count);
    }
    if (code->dim == 2 && !keeps_several)
        (void)add_good(a, code, &flat_short, list, count);
    return PAV_OK;
}

pav_status emit_gpu_fused_candidates(const ir *code,
                                     schedule list[EMIT_GPU_FUSED_CANDIDATES], int *count)
{
    *count = 0;
    RETURN_IN_ARENA(a, find_candidates(a, code, list, count));
}

/* Loaded points for each stored point. */
static double read_for_each(const ir *code, const emit_gpu_fused *fused, int64_t planes)
{
    double each = 1;

    if (!fused->sweeps)
        return 1;
    for (int axis = 0; axis < code->dim; axis++) {
        const double own = axis == code->dim - 1 ? (double)planes : fused->useful[axis];
        each *= (own + 2 * fused->around[axis]) / own;
    }
    return each;
}

double emit_gpu_fused_bytes(const ir *code, const emit_gpu_fused *fused, int64_t planes)
{
    const double each = read_for_each(code, fused, planes);
    double bytes = 0;

    for (int64_t k = 0; k < fused->slots; k++) {
        const emit_slot *s = &fused->slot[k];
        const double size = (double)pav_type_size(code->field[s->field].storage);
        bytes += s->stored ? size : each * size;
    }
    return bytes;
}

/* ---- sources ----------------------------------------------------------------------- */

extern const char cuda_kernel_gpu[], cuda_kernel_sweep[], cuda_kernel_ring[],
    cuda_kernel_ring_async[], cuda_kernel_ring_tensor[], cuda_kernel_fused[],
    cuda_kernel_registers_lines[], cuda_kernel_registers[], cuda_kernel_registers_ring[],
    cuda_kernel_shell[], cuda_kernel_persistent[], cuda_kernel_persistent_field[],
    cuda_kernel_persistent_halo[];

/* The kinds of schedules for fused launches: their rows of the table. */
#define DECLARE(kind, name, on, steps, options, emitter, model)                          \
    extern const cuda_launch_kind emitter;
#define ROW(kind, name, on, steps, options, emitter, model)                              \
    [SCHEDULE_##kind] = &(emitter),

SCHEDULES_GPU_FUSED(DECLARE)
static const cuda_launch_kind *const table[SCHEDULE_KINDS] = {SCHEDULES_GPU_FUSED(ROW)};

const cuda_launch_kind *cuda_launch_kind_of(schedule_kind kind)
{
    return table[kind] ? table[kind] : &cuda_time;
}

static pav_status add_launch(arena *a, const ir *code, int64_t number,
                             const schedule *requested, text *t)
{
    emit_gpu_fused fused;
    fused_plan p;

    fused_plan_open(a, code, requested, NULL, &p);
    if (p.refusal)
        return refuse(&p);
    describe(&p, &fused);
    cuda_launch_header(&p, &fused, t);
    p.t = t;
    p.which = number;
    p.fused = &fused;
    p.of->text(&p);
    return PAV_OK;
}

static pav_status print_launch(const ir *code, int64_t number, const schedule *requested,
                               text *t)
{
    RETURN_IN_ARENA(a, add_launch(a, code, number, requested, t));
}

pav_status emit_gpu_fused_source(const ir *const *code, int64_t count,
                                 const schedule *const *of_program, const char *head,
                                 text *t)
{
    emit_head(head, t);
    const int64_t begin = t->length;
    const emit_needs n = emit_needs_of(code, count, true);
    bool rings = false, persistent = false;

    for (int64_t p = 0; p < count; p++) {
        const schedule *s = of_program[p];

        rings |= s && (s->prefetch > 0 || s->tile.copy == COPY_TMA);
        persistent |= s && s->kind == SCHEDULE_PERSISTENT;
    }
    const emit_part part[] = {
        {true, cuda_kernel_sweep},
        {true, cuda_kernel_ring},
        {true, cuda_kernel_ring_async},
        {true, cuda_kernel_fused},
        {true, cuda_kernel_registers_lines},
        {true, cuda_kernel_registers},
        {rings, cuda_kernel_ring_tensor},
        {rings, cuda_kernel_registers_ring},
        {persistent, cuda_kernel_shell},
        {persistent, cuda_kernel_persistent},
        {persistent, cuda_kernel_persistent_field},
        {persistent, cuda_kernel_persistent_halo},
    };
    text_add(t, "\n%s", cuda_kernel_gpu);
    cuda_shared_prelude(&n, t);
    emit_parts(part, COUNT_OF(part), t);

    const int64_t end = t->length;
    cuda_add_functions(&n, t);
    const int64_t kernels = t->length;
    for (int64_t p = 0; p < count; p++)
        if (code[p] && of_program[p])
            TRY(print_launch(code[p], p, of_program[p], t));
    return cuda_close_source(begin, end, kernels, t);
}

pav_status cuda_emit_launch(const ir *code, const schedule *s, const char *head, text *t)
{
    OWNED_BY(emit_gpu_groups_free) emit_gpu_groups g = {0};

    if (schedule_groups_stages(s)) {
        TRY(emit_gpu_groups_open(code, s, NULL, &g));
        return emit_gpu_groups_source(&g, head, t);
    }
    return emit_gpu_fused_source(&code, 1, &s, head, t);
}
