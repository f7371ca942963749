/* SPDX-License-Identifier: BSD-3-Clause */
/* Crops and strides of outputs, files for other programs, and coefficients from HDF5,
 * each through a whole run. */
#include "finished.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SPACE "grid x 9, y 8, z 7 spacing 0.5\nfield u = 2*(x + 10*y + 100*z)\n"

/* The doubles of an array of this shape. */
static const double *array(const char *name, const char *shape, int64_t count)
{
    static double values[600];
    int64_t length;
    const char *file = folder_take(name, &length);
    REQUIRE(length == 128 + 8 * count && count <= (int64_t)COUNT_OF(values));
    CHECK(strstr(file + 10, shape) != NULL);
    memcpy(values, file + 128, 8 * (size_t)count);
    return values;
}

TEST(a_crop_holds_both_its_corners)
{
    finish_in_folder(SPACE "output u crop (2, 3, 4) to (5, 4, 6)");
    const double *v = array("u.npy", "'shape': (3, 2, 4)", 24);
    CHECK(v[0] == 432 && v[3] == 435 && v[4] == 442 && v[23] == 645);
}

TEST(a_stride_begins_at_the_crop_s_first_corner)
{
    finish_in_folder(SPACE "output u crop (2, 3, 0) to (8, 7, 6) stride (3, 2, 4)");
    const double *v = array("u.npy", "'shape': (2, 3, 3)", 18);
    CHECK(v[0] == 32 && v[1] == 35 && v[2] == 38 && v[3] == 52 && v[17] == 478);
}

TEST(one_stride_is_that_of_all_axes)
{
    finish_in_folder("grid x 9, y 8\nfield u = x + 10*y\noutput u stride 4");
    const double *v = array("u.npy", "'shape': (2, 3)", 6);
    CHECK(v[0] == 0 && v[1] == 4 && v[2] == 8 && v[3] == 40 && v[5] == 48);
}

TEST(a_slice_is_cropped_along_its_own_axes)
{
    finish_in_folder(SPACE "output u slice y 5 crop (1, 0, 2) to (3, 7, 3) stride 2");
    const double *v = array("u.npy", "'shape': (1, 2)", 2);
    CHECK(v[0] == 251 && v[1] == 253);
}

TEST(a_table_of_a_crop_has_the_coordinates_of_its_points)
{
    int64_t length;
    finish_in_folder("grid x 9 spacing 0.1, y 5\nfield u = y\n"
                     "output u crop (1, 3) to (3, 4) stride 2 into \"u.csv\"");
    CHECK_STR(folder_take("u.csv", &length), "x,y,u\n0.1,3,3\n0.3,3,3\n");
}

static void check_vti(const char *name, const char *extent, const char *origin,
                      const char *spacing)
{
    int64_t length;
    const char *all = folder_take(name, &length);
    CHECK(strstr(all, extent) != NULL);
    CHECK(strstr(all, origin) != NULL);
    CHECK(strstr(all, spacing) != NULL);
}

TEST(origin_and_spacing_follow_crop_stride_and_coarse_points)
{
    finish_in_folder(SPACE
                     "field c coarse\n"
                     "output u crop (2, 3, 4) to (8, 4, 6) stride 2 into \"u.vti\"\n"
                     "output c crop (1, 0, 0) to (4, 3, 3) stride 3 into \"c.vti\"\n"
                     "output u slice z 3 into \"s.vti\"");
    check_vti("u.vti", "WholeExtent=\"0 3 0 0 0 1\"", "Origin=\"1 1.5 2\"",
              "Spacing=\"1 1 1\"");
    check_vti("c.vti", "WholeExtent=\"0 1 0 1 0 1\"", "Origin=\"1 0 0\"",
              "Spacing=\"3 3 3\"");
    check_vti("s.vti", "WholeExtent=\"0 8 0 7 0 0\"", "Origin=\"0 0 1.5\"",
              "Spacing=\"0.5 0.5 0.5\"");
}

TEST(a_series_with_an_index_has_the_times_of_its_steps)
{
    int64_t length;
    finish_in_folder("grid x 5, y 4\nparam dt = 0.25\nfield u = 1\nu' = 2*u\nsteps 4\n"
                     "output u every 2 into \"u.pvd\"");
    const char *all = folder_take("u.pvd", &length);
    CHECK(strstr(all, "timestep=\"0\" part=\"0\" file=\"u-000000.vti\""));
    CHECK(strstr(all, "timestep=\"0.5\" part=\"0\" file=\"u-000002.vti\""));
    CHECK(strstr(all, "timestep=\"1\" part=\"0\" file=\"u-000004.vti\""));
    const char *last = folder_take("u-000004.vti", &length);
    double first;
    memcpy(&first, strstr(last, "   _") + 12, sizeof first);
    CHECK(first == 16); /* its value when it was handed over */
    (void)folder_take("u-000000.vti", &length);
    (void)folder_take("u-000002.vti", &length);
}

TEST(a_failure_of_the_writer_ends_the_run)
{
    begun b;
    begin_in_folder("grid x 50\nfield u = x\nu' = u\nsteps 100\n"
                    "output u every 1 into \"u.npy\"",
                    &b);
    REQUIRE(mkdir(folder_path("u-000002.npy"), 0777) == 0);
    CHECK_STATUS(pav_run_finish(b.run), PAV_EIO);
    CHECK(strstr(pav_message(), "u-000002.npy cannot be written: it is a directory"));
    close_begun(&b);
    for (int step = 0; step <= 100; step++) {
        char name[20];
        (void)snprintf(name, sizeof name, "u-%06d.npy", step);
        (void)remove(folder_path(name));
    }
    CHECK(rmdir(folder_path("")) == 0); /* there is nothing else */
}

TEST(a_failure_of_the_last_output_is_that_of_the_run)
{
    begun b;
    begin_in_folder("grid x 50\nfield u = x\nu' = u\nsteps 3\noutput u into \"u.npy\"",
                    &b);
    REQUIRE(rmdir(folder_path("")) == 0);
    CHECK_STATUS(pav_run_finish(b.run), PAV_EIO);
    CHECK(strstr(pav_message(), "/u.npy cannot be written: No such file or directory"));
    close_begun(&b);
}

TEST(an_output_that_could_not_be_written_is_refused_before_the_first_step)
{
    const pav_run_options plain = {.allow_outside = 1};
    begun b;
    CHECK_STATUS(begin_text("grid x 5\nfield u\noutput u into \"/no/such/place/u.npy\"",
                            &plain, &b),
                 PAV_EIO);
    CHECK(strstr(pav_message(), "/no/such/place/u.npy cannot be written: No such file or "
                                "directory; its directory is not there: make it"));
    close_begun(&b);
    CHECK_STATUS(begin_text("grid x 5\nfield u\nu' = u\nsteps 9\n"
                            "output u every 3 into \"/etc/passwd/u.vti\"",
                            &plain, &b),
                 PAV_EIO);
    CHECK(strstr(pav_message(), "/etc/passwd/u-000000.vti cannot be written: Not a "
                                "directory; a part of its path is no directory"));
    close_begun(&b);
}

TEST(hdf5_is_written_by_one_run_and_read_by_another)
{
    int64_t length;
    if (hdf5_missing()) {
        begun b;
        CHECK_STATUS(begin_text("grid x 5\nfield u\noutput u into \"u.h5\"",
                                &(pav_run_options){0}, &b),
                     PAV_EUNSUPPORTED); /* before the first step */
        close_begun(&b);
        test_skip("HDF5 files", "there is no HDF5 library");
        return;
    }
    char source[300];
    finish_in_folder(SPACE "real f32\noutput u stride 2 into \"u.xdmf\"");
    (void)snprintf(source, sizeof source,
                   "grid x 5, y 4, z 4\nfield c = \"%s:/u\"\nmask \"%s:/u\"\n"
                   "measure m = sum(c)\nfield v = 1\nv' = 2*v\nsteps 1\n"
                   "expect max(c) == 668 and min(v) == 1 and sum(v) == 2*80 - 1",
                   folder_path("u.h5"), folder_path("u.h5"));
    begun b;
    REQUIRE_OK(begin_text(source, NULL, &b));
    CHECK_STATUS(pav_run_finish(b.run), PAV_OK);
    close_begun(&b);
    CHECK(strstr(folder_take("u.xdmf", &length), ">u.h5:/u<") != NULL);
    (void)folder_take("u.h5", &length);
}

TEST(an_animation_holds_a_picture_for_every_step_that_is_due)
{
    int64_t length;
    finish_in_folder("grid x 8, y 6\nfield u = x\nu' = u + 1\nsteps 6\n"
                     "output u every 2 range 0 to 9 into \"u.apng\"");
    const char *all = folder_take("u.apng", &length);
    CHECK(length > 45 && memcmp(all + 37, "acTL\0\0\0\4", 8) == 0);
}
