/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of a GPU: fields and their mirrors on the host, and copies of points between
 * them. */
#include <stdio.h>
#include <string.h>

#include "exec/gpu/gpu_private.h"

/* ---- blocks ------------------------------------------------------------------------ */

/* Memory of a GPU taken by a run besides its fields, e.g. for tables, and freed with the
 * run; bytes needed for reductions and for buffers of fused launches. */

pav_status gpurun_take(gpurun *g, int64_t bytes, const char *what, void **memory)
{
    TRY(mem_extend(&g->memory, g->blocks + 1, sizeof *g->memory));
    TRY(gpu_take(g->gpu, bytes, what, memory));
    g->memory[g->blocks++] = *memory;
    g->bytes += bytes;
    return PAV_OK;
}

pav_status gpurun_give_list(gpurun *g, const void *from, int64_t bytes, const char *what,
                            void **memory)
{
    TRY(gpurun_take(g, bytes, what, memory));
    return gpu_upload(g->gpu, *memory, from, bytes);
}

void gpurun_reduction_counts(const ir *code, int64_t *values, int64_t *rows)
{
    *values = *rows = 0;
    for (int64_t k = 0; k < code->stages; k++) {
        const ir_stage *s = &code->stage[k];
        const box b = ir_stage_box(code, s);
        const int count = ir_reductions(s);
        int64_t size[MAX_DIM];
        if (count == 0 || !emit_gpu_has_kernel(code, s))
            continue;
        reduction_sizes(&b, size);
        *values = int64_most(count * size[2], *values);
        *rows = count * size[2] > 0 ? int64_most(size[2] / size[0], *rows) : *rows;
    }
}

int64_t place_reduction_bytes(const exec_place *p, const ir *code)
{
    int64_t values, rows;
    if (!p->executor)
        return 0;
    gpurun_reduction_counts(code, &values, &rows);
    return (values + rows) * (int64_t)sizeof(double) + gpu_scalars_bytes(code);
}

/* ---- mirrors ----------------------------------------------------------------------- */

/* Fields on a GPU and their host mirrors. A mirror is allocated at its first use. It has
 * the size of the whole buffer, including padding, so NaN between rows is copied, too.
 * Only stale copies are updated. */

/* ---- addresses of buffers ---------------------------------------------------------- */

static int64_t buffer_of(const gpurun *g, int64_t field, const view *v)
{
    return v - g->base.part->field[field].level;
}

static char *gpu_begin(const gpurun *g, int64_t field, const view *v)
{
    const levels *l = &g->base.part->field[field];
    return (char *)l->block + LEVELS_SLACK + buffer_of(g, field, v) * l->level_bytes;
}

/* ---- host mirrors ------------------------------------------------------------------ */

/* Fields in one buffer share its mirror. NULL: the view is no level of the field. */
static host_mirror *mirror_of(const gpurun *g, int64_t field, const view *v)
{
    const levels *l = &g->base.part->field[field];
    if (v < l->level || v >= l->level + l->count)
        return NULL;
    const int memory = g->base.part->code->field[field].memory;

    return &g->host_mirror[memory ? memory - 1 : field][buffer_of(g, field, v)];
}

static int64_t mirror_bytes(const levels *l)
{
    return l->level_bytes + 2 * LEVELS_SLACK;
}

/* The first point of a box, and the bytes from there to the last point. */
static char *place_of(const view *v, const box *range, int64_t *bytes)
{
    char *from = view_at(v, range->lo[0], range->lo[1], range->lo[2]);
    *bytes = (char *)view_at(v, range->hi[0], range->hi[1] - 1, range->hi[2] - 1) - from;
    return from;
}

pav_status mirrors_on_host(executor *self, int64_t field, const view *v, host_use how,
                           const box *range, const view **host)
{
    gpurun *g = gpurun_of(self);
    host_mirror *t = mirror_of(g, field, v);
    /* Begin of a level in the mirror; allocates the mirror at its first use. */
    const levels *l = &g->base.part->field[field];
    const bool is_first = !t->memory;
    if (is_first)
        t->memory = mem_big(mirror_bytes(l));
    if (!t->memory)
        return PAV_ENOMEM;
    char *const begin = t->memory + LEVELS_SLACK;
    t->host = *v;
    t->host.data = begin + ((const char *)v->data - gpu_begin(g, field, v));
    if (is_first) {
        memset(t->memory, 0xff, LEVELS_SLACK);
        memset(begin + l->level_bytes, 0xff, LEVELS_SLACK);
    }
    *host = &t->host;
    if (how == HOST_FILL && !t->host_is_new)
        memset(begin, 0xff, (size_t)l->level_bytes);
    else if (!t->host_is_new) {
        /* The bytes of the level between the first and the last point of a box. */
        int64_t from = 0, to = l->level_bytes;
        if (range) {
            from = place_of(v, range, &to) - gpu_begin(g, field, v);
            to += from;
        }
        g->downloads++;
        TRY(gpu_download(g->gpu, begin + from, gpu_begin(g, field, v) + from, to - from));
    }
    t->host_is_new = t->host_is_new || how != HOST_READ || !range;
    t->gpu_is_new = t->gpu_is_new && how == HOST_READ;
    return PAV_OK;
}

pav_status mirrors_on_gpu(gpurun *g, int64_t field, const view *v, bool stored)
{
    host_mirror *t = mirror_of(g, field, v);
    if (!t)
        return PAV_OK;
    if (!t->gpu_is_new) {
        g->uploads++;
        TRY(gpu_upload(g->gpu, gpu_begin(g, field, v), t->memory + LEVELS_SLACK,
                       g->base.part->field[field].level_bytes));
    }
    t->gpu_is_new = true;
    t->host_is_new = t->host_is_new && !stored;
    return PAV_OK;
}

/* ---- fields ------------------------------------------------------------------------ */

void mirrors_close(gpurun *g)
{
    const subdomain *part = g->base.part;
    for (int64_t f = 0; g->host_mirror && part->field && f < part->code->fields; f++) {
        for (int n = 0; g->host_mirror[f] && n < part->field[f].count; n++)
            mem_big_free(g->host_mirror[f][n].memory, mirror_bytes(&part->field[f]));
        mem_free(g->host_mirror[f]);
    }
    mem_free(g->host_mirror);
}

/* ---- common kernels ---------------------------------------------------------------- */

/* Calls of common kernels: ghosts that are copies; points copied, zeroed or filled; the
 * NaN check. */

int64_t gpu_blocks(int64_t count)
{
    return int_parts(count, EMIT_GPU_COMMON);
}

emit_gpu_view gpu_view_of(const view *v)
{
    return (emit_gpu_view){v->data, v->stride[1], v->stride[2], (int64_t)v->type};
}

/* A view with index 0 at the first point, along the axes `axis` .. `end` - 1. */
emit_gpu_view gpu_view_from_first(const view *v, int axis, int end)
{
    emit_gpu_view from = gpu_view_of(v);
    int64_t at[MAX_DIM] = {0};
    for (; axis < end; axis++)
        at[axis] = v->first[axis];
    from.data = view_at(v, at[0], at[1], at[2]);
    return from;
}

pav_status gpu_call_common(gpurun *g, gpu_kernel *k, int64_t blocks, const void *argument,
                           int64_t bytes)
{
    const gpu_call call = {.kernel = k,
                           .blocks = {blocks, 1, 1},
                           .threads = {EMIT_GPU_COMMON, 1, 1},
                           .argument = argument,
                           .argument_bytes = bytes};
    return blocks > 0 ? gpu_launch(g->gpu, &call) : PAV_OK;
}

/* A kernel of one GPU reads the memory of another, or of the same GPU. */
static pav_status copy_from(gpurun *g, gpu *other, const emit_gpu_view *to,
                            const emit_gpu_view *from, const box *range)
{
    emit_gpu_copy a = {.to = *to, .from = *from};
    const gpu_call call = {.kernel = g->set->copy,
                           .blocks = {gpu_blocks(box_points(*range)), 1, 1},
                           .threads = {EMIT_GPU_COMMON, 1, 1},
                           .argument = &a,
                           .argument_bytes = sizeof a};
    box_bounds(range, a.lo, a.hi);
    return other == g->gpu ? gpu_launch(g->gpu, &call)
                           : gpu_launch_reading(g->gpu, other, &call);
}

/* Copies points of a level to other memory of its GPU, or `back`. */
static pav_status copy_level(gpurun *g, int field, const view *v, const box *range,
                             const emit_gpu_view *other, bool back)
{
    const emit_gpu_view level = gpu_view_of(v);
    TRY(gpu_borders_done(g));
    TRY(mirrors_on_gpu(g, field, v, back));
    return copy_from(g, g->gpu, back ? &level : other, back ? other : &level, range);
}

pav_status gpu_copy_points(executor *self, int field, const view *to, const view *from,
                           progress_sink *progress)
{
    gpurun *g = gpurun_of(self);
    const emit_gpu_view target = gpu_view_of(to);
    emit_gpu_view source = {.type = (int64_t)to->type};
    const box all = view_points(to);
    (void)progress;
    if (from) {
        TRY(mirrors_on_gpu(g, field, from, false));
        source = gpu_view_of(from);
    }
    TRY(mirrors_on_gpu(g, field, to, true));
    return copy_from(g, g->gpu, &target, &source, &all);
}

/* ---- moves ------------------------------------------------------------------------- */

/* Copies boxes of whole rows between a field on a GPU and a store in the host's memory
 * with the same row stride: at once, or while stages run. */

static pav_status check_alike(const view *v, const view *host, const box *range)
{
    for (int axis = 1; axis < MAX_DIM; axis++)
        if (range->hi[axis] - range->lo[axis] > 1 &&
            v->stride[axis] != host->stride[axis])
            return FAIL(PAV_EINTERNAL, "rows lie otherwise on the GPU than in the store");
    return PAV_OK;
}

pav_status mirrors_move_rows(executor *self, int field, const view *v, const box *range,
                             const view *host, bool up)
{
    gpurun *g = gpurun_of(self);
    int64_t bytes;
    TRY(check_alike(v, host, range));
    TRY(gpu_borders_done(g));
    TRY(mirrors_on_gpu(g, field, v, up));
    char *there = place_of(v, range, &bytes), *here = place_of(host, range, &bytes);
    return up ? gpu_upload(g->gpu, there, here, bytes)
              : gpu_download(g->gpu, here, there, bytes);
}

/* ---- while stages run -------------------------------------------------------------- */

pav_status gpu_exchange_boxes(executor *self, const box_move *list, int64_t count)
{
    gpurun *g = (gpurun *)self;
    TRY(gpu_borders_done(g));
    mem_free(g->transfer);
    TRY(mem_take(&g->transfer, count + 1, sizeof *g->transfer));
    for (int64_t n = 0; n < count; n++) {
        const int axis = g->base.part->code->dim - 1;
        const box here = box_along(list[n].range, axis,
                                   list[n].range.lo[axis] + list[n].by,
                                   list[n].range.hi[axis] + list[n].by);
        TRY(check_alike(list[n].there, list[n].here, &list[n].range));
        TRY(mirrors_on_gpu(g, list[n].field, list[n].there, list[n].up));
        g->transfer[n] = (gpu_transfer){
            .here = place_of(list[n].here, &here, &g->transfer[n].bytes),
            .up = list[n].up};
        g->transfer[n].there = place_of(list[n].there, &list[n].range,
                                        &g->transfer[n].bytes);
    }
    return gpu_exchange_begin(g->gpu, g->transfer, count);
}

/* ---- boxes ------------------------------------------------------------------------- */

/* Copies boxes of points between fields of one GPU, and between a field and the host's
 * memory. Boxes for the host are packed on the GPU, so that transfers are dense. */

bool gpu_reads_fields(executor *self, executor *source)
{
    return source->ops.stage == self->ops.stage &&
           gpu_reads(((gpurun *)self)->gpu, ((gpurun *)source)->gpu);
}

pav_status gpu_copy_box(executor *self, int field, const view *to, const box *range,
                        executor *source, int of, const view *from, const int64_t *shift)
{
    gpurun *g = (gpurun *)self;
    const emit_gpu_view target = gpu_view_of(to);
    emit_gpu_view there = gpu_view_of(from);
    there.data = view_at(from, shift[0], shift[1], shift[2]);
    TRY(gpu_borders_done((gpurun *)source));
    TRY(gpu_borders_done(g));
    TRY(mirrors_on_gpu((gpurun *)source, of, from, false));
    TRY(mirrors_on_gpu(g, field, to, true));
    return copy_from(g, ((gpurun *)source)->gpu, &target, &there, range);
}

/* ---- by the host's memory ---------------------------------------------------------- */

static int64_t bytes_of(const view *v, const box *range)
{
    return box_points(*range) * (int64_t)pav_type_size(v->type);
}

/* A view of dense memory on the GPU that holds exactly the box. */
static emit_gpu_view dense_view(const view *v, const box *b, void *memory)
{
    const int64_t nx = b->hi[0] - b->lo[0], ny = b->hi[1] - b->lo[1];
    const int64_t first = b->lo[0] + nx * (b->lo[1] + ny * b->lo[2]);

    return (emit_gpu_view){(char *)memory - first * (int64_t)pav_type_size(v->type), nx,
                           nx * ny, (int64_t)v->type};
}

/* Allocates dense memory on the GPU for exactly the box. */
static pav_status take_dense(gpurun *g, const view *v, const box *range,
                             packed_box *staged, emit_gpu_view *dense)
{
    const int64_t bytes = bytes_of(v, range);
    if (staged->owner != &g->base || bytes > staged->room) {
        if (staged->owner)
            gpu_drop_box(staged->owner, staged);
        TRY(gpu_take(g->gpu, bytes, "halos on their way", &staged->memory));
        staged->owner = &g->base;
        staged->room = bytes;
    }
    *dense = dense_view(v, range, staged->memory);
    return PAV_OK;
}

static pav_status pack(gpurun *g, int field, const view *v, const box *range,
                       packed_box *staged)
{
    emit_gpu_view dense;
    TRY(take_dense(g, v, range, staged, &dense));
    return copy_level(g, field, v, range, &dense, false);
}

/* The values lie on the GPU. */
static pav_status unpack(gpurun *g, int field, const view *v, const box *range,
                         const packed_box *staged)
{
    const emit_gpu_view dense = dense_view(v, range, staged->memory);
    return copy_level(g, field, v, range, &dense, true);
}

pav_status gpu_read_box(executor *self, int field, const view *v, const box *range,
                        void *values)
{
    gpurun *g = (gpurun *)self;
    TRY(pack(g, field, v, range, &g->packed));
    return gpu_download(g->gpu, values, g->packed.memory, bytes_of(v, range));
}

pav_status gpu_write_box(executor *self, int field, const view *v, const box *range,
                         const void *values)
{
    gpurun *g = (gpurun *)self;
    emit_gpu_view dense;
    TRY(take_dense(g, v, range, &g->packed, &dense));
    TRY(gpu_upload(g->gpu, g->packed.memory, values, bytes_of(v, range)));
    return unpack(g, field, v, range, &g->packed);
}

void gpu_drop_box(executor *self, packed_box *staged)
{
    if (staged->memory)
        gpu_release(((gpurun *)self)->gpu, staged->memory);
    *staged = (packed_box){0};
}

/* ---- next to stages ---------------------------------------------------------------- */

pav_status gpurun_concurrent(executor *self, gpu_concurrent_step step)
{
    gpurun *g = (gpurun *)self;
    if (step == GPU_CONCURRENT_BEGIN)
        TRY(gpu_borders_done(g));
    return gpu_concurrent(g->gpu, step);
}

/* Ends the work on the second stream, whatever its status. */
static pav_status end_concurrent(gpurun *g, pav_status status)
{
    TRY(gpu_concurrent(g->gpu, GPU_CONCURRENT_END));
    return status;
}

pav_status gpu_pack_box(executor *self, int field, const view *v, const box *range,
                        packed_box *staged)
{
    gpurun *g = (gpurun *)self;
    TRY(gpurun_concurrent(self, GPU_CONCURRENT_BEGIN));
    return end_concurrent(g, pack(g, field, v, range, staged));
}

pav_status gpu_packed(executor *self, const packed_box *staged, int64_t bytes,
                      void *values)
{
    gpurun *g = (gpurun *)self;
    TRY(gpu_concurrent(g->gpu, GPU_CONCURRENT_AGAIN));
    return end_concurrent(g, gpu_download(g->gpu, values, staged->memory, bytes));
}

/* The unpack kernel runs after the inside: on the second stream it would only wait for a
 * free multiprocessor. */
pav_status gpu_unpack_box(executor *self, int field, const view *v, const box *range,
                          packed_box *staged, const void *values)
{
    gpurun *g = (gpurun *)self;
    emit_gpu_view dense;
    TRY(take_dense(g, v, range, staged, &dense));
    if (values) {
        TRY(gpu_concurrent(g->gpu, GPU_CONCURRENT_AGAIN));
        TRY(end_concurrent(
            g, gpu_upload(g->gpu, staged->memory, values, bytes_of(v, range))));
    }
    TRY(gpu_join(g->gpu, g->gpu));
    return unpack(g, field, v, range, staged);
}

pav_status gpu_pass_box(executor *self, const view *v, const box *range,
                        packed_box *staged, const gpu_links *links, int other, bool sends)
{
    gpurun *g = (gpurun *)self;
    emit_gpu_view dense;
    TRY(take_dense(g, v, range, staged, &dense));
    TRY(gpu_concurrent(g->gpu, GPU_CONCURRENT_AGAIN));
    return end_concurrent(g, gpu_links_pass(links, g->gpu, staged->memory,
                                            bytes_of(v, range), other, sends));
}

/* ---- kept points ------------------------------------------------------------------- */

/* Copies of points of levels on the GPU, dense, in memory outside the fields. */

pav_status gpu_keep_points(executor *self, int field, const view *v, const box *range,
                           void *memory, bool back)
{
    const box b = range ? *range : view_points(v);
    const emit_gpu_view kept = dense_view(v, &b, memory);
    return copy_level(gpurun_of(self), field, v, &b, &kept, back);
}
