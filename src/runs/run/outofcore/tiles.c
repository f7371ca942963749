/* SPDX-License-Identifier: BSD-3-Clause */
/* Visits on processors by time tiles (exec/time). A visit is a slab of the block's tiles:
 * some adjacent columns along the window's axis, or in two dimensions some tiles of each
 * column. Slabs follow each other in the same order as in core. A block has more steps
 * than a tile, so the tiles take its steps in several rounds. */
#include <assert.h>
#include <string.h>

#include "run/outofcore/outofcore_private.h"

/* ---- the choice of tiles ----------------------------------------------------------- */

/* The reason against tiles; NULL: none. */
static const char *reason_against(const pav_run *run)
{
    const outofcore *o = run->outofcore;
    const outofcore_request *r = &o->requested;
    if (!run->compiled)
        return "the interpreter takes single steps (give --device cpu)";
    if (run->code->dim == 1)
        return "a grid of one dimension has no tiles side by side";
    if (o->why_stages[0])
        return o->why_stages;
    if (r->single || r->again || r->unshifted || r->depth > 1)
        return "the methods of the paper take single steps on processors (give auto)";
    if (r->stay > 0)
        return "planes that stay are taken step by step (leave out stay=)";
    return r->depth == 1 && !r->tiles ? "depth=1 asks for single steps (leave it out)"
           : o->windows > 1           ? "its windows take turns (leave out windows=)"
                                      : NULL;
}

/* Visits are shifted by the skews of the block, tiles by their own: both must be
 * equal. */
static bool are_skewed_alike(const outofcore *o)
{
    const ir_blocking *visits = &o->state.blocking, *tiles = &o->tiles.blocking;
    bool alike = !tiles->refusal && visits->operations == tiles->operations &&
                 visits->skew[o->axis] == tiles->skew[o->axis];
    for (int64_t n = 0; alike && n < tiles->operations; n++)
        alike = visits->operation[n].skew[o->axis] == tiles->operation[n].skew[o->axis];
    return alike;
}

/* Chooses the model's best skewed shape, if it was requested or beats single steps. */
static void find_shape(pav_run *run)
{
    enum { SHAPES = 64 /* the number of all shapes */ };
    outofcore *o = run->outofcore;
    const schedule requested = time_requested(run);
    const kernel_host host = kernel_host_of(&run->client);
    const bool asked = requested.kind == SCHEDULE_CPU_TIME;
    time_trial trial[SHAPES];
    if (o->requested.tiles) {
        o->tile = *o->requested.tiles;
        return;
    }
    const double single = outofcore_single_seconds(run);
    const int count = time_model(run, &o->tiles.blocking, &requested, &host, SHAPES,
                                 trial);
    for (int k = 0; k < count; k++)
        if (trial[k].shape.shape == SHAPE_SKEWED && trial[k].shape.tile.steps > 1 &&
            (asked || trial[k].forecast < single)) {
            o->tile = trial[k].shape;
            o->tile_seconds = trial[k].forecast;
            return;
        }
}

static pav_status open_shape(pav_run *run)
{
    outofcore *o = run->outofcore;
    const int unit[MAX_DIM] = {run->schedule.close ? 1 : 16, 1, 1};
    TRY(ir_blocking_open(run->code, unit, &o->tiles.blocking));
    o->tiles.stream = time_sweep_axis(run->code->dim);
    o->tiles.column = schedule_column_axis(run->code->dim);
    if (are_skewed_alike(o))
        find_shape(run);
    return PAV_OK;
}

pav_status outofcore_find_tiles(pav_run *run)
{
    outofcore *o = run->outofcore;
    const bool asked = run->schedule.kind == SCHEDULE_CPU_TIME || o->requested.tiles;
    char string[SCHEDULE_STRING];
    o->tile = (schedule){.kind = SCHEDULE_NONE};
    if (run_has_launches(run) || (run->schedule.kind != SCHEDULE_AUTO && !asked))
        return PAV_OK;
    const char *why = reason_against(run);
    if (!why)
        TRY(open_shape(run));
    if (!asked || outofcore_has_tiles(o))
        return PAV_OK;
    if (!why && run->schedule.shape != SHAPE_SKEWED)
        why = "tiles of visits are skewed (leave out diamond)";
    return FAIL(PAV_EUNSUPPORTED,
                "visits of %s cannot go by the schedule %s: %s; or leave out --schedule",
                run->program->name, schedule_string(&run->schedule, string),
                why ? why : "no cache holds its tiles (give smaller ones)");
}

/* ---- tiles of a visit -------------------------------------------------------------- */

/* Tiles of equal width in a visit of this width: about the wanted number, and at least
 * one for each thread. */
static int64_t wanted_tiles(const outofcore *o, int64_t width, int64_t threads)
{
    const int size = o->tile.tile
                         .size[(o->axis == o->tiles.column) ? TILE_COLUMN : TILE_SWEEP];
    const int64_t count = int_parts(width, size > 0 && size < o->width ? size : o->width);
    return count >= threads ? count : threads < width ? threads : width;
}

static int64_t tiles_of(const outofcore *o, int64_t width, int64_t threads)
{
    const int64_t wanted = wanted_tiles(o, width, threads);
    for (int64_t off = 0; off < wanted && width < o->extent; off++) {
        if (width % (wanted - off) == 0)
            return wanted - off;
        if (width % (wanted + off) == 0)
            return wanted + off;
    }
    return wanted;
}

/* If these visits cannot be cut into equal tiles, tries a few more parts, unless their
 * number was requested. */
static void choose_width(outofcore *o, int64_t threads)
{
    enum { MORE_PARTS = 16 };
    const int64_t parts = int_parts(o->extent, o->width);
    const bool may = o->requested.parts == 0 && !o->state.blocking.periodic[o->axis];
    for (int64_t n = 0; n < MORE_PARTS && may; n++) {
        const int64_t width = n > 0 ? int_parts(o->extent, parts + n) : o->width;
        const int64_t count = tiles_of(o, width, threads);
        if (count < threads || 2 * count < wanted_tiles(o, width, threads))
            continue;
        o->width = width;
        break;
    }
    o->visit_tiles = tiles_of(o, o->width, threads);
}

void outofcore_fit_tiles(const pav_run *run)
{
    outofcore *o = run->outofcore;
    const bool across = o->axis == o->tiles.column;
    if (!outofcore_has_tiles(o))
        return;
    choose_width(o, across ? kernel_host_of(&run->client).threads : 1);
    o->tile.tile.size[across ? TILE_COLUMN : TILE_SWEEP] = schedule_size(
        int_parts(o->width, o->visit_tiles));
    o->tile.tile.steps = outofcore_tile_steps(o);
    schedule_string(&o->tile, o->tile_words);
}

/* ---- a visit ----------------------------------------------------------------------- */

/* alone: narrows all views to the planes of the visit, so that planes beyond are not
 * touched. Else restores the views of the whole window. Planes beyond the grid's ends are
 * ghosts. */
static void see_planes(const outofcore_block *b, bool alone)
{
    const int axis = b->o->axis;
    const int64_t lo = alone ? int64_most(b->at.lo, 0) : outofcore_first(b);
    const int64_t hi = int64_least(b->at.hi, b->o->extent);
    for (int f = 0; f < b->run->code->fields; f++) {
        const ir_field *field = &b->run->code->field[f];
        const field_shape all = outofcore_shape_of(b->run, field, b->o->planes);
        const levels *l = &b->window->field[f];
        const bool narrows = !outofcore_is_whole(b->o, field) && all.extent[axis] > 1;
        for (int n = 0; n < l->count && narrows; n++) {
            view *v = &l->level[n];
            v->first[axis] = lo;
            v->extent[axis] = alone ? hi - lo : all.extent[axis];
            v->halo[axis][0] = alone && b->at.lo < 0 ? field->halo[axis][0] : 0;
            v->halo[axis][1] = alone && b->at.hi > hi ? field->halo[axis][1] : 0;
        }
    }
    for (int side = 0; side < 2; side++)
        b->window->grid->seam[axis][side] = false;
}

static pav_status take_steps(outofcore_block *b, int first, int steps)
{
    outofcore *o = b->o;
    const time_axis cut = {.extent = o->extent,
                           .width = int_parts(b->axis.width, o->visit_tiles),
                           .tiles = b->axis.tiles * o->visit_tiles,
                           .first = -(int64_t)first * o->tiles.blocking.skew[o->axis],
                           .periodic = b->axis.periodic};
    time_block block = {.whole = b->run->part,
                        .part = b->window,
                        .number = -1,
                        .team = b->window->executor->team,
                        .state = &o->tiles,
                        .count = &b->run->blocks.count.tile,
                        .shape = o->tile,
                        .step = b->step + first,
                        .steps = steps,
                        .before = first,
                        .goes_on = first + steps < b->steps || b->goes_on,
                        .slab = {.cut = &cut,
                                 .axis = o->axis,
                                 .first = b->visit * o->visit_tiles,
                                 .tiles = o->visit_tiles,
                                 .kept = b->kept}};
    block.shape.tile.steps = steps;
    outofcore_turn(b, 0, first);
    return time_block_take_slab(&block);
}

/* Each visit begins with the uniforms of the step before the block. */
pav_status outofcore_tiles_visit(outofcore_block *b)
{
    subdomain *whole = b->run->part;
    const int depth = b->o->tile.tile.steps;
    /* the block takes tiles, of some depth */
    assert(outofcore_state(b->o) == &b->o->tiles && depth > 0);
    memcpy(whole->uniform, b->uniform,
           (size_t)whole->code->uniforms * sizeof *whole->uniform);
    pav_status status = PAV_OK;
    see_planes(b, true);
    for (int done = 0; done < b->steps && status == PAV_OK;) {
        const int left = b->steps - done;
        const int steps = (int)int_parts(left, int_parts(left, depth));
        status = take_steps(b, done, steps);
        done += steps;
    }
    see_planes(b, false);
    return status;
}
