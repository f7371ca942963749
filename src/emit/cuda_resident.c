/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of a pass in which blocks stay: all steps of it are one loop, in which each stage is computed, kept, told to the
 * blocks around, and what these told is fetched (src/cuda/kernel_resident.cuh). */
#include "emit/pass_private.h"

static const char *type_of(const pass_plan *p, int field)
{
    return emit_c_type(p->code->field[field].storage);
}

/* ---- what blocks have --------------------------------------------------------------------- */

static bool is_corner(const ir_node *n)
{
    int off = 0;

    for (int axis = 0; axis < MAX_DIM; axis++)
        off += n->offset[axis] != 0;
    return n->op == IR_LOAD && off > 1;
}

static bool reads_corners(const pass_plan *p)
{
    for (int64_t n = 0; n < p->acts; n++) {
        const ir_stage *s = &p->code->stage[p->act[n].stage];
        for (int64_t k = 0; k < s->count; k++)
            if (is_corner(&s->node[k]) && p->moves[s->node[k].field])
                return true;
    }
    return false;
}

static void add_parting(const pass_plan *p, text *t)
{
    text_add(t, "\ntypedef parting<");
    for (int axis = 0; axis < MAX_DIM; axis++)
        text_add(t, "%lld, ", (long long)points_along(p->code, axis, false));
    for (int axis = 0; axis < MAX_DIM; axis++)
        text_add(t, "%d, ", p->schedule.parts[axis]);
    for (int axis = 0; axis < MAX_DIM; axis++)
        text_add(t, "%s, ", p->periodic[axis] ? "true" : "false");
    text_add(t, "%s, %d, %d> tiles;\n", reads_corners(p) ? "true" : "false",
             p->schedule.threads[0], p->schedule.rows);
    text_add(t, "typedef resident_place pass_place;\n");
}

static void add_sides(const char *name, int number, int side[MAX_DIM][2], text *t)
{
    text_add(t, "typedef sides<");
    for (int n = 0; n < 2 * MAX_DIM; n++)
        text_add(t, "%s%d", n > 0 ? ", " : "", side[n / 2][n % 2]);
    text_add(t, "> %s_%d;\n", name, number);
}

static void add_field(const pass_plan *p, int field, text *t)
{
    pass_field *f = &p->field[field];

    text_add(t, "\n/* ");
    emit_level_text(p->code, field, 0, t);
    text_add(t, " */\n");
    add_sides("near", field, f->near, t);
    add_sides("halo", field, p->code->field[field].halo, t);
    add_sides("made", field, p->code->stage[pass_maker_of(p, field)->stage].inset, t);
    text_add(
        t,
        "typedef resident_field<%s, tiles, near_%d, halo_%d, made_%d, %d, %lld, %lld> "
        "field_%d;\n",
        type_of(p, field), field, field, field, f->versions, (long long)f->at,
        (long long)f->common, field);
}

/* ---- before and after --------------------------------------------------------------------- */

static void add_loads(const pass_plan *p, const emit_gpu_pass *pass, text *t)
{
    for (int f = 0; f < p->code->fields; f++)
        for (int level = 0; p->moves[f] && level >= p->field[f].oldest; level--)
            text_add(t, "    load_tile<field_%d>(b, %d, a.g%d);\n", f, level,
                     pass_slot_of(pass, f, level, false));
    text_add(t, "    __syncthreads();\n");
}

/* Of the newest level, or of all others. */
static void add_leaves(const pass_plan *p, const emit_gpu_pass *pass, bool newest,
                       text *t)
{
    for (int f = 0; f < p->code->fields; f++)
        for (int age = 0; p->moves[f] && age < p->field[f].kept; age++)
            if ((age == 0) == newest)
                text_add(t, "%sleave_tile<field_%d>(b, steps - %d, a.g%d);\n",
                         newest ? "    " : "            ", f, age,
                         pass_slot_of(pass, f, -age, true));
}

static bool leaves_older(const pass_plan *p)
{
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f] && p->field[f].kept > 1)
            return true;
    return false;
}

/* ---- a step ------------------------------------------------------------------------------- */

/* The field of output n. */
static int stored_by(const ir_stage *s, int64_t n)
{
    return s->output[n].field;
}

/* ", v0[n], v1[n]" */
static void add_results(const ir_stage *s, const char *which, text *t)
{
    for (int64_t n = 0; n < s->outputs; n++)
        text_add(t, ", v%d%s", stored_by(s, n), which);
}

static void declare_results(const pass_plan *p, const ir_stage *s, const char *indent,
                            const char *of, text *t)
{
    for (int64_t n = 0; n < s->outputs; n++)
        text_add(t, "%s%s v%d%s;\n", indent, type_of(p, stored_by(s, n)), stored_by(s, n),
                 of);
}

/* As far as any of the stage's fields is read from other tiles. */
static int rim_of(const pass_plan *p, const ir_stage *s, int axis)
{
    int most = 0;

    for (int64_t n = 0; n < s->outputs; n++) {
        const int rim = resident_rim(p, stored_by(s, n), axis);
        most = rim > most ? rim : most;
    }
    return most;
}

static void add_shown(const pass_plan *p, const ir_stage *s, int number, text *t)
{
    text_add(t, "            each_on_rim(b, rim_%d, [&](const tile_point &p) {\n",
             number);
    declare_results(p, s, "                ", "[1]", t);
    text_add(t, "                point_%d(a, b, step, p", number);
    add_results(s, "", t);
    text_add(t, ");\n");
    for (int64_t n = 0; n < s->outputs; n++)
        text_add(t, "                field_%d::show(b, step + 1, p, v%d);\n",
                 stored_by(s, n), stored_by(s, n));
    text_add(t, "            });\n            tell(b, ++told);\n");
}

static void add_computed(const pass_plan *p, const ir_stage *s, int number, text *t)
{
    declare_results(p, s, "            ", "[tiles::COLUMNS][tiles::ROWS]", t);
    text_add(t,
             "#pragma unroll\n"
             "            for (int n = 0; n < tiles::COLUMNS; n++)\n"
             "                column_%d(a, b, step, column_of<tiles, made_%d>(b, n)",
             number, stored_by(s, 0));
    add_results(s, "[n]", t);
    text_add(t, ");\n            __syncthreads();\n");
}

static void add_kept(const ir_stage *s, text *t)
{
    text_add(t, "#pragma unroll\n"
                "            for (int n = 0; n < tiles::COLUMNS; n++) {\n");
    for (int64_t n = 0; n < s->outputs; n++) {
        const int f = stored_by(s, n);
        text_add(
            t,
            "                field_%d::keep(b, step + 1, column_of<tiles, made_%d>(b, "
            "n), v%d[n]);\n",
            f, f, f);
    }
    text_add(t, "            }\n");
}

static bool is_read_around(const pass_plan *p, int field)
{
    const pass_field *f = &p->field[field];

    for (int axis = 0; axis < MAX_DIM; axis++)
        if (f->near[axis][0] + f->near[axis][1] > 0)
            return true;
    return false;
}

static void add_fetched(const pass_plan *p, const ir_stage *s, text *t)
{
    text_add(t, "            await(b, told);\n");
    for (int64_t n = 0; n < s->outputs; n++) {
        const int f = stored_by(s, n);
        if (is_read_around(p, f))
            text_add(
                t,
                "            fetch(b, step + 1, around_%d, [&](const tile_point &p) {\n"
                "                return field_%d_at(a, b, step + 1, p.i, p.j, p.k);\n"
                "            });\n",
                f, f);
    }
    text_add(t, "            __syncthreads();\n");
}

static void add_act(const pass_plan *p, const pass_act *act, text *t)
{
    const ir_stage *s = &p->code->stage[act->stage];

    text_add(t, "        { /* ");
    emit_plain(s->name, t);
    text_add(t, " */\n");
    add_shown(p, s, act->stage, t);
    add_computed(p, s, act->stage, t);
    add_kept(s, t);
    add_fetched(p, s, t);
    text_add(t, "        }\n");
}

static void add_steps(const pass_plan *p, const emit_gpu_pass *pass, text *t)
{
    text_add(t, "    for (int step = 0; step < steps; step++) {\n");
    if (leaves_older(p)) {
        text_add(t, "        if (step + 1 == steps) {\n");
        add_leaves(p, pass, false, t);
        text_add(t, "        }\n");
    }
    for (int64_t n = 0; n < p->acts; n++)
        add_act(p, &p->act[n], t);
    text_add(t, "    }\n");
}

/* ---- all ---------------------------------------------------------------------------------- */

/* Which points each thread has of those around the tile and on its rim. */
static void add_turns(const pass_plan *p, text *t)
{
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f] && is_read_around(p, f))
            text_add(t, "    const around<field_%d> around_%d(b);\n", f, f);
    for (int64_t n = 0; n < p->acts; n++) {
        const ir_stage *s = &p->code->stage[p->act[n].stage];
        text_add(t, "    const rim<field_%d, axes<%d, %d, %d>> rim_%d(b);\n",
                 stored_by(s, 0), rim_of(p, s, 0), rim_of(p, s, 1), rim_of(p, s, 2),
                 p->act[n].stage);
    }
    text_add(t, "\n");
}

static void add_stay(const pass_plan *p, const emit_gpu_pass *pass, text *t)
{
    text_add(t,
             "\nINLINE void stay(const argument &a)\n{\n"
             "    const int steps = (int)a.w.steps;\n"
             "    unsigned told = (unsigned)a.w.told;\n"
             "    const pass_place b = place_of_block<tiles>(a.w.seen, %lld);\n",
             (long long)p->flag_bytes);
    add_turns(p, t);
    add_loads(p, pass, t);
    add_steps(p, pass, t);
    add_leaves(p, pass, true, t);
    text_add(t, "}\n");
}

pav_status cuda_resident_text(const pass_plan *p, const emit_gpu_pass *pass,
                              int64_t which, text *t)
{
    text_add(t, "\nnamespace pass_%lld {\n", (long long)which);
    TRY(cuda_pass_argument(p, pass, which, t));
    add_parting(p, t);
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            add_field(p, f, t);
    TRY(cuda_pass_borders(p, which, t));
    for (int64_t n = 0; n < p->acts; n++)
        TRY(cuda_resident_stage(p, pass, which, &p->act[n], t));
    add_stay(p, pass, t);
    cuda_pass_kernel(p, which, t);
    return PAV_OK;
}
