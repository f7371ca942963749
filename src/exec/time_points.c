/* SPDX-License-Identifier: BSD-3-Clause */
/* Points off the grid in a time block: the neighbours of sources and receivers, found by
 * tile. What is added at one point is added in the order of the positions, and points do
 * not mind each other. */
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"

static int compare(const time_point *a, const time_point *b, int axis)
{
    if (a->point[axis] != b->point[axis])
        return a->point[axis] < b->point[axis] ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
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

static void sort(time_points_list *m, int axis)
{
    static int (*const order[MAX_DIM])(const void *, const void *) = {along_x, along_y,
                                                                      along_z};
    qsort(m->mark, (size_t)m->count, sizeof *m->mark, order[axis]);
}

static pav_status make_room(const point_set *set, time_points_list *m)
{
    *m = (time_points_list){0};
    m->mark = mem_new(set->neighbours + 1, sizeof *m->mark);
    return m->mark ? PAV_OK : PAV_ENOMEM;
}

static void add(const point_set *set, int64_t number, time_points_list *m)
{
    time_point *mark = &m->mark[m->count++];
    *mark = (time_point){.number = number,
                         .row = set->trace.value ? point_row(set, number) : 0,
                         .weight = set->weight[number]};
    memcpy(mark->point, set->index[number], sizeof mark->point);
}

/* Whether a ghost may be a copy of the point. */
static bool is_near_face(const ir_field *f, const int64_t *point)
{
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int *halo = f->halo[axis];
        const int64_t inside = halo[0] > halo[1] ? halo[0] : halo[1];
        if (inside > 0 &&
            (point[axis] <= inside || point[axis] >= f->extent[axis] - 1 - inside))
            return true;
    }
    return false;
}

pav_status marks_of_injection(const subdomain *part, int64_t index, int axis,
                              time_points_list *result)
{
    const point_set *set = &part->injection[index];
    const int field = part->code->injections.item[index].field;
    TRY(make_room(set, result));
    for (int64_t k = 0; k < set->neighbours; k++) {
        if (subdomain_point_is_fixed(part, field, set->index[k]))
            continue;
        add(set, k, result);
        result->near_face |= is_near_face(&part->code->field[field], set->index[k]);
    }
    sort(result, axis);
    return PAV_OK;
}

pav_status marks_of_sample(const point_set *set, int axis, time_points_list *result)
{
    TRY(make_room(set, result));
    for (int64_t k = 0; k < set->neighbours; k++)
        add(set, k, result);
    sort(result, axis);
    return PAV_OK;
}

void marks_close(time_points_list *m)
{
    mem_free(m->mark);
    *m = (time_points_list){0};
}

/* The first that does not lie before. */
static int64_t first_from(const time_points_list *m, int axis, int64_t at)
{
    int64_t lo = 0, hi = m->count;
    while (lo < hi) {
        const int64_t middle = lo + (hi - lo) / 2;
        if (m->mark[middle].point[axis] < at)
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

pav_status marks_within(const time_points_list *m, int axis, const box *b,
                        mark_visit *visit, void *user)
{
    for (int64_t k = first_from(m, axis, b->lo[axis]);
         k < m->count && m->mark[k].point[axis] < b->hi[axis]; k++)
        if (is_inside(b, m->mark[k].point))
            TRY(visit(user, &m->mark[k]));
    return PAV_OK;
}

typedef struct reading {
    const view *view;
    double *value;
} reading;

static pav_status read_one(void *user, const time_point *mark)
{
    const reading *r = user;
    const int64_t *at = mark->point;
    const char *data = r->view->data;
    const int64_t size = (int64_t)pav_type_size(r->view->type);
    r->value[mark->number] = type_load(
        r->view->type, data + view_index(r->view, at[0], at[1], at[2]) * size);
    return PAV_OK;
}

pav_status marks_values(const time_points_list *m, int axis, const box *b, const view *v,
                        double *value)
{
    reading r = {v, value};
    return marks_within(m, axis, b, read_one, &r);
}
