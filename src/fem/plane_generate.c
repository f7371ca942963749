/* SPDX-License-Identifier: BSD-3-Clause */
/* Meshes of any size from a word: the unit square of n x n x 2 triangles, the unit disc
 * of n rings of six triangles more each, the unit sphere as an icosahedron whose edges
 * are halved n times. */
#include <math.h>
#include <string.h>

#include "fem/fem.h"

static const double turn = 6.283185307179586476925;

static void set_point(plane *p, int64_t n, double x, double y, double z)
{
    p->at[3 * n] = x;
    p->at[3 * n + 1] = y;
    p->at[3 * n + 2] = z;
}

static int32_t *set_triangle(int32_t *at, int64_t a, int64_t b, int64_t c)
{
    at[0] = (int32_t)a;
    at[1] = (int32_t)b;
    at[2] = (int32_t)c;
    return at + 3;
}

/* Diagonals alternate, so no direction is preferred. */
static pav_status make_square(int64_t n, plane *p)
{
    TRY(plane_take(p, (n + 1) * (n + 1), 2 * n * n, 0));
    int32_t *to = p->corner;
    for (int64_t k = 0; k < p->points; k++) {
        const int64_t row = k / (n + 1);
        set_point(p, k, (double)(k % (n + 1)) / (double)n, (double)row / (double)n, 0);
    }
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            const int64_t a = j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
            const bool even = (i + j) % 2 == 0;
            to = set_triangle(to, a, b, even ? d : c);
            to = set_triangle(to, even ? a : b, d, c);
        }
    return PAV_OK;
}

/* Ring r holds 6r points; point 0 is the centre. */
static int64_t ring_point(int64_t r, int64_t k)
{
    return r == 0 ? 0 : 1 + 3 * r * (r - 1) + k % (6 * r);
}

static pav_status make_disc(int64_t n, plane *p)
{
    TRY(plane_take(p, 1 + 3 * n * (n + 1), 6 * n * n, 0));
    int32_t *to = p->corner;
    for (int64_t r = 1; r <= n; r++)
        for (int64_t k = 0; k < 6 * r; k++) {
            const double angle = turn * (double)k / (double)(6 * r),
                         distance = (double)r / (double)n;
            set_point(p, ring_point(r, k), distance * cos(angle), distance * sin(angle),
                      0);
        }
    for (int64_t r = 1; r <= n; r++)
        for (int64_t side = 0; side < 6; side++)
            for (int64_t k = 0; k < r; k++) {
                const int64_t in = side * (r - 1) + k, out = side * r + k;
                to = set_triangle(to, ring_point(r - 1, in), ring_point(r, out),
                                  ring_point(r, out + 1));
                if (k < r - 1)
                    to = set_triangle(to, ring_point(r - 1, in), ring_point(r, out + 1),
                                      ring_point(r - 1, in + 1));
            }
    return PAV_OK;
}

/* ---- the sphere -------------------------------------------------------------------- */

static void to_sphere(double *at)
{
    const double length = sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);

    for (int a = 0; a < 3; a++)
        at[a] /= length;
}

static pav_status make_icosahedron(plane *p)
{
    static const uint8_t face[20][3] = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10},
                                        {0, 10, 11}, {1, 5, 9},  {5, 11, 4}, {11, 10, 2},
                                        {10, 7, 6},  {7, 1, 8},  {3, 9, 4},  {3, 4, 2},
                                        {3, 2, 6},   {3, 6, 8},  {3, 8, 9},  {4, 9, 5},
                                        {2, 4, 11},  {6, 2, 10}, {8, 6, 7},  {9, 8, 1}};
    const double g = (1 + sqrt(5)) / 2;

    TRY(plane_take(p, 12, 20, 0));
    for (int k = 0; k < 12; k++) {
        const double one = k % 2 ? 1 : -1, golden = k % 4 / 2 ? -g : g;
        double v[3] = {one, golden, 0};
        for (int a = 0; a < 3; a++)
            p->at[3 * k + (a + k / 4) % 3] = v[a];
        to_sphere(p->at + 3 * k);
    }
    for (int k = 0; k < 60; k++)
        p->corner[k] = face[k / 3][k % 3];
    return PAV_OK;
}

/* The middle of the edge from a to b. `middle` lists the known middles of edges from each
 * point, six at most. */
static int32_t middle_of(plane *fine, int32_t a, int32_t b, int32_t (*middle)[12])
{
    const int32_t from = a < b ? a : b, to = a < b ? b : a;
    int32_t *at = middle[from];

    for (; at[0] && at[1] != to; at += 2) {
    }
    if (at[0])
        return at[0];
    at[0] = (int32_t)fine->points++;
    at[1] = to;
    for (int k = 0; k < 3; k++)
        fine->at[3 * at[0] + k] = fine->at[3 * from + k] + fine->at[3 * to + k];
    to_sphere(fine->at + 3 * at[0]);
    return at[0];
}

static pav_status halve(plane *p)
{
    const int64_t points = 4 * p->points - 6;
    int32_t(*middle)[12] = mem_new(p->points, sizeof *middle);
    plane fine = {0};
    pav_status status = middle ? plane_take(&fine, points, 4 * p->triangles, 0)
                               : PAV_ENOMEM;

    if (status != PAV_OK) {
        mem_free(middle);
        return status;
    }
    memcpy(fine.at, p->at, (size_t)p->points * 3 * sizeof *p->at);
    fine.points = p->points;
    int32_t *to = fine.corner;
    for (const int32_t *c = p->corner; c < p->corner + 3 * p->triangles; c += 3) {
        const int32_t ab = middle_of(&fine, c[0], c[1], middle),
                      bc = middle_of(&fine, c[1], c[2], middle),
                      ca = middle_of(&fine, c[2], c[0], middle);
        to = set_triangle(to, c[0], ab, ca);
        to = set_triangle(to, ab, c[1], bc);
        to = set_triangle(to, ca, bc, c[2]);
        to = set_triangle(to, ab, bc, ca);
    }
    mem_free(middle);
    plane_free(p);
    *p = fine;
    return PAV_OK;
}

static pav_status make_shell(int64_t n, plane *p)
{
    TRY(make_icosahedron(p));
    for (int64_t k = 0; k < n; k++)
        TRY(halve(p));
    p->radius = 1;
    return PAV_OK;
}

/* ---- words ------------------------------------------------------------------------- */

typedef struct shape {
    const char *name;
    pav_status (*make)(int64_t n, plane *p);
    int64_t usual, least, most;
} shape;
static const shape shapes[] = {
    {"square", make_square, 16, 1, 8192},
    {"disc", make_disc, 16, 1, 8192},
    {"shell", make_shell, 3, 0, 12},
};

static const shape *find(const char *word)
{
    const size_t length = strcspn(word, ":");

    for (size_t k = 0; k < COUNT_OF(shapes); k++)
        if (strlen(shapes[k].name) == length && !memcmp(word, shapes[k].name, length))
            return &shapes[k];
    return NULL;
}

bool plane_is_word(const char *word)
{
    return find(word) != NULL;
}

pav_status plane_generate(const char *word, plane *p)
{
    const shape *s = find(word);
    const char *rest = strchr(word, ':');
    int64_t n = s->usual;
    num number;

    if (rest && (strncmp(rest, ":n=", 3) != 0 ||
                 !num_parse(rest + 3, strlen(rest + 3), &number) ||
                 !num_is_int(number, &n) || n < s->least || n > s->most))
        return FAIL(PAV_EINVAL, "'%s': give %s:n=%lld, with n from %lld to %lld", word,
                    s->name, (long long)s->usual, (long long)s->least,
                    (long long)s->most);
    return s->make(n, p);
}
