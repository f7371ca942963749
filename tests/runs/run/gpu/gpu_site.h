/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages of a program drawn at random, evaluated by the interpreter and by kernels on the
 * emulated GPU, on the same random numbers. */
#ifndef GPU_SITE_H
#define GPU_SITE_H

#include "run/run_private.h"
#include "test.h"

enum { SITE_LEVELS = MAX_LEVEL + 4 };

/* A level of a field: the interpreter's memory, and its copy on the GPU. */
typedef struct site_level {
    view host;
    char *memory;
    void *gpu;
    int64_t bytes, origin; /* origin: of point (0, 0, 0), in bytes */
} site_level;

typedef struct gpu_site {
    program *tree;
    ir *code;
    rng random;
    site_level (*level)[SITE_LEVELS];
    const view *(*view)[SITE_LEVELS];
    const view *const **views;
    double **table_values;
    const double **table, **gpu_table;
    double *uniform;
} gpu_site;

/* True if an emulated GPU exists; else notes the reason. */
bool site_gpu(gpu **g);
void site_open(gpu_site *s, uint64_t seed);
void site_open_text(gpu_site *s, const char *source, uint64_t seed);
void site_open_parts(gpu_site *s, const char *source,
                     uint64_t seed); /* of ir_split_stages */
void site_close(gpu_site *s);
void site_upload(gpu_site *s, gpu *g);
/* True if all levels are equal on both sides: the same bits, or NaN on both. */
bool site_agrees(const gpu_site *s, gpu *g);
void *site_fresh(int64_t count, size_t size);
void *site_put(gpu *g, const void *bytes, int64_t count);
void site_give_all(gpu *g); /* frees all memory of site_put */
bool same_number(double a, double b);

#endif
