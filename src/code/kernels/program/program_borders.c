/* SPDX-License-Identifier: BSD-3-Clause */
/* Borders, sources and reductions of generated programs. The build makes a text of each
 * part (cmake/embed.cmake). */

/* ==== program_borders ==== */
/* ---- the start of a level ---------------------------------------------------------- */

#if ON_GPU
/* Copies the points of the only part, once it works, like copy_points or zero_level. */
static void copy_points_there(view own, void *data, const int64_t *stride, int back)
{
    view other = own;

    other.data = data;
    memcpy(other.stride, stride, sizeof other.stride);
    PROGRAM_gpu_points(back ? &other : &own, back ? &own : &other);
}

#endif
/* Copies the points of level `from` to level `to`. */
static void copy_level(program *p, int f, int to, int from)
{
    const view other = view_of(p, f, from);

#if ON_GPU
    if (p->running) {
        copy_points_there(view_there(p, p->part, f, to),
                          view_there(p, p->part, f, from).data, other.stride, 0);
        return;
    }
#endif
    copy_points(view_of(p, f, to), other.data, other.stride, 0);
}

static void zero_level(program *p, int f, int level)
{
    const view v = view_of(p, f, level);
    const size_t size = pav_type_size(v.type);

#if ON_GPU
    if (p->running) {
        const view there = view_there(p, p->part, f, level);
        PROGRAM_gpu_points(&there, NULL);
        return;
    }
#endif
    for (int64_t k = 0; k < v.extent[2]; k++)
        for (int64_t j = 0; j < v.extent[1]; j++)
            memset(view_at(&v, 0, j, k), 0, (size_t)v.extent[0] * size);
}

/* ---- borders ----------------------------------------------------------------------- */

/* The ghosts beyond a face of a field are copies of points, values computed by a kernel,
 * or copies changed by a kernel. The kernel of FACE_VALUE also computes the outermost
 * points. */
enum { FACE_NONE, FACE_VALUE, FACE_BEYOND, FACE_COPY };
typedef void border_stage(program *p, const box *b, int level);
typedef struct face {
    int kind;
    ghost_map map;
    border_stage *const *stage;
    int layers; /* each layer of points has a stage; 0: one for all */
} face;
static const face faces[FIELDS][3][2];

typedef struct copying {
    const view *v;
    int axis, side, parts;
    ghost_map map;
    box across; /* one point along the axis, so that no thread cuts it */
} copying;

static void copy_part(void *argument, int64_t n)
{
    const copying *c = argument;
    box part;

    if (partition_box(&c->across, partition_axis(&c->across, c->parts), c->parts, n,
                      &part))
        ghost_fill_side(c->v, c->axis, c->side, c->map, &part);
}

static void copy_ghosts(program *p, const view *v, int axis, int side, ghost_map map,
                        const box *range)
{
    copying c = {v, axis, side, 1, map, *range};

    c.across.hi[axis] = c.across.lo[axis] + 1;
    if (box_points(c.across) == 0)
        return;
    if (box_points(c.across) < FEW_POINTS) {
        copy_part(&c, 0);
        return;
    }
    c.parts = p->team->threads;
    (void)crew_run(p->team, c.parts, copy_part, &c);
}

#if ON_GPU
static void copy_there(program *p, const part *s, int f, int level, int axis, int side,
                       const box *b)
{
    PROGRAM_ghosts g = {.view = view_there(p, s, f, level),
                        .axis = axis,
                        .side = side,
                        .map = (int)faces[f][axis][side].map};

    memcpy(g.lo, b->lo, sizeof g.lo);
    memcpy(g.hi, b->hi, sizeof g.hi);
    PROGRAM_gpu_ghosts(&g);
}

/* Periodic ghosts of the slowest axis are planes of the part at the other end. */
static int comes_from_other_end(const program *p, int f, int axis, int side)
{
    return PROGRAM_PARTS > 1 && p->running && axis == CUT &&
           (faces[f][axis][side].map & GHOST_WRAPS);
}

static void copy_face(program *p, int f, int level, int axis, int side, const box *range)
{
    const view v = view_of(p, f, level);
    const box here = box_here(p, range);
    box own;

    if (comes_from_other_end(p, f, axis, side)) {
        wrap_planes(p, f, level, side);
        return;
    }
    if (p->running)
        changed_there(p, f, level);
    for (part *s = NULL; (s = next_gpu(p, s, range, &own));)
        copy_there(p, s, f, level, axis, side, &own);
    copy_ghosts(p, &v, axis, side, faces[f][axis][side].map, &here);
}
#endif
#if ON_CPU
static void copy_face(program *p, int f, int level, int axis, int side, const box *range)
{
    const view v = view_of(p, f, level);

    copy_ghosts(p, &v, axis, side, faces[f][axis][side].map, range);
}
#endif

static void fill_face(program *p, int f, int level, int axis, int side)
{
    const face *const face = &faces[f][axis][side];
    const view v = view_of(p, f, level);
    const box range = border_box(&v, axis, side, face->kind == FACE_VALUE);

    if (face->kind == FACE_NONE)
        return;
    if (face->kind == FACE_COPY)
        copy_face(p, f, level, axis, side, &range);
    for (int n = 0; face->stage && n < (face->layers ? face->layers : 1); n++) {
        box layer = range;
        if (face->layers) { /* from the face outwards */
            layer.lo[axis] = side ? range.lo[axis] + n : range.hi[axis] - 1 - n;
            layer.hi[axis] = layer.lo[axis] + 1;
            if (layer.lo[axis] < range.lo[axis] || layer.hi[axis] > range.hi[axis])
                continue;
        }
        if (box_points(layer) > 0)
            face->stage[n](p, &layer, level);
    }
}

/* Fills the border axis by axis: x first, side - before side +. */
static void fill_border(program *p, int f, int level, int64_t step)
{
    set_time(p, step);
    for (int axis = 0; axis < DIMENSIONS; axis++)
        for (int n = 0; n < 2 * border_rounds(&field[f].shape, axis); n++)
            fill_face(p, f, level, axis, n % 2);
}

/* Fills a border that depends on neither time nor fields. Steps never change it, so each
 * level in the memory is filled once. */
static void keep_border(program *p, int f, int level, int64_t step)
{
    const unsigned long long bit = 1ULL << (place_of(p, f, level) & 63);

    if (!(p->kept[f] & bit))
        fill_border(p, f, level, step);
    if (field[f].levels <= 64)
        p->kept[f] |= bit;
}

/* ==== program_points ==== */
/* ---- points off the grid ----------------------------------------------------------- */

/* A grid point next to a position, its weight, and the number of the position. */
typedef struct neighbour {
    int64_t at[3];
    double weight;
    int64_t row;
} neighbour;

/* Operations of a sample of expressions. */
static double number_min(double a, double b)
{
    return a < b ? a : b;
}

static double number_max(double a, double b)
{
    return a > b ? a : b;
}

static double number_abs(double a)
{
    return fabs(a);
}

static double number_sqrt(double a)
{
    return sqrt(a);
}

static double number_pow(double a, double b)
{
    return b == 2 ? a * a : b == 3 ? a * a * a : f64_pow(a, b);
}

static double number_ricker(double f, double t)
{
    const double q = 3.14159265358979323846 * f * (t - 1.2 / f);

    return (1 - 2 * q * q) * f64_exp(-q * q);
}

static int is_masked(const program *p, int mask, const int64_t *at)
{
    const view v = view_of(p, mask, 0);

    return *(const uint8_t *)view_at(&v, at[0], at[1], at[2]) == 0;
}

static double value_at(const view *v, int64_t at);

/* The value at position n is a weighted sum of its neighbours first[n] to
 * first[n + 1] - 1, always in this order. */
static void sample_field(const program *p, int f, const neighbour *near,
                         const int64_t *first, int64_t count, double *value)
{
    const view v = view_of(p, f, 0);

#if ON_GPU
    download((program *)(uintptr_t)p, f, 0);
#endif
    for (int64_t n = 0; n < count; n++) {
        value[n] = 0;
        for (int64_t k = first[n]; k < first[n + 1]; k++) {
            const int64_t *const at = near[k].at;
            value[n] += near[k].weight *
                        value_at(&v, view_offset(&v, at[0], at[1], at[2]));
        }
    }
}

/* ==== program_reductions ==== */
/* ---- reductions -------------------------------------------------------------------- */

/* A reduction over all points of a box gives one number. */
typedef struct reduction {
    int kind, uniform;
} reduction;

/* Joins the values of all pieces of a box. The values of each reduction lie `apart` from
 * the values of the one before. */
static void join_pieces(program *p, const box *b, int64_t apart, const reduction *r,
                        int count)
{
    for (int n = 0; n < count; n++) {
        double *const value = p->reduced + n * apart;
        reduction_to_rows(r[n].kind, b, value);
        p->uniform[r[n].uniform] = reduction_of_rows(r[n].kind, b, value);
    }
}

static int make_room(program *p, int64_t count)
{
    if (count <= p->room)
        return 1;
    free(p->reduced);
    p->reduced = malloc((size_t)count * sizeof *p->reduced);
    p->room = p->reduced ? count : 0;
    p->failed |= !p->reduced;
    return !p->failed;
}

#if ON_GPU
static void make_room_there(part *s, int64_t count)
{
    if (count <= s->fold_room)
        return;
    PROGRAM_gpu_give(s->fold);
    s->fold = PROGRAM_gpu_take(count * (int64_t)sizeof *s->fold);
    s->fold_room = count;
}

/* The kernels of each part give a value for each piece of their rows. The host joins the
 * values of all parts. */
static void reduce_parts(program *p, gpu_stage *stage, kernel *k, const slot *s,
                         int slots, const box *b, traffic t, const reduction *r,
                         int count)
{
    grid g[MOST_SLOTS] = {{NULL, 0, 0}};
    const box here = box_here(p, b);
    box own;
    grids_here(p, s, slots, g);
    work w = work_of(p, g, b, &t);

    if (box_points(*b) == 0 || !make_room(p, count * w.folds[2]))
        return;
    for (part *of = NULL; (of = next_gpu(p, of, b, &own));) {
        make_room_there(of, count * w.folds[2]);
        call_gpu(p, of, stage, s, slots, &own, of->fold);
    }
    if (k && box_points(here) > 0) {
        w.reduce = p->reduced + reduction_offset(b, &here);
        run_work(p, k, &w, &here, &t);
    }
    for (part *of = NULL; (of = next_gpu(p, of, b, &own));) {
        const int64_t values = w.folds[0] * (own.hi[1] - own.lo[1]) *
                               (own.hi[2] - own.lo[2]);
        for (int n = 0; n < count; n++)
            PROGRAM_gpu_download(p->reduced + n * w.folds[2] + reduction_offset(b, &own),
                                 of->fold + n * values,
                                 values * (int64_t)sizeof *p->reduced);
    }
    join_pieces(p, b, w.folds[2], r, count);
}

#endif
static void run_reductions(program *p, kernel *k, const grid *g, const box *b, traffic t,
                           const reduction *r, int count)
{
    work w = work_of(p, g, b, &t);

    if (box_points(*b) == 0 || !make_room(p, count * w.folds[2]))
        return;
    w.reduce = p->reduced;
    run_work(p, k, &w, b, &t);
    join_pieces(p, b, w.folds[2], r, count);
}
