/* SPDX-License-Identifier: BSD-3-Clause */
/* The schedules of processors. One text serves all: a kernel computes any box, and its
 * argument (emit_work) holds the schedule. Time tiles are such boxes; src/exec/time hands
 * them to the threads. */
#include "codegen/codegen_private.h"

static pav_status emit(const ir *code, const schedule *s, const char *head, text *t)
{
    (void)s;
    return emit_source(&code, 1, head, t, NULL);
}

/* Refuses columns, widths and shapes if the grid has too few dimensions for them. */
static void refuse_settings(const ir *code, const schedule *s, text *why)
{
    const int *tile = s->tile.size;
    const bool columns = schedule_column_axis(code->dim) >= 0;

    if (tile[TILE_COLUMN] > 0 && !columns)
        text_add(why,
                 "a grid of one dimension has no columns of %d points: give tile=0x%d, "
                 "tiles of %d points",
                 tile[TILE_COLUMN], tile[TILE_SWEEP], tile[TILE_SWEEP]);
    else if (tile[TILE_WIDTH] > 0 && code->dim < 3)
        text_add(why,
                 "width cuts tiles of three dimensions along x; of a grid of %d give "
                 "tile=%dx%d in place of width=%d",
                 code->dim, columns ? tile[TILE_WIDTH] : 0,
                 columns ? int_most(1, tile[TILE_SWEEP]) : tile[TILE_WIDTH],
                 tile[TILE_WIDTH]);
    else if (s->shape != SHAPE_SKEWED && !columns)
        text_add(
            why,
            "tiles of this shape stand side by side, and a grid of one dimension has "
            "them one after another: leave out %s",
            s->shape == SHAPE_DIAMOND ? "diamond" : "pyramid");
}

static pav_status accept_tiles(const ir *code, const schedule *s,
                               const gpu_facts *machine, text *why)
{
    ir_blocking b;

    (void)machine;
    refuse_settings(code, s, why);
    if (why->length > 0)
        return PAV_OK;
    TRY(ir_blocking_open(code, NULL, &b));
    if (b.refusal)
        text_add(why, "%s", b.refusal);
    ir_blocking_close(&b);
    return PAV_OK;
}

const emitter host_rows = {emit_accept_all, emit};
const emitter host_blocks = {emit_accept_all, emit};
const emitter host_time = {accept_tiles, emit};
