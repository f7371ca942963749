/* SPDX-License-Identifier: BSD-3-Clause */
/* Time tiles of a stand-alone program for processors: the candidates for its first steps,
 * and the operations of a step with their skews. program_tiles.c runs them. */
#include <assert.h>

#include "exec/time/time.h"
#include "run/generate/generate_private.h"

enum {
    MOST_SOURCES = 1000, /* neighbours of sources: each tile visits all of them */
    LINE_POINTS = 16     /* points along x; skews are multiples */
};

static int sweep_axis(const generation *g)
{
    return g->code->dim > 1 ? 1 : 0;
}

/* In one dimension, an axis of one point. */
static int across_axis(const generation *g)
{
    return g->code->dim == 2 ? 0 : 2;
}

static int64_t unit_across(const generation *g)
{
    return g->code->dim == 2 ? 4 * LINE_POINTS : 4;
}

/* ---- candidate tilings ------------------------------------------------------------- */

/* Bytes of a point: all levels of all fields of the step. */
static int64_t point_bytes(const generation *g)
{
    int64_t bytes = 0;

    for (int64_t f = 0; f < g->code->fields; f++)
        bytes += g->code->field[f].levels *
                 (int64_t)pav_type_size(g->code->field[f].storage);
    return bytes;
}

static int64_t all_bytes(const generation *g)
{
    return point_bytes(g) * box_points(ir_grid_box(g->code));
}

static void add_tiling(generation *g, int64_t depth, int64_t across, int64_t along)
{
    g->tiling[g->tilings++] = (struct tiling){depth, across, along};
}

/* Adds a tiling of this depth. Along the sweep it has twice the skew. Across, it is as
 * wide as the cache allows, but at least twice the skew; a wider minimum is only accepted
 * if requested. */
static void add_depth(generation *g, int64_t depth, int64_t cache, bool asked)
{
    const ir_blocking *b = &g->blocking;
    const int sweep = sweep_axis(g), across = across_axis(g), dim = g->code->dim;
    const int64_t least = dim == 2 ? LINE_POINTS : 4, twice = 2 * b->skew[sweep];
    const int64_t along = twice > least ? twice : least;
    const int64_t slab = point_bytes(g) * (along + (depth - 1) * b->skew[sweep]) *
                         (dim == 3 ? points_along(g->code, 0, false) : 1);
    assert(slab > 0); /* fields take memory */
    const int64_t unit = unit_across(g), narrow = int64_most(2 * b->skew[across], 1);
    const int64_t wide = (cache / slab - 2 * b->skew[across]) / unit * unit;

    if (dim == 1)
        add_tiling(g, depth, 0, cache / point_bytes(g));
    else if (wide >= narrow)
        add_tiling(g, depth, wide, along);
    else if (asked)
        add_tiling(g, depth, (narrow + unit - 1) / unit * unit, along);
}

static pav_status refuse_tiles(const generation *g, const char *why)
{
    return FAIL(PAV_EUNSUPPORTED,
                "%s: a stand-alone program cannot take time tiles: %s; leave --schedule "
                "out, or give rows or blocks",
                g->program->name, why);
}

pav_status find_tilings(generation *g)
{
    static const schedule any = {.kind = SCHEDULE_CPU_TIME};
    const bool asked = g->schedule.kind == SCHEDULE_CPU_TIME;
    int64_t neighbours = 0;
    OWNED_BY(text_free) text why = {0};

    if (g->gpu || (!asked && (g->schedule.kind != SCHEDULE_AUTO ||
                              all_bytes(g) <= cpu_generated_core_cache)))
        return PAV_OK;
    TRY(emit_legal(g->code, asked ? &g->schedule : &any, NULL, &why));
    for (int64_t n = 0; n < g->code->injections.count; n++)
        neighbours += g->injection[n].neighbours;
    if (g->solvers > 0 && why.length == 0)
        text_add(&why, "a step solves an equation");
    if (why.length == 0 && neighbours > MOST_SOURCES)
        text_add(&why, "its sources have more than %d neighbours", MOST_SOURCES);
    if (why.failed)
        return PAV_ENOMEM;
    if (why.length == 0) {
        /* steps, and the divisor of a core's cache */
        static const int tried[MOST_TILINGS][2] = {{4, 2}, {8, 2}, {8, 1}, {16, 2}};
        const int unit[MAX_DIM] = {
            g->code->dim > 1 && !g->schedule.close ? LINE_POINTS : 1, 1, 1};

        TRY(ir_blocking_open(g->code, unit, &g->blocking));
        if (g->schedule.kind == SCHEDULE_CPU_TIME) {
            const schedule *s = &g->schedule;
            const int *const size = s->tile.size;
            const char *const unknown =
                s->shape != SHAPE_SKEWED ? "they have skewed ones alone"
                : s->device.size[0] > 1  ? "threads do not share one there (share=)"
                : s->tile.steps < 2 ? "say of how many steps, two or more, as in depth=8"
                                    : NULL;

            if (unknown)
                return refuse_tiles(g, unknown);
            if (size[TILE_COLUMN] > 0 || size[TILE_SWEEP] > 0)
                add_tiling(g, s->tile.steps, size[TILE_COLUMN], size[TILE_SWEEP]);
            else
                add_depth(g, s->tile.steps, cpu_generated_core_cache / 2, true);
            return PAV_OK;
        }
        for (int n = 0; n < MOST_TILINGS; n++)
            add_depth(g, tried[n][0], cpu_generated_core_cache / tried[n][1], false);
        return PAV_OK;
    }
    return asked ? refuse_tiles(g, why.data) : PAV_OK;
}

/* ---- numbers ----------------------------------------------------------------------- */

void add_tile_numbers(const generation *g, text *t)
{
    const ir *code = g->code;
    const int *const size = g->schedule.tile.size;
    const int axis = across_axis(g);
    const int64_t all = code->dim > 1 ? points_along(code, axis, false) : 1;
    int64_t depth = 0, operations = 0;
    int64_t stored = code->injections.count + 1; /* the most fields of one operation */

    if (g->tilings == 0)
        return;
    for (int n = 0; n < g->tilings; n++)
        depth = int64_most(depth, g->tiling[n].depth);
    for (int64_t n = 0; n < code->step.count; n++)
        stored = int64_most(stored, code->stage[code->step.stage[n]].outputs);
    for (int64_t n = 0; n < g->blocking.operations; n++)
        operations += g->blocking.operation[n].kind != OPERATION_SAMPLE;
    /* The most columns, at one point each. The last columns lie beyond the grid at the
     * end of a block, but have points at its beginning. */
    const int64_t columns = all + depth * g->blocking.skew[axis] +
                            time_skew_within(&g->blocking, axis);
    text_add(
        t,
        "/* Time tiles: TILES_ASKED: this tiling was requested, else they are tuned. */\n"
        "enum { TILES_ASKED = %d, TILINGS = %d, MOST_DEPTH = %lld, OPERATIONS = "
        "%lld, MOST_STORED = %lld };\n"
        "enum { SWEEP = %d, ACROSS = %d, ACROSS_UNIT = %lld }; /* axes along and across "
        "columns */\n"
        "enum { MOST_COLUMNS = %lld, NARROWS = %d };\n",
        g->schedule.kind == SCHEDULE_CPU_TIME, g->tilings, (long long)depth,
        (long long)operations, (long long)stored, sweep_axis(g), axis,
        (long long)unit_across(g), (long long)columns,
        size[TILE_COLUMN] == 0 && size[TILE_SWEEP] == 0);
}

/* ---- operations -------------------------------------------------------------------- */

static bool is_injected_before(const ir_event_list *sources, int64_t number)
{
    for (int64_t n = 0; n < number; n++)
        if (sources->item[n].field == sources->item[number].field)
            return true;
    return false;
}

static void add_operation(const generation *g, const ir_operation *o, text *t)
{
    const ir_event_list *sources = &g->code->injections;
    const ir_stage *s = o->stage < 0 ? NULL : &g->code->stage[o->stage];
    int count = 0;

    if (s)
        text_add(t, "    {.stage = stage_%d, .number = %d, .box = &box_%d", o->stage,
                 o->stage, o->stage);
    else
        text_add(t, "    {.stage = inject_all, .number = -1, .box = &everywhere");
    text_add(t, ", .skew = {%d, %d, %d},\n     .stored = {", o->skew[0], o->skew[1],
             o->skew[2]);
    for (int64_t n = 0; !s && n < sources->count; n++)
        if (!is_injected_before(sources, n))
            text_add(t, "%s%s", count++ ? ", " : "", g->field[sources->item[n].field]);
    for (int64_t n = 0; s && n < s->outputs; n++)
        if (s->output[n].kind == IR_STORE)
            text_add(t, "%s%s", count++ ? ", " : "", g->field[s->output[n].field]);
    text_add(t, "},\n     .stores = %d},\n", count);
}

static void add_ends(const generation *g, int64_t field, int axis, text *t)
{
    const ir_field *f = &g->code->field[field];
    const border_kind before = f->border[axis][0].kind, behind = f->border[axis][1].kind;

    text_add(t, "    [%s][%d] = {{%d, %d}, {%d, %d}, {%d, %d}},\n", g->field[field], axis,
             f->halo[axis][0], f->halo[axis][1], border_stores_face(before),
             border_stores_face(behind), border_is(before), border_is(behind));
}

void add_tile_operations(const generation *g, text *t)
{
    const ir *code = g->code;
    const ir_blocking *b = &g->blocking;
    const int64_t sources = code->injections.count;
    const box all = ir_grid_box(code);

    if (g->tilings == 0)
        return;
    if (sources > 0)
        text_add(t, "\nstatic void inject_all(program *p, const box *within)\n{\n");
    for (int64_t n = 0; n < sources; n++)
        text_add(t, "    inject_%lld(p, within);\n", (long long)n);
    text_add(t, sources > 0 ? "}\n" : "");
    /* stages of uniforms at the beginning of a step */
    text_add(t, "\nstatic void begin_step(program *p)\n{\n    set_time(p, p->step);\n");
    for (int64_t n = 0; n < code->step.count; n++)
        if (ir_is_uniform(&code->stage[code->step.stage[n]]))
            add_stage_call(g, code->step.stage[n], t);

    text_add(t,
             "}\n\nstatic const int step_skew[3] = {%d, %d, %d};\n"
             "static const int within_skew[3] = {%d, %d, %d};\n"
             "static const int64_t extent[3] = {%lld, %lld, %lld};\n"
             "static const int wraps[3] = {%d, %d, %d};\n"
             "static const int is_still[FIELDS] = {",
             b->skew[0], b->skew[1], b->skew[2], time_skew_within(b, 0),
             time_skew_within(b, 1), time_skew_within(b, 2), (long long)all.hi[0],
             (long long)all.hi[1], (long long)all.hi[2], b->periodic[0], b->periodic[1],
             b->periodic[2]);
    for (int64_t f = 0; f < code->fields; f++)
        text_add(t, "%s%d", f ? ", " : "", borders_are_still(code, &code->field[f]));
    text_add(t, "};\nstatic const time_ends field_ends[FIELDS][3] = {\n");
    for (int64_t f = 0; f < code->fields; f++)
        for (int axis = 0; axis < code->dim; axis++)
            add_ends(g, f, axis, t);
    text_add(t, "};\nstatic const tiling tilings[TILINGS] = {\n");
    for (int n = 0; n < g->tilings; n++)
        text_add(t, "    {%lld, %lld, %lld},\n", (long long)g->tiling[n].depth,
                 (long long)g->tiling[n].across, (long long)g->tiling[n].along);
    text_add(t, "};\n\nstatic const operation operations[OPERATIONS] = {\n");
    for (int64_t n = 0; n < b->operations; n++)
        if (b->operation[n].kind != OPERATION_SAMPLE)
            add_operation(g, &b->operation[n], t);
    text_add(t, "};\n");
}
