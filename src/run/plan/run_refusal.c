/* SPDX-License-Identifier: BSD-3-Clause */
/* The error for a grid larger than memory, with remedies: the largest grid of the same
 * shape, and narrower fields. Each remedy is measured by the code that allocates it. */
#include <math.h>

#include "run/plan/needs_private.h"

typedef struct remedy {
    const pav_run *run;
    const needs *refused; /* with the available bytes */
    int64_t store;        /* the store with too little memory */
} remedy;

/* The narrower type of a field; other than floating types stay. */
typedef pav_type narrowing(pav_type type);

static pav_type as_it_is(pav_type type)
{
    return type;
}

static pav_type at_most_f32(pav_type type)
{
    return type == PAV_F64 ? PAV_F32 : type;
}

static pav_type at_most_bf16(pav_type type)
{
    return type == PAV_F64 || type == PAV_F32 ? PAV_BF16 : type;
}

static void resize(const pav_run *run, const int64_t *extent, narrowing *narrow,
                   program *p, ir_field *field)
{
    for (int axis = 0; axis < run->code->dim; axis++)
        p->axis[axis].points = extent[axis];
    for (int64_t k = 0; k < run->code->fields; k++) {
        field[k] = run->code->field[k];
        field[k].storage = narrow(field[k].storage);
        for (int axis = 0; axis < MAX_DIM; axis++)
            field[k].extent[axis] = coarse_extent(p, field[k].coarse, axis);
    }
}

/* The needs of the run with other extents and types, by the same estimate. */
static pav_status needs_with(const pav_run *run, const int64_t *extent, narrowing *narrow,
                             needs *n)
{
    program p = *run->program;
    ir code = *run->code;
    pav_run other = *run;
    code.field = mem_new(code.fields + 1, sizeof *code.field);
    if (!code.field)
        return PAV_ENOMEM;
    resize(run, extent, narrow, &p, code.field);
    code.program = other.program = &p;
    other.code = &code;
    const pav_status status = needs_memory(&other, n);
    mem_free(code.field);
    return status;
}

/* True if every store has room; *bytes: needs of the store that was too small. */
static bool fits(const remedy *r, const int64_t *extent, narrowing *narrow,
                 int64_t *bytes)
{
    needs n = {0};
    bool all = needs_with(r->run, extent, narrow, &n) == PAV_OK;
    for (int64_t k = 0; k < n.stores && all; k++) {
        const int64_t available = r->refused->store[k].available;
        all = available < 0 || n.store[k].sure <= available;
    }
    *bytes = all ? n.store[r->store].sure : 0;
    needs_free(&n);
    return all;
}

static void own_extent(const remedy *r, int64_t *extent)
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        extent[axis] = points_along(r->run->code, axis, false);
}

/* Scales extents down by even numbers, because coarse grids need this. */
static void scale(const remedy *r, double share, int64_t *extent)
{
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int64_t whole = points_along(r->run->code, axis, false);
        int64_t less = (int64_t)floor((double)whole * share);
        less -= (whole - less) % 2;
        extent[axis] = less > 1 ? less : 1;
    }
}

static bool find_largest(const remedy *r, int64_t *extent)
{
    enum { HALVINGS = 52 };
    double low = 0, high = 1;
    int64_t bytes;
    for (int k = 0; k < HALVINGS; k++) {
        const double middle = (low + high) / 2;
        scale(r, middle, extent);
        *(fits(r, extent, as_it_is, &bytes) ? &low : &high) = middle;
    }
    scale(r, low, extent);
    return fits(r, extent, as_it_is, &bytes) && extent[0] > 4;
}

static void add_narrow(const remedy *r, narrowing *narrow, const char *words, text *t)
{
    int64_t extent[MAX_DIM], bytes;
    own_extent(r, extent);
    if (!fits(r, extent, narrow, &bytes))
        return;
    text_add(t, "%s%s (", t->length > 0 ? ", " : "", words);
    text_add_bytes_size(t, bytes);
    text_add(t, ")");
}

static void add_remedies(const remedy *r, text *t)
{
    int64_t extent[MAX_DIM];
    if (find_largest(r, extent)) {
        text_add(t, "a grid of ");
        text_add_extent(t, r->run->code->dim, extent);
    }
    add_narrow(r, at_most_f32, "`real f32`", t);
    add_narrow(r, at_most_bf16, "fields `stored bf16` or `stored f16`", t);
}

/* Advice if the host's memory is too small and fields may lie in files. */
static const char *on_disk(const pav_run *run, const need_store *s)
{
    const bool may = s->tier == TIER_HOST && run->code->dim > 1 && !run->outofcore &&
                     !run->options.subdomains && !run->part->ranks &&
                     outofcore_may_be(run);
    return may ? "--disk DIR computes this one with its fields in files there; " : "";
}

/* "memory, 3 GiB are available", "device memory on cuda:0, 3 GiB are free", or "...,
 * --device-memory allows 3 GiB" */
static void add_kind(const pav_run *run, const need_store *s, const char *have, text *t)
{
    const int64_t allowed = run->options.device_memory;
    if (s->tier == TIER_GPU && allowed > 0 && s->available >= allowed)
        text_add(t, "device memory on %s, --device-memory allows %s", s->name, have);
    else if (s->tier == TIER_GPU)
        text_add(t, "device memory on %s, %s are free", s->name, have);
    else
        text_add(t, "memory, %s are available", have);
}

pav_status run_refuse_memory(const pav_run *run, const needs *n, int64_t number,
                             const char *advice)
{
    const need_store *store = &n->store[number];
    const remedy r = {.run = run, .refused = n, .store = number};
    text kind = {0}, requested = {0}, have = {0}, fitting = {0};
    text_add_bytes_size(&requested, store->sure);
    text_add_bytes_size(&have, store->available);
    add_kind(run, store, have.data, &kind);
    add_remedies(&r, &fitting);
    const pav_status status = FAIL(
        PAV_ENOMEM, "%s needs %s of %s; %s%s; %s%s", run->program->name, requested.data,
        kind.data,
        fitting.data ? "what fits is " : "make the grid smaller or free memory",
        fitting.data ? fitting.data : "", on_disk(run, store), advice);
    text_free(&kind);
    text_free(&requested);
    text_free(&have);
    text_free(&fitting);
    return status;
}
