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

/* The measured parts of a run. UPLOAD copies a field from an array of the caller to the
 * device, DOWNLOAD copies it back. */
enum { SETUP, UPLOAD, STEP = BENCH_STEP, DOWNLOAD };

/* One of the two devices, with its copy bandwidth. */
typedef struct side {
    pav_device *device;
    pav_bench_result copy;
    double part[BENCH_PARTS];
} side;

typedef struct trial {
    pav_run *run;
    float *values;
    int64_t points;
} trial;

static pav_status time_download(const trial *t, double *seconds)
{
    const double begun = seconds_now();
    const pav_status status = pav_field_read(t->run, "u", 0, PAV_F32, t->values,
                                             t->points);
    *seconds = seconds_now() - begun;
    return status;
}

/* A written field is uploaded with the next step, so the upload includes the excess of
 * that step. Tuning may compile candidates in this step: then it is measured again. */
static pav_status time_upload(const trial *t, double *part)
{
    int64_t loads;
    do {
        double step;
        loads = pav_kernel_loads();
        const double begun = seconds_now();
        TRY(pav_field_write(t->run, "u", 0, PAV_F32, t->values, t->points));
        const double written = seconds_now() - begun;
        TRY(bench_steps(t->run, 1, &step));
        part[UPLOAD] = written + fmax(step - part[STEP], 0);
    } while (pav_kernel_loads() != loads);
    return PAV_OK;
}

/* Opened twice: the first time kernels may be compiled. The first read touches the
 * caller's array. */
static pav_status time_parts(const bench *b, const pav_program *program, side *s,
                             trial *t)
{
    for (int round = 0; round < 2; round++) {
        pav_run_options how = bench_run_options(b, NULL);
        how.steps = INT64_MAX;
        pav_run_free(t->run);
        t->run = NULL;
        const double begun = seconds_now();
        const pav_status status = pav_run_open(program, s->device, &how, &t->run);
        s->part[SETUP] = seconds_now() - begun;
        TRY(status);
    }
    TRY(time_download(t, &s->part[DOWNLOAD]));
    TRY(bench_least(t->run, step_seconds, 2, &s->part[STEP]));
    TRY(time_download(t, &s->part[DOWNLOAD]));
    return time_upload(t, s->part);
}

static void report_parts(bench *b, int64_t size, const side *s, int64_t points)
{
    for (int k = 0; k < BENCH_PARTS; k++) {
        char word[BENCH_WORD];
        bench_name(word, 3, size, size, "f32", BENCH_PART "%s", bench_part_name[k]);
        bench_row row = bench_row_of_time(word, s->copy.device, s->part[k], NAN);
        row.copy_gbytes = 1e-9 * s->copy.copy_bytes_per_second;
        row.threads = s->copy.threads;
        if (k == STEP) { /* it reads and writes a field */
            enum { BYTES = 8 };
            row.gpts = 1e-9 * (double)points / row.seconds_median;
            row.bytes_per_point = BYTES;
            row.bound_gpts = row.copy_gbytes / BYTES;
            row.percent = 100 * row.gpts / row.bound_gpts;
            row.effective_bytes = 100 * BYTES / row.percent;
        }
        bench_keep(b, row);
    }
}

static void measure_on(bench *b, side *s, int64_t size)
{
    char word[BENCH_WORD];
    trial t = {.points = size * size * size};
    bench_name(word, 3, size, size, "f32", "heat3d");
    bench_trial program = bench_open(b, word, NULL, NULL);
    t.values = bench_take(b, t.points, sizeof *t.values);
    if (program.status == PAV_OK && t.values)
        program.status = time_parts(b, program.program, s, &t);
    pav_run_free(t.run);
    free(t.values);
    if (bench_close(b, NULL, &program) && !bench_ended(b))
        report_parts(b, size, s, t.points);
}

static void measure_copy(bench *b, side *s)
{
    bench_check(b, pav_bench_copy(s->device, &b->how, &s->copy));
    if (!s->copy.device[0])
        snprintf(s->copy.device, sizeof s->copy.device, "%s", pav_device_name(s->device));
}

static void transfer(bench *b)
{
    const bool few = b->sized || b->size[b->sizes - 1] < 512;
    OWNED_BY(close_device) pav_device *processors = NULL;
    bench_check(b, pav_device_open("cpu", &processors));
    side gpu = {.device = b->device}, host = {.device = processors};
    if (bench_ended(b))
        return;
    measure_copy(b, &gpu);
    measure_copy(b, &host);
    for (int n = 0; n < (few ? b->sizes : 1); n++) {
        const int64_t size = few ? b->size[n] : 512;
        char word[BENCH_WORD];
        double once = 0; /* one run each, from the caller's array and back to it */
        bench_name(word, 3, size, size, "f32", BENCH_PART "wins");
        measure_on(b, &gpu, size);
        measure_on(b, &host, size);
        if (bench_ended(b))
            return;
        const double each = host.part[STEP] - gpu.part[STEP];
        for (int k = 0; k < BENCH_PARTS; k++)
            once += k == STEP ? 0 : gpu.part[k] - host.part[k];
        if (each > 0)
            bench_keep(b, bench_row_of_time(word, gpu.copy.device, NAN,
                                            fmax(0, ceil(once / each))));
        else
            fprintf(b->json ? stderr : stdout,
                    "%-34s never: a step takes %.3g s there and %.3g s on the host\n",
                    word, gpu.part[STEP], host.part[STEP]);
    }
}

const bench_kind bench_transfer = {
    .name = "transfer",
    .run = transfer,
    .of_gpus = "compares a GPU with the host",
    .fixed = "it compares what the GPU and the host usually do",
};
