/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits the share of each GPU to its memory, with halos counted; the host takes the
 * remaining planes. */
#include <math.h>

#include "run/hybrid/hybrid_private.h"

/* The shape of a field in a box with a neighbour on each side (subdomain_shape). */
static field_shape shape_of(const pav_run *run, const ir_field *f, int64_t planes)
{
    const ir *code = run->code;
    const int axis = code->dim - 1;
    const int64_t all = points_along(code, axis, false);
    const halo_depth d = halo_depth_of(code, f - code->field);
    field_shape shape = run_shape_of(run, f);
    shape.line = GPU_LINE;
    shape.extent[axis] = (shape.extent[axis] * planes + all - 1) / all;
    for (int side = 0; side < 2; side++) {
        shape.halo[axis][side] = int_most(shape.halo[axis][side], d.side[axis][side]);
        for (int other = 0; other < 2; other++)
            shape.room[other] += subdomain_least_width(code, other);
    }
    return shape;
}

static bool bytes_of(const pav_run *run, int64_t planes, int64_t *bytes)
{
    return run_fields_bytes(run, shape_of, planes, bytes) &&
           add_fits(*bytes, subdomain_table_bytes(run->code), bytes);
}

static int64_t all_planes(const pav_run *run)
{
    return points_along(run->code, run->code->dim - 1, false);
}

int64_t hybrid_most_planes(const pav_run *run, int number)
{
    const int64_t limit = run->place[number].memory;
    const int64_t all = all_planes(run);
    return limit == 0 ? all : run_most_planes(run, bytes_of, all, limit);
}

bool hybrid_holds_all(const pav_run *run, int number)
{
    return hybrid_most_planes(run, number) == all_planes(run);
}

/* ---- shares that fit --------------------------------------------------------------- */

static double sum_of(const double *value, int count)
{
    double sum = 0;
    for (int n = 0; n < count; n++)
        sum += value[n];
    return sum;
}

/* Gives the excess of full places to places with room, by their weights. *less: some
 * place had too much. */
static void move_excess(const pav_run *run, const double *weight, double *planes,
                        bool *less)
{
    double excess = 0, others = 0;
    for (int n = 0; n < run->places; n++) {
        const double most = (double)hybrid_most_planes(run, n);
        if (planes[n] < most)
            others += weight[n];
        if (planes[n] <= most)
            continue;
        excess += planes[n] - most;
        planes[n] = most;
        *less = true;
    }
    for (int n = 0; n < run->places && others > 0 && excess > 0; n++)
        if (planes[n] < (double)hybrid_most_planes(run, n))
            planes[n] += excess * weight[n] / others;
}

/* Rounds to whole planes with the right sum; the remainder goes to places with room. */
static void make_whole(const pav_run *run, double *planes)
{
    double left = (double)all_planes(run);
    for (int n = 0; n < run->places; n++) {
        planes[n] = floor(planes[n]);
        left -= planes[n];
    }
    for (int n = 0; n < run->places && left > 0; n++) {
        const double room = (double)hybrid_most_planes(run, n) - planes[n];
        const double more = room < left ? room : left;
        planes[n] += more;
        left -= more;
    }
}

static bool have_room(const pav_run *run)
{
    double all = 0;
    for (int n = 0; n < run->places; n++)
        all += (double)hybrid_most_planes(run, n);
    return all >= (double)all_planes(run);
}

/* If all places together have too little room, run_check_memory refuses the run later. */
pav_status hybrid_fit(pav_run *run, bool *less)
{
    double *planes = mem_new(run->places, sizeof *planes);
    const double all = sum_of(run->cut.share, run->places);
    bool again = true;
    *less = false;
    if (!planes)
        return PAV_ENOMEM;
    for (int n = 0; n < run->places; n++)
        planes[n] = run->cut.share[n] / all * (double)all_planes(run);
    for (int n = 0; n < run->places && again && have_room(run); n++) {
        again = false;
        move_excess(run, run->cut.share, planes, &again);
        *less = *less || again;
    }
    if (*less) {
        make_whole(run, planes);
        for (int n = 0; n < run->places; n++)
            run->cut.share[n] = planes[n];
    }
    mem_free(planes);
    return PAV_OK;
}
