/* SPDX-License-Identifier: BSD-3-Clause */
/* bench transfer: the parts of a run (set-up with initial values, upload of a field,
 * steps, download) on the device and on the host's cores, and the number of steps after
 * which the device is ahead. Kernels are compiled beforehand. The copy bandwidth of both
 * is measured. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_list.h"

static const double step_seconds = 0.2; /* minimum seconds of timed steps */

const char *const bench_part_name[BENCH_PARTS] = {"set-up", "upload", "step", "download"};

/* Seconds. upload, download: of a field, between an array of the caller's and the
 * device. */
typedef struct parts {
    double setup, upload, step, download;
} parts;

/* One of the two devices, with its copy bandwidth. */
typedef struct side {
    pav_device *device;
    pav_bench_result copy;
} side;

typedef struct trial {
    const bench *b;
    pav_device *device;
    const pav_program *program;
    pav_run *run;
    float *values;
    int64_t points;
} trial;

static pav_status timed_once(trial *t, int64_t steps, double *seconds)
{
    const pav_status status = bench_steps(t->run, steps, seconds);
    *seconds /= (double)steps;
    return status;
}

/* Tuning compiles candidates in the middle of a run: those seconds are not the steps'. */
static pav_status timed_steps(trial *t, int64_t steps, double *seconds)
{
    int64_t loads;
    do {
        loads = pav_kernel_loads();
        TRY(timed_once(t, steps, seconds));
    } while (pav_kernel_loads() != loads);
    return PAV_OK;
}

/* The first steps tune the kernels. */
static pav_status time_steps(trial *t, double *seconds)
{
    TRY(timed_steps(t, 64, seconds));
    for (int64_t steps = 1;; steps *= 2) {
        TRY(timed_steps(t, steps, seconds));
        if (*seconds * (double)steps >= step_seconds)
            return PAV_OK;
    }
}

/* A written field is uploaded with the next step, so the upload includes the excess of
 * that step. */
static pav_status time_upload(trial *t, parts *p)
{
    int64_t loads;
    do {
        double step;
        loads = pav_kernel_loads();
        const double begun = seconds_now();
        TRY(pav_field_write(t->run, "u", 0, PAV_F32, t->values, t->points));
        const double written = seconds_now() - begun;
        TRY(timed_once(t, 1, &step));
        p->upload = written + fmax(step - p->step, 0);
    } while (pav_kernel_loads() != loads);
    return PAV_OK;
}

static pav_status time_download(trial *t, parts *p)
{
    const double begun = seconds_now();
    const pav_status status = pav_field_read(t->run, "u", 0, PAV_F32, t->values,
                                             t->points);
    p->download = seconds_now() - begun;
    return status;
}

static pav_status open_trial(trial *t, double *seconds)
{
    pav_run_options how = bench_run_options(t->b, NULL);
    how.steps = INT64_MAX;
    pav_run_free(t->run);
    const double begun = seconds_now();
    const pav_status status = pav_run_open(t->program, t->device, &how, &t->run);
    *seconds = seconds_now() - begun;
    return status;
}

/* Opened twice: the first time kernels may be compiled. The first read touches the
 * caller's array. */
static pav_status time_parts(trial *t, parts *p)
{
    TRY(open_trial(t, &p->setup));
    TRY(open_trial(t, &p->setup));
    TRY(time_download(t, p));
    TRY(time_steps(t, &p->step));
    TRY(time_download(t, p));
    return time_upload(t, p);
}

/* A step reads and writes a field. */
static void add_share(bench_row *row, const side *s, int64_t points)
{
    enum { BYTES = 8 };
    row->gpts = 1e-9 * (double)points / row->seconds_median;
    row->bytes_per_point = BYTES;
    row->bound_gpts = 1e-9 * s->copy.copy_bytes_per_second / BYTES;
    row->percent = 100 * row->gpts / row->bound_gpts;
    row->effective_bytes = 100 * BYTES / row->percent;
}

static void report_parts(bench *b, const char *grid, const side *s, const parts *p,
                         int64_t points)
{
    const double seconds[] = {p->setup, p->upload, p->step, p->download};
    for (int k = 0; k < BENCH_PARTS; k++) {
        char word[BENCH_WORD];
        snprintf(word, sizeof word, BENCH_PART "%s%s", bench_part_name[k], grid);
        bench_row row = bench_row_of_time(word, s->copy.device, seconds[k], NAN);
        row.copy_gbytes = 1e-9 * s->copy.copy_bytes_per_second;
        row.threads = s->copy.threads;
        if (k == BENCH_STEP)
            add_share(&row, s, points);
        bench_keep(b, &row);
    }
}

static void measure_on(bench *b, const side *s, const char *grid, int64_t size, parts *p)
{
    char word[BENCH_WORD];
    pav_program *program = NULL;
    trial t = {.b = b, .device = s->device, .points = size * size * size};
    snprintf(word, sizeof word, "heat3d%s", grid);
    if (!bench_ended(b))
        b->code = load_program(word, b->o->set, &program);
    if (bench_ended(b))
        return;
    t.program = program;
    t.values = malloc((size_t)t.points * sizeof *t.values);
    const pav_status status = t.values ? time_parts(&t, p) : PAV_ENOMEM;
    if (!t.values)
        complain(PAV_ENOMEM, "memory ran out for an array of %lld points",
                 (long long)t.points);
    else if (status != PAV_OK)
        fail_with(status);
    pav_run_free(t.run);
    pav_program_free(program);
    free(t.values);
    if (status == PAV_OK)
        report_parts(b, grid, s, p, t.points);
    else
        b->code = EXIT_RUN_FAILED;
}

/* One run each, from the caller's array and back to it. */
static void report_winner(bench *b, const char *grid, const char *device,
                          const parts *host, const parts *gpu)
{
    const double once = gpu->setup + gpu->upload + gpu->download - host->setup -
                        host->upload - host->download;
    const double each = host->step - gpu->step;
    char word[BENCH_WORD];
    snprintf(word, sizeof word, BENCH_PART "wins%s", grid);
    if (each <= 0) {
        fprintf(b->json ? stderr : stdout,
                "%-34s never: a step takes %.3g s there and %.3g s on the host\n", word,
                gpu->step, host->step);
        return;
    }
    const bench_row row = bench_row_of_time(word, device, NAN,
                                            fmax(0, ceil(once / each)));
    bench_keep(b, &row);
}

static void one_size(bench *b, const side *gpu, const side *host, int64_t size)
{
    char grid[BENCH_WORD] = "";
    parts on_host = {0}, on_gpu = {0};
    bench_add_grid(grid, 3, size, "f32");
    measure_on(b, gpu, grid, size, &on_gpu);
    measure_on(b, host, grid, size, &on_host);
    if (!bench_ended(b))
        report_winner(b, grid, gpu->copy.device, &on_host, &on_gpu);
}

static void measure_copy(bench *b, side *s)
{
    const pav_status status = pav_bench_copy(s->device, &b->how, &s->copy);
    if (!s->copy.device[0])
        snprintf(s->copy.device, sizeof s->copy.device, "%s", pav_device_name(s->device));
    if (status != PAV_OK)
        b->code = fail_with(status);
}

static void transfer(bench *b)
{
    const int64_t usual[] = {512};
    const bool few = b->sized || b->size[b->sizes - 1] < 512;
    side gpu = {.device = b->device}, host = {0};
    if (!bench_on_gpu(b)) {
        b->code = usage_error(&bench_command, "transfer compares a GPU with the host: "
                                              "--device cuda");
        return;
    }
    const pav_status status = pav_device_open("cpu", &host.device);
    if (status != PAV_OK) {
        b->code = fail_with(status);
        return;
    }
    measure_copy(b, &gpu);
    if (!bench_ended(b))
        measure_copy(b, &host);
    for (int n = 0; n < (few ? b->sizes : 1); n++)
        one_size(b, &gpu, &host, few ? b->size[n] : usual[n]);
    pav_device_free(host.device);
}

const bench_kind bench_transfer = {
    .name = "transfer",
    .run = transfer,
    .fixed = "it compares what the GPU and the host usually do",
};
