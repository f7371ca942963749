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
static void make_room_there(part *s, int64_t count)
{
    if (count <= s->fold_room)
        return;
    PROGRAM_gpu_give(s->fold);
    s->fold = PROGRAM_gpu_take(count * (int64_t)sizeof *s->fold);
    s->fold_room = count;
}

/* Where what a part leaves of rows begins among that of all. */
static int64_t rows_before(const work *w, const box *b, const box *of_part)
{
    return (of_part->lo[1] - b->lo[1]) * w->folds[0] +
           (of_part->lo[2] - b->lo[2]) * w->folds[1];
}

/* Each part leaves a value for each piece of its rows; they are joined here. */
static void reduce_parts(program *p, gpu_stage *stage, kernel *k, const slot *s,
                         int slots, const box *b, traffic t, const reduction *r,
                         int count)
{
    grid g[MOST_SLOTS];
    const box here = box_here(p, b);
    box own;
    grids_here(p, s, slots, g);
    work w = work_of(p, g, b, &t);

    if (points_of(b) == 0 || !make_room(p, count * w.folds[2]))
        return;
    for (part *of = NULL; (of = next_gpu(p, of, b, &own));) {
        make_room_there(of, count * w.folds[2]);
        call_gpu(p, of, stage, s, slots, &own, of->fold);
    }
    if (k && points_of(&here) > 0) {
        w.reduce = p->reduced + rows_before(&w, b, &here);
        run_work(p, k, &w, &here, &t);
    }
    for (part *of = NULL; (of = next_gpu(p, of, b, &own));) {
        const int64_t values = w.folds[0] * (own.hi[1] - own.lo[1]) *
                               (own.hi[2] - own.lo[2]);
        for (int n = 0; n < count; n++)
            PROGRAM_gpu_download(p->reduced + n * w.folds[2] + rows_before(&w, b, &own),
                                 of->fold + n * values,
                                 values * (int64_t)sizeof *p->reduced);
    }
    for (int n = 0; n < count; n++)
        p->uniform[r[n].uniform] = reduce_all(r[n].kind, &w, b,
                                              p->reduced + n * w.folds[2]);
}

#endif
static void run_reductions(program *p, kernel *k, const grid *g, const box *b, traffic t,
                           const reduction *r, int count)
{
    work w = work_of(p, g, b, &t);

    if (points_of(b) == 0 || !make_room(p, count * w.folds[2]))
        return;
    w.reduce = p->reduced;
    run_work(p, k, &w, b, &t);
    for (int n = 0; n < count; n++)
        p->uniform[r[n].uniform] = reduce_all(r[n].kind, &w, b,
                                              p->reduced + n * w.folds[2]);
}
