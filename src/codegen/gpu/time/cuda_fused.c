/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of general fused launches: every version of a field is in shared memory, and a
 * thread has one point. */
#include "codegen/gpu/time/fused_private.h"

extern const char cuda_kernel_fused[];

/* ---- argument ---------------------------------------------------------------------- */

static pav_status add_numbers(const fused_plan *p, int64_t which, int stage, text *t)
{
    static const schedule plain = {.coefficients = UNIFORMS_ARGUMENT};
    emit_stage e;

    TRY(cuda_fused_survey(p, which, stage, t, &e));
    e.schedule = &plain;
    cuda_uniforms(&e);
    emit_survey_close(&e);
    return PAV_OK;
}

pav_status cuda_fused_argument(const fused_plan *p, const emit_gpu_fused *fused,
                               int64_t which, text *t)
{
    for (int64_t n = 0; n < fused->stages; n++)
        TRY(add_numbers(p, which, fused->stage[n], t));
    if (fused->stages > 0)
        text_add(t, "\n/* Of one step. */\nstruct numbers {\n");
    for (int64_t n = 0; n < fused->stages; n++)
        text_add(t, "    numbers_%lld_%d of_%d;\n", (long long)which, fused->stage[n],
                 fused->stage[n]);
    text_add(t, "%s\nstruct argument {\n    fused_work w;\n",
             fused->stages > 0 ? "};\n" : "");
    for (int64_t k = 0; k < fused->slots; k++) {
        text_add(t, "    grid g%lld; /* ", (long long)k);
        emit_level_text(p->code, fused->slot[k].field, fused->slot[k].level, t);
        text_add(t, fused->slot[k].stored ? " of the end */\n" : " */\n");
    }
    for (int64_t n = 0; n < fused->tables; n++)
        text_add(t, "    const double *table%d; /* from index 0 */\n", fused->table[n]);
    for (int64_t n = 0; n < fused->injections; n++)
        text_add(t, "    fused_points inject%lld;\n", (long long)n);
    for (int64_t n = 0; n < fused->samples; n++)
        text_add(t, "    fused_sample sample%lld; /* %s */\n", (long long)n,
                 fused->sample[n]->symbol->name);
    text_add(t, "%s", fused->stages > 0 ? "    const numbers *step;\n" : "");
    for (int64_t n = 0; n < fused->parts; n++)
        text_add(t, "    tensor m%lld; /* of g%d */\n", (long long)n,
                 fused->part[n].slot);
    text_add(t, "};\n");
    return PAV_OK;
}

/* ---- shared memory ----------------------------------------------------------------- */

static void add_fields(const fused_plan *p, text *t)
{
    text_add(t,
             "\nenum {\n    POINTS_X = %d, /* of a tile with its overlap */\n"
             "    POINTS_Y = %d,\n    OVERLAP_X = %d,\n    OVERLAP_Y = %d,\n"
             "    SWEEP_AXIS = %d\n};\n"
             "typedef tile_of<POINTS_X, POINTS_Y, OVERLAP_X, OVERLAP_Y, SWEEP_AXIS> "
             "tile;\n",
             fused_points(p, 0), fused_points(p, 1), fused_overlap(p, 0),
             p->axis == 2 ? fused_overlap(p, 1) : 0, p->axis);
    for (int f = 0; f < p->code->fields; f++) {
        if (!p->moves[f])
            continue;
        text_add(t,
                 "struct planes_%d {\n    enum { FIRST = %d, PLANES = %d, AT = %lld };\n"
                 "};\ntypedef versions<%s, tile, planes_%d> field_%d; /* ",
                 f, p->field[f].oldest, p->field[f].planes, (long long)p->field[f].at,
                 emit_c_type(p->code->field[f].storage), f, f);
        emit_level_text(p->code, f, 0, t);
        text_add(t, " */\n");
    }
}

/* ---- input levels ------------------------------------------------------------------ */

static void add_load(const fused_plan *p, const emit_gpu_fused *fused, int field, text *t)
{
    const ir_field *f = &p->code->field[field];

    text_add(t, "    if (");
    for (int axis = 0; axis <= p->axis; axis++) {
        const int *halo = f->halo[axis];
        if (!p->periodic[axis])
            text_add(t, "is_within(%c, -%d, a.w.extent[%d], -%d) && ", "xyz"[axis],
                     halo[0], axis, halo[1]);
    }
    text_add(t, "true) {\n");
    for (int level = 0; level >= p->field[field].oldest; level--)
        text_add(t,
                 "        field_%d::at(b, %d, x, y, z) = point_at<const %s>(a.g%d, i, j, "
                 "k);\n",
                 field, level, emit_c_type(f->storage),
                 fused_slot_of(fused, field, level, false));
    text_add(t, "    }\n");
}

static void add_loads(const fused_plan *p, const emit_gpu_fused *fused, text *t)
{
    text_add(
        t,
        "\n/* What was found of a plane. */\n"
        "INLINE void load(const argument &a, const fused_block &b, int64_t plane)\n{\n"
        "    const int64_t %s;\n",
        cuda_fused_position(p));
    cuda_fused_points(p, t);
    text_add(t, "\n    if (plane >= b.to + (b.from - b.first))\n        return;\n");
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            add_load(p, fused, f, t);
    text_add(t, "}\n");
}

/* ---- the sweep --------------------------------------------------------------------- */

static void add_sweep(const fused_plan *p, const emit_gpu_fused *fused, text *t)
{
    const int far = p->reach[p->axis];
    int last = p->receiver_skew;

    for (int64_t n = 0; n < p->operations; n++)
        last = p->operation[n].skew + p->operation[n].around[p->axis] > last
                   ? p->operation[n].skew + p->operation[n].around[p->axis]
                   : last;
    text_add(t, "\nINLINE void sweep(const argument &a)\n{\n"
                "    const int steps = (int)a.w.steps;\n"
                "    const fused_block b = place_in_tile<tile>(a.w, ");
    emit_times("steps", far, t);
    text_add(t, ");\n    const int64_t last = b.to");
    emit_plus_times("(steps - 1)", p->skew, t);
    emit_plus(last, t);
    text_add(t, ";\n\n    for (int64_t k = b.first; k < last; k++) {\n"
                "        load(a, b, k);\n"
                "        for (int step = 0; step < steps; step++) {\n");
    for (int64_t n = 0; n < p->operations; n++) {
        text_add(t, "            stage_%d(a, b, step, ", p->operation[n].stage);
        cuda_skewed_plane(p, p->operation[n].skew, t);
    }
    for (int64_t n = 0; n < fused->samples; n++) {
        text_add(t, "            sample_%lld(a, b, step, ", (long long)n);
        cuda_skewed_plane(p, p->receiver_skew, t);
    }
    text_add(t, "        }\n        __syncthreads();\n    }\n}\n");
}

void cuda_fused_kernel(const fused_plan *p, int64_t which, const char *bounds,
                       const char *entry, text *t)
{
    text_add(t,
             "\n} // namespace fused_%lld\n\n"
             "extern \"C\" __global__ void __launch_bounds__(%d%s)\n"
             "    pav_fused_%lld(const __grid_constant__ fused_%lld::argument a)\n"
             "{\n    fused_%lld::%s(a);\n}\n",
             (long long)which, p->schedule.tile.size[0] * p->schedule.tile.size[1],
             bounds, (long long)which, (long long)which, (long long)which, entry);
}

static pav_status print_registers(const fused_plan *p, const emit_gpu_fused *fused,
                                  int64_t which, text *t)
{
    cuda_registers_fields(p, t);
    TRY(cuda_registers_borders(p, which, t));
    cuda_registers_arrivals(p, fused, t);
    for (int64_t n = 0; n < p->operations; n++)
        TRY(cuda_registers_stage(p, fused, which, &p->operation[n], t));
    cuda_registers_sweep(p, t);
    cuda_fused_kernel(p, which, "", "sweep", t);
    return PAV_OK;
}

static pav_status print(const fused_plan *p, const emit_gpu_fused *fused, int64_t which,
                        text *t)
{
    text_add(t, "\nnamespace fused_%lld {\n", (long long)which);
    TRY(cuda_fused_argument(p, fused, which, t));
    if (p->in_registers)
        return print_registers(p, fused, which, t);
    add_fields(p, t);
    TRY(cuda_fused_borders(p, which, t));
    add_loads(p, fused, t);
    for (int64_t n = 0; n < p->operations; n++)
        TRY(cuda_fused_stage(p, fused, which, &p->operation[n], t));
    cuda_fused_samples(p, fused, t);
    add_sweep(p, fused, t);
    cuda_fused_kernel(p, which, "", "sweep", t);
    return PAV_OK;
}

const cuda_launch_kind cuda_time = {
    .sweeps = true,
    .least_dim = 2,
    .place = fused_choose_place,
    .settings = fused_check_shared,
    .choose = fused_choose,
    .describe = fused_describe_sweeps,
    .extent = fused_extent_of_sweeps,
    .text = print,
};
