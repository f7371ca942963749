/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions on a GPU: kernels leave a value for each piece of a row; pieces fold to
 * rows, rows to planes, planes to one, from one memory to another and back. What only the
 * step reads stays where its stages find it (gpu_scalars.c); for others the host waits,
 * once for all of a stage, since they are uniforms from then on. */
#include "exec/gpu/gpu_private.h"

typedef struct folding {
    gpurun *gpu;
    double *from, *to, *place; /* place: where the last one leaves its value */
    reduction_kind kind;
} folding;

typedef struct fold_level {
    int64_t first, count, groups;
} fold_level;

static pav_status fold(folding *f, const fold_level *l, bool last)
{
    const emit_gpu_reductions a = {f->from,   last ? f->place : f->to, l->first, l->count,
                                   l->groups, (int64_t)f->kind};
    double *const to = f->to;
    f->to = f->from;
    f->from = to;
    return gpu_call_common(f->gpu, f->gpu->set->reductions, l->groups, &a, sizeof a);
}

/* Groups of one stay where they are, unless that is all there is. rows: NULL, or where to
 * leave those. */
static pav_status fold_one(folding *f, const emit_gpu_work *w, double *rows)
{
    const int64_t ny = w->hi[1] - w->lo[1], nz = w->hi[2] - w->lo[2];
    const fold_level level[MAX_DIM] = {{reduction_piece(w->lo[0]), w->folds[0], ny * nz},
                                       {w->lo[1], ny, nz},
                                       {w->lo[2], nz, 1}};
    int last = MAX_DIM - 1;
    while (last > 0 && level[last].count == 1)
        last--;
    if (rows && level[0].count > 1)
        TRY(fold(f, &level[0], false));
    if (rows)
        return gpu_download(f->gpu->gpu, rows, f->from, ny * nz * (int64_t)sizeof *rows);
    for (int n = 0; n <= last; n++)
        if (level[n].count > 1 || n == last)
            TRY(fold(f, &level[n], n == last));
    return PAV_OK;
}

pav_status gpu_reduce(gpurun *g, const interp_args *args, const emit_gpu_work *w)
{
    const int64_t all = (w->hi[1] - w->lo[1]) * (w->hi[2] - w->lo[2]);
    double *value = w->fold, *rows = args->rows;
    for (int64_t k = 0; k < args->stage->outputs; k++) {
        const ir_output *o = &args->stage->output[k];
        folding f = {g, value, g->rows, g->scalar + o->uniform, o->reduction};
        if (o->kind != IR_REDUCE)
            continue;
        TRY(fold_one(&f, w, rows));
        rows = rows ? rows + all : NULL;
        value += w->folds[2];
    }
    return args->rows ? PAV_OK : gpu_scalars_take(g, args);
}
