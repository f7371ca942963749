/* SPDX-License-Identifier: BSD-3-Clause */
/* Copying alone: arrays of the host or of a GPU by what copies them best; or grids on a
 * GPU, by kernels, in turns with that. */
#include <stdio.h>

#include "bench/bench.h"

typedef struct copying {
    host_team *team;
    host_copy *copy;
    gpu_copying *on_gpu;
    double rate[BENCH_MOST_REPETITIONS]; /* of a pass over arrays */
    bench_repetitions repetitions;       /* of grids */
} copying;

static void tell(double *rate, int count, pav_bench_result *r)
{
    r->copy_bytes_per_second = median(rate, count);
    r->spread = bench_spread(rate, count, r->copy_bytes_per_second);
    r->share = 1;
}

static void close_copying(copying *b)
{
    gpu_copying_close(b->on_gpu);
    host_copy_close(b->copy);
    host_team_close(b->team);
    mem_free(b);
}

static pav_status copy_on_host(copying *b, const pav_bench_options *o,
                               pav_bench_result *r)
{
    double *const rate = b->rate;
    const int count = bench_repetitions_of(o);

    if (o && (o->copy != PAV_COPY_DRIVER || o->extent[0] > 0))
        return FAIL(PAV_EUNSUPPORTED, "grids are copied on GPUs alone; the host copies "
                                      "arrays far beyond its caches");
    TRY(bench_open_team(o, &b->team));
    TRY(host_copy_open(b->team, &b->copy));
    for (int n = 0; n < count; n++)
        rate[n] = host_copy_pass(b->copy);
    r->threads = host_team_threads(b->team);
    tell(rate, count, r);
    return PAV_OK;
}

static pav_status copy_arrays(gpu *g, copying *b, int count, pav_bench_result *r)
{
    double *const rate = b->rate;

    TRY(gpu_copying_open(g, &b->on_gpu));
    for (int n = 0; n < count; n++)
        TRY(gpu_copying_pass(b->on_gpu, &rate[n]));
    tell(rate, count, r);
    return PAV_OK;
}

static pav_status copy_grids(gpu_copying *c, bench_tiles *t,
                             bench_repetitions *repetitions, int count)
{
    double rate, seconds;

    for (int n = 0; n < count; n++) {
        TRY(gpu_copying_pass(c, &rate));
        TRY(bench_tiles_pass(t, &seconds));
        bench_repetition(repetitions, seconds, bench_tiles_bytes(t), rate);
    }
    return PAV_OK;
}

static pav_status copy_tiles(gpu *g, copying *b, const pav_bench_options *o,
                             pav_bench_result *r)
{
    static const char *const names[] = {"driver", "kernel", "halo", "remap", "words"};
    bench_tiles *t;

    r->type = o->type;
    (void)snprintf(r->schedule, sizeof r->schedule, "%s", names[o->copy]);
    pav_status status = bench_tiles_open(g, o, &t);
    if (status == PAV_OK)
        status = gpu_copying_open(g, &b->on_gpu);
    if (status == PAV_OK)
        status = copy_grids(b->on_gpu, t, &b->repetitions, bench_repetitions_of(o));
    if (status == PAV_OK) {
        bench_summarise(&b->repetitions, bench_tiles_points(t), bench_tiles_bytes(t), r);
        r->footprint_bytes = bench_tiles_footprint(t) / bench_tiles_points(t);
    }
    bench_tiles_close(t);
    return status;
}

static pav_status copy_on_gpu(copying *b, const pav_device *device,
                              const pav_bench_options *o, pav_bench_result *r)
{
    gpu *g;

    TRY(gpu_open(device, &g));
    bench_name_device(device, g, r);
    const pav_status status = o && o->extent[0] > 0
                                  ? copy_tiles(g, b, o, r)
                                  : copy_arrays(g, b, bench_repetitions_of(o), r);
    gpu_copying_close(b->on_gpu);
    b->on_gpu = NULL;
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
    copying *b = mem_new(1, sizeof *b);
    *result = (pav_bench_result){0};
    if (!b)
        return PAV_ENOMEM;
    const pav_status status = device && device->ops->gpu
                                  ? copy_on_gpu(b, device, options, result)
                                  : copy_on_host(b, options, result);
    close_copying(b);
    return status;
}
