/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of passes in registers that read what they find from rings of planes in shared memory. Planes are asked for
 * once all threads have left those whose places they take: by one thread, of the tensor memory accelerator; or each thread
 * copies its own packs, where there is no accelerator, and in tiles that wrap around a face. */
#include <stdio.h>

#include "emit/pass_private.h"

static bool wraps_across(const pass_plan *p)
{
    return p->periodic[0] || p->periodic[1];
}

/* Whether threads copy, in some tiles or in all. */
static bool has_own_copies(const pass_plan *p)
{
    return !pass_is_copied(p) || wraps_across(p);
}

/* What holds in tiles that the accelerator copies. */
static const char *by_accelerator(const pass_plan *p)
{
    return wraps_across(p) ? "!b.around && " : "";
}

typedef void level_text(const pass_plan *p, const emit_gpu_pass *pass, int field,
                        int level, text *t);

static void each_level(const pass_plan *p, const emit_gpu_pass *pass, level_text *add,
                       text *t)
{
    for (int f = 0; f < p->code->fields; f++)
        for (int level = p->field[f].oldest; level <= 0 && p->moves[f]; level++)
            add(p, pass, f, level, t);
}

/* ---- the state ---------------------------------------------------------------------------- */

void cuda_ring_types(const pass_plan *p, int field, text *t)
{
    text_add(t, "typedef found_planes<%s, tile, %d, %lld> found_%d;\n",
             emit_c_type(p->code->field[field].storage), p->field[field].ring,
             (long long)p->field[field].soon, field);
}

/* Fields whose rings are as long take turns together. */
static bool turns_first(const pass_plan *p, int field)
{
    for (int f = 0; f < field; f++)
        if (p->moves[f] && p->field[f].ring == p->field[field].ring)
            return false;
    return p->moves[field];
}

static void each_ring(const pass_plan *p, const char *form, text *t)
{
    for (int f = 0; f < p->code->fields; f++) {
        const int n = p->field[f].ring;
        if (turns_first(p, f))
            text_add(t, form, n, n, n, n);
    }
}

void cuda_ring_state(const pass_plan *p, text *t)
{
    if (pass_is_copied(p))
        text_add(t, "    gates<crew<32, tile::WARPS, tile::ROWS>, SOON> gate;\n");
    each_ring(p, "    int ring%d; /* which of so many planes is the newest */\n", t);
}

void cuda_ring_turns(const pass_plan *p, text *t)
{
    each_ring(p, "    s.ring%d = s.ring%d + 1 < %d ? s.ring%d + 1 : 0;\n", t);
}

/* ---- planes that are asked for ------------------------------------------------------------ */

static int part_of(const emit_gpu_pass *pass, int slot)
{
    for (int n = 0; n < pass->parts; n++)
        if (pass->part[n].slot == slot)
            return n;
    return -1;
}

static void add_plane_copy(const pass_plan *p, const emit_gpu_pass *pass, int field,
                           int level, text *t)
{
    text_add(t, "        found_%d::copy(a.m%d, b, %d, to%d, k, there);\n", field,
             part_of(pass, pass_slot_of(pass, field, level, false)),
             level - p->field[field].oldest, p->field[field].ring);
}

static void add_plane_number(const pass_plan *p, text *t)
{
    if (p->periodic[p->axis])
        text_add(t, "        const int k = index_at<true>(plane, a.w.extent[%d], 0, 0);\n",
                 p->axis);
    else
        text_add(t, "        const int k = plane;\n");
}

static void add_plane_copies(const pass_plan *p, const emit_gpu_pass *pass, text *t)
{
    text_add(t, "    if (%scopies_planes() && plane < b.to + %d) {\n", by_accelerator(p),
             pass_last_lag(p));
    text_add(t, "        uint64_t *const there = s.gate.there + gate;\n");
    add_plane_number(p, t);
    each_level(p, pass, add_plane_copy, t);
    text_add(t, "        kernel_mbarrier_arrive(there);\n    }\n");
}

static void add_pack_copy(const pass_plan *p, const emit_gpu_pass *pass, int field,
                          int level, text *t)
{
    char name[64];
    const held_target to = {name, true, true};

    (void)snprintf(name, sizeof name, "found_%d::place(b, %d, to%d, r)", field,
                   level - p->field[field].oldest, p->field[field].ring);
    text_add(t, "#pragma unroll\n    for (int r = 0; r < tile::ROWS; r++) {\n        ");
    cuda_held_load(p, field, pass_slot_of(pass, field, level, false), "b.j + r", "plane",
                   &to, t);
    text_add(t, "    }\n");
}

static void add_pack_copies(const pass_plan *p, const emit_gpu_pass *pass, text *t)
{
    if (pass_is_copied(p))
        text_add(t, "    if (!b.around)\n        return;\n");
    each_level(p, pass, add_pack_copy, t);
    text_add(t, "    kernel_copy_commit();\n");
}

/* Those of the last planes, of which none come after them, are not asked of the accelerator, for nobody waits for them. */
void cuda_ring_loads(const pass_plan *p, const emit_gpu_pass *pass, text *t)
{
    text_add(t, "\n/* Asks for a plane, the n-th of those that come next. */\n"
                "template <bool INSIDE, bool EDGE>\nINLINE void load(const argument &a, const "
                "held_place &b, const state &s, int plane, int n, int gate)\n{\n");
    each_ring(p, "    const int to%d = turn_before<%d>(s.ring%d, %d - n - 1);\n", t);
    if (pass_is_copied(p))
        add_plane_copies(p, pass, t);
    else
        text_add(t, "    (void)gate;\n");
    if (has_own_copies(p))
        add_pack_copies(p, pass, t);
    text_add(t, "}\n");
}

/* ---- planes that come --------------------------------------------------------------------- */

static void add_wait(const pass_plan *p, text *t)
{
    if (!pass_is_copied(p))
        return;
    if (wraps_across(p))
        text_add(t, "    if (!b.around)\n    ");
    text_add(t, "    wait_for_planes(s.gate);\n");
}

void cuda_ring_arrivals(const pass_plan *p, text *t)
{
    text_add(t, "\n/* The newest plane has come. */\n"
                "INLINE void arrive(const held_place &b, const "
                "state &s)\n{\n    (void)b, (void)s;\n");
    add_wait(p, t);
    text_add(t, "}\n"
                "\n/* All threads are through with a plane. */\n"
                "template <bool INSIDE, bool EDGE>\nINLINE void leave(const argument &a, const "
                "held_place &b, state &s, int k)\n{\n");
    if (has_own_copies(p))
        text_add(t, "    kernel_copy_wait<SOON - 1>();\n");
    text_add(t, "    __syncthreads();\n    load<INSIDE, EDGE>(a, b, s, k + 1 + SOON, SOON, %s);\n",
             pass_is_copied(p) ? "s.gate.now" : "0");
    if (pass_is_copied(p))
        text_add(t, "    turn(s.gate);\n");
    text_add(t, "}\n");
}

/* The first planes are asked for at once. */
void cuda_ring_open(const pass_plan *p, text *t)
{
    if (pass_is_copied(p))
        text_add(t, "    open_gates(s.gate, %lld);\n", (long long)p->gates);
    each_ring(p, "    s.ring%d = %d - 1;\n", t);
    text_add(t, "    for (int n = 0; n <= SOON; n++)\n"
                "        load<false, true>(a, b, s, k + n, n, n);\n");
    if (has_own_copies(p))
        text_add(t, "    kernel_copy_wait<SOON>();\n    __syncthreads();\n");
}
