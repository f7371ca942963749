/* SPDX-License-Identifier: BSD-3-Clause */
/* A mesh of prisms, from triangles in a plane: the order of columns in memory, chunks of
 * triangles that are computed at the same time, and layers of equal or graded thickness
 * between a bottom and a top. Each column may have its own bottom and top, along z or
 * outward from a sphere. The Jacobian of every cell must be positive at all quadrature
 * points. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fem/fem_private.h"

typedef enum plane_ordering { ORDER_CURVE, ORDER_RCM, ORDER_GIVEN } plane_ordering;

void mesh_list_incident(const int32_t *corner, int64_t corners, int64_t points,
                        int64_t *first, int64_t *incident)
{
    for (int64_t k = 0; k < corners; k++)
        first[corner[k] + 2]++;
    for (int64_t n = 1; n <= points; n++)
        first[n + 1] += first[n];
    for (int64_t k = 0; k < corners; k++)
        incident[first[corner[k] + 1]++] = k;
}

/* ---- order ------------------------------------------------------------------------- */

/* The order of columns in memory. Columns near in space should be near in memory, so that
 * caches serve neighbours. There are two orders: a Hilbert curve through the coordinates
 * (on a sphere, through x, y and z, interleaved); and reverse Cuthill-McKee, breadth
 * first through the neighbours from a point of low degree. Triangles are sorted by their
 * least corner. */

typedef struct keyed {
    uint64_t key;
    int32_t index;
} keyed;

static int by_key(const void *a, const void *b)
{
    const keyed *l = a, *r = b;

    return l->key < r->key ? -1 : l->key > r->key ? 1 : int_compare(l->index, r->index);
}

/* Along a curve (Skilling, Programming the Hilbert curve, 2004). */

enum { BITS = 20 };

static uint64_t hilbert_key(uint32_t x[3])
{
    uint64_t key = 0;
    uint32_t t = 0;

    for (uint32_t q = 1u << (BITS - 1); q > 1; q >>= 1)
        for (int a = 0; a < 3; a++) {
            const uint32_t mask = q - 1, swap = x[a] & q ? 0 : (x[0] ^ x[a]) & mask;
            x[0] ^= x[a] & q ? mask : swap;
            x[a] ^= swap;
        }
    for (int a = 1; a < 3; a++)
        x[a] ^= x[a - 1];
    for (uint32_t q = 1u << (BITS - 1); q > 1; q >>= 1)
        t ^= x[2] & q ? q - 1 : 0;
    for (int bit = BITS - 1; bit >= 0; bit--)
        for (int a = 0; a < 3; a++)
            key = key << 1 | ((x[a] ^ t) >> bit & 1);
    return key;
}

/* ---- by neighbours ----------------------------------------------------------------- */

typedef struct graph {
    const int32_t *corner;
    const int64_t *first, *incident; /* corners at each point */
} graph;

/* Each triangle at the point adds two neighbours, so most neighbours count twice. */
static int64_t degree_of(const graph *g, int32_t n)
{
    return g->first[n + 1] - g->first[n];
}

/* Appends the new neighbours of n, in the order of their degrees. */
static int64_t append_neighbours(const graph *g, int32_t n, uint8_t *seen, int32_t *queue,
                                 int64_t count)
{
    const int64_t begin = count;

    for (int64_t k = 2 * g->first[n]; k < 2 * g->first[n + 1]; k++) {
        const int64_t at_n = g->incident[k / 2];
        const int32_t next = g->corner[at_n / 3 * 3 + (at_n + 1 + k % 2) % 3];
        int64_t at = count;
        if (seen[next])
            continue;
        seen[next] = 1;
        for (; at > begin && degree_of(g, queue[at - 1]) > degree_of(g, next); at--)
            queue[at] = queue[at - 1];
        queue[at] = next;
        count++;
    }
    return count;
}

static int64_t breadth_first(const graph *g, int32_t from, uint8_t *seen, int32_t *queue,
                             int64_t count)
{
    int64_t at = count;

    seen[from] = 1;
    queue[count++] = from;
    for (; at < count; at++)
        count = append_neighbours(g, queue[at], seen, queue, count);
    return count;
}

/* Starts from the last point reached from any point, a good start for this order. */
static pav_status order_rcm(const plane *p, int32_t *queue)
{
    OWNED uint8_t *seen = mem_new(p->points + 1, 1), *met = mem_new(p->points + 1, 1);
    OWNED int64_t *first = mem_new(p->points + 2, sizeof *first),
                  *incident = mem_new(3 * p->triangles, sizeof *incident);
    const graph g = {p->corner, first, incident};
    int64_t count = 0;

    if (!seen || !met || !first || !incident)
        return PAV_ENOMEM;
    mesh_list_incident(p->corner, 3 * p->triangles, p->points, first, incident);
    for (int32_t n = 0; n < p->points; n++)
        if (!seen[n]) {
            const int64_t end = breadth_first(&g, n, met, queue, count);
            count = breadth_first(&g, queue[end - 1], seen, queue, count);
        }
    for (int64_t a = 0, b = p->points - 1; a < b; a++, b--) {
        const int32_t kept = queue[a];
        queue[a] = queue[b];
        queue[b] = kept;
    }
    return PAV_OK;
}

static pav_status order_curve(const plane *p, int32_t *given)
{
    double low[3], high[3], widest = 0;

    OWNED_NEW(keyed, k, p->points + 1);
    for (int a = 0; a < 3; a++) {
        low[a] = high[a] = p->at[a];
        for (int64_t n = 0; n < p->points; n++) {
            low[a] = fmin(low[a], p->at[3 * n + a]);
            high[a] = fmax(high[a], p->at[3 * n + a]);
        }
        widest = fmax(widest, high[a] - low[a]);
    }
    const double scale = ((1 << BITS) - 1) / widest;
    for (int64_t n = 0; n < p->points; n++) {
        uint32_t x[3];
        for (int a = 0; a < 3; a++)
            x[a] = (uint32_t)((p->at[3 * n + a] - low[a]) * scale);
        k[n] = (keyed){hilbert_key(x), (int32_t)n};
    }
    qsort(k, (size_t)p->points, sizeof *k, by_key);
    for (int64_t n = 0; n < p->points; n++)
        given[n] = k[n].index;
    return PAV_OK;
}

/* ---- renumbering ------------------------------------------------------------------- */

/* A copy of `count` items of `size` bytes, in the order before they are sorted. */
static void *copy_of(const void *items, int64_t count, size_t size)
{
    void *copy = mem_new(count, size);

    if (copy && count > 0)
        memcpy(copy, items, (size_t)count * size);
    return copy;
}

static pav_status sort_triangles(plane *p, int32_t *cell)
{
    OWNED keyed *k = mem_new(p->triangles + 1, sizeof *k);
    OWNED int32_t *was = copy_of(p->corner, 3 * p->triangles, sizeof *was);

    if (!k || !was)
        return PAV_ENOMEM;
    for (int64_t t = 0; t < p->triangles; t++) {
        const int32_t *c = was + 3 * t;
        k[t] = (keyed){(uint64_t)c[0] + (uint64_t)c[1] + (uint64_t)c[2], (int32_t)t};
    }
    qsort(k, (size_t)p->triangles, sizeof *k, by_key);
    for (int64_t t = 0; t < p->triangles; t++) {
        cell[t] = k[t].index;
        memcpy(p->corner + 3 * t, was + 3 * (int64_t)cell[t], 3 * sizeof *was);
    }
    return PAV_OK;
}

static pav_status renumber(plane *p, const int32_t *given)
{
    OWNED double *was = copy_of(p->at, 3 * p->points, sizeof *was);
    OWNED int32_t *now = mem_new(p->points + 1, sizeof *now);

    if (!was || !now)
        return PAV_ENOMEM;
    for (int64_t n = 0; n < p->points; n++) {
        now[given[n]] = (int32_t)n;
        memcpy(p->at + 3 * n, was + 3 * (int64_t)given[n], 3 * sizeof *was);
    }
    for (int64_t k = 0; k < 3 * p->triangles; k++)
        p->corner[k] = now[p->corner[k]];
    for (int64_t e = 0; e < p->edges; e++)
        for (int k = 0; k < 2; k++)
            p->edge[3 * e + k] = now[p->edge[3 * e + k]];
    return PAV_OK;
}

/* ---- colours ----------------------------------------------------------------------- */

/* Colours chunks of neighbouring triangles. Two chunks of one colour share no column, so
 * they may be computed at the same time. Triangles are ordered by colour, chunk and
 * place. All sums follow this order, so a result does not depend on the number of
 * threads. */

enum { MASKED = 64 /* shared colours; each further chunk has its own */ };

typedef struct painting {
    uint64_t *used; /* of each column: colours of the chunks at it */
    int32_t *of;    /* of each chunk */
    int64_t chunks;
    int colours;
} painting;

static int64_t chunk_end(int64_t chunk, int64_t triangles)
{
    return int64_least((chunk + 1) * MESH_CHUNK, triangles);
}

static void paint(painting *c, const plane *p, int64_t chunk)
{
    const int32_t *from = p->corner + 3 * chunk * MESH_CHUNK,
                  *to = p->corner + 3 * chunk_end(chunk, p->triangles);
    uint64_t used = 0;

    for (const int32_t *k = from; k < to; k++)
        used |= c->used[*k];
    /* The lowest free colour, or a new colour. */
    const uint64_t bit = ~used & (used + 1);
    const int colour = bit ? __builtin_ctzll(bit) : int_most(c->colours, MASKED);
    for (const int32_t *k = from; k < to; k++)
        c->used[*k] |= bit;
    c->of[chunk] = colour;
    c->colours = int_most(c->colours, colour + 1);
}

/* Makes coloured chunks, and the order of computation: chunks by colour, and triangles
 * after them. */
static pav_status mesh_colour(plane *p, pav_mesh *m)
{
    painting c = {.chunks = int_parts(p->triangles, MESH_CHUNK)};
    OWNED int32_t *was = copy_of(p->corner, 3 * p->triangles, sizeof *was),
                  *cell = copy_of(m->cell, p->triangles, sizeof *cell);
    OWNED uint64_t *used = c.used = mem_new(p->points, sizeof *used);
    OWNED int32_t *of = c.of = mem_new(c.chunks, sizeof *of);
    int64_t triangle = 0;

    m->chunk = mem_new(c.chunks + 1, sizeof *m->chunk);
    if (!was || !cell || !used || !of || !m->chunk)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < c.chunks; k++)
        paint(&c, p, k);
    m->colours = c.colours;
    TRY(mem_take(&m->colour, c.colours + 1, sizeof *m->colour));
    for (int colour = 0; colour < c.colours; colour++) {
        m->colour[colour] = m->chunks;
        for (int64_t k = 0; k < c.chunks; k++) {
            if (of[k] != colour)
                continue;
            const int64_t from = k * MESH_CHUNK,
                          count = chunk_end(k, p->triangles) - from;
            m->chunk[m->chunks++] = (int32_t)triangle;
            memcpy(p->corner + 3 * triangle, was + 3 * from,
                   (size_t)(3 * count) * sizeof *was);
            memcpy(m->cell + triangle, cell + from, (size_t)count * sizeof *cell);
            triangle += count;
        }
    }
    m->colour[c.colours] = m->chunks;
    m->chunk[m->chunks] = (int32_t)triangle;
    return PAV_OK;
}

/* ---- options ----------------------------------------------------------------------- */

static const char *const orders[] = {"curve", "rcm", "given"};

/* ---- nodes ------------------------------------------------------------------------- */

static pav_status set_nodes(const char *name, pav_mesh *m, const pav_mesh_options *o)
{
    const bool plain = o->bottom == 0 && o->top == 0;
    double thickness = 1;

    OWNED_NEW(double, fraction, m->levels); /* of each level */
    for (int l = 0; l < m->layers; l++) {
        fraction[l + 1] = fraction[l] + thickness;
        thickness *= o->grading > 0 ? o->grading : 1;
    }
    const double sum = fraction[m->layers];
    if (!isfinite(sum))
        return FAIL(PAV_EINVAL, "%s: %d layers of a grading of %g overflow", name,
                    m->layers, o->grading);
    for (int64_t c = 0; c < m->columns; c++) {
        const double *at = m->plane.at + 3 * c, radius = m->plane.radius,
                     bottom = o->bottoms ? o->bottoms[m->given[c]] : o->bottom,
                     top = o->tops ? o->tops[m->given[c]]
                           : plain ? 1
                                   : o->top;
        for (int l = 0; l < m->levels; l++) {
            const double height = bottom + (top - bottom) * (fraction[l] / sum);
            for (int a = 0; a < 3; a++)
                m->at[a][c * m->levels + l] = radius > 0 ? at[a] + at[a] / radius * height
                                                         : at[a] + (a == 2 ? height : 0);
        }
    }
    return PAV_OK;
}

void mesh_cell(const pav_mesh *m, int64_t triangle, int level, int64_t node[6])
{
    for (int n = 0; n < 6; n++)
        node[n] = (int64_t)m->corner[3 * triangle + n % 3] * m->levels + level + n / 3;
}

void mesh_cell_at(const pav_mesh *m, int64_t triangle, int level, int64_t node[6],
                  double at[18])
{
    mesh_cell(m, triangle, level, node);
    for (int k = 0; k < 18; k++)
        at[k] = m->at[k % 3][node[k / 3]];
}

/* Corners' values of n.(upper - lower), n the normal of the triangle at a height: the
 * determinant is linear between them. */
static void set_corner_determinants(const double *at, double height, double det[3])
{
    double side[2][3];

    for (int k = 0; k < 2; k++)
        for (int a = 0; a < 3; a++)
            side[k][a] = (1 - height) * (at[3 * (k + 1) + a] - at[a]) +
                         height * (at[3 * (k + 4) + a] - at[9 + a]);
    for (int n = 0; n < 3; n++) {
        det[n] = 0;
        for (int a = 0; a < 3; a++) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            det[n] += (side[0][b] * side[1][c] - side[0][c] * side[1][b]) *
                      (at[3 * (n + 3) + a] - at[3 * n + a]);
        }
    }
}

/* Opening a mesh checks millions of cells, so this needs no inverse. */
static double add_volume(const double *at, double *volume)
{
    static const double z[2] = {0.21132486540518711775, 0.78867513459481288225},
                        r[2] = {0.15505102572168219018, 0.64494897427831780982},
                        w[2] = {0.07951034543599429235, 0.04548965456400570765};
    double least = INFINITY, det[3];

    for (int height = 0; height < 2; height++) {
        set_corner_determinants(at, z[height], det);
        for (int p = 0; p < 4; p++) {
            const double a = r[p / 2], b = (1 - a) * z[p % 2],
                         here = (1 - a - b) * det[0] + a * det[1] + b * det[2];
            *volume += w[p / 2] * here;
            least = here < least ? here : least;
        }
    }
    return least;
}

static pav_status check_cell(const char *name, const pav_mesh *m, int64_t t, int level,
                             double *volume)
{
    double at[18];
    int64_t node[6];

    mesh_cell_at(m, t, level, node, at);
    const double least = add_volume(at, volume);
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

/* ---- the extrusion ----------------------------------------------------------------- */

static pav_status set_up(const char *name, pav_mesh *m, plane_ordering how,
                         const pav_mesh_options *o)
{
    int64_t bytes;

    m->columns = m->plane.points;
    m->triangles = m->plane.triangles;
    m->layers = o->layers ? o->layers : 16;
    m->levels = m->layers + 1;
    TRY(mem_take(&m->given, m->columns, sizeof *m->given));
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
    TRY(mem_take(&m->cell, m->triangles, sizeof *m->cell));
    for (int64_t n = 0; n < m->columns; n++)
        m->given[n] = (int32_t)n;
    for (int64_t t = 0; t < m->triangles; t++)
        m->cell[t] = (int32_t)t;
    if (how != ORDER_GIVEN) {
        TRY(how == ORDER_RCM ? order_rcm(&m->plane, m->given)
                             : order_curve(&m->plane, m->given));
        TRY(renumber(&m->plane, m->given));
        TRY(sort_triangles(&m->plane, m->cell));
    }
    TRY(mesh_colour(&m->plane, m));
    m->corner = m->plane.corner;
    TRY(mem_take(&m->first, m->columns + 2, sizeof *m->first));
    TRY(mem_take(&m->incident, 3 * m->triangles, sizeof *m->incident));
    mesh_list_incident(m->corner, 3 * m->triangles, m->columns, m->first, m->incident);
    TRY(set_nodes(name, m, o));
    for (int64_t t = 0; t < m->triangles; t++)
        for (int l = 0; l < m->layers; l++)
            TRY(check_cell(name, m, t, l, &m->volume));
    return PAV_OK;
}

void mesh_drop(pav_mesh **m)
{
    pav_mesh_free(*m);
}

pav_status mesh_extrude(const char *name, plane *p, const pav_mesh_options *options,
                        pav_mesh **result)
{
    const pav_mesh_options *o = options ? options : &(pav_mesh_options){0};
    int how = ORDER_CURVE;

    *result = NULL;
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
    if (o->order)
        TRY(text_choice("order of columns", o->order, orders, COUNT_OF(orders), &how));
    NEW_BY(mesh_drop, pav_mesh, m, 1);
    m->plane = *p;
    *p = (plane){0};
    TRY(set_up(name, m, (plane_ordering)how, o));
    *result = mem_hand_over(&m);
    return PAV_OK;
}

void pav_mesh_free(pav_mesh *m)
{
    if (!m)
        return;
    for (int a = 0; a < 3; a++)
        mem_big_free(m->at[a], (m->nodes + MESH_PADDING) * (int64_t)sizeof(double));
    plane_free(&m->plane);
    MEM_FREE_ALL(m->given, m->cell, m->chunk, m->colour, m->first, m->incident, m);
}
