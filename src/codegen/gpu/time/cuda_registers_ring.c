/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of fused launches in registers with input planes in rings in shared memory. A
 * plane is requested after all threads have left the plane in its slot. One thread
 * requests it from the tensor memory accelerator. Each thread copies its own vectors if
 * there is no accelerator, and in tiles that wrap around a face. */
#include <stdio.h>

#include "codegen/gpu/time/fused_private.h"

static bool wraps_across(const fused_plan *p)
{
    return p->periodic[0] || p->periodic[1];
}

/* True if threads copy, in some tiles or in all. */
static bool has_own_copies(const fused_plan *p)
{
    return !fused_is_copied(p) || wraps_across(p);
}

/* The condition for tiles copied by the accelerator. */
static const char *by_accelerator(const fused_plan *p)
{
    return wraps_across(p) ? "!b.around && " : "";
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

void cuda_ring_types(const fused_plan *p, int field, text *t)
{
    text_add(t,
             "enum { INPUT_AT_%d = %lld };\n"
             "typedef input_planes<%s, tile, INPUT_PLANES, INPUT_AT_%d> found_%d;\n",
             field, (long long)p->field[field].prefetched,
             emit_c_type(p->code->field[field].storage), field, field);
}

void cuda_ring_state(const fused_plan *p, text *t)
{
    if (fused_is_copied(p))
        text_add(t,
                 "    gates<block_shape<32, tile::WARPS, tile::ROWS>, INPUT_PLANES - 1> "
                 "gate;\n");
    text_add(t, "    int phase, round; /* where the newest plane is */\n");
}

void cuda_ring_turns(const fused_plan *p, text *t)
{
    text_add(t, "    if (++s.phase == PHASES) {\n        s.phase = 0;\n"
                "        s.round = s.round + 1 < ROUNDS ? s.round + 1 : 0;\n");
    if (fused_is_copied(p))
        text_add(t, "        s.gate.parity ^= s.round == 0;\n");
    text_add(t, "    }\n");
}

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

static void add_plane_number(const fused_plan *p, text *t)
{
    if (p->periodic[p->axis])
        text_add(t,
                 "        const int k = index_at<true>(plane, a.w.extent[%d], 0, 0);\n",
                 p->axis);
    else
        text_add(t, "        const int k = plane;\n");
}

static void add_plane_copies(const fused_plan *p, const emit_gpu_fused *fused, text *t)
{
    text_add(t, "    if (%scopies_planes() && plane < b.to + %d) {\n", by_accelerator(p),
             fused_last_skew(p));
    text_add(t, "        uint64_t *const there = s.gate.there + to;\n");
    add_plane_number(p, t);
    each_level(p, fused, add_plane_copy, t);
    text_add(t, "        kernel_mbarrier_arrive(there);\n    }\n");
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

static void add_pack_copies(const fused_plan *p, const emit_gpu_fused *fused, text *t)
{
    if (fused_is_copied(p))
        text_add(t, "    if (!b.around)\n        return;\n");
    each_level(p, fused, add_pack_copy, t);
    text_add(t, "    kernel_copy_commit();\n");
}

/* The accelerator is not asked for planes behind the last one: nobody waits for them. */
void cuda_ring_loads(const fused_plan *p, const emit_gpu_fused *fused, text *t)
{
    char ago[32];

    text_add(
        t, "\n/* Asks for a plane, the n-th of those that come next. */\n"
           "template <bool INSIDE, bool EDGE>\nINLINE void load(const argument &a, const "
           "thread_place &b, const state &s, int plane, int n)\n{\n    const int to = ");
    (void)snprintf(ago, sizeof ago, "%d - n", fused_ring(p) - 1);
    cuda_ring_slot(ago, t);
    text_add(t, ";\n");
    if (fused_is_copied(p))
        add_plane_copies(p, fused, t);
    if (has_own_copies(p))
        add_pack_copies(p, fused, t);
    text_add(t, "}\n");
}

/* ---- arriving planes --------------------------------------------------------------- */

static void add_wait(const fused_plan *p, text *t)
{
    if (!fused_is_copied(p))
        return;
    if (wraps_across(p))
        text_add(t, "    if (!b.around)\n    ");
    text_add(t, "    kernel_mbarrier_wait(&s.gate.there[");
    cuda_ring_slot("0", t);
    text_add(t, "], s.gate.parity);\n");
}

void cuda_ring_arrivals(const fused_plan *p, text *t)
{
    text_add(t, "\n/* The newest plane has come. */\n"
                "INLINE void arrive(const thread_place &b, const "
                "state &s)\n{\n");
    add_wait(p, t);
    text_add(
        t,
        "}\n"
        "\n/* All threads are through with a plane. */\n"
        "template <bool INSIDE, bool EDGE>\nINLINE void leave(const argument &a, const "
        "thread_place &b, state &s, int k)\n{\n");
    if (has_own_copies(p))
        text_add(t, "    kernel_copy_wait<PREFETCH - 1>();\n");
    text_add(t, "    __syncthreads();\n    load<INSIDE, EDGE>(a, b, s, k + 1 + PREFETCH, "
                "PREFETCH);\n}\n");
}

/* Requests the first planes. */
void cuda_ring_open(const fused_plan *p, text *t)
{
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

void cuda_ring_sweep(const fused_plan *p, text *t)
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
