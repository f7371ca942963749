/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields and masks from files. In any case the generated program reads an npy file next
 * to it, with exactly the initial values of a run. */
#include "run/generate/generate_private.h"

bool program_reads_files(const generation *g)
{
    for (int64_t n = 0; n < g->code->start.count; n++)
        if (g->code->start.item[n].kind == START_FILE)
            return true;
    return false;
}

/* "heat-c.npy" */
static void add_file_name(const generation *g, int64_t field, text *t)
{
    text_add(t, "PROGRAM-");
    add_identifier(g->code->field[field].name, t);
    text_add(t, ".npy");
}

void add_reading(const generation *g, const ir_start *s, text *t)
{
    text_add(t, "    read_level(p, ");
    add_field(g, s->field, t);
    text_add(t, ", %d, \"", s->level);
    add_file_name(g, s->field, t);
    text_add(t, "\");\n");
}

/* to: NULL: only reads the values. */
static pav_status write_file(const generation *g, int64_t field, const char *to)
{
    const ir_field *f = &g->code->field[field];
    field_shape shape = {.type = f->storage, .dimensions = g->code->dim, .count = 1};
    levels l;

    for (int axis = 0; axis < MAX_DIM; axis++)
        shape.extent[axis] = f->extent[axis];
    TRY(levels_new(&shape, NULL, NULL, &l));
    pav_status status = run_read_file(g->run, f, &l.level[0], NULL);
    if (status == PAV_OK && to)
        status = npy_write_view(to, g->code->dim, &l.level[0]);
    levels_free(&l);
    return status;
}

void add_input_path(const generation *g, const char *directory, int64_t field, text *t)
{
    text_add(t, "%s/%s-", directory, g->name);
    add_identifier(g->code->field[field].name, t);
    text_add(t, ".npy");
}

static pav_status write_one(const generation *g, const char *directory, int64_t field)
{
    text path = {0};

    add_input_path(g, directory, field, &path);
    const pav_status status = path.failed ? PAV_ENOMEM : write_file(g, field, path.data);
    text_free(&path);
    return status;
}

/* Reads all inputs, so a missing one is told before any file is written. */
pav_status check_input_files(const generation *g)
{
    for (int64_t n = 0; n < g->code->start.count; n++)
        if (g->code->start.item[n].kind == START_FILE)
            TRY(write_file(g, g->code->start.item[n].field, NULL));
    return PAV_OK;
}

pav_status write_input_files(const generation *g, const char *directory)
{
    for (int64_t n = 0; n < g->code->start.count; n++)
        if (g->code->start.item[n].kind == START_FILE)
            TRY(write_one(g, directory, g->code->start.item[n].field));
    return PAV_OK;
}
