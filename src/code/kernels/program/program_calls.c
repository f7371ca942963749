/* SPDX-License-Identifier: BSD-3-Clause */
/* ---- kernels ----------------------------------------------------------------------- */

typedef void kernel(const work *);

/* The memory traffic of a kernel, for the choice of its loops. */
typedef struct traffic {
    int64_t bytes;   /* of a point, in all levels */
    int64_t passing; /* bytes of a point in the planes between its first and last use */
    int64_t rows;    /* read for one row of results */
    int stage;       /* number of the stage, whose loops are tuned; -1: they are not */
    int lines;       /* it takes whole lines along this axis (1: x); 0: it does not */
    int same_ends;   /* has_same_ends, for all levels that the kernel stores */
} traffic;

/* True if ghosts at the ends of rows are equal in all levels of the field, or will be
 * filled before they are read. Kernels may then store whole vectors there. */
static int has_same_ends(const program *p, int f)
{
    const int levels = field[f].levels;
    const unsigned long long all = levels < 64 ? (1ULL << levels) - 1 : 0;

    return p->begun && (p->kept[f] == 0 || p->kept[f] == all);
}

/* A kernel's box, cut along an axis for the threads. */
typedef struct call {
    kernel *kernel;
    work work;
    box box;
    int axis, parts;
} call;

static void call_part(void *argument, int64_t n)
{
    const call *c = argument;
    work w = c->work;
    box part;

    if (!partition_box(&c->box, c->axis, c->parts, n, &part))
        return;
    memcpy(w.lo, part.lo, sizeof w.lo);
    memcpy(w.hi, part.hi, sizeof w.hi);
    w.same_ends &= part.lo[0] == c->box.lo[0] && part.hi[0] == c->box.hi[0];
    if (w.reduce)
        w.reduce += reduction_offset(&c->box, &part);
    c->kernel(&w);
}

/* Rows of a block. The planes of a block fill three quarters of a core's own cache. */
static int64_t rows_within(const box *b, const traffic *t)
{
    const int64_t all = b->hi[1] - b->lo[1], width = b->hi[0] - b->lo[0];
    const int64_t rows = CORE_CACHE * 3 / 4 / (t->passing * width + 1) - (t->rows - 1);

    return b->hi[2] - b->lo[2] <= 1 || rows >= all ? all
           : rows > t->rows                        ? rows
                                                   : t->rows;
}

/* ---- loop schedules ---- */

enum { WAYS = 6, ROUNDS = 2 };

/* Several rows at once or one; with prefetch or without; streaming stores or not. */
static void set_way(work *w, int way)
{
    static const struct {
        int single, plain, other;
    } ways[WAYS] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}};

    w->several_rows = !ways[way].single;
    w->ahead = !ways[way].plain;
    w->streams ^= ways[way].other;
}

/* The schedule of `pavior gen --schedule`. */
static void set_asked(work *w)
{
    w->block = ASKED_BLOCK > 0 ? ASKED_BLOCK : w->hi[1] - w->lo[1];
    w->ahead = ASKED_AHEAD;
    w->several_rows = !ASKED_SINGLE;
    w->streams = ASKED_STREAM;
}

#if ON_TILES
/* The points of a time tile are in a core's caches: nothing is prefetched or streamed. */
static void set_tile(work *w)
{
    w->block = w->hi[1] - w->lo[1];
    w->ahead = 0;
    w->streams = 0;
    w->carried = 1;
    if (TILES_ASKED)
        w->several_rows = !ASKED_SINGLE;
}

#endif
static work work_of(program *p, const grid *g, const box *b, const traffic *t)
{
    tuner *const loops = t->stage < 0 ? NULL : &p->loops[t->stage];
    work w = {.grid = g,
              .table = p->table,
              .uniform = p->uniform,
              .same_ends = t->same_ends,
              .block = rows_within(b, t),
              .streams = box_points(*b) * t->bytes > ALL_CACHES};

    memcpy(w.lo, b->lo, sizeof w.lo);
    memcpy(w.hi, b->hi, sizeof w.hi);
    p->tries = !ASKED && loops && !p->in_tile && tuner_next(loops);
    if (loops && !p->in_tile)
        loops->done++;
    if (ASKED)
        set_asked(&w);
    else if (loops)
        set_way(&w, p->tries ? loops->current : loops->fastest);
    else
        set_way(&w, 0);
#if ON_TILES
    if (p->in_tile)
        set_tile(&w);
#endif
    reduction_sizes(b, w.folds);
    return w;
}

static void run_once(program *p, kernel *k, const work *w, const box *b, int lines)
{
    const int parts = box_points(*b) < FEW_POINTS || ASKED_ALONE ? 1 : p->team->threads;
    call c = {.kernel = k, .work = *w, .box = *b, .parts = parts};

    c.axis = partition_axis(b, c.parts);
    if (lines)
        c.axis = lines == 3 || b->hi[2] - b->lo[2] == 1 ? lines == 2 ? 0 : 1 : 2;
    if (parts > 1)
        (void)crew_run(p->team, parts, call_part, &c);
    else
        call_part(&c, 0);
}

/* A loop schedule changes no value, so the first calls of a stage try all of them. */
static void run_work(program *p, kernel *k, const work *w, const box *b, const traffic *t)
{
    const double begun = p->tries ? clock_seconds() : 0;

    run_once(p, k, w, b, t->lines);
    if (p->tries) {
        const double seconds = clock_seconds() - begun;
        tuner_time(&p->loops[t->stage], seconds, seconds);
    }
}

static void run_kernel(program *p, kernel *k, const grid *g, const box *b, traffic t)
{
    if (box_points(*b) > 0) {
        const work w = work_of(p, g, b, &t);
        run_work(p, k, &w, b, &t);
    }
}

/* Copies the points of other memory, with its own strides, to a level; or back. */
static void copy_points(view own, void *data, const int64_t *stride, int back)
{
    view other = own;
    const view *const from = back ? &own : &other, *const to = back ? &other : &own;

    other.data = data;
    memcpy(other.stride, stride, sizeof other.stride);
    for (int64_t k = 0; k < own.extent[2]; k++)
        for (int64_t j = 0; j < own.extent[1]; j++)
            memcpy(view_at(to, 0, j, k), view_at(from, 0, j, k),
                   (size_t)own.extent[0] * pav_type_size(own.type));
}

/* Fills a table from index `first` to `end` - 1. Kernels load whole vectors, so there is
 * memory before and behind the table. */
static void fill_table(program *p, int number, double value(int64_t), int64_t first,
                       int64_t end)
{
    enum { SLACK = 128 };
    double *const memory = calloc((size_t)(end - first + 2 * SLACK), sizeof *memory);

    p->failed |= !memory;
    p->table_memory[number] = memory;
#if ON_GPU
    p->table_values[number] = end - first + 2 * SLACK;
#endif
    if (!memory)
        return;
    for (int64_t n = first; n < end; n++)
        memory[SLACK + n - first] = value(n);
    p->table[number] = memory + SLACK - first;
}
