/* SPDX-License-Identifier: BSD-3-Clause */
/* The linker sends calls of these functions here (link.cmake); before far_begin they go
 * on to the real ones. */
#define _GNU_SOURCE
#include "beyond_32_bits.h"
#include "run/checkpoint/checkpoint_private.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    PAGE = 4096,
    KEPT = 32 << 20,                /* kept bytes of a checkpoint */
    PERIOD = (12 << 20) + 7 * PAGE, /* no power of two: nothing far falls on itself */
    OWN = 48 << 20,                 /* bytes at each end of a level */
    FAR_FROM = 1 << 30,
};

static bool begun;
static int levels_in_block;

/* Declared like in their own headers, and must change with them. */
#define WRAPPED(name) extern __typeof__(name) __real_##name, __wrap_##name
WRAPPED(levels_new);
WRAPPED(mem_big);
WRAPPED(mem_big_free);
WRAPPED(mem_available);
WRAPPED(stream_put);
WRAPPED(stream_get);

void far_begin(void)
{
    begun = true;
}

static char *map_at(char *at, int64_t bytes, int protection, int flags, int file)
{
    char *block = mmap(at, (size_t)bytes, protection, flags | MAP_NORESERVE, file, 0);
    REQUIRE(block != MAP_FAILED);
    return block;
}

static void map_file(char *block, int64_t bytes)
{
    const int file = memfd_create("far", MFD_CLOEXEC);
    REQUIRE(file >= 0 && ftruncate(file, PERIOD) == 0);
    for (int64_t at = 0; at < bytes; at += PERIOD) {
        const int64_t length = bytes - at < PERIOD ? bytes - at : PERIOD;
        (void)map_at(block + at, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                     file);
    }
    (void)close(file);
}

/* Maps memory around the end of each level, the beginning of the next one. */
static void map_ends(char *block, int64_t bytes)
{
    for (int n = 0; n <= levels_in_block; n++) {
        const int64_t end = bytes / levels_in_block * n / PAGE * PAGE;
        const int64_t from = end > OWN ? end - OWN : 0;
        const int64_t to = end + OWN < bytes ? end + OWN : bytes;
        (void)map_at(block + from, to - from, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1);
    }
}

void *__wrap_mem_big(int64_t bytes)
{
    if (!begun || bytes < FAR_FROM)
        return __real_mem_big(bytes);
    char *block = map_at(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    map_file(block, bytes);
    map_ends(block, bytes);
#ifdef MADV_POPULATE_WRITE
    (void)madvise(block, (size_t)bytes,
                  MADV_POPULATE_WRITE); /* quicker than fault by fault */
#endif
    return block;
}

void __wrap_mem_big_free(void *block, int64_t bytes)
{
    if (begun && bytes >= FAR_FROM)
        (void)munmap(block, (size_t)bytes);
    else
        __real_mem_big_free(block, bytes);
}

pav_status __wrap_levels_new(const field_shape *shape, host_team *team, progress_sink *a,
                             levels *result)
{
    levels_in_block = shape->count;
    return __real_levels_new(shape, team, a, result);
}

int64_t __wrap_mem_available(void)
{
    return begun ? INT64_MAX / 4 : __real_mem_available();
}

/* ---- runs -------------------------------------------------------------------------- */

void far_finish(const char *source, const char *directory, far_run *f)
{
    const pav_run_options options = {
        .directory = directory, .no_files = !directory, .nan_check_every = -1};
    *f = (far_run){0};
    far_begin();
    REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &f->program));
    REQUIRE_OK(pav_device_open("cpu", &f->device));
    REQUIRE_OK(pav_run_open(f->program, f->device, &options, &f->run));
    REQUIRE_OK(pav_run_finish(f->run));
    REQUIRE_OK(run_host_view(f->run, 0, 0, HOST_READ, &f->u));
}

void far_close(far_run *f)
{
    pav_run_free(f->run);
    pav_program_free(f->program);
    pav_device_free(f->device);
    *f = (far_run){0};
}

void far_interpret(far_run *f, const box *b)
{
    const ir *code = run_code(f->run);
    const interp_args args = {.code = code,
                              .stage = &code->stage[code->step.stage[0]],
                              .view = f->run->part->view,
                              .table = f->run->part->table,
                              .uniform = f->run->part->uniform,
                              .box = *b};
    REQUIRE_OK(interp_stage(&args));
}

/* ---- checkpoints ------------------------------------------------------------------- */

static int64_t written, taken, kept_end; /* bytes so far; end of the kept bytes */
static char kept[KEPT];

pav_status __wrap_stream_put(stream *s, const void *bytes, int64_t length)
{
    const int64_t at = written - (kept_end - KEPT);
    if (!begun)
        return __real_stream_put(s, bytes, length);
    if (at >= 0 && at + length <= KEPT)
        memcpy(kept + at, bytes, (size_t)length);
    written += length;
    return PAV_OK;
}

pav_status __wrap_stream_get(stream *s, void *bytes, int64_t length)
{
    const int64_t at = taken - (kept_end - KEPT);
    if (!begun)
        return __real_stream_get(s, bytes, length);
    if (at >= 0 && at + length <= KEPT)
        memcpy(bytes, kept + at, (size_t)length);
    taken += length;
    return PAV_OK;
}

void far_keep_and_read(far_run *f, const box *b)
{
    stream none = {0};
    kept_end = f->u->extent[0] * f->u->extent[1] * f->u->extent[2] *
               (int64_t)pav_type_size(f->u->type);
    written = taken = 0;
    REQUIRE_OK(data_write(f->run, &none, true));
    CHECK_EQ(written, data_bytes(f->run));
    far_clear(f->u, b);
    REQUIRE_OK(data_read(f->run, &none));
    CHECK_EQ(taken, written);
}

/* ---- values ------------------------------------------------------------------------ */

double far_rounded(pav_type type, double value)
{
    double stored;
    type_store(type, &stored, value);
    return type_load(type, &stored);
}

void far_clear(const view *v, const box *b)
{
    const int64_t bytes = (b->hi[0] - b->lo[0]) * (int64_t)pav_type_size(v->type);
    for (int64_t k = b->lo[2]; k < b->hi[2]; k++)
        for (int64_t j = b->lo[1]; j < b->hi[1]; j++)
            memset((char *)v->data +
                       view_offset(v, b->lo[0], j, k) * (int64_t)pav_type_size(v->type),
                   0, (size_t)bytes);
}

static bool row_same(const view *v, const box *row,
                     double (*want)(int64_t i, int64_t j, int64_t k))
{
    static double values[1 << 17];
    REQUIRE(row->hi[0] - row->lo[0] <= (int64_t)COUNT_OF(values));
    view_read_box(v, row, PAV_F64, values);
    for (int64_t i = row->lo[0]; i < row->hi[0]; i++) {
        const double right = want(i, row->lo[1], row->lo[2]),
                     got = values[i - row->lo[0]];
        if (got == right)
            continue;
        (void)printf("point (%lld %lld %lld) is %g, not %g\n", (long long)i,
                     (long long)row->lo[1], (long long)row->lo[2], got, right);
        return false;
    }
    return true;
}

bool far_same(const view *v, const box *b,
              double (*want)(int64_t i, int64_t j, int64_t k))
{
    bool same = true;
    for (int64_t k = b->lo[2]; k < b->hi[2] && same; k++)
        for (int64_t j = b->lo[1]; j < b->hi[1] && same; j++) {
            const box row = {{b->lo[0], j, k}, {b->hi[0], j + 1, k + 1}};
            same = row_same(v, &row, want);
        }
    return same;
}
