/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies points of levels out of a run and back: dense, x fastest, in the host's memory
 * in any type, or in the device's memory. A whole level copied back gets its border
 * filled, a box does not. */
#include <string.h>

#include "run/run_private.h"

int run_field_number(const pav_run *run, const char *name)
{
    for (int64_t f = 0; f < run->code->fields; f++)
        if (strcmp(run->code->field[f].name, name) == 0)
            return (int)f;
    return -1;
}

/* ---- the host's memory ------------------------------------------------------------- */

typedef struct copying {
    const view *v;
    pav_type type;
    char *memory;
    bool into; /* true: into the level */
    box points;
    int axis, parts;
} copying;

/* Copies whole rows and planes, so that the memory before each part is dense, too. */
static void copy_part(void *argument, int64_t n)
{
    const copying *c = argument;
    const box *all = &c->points;
    const int64_t nx = all->hi[0] - all->lo[0], ny = all->hi[1] - all->lo[1];
    const int64_t size = (int64_t)pav_type_size(c->type);
    box part;

    if (!partition_box(&c->points, c->axis, c->parts, n, &part))
        return;
    for (int64_t k = part.lo[2]; k < part.hi[2]; k++) {
        box plane = part;
        plane.lo[2] = k;
        plane.hi[2] = k + 1;
        const int64_t rows = (k - all->lo[2]) * ny + part.lo[1] - all->lo[1];
        char *at = c->memory + rows * nx * size;
        if (c->into)
            view_write_box(c->v, &plane, c->type, at);
        else
            view_read_box(c->v, &plane, c->type, at);
    }
}

static void copy_points(pav_run *run, copying *c)
{
    enum { PARTED_FROM = 1 << 15 /* points */ };

    c->axis = c->points.hi[2] - c->points.lo[2] > 1 ? 2 : 1;
    c->parts = box_points(&c->points) < PARTED_FROM ? 1
                                                    : host_team_threads(run->team.all);
    if (c->points.hi[c->axis] - c->points.lo[c->axis] == 1)
        c->parts = 1;
    if (c->parts > 1)
        host_team_run(run->team.all, c->parts, copy_part, c);
    else
        copy_part(c, 0);
}

pav_status run_keep_points(pav_run *run, int field, int age, pav_type type, void *memory)
{
    copying c = {.type = type, .memory = memory};

    TRY(run_host_view(run, field, -age, HOST_READ, &c.v));
    if (!c.v)
        return PAV_OK;
    c.points = view_points(c.v);
    copy_points(run, &c);
    return PAV_OK;
}

/* True if a box can be copied alone; otherwise the whole level is copied. */
static bool has_boxes(const pav_run *run)
{
    return run->part->executor->own_memory && !run->cut.is_cut && !run->outofcore;
}

pav_status run_keep_box(pav_run *run, int field, int age, const box *range, void *memory)
{
    executor *e = run->part->executor;
    copying c = {.memory = memory, .points = *range};

    if (has_boxes(run))
        return e->ops.read_box(e, field, run->part->view[field][1 + age], range, memory);
    TRY(run_host_box(run, field, -age, range, &c.v));
    if (!c.v)
        return PAV_OK;
    c.type = c.v->type;
    copy_points(run, &c);
    return PAV_OK;
}

pav_status run_bring_box(pav_run *run, int field, int age, const box *range, void *memory)
{
    executor *e = run->part->executor;
    copying c = {.memory = memory, .into = true, .points = *range};

    if (has_boxes(run))
        return e->ops.write_box(e, field, run->part->view[field][1 + age], range, memory);
    TRY(run_host_view(run, field, -age, HOST_CHANGE, &c.v));
    if (!c.v)
        return PAV_OK;
    c.type = c.v->type;
    copy_points(run, &c);
    return PAV_OK;
}

pav_status run_fill_border(pav_run *run, int field, int age)
{
    TRY(subdomain_fill_border(run->part, field, -age, run->part->step - age));
    subdomain_set_time(run->part, run->part->step);
    return PAV_OK;
}

pav_status run_bring_points(pav_run *run, int field, int age, pav_type type, void *memory)
{
    copying c = {.type = type, .memory = memory, .into = true};

    TRY(run_host_view(run, field, -age, HOST_CHANGE, &c.v));
    if (!c.v)
        return PAV_OK;
    c.points = view_points(c.v);
    copy_points(run, &c);
    return run_fill_border(run, field, age);
}

/* ---- where the fields are ---------------------------------------------------------- */

int64_t run_memory_there(const pav_run *run, int concurrent)
{
    if (run->cut.is_cut || run->outofcore || !run_uses_device_memory(run))
        return 0;
    return place_free_memory(run_place(run), concurrent);
}

pav_status run_take_there(pav_run *run, int64_t bytes, void **memory)
{
    executor *e = run->part->executor;

    return e->ops.take_memory(e, bytes, memory);
}

void run_release_there(pav_run *run, void *memory)
{
    executor *e = run->part->executor;

    e->ops.release_memory(e, memory);
}

pav_status run_keep_there(pav_run *run, int field, int age, const box *range,
                          void *memory)
{
    executor *e = run->part->executor;

    return e->ops.keep_points(e, field, run->part->view[field][1 + age], range, memory);
}

pav_status run_bring_there(pav_run *run, int field, int age, const box *range,
                           void *memory)
{
    executor *e = run->part->executor;

    TRY(e->ops.bring_points(e, field, run->part->view[field][1 + age], range, memory));
    return range ? PAV_OK : run_fill_border(run, field, age);
}
