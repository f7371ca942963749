/* SPDX-License-Identifier: BSD-3-Clause */
/* ---- time tiles -------------------------------------------------------------------- */

/* Several steps of a piece of the grid one after the other, while it is in a core's
 * caches, by a walk. Tiles follow each other along SWEEP, in columns that stand side by
 * side along ACROSS. A thread takes a column, and keeps behind the one before. */

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
static const int within_skew[3];   /* the largest of an operation */
static const int64_t extent[3];    /* points of the grid */
static const int wraps[3];         /* axes that wrap around */
static const int is_still[FIELDS]; /* borders that steps leave as they are */
static const time_ends field_ends[FIELDS][3];

/* Steps of a tile; its points along ACROSS and SWEEP, 0: all. */
typedef struct tiling {
    int depth, across, along;
} tiling;
static const tiling tilings[TILINGS];
static void begin_step(program *p);

/* ---- a tile ---- */

/* An operation of the n-th step of a time block, of which p has the levels and numbers;
 * then the border of `field`. */
typedef struct doing {
    program *p;
    const operation *operation;
    int field;
} doing;

static void do_part(void *user, const box *b)
{
    const doing *const d = user;
    const box own = box_common(b, d->operation->box);

    if (box_points(&own) > 0)
        d->operation->stage(d->p, &own);
}

static void fill_tile_face(void *user, int axis, int side, const box *across)
{
    const doing *const d = user;
    const face *const face = &faces[d->field][axis][side];
    const view v = view_of(d->p, d->field, 1);
    box b = *across;

    if (face->kind == FACE_COPY)
        ghost_fill_side(&v, axis, side, face->map, &b);
    border_slab(&v, axis, side, face->kind == FACE_VALUE, &b);
    if (face->stage && box_points(&b) > 0)
        face->stage(d->p, &b, 1);
}

static void do_operation(program *p, const operation *o, int n, const walk_tile *t)
{
    doing d = {.p = p, .operation = o};
    int64_t shift[3];

    for (int axis = 0; axis < 3; axis++)
        shift[axis] = (int64_t)n * step_skew[axis] + o->skew[axis];
    walk_points(t, shift, do_part, &d);
    set_time(p, p->step + 1);
    for (int k = 0; k < o->stores; k++) {
        d.field = o->stored[k];
        if (!is_still[d.field] ||
            !(p->kept[d.field] >> (place_of(p, d.field, 1) & 63) & 1))
            walk_faces(t, shift, field_ends[d.field], fill_tile_face, &d);
    }
    set_time(p, p->step);
}

/* ---- columns ---- */

typedef struct rolling {
    program *program;
    int depth;
    time_axis axes[3];
} rolling;

/* A thread has the levels and numbers of all steps for itself. */
static void do_tile(void *user, const walk_place *at)
{
    const rolling *const r = user;
    program *const step = at->own;
    walk_tile t = {.axis = r->axes};

    t.at[ACROSS] = at->column;
    t.at[SWEEP] = at->tile;
    for (int n = 0; n < r->depth; n++)
        for (int o = 0; o < OPERATIONS; o++)
            do_operation(&step[n], &operations[o], n, &t);
}

static void next_step(program *p)
{
    rotate(p);
    p->step++;
    begin_step(p);
}

static void take_columns(void *argument, int64_t thread)
{
    rolling *const r = argument;
    crew alone = {.threads = 1};
    program step[MOST_DEPTH];

    step[0] = *r->program;
    step[0].team = &alone;
    step[0].in_tile = true;
    for (int n = 1; n < r->depth; n++) {
        step[n] = step[n - 1];
        next_step(&step[n]);
    }
    walk_take(r->program->walk, thread, step);
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
    rolling r = {.program = p, .depth = depth};
    walk *const k = p->walk;

    for (int axis = 0; axis < 3; axis++)
        r.axes[axis] = time_axis_of(
            extent[axis],
            axis == ACROSS  ? width_across(p, w)
            : axis == SWEEP ? w->along
                            : 0,
            wraps[axis], (depth - 1) * (int64_t)step_skew[axis] + within_skew[axis]);
    k->tile = do_tile;
    k->user = &r;
    k->tiles = r.axes[SWEEP].tiles;
    k->columns = r.axes[ACROSS].tiles;
    k->behind = 2;
    walk_begin(k, p->team->threads, 1);
    begin_step(p);
    (void)crew_run(p->team, p->team->threads, take_columns, &r);
    for (int n = 1; n < depth; n++)
        next_step(p);
    rotate(p);
    p->step++;
    set_time(p, p->step);
}

/* With room for the most columns; 0: memory ran out. */
static int open_tiles(program *p)
{
    p->walk = calloc(1, sizeof *p->walk);
    if (!p->walk)
        return 0;
    p->walk->rows = 1;
    p->walk->columns = MOST_COLUMNS;
    return walk_open(p->walk, p->team->threads);
}

static void close_tiles(program *p)
{
    if (p->walk)
        walk_close(p->walk);
    free(p->walk);
}

/* ---- which tiling is the fastest ---- */

static void take_step(program *p);

static bool loops_are_tuned(const program *p)
{
    for (int n = 0; n < OPERATIONS; n++)
        if (operations[n].number >= 0 && !tuner_is_over(&p->loops[operations[n].number]))
            return false;
    return true;
}

/* Takes some of the next `most` steps and returns their number. Nothing interrupts them.
 * When the loops are tuned, tilings are tried in turn; they change no value. */
static int64_t take_steps(program *p, int64_t most)
{
    tuner *const m = &p->tilings;
    const bool tuned = TILES_ASKED || loops_are_tuned(p);
    const bool tries = most > 1 && !TILES_ASKED && tuned && !tuner_is_over(m);
    const int way = most < 2 || !tuned ? TILINGS : tries ? m->current : m->fastest;
    const int64_t deep = way < TILINGS ? tilings[way].depth : 1;
    const int64_t blocks = (most + deep - 1) / deep;
    const int depth = (int)((most + blocks - 1) / blocks); /* all blocks alike */
    const double begun = clock_seconds();

    if (way < TILINGS)
        take_block(p, &tilings[way], depth);
    else
        take_step(p);
    if (tries && tuner_judge(m, (clock_seconds() - begun) / depth, depth, false, true) !=
                     TUNER_AGAIN)
        tuner_go_on(m, false);
    return depth;
}
