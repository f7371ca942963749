/* SPDX-License-Identifier: BSD-3-Clause */
/* GPU kernels copy a grid to another grid, with or without the halos of their tiles.
 * Their rate is an upper limit for stencils, because nothing is computed. */
#include "bench/bench.h"

enum {
    PACK = 16,   /* bytes */
    PLANES = 16, /* planes per sweep */
    MARK_BEGUN = 4,
    MARK_DONE,
};
/* shared: bytes per block, for two planes of 48 x 8 vectors. */
typedef struct copier {
    const char *name;
    int threads[2];
    bool tiles;
    int64_t shared;
} copier;
static const copier copiers[] = {
    [PAV_COPY_KERNEL] = {"copy_packs", {256, 1}, false, 0},
    [PAV_COPY_HALO] = {"copy_tiles", {32, 8}, true, 0},
    [PAV_COPY_REMAP] = {"copy_remap", {32, 6}, true, 2 * 48 * 8 * PACK},
};
static const double pass_seconds = 0.02; /* least duration of a pass on a GPU */

struct bench_tiles {
    gpu *gpu;
    gpu_module *module;
    gpu_call call;
    emit_gpu_copying argument;
    bench_access words; /* replaces `argument` if words are copied */
    /* `memory` is the size of a grid, `around` the margin before and after the source;
     * both in bytes. */
    int64_t memory, around;
    void *from, *to, *never;
    double points, bytes, halos;
    int copies; /* copies per pass */
};

static pav_status find_kernel(bench_tiles *t, const char *name)
{
    text source = {0};
    emit_gpu_copies(&source);
    const pav_status status = source.failed
                                  ? PAV_ENOMEM
                                  : gpu_module_open(t->gpu, source.data, source.length,
                                                    HOST_KEEP, &t->module);
    text_free(&source);
    TRY(status);
    t->call.kernel = gpu_module_find(t->module, name);
    return t->call.kernel ? PAV_OK
                          : FAIL(PAV_EINTERNAL, "the compiled kernels lack %s", name);
}

/* True if the product of the extents, and sizes computed from it, do not overflow. */
static bool has_points(const int64_t *n)
{
    const int64_t most = INT64_MAX / PACK / 4096;
    return n[0] >= 1 && n[1] >= 1 && n[2] >= 1 && n[0] <= most / n[1] &&
           n[0] * n[1] <= most / n[2];
}

/* Refuses sizes without enough memory or without a kernel. Lists of sizes skip sizes
 * refused with PAV_ENOMEM or PAV_EUNSUPPORTED. */
static pav_status check_extent(const pav_bench_options *o, int64_t size)
{
    const int64_t *n = o->extent;
    if (n[0] < 1 || n[1] < 1 || n[2] < 1)
        return FAIL(PAV_EINVAL, "a grid to copy has three extents");
    if (!has_points(n))
        return FAIL(PAV_ENOMEM, "no memory holds two grids of %lld x %lld x %lld %s",
                    (long long)n[0], (long long)n[1], (long long)n[2],
                    pav_type_name(o->type));
    if (n[0] * size % PACK != 0)
        return FAIL(PAV_EUNSUPPORTED,
                    "copying takes grids whose rows are whole vectors of %d bytes, and "
                    "%lld %s are none",
                    PACK, (long long)n[0], pav_type_name(o->type));
    return PAV_OK;
}

static pav_status set_extent(bench_tiles *t, const pav_bench_options *o)
{
    const int64_t size = (int64_t)pav_type_size(o->type), *n = o->extent;
    TRY(check_extent(o, size));
    t->points = (double)(n[0] * n[1] * n[2]);
    t->bytes = 2 * t->points * (double)size;
    t->argument = (emit_gpu_copying){
        .nx = n[0] * size / PACK, .ny = n[1], .nz = n[2], .planes = PLANES};
    t->memory = t->argument.nx * n[1] * n[2] * PACK;
    t->around = (t->argument.nx + 1) * PACK;
    return PAV_OK;
}

/* Takes memory for both grids. The source has a margin on both sides, since tiles at its
 * ends read their halos there. */
static pav_status take(bench_tiles *t)
{
    emit_gpu_copying *a = &t->argument;
    const int64_t around = t->around;
    TRY(gpu_take(t->gpu, t->memory + 2 * around, "a grid to copy", &t->from));
    TRY(gpu_take(t->gpu, t->memory, "a grid to copy to", &t->to));
    TRY(gpu_take(t->gpu, PACK, "a number", &t->never));
    a->from = (char *)t->from + around;
    a->to = t->words.argument.to = t->to;
    t->words.argument.from = t->from;
    a->never = t->never;
    return gpu_fill(t->gpu, t->from, 0, t->memory + 2 * around);
}

/* Bytes of the halos: a sector at each end of a row, and the rows and planes next to each
 * tile. */
static double halos_of(const emit_gpu_copying *a, const int64_t tiles[3])
{
    const double nx = (double)a->nx * PACK, ny = (double)a->ny, nz = (double)a->nz;
    return 2 * ((double)(tiles[0] - 1) * GPU_SECTOR * ny * nz +
                (double)(tiles[1] - 1) * nx * nz + (double)(tiles[2] - 1) * nx * ny);
}

static void set_call(bench_tiles *t, const copier *how)
{
    const emit_gpu_copying *a = &t->argument;
    gpu_call *c = &t->call;
    c->argument = a;
    c->argument_bytes = sizeof *a;
    c->shared = how->shared;
    c->threads[0] = how->threads[0];
    c->threads[1] = how->threads[1];
    c->threads[2] = 1;
    c->blocks[0] = int_parts(how->tiles ? a->nx : a->nx * a->ny * a->nz, c->threads[0]);
    c->blocks[1] = how->tiles ? int_parts(a->ny, c->threads[1]) : 1;
    c->blocks[2] = how->tiles ? int_parts(a->nz, PLANES) : 1;
    t->halos = how->tiles ? halos_of(a, c->blocks) : 0;
}

pav_status bench_tiles_pass(bench_tiles *t, double *seconds)
{
    TRY(gpu_mark(t->gpu, MARK_BEGUN));
    for (int n = 0; n < t->copies; n++)
        TRY(gpu_launch(t->gpu, &t->call));
    TRY(gpu_mark(t->gpu, MARK_DONE));
    TRY(gpu_seconds(t->gpu, MARK_BEGUN, MARK_DONE, seconds));
    *seconds /= t->copies;
    return *seconds > 0
               ? PAV_OK
               : FAIL(PAV_EINTERNAL, "the GPU's clock stood still while it copied");
}

static pav_status prepare_tiles(bench_tiles *t, const pav_bench_options *o)
{
    const copier *how = &copiers[o->copy > 0 ? o->copy : PAV_COPY_KERNEL];
    TRY(set_extent(t, o));
    set_call(t, how);
    return find_kernel(t, how->name);
}

static pav_status prepare_words(bench_tiles *t, const pav_bench_options *o)
{
    bench_access *const a = &t->words;
    if (!has_points(o->extent))
        return FAIL(PAV_EINVAL, "words are copied of grids of three extents");
    TRY(bench_access_set(o, a));
    t->points = a->points;
    t->bytes = a->bytes;
    t->memory = a->memory;
    t->call = (gpu_call){.blocks = {a->blocks[0], a->blocks[1], 1},
                         .threads = {a->threads, 1, 1},
                         .argument = &a->argument,
                         .argument_bytes = sizeof a->argument};
    return find_kernel(t, a->kernel);
}

static pav_status open_tiles(bench_tiles *t, const pav_bench_options *o)
{
    double first;
    TRY(o->copy == PAV_COPY_WORDS ? prepare_words(t, o) : prepare_tiles(t, o));
    TRY(take(t));
    t->copies = 1;
    for (int n = 0; n < 2; n++)
        TRY(bench_tiles_pass(t, &first));
    if (!gpu_facts_of(t->gpu)->emulated)
        t->copies = (int)(pass_seconds / first) + 1;
    return PAV_OK;
}

pav_status bench_tiles_open(gpu *g, const pav_bench_options *o, bench_tiles **result)
{
    bench_tiles *t = mem_new(1, sizeof *t);
    *result = t;
    if (!t)
        return PAV_ENOMEM;
    t->gpu = g;
    return open_tiles(t, o);
}

double bench_tiles_points(const bench_tiles *t)
{
    return t->points;
}

double bench_tiles_bytes(const bench_tiles *t)
{
    return t->bytes;
}

double bench_tiles_footprint(const bench_tiles *t)
{
    return t->bytes + t->halos;
}

void bench_tiles_close(bench_tiles *t)
{
    void *const memory[] = {t ? t->from : NULL, t ? t->to : NULL, t ? t->never : NULL};
    for (size_t k = 0; k < COUNT_OF(memory); k++)
        if (memory[k])
            gpu_release(t->gpu, memory[k]);
    if (t && t->module)
        gpu_module_close(t->module);
    mem_free(t);
}
