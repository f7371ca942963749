/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu_site.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 3000 };

void *site_fresh(int64_t count, size_t size)
{
    void *block = calloc((size_t)(count > 0 ? count : 1), size);

    if (!block)
        test_stop();
    return block;
}

bool same_number(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

bool site_gpu(gpu **g)
{
    pav_device *device = NULL;

    if (pav_device_open("emulated", &device) != PAV_OK) {
        printf("  not tested: %s\n", pav_message());
        return false;
    }
    REQUIRE_OK(gpu_open(device, g));
    pav_device_free(device);
    return true;
}

/* ---- opening ----------------------------------------------------------------------- */

enum {
    ROW = 64 /* elements before and behind a row; kernels may load some */
};

/* True if the element at distance e from point (0, 0, 0) is a point or a ghost. */
static bool is_point(const view *v, int64_t e)
{
    int64_t at[MAX_DIM];
    bool inside = true;

    e += v->halo[0][0] + v->halo[1][0] * v->stride[1] + v->halo[2][0] * v->stride[2];
    at[2] = e / v->stride[2];
    at[1] = e % v->stride[2] / v->stride[1];
    at[0] = e % v->stride[1];
    for (int axis = 0; axis < MAX_DIM; axis++)
        inside = inside && at[axis] >= 0 &&
                 at[axis] < v->extent[axis] + v->halo[axis][0] + v->halo[axis][1];
    return e >= 0 && inside;
}

static void add_level(gpu_site *s, int64_t field, int level)
{
    const ir_field *f = &s->code->field[field];
    site_level *l = &s->level[field][level];
    const int64_t size = (int64_t)pav_type_size(f->storage);
    int64_t elements = 1;

    l->host.type = f->storage;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const bool row = axis == 0; /* rows begin aligned, like rows of a run */
        const int64_t before = row ? ROW : f->halo[axis][0];
        l->host.extent[axis] = f->extent[axis];
        l->host.halo[axis][0] = f->halo[axis][0];
        l->host.halo[axis][1] = f->halo[axis][1];
        l->host.stride[axis] = elements;
        l->origin += before * elements * size;
        elements *= before + f->extent[axis] + f->halo[axis][1];
        elements += row ? ROW - elements % ROW : 0;
    }
    l->bytes = (elements + ROW) * size;
    l->memory = site_fresh(elements + ROW, (size_t)size);
    memset(l->memory, 0xff, (size_t)l->bytes);
    l->host.data = l->memory + l->origin;
    for (int64_t e = 0; e < elements; e++)
        if (is_point(&l->host, e - l->origin / size))
            type_store(f->storage, l->memory + e * size, 2 * rng_unit(&s->random) - 0.5);
    s->view[field][level] = &l->host;
}

static int64_t table_count(const gpu_site *s, int64_t k)
{
    const ir_table *t = &s->code->table[k];

    return s->tree->axis[t->axis].points + t->margin[0] + t->margin[1];
}

static void add_tables(gpu_site *s)
{
    s->table_values = site_fresh(s->code->tables, sizeof *s->table_values);
    s->table = site_fresh(s->code->tables, sizeof *s->table);
    s->gpu_table = site_fresh(s->code->tables, sizeof *s->gpu_table);
    for (int64_t k = 0; k < s->code->tables; k++) {
        s->table_values[k] = site_fresh(table_count(s, k), sizeof(double));
        s->table[k] = s->table_values[k] + s->code->table[k].margin[0];
        REQUIRE_OK(interp_table(s->code, (int)k, s->table, s->table_values[k]));
    }
}

static void fill(gpu_site *s)
{
    add_tables(s);
    s->level = site_fresh(s->code->fields, sizeof *s->level);
    s->view = site_fresh(s->code->fields, sizeof *s->view);
    s->views = site_fresh(s->code->fields, sizeof *s->views);
    s->uniform = site_fresh(s->code->uniforms, sizeof *s->uniform);
    for (int64_t k = 0; k < s->code->uniforms; k++)
        s->uniform[k] = 0.25 + 0.5 * (double)(k % 5);
    for (int64_t f = 0; f < s->code->fields; f++) {
        s->views[f] = s->view[f];
        for (int level = 0; level < s->code->field[f].levels + 2; level++)
            add_level(s, f, level);
    }
}

static void build(gpu_site *s, const char *source, uint64_t seed)
{
    *s = (gpu_site){.random = {seed}};
    REQUIRE_OK(program_parse(source, (int64_t)strlen(source), NULL, &s->tree));
    REQUIRE_OK(ir_build(s->tree, NULL, &s->code));
}

void site_open_text(gpu_site *s, const char *source, uint64_t seed)
{
    build(s, source, seed);
    fill(s);
}

void site_open_parts(gpu_site *s, const char *source, uint64_t seed)
{
    build(s, source, seed);
    REQUIRE_OK(ir_split_stages(s->code));
    fill(s);
}

void site_open(gpu_site *s, uint64_t seed)
{
    rng random = {seed};
    text t = {0};

    random_program(&random, POINTS, &t);
    site_open_text(s, t.data, random.state);
    text_free(&t);
}

void site_close(gpu_site *s)
{
    for (int64_t k = 0; k < s->code->tables; k++)
        free(s->table_values[k]);
    for (int64_t f = 0; f < s->code->fields; f++)
        for (int level = 0; level < SITE_LEVELS; level++)
            free(s->level[f][level].memory);
    free(s->level);
    free(s->view);
    free((void *)s->views);
    free(s->uniform);
    free(s->table_values);
    free(s->table);
    free(s->gpu_table);
    ir_free(s->code);
    program_free(s->tree);
}

/* ---- copies to the GPU and back ---------------------------------------------------- */

enum { MOST_TAKEN = 4096 };
static void *taken[MOST_TAKEN];
static int takens;

void site_give_all(gpu *g)
{
    while (takens > 0)
        gpu_release(g, taken[--takens]);
}

void *site_put(gpu *g, const void *bytes, int64_t count)
{
    void *memory;

    REQUIRE(takens < MOST_TAKEN);
    REQUIRE_OK(gpu_take(g, count, "a test", &memory));
    taken[takens++] = memory;
    if (bytes)
        REQUIRE_OK(gpu_upload(g, memory, bytes, count));
    return memory;
}

void site_upload(gpu_site *s, gpu *g)
{
    for (int64_t k = 0; k < s->code->tables; k++) {
        const int64_t bytes = table_count(s, k) * (int64_t)sizeof(double);
        const double *values = site_put(g, s->table_values[k], bytes);
        s->gpu_table[k] = values + s->code->table[k].margin[0];
    }
    for (int64_t f = 0; f < s->code->fields; f++)
        for (int n = 0; n < SITE_LEVELS; n++) {
            site_level *l = &s->level[f][n];
            if (l->memory)
                l->gpu = site_put(g, l->memory, l->bytes);
        }
}

static bool level_agrees(const site_level *l, gpu *g)
{
    const int64_t size = (int64_t)pav_type_size(l->host.type);
    char *got = site_fresh(l->bytes, 1);
    bool same = true;

    REQUIRE_OK(gpu_download(g, got, l->gpu, l->bytes));
    for (int64_t at = 0; at < l->bytes; at += size)
        same = same && same_number(type_load(l->host.type, l->memory + at),
                                   type_load(l->host.type, got + at));
    free(got);
    return same;
}

bool site_agrees(const gpu_site *s, gpu *g)
{
    bool same = true;

    for (int64_t f = 0; f < s->code->fields; f++)
        for (int n = 0; n < SITE_LEVELS; n++)
            same = same && (!s->level[f][n].memory || level_agrees(&s->level[f][n], g));
    return same;
}
