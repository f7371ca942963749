/* SPDX-License-Identifier: BSD-3-Clause */
/* Some rows at a time through all planes of a box: values of planes that later planes need again are held in between,
 * in rings of rows that stay in the first cache. */
enum {
    HELD = 1024, /* bytes of a row */
    HELD_PITCH = HELD +
                 LINE, /* from row to row: they begin at different places of the cache */
    MOST_HELD = 12     /* values */
};

/* A slot of what goes through such rows: that of the stage; or, from < 0, the row of a value for the plane so many
 * before the farthest one that is known. */
typedef struct held_slot {
    int from, value, before;
} held_slot;

/* planes: what is held of a plane. across: results of one, of what is held of those around. */
typedef struct held_parts {
    row_part *planes, *across;
    const held_slot *slot[2]; /* of each */
    int slots[2];
    int values;
    const int *count; /* planes of each value */
    int lead,
        deepest; /* of those around, the farthest; of all counts, the largest less one */
    int height, size; /* rows, bytes of an element */
} held_parts;

typedef struct held {
    const held_parts *parts;
    const grid *of;      /* the stage's */
    char *memory;        /* of value 0, then 1, ... */
    int turn[MOST_HELD]; /* the place of the farthest plane in each ring */
    work work;           /* on these: */
    grid *grid;
} held;

static char *held_row(const held *h, const held_slot *s)
{
    const int *count = h->parts->count;
    int row = h->turn[s->value] - s->before;

    if (row < 0)
        row += count[s->value];
    for (int v = 0; v < s->value; v++)
        row += count[v];
    return h->memory + (int64_t)row * h->parts->height * HELD_PITCH;
}

static void find_held(const held *h, int part, const place *at)
{
    const held_parts *p = h->parts;
    const int64_t points = HELD / p->size, pitch = HELD_PITCH / p->size;
    const int64_t point = (at->x & -points) + at->j * pitch;

    for (int n = 0; n < p->slots[part]; n++) {
        const held_slot *s = &p->slot[part][n];
        if (s->from >= 0)
            h->grid[n] = h->of[s->from];
        else
            h->grid[n] = (grid){held_row(h, s) - point * p->size, pitch, 0};
    }
}

static void turn_held(held *h)
{
    for (int v = 0; v < h->parts->values; v++)
        h->turn[v] = h->turn[v] + 1 < h->parts->count[v] ? h->turn[v] + 1 : 0;
}

static void walk_held(held *h, place at)
{
    const held_parts *p = h->parts;
    const int64_t begin = h->work.lo[2], end = h->work.hi[2];

    for (int64_t k = begin - p->deepest; k < end; k++) {
        turn_held(h);
        at.k = k + p->lead;
        find_held(h, 0, &at);
        p->planes(&h->work, &at);
        if (k < begin)
            continue;
        at.k = k;
        find_held(h, 1, &at);
        p->across(&h->work, &at);
    }
}

/* A box, by as much of each row as is held. grids: room for the slots. */
NOT_INLINE void each_held(const work *w, const held_parts *p, char *memory, grid *grids)
{
    const int64_t points = HELD / p->size, last = w->hi[1] - p->height;
    held h = {.parts = p, .of = w->grid, .memory = memory, .work = *w, .grid = grids};

    h.work.grid = grids;
    for (int64_t x = w->lo[0], next; x < w->hi[0]; x = next) {
        next = (x & -points) + points;
        place at = {.x = x, .end = next < w->hi[0] ? next : w->hi[0]};
        for (int64_t j = w->lo[1]; j < w->hi[1]; j += p->height) {
            at.j = j < last ? j : last;
            walk_held(&h, at);
        }
    }
}
