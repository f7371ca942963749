/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions on a GPU: kernels leave a value for each piece of a row; pieces fold to rows, rows to planes, planes to
 * one, from one memory to another and back. The host waits for that one, since it is a uniform from then on. */
#include "run/gpu/gpu_private.h"
#include "run/host/kernel_private.h"

typedef struct folding {
    gpurun *gpu;
    double *from, *to;
    reduction_kind kind;
} folding;

/* Groups of one stay where they are. */
static pav_status fold(folding *f, int64_t first, int64_t count, int64_t groups)
{
    const emit_gpu_reductions a = {f->from, f->to,  first,
                                   count,   groups, (int64_t)f->kind};
    double *const to = f->to;
    if (count == 1)
        return PAV_OK;
    f->to = f->from;
    f->from = to;
    return gpu_call_common(f->gpu, f->gpu->set->folds, groups, &a, sizeof a);
}

/* rows: NULL, or where to leave those. */
static pav_status fold_one(folding *f, const emit_gpu_work *w, double *rows,
                           double *result)
{
    const int64_t ny = w->hi[1] - w->lo[1], nz = w->hi[2] - w->lo[2];
    TRY(fold(f, reduction_piece(w->lo[0]), w->folds[0], ny * nz));
    if (rows)
        return gpu_download(f->gpu->gpu, rows, f->from, ny * nz * (int64_t)sizeof *rows);
    TRY(fold(f, w->lo[1], ny, nz));
    TRY(fold(f, w->lo[2], nz, 1));
    return gpu_download(f->gpu->gpu, result, f->from, sizeof *result);
}

pav_status gpu_reduce(gpurun *g, const interp_args *args, const emit_gpu_work *w)
{
    const int64_t all = (w->hi[1] - w->lo[1]) * (w->hi[2] - w->lo[2]);
    double *value = w->fold, *rows = args->rows;
    for (int64_t k = 0; k < args->stage->outputs; k++) {
        const ir_output *o = &args->stage->output[k];
        folding f = {g, value, g->rows, o->reduction};
        if (o->kind != IR_REDUCE)
            continue;
        TRY(fold_one(&f, w, rows, &args->uniform[o->uniform]));
        rows = rows ? rows + all : NULL;
        value += w->folds[2];
    }
    return PAV_OK;
}
