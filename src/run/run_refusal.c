/* SPDX-License-Identifier: BSD-3-Clause */
/* Why a grid does not fit into memory, and what would: the largest grid of the same shape, and narrower
 * fields, each measured as it would be allocated. */
#include <math.h>

#include "run/needs_private.h"

typedef struct remedy {
    const pav_run *run;
    int64_t beside; /* bytes of all that is no field */
    int64_t available;
} remedy;

/* How a field is kept instead; types that are not floating stay. */
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

/* Bytes with extents of `share` of what they are, or -1. */
static int64_t bytes_of(const remedy *r, const int64_t *extent, narrowing *narrow)
{
    const ir *code = r->run->code;
    const bool twice = r->run->options.verify && !r->run->gpu;
    int64_t all = r->beside;
    for (int64_t k = 0; k < code->fields; k++) {
        const ir_field *f = &code->field[k];
        field_shape shape = run_shape_of(r->run, f);
        levels_size size;
        shape.type = narrow(shape.type);
        for (int axis = 0; axis < MAX_DIM; axis++)
            shape.extent[axis] = f->coarse ? (extent[axis] + 1) / 2 : extent[axis];
        if (!levels_measure(&shape, &size) || !add_fits(all, size.bytes, &all) ||
            (twice && !add_fits(all, size.bytes, &all)))
            return -1;
    }
    return all;
}

static bool fits(const remedy *r, const int64_t *extent, narrowing *narrow)
{
    const int64_t bytes = bytes_of(r, extent, narrow);
    return bytes >= 0 && bytes <= r->available;
}

static void own_extent(const remedy *r, int64_t *extent)
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        extent[axis] = points_along(r->run->code, axis, false);
}

/* Less by even numbers, which a grid with a coarse one needs. */
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
    for (int k = 0; k < HALVINGS; k++) {
        const double middle = (low + high) / 2;
        scale(r, middle, extent);
        *(fits(r, extent, as_it_is) ? &low : &high) = middle;
    }
    scale(r, low, extent);
    return fits(r, extent, as_it_is) && extent[0] > 4;
}

static void add_narrow(const remedy *r, narrowing *narrow, const char *words, text *t)
{
    int64_t extent[MAX_DIM];
    own_extent(r, extent);
    const int64_t bytes = bytes_of(r, extent, narrow);
    if (bytes < 0 || bytes > r->available || bytes == bytes_of(r, extent, as_it_is))
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

/* "memory, 3 GiB are available", "device memory on cuda:0, 3 GiB are free" */
static void add_kind(const need_store *s, const char *have, text *t)
{
    if (s->tier == TIER_GPU)
        text_add(t, "device memory on %s, %s are free", s->name, have);
    else
        text_add(t, "memory, %s are available", have);
}

pav_status run_refuse_memory(const pav_run *run, const need_store *store,
                             const char *advice)
{
    int64_t extent[MAX_DIM];
    remedy r = {.run = run, .available = store->available};
    text kind = {0}, wanted = {0}, have = {0}, fitting = {0};
    own_extent(&r, extent);
    r.beside = store->sure - bytes_of(&r, extent, as_it_is);
    text_add_bytes_size(&wanted, store->sure);
    text_add_bytes_size(&have, store->available);
    add_kind(store, have.data, &kind);
    add_remedies(&r, &fitting);
    const pav_status status = FAIL(PAV_ENOMEM, "%s needs %s of %s; %s%s; %s",
                                   run->program->name, wanted.data, kind.data,
                                   fitting.data ? "what fits is "
                                                : "make the grid smaller or free memory",
                                   fitting.data ? fitting.data : "", advice);
    text_free(&kind);
    text_free(&wanted);
    text_free(&have);
    text_free(&fitting);
    return status;
}
