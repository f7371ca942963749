/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources and receivers: places, times, weights, and the amounts added or read at a step.
 * All executors, time tiles and the window out of core use these functions. Neighbours of
 * a position have a fixed order, so sums are bitwise identical everywhere. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"

/* ---- sources ----------------------------------------------------------------------- */

/* The weight times the factor of position `row` at a step: 1 without traces, 0 behind
 * their end. One trace serves all positions, or each has its own. */
double source_amount(const point_set *set, double weight, int64_t row, int64_t step)
{
    const trace_table *t = &set->trace;
    if (!t->value)
        return weight;
    /* Rows of a trace are steps of the run; columns are positions, or one column serves
     * all. */
    assert(step >= 0 && row >= 0);
    assert(t->columns == 1 || row < t->columns); /* one column, or one each */
    return weight * (step < t->rows
                         ? t->value[step * t->columns + (t->columns > 1 ? row : 0)]
                         : 0);
}

int source_stage(const ir_event *event)
{
    return event->list.stage[event->list.count - 1];
}

pav_status subdomain_source_numbers(subdomain *part, int64_t index)
{
    const ir_list *list = &part->code->injections.item[index].list;
    for (int64_t n = 0; n + 1 < list->count; n++)
        TRY(subdomain_stage(part, list->stage[n], NULL));
    return PAV_OK;
}

static bool is_masked(const subdomain *part, const ir_field *f, const int64_t *point)
{
    for (int k = 0; k < f->masks; k++) {
        const view *mask = NULL;
        (void)subdomain_host_view(part, f->mask[k], 0, HOST_READ, NULL,
                                  &mask); /* bring_masks was called */
        if (*(const uint8_t *)view_at(mask, point[0], point[1], point[2]) == 0)
            return true;
    }
    return false;
}

/* True if a border or a mask prescribes the point: an injection adds nothing to it. */
static bool point_is_fixed(const subdomain *part, int field, const int64_t *point)
{
    return point_is_given(part->code, field, point) ||
           is_masked(part, &part->code->field[field], point);
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
            if (point_is_fixed(part, event->field, set->index[k]))
                continue;
            const box here = point_box(set->index[k]);
            part->uniform[event->weight] = source_amount(set, set->weight[k], row,
                                                         part->step);
            TRY(subdomain_stage(part, source_stage(event), &here));
        }
    return PAV_OK;
}

/* ---- receivers --------------------------------------------------------------------- */

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

/* ---- points sorted by place -------------------------------------------------------- */

/* Neighbours of sources and receivers sorted by place, for time tiles and for windows out
 * of core: they need the work of a step within a box. Additions at one point keep the
 * order of the positions; different points are independent. */

static int compare(const placed_point *a, const placed_point *b, int axis)
{
    return a->point[axis] != b->point[axis] ? int_compare(a->point[axis], b->point[axis])
                                            : int_compare(a->number, b->number);
}

static int along_x(const void *a, const void *b)
{
    return compare(a, b, 0);
}

static int along_y(const void *a, const void *b)
{
    return compare(a, b, 1);
}

static int along_z(const void *a, const void *b)
{
    return compare(a, b, 2);
}

static void sort(placed_points *m, int axis)
{
    static int (*const order[MAX_DIM])(const void *, const void *) = {along_x, along_y,
                                                                      along_z};
    qsort(m->item, (size_t)m->count, sizeof *m->item, order[axis]);
    m->axis = axis;
    for (int64_t k = 1; k < m->count; k++) /* searches rely on this order */
        assert(compare(&m->item[k - 1], &m->item[k], axis) < 0);
}

/* The position of a neighbour. */
static int64_t row_of(const point_set *set, int64_t neighbour)
{
    int64_t lo = 0, hi = set->count;

    while (lo + 1 < hi) {
        const int64_t middle = lo + (hi - lo) / 2;
        if (set->first[middle] <= neighbour)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

static pav_status make_room(const point_set *set, placed_points *m)
{
    *m = (placed_points){0};
    m->item = mem_new(set->neighbours + 1, sizeof *m->item);
    return m->item ? PAV_OK : PAV_ENOMEM;
}

static void add(const point_set *set, int64_t number, placed_points *m)
{
    placed_point *p = &m->item[m->count++];
    *p = (placed_point){.number = number,
                        .row = set->trace.value ? row_of(set, number) : 0,
                        .weight = set->weight[number]};
    memcpy(p->point, set->index[number], sizeof p->point);
}

/* True if a ghost may be a copy of the point. */
static bool is_near_face(const ir_field *f, const int64_t *point)
{
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int64_t inside = ir_halo_of(f, axis);
        if (inside > 0 &&
            (point[axis] <= inside || point[axis] >= f->extent[axis] - 1 - inside))
            return true;
    }
    return false;
}

pav_status placed_of_source(const subdomain *part, int64_t index, int axis,
                            placed_points *result)
{
    const point_set *set = &part->injection[index];
    const int field = part->code->injections.item[index].field;
    TRY(make_room(set, result));
    for (int64_t k = 0; k < set->neighbours; k++) {
        if (point_is_fixed(part, field, set->index[k]))
            continue;
        add(set, k, result);
        result->near_face |= is_near_face(&part->code->field[field], set->index[k]);
    }
    sort(result, axis);
    return PAV_OK;
}

pav_status placed_of_sample(const point_set *set, int axis, placed_points *result)
{
    TRY(make_room(set, result));
    for (int64_t k = 0; k < set->neighbours; k++)
        add(set, k, result);
    sort(result, axis);
    return PAV_OK;
}

void placed_close(placed_points *m)
{
    mem_free(m->item);
    *m = (placed_points){0};
}

/* First item at or beyond `at`. */
static int64_t first_from(const placed_points *m, int64_t at)
{
    int64_t lo = 0, hi = m->count;
    /* The list is sorted along the axis of the search. */
    assert(hi == 0 || m->item[0].point[m->axis] <= m->item[hi - 1].point[m->axis]);
    while (lo < hi) {
        const int64_t middle = lo + (hi - lo) / 2;
        if (m->item[middle].point[m->axis] < at)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static bool is_inside(const box *b, const int64_t *point)
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        if (point[axis] < b->lo[axis] || point[axis] >= b->hi[axis])
            return false;
    return true;
}

/* The next point within the box, after item k; k is -1 at first. NULL: there is none. */
static const placed_point *next_within(const placed_points *m, const box *b, int64_t *k)
{
    const int axis = m->axis;
    *k = *k < 0 ? first_from(m, b->lo[axis]) : *k + 1;
    while (*k < m->count && m->item[*k].point[axis] < b->hi[axis] &&
           !is_inside(b, m->item[*k].point))
        ++*k;
    return *k < m->count && m->item[*k].point[axis] < b->hi[axis] ? &m->item[*k] : NULL;
}

pav_status sources_within(const point_set *set, const placed_points *m, const box *b,
                          int64_t step, source_visit *add_it, void *user)
{
    const placed_point *p;
    for (int64_t k = -1; (p = next_within(m, b, &k)) != NULL;) {
        const box here = point_box(p->point);
        TRY(add_it(user, source_amount(set, p->weight, p->row, step), &here));
    }
    return PAV_OK;
}

pav_status placed_box(const placed_points *m, const box *b, box *around)
{
    const placed_point *p;
    *around = (box){{0}, {0}};
    for (int64_t k = -1; (p = next_within(m, b, &k)) != NULL;)
        box_add_point(around, p->point);
    return PAV_OK;
}

pav_status placed_values(const placed_points *m, const box *b, const view *v,
                         double *value)
{
    const placed_point *p;
    for (int64_t k = -1; (p = next_within(m, b, &k)) != NULL;)
        value[p->number] = point_value(v, p->point);
    return PAV_OK;
}
