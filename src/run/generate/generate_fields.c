/* SPDX-License-Identifier: BSD-3-Clause */
/* The data of a generated program: its fields in memory, in the same layout as in a run,
 * and the borders at their faces. */
#include "run/generate/generate_private.h"

/* The most slots of a stage; at least 1. */
static int64_t most_slots(const generation *g)
{
    int64_t most = 1;

    for (int64_t n = 0; n < g->code->stages; n++) {
        const ir_stage *s = &g->code->stage[n];
        emit_slot *slot = mem_new(s->count + s->outputs + 1, sizeof *slot);
        const int64_t count = slot ? emit_slots(s, slot) : s->count + s->outputs;
        most = count > most ? count : most;
        mem_free(slot);
    }
    return most;
}

/* The decomposition of the grid. */
static void add_part_numbers(const generation *g, text *t)
{
    const int axis = g->code->dim - 1;

    text_add(t,
             "enum { CUT = %d, PLANES = %lld, LEAST_PLANES = %lld }; /* of parts: the "
             "axis that is cut */\n"
             "enum { MOST_SLOTS = %lld }; /* levels that a stage knows */\n",
             axis, (long long)points_along(g->code, axis, false),
             (long long)(g->parts > 1 ? subdomain_least_width(g->code, axis) : 1),
             (long long)most_slots(g));
    text_add(t, "int PROGRAM_gpu[PROGRAM_PARTS] = {");
    for (int n = 0; n < g->parts; n++)
        text_add(t, "%s%d", n ? ", " : "", g->gpu_of[n]);
    text_add(t, "};\ndouble PROGRAM_share[PROGRAM_PARTS] = {");
    for (int n = 0; n < g->parts; n++) {
        text_add(t, n ? ", " : "");
        text_add_double(t, g->share[n]);
    }
    text_add(t, "};\n");
}

/* The loop schedule on processors; ASKED = 0: the first steps choose it. */
static void add_asked(const generation *g, text *t)
{
    const schedule *s = &g->schedule;
    const bool rows = s->kind == SCHEDULE_ROWS || s->kind == SCHEDULE_BLOCKS;
    const bool asked = !g->gpu && rows, tiles = s->kind == SCHEDULE_CPU_TIME;

    text_add(t,
             "enum { ASKED = %d, ASKED_BLOCK = %d, ASKED_AHEAD = %d, ASKED_SINGLE = %d, "
             "ASKED_STREAM = %d, ASKED_ALONE = %d };\n",
             asked, asked ? s->tile.size[1] : 0, asked ? s->tile.ahead : 0,
             (asked || tiles) && s->thread.size[1] == 1, asked && s->non_temporal,
             asked && schedule_threads(s) == 1);
}

/* Constants without influence on values: with fewer points one thread is faster; bytes of
 * a core's own cache, about, and of all caches. */
static void add_machine(text *t)
{
    text_add(t,
             "enum { FEW_POINTS = %d, CORE_CACHE = %lld, ALL_CACHES = %lld }; /* of a "
             "processor */\n",
             CPU_PARALLEL_POINTS, (long long)cpu_generated_core_cache,
             (long long)cpu_generated_last_cache);
}

void add_constants(const generation *g, text *t)
{
    const ir *code = g->code;

    text_add(t, "\n/* ---- fields and numbers %s */\n\n",
             "-----------------------------------------------------------------");
    text_add(t, "enum { ");
    for (int64_t f = 0; f < code->fields; f++) {
        add_field(g, f, t);
        text_add(t, ", ");
    }
    text_add(t, "FIELDS };\n");
    text_add(t,
             "enum { DIMENSIONS = %d, UNIFORMS = %lld, TABLES = %lld, MOST_TABLES = "
             "%lld, STAGES = %lld };\n",
             code->dim, (long long)code->uniforms, (long long)code->tables,
             (long long)code->tables + 1, (long long)code->stages + 1);
    add_asked(g, t);
    add_machine(t);
    add_tile_numbers(g, t);
    if (g->gpu)
        add_part_numbers(g, t);
    text_add(t, "enum { TIME = %d, STEP = %d }; /* of the uniforms */\n", code->uniform_t,
             code->uniform_step);
}

/* ---- memory ------------------------------------------------------------------------ */

static field_shape shape_of(const generation *g, const ir_field *f)
{
    field_shape shape = {
        .type = f->storage, .dimensions = g->code->dim, .count = f->levels};

    for (int axis = 0; axis < MAX_DIM; axis++) {
        shape.extent[axis] = f->extent[axis];
        shape.halo[axis][0] = f->halo[axis][0];
        shape.halo[axis][1] = f->halo[axis][1];
    }
    return shape;
}

static void add_triple(const char *name, const int64_t *value, text *t)
{
    text_add(t, ".%s = {%lld, %lld, %lld}", name, (long long)value[0],
             (long long)value[1], (long long)value[2]);
}

static void add_reach(const generation *g, int64_t number, text *t)
{
    const int axis = g->code->dim - 1;
    const halo_depth d = halo_depth_of(g->code, number);

    if (g->gpu)
        text_add(t, ", .reach = {%d, %d}", d.side[axis][0], d.side[axis][1]);
}

static void add_memory(const generation *g, int64_t number, const levels *l,
                       int64_t bytes, text *t)
{
    static const char *const type[] = {
        [PAV_F32] = "F32", [PAV_F64] = "F64", [PAV_BF16] = "BF16",
        [PAV_F16] = "F16", [PAV_U8] = "U8",
    };
    const view *v = &l->level[0];

    text_add(t, "    [");
    add_field(g, number, t);
    text_add(t, "] = {\n        .shape = {.type = PROGRAM_%s, ", type[v->type]);
    add_triple("extent", v->extent, t);
    text_add(t, ",\n                  ");
    add_triple("stride", v->stride, t);
    text_add(t, ",\n                  .halo = {{%d, %d}, {%d, %d}, {%d, %d}}},\n",
             v->halo[0][0], v->halo[0][1], v->halo[1][0], v->halo[1][1], v->halo[2][0],
             v->halo[2][1]);
    text_add(t,
             "        .first = %lld, .apart = %lld, .bytes = %lld, .levels = %d, "
             ".changes = %d",
             (long long)((const char *)v->data - (const char *)l->block),
             (long long)l->level_bytes, (long long)bytes, l->count,
             g->code->field[number].updated);
    add_reach(g, number, t);
    text_add(t, "},\n");
}

static pav_status add_field_memory(const generation *g, int64_t number, text *t)
{
    const field_shape shape = shape_of(g, &g->code->field[number]);
    char block[1]; /* only its address is used */
    levels_size size;
    levels l;

    if (!levels_measure(&shape, &size))
        return FAIL(PAV_ELIMIT, "field %s has more bytes than 64 bits can count",
                    g->code->field[number].name);
    TRY(levels_at(&shape, block, &l));
    add_memory(g, number, &l, size.bytes, t);
    levels_free(&l);
    return PAV_OK;
}

pav_status add_fields(const generation *g, text *t)
{
    text_add(t, "\nstatic const field_memory field[FIELDS] = {\n");
    for (int64_t f = 0; f < g->code->fields; f++)
        TRY(add_field_memory(g, f, t));
    text_add(t, "};\n");
    return PAV_OK;
}

/* ---- faces ------------------------------------------------------------------------- */

static const char *kind_name(border_kind kind)
{
    if (border_rules[kind].copies)
        return "FACE_COPY";
    return border_stores_face(kind) ? "FACE_VALUE"
           : border_is(kind)        ? "FACE_BEYOND"
                                    : "FACE_NONE";
}

static void add_map(ghost_map map, text *t)
{
    static const char *const names[] = {"WRAPS", "CLAMPS", "BETWEEN", "NEGATIVE"};
    const char *before = "";

    for (int n = 0; n < (int)COUNT_OF(names); n++)
        if (map & 1U << n) {
            text_add(t, "%sGHOST_%s", before, names[n]);
            before = " | ";
        }
    text_add(t, "%s", *before ? "" : "GHOST_EVEN");
}

static void add_face(const ir_border *b, text *t)
{
    text_add(t, "{%s, ", kind_name(b->kind));
    add_map(border_rules[b->kind].map, t);
    text_add(t, ", ");
    if (b->stage >= 0 && border_is(b->kind))
        text_add(t, "stage_%d}", b->stage);
    else
        text_add(t, "NULL}");
}

void add_faces(const generation *g, text *t)
{
    text_add(t, "\n/* Along x, y, z: before the first point, behind the last. */\n"
                "static const face faces[FIELDS][3][2] = {\n");
    for (int64_t f = 0; f < g->code->fields; f++) {
        text_add(t, "    [");
        add_field(g, f, t);
        text_add(t, "] = {");
        for (int axis = 0; axis < g->code->dim; axis++) {
            text_add(t, axis ? ",\n        {" : "\n        {");
            add_face(&g->code->field[f].border[axis][0], t);
            text_add(t, ", ");
            add_face(&g->code->field[f].border[axis][1], t);
            text_add(t, "}");
        }
        text_add(t, "},\n");
    }
    text_add(t, "};\n");
}
