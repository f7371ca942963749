/* SPDX-License-Identifier: BSD-3-Clause */
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
    if (box_points(&c.across) == 0)
        return;
    if (box_points(&c.across) < FEW_POINTS) {
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
        if (box_points(&layer) > 0)
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
