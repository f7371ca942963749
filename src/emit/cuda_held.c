/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of passes whose versions are held in registers: what a thread holds, and its walk. */
#include <stdio.h>

#include "emit/pass_private.h"

/* ---- what a thread holds ------------------------------------------------------------------ */

static void add_tile(const pass_plan *p, text *t)
{
    const emit_gpu_schedule *s = &p->schedule;

    text_add(t,
             "\nenum { DEPTH = %d, SOON = %d };\ntypedef rows_of<%d, %d, %d, %d, %d, "
             "%d, %s, %s> tile;\n",
             s->depth, pass_planes_ahead(p), s->vector, s->threads[1], s->rows,
             pass_overlap(p, 0), p->axis == 2 ? pass_overlap(p, 1) : 0, p->axis,
             cuda_held_wraps(p, 0), p->axis == 2 ? cuda_held_wraps(p, 1) : "false");
}

static void add_state(const pass_plan *p, int field, text *t)
{
    const char *type = emit_c_type(p->code->field[field].storage);

    text_add(t, "    held_%d f%d[%d];\n", field, field, pass_versions(p, field));
    if (p->schedule.prefetch == 0 && !p->rings)
        text_add(t, "    pack<%s, tile::N> next%d[%d][tile::ROWS];\n", type, field,
                 1 - p->field[field].oldest);
}

/* Fields of which as many planes are shown take turns together. */
static bool turns_first(const pass_plan *p, int field)
{
    for (int f = 0; f < field; f++)
        if (p->moves[f] && p->field[f].shown == p->field[field].shown)
            return false;
    return p->moves[field] && p->field[field].shown > 0 && !pass_has_phase(p, field);
}

static void add_turn_members(const pass_plan *p, text *t)
{
    for (int f = 0; f < p->code->fields; f++)
        if (turns_first(p, f))
            text_add(t, "    int turn%d; /* which of so many planes is shown */\n",
                     p->field[f].shown);
}

/* "    held<float, tile::N, tile::ROWS, 3> sum1_38[DEPTH];" */
static void add_sums(const pass_plan *p, const pass_act *act, text *t)
{
    const ir_stage *stage = pass_stage_of(p, act);

    for (int64_t n = 0; n < act->sums; n++) {
        const pass_sum *sum = &act->sum[n];
        const bool told = ir_is_boolean(stage->node[sum->node].op);
        text_add(t, "    held<%s, tile::N, tile::ROWS, %d> sum%d_%d[DEPTH];\n",
                 told ? "int" : emit_c_type(stage->real), sum->planes, act->stage,
                 sum->node);
    }
}

static void add_fields(const pass_plan *p, text *t)
{
    for (int f = 0; f < p->code->fields; f++) {
        const pass_field *field = &p->field[f];
        const char *type = emit_c_type(p->code->field[f].storage);
        if (!p->moves[f])
            continue;
        text_add(t, "typedef held<%s, tile::N, tile::ROWS, %d> held_%d; /* ", type,
                 field->planes, f);
        emit_level_text(p->code, f, 0, t);
        text_add(t, " */\n");
        if (p->rings)
            cuda_ring_types(p, f, t);
        else if (p->schedule.prefetch > 0)
            text_add(t, "typedef soon_to_come<%s, tile, SOON, %lld> soon_%d;\n", type,
                     (long long)field->soon, f);
        if (field->shown > 0)
            text_add(t, "typedef shown<%s, tile, %d, %d, %d, %lld> shown_%d;\n", type,
                     pass_shown(p, f), field->edge, pass_first_made(p, f),
                     (long long)field->at, f);
    }
    text_add(t, "\nstruct state {\n");
    if (p->rings)
        cuda_ring_state(p, t);
    else if (p->schedule.prefetch > 0)
        text_add(t, "    int soon; /* where the next plane is, and goes to */\n");
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            add_state(p, f, t);
    add_turn_members(p, t);
    for (int64_t n = 0; n < p->acts; n++)
        add_sums(p, &p->act[n], t);
    text_add(t, "};\n");
}

/* ---- levels that are found ---------------------------------------------------------------- */

const char *cuda_held_wraps(const pass_plan *p, int axis)
{
    return p->periodic[axis] ? "true" : "false";
}

/* "is_stored<false>(plane, a.w.extent[2], 0, 0)" */
static void add_stored(const pass_plan *p, const ir_field *f, int axis, const char *at,
                       text *t)
{
    const int pack = axis == 0 ? p->schedule.vector : 1;

    text_add(t, "is_stored<%s>(%s, a.w.extent[%d], %d, %d)", cuda_held_wraps(p, axis), at,
             axis, (f->halo[axis][0] + pack - 1) / pack * pack, f->halo[axis][1]);
}

/* An index that is within the field, or wraps: inside, at most once. */
static void add_index(const pass_plan *p, int axis, const char *at, bool inside, text *t)
{
    if (!p->periodic[axis])
        text_add(t, "(%s)", at);
    else if (inside)
        text_add(t, "nearly<true>(%s, a.w.extent[%d])", at, axis);
    else
        text_add(t, "index_at<true>(%s, a.w.extent[%d], 0, 0)", at, axis);
}

static void add_row(const pass_plan *p, const ir_field *f, int slot, const char *row,
                    const char *plane, bool inside, const held_target *to, text *t)
{
    const char *around = inside ? "false" : cuda_held_wraps(p, 0);
    const bool line = to->asked && inside && !p->periodic[0];

    if (line)
        text_add(t, "ask_line(%s, row_from(", to->name);
    else if (to->asked)
        text_add(t, "ask_row<%s>(%s, ", around, to->name);
    else
        text_add(t, "%s = load_row<%s, tile::N>(", to->name, around);
    text_add(t, "plane_in<tile, %s>(a.g%d, ", emit_c_type(f->storage), slot);
    add_index(p, p->axis, plane, inside, t);
    text_add(t, line ? ") + b.i, " : "), ");
    text_add(t, "a.g%d.y, ", slot);
    if (p->axis == 2)
        add_index(p, 1, row, inside, t);
    else
        text_add(t, "0");
    text_add(t, line ? "));\n" : ", b.i, a.w.extent[0]);\n");
}

/* Where planes lie inside and the tile, too, there is memory all around, and nothing wraps within a pack; but a plane that is
 * read ahead may lie behind the last: the last one does as well then. */
void cuda_held_load(const pass_plan *p, int field, int slot, const char *row,
                    const char *plane, const held_target *to, text *t)
{
    const ir_field *f = &p->code->field[field];
    char last[64];

    (void)snprintf(last, sizeof last, "at_most(%s, (int)a.w.extent[%d] - 1 + %d)", plane,
                   p->axis, f->halo[p->axis][1]);
    text_add(t, "if (INSIDE && !EDGE)\n            ");
    add_row(p, f, slot, row, to->ahead && !p->periodic[p->axis] ? last : plane, true, to,
            t);
    text_add(t, "        else if ((!EDGE || ");
    add_stored(p, f, 0, "b.i", t);
    text_add(t, to->ahead ? ") && (" : ") && (INSIDE || ");
    add_stored(p, f, p->axis, plane, t);
    text_add(t, ")");
    if (p->axis == 2) {
        text_add(t, " &&\n            (!EDGE || ");
        add_stored(p, f, 1, row, t);
        text_add(t, ")");
    }
    text_add(t, ")\n            ");
    add_row(p, f, slot, row, plane, false, to, t);
}

/* "s.next0[0][r]", or the thread's place in shared memory. */
static void add_next(const pass_plan *p, const emit_gpu_pass *pass, int field, int level,
                     text *t)
{
    const int version = level - p->field[field].oldest;
    const bool asked = p->schedule.prefetch > 0;
    char name[48];
    const held_target to = {name, asked, true};

    (void)snprintf(name, sizeof name,
                   asked ? "soon_%d::place(%d, s.soon, r)" : "s.next%d[%d][r]", field,
                   version);
    text_add(t, "#pragma unroll\n    for (int r = 0; r < tile::ROWS; r++) {\n        ");
    if (!asked)
        text_add(t, "%s = {};\n        ", name);
    cuda_held_load(p, field, pass_slot_of(pass, field, level, false), "b.j + r", "plane",
                   &to, t);
    text_add(t, "    }\n");
}

static void add_nexts(const pass_plan *p, const emit_gpu_pass *pass, text *t)
{
    text_add(
        t, "\n/* What was found of a plane that comes next. */\n"
           "template <bool INSIDE, bool EDGE>\nINLINE void load(const argument &a, const "
           "held_place &b, "
           "state &s, "
           "int plane)\n{\n");
    for (int f = 0; f < p->code->fields; f++)
        for (int level = p->field[f].oldest; level <= 0 && p->moves[f]; level++)
            add_next(p, pass, f, level, t);
    if (p->schedule.prefetch > 0)
        text_add(t, "    kernel_copy_commit();\n"
                    "    s.soon = s.soon + 1 < SOON ? s.soon + 1 : 0;\n");
    text_add(t, "}\n");
}

static void add_arrival(const pass_plan *p, int field, text *t)
{
    for (int version = 0; version <= -p->field[field].oldest; version++) {
        text_add(t,
                 "#pragma unroll\n    for (int r = 0; r < tile::ROWS; r++)\n"
                 "        s.f%d[%d].at[0][r] = ",
                 field, version);
        if (p->schedule.prefetch > 0)
            text_add(t, "*soon_%d::place(%d, s.soon, r);\n", field, version);
        else
            text_add(t, "s.next%d[%d][r];\n", field, version);
        if (p->field[field].shown > 0)
            text_add(t, "    shown_%d::show(b, %d, s.turn%d, s.f%d[%d].at[0]);\n", field,
                     version, p->field[field].shown, field, version);
    }
}

/* Where packs have several pieces, other lanes asked for them, and may do so again once they were taken. */
static void add_meeting(const pass_plan *p, text *t)
{
    bool meets = false;

    for (int f = 0; f < p->code->fields; f++)
        meets |= p->moves[f] && p->schedule.prefetch > 0 &&
                 p->schedule.vector * (int)pav_type_size(p->code->field[f].storage) > 16;
    text_add(t, meets ? "    __syncwarp();\n" : "");
}

static void add_arrivals(const pass_plan *p, const emit_gpu_pass *pass, text *t)
{
    if (p->rings) {
        cuda_ring_loads(p, pass, t);
        cuda_ring_arrivals(p, t);
        return;
    }
    add_nexts(p, pass, t);
    text_add(t, "\n/* It has come. */\n"
                "INLINE void arrive(const held_place &b, state &s)\n{\n");
    if (p->schedule.prefetch > 0)
        text_add(t, "    kernel_copy_wait<SOON - 1>();\n");
    add_meeting(p, t);
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            add_arrival(p, f, t);
    add_meeting(p, t);
    text_add(t, "}\n");
}

static void turn_sums(const pass_act *act, text *t)
{
    for (int64_t n = 0; n < act->sums; n++)
        text_add(t,
                 "#pragma unroll\n    for (int step = 0; step < DEPTH; step++)\n"
                 "        s.sum%d_%d[step].turn();\n",
                 act->stage, act->sum[n].node);
}

static void add_turns(const pass_plan *p, text *t)
{
    text_add(t, "\n/* All that is held is a plane older. */\n"
                "INLINE void turn(state &s)\n{\n");
    for (int f = 0; f < p->code->fields; f++) {
        const pass_field *field = &p->field[f];
        if (!p->moves[f])
            continue;
        text_add(t,
                 "#pragma unroll\n    for (int v = 0; v < %d; v++)\n        "
                 "s.f%d[v].turn();\n",
                 pass_versions(p, f), f);
        if (turns_first(p, f))
            text_add(t, "    s.turn%d = s.turn%d + 1 < %d ? s.turn%d + 1 : 0;\n",
                     field->shown, field->shown, field->shown, field->shown);
    }
    for (int64_t n = 0; n < p->acts; n++)
        turn_sums(&p->act[n], t);
    if (p->rings)
        cuda_ring_turns(p, t);
    text_add(t, "}\n");
}

/* ---- the walk ----------------------------------------------------------------------------- */

static bool shows(const pass_plan *p)
{
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f] && p->field[f].shown > 0)
            return true;
    return false;
}

void cuda_held_arrivals(const pass_plan *p, const emit_gpu_pass *pass, text *t)
{
    add_turns(p, t);
    add_arrivals(p, pass, t);
}

void cuda_held_fields(const pass_plan *p, text *t)
{
    add_tile(p, t);
    add_fields(p, t);
}

static void add_acts(const pass_plan *p, text *t)
{
    text_add(t, "#pragma unroll\n    for (int step = 0; step < DEPTH; step++) {\n");
    if (!p->rings)
        text_add(t,
                 "        if (step == DEPTH - %d)\n"
                 "            load<INSIDE, EDGE>(a, b, s, k + SOON);\n",
                 p->schedule.ahead);
    for (int64_t n = 0; n < p->acts; n++)
        text_add(t,
                 "        stage_%d<INSIDE, EDGE>(a, b, s, step, k - step * %d - %d);\n",
                 p->act[n].stage, p->lag, p->act[n].lag);
    text_add(t, "    }\n");
}

/* All that happens when a plane comes. */
static void add_plane(const pass_plan *p, text *t)
{
    text_add(t,
             "\n/* INSIDE: its planes lie between the faces; EDGE: the tile has faces "
             "across the walk. */\n"
             "template <bool INSIDE, bool EDGE>\nINLINE void pass_plane(const argument "
             "&a, const held_place &b, state &s, int k)\n{\n    turn(s);\n"
             "    arrive(b, s);\n");
    add_acts(p, t);
    text_add(t, "%s}\n",
             p->rings   ? "    leave<INSIDE, EDGE>(a, b, s, k);\n"
             : shows(p) ? "    __syncthreads();\n"
                        : "");
}

static void add_part(const char *which, int unroll, const char *where, text *t)
{
    text_add(t, "        %s", which);
    if (unroll > 0)
        text_add(t, "#pragma unroll %d\n", unroll);
    text_add(t,
             "            for (; k < end; k++)\n"
             "                pass_plane<%s>(a, b, s, k);\n",
             where);
}

static int first_lag(const pass_plan *p)
{
    int first = p->act[0].lag;

    for (int64_t n = 1; n < p->acts; n++)
        first = int_least(first, p->act[n].lag);
    return first;
}

/* Planes of the walk between those on faces: nothing is read farther beyond them than a step reaches. Where it wraps, all, but
 * in a grid of few planes. */
static void add_inner_planes(const pass_plan *p, text *t)
{
    const int before = pass_overlap(p, p->axis), reach = p->reach[p->axis];

    text_add(t, "    const int last = b.to + LAG, extent = (int)a.w.extent[%d];\n",
             p->axis);
    if (p->periodic[p->axis])
        text_add(
            t,
            "    int k = b.from - %d;\n"
            "    const int first = extent > LAG + SOON + %d ? k : last, inner = last;\n",
            before, before + 1);
    else
        text_add(t,
                 "    int k = b.from > %d ? b.from - %d : -%d;\n"
                 "    const int first = 1 + LAG, inner = extent - 1 + %d;\n",
                 before - reach, before, reach,
                 p->rings ? -pass_planes_ahead(p) : first_lag(p));
    if (p->rings)
        text_add(t, "    const int inside = inner < last ? inner : last;\n");
}

static void add_start(const pass_plan *p, text *t)
{
    if (p->rings)
        cuda_ring_open(p, t);
    else
        text_add(t, "    for (int n = 0; n < SOON; n++)\n"
                    "        load<false, true>(a, b, s, k + n);\n");
}

static void add_parts(int unroll, text *t)
{
    text_add(
        t,
        "    for (int part = 0; part < 3; part++) {\n"
        "        const int end = part == 0 ? first : part == 1 && inner < last ? inner : "
        "last;\n");
    add_part("if (part == 1 && !b.edge) {\n", unroll, "true, false", t);
    add_part("} else if (part == 1 && !b.ragged) {\n", unroll, "true, true", t);
    add_part("} else {\n", 1, "false, true", t);
    text_add(t, "        }\n    }\n");
}

/* Most planes lie between the faces of the walk; what is before and behind them takes a loop that is not unrolled, which
 * knows all faces. */
void cuda_held_walk(const pass_plan *p, text *t)
{
    const int unroll = p->schedule.unroll;

    add_plane(p, t);
    text_add(t,
             "\nINLINE void walk(const argument &a)\n{\n"
             "    enum { LAG = %d };\n"
             "    const held_place b = place_of_rows<tile>(a.w);\n"
             "    state s = {};\n\n"
             "    if (b.none)\n        return;\n",
             pass_last_lag(p));
    add_inner_planes(p, t);
    add_start(p, t);
    if (p->rings)
        cuda_ring_walk(p, t);
    else
        add_parts(unroll, t);
    text_add(t, "}\n");
}
