/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes moved by tiles with their halos, calculated by hand: sectors have 32 bytes, and
 * rows begin a line. */
#include "codegen/codegen.h"
#include "test.h"

static const schedule_place on_gpus = {true, "GPUs"};

/* Bytes of the first stage of the step, over n[0] x n[1] x n[2] points from lo[] on. */
static double bytes_of(const char *source, const char *string, int64_t lo,
                       const int64_t n[MAX_DIM], int64_t planes)
{
    emit_gpu_work w = {.planes = planes};
    schedule requested;
    emit_gpu_kernel k;
    program *p = NULL;
    ir *code = NULL;
    double bytes = 0;
    REQUIRE_OK(program_parse(source, (int64_t)strlen(source), NULL, &p));
    REQUIRE_OK(ir_build(p, NULL, &code));
    REQUIRE_OK(schedule_parse(string, on_gpus, &requested));
    const ir_stage *stage = &code->stage[code->step.stage[0]];
    REQUIRE(emit_gpu_refusal(code, stage, &requested) == NULL);
    REQUIRE_OK(emit_gpu_kernel_of(code, stage, &requested, &k));
    for (int axis = 0; axis < MAX_DIM; axis++) {
        w.lo[axis] = n[axis] > 1 ? lo : 0;
        w.hi[axis] = w.lo[axis] + n[axis];
    }
    REQUIRE_OK(emit_gpu_footprint(code, stage, &k, &w, &bytes));
    emit_gpu_kernel_free(&k);
    ir_free(code);
    program_free(p);
    return bytes;
}

static const char heat[] = "grid x 256, y 64, z 64\nreal f32\nfield u = 1\n"
                           "u' = u + 0.1*laplace(u)\nborder u = 0";
static const char flat[] = "grid x 64, y 64\nreal f64\nfield u = 1\n"
                           "u' = u + 0.1*laplace(u)\nborder u = 0";
static const char mean[] =
    "grid x 256, y 64, z 256\nreal f32\nfield u = 1\nborder periodic\n"
    "u' = (u[-1,-1,-1] + u[1,1,1] + u[1,-1,1] + u[-1,1,-1] + u[1,-1,-1] + u[-1,1,1])/6\n";

/* Each plane reads 8 rows of 16 sectors with one more at each end, and 2 rows of 16
 * sectors. The planes before and behind read 8 rows of 16 each. This makes 3072 sectors
 * for 16 planes: 6 bytes a point, and 4 are stored. The least possible sum is 8. */
TEST(seven_points_read_a_sector_at_each_end_of_a_row_and_two_rows_more)
{
    const int64_t n[] = {128, 8, 16};
    CHECK_EQ(bytes_of(heat, "sweep:threads=32x8", 0, n, 16), 10.0 * 128 * 8 * 16);
}

/* Tiles begin at multiples of 128 points. A box from point 1 on has one point less in its
 * first tile, and one more tile. */
TEST(tiles_of_a_box_that_begins_within_a_line_are_cut)
{
    const int64_t n[] = {128, 8, 16};
    const double first = 16 * (8 * 17 + 2 * 16) + 2 * 8 * 16,
                 last = 16 * (8 * 2 + 2) + 16;
    const double stored = 17 * 8 * 16;
    CHECK_EQ(bytes_of(heat, "sweep:threads=32x8", 1, n, 16),
             32 * (first + last + stored));
}

/* Formula (7) of Krotkiewski and Dabrowski: 32*6 values, 2*32 above and below, 16*(6 + 2)
 * at the sides, each plane once. */
TEST(shared_planes_of_32_by_6_threads_read_twice_what_they_hold)
{
    const int64_t n[] = {32, 6, 254};
    CHECK_EQ(bytes_of(mean, "sweep:shared,threads=32x6,vector=1,rows=1", 0, n, 254),
             4.0 * ((32 * 6 + 2 * 32 + 16 * (6 + 2)) * 256 + 32 * 6 * 254));
}

/* Every new sweep reads its surrounding planes again. */
TEST(short_sweeps_read_more_planes)
{
    const int64_t n[] = {128, 8, 16};
    const double plane = 8 * 16 * 32;
    CHECK_EQ(bytes_of(heat, "sweep:threads=32x8", 0, n, 4) -
                 bytes_of(heat, "sweep:threads=32x8", 0, n, 16),
             3 * 2 * plane);
}

/* Each of four tiles of 8x4 points of 8 bytes reads 4 rows of 4 sectors and 2 rows of 2.
 * The rest are stores. */
TEST(threads_a_point_have_tiles_of_a_block)
{
    const int64_t n[] = {16, 8, 1};
    CHECK_EQ(bytes_of(flat, "point:threads=8x4", 0, n, 0), 4 * 20 * 32 + 16 * 8 * 8);
}

/* With two rows a thread, the last tile of 9 rows has one row but reads the rows of
 * two. */
TEST(the_last_rows_of_a_box_are_read_by_whole_threads)
{
    const int64_t nine[] = {128, 9, 16}, ten[] = {128, 10, 16};
    CHECK_EQ(bytes_of(heat, "sweep:threads=32x4,rows=2", 0, ten, 16) -
                 bytes_of(heat, "sweep:threads=32x4,rows=2", 0, nine, 16),
             128 * 16 * 4);
}

/* In two dimensions rows take the place of planes: each row of 64 points has a sector at
 * each end, and there is one row before and one behind. */
TEST(rows_are_the_planes_of_two_dimensions)
{
    const int64_t n[] = {64, 32, 1};
    CHECK_EQ(bytes_of(flat, "sweep:threads=32", 0, n, 32),
             32 * (32 * 18 + 2 * 16) + 64 * 32 * 8);
}

/* One coarse value reads 3 x 3 fine values. A tile of 4x4 reads rows -1 to 7 of the
 * points -1 to 7, in sectors of 4. */
TEST(a_coarse_point_reads_the_fine_ones_around_it)
{
    const int64_t n[] = {4, 4, 1};
    const char coarse[] = "grid x 65, y 65\nreal f64\nfield u = 1\nfield c coarse = 0\n"
                          "c' = restrict(u)\nborder u = 0\nborder c = 0";
    CHECK_EQ(bytes_of(coarse, "point:threads=4x4", 0, n, 0), 9 * 3 * 32 + 4 * 4 * 8);
}

TEST(a_schedule_in_words_reads_back_as_the_same)
{
    static const char all_settings[] = "sweep:shared,threads=32x16,rows=2,vector=4,"
                                       "ahead=2,prefetch=4,blocks=1,planes=32";
    static const char brought[] = "sweep:shared,input,threads=32x8,coefficients=global,"
                                  "copy=tma,vector=4,unroll=3";
    const char *const words[] = {"point:threads=64x4",
                                 "sweep:threads=32x8,vector=4",
                                 all_settings,
                                 "sweep:shuffle,threads=32x8,vector=2,planes=16",
                                 "sweep:shared,plain,threads=32x8,vector=1",
                                 brought,
                                 "point:threads=64x4,coefficients=constant"};
    for (size_t n = 0; n < COUNT_OF(words); n++) {
        schedule s;
        text t = {0};
        REQUIRE_OK(schedule_parse(words[n], on_gpus, &s));
        schedule_print(&s, &t);
        CHECK_STR(t.data, words[n]);
        text_free(&t);
    }
}
