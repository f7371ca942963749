/* SPDX-License-Identifier: BSD-3-Clause */
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
    grid g[MOST_SLOTS];
    const box here = box_here(p, b);
    box own;
    grids_here(p, s, slots, g);
    work w = work_of(p, g, b, &t);

    if (box_points(b) == 0 || !make_room(p, count * w.folds[2]))
        return;
    for (part *of = NULL; (of = next_gpu(p, of, b, &own));) {
        make_room_there(of, count * w.folds[2]);
        call_gpu(p, of, stage, s, slots, &own, of->fold);
    }
    if (k && box_points(&here) > 0) {
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

    if (box_points(b) == 0 || !make_room(p, count * w.folds[2]))
        return;
    w.reduce = p->reduced;
    run_work(p, k, &w, b, &t);
    join_pieces(p, b, w.folds[2], r, count);
}
