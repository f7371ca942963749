/* SPDX-License-Identifier: BSD-3-Clause */
/* bench: rates of programs and the rate at which the machine copies memory, measured in
 * turns, so that a machine that changes its mind changes both. Its functions are public:
 * pav_bench_copy and pav_bench_program in pavior.h. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "device/device.h"
#include "run/run.h"

enum { BENCH_MOST_REPETITIONS = 999 /* as many as anybody waits for */ };

/* Pairs of one pass each (repetitions.c); what is reported of them are medians. */
typedef struct bench_repetitions {
    int count;
    double step[BENCH_MOST_REPETITIONS], share[BENCH_MOST_REPETITIONS];
} bench_repetitions;
int bench_repetitions_of(const pav_bench_options *o);
/* seconds: of a step that moves so many bytes; rate: bytes a second of the copying
 * measured with it it. */
void bench_repetition(bench_repetitions *t, double seconds, double bytes, double rate);
/* updates, bytes: of a step. */
void bench_summarise(bench_repetitions *t, double updates, double bytes,
                     pav_bench_result *r);

/* Half the width of the middle half of sorted values, as a share of their median. */
double bench_spread(const double *sorted, int count, double middle);

/* bench.c */
pav_status bench_open_team(const pav_bench_options *o, host_team **team);
/* machine: NULL for processors. */
void bench_name_device(const pav_device *device, const char *machine,
                       pav_bench_result *r);

/* How words are copied (access.c), on as much memory for each of the two grids. */
typedef struct bench_access {
    emit_gpu_accesses argument;
    int64_t memory, blocks[2];
    int threads;
    double points, bytes; /* points: words; bytes: read and written */
    char kernel[32];
} bench_access;
pav_status bench_access_set(const pav_bench_options *o, bench_access *a);

/* Kernels that copy a grid (tiles.c). */
typedef struct bench_tiles bench_tiles;
pav_status bench_tiles_open(gpu *g, const pav_bench_options *o, bench_tiles **result);
pav_status bench_tiles_pass(bench_tiles *t, double *seconds); /* of one copy */
double bench_tiles_points(const bench_tiles *t);
double bench_tiles_bytes(const bench_tiles *t);     /* read and written, at least */
double bench_tiles_footprint(const bench_tiles *t); /* with the halo of every tile */
void bench_tiles_close(bench_tiles *t);

#endif
