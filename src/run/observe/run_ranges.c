/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranges of a field's values. Each part of a run reads its own points and ranks join
 * their results, so that no buffer has the size of the whole grid. */
#include <math.h>

#include "run/run_private.h"

pav_status run_visit_points(pav_run *run, int field, const part_visit *visit)
{
    const view *v = run->part->view[field][1];

    if (!v)
        return PAV_OK;
    const box all = view_points(v);
    if (run->cut.is_cut)
        return exec_split_read(run->part, field, 0, &all, visit);
    TRY(run_host_view(run, field, 0, HOST_READ, &v));
    return visit->part(visit->user, v, &all);
}

pav_status run_join_ranks(pav_run *run, void *own, int64_t bytes, run_joining *join)
{
    const int count = ranks_count(run->part->ranks);
    char *all = mem_new(count, (size_t)bytes);
    const pav_status status = all ? ranks_gather(run->part->ranks, own, bytes, all)
                                  : PAV_ENOMEM;

    for (int n = 0; status == PAV_OK && n < count; n++)
        join(own, all + n * bytes);
    mem_free(all);
    return status;
}

/* ---- the least and the largest ----------------------------------------------------- */

typedef struct range {
    double least, most;
} range;

typedef struct ranging {
    host_team *team;
    range all;
    const view *v; /* of the present part */
    box points;
    int axis, parts;
    double least[PAV_MAX_THREADS], most[PAV_MAX_THREADS]; /* of each thread */
} ranging;

/* Independent lanes: the comparisons of one lane need not wait for another. */
static void range_of_row(const double *value, int64_t count, double *least, double *most)
{
    enum { LANES = 8 };
    double low[LANES], high[LANES];

    for (int k = 0; k < LANES; k++) {
        low[k] = *least;
        high[k] = *most;
    }
    for (int64_t i = 0; i + LANES <= count; i += LANES)
        for (int k = 0; k < LANES; k++) {
            low[k] = value[i + k] < low[k] ? value[i + k] : low[k];
            high[k] = value[i + k] > high[k] ? value[i + k] : high[k];
        }
    for (int64_t i = count / LANES * LANES; i < count; i++) {
        low[0] = value[i] < low[0] ? value[i] : low[0];
        high[0] = value[i] > high[0] ? value[i] : high[0];
    }
    for (int k = 0; k < LANES; k++) {
        *least = low[k] < *least ? low[k] : *least;
        *most = high[k] > *most ? high[k] : *most;
    }
}

static void range_part(void *argument, int64_t n)
{
    enum { PIECE = 512 };
    ranging *r = argument;
    double value[PIECE];
    box part;

    if (!partition_box(&r->points, r->axis, r->parts, n, &part))
        return;
    for (int64_t k = part.lo[2]; k < part.hi[2]; k++)
        for (int64_t j = part.lo[1]; j < part.hi[1]; j++)
            for (int64_t i = part.lo[0]; i < part.hi[0]; i += PIECE) {
                const int64_t left = part.hi[0] - i, count = left < PIECE ? left : PIECE;
                const box piece = {{i, j, k}, {i + count, j + 1, k + 1}};
                view_read_box(r->v, &piece, PAV_F64, value);
                range_of_row(value, count, &r->least[n], &r->most[n]);
            }
}

static pav_status range_of_part(void *user, const view *v, const box *b)
{
    ranging *r = user;

    r->v = v;
    r->points = *b;
    r->axis = partition_axis(b, r->parts);
    for (int k = 0; k < r->parts; k++) {
        r->least[k] = INFINITY;
        r->most[k] = -INFINITY;
    }
    host_team_run(r->team, r->parts, range_part, r);
    for (int k = 0; k < r->parts; k++) {
        r->all.least = fmin(r->all.least, r->least[k]);
        r->all.most = fmax(r->all.most, r->most[k]);
    }
    return PAV_OK;
}

static void join_ranges(void *own, const void *other)
{
    range *a = own;
    const range *b = other;

    a->least = fmin(a->least, b->least);
    a->most = fmax(a->most, b->most);
}

pav_status run_field_range(pav_run *run, int field, double *least, double *most)
{
    ranging r = {.team = run->team.all,
                 .parts = host_team_threads(run->team.all),
                 .all = {INFINITY, -INFINITY}};
    const part_visit visit = {range_of_part, &r};

    TRY(run_visit_points(run, field, &visit));
    TRY(run_join_ranks(run, &r.all, sizeof r.all, join_ranges));
    *least = r.all.least;
    *most = r.all.most;
    return PAV_OK;
}
