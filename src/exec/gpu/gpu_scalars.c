/* SPDX-License-Identifier: BSD-3-Clause */
/* Scalars and reductions of a step on a GPU. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "exec/gpu/gpu_private.h"

/* ---- scalars ----------------------------------------------------------------------- */

/* Scalars kept on the GPU (codegen/gpu/cuda_argument.c). Reductions write them there, and
 * a small kernel before each stage computes the stage's kernel arguments from them. The
 * host fetches scalars only to run a stage of the step itself. */

/* Bytes of all uniforms: an upper bound for the numbers of any stage. */
static int64_t uniform_bytes(const ir *code)
{
    return (code->uniforms + 1) * (int64_t)sizeof(double);
}

int64_t gpu_scalars_bytes(const ir *code)
{
    return (code->step.count + 1) * uniform_bytes(code);
}

/* True if the kernels read their numbers from the GPU's memory. In an argument or in
 * constant memory, only the host can change them. */
static bool takes_pointer(const gpu_stage *s)
{
    for (int n = 0; n < s->variants; n++) {
        const schedule_uniforms where = s->variant[n].what.schedule.coefficients;
        if (s->variant[n].what.uniforms > 0 && where != UNIFORMS_GLOBAL &&
            where != UNIFORMS_SHARED)
            return false;
    }
    return true;
}

static bool can_stay(const gpurun *g)
{
    const ir *code = g->base.part->code;

    if (g->base.part->is_inner)
        return false; /* reductions of subdomains are joined on the host */
    for (int64_t n = 0; n < code->step.count; n++) {
        const int64_t index = code->step.stage[n];
        const gpu_stage *s = &g->stage[index];
        if (s->variants == 0 ||
            (emit_gpu_reads_live(code, &code->stage[index], g->live) &&
             !takes_pointer(s)))
            return false;
    }
    return uniform_bytes(code) <= GPU_MOST_ARGUMENT;
}

static pav_status open_stage(gpurun *g, int64_t n)
{
    const ir *code = g->base.part->code;
    const int64_t index = code->step.stage[n];
    gpu_stage *s = &g->stage[index];
    char name[EMIT_NAME], scalars[EMIT_NAME + 16];

    if (!emit_gpu_reads_live(code, &code->stage[index], g->live))
        return PAV_OK;
    emit_kernel_name(name, g->number, index);
    (void)snprintf(scalars, sizeof scalars, "%s_scalars", name);
    s->scalars = gpu_module_find(g->set->kernels, scalars);
    s->numbers = (char *)g->scalar + (n + 1) * uniform_bytes(code);
    return s->scalars ? PAV_OK
                      : FAIL(PAV_EINTERNAL, "the compiled kernels lack %s", scalars);
}

pav_status gpu_scalars_open(gpurun *g)
{
    const ir *code = g->base.part->code;

    TRY(gpurun_take(g, gpu_scalars_bytes(code), "scalars", (void **)&g->scalar));
    g->live = mem_new(code->uniforms + 1, sizeof *g->live);
    if (!g->live)
        return PAV_ENOMEM;
    if (!emit_gpu_live_scalars(code, g->live) || !can_stay(g)) {
        memset(g->live, 0, (size_t)code->uniforms);
        return PAV_OK;
    }
    g->scalars_on_device = true;
    for (int64_t n = 0; n < code->step.count; n++)
        TRY(open_stage(g, n));
    return PAV_OK;
}

void gpu_scalars_close(gpurun *g)
{
    mem_free(g->live);
}

pav_status gpu_scalars_upload(gpurun *g, const double *uniform)
{
    return g->scalars_on_device
               ? gpu_upload(g->gpu, g->scalar, uniform,
                            g->base.part->code->uniforms * (int64_t)sizeof *uniform)
               : PAV_OK;
}

pav_status gpu_scalars_download(gpurun *g, double *uniform)
{
    for (int64_t u = 0; g->scalars_on_device && u < g->base.part->code->uniforms; u++)
        if (g->live[u])
            TRY(gpu_download(g->gpu, &uniform[u], g->scalar + u, sizeof *uniform));
    return PAV_OK;
}

static bool is_read_back(const gpurun *g, const ir_output *o)
{
    return o->kind == IR_REDUCE && !g->live[o->uniform];
}

/* A single transfer from the first to the last result, so the host waits once. */
/* Fetches reductions of a stage that the host needs. */
static pav_status take_results(gpurun *g, const interp_args *args)
{
    int first = INT_MAX, last = -1;

    for (int64_t k = 0; k < args->stage->outputs; k++) {
        const ir_output *o = &args->stage->output[k];
        first = is_read_back(g, o) && o->uniform < first ? o->uniform : first;
        last = is_read_back(g, o) && o->uniform > last ? o->uniform : last;
    }
    if (last < first)
        return PAV_OK;
    double *all = mem_new(last - first + 1, sizeof *all);
    pav_status status = all ? gpu_download(g->gpu, all, g->scalar + first,
                                           (last - first + 1) * (int64_t)sizeof *all)
                            : PAV_ENOMEM;
    for (int64_t k = 0; k < args->stage->outputs && status == PAV_OK; k++) {
        const ir_output *o = &args->stage->output[k];
        if (is_read_back(g, o))
            args->uniform[o->uniform] = all[o->uniform - first];
    }
    mem_free(all);
    return status;
}

/* True if the scalars before the stage are computed on the GPU. */
static bool has_before(const gpurun *g, const interp_args *args)
{
    const int before = args->stage->before;

    return before >= 0 && args->code->stage[before].outputs > 0 &&
           g->live[args->code->stage[before].output[0].uniform];
}

pav_status gpu_scalars_before(gpurun *g, const gpu_stage *s, const interp_args *args)
{
    emit_gpu_scalars a = {.uniform = g->scalar, .to = s->numbers};
    const void *host;

    if (!s->scalars || !has_before(g, args))
        TRY(stage_before(args));
    if (!s->scalars)
        return PAV_OK;
    TRY(gpu_argument_ring_put(g->gpu, args->uniform,
                              args->code->uniforms * (int64_t)sizeof *args->uniform,
                              &host));
    a.host = host;
    const gpu_call call = {.kernel = s->scalars,
                           .blocks = {1, 1, 1},
                           .threads = {GPU_WARP, 1, 1},
                           .argument = &a,
                           .argument_bytes = sizeof a};
    return gpu_launch(g->gpu, &call);
}

/* ---- reductions -------------------------------------------------------------------- */

/* Reductions on a GPU. Kernels leave a value for each piece of a row. Pieces are reduced
 * to rows, rows to planes, planes to one value, between two buffers in turn. Results used
 * only by the step stay on the GPU (gpu_scalars.c). For other results the host waits once
 * for each stage, because they are uniforms from then on. */

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
    return args->rows ? PAV_OK : take_results(g, args);
}
