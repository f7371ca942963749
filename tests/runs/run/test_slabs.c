/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations along an axis go slab by slab on processors: the bits are those of whole
 * stages in turn, also where an operation reads borders of the one before. */
#include <string.h>

#include "exec/host/host.h"
#include "run/run_private.h"
#include "test.h"

enum { MOST = 80000 };

static int64_t values(const char *device, const char *source, double *u)
{
    pav_program *p = NULL;
    pav_device *d = NULL;
    pav_run *run = NULL;
    pav_view v;

    REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &p));
    REQUIRE_OK(pav_device_open(device, &d));
    REQUIRE_OK(pav_run_open(p, d, &(pav_run_options){.no_files = 1, .threads = 5}, &run));
    REQUIRE_OK(pav_run_finish(run));
    REQUIRE_OK(pav_field_borrow(run, "u", 0, &v));
    const int64_t count = v.extent[0] * v.extent[1] * v.extent[2];
    REQUIRE(count <= MOST);
    REQUIRE_OK(pav_field_read(run, "u", 0, PAV_F64, u, count));
    pav_run_free(run);
    pav_device_free(d);
    pav_program_free(p);
    return count;
}

TEST(slabs_of_lines_have_the_bits_of_whole_stages)
{
    static const char *const sources[] = {
        "grid x 70, y 520\nfield u = random(1), k = random(2)\n"
        "u' = tridiagonal(-1, 4 + k, -1, u along x) - 0.1*scan(0.5, u along x down)\n"
        "border u, k = 0\nsteps 3\n",
        "grid x 150, y 500\nfield u = random(1), k = random(2)\n"
        "u' = tridiagonal(-1, 4 + k, -1, u along y) - 0.1*scan(0.5, u along y down)\n"
        "border u, k = 0\nsteps 3\n",
        "grid x 130, y 9, z 60\nfield u = random(1)\nparam k = 4.5\n"
        "u' = tridiagonal(-1, k, -1, u + laplace(u) along z)\nborder u = 0\nsteps 3\n",
        "grid x 30, y 1, z 40\nfield u = random(1)\n"
        "u' = tridiagonal(-1, 4, -1, u along z cyclic)\nborder periodic u\nsteps 3\n",
        "grid x 9, y 60, z 7\nfield u = random(1), v\nv' = 0.1*scan(u along y)\n"
        "u' = 0.1*scan(v'[0,1,0] - v'[0,-1,0] along y) + 0.01*scan(v'[1,0,0] along y)\n"
        "border periodic\nsteps 3\n",
        "grid x 9, y 60\nfield u = random(1), v\nv' = 0.1*scan(u along x)\n"
        "u' = 0.1*scan(v'[0,1] + v' along x)\nborder neumann\nsteps 3\n",
        "grid x 5\nfield u = random(1)\nu' = tridiagonal(-1, 4, -1, u along x)\n"
        "border u = 0\nsteps 3\n",
    };
    static double a[MOST], b[MOST];

    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++) {
        const int64_t count = values("interpreter", sources[k], a);
        CHECK(values("cpu", sources[k], b) == count);
        CHECK(memcmp(a, b, (size_t)count * sizeof *a) == 0);
    }
}

/* An operation along an axis over all points of a grid. */
static line_slabs slabs_of(int axis, const int64_t *extent, int64_t most)
{
    static ir_stage stage;
    interp_args args = {.stage = &stage};

    stage.along = axis + 1;
    for (int k = 0; k < MAX_DIM; k++)
        args.box.hi[k] = extent[k];
    return line_slabs_of(&args, 1, most);
}

TEST(sixteen_threads_have_equal_shares_of_the_lines_of_each_axis)
{
    static const int64_t extents[][MAX_DIM] = {
        {512, 512, 512}, {1024, 1024, 1}, {64, 90, 65}};

    for (int n = 0; n < 9; n++) {
        const int64_t *extent = extents[n / 3], all = extent[0] * extent[1] * extent[2];
        const line_slabs l = slabs_of(n % 3, extent, all / 16 / 8);
        int64_t covered = 0, largest = 0;
        for (int64_t part = 0, own = 0; part < 16 && extent[n % 3] > 1; part++, own = 0) {
            for (int64_t k = l.count * part / 16; k < l.count * (part + 1) / 16; k++) {
                const box slab = line_slab(&l, k);
                CHECK(slab.lo[n % 3] == 0 && slab.hi[n % 3] == extent[n % 3]);
                own += box_points(slab);
            }
            covered += own;
            largest = int64_most(own, largest);
        }
        CHECK(extent[n % 3] == 1 || (covered == all && largest * 16 <= all * 5 / 4));
    }
}
