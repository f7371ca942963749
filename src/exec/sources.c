/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources and receivers: what is added at points, and what is read there. The neighbours
 * of a position are taken in a fixed order, so that the sums have the same bits
 * everywhere. */
#include "exec/exec_private.h"

static pav_status inject_at(subdomain *part, const ir_event *event, const int64_t *point)
{
    box here;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        here.lo[axis] = point[axis];
        here.hi[axis] = point[axis] + 1;
    }
    return subdomain_stage(part, event->list.stage[event->list.count - 1], &here);
}

pav_status subdomain_inject_each(subdomain *part, int64_t index)
{
    const ir_event *event = &part->code->injections.item[index];
    const point_set *set = &part->injection[index];
    TRY(subdomain_bring_masks(part, event->field));
    for (int64_t row = 0; row < set->count; row++) {
        const double signal = point_signal(set, row, part->step);
        for (int64_t k = set->first[row]; k < set->first[row + 1]; k++) {
            if (subdomain_point_is_fixed(part, event->field, set->index[k]))
                continue;
            part->uniform[event->weight] = set->weight[k] * signal;
            TRY(inject_at(part, event, set->index[k]));
        }
    }
    return PAV_OK;
}

double points_value(const view *v, const point_set *set, int64_t row)
{
    const int64_t size = (int64_t)pav_type_size(v->type);
    double sum = 0;
    for (int64_t k = set->first[row]; k < set->first[row + 1]; k++) {
        const int64_t *p = set->index[k];
        const char *point = (const char *)v->data +
                            view_index(v, p[0], p[1], p[2]) * size;
        sum += set->weight[k] * type_load(v->type, point);
    }
    return sum;
}
