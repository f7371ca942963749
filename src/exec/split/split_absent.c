/* SPDX-License-Identifier: BSD-3-Clause */
/* Stand-in executor for a subdomain of another rank. All ranks take the same steps over
 * the same subdomains. Here nothing is computed, but field shapes are known, so all ranks
 * agree on every exchange. */
#include "exec/split/split_private.h"

/* Levels have shapes without memory: these pointers are never followed. */
static char nowhere[1];

static pav_status nothing(executor *self)
{
    (void)self;
    return PAV_OK;
}

static pav_status stage(executor *self, const interp_args *args)
{
    (void)self, (void)args;
    return PAV_OK;
}

static const char *no_schedule(const executor *self)
{
    (void)self;
    return "";
}

static pav_status take_field(executor *self, int64_t field, const field_shape *shape,
                             progress_sink *progress)
{
    (void)progress;
    return levels_at(shape, nowhere, &self->part->field[field]);
}

static pav_status copy_points(executor *self, int field, const view *to, const view *from,
                              progress_sink *progress)
{
    (void)self, (void)field, (void)to, (void)from, (void)progress;
    return PAV_OK;
}

static pav_status find_not_finite(executor *self, int field, const view *v,
                                  const box *range, int64_t *point, bool *any)
{
    (void)self, (void)field, (void)v, (void)range, (void)point;
    *any = false;
    return PAV_OK;
}

static pav_status fill_axes(executor *self, int field, const view *v, int axis, int end)
{
    (void)self, (void)field, (void)v, (void)axis, (void)end;
    return PAV_OK;
}

static pav_status copy_ghosts(executor *self, int field, const view *v, int axis,
                              ghost_sides sides, const box *range)
{
    (void)self, (void)field, (void)v, (void)axis, (void)sides, (void)range;
    return PAV_OK;
}

static pav_status inject(executor *self, int64_t index)
{
    (void)self, (void)index;
    return PAV_OK;
}

pav_status exec_absent_open(subdomain *part, executor **result)
{
    executor *e = mem_new(1, sizeof *e);
    *result = e;
    if (!e)
        return PAV_ENOMEM;
    *e = (executor){.ops = executor_host_ops, .part = part, .absent = true};
    e->ops.stage = stage;
    e->ops.schedule = no_schedule;
    e->ops.take_field = take_field;
    e->ops.copy_points = copy_points;
    e->ops.find_not_finite = find_not_finite;
    e->ops.fill_axes = fill_axes;
    e->ops.end_borders = nothing;
    e->ops.copy_ghosts = copy_ghosts;
    e->ops.inject = inject;
    return PAV_OK;
}
