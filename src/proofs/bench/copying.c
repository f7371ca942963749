/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of memory, measured: arrays, grids with tiles of threads, single words. */
#include <stdio.h>

#include "bench/bench.h"

/* ---- single words ------------------------------------------------------------------ */

/* Measures copies by single words: the cost of rows not aligned to memory lines, and the
 * cost of a stride between words. */

enum { MOST_BEGIN = 1024, MOST_STRIDE = 1024, THREADS = 256 };

static pav_status check(const pav_bench_options *o)
{
    if (o->word != 4 && o->word != 8 && o->word != 16)
        return FAIL(PAV_EINVAL, "words of 4, 8 or 16 bytes are copied, not of %d",
                    o->word);
    if (o->begin < 0 || o->begin > MOST_BEGIN || o->stride < 1 || o->stride > MOST_STRIDE)
        return FAIL(PAV_EINVAL,
                    "rows begin 0 to %d words beyond a line and words lie 1 to %d words "
                    "apart, not %d and %d",
                    MOST_BEGIN, MOST_STRIDE, o->begin, o->stride);
    if (o->extent[0] * o->extent[1] * o->extent[2] < o->stride)
        return FAIL(PAV_EINVAL,
                    "a grid of %lld x %lld x %lld has too few words for a stride of %d",
                    (long long)o->extent[0], (long long)o->extent[1],
                    (long long)o->extent[2], o->stride);
    return PAV_OK;
}

/* A larger stride makes rows longer and their number smaller, so all strides use the same
 * amount of memory. */
static void lay_out(const pav_bench_options *o, bench_access *a)
{
    emit_gpu_accesses *g = &a->argument;
    const int64_t size = (int64_t)pav_type_size(o->type), *n = o->extent;

    g->words = int64_most(n[0] * size / o->word, 1);
    g->rows = int64_most(n[1] * n[2] / o->stride, 1);
    g->begin = (int64_t)o->begin * o->word;
    g->apart = (int64_t)o->stride * o->word;
    g->pitch = int_rounded(g->begin + g->words * g->apart, GPU_LINE);
    a->memory = g->rows * g->pitch;
    a->points = (double)g->words * (double)g->rows;
    a->bytes = 2 * a->points * o->word;
}

pav_status bench_access_set(const pav_bench_options *o, bench_access *a)
{
    TRY(check(o));
    lay_out(o, a);
    (void)snprintf(a->kernel, sizeof a->kernel, "copy_words_%d", o->word);
    a->threads = THREADS;
    a->blocks[0] = (a->argument.words + THREADS - 1) / THREADS;
    a->blocks[1] = a->argument.rows < GPU_GRID_YZ ? a->argument.rows : GPU_GRID_YZ;
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
        return FAIL(
            PAV_EUNSUPPORTED,
            "copying needs rows of whole vectors of %d bytes, and %lld %s are none", PACK,
            (long long)n[0], pav_type_name(o->type));
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

static pav_status bench_tiles_open(gpu *g, const pav_bench_options *o,
                                   bench_tiles **result)
{
    bench_tiles *t = mem_new(1, sizeof *t);
    *result = t;
    if (!t)
        return PAV_ENOMEM;
    t->gpu = g;
    return open_tiles(t, o);
}

static double bench_tiles_points(const bench_tiles *t)
{
    return t->points;
}

static double bench_tiles_bytes(const bench_tiles *t)
{
    return t->bytes;
}

static double bench_tiles_footprint(const bench_tiles *t)
{
    return t->bytes + t->halos;
}

static void bench_tiles_close(bench_tiles *t)
{
    void *const memory[] = {t ? t->from : NULL, t ? t->to : NULL, t ? t->never : NULL};
    for (size_t k = 0; k < COUNT_OF(memory); k++)
        if (memory[k])
            gpu_release(t->gpu, memory[k]);
    if (t && t->module)
        gpu_module_close(t->module);
    mem_free(t);
}

/* ---- arrays ------------------------------------------------------------------------ */

/* pav_bench_copy: copies arrays of the host or of a GPU by the fastest known method. On a
 * GPU, kernels may copy grids instead, in alternation with arrays. */

typedef struct bench_copy {
    host_team *team;
    place_copying *copying;
    double rate[BENCH_MOST_REPETITIONS]; /* rates of passes over arrays */
    bench_repetitions repetitions;       /* repetitions for grids */
} bench_copy;

static void report(double *rate, int count, pav_bench_result *r)
{
    r->copy_bytes_per_second = median(rate, count);
    r->spread = bench_spread(rate, count, r->copy_bytes_per_second);
    r->share = 1;
}

static void close_copying(bench_copy *b)
{
    place_copying_close(b->copying);
    host_team_close(b->team);
    mem_free(b);
}

static pav_status copy_arrays(bench_copy *b, int count, pav_bench_result *r)
{
    for (int n = 0; n < count; n++)
        TRY(place_copying_pass(b->copying, &b->rate[n]));
    report(b->rate, count, r);
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

static pav_status copy_grids(place_copying *c, bench_tiles *t,
                             bench_repetitions *repetitions, int count)
{
    double rate, seconds;

    for (int n = 0; n < count; n++) {
        TRY(place_copying_pass(c, &rate));
        TRY(bench_tiles_pass(t, &seconds));
        bench_repetition(repetitions, seconds, bench_tiles_bytes(t), rate);
    }
    return PAV_OK;
}

static pav_status copy_tiles(gpu *g, bench_copy *b, const pav_bench_options *o,
                             pav_bench_result *r)
{
    static const char *const names[] = {"driver", "kernel", "halo", "remap", "words"};
    bench_tiles *t;

    r->type = o->type;
    (void)snprintf(r->schedule, sizeof r->schedule, "%s", names[o->copy]);
    pav_status status = bench_tiles_open(g, o, &t);
    if (status == PAV_OK)
        status = place_copying_of_gpu(g, &b->copying);
    if (status == PAV_OK)
        status = copy_grids(b->copying, t, &b->repetitions, bench_repetitions_of(o));
    if (status == PAV_OK) {
        bench_summarise(&b->repetitions, bench_tiles_points(t), bench_tiles_bytes(t), r);
        r->footprint_bytes = bench_tiles_footprint(t) / bench_tiles_points(t);
    }
    bench_tiles_close(t);
    return status;
}

static pav_status copy_gpu_arrays(gpu *g, bench_copy *b, const pav_bench_options *o,
                                  pav_bench_result *r)
{
    TRY(place_copying_of_gpu(g, &b->copying));
    return copy_arrays(b, bench_repetitions_of(o), r);
}

static pav_status copy_on_gpu(bench_copy *b, const pav_device *device,
                              const pav_bench_options *o, pav_bench_result *r)
{
    gpu *g;

    TRY(gpu_open(device, &g));
    bench_name_device(device, gpu_facts_of(g)->name, r);
    const pav_status status = o && o->extent[0] > 0 ? copy_tiles(g, b, o, r)
                                                    : copy_gpu_arrays(g, b, o, r);
    place_copying_close(b->copying);
    b->copying = NULL;
    gpu_close(g);
    return status;
}

pav_status pav_bench_copy(pav_device *device, const pav_bench_options *options,
                          pav_bench_result *result)
{
    GUARDED;
    if (!result)
        return FAIL(PAV_EINVAL, "pav_bench_copy needs a place for the result");
    TRY(device_check_single(device, "a measurement"));
    bench_copy *b = mem_new(1, sizeof *b);
    *result = (pav_bench_result){0};
    if (!b)
        return PAV_ENOMEM;
    const pav_status status = place_kind_of(device)->own_memory
                                  ? copy_on_gpu(b, device, options, result)
                                  : copy_on_host(b, options, result);
    close_copying(b);
    return status;
}
