/* SPDX-License-Identifier: BSD-3-Clause */
/* pav_bench_program: steps of a program, measured in alternation with copies of memory.
 * A repetition is one pass of copying and one pass of steps. Copies alone are measured,
 * too: arrays, grids with tiles of threads, single words. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "exec/gpu/gpu.h"

/* ---- repetitions ------------------------------------------------------------------- */

/* Repetitions of a measurement. The reported rate is the median of all rates. The
 * reported share of the bound is the median of all shares, and each share uses the copy
 * bandwidth of its own repetition. So a machine with a changing copy bandwidth is
 * compared with itself. The bound and the copy bandwidth follow from these two medians,
 * so all reported numbers are consistent. */

enum { TURNS = 9 /* default number of repetitions */ };

static int bench_repetitions_of(const pav_bench_options *o)
{
    const int wanted = o && o->repetitions > 0 ? o->repetitions : TURNS;

    return wanted < BENCH_MOST_REPETITIONS ? wanted : BENCH_MOST_REPETITIONS;
}

void bench_repetition(bench_repetitions *t, double seconds, double bytes, double rate)
{
    t->step[t->count] = seconds;
    t->share[t->count] = bytes / seconds / rate;
    t->count++;
}

static double bench_spread(const double *sorted, int count, double middle)
{
    return middle > 0 ? (sorted[count - 1 - count / 4] - sorted[count / 4]) / 2 / middle
                      : 0;
}

void bench_summarise(bench_repetitions *t, double updates, double bytes,
                     pav_bench_result *r)
{
    r->seconds_median = median(t->step, t->count);
    r->seconds_min = t->step[0];
    r->spread = bench_spread(t->step, t->count, r->seconds_median);
    r->share = median(t->share, t->count);
    r->gpts = updates / r->seconds_median / 1e9;
    r->bytes_per_point = bytes / updates;
    r->bound_gpts = r->gpts / r->share;
    r->copy_bytes_per_second = bytes / r->seconds_median / r->share;
}

/* ---- programs ---------------------------------------------------------------------- */

enum { WARM = 256 /* largest number of measurements for autotuning */ };

typedef struct bench {
    pav_run *run;
    host_team *team; /* copying threads if the fields are in the host's memory */
    place_copying *copying;
    double pass_seconds;  /* least duration of a pass */
    int64_t steps;        /* steps per pass */
    double points, bytes; /* per step */
    bench_repetitions repetitions;
    host_arithmetic arithmetic;
    memory_reads *reads; /* NULL: reads are not counted */
    double read_bytes;   /* sum over all repetitions */
} bench;

static int threads_of(const pav_bench_options *o)
{
    return o && o->threads > 0 ? o->threads : host_threads();
}

static pav_status bench_open_team(const pav_bench_options *o, host_team **team)
{
    host_binding binding;

    TRY(host_binding_find(o ? o->bind : NULL, &binding));
    return host_team_open(threads_of(o), binding, team);
}

/* ---- passes ------------------------------------------------------------------------ */

/* Repeats a measurement if kernels were compiled during it. Autotuning compiles in the
 * middle of a run, and this time does not belong to the steps. */
static pav_status timed(bench *b, int64_t steps, double *seconds)
{
    for (;;) {
        const double begin = clock_seconds();
        const int64_t from = pav_run_step(b->run), loads = pav_kernel_loads();
        TRY(pav_run_steps(b->run, steps));
        *seconds = (clock_seconds() - begin) / (double)steps;
        if (pav_run_step(b->run) - from != steps)
            return FAIL(PAV_EINVAL,
                        "the program ended by itself after step %lld, and a measurement "
                        "needs more steps: leave out its `until`",
                        (long long)pav_run_step(b->run));
        if (pav_kernel_loads() == loads)
            return PAV_OK;
    }
}

/* Takes steps until the kernels are tuned, then chooses the number of steps per pass. If
 * a launch takes several steps, the last step before an observation is a single, slower
 * one. Single steps are rare in a long run. Therefore such passes are longer, with only
 * one single step. */
static pav_status warm_up(bench *b)
{
    enum { LONGER = 4 };
    double seconds;

    for (int n = 0; n < WARM && !run_is_tuned(b->run); n++)
        TRY(timed(b, run_block_steps(b->run), &seconds));
    for (b->steps = run_block_steps(b->run);; b->steps *= 2) {
        TRY(timed(b, b->steps, &seconds));
        if (seconds * (double)b->steps >= b->pass_seconds / 2)
            break;
    }
    const int64_t pass = run_block_steps(b->run);
    const bool alone = run_has_launches(b->run) && pass > 1;
    const double wanted = (alone ? LONGER : 1) * b->pass_seconds;
    b->steps = ((int64_t)(wanted / seconds) / (pass - alone) + 1) * (pass - alone) +
               alone;
    return PAV_OK;
}

/* ---- programs ---------------------------------------------------------------------- */

static void bench_name_device(const pav_device *device, const char *machine,
                              pav_bench_result *r)
{
    (void)snprintf(r->device, sizeof r->device, machine ? "%s (%s)" : "%s",
                   device ? pav_device_name(device) : "", machine ? machine : "");
}

/* Reports the tuned schedule, its depth, and the bounds by its memory traffic and
 * arithmetic. On a processor the measured rates bound arithmetic: those of products
 * alone, or of all operations, the slower of the two. */
static pav_status report_limits(const bench *b, pav_bench_result *r)
{
    const host_arithmetic *rate = &b->arithmetic;
    OWNED_BY(text_free) text words = {0};
    double bytes, seconds, products, sums;

    r->depth = run_executor_figures(b->run).crossing;
    TRY(run_limits(b->run, &bytes, &seconds));
    r->footprint_bytes = bytes / b->points;
    if (run_has_launches(b->run)) {
        run_schedule_string(b->run, &words);
    } else {
        TRY(run_arithmetic(b->run, &products, &sums));
        seconds = products + sums > 0 && rate->products > 0
                      ? fmax(products / rate->products, (products + sums) / rate->both)
                      : 0;
    }
    (void)snprintf(r->tuned, sizeof r->tuned, "%s", words.data ? words.data : "");
    r->arithmetic_gpts = seconds > 0 ? b->points / seconds / 1e9 : 0;
    return PAV_OK;
}

static void close_bench(bench *b)
{
    memory_reads_close(b->reads);
    place_copying_close(b->copying);
    host_team_close(b->team);
    pav_run_free(b->run);
}

pav_status pav_bench_program(const pav_program *p, pav_device *device,
                             const pav_bench_options *options, pav_bench_result *result)
{
    GUARDED;
    OWNED_BY(close_bench) bench b = {.team = NULL};
    if (!p || !device || !result)
        return FAIL(PAV_EINVAL, "pav_bench_program needs a program, a device and a place "
                                "for the result");
    TRY(device_check_single(device, "a measurement"));
    *result = (pav_bench_result){0};
    const pav_run_options how = {.no_files = 1,
                                 .early = -1,
                                 .nan_check_every = -1,
                                 .threads = threads_of(options),
                                 .bind = options ? options->bind : NULL,
                                 .schedule = options ? options->schedule : NULL,
                                 .steps = INT64_MAX};
    const char *why;
    double seconds, rate;
    TRY(bench_open_team(options, &b.team));
    TRY(run_open_rough(&p->tree, device, &how, &b.run));
    run_load(b.run, &b.points, &b.bytes);
    if (b.bytes <= 0)
        return FAIL(PAV_EUNSUPPORTED, "borders give all points of this grid, so a step "
                                      "of it moves nothing: take a larger one");
    const machine_facts m = place_machine(run_place(b.run), threads_of(options));
    b.pass_seconds = machine_turn_seconds(&m);
    TRY(warm_up(&b));
    TRY(place_copying_open(
        run_uses_device_memory(b.run) ? executor_gpu(run_place(b.run)->executor) : NULL,
        b.team, &b.copying));
    /* All threads must exist before the counters. They do not see reads by a device. */
    b.reads = run_uses_device_memory(b.run) ? NULL : memory_reads_open(&why);
    for (int n = bench_repetitions_of(options); n > 0; n--) {
        TRY(place_copying_pass(b.copying, &rate));
        b.read_bytes -= b.reads ? memory_reads_bytes(b.reads) : 0;
        TRY(timed(&b, b.steps, &seconds));
        b.read_bytes += b.reads ? memory_reads_bytes(b.reads) : 0;
        bench_repetition(&b.repetitions, seconds, b.bytes, rate);
        if (!run_has_launches(b.run))
            host_arithmetic_pass(b.team, &b.arithmetic);
    }
    bench_summarise(&b.repetitions, b.points, b.bytes, result);
    result->read_bytes = b.read_bytes /
                         (b.points * (double)b.steps * b.repetitions.count);
    result->threads = host_team_threads(b.team);
    result->type = p->tree.real;
    bench_name_device(device, run_executor_figures(b.run).name, result);
    /* the requested schedule; that of the run without a request, and for time tiles */
    const bool tiles = !run_has_launches(b.run) &&
                       run_executor_figures(b.run).crossing > 1;
    const bool asked = how.schedule && !tiles && strcmp(how.schedule, "auto") != 0;
    (void)snprintf(result->schedule, sizeof result->schedule, "%s",
                   asked ? how.schedule : run_schedule(b.run));
    return report_limits(&b, result);
}

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
    /* Takes memory for both grids. The source has a margin on both sides, since tiles
     * at its ends read their halos there. */
    emit_gpu_copying *a = &t.argument;
    const int64_t around = t.around;
    TRY(gpu_take(t.gpu, t.memory + 2 * around, "a grid to copy", &t.from));
    TRY(gpu_take(t.gpu, t.memory, "a grid to copy to", &t.to));
    TRY(gpu_take(t.gpu, PACK, "a number", &t.never));
    a->from = (char *)t.from + around;
    a->to = t.words.argument.to = t.to;
    t.words.argument.from = t.from;
    a->never = t.never;
    TRY(gpu_fill(t.gpu, t.from, 0, t.memory + 2 * around));
    for (int n = 0; n < 2; n++) /* the first pass is slower */
        TRY(bench_tiles_pass(&t, &seconds));
    if (!gpu_facts_of(g)->emulated)
        t.copies = (int)(pass_seconds / seconds) + 1;
    TRY(place_copying_open(g, NULL, &b->copying));
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
    TRY(place_copying_open(g, NULL, &b->copying));
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
    if (place_kind_of(device) != PLACE_GPU) {
        if (options && (options->copy != PAV_COPY_DRIVER || options->extent[0] > 0))
            return FAIL(PAV_EUNSUPPORTED,
                        "grids are copied on GPUs alone; the host copies "
                        "arrays far beyond its caches");
        TRY(bench_open_team(options, &b.team));
        TRY(place_copying_open(NULL, b.team, &b.copying));
        result->threads = host_team_threads(b.team);
        return copy_arrays(&b, bench_repetitions_of(options), result);
    }
    TRY(gpu_open(device, &b.gpu));
    bench_name_device(device, gpu_facts_of(b.gpu)->name, result);
    return copy_on_gpu(b.gpu, &b, options, result);
}
