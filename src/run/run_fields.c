/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of a run's fields, which are taken one by one, so that a long set-up can
 * report how far it is. */
#include <string.h>

#include "run/run_private.h"

/* Kernels for GPUs may count on it that fields of one size have the same strides. */
static void make_room(const pav_run *run, const ir_field *f, field_shape *shape)
{
    for (int64_t n = 0; n < run->part->code->fields; n++) {
        const ir_field *other = &run->part->code->field[n];
        if (memcmp(other->extent, f->extent, sizeof f->extent) != 0 ||
            pav_type_size(other->storage) != pav_type_size(f->storage))
            continue;
        for (int axis = 0; axis < 2; axis++) {
            const int64_t room = other->halo[axis][0] + other->halo[axis][1];
            shape->room[axis] = room > shape->room[axis] ? room : shape->room[axis];
        }
    }
}

field_shape run_shape_of(const pav_run *run, const ir_field *f)
{
    field_shape shape = {.type = f->storage,
                         .dimensions = run->part->code->dim,
                         .count = field_buffers(f, run->part->passes),
                         .line = subdomain_line(run->part, f->storage)};
    for (int axis = 0; axis < MAX_DIM; axis++) {
        shape.extent[axis] = f->extent[axis];
        shape.halo[axis][0] = f->halo[axis][0];
        shape.halo[axis][1] = f->halo[axis][1];
    }
    make_room(run, f, &shape);
    return shape;
}

/* ---- strides that kernels count on ------------------------------------------------- */

static void forget(ir_field *f)
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        f->stride[axis] = 0;
}

static bool is_same(const int64_t a[MAX_DIM], const int64_t b[MAX_DIM])
{
    return a[1] == b[1] && a[2] == b[2];
}

/* Those that all subdomains have. */
static void find_common(const pav_run *run, int64_t field)
{
    ir_field *f = &run->code->field[field];
    const field_shape whole = run_shape_of(run, f);
    for (int64_t n = 0; n < run->part->inners; n++) {
        int64_t own[MAX_DIM];
        const field_shape shape = subdomain_shape(&run->part->inner[n], field, &whole);
        levels_strides(&shape, n > 0 ? own : f->stride);
        if (n > 0 && !is_same(own, f->stride)) {
            forget(f);
            return;
        }
    }
}

void run_fix_strides(pav_run *run)
{
    for (int64_t k = 0; k < run->code->fields; k++)
        forget(&run->code->field[k]);
    if (places_far(run))
        return;
    if (!run->is_cut)
        kernel_strides_of_whole(run->code);
    for (int64_t k = 0; run->is_cut && k < run->code->fields; k++)
        find_common(run, k);
}

/* ---- memory ------------------------------------------------------------------------ */

static int64_t levels_work(const ir_field *f)
{
    return f->levels * f->extent[0] * f->extent[1] * f->extent[2];
}

static pav_status take_levels(pav_run *run, int64_t f)
{
    const field_shape shape = run_shape_of(run, &run->part->code->field[f]);
    executor *e = run->part->executor;
    if (outofcore_is_on_disk(run))
        return outofcore_take_field(run, f);
    return e->ops.take_field(e, f, &shape, &run->setup);
}

static pav_status allocate_levels(pav_run *run)
{
    const ir *code = run->part->code;
    TRY(subdomain_open_fields(run->part));
    run->written = mem_new(code->fields + 1, sizeof *run->written);
    if (!run->written)
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

pav_status run_fill_tables(pav_run *run)
{
    TRY(subdomain_fill_tables(run->part));
    return run->part->executor->ops.fill_tables(run->part->executor);
}

pav_status run_allocate(pav_run *run)
{
    for (int64_t f = 0; f < run->part->code->fields; f++)
        run->setup_points += levels_work(&run->part->code->field[f]);
    run->setup_points += run->options.restart ? run->setup_points : run_start_work(run);
    TRY(allocate_levels(run));
    TRY(subdomain_open_values(run->part));
    return run->part->executor->ops.place_views(run->part->executor);
}

void run_release(pav_run *run)
{
    subdomain_release(run->part);
    mem_free(run->written);
}
