/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations along an axis go slab by slab on processors: the bits are those of whole
 * stages in turn, also where an operation reads borders of the one before. */
#include <string.h>

#include "run/run_private.h"
#include "test.h"

enum { MOST = 40000 };

static int64_t values(const char *device, const char *source, double *u)
{
    pav_program *p = NULL;
    pav_device *d = NULL;
    pav_run *run = NULL;
    pav_view v;

    REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &p));
    REQUIRE_OK(pav_device_open(device, &d));
    REQUIRE_OK(pav_run_open(p, d, &(pav_run_options){.no_files = 1}, &run));
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
