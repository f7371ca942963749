/* SPDX-License-Identifier: BSD-3-Clause */
/* Bundles from C: written, opened before the device, handed to a run, and refused with a
 * sentence. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opened.h"

static const char heat[] =
    "grid x 20, y 20\nfield u = x*y\nborder u = 0\nu' = u + 1/8*laplace(u)\n";

/* False, with a line, where this machine has no compiler. */
static bool write_one(char path[64], pav_program *p)
{
    pav_device *device;
    (void)snprintf(path, 64, "/tmp/pavior-bundle-XXXXXX");
    const int file = mkstemp(path);
    REQUIRE(file >= 0);
    (void)close(file);
    if (pav_device_open("cpu", &device) != PAV_OK)
        return false;
    REQUIRE_OK(pav_bundle_write(p, device, NULL, path));
    pav_device_free(device);
    return true;
}

TEST(a_run_takes_its_kernels_from_a_bundle)
{
    char path[64];
    pav_program *p = parse(heat);
    if (write_one(path, p)) {
        pav_bundle *bundle;
        pav_device *device;
        pav_run *run;
        REQUIRE_OK(pav_bundle_open(path, &bundle));
        CHECK_STR(pav_bundle_device(bundle), "cpu");
        REQUIRE_OK(pav_device_open("cpu", &device));
        REQUIRE_OK(pav_run_open(p, device, &(pav_run_options){.bundle = bundle}, &run));
        REQUIRE_OK(pav_run_steps(run, 3));
        pav_run_free(run);
        pav_device_free(device);
        pav_bundle_free(bundle);
    }
    (void)unlink(path);
    pav_program_free(p);
}

TEST(a_bundle_that_is_open_lets_nothing_be_compiled)
{
    char path[64];
    pav_program *p = parse(heat), *other = parse("grid x 9\nfield v = x\nv' = 2*v\n");
    if (write_one(path, p)) {
        pav_bundle *bundle;
        pav_device *device;
        pav_run *run;
        REQUIRE_OK(pav_bundle_open(path, &bundle));
        REQUIRE_OK(pav_device_open("cpu", &device));
        CHECK_EQ(pav_run_open(other, device, &(pav_run_options){.bundle = bundle}, &run),
                 PAV_EUNSUPPORTED);
        CHECK_EQ(pav_run_open(other, device, NULL, &run), PAV_EUNSUPPORTED);
        pav_bundle_free(bundle);
        CHECK_EQ(pav_run_open(other, device, NULL, &run), PAV_OK);
        pav_run_free(run);
        pav_device_free(device);
    }
    (void)unlink(path);
    pav_program_free(p);
    pav_program_free(other);
}

TEST(a_bundle_that_is_missing_is_refused)
{
    pav_bundle *bundle;
    CHECK_EQ(pav_bundle_open(NULL, &bundle), PAV_EINVAL);
    CHECK_EQ(pav_bundle_open("/nowhere/at.all", &bundle), PAV_EIO);
    CHECK(bundle == NULL);
    CHECK_EQ(pav_bundle_write(NULL, NULL, NULL, NULL), PAV_EINVAL);
    pav_bundle_free(NULL);
}
