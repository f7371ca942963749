/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of passes in a general form: every version of a field lies in shared memory, a thread has a point. */
#include "emit/pass_private.h"

extern const char cuda_kernel_pass[];

/* ---- what it is called with --------------------------------------------------------------- */

static pav_status add_numbers(const pass_plan *p, int64_t which, int stage, text *t)
{
    static const emit_gpu_schedule plain = {.coefficients = EMIT_GPU_PLACE_ARGUMENT};
    emit_stage e;

    TRY(cuda_pass_survey(p, which, stage, t, &e));
    e.schedule = &plain;
    cuda_numbers(&e);
    emit_survey_close(&e);
    return PAV_OK;
}

pav_status cuda_pass_argument(const pass_plan *p, const emit_gpu_pass *pass,
                              int64_t which, text *t)
{
    for (int64_t n = 0; n < pass->stages; n++)
        TRY(add_numbers(p, which, pass->stage[n], t));
    if (pass->stages > 0)
        text_add(t, "\n/* Of one step. */\nstruct numbers {\n");
    for (int64_t n = 0; n < pass->stages; n++)
        text_add(t, "    numbers_%lld_%d of_%d;\n", (long long)which, pass->stage[n],
                 pass->stage[n]);
    text_add(t, "%s\nstruct argument {\n    pass_work w;\n",
             pass->stages > 0 ? "};\n" : "");
    for (int64_t k = 0; k < pass->slots; k++) {
        text_add(t, "    grid g%lld; /* ", (long long)k);
        emit_level_text(p->code, pass->slot[k].field, pass->slot[k].level, t);
        text_add(t, pass->slot[k].stored ? " of the end */\n" : " */\n");
    }
    for (int64_t n = 0; n < pass->tables; n++)
        text_add(t, "    const double *table%d; /* from index 0 */\n", pass->table[n]);
    for (int64_t n = 0; n < pass->injections; n++)
        text_add(t, "    pass_marks inject%lld;\n", (long long)n);
    for (int64_t n = 0; n < pass->looks; n++)
        text_add(t, "    pass_look look%lld; /* %s */\n", (long long)n,
                 pass->look[n]->symbol->name);
    text_add(t, "%s", pass->stages > 0 ? "    const numbers *step;\n" : "");
    for (int64_t n = 0; n < pass->parts; n++)
        text_add(t, "    tensor m%lld; /* of g%d */\n", (long long)n, pass->part[n].slot);
    text_add(t, "};\n");
    return PAV_OK;
}

/* ---- what is in shared memory ------------------------------------------------------------- */

static void add_fields(const pass_plan *p, text *t)
{
    text_add(t, "\ntypedef tile_of<%d, %d, %d, %d, %d> tile;\n", pass_points(p, 0),
             pass_points(p, 1), pass_overlap(p, 0), p->axis == 2 ? pass_overlap(p, 1) : 0,
             p->axis);
    for (int f = 0; f < p->code->fields; f++) {
        if (!p->moves[f])
            continue;
        text_add(t, "typedef versions<%s, tile, %d, %d, %lld> field_%d; /* ",
                 emit_c_type(p->code->field[f].storage), p->field[f].oldest,
                 p->field[f].planes, (long long)p->field[f].at, f);
        emit_level_text(p->code, f, 0, t);
        text_add(t, " */\n");
    }
}

/* ---- levels that are found ---------------------------------------------------------------- */

static void add_load(const pass_plan *p, const emit_gpu_pass *pass, int field, text *t)
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
                 pass_slot_of(pass, field, level, false));
    text_add(t, "    }\n");
}

static void add_loads(const pass_plan *p, const emit_gpu_pass *pass, text *t)
{
    text_add(
        t,
        "\n/* What was found of a plane. */\n"
        "INLINE void load(const argument &a, const pass_place &b, int64_t plane)\n{\n"
        "    const int64_t %s;\n",
        cuda_pass_position(p));
    cuda_pass_points(p, t);
    text_add(t, "\n    if (plane >= b.to + (b.from - b.first))\n        return;\n");
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            add_load(p, pass, f, t);
    text_add(t, "}\n");
}

/* ---- the walk ----------------------------------------------------------------------------- */

static void add_walk(const pass_plan *p, const emit_gpu_pass *pass, text *t)
{
    const int far = p->reach[p->axis];
    int last = p->look;

    for (int64_t n = 0; n < p->acts; n++)
        last = p->act[n].lag + p->act[n].around[p->axis] > last
                   ? p->act[n].lag + p->act[n].around[p->axis]
                   : last;
    text_add(t,
             "\nINLINE void walk(const argument &a)\n{\n"
             "    const int steps = (int)a.w.steps;\n"
             "    const pass_place b = place_in_tile<tile>(a.w, steps * %d);\n"
             "    const int64_t last = b.to + (steps - 1) * %d + %d;\n\n"
             "    for (int64_t k = b.first; k < last; k++) {\n"
             "        load(a, b, k);\n"
             "        for (int step = 0; step < steps; step++) {\n",
             far, p->lag, last);
    for (int64_t n = 0; n < p->acts; n++)
        text_add(t, "            stage_%d(a, b, step, k - step * %d - %d);\n",
                 p->act[n].stage, p->lag, p->act[n].lag);
    for (int64_t n = 0; n < pass->looks; n++)
        text_add(t, "            look_%lld(a, b, step, k - step * %d - %d);\n",
                 (long long)n, p->lag, p->look);
    text_add(t, "        }\n        __syncthreads();\n    }\n}\n");
}

void cuda_pass_kernel(const pass_plan *p, int64_t which, text *t)
{
    const bool stays = p->schedule.form == EMIT_GPU_RESIDENT;

    text_add(t,
             "\n} // namespace pass_%lld\n\n"
             "extern \"C\" __global__ void __launch_bounds__(%d%s)\n"
             "    pav_pass_%lld(const __grid_constant__ pass_%lld::argument a)\n"
             "{\n    pass_%lld::%s(a);\n}\n",
             (long long)which, p->schedule.threads[0] * p->schedule.threads[1],
             stays ? ", 1" : "", (long long)which, (long long)which, (long long)which,
             stays ? "stay" : "walk");
}

static pav_status add_held(const pass_plan *p, const emit_gpu_pass *pass, int64_t which,
                           text *t)
{
    cuda_held_fields(p, t);
    TRY(cuda_held_borders(p, which, t));
    cuda_held_arrivals(p, pass, t);
    for (int64_t n = 0; n < p->acts; n++)
        TRY(cuda_held_stage(p, pass, which, &p->act[n], t));
    cuda_held_walk(p, t);
    cuda_pass_kernel(p, which, t);
    return PAV_OK;
}

pav_status cuda_pass_text(const pass_plan *p, const emit_gpu_pass *pass, int64_t which,
                          text *t)
{
    text_add(t, "\nnamespace pass_%lld {\n", (long long)which);
    TRY(cuda_pass_argument(p, pass, which, t));
    if (p->held)
        return add_held(p, pass, which, t);
    add_fields(p, t);
    TRY(cuda_pass_borders(p, which, t));
    add_loads(p, pass, t);
    for (int64_t n = 0; n < p->acts; n++)
        TRY(cuda_pass_stage(p, pass, which, &p->act[n], t));
    cuda_pass_looks(p, pass, t);
    add_walk(p, pass, t);
    cuda_pass_kernel(p, which, t);
    return PAV_OK;
}
