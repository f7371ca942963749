/* SPDX-License-Identifier: BSD-3-Clause */
/* Both interpreters give the same bits for the stages of random programs on random
 * fields, so they agree on everything the compiler makes. */
#include <stdio.h>
#include <stdlib.h>

#include "world.h"

enum {
    LEVELS = MAX_LEVEL + 4,
    PROGRAMS = 600,
    POINTS = 3000,
};

/* The data of a stage, with one copy for each interpreter. */
typedef struct site {
    program *tree;
    ir *code;
    rng random;
    int64_t bytes; /* of one level of the field at hand */
    view (*view[2])[LEVELS];
    const view *(*level[2])[LEVELS];
    const view *const **levels[2];
    double **table_values;
    const double **table;
    double *uniform[2];
} site;

static void *fresh(int64_t count, size_t size)
{
    void *block = calloc((size_t)(count > 0 ? count : 1), size);

    if (!block)
        test_stop();
    return block;
}

/* A view of fresh memory with the field's halo; data addresses the memory's begin. */
static view view_of_field(const ir_field *f, int64_t *elements)
{
    view v = {.type = f->storage};

    *elements = 1;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        v.extent[axis] = f->extent[axis];
        v.halo[axis][0] = f->halo[axis][0];
        v.halo[axis][1] = f->halo[axis][1];
        v.stride[axis] = *elements;
        *elements *= f->extent[axis] + f->halo[axis][0] + f->halo[axis][1];
    }
    return v;
}

static void add_level(site *s, int64_t field, int level)
{
    const ir_field *f = &s->code->field[field];
    const int64_t size = (int64_t)pav_type_size(f->storage);
    int64_t elements;
    const view v = view_of_field(f, &elements);
    const int64_t first = view_offset(&v, v.halo[0][0], v.halo[1][0], v.halo[2][0]);
    char *memory[2] = {fresh(elements, (size_t)size), fresh(elements, (size_t)size)};

    for (int64_t e = 0; e < elements; e++)
        type_store(f->storage, memory[FAST] + e * size, 2 * rng_unit(&s->random) - 0.5);
    memcpy(memory[SLOW], memory[FAST], (size_t)(elements * size));
    for (int which = FAST; which <= SLOW; which++) {
        s->view[which][field][level] = v;
        s->view[which][field][level].data = memory[which] + first * size;
        s->level[which][field][level] = &s->view[which][field][level];
        s->levels[which][field] = s->level[which][field];
    }
}

static void add_tables(site *s)
{
    s->table_values = fresh(s->code->tables, sizeof *s->table_values);
    s->table = fresh(s->code->tables, sizeof *s->table);
    for (int64_t k = 0; k < s->code->tables; k++) {
        const ir_table *t = &s->code->table[k];
        const int64_t whole = s->tree->axis[t->axis].points;
        s->table_values[k] = fresh(whole + t->margin[0] + t->margin[1], sizeof(double));
        s->table[k] = s->table_values[k] + t->margin[0];
        REQUIRE_OK(interp_table(s->code, (int)k, s->table, s->table_values[k]));
    }
}

static void site_open(site *s, uint64_t seed)
{
    text t = {0};

    *s = (site){.random = {seed}};
    random_program(&s->random, POINTS, &t);
    REQUIRE_OK(program_parse(t.data, t.length, NULL, &s->tree));
    text_free(&t);
    REQUIRE_OK(ir_build(s->tree, NULL, &s->code));
    add_tables(s);
    for (int which = FAST; which <= SLOW; which++) {
        s->view[which] = fresh(s->code->fields, sizeof *s->view[which]);
        s->level[which] = fresh(s->code->fields, sizeof *s->level[which]);
        s->levels[which] = fresh(s->code->fields, sizeof *s->levels[which]);
        s->uniform[which] = fresh(s->code->uniforms, sizeof(double));
        for (int64_t k = 0; k < s->code->uniforms; k++)
            s->uniform[which][k] = 0.25 + 0.5 * (double)(k % 5);
    }
    for (int64_t f = 0; f < s->code->fields; f++)
        for (int level = 0; level < s->code->field[f].levels + 2; level++)
            add_level(s, f, level);
}

static void site_close(site *s)
{
    for (int64_t k = 0; k < s->code->tables; k++)
        free(s->table_values[k]);
    for (int which = FAST; which <= SLOW; which++) {
        for (int64_t f = 0; f < s->code->fields; f++)
            for (int l = 0; l < s->code->field[f].levels + 2; l++) {
                const view *v = &s->view[which][f][l];
                const int64_t first = view_offset(v, v->halo[0][0], v->halo[1][0],
                                                  v->halo[2][0]);
                free((char *)v->data - first * (int64_t)pav_type_size(v->type));
            }
        free(s->view[which]);
        free(s->level[which]);
        free((void *)s->levels[which]);
        free(s->uniform[which]);
    }
    free(s->table_values);
    free(s->table);
    ir_free(s->code);
    program_free(s->tree);
}

/* ---- comparing --------------------------------------------------------------------- */

static bool same_view(const view *a, const view *b)
{
    const int64_t size = (int64_t)pav_type_size(a->type);

    for (int64_t z = -a->halo[2][0]; z < a->extent[2] + a->halo[2][1]; z++)
        for (int64_t y = -a->halo[1][0]; y < a->extent[1] + a->halo[1][1]; y++)
            for (int64_t x = -a->halo[0][0]; x < a->extent[0] + a->halo[0][1]; x++) {
                const int64_t at = view_offset(a, x, y, z) * size;
                if (!same_number(type_load(a->type, (char *)a->data + at),
                                 type_load(b->type, (char *)b->data + at)))
                    return false;
            }
    return true;
}

static bool same_site(const site *s)
{
    for (int64_t k = 0; k < s->code->uniforms; k++)
        if (!same_number(s->uniform[FAST][k], s->uniform[SLOW][k]))
            return false;
    for (int64_t f = 0; f < s->code->fields; f++)
        for (int l = 0; l < s->code->field[f].levels + 2; l++)
            if (!same_view(&s->view[FAST][f][l], &s->view[SLOW][f][l]))
                return false;
    return true;
}

static void run_stage(site *s, int number)
{
    const ir_stage *stage = &s->code->stage[number];

    for (int which = FAST; which <= SLOW; which++) {
        const interp_args args = {.code = s->code,
                                  .stage = stage,
                                  .view = s->levels[which],
                                  .table = s->table,
                                  .uniform = s->uniform[which],
                                  .box = ir_stage_box(s->code, stage)};
        REQUIRE_OK((which == FAST ? interp_stage : interp_stage_slow)(&args));
    }
    CHECK(same_site(s));
}

static void run_start(site *s)
{
    for (int64_t k = 0; k < s->code->start.count; k++)
        if (s->code->start.item[k].kind == START_STAGE)
            run_stage(s, s->code->start.item[k].stage);
}

static void run_list(site *s, const ir_list *list)
{
    for (int64_t k = 0; k < list->count; k++)
        run_stage(s, list->stage[k]);
}

static void run_events(site *s, const ir_event_list *events)
{
    for (int64_t k = 0; k < events->count; k++)
        run_list(s, &events->item[k].list);
}

TEST(stages_of_random_programs_come_out_the_same_fast_and_slow)
{
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        site s;
        site_open(&s, seed);
        run_start(&s);
        run_list(&s, &s.code->step);
        run_events(&s, &s.code->injections);
        run_events(&s, &s.code->measures);
        run_events(&s, &s.code->untils);
        run_events(&s, &s.code->expects);
        site_close(&s);
    }
}
