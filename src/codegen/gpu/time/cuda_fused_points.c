/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources and receivers in a fused launch. After a plane is computed, and before any
 * other thread reads it, the thread of a point adds the values of the lists in their
 * order. It also stores samples of the point, if its block stores the point. */
#include "codegen/gpu/time/fused_private.h"

const char *cuda_fused_position(const fused_plan *p)
{
    return p->axis == 2 ? "x = b.i, y = b.j, z = plane" : "x = b.i, y = plane, z = 0";
}

void cuda_fused_points(const fused_plan *p, text *t)
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        if (axis <= p->axis && p->periodic[axis])
            text_add(t, "    const int64_t %c = wrapped(%c, a.w.extent[%d]);\n",
                     "ijk"[axis], "xyz"[axis], axis);
        else
            text_add(t, "    const int64_t %c = %c;\n", "ijk"[axis], "xyz"[axis]);
}

/* "k, i, j": the plane and the place in it. */
static const char *place_in_plane(const fused_plan *p)
{
    return p->axis == 2 ? "k, i, j" : "j, i, 0";
}

void cuda_fused_inject(const fused_plan *p, const fused_operation *operation, text *t)
{
    text_add(t,
             "    const mark_range at = marks_at(a.inject%d, %s);\n"
             "    for (const fused_point *m = at.from; m < at.to; m++)\n"
             "        inject_%d(a, b, step, left, plane, x, y, z, i, j, k, m->weight);\n",
             operation->event, place_in_plane(p), operation->event);
}

static void add_own_points(const fused_plan *p, text *t)
{
    text_add(t,
             "    if (step == (int)a.w.steps - 1 || !is_needed<tile>(b, plane, 0, 0, 0)");
    for (int axis = 0; axis <= p->axis; axis++)
        text_add(t, " ||\n        !is_within(%c, 0, a.w.extent[%d], 0)", "xyz"[axis],
                 axis);
    text_add(t, ")\n        return;\n");
}

static int field_of(const fused_plan *p, const statement *s)
{
    int field = 0;

    while (p->code->field[field].symbol != s->symbol)
        field++;
    return field;
}

/* The last step is observed after the launch, like a single step. */
static void add_sample(const fused_plan *p, const statement *s, int64_t number, text *t)
{
    const int field = field_of(p, s);

    text_add(t,
             "\n/* What a sample sees of %s. */\n"
             "INLINE void sample_%lld(const argument &a, const fused_block &b, int step, "
             "int64_t "
             "plane)\n{\n    const int64_t %s;\n",
             s->symbol->name, (long long)number, cuda_fused_position(p));
    add_own_points(p, t);
    cuda_fused_points(p, t);
    text_add(
        t,
        "    const mark_range at = marks_at(a.sample%lld.points, %s);\n"
        "    for (const fused_point *m = at.from; m < at.to; m++)\n"
        "        ((%s *)a.sample%lld.value)[step * a.sample%lld.count + m->number] =\n"
        "            field_%d_at(a, b, step + 1, x, y, z);\n}\n",
        (long long)number, place_in_plane(p), emit_c_type(p->code->field[field].storage),
        (long long)number, (long long)number, field);
}

void cuda_fused_samples(const fused_plan *p, const emit_gpu_fused *fused, text *t)
{
    for (int64_t n = 0; n < fused->samples; n++)
        add_sample(p, fused->sample[n], n, t);
}
