/* SPDX-License-Identifier: BSD-3-Clause */
/* How large a pass is: points of a tile, steps, threads and rows, and where its versions lie. */
#include "emit/pass_private.h"

enum {
    USUAL_DEPTH = 4,
    USUAL_X = 32,
    USUAL_Y = 32,
    HELD_WARPS = 12, /* of a block, and rows of each, of what is held, */
    HELD_ROWS = 3,
    RING_WARPS = 8, /* or but for what is found */
    RING_ROWS = 5,
    RING_AHEAD = 2,
    RING_SUITS = 128,
};

/* ---- sizes -------------------------------------------------------------------------------- */

int pass_points(const pass_plan *p, int axis)
{
    const emit_gpu_schedule *s = &p->schedule;

    if (axis >= p->axis)
        return 1;
    return s->threads[axis] * (axis == 0 ? s->vector : s->rows);
}

/* What a tile stores begins with a whole pack. */
int pass_overlap(const pass_plan *p, int axis)
{
    const int points_beside = p->schedule.depth * p->reach[axis];
    const int pack = axis == 0 ? p->schedule.vector : 1;

    return (points_beside + pack - 1) / pack * pack;
}

int pass_versions(const pass_plan *p, int field)
{
    const pass_field *f = &p->field[field];

    return p->schedule.depth - f->oldest + f->within;
}

int pass_first_made(const pass_plan *p, int field)
{
    return p->rings ? 1 - p->field[field].oldest : 0;
}

bool pass_is_copied(const pass_plan *p)
{
    return p->rings && p->schedule.copy == EMIT_GPU_TMA;
}

/* Points of a plane that are in shared memory. */
static int64_t points_shared(const pass_plan *p, const pass_field *f)
{
    const int rows = p->schedule.rows;

    if (!p->held)
        return (int64_t)pass_points(p, 0) * pass_points(p, 1);
    return (int64_t)pass_points(p, 0) * p->schedule.threads[1] *
           (2 * f->edge < rows ? 2 * f->edge : rows);
}

static int most_found(const pass_plan *p)
{
    int most = 1;

    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            most = int_most(most, p->field[f].found);
    return most;
}

int pass_ring(const pass_plan *p)
{
    return p->rings ? p->phases * p->rounds : p->schedule.prefetch;
}

int pass_planes_ahead(const pass_plan *p)
{
    if (p->rings)
        return pass_ring(p) - most_found(p);
    return p->schedule.prefetch > 0 ? p->schedule.prefetch : 1;
}

bool pass_has_phase(const pass_plan *p, int field)
{
    return p->rings && p->phases > 1 && p->field[field].shown <= p->phases;
}

int pass_shown(const pass_plan *p, int field)
{
    const int shown = p->field[field].shown;

    return shown > 0 && pass_has_phase(p, field) ? p->phases : shown;
}

static int64_t take_shared(pass_plan *p, int64_t bytes, int64_t suits)
{
    const int64_t at = p->shared;

    p->shared = (at + bytes + suits - 1) / suits * suits;
    return at;
}

/* Planes that come ahead: all that is read of what is found, or a thread's own points before it holds them. */
static void place_soon(pass_plan *p, int f)
{
    const int64_t size = (int64_t)pav_type_size(p->code->field[f].storage);
    const int64_t rows = (int64_t)p->schedule.threads[1] * p->schedule.rows;
    pass_field *field = &p->field[f];

    field->soon = take_shared(p,
                              p->held ? pass_ring(p) * (1 - field->oldest) * size *
                                            pass_points(p, 0) * rows
                                      : 0,
                              RING_SUITS);
}

static void place_field(pass_plan *p, int f)
{
    pass_field *field = &p->field[f];
    const int64_t size = (int64_t)pav_type_size(p->code->field[f].storage);

    field->level_bytes = points_shared(p, field) *
                         (p->held ? pass_shown(p, f) : field->planes) * size;
    field->at = take_shared(
        p, field->level_bytes * (pass_versions(p, f) - pass_first_made(p, f)), 16);
}

static void place_fields(pass_plan *p)
{
    p->shared = 0;
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            place_soon(p, f);
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            place_field(p, f);
    if (pass_is_copied(p))
        p->gates = take_shared(p, 2 * pass_ring(p) * (int64_t)sizeof(uint64_t), 16);
}

static bool fits(pass_plan *p, int depth)
{
    p->schedule.depth = depth;
    place_fields(p);
    for (int axis = 0; axis < p->axis; axis++)
        if (pass_points(p, axis) <= 2 * pass_overlap(p, axis))
            return false;
    return p->shared <= gpu_shared_most();
}

/* All levels that it leaves are its own. */
int pass_least(const pass_plan *p)
{
    int least = 2;

    for (int f = 0; f < p->code->fields; f++)
        least = int_most(least, p->field[f].kept);
    return least;
}

/* At least half of a tile should be its own. */
static int usual_depth(pass_plan *p)
{
    int depth = int_most(USUAL_DEPTH, pass_least(p));

    while (depth > pass_least(p) &&
           (4 * depth * p->reach[0] > pass_points(p, 0) || !fits(p, depth)))
        depth--;
    return depth;
}

/* ---- what is held ------------------------------------------------------------------------- */

static bool is_given(border_kind kind)
{
    return kind == BORDER_NONE || kind == BORDER_VALUE || kind == BORDER_BEYOND ||
           kind == BORDER_PERIODIC;
}

bool pass_has_faces(const pass_plan *p, const ir_stage *stage)
{
    for (int64_t k = 0; k < stage->outputs; k++)
        for (int face = 0; face < 2 * p->code->dim; face++) {
            const ir_field *f = &p->code->field[stage->output[k].field];
            const border_kind kind = f->border[face / 2][face % 2].kind;
            if (kind == BORDER_VALUE || kind == BORDER_BEYOND)
                return true;
        }
    return false;
}

/* Points of 16 bytes of the largest numbers. */
int pass_pack(const pass_plan *p)
{
    int size = 1;

    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            size = int_most(size, (int)pav_type_size(p->code->field[f].storage));
    return GPU_VECTOR / size;
}

static bool has_marks(const pass_plan *p)
{
    bool seen = p->code->injections.count > 0;

    for (int f = 0; f < p->code->fields; f++)
        seen |= p->field[f].seen;
    return seen;
}

static const char *held_refusal(const pass_plan *p, const emit_gpu_schedule *s)
{
    const int pack = s->vector > 0 ? s->vector : pass_pack(p);

    for (int f = 0; f < p->code->fields; f++)
        for (int face = 0; face < 2 * p->code->dim && p->moves[f]; face++)
            if (!is_given(p->code->field[f].border[face / 2][face % 2].kind))
                return "borders that copy points are not made in registers";
    for (int64_t n = 0; n < p->acts; n++)
        for (int64_t k = 0; k < pass_stage_of(p, &p->act[n])->count; k++) {
            const ir_node *node = &pass_stage_of(p, &p->act[n])->node[k];
            if (node->op == IR_LOAD && p->moves[node->field] &&
                pass_distance(node, 0) > pack)
                return "neighbours along x are farther away than the next pack";
        }
    if (has_marks(p))
        return "sources and receivers are not met in registers";
    if (s->threads[0] > 0 && s->threads[0] != GPU_WARP)
        return "a row of a block is a warp of 32 threads";
    return NULL;
}

/* Bytes of a point that a thread holds from plane to plane. */
static int held_bytes(const pass_plan *p)
{
    int bytes = 0;

    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            bytes += (p->field[f].planes - 1) *
                     (pass_versions(p, f) - pass_first_made(p, f)) *
                     (int)pav_type_size(p->code->field[f].storage);
    for (int64_t n = 0; n < p->acts; n++)
        for (int64_t k = 0; k < p->act[n].sums; k++)
            bytes += (p->act[n].sum[k].planes - 1) * p->schedule.depth *
                     (int)pav_type_size(pass_stage_of(p, &p->act[n])->real);
    return bytes;
}

int pass_words(const pass_plan *p)
{
    return held_bytes(p) * p->schedule.vector * p->schedule.rows / 4;
}

/* Whether a thread has registers for it, as far as that can be told. */
static bool is_narrow(const pass_plan *p)
{
    enum { MOST = 190 };
    const emit_gpu_schedule *s = &p->schedule;
    const int words = pass_words(p);

    return words <= MOST && words * s->threads[0] * s->threads[1] <= MOST * 384;
}

static void refuse_copies(pass_plan *p, const emit_gpu_schedule *wanted)
{
    const emit_gpu_schedule *s = &p->schedule;

    if (s->copy != EMIT_GPU_ASYNC && s->copy != EMIT_GPU_TMA)
        pass_refuse(p, "threads copy planes of a pass by async, or tma does", NULL);
    if (s->copy == EMIT_GPU_TMA && !p->rings)
        pass_refuse(p, "the tensor memory accelerator copies planes of 3 dimensions",
                    NULL);
    if (p->rings && wanted->ahead > 0)
        pass_refuse(p, "planes that come by prefetch are asked for once: leave out ahead",
                    NULL);
    for (int f = 0; f < p->code->fields; f++) {
        const int size = (int)pav_type_size(p->code->field[f].storage);
        if (p->moves[f] && s->prefetch > 0 && size < 4)
            pass_refuse(p, "prefetch takes fields of 4 or 8 bytes a point", NULL);
        if (p->moves[f] && s->copy == EMIT_GPU_TMA && size * s->vector % GPU_VECTOR != 0)
            pass_refuse(p, "the tensor memory accelerator copies packs of 16 bytes",
                        NULL);
    }
}

/* Boxes and several fields are short of registers: more threads with fewer rows each. */
bool pass_is_wide(const pass_plan *p)
{
    int64_t count = 0;
    bool input = false;

    for (int f = 0; f < p->code->fields; f++)
        count += p->moves[f];
    for (int64_t n = 0; n < p->acts; n++)
        input |= p->act[n].input;
    return input || count > 1;
}

static void find_rounds(pass_plan *p, int phases)
{
    p->phases = phases;
    p->rounds = (most_found(p) + p->schedule.prefetch + phases - 1) / phases;
}

/* Some planes more than are wanted, where there is room. */
static void find_phases(pass_plan *p)
{
    find_rounds(p, int_most(p->schedule.unroll, 1));
    if (!fits(p, p->schedule.depth))
        find_rounds(p, 1);
}

/* Fewer planes ahead where those that are usual do not fit. */
static void settle_ahead(pass_plan *p, const emit_gpu_schedule *wanted)
{
    emit_gpu_schedule *s = &p->schedule;

    while (wanted->prefetch == 0 && s->prefetch > 1 && !fits(p, s->depth)) {
        s->prefetch--;
        find_rounds(p, 1);
    }
}

/* As many rows and steps as there are registers for. */
static void settle_held(pass_plan *p, const emit_gpu_schedule *wanted)
{
    emit_gpu_schedule *s = &p->schedule;

    if (s->copy == EMIT_GPU_TMA && s->prefetch == 0)
        s->prefetch = RING_AHEAD;
    p->rings = p->axis == 2 && s->prefetch > 0;
    const bool is_tall = p->rings && !pass_is_wide(p);
    find_rounds(p, 1);
    s->vector = wanted->vector > 0 ? wanted->vector : pass_pack(p);
    s->threads[0] = GPU_WARP;
    s->threads[1] = wanted->threads[1] > 0 ? wanted->threads[1]
                    : p->axis == 1         ? 4
                    : is_tall              ? RING_WARPS
                                           : HELD_WARPS;
    s->rows = p->axis == 1       ? 1
              : wanted->rows > 0 ? wanted->rows
              : is_tall          ? RING_ROWS
                                 : HELD_ROWS;
    s->depth = wanted->depth > 0 ? wanted->depth : p->axis == 1 ? 8 : USUAL_DEPTH;
    while (wanted->depth == 0 && s->depth > pass_least(p) && !is_narrow(p))
        s->depth--;
    settle_ahead(p, wanted);
    while (wanted->rows == 0 && s->rows > 1 && !(is_narrow(p) && fits(p, s->depth)))
        s->rows--;
    s->ahead = wanted->ahead > 0 ? wanted->ahead
               : p->rings        ? 0
               : s->prefetch > 0 ? s->depth
                                 : s->depth / 2;
    if (p->rings)
        find_phases(p);
    refuse_copies(p, wanted);
    if (s->ahead > s->depth)
        pass_refuse(p, "a plane is read at most as many steps ahead as a pass has", NULL);
}

static void settle_shared(pass_plan *p, const emit_gpu_schedule *wanted)
{
    emit_gpu_schedule *s = &p->schedule;

    s->vector = s->rows = s->ahead = 1;
    s->prefetch = 0;
    if (s->copy != EMIT_GPU_ASYNC)
        pass_refuse(p, "versions that lie in shared memory are not copied ahead", NULL);
    if (wanted->threads[0] == 0) {
        s->threads[0] = p->axis == 1 ? 8 * USUAL_X : USUAL_X;
        s->threads[1] = USUAL_Y;
    }
    if (p->axis == 1)
        s->threads[1] = 1;
    if (s->depth == 0)
        s->depth = usual_depth(p);
}

/* Of its points along an axis, or of its shared memory. */
static void refuse_size(pass_plan *p)
{
    const int depth = p->schedule.depth;

    for (int axis = 0; axis < p->axis; axis++)
        if (pass_points(p, axis) <= 2 * pass_overlap(p, axis))
            pass_say(p,
                     "%d steps leave none of the %d points of a tile along %c: take "
                     "fewer steps or more %s",
                     depth, pass_points(p, axis), "xyz"[axis],
                     !p->held    ? "threads"
                     : axis == 0 ? "points (vector=)"
                                 : "rows");
    pass_say(p,
             "%d steps of its tile take %lld bytes of shared memory, and a block has %d: "
             "take fewer steps or threads",
             depth, (long long)p->shared, gpu_shared_most());
}

void pass_settle(pass_plan *p, const emit_gpu_schedule *wanted)
{
    emit_gpu_schedule *s = &p->schedule;

    if (p->held)
        settle_held(p, wanted);
    else
        settle_shared(p, wanted);
    if (s->threads[0] * s->threads[1] > GPU_BLOCK_THREADS)
        pass_refuse(p, "a block has at most 1024 threads", NULL);
    if (s->depth < pass_least(p) || s->depth > EMIT_GPU_MOST_TIME)
        pass_say(p, "a pass takes %d to %d steps, no fewer than it leaves levels",
                 pass_least(p), EMIT_GPU_MOST_TIME);
    if (!fits(p, s->depth))
        refuse_size(p);
}

/* In registers where that can be, and nothing else is asked for. */
void pass_choose_place(pass_plan *p, const emit_gpu_schedule *wanted)
{
    const char *why = held_refusal(p, wanted);

    p->schedule = *wanted;
    p->unheld = why;
    p->held = !why && wanted->source != EMIT_GPU_SHARED;
    p->schedule.source = p->held ? EMIT_GPU_SHUFFLE : EMIT_GPU_SHARED;
    if (wanted->source == EMIT_GPU_SHUFFLE && why)
        pass_refuse(p, why, NULL);
}
