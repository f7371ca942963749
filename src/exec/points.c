/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources and receivers: places, times, weights, and the amounts added or read at a step.
 * All executors, time tiles and the window out of core use these functions. Neighbours of
 * a position have a fixed order, so sums are bitwise identical everywhere. */
#include <assert.h>

#include "exec/exec_private.h"

box point_box(const int64_t *point)
{
    box here;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        here.lo[axis] = point[axis];
        here.hi[axis] = point[axis] + 1;
    }
    return here;
}

void box_add_point(box *b, const int64_t *point)
{
    const bool first = box_is_empty(b);
    for (int axis = 0; axis < MAX_DIM; axis++) {
        if (first || point[axis] < b->lo[axis])
            b->lo[axis] = point[axis];
        if (first || point[axis] >= b->hi[axis])
            b->hi[axis] = point[axis] + 1;
    }
}

/* ---- sources ----------------------------------------------------------------------- */

/* Factor of position `row` at a step: 1 without traces, 0 behind their end. One trace
 * serves all positions, or each has its own. */
static double signal_at(const point_set *set, int64_t row, int64_t step)
{
    const trace_table *t = &set->trace;

    if (!t->value)
        return 1;
    /* Rows of a trace are steps of the run; columns are positions, or one column serves
     * all. */
    assert(step >= 0 && row >= 0);
    assert(t->columns == 1 || row < t->columns);
    return step < t->rows ? t->value[step * t->columns + (t->columns > 1 ? row : 0)] : 0;
}

double source_amount(const point_set *set, double weight, int64_t row, int64_t step)
{
    return weight * signal_at(set, row, step);
}

int source_stage(const ir_event *event)
{
    return event->list.stage[event->list.count - 1];
}

pav_status subdomain_inject_each(subdomain *part, int64_t index)
{
    const ir_event *event = &part->code->injections.item[index];
    const point_set *set = &part->injection[index];
    TRY(subdomain_bring_masks(part, event->field));
    /* every neighbour has one position */
    assert(set->first[set->count] == set->neighbours);
    for (int64_t row = 0; row < set->count; row++)
        for (int64_t k = set->first[row]; k < set->first[row + 1]; k++) {
            if (subdomain_point_is_fixed(part, event->field, set->index[k]))
                continue;
            const box here = point_box(set->index[k]);
            part->uniform[event->weight] = source_amount(set, set->weight[k], row,
                                                         part->step);
            TRY(subdomain_stage(part, source_stage(event), &here));
        }
    return PAV_OK;
}

/* ---- receivers --------------------------------------------------------------------- */

bool sample_is_due(const statement *sample, int64_t step)
{
    return step % (sample->every_steps > 0 ? sample->every_steps : 1) == 0;
}

double point_value(const view *v, const int64_t *point)
{
    return type_load(v->type, view_at(v, point[0], point[1], point[2]));
}

void sample_row(const point_set *set, const double *value, double *row)
{
    for (int64_t n = 0; n < set->count; n++) {
        row[n] = 0;
        for (int64_t k = set->first[n]; k < set->first[n + 1]; k++)
            row[n] += set->weight[k] * value[k];
    }
}

void sample_view(const point_set *set, const view *v, double *row)
{
    for (int64_t n = 0; n < set->count; n++) {
        row[n] = 0;
        for (int64_t k = set->first[n]; k < set->first[n + 1]; k++)
            row[n] += set->weight[k] * point_value(v, set->index[k]);
    }
}
