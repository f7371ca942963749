/* SPDX-License-Identifier: BSD-3-Clause */
/* ---- parts of the grid ------------------------------------------------------------- */

/* The start is computed here and goes to the parts' memory, where the steps are taken;
 * what an observer reads comes back when it is asked for. Each part computes its own
 * planes and then gets those of its neighbours that it reads. */
typedef void gpu_stage(const PROGRAM_call *c);

/* A level of a field. */
typedef struct slot {
    int field, level;
} slot;

static const int64_t FAR = INT64_C(1) << 60; /* beyond any grid */

/* By the shares, with as many planes each as are read beyond them, at least. */
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

/* What of a box the processors compute: all before the steps, then their part. */
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

/* The planes of a field that a part has, its own and its neighbours'. */
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

/* Bytes of planes from `from` to before `end`, ghosts included, and where they begin as
 * seen from point (0, 0, 0). */
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

/* A level of a part begins so many bytes after point (0, 0, 0), and is so long: kernels
 * load whole vectors, a little before its planes and behind them. */
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

/* As of all the grid; a part has some planes of it. */
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

/* Planes from `from` to before `end` of one part, to planes of another from `to` on. */
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

/* Each part gets what it reads of its neighbours. */
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

/* ---- copies here and there --------------------------------------------------------- */

/* Bit of a level in p->here; fields of more levels have none. */
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

/* The next part on a GPU with points in a box, after `before` (NULL: the first), and its
 * share of the box. The GPU is turned to. NULL: there are no more, or the start is not
 * over. */
static part *next_gpu(program *p, const part *before, const box *b, box *own)
{
    part *const end = p->part + (p->running ? PROGRAM_PARTS : 0);

    for (part *s = before ? p->part + (before - p->part) + 1 : p->part; s < end; s++) {
        *own = box_of_part(s, b);
        if (s->gpu < 0 || box_points(own) == 0)
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

/* A stage over a box: GPUs begin with their parts, then the processors do theirs. */
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
