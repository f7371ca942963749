/* SPDX-License-Identifier: BSD-3-Clause */
/* pav_bench_copy: copies arrays of the host or of a GPU by the fastest known method. On a
 * GPU, kernels may copy grids instead, in alternation with arrays. */
#include <stdio.h>

#include "bench/bench.h"

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
