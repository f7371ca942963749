/* SPDX-License-Identifier: BSD-3-Clause */
/* How a grid is parted among blocks that stay for many steps: which tile each has, how many versions of a field lie in its
 * shared memory, and what it gives to those around it.
 *
 * A stage's results are held in registers until all threads of the block have read, so a new version may take the place of
 * the oldest one, unless a later stage of the step reads that, too. */
#include <math.h>

#include "emit/pass_private.h"

enum {
    LINE = 128, /* bytes, for the number that a block tells */
    WARP = 32,
    MOST_THREADS = 1024,
    MOST_LINES = 6000, /* values of a thread; compilers take more than linear time */
    MOST_ROWS = 8,
    USUAL_ROWS = 4,
    OF_THREAD = 65536 /* registers of a multiprocessor */
};

/* ---- fields ------------------------------------------------------------------------------- */

static bool loads_late(const pass_plan *p, int field, int level)
{
    bool stored = false;

    for (int64_t n = 0; n < p->acts; n++) {
        const ir_stage *s = pass_stage_of(p, &p->act[n]);
        for (int64_t k = 0; k < s->count && stored; k++)
            if (s->node[k].op == IR_LOAD && s->node[k].field == field &&
                s->node[k].level == level)
                return true;
        stored |= pass_stores(s, field);
    }
    return false;
}

static void find_near(pass_plan *p, const ir_stage *s)
{
    for (int64_t k = 0; k < s->count; k++) {
        const ir_node *n = &s->node[k];
        if (n->op != IR_LOAD || !p->moves[n->field])
            continue;
        pass_field *f = &p->field[n->field];
        for (int axis = 0; axis < MAX_DIM; axis++) {
            f->near[axis][0] = int_most(f->near[axis][0], -n->offset[axis]);
            f->near[axis][1] = int_most(f->near[axis][1], n->offset[axis]);
        }
    }
}

/* A pass leaves all levels that it was told to; the last but the newest are stored before the last step. */
static void find_versions(pass_plan *p)
{
    for (int64_t n = 0; n < p->acts; n++)
        find_near(p, pass_stage_of(p, &p->act[n]));
    for (int f = 0; f < p->code->fields; f++) {
        pass_field *field = &p->field[f];
        if (!p->moves[f])
            continue;
        field->versions = int_most(1 - field->oldest, field->kept - 1);
        field->oldest = 1 - field->versions;
        field->versions += loads_late(p, f, field->oldest);
    }
}

static bool has_border(const pass_plan *p, int field, int axis, border_kind kind)
{
    const ir_border *b = p->code->field[field].border[axis];

    return b[0].kind == kind || b[1].kind == kind;
}

/* Whether points of one tile are read from another, or from beyond a face that copies them. */
static bool is_shown(const pass_plan *p, int field, int axis)
{
    const ir_border *b = p->code->field[field].border[axis];
    const int *near = p->field[field].near[axis];
    const bool copied = b[0].kind >= BORDER_NEUMANN || b[1].kind >= BORDER_NEUMANN;

    return near[0] + near[1] > 0 && (copied || p->schedule.parts[axis] > 1);
}

/* A face may be mirrored about itself, so that what is read lies one point further in. */
int resident_rim(const pass_plan *p, int field, int axis)
{
    const int *near = p->field[field].near[axis];
    const bool about_face = has_border(p, field, axis, BORDER_NEUMANN) ||
                            has_border(p, field, axis, BORDER_ODD);

    return is_shown(p, field, axis) ? int_most(near[0], near[1]) + about_face : 0;
}

/* ---- tiles -------------------------------------------------------------------------------- */

int resident_points(const pass_plan *p, int axis)
{
    const int64_t n = points_along(p->code, axis, false), parts = p->schedule.parts[axis];

    return (int)((n + parts - 1) / parts);
}

static int64_t columns_of(const pass_plan *p)
{
    const int64_t rows = p->schedule.rows, y = resident_points(p, 1);

    return resident_points(p, 0) * ((y + rows - 1) / rows) * resident_points(p, 2);
}

static int64_t each_of(const pass_plan *p, int64_t threads)
{
    return (columns_of(p) + threads - 1) / threads * p->schedule.rows;
}

static void place_fields(pass_plan *p)
{
    const int64_t blocks = (int64_t)p->schedule.parts[0] * p->schedule.parts[1] *
                           p->schedule.parts[2];

    p->shared = 0;
    p->flag_bytes = p->common_bytes = blocks * LINE;
    for (int f = 0; f < p->code->fields; f++) {
        pass_field *field = &p->field[f];
        int64_t bytes = (int64_t)pav_type_size(p->code->field[f].storage), all = bytes;
        if (!p->moves[f])
            continue;
        for (int axis = 0; axis < MAX_DIM; axis++) {
            bytes *= resident_points(p, axis) + field->near[axis][0] +
                     field->near[axis][1];
            all *= points_along(p->code, axis, false);
        }
        field->at = p->shared;
        field->common = p->common_bytes - p->flag_bytes;
        p->shared += (bytes * field->versions + LINE - 1) / LINE * LINE;
        p->common_bytes += (2 * all + LINE - 1) / LINE * LINE;
    }
}

/* Points around the widest of the fields' parts that are read along an axis. */
static int rim_of(const pass_plan *p, int axis)
{
    int rim = 0;

    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            rim = int_most(rim, resident_rim(p, f, axis));
    return rim;
}

/* Points along an axis that no stage stores. */
static int inset_of(const pass_plan *p, int axis)
{
    int inset = 0;

    for (int64_t n = 0; n < p->acts; n++)
        inset = int_most(inset, pass_stage_of(p, &p->act[n])->inset[axis][0] +
                                    pass_stage_of(p, &p->act[n])->inset[axis][1]);
    return inset;
}

/* Points of the narrowest part. */
static int64_t narrowest(const pass_plan *p, int axis)
{
    return points_along(p->code, axis, false) / p->schedule.parts[axis];
}

/* Tiles are so large that nothing is read from beyond those around one, and that a column has all its rows. */
static bool has_room(const pass_plan *p)
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        if (narrowest(p, axis) < rim_of(p, axis) ||
            narrowest(p, axis) < (axis == 1 ? p->schedule.rows : 1) + inset_of(p, axis))
            return false;
    return true;
}

/* ---- threads ------------------------------------------------------------------------------ */

/* Registers that a thread has for what it computes of a stage, beside what that takes. */
static bool holds_results(const pass_plan *p, int64_t threads)
{
    enum { BESIDE = 32 };
    int most = 0;

    for (int64_t n = 0; n < p->acts; n++) {
        const ir_stage *s = pass_stage_of(p, &p->act[n]);
        most = int_most(most, (int)s->outputs * (s->real == PAV_F64 ? 2 : 1));
    }
    return each_of(p, threads) * most <= OF_THREAD / threads - BESIDE;
}

static int threads_for(const pass_plan *p)
{
    const int64_t columns = columns_of(p);
    int threads = MOST_THREADS;

    if (columns < threads)
        return (int)((columns + WARP - 1) / WARP * WARP);
    while (threads > MOST_THREADS / 4 && !holds_results(p, threads))
        threads /= 2;
    return threads;
}

/* ---- parts -------------------------------------------------------------------------------- */

/* About how many cycles a step takes: points of the largest tile, and those around it, which come from far, the more
 * where they stand one below the other. */
static double cost_of(const pass_plan *p)
{
    enum { BESIDE = 4, ABOVE = 1 };
    double count = 1, cost = 0;

    for (int axis = 0; axis < MAX_DIM; axis++)
        count *= resident_points(p, axis);
    for (int axis = 0; axis < MAX_DIM; axis++) {
        cost += 2 * rim_of(p, axis) * count / resident_points(p, axis) *
                (axis == 0 ? BESIDE : ABOVE);
    }
    return count + cost;
}

static bool fits(pass_plan *p, const resident_limits *most)
{
    place_fields(p);
    return p->shared <= most->shared && has_room(p);
}

static void try_parts(pass_plan *p, const resident_limits *most, const int parts[MAX_DIM],
                      double *least, int best[MAX_DIM])
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        p->schedule.parts[axis] = parts[axis];
    if (!fits(p, most) || cost_of(p) >= *least)
        return;
    *least = cost_of(p);
    for (int axis = 0; axis < MAX_DIM; axis++)
        best[axis] = parts[axis];
}

/* The cheapest that fit; 1 part each where none do. */
static void choose_parts(pass_plan *p, const resident_limits *most)
{
    const int ny = p->code->dim > 1 ? most->blocks : 1;
    int best[MAX_DIM] = {1, 1, 1};
    double least = INFINITY;

    for (int y = 1; y <= ny; y++)
        for (int x = 1; x * y <= most->blocks; x++) {
            const int z = p->code->dim > 2 ? most->blocks / (x * y) : 1;
            const int64_t nz = points_along(p->code, 2, false);
            const int64_t each = (nz + z - 1) / z;
            try_parts(p, most, (int[]){x, y, (int)((nz + each - 1) / each)}, &least,
                      best);
        }
    for (int axis = 0; axis < MAX_DIM; axis++)
        p->schedule.parts[axis] = best[axis];
}

/* ---- all ---------------------------------------------------------------------------------- */

static bool is_short(const pass_plan *p)
{
    int64_t nodes = 0;

    for (int64_t n = 0; n < p->acts; n++)
        nodes = pass_stage_of(p, &p->act[n])->count > nodes
                    ? pass_stage_of(p, &p->act[n])->count
                    : nodes;
    return nodes * each_of(p, p->schedule.threads[0]) <= MOST_LINES;
}

static void check_points(pass_plan *p)
{
    for (int64_t n = 0; n < p->acts; n++)
        if (p->act[n].event >= 0)
            pass_refuse(p, "blocks that stay take no sources", NULL);
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f] && p->field[f].seen)
            pass_refuse(p, "blocks that stay take no samples (of field %s)",
                        p->code->field[f].name);
}

static void check_room(pass_plan *p, int axis)
{
    const int64_t all = points_along(p->code, axis, false);
    const int parts = p->schedule.parts[axis], rim = rim_of(p, axis);
    const int least = (axis == 1 ? p->schedule.rows : 1) + inset_of(p, axis);
    const char name = "xyz"[axis];

    if (all < parts)
        pass_say(p, "the grid has %lld point%s along %c, and %d parts are asked for",
                 (long long)all, all == 1 ? "" : "s", name, parts);
    if (narrowest(p, axis) < rim)
        pass_say(p,
                 "of %d parts along %c one has %lld points, and %d are read around it: "
                 "take fewer parts",
                 parts, name, (long long)narrowest(p, axis), rim);
    if (narrowest(p, axis) < least)
        pass_say(p,
                 "of %d parts along %c one has %lld points, and needs %d for the rows of "
                 "a thread and what borders give: take fewer parts, or rows",
                 parts, name, (long long)narrowest(p, axis), least);
}

static void check_shared(pass_plan *p, const emit_gpu_schedule *wanted,
                         const resident_limits *most)
{
    if (p->shared <= most->shared)
        return;
    if (wanted->parts[0] > 0)
        pass_say(
            p,
            "the part of a block takes %lld bytes of shared memory, and it has %lld: "
            "take more parts, or a smaller grid",
            (long long)p->shared, (long long)most->shared);
    else
        pass_say(p,
                 "the grid does not fit into %lld bytes of shared memory of each of %d "
                 "multiprocessors",
                 (long long)most->shared, most->blocks);
}

static void check(pass_plan *p, const emit_gpu_schedule *wanted,
                  const resident_limits *most)
{
    const emit_gpu_schedule *s = &p->schedule;

    place_fields(p);
    for (int axis = 0; axis < MAX_DIM; axis++)
        check_room(p, axis);
    check_shared(p, wanted, most);
    if (s->threads[0] > MOST_THREADS || s->threads[0] % WARP != 0)
        pass_refuse(p, "a block has 32 to 1024 threads, in whole warps", NULL);
    if (s->rows > MOST_ROWS)
        pass_refuse(p, "a thread takes at most 8 rows", NULL);
    if (!is_short(p))
        pass_refuse(
            p, "a thread would compute so many points that compilers take minutes", NULL);
    if (s->depth < 2 || s->depth > EMIT_GPU_MOST_RESIDENT)
        pass_say(p, "a launch takes 2 to %d steps", EMIT_GPU_MOST_RESIDENT);
}

/* As many rows as the narrowest part has. */
static int rows_for(const pass_plan *p)
{
    const int64_t ny = points_along(p->code, 1, false);
    const int parts = p->schedule.parts[1] > 0 ? p->schedule.parts[1] : 1;

    return p->code->dim == 1 ? 1 : ny / parts < USUAL_ROWS ? 1 : USUAL_ROWS;
}

void resident_settle(pass_plan *p, const emit_gpu_schedule *wanted,
                     const resident_limits *most)
{
    emit_gpu_schedule *s = &p->schedule;

    check_points(p);
    if (p->refusal)
        return;
    *s = *wanted;
    s->vector = 1;
    s->rows = s->rows > 0 ? s->rows : rows_for(p);
    find_versions(p);
    if (s->parts[0] == 0)
        choose_parts(p, most);
    if (s->threads[0] == 0)
        s->threads[0] = threads_for(p);
    else
        s->threads[0] *= s->threads[1];
    s->threads[1] = 1;
    s->depth = s->depth > 0 ? s->depth : EMIT_GPU_MOST_RESIDENT;
    check(p, wanted, most);
}
