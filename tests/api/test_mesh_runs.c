/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs on a grid and on a mesh have calls of their own, and each names the other. */
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

TEST(runs_and_places_that_are_not_there_are_refused)
{
    const double *values = NULL;
    double value = 0;
    CHECK_STATUS(pav_mesh_run_finish(NULL), PAV_EINVAL);
    CHECK_STATUS(pav_mesh_run_values(NULL, "u", &values), PAV_EINVAL);
    CHECK_STATUS(pav_mesh_run_measure(NULL, "m", &value), PAV_EINVAL);
    CHECK(pav_mesh_run_mesh(NULL) == NULL);
    CHECK(!pav_program_on_mesh(NULL));
}
