/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of passes whose versions are held in registers: what a thread holds, and its walk. */
#include "emit/pass_private.h"

/* ---- what a thread holds ------------------------------------------------------------------ */

static void add_tile(const pass_plan *p, text *t)
{
    const emit_gpu_schedule *s = &p->schedule;

    text_add(t, "\nenum { DEPTH = %d };\ntypedef rows_of<%d, %d, %d, %d, %d, %d> tile;\n",
             s->depth, s->vector, s->threads[1], s->rows, pass_overlap(p, 0),
             p->axis == 2 ? pass_overlap(p, 1) : 0, p->axis);
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
        if (field->shown > 0)
            text_add(t, "typedef shown<%s, tile, %d, %d, %lld> shown_%d;\n", type,
                     field->shown, field->edge, (long long)field->at, f);
    }
    text_add(t, "\nstruct state {\n");
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            text_add(t, "    held_%d f%d[%d];\n    int turn%d;\n", f, f, pass_versions(p, f), f);
    text_add(t, "};\n");
}

/* ---- levels that are found ---------------------------------------------------------------- */

/* "a.g0.y * index_at<false>(b.y + 1, a.w.extent[1], 0, 0)": from the field's point 0. */
static void add_place(const pass_plan *p, const ir_field *f, int slot, const char *row,
                      const char *plane, text *t)
{
    static const char strides[] = "0yz";
    const char *const at[] = {"", p->axis == 2 ? row : plane, plane};

    text_add(t, "(const %s *)a.g%d.data", emit_c_type(f->storage), slot);
    for (int axis = 1; axis <= p->axis; axis++)
        text_add(t, " + a.g%d.%c * index_at<%s>(%s, a.w.extent[%d], %d, %d)", slot,
                 strides[axis], p->periodic[axis] ? "true" : "false", at[axis], axis,
                 f->halo[axis][0], f->halo[axis][1]);
}

void cuda_held_load(const pass_plan *p, int field, int slot, const char *row,
                    const char *plane, text *t)
{
    const ir_field *f = &p->code->field[field];

    text_add(t, "load_row<%s, tile::N>(", p->periodic[0] ? "true" : "false");
    add_place(p, f, slot, row, plane, t);
    text_add(t, ", b.x, a.w.extent[0], %d, %d)", f->halo[0][0], f->halo[0][1]);
}

static void add_arrival(const pass_plan *p, const emit_gpu_pass *pass, int field, text *t)
{
    for (int level = p->field[field].oldest; level <= 0; level++) {
        const int version = level - p->field[field].oldest;
        text_add(t,
                 "#pragma unroll\n    for (int r = 0; r < tile::ROWS; r++)\n"
                 "        s.f%d[%d].at[0][r] = ",
                 field, version);
        cuda_held_load(p, field, pass_slot_of(pass, field, level, false), "b.y + r", "plane",
                       t);
        text_add(t, ";\n");
        if (p->field[field].shown > 0)
            text_add(t, "    shown_%d::show(b, %d, s.turn%d, s.f%d[%d].at[0]);\n", field,
                     version, field, field, version);
    }
}

static void add_arrivals(const pass_plan *p, const emit_gpu_pass *pass, text *t)
{
    text_add(t, "\n/* What was found of a plane. */\n"
                "INLINE void load(const argument &a, const held_place &b, state &s, "
                "int64_t plane)\n{\n");
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            add_arrival(p, pass, f, t);
    text_add(t, "}\n");
}

static void add_turns(const pass_plan *p, text *t)
{
    text_add(t, "\n/* All that is held is a plane older. */\n"
                "INLINE void turn(state &s)\n{\n");
    for (int f = 0; f < p->code->fields; f++) {
        const pass_field *field = &p->field[f];
        if (!p->moves[f])
            continue;
        text_add(t, "#pragma unroll\n    for (int v = 0; v < %d; v++)\n        s.f%d[v].turn();\n",
                 pass_versions(p, f), f);
        if (field->shown > 0)
            text_add(t, "    s.turn%d = s.turn%d + 1 < %d ? s.turn%d + 1 : 0;\n", f, f,
                     field->shown, f);
    }
    text_add(t, "}\n");
}

/* ---- the walk ----------------------------------------------------------------------------- */

static int last_lag(const pass_plan *p)
{
    int last = 0;

    for (int64_t n = 0; n < p->acts; n++)
        last = p->act[n].lag > last ? p->act[n].lag : last;
    return last + (p->schedule.depth - 1) * p->lag;
}

static bool shows(const pass_plan *p)
{
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f] && p->field[f].shown > 0)
            return true;
    return false;
}

void cuda_held_walk(const pass_plan *p, int64_t which, text *t)
{
    text_add(t,
             "\nINLINE void walk(const argument &a)\n{\n"
             "    const held_place b = place_of_rows<tile>(a.w);\n"
             "    const int64_t last = b.to + %d;\n"
             "    state s = {};\n\n",
             last_lag(p));
    if (p->schedule.unroll > 0)
        text_add(t, "#pragma unroll %d\n", p->schedule.unroll);
    text_add(t,
             "    for (int64_t k = b.from - %d; k < last; k++) {\n"
             "        turn(s);\n        load(a, b, s, k);\n"
             "#pragma unroll\n"
             "        for (int step = 0; step < DEPTH; step++) {\n",
             pass_overlap(p, p->axis));
    for (int64_t n = 0; n < p->acts; n++)
        text_add(t, "            stage_%d(a, b, s, step, k - step * %d - %d);\n",
                 p->act[n].stage, p->lag, p->act[n].lag);
    text_add(t, "        }\n%s    }\n}\n\n} // namespace pass_%lld\n",
             shows(p) ? "        __syncthreads();\n" : "", (long long)which);
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
