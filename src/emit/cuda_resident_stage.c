/* SPDX-License-Identifier: BSD-3-Clause */
/* A stage in a tile that stays: some points of a thread, one above the other along y. They are printed side by side, node
 * by node, so that what is read of neighbouring rows is read once. */
#include <stdio.h>

#include "emit/pass_private.h"

typedef struct stage_text {
    const pass_plan *p;
    const emit_gpu_pass *pass;
} stage_text;

/* ---- what is read ------------------------------------------------------------------------- */

/* " + 2 * field_0::Y" */
static void add_term(int count, const char *stride, text *t)
{
    if (count != 0)
        text_add(t, " %c %d * %s", count < 0 ? '-' : '+', count < 0 ? -count : count,
                 stride);
}

static void add_strides(const emit_stage *e, const stage_text *s, const ir_node *n,
                        text *t)
{
    static const char *const letter[] = {"", "Y", "Z"};
    char stride[64];

    for (int axis = 1; axis < MAX_DIM; axis++) {
        if (s->p->moves[n->field])
            (void)snprintf(stride, sizeof stride, "field_%d::%s", n->field, letter[axis]);
        else
            (void)snprintf(stride, sizeof stride, "a.g%d.%s",
                           pass_slot_of(s->pass, n->field, n->level, false),
                           axis == 1 ? "y" : "z");
        add_term(n->offset[axis] + (axis == 1 ? e->shift : 0), stride, t);
    }
}

/* "f0_u[1 + 1 * field_0::Y]" */
static void add_element(const emit_stage *e, int node, text *t)
{
    const ir_node *n = &e->stage->node[node];

    emit_slot_name(e, emit_slot_of(e, n->field, n->level), t);
    text_add(t, "[%d", n->offset[0]);
    add_strides(e, e->user, n, t);
    text_add(t, "]");
}

static void add_pointers(const emit_stage *e, const stage_text *s)
{
    for (int64_t k = 0; k < e->slots; k++) {
        const emit_slot *slot = &e->slot[k];
        const char *type = emit_c_type(emit_storage(e, k));
        const int grid = pass_slot_of(s->pass, slot->field, slot->level, false);
        if (slot->stored)
            continue;
        text_add(e->t, "    const %s *const ", type);
        emit_slot_name(e, (int)k, e->t);
        if (s->p->moves[slot->field])
            text_add(e->t, " = field_%d::near(b, step + %d, p.i, p.j, p.k);\n",
                     slot->field, slot->level);
        else
            text_add(e->t, " = (const %s *)a.g%d.data + i + j * a.g%d.y + k * a.g%d.z;\n",
                     type, grid, grid, grid);
    }
}

/* ---- what is computed --------------------------------------------------------------------- */

static void add_nodes(emit_stage *e)
{
    for (int where = PLACE_ROW; where <= PLACE_POINT; where++)
        for (int64_t k = 0; k < e->stage->count; k++)
            for (e->shift = 0; e->place[k] == (emit_place)where && e->shift < e->height;
                 e->shift++)
                emit_node_line(e, (int)k, "    ");
    e->shift = 0;
}

static void add_outputs(emit_stage *e)
{
    for (int64_t k = 0; k < e->stage->outputs; k++)
        for (e->shift = 0; e->shift < e->height; e->shift++) {
            text_add(e->t, "    v%d[%d] = ", e->stage->output[k].field, e->shift);
            emit_output_value(e, &e->stage->output[k], e->t);
            text_add(e->t, ";\n");
        }
    e->shift = 0;
}

static void open_function(const emit_stage *e, const char *name)
{
    text_add(e->t,
             "\nINLINE void %s_%lld(const argument &a, const pass_place &b, int step, "
             "const tile_point &p",
             name, (long long)e->number);
    for (int64_t k = 0; k < e->stage->outputs; k++) {
        const ir_output *o = &e->stage->output[k];
        text_add(e->t, ", %s (&v%d)[%d]", emit_c_type(e->code->field[o->field].storage),
                 o->field, e->height);
    }
    text_add(e->t, ")\n{\n    const int64_t i = p.i, j = p.j, k = p.k;\n");
}

static void add_function(emit_stage *e, const stage_text *s, const char *name, int height)
{
    e->height = height;
    open_function(e, name);
    cuda_pass_numbers(e);
    add_pointers(e, s);
    add_nodes(e);
    add_outputs(e);
    text_add(e->t, "}\n");
}

pav_status cuda_resident_stage(const pass_plan *p, const emit_gpu_pass *pass,
                               int64_t which, const pass_act *act, text *t)
{
    const stage_text s = {p, pass};
    emit_stage e;

    TRY(cuda_pass_survey(p, which, act->stage, t, &e));
    e.user = &s;
    e.element = add_element;
    emit_stage_comment(&e, t);
    add_function(&e, &s, "point", 1);
    add_function(&e, &s, "column", p->schedule.rows);
    emit_survey_close(&e);
    return PAV_OK;
}
