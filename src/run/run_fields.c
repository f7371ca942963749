/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of a run: levels of every field of the IR, tables along the axes, uniform slots. The
 * views are refreshed after every rotation, so that view[field][1 - level] always names the level. */
#include "run/gpu/gpu_private.h"

/* Bytes of which rows are whole multiples; 0: as is usual on the host. */
static int64_t line_of(const pav_run *run, const ir_field *f)
{
    emit_gpu_schedule s;
    if (!run->gpu)
        return 0;
    const bool requested = emit_gpu_schedule_find(run->options.schedule, &s) == PAV_OK &&
                           s.plain;
    return requested || run->plain ? (int64_t)pav_type_size(f->storage) : GPU_LINE;
}

field_shape run_shape_of(const pav_run *run, const ir_field *f)
{
    field_shape shape = {.type = f->storage,
                         .dimensions = run->code->dim,
                         .count = gpu_fused_buffers(f, run->passes),
                         .line = line_of(run, f)};
    for (int axis = 0; axis < MAX_DIM; axis++) {
        shape.extent[axis] = f->extent[axis];
        shape.halo[axis][0] = f->halo[axis][0];
        shape.halo[axis][1] = f->halo[axis][1];
    }
    return shape;
}

/* Doubles of a table, with those in front of it and behind it that kernels may load. */
int64_t run_table_count(const ir *code, const ir_table *table)
{
    const int64_t slack = LEVELS_SLACK / (int64_t)sizeof(double);
    return points_along(code, table->axis, table->coarse) + table->margin[0] +
           table->margin[1] + 2 * slack;
}

int64_t run_table_bytes(const ir *code)
{
    int64_t count = 0;
    for (int64_t k = 0; k < code->tables; k++)
        count += run_table_count(code, &code->table[k]);
    return count * (int64_t)sizeof(double);
}

static int64_t levels_work(const ir_field *f)
{
    return f->levels * f->extent[0] * f->extent[1] * f->extent[2];
}

static pav_status take_levels(pav_run *run, int64_t f)
{
    const field_shape shape = run_shape_of(run, &run->code->field[f]);
    if (run->gpu)
        return mirrors_new(run->gpu, f, &shape);
    return levels_new(&shape, run->team, &run->setup, &run->field[f]);
}

static pav_status allocate_levels(pav_run *run)
{
    const ir *code = run->code;
    run->field = mem_new(code->fields + 1, sizeof *run->field);
    run->kept = mem_new(code->fields + 1, sizeof *run->kept);
    run->written = mem_new(code->fields + 1, sizeof *run->written);
    if (!run->field || !run->kept || !run->written)
        return PAV_ENOMEM;
    int64_t done = 0;
    for (int64_t f = 0; f < code->fields; f++) {
        TRY(run_report_setup(run, "taking memory for", code->field[f].name, done));
        TRY(take_levels(run, f));
        done += levels_work(&code->field[f]);
    }
    run->setup_done = done;
    return PAV_OK;
}

/* One pointer for each level +1, 0, -1, ... of each field; level +1 stays NULL where a field is never
 * updated. Between steps the buffer that the next step will write still holds the oldest level: the
 * last slot of an updated field names it so. */
static int slots_of(const ir_field *f)
{
    return f->levels + 1;
}

static pav_status allocate_views(pav_run *run)
{
    const ir *code = run->code;
    int64_t slots = 1;
    for (int64_t f = 0; f < code->fields; f++)
        slots += slots_of(&code->field[f]);
    run->views = mem_new(slots, sizeof *run->views);
    run->view = mem_new(code->fields + 1, sizeof *run->view);
    if (!run->views || !run->view)
        return PAV_ENOMEM;
    const view **next = run->views;
    for (int64_t f = 0; f < code->fields; f++) {
        run->view[f] = next;
        next += slots_of(&code->field[f]);
    }
    return PAV_OK;
}

void run_refresh_views(pav_run *run)
{
    for (int64_t f = 0; f < run->code->fields; f++) {
        const ir_field *field = &run->code->field[f];
        const view **slot = run->views + (run->view[f] - run->views);
        for (int k = 0; k < slots_of(field); k++)
            slot[k] = levels_view(&run->field[f], 1 - k);
        if (field->updated)
            slot[field->levels] = run->field[f].count > field->levels
                                      ? levels_view(&run->field[f], 1 - field->levels)
                                      : slot[0];
    }
}

pav_status run_fill_tables(pav_run *run)
{
    const ir *code = run->code;
    for (int64_t k = 0; k < code->tables; k++) {
        const ir_table *table = &code->table[k];
        const int64_t slack = LEVELS_SLACK / (int64_t)sizeof(double);
        run->table_memory[k] = mem_new(run_table_count(code, table), sizeof(double));
        if (!run->table_memory[k])
            return PAV_ENOMEM;
        run->table[k] = run->table_memory[k] + slack + table->margin[0];
        TRY(interp_table(code, (int)k, run->table_memory[k] + slack));
    }
    return run->gpu ? gpurun_fill_tables(run->gpu) : PAV_OK;
}

static pav_status allocate_uniforms(pav_run *run)
{
    const ir *code = run->code;
    run->uniform = mem_new(code->uniforms + 1, sizeof *run->uniform);
    run->table = mem_new(code->tables + 1, sizeof *run->table);
    run->table_memory = mem_new(code->tables + 1, sizeof *run->table_memory);
    if (!run->uniform || !run->table || !run->table_memory)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < code->uniforms; k++)
        run->uniform[k] = code->uniform[k].value;
    return PAV_OK;
}

pav_status run_allocate(pav_run *run)
{
    for (int64_t f = 0; f < run->code->fields; f++)
        run->setup_points += levels_work(&run->code->field[f]);
    run->setup_points += run->options.restart ? run->setup_points : run_start_work(run);
    TRY(allocate_levels(run));
    TRY(allocate_views(run));
    TRY(allocate_uniforms(run));
    run_refresh_views(run);
    return run->gpu ? gpurun_place_views(run->gpu) : PAV_OK;
}

void run_release(pav_run *run)
{
    for (int64_t f = 0; run->field && f < run->code->fields; f++)
        levels_free(&run->field[f]);
    for (int64_t k = 0; run->table_memory && k < run->code->tables; k++)
        mem_free(run->table_memory[k]);
    mem_free(run->field);
    mem_free(run->kept);
    mem_free(run->written);
    mem_free(run->views);
    mem_free(run->view);
    mem_free(run->table_memory);
    mem_free(run->table);
    mem_free(run->uniform);
}
