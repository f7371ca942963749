/* SPDX-License-Identifier: BSD-3-Clause */
/* Colours chunks of neighbouring triangles. Two chunks of one colour share no column, so
 * they may be computed at the same time. Triangles are ordered by colour, chunk and
 * place. All sums follow this order, so a result does not depend on the number of
 * threads. */
#include <string.h>

#include "fem/fem.h"

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

pav_status mesh_colour(plane *p, int64_t each, pav_mesh *m)
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

pav_status mesh_incidence(pav_mesh *m)
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
