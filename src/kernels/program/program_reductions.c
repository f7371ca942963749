/* SPDX-License-Identifier: BSD-3-Clause */
/* ---- reductions -------------------------------------------------------------------- */

/* A value of a kernel over all points of a box becomes a number. */
typedef struct reduction {
    int kind, uniform;
} reduction;

/* A kernel leaves a value for each piece of a row: pieces to a row, rows to a plane,
 * planes to one, by one fixed tree, so that threads change no bit. */
static double reduce_all(int kind, const work *w, const box *b, double *value)
{
    const int64_t ny = b->hi[1] - b->lo[1], nz = b->hi[2] - b->lo[2];

    for (int64_t n = 0; n < ny * nz; n++)
        value[n] = reduce(kind, value + n * w->folds[0], piece_of(b->lo[0]), w->folds[0]);
    for (int64_t n = 0; n < nz; n++)
        value[n] = reduce(kind, value + n * ny, b->lo[1], ny);
    return reduce(kind, value, b->lo[2], nz);
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
static void make_room_there(program *p, int64_t count)
{
    if (count <= p->fold_room)
        return;
    PROGRAM_gpu_give(p->fold);
    p->fold = PROGRAM_gpu_take(count * (int64_t)sizeof *p->fold);
    p->fold_room = count;
}

/* The GPU leaves a value for each piece, which are joined here. */
static UNUSED void run_gpu_reductions(program *p, gpu_stage *stage, const grid *g,
                                      const box *b, const reduction *r, int count)
{
    const work w = work_of(p, g, b, &(traffic){1, 1, 1});
    const int64_t values = count * w.folds[2];

    if (points_of(b) == 0 || !make_room(p, values))
        return;
    make_room_there(p, values);
    call_gpu(p, stage, g, b, p->fold);
    PROGRAM_gpu_download(p->reduced, p->fold, values * (int64_t)sizeof *p->reduced);
    for (int n = 0; n < count; n++)
        p->uniform[r[n].uniform] = reduce_all(r[n].kind, &w, b,
                                              p->reduced + n * w.folds[2]);
}

#endif
static UNUSED void run_reductions(program *p, kernel *k, const grid *g, const box *b,
                                  traffic t, const reduction *r, int count)
{
    work w = work_of(p, g, b, &t);

    if (points_of(b) == 0 || !make_room(p, count * w.folds[2]))
        return;
    w.reduce = p->reduced;
    run_work(p, k, &w, b);
    for (int n = 0; n < count; n++)
        p->uniform[r[n].uniform] = reduce_all(r[n].kind, &w, b,
                                              p->reduced + n * w.folds[2]);
}
