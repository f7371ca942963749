/* SPDX-License-Identifier: BSD-3-Clause */
/* Fused launches within a visit. A launch is one operation, shifted by its radius against
 * the one before. Its output buffers differ from its input buffers, so fields of three
 * levels have four buffers. If a launch is impossible, steps are single ones, with a
 * reason. */
#include <assert.h>
#include <string.h>

#include "run/outofcore/outofcore_private.h"

int outofcore_buffers(const pav_run *run, const ir_field *f)
{
    return field_buffers(f, run->outofcore->depth > 1);
}

/* ---- whether there are any --------------------------------------------------------- */

bool outofcore_asks_for_launch(const pav_run *run)
{
    const outofcore_request *r = &run->outofcore->requested;
    return schedule_fuses_steps(&run->schedule) || r->depth > 1 || r->launch;
}

/* True if launches may cross the end of a periodic axis. There the planes of the last
 * visit are contiguous. All buffers of the first planes return through the store, so it
 * needs as many buffers. Coefficients are excluded, because they would be read before the
 * first plane. */
static bool goes_on(const pav_run *run)
{
    const int axis = run->outofcore->axis;
    bool may = !ir_knows_index(run->code, axis);
    for (int64_t f = 0; f < run->code->fields; f++) {
        const ir_field *field = &run->code->field[f];
        may = may && field->updated && border_wraps(field->border[axis][0].kind) &&
              field_buffers(field, true) == field->levels;
    }
    return may;
}

pav_status outofcore_find_launch(pav_run *run)
{
    outofcore *o = run->outofcore;
    const launch_request r = {
        .blocking = &o->state.blocking,
        .axis = o->axis,
        .depth = o->requested.single ? 1 : o->requested.depth,
        .given = o->requested.launch,
        .injects = true,
        .samples = true,
        .goes_on = goes_on(run),
        .by_model = true,
        .where = "out of core",
    };
    visit_launch found;
    TRY(run_find_launch(run, &r, &found));
    o->depth = found.depth;
    o->radius = found.radius;
    o->ahead = o->state.blocking.periodic[o->axis] ? found.ahead : 0;
    o->begin = o->state.blocking.periodic[o->axis] ? found.radius : 0;
    o->launch = found.launch;
    memcpy(o->why_single, found.why_single, sizeof o->why_single);
    return PAV_OK;
}

/* ---- launches ---------------------------------------------------------------------- */

/* If an unrequested launch cannot be made, the windows still fit single steps. */
static pav_status make_launch(pav_run *run, outofcore *o)
{
    if (o->depth < 2)
        return PAV_OK;
    const pav_status status = place_launch_make(o->executor, &o->launch, o->width,
                                                &o->fused);
    if (status == PAV_OK)
        return place_launch_points(o->executor, o->fused, run->part);
    if (status == PAV_ENOMEM || outofcore_asks_for_launch(run))
        return status;
    exec_note(&run->client, "visits take single steps: %s", pav_message());
    o->depth = 1;
    return PAV_OK;
}

pav_status outofcore_make_launches(pav_run *run)
{
    for (int n = 0; n < run->outofcore->windows; n++) {
        outofcore *o = outofcore_of(run, n);
        o->depth = run->outofcore->depth;
        TRY(make_launch(run, o));
    }
    return PAV_OK;
}

pav_status outofcore_launch(outofcore_block *b, const outofcore_operation *m,
                            const box *where)
{
    const outofcore *o = b->o;
    const bool is_end = b->at.hi == o->extent + o->halo;
    const int64_t first = outofcore_first(b);
    const place_visit v = {.begin = where->lo[o->axis],
                           .end = where->hi[o->axis],
                           .first = first,
                           .last = first + o->planes,
                           .behind = is_end ? o->extent : b->at.hi - o->halo,
                           .goes_on = b->axis.periodic && b->axis.tiles > 1,
                           .numbers = m->numbers};
    assert(v.begin >= v.end || v.first <= v.begin); /* planes of the window */
    return v.begin < v.end ? place_launch_visit(o->executor, o->fused, &v) : PAV_OK;
}
