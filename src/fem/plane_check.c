/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks a mesh of triangles before layers are added, and reports the place of each
 * error. Edges are sorted by their ends, so triangles with a common edge become
 * neighbours. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fem/fem.h"

static const double most_coordinate = 1e90; /* its cube is finite */

typedef struct side {
    int32_t low, high, triangle;
    int32_t forward; /* the triangle runs from low to high */
} side;

static int by_ends(const void *a, const void *b)
{
    const side *l = a, *r = b;

    if (l->low != r->low)
        return l->low < r->low ? -1 : 1;
    if (l->high != r->high)
        return l->high < r->high ? -1 : 1;
    return l->triangle < r->triangle ? -1 : l->triangle > r->triangle;
}

static side *make_sides(const plane *p)
{
    side *s = mem_new(3 * p->triangles + 1, sizeof *s);

    for (int64_t k = 0; s && k < 3 * p->triangles; k++) {
        const int32_t a = p->corner[k], b = p->corner[k % 3 == 2 ? k - 2 : k + 1];
        s[k] = (side){a < b ? a : b, a < b ? b : a, (int32_t)(k / 3), a < b};
    }
    if (s)
        qsort(s, (size_t)(3 * p->triangles), sizeof *s, by_ends);
    return s;
}

static bool same_ends(const side *a, const side *b)
{
    return a->low == b->low && a->high == b->high;
}

static pav_status check_numbers(const char *name, const plane *p)
{
    for (int64_t k = 0; k < 3 * p->points; k++)
        if (!(fabs(p->at[k]) <= most_coordinate))
            return FAIL(PAV_EFORMAT,
                        "%s: coordinate %c of point %lld is %g; at most %g is supported",
                        name, (char)('x' + k % 3), (long long)(k / 3), p->at[k],
                        most_coordinate);
    for (const int32_t *c = p->corner; c < p->corner + 3 * p->triangles; c += 3)
        if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0])
            return FAIL(
                PAV_EFORMAT, "%s: triangle %lld has point %d at two of its corners", name,
                (long long)((c - p->corner) / 3), (int)(c[0] == c[1] ? c[0] : c[2]));
    return PAV_OK;
}

static pav_status check_dangling(const char *name, const plane *p)
{
    uint8_t *used = mem_new(p->points + 1, 1);
    int64_t alone = 0, first = -1;

    if (!used)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < 3 * p->triangles; k++)
        used[p->corner[k]] = 1;
    for (int64_t k = p->points - 1; k >= 0; k--)
        if (!used[k]) {
            first = k;
            alone++;
        }
    mem_free(used);
    if (alone == 0)
        return PAV_OK;
    return FAIL(
        PAV_EFORMAT,
        "%s: point %lld (counting from 0) dangles: it belongs to no triangle, as do "
        "%lld of %lld in all; leave them out (Gmsh saves those of physical groups "
        "alone once a physical surface is there)",
        name, (long long)first, (long long)alone, (long long)p->points);
}

static pav_status check_side(const char *name, const side *s, int64_t count)
{
    if (count > 2)
        return FAIL(
            PAV_EFORMAT,
            "%s: the edge from point %d to %d is not manifold: %lld triangles share "
            "it (%d, %d and %d first), two are the most",
            name, (int)s->low, (int)s->high, (long long)count, (int)s->triangle,
            (int)s[1].triangle, (int)s[2].triangle);
    if (count == 2 && s->forward == s[1].forward)
        return FAIL(
            PAV_EFORMAT,
            "%s: triangles %d and %d run the same way along their edge from point %d "
            "to %d, so one of them is inverted: swap two of its corners",
            name, (int)s->triangle, (int)s[1].triangle, (int)s->low, (int)s->high);
    return PAV_OK;
}

static int64_t count_alike(const side *s, const side *end)
{
    int64_t count = 1;

    while (s + count < end && same_ends(s, s + count))
        count++;
    return count;
}

static pav_status check_sides(const char *name, const side *s, const side *end,
                              int64_t *open)
{
    for (*open = 0; s < end;) {
        const int64_t count = count_alike(s, end);
        TRY(check_side(name, s, count));
        *open += count == 1;
        s += count;
    }
    return PAV_OK;
}

/* ---- orientation ------------------------------------------------------------------- */

/* Twice the area, seen from above the layers. */
static double signed_area(const plane *p, const int32_t *c)
{
    const double *a = p->at + 3 * (int64_t)c[0], *b = p->at + 3 * (int64_t)c[1],
                 *d = p->at + 3 * (int64_t)c[2];
    const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]},
                 v[3] = {d[0] - a[0], d[1] - a[1], d[2] - a[2]};
    const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                         u[0] * v[1] - u[1] * v[0]};

    return p->radius > 0 ? n[0] * a[0] + n[1] * a[1] + n[2] * a[2] : n[2];
}

static void turn_round(plane *p)
{
    for (int32_t *c = p->corner; c < p->corner + 3 * p->triangles; c += 3) {
        const int32_t kept = c[1];
        c[1] = c[2];
        c[2] = kept;
    }
}

static pav_status orient(const char *name, plane *p)
{
    int64_t clockwise = 0, last = -1;

    for (int64_t t = 0; t < p->triangles; t++) {
        const double area = signed_area(p, p->corner + 3 * t);
        if (area == 0)
            return FAIL(
                PAV_EFORMAT,
                "%s: triangle %lld has no area seen from above: its corners lie on "
                "one line",
                name, (long long)t);
        if (area < 0) {
            clockwise++;
            last = t;
        }
    }
    if (clockwise == p->triangles)
        turn_round(p);
    else if (clockwise > 0)
        return FAIL(
            PAV_EFORMAT,
            "%s: triangle %lld is inverted: it runs clockwise seen from above, as do "
            "%lld of %lld; the surface folds over itself or their corners are "
            "swapped",
            name, (long long)last, (long long)clockwise, (long long)p->triangles);
    return PAV_OK;
}

/* ---- borders ----------------------------------------------------------------------- */

static const side *find_side(const side *s, int64_t count, const int32_t *edge)
{
    const int32_t low = edge[0] < edge[1] ? edge[0] : edge[1],
                  high = edge[0] < edge[1] ? edge[1] : edge[0];
    int64_t from = 0, to = count;

    while (from < to) {
        const int64_t middle = (from + to) / 2;
        const bool less = s[middle].low < low ||
                          (s[middle].low == low && s[middle].high < high);
        if (less)
            from = middle + 1;
        else
            to = middle;
    }
    return from < count && s[from].low == low && s[from].high == high ? s + from : NULL;
}

static pav_status check_edges(const char *name, const plane *p, const side *s)
{
    for (int64_t k = 0; k < p->edges; k++) {
        const int32_t *e = p->edge + 3 * k;
        if (!find_side(s, 3 * p->triangles, e))
            return FAIL(PAV_EFORMAT,
                        "%s: the border '%s' holds a line from point %d to %d that is no "
                        "triangle's edge",
                        name, p->name[e[2]], (int)e[0], (int)e[1]);
    }
    return PAV_OK;
}

/* bottom, top and all are borders of every mesh. */
static pav_status check_names(const char *name, const plane *p)
{
    static const char *const taken[] = {"bottom", "top", "all"};

    for (int n = 0; n < p->names; n++)
        for (size_t k = 0; k < COUNT_OF(taken); k++)
            if (strcmp(p->name[n], taken[k]) == 0)
                return FAIL(PAV_EFORMAT,
                            "%s: a border is named '%s', which stands for %s of every "
                            "mesh with layers: give it another name",
                            name, taken[k],
                            k == 0   ? "the lowest level"
                            : k == 1 ? "the highest level"
                                     : "all borders");
    return PAV_OK;
}

/* Makes room for `more` edges behind the present ones. */
static bool make_room(plane *p, int64_t more)
{
    int32_t *edge = mem_new(3 * (p->edges + more), sizeof *edge);

    if (!edge)
        return false;
    if (p->edges > 0)
        memcpy(edge, p->edge, 3 * (size_t)p->edges * sizeof *edge);
    mem_free(p->edge);
    p->edge = edge;
    return true;
}

static void add_rim(plane *p, const side *first, const side *end, const bool *named,
                    int name)
{
    for (const side *s = first; s < end; s += count_alike(s, end))
        if (count_alike(s, end) == 1 && !named[s - first]) {
            int32_t *e = p->edge + 3 * p->edges++;
            e[0] = s->forward ? s->low : s->high;
            e[1] = s->forward ? s->high : s->low;
            e[2] = name;
        }
}

/* Edges of a single triangle without a name in the file become the border `rim`. */
static pav_status name_rim(plane *p, const side *s, const side *end, int64_t open)
{
    bool *named = mem_new(end - s, sizeof *named);
    int64_t unnamed = open;
    pav_status status = named ? PAV_OK : PAV_ENOMEM;

    for (int64_t k = 0; k < p->edges && named; k++) {
        const side *at = find_side(s, end - s, p->edge + 3 * k);
        if (count_alike(at, end) == 1 && !named[at - s]) {
            named[at - s] = true;
            unnamed--;
        }
    }
    if (status == PAV_OK && unnamed > 0) {
        const int name = plane_name(p, "rim", 3);
        if (name < 0 || !make_room(p, unnamed))
            status = PAV_ENOMEM;
        else
            add_rim(p, s, end, named, name);
    }
    mem_free(named);
    return status;
}

pav_status plane_check(const char *name, plane *p)
{
    int64_t open = 0;

    if (p->points < 3 || p->triangles < 1)
        return FAIL(PAV_EFORMAT,
                    "%s: a mesh needs a triangle, this one has %lld points and "
                    "%lld triangles",
                    name, (long long)p->points, (long long)p->triangles);
    TRY(check_numbers(name, p));
    TRY(check_names(name, p));
    TRY(check_dangling(name, p));
    side *s = make_sides(p);
    if (!s)
        return PAV_ENOMEM;
    const side *end = s + 3 * p->triangles;
    pav_status status = check_sides(name, s, end, &open);
    if (status == PAV_OK)
        status = orient(name, p);
    if (status == PAV_OK)
        status = check_edges(name, p, s);
    if (status == PAV_OK)
        status = name_rim(p, s, end, open);
    mem_free(s);
    return status;
}
