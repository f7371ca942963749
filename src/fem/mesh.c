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

/* ---- order ------------------------------------------------------------------------- */

/* The order of columns in memory: near in space is near in memory. A Hilbert curve goes
 * by coordinates (of a sphere by those of a cube's three axes, interleaved), reverse
 * Cuthill-McKee by neighbours, breadth first from a point of low degree. Triangles follow
 * their least corner. */

typedef struct keyed {
    uint64_t key;
    int32_t index;
} keyed;

static int by_key(const void *a, const void *b)
{
    const keyed *l = a, *r = b;

    if (l->key != r->key)
        return l->key < r->key ? -1 : 1;
    return l->index < r->index ? -1 : l->index > r->index;
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

static void set_curve_keys(const plane *p, keyed *k)
{
    double low[3], high[3], widest = 0;

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
}

/* ---- by neighbours ----------------------------------------------------------------- */

typedef struct graph {
    int64_t *first;
    int32_t *next; /* neighbours, each at most twice */
} graph;

static pav_status make_graph(const plane *p, graph *g)
{
    *g = (graph){mem_new(p->points + 2, sizeof *g->first),
                 mem_new(6 * p->triangles, sizeof *g->next)};
    if (!g->first || !g->next)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < 3 * p->triangles; k++)
        g->first[p->corner[k] + 2] += 2;
    for (int64_t n = 1; n <= p->points; n++)
        g->first[n + 1] += g->first[n];
    for (int64_t k = 0; k < 3 * p->triangles; k++) {
        const int32_t *c = p->corner + k / 3 * 3;
        int64_t *at = &g->first[p->corner[k] + 1];
        g->next[(*at)++] = c[(k + 1) % 3];
        g->next[(*at)++] = c[(k + 2) % 3];
    }
    return PAV_OK;
}

static int64_t degree_of(const graph *g, int32_t n)
{
    return g->first[n + 1] - g->first[n];
}

/* Appends the new neighbours of n, in the order of their degrees. */
static int64_t append_neighbours(const graph *g, int32_t n, uint8_t *seen, int32_t *queue,
                                 int64_t count)
{
    const int64_t begin = count;

    for (int64_t k = g->first[n]; k < g->first[n + 1]; k++)
        if (!seen[g->next[k]]) {
            seen[g->next[k]] = 1;
            int64_t at = count++;
            for (; at > begin && degree_of(g, queue[at - 1]) > degree_of(g, g->next[k]);
                 at--)
                queue[at] = queue[at - 1];
            queue[at] = g->next[k];
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
    graph g;
    pav_status status = make_graph(p, &g);
    uint8_t *seen = mem_new(p->points + 1, 1), *met = mem_new(p->points + 1, 1);
    int64_t count = 0;

    if (!seen || !met)
        status = PAV_ENOMEM;
    for (int32_t n = 0; n < p->points && status == PAV_OK; n++)
        if (!seen[n]) {
            const int64_t end = breadth_first(&g, n, met, queue, count);
            count = breadth_first(&g, queue[end - 1], seen, queue, count);
        }
    for (int64_t a = 0, b = p->points - 1; a < b && status == PAV_OK; a++, b--) {
        const int32_t kept = queue[a];
        queue[a] = queue[b];
        queue[b] = kept;
    }
    mem_free(seen);
    mem_free(met);
    mem_free(g.first);
    mem_free(g.next);
    return status;
}

static pav_status order_curve(const plane *p, int32_t *given)
{
    keyed *k = mem_new(p->points + 1, sizeof *k);

    if (!k)
        return PAV_ENOMEM;
    set_curve_keys(p, k);
    qsort(k, (size_t)p->points, sizeof *k, by_key);
    for (int64_t n = 0; n < p->points; n++)
        given[n] = k[n].index;
    mem_free(k);
    return PAV_OK;
}

/* ---- renumbering ------------------------------------------------------------------- */

static pav_status sort_triangles(plane *p)
{
    keyed *k = mem_new(p->triangles + 1, sizeof *k);
    int32_t *corner = mem_new(3 * p->triangles + 1, sizeof *corner);

    if (!k || !corner) {
        mem_free(k);
        mem_free(corner);
        return PAV_ENOMEM;
    }
    for (int64_t t = 0; t < p->triangles; t++) {
        const int32_t *c = p->corner + 3 * t;
        k[t] = (keyed){(uint64_t)c[0] + (uint64_t)c[1] + (uint64_t)c[2], (int32_t)t};
    }
    qsort(k, (size_t)p->triangles, sizeof *k, by_key);
    for (int64_t t = 0; t < p->triangles; t++)
        memcpy(corner + 3 * t, p->corner + 3 * (int64_t)k[t].index, 3 * sizeof *corner);
    mem_free(k);
    mem_free(p->corner);
    p->corner = corner;
    return PAV_OK;
}

static pav_status renumber(plane *p, const int32_t *given)
{
    double *at = mem_new(3 * p->points + 1, sizeof *at);
    int32_t *now = mem_new(p->points + 1, sizeof *now);

    if (!at || !now) {
        mem_free(at);
        mem_free(now);
        return PAV_ENOMEM;
    }
    for (int64_t n = 0; n < p->points; n++) {
        now[given[n]] = (int32_t)n;
        memcpy(at + 3 * n, p->at + 3 * (int64_t)given[n], 3 * sizeof *at);
    }
    for (int64_t k = 0; k < 3 * p->triangles; k++)
        p->corner[k] = now[p->corner[k]];
    for (int64_t e = 0; e < p->edges; e++)
        for (int k = 0; k < 2; k++)
            p->edge[3 * e + k] = now[p->edge[3 * e + k]];
    mem_free(now);
    mem_free(p->at);
    p->at = at;
    return PAV_OK;
}

/* Renumbers points; given[new] is the old number. Triangles follow their least point. */
static pav_status plane_order(plane *p, plane_ordering how, int32_t *given)
{
    for (int64_t n = 0; n < p->points; n++)
        given[n] = (int32_t)n;
    if (how == ORDER_GIVEN)
        return PAV_OK;
    TRY(how == ORDER_RCM ? order_rcm(p, given) : order_curve(p, given));
    TRY(renumber(p, given));
    return sort_triangles(p);
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
    int64_t chunks, each;
    int colours;
} painting;

static int64_t chunk_end(const painting *c, int64_t chunk, int64_t triangles)
{
    return (chunk + 1) * c->each < triangles ? (chunk + 1) * c->each : triangles;
}

static void paint(painting *c, const plane *p, int64_t chunk)
{
    const int32_t *from = p->corner + 3 * chunk * c->each,
                  *to = p->corner + 3 * chunk_end(c, chunk, p->triangles);
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

/* Chunks by colour, and triangles after them. */
static void sort_chunks(const painting *c, const plane *p, pav_mesh *m, int32_t *corner)
{
    int64_t triangle = 0;

    for (int colour = 0; colour < c->colours; colour++) {
        m->colour[colour] = m->chunks;
        for (int64_t k = 0; k < c->chunks; k++)
            if (c->of[k] == colour) {
                const int64_t from = k * c->each,
                              count = chunk_end(c, k, p->triangles) - from;
                m->chunk[m->chunks++] = (int32_t)triangle;
                memcpy(corner + 3 * triangle, p->corner + 3 * from,
                       (size_t)(3 * count) * sizeof *corner);
                triangle += count;
            }
    }
    m->colour[c->colours] = m->chunks;
    m->chunk[m->chunks] = (int32_t)triangle;
}

/* Makes coloured chunks of `each` triangles, and the order of computation. */
static pav_status mesh_colour(plane *p, int64_t each, pav_mesh *m)
{
    painting c = {.each = each, .chunks = int_parts(p->triangles, each)};
    int32_t *corner = mem_new(3 * p->triangles + 1, sizeof *corner);

    c.used = mem_new(p->points, sizeof *c.used);
    c.of = mem_new(c.chunks, sizeof *c.of);
    m->chunk = mem_new(c.chunks + 1, sizeof *m->chunk);
    if (c.used && c.of)
        for (int64_t k = 0; k < c.chunks; k++)
            paint(&c, p, k);
    m->colour = mem_new(c.colours + 1, sizeof *m->colour);
    const bool made = corner && c.used && c.of && m->chunk && m->colour;
    if (made) {
        sort_chunks(&c, p, m, corner);
        m->colours = c.colours;
        mem_free(p->corner);
        p->corner = corner;
    } else
        mem_free(corner);
    mem_free(c.used);
    mem_free(c.of);
    return made ? PAV_OK : PAV_ENOMEM;
}

static pav_status mesh_incidence(pav_mesh *m)
{
    const int64_t corners = 3 * m->triangles;

    m->first = mem_new(m->columns + 2, sizeof *m->first);
    m->incident = mem_new(corners, sizeof *m->incident);
    if (!m->first || !m->incident)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < corners; k++)
        m->first[m->corner[k] + 2]++;
    for (int64_t c = 1; c <= m->columns; c++)
        m->first[c + 1] += m->first[c];
    for (int64_t k = 0; k < corners; k++)
        m->incident[m->first[m->corner[k] + 1]++] = k;
    return PAV_OK;
}

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
    for (int64_t c = 0; c < m->columns; c++) {
        const double *at = m->plane.at + 3 * c, radius = m->plane.radius,
                     bottom = o->bottoms ? o->bottoms[m->given[c]] : o->bottom,
                     top = o->tops ? o->tops[m->given[c]]
                           : plain ? 1
                                   : o->top;
        for (int l = 0; l < m->levels; l++) {
            const double height = bottom + (top - bottom) * fraction[l];
            for (int a = 0; a < 3; a++)
                m->at[a][c * m->levels + l] = radius > 0 ? at[a] + at[a] / radius * height
                                                         : at[a] + (a == 2 ? height : 0);
        }
    }
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
    for (int64_t t = 0; t < m->triangles; t++)
        for (int l = 0; l < m->layers; l++)
            TRY(check_cell(name, m, t, l, &m->volume));
    return PAV_OK;
}

pav_status mesh_extrude(const char *name, plane *p, const pav_mesh_options *options,
                        pav_mesh **result)
{
    static const pav_mesh_options usual = {0};
    const pav_mesh_options *o = options ? options : &usual;
    int how = ORDER_CURVE;
    pav_status status = check_options(o);

    *result = NULL;
    if (status == PAV_OK && o->order)
        status = text_choice("order of columns", o->order, orders, COUNT_OF(orders),
                             &how);
    pav_mesh *m = status == PAV_OK ? mem_new(1, sizeof *m) : NULL;
    if (!m) {
        plane_free(p);
        return status == PAV_OK ? PAV_ENOMEM : status;
    }
    m->plane = *p;
    *p = (plane){0};
    status = set_up(name, m, (plane_ordering)how, o);
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
