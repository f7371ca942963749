/* SPDX-License-Identifier: BSD-3-Clause */
/* Borders of a mesh and integrals over them: a named border is the quadrilaterals above
 * its edges, "bottom" and "top" are triangles, "all" is every one of them. A face's mass
 * matrix is kept, computed with four points, the true surface at each. */
#include <math.h>
#include <string.h>

#include "fem/fem_private.h"

/* ---- which faces ------------------------------------------------------------------- */

bool mesh_is_border(const pav_mesh *m, int name, const char *border)
{
    return strcmp(border, "all") == 0 || strcmp(m->plane.name[name], border) == 0;
}

pav_status mesh_check_border(const pav_mesh *m, const char *border)
{
    const char *known[PLANE_NAMES + 3] = {"bottom", "top", "all"};
    int found;

    for (int n = 0; n < m->plane.names; n++)
        known[3 + n] = m->plane.name[n];
    TRY(text_choice("border", border, known, m->plane.names + 3, &found));
    for (int64_t k = 0; k < m->plane.edges && found >= 3; k++)
        if (m->plane.edge[3 * k + 2] == found - 3)
            return PAV_OK;
    return found < 3 ? PAV_OK : FAIL(PAV_EINVAL, "the border '%s' has no edges", border);
}

typedef struct face_traversal {
    const pav_mesh *m;
    prism_faces *faces; /* NULL: they are counted */
    int64_t count;
} face_traversal;

static void add_face(face_traversal *w, const int64_t *node, int corners)
{
    if (w->faces) {
        prism_face *f = &w->faces->face[w->count];
        f->corners = corners;
        memcpy(f->node, node, (size_t)corners * sizeof *node);
    }
    w->count++;
}

static void visit_edges(face_traversal *w, const char *border)
{
    const pav_mesh *m = w->m;

    for (int64_t k = 0; k < m->plane.edges; k++) {
        const int32_t *e = m->plane.edge + 3 * k;
        for (int l = 0; l < m->layers && mesh_is_border(m, e[2], border); l++) {
            const int64_t a = (int64_t)e[0] * m->levels + l,
                          b = (int64_t)e[1] * m->levels + l,
                          node[4] = {a, b, a + 1, b + 1};
            add_face(w, node, 4);
        }
    }
}

static void visit_level(face_traversal *w, int level)
{
    const pav_mesh *m = w->m;

    for (int64_t t = 0; t < m->triangles; t++) {
        int64_t node[3];
        for (int k = 0; k < 3; k++)
            node[k] = (int64_t)m->corner[3 * t + k] * m->levels + level;
        add_face(w, node, 3);
    }
}

static void visit_faces(face_traversal *w, const char *border)
{
    const bool all = strcmp(border, "all") == 0;

    w->count = 0;
    if (all || strcmp(border, "bottom") == 0)
        visit_level(w, 0);
    if (all || strcmp(border, "top") == 0)
        visit_level(w, w->m->layers);
    visit_edges(w, border);
}

/* ---- what they weigh --------------------------------------------------------------- */

typedef struct face_point {
    double weight, value[4], by[2][4]; /* derivatives along the face's two directions */
} face_point;

static face_point quadrilateral_point(int number)
{
    const double root = sqrt(1.0 / 3), z[2] = {(1 - root) / 2, (1 + root) / 2},
                 s = z[number % 2], t = z[number / 2];

    return (face_point){0.25,
                        {(1 - s) * (1 - t), s * (1 - t), (1 - s) * t, s * t},
                        {{t - 1, 1 - t, -t, t}, {s - 1, -s, 1 - s, s}}};
}

static face_point triangle_point(int number)
{
    const double root = sqrt(1.0 / 3), z[2] = {(1 - root) / 2, (1 + root) / 2},
                 r[2] = {(4 - sqrt(6)) / 10, (4 + sqrt(6)) / 10},
                 w[2] = {(9 + sqrt(6)) / 72, (9 - sqrt(6)) / 72}, a = r[number / 2],
                 b = (1 - a) * z[number % 2];

    return (face_point){
        w[number / 2], {1 - a - b, a, b, 0}, {{-1, 1, 0, 0}, {-1, 0, 1, 0}}};
}

static double surface(const pav_mesh *m, const prism_face *f, const face_point *q)
{
    double t[2][3] = {{0}};

    for (int n = 0; n < f->corners; n++)
        for (int a = 0; a < 3; a++)
            for (int d = 0; d < 2; d++)
                t[d][a] += q->by[d][n] * m->at[a][f->node[n]];
    return hypot(hypot(t[0][1] * t[1][2] - t[0][2] * t[1][1],
                       t[0][2] * t[1][0] - t[0][0] * t[1][2]),
                 t[0][0] * t[1][1] - t[0][1] * t[1][0]);
}

static void weigh(const pav_mesh *m, prism_face *f)
{
    memset(f->mass, 0, sizeof f->mass);
    for (int p = 0; p < 4; p++) {
        const face_point q = f->corners == 4 ? quadrilateral_point(p) : triangle_point(p);
        const double scale = q.weight * surface(m, f, &q);
        for (int k = 0; k < 16; k++)
            f->mass[k] += scale * q.value[k / 4] * q.value[k % 4];
    }
}

pav_status prism_faces_open(const pav_mesh *m, const char *border, prism_faces *result)
{
    face_traversal w = {.m = m};

    *result = (prism_faces){0};
    TRY(mesh_check_border(m, border));
    visit_faces(&w, border);
    result->face = mem_new(w.count + 1, sizeof *result->face);
    if (!result->face)
        return PAV_ENOMEM;
    result->count = w.count;
    w.faces = result;
    visit_faces(&w, border);
    for (int64_t k = 0; k < w.count; k++)
        weigh(m, &result->face[k]);
    return PAV_OK;
}

void prism_faces_close(prism_faces *f)
{
    mem_free(f->face);
    *f = (prism_faces){0};
}

/* Adds in the order of the faces, so sums are always the same. */
void prism_faces_add(const prism_faces *f, double scale, const double *u, double *y)
{
    for (const prism_face *k = f->face; k < f->face + f->count; k++)
        for (int i = 0; i < k->corners; i++) {
            double sum = 0;
            for (int j = 0; j < k->corners; j++)
                sum += k->mass[4 * i + j] * u[k->node[j]];
            y[k->node[i]] += scale * sum;
        }
}

pav_status mesh_mark(const pav_mesh *m, const char *border, uint8_t *marked)
{
    prism_faces f;

    TRY(prism_faces_open(m, border, &f));
    for (int64_t k = 0; k < f.count; k++)
        for (int n = 0; n < f.face[k].corners; n++)
            marked[f.face[k].node[n]] = 1;
    prism_faces_close(&f);
    return PAV_OK;
}
