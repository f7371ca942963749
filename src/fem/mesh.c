/* SPDX-License-Identifier: BSD-3-Clause */
/* From triangles to prisms: layers of equal or graded thickness between a bottom and a
 * top. Each column may have its own bottom and top, along z or outward from a sphere. The
 * Jacobian of every cell must be positive at all quadrature points. */
#include <math.h>
#include <string.h>

#include "fem/fem_private.h"

/* ---- options ----------------------------------------------------------------------- */

static const char *const orders[] = {"curve", "rcm", "given"};

static pav_status check_options(const pav_mesh_options *o)
{
    if (o->layers < 0 || o->layers > MESH_MOST_LAYERS)
        return FAIL(PAV_EINVAL, "a mesh has 1 to %d layers, not %d", MESH_MOST_LAYERS,
                    o->layers);
    if (!(o->grading >= 0 && o->grading <= 1000))
        return FAIL(PAV_EINVAL,
                    "a grading of %g: give how many times as thick a layer is as the one "
                    "below, 0 or 1 for equal ones",
                    o->grading);
    if (!isfinite(o->bottom) || !isfinite(o->top) || o->bottom > o->top)
        return FAIL(PAV_EINVAL,
                    "layers from height %g to %g: the top must lie above the bottom",
                    o->bottom, o->top);
    return PAV_OK;
}

static pav_status find_order(const pav_mesh_options *o, plane_ordering *how)
{
    int found = ORDER_CURVE;

    if (o->order)
        TRY(text_choice("order of columns", o->order, orders, COUNT_OF(orders), &found));
    *how = (plane_ordering)found;
    return PAV_OK;
}

/* ---- nodes ------------------------------------------------------------------------- */

/* Heights of the levels, between 0 and 1. */
static double *make_fractions(int layers, double grading)
{
    double *f = mem_new(layers + 1, sizeof *f), thickness = 1;

    for (int l = 0; f && l < layers; l++) {
        f[l + 1] = f[l] + thickness;
        thickness *= grading > 0 ? grading : 1;
    }
    for (int l = 0; f && l <= layers; l++)
        f[l] /= f[layers];
    return f;
}

static void set_column(const pav_mesh *m, int64_t c, double bottom, double top,
                       const double *fraction)
{
    const double *at = m->plane.at + 3 * c, radius = m->plane.radius;

    for (int l = 0; l < m->levels; l++) {
        const double height = bottom + (top - bottom) * fraction[l];
        for (int a = 0; a < 3; a++)
            m->at[a][c * m->levels + l] = radius > 0 ? at[a] + at[a] / radius * height
                                                     : at[a] + (a == 2 ? height : 0);
    }
}

static pav_status set_nodes(const char *name, pav_mesh *m, const pav_mesh_options *o)
{
    const bool plain = o->bottom == 0 && o->top == 0;
    double *fraction = make_fractions(m->layers, o->grading);

    if (!fraction)
        return PAV_ENOMEM;
    if (!isfinite(fraction[m->layers])) {
        mem_free(fraction);
        return FAIL(PAV_EINVAL, "%s: %d layers of a grading of %g overflow", name,
                    m->layers, o->grading);
    }
    for (int64_t c = 0; c < m->columns; c++)
        set_column(m, c, o->bottoms ? o->bottoms[m->given[c]] : o->bottom,
                   o->tops ? o->tops[m->given[c]]
                   : plain ? 1
                           : o->top,
                   fraction);
    mem_free(fraction);
    return PAV_OK;
}

void mesh_cell(const pav_mesh *m, int64_t triangle, int level, int64_t node[6])
{
    for (int n = 0; n < 6; n++)
        node[n] = (int64_t)m->corner[3 * triangle + n % 3] * m->levels + level + n / 3;
}

static pav_status check_cell(const char *name, const pav_mesh *m, int64_t t, int level,
                             double *volume)
{
    double at[18];
    int64_t node[6];

    mesh_cell(m, t, level, node);
    for (int n = 0; n < 6; n++)
        for (int a = 0; a < 3; a++)
            at[3 * n + a] = m->at[a][node[n]];
    const double least = prism_volume(at, volume);
    if (least > 0 && isfinite(*volume))
        return PAV_OK;
    return FAIL(
        PAV_EFORMAT,
        "%s: the cell of triangle %lld (points %d, %d, %d) and layer %d is inverted "
        "or flat: the determinant of its Jacobian is %g at a quadrature point; look "
        "at the heights there",
        name, (long long)t, (int)m->given[m->corner[3 * t]],
        (int)m->given[m->corner[3 * t + 1]], (int)m->given[m->corner[3 * t + 2]], level,
        least);
}

static pav_status check_cells(const char *name, pav_mesh *m)
{
    for (int64_t t = 0; t < m->triangles; t++)
        for (int l = 0; l < m->layers; l++)
            TRY(check_cell(name, m, t, l, &m->volume));
    return PAV_OK;
}

/* ---- all of it --------------------------------------------------------------------- */

static pav_status take_nodes(const char *name, pav_mesh *m)
{
    int64_t bytes;

    if (!mul_fits(m->columns, m->levels, &m->nodes) ||
        !mul_fits(m->triangles, m->layers, &m->cells) ||
        !mul_fits(m->nodes, 3 * (int64_t)sizeof(double), &bytes))
        return FAIL(PAV_ELIMIT, "%s: %lld columns of %d levels are too many nodes", name,
                    (long long)m->columns, m->levels);
    for (int a = 0; a < 3; a++) {
        m->at[a] = mem_big(bytes / 3 + MESH_PADDING * (int64_t)sizeof(double));
        if (!m->at[a])
            return FAIL(PAV_ENOMEM, "%s: %lld nodes: %s", name, (long long)m->nodes,
                        pav_message());
    }
    return PAV_OK;
}

static pav_status set_up(const char *name, pav_mesh *m, plane_ordering how,
                         const pav_mesh_options *o)
{
    m->columns = m->plane.points;
    m->triangles = m->plane.triangles;
    m->layers = o->layers ? o->layers : 16;
    m->levels = m->layers + 1;
    m->given = mem_new(m->columns, sizeof *m->given);
    if (!m->given)
        return PAV_ENOMEM;
    TRY(take_nodes(name, m));
    TRY(plane_order(&m->plane, how, m->given));
    TRY(mesh_colour(&m->plane, MESH_CHUNK, m));
    m->corner = m->plane.corner;
    TRY(mesh_incidence(m));
    TRY(set_nodes(name, m, o));
    return check_cells(name, m);
}

pav_status mesh_extrude(const char *name, plane *p, const pav_mesh_options *options,
                        pav_mesh **result)
{
    static const pav_mesh_options usual = {0};
    const pav_mesh_options *o = options ? options : &usual;
    plane_ordering how = ORDER_CURVE;
    pav_status status = check_options(o);

    *result = NULL;
    if (status == PAV_OK)
        status = find_order(o, &how);
    pav_mesh *m = status == PAV_OK ? mem_new(1, sizeof *m) : NULL;
    if (!m) {
        plane_free(p);
        return status == PAV_OK ? PAV_ENOMEM : status;
    }
    m->plane = *p;
    *p = (plane){0};
    status = set_up(name, m, how, o);
    if (status == PAV_OK)
        *result = m;
    else
        pav_mesh_free(m);
    return status;
}

pav_status mesh_open(const char *path, const pav_mesh_options *options, pav_mesh **result)
{
    plane p;

    *result = NULL;
    TRY(plane_read(path, &p));
    return mesh_extrude(path, &p, options, result);
}

void pav_mesh_free(pav_mesh *m)
{
    if (!m)
        return;
    for (int a = 0; a < 3; a++)
        if (m->at[a])
            mem_big_free(m->at[a], (m->nodes + MESH_PADDING) * (int64_t)sizeof(double));
    plane_free(&m->plane);
    mem_free(m->given);
    mem_free(m->chunk);
    mem_free(m->colour);
    mem_free(m->first);
    mem_free(m->incident);
    mem_free(m);
}
