/* SPDX-License-Identifier: BSD-3-Clause */
/* ---- the GPU's copy of the fields -------------------------------------------------- */

/* The start is computed here and goes to the GPU, where the steps are taken; what
 * an observer reads comes back when it is asked for. */
typedef void gpu_stage(const PROGRAM_call *c);

/* Bit of a level in p->here; fields of more levels have none. */
INLINE unsigned long long bit_of(const program *p, int f, int level)
{
    return field[f].levels <= 64 ? 1ULL << place_of(p, f, level) : 0;
}

INLINE view view_there(const program *p, int f, int level)
{
    view v = field[f].shape;

    v.data = p->there[f] + field[f].first + place_of(p, f, level) * field[f].apart;
    return v;
}

/* Bytes of a level, ghosts included, and how far before point (0, 0, 0) they begin. */
typedef struct level_span {
    int64_t before, bytes;
} level_span;

static level_span span_of(int f)
{
    const view *const v = &field[f].shape;
    const int64_t size = (int64_t)pav_type_size(v->type);
    level_span s = {0, size};

    for (int axis = 0; axis < 3; axis++) {
        const int64_t stride = axis == 0 ? size : v->stride[axis] * size;
        s.before += v->halo[axis][0] * stride;
        s.bytes += (v->halo[axis][0] + v->extent[axis] - 1 + v->halo[axis][1]) * stride;
    }
    return s;
}

static void download(program *p, int f, int level)
{
    const level_span s = span_of(f);

    if (!p->running || (p->here[f] & bit_of(p, f, level)))
        return;
    PROGRAM_gpu_download((char *)view_of(p, f, level).data - s.before,
                         (char *)view_there(p, f, level).data - s.before, s.bytes);
    p->here[f] |= bit_of(p, f, level);
}

static void upload(program *p, int f, int level)
{
    const level_span s = span_of(f);

    if (p->running)
        PROGRAM_gpu_upload((char *)view_there(p, f, level).data - s.before,
                           (char *)view_of(p, f, level).data - s.before, s.bytes);
}

static UNUSED void changed_there(program *p, int f, int level)
{
    p->here[f] &= ~bit_of(p, f, level);
}

static void give_memory(program *p)
{
    for (int f = 0; f < FIELDS; f++)
        PROGRAM_gpu_give(p->there[f]);
    for (int n = 0; n < TABLES; n++)
        PROGRAM_gpu_give(p->table_memory_there[n]);
    PROGRAM_gpu_give(p->fold);
}

static void upload_all(program *p)
{
    PROGRAM_gpu_open();
    for (int f = 0; f < FIELDS; f++) {
        p->there[f] = PROGRAM_gpu_take(field[f].bytes);
        PROGRAM_gpu_upload(p->there[f], p->memory[f], field[f].bytes);
        p->here[f] = ~0ULL;
    }
    for (int n = 0; n < TABLES; n++) {
        const int64_t bytes = p->table_values[n] * (int64_t)sizeof(double);
        p->table_memory_there[n] = PROGRAM_gpu_take(bytes);
        PROGRAM_gpu_upload(p->table_memory_there[n], p->table_memory[n], bytes);
        p->table_there[n] = p->table_memory_there[n] + (p->table[n] - p->table_memory[n]);
    }
    p->running = 1;
}

static void call_gpu(program *p, gpu_stage *stage, const grid *g, const box *b,
                     double *fold)
{
    PROGRAM_call c = {
        .grid = g, .table = p->table_there, .uniform = p->uniform, .fold = fold};

    if (points_of(b) == 0)
        return;
    memcpy(c.lo, b->lo, sizeof c.lo);
    memcpy(c.hi, b->hi, sizeof c.hi);
    c.folds[0] = (((b->hi[0] - 1) & -(int64_t)PIECE) - (b->lo[0] & -(int64_t)PIECE)) /
                     PIECE +
                 1;
    c.folds[1] = c.folds[0] * (b->hi[1] - b->lo[1]);
    c.folds[2] = c.folds[1] * (b->hi[2] - b->lo[2]);
    stage(&c);
}

static UNUSED void run_gpu(program *p, gpu_stage *stage, const grid *g, const box *b)
{
    call_gpu(p, stage, g, b, NULL);
}
