/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs on a grid and on a mesh have separate calls, and each call names the other.
 * The caller's rounding mode and limits have no effect on a mesh either. */
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "opened.h"

TEST(grids_and_meshes_send_each_other_to_the_right_call)
{
    static const char source[] = "mesh square 2 layers 2\nfield c = x\noutput c\n";
    pav_program *p;
    pav_mesh_run *mesh;
    pav_run *run;
    pav_device *d;
    REQUIRE_OK(pav_device_open("interpreter", &d));
    REQUIRE_OK(pav_program_parse("grid x 3\nfield u\nu' = u\n", 24, NULL, &p));
    CHECK_STATUS(pav_mesh_run_open(p, d, NULL, &mesh), PAV_EINVAL);
    CHECK(strstr(pav_message(), "pav_run_open") != NULL);
    pav_program_free(p);
    REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &p));
    CHECK_STATUS(pav_run_open(p, d, NULL, &run), PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), "pav_mesh_run_open") != NULL);
    pav_program_free(p);
    pav_device_free(d);
}

TEST(runs_and_places_that_are_missing_are_refused)
{
    const double *values = NULL;
    double value = 0;
    CHECK_STATUS(pav_mesh_run_finish(NULL), PAV_EINVAL);
    CHECK_STATUS(pav_mesh_run_values(NULL, "u", &values), PAV_EINVAL);
    CHECK_STATUS(pav_mesh_run_measure(NULL, "m", &value), PAV_EINVAL);
    CHECK(pav_mesh_run_mesh(NULL) == NULL);
    CHECK(!pav_program_on_mesh(NULL));
}

/* ---- the caller's rounding and limits ---------------------------------------------- */

static const char thirds[] = "mesh disc 3 layers 2\nfield u on nodes\n"
                             "form a(u, v) = dot(grad(u), grad(v)) + (1/3)*u*v\n"
                             "form L(v) = exp(x)*v\nborder u = sin(x)/3\n"
                             "solve a = L by cg to 1e-10\noutput u into \"u.vtu\"\n";

static pav_status solve_thirds(const pav_mesh_run_options *options, double *u,
                               int64_t count)
{
    pav_program *p = NULL;
    pav_device *d = NULL;
    pav_mesh_run *run = NULL;
    const double *values = NULL;
    REQUIRE_OK(pav_program_parse(thirds, strlen(thirds), NULL, &p));
    REQUIRE_OK(pav_device_open("interpreter", &d));
    REQUIRE_OK(pav_mesh_run_open(p, d, options, &run));
    const pav_status status = pav_mesh_run_finish(run);
    REQUIRE_OK(pav_mesh_run_values(run, "u", &values));
    memcpy(u, values, (size_t)count * sizeof *u);
    pav_mesh_run_free(run);
    pav_device_free(d);
    pav_program_free(p);
    return status;
}

TEST(a_caller_that_rounds_up_gets_the_same_bits_on_a_mesh)
{
    const pav_mesh_run_options options = {.no_files = 1};
    enum { COUNT = 60 };
    double plain[COUNT], changed[COUNT];
    REQUIRE_OK(solve_thirds(&options, plain, COUNT));
    REQUIRE(fesetround(FE_UPWARD) == 0);
    REQUIRE_OK(solve_thirds(&options, changed, COUNT));
    CHECK_EQ(fegetround(), FE_UPWARD);
    (void)fesetround(FE_TONEAREST);
    CHECK(memcmp(plain, changed, sizeof plain) == 0);
}

TEST(a_limit_on_the_size_of_files_ends_no_process_that_writes_a_mesh)
{
    char folder[] = "/tmp/pavior-test-XXXXXX";
    const pav_mesh_run_options options = {.directory = folder};
    struct rlimit before, limit;
    double u;
    REQUIRE(mkdtemp(folder) != NULL);
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
    limit = before;
    limit.rlim_cur = 300;
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK_STATUS(solve_thirds(&options, &u, 1), PAV_EIO);
    CHECK(strstr(pav_message(), "a limit on the size of files") != NULL);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK_EQ(rmdir(folder), 0); /* no partial file is left */
}
