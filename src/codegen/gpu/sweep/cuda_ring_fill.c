/* SPDX-License-Identifier: BSD-3-Clause */
/* Filling the rings of a block (cuda_ring.c): by asynchronous copies of its threads,
 * through their registers, or by the tensor memory accelerator. Each kind of copy has a
 * file of device code, and four parts in a sweep:
 *
 *     before      waits until the previous sweep has read all; opens the ring
 *     first       copies the planes for the first step, and the planes of the next
 *                 steps up to the copy distance
 *     step        waits for the planes of this step; starts the next copies
 *     after       runs after the last step */
#include <stdio.h>

#include "codegen/codegen_private.h"

extern const char cuda_kernel_ring_async[], cuda_kernel_ring_remap[],
    cuda_kernel_ring_tensor[], cuda_kernel_ring_split[];

typedef struct copy_method {
    const char *code, *type;
    void (*before)(const emit_stage *e);
    void (*first)(const emit_stage *e);
    void (*step)(const emit_stage *e);
    const char *after;
} copy_method;

/* ---- common parts ------------------------------------------------------------------ */

/* Prints the plane of the level at offset `z` of a step: "k + 6". If loads before the
 * first plane or for results beyond the last may leave the field, it prints "greater(k +
 * 6, from + (-1))". */
static void add_number(const emit_stage *e, const ring *r, const char *index,
                       const char *z)
{
    const cuda_planes read = cuda_planes_read(e, r->slot);
    const bool before = e->sweep_plan->warm > 0, beyond = r->last > read.last;

    text_add(e->t, "%s%s%s + %s", beyond ? "lesser(" : "", before ? "greater(" : "",
             index, z);
    if (before)
        text_add(e->t, ", from + (%d))", read.first);
    if (beyond)
        text_add(e->t, ", to - 1 + (%d))", read.last);
}

static void add_stride(const emit_stage *e, const ring *r)
{
    text_add(e->t, ", a.g%d.%c);\n", r->slot, cuda_plane_stride(e->sweep_plan));
}

/* Prints the copy of plane `z` of step `index` to one ring. */
typedef void copy_text(const emit_stage *e, const ring *r, const char *index,
                       const char *z);

static void add_copies(const emit_stage *e, copy_text *copy, const char *indent,
                       const char *index, int ahead)
{
    for (int64_t n = 0; n < e->sweep_plan->rings; n++) {
        char z[16];
        (void)snprintf(z, sizeof z, "%d", e->sweep_plan->ring[n].last + ahead);
        text_add(e->t, "%s", indent);
        copy(e, &e->sweep_plan->ring[n], index, z);
    }
}

/* Copies the planes newly needed by step n, n a variable. */
static void add_next_copies(const emit_stage *e, copy_text *copy, const char *indent)
{
    for (int64_t n = 0; n < e->sweep_plan->rings; n++) {
        char z[24];
        (void)snprintf(z, sizeof z, "n + %d", e->sweep_plan->ring[n].last);
        text_add(e->t, "%s", indent);
        copy(e, &e->sweep_plan->ring[n], "from - WARM", z);
    }
}

/* Copies all planes for the first step. */
static void add_first_copies(const emit_stage *e, copy_text *copy, const char *indent)
{
    for (int64_t n = 0; n < e->sweep_plan->rings; n++) {
        const ring *r = &e->sweep_plan->ring[n];
        text_add(e->t, "%sfor (int z = %d; z <= %d; z++)\n%s    ", indent, r->first,
                 r->last, indent);
        copy(e, r, "from - WARM", "z");
    }
}

static void add_rings(const emit_stage *e, const char *type)
{
    for (int64_t n = 0; n < e->sweep_plan->rings; n++) {
        const ring *r = &e->sweep_plan->ring[n];
        cuda_ring_shape(e, r);
        text_add(e->t, "    %s<", type);
        cuda_ring_name(e, r, e->t);
        text_add(e->t, "_shape> ");
        cuda_ring_name(e, r, e->t);
        text_add(e->t, ";\n    open_ring(");
        cuda_ring_name(e, r, e->t);
        text_add(e->t, ", %lld, ", (long long)r->at);
        if (e->schedule->tile.copy == COPY_TMA)
            text_add(e->t, "a.m%lld, b);\n", (long long)n);
        else
            text_add(e->t, "a.w, a.g%d, b);\n", r->slot);
    }
}

static void wait_for_sweep(const emit_stage *e)
{
    text_add(e->t, "    __syncthreads(); /* of the sweep before, all is read */\n");
}

/* ---- asynchronous copies ----------------------------------------------------------- */

/* "copy_plane(in_f0_u, 6, k + 6, a.g0.z);" */
static void copy_async(const emit_stage *e, const ring *r, const char *index,
                       const char *z)
{
    text_add(e->t, "copy_plane(");
    cuda_ring_name(e, r, e->t);
    text_add(e->t, ", %s, ", z);
    add_number(e, r, index, z);
    add_stride(e, r);
}

static void first_async(const emit_stage *e)
{
    add_first_copies(e, copy_async, "    ");
    text_add(e->t, "    kernel_copy_commit();\n"
                   "    for (int n = 1; n < AHEAD; n++) {\n"
                   "        if (from - WARM + n < to) {\n");
    add_next_copies(e, copy_async, "            ");
    text_add(e->t, "        }\n        kernel_copy_commit();\n    }\n");
}

static void step_async(const emit_stage *e)
{
    const char *index = cuda_plane_index(e->sweep_plan);

    text_add(e->t,
             "        kernel_copy_wait<AHEAD - 1>();\n"
             "        __syncthreads();\n"
             "        if (%s + AHEAD < to) {\n",
             index);
    add_copies(e, copy_async, "            ", index, e->schedule->tile.ahead);
    text_add(e->t, "        }\n        kernel_copy_commit();\n");
}

/* ---- registers --------------------------------------------------------------------- */

/* "read_plane(in_f0_u, k + 2, a.g0.z);" */
static void read_remap(const emit_stage *e, const ring *r, const char *index,
                       const char *z)
{
    text_add(e->t, "read_plane(");
    cuda_ring_name(e, r, e->t);
    text_add(e->t, ", ");
    add_number(e, r, index, z);
    add_stride(e, r);
}

static void keep_remap(const emit_stage *e, const ring *r, const char *index,
                       const char *z)
{
    (void)index;
    text_add(e->t, "keep_plane(");
    cuda_ring_name(e, r, e->t);
    text_add(e->t, ", %s);\n", z);
}

/* The last plane stays in registers until the first step. */
static void first_remap(const emit_stage *e)
{
    for (int64_t n = 0; n < e->sweep_plan->rings; n++) {
        const ring *r = &e->sweep_plan->ring[n];
        text_add(e->t, "    for (int z = %d; z < %d; z++) {\n        ", r->first,
                 r->last);
        read_remap(e, r, "from - WARM", "z");
        text_add(e->t, "        ");
        keep_remap(e, r, "", "z");
        text_add(e->t, "    }\n");
    }
    add_copies(e, read_remap, "    ", "from - WARM", 0);
}

static void step_remap(const emit_stage *e)
{
    const char *index = cuda_plane_index(e->sweep_plan);

    add_copies(e, keep_remap, "        ", index, 0);
    text_add(e->t,
             "        __syncthreads();\n"
             "        if (%s + AHEAD < to) {\n",
             index);
    add_copies(e, read_remap, "            ", index, 1);
    text_add(e->t, "        }\n");
}

/* ---- the tensor memory accelerator ------------------------------------------------- */

static void open_gates(const emit_stage *e)
{
    text_add(e->t, "    gates<threads, AHEAD> gate;\n    open_gates(gate, %lld);\n",
             (long long)cuda_rings_end(e->sweep_plan));
}

static void copy_by_gate(const emit_stage *e, const ring *r, const char *gate,
                         const char *index, const char *z)
{
    text_add(e->t, "copy_plane(");
    cuda_ring_name(e, r, e->t);
    text_add(e->t, ", %s, %s, ", gate, z);
    add_number(e, r, index, z);
    text_add(e->t, ");\n");
}

static void copy_first(const emit_stage *e, const ring *r, const char *index,
                       const char *z)
{
    copy_by_gate(e, r, "gate.there", index, z);
}

static void copy_next(const emit_stage *e, const ring *r, const char *index,
                      const char *z)
{
    copy_by_gate(e, r, "gate.there + n", index, z);
}

/* "copy_plane(in_f0_u, gate.asked(), 6, k + 6);" */
static void copy_asked(const emit_stage *e, const ring *r, const char *index,
                       const char *z)
{
    copy_by_gate(e, r, "gate.asked()", index, z);
}

static void first_tensor(const emit_stage *e)
{
    text_add(e->t, "    if (copies_planes()) {\n");
    add_first_copies(e, copy_first, "        ");
    text_add(e->t, "        kernel_mbarrier_arrive(gate.there);\n"
                   "        for (int n = 1; n < AHEAD && from - WARM + n < to; n++) "
                   "{\n");
    add_next_copies(e, copy_next, "            ");
    text_add(e->t, "            kernel_mbarrier_arrive(gate.there + n);\n"
                   "        }\n    }\n");
}

static void step_tensor(const emit_stage *e)
{
    const char *index = cuda_plane_index(e->sweep_plan);

    text_add(e->t,
             "        come(gate);\n"
             "        if (copies_planes() && %s + AHEAD < to) {\n"
             "            wait_for_all(gate);\n",
             index);
    add_copies(e, copy_asked, "            ", index, e->schedule->tile.ahead);
    text_add(e->t, "            kernel_mbarrier_arrive(gate.asked());\n"
                   "        }\n"
                   "        wait_for_planes(gate);\n");
}

/* ---- kinds of copies --------------------------------------------------------------- */

static const copy_method copy_methods[] = {
    [COPY_ASYNC] = {cuda_kernel_ring_async, "async_ring", wait_for_sweep, first_async,
                    step_async, ""},
    [COPY_REMAP] = {cuda_kernel_ring_remap, "remap_ring", wait_for_sweep, first_remap,
                    step_remap, ""},
    [COPY_TMA] = {cuda_kernel_ring_tensor, "tensor_ring", open_gates, first_tensor,
                  step_tensor, "    close_gates(gate);\n"},
    [COPY_SPLIT] = {cuda_kernel_ring_split, "split_ring", wait_for_sweep, first_async,
                    step_async, ""},
};

const char *cuda_fill_code(schedule_copy copy)
{
    return copy_methods[copy].code;
}

void cuda_open_rings(const emit_stage *e)
{
    const copy_method *f = &copy_methods[e->schedule->tile.copy];

    cuda_block_shape(e);
    text_add(e->t, e->sweep_plan->axis == 2 ? "    const int64_t i = b.i, j = b.j;\n"
                                            : "    const int64_t i = b.i;\n");
    f->before(e);
    add_rings(e, f->type);
    f->first(e);
}

void cuda_rotate_rings(const emit_stage *e)
{
    copy_methods[e->schedule->tile.copy].step(e);
}

void cuda_close_rings(const emit_stage *e)
{
    text_add(e->t, "%s", copy_methods[e->schedule->tile.copy].after);
}

/* ", turn(in_f0_u), turn(gate)" */
void cuda_release_rings(const emit_stage *e)
{
    for (int64_t r = 0; r < e->sweep_plan->rings; r++) {
        text_add(e->t, ", turn(");
        cuda_ring_name(e, &e->sweep_plan->ring[r], e->t);
        text_add(e->t, ")");
    }
    if (e->schedule->tile.copy == COPY_TMA && e->sweep_plan->rings > 0)
        text_add(e->t, ", turn(gate)");
}
