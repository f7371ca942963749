/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes of a fused launch: points of a tile, steps, threads and rows, and the memory of
 * its versions. */
#include "codegen/gpu/fused_private.h"

enum {
    DEFAULT_DEPTH = 4,
    DEFAULT_X = GPU_WARP,
    DEFAULT_Y = GPU_BLOCK_THREADS / GPU_WARP,
    /* for versions in registers: warps of a block, rows of a thread */
    REGISTER_WARPS = 12,
    REGISTER_ROWS = 3,
    RING_WARPS = 8, /* the same if inputs are in rings */
    RING_ROWS = 5,
    RING_AHEAD = 2,
    RING_SUITS = 128,
};

/* ---- sizes ------------------------------------------------------------------------- */

int fused_points(const fused_plan *p, int axis)
{
    const schedule *s = &p->schedule;

    return axis >= p->axis
               ? 1
               : s->tile.size[axis] * (axis == 0 ? s->thread.size[0] : s->thread.size[1]);
}

/* The stored part of a tile begins with a whole vector. */
int fused_overlap(const fused_plan *p, int axis)
{
    return (int)int_rounded(p->schedule.tile.steps * p->reach[axis],
                            axis == 0 ? p->schedule.thread.size[0] : 1);
}

int fused_versions(const fused_plan *p, int field)
{
    const fused_field *f = &p->field[field];

    return p->schedule.tile.steps - f->oldest + f->within;
}

int fused_first_computed(const fused_plan *p, int field)
{
    return p->rings ? 1 - p->field[field].oldest : 0;
}

bool fused_is_copied(const fused_plan *p)
{
    return p->rings && p->schedule.tile.copy == COPY_TMA;
}

/* Points of a plane in shared memory. */
static int64_t points_shared(const fused_plan *p, const fused_field *f)
{
    const int rows = p->schedule.thread.size[1];

    return !p->in_registers ? (int64_t)fused_points(p, 0) * fused_points(p, 1)
                            : (int64_t)fused_points(p, 0) * p->schedule.tile.size[1] *
                                  (2 * f->edge < rows ? 2 * f->edge : rows);
}

static int most_input_planes(const fused_plan *p)
{
    int most = 1;

    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            most = int_most(most, p->field[f].input_planes);
    return most;
}

int fused_ring(const fused_plan *p)
{
    return p->rings ? p->phases * p->rounds : p->schedule.prefetch;
}

int fused_prefetch_planes(const fused_plan *p)
{
    return p->rings                   ? fused_ring(p) - most_input_planes(p)
           : p->schedule.prefetch > 0 ? p->schedule.prefetch
                                      : 1;
}

bool fused_has_phase(const fused_plan *p, int field)
{
    return p->rings && p->phases > 1 && p->field[field].exchange <= p->phases;
}

int fused_exchange_planes(const fused_plan *p, int field)
{
    const int exchange = p->field[field].exchange;

    return exchange > 0 && fused_has_phase(p, field) ? p->phases : exchange;
}

static int64_t take_shared(fused_plan *p, int64_t bytes, int64_t suits)
{
    const int64_t at = p->shared;

    p->shared = int_rounded(at + bytes, suits);
    return at;
}

static bool fits(fused_plan *p, int depth)
{
    const int64_t rows = (int64_t)p->schedule.tile.size[1] * p->schedule.thread.size[1];

    p->schedule.tile.steps = depth;
    p->shared = 0;

    /* The prefetched planes: all input levels, or the points for the thread's
     * registers. */
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f]) {
            const int64_t size = (int64_t)pav_type_size(p->code->field[f].storage);
            const int64_t planes = fused_ring(p) * (1 - p->field[f].oldest);
            p->field[f].prefetched = take_shared(
                p, p->in_registers ? planes * size * fused_points(p, 0) * rows : 0,
                RING_SUITS);
        }
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f]) {
            fused_field *field = &p->field[f];
            const int64_t size = (int64_t)pav_type_size(p->code->field[f].storage);

            field->level_bytes = points_shared(p, field) *
                                 (p->in_registers ? fused_exchange_planes(p, f)
                                                  : field->planes) *
                                 size;
            field->at = take_shared(
                p,
                field->level_bytes * (fused_versions(p, f) - fused_first_computed(p, f)),
                16);
        }
    if (fused_is_copied(p))
        p->gates = take_shared(p, 2 * fused_ring(p) * (int64_t)sizeof(uint64_t), 16);

    for (int axis = 0; axis < p->axis; axis++)
        if (fused_points(p, axis) <= 2 * fused_overlap(p, axis))
            return false;
    return p->shared <= gpu_shared_most();
}

/* All levels left by the launch must be its own results. */
int fused_least(const fused_plan *p)
{
    int least = p->code->group_of ? 1 : 2;

    for (int f = 0; f < p->code->fields; f++)
        least = int_most(least, p->field[f].kept);
    return least;
}

/* ---- versions in registers --------------------------------------------------------- */

/* Points in 16 bytes of the largest type. */
int fused_vector(const fused_plan *p)
{
    int size = 1;

    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            size = int_most(size, (int)pav_type_size(p->code->field[f].storage));
    return GPU_VECTOR / size;
}

/* Bytes for each point that a thread keeps from plane to plane. */
static int register_bytes(const fused_plan *p)
{
    int bytes = 0;

    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            bytes += (p->field[f].planes - 1) *
                     (fused_versions(p, f) - fused_first_computed(p, f)) *
                     (int)pav_type_size(p->code->field[f].storage);
    for (int64_t n = 0; n < p->operations; n++)
        for (int64_t k = 0; k < p->operation[n].sums; k++)
            bytes += (p->operation[n].sum[k].planes - 1) * p->schedule.tile.steps *
                     (int)pav_type_size(fused_stage_of(p, &p->operation[n])->real);
    return bytes;
}

int fused_register_words(const fused_plan *p)
{
    return register_bytes(p) * p->schedule.thread.size[0] * p->schedule.thread.size[1] /
           4;
}

/* True if the kept planes fit in a thread's registers. This is an estimate. */
static bool is_narrow(const fused_plan *p)
{
    const schedule *s = &p->schedule;
    const int words = fused_register_words(p);

    return words <= GPU_VERSION_REGISTERS &&
           words * s->tile.size[0] * s->tile.size[1] <=
               GPU_VERSION_REGISTERS * GPU_VERSION_THREADS;
}

static void refuse_copies(fused_plan *p, const schedule *requested)
{
    const schedule *s = &p->schedule;

    fused_refuse_if(p, s->tile.copy != COPY_ASYNC && s->tile.copy != COPY_TMA,
                    "threads copy planes of a launch by async, or tma does");
    fused_refuse_if(p, s->tile.copy == COPY_TMA && !p->rings,
                    "the tensor memory accelerator copies planes of 3 dimensions");
    fused_refuse_if(p, p->rings && requested->tile.ahead > 0,
                    "planes that come by prefetch are asked for once: leave out ahead");
    for (int f = 0; f < p->code->fields; f++) {
        const int size = (int)pav_type_size(p->code->field[f].storage);
        fused_refuse_if(p, p->moves[f] && s->prefetch > 0 && size < 4,
                        "prefetch takes fields of 4 or 8 bytes a point");
        fused_refuse_if(p,
                        p->moves[f] && s->tile.copy == COPY_TMA &&
                            size * s->thread.size[0] % GPU_VECTOR != 0,
                        "the tensor memory accelerator copies vectors of 16 bytes");
    }
}

/* Box stencils and several fields need many registers: use more threads with fewer rows
 * each. */
bool fused_is_wide(const fused_plan *p)
{
    int64_t count = 0;
    bool input = false;

    for (int f = 0; f < p->code->fields; f++)
        count += p->moves[f];
    for (int64_t n = 0; n < p->operations; n++)
        input |= p->operation[n].input;
    return input || count > 1;
}

static void find_rounds(fused_plan *p, int phases)
{
    p->phases = phases;
    p->rounds = (int)int_parts(most_input_planes(p) + p->schedule.prefetch, phases);
}

/* Prefetches fewer planes if the default number does not fit. */
static void settle_ahead(fused_plan *p, const schedule *requested)
{
    schedule *s = &p->schedule;

    while (requested->prefetch == 0 && s->prefetch > 1 && !fits(p, s->tile.steps)) {
        s->prefetch--;
        find_rounds(p, 1);
    }
}

/* Chooses the largest depth and number of rows that fit in the registers. */
static void choose_registers_rest(fused_plan *p, const schedule *requested)
{
    schedule *s = &p->schedule;

    if (s->tile.copy == COPY_TMA && s->prefetch == 0)
        s->prefetch = RING_AHEAD;
    p->rings = p->axis == 2 && s->prefetch > 0;
    const bool is_tall = p->rings && !fused_is_wide(p);
    find_rounds(p, 1);
    s->thread.size[0] = requested->thread.size[0] > 0 ? requested->thread.size[0]
                                                      : fused_vector(p);
    s->tile.size[0] = GPU_WARP;
    s->tile.size[1] = requested->tile.size[1] > 0 ? requested->tile.size[1]
                      : p->axis == 1              ? 4
                      : is_tall                   ? RING_WARPS
                                                  : REGISTER_WARPS;
    s->thread.size[1] = p->axis == 1                    ? 1
                        : requested->thread.size[1] > 0 ? requested->thread.size[1]
                        : is_tall                       ? RING_ROWS
                                                        : REGISTER_ROWS;
    s->tile.steps = requested->tile.steps > 0 ? requested->tile.steps
                    : p->axis == 1            ? 8
                                              : DEFAULT_DEPTH;
    while (requested->tile.steps == 0 && s->tile.steps > fused_least(p) && !is_narrow(p))
        s->tile.steps--;
    settle_ahead(p, requested);
    while (requested->thread.size[1] == 0 && s->thread.size[1] > 1 &&
           !(is_narrow(p) && fits(p, s->tile.steps)))
        s->thread.size[1]--;
    s->tile.ahead = requested->tile.ahead > 0 ? requested->tile.ahead
                    : p->rings                ? 0
                    : s->prefetch > 0         ? s->tile.steps
                                              : int_most(s->tile.steps / 2, 1);
    if (p->rings) {
        /* Adds planes to the ring so that slots are constants, if memory suffices. */
        find_rounds(p, int_most(p->schedule.unroll, 1));
        if (!fits(p, p->schedule.tile.steps))
            find_rounds(p, 1);
    }
    refuse_copies(p, requested);
    fused_refuse_if(p, s->tile.ahead > s->tile.steps,
                    "a plane is read at most as many steps ahead as a launch fuses");
}

static void settle_shared(fused_plan *p, const schedule *requested)
{
    schedule *s = &p->schedule;

    s->thread.size[0] = s->thread.size[1] = s->tile.ahead = 1;
    s->prefetch = 0;
    fused_refuse_if(p, s->tile.copy != COPY_ASYNC,
                    "versions that lie in shared memory are not copied ahead");
    if (requested->tile.size[0] == 0) {
        s->tile.size[0] = p->axis == 1 ? 8 * DEFAULT_X : DEFAULT_X;
        s->tile.size[1] = DEFAULT_Y;
    }
    if (p->axis == 1)
        s->tile.size[1] = 1;
    if (s->tile.steps == 0) {
        /* At least half of a tile should be outside the overlap. */
        int depth = int_most(DEFAULT_DEPTH, fused_least(p));

        while (depth > fused_least(p) &&
               (4 * depth * p->reach[0] > fused_points(p, 0) || !fits(p, depth)))
            depth--;
        s->tile.steps = depth;
    }
}

void fused_choose(fused_plan *p, const schedule *requested)
{
    schedule *s = &p->schedule;

    if (p->in_registers)
        choose_registers_rest(p, requested);
    else
        settle_shared(p, requested);
    fused_refuse_if(p, s->tile.size[0] * s->tile.size[1] > GPU_BLOCK_THREADS,
                    "a block has at most %d threads", GPU_BLOCK_THREADS);
    fused_refuse_if(p,
                    s->tile.steps < fused_least(p) || s->tile.steps > SCHEDULE_MOST_DEPTH,
                    "a launch takes %d to %d steps, no fewer than it leaves levels",
                    fused_least(p), SCHEDULE_MOST_DEPTH);
    fused_refuse_if(p, p->code->group_of && s->tile.steps != 1,
                    "a group of stages is of one step: depth=1");
    if (!fits(p, s->tile.steps)) {
        /* Names the cause: too few points along an axis, or too little shared memory. */
        const int depth = p->schedule.tile.steps;

        for (int axis = 0; axis < p->axis; axis++)
            fused_refuse_if(p, fused_points(p, axis) <= 2 * fused_overlap(p, axis),
                            "%d steps leave none of the %d points of a tile along %c: "
                            "take fewer steps or more %s",
                            depth, fused_points(p, axis), "xyz"[axis],
                            !p->in_registers ? "threads"
                            : axis == 0      ? "points (vector=)"
                                             : "rows");
        fused_refuse_if(
            p, true,
            "%d steps of its tile take %lld bytes of shared memory, and a block "
            "has %d: take fewer steps or threads",
            depth, (long long)p->shared, gpu_shared_most());
    }
}
