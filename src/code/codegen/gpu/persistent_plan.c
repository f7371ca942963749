/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent blocks: the memory of a block, and the division of a grid between blocks. A
 * block keeps some versions of its tile in shared memory, for each field, with enough
 * points around it for `depth` steps; and it publishes halos for the other blocks.
 *
 * Results of a stage wait in registers until all threads of the block have read their
 * inputs. Then the new version may replace the oldest one, unless a later stage of the
 * step reads the oldest one, too. With memory for one more version (double buffering),
 * results need not wait. */
#include <math.h>
#include <string.h>

#include "codegen/gpu/fused_private.h"

/* ---- memory ------------------------------------------------------------------------ */

enum {
    LEAST_THREADS = 256,
    MOST_LINES = 6000, /* values of a thread; compile time grows faster than linearly */
    MOST_TILE = 16,    /* rows in all planes of a thread tile */
    MOST_UNIT = 4
};

/* ---- fields ------------------------------------------------------------------------ */

static bool loads_late(const fused_plan *p, int field, int level)
{
    bool stored = false;

    for (int64_t n = 0; n < p->operations; n++) {
        const ir_stage *s = fused_stage_of(p, &p->operation[n]);
        if (stored && emit_reach_of(s, field, level).any)
            return true;
        stored |= fused_stores(s, field);
    }
    return false;
}

static bool is_split(const fused_plan *p, int axis)
{
    return p->schedule.device.size[axis] > 1;
}

/* Points around its tile that a block needs of an operation's inputs, in the first step
 * after a synchronisation. */
static int needed_around(const fused_plan *p, const fused_operation *operation, int axis)
{
    return is_split(p, axis)
               ? (p->schedule.tile.steps - 1) * p->reach[axis] + operation->around[axis]
               : 0;
}

static void near_of(fused_plan *p, const fused_operation *operation, const ir_node *n)
{
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int around = needed_around(p, operation, axis), off = n->offset[axis];
        p->near[axis][0] = int_most(p->near[axis][0], around + int_most(-off, 0));
        p->near[axis][1] = int_most(p->near[axis][1], around + int_most(off, 0));
    }
}

/* Least number of points of a tile at a face: a border that copies reads inwards from the
 * face, and its farthest source must be in the same tile. */
static int farther_inside(const fused_plan *p, int axis)
{
    int most = 0;

    for (int f = 0; f < p->code->fields; f++)
        for (int side = 0; side < 2 && p->moves[f]; side++) {
            const border_kind kind = p->code->field[f].border[axis][side].kind;
            const int halo = p->code->field[f].halo[axis][side];
            if (border_rules[kind].copies)
                most = int_most(most, int_most(halo, border_inside(kind, halo) + 1));
        }
    return most;
}

/* ---- tiles ------------------------------------------------------------------------- */

/* Number of parts; the whole count while `each` is not yet chosen. */
static int64_t parts_of(int64_t count, int64_t each)
{
    return each > 0 ? int_parts(count, each) : count;
}

/* Points of a unit: several along x. */
static int unit_of(const fused_plan *p, int axis)
{
    return axis == 0 ? p->schedule.thread.size[0] : 1;
}

static int64_t units_along(const fused_plan *p, int axis)
{
    return parts_of(points_along(p->code, axis, false), unit_of(p, axis));
}

int persistent_vectors(const fused_plan *p, int axis)
{
    return (int)parts_of(units_along(p, axis), p->schedule.device.size[axis]);
}

/* Units around a tile that an operation computes on either side, in the first of `depth`
 * steps. */
static int computed_around(const fused_plan *p, const fused_operation *operation,
                           int axis)
{
    return (int)parts_of(needed_around(p, operation, axis), unit_of(p, axis));
}

static int thread_points(const fused_plan *p, int axis)
{
    return axis == 0 ? 1 : axis == 1 ? p->schedule.thread.size[1] : p->schedule.planes;
}

/* Lanes of a row of thread tiles, like `thread_tiles_of` in
 * gpu_kernels/kernel_persistent_field.cuh: rounded to whole warps if few
 * lanes stay idle. */
static int64_t persistent_lanes(const fused_plan *p, const fused_operation *operation)
{
    const int64_t units = persistent_vectors(p, 0) + 2 * computed_around(p, operation, 0);
    const int64_t warps = int_rounded(units, GPU_WARP);

    return !persistent_signals_early(p) && 8 * (warps - units) <= warps ? warps : units;
}

/* True if a warp has a whole row, so that neighbour lanes have all points along x. */
static bool fits_one_warp(const fused_plan *p, const fused_operation *operation)
{
    const int64_t around = computed_around(p, operation, 0);

    return is_split(p, 0) && persistent_lanes(p, operation) == GPU_WARP &&
           around >= parts_of(p->near[0][0], p->schedule.thread.size[0]) &&
           around >= parts_of(p->near[0][1], p->schedule.thread.size[0]);
}

static int64_t thread_tiles(const fused_plan *p, const fused_operation *operation)
{
    int64_t all = persistent_lanes(p, operation);

    for (int axis = 1; axis < MAX_DIM; axis++)
        all *= parts_of(persistent_vectors(p, axis) +
                            2 * computed_around(p, operation, axis),
                        thread_points(p, axis));
    return all;
}

/* True if blocks exchange a level, because they read points of it from other blocks. A
 * level at least `depth` steps old was already published at the last exchange. */
static bool publishes(const fused_plan *p, int field, int level)
{
    for (int64_t n = 0; n < p->operations && -level < p->schedule.tile.steps; n++) {
        const emit_reach r = emit_reach_of(fused_stage_of(p, &p->operation[n]), field,
                                           level);
        for (int axis = 0; axis < MAX_DIM; axis++)
            if (r.any && is_split(p, axis) &&
                (r.far[axis][0] > 0 || r.far[axis][1] > 0 ||
                 needed_around(p, &p->operation[n], axis) > 0))
                return true;
    }
    return false;
}

/* With double buffering, points for other blocks come first, and travel while the
 * remaining points are computed. If blocks synchronise seldom, the gain is smaller than
 * the loss of warps: their thread tiles are no longer neighbours. */
bool persistent_signals_early(const fused_plan *p)
{
    enum { OFTEN = 2 };

    return p->double_buffered && p->operations == 1 && p->schedule.tile.steps <= OFTEN &&
           p->published_levels > 0;
}

bool persistent_keeps_in_registers(const fused_plan *p, int field)
{
    const ir_stage *s = fused_stage_of(p, &p->operation[0]);

    return p->operations == 1 && fused_stores(s, field) && emit_reach_of(s, field, 0).any;
}

bool persistent_overlaps(const fused_plan *p)
{
    for (int64_t n = 0; n < p->operations; n++)
        for (int axis = 0; axis < MAX_DIM; axis++)
            if (needed_around(p, &p->operation[n], axis) > 0)
                return true;
    return false;
}

/* Bytes of a level of the tile. */
static int64_t level_bytes(const fused_plan *p, int field)
{
    const int64_t unit = (int64_t)pav_type_size(p->code->field[field].storage) *
                         p->schedule.thread.size[0];
    return unit * p->box[0] * p->box[1] * p->box[2];
}

static int64_t blocks_of(const fused_plan *p)
{
    return (int64_t)p->schedule.device.size[0] * p->schedule.device.size[1] *
           p->schedule.device.size[2];
}

static void place_field(fused_plan *p, int field)
{
    fused_field *f = &p->field[field];
    int levels = 0;

    for (int n = 0; n < p->published_levels; n++)
        if (p->published[n].field == field)
            levels = 1 - p->published[n].level;
    f->at = p->shared;
    f->common = p->common_bytes - p->flag_bytes;
    p->shared += int_rounded(level_bytes(p, field) * (f->versions + p->double_buffered),
                             GPU_LINE);
    p->common_bytes += int_rounded(2 * levels * blocks_of(p) * level_bytes(p, field),
                                   GPU_LINE);
}

/* A line before the first field and a line after the last: some loads touch them, but
 * nobody uses the values. */
static void place_fields(fused_plan *p)
{
    p->shared = GPU_LINE;
    p->flag_bytes = p->common_bytes = blocks_of(p) * GPU_LINE;
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            place_field(p, f);
    p->shared += GPU_LINE;
}

/* Adds one version of each field if memory suffices, unless the request fixes the
 * number. */
static void place_all(fused_plan *p)
{
    /* Published levels stand in the order of fields, the newest first. */
    p->published_levels = 0;
    for (int f = 0; f < p->code->fields; f++)
        for (int level = 0; p->moves[f] && level >= p->field[f].oldest; level--)
            if (publishes(p, f, level))
                p->published[p->published_levels++] = (fused_level){f, level};
    memset(p->near, 0, sizeof p->near);
    for (int64_t n = 0; n < p->operations; n++) {
        const ir_stage *s = fused_stage_of(p, &p->operation[n]);
        for (const ir_node *load = NULL; (load = ir_next_load(s, load));)
            if (p->moves[load->field])
                near_of(p, &p->operation[n], load);
    }

    for (int axis = 0; axis < MAX_DIM; axis++) {
        /* Units in memory along an axis: all kept points, and points beyond them that
         * thread tiles read. */
        const int unit = unit_of(p, axis), tile = persistent_vectors(p, axis);
        const int before = (int)parts_of(p->near[axis][0], unit),
                  behind = (int)parts_of(p->near[axis][1], unit);
        int most = before + tile + behind;

        for (int64_t n = 0; n < p->operations && axis > 0; n++) {
            const int around = computed_around(p, &p->operation[n], axis),
                      each = thread_points(p, axis);
            const int end = before - around +
                            (int)parts_of(tile + 2 * around, each) * each;
            most = int_most(most, end + p->near[axis][1] -
                                      needed_around(p, &p->operation[n], axis));
        }
        p->box[axis] = most;
    }
    p->double_buffered = p->schedule.buffers != 1;
    place_fields(p);
    if (p->shared <= p->gpu->shared_block || p->schedule.buffers != 0)
        return;
    p->double_buffered = false;
    place_fields(p);
}

/* ---- room -------------------------------------------------------------------------- */

/* Points of the narrowest tile. */
static int64_t narrowest(const fused_plan *p, int axis)
{
    return units_along(p, axis) / p->schedule.device.size[axis] * unit_of(p, axis);
}

/* Points that a tile must have: the points read by its neighbours, the sources of copies
 * beyond a face, and one point that belongs to no border. */
static int64_t points_needed(const fused_plan *p, int axis)
{
    const int near = int_most(p->near[axis][0], p->near[axis][1]);
    int64_t most = int_most(1, farther_inside(p, axis));

    for (int64_t n = 0; n < p->operations; n++) {
        const int *inset = fused_stage_of(p, &p->operation[n])->inset[axis];
        most = int_most((int)most, inset[0] + inset[1] + 1);
    }
    return is_split(p, axis)
               ? int_most((int)most, (int)int_rounded(near, unit_of(p, axis)))
               : most;
}

/* True if each tile has room: no block reads beyond the neighbour tiles, and the points
 * copied beyond a face lie in the tile at this face. */
static bool has_room(const fused_plan *p)
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        if (narrowest(p, axis) < points_needed(p, axis))
            return false;
    return true;
}

static bool has_registers(const fused_plan *p, int threads)
{
    int64_t most = 0;

    for (int64_t n = 0; n < p->operations; n++) {
        /* Estimates the registers of a thread for a stage: its results, and most values
         * read for one thread tile. */
        const fused_operation *operation = &p->operation[n];
        enum { OTHERS = 8, OF_TILE = 3 };
        const ir_stage *s = fused_stage_of(p, operation);
        const int64_t each = thread_points(p, 1) * thread_points(p, 2) *
                             p->schedule.thread.size[0] * s->outputs,
                      tiles_each = parts_of(thread_tiles(p, operation), threads);
        const bool waits = !p->double_buffered ||
                           persistent_keeps_in_registers(p, s->output[0].field);
        int64_t read = 0;

        for (int f = 0; f < p->code->fields; f++)
            for (int level = 1; level > -p->code->field[f].levels - 1; level--) {
                /* Values of a field's level that a thread tile reads. Rows with offsets
                 * along two axes are not counted. */
                const int64_t unit = p->schedule.thread.size[0],
                              rows = p->schedule.thread.size[1],
                              planes = p->schedule.planes;
                const emit_reach r = emit_reach_of(s, f, level);
                read += r.any ? unit * rows * planes +
                                    (r.far[0][0] + r.far[0][1]) * rows * planes +
                                    unit * (r.far[1][0] + r.far[1][1]) * planes +
                                    unit * (r.far[2][0] + r.far[2][1]) * rows
                              : 0;
            }
        const int64_t own = (each * (waits ? tiles_each : 1) + read * 3 / 4) *
                                (s->real == PAV_F64 ? 2 : 1) +
                            OF_TILE * tiles_each + OTHERS;

        most = int64_most(most, own);
    }
    return most <= gpu_facts_architecture(cuda_reference())->registers / threads;
}

/* The number of threads of a block: at most the number allowed by registers. Thread tiles
 * are computed in rounds; threads that would not save a round are left out. */
static int persistent_threads(const fused_plan *p)
{
    int64_t tiles_each = 0;
    int threads = GPU_BLOCK_THREADS;

    for (int64_t n = 0; n < p->operations; n++)
        tiles_each = int64_most(tiles_each, thread_tiles(p, &p->operation[n]));
    while (threads > LEAST_THREADS && !has_registers(p, threads))
        threads -= GPU_REGISTER_THREADS;
    return (int)int_rounded(parts_of(tiles_each, parts_of(tiles_each, threads)),
                            GPU_WARP);
}

/* ---- refusals ---------------------------------------------------------------------- */

/* A block keeps only its own points of older levels. */
static void check_levels(fused_plan *p)
{
    for (int64_t a = 0; a < p->operations; a++) {
        const ir_stage *s = fused_stage_of(p, &p->operation[a]);
        for (int64_t k = 0; k < s->count; k++)
            if (s->node[k].op == IR_LOAD && p->moves[s->node[k].field] &&
                s->node[k].level < 0 &&
                (s->node[k].offset[0] || s->node[k].offset[1] || s->node[k].offset[2]))
                fused_refuse_if(p, true,
                                "persistent blocks exchange no older levels, and that of "
                                "field %s is read next to its point",
                                p->code->field[s->node[k].field].name);
    }
}

static bool is_short(const fused_plan *p)
{
    const schedule *s = &p->schedule;
    int64_t most = 0;

    for (int64_t n = 0; n < p->operations; n++) {
        const int64_t tiles_each = parts_of(thread_tiles(p, &p->operation[n]),
                                            s->tile.size[0]);
        const int64_t values = fused_stage_of(p, &p->operation[n])->count * tiles_each *
                               s->thread.size[1] * s->planes * s->thread.size[0];
        most = int64_most(most, values);
    }
    return most <= MOST_LINES;
}

/* True if a thread would load more than 16 bytes at once. */
static bool is_too_wide(const fused_plan *p)
{
    enum { MOST_BYTES = 16 };

    for (int64_t a = 0; a < p->operations; a++) {
        const ir_stage *s = fused_stage_of(p, &p->operation[a]);
        for (const ir_node *load = NULL; (load = ir_next_load(s, load));)
            if (p->schedule.thread.size[0] *
                    (int)pav_type_size(p->code->field[load->field].storage) >
                MOST_BYTES)
                return true;
    }
    return false;
}

/* A unit beyond an end must be a whole unit of the other end. */
static bool vectors_wrap(const fused_plan *p)
{
    return !p->periodic[0] || !is_split(p, 0) ||
           points_along(p->code, 0, false) % p->schedule.thread.size[0] == 0;
}

static void check_words(fused_plan *p)
{
    const schedule *s = &p->schedule;
    const int unit = s->thread.size[0];
    const bool is_unit = unit >= 1 && unit <= MOST_UNIT && (unit & (unit - 1)) == 0;

    fused_refuse_if(
        p, s->tile.size[0] > GPU_BLOCK_THREADS || s->tile.size[0] % GPU_WARP != 0,
        "a block has %d to %d threads, in whole warps", GPU_WARP, GPU_BLOCK_THREADS);
    fused_refuse_if(p, !is_unit || s->thread.size[1] * s->planes > MOST_TILE,
                    "a thread tile has 1, 2 or 4 points along x and at most 16 rows "
                    "in all planes");
    fused_refuse_if(p, is_too_wide(p),
                    "a thread tile has at most 16 bytes along x of any field: take "
                    "vector=2 or 1");
    fused_refuse_if(p, s->buffers > 2, "a block keeps 1 or 2 versions (buffers=)");
    fused_refuse_if(p, s->tile.steps < 1 || s->tile.steps > SCHEDULE_MOST_DEPTH,
                    "persistent blocks synchronise every 1 to %d steps (depth=)",
                    SCHEDULE_MOST_DEPTH);
    fused_refuse_if(p, !vectors_wrap(p),
                    "the points along x are no whole vectors: take vector=1");
}

static void check_room(fused_plan *p, int axis)
{
    const int64_t all = points_along(p->code, axis, false);
    const int parts = p->schedule.device.size[axis];
    const char name = "xyz"[axis];

    fused_refuse_if(p, all < parts,
                    "the grid has %lld point%s along %c, and %d parts are asked for",
                    (long long)all, all == 1 ? "" : "s", name, parts);
    fused_refuse_if(
        p, narrowest(p, axis) < points_needed(p, axis),
        "of %d parts along %c one has %lld points, and needs %lld, since blocks "
        "synchronise every %d steps: take fewer parts, or a smaller depth",
        parts, name, (long long)narrowest(p, axis), (long long)points_needed(p, axis),
        p->schedule.tile.steps);
}

static void check_shared(fused_plan *p, const schedule *requested)
{
    const int most = p->gpu->shared_block;

    if (p->shared <= most)
        return;
    if (requested->device.size[0] > 0)
        fused_refuse_if(
            p, true,
            "the part of a block takes %lld bytes of shared memory, and it has "
            "%d: take more parts, a smaller grid, or a smaller depth",
            (long long)p->shared, most);
    else
        fused_refuse_if(
            p, true,
            "the grid does not fit into %d bytes of shared memory of each of %d "
            "multiprocessors",
            most, p->gpu->multiprocessors);
}

/* ---- faces ------------------------------------------------------------------------- */
/* Faces of a grid in persistent blocks: do the values there change from step to step? */

/* True if the value is the same in all steps, until a user sets a scalar. */
static bool is_constant(const ir *code, const ir_node *n)
{
    return n->op == IR_UNIFORM || n->op == IR_RANDOM
               ? code->uniform[n->uniform].kind == UNIFORM_PARAM
               : n->op != IR_LOAD;
}

static bool gives_one_value(const ir *code, const ir_stage *stage)
{
    for (const ir_node *n = NULL; (n = ir_next_node(stage, n));)
        if (!is_constant(code, n))
            return false;
    return true;
}

bool persistent_updates_faces(const fused_plan *p, int field)
{
    for (int face = 0; face < 2 * p->code->dim; face++) {
        const ir_border *b = &p->code->field[field].border[face / 2][face % 2];
        const bool is_fixed = border_rules[b->kind].values &&
                              (b->stage < 0 ||
                               gives_one_value(p->code, &p->code->stage[b->stage]));
        if (border_wraps(b->kind) ? !is_split(p, face / 2)
                                  : border_is(b->kind) && !is_fixed)
            return true;
    }
    return false;
}

/* A bit for each point of a vector along x: some vector has this point on a face or
 * beyond. */
static int points_cut(const fused_plan *p, int field)
{
    const int pack = p->schedule.thread.size[0],
              nx = (int)points_along(p->code, 0, false);
    const int *inset = fused_stage_of(p, &p->operation[0])->inset[0],
              *halo = p->code->field[field].halo[0];
    int cut = 0;

    if (p->periodic[0] && is_split(p, 0))
        return 0;
    for (int n = inset[0] - 1; n >= -halo[0]; n--)
        cut |= 1 << (n + pack * halo[0]) % pack;
    for (int n = nx - inset[1]; n < nx + halo[1]; n++)
        cut |= 1 << n % pack;
    return cut;
}

/* For all fields stored by the first stage. */
int persistent_face_mask(const fused_plan *p)
{
    const ir_stage *s = fused_stage_of(p, &p->operation[0]);
    int cut = 0;

    for (int64_t n = 0; n < s->outputs; n++) {
        const int field = s->output[n].field;
        if (!persistent_keeps_in_registers(p, field) ||
            persistent_updates_faces(p, field))
            return -1;
        cut |= points_cut(p, field);
    }
    return cut;
}

/* ---- tiles ------------------------------------------------------------------------- */
/* The division of a grid between persistent blocks, and the steps between
 * synchronisations, chosen by a model of a step's time. A synchronisation costs a round
 * trip to other blocks, plus time for each published and fetched unit. With fewer
 * synchronisations, blocks compute more points twice. */

/* Candidates for rows of a thread tile in two dimensions. */
static const int expected_rows[] = {2, 3, 4, 6, 7, 8};

static const gpu_persistent_costs *costs_of(const fused_plan *p)
{
    return gpu_persistent_costs_of(p->gpu);
}

/* ---- the model --------------------------------------------------------------------- */

/* Instructions for a thread tile. Its neighbours along x come from neighbour lanes, or
 * also from shared memory. */
static double instructions_of(const fused_plan *p, const fused_operation *operation)
{
    const ir_stage *s = fused_stage_of(p, operation);
    const double rows = p->schedule.thread.size[1] * p->schedule.planes;
    const double nodes = (double)operation->nodes * (s->real == PAV_F64 ? 2 : 1);

    return rows * p->schedule.thread.size[0] * nodes + costs_of(p)->tile +
           rows *
               (fits_one_warp(p, operation) ? costs_of(p)->row : costs_of(p)->shared_row);
}

static int halo_vectors(const fused_plan *p, int axis)
{
    return is_split(p, axis) ? (int)(int_parts(p->near[axis][0], unit_of(p, axis)) +
                                     int_parts(p->near[axis][1], unit_of(p, axis)))
                             : 0;
}

/* Published and fetched units of a level. Along x each unit costs a whole line of
 * memory. */
static double units_signalled(const fused_plan *p)
{
    double all = 1, halo = 0;

    for (int axis = 0; axis < MAX_DIM; axis++)
        all *= persistent_vectors(p, axis) + halo_vectors(p, axis);
    for (int axis = 0; axis < MAX_DIM; axis++)
        halo += all * halo_vectors(p, axis) /
                (persistent_vectors(p, axis) + halo_vectors(p, axis)) *
                (axis == 0 ? costs_of(p)->scattered : 1);
    return 2 * halo;
}

/* With overlap, a fetch of points around tiles makes threads reload the results kept in
 * registers. */
static double cost_of_synchronising(const fused_plan *p)
{
    double tile = persistent_overlaps(p) ? 1 : 0;

    for (int axis = 0; axis < MAX_DIM; axis++)
        tile *= persistent_vectors(p, axis);
    return costs_of(p)->exchange + p->published_levels *
                                       (units_signalled(p) * costs_of(p)->vector + tile) /
                                       costs_of(p)->parallel;
}

void persistent_cycles(const fused_plan *p, double *work, double *waiting)
{
    const double again = p->double_buffered ? 1 : costs_of(p)->in_place;
    double sum = 0;

    for (int64_t n = 0; n < p->operations; n++) {
        double warps = 0;
        for (int follow = 0; follow < p->schedule.tile.steps; follow++) {
            /* Warps of one scheduler for an operation, if `follow` steps are left before
             * the next synchronisation. A lone warp counts as two, because it waits for
             * its own results. With fewer steps left, fewer points are computed along y
             * and z; along x all lanes compute until the synchronisation. */
            const fused_operation *operation = &p->operation[n];
            double lanes = (double)persistent_lanes(p, operation);

            for (int axis = 1; axis < MAX_DIM; axis++) {
                const int around = is_split(p, axis)
                                       ? follow * p->reach[axis] + operation->around[axis]
                                       : 0;
                lanes *= (double)int_parts(persistent_vectors(p, axis) + 2 * around,
                                           thread_points(p, axis));
            }
            warps += fmax(
                2, ceil(lanes / (GPU_WARP * gpu_facts_architecture(p->gpu)->schedulers)));
        }
        sum += costs_of(p)->step + again * warps / p->schedule.tile.steps *
                                       instructions_of(p, &p->operation[n]);
    }

    *work = sum;
    *waiting = cost_of_synchronising(p) / p->schedule.tile.steps;
}

/* ---- division and depth ------------------------------------------------------------ */

typedef struct parts_choice {
    double least;
    int parts[MAX_DIM], depth, rows;
} parts_choice;

static void try_parts(fused_plan *p, const int parts[MAX_DIM], int depth, parts_choice *c)
{
    memcpy(p->schedule.device.size, parts, sizeof p->schedule.device.size);
    p->schedule.tile.steps = depth;
    place_all(p);
    if (p->shared > p->gpu->shared_block || !has_room(p) || !vectors_wrap(p))
        return;
    double work, waiting;
    persistent_cycles(p, &work, &waiting);
    if (work + waiting >= c->least)
        return;
    c->least = work + waiting;
    c->depth = depth;
    c->rows = p->schedule.thread.size[1];
    memcpy(c->parts, parts, sizeof c->parts);
}

/* The most parts along the last axis for the remaining blocks, all of the same size. */
static int parts_left(const fused_plan *p, int blocks, int x, int y)
{
    const int64_t nz = points_along(p->code, 2, false), z = blocks / (x * y);

    return p->code->dim > 2 ? (int)int_parts(nz, int_parts(nz, z)) : 1;
}

static void try_all_parts(fused_plan *p, int depth, parts_choice *c)
{
    const int blocks = p->gpu->multiprocessors, ny = p->code->dim > 1 ? blocks : 1;

    for (int y = 1; y <= ny; y++)
        for (int x = 1; x * y <= blocks; x++)
            try_parts(p, (int[]){x, y, parts_left(p, blocks, x, y)}, depth, c);
}

static void try_depths(fused_plan *p, const schedule *requested, parts_choice *c)
{
    static const int candidates[] = {1, 2, 3, 4, 6, 8, 12, 16};

    for (size_t n = 0; n < COUNT_OF(candidates); n++) {
        const int depth = requested->tile.steps > 0 ? requested->tile.steps
                                                    : candidates[n];
        if (requested->device.size[0] > 0)
            try_parts(p, requested->device.size, depth, c);
        else
            try_all_parts(p, depth, c);
        if (requested->tile.steps > 0)
            break;
    }
}

/* Chooses options left open; 1 part along each axis if nothing fits. In three dimensions
 * `choose_tile` has set the thread tiles. */
static void choose(fused_plan *p, const schedule *given)
{
    schedule own = *given, *const requested = &own;
    /* blocks of chaotic programs read each other's halos after each step */
    if (p->code->program->chaotic && own.tile.steps == 0)
        own.tile.steps = 1;
    parts_choice c = {INFINITY, {1, 1, 1}, 1, p->schedule.thread.size[1]};

    if (requested->thread.size[1] == 0 && p->code->dim == 2) {
        for (size_t n = 0; n < COUNT_OF(expected_rows); n++) {
            p->schedule.thread.size[1] = expected_rows[n];
            try_depths(p, requested, &c);
        }
    } else
        try_depths(p, requested, &c);
    memcpy(p->schedule.device.size,
           requested->device.size[0] > 0 ? requested->device.size : c.parts,
           sizeof p->schedule.device.size);
    p->schedule.tile.steps = requested->tile.steps > 0 ? requested->tile.steps : c.depth;
    p->schedule.thread.size[1] = c.rows;
}

/* ---- all --------------------------------------------------------------------------- */

/* If parts along x are requested of a periodic grid, the vector must divide the points
 * along x. */
static int default_vector(const fused_plan *p, const schedule *requested)
{
    const int64_t nx = points_along(p->code, 0, false);
    int most = 4;

    for (int64_t n = 0; n < p->operations; n++)
        most = int_least(
            most, cuda_default_vector(p->code, fused_stage_of(p, &p->operation[n])));
    while (p->periodic[0] && requested->device.size[0] > 1 && nx % most != 0)
        most /= 2;
    return most;
}

static void choose_tile(fused_plan *p, const schedule *requested)
{
    enum { DEFAULT_ROWS = 2 };
    schedule *s = &p->schedule;

    s->thread.size[0] = requested->thread.size[0] > 0 ? requested->thread.size[0]
                                                      : default_vector(p, requested);
    s->planes = requested->planes > 0 ? requested->planes : 1;
    s->thread.size[1] = requested->thread.size[1] > 0 ? requested->thread.size[1]
                        : p->code->dim > 1            ? DEFAULT_ROWS
                                                      : 1;
}

void persistent_choose(fused_plan *p, const schedule *requested)
{
    schedule *s = &p->schedule;

    check_levels(p);
    for (int64_t n = 0; n < p->operations; n++)
        fused_refuse_if(p, p->operation[n].event >= 0,
                        "persistent blocks take no sources");
    for (int f = 0; f < p->code->fields; f++)
        fused_refuse_if(p, p->moves[f] && p->field[f].sampled,
                        "persistent blocks take no samples (of field %s)",
                        p->code->field[f].name);

    if (p->refusal)
        return;
    *s = *requested;
    choose_tile(p, requested);

    for (int64_t n = 0; n < p->operations; n++)
        p->operation[n]
            .nodes = ir_stage_cost(p->code, fused_stage_of(p, &p->operation[n])).nodes;

    int levels = 1;

    for (int f = 0; f < p->code->fields; f++) {
        fused_field *field = &p->field[f];
        if (!p->moves[f])
            continue;
        levels += 1 - field->oldest;
        field->versions = int_most(1 - field->oldest, field->kept);
        field->versions += loads_late(p, f, 1 - field->versions);
    }

    p->published = arena_alloc(p->arena, levels, sizeof *p->published);
    choose(p, requested);
    place_all(p);
    s->tile.size[0] = requested->tile.size[0] > 0
                          ? requested->tile.size[0] * requested->tile.size[1]
                          : persistent_threads(p);
    s->tile.size[1] = 1;
    s->buffers = 1 + p->double_buffered;

    check_words(p);
    if (p->refusal)
        return;
    for (int axis = 0; axis < MAX_DIM; axis++)
        check_room(p, axis);
    check_shared(p, requested);
    fused_refuse_if(p, !is_short(p),
                    "a thread would compute so many points that compilers take minutes");
}
