/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of columns in memory: near in space is near in memory. A Hilbert curve goes
 * by coordinates (of a sphere by those of a cube's three axes, interleaved), reverse
 * Cuthill-McKee by neighbours, breadth first from a point of low degree. Triangles follow
 * their least corner. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fem/fem.h"

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

/* ---- along a curve (Skilling, Programming the Hilbert curve, 2004) ----------------- */

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

pav_status plane_order(plane *p, plane_ordering how, int32_t *given)
{
    for (int64_t n = 0; n < p->points; n++)
        given[n] = (int32_t)n;
    if (how == ORDER_GIVEN)
        return PAV_OK;
    TRY(how == ORDER_RCM ? order_rcm(p, given) : order_curve(p, given));
    TRY(renumber(p, given));
    return sort_triangles(p);
}
