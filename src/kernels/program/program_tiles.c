/* SPDX-License-Identifier: BSD-3-Clause */
/* ---- time tiles -------------------------------------------------------------------- */

/* Several steps of a piece of the grid one after the other, while it is in a core's
 * caches. What an operation computes of a tile lies `shift` points before what the first
 * operation computes of it, so that all that it reads is there: the tiles are skewed.
 * Tiles follow each other along SWEEP, in columns that stand side by side along ACROSS;
 * a thread takes a column, and keeps behind the one before. Where an axis wraps around,
 * its first tile is skewed to both sides, and the last one takes what is left, also
 * before the first. */

/* What a step does to the points, in order; then come the borders of what was stored. */
typedef void stage_call(program *p, const box *b);
typedef struct operation {
    stage_call *stage;
    int number;     /* of its trial; -1: it has none */
    const box *box; /* of all its points */
    int skew[3];    /* behind the first operation of the step */
    int stores, stored[MOST_STORED];
} operation;
static const operation operations[OPERATIONS];
static const int step_skew[3];     /* of a step behind the one before it */
static const int64_t extent[3];    /* points of the grid */
static const int wraps[3];         /* axes that wrap around */
static const int is_still[FIELDS]; /* borders that steps leave as they are */

/* Steps of a tile; its points along ACROSS and SWEEP, 0: all. */
typedef struct tiling {
    int depth, across, along;
} tiling;
static const tiling tilings[TILINGS];
static void begin_step(program *p);

/* ---- which points ---- */

typedef struct tile_axis {
    int64_t extent, width, tiles;
    int wraps;
} tile_axis;
typedef struct span {
    int64_t lo, hi;
} span;
typedef struct spans {
    int count;
    span at[4];
} spans;

static tile_axis cut_axis(int axis, int64_t width, int depth)
{
    tile_axis c = {extent[axis], extent[axis], 1, wraps[axis]};
    int64_t most = 0;

    for (int n = 0; n < OPERATIONS; n++)
        most = operations[n].skew[axis] > most ? operations[n].skew[axis] : most;
    most += (int64_t)(depth - 1) * step_skew[axis];
    if (c.wraps && width > 0 && width <= 2 * most)
        width = 2 * most + 1;
    if (width <= 0 || width >= c.extent)
        return c;
    c.width = width;
    c.tiles = c.wraps ? c.extent / width : (c.extent + most + width - 1) / width;
    return c;
}

static void add_span(spans *s, int64_t lo, int64_t hi)
{
    if (lo >= hi)
        return;
    if (s->count > 0 && s->at[s->count - 1].hi == lo)
        s->at[s->count - 1].hi = hi;
    else
        s->at[s->count++] = (span){lo, hi};
}

static int64_t first_of(const tile_axis *c, int64_t tile, int64_t shift)
{
    const int64_t at = tile * c->width - shift;

    if (tile == 0)
        return c->wraps && c->tiles > 1 ? shift : 0;
    return at < 0 ? 0 : at > c->extent ? c->extent : at;
}

static int64_t end_of(const tile_axis *c, int64_t tile, int64_t shift)
{
    return tile + 1 < c->tiles ? first_of(c, tile + 1, shift) : c->extent;
}

/* The last tile of an axis that wraps around has points at both ends. */
static int has_both_ends(const tile_axis *c, int64_t tile)
{
    return c->wraps && tile == c->tiles - 1;
}

static spans points_of_tile(const tile_axis *c, int64_t tile, int64_t shift)
{
    spans s = {0};

    if (has_both_ends(c, tile) && c->tiles > 1)
        add_span(&s, 0, shift);
    add_span(&s, first_of(c, tile, shift), end_of(c, tile, shift));
    return s;
}

/* ---- which ghosts ---- */

/* Whether a face is the tile's. Ghosts before the first point count as lying where the
 * farthest of them may be a copy of. */
static int has_face(const tile_axis *c, int64_t tile, int64_t shift, int f, int axis,
                    int side)
{
    const int *const halo = field[f].shape.halo[axis];
    const int64_t inside = halo[0] > halo[1] ? halo[0] : halo[1], last = c->extent - 1;
    const int64_t at = side || inside > last ? last : inside;

    if (c->wraps)
        return has_both_ends(c, tile);
    return first_of(c, tile, shift) <= at && at < end_of(c, tile, shift);
}

/* Points that no border gives; outer: and the ghosts and given points of faces. */
static spans points_and_faces(const tile_axis *c, int64_t tile, int64_t shift, int f,
                              int axis, int outer)
{
    const face *const side = faces[f][axis];
    const int64_t first = side[0].kind == FACE_VALUE,
                  end = c->extent - (side[1].kind == FACE_VALUE);
    const spans all = points_of_tile(c, tile, shift);
    spans s = {0};

    if (outer && has_face(c, tile, shift, f, axis, 0))
        add_span(&s, -field[f].shape.halo[axis][0], first);
    for (int n = 0; n < all.count; n++)
        add_span(&s, all.at[n].lo > first ? all.at[n].lo : first,
                 all.at[n].hi < end ? all.at[n].hi : end);
    if (outer && has_face(c, tile, shift, f, axis, 1))
        add_span(&s, end, c->extent + field[f].shape.halo[axis][1]);
    return s;
}

/* The n-th of the boxes that spans of all axes make; 0: there are no more. */
static int nth_box(const spans at[3], int n, box *b)
{
    for (int axis = 0; axis < 3; axis++) {
        const int count = at[axis].count;
        if (count == 0)
            return 0;
        b->lo[axis] = at[axis].at[n % count].lo;
        b->hi[axis] = at[axis].at[n % count].hi;
        n /= count;
    }
    return n == 0;
}

/* ---- a tile ---- */

typedef struct tile {
    const tile_axis *axes;
    int64_t at[3];
} tile;

static void fill_tile_face(program *p, int f, int axis, int side, const tile *t,
                           const int64_t *shift)
{
    const face *const face = &faces[f][axis][side];
    const view v = view_of(p, f, 1);
    spans at[3];
    box b;

    if (face->kind == FACE_NONE ||
        !has_face(&t->axes[axis], t->at[axis], shift[axis], f, axis, side))
        return;
    for (int n = 0; n < 3; n++)
        at[n] = points_and_faces(&t->axes[n], t->at[n], shift[n], f, n, n < axis);
    at[axis] = (spans){1, {{0, 1}}};
    for (int n = 0; nth_box(at, n, &b); n++) {
        if (face->kind == FACE_COPY)
            ghost_fill_side(&v, axis, side, face->map, &b);
        const box slab = slab_of(&v, axis, side, face->kind);
        b.lo[axis] = slab.lo[axis];
        b.hi[axis] = slab.hi[axis];
        if (face->stage && points_of(&b) > 0)
            face->stage(p, &b, 1);
    }
}

static void fill_tile_borders(program *p, int f, const tile *t, const int64_t *shift)
{
    if (is_still[f] && (p->kept[f] >> (place_of(p, f, 1) & 63) & 1))
        return;
    set_time(p, p->step + 1);
    for (int axis = 0; axis < DIMENSIONS; axis++)
        for (int side = 0; side < 2; side++)
            fill_tile_face(p, f, axis, side, t, shift);
    set_time(p, p->step);
}

static box common_box(const box *a, const box *b)
{
    box c;

    for (int axis = 0; axis < 3; axis++) {
        c.lo[axis] = a->lo[axis] > b->lo[axis] ? a->lo[axis] : b->lo[axis];
        c.hi[axis] = a->hi[axis] < b->hi[axis] ? a->hi[axis] : b->hi[axis];
    }
    return c;
}

/* Of the n-th step of a time block, of which p has the levels and numbers. */
static void do_operation(program *p, const operation *o, int n, const tile *t)
{
    int64_t shift[3];
    spans at[3];
    box b;

    for (int axis = 0; axis < 3; axis++) {
        shift[axis] = (int64_t)n * step_skew[axis] + o->skew[axis];
        at[axis] = points_of_tile(&t->axes[axis], t->at[axis], shift[axis]);
    }
    for (int k = 0; nth_box(at, k, &b); k++) {
        const box own = common_box(&b, o->box);
        if (points_of(&own) > 0)
            o->stage(p, &own);
    }
    for (int k = 0; k < o->stores; k++)
        fill_tile_borders(p, o->stored[k], t, shift);
}

/* ---- columns ---- */

typedef struct rolling {
    program *program;
    int depth;
    tile_axis axes[3];
    int64_t columns, tiles, behind;
    atomic_llong next; /* column that nobody has taken */
} rolling;

static void wait_for_column(const rolling *r, int64_t column, int64_t tiles)
{
    const int64_t most = tiles < r->tiles ? tiles : r->tiles;

    for (int n = 0;
         column >= 0 && atomic_load(&r->program->progress[column].tiles) < most; n++)
        if (n > SPINS)
            sched_yield();
}

static void roll(const rolling *r, program *step, int64_t column)
{
    tile t = {.axes = r->axes};

    t.at[ACROSS] = column;
    for (int64_t k = 0; k < r->tiles; k++) {
        t.at[SWEEP] = k;
        wait_for_column(r, column - 1, k + r->behind);
        for (int n = 0; n < r->depth; n++)
            for (int o = 0; o < OPERATIONS; o++)
                do_operation(&step[n], &operations[o], n, &t);
        atomic_store(&r->program->progress[column].tiles, k + 1);
    }
}

static void next_step(program *p)
{
    rotate(p);
    p->step++;
    begin_step(p);
}

/* A thread has the levels and numbers of all steps for itself. */
static void take_columns(void *argument, int64_t thread)
{
    rolling *const r = argument;
    team alone = {.threads = 1};
    program step[MOST_DEPTH];

    (void)thread;
    step[0] = *r->program;
    step[0].team = &alone;
    step[0].in_tile = 1;
    for (int n = 0; n < STAGES; n++)
        step[0].trial[n].calls = ROUNDS * WAYS; /* a tile tries nothing */
    for (int n = 1; n < r->depth; n++) {
        step[n] = step[n - 1];
        next_step(&step[n]);
    }
    for (int64_t column; (column = atomic_fetch_add(&r->next, 1)) < r->columns;)
        roll(r, step, column);
}

/* So narrow that each thread gets a column, where nobody asked for a width. */
static int64_t width_across(const program *p, const tiling *w)
{
    const int64_t share = extent[ACROSS] / p->team->threads / ACROSS_UNIT * ACROSS_UNIT;
    const int fits = share > 0 && share >= 2 * step_skew[ACROSS];

    return NARROWS && fits && share < w->across ? share : w->across;
}

static void take_block(program *p, const tiling *w, int depth)
{
    rolling r = {.program = p, .depth = depth, .behind = 2};

    for (int axis = 0; axis < 3; axis++)
        r.axes[axis] = cut_axis(axis,
                                axis == ACROSS  ? width_across(p, w)
                                : axis == SWEEP ? w->along
                                                : 0,
                                depth);
    r.tiles = r.axes[SWEEP].tiles;
    r.columns = r.axes[ACROSS].tiles;
    for (int64_t n = 0; n < r.columns; n++)
        atomic_store(&p->progress[n].tiles, 0);
    begin_step(p);
    team_run(p->team, take_columns, &r);
    for (int n = 1; n < depth; n++)
        next_step(p);
    rotate(p);
    p->step++;
    set_time(p, p->step);
}

/* ---- which tiling is the fastest ---- */

static void take_step(program *p);

static int rows_are_tried(const program *p)
{
    for (int n = 0; n < OPERATIONS; n++)
        if (operations[n].number >= 0 &&
            p->trial[operations[n].number].calls < ROUNDS * WAYS)
            return 0;
    return 1;
}

static int blocks_are_tried(const program *p)
{
    return TILES_ASKED || p->blocks == ROUNDS * (TILINGS + 1);
}

/* The number of one, or TILINGS: a single step. Once rows are tuned, blocks of all kinds
 * are tried in turn; they change no value. */
static int tiling_of(const program *p, int64_t most)
{
    int best = TILINGS;

    if (most < 2 || (!TILES_ASKED && !rows_are_tried(p)))
        return TILINGS;
    if (TILES_ASKED)
        return 0;
    if (!blocks_are_tried(p))
        return p->blocks % (TILINGS + 1);
    for (int n = 0; n < TILINGS; n++)
        if (p->block_seconds[n] < p->block_seconds[best])
            best = n;
    return best;
}

static void note_block(program *p, int way, double seconds)
{
    if (p->blocks <= TILINGS || seconds < p->block_seconds[way])
        p->block_seconds[way] = seconds;
    p->blocks++;
}

/* Of `most` steps that nothing interrupts takes some; gives their number. */
static int64_t take_steps(program *p, int64_t most)
{
    const int way = tiling_of(p, most);
    const int tries = most > 1 && rows_are_tried(p) && !blocks_are_tried(p);
    const int64_t deep = way < TILINGS ? tilings[way].depth : 1;
    const int64_t blocks = (most + deep - 1) / deep;
    const int depth = (int)((most + blocks - 1) / blocks); /* blocks alike */
    const double begun = clock_now();

    if (way < TILINGS)
        take_block(p, &tilings[way], depth);
    else
        take_step(p);
    if (tries)
        note_block(p, way, (clock_now() - begun) / depth);
    return depth;
}
