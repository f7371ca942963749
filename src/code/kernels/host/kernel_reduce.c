/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions of kernels for processors: joined pairs, pieces of rows, and values carried
 * along an axis. The build makes a text of each part (cmake/embed.cmake). */

/* ==== kernel_join ==== */
enum { REDUCE_SUM, REDUCE_MIN, REDUCE_MAX };

/* Joins two neighbours of the fixed tree; a NaN on either side wins. */
INLINE double joined(int kind, double a, double b)
{
    if (kind == REDUCE_SUM)
        return a + b;
    if (kind == REDUCE_MIN)
        return a < b || a != a ? a : b;
    return a > b || a != a ? a : b;
}

/* ==== kernel_reduce ==== */
/* Address of the result of reduction r for a piece. */
static double *reduction_of(const work *w, int r, int64_t x, int64_t j, int64_t k)
{
    const int64_t p = (x - (w->lo[0] & -(int64_t)PIECE)) / PIECE;

    return &w->reduce[r * w->folds[2] + (k - w->lo[2]) * w->folds[1] +
                      (j - w->lo[1]) * w->folds[0] + p];
}

/* The fixed tree over v[0 .. count - 1]; the index of v[0] is `first`. */
INLINE double reduce(int kind, double *v, int64_t first, int64_t count)
{
    while (count > 1) {
        const int64_t last = first + count - 1, alone = first & 1;
        const int64_t pairs = (count - alone) / 2;
        INDEPENDENT
        for (int64_t i = 0; i < pairs; i++)
            v[alone + i] = joined(kind, v[alone + 2 * i], v[alone + 2 * i + 1]);
        if (count - alone > 2 * pairs)
            v[alone + pairs] = v[count - 1];
        first >>= 1;
        count = (last >> 1) - first + 1;
    }
    return v[0];
}

/* ==== kernel_carried ==== */
/* Carried values: the loop takes several rows at a time through all planes of a box.
 * Values needed again by later planes are kept in rings of rows small enough for L1. */
enum {
    CARRIED = 1024, /* bytes of a row */
    /* bytes between rows: rows then begin at different places of the cache */
    CARRIED_PITCH = CARRIED + LINE,
    MOST_CARRIED = 12 /* values */
};

/* A slot of the functions for such rows. from >= 0: a slot of the stage. from < 0: the
 * row of a carried value, `before` planes before the farthest computed plane. */
typedef struct carried_slot {
    int from, value, before;
} carried_slot;

/* planes: computes the carried values of one plane. across: computes the results of one
 * plane from the carried values of the planes around it. */
typedef struct carried_rows {
    row_function *planes, *across;
    const carried_slot *slot[2]; /* slots of planes and of across */
    int slots[2];
    int values;
    const int *count; /* planes kept of each value */
    int lead,
        deepest; /* lead: offset of the farthest plane; deepest: largest count less one */
    int height, size; /* rows, bytes of an element */
    int in_place;     /* no row may be computed twice: the last rows are left out */
} carried_rows;

typedef struct carried {
    const carried_rows *parts;
    const grid *of;         /* grids of the stage */
    char *memory;           /* rings of value 0, then 1, ... */
    int turn[MOST_CARRIED]; /* slot of the farthest plane in each ring */
    work work;              /* the work on `grid` */
    grid *grid;
} carried;

static char *carried_row(const carried *h, const carried_slot *s)
{
    const int *count = h->parts->count;
    int row = h->turn[s->value] - s->before;

    if (row < 0)
        row += count[s->value];
    for (int v = 0; v < s->value; v++)
        row += count[v];
    return h->memory + (int64_t)row * h->parts->height * CARRIED_PITCH;
}

static void find_carried(const carried *h, int part, const place *at)
{
    const carried_rows *p = h->parts;
    const int64_t points = CARRIED / p->size, pitch = CARRIED_PITCH / p->size;
    const int64_t point = (at->x & -points) + at->j * pitch;

    for (int n = 0; n < p->slots[part]; n++) {
        const carried_slot *s = &p->slot[part][n];
        if (s->from >= 0)
            h->grid[n] = h->of[s->from];
        else
            h->grid[n] = (grid){carried_row(h, s) - point * p->size, pitch, 0};
    }
}

static void rotate_carried(carried *h)
{
    for (int v = 0; v < h->parts->values; v++)
        h->turn[v] = h->turn[v] + 1 < h->parts->count[v] ? h->turn[v] + 1 : 0;
}

static void sweep_carried(carried *h, place at)
{
    const carried_rows *p = h->parts;
    const int64_t begin = h->work.lo[2], end = h->work.hi[2];

    for (int64_t k = begin - p->deepest; k < end; k++) {
        rotate_carried(h);
        at.k = k + p->lead;
        find_carried(h, 0, &at);
        p->planes(&h->work, &at);
        if (k < begin)
            continue;
        at.k = k;
        find_carried(h, 1, &at);
        p->across(&h->work, &at);
    }
}

/* Computes a box in pieces of rows as long as a carried row. grids: room for the
 * slots. */
NOT_INLINE void each_carried(const work *w, const carried_rows *p, char *memory,
                             grid *grids)
{
    const int64_t points = CARRIED / p->size, last = w->hi[1] - p->height;
    carried h = {.parts = p, .of = w->grid, .memory = memory, .work = *w, .grid = grids};

    h.work.grid = grids;
    for (int64_t x = w->lo[0], next; x < w->hi[0]; x = next) {
        next = (x & -points) + points;
        place at = {.x = x, .end = next < w->hi[0] ? next : w->hi[0]};
        for (int64_t j = w->lo[1]; j < (p->in_place ? last + 1 : w->hi[1]);
             j += p->height) {
            at.j = j < last ? j : last;
            sweep_carried(&h, at);
        }
    }
}
