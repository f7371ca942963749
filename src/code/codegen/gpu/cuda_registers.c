/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of fused launches with versions in registers: the state of a thread, its rings
 * of input planes, and its sweep. */
#include "codegen/gpu/fused_private.h"

/* ---- rings of input planes --------------------------------------------------------- */
/* The text of fused launches in registers whose input planes arrive in rings in shared
 * memory. The next plane for a slot is requested after all threads have left the old
 * plane. One thread requests it from the tensor memory accelerator. Without an
 * accelerator, and in tiles that wrap around a face, each thread copies its own
 * vectors. */

static bool wraps_across(const fused_plan *p)
{
    return p->periodic[0] || p->periodic[1];
}

/* True if threads copy, in some tiles or in all. */
static bool has_own_copies(const fused_plan *p)
{
    return !fused_is_copied(p) || wraps_across(p);
}

/* ---- the state --------------------------------------------------------------------- */

const char *cuda_ring_slot(const fused_plan *p, const char *ago)
{
    return arena_print(p->arena, "ring_slot_before<PHASES, ROUNDS>(s.phase, s.round, %s)",
                       ago);
}

/* ---- requested planes -------------------------------------------------------------- */

static int part_of(const emit_gpu_fused *fused, int slot)
{
    for (int n = 0; n < fused->parts; n++)
        if (fused->part[n].slot == slot)
            return n;
    return -1;
}

static int input_slot(const fused_plan *p, int field, int level)
{
    return fused_slot_of(p->fused, field, level, false);
}

/* Loads all rows of the input levels of a plane to their targets: "found_0::place(b, 0,
 * to, r)". asked: see load_target. clears: the targets may get no value. */
static void add_loads(const fused_plan *p, const char *target, bool asked, bool clears)
{
    for (int f = 0; f < p->code->fields; f++)
        for (int level = p->field[f].oldest; level <= 0 && p->moves[f]; level++) {
            const char *name = arena_print(p->arena, target, f,
                                           level - p->field[f].oldest);

            text_add(p->t,
                     "#pragma unroll\n    for (int r = 0; r < tile::ROWS; r++) {\n"
                     "        %s%s%s    }\n",
                     clears ? name : "", clears ? " = {};\n        " : "",
                     cuda_registers_load(p, f, input_slot(p, f, level), "b.j + r",
                                         "plane", &(load_target){name, asked, true}));
        }
}

/* Of the last operation of the last step. */
static int last_skew(const fused_plan *p)
{
    int last = 0;

    for (int64_t n = 0; n < p->operations; n++)
        last = int_most(last, p->operation[n].skew);
    return last + (p->schedule.tile.steps - 1) * p->skew;
}

/* The accelerator is not asked for planes behind the last one: nobody waits for them. */
static void ring_loads(const fused_plan *p)
{
    const bool copied = fused_is_copied(p);

    text_add(
        p->t,
        "\n/* Requests a plane, number n of the planes to come, for its ring slot. */\n"
        "template <bool INSIDE, bool EDGE>\nINLINE void load(const argument &a, const "
        "thread_place &b, const state &s, int plane, int n)\n{\n    const int to = %s;\n",
        cuda_ring_slot(p, arena_print(p->arena, "%d - n", fused_ring(p) - 1)));
    if (copied) {
        text_add(p->t,
                 "    if (%scopies_planes() && plane < b.to + %d) {\n"
                 "        uint64_t *const there = s.gate.there + to;\n"
                 "        const int k = %s;\n",
                 wraps_across(p) ? "!b.around && " : "", last_skew(p),
                 p->periodic[p->axis]
                     ? arena_print(p->arena,
                                   "index_at<true>(plane, a.w.extent[%d], 0, 0)", p->axis)
                     : "plane");
        for (int f = 0; f < p->code->fields; f++)
            for (int level = p->field[f].oldest; level <= 0 && p->moves[f]; level++)
                text_add(p->t, "        found_%d::copy(a.m%d, b, %d, to, k, there);\n", f,
                         part_of(p->fused, input_slot(p, f, level)),
                         level - p->field[f].oldest);
        text_add(p->t, "        kernel_mbarrier_arrive(there);\n    }\n");
    }
    if (has_own_copies(p)) {
        text_add(p->t, "%s", copied ? "    if (!b.around)\n        return;\n" : "");
        add_loads(p, "found_%d::place(b, %d, to, r)", true, false);
        text_add(p->t, "    kernel_copy_commit();\n");
    }
    text_add(p->t, "}\n");
}

/* ---- the sweep --------------------------------------------------------------------- */

/* Inner planes, with constant slots in the text. */
static void add_inner(const fused_plan *p, const char *where)
{
    const int phases = p->phases;

    text_add(p->t,
             "#pragma unroll %d\n"
             "        for (; k + %d <= inside; k += %d) {\n            s.phase = %d;\n",
             phases == 1 ? int_most(p->schedule.unroll, 1) : 1, phases, phases,
             phases - 1);
    for (int n = 0; n < phases; n++)
        text_add(p->t, "            fused_plane<%s>(a, b, s, k + %d);\n", where, n);
    text_add(p->t, "        }\n");
}

/* ---- state of a thread ------------------------------------------------------------- */

static void add_state(const fused_plan *p, int field)
{
    if (fused_versions(p, field) > 0)
        text_add(p->t, "    own_planes_%d f%d[%d];\n", field, field,
                 fused_versions(p, field));
    if (p->schedule.prefetch == 0 && !p->rings && p->field[field].oldest < 1)
        text_add(p->t, "    pack<%s, tile::N> next%d[%d][tile::ROWS];\n",
                 fused_type(p, field), field, 1 - p->field[field].oldest);
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
static void add_sums(const fused_plan *p, const fused_operation *operation)
{
    const ir_stage *stage = fused_stage_of(p, operation);

    for (int64_t n = 0; n < operation->sums; n++) {
        const fused_sum *sum = &operation->sum[n];
        const bool is_boolean = ir_is_boolean(stage->node[sum->node].op);
        text_add(p->t, "    own_planes<%s, tile, planes_kept<%d>> sum%d_%d[DEPTH];\n",
                 is_boolean ? "int" : emit_c_type(stage->real), sum->planes,
                 operation->stage, sum->node);
    }
}

static void add_field(const fused_plan *p, int f)
{
    const fused_field *field = &p->field[f];
    const char *type = fused_type(p, f);

    text_add(p->t,
             "typedef own_planes<%s, tile, planes_kept<%d>> own_planes_%d; /* %s */\n",
             type, field->planes, f, emit_level(p->arena, p->code, f, 0));
    if (p->rings)
        text_add(p->t,
                 "enum { INPUT_AT_%d = %lld };\n"
                 "typedef input_planes<%s, tile, INPUT_PLANES, INPUT_AT_%d> found_%d;\n",
                 f, (long long)field->prefetched, type, f, f);
    else if (p->schedule.prefetch > 0)
        text_add(p->t,
                 "enum { PREFETCHED_AT_%d = %lld };\n"
                 "typedef prefetched_planes<%s, tile, PREFETCH, PREFETCHED_AT_%d> "
                 "prefetched_%d;\n",
                 f, (long long)field->prefetched, type, f, f);
    if (field->exchange > 0)
        text_add(p->t,
                 "struct rows_%d {\n    enum { EDGE = %d, PLANES = %d, FIRST = %d, AT = "
                 "%lld };\n};\ntypedef exchange<%s, tile, rows_%d> exchange_%d;\n",
                 f, field->edge, fused_exchange_planes(p, f), fused_first_computed(p, f),
                 (long long)field->at, type, f, f);
}

static void add_fields(const fused_plan *p)
{
    if (p->rings)
        text_add(
            p->t,
            "enum {\n    INPUT_PLANES = %d, /* slots of a ring in shared memory */\n"
            "    PHASES = %d,       /* planes unrolled in the loop */\n"
            "    ROUNDS = %d        /* unrolled loops for a turn of the ring */\n};\n",
            fused_ring(p), p->phases, p->rounds);
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            add_field(p, f);
    text_add(p->t, "\nstruct state {\n");
    if (fused_is_copied(p))
        text_add(p->t, "    gates<block_shape<32, tile::WARPS, tile::ROWS>, INPUT_PLANES "
                       "- 1> gate;\n");
    if (p->rings)
        text_add(p->t, "    int phase, round; /* ring slot of the newest plane */\n");
    else if (p->schedule.prefetch > 0)
        text_add(
            p->t,
            "    int prefetched; /* slot of the next plane; refilled after its use */\n");
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            add_state(p, f);
    for (int f = 0; f < p->code->fields; f++)
        if (turns_first(p, f))
            text_add(p->t,
                     "    int turn%d; /* slot of the published plane in the exchange "
                     "buffer */\n",
                     p->field[f].exchange);
    for (int64_t n = 0; n < p->operations; n++)
        add_sums(p, &p->operation[n]);
    text_add(p->t, "};\n");
}

/* ---- input levels ------------------------------------------------------------------ */

const char *cuda_registers_wraps(const fused_plan *p, int axis)
{
    return p->periodic[axis] ? "true" : "false";
}

/* "is_stored<false>(plane, a.w.extent[2], 0, 0)" */
static const char *is_stored(const fused_plan *p, const ir_field *f, int axis,
                             const char *at)
{
    const int pack = axis == 0 ? p->schedule.thread.size[0] : 1;
    const char *end = axis == p->axis ? "a.w.behind"
                                      : arena_print(p->arena, "a.w.extent[%d]", axis);

    return arena_print(p->arena, "is_stored<%s>(%s, %s, %d, %d)",
                       cuda_registers_wraps(p, axis), at, end,
                       (f->halo[axis][0] + pack - 1) / pack * pack, f->halo[axis][1]);
}

/* An index within the field, or wrapped. In inner planes it wraps at most once. */
static const char *index_of(const fused_plan *p, int axis, const char *at, bool inside)
{
    return arena_print(p->arena,
                       !p->periodic[axis] ? "(%s)"
                       : inside           ? "nearly<true>(%s, a.w.extent[%d])"
                                          : "index_at<true>(%s, a.w.extent[%d], 0, 0)",
                       at, axis);
}

static const char *load_row(const fused_plan *p, int field, int slot, const char *row,
                            const char *plane, bool inside, const load_target *to)
{
    arena *const a = p->arena;
    const char *around = inside ? "false" : cuda_registers_wraps(p, 0);
    const char *from = arena_print(a, "plane_in<tile, %s>(a.g%d, %s)",
                                   fused_type(p, field), slot,
                                   index_of(p, p->axis, plane, inside));
    const char *y = arena_print(a, "a.g%d.y, %s", slot,
                                p->axis == 2 ? index_of(p, 1, row, inside) : "0");

    if (to->asked && inside && !p->periodic[0])
        return arena_print(a, "prefetch_line(%s, row_from(%s + b.i, %s));\n", to->name,
                           from, y);
    const char *call = to->asked
                           ? arena_print(a, "prefetch_row<%s>(%s, ", around, to->name)
                           : arena_print(a, "%s = load_row<%s, tile::N>(", to->name,
                                         around);
    return arena_print(a, "%s%s, %s, b.i, a.w.extent[0]);\n", call, from, y);
}

/* If the planes and the tile lie inside, memory surrounds them, and no vector wraps. But
 * a plane loaded ahead may lie behind the last one; then the last plane is loaded
 * instead, and its values are not used. */
const char *cuda_registers_load(const fused_plan *p, int field, int slot, const char *row,
                                const char *plane, const load_target *to)
{
    const ir_field *f = &p->code->field[field];
    arena *const a = p->arena;
    const char *last = arena_print(a, "at_most(%s, (int)a.w.behind - 1 + %d)", plane,
                                   f->halo[p->axis][1]);
    const char *inner = to->ahead && !p->periodic[p->axis] ? last : plane;
    const char *rows = p->axis < 2 ? ""
                                   : arena_print(a, " &&\n            (!EDGE || %s)",
                                                 is_stored(p, f, 1, row));

    return arena_print(a,
                       "if (INSIDE && !EDGE)\n            %s        else if ((!EDGE || "
                       "%s) && (%s%s)%s)\n            %s",
                       load_row(p, field, slot, row, inner, true, to),
                       is_stored(p, f, 0, "b.i"), to->ahead ? "" : "INSIDE || ",
                       is_stored(p, f, p->axis, plane), rows,
                       load_row(p, field, slot, row, plane, false, to));
}

static void add_arrival(const fused_plan *p, int field)
{
    for (int version = 0; version <= -p->field[field].oldest; version++) {
        text_add(p->t,
                 "#pragma unroll\n    for (int r = 0; r < tile::ROWS; r++)\n"
                 "        s.f%d[%d].at[0][r] = ",
                 field, version);
        text_add(p->t,
                 p->schedule.prefetch > 0
                     ? "*prefetched_%d::place(%d, s.prefetched, r);\n"
                     : "s.next%d[%d][r];\n",
                 field, version);
        if (p->field[field].exchange > 0)
            text_add(p->t,
                     "    exchange_%d::publish(b, %d, s.turn%d, s.f%d[%d].at[0]);\n",
                     field, version, p->field[field].exchange, field, version);
    }
}

/* If a vector is copied in several pieces, other lanes requested some of them. The warp
 * synchronises before it reads them, and again before it requests the next. */
static void add_synchronisation(const fused_plan *p)
{
    bool meets = false;

    for (int f = 0; f < p->code->fields; f++)
        meets |= p->moves[f] && p->schedule.prefetch > 0 &&
                 p->schedule.thread.size[0] *
                         (int)pav_type_size(p->code->field[f].storage) >
                     16;
    text_add(p->t, meets ? "    __syncwarp();\n" : "");
}

static void add_ring_arrivals(const fused_plan *p)
{
    ring_loads(p);
    text_add(p->t, "\n/* Waits until the newest plane is in its slot. */\n"
                   "INLINE void arrive(const thread_place &b, const state &s)\n{\n");
    if (fused_is_copied(p))
        text_add(p->t, "%s    kernel_mbarrier_wait(&s.gate.there[%s], s.gate.parity);\n",
                 wraps_across(p) ? "    if (!b.around)\n    " : "",
                 cuda_ring_slot(p, "0"));
    text_add(
        p->t,
        "}\n"
        "\n/* Waits until all threads are done with a plane, and refills its slot. */\n"
        "template <bool INSIDE, bool EDGE>\nINLINE void leave(const argument &a, "
        "const thread_place &b, state &s, int k)\n{\n%s    __syncthreads();\n    "
        "load<INSIDE, EDGE>(a, b, s, k + 1 + PREFETCH, PREFETCH);\n}\n",
        has_own_copies(p) ? "    kernel_copy_wait<PREFETCH - 1>();\n" : "");
}

static void add_arrivals(const fused_plan *p)
{
    const bool asked = p->schedule.prefetch > 0;
    text_add(p->t, "\n/* Loads the input levels of a plane before it is needed. */\n"
                   "template <bool INSIDE, bool EDGE>\nINLINE void load(const argument "
                   "&a, const thread_place &b, state &s, int plane)\n{\n");
    add_loads(p, asked ? "prefetched_%d::place(%d, s.prefetched, r)" : "s.next%d[%d][r]",
              asked, !asked);
    if (asked)
        text_add(
            p->t,
            "    kernel_copy_commit();\n"
            "    s.prefetched = s.prefetched + 1 < PREFETCH ? s.prefetched + 1 : 0;\n");
    text_add(p->t,
             "}\n\n/* Moves the loaded plane to the registers of the newest plane. */\n"
             "INLINE void arrive(const thread_place &b, state &s)\n{\n%s",
             p->schedule.prefetch > 0 ? "    kernel_copy_wait<PREFETCH - 1>();\n" : "");
    add_synchronisation(p);
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            add_arrival(p, f);
    add_synchronisation(p);
    text_add(p->t, "}\n");
}

/* ---- the sweep --------------------------------------------------------------------- */

static bool shows(const fused_plan *p)
{
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f] && p->field[f].exchange > 0)
            return true;
    return false;
}

static void add_turn(const fused_plan *p)
{
    text_add(
        p->t,
        "\n/* Moves each plane in registers to the place of the plane before it. */\n"
        "INLINE void turn(state &s)\n{\n");
    for (int f = 0; f < p->code->fields; f++) {
        const int exchange = p->field[f].exchange;
        if (!p->moves[f] || fused_versions(p, f) == 0)
            continue;
        text_add(p->t,
                 "#pragma unroll\n    for (int v = 0; v < %d; v++)\n        "
                 "s.f%d[v].turn();\n",
                 fused_versions(p, f), f);
        if (turns_first(p, f))
            text_add(p->t, "    s.turn%d = s.turn%d + 1 < %d ? s.turn%d + 1 : 0;\n",
                     exchange, exchange, exchange, exchange);
    }
    for (int64_t k = 0; k < p->operations; k++)
        for (int64_t n = 0; n < p->operation[k].sums; n++)
            text_add(p->t,
                     "#pragma unroll\n    for (int step = 0; step < DEPTH; step++)\n"
                     "        s.sum%d_%d[step].turn();\n",
                     p->operation[k].stage, p->operation[k].sum[n].node);
    if (p->rings)
        text_add(p->t,
                 "    if (++s.phase == PHASES) {\n        s.phase = 0;\n"
                 "        s.round = s.round + 1 < ROUNDS ? s.round + 1 : 0;\n%s    }\n",
                 fused_is_copied(p) ? "        s.gate.parity ^= s.round == 0;\n" : "");
    text_add(p->t, "}\n");
}

static void add_sizes(const fused_plan *p)
{
    const schedule *s = &p->schedule;

    text_add(p->t,
             "\nenum {\n    DEPTH = %d,    /* steps of a launch */\n"
             "    PREFETCH = %d, /* planes loaded ahead of their use */\n"
             "    POINTS = %d,   /* points of a thread, along x */\n"
             "    WARPS = %d,    /* warps of a block */\n"
             "    ROWS = %d,     /* rows of a thread */\n"
             "    OVERLAP_X = %d,\n    OVERLAP_Y = %d,\n    SWEEP_AXIS = %d\n};\n"
             "constexpr bool WRAPS_X = %s, WRAPS_Y = %s;\n"
             "typedef rows_of<POINTS, WARPS, ROWS, OVERLAP_X, OVERLAP_Y, SWEEP_AXIS, "
             "WRAPS_X, WRAPS_Y>\n    tile;\n",
             s->tile.steps, fused_prefetch_planes(p), s->thread.size[0], s->tile.size[1],
             s->thread.size[1], fused_overlap(p, 0),
             p->axis == 2 ? fused_overlap(p, 1) : 0, p->axis, cuda_registers_wraps(p, 0),
             p->axis == 2 ? cuda_registers_wraps(p, 1) : "false");
}

/* The body of the loop over arriving planes. */
static void add_plane(const fused_plan *p)
{
    text_add(p->t,
             "\n/* One plane of the sweep. INSIDE: all its planes lie between the "
             "faces; EDGE:\n * the tile has faces across the sweep. */\n"
             "template <bool INSIDE, bool EDGE>\nINLINE void fused_plane(const argument "
             "&a, const thread_place &b, state &s, int k)\n{\n    turn(s);\n"
             "    arrive(b, s);\n"
             "#pragma unroll\n    for (int step = 0; step < DEPTH; step++) {\n");
    if (!p->rings)
        text_add(p->t,
                 "        if (step == DEPTH - %d)\n"
                 "            load<INSIDE, EDGE>(a, b, s, k + PREFETCH);\n",
                 p->schedule.tile.ahead);
    for (int64_t n = 0; n < p->operations; n++)
        text_add(p->t, "        stage_%d<INSIDE, EDGE>(a, b, s, step, %s);\n",
                 p->operation[n].stage, cuda_skewed_plane(p, p->operation[n].skew));
    text_add(p->t, "    }\n%s}\n",
             p->rings   ? "    leave<INSIDE, EDGE>(a, b, s, k);\n"
             : shows(p) ? "    __syncthreads();\n"
                        : "");
}

/* Finds the inner planes of the sweep: their loads do not reach beyond faces. On a
 * periodic axis all planes are inner, except in a grid of few planes. */
static void add_inner_planes(const fused_plan *p)
{
    const int before = fused_overlap(p, p->axis), reach = p->reach[p->axis];
    int first = p->operation[0].skew;

    for (int64_t n = 1; n < p->operations; n++)
        first = int_least(first, p->operation[n].skew);
    text_add(p->t, "    const int last = b.to + SKEW, extent = (int)a.w.extent[%d];\n",
             p->axis);
    if (p->periodic[p->axis])
        text_add(p->t,
                 "    int k = b.from - %d;\n"
                 "    const int first = extent > SKEW + PREFETCH + %d ? k : last, inner "
                 "= last;\n",
                 before, before + 1);
    else
        text_add(p->t,
                 "    int k = b.from > %d ? b.from - %d : -%d;\n"
                 "    const int first = 1 + SKEW, inner = extent - 1 + %d;\n",
                 before - reach, before, reach,
                 p->rings ? -fused_prefetch_planes(p) : first);
}

/* Requests the first planes. */
static void add_ring_opening(const fused_plan *p)
{
    text_add(p->t, "    const int inside = inner < last ? inner : last;\n");
    if (fused_is_copied(p))
        text_add(p->t, "    open_gates(s.gate, %lld);\n    s.gate.parity = 1;\n",
                 (long long)p->gates);
    text_add(p->t,
             "    s.phase = %d;\n    s.round = %d;\n"
             "    for (int n = 0; n <= PREFETCH; n++)\n"
             "        load<false, true>(a, b, s, k + n, n);\n",
             p->phases - 1, p->rounds - 1);
    if (has_own_copies(p))
        text_add(p->t, "    kernel_copy_wait<PREFETCH>();\n    __syncthreads();\n");
}

static void add_part(const fused_plan *p, const char *which, int unroll,
                     const char *where)
{
    text_add(p->t, "        %s", which);
    if (unroll > 0)
        text_add(p->t, "#pragma unroll %d\n", unroll);
    text_add(p->t,
             "            for (; k < end; k++)\n"
             "                fused_plane<%s>(a, b, s, k);\n",
             where);
}

/* Most planes lie between the faces of the sweep. The planes before and behind take a
 * loop without unrolling, and it handles all faces. */
static void add_sweep(const fused_plan *p)
{
    const int unroll = p->schedule.unroll;

    text_add(p->t,
             "\nINLINE void sweep(const argument &a)\n{\n"
             "    enum { SKEW = %d };\n"
             "    const thread_place b = place_of_rows<tile>(a.w);\n"
             "    state s = {};\n\n"
             "    if (b.none)\n        return;\n",
             last_skew(p));
    add_inner_planes(p);
    if (p->rings) {
        add_ring_opening(p);
        text_add(p->t,
                 "#pragma unroll 1\n"
                 "    for (; k < last && (k < first || s.phase != %d); k++)\n"
                 "        fused_plane<false, true>(a, b, s, k);\n"
                 "    if (!b.edge) {\n",
                 p->phases - 1);
        add_inner(p, "true, false");
        text_add(p->t, "    } else if (!b.ragged) {\n");
        add_inner(p, "true, true");
        text_add(p->t,
                 "    }\n#pragma unroll 1\n    for (; k < last; k++)\n"
                 "        fused_plane<false, true>(a, b, s, k);\n%s",
                 fused_is_copied(p) ? "    close_gates(s.gate);\n" : "");
    } else {
        text_add(p->t, "    for (int n = 0; n < PREFETCH; n++)\n"
                       "        load<false, true>(a, b, s, k + n);\n"
                       "    for (int part = 0; part < 3; part++) {\n"
                       "        const int end = part == 0 ? first : part == 1 && inner < "
                       "last ? inner : last;\n");
        add_part(p, "if (part == 1 && !b.edge) {\n", unroll, "true, false");
        add_part(p, "} else if (part == 1 && !b.ragged) {\n", unroll, "true, true");
        add_part(p, "} else {\n", 1, "false, true");
        text_add(p->t, "        }\n    }\n");
    }
    text_add(p->t, "}\n");
}

void cuda_registers(const fused_plan *p)
{
    add_sizes(p);
    add_fields(p);
    cuda_registers_borders(p);
    add_turn(p);
    if (p->rings)
        add_ring_arrivals(p);
    else
        add_arrivals(p);
    for (int64_t n = 0; n < p->operations; n++)
        cuda_registers_stage(p, &p->operation[n]);
    add_plane(p);
    add_sweep(p);
}
