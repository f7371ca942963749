/* SPDX-License-Identifier: BSD-3-Clause */
/* Borders of a mesh, and integrals over them. A named border consists of the
 * quadrilaterals above its edges. "bottom" and "top" consist of triangles. "all" is the
 * union of all borders. The mass matrix of a face is computed with four quadrature points
 * on the true surface, and kept. */
#include <math.h>
#include <string.h>

#include "fem/fem_private.h"

/* ---- the faces of a border --------------------------------------------------------- */

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

/* While the list has no memory, faces are only counted. */
static void add_face(prism_faces *f, const int64_t *node, int corners)
{
    if (f->face) {
        prism_face *k = &f->face[f->count];
        k->corners = corners;
        memcpy(k->node, node, (size_t)corners * sizeof *node);
    }
    f->count++;
}

static void add_level(const pav_mesh *m, int level, prism_faces *f)
{
    for (int64_t t = 0; t < m->triangles; t++) {
        int64_t node[3];
        for (int k = 0; k < 3; k++)
            node[k] = (int64_t)m->corner[3 * t + k] * m->levels + level;
        add_face(f, node, 3);
    }
}

static void add_faces(const pav_mesh *m, const char *border, prism_faces *f)
{
    const bool all = strcmp(border, "all") == 0;

    f->count = 0;
    if (all || strcmp(border, "bottom") == 0)
        add_level(m, 0, f);
    if (all || strcmp(border, "top") == 0)
        add_level(m, m->layers, f);
    for (int64_t k = 0; k < m->plane.edges; k++) {
        const int32_t *e = m->plane.edge + 3 * k;
        for (int l = 0; l < m->layers && mesh_is_border(m, e[2], border); l++) {
            const int64_t a = (int64_t)e[0] * m->levels + l,
                          b = (int64_t)e[1] * m->levels + l,
                          node[4] = {a, b, a + 1, b + 1};
            add_face(f, node, 4);
        }
    }
}

/* ---- integrals over a face --------------------------------------------------------- */

typedef struct face_point {
    double weight, value[4], by[2][4]; /* derivatives along the face's two directions */
} face_point;

/* Four points: of Gauss in a quadrilateral; in a triangle Gauss-Jacobi times Gauss. */
static void weigh(const pav_mesh *m, prism_face *f)
{
    const double root = sqrt(1.0 / 3), z[2] = {(1 - root) / 2, (1 + root) / 2},
                 r[2] = {(4 - sqrt(6)) / 10, (4 + sqrt(6)) / 10},
                 w[2] = {(9 + sqrt(6)) / 72, (9 - sqrt(6)) / 72};

    memset(f->mass, 0, sizeof f->mass);
    for (int p = 0; p < 4; p++) {
        const double s = z[p % 2], u = z[p / 2], a = r[p / 2], b = (1 - a) * s;
        const face_point q = f->corners == 4
                                 ? (face_point){0.25,
                                                {(1 - s) * (1 - u), s * (1 - u),
                                                 (1 - s) * u, s * u},
                                                {{u - 1, 1 - u, -u, u},
                                                 {s - 1, -s, 1 - s, s}}}
                                 : (face_point){w[p / 2],
                                                {1 - a - b, a, b, 0},
                                                {{-1, 1, 0, 0}, {-1, 0, 1, 0}}};
        double t[2][3] = {{0}};
        for (int n = 0; n < f->corners; n++)
            for (int axis = 0; axis < 3; axis++)
                for (int d = 0; d < 2; d++)
                    t[d][axis] += q.by[d][n] * m->at[axis][f->node[n]];
        const double surface = hypot(hypot(t[0][1] * t[1][2] - t[0][2] * t[1][1],
                                           t[0][2] * t[1][0] - t[0][0] * t[1][2]),
                                     t[0][0] * t[1][1] - t[0][1] * t[1][0]);
        for (int k = 0; k < 16; k++)
            f->mass[k] += q.weight * surface * q.value[k / 4] * q.value[k % 4];
    }
}

pav_status prism_faces_open(const pav_mesh *m, const char *border, prism_faces *result)
{
    *result = (prism_faces){0};
    TRY(mesh_check_border(m, border));
    add_faces(m, border, result);
    TRY(mem_take(&result->face, result->count + 1, sizeof *result->face));
    add_faces(m, border, result);
    for (int64_t k = 0; k < result->count; k++)
        weigh(m, &result->face[k]);
    return PAV_OK;
}

void prism_faces_close(prism_faces *f)
{
    mem_free(f->face);
}
