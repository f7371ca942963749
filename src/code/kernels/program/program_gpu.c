/* SPDX-License-Identifier: BSD-3-Clause */
/* ---- parts of the grid ------------------------------------------------------------- */

/* The host computes the initial values and uploads them to the memory of the parts. Steps
 * run there. A level is downloaded when an observer reads it. Each part computes its own
 * planes, and then receives the planes of its neighbours within its reach. */
typedef void gpu_stage(const PROGRAM_call *c);

/* A level of a field. */
typedef struct slot {
    int field, level;
} slot;

static const int64_t FAR = INT64_C(1) << 60; /* beyond any grid */

/* Cuts the grid by the shares. Each part has at least the planes read by a neighbour. */
static void cut_parts(program *p)
{
    double all = 0, before = 0;
    int64_t at = 0;

    for (int n = 0; n < PROGRAM_PARTS; n++)
        all += PROGRAM_share[n];
    for (int n = 0; n < PROGRAM_PARTS; n++) {
        const int64_t left = PROGRAM_PARTS - n - 1, most = PLANES - left * LEAST_PLANES;
        p->part[n].gpu = PROGRAM_gpu[n];
        p->part[n].lo = n > 0 ? at : -FAR;
        before += PROGRAM_share[n];
        const int64_t end = (int64_t)((double)PLANES * before / all + 0.5);
        at = end < at + LEAST_PLANES ? at + LEAST_PLANES : end;
        at = at < most ? at : most;
        p->part[n].hi = left > 0 ? at : FAR;
    }
}

static box box_of_part(const part *s, const box *b)
{
    box own = *b;

    own.lo[CUT] = own.lo[CUT] < s->lo ? s->lo : own.lo[CUT];
    own.hi[CUT] = own.hi[CUT] > s->hi ? s->hi : own.hi[CUT];
    return own;
}

/* The points of a box computed by the processors: all points at the start, their own part
 * in steps. */
static box box_here(const program *p, const box *b)
{
    const box none = {{0, 0, 0}, {0, 0, 0}};

    if (!p->running)
        return *b;
    for (int n = 0; n < PROGRAM_PARTS; n++)
        if (p->part[n].gpu < 0)
            return box_of_part(&p->part[n], b);
    return none;
}

/* ---- memory of parts --------------------------------------------------------------- */

/* first_plane, end_plane: the planes of a field in the memory of a part, with planes of
 * its neighbours. */
static int64_t first_plane(const part *s, int f)
{
    return s->lo < 0 ? -field[f].shape.halo[CUT][0] : s->lo - field[f].reach[0];
}

static int64_t end_plane(const part *s, int f)
{
    const view *const v = &field[f].shape;

    return s->hi > v->extent[CUT] ? v->extent[CUT] + v->halo[CUT][1]
                                  : s->hi + field[f].reach[1];
}

static int64_t plane_bytes(int f)
{
    const view *const v = &field[f].shape;

    return (CUT > 0 ? v->stride[CUT] : 1) * (int64_t)pav_type_size(v->type);
}

/* Planes `from` to `end` - 1 with their ghosts, as bytes. `begin` is their distance from
 * point (0, 0, 0). */
typedef struct span {
    int64_t begin, bytes;
} span;

static span span_of(int f, int64_t from, int64_t end)
{
    const view *const v = &field[f].shape;
    const int64_t size = (int64_t)pav_type_size(v->type);
    span s = {from * plane_bytes(f), (end - from - 1) * plane_bytes(f) + size};

    for (int axis = 0; axis < CUT; axis++) {
        const int64_t stride = axis == 0 ? size : v->stride[axis] * size;
        s.begin -= v->halo[axis][0] * stride;
        s.bytes += (v->halo[axis][0] + v->extent[axis] - 1 + v->halo[axis][1]) * stride;
    }
    return s;
}

/* The memory of a level of a part on its GPU. begin_there: its first byte, as a distance
 * from point (0, 0, 0). bytes_there: its length. ROOM bytes before and behind the planes
 * are included, because kernels load whole vectors. */
enum { ROOM = 4096 };

static int64_t begin_there(const part *s, int f)
{
    return (span_of(f, first_plane(s, f), end_plane(s, f)).begin - ROOM) & -(int64_t)ROOM;
}

static int64_t bytes_there(const part *s, int f)
{
    const span all = span_of(f, first_plane(s, f), end_plane(s, f));

    return (all.begin + all.bytes + 2 * ROOM - begin_there(s, f)) & -(int64_t)ROOM;
}

/* The view has the extents of the whole grid, but only the planes of the part exist. */
static view view_there(const program *p, const part *s, int f, int level)
{
    view v = field[f].shape;

    v.data = s->there[f] + place_of(p, f, level) * bytes_there(s, f) - begin_there(s, f);
    return v;
}

static char *place_in(const program *p, const part *s, int f, int level)
{
    return s->gpu < 0 ? view_of(p, f, level).data : view_there(p, s, f, level).data;
}

/* Copies planes `from` to `end` - 1 of one part to the planes of another, beginning with
 * plane `to`. */
static void copy_planes(const program *p, const part *source, const part *target, int f,
                        int level, int64_t from, int64_t end, int64_t to)
{
    const span s = span_of(f, from, end), t = span_of(f, to, to + end - from);
    const char *const a = place_in(p, source, f, level) + s.begin;
    char *const b = place_in(p, target, f, level) + t.begin;

    if (from >= end)
        return;
    if (source->gpu >= 0 && target->gpu >= 0) {
        PROGRAM_gpu_copy(target->gpu, b, source->gpu, a, s.bytes);
    } else if (source->gpu >= 0) {
        PROGRAM_gpu_use(source->gpu);
        PROGRAM_gpu_download(b, a, s.bytes);
    } else {
        PROGRAM_gpu_use(target->gpu);
        PROGRAM_gpu_upload(b, a, s.bytes);
    }
}

/* Neighbours send each other the planes within their reach. */
static void exchange_planes(const program *p, int f, int level)
{
    const int *const reach = field[f].reach;

    for (int n = 0; p->running && n + 1 < PROGRAM_PARTS; n++) {
        const part *const a = &p->part[n], *const b = &p->part[n + 1];
        copy_planes(p, a, b, f, level, a->hi - reach[0], a->hi, a->hi - reach[0]);
        copy_planes(p, b, a, f, level, b->lo, b->lo + reach[1], b->lo);
    }
}

static void wrap_planes(const program *p, int f, int level, int side)
{
    const view *const v = &field[f].shape;
    const int64_t count = v->halo[CUT][side], end = v->extent[CUT];
    const part *const first = &p->part[0], *const last = &p->part[PROGRAM_PARTS - 1];

    if (side == 0)
        copy_planes(p, last, first, f, level, end - count, end, -count);
    else
        copy_planes(p, first, last, f, level, 0, count, end);
}

/* ---- copies between host and GPUs -------------------------------------------------- */

/* The bit of a level in p->here. Fields of more than 64 levels have no bits. */
INLINE unsigned long long bit_of(const program *p, int f, int level)
{
    return field[f].levels <= 64 ? 1ULL << place_of(p, f, level) : 0;
}

static void download(program *p, int f, int level)
{
    const part all = {.gpu = -1};

    if (!p->running || (p->here[f] & bit_of(p, f, level)))
        return;
    for (int n = 0; n < PROGRAM_PARTS; n++) {
        const part *const s = &p->part[n];
        const int64_t from = n > 0 ? s->lo : first_plane(s, f);
        const int64_t end = n + 1 < PROGRAM_PARTS ? s->hi : end_plane(s, f);
        if (s->gpu >= 0)
            copy_planes(p, s, &all, f, level, from, end, from);
    }
    p->here[f] |= bit_of(p, f, level);
}

static void upload(program *p, int f, int level)
{
    const part all = {.gpu = -1};

    for (int n = 0; p->running && n < PROGRAM_PARTS; n++) {
        const part *const s = &p->part[n];
        if (s->gpu >= 0)
            copy_planes(p, &all, s, f, level, first_plane(s, f), end_plane(s, f),
                        first_plane(s, f));
    }
}

static void changed_there(program *p, int f, int level)
{
    p->here[f] &= ~bit_of(p, f, level);
}

static void give_memory(program *p)
{
    for (int n = 0; n < PROGRAM_PARTS; n++) {
        part *const s = &p->part[n];
        if (s->gpu < 0 || !p->running)
            continue;
        PROGRAM_gpu_use(s->gpu);
        for (int f = 0; f < FIELDS; f++)
            PROGRAM_gpu_give(s->there[f]);
        for (int k = 0; k < TABLES; k++)
            PROGRAM_gpu_give(s->table_memory[k]);
        PROGRAM_gpu_give(s->fold);
    }
}

static void take_memory_there(const program *p, part *s)
{
    PROGRAM_gpu_use(s->gpu);
    for (int f = 0; f < FIELDS; f++)
        s->there[f] = PROGRAM_gpu_take(field[f].levels * bytes_there(s, f));
    for (int n = 0; n < TABLES; n++) {
        const int64_t bytes = p->table_values[n] * (int64_t)sizeof(double);
        s->table_memory[n] = PROGRAM_gpu_take(bytes);
        PROGRAM_gpu_upload(s->table_memory[n], p->table_memory[n], bytes);
        s->table[n] = s->table_memory[n] + (p->table[n] - p->table_memory[n]);
    }
}

static void upload_all(program *p)
{
    PROGRAM_gpu_open(PROGRAM_PARTS, PROGRAM_gpu);
    for (int n = 0; n < PROGRAM_PARTS; n++)
        if (p->part[n].gpu >= 0)
            take_memory_there(p, &p->part[n]);
    p->running = 1;
    for (int f = 0; f < FIELDS; f++) {
        for (int age = 0; age < field[f].levels; age++)
            upload(p, f, field[f].levels == 1 ? 0 : 1 - age);
        p->here[f] = ~0ULL;
    }
}

/* ---- work of parts ----------------------------------------------------------------- */

static void call_gpu(program *p, const part *of, gpu_stage *stage, const slot *s,
                     int slots, const box *b, double *fold)
{
    grid g[MOST_SLOTS];
    PROGRAM_call c = {.grid = g, .table = of->table, .uniform = p->uniform, .fold = fold};

    for (int n = 0; n < slots; n++) {
        const view v = view_there(p, of, s[n].field, s[n].level);
        g[n] = (grid){v.data, v.stride[1], v.stride[2]};
    }
    memcpy(c.lo, b->lo, sizeof c.lo);
    memcpy(c.hi, b->hi, sizeof c.hi);
    reduction_sizes(b, c.folds);
    stage(&c);
}

/* Selects the GPU of the next part with points in a box, and gives its points in `own`.
 * `before` is the part before; NULL: none. Returns NULL after the last part, and at the
 * start. */
static part *next_gpu(program *p, const part *before, const box *b, box *own)
{
    part *const end = p->part + (p->running ? PROGRAM_PARTS : 0);

    for (part *s = before ? p->part + (before - p->part) + 1 : p->part; s < end; s++) {
        *own = box_of_part(s, b);
        if (s->gpu < 0 || box_points(*own) == 0)
            continue;
        PROGRAM_gpu_use(s->gpu);
        return s;
    }
    return NULL;
}

static void grids_here(const program *p, const slot *s, int slots, grid *g)
{
    for (int n = 0; n < slots; n++)
        g[n] = grid_of(p, s[n].field, s[n].level);
}

/* Runs a stage over a box. GPUs begin first, and compute while the processors do. */
static void run_parts(program *p, gpu_stage *stage, kernel *k, const slot *s, int slots,
                      const box *b, traffic t)
{
    const box here = box_here(p, b);
    grid g[MOST_SLOTS];
    box own;

    for (part *of = NULL; (of = next_gpu(p, of, b, &own));)
        call_gpu(p, of, stage, s, slots, &own, NULL);
    grids_here(p, s, slots, g);
    if (k)
        run_kernel(p, k, g, &here, t);
}
