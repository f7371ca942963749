/* SPDX-License-Identifier: BSD-3-Clause */
/* Before the first step: whether receivers lie in an absorbing layer, where waves are not
 * those of the medium. */
#include "run/run_private.h"

/* How many cells of a layer lie between a position and the layer's inner edge, along one
 * axis; 0: it is outside. */
static double depth_along(const program *p, const symbol *field, int axis,
                          double coordinate)
{
    const axis_grid *g = &p->axis[axis];
    const double at = (coordinate - num_f64(g->origin)) / num_f64(g->step);
    double most = 0;

    for (int side = 0; side < 2; side++) {
        const statement *rule = field_border(p, field, axis, side);
        if (!rule || rule->kind != STATEMENT_ABSORB)
            continue;
        const double from_face = side ? (double)(g->points - 1) - at : at;
        const double depth = (double)rule->cell_count - from_face;
        most = depth > most ? depth : most;
    }
    return most;
}

static void look(pav_run *run, const recorder *r)
{
    const program *p = run->program;
    const statement *s = r->statement;
    int64_t within = 0;
    double deepest = 0;

    for (int64_t k = 0; k < r->points.count; k++) {
        double depth = 0;
        for (int axis = 0; axis < p->dim; axis++) {
            const double own = depth_along(p, s->symbol, axis,
                                           r->points.position[k * run->code->dim + axis]);
            depth = own > depth ? own : depth;
        }
        within += depth > 1e-6;
        deepest = depth > deepest ? depth : deepest;
    }
    if (within > 0)
        exec_warn(&run->client,
                  "%s:%d: %lld of %lld receivers lie in the absorbing layer, up to %.3g "
                  "cells deep, where the wave is damped: move them inwards, or let the "
                  "grid go on beyond them",
                  p->name, s->at.line, (long long)within, (long long)r->points.count,
                  deepest);
}

void run_check_receivers(pav_run *run)
{
    for (int64_t k = 0; k < run->recorders; k++) {
        const recorder *r = &run->recorder[k];
        const statement *s = r->statement;
        if (s->kind == STATEMENT_SAMPLE && s->symbol && !s->symbol->coarse &&
            !(s->gather && s->of > 0) && r->points.position)
            look(run, r);
    }
}
