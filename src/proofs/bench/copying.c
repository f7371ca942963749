/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of memory, measured: arrays, grids with tiles of threads, single words. */
#include <stdio.h>

#include "bench/bench.h"

/* ---- single words ------------------------------------------------------------------ */

/* Measures copies by single words: the cost of rows not aligned to memory lines, and the
 * cost of a stride between words. */

enum { MOST_BEGIN = 1024, MOST_STRIDE = 1024, THREADS = 256 };

/* A larger stride makes rows longer and their number smaller, so all strides use the same
 * amount of memory. */
pav_status bench_access_set(const pav_bench_options *o, bench_access *a)
{
    emit_gpu_accesses *g = &a->argument;
    const int64_t size = (int64_t)pav_type_size(o->type), *n = o->extent;

    if (o->word != 4 && o->word != 8 && o->word != 16)
        return FAIL(PAV_EINVAL, "words of 4, 8 or 16 bytes are copied, not of %d",
                    o->word);
    if (o->begin < 0 || o->begin > MOST_BEGIN || o->stride < 1 || o->stride > MOST_STRIDE)
        return FAIL(PAV_EINVAL,
                    "rows begin 0 to %d words beyond a line and words lie 1 to %d words "
                    "apart, not %d and %d",
                    MOST_BEGIN, MOST_STRIDE, o->begin, o->stride);
    if (n[0] * n[1] * n[2] < o->stride)
        return FAIL(PAV_EINVAL,
                    "a grid of %lld x %lld x %lld has too few words for a stride of %d",
                    (long long)n[0], (long long)n[1], (long long)n[2], o->stride);
    g->words = int64_most(n[0] * size / o->word, 1);
    g->rows = int64_most(n[1] * n[2] / o->stride, 1);
    g->begin = (int64_t)o->begin * o->word;
    g->apart = (int64_t)o->stride * o->word;
    g->pitch = int_rounded(g->begin + g->words * g->apart, GPU_LINE);
    a->memory = g->rows * g->pitch;
    a->points = (double)g->words * (double)g->rows;
    a->bytes = 2 * a->points * o->word;
    (void)snprintf(a->kernel, sizeof a->kernel, "copy_words_%d", o->word);
    a->threads = THREADS;
    a->blocks[0] = int_parts(g->words, THREADS);
    a->blocks[1] = int64_least(g->rows, GPU_GRID_YZ);
    return PAV_OK;
}

/* ---- grids ------------------------------------------------------------------------- */

/* GPU kernels copy a grid to another grid, with or without the halos of their tiles.
 * Their rate is an upper limit for stencils, because nothing is computed. */

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

typedef struct bench_tiles {
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
} bench_tiles;

static pav_status find_kernel(bench_tiles *t, const char *name)
{
    OWNED_BY(text_free) text source = {0};
    emit_gpu_copies(&source);
    if (source.failed)
        return PAV_ENOMEM;
    TRY(gpu_module_open(t->gpu, source.data, source.length, HOST_KEEP, &t->module));
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

static pav_status bench_tiles_pass(bench_tiles *t, double *seconds)
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

static void close_tiles(bench_tiles *t)
{
    void *const memory[] = {t->from, t->to, t->never};
    for (size_t k = 0; k < COUNT_OF(memory); k++)
        if (memory[k])
            gpu_release(t->gpu, memory[k]);
    if (t->module)
        gpu_module_close(t->module);
}

/* ---- arrays ------------------------------------------------------------------------ */

/* pav_bench_copy: copies arrays of the host or of a GPU by the fastest known method. On a
 * GPU, kernels may copy grids instead, in alternation with arrays. */

typedef struct bench_copy {
    host_team *team;
    gpu *gpu;
    place_copying *copying;
    double rate[BENCH_MOST_REPETITIONS]; /* rates of passes over arrays */
    bench_repetitions repetitions;       /* repetitions for grids */
} bench_copy;

static void close_copying(bench_copy *b)
{
    place_copying_close(b->copying);
    host_team_close(b->team);
    gpu_close(b->gpu);
}

static pav_status copy_arrays(bench_copy *b, int count, pav_bench_result *r)
{
    for (int n = 0; n < count; n++)
        TRY(place_copying_pass(b->copying, &b->rate[n]));
    r->copy_bytes_per_second = median(b->rate, count);
    r->spread = bench_spread(b->rate, count, r->copy_bytes_per_second);
    r->share = 1;
    return PAV_OK;
}

static pav_status copy_on_host(bench_copy *b, const pav_bench_options *o,
                               pav_bench_result *r)
{
    if (o && (o->copy != PAV_COPY_DRIVER || o->extent[0] > 0))
        return FAIL(PAV_EUNSUPPORTED, "grids are copied on GPUs alone; the host copies "
                                      "arrays far beyond its caches");
    TRY(bench_open_team(o, &b->team));
    const exec_place host = {.name = "cpu"};
    TRY(place_copying_open(&host, b->team, &b->copying));
    r->threads = host_team_threads(b->team);
    return copy_arrays(b, bench_repetitions_of(o), r);
}

/* Kernels that copy a grid whose rows are whole vectors. Lists of sizes skip sizes
 * refused with PAV_ENOMEM or PAV_EUNSUPPORTED. */
static pav_status set_tiles(bench_tiles *t, const pav_bench_options *o)
{
    const copier *how = &copiers[o->copy > 0 ? o->copy : PAV_COPY_KERNEL];
    const int64_t size = (int64_t)pav_type_size(o->type), *n = o->extent;
    if (n[0] < 1 || n[1] < 1 || n[2] < 1)
        return FAIL(PAV_EINVAL, "a grid to copy has three extents");
    if (!has_points(n))
        return FAIL(PAV_ENOMEM, "no memory holds two grids of %lld x %lld x %lld %s",
                    (long long)n[0], (long long)n[1], (long long)n[2],
                    pav_type_name(o->type));
    if (n[0] * size % PACK != 0)
        return FAIL(
            PAV_EUNSUPPORTED,
            "copying needs rows of whole vectors of %d bytes, and %lld %s are none", PACK,
            (long long)n[0], pav_type_name(o->type));
    const int64_t nx = n[0] * size / PACK;
    t->points = (double)(n[0] * n[1] * n[2]);
    t->bytes = 2 * t->points * (double)size;
    t->argument = (emit_gpu_copying){.nx = nx, .ny = n[1], .nz = n[2], .planes = PLANES};
    t->memory = nx * n[1] * n[2] * PACK;
    t->around = (nx + 1) * PACK;
    t->call = (gpu_call){
        .argument = &t->argument,
        .argument_bytes = sizeof t->argument,
        .shared = how->shared,
        .threads = {how->threads[0], how->threads[1], 1},
        .blocks = {int_parts(how->tiles ? nx : nx * n[1] * n[2], how->threads[0]),
                   how->tiles ? int_parts(n[1], how->threads[1]) : 1,
                   how->tiles ? int_parts(n[2], PLANES) : 1}};
    /* halos: a sector at each end of a row, and the rows and planes next to each tile */
    const double row = (double)(nx * PACK), rows = (double)n[1], planes = (double)n[2];
    const int64_t *tiles = t->call.blocks;
    t->halos = how->tiles ? 2 * ((double)(tiles[0] - 1) * GPU_SECTOR * rows * planes +
                                 (double)(tiles[1] - 1) * row * planes +
                                 (double)(tiles[2] - 1) * row * rows)
                          : 0;
    return find_kernel(t, how->name);
}

static pav_status set_words(bench_tiles *t, const pav_bench_options *o)
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

static pav_status copy_tiles(gpu *g, bench_copy *b, const pav_bench_options *o,
                             pav_bench_result *r)
{
    static const char *const names[] = {"driver", "kernel", "halo", "remap", "words"};
    OWNED_BY(close_tiles) bench_tiles t = {.gpu = g, .copies = 1};
    double rate, seconds;

    r->type = o->type;
    (void)snprintf(r->schedule, sizeof r->schedule, "%s", names[o->copy]);
    TRY(o->copy == PAV_COPY_WORDS ? set_words(&t, o) : set_tiles(&t, o));
    TRY(take(&t));
    for (int n = 0; n < 2; n++) /* the first pass is slower */
        TRY(bench_tiles_pass(&t, &seconds));
    if (!gpu_facts_of(g)->emulated)
        t.copies = (int)(pass_seconds / seconds) + 1;
    TRY(place_copying_of_gpu(g, &b->copying));
    for (int n = bench_repetitions_of(o); n > 0; n--) {
        TRY(place_copying_pass(b->copying, &rate));
        TRY(bench_tiles_pass(&t, &seconds));
        bench_repetition(&b->repetitions, seconds, t.bytes, rate);
    }
    bench_summarise(&b->repetitions, t.points, t.bytes, r);
    r->footprint_bytes = (t.bytes + t.halos) / t.points;
    return PAV_OK;
}

static pav_status copy_on_gpu(gpu *g, bench_copy *b, const pav_bench_options *o,
                              pav_bench_result *r)
{
    if (o && o->extent[0] > 0)
        return copy_tiles(g, b, o, r);
    TRY(place_copying_of_gpu(g, &b->copying));
    return copy_arrays(b, bench_repetitions_of(o), r);
}

pav_status pav_bench_copy(pav_device *device, const pav_bench_options *options,
                          pav_bench_result *result)
{
    GUARDED;
    OWNED_BY(close_copying) bench_copy b = {.gpu = NULL};
    if (!result)
        return FAIL(PAV_EINVAL, "pav_bench_copy needs a place for the result");
    TRY(device_check_single(device, "a measurement"));
    *result = (pav_bench_result){0};
    if (place_kind_of(device) != PLACE_GPU)
        return copy_on_host(&b, options, result);
    TRY(gpu_open(device, &b.gpu));
    bench_name_device(device, gpu_facts_of(b.gpu)->name, result);
    return copy_on_gpu(b.gpu, &b, options, result);
}
