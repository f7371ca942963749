/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations of the executor on a GPU. */
#include "exec/gpu/gpu_private.h"

static pav_status wait(executor *self)
{
    return gpu_wait(gpurun_of(self)->gpu);
}

static pav_status take_field(executor *self, int64_t field, const field_shape *shape,
                             progress_sink *progress)
{
    (void)progress;
    return mirrors_new(gpurun_of(self), field, shape);
}

/* Marks below this one are used by trials. */
enum { FIRST_MARK = 48 };

static pav_status mark(executor *self, int number)
{
    return gpu_mark(gpurun_of(self)->gpu, FIRST_MARK + number);
}

static pav_status between(executor *self, int from, int to, double *seconds)
{
    return gpu_seconds(gpurun_of(self)->gpu, FIRST_MARK + from, FIRST_MARK + to, seconds);
}

static pav_status place_views(executor *self)
{
    return mirrors_place_views(gpurun_of(self));
}

static pav_status fill_tables(executor *self)
{
    return gpurun_fill_tables(gpurun_of(self));
}

static pav_status host_view(executor *self, int64_t field, const view *v, host_use how,
                            const box *range, const view **host)
{
    return mirrors_on_host(gpurun_of(self), field, v, how, range, host);
}

static pav_status copy_points(executor *self, int field, const view *to, const view *from,
                              progress_sink *progress)
{
    (void)progress;
    return gpu_copy_points(gpurun_of(self), field, to, from);
}

static pav_status find_not_finite(executor *self, int field, const view *v,
                                  const box *range, int64_t *point, bool *any)
{
    return gpu_find_not_finite(gpurun_of(self), field, v, range, point, any);
}

/* Benchmarks only: replaces work of the host by arbitrary numbers. */
static pav_status fill_roughly(executor *self, const ir_stage *s, int field,
                               const view *v, bool *done)
{
    *done = emit_gpu_differs(s);
    return *done ? gpu_fill_points(gpurun_of(self), field, v) : PAV_OK;
}

/* Waits, so that the seconds of steps exclude the initial values. */
static pav_status begin(executor *self)
{
    gpurun_of(self)->begun = true;
    TRY(gpu_scalars_upload(gpurun_of(self), self->part->uniform));
    return wait(self);
}

/* A single step reads ghosts left stale by fused launches. */
static pav_status begin_step(executor *self)
{
    return gpurun_of(self)->ghosts_stale ? gpu_fill_borders(gpurun_of(self)) : PAV_OK;
}

static pav_status end_step(executor *self)
{
    return gpurun_step(gpurun_of(self), false);
}

static pav_status end_borders(executor *self)
{
    return gpu_borders_done(gpurun_of(self));
}

static pav_status copy_ghosts(executor *self, int field, const view *v, int axis,
                              ghost_sides sides, const box *range)
{
    for (int side = 0; side < SIDES; side++)
        if (sides.filled[side])
            TRY(gpu_ghosts(gpurun_of(self), field, v, axis, side, sides.map[side],
                           range));
    return PAV_OK;
}

static pav_status advance(executor *self, int64_t most, bool *done)
{
    *done = true;
    return gpu_choice_steps(gpurun_of(self), most);
}

/* ---- reports ----------------------------------------------------------------------- */

static bool is_tuned(const executor *self)
{
    const gpurun *g = (const gpurun *)self;
    return gpu_choice_is_tuned(g) && (g->fused || gpu_stages_are_tuned(self));
}

static const char *schedule_of(const executor *self)
{
    const gpurun *g = (const gpurun *)self;
    return g->fused ? schedule_name(place_launch_what(g->fused)->schedule.kind)
                    : gpu_stages_schedule(self);
}

static void describe(const executor *self, text *t)
{
    const gpurun *g = (const gpurun *)self;
    if (g->fused)
        gpu_fused_string(g, t);
    else
        gpu_tuned_string(g, t);
}

static bool is_persistent(const gpurun *g)
{
    return g->fused && place_launch_what(g->fused)->schedule.kind == SCHEDULE_PERSISTENT;
}

static executor_figures figures_of(const executor *self)
{
    const gpurun *g = (const gpurun *)self;
    return (executor_figures){.name = gpu_facts_of(g->gpu)->name,
                              .crossing = g->fused ? gpu_fused_depth(g) - 1 : 1,
                              .depth = gpu_fused_depth(g),
                              .least = gpu_fused_least(g),
                              .shorter = gpu_fused_short(g),
                              .bytes = g->bytes,
                              .behind = g->behind,
                              .persistent = is_persistent(g)};
}

static pav_status limits(const executor *self, double *bytes, double *seconds)
{
    const gpurun *g = (const gpurun *)self;
    *bytes = *seconds = 0;
    TRY(g->fused ? gpu_fused_bytes(g, bytes) : gpu_tuned_bytes(g, bytes));
    return gpu_tuned_arithmetic(g, seconds);
}

executor_ops gpu_executor_ops(void)
{
    return (executor_ops){
        .stage = gpu_stage_run,
        .tuned = is_tuned,
        .schedule = schedule_of,
        .chosen = gpu_tuned_stage,
        .wait = wait,
        .take_field = take_field,
        .place_views = place_views,
        .fill_tables = fill_tables,
        .host_view = host_view,
        .copy_points = copy_points,
        .copy_box = gpu_copy_box,
        .reads = gpu_executor_reads,
        .read_box = gpu_read_box,
        .write_box = gpu_write_box,
        .concurrent = gpu_concurrent_of,
        .join = gpu_join_with,
        .pack_box = gpu_pack_box,
        .packed = gpu_packed_box,
        .unpack_box = gpu_unpack_box,
        .pass_box = gpu_pass_box,
        .drop_box = gpu_drop_box,
        .mark = mark,
        .between = between,
        .from_host = mirrors_from_host,
        .to_host = mirrors_to_host,
        .take_memory = gpu_kept_take,
        .release_memory = gpu_kept_release,
        .keep_points = gpu_kept_keep,
        .bring_points = gpu_kept_bring,
        .exchange = gpu_exchange_boxes,
        .exchanged = gpu_exchanged_boxes,
        .find_not_finite = find_not_finite,
        .fill_roughly = fill_roughly,
        .begin = begin,
        .begin_step = begin_step,
        .end_step = end_step,
        .fills_borders = gpu_stage_fills,
        .fill_axes = gpu_fill_axes,
        .end_borders = end_borders,
        .copy_ghosts = copy_ghosts,
        .inject = gpu_inject,
        .take_sample = gpu_sample_take,
        .flush_sample = gpu_sample_flush,
        .close_sample = gpu_sample_close,
        .advance = advance,
        .figures = figures_of,
        .describe = describe,
        .limits = limits,
    };
}
