/* SPDX-License-Identifier: BSD-3-Clause */
/* bench measures rates of programs and the copy bandwidth in alternation, so a change in
 * the machine's speed affects both. Its public functions are pav_bench_copy and
 * pav_bench_program in pavior.h. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "device/device.h"
#include "run/run.h"

enum { BENCH_MOST_REPETITIONS = 999 /* more take too long */ };

/* Repetitions, each one pass of copying and one pass of steps. Medians are
 * reported. */
typedef struct bench_repetitions {
    int count;
    double step[BENCH_MOST_REPETITIONS], share[BENCH_MOST_REPETITIONS];
} bench_repetitions;
/* Adds a repetition. seconds: time of a step; bytes: moved by this step; rate: copy
 * bandwidth of this repetition, bytes per second. */
void bench_repetition(bench_repetitions *t, double seconds, double bytes, double rate);
/* updates, bytes: per step. */
void bench_summarise(bench_repetitions *t, double updates, double bytes,
                     pav_bench_result *r);

/* Parameters of copies by words. Source and target have `memory` bytes
 * each. */
typedef struct bench_access {
    emit_gpu_accesses argument;
    int64_t memory, blocks[2];
    int threads;
    double points, bytes; /* points: words; bytes: read and written */
    char kernel[32];
} bench_access;
pav_status bench_access_set(const pav_bench_options *o, bench_access *a);

#endif
