/* SPDX-License-Identifier: BSD-3-Clause */
/* ---- time tiles -------------------------------------------------------------------- */

/* A time tile takes several steps of a small box while its points are in a core's caches.
 * Tiles of a column follow each other along SWEEP, and columns stand side by side along
 * ACROSS. A thread takes a column, and stays some tiles behind the column before. */

/* An operation of a step: a stage, and then the borders of the fields stored by it. */
typedef void stage_call(program *p, const box *b);
typedef struct operation {
    stage_call *stage;
    int number;     /* of the stage; -1: all sources */
    const box *box; /* all points of the operation */
    int skew[3];    /* distance behind the first operation of the step */
    int stores, stored[MOST_STORED];
} operation;
static const operation operations[OPERATIONS];
static const int step_skew[3];     /* distance of a step behind the step before */
static const int within_skew[3];   /* largest skew of an operation */
static const int64_t extent[3];    /* points of the grid */
static const int wraps[3];         /* periodic axes */
static const int is_still[FIELDS]; /* fields with borders that never change */
static const time_ends field_ends[FIELDS][3];

/* The steps of a tile, and its points along ACROSS and SWEEP. 0: all points. */
typedef struct tiling {
    int depth, across, along;
} tiling;
static const tiling tilings[TILINGS];
static void begin_step(program *p);

/* ---- a tile ---- */

/* The present operation of a tile, or the border of a field after it. `p` has the levels
 * and numbers of the present step. */
typedef struct doing {
    program *p;
    const operation *operation;
    int field;
} doing;

static void do_part(void *user, const box *b)
{
    const doing *const d = user;
    const box own = box_common(*b, *d->operation->box);

    if (box_points(own) > 0)
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
    if (face->stage && box_points(b) > 0)
        face->stage[0](d->p, &b, 1); /* no layers: they are computed in single steps */
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

/* Each thread has its own copies of the run, one for each step of the block. */
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
    walk_take(&r->program->walk, thread, step);
}

/* Unless a width was requested, columns are narrow enough for each thread to get one. */
static int64_t width_across(const program *p, const tiling *w)
{
    const int64_t share = extent[ACROSS] / p->team->threads / ACROSS_UNIT * ACROSS_UNIT;
    const int fits = share > 0 && share >= 2 * step_skew[ACROSS];

    return NARROWS && fits && share < w->across ? share : w->across;
}

static void take_block(program *p, const tiling *w, int depth)
{
    rolling r = {.program = p, .depth = depth};
    walk *const k = &p->walk;

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

/* Makes room for the most columns; false: memory ran out. */
static bool open_tiles(program *p)
{
    p->walk.rows = 1;
    p->walk.columns = MOST_COLUMNS;
    return walk_open(&p->walk, p->team->threads);
}

/* ---- the choice of a tiling -------------------------------------------------------- */

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
        tuner_next_candidate(m, false);
    return depth;
}
