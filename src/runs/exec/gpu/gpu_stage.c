/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages on a GPU: scalars and reductions of a step, the argument of a kernel with its
 * tensor maps, and the call. */
#include <assert.h>
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
            (emit_gpu_reads_live(code, &code->stage[index]) && !takes_pointer(s)))
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

    if (!emit_gpu_reads_live(code, &code->stage[index]))
        return PAV_OK;
    emit_kernel_name(name, g->number, index);
    (void)snprintf(scalars, sizeof scalars, "%s_scalars", name);
    s->scalars = gpu_module_find(g->set->kernels, scalars);
    s->numbers = (char *)g->scalar + (n + 1) * uniform_bytes(code);
    return s->scalars ? PAV_OK
                      : FAIL(PAV_EINTERNAL, "the compiled kernels lack %s", scalars);
}

pav_status gpu_scalars_upload(gpurun *g, const double *uniform)
{
    return g->scalars_on_device
               ? gpu_upload(g->gpu, g->scalar, uniform,
                            g->base.part->code->uniforms * (int64_t)sizeof *uniform)
               : PAV_OK;
}

static pav_status gpu_scalars_download(gpurun *g, double *uniform)
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

/* Fetches reductions of a stage that the host needs. A single transfer has all results
 * from the first to the last, so the host waits once. */
static pav_status take_results(gpurun *g, const interp_args *args)
{
    int first = INT_MAX, last = -1;

    for (const ir_output *o = NULL; (o = ir_next_output(args->stage, o));) {
        first = is_read_back(g, o) && o->uniform < first ? o->uniform : first;
        last = is_read_back(g, o) && o->uniform > last ? o->uniform : last;
    }
    if (last < first)
        return PAV_OK;
    OWNED_NEW(double, all, last - first + 1);
    TRY(gpu_download(g->gpu, all, g->scalar + first,
                     (last - first + 1) * (int64_t)sizeof *all));
    for (const ir_output *o = NULL; (o = ir_next_output(args->stage, o));)
        if (is_read_back(g, o))
            args->uniform[o->uniform] = all[o->uniform - first];
    return PAV_OK;
}

/* True if the scalars before the stage are computed on the GPU. */
static bool has_before(const gpurun *g, const interp_args *args)
{
    const int before = args->stage->before;

    return before >= 0 && args->code->stage[before].outputs > 0 &&
           g->live[args->code->stage[before].output[0].uniform];
}

static pav_status gpu_scalars_before(gpurun *g, const gpu_stage *s,
                                     const interp_args *args)
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
 * only by the step stay on the GPU (gpu_stage.c). For other results the host waits once
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
    enum { WARPS = EMIT_GPU_COMMON / GPU_WARP };
    const bool tiny = ((l->first ^ (l->first + l->count - 1)) & -EMIT_GPU_TINY) == 0;
    const int64_t each = tiny ? EMIT_GPU_COMMON : l->count <= EMIT_GPU_SHORT ? WARPS : 1;
    const int64_t blocks = (l->groups + each - 1) / each;
    return gpu_call_common(f->gpu, f->gpu->set->reductions, blocks, &a, sizeof a);
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

static pav_status gpu_reduce(gpurun *g, const interp_args *args, const emit_gpu_work *w)
{
    const int64_t all = (w->hi[1] - w->lo[1]) * (w->hi[2] - w->lo[2]);
    double *value = w->fold, *rows = args->rows;
    for (const ir_output *o = NULL; (o = ir_next_output(args->stage, o));) {
        folding f = {g, value, g->rows, g->scalar + o->uniform, o->reduction};
        if (o->kind != IR_REDUCE)
            continue;
        TRY(fold_one(&f, w, rows));
        rows = rows ? rows + all : NULL;
        value += w->folds[2];
    }
    return args->rows ? PAV_OK : take_results(g, args);
}

/* ---- tensor maps ------------------------------------------------------------------- */

/* Tensor maps of levels for copies by the tensor memory accelerator. Encoding one takes
 * the driver a microsecond, and levels rotate, so a stage remembers its maps. */

static bool same(const gpu_tensor_region *a, const gpu_tensor_region *b)
{
    return a->data == b->data && memcmp(a->count, b->count, sizeof a->count) == 0 &&
           memcmp(a->stride, b->stride, sizeof a->stride) == 0 &&
           memcmp(a->box, b->box, sizeof a->box) == 0;
}

static pav_status find(gpurun *g, gpu_known_tensors *known, const gpu_tensor_region *p,
                       uint64_t *map)
{
    for (int n = 0; n < GPU_KNOWN_TENSORS; n++)
        if (same(&known->part[n].part, p)) {
            memcpy(map, known->part[n].map, sizeof known->part[n].map);
            return PAV_OK;
        }
    /* Encodes a tensor map and stores it in place of the oldest one. */
    gpu_known_tensor *k = &known->part[known->learnt++ % GPU_KNOWN_TENSORS];
    gpu_map made;
    *k = (gpu_known_tensor){0};
    TRY(gpu_map_tensor(g->gpu, p, &made));
    k->part = *p;
    memcpy(k->map, made.word, sizeof k->map);
    memcpy(map, made.word, sizeof made.word);
    return PAV_OK;
}

pav_status gpu_tensors_put(gpurun *g, gpu_known_tensors *known,
                           const emit_gpu_tensor_box *list, int64_t boxes,
                           const emit_gpu_work *w, const emit_grid *grid, char *at)
{
    for (int64_t n = 0; n < boxes; n++, at += sizeof(emit_gpu_tensor)) {
        emit_gpu_tensor t = {{0}, {0}};
        emit_gpu_tensor_region p;
        emit_gpu_tensor_region_of(&list[n], w, grid, &p);
        gpu_tensor_region part = {.data = p.data};
        memcpy(part.count, p.count, sizeof part.count);
        memcpy(part.stride, p.stride, sizeof part.stride);
        memcpy(part.box, p.box, sizeof part.box);
        memcpy(t.first, p.first, sizeof t.first);
        TRY(find(g, known, &part, t.map));
        memcpy(at, &t, sizeof t);
    }
    return PAV_OK;
}

/* ---- arguments --------------------------------------------------------------------- */

/* The argument of a stage's kernel: the work, the levels, the tables, its numbers or a
 * pointer to them, and tensor maps. */

void gpu_put(char **at, const void *from, size_t bytes)
{
    memcpy(*at, from, bytes);
    *at += bytes;
}

static pav_status put_numbers(gpurun *g, const gpu_stage *s, const gpu_variant *v,
                              const double *uniform, char **at)
{
    const emit_gpu_kernel *k = &v->what;
    _Alignas(8) char numbers[GPU_MOST_ARGUMENT];
    const void *there = s->numbers;
    if (s->scalars) {
        gpu_put(at, &there, sizeof there);
        return PAV_OK;
    }
    emit_gpu_pack_uniforms(k, uniform, numbers);
    if (v->constant)
        return gpu_constant_set(v->constant, numbers);
    if (k->schedule.coefficients == UNIFORMS_ARGUMENT) {
        gpu_put(at, numbers, (size_t)k->number_bytes);
        return PAV_OK;
    }
    TRY(gpu_argument_ring_put(g->gpu, numbers, k->number_bytes, &there));
    gpu_put(at, &there, sizeof there);
    return PAV_OK;
}

static bool strides_are_alike(const gpu_stage *s)
{
    for (int64_t k = 1; k < s->slots; k++)
        if (s->grid[k].y != s->grid[0].y || s->grid[k].z != s->grid[0].z)
            return false;
    return true;
}

/* ---- stages ------------------------------------------------------------------------ */

/* Stages of a run on a GPU. A stage without a kernel runs on the host, and its inputs are
 * downloaded first. The host also runs the rare stage that stores a level under one name
 * and reads it under another. */

enum { MARK_BEGUN, MARK_DONE, MOST_ROW = 32 /* launches */ };

static gpu_stage *stage_of(const gpurun *g, const interp_args *args)
{
    return &g->stage[args->stage - args->code->stage];
}

/* ---- on the host ------------------------------------------------------------------- */

static const view **host_place(const gpurun *g, const emit_slot *slot)
{
    const int64_t at = g->base.part->view[slot->field] -
                       (const view *const *)g->base.part->views;
    return g->host_views + at + 1 - slot->level;
}

static pav_status bring(gpurun *g, const interp_args *args, const emit_slot *slot)
{
    const view *v = args->view[slot->field][1 - slot->level];
    return v ? mirrors_on_host(&g->base, slot->field, v,
                               slot->stored ? HOST_CHANGE : HOST_READ, NULL,
                               host_place(g, slot))
             : PAV_OK;
}

/* ---- on the GPU -------------------------------------------------------------------- */

static pav_status upload_mirrors(gpurun *g, const gpu_stage *s, const interp_args *args)
{
    for (int64_t k = 0; k < s->slots; k++) {
        const emit_slot *slot = &s->slot[k];
        TRY(mirrors_on_gpu(g, slot->field, args->view[slot->field][1 - slot->level],
                           slot->stored));
    }
    return PAV_OK;
}

/* argument: GPU_MOST_ARGUMENT bytes, all 0. */
static pav_status call_of(gpurun *g, gpu_stage *s, const gpu_variant *v,
                          const interp_args *args, const emit_gpu_work *w, char *argument,
                          gpu_call *call)
{
    *call = (gpu_call){.kernel = w->list ? s->list : v->call,
                       .argument = argument,
                       .argument_bytes = v->what.argument_bytes};
    const emit_gpu_kernel *k = &v->what;
    char *at = argument;
    if (k->alike && !strides_are_alike(s))
        return FAIL(PAV_EINTERNAL, "fields of one size have rows of different lengths");
    gpu_put(&at, w, sizeof *w);
    gpu_put(&at, s->grid, (size_t)s->slots * sizeof *s->grid);
    for (int64_t n = 0; n < k->tables; n++)
        gpu_put(&at, &g->table[k->table[n]], sizeof *g->table);
    if (k->uniforms > 0)
        TRY(put_numbers(g, s, v, args->uniform, &at));
    TRY(gpu_tensors_put(g, &s->known, k->part, k->parts, w, s->grid,
                        argument + k->argument_bytes -
                            k->parts * (int64_t)sizeof(emit_gpu_tensor)));
    emit_gpu_extent(args->code, &v->what, w, call->blocks, call->threads, &call->shared);
    return PAV_OK;
}

static pav_status launch(gpurun *g, gpu_stage *s, const gpu_variant *v,
                         const interp_args *args, const emit_gpu_work *w)
{
    _Alignas(16) char argument[GPU_MOST_ARGUMENT] = {0};
    gpu_call call;
    TRY(call_of(g, s, v, args, w, argument, &call));
    return gpu_launch(g->gpu, &call);
}

/* Number of launches in a row: together they last four times the shortest time measurable
 * alone. */
static int64_t row_of(const gpurun *g, double seconds)
{
    const double all = 4 * g->short_launch;
    return all < seconds * MOST_ROW ? (int64_t)(all / seconds) : MOST_ROW;
}

/* True if the stage stores over a level that it loads. */
static bool overwrites(const gpu_stage *s)
{
    for (int64_t k = 0; k < s->slots; k++)
        for (int64_t n = 0; n < k; n++)
            if (s->grid[n].data == s->grid[k].data)
                return true;
    return false;
}

static pav_status try(gpurun *g, gpu_stage *s, const gpu_variant *v,
                      const interp_args *args, const emit_gpu_work *w)
{
    _Alignas(16) char argument[GPU_MOST_ARGUMENT] = {0};
    double each, all;
    gpu_call call;
    TRY(call_of(g, s, v, args, w, argument, &call));
    /* Candidates in trials all sweep, and so have no reductions (emit_gpu_lack). A row of
     * launches has the effect of one, unless they overwrite their inputs. */
    TRY(gpu_mark(g->gpu, MARK_BEGUN));
    TRY(gpu_launch(g->gpu, &call));
    TRY(gpu_mark(g->gpu, MARK_DONE));
    TRY(gpu_seconds(g->gpu, MARK_BEGUN, MARK_DONE, &each));
    all = each;
    const int64_t more = each < g->short_launch && !overwrites(s) ? row_of(g, each) : 0;
    if (more != 0 && tuner_affords(&s->tuner.tuner, each, (double)more)) {
        TRY(gpu_time_row(g->gpu, &call, more, &each));
        all += (double)more * each;
    }
    gpu_tuner_measured(&s->tuner, each, all);
    return PAV_OK;
}

/* Precondition of kernels with vector loads and stores: rows begin at vector
 * boundaries. */
static bool vectors_are_whole(const gpurun *g, const gpu_stage *s, const gpu_variant *v)
{
    const int64_t width = v->what.schedule.thread.size[0];
    for (int64_t k = 0; k < s->slots && width > 1; k++) {
        const ir_field *f = &g->base.part->code->field[s->slot[k].field];
        const int64_t bytes = width * (int64_t)pav_type_size(f->storage);
        if ((intptr_t)s->grid[k].data % bytes != 0 || s->grid[k].y % width != 0 ||
            s->grid[k].z % width != 0)
            return false;
    }
    return true;
}

static emit_gpu_work work_of(const gpurun *g, const gpu_stage *s, const interp_args *args)
{
    emit_gpu_work w = {.same_ends = args->same_ends,
                       .fold = s->reductions ? g->reduced : NULL};
    box_bounds(&args->box, w.lo, w.hi);
    reduction_sizes(&args->box, w.folds);
    return w;
}

pav_status gpu_stage_run(executor *self, const interp_args *args)
{
    gpurun *g = (gpurun *)self;
    gpu_stage *s = stage_of(g, args);
    s->fills = false;
    if (s->group) {
        /* The first stage takes all. What stays in the group has no borders to fill. */
        s->fills = args->code->field[args->stage->output->field].within;
        return args->stage - args->code->stage == s->group->view->code.step.stage[0]
                   ? gpu_group_take(g, s->group)
                   : PAV_OK;
    }
    if (box_is_empty(&args->box)) {
        /* Reductions over an empty box, and the scalars before them. */
        TRY(gpu_scalars_download(g, args->uniform));
        TRY(interp_stage(args));
        return gpu_scalars_upload(g, args->uniform);
    }
    if (s->variants == 0 || !stage_grids(args, s->slot, s->slots, s->grid)) {
        interp_args there = *args;
        pav_status status = gpu_refresh_wrapped_ghosts(g, args->stage);
        if (status == PAV_OK)
            status = gpu_scalars_download(g, args->uniform);
        for (int64_t k = 0; k < s->slots && status == PAV_OK; k++)
            status = bring(g, args, &s->slot[k]);
        there.view = g->host_view;
        if (status == PAV_OK)
            status = g->host ? g->host->ops.stage(g->host, &there) : interp_stage(&there);
        for (int64_t k = 0; k < s->slots; k++)
            *host_place(g, &s->slot[k]) = NULL;
        return status == PAV_OK ? gpu_scalars_upload(g, args->uniform) : status;
    }
    emit_gpu_work w = work_of(g, s, args);
    TRY(gpu_scalars_before(g, s, args));
    TRY(stage_fits(args, &s->checked));
    TRY(upload_mirrors(g, s, args));
    /* The first calls over all points of a stage are timed as trials. */
    gpu_tuner_next(&s->tuner, &args->box);
    const gpu_candidate candidate = gpu_tuner_candidate(&s->tuner, &args->box);
    const gpu_variant *v = &s->variant[candidate.kernel];
    assert(vectors_are_whole(g, s, v));
    assert(stage_ends_lie_beyond(args, s->slot, s->slots));
    w.planes = candidate.planes;
    s->fills = gpu_ghost_images(g, s, v, args, &w);
    gpu_wrap(g, s, v, args, &w);
    if (!w.around)
        TRY(gpu_refresh_wrapped_ghosts(g, args->stage));
    TRY(gpu_tuner_is_trial(&s->tuner, &args->box) ? try(g, s, v, args, &w)
                                                  : launch(g, s, v, args, &w));
    return s->reductions ? gpu_reduce(g, args, &w) : PAV_OK;
}

pav_status gpu_stage_list(gpurun *g, const interp_args *args,
                          const int64_t (*list)[MAX_DIM], const double *weight,
                          int64_t count)
{
    gpu_stage *s = stage_of(g, args);
    emit_gpu_work w = work_of(g, s, args);
    w.list = list;
    w.weight = weight;
    w.count = count;
    if (!stage_grids(args, s->slot, s->slots, s->grid))
        return FAIL(PAV_EINTERNAL, "stage %s has no fields to work on",
                    args->stage->name);
    TRY(stage_before(args));
    TRY(stage_fits(args, &s->checked));
    TRY(upload_mirrors(g, s, args));
    TRY(gpu_refresh_wrapped_ghosts(g, args->stage));
    return launch(g, s, &s->variant[0], args, &w);
}

/* ---- opening ----------------------------------------------------------------------- */

/* NULL: the default. */
static const schedule *candidate_of(const gpurun *g, int variant, int64_t stage)
{
    const schedule *candidates = g->of_stage[0]       ? g->of_stage[variant]
                                 : g->set->candidates ? g->set->candidates[g->number]
                                                      : NULL;
    return candidates ? &candidates[stage] : NULL;
}

static bool reads_constant(const gpu_variant *v)
{
    return v->what.uniforms > 0 && v->what.schedule.coefficients == UNIFORMS_CONSTANT;
}

/* In a run's own set, each variant is a program. */
static pav_status find_variant(gpurun *g, gpu_stage *s, int64_t index)
{
    const ir *code = g->base.part->code;
    gpu_variant *v = &s->variant[s->variants];
    char name[EMIT_NAME];
    TRY(emit_gpu_kernel_of(code, &code->stage[index], candidate_of(g, s->variants, index),
                           &v->what));
    emit_shared_kernels_name(&g->set->shared, g->number + s->variants, index, name);
    v->call = gpu_module_find(g->set->kernels, name);
    emit_gpu_constant_name(name, g->number + s->variants, index);
    s->variants++;
    v->constant = reads_constant(v)
                      ? gpu_module_constant(g->set->kernels, name, v->what.number_bytes)
                      : NULL;
    return v->call && (v->constant || !reads_constant(v))
               ? PAV_OK
               : FAIL(PAV_EINTERNAL, "the compiled kernels lack %s of stage %lld",
                      v->call ? "the constants" : "that", (long long)index);
}

static bool has_variant(const gpurun *g, int n, int64_t index)
{
    return n == 0 || !g->of_stage[0]
               ? n == 0
               : n < EMIT_GPU_CANDIDATES && g->of_stage[n][index].kind != SCHEDULE_NONE;
}

/* The box of a stage, without points of other subdomains. A window out of core has no
 * points before its first visit. */
static box own_box(const gpurun *g, const ir_stage *stage)
{
    const subdomain *part = g->base.part;
    const box all = ir_stage_box(part->code, stage);
    return !part->grid || box_is_empty(&part->grid[stage->coarse].box)
               ? all
               : box_common(all, part->grid[stage->coarse].box);
}

static pav_status prepare_stage(gpurun *g, int64_t index)
{
    const ir *code = g->base.part->code;
    const ir_stage *stage = &code->stage[index];
    gpu_stage *s = &g->stage[index];
    const box b = own_box(g, stage);
    TRY(stage_slots(stage, &s->slot, &s->slots, &s->grid));
    if (!emit_gpu_has_kernel(code, stage))
        return PAV_OK;
    char name[EMIT_NAME], list[EMIT_NAME + 8];
    while (has_variant(g, s->variants, index))
        TRY(find_variant(g, s, index));
    emit_shared_kernels_name(&g->set->shared, g->number, index, name);
    (void)snprintf(list, sizeof list, "%s_list", name);
    s->list = gpu_module_find(g->set->kernels, list);
    const emit_gpu_kernel *what = &s->variant[0].what;
    s->slots = what->slots;
    memcpy(s->slot, what->slot, (size_t)s->slots * sizeof *s->slot);
    TRY(what->argument_bytes <= GPU_MOST_ARGUMENT
            ? PAV_OK
            : FAIL(PAV_EINTERNAL, "a kernel's argument has %lld bytes, more than %d",
                   (long long)what->argument_bytes, GPU_MOST_ARGUMENT));
    s->reductions = ir_reductions(stage);
    const int64_t asked = s->variant[0].what.schedule.planes;
    gpu_tuner_open(&s->tuner, &s->variant[0].what, s->variants, &b, code->dim - 1,
                   g->planes > 0 ? g->planes : asked);
    for (int n = 0; n < s->variants && g->planes == 0 && asked == 0; n++)
        gpu_tuner_begin_with(&s->tuner, n, code, &s->variant[n].what,
                             gpu_facts_of(g->gpu));
    gpu_tuner_limit(&s->tuner, g->client->ops->state(g->client->run).expected);
    return PAV_OK;
}

/* Finds uniforms set by reductions of a step and read only by its stages. They can stay
 * on the GPU. live: a flag for each uniform. Returns false if there are none. */
static bool has_live_scalars(const ir *code, bool *live)
{
    bool any = false;

    for (int64_t u = 0; u < code->uniforms; u++)
        any |= live[u] = code->uniform[u].live;
    return any;
}

pav_status gpu_stages_open(gpurun *g)
{
    g->short_launch = gpu_brief_launch;
    const ir *code = g->base.part->code;
    TRY(mem_take(&g->stage, code->stages + 1, sizeof *g->stage));
    for (int64_t n = 0; n < code->stages; n++)
        TRY(prepare_stage(g, n));
    TRY(gpurun_take(g, gpu_scalars_bytes(code), "scalars", (void **)&g->scalar));
    TRY(mem_take(&g->live, code->uniforms + 1, sizeof *g->live));
    if (!has_live_scalars(code, g->live) || !can_stay(g)) {
        memset(g->live, 0, (size_t)code->uniforms);
        return PAV_OK;
    }
    g->scalars_on_device = true;
    for (int64_t n = 0; n < code->step.count; n++)
        TRY(open_stage(g, n));
    return PAV_OK;
}

/* True if a stage is tuned or at rest, or the stages of the layers that replace it are
 * tuned. */
static bool parts_are_tuned(const gpurun *g, int stage)
{
    const ir_stage *s = &g->base.part->code->stage[stage];
    if (!subdomain_is_layered(g->base.part, stage))
        return s->rests || g->stage[stage].group ||
               gpu_tuner_is_tuned(&g->stage[stage].tuner);
    for (int axis = 0; axis < g->base.part->code->dim; axis++)
        if (s->strip[axis] != stage &&
            !gpu_tuner_is_tuned(&g->stage[s->strip[axis]].tuner))
            return false;
    return s->bare < 0 || gpu_tuner_is_tuned(&g->stage[s->bare].tuner);
}

bool gpu_stages_are_tuned(const executor *self)
{
    const gpurun *g = (const gpurun *)self;
    const ir_list *step = &g->base.part->code->step;
    for (int64_t n = 0; n < step->count; n++)
        if (!parts_are_tuned(g, step->stage[n]))
            return false;
    return true;
}
