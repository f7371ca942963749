/* SPDX-License-Identifier: BSD-3-Clause */
/* Before the first step: warns of sources and receivers in an absorbing layer, because
 * waves there differ from waves in the medium. */
#include "run/plan/needs_private.h"
#include "run/run_private.h"

/* The cells of a layer between a position and the layer's inner edge, along one axis; 0:
 * the position is outside. */
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

/* The deepest position, and the number of positions within a layer. */
typedef struct depths {
    int64_t within, count;
    double deepest;
} depths;

static void add_position(const program *p, const symbol *field, const double *position,
                         depths *d)
{
    double depth = 0;

    for (int axis = 0; axis < p->dim; axis++) {
        const double own = depth_along(p, field, axis, position[axis]);
        depth = own > depth ? own : depth;
    }
    d->count++;
    d->within += depth > 1e-6;
    d->deepest = depth > d->deepest ? depth : d->deepest;
}

static void look(pav_run *run, const statement *s, const point_set *set)
{
    const program *p = run->program;
    depths d = {0};

    for (int64_t k = 0; k < set->count; k++)
        add_position(p, s->symbol, set->position + k * run->code->dim, &d);
    if (d.within > 0)
        exec_warn(&run->client,
                  "%s:%d: %lld of %lld %s lie in the absorbing layer, up to %.3g cells "
                  "deep, where the wave is damped: move them inwards, or let the grid go "
                  "on beyond them",
                  p->name, s->at.line, (long long)d.within, (long long)d.count,
                  s->kind == STATEMENT_INJECT ? "sources" : "receivers", d.deepest);
}

void run_check_positions(pav_run *run)
{
    for (int64_t k = 0; k < run->code->injections.count; k++) {
        const statement *s = run->code->injections.item[k].statement;
        const point_set *set = &run->part->injection[k];
        if (!s->symbol->coarse && set->position)
            look(run, s, set);
    }
    for (int64_t k = 0; k < run->observers.recorders; k++) {
        const recorder *r = &run->observers.recorder[k];
        const statement *s = r->statement;
        if (s->kind == STATEMENT_SAMPLE && s->symbol && !s->symbol->coarse &&
            !(s->gather && s->of > 0) && r->points.position)
            look(run, s, &r->points);
    }
}

/* ---- before a run ------------------------------------------------------------------ */

/* Adds the positions of a list or a line. */
static void add_written(const program *p, const statement *s, depths *d)
{
    const points *l = &s->points;
    const int64_t count = l->line_count ? l->line_points : l->count;

    for (int64_t k = 0; k < count; k++) {
        const double share = count > 1 ? (double)k / (double)(count - 1) : 0;
        double at[MAX_DIM];
        for (int axis = 0; axis < p->dim; axis++) {
            const double from = num_f64(l->value[l->line_count ? 0 : k][axis]);
            const double to = num_f64(l->value[l->line_count ? 1 : k][axis]);
            at[axis] = from + share * (to - from);
        }
        add_position(p, s->symbol, at, d);
    }
}

/* An unreadable file is reported elsewhere, when its size is needed. */
static void add_read(const pav_run *run, const statement *s, depths *d)
{
    double *rows = NULL;
    int64_t count = 0;

    if (points_read(run, s, &rows, &count) != PAV_OK)
        return;
    for (int64_t k = 0; k < count; k++)
        add_position(run->program, s->symbol, rows + k * run->program->dim, d);
    mem_free(rows);
}

void plan_add_layers(const pav_run *run, text *t)
{
    const program *p = run->program;

    for (const statement *s = p->first; s; s = s->next) {
        const bool source = s->kind == STATEMENT_INJECT;
        depths d = {0};
        if ((!source && !sample_is_whole(s)) || s->symbol->coarse)
            continue;
        if (s->points.file)
            add_read(run, s, &d);
        else
            add_written(p, s, &d);
        if (d.within > 0)
            text_add(t,
                     "%-12s %lld of %lld %s of line %d LIE IN THE ABSORBING LAYER, up to "
                     "%.3g cells deep, where the wave is damped\n",
                     "layer", (long long)d.within, (long long)d.count,
                     source ? "sources" : "receivers", s->at.line, d.deepest);
    }
}
