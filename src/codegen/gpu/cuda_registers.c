/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of fused launches with versions in registers: the state of a thread, its rings
 * of input planes, and its sweep. */
#include <stdio.h>

#include "codegen/gpu/fused_private.h"

/* ---- rings of input planes --------------------------------------------------------- */
/* The text of fused launches in registers with input planes in rings in shared memory. A
 * plane is requested after all threads have left the plane in its slot. One thread
 * requests it from the tensor memory accelerator. Each thread copies its own vectors if
 * there is no accelerator, and in tiles that wrap around a face. */

static bool wraps_across(const fused_plan *p)
{
    return p->periodic[0] || p->periodic[1];
}

/* True if threads copy, in some tiles or in all. */
static bool has_own_copies(const fused_plan *p)
{
    return !fused_is_copied(p) || wraps_across(p);
}

typedef void level_text(const fused_plan *p, const emit_gpu_fused *fused, int field,
                        int level, text *t);

static void each_level(const fused_plan *p, const emit_gpu_fused *fused, level_text *add,
                       text *t)
{
    for (int f = 0; f < p->code->fields; f++)
        for (int level = p->field[f].oldest; level <= 0 && p->moves[f]; level++)
            add(p, fused, f, level, t);
}

/* ---- the state --------------------------------------------------------------------- */

void cuda_ring_slot(const char *ago, text *t)
{
    text_add(t, "ring_slot_before<PHASES, ROUNDS>(s.phase, s.round, %s)", ago);
}

void cuda_exchange_slot(const fused_plan *p, int field, text *t)
{
    if (fused_has_phase(p, field))
        text_add(t, "s.phase");
    else
        text_add(t, "s.turn%d", p->field[field].exchange);
}

/* ---- requested planes -------------------------------------------------------------- */

static int part_of(const emit_gpu_fused *fused, int slot)
{
    for (int n = 0; n < fused->parts; n++)
        if (fused->part[n].slot == slot)
            return n;
    return -1;
}

static void add_plane_copy(const fused_plan *p, const emit_gpu_fused *fused, int field,
                           int level, text *t)
{
    text_add(t, "        found_%d::copy(a.m%d, b, %d, to, k, there);\n", field,
             part_of(fused, fused_slot_of(fused, field, level, false)),
             level - p->field[field].oldest);
}

static void add_pack_copy(const fused_plan *p, const emit_gpu_fused *fused, int field,
                          int level, text *t)
{
    char name[64];
    const load_target to = {name, true, true};

    (void)snprintf(name, sizeof name, "found_%d::place(b, %d, to, r)", field,
                   level - p->field[field].oldest);
    text_add(t, "#pragma unroll\n    for (int r = 0; r < tile::ROWS; r++) {\n        ");
    cuda_registers_load(p, field, fused_slot_of(fused, field, level, false), "b.j + r",
                        "plane", &to, t);
    text_add(t, "    }\n");
}

/* The accelerator is not asked for planes behind the last one: nobody waits for them. */
static void ring_loads(const fused_plan *p, const emit_gpu_fused *fused, text *t)
{
    char ago[32];

    text_add(
        t, "\n/* Asks for a plane, the n-th of those that come next. */\n"
           "template <bool INSIDE, bool EDGE>\nINLINE void load(const argument &a, const "
           "thread_place &b, const state &s, int plane, int n)\n{\n    const int to = ");
    (void)snprintf(ago, sizeof ago, "%d - n", fused_ring(p) - 1);
    cuda_ring_slot(ago, t);
    text_add(t, ";\n");
    if (fused_is_copied(p)) {
        text_add(t, "    if (%scopies_planes() && plane < b.to + %d) {\n",
                 wraps_across(p) ? "!b.around && " : "", fused_last_skew(p));
        text_add(t, "        uint64_t *const there = s.gate.there + to;\n");

        if (p->periodic[p->axis])
            text_add(
                t, "        const int k = index_at<true>(plane, a.w.extent[%d], 0, 0);\n",
                p->axis);
        else
            text_add(t, "        const int k = plane;\n");
        each_level(p, fused, add_plane_copy, t);
        text_add(t, "        kernel_mbarrier_arrive(there);\n    }\n");
    }
    if (has_own_copies(p)) {
        if (fused_is_copied(p))
            text_add(t, "    if (!b.around)\n        return;\n");
        each_level(p, fused, add_pack_copy, t);
        text_add(t, "    kernel_copy_commit();\n");
    }
    text_add(t, "}\n");
}

/* ---- the sweep --------------------------------------------------------------------- */

/* Inner planes, with constant slots in the text. */
static void add_inner(const fused_plan *p, const char *where, text *t)
{
    const bool one = p->phases == 1;

    text_add(t, "#pragma unroll %d\n", one ? int_most(p->schedule.unroll, 1) : 1);
    text_add(t,
             "        for (; k + %d <= inside; k += %d) {\n            s.phase = %d;\n",
             p->phases, p->phases, p->phases - 1);
    for (int n = 0; n < p->phases; n++)
        text_add(t, "            fused_plane<%s>(a, b, s, k + %d);\n", where, n);
    text_add(t, "        }\n");
}

static void ring_sweep(const fused_plan *p, text *t)
{
    text_add(t,
             "#pragma unroll 1\n"
             "    for (; k < last && (k < first || s.phase != %d); k++)\n"
             "        fused_plane<false, true>(a, b, s, k);\n"
             "    if (!b.edge) {\n",
             p->phases - 1);
    add_inner(p, "true, false", t);
    text_add(t, "    } else if (!b.ragged) {\n");
    add_inner(p, "true, true", t);
    text_add(t,
             "    }\n#pragma unroll 1\n    for (; k < last; k++)\n"
             "        fused_plane<false, true>(a, b, s, k);\n%s",
             fused_is_copied(p) ? "    close_gates(s.gate);\n" : "");
}

/* ---- state of a thread ------------------------------------------------------------- */

static void add_state(const fused_plan *p, int field, text *t)
{
    const char *type = emit_c_type(p->code->field[field].storage);

    text_add(t, "    own_planes_%d f%d[%d];\n", field, field, fused_versions(p, field));
    if (p->schedule.prefetch == 0 && !p->rings)
        text_add(t, "    pack<%s, tile::N> next%d[%d][tile::ROWS];\n", type, field,
                 1 - p->field[field].oldest);
}

/* Fields with equally many published planes share one turn counter. */
static bool turns_first(const fused_plan *p, int field)
{
    for (int f = 0; f < field; f++)
        if (p->moves[f] && p->field[f].exchange == p->field[field].exchange)
            return false;
    return p->moves[field] && p->field[field].exchange > 0 && !fused_has_phase(p, field);
}

/* " own_planes<float, tile, planes_kept<3>> sum1_38[DEPTH];" */
static void add_sums(const fused_plan *p, const fused_operation *operation, text *t)
{
    const ir_stage *stage = fused_stage_of(p, operation);

    for (int64_t n = 0; n < operation->sums; n++) {
        const fused_sum *sum = &operation->sum[n];
        const bool is_boolean = ir_is_boolean(stage->node[sum->node].op);
        text_add(t, "    own_planes<%s, tile, planes_kept<%d>> sum%d_%d[DEPTH];\n",
                 is_boolean ? "int" : emit_c_type(stage->real), sum->planes,
                 operation->stage, sum->node);
    }
}

static void add_fields(const fused_plan *p, text *t)
{
    if (p->rings)
        text_add(t,
                 "enum {\n    INPUT_PLANES = %d, /* of a level, in shared memory: */\n"
                 "    PHASES = %d,       /* planes whose text is unrolled, */\n"
                 "    ROUNDS = %d        /* so many times */\n};\n",
                 fused_ring(p), p->phases, p->rounds);
    for (int f = 0; f < p->code->fields; f++) {
        const fused_field *field = &p->field[f];
        const char *type = emit_c_type(p->code->field[f].storage);
        if (!p->moves[f])
            continue;
        text_add(t, "typedef own_planes<%s, tile, planes_kept<%d>> own_planes_%d; /* ",
                 type, field->planes, f);
        emit_level_text(p->code, f, 0, t);
        text_add(t, " */\n");
        if (p->rings)
            text_add(
                t,
                "enum { INPUT_AT_%d = %lld };\n"
                "typedef input_planes<%s, tile, INPUT_PLANES, INPUT_AT_%d> found_%d;\n",
                f, (long long)p->field[f].prefetched,
                emit_c_type(p->code->field[f].storage), f, f);
        else if (p->schedule.prefetch > 0)
            text_add(t,
                     "enum { PREFETCHED_AT_%d = %lld };\n"
                     "typedef prefetched_planes<%s, tile, PREFETCH, PREFETCHED_AT_%d> "
                     "prefetched_%d;\n",
                     f, (long long)field->prefetched, type, f, f);
        if (field->exchange > 0)
            text_add(t,
                     "struct rows_%d {\n    enum { EDGE = %d, PLANES = %d, FIRST = %d, "
                     "AT = %lld };\n};\ntypedef exchange<%s, tile, rows_%d> "
                     "exchange_%d;\n",
                     f, field->edge, fused_exchange_planes(p, f),
                     fused_first_computed(p, f), (long long)field->at, type, f, f);
    }
    text_add(t, "\nstruct state {\n");
    if (p->rings) {
        if (fused_is_copied(p))
            text_add(
                t,
                "    gates<block_shape<32, tile::WARPS, tile::ROWS>, INPUT_PLANES - 1> "
                "gate;\n");
        text_add(t, "    int phase, round; /* where the newest plane is */\n");
    } else if (p->schedule.prefetch > 0)
        text_add(t, "    int prefetched; /* where the next plane is, and goes to */\n");
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            add_state(p, f, t);

    for (int f = 0; f < p->code->fields; f++)
        if (turns_first(p, f))
            text_add(t, "    int turn%d; /* which of so many planes is published */\n",
                     p->field[f].exchange);

    for (int64_t n = 0; n < p->operations; n++)
        add_sums(p, &p->operation[n], t);
    text_add(t, "};\n");
}

/* ---- input levels ------------------------------------------------------------------ */

const char *cuda_registers_wraps(const fused_plan *p, int axis)
{
    return p->periodic[axis] ? "true" : "false";
}

/* "is_stored<false>(plane, a.w.extent[2], 0, 0)" */
static void add_stored(const fused_plan *p, const ir_field *f, int axis, const char *at,
                       text *t)
{
    const int pack = axis == 0 ? p->schedule.thread.size[0] : 1;

    text_add(t, "is_stored<%s>(%s, ", cuda_registers_wraps(p, axis), at);
    if (axis == p->axis)
        text_add(t, "a.w.behind");
    else
        text_add(t, "a.w.extent[%d]", axis);
    text_add(t, ", %d, %d)", (f->halo[axis][0] + pack - 1) / pack * pack,
             f->halo[axis][1]);
}

/* An index within the field, or wrapped. In inner planes it wraps at most once. */
static void add_index(const fused_plan *p, int axis, const char *at, bool inside, text *t)
{
    if (!p->periodic[axis])
        text_add(t, "(%s)", at);
    else if (inside)
        text_add(t, "nearly<true>(%s, a.w.extent[%d])", at, axis);
    else
        text_add(t, "index_at<true>(%s, a.w.extent[%d], 0, 0)", at, axis);
}

static void add_row(const fused_plan *p, const ir_field *f, int slot, const char *row,
                    const char *plane, bool inside, const load_target *to, text *t)
{
    const char *around = inside ? "false" : cuda_registers_wraps(p, 0);
    const bool line = to->asked && inside && !p->periodic[0];

    if (line)
        text_add(t, "prefetch_line(%s, row_from(", to->name);
    else if (to->asked)
        text_add(t, "prefetch_row<%s>(%s, ", around, to->name);
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

/* If the planes and the tile lie inside, memory surrounds them, and no vector wraps. But
 * a plane loaded ahead may lie behind the last one; then the last plane is loaded
 * instead, and its values are not used. */
void cuda_registers_load(const fused_plan *p, int field, int slot, const char *row,
                         const char *plane, const load_target *to, text *t)
{
    const ir_field *f = &p->code->field[field];
    char last[64];

    (void)snprintf(last, sizeof last, "at_most(%s, (int)a.w.behind - 1 + %d)", plane,
                   f->halo[p->axis][1]);
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

static void add_nexts(const fused_plan *p, const emit_gpu_fused *fused, text *t)
{
    text_add(
        t, "\n/* What was found of a plane that comes next. */\n"
           "template <bool INSIDE, bool EDGE>\nINLINE void load(const argument &a, const "
           "thread_place &b, "
           "state &s, "
           "int plane)\n{\n");
    for (int f = 0; f < p->code->fields; f++)
        for (int level = p->field[f].oldest; level <= 0 && p->moves[f]; level++) {
            /* "s.next0[0][r]", or the thread's slot in shared memory. */
            const int version = level - p->field[f].oldest;
            const bool asked = p->schedule.prefetch > 0;
            char name[80];
            const load_target to = {name, asked, true};

            (void)snprintf(name, sizeof name,
                           asked ? "prefetched_%d::place(%d, s.prefetched, r)"
                                 : "s.next%d[%d][r]",
                           f, version);
            text_add(
                t,
                "#pragma unroll\n    for (int r = 0; r < tile::ROWS; r++) {\n        ");
            if (!asked)
                text_add(t, "%s = {};\n        ", name);
            cuda_registers_load(p, f, fused_slot_of(fused, f, level, false), "b.j + r",
                                "plane", &to, t);
            text_add(t, "    }\n");
        }
    if (p->schedule.prefetch > 0)
        text_add(
            t,
            "    kernel_copy_commit();\n"
            "    s.prefetched = s.prefetched + 1 < PREFETCH ? s.prefetched + 1 : 0;\n");
    text_add(t, "}\n");
}

static void add_arrival(const fused_plan *p, int field, text *t)
{
    for (int version = 0; version <= -p->field[field].oldest; version++) {
        text_add(t,
                 "#pragma unroll\n    for (int r = 0; r < tile::ROWS; r++)\n"
                 "        s.f%d[%d].at[0][r] = ",
                 field, version);
        if (p->schedule.prefetch > 0)
            text_add(t, "*prefetched_%d::place(%d, s.prefetched, r);\n", field, version);
        else
            text_add(t, "s.next%d[%d][r];\n", field, version);
        if (p->field[field].exchange > 0)
            text_add(t, "    exchange_%d::publish(b, %d, s.turn%d, s.f%d[%d].at[0]);\n",
                     field, version, p->field[field].exchange, field, version);
    }
}

/* If a vector is copied in several pieces, other lanes requested some of them. The warp
 * synchronises before it reads them, and again before it requests the next. */
static void add_synchronisation(const fused_plan *p, text *t)
{
    bool meets = false;

    for (int f = 0; f < p->code->fields; f++)
        meets |= p->moves[f] && p->schedule.prefetch > 0 &&
                 p->schedule.thread.size[0] *
                         (int)pav_type_size(p->code->field[f].storage) >
                     16;
    text_add(t, meets ? "    __syncwarp();\n" : "");
}

static void add_arrivals(const fused_plan *p, const emit_gpu_fused *fused, text *t)
{
    if (p->rings) {
        ring_loads(p, fused, t);

        text_add(t, "\n/* The newest plane has come. */\n"
                    "INLINE void arrive(const thread_place &b, const "
                    "state &s)\n{\n");
        if (fused_is_copied(p)) {
            text_add(t, "%s    kernel_mbarrier_wait(&s.gate.there[",
                     wraps_across(p) ? "    if (!b.around)\n    " : "");
            cuda_ring_slot("0", t);
            text_add(t, "], s.gate.parity);\n");
        }
        text_add(t, "}\n"
                    "\n/* All threads are through with a plane. */\n"
                    "template <bool INSIDE, bool EDGE>\nINLINE void leave(const argument "
                    "&a, const "
                    "thread_place &b, state &s, int k)\n{\n");
        if (has_own_copies(p))
            text_add(t, "    kernel_copy_wait<PREFETCH - 1>();\n");
        text_add(
            t, "    __syncthreads();\n    load<INSIDE, EDGE>(a, b, s, k + 1 + PREFETCH, "
               "PREFETCH);\n}\n");

        return;
    }
    add_nexts(p, fused, t);
    text_add(t, "\n/* It has come. */\n"
                "INLINE void arrive(const thread_place &b, state &s)\n{\n");
    if (p->schedule.prefetch > 0)
        text_add(t, "    kernel_copy_wait<PREFETCH - 1>();\n");
    add_synchronisation(p, t);
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            add_arrival(p, f, t);
    add_synchronisation(p, t);
    text_add(t, "}\n");
}

static void turn_sums(const fused_operation *operation, text *t)
{
    for (int64_t n = 0; n < operation->sums; n++)
        text_add(t,
                 "#pragma unroll\n    for (int step = 0; step < DEPTH; step++)\n"
                 "        s.sum%d_%d[step].turn();\n",
                 operation->stage, operation->sum[n].node);
}

/* ---- the sweep --------------------------------------------------------------------- */

static bool shows(const fused_plan *p)
{
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f] && p->field[f].exchange > 0)
            return true;
    return false;
}

void cuda_registers_arrivals(const fused_plan *p, const emit_gpu_fused *fused, text *t)
{
    text_add(t, "\n/* Each plane in registers takes the place of the one before. */\n"
                "INLINE void turn(state &s)\n{\n");
    for (int f = 0; f < p->code->fields; f++) {
        const fused_field *field = &p->field[f];
        if (!p->moves[f])
            continue;
        text_add(t,
                 "#pragma unroll\n    for (int v = 0; v < %d; v++)\n        "
                 "s.f%d[v].turn();\n",
                 fused_versions(p, f), f);
        if (turns_first(p, f))
            text_add(t, "    s.turn%d = s.turn%d + 1 < %d ? s.turn%d + 1 : 0;\n",
                     field->exchange, field->exchange, field->exchange, field->exchange);
    }
    for (int64_t n = 0; n < p->operations; n++)
        turn_sums(&p->operation[n], t);
    if (p->rings) {
        text_add(t, "    if (++s.phase == PHASES) {\n        s.phase = 0;\n"
                    "        s.round = s.round + 1 < ROUNDS ? s.round + 1 : 0;\n");
        if (fused_is_copied(p))
            text_add(t, "        s.gate.parity ^= s.round == 0;\n");
        text_add(t, "    }\n");
    }
    text_add(t, "}\n");

    add_arrivals(p, fused, t);
}

void cuda_registers_fields(const fused_plan *p, text *t)
{
    const schedule *s = &p->schedule;

    text_add(t,
             "\nenum {\n    DEPTH = %d,    /* steps of a launch */\n"
             "    PREFETCH = %d, /* planes that come before they are needed */\n"
             "    POINTS = %d,   /* of a thread, along x */\n"
             "    WARPS = %d,    /* of a block */\n"
             "    ROWS = %d,     /* of a thread */\n"
             "    OVERLAP_X = %d,\n    OVERLAP_Y = %d,\n    SWEEP_AXIS = %d\n};\n"
             "constexpr bool WRAPS_X = %s, WRAPS_Y = %s;\n"
             "typedef rows_of<POINTS, WARPS, ROWS, OVERLAP_X, OVERLAP_Y, SWEEP_AXIS, "
             "WRAPS_X, WRAPS_Y>\n    tile;\n",
             s->tile.steps, fused_prefetch_planes(p), s->thread.size[0], s->tile.size[1],
             s->thread.size[1], fused_overlap(p, 0),
             p->axis == 2 ? fused_overlap(p, 1) : 0, p->axis, cuda_registers_wraps(p, 0),
             p->axis == 2 ? cuda_registers_wraps(p, 1) : "false");

    add_fields(p, t);
}

/* The body of the loop over arriving planes. */
static void add_plane(const fused_plan *p, text *t)
{
    text_add(t,
             "\n/* INSIDE: its planes lie between the faces; EDGE: the tile has faces "
             "across the sweep. */\n"
             "template <bool INSIDE, bool EDGE>\nINLINE void fused_plane(const argument "
             "&a, const thread_place &b, state &s, int k)\n{\n    turn(s);\n"
             "    arrive(b, s);\n");

    text_add(t, "#pragma unroll\n    for (int step = 0; step < DEPTH; step++) {\n");
    if (!p->rings)
        text_add(t,
                 "        if (step == DEPTH - %d)\n"
                 "            load<INSIDE, EDGE>(a, b, s, k + PREFETCH);\n",
                 p->schedule.tile.ahead);
    for (int64_t n = 0; n < p->operations; n++) {
        text_add(t, "        stage_%d<INSIDE, EDGE>(a, b, s, step, ",
                 p->operation[n].stage);
        cuda_skewed_plane(p, p->operation[n].skew, t);
    }
    text_add(t, "    }\n");

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
             "                fused_plane<%s>(a, b, s, k);\n",
             where);
}

/* Most planes lie between the faces of the sweep. The planes before and behind take a
 * loop without unrolling, and it handles all faces. */
void cuda_registers_sweep(const fused_plan *p, text *t)
{
    const int unroll = p->schedule.unroll;

    add_plane(p, t);
    text_add(t,
             "\nINLINE void sweep(const argument &a)\n{\n"
             "    enum { SKEW = %d };\n"
             "    const thread_place b = place_of_rows<tile>(a.w);\n"
             "    state s = {};\n\n"
             "    if (b.none)\n        return;\n",
             fused_last_skew(p));

    /* Finds the inner planes of the sweep: their loads do not reach beyond faces. On a
     * periodic axis all planes are inner, except in a grid of few planes. */
    const int before = fused_overlap(p, p->axis), reach = p->reach[p->axis];
    int first = p->operation[0].skew;

    for (int64_t n = 1; n < p->operations; n++)
        first = int_least(first, p->operation[n].skew);
    text_add(t, "    const int last = b.to + SKEW, extent = (int)a.w.extent[%d];\n",
             p->axis);
    if (p->periodic[p->axis])
        text_add(t,
                 "    int k = b.from - %d;\n"
                 "    const int first = extent > SKEW + PREFETCH + %d ? k : last, inner "
                 "= last;\n",
                 before, before + 1);
    else
        text_add(t,
                 "    int k = b.from > %d ? b.from - %d : -%d;\n"
                 "    const int first = 1 + SKEW, inner = extent - 1 + %d;\n",
                 before - reach, before, reach,
                 p->rings ? -fused_prefetch_planes(p) : first);
    if (p->rings)
        text_add(t, "    const int inside = inner < last ? inner : last;\n");

    if (p->rings) {
        /* Requests the first planes. */
        if (fused_is_copied(p))
            text_add(t, "    open_gates(s.gate, %lld);\n    s.gate.parity = 1;\n",
                     (long long)p->gates);
        text_add(t,
                 "    s.phase = %d;\n    s.round = %d;\n"
                 "    for (int n = 0; n <= PREFETCH; n++)\n"
                 "        load<false, true>(a, b, s, k + n, n);\n",
                 p->phases - 1, p->rounds - 1);
        if (has_own_copies(p))
            text_add(t, "    kernel_copy_wait<PREFETCH>();\n    __syncthreads();\n");
    } else
        text_add(t, "    for (int n = 0; n < PREFETCH; n++)\n"
                    "        load<false, true>(a, b, s, k + n);\n");

    if (p->rings)
        ring_sweep(p, t);
    else {
        text_add(t, "    for (int part = 0; part < 3; part++) {\n"
                    "        const int end = part == 0 ? first : part == 1 && inner < "
                    "last ? inner : "
                    "last;\n");
        add_part("if (part == 1 && !b.edge) {\n", unroll, "true, false", t);
        add_part("} else if (part == 1 && !b.ragged) {\n", unroll, "true, true", t);
        add_part("} else {\n", 1, "false, true", t);
        text_add(t, "        }\n    }\n");
    }
    text_add(t, "}\n");
}
