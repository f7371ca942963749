/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions on a GPU. Kernels leave a value for each piece of a row. Pieces are reduced
 * to rows, rows to planes, planes to one value, between two buffers in turn. Results used
 * only by the step stay on the GPU (gpu_scalars.c). For other results the host waits once
 * for each stage, because they are uniforms from then on. */
#include "exec/gpu/gpu_private.h"

typedef struct folding {
    gpurun *gpu;
    double *from, *to, *place; /* place: target of the last fold */
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

/* A level with groups of one value is skipped, unless it is the last one. rows: NULL, or
 * the target for rows. */
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
