/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels without a stage are bitwise identical to the host's functions. */
#include "exec/gpu/gpu_private.h"
#include "gpu_site.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const pav_type types[] = {PAV_F32, PAV_F64, PAV_BF16, PAV_F16, PAV_U8};
enum {
    TYPES = COUNT_OF(types),
    NX = 7,
    NY = 5,
    NZ = 4,
    HALO = 6,
    MOST = 20 * 18 * 17 * 8
};

typedef struct table {
    gpu *g;
    gpu_module *module;
    rng random;
    view host; /* a field with halo on all sides */
    char *memory;
    void *gpu;
    int64_t bytes, origin;
} table;

static void launch(table *t, const char *name, int64_t threads, const void *argument,
                   size_t bytes)
{
    const gpu_call call = {gpu_module_find(t->module, name),
                           {(threads + EMIT_GPU_COMMON - 1) / EMIT_GPU_COMMON, 1, 1},
                           {EMIT_GPU_COMMON, 1, 1},
                           0,
                           argument,
                           (int64_t)bytes,
                           false};

    REQUIRE(call.kernel);
    REQUIRE_OK(gpu_launch(t->g, &call));
    REQUIRE_OK(gpu_wait(t->g));
}

static bool open_table(table *t)
{
    text source = {0};

    *t = (table){.random = {42}};
    if (!site_gpu(&t->g))
        return false;
    emit_gpu_common(&source);
    REQUIRE_OK(gpu_module_open(t->g, source.data, source.length, HOST_KEEP | HOST_QUICK,
                               &t->module));
    text_free(&source);
    t->memory = site_fresh(MOST, 1);
    t->gpu = site_put(t->g, NULL, MOST);
    return true;
}

static void close_table(table *t)
{
    site_give_all(t->g);
    gpu_close(t->g);
    free(t->memory);
}

/* Fills all points and ghosts of a field with numbers of this type. The field has nx
 * points along x. */
static void fill(table *t, pav_type type, int64_t nx)
{
    const int64_t size = (int64_t)pav_type_size(type), extent[] = {nx, NY, NZ};
    int64_t elements = 1;

    t->host = (view){.type = type};
    t->origin = 0;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        t->host.extent[axis] = extent[axis];
        t->host.halo[axis][0] = t->host.halo[axis][1] = HALO;
        t->host.stride[axis] = elements;
        t->origin += HALO * elements * size;
        elements *= extent[axis] + 2 * HALO;
    }
    t->bytes = elements * size;
    REQUIRE(t->bytes <= MOST);
    t->host.data = t->memory + t->origin;
    for (int64_t e = 0; e < elements; e++)
        type_store(type, t->memory + e * size, 20 * rng_unit(&t->random) - 10);
    REQUIRE_OK(gpu_upload(t->g, t->gpu, t->memory, t->bytes));
}

static emit_gpu_view view_on_gpu(const table *t)
{
    return (emit_gpu_view){(char *)t->gpu + t->origin, t->host.stride[1],
                           t->host.stride[2], t->host.type};
}

static bool agrees(const table *t)
{
    char *got = site_fresh(t->bytes, 1);

    REQUIRE_OK(gpu_download(t->g, got, t->gpu, t->bytes));
    const bool same = memcmp(got, t->memory, (size_t)t->bytes) == 0;
    free(got);
    return same;
}

/* ---- ghosts ------------------------------------------------------------------------ */

enum { MAPS = 6 };
static const ghost_map maps[MAPS] = {
    GHOST_EVEN,    GHOST_WRAPS,    GHOST_CLAMPS,
    GHOST_BETWEEN, GHOST_NEGATIVE, (ghost_map)(GHOST_BETWEEN | GHOST_NEGATIVE)};

static void compare_ghosts(table *t, int axis, int side, ghost_map map)
{
    box all = {{0, 0, 0}, {t->host.extent[0], t->host.extent[1], t->host.extent[2]}};
    emit_gpu_ghosts a = {.view = view_on_gpu(t),
                         .axis = axis,
                         .side = side,
                         .map = map,
                         .extent = t->host.extent[axis],
                         .depth = HALO};

    for (int lower = 0; lower < axis; lower++) {
        all.lo[lower] -= HALO;
        all.hi[lower] += HALO;
    }
    memcpy(a.lo, all.lo, sizeof a.lo);
    memcpy(a.hi, all.hi, sizeof a.hi);
    ghost_fill_side(&t->host, axis, side, map, &all);
    launch(t, "run_ghosts", MOST, &a, sizeof a);
}

TEST(ghosts_of_all_kinds_are_those_of_the_host)
{
    table t;
    if (!open_table(&t))
        return;
    for (int n = 0; n < TYPES; n++)
        for (int kind = 0; kind < MAPS; kind++)
            for (int64_t nx = 1; nx <= NX; nx += 2) {
                fill(&t, types[n], nx); /* also grids narrower than their halo */
                for (int face = 0; face < 2 * MAX_DIM; face++)
                    compare_ghosts(&t, face / 2, face % 2, maps[kind]);
                CHECK(agrees(&t));
            }
    close_table(&t);
}

/* Fills all borders on the host and on the GPU and compares the fields. A kind of -1
 * leaves its side unchanged. `straight` permits a straight copy. */
static void compare_borders(table *t, int (*kind)[2], bool straight)
{
    emit_gpu_borders a = {.level[0] = gpu_border_of(&t->host, kind)};
    box all = {.hi = {t->host.extent[0], t->host.extent[1], t->host.extent[2]}};

    a.level[0].view = view_on_gpu(t);
    if (!straight)
        a.level[0].straight = 0;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        for (int side = 0; side < 2; side++)
            if (kind[axis][side] >= 0)
                ghost_fill_side(&t->host, axis, side, (ghost_map)kind[axis][side], &all);
        all.lo[axis] -= t->host.halo[axis][0];
        all.hi[axis] += t->host.halo[axis][1];
    }
    launch(t, "run_borders", MOST, &a, sizeof a);
    CHECK(agrees(t));
}

/* Faces of value 0 need grids wider than their halo; a periodic axis needs both sides. */
static void choose_kinds(table *t, bool narrow, int (*kind)[2])
{
    for (int n = 0; n < 2 * MAX_DIM; n++) {
        const int k = (int)(rng_next(&t->random) % (MAPS + 1)) - 1;
        const int map = k < 0 ? NO_GHOST : (int)maps[k];
        kind[n / 2][n % 2] = narrow && map == GHOST_NEGATIVE ? GHOST_CLAMPS : map;
        if (n % 2 && (kind[n / 2][0] == GHOST_WRAPS || map == GHOST_WRAPS))
            kind[n / 2][0] = kind[n / 2][1] = GHOST_WRAPS;
        if (!narrow)
            t->host.halo[n / 2][n % 2] = (int)(rng_next(&t->random) % 3);
    }
}

LONG_TEST(borders_filled_at_once_are_those_filled_axis_by_axis)
{
    table t;
    if (!open_table(&t))
        return;
    for (int trial = 0; trial < 240; trial++) {
        const bool narrow = trial % 2;
        int kind[MAX_DIM][2];
        fill(&t, types[trial % TYPES], narrow ? 1 + trial % NX : NX);
        choose_kinds(&t, narrow, kind);
        compare_borders(&t, kind, trial % 4 < 2);
    }
    close_table(&t);
}

TEST(copies_by_one_multiplication_are_of_all_kinds_but_not_of_narrow_grids)
{
    static char memory[1];
    const view wide = {
        .data = memory, .extent = {3, 5, 1}, .halo = {{2, 2}, {1, 0}, {3, 3}}};
    view far = wide;

    far.stride[2] = INT64_C(1) << 31;
    for (int n = 0; n < MAPS; n++) {
        const int kind = (int)maps[n];
        int kinds[MAX_DIM][SIDES] = {{kind, kind}, {kind, NO_GHOST}, {kind, kind}};
        CHECK_EQ(gpu_border_of(&wide, kinds).straight, 1 << 1 | 1 << 2 | 1 << 4);
        CHECK_EQ(gpu_border_of(&far, kinds).straight, 0);
    }
    view narrow = wide;
    narrow.extent[0] = 2;
    int even[MAX_DIM][SIDES] = {{GHOST_EVEN, GHOST_EVEN}, {GHOST_EVEN, NO_GHOST}};
    CHECK_EQ(gpu_border_of(&narrow, even).straight & 1 << 1, 0);
}

TEST(points_around_a_grid_fit_until_there_are_2_to_the_30_of_them)
{
    const view plane = {.extent = {1 << 24, 1 << 18, 1}, .halo = {{1, 1}, {1, 1}}};
    const view cube = {.extent = {1 << 14, 1 << 14, 1 << 14}, .halo = {{1, 1}}};
    const view line = {.extent = {1 << 30, 1, 1}, .halo = {{1, 1}}};

    CHECK(gpu_borders_fit(&plane, 0) && gpu_borders_fit(&plane, 1));
    CHECK(gpu_borders_fit(&cube, 1) && !gpu_borders_fit(&cube, 0));
    CHECK(!gpu_borders_fit(&line, 0));
}

/* ---- reductions -------------------------------------------------------------------- */

static void compare_folds(table *t, reduction_kind kind, int64_t first, int64_t count)
{
    enum { GROUPS = 3 };
    double *values = site_fresh(GROUPS * count, sizeof *values), got[GROUPS];

    for (int64_t n = 0; n < GROUPS * count; n++)
        values[n] = rng_unit(&t->random) - 0.5;
    const emit_gpu_reductions a = {site_put(t->g, values, GROUPS * count * 8),
                                   site_put(t->g, NULL, sizeof got),
                                   first,
                                   count,
                                   GROUPS,
                                   kind};
    launch(t, "run_reductions", GROUPS * (int64_t)EMIT_GPU_COMMON, &a, sizeof a);
    REQUIRE_OK(gpu_download(t->g, got, a.to, sizeof got));
    for (int n = 0; n < GROUPS; n++)
        CHECK(same_number(got[n], interp_reduce(kind, values + n * count, first, count)));
    free(values);
}

TEST(folds_are_those_of_the_fixed_tree_wherever_they_begin)
{
    static const int64_t first[] = {0, 1, 7, 2047, 4099, -1, -5000};
    static const int64_t count[] = {1, 2, 9, 255, 770, 2048, 5000};
    table t;
    if (!open_table(&t))
        return;
    for (size_t f = 0; f < COUNT_OF(first); f++)
        for (size_t c = 0; c < COUNT_OF(count); c++)
            for (int kind = REDUCTION_SUM; kind <= (int)REDUCTION_NORM; kind++)
                compare_folds(&t, (reduction_kind)kind, first[f], count[c]);
    close_table(&t);
}

/* ---- samples ----------------------------------------------------------------------- */

TEST(samples_are_sums_in_the_given_order)
{
    enum { ROWS = 5, NEIGHBOURS = 40 };
    int64_t first[ROWS + 1] = {0, 1, 1, 9, 30, NEIGHBOURS};
    int64_t index[NEIGHBOURS][MAX_DIM];
    double weight[NEIGHBOURS], got[ROWS], want[ROWS];
    point_set set = {.count = ROWS, .first = first, .index = index, .weight = weight};
    table t;
    if (!open_table(&t))
        return;
    for (int n = 0; n < NEIGHBOURS; n++) {
        for (int axis = 0; axis < MAX_DIM; axis++)
            index[n][axis] = (n * (axis + 3)) % NZ;
        weight[n] = rng_unit(&t.random) - 0.5;
    }
    for (int n = 0; n < TYPES; n++) {
        fill(&t, types[n], NX);
        const emit_gpu_samples a = {view_on_gpu(&t),
                                    site_put(t.g, first, sizeof first),
                                    site_put(t.g, index, sizeof index),
                                    site_put(t.g, weight, sizeof weight),
                                    site_put(t.g, NULL, sizeof got),
                                    ROWS};
        launch(&t, "run_samples", ROWS, &a, sizeof a);
        REQUIRE_OK(gpu_download(t.g, got, a.value, sizeof got));
        sample_view(&set, &t.host, want);
        for (int row = 0; row < ROWS; row++)
            CHECK(same_number(got[row], want[row]));
    }
    close_table(&t);
}

/* ---- the NaN check, copies --------------------------------------------------------- */

static uint64_t first_found(table *t)
{
    uint64_t found = UINT64_MAX;
    const emit_gpu_nan_check a = {
        view_on_gpu(t), {-1, 0, 0}, {NX, NY, NZ}, site_put(t->g, &found, sizeof found)};

    launch(t, "run_check_nan", (NX + 1) * NY * NZ, &a, sizeof a);
    REQUIRE_OK(gpu_download(t->g, &found, a.found, sizeof found));
    return found;
}

static void spoil(table *t, int64_t i, int64_t j, int64_t k, double value)
{
    const int64_t size = (int64_t)pav_type_size(t->host.type);

    type_store(t->host.type, (char *)t->host.data + view_offset(&t->host, i, j, k) * size,
               value);
    REQUIRE_OK(gpu_upload(t->g, t->gpu, t->memory, t->bytes));
}

TEST(the_nan_check_finds_the_first_point_that_is_not_finite)
{
    table t;
    if (!open_table(&t))
        return;
    for (int n = 0; n < TYPES - 1; n++) { /* bytes are finite */
        fill(&t, types[n], NX);
        CHECK(first_found(&t) == UINT64_MAX);
        spoil(&t, 2, 3, 1, (double)-INFINITY);
        CHECK_EQ((long long)first_found(&t), (1 * NY + 3) * (NX + 1) + 3);
        spoil(&t, NX, 0, 0, (double)NAN); /* beyond the box */
        spoil(&t, -1, 3, 1, (double)NAN);
        CHECK_EQ((long long)first_found(&t), (1 * NY + 3) * (NX + 1));
    }
    close_table(&t);
}

TEST(copies_of_a_box_are_points_or_zeros)
{
    char was[8], is[8];
    table t;
    if (!open_table(&t))
        return;
    for (int n = 0; n < TYPES; n++) {
        fill(&t, types[n], NX);
        const size_t size = pav_type_size(types[n]);
        emit_gpu_copy a = {view_on_gpu(&t), view_on_gpu(&t), {1, 0, 0}, {3, NY, NZ}};
        a.from.data = (char *)a.from.data + 4 * size; /* the points four farther on */
        launch(&t, "run_copy", 2 * NY * NZ, &a, sizeof a);
        REQUIRE_OK(gpu_download(t.g, was, (char *)a.from.data + 2 * size, (int64_t)size));
        REQUIRE_OK(gpu_download(t.g, is, (char *)a.to.data + 2 * size, (int64_t)size));
        CHECK(memcmp(was, is, size) == 0);
        a.from.data = NULL;
        launch(&t, "run_copy", 2 * NY * NZ, &a, sizeof a);
        REQUIRE_OK(gpu_download(t.g, is, (char *)a.to.data + 2 * size, (int64_t)size));
        CHECK(type_load(types[n], is) == 0);
        REQUIRE_OK(gpu_download(t.g, is, (char *)a.to.data + 3 * size, (int64_t)size));
        CHECK(memcmp(is, (char *)t.host.data + 3 * size, size) == 0);
    }
    close_table(&t);
}
