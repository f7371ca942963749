/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures of values on a mesh: a level seen from above, or a cut upwards along a line in
 * the plane. Triangles are painted into a raster, linear between their corners; of a
 * sphere's level x and y are shown as they are seen from +z. */
#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "fem/fem.h"
#include "io/io.h"

enum { SIDE = 512 /* points of the longer side */ };

typedef struct raster {
    double low[2], high[2];
    int64_t extent[2];
    double *value, *depth; /* NAN and -inf: nothing is there */
} raster;

static pav_status raster_open(raster *r)
{
    const double width = r->high[0] - r->low[0], height = r->high[1] - r->low[1],
                 longest = fmax(width, height);

    if (!isfinite(longest))
        return FAIL(PAV_EINVAL, "the mesh is too large for a picture: %g by %g", width,
                    height);
    for (int a = 0; a < 2; a++) {
        const double side = SIDE * ((r->high[a] - r->low[a]) / longest);
        r->extent[a] = side > 32 ? (int64_t)side : 32;
    }
    const int64_t count = r->extent[0] * r->extent[1];
    TRY(mem_take(&r->value, count, sizeof *r->value));
    TRY(mem_take(&r->depth, count, sizeof *r->depth));
    for (int64_t k = 0; k < count; k++) {
        r->value[k] = NAN;
        r->depth[k] = -INFINITY;
    }
    return PAV_OK;
}

static void raster_free(raster *r)
{
    MEM_FREE_ALL(r->value, r->depth);
}

static const raster nothing = {.low = {INFINITY, INFINITY},
                               .high = {-INFINITY, -INFINITY}};

static int64_t pixel(const raster *r, int axis, double at)
{
    const double place = (at - r->low[axis]) / (r->high[axis] - r->low[axis]) *
                         (double)(r->extent[axis] - 1);

    return !(place > 0)                      ? 0
           : place > (double)r->extent[axis] ? r->extent[axis]
                                             : (int64_t)place;
}

static double coordinate(const raster *r, int axis, int64_t k)
{
    return r->low[axis] +
           (r->high[axis] - r->low[axis]) * (double)k / (double)(r->extent[axis] - 1);
}

typedef struct corner {
    double x, y, value, depth;
} corner;

static double twice_area(double ax, double ay, double bx, double by, double cx, double cy)
{
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
}

static void paint(raster *r, const corner c[3])
{
    const double all = twice_area(c[0].x, c[0].y, c[1].x, c[1].y, c[2].x, c[2].y);
    const int64_t i0 = pixel(r, 0, fmin(c[0].x, fmin(c[1].x, c[2].x))),
                  i1 = pixel(r, 0, fmax(c[0].x, fmax(c[1].x, c[2].x))),
                  j0 = pixel(r, 1, fmin(c[0].y, fmin(c[1].y, c[2].y))),
                  j1 = pixel(r, 1, fmax(c[0].y, fmax(c[1].y, c[2].y)));

    assert(r->depth && r->value); /* raster_open has succeeded */
    for (int64_t j = j0; j <= j1 + 1 && j < r->extent[1] && all != 0; j++)
        for (int64_t i = i0; i <= i1 + 1 && i < r->extent[0]; i++) {
            const double x = coordinate(r, 0, i), y = coordinate(r, 1, j);
            const double b = twice_area(c[0].x, c[0].y, x, y, c[2].x, c[2].y) / all,
                         d = twice_area(c[0].x, c[0].y, c[1].x, c[1].y, x, y) / all,
                         a = 1 - b - d;
            const double depth = a * c[0].depth + b * c[1].depth + d * c[2].depth;
            const int64_t at = j * r->extent[0] + i;
            if (fmin(a, fmin(b, d)) < -1e-9 || depth < r->depth[at])
                continue;
            r->depth[at] = depth;
            r->value[at] = a * c[0].value + b * c[1].value + d * c[2].value;
        }
}

static pav_status draw(const raster *r, const pav_mesh *m, const char *path,
                       const char *title, const char *across, const char *upwards)
{
    double from = INFINITY, to = -INFINITY;

    assert(r->value); /* raster_open has succeeded */
    for (int64_t k = 0; k < r->extent[0] * r->extent[1]; k++)
        if (isfinite(r->value[k])) {
            from = fmin(from, r->value[k]);
            to = fmax(to, r->value[k]);
        }
    if (!(from <= to))
        return FAIL(PAV_EINVAL,
                    "%s: nothing of the mesh, or no finite value, is in the "
                    "picture",
                    path);
    const picture p = {.title = title,
                       .axis_name = {across, upwards},
                       .axis_from = {r->low[0], r->low[1]},
                       .axis_to = {r->high[0], r->high[1]},
                       .width = r->extent[0],
                       .height = r->extent[1],
                       .value = r->value,
                       .from = from,
                       .to = to};
    return png_write(path, &p, m->made);
}

/* ---- a level ----------------------------------------------------------------------- */

static void widen(raster *r, int axis, double value)
{
    r->low[axis] = fmin(r->low[axis], value);
    r->high[axis] = fmax(r->high[axis], value);
}

static pav_status picture_level(const pav_mesh *m, const char *path, const double *values,
                                int level)
{
    OWNED_BY(raster_free) raster r = nothing;
    char title[32];

    for (int64_t c = 0; c < m->columns; c++)
        for (int a = 0; a < 2; a++)
            widen(&r, a, m->at[a][c * m->levels + level]);
    TRY(raster_open(&r));
    for (int64_t t = 0; t < m->triangles; t++) {
        corner c[3];
        for (int k = 0; k < 3; k++) {
            const int64_t n = (int64_t)m->corner[3 * t + k] * m->levels + level;
            c[k] = (corner){m->at[0][n], m->at[1][n], values[n], m->at[2][n]};
        }
        paint(&r, c);
    }
    (void)snprintf(title, sizeof title, "level %d", level);
    return draw(&r, m, path, title, "x", "y");
}

/* ---- a cut ------------------------------------------------------------------------- */

typedef struct cut {
    double from[2], along[2];
} cut;

/* Distance of a node from the line, and its position along the line. */
static double others(const cut *c, const pav_mesh *m, int64_t node)
{
    return (m->at[1][node] - c->from[1]) * c->along[0] -
           (m->at[0][node] - c->from[0]) * c->along[1];
}

static double along(const cut *c, const pav_mesh *m, int64_t node)
{
    return (m->at[0][node] - c->from[0]) * c->along[0] +
           (m->at[1][node] - c->from[1]) * c->along[1];
}

/* The two edges of a triangle crossed by the line; false if there are none. */
static bool crossed(const cut *c, const pav_mesh *m, int64_t t, int64_t column[4])
{
    int count = 0;

    for (int k = 0; k < 3; k++) {
        const int64_t a = m->corner[3 * t + k], b = m->corner[3 * t + (k + 1) % 3];
        const bool left = others(c, m, a * m->levels) > 0,
                   right = others(c, m, b * m->levels) > 0;
        if (left != right) {
            column[count++] = a;
            column[count++] = b;
        }
    }
    return count == 4;
}

static pav_status picture_cut(const pav_mesh *m, const char *path, const double *values,
                              const double from[2], const double to[2])
{
    const double dx = to[0] - from[0], dy = to[1] - from[1], length = hypot(dx, dy);
    const cut c = {{from[0], from[1]}, {dx / length, dy / length}};
    OWNED_BY(raster_free) raster r = nothing;
    int64_t column[4];

    if (!(length > 0 && isfinite(length)))
        return FAIL(PAV_EINVAL, "a cut from (%g, %g) to (%g, %g) has no direction",
                    from[0], from[1], to[0], to[1]);
    widen(&r, 0, 0);
    widen(&r, 0, length);
    for (int64_t n = 0; n < m->nodes; n++)
        widen(&r, 1, m->at[2][n]);
    TRY(raster_open(&r));
    for (int64_t t = 0; t < m->triangles; t++)
        for (int l = 0; l < m->layers && crossed(&c, m, t, column); l++) {
            corner k[4]; /* of the cut with two edges, on two levels */
            for (int n = 0; n < 4; n++) {
                const int64_t *edge = column + 2 * (n % 2),
                              a = edge[0] * m->levels + l + n / 2,
                              b = edge[1] * m->levels + l + n / 2;
                const double da = others(&c, m, a), db = others(&c, m, b),
                             s = da / (da - db);
                k[n] = (corner){(1 - s) * along(&c, m, a) + s * along(&c, m, b),
                                (1 - s) * m->at[2][a] + s * m->at[2][b],
                                (1 - s) * values[a] + s * values[b], 0};
            }
            paint(&r, (const corner[]){k[0], k[1], k[3]});
            paint(&r, (const corner[]){k[0], k[3], k[2]});
        }
    return draw(&r, m, path, "cut", "along the cut", "z");
}

pav_status pav_mesh_picture(const pav_mesh *m, const char *path, const double *values,
                            int level, const double from[2], const double to[2])
{
    GUARDED;
    if (!m || !path || !values)
        return fem_missing("pav_mesh_picture", "a mesh, a path and values");
    if (level > m->layers)
        return FAIL(PAV_EINVAL, "there is no level %d: the mesh has 0 to %d", level,
                    m->layers);
    if (level < 0 && (!from || !to))
        return FAIL(PAV_EINVAL, "a cut needs two points of the plane to go through");
    return level < 0 ? picture_cut(m, path, values, from, to)
                     : picture_level(m, path, values, level);
}
