/* SPDX-License-Identifier: BSD-3-Clause */
/* Bundles through the C interface: written, opened before the device, passed to a run,
 * and refused with a sentence. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "opened.h"

static const char heat[] =
    "grid x 20, y 20\nfield u = x*y\nborder u = 0\nu' = u + 1/8*laplace(u)\n";

/* False on a machine without a compiler. */
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

/* ---- another file under the same name ---------------------------------------------- */

/* Two files in a folder: the user's own file, and a file writable by everyone. */
typedef struct exchange {
    char folder[64], name[80], theirs[80];
} exchange;

static const exchange *due;

/* Replaces stat of the C library to simulate an attack. The caller of stat sees its own
 * file, and right after that the name belongs to the other file. */
__attribute__((visibility("default"))) int stat(const char *restrict path,
                                                struct stat *restrict about)
{
    const int result = fstatat(AT_FDCWD, path, about, 0);
    if (due && strcmp(path, due->name) == 0)
        (void)rename(due->theirs, due->name);
    return result;
}

static void put(const char *path, const char *bytes, mode_t mode)
{
    FILE *file = fopen(path, "w");
    REQUIRE(file && fputs(bytes, file) >= 0 && fclose(file) == 0);
    REQUIRE(chmod(path, mode) == 0);
}

/* The own file is no bundle and the other file is a truncated bundle. Their messages
 * differ, so the message shows the file that was read. */
TEST(the_bundle_that_is_read_is_the_one_whose_owner_was_asked)
{
    exchange e = {.folder = "/tmp/pavior-exchange-XXXXXX"};
    pav_bundle *bundle;
    REQUIRE(mkdtemp(e.folder));
    (void)snprintf(e.name, sizeof e.name, "%s/name", e.folder);
    (void)snprintf(e.theirs, sizeof e.theirs, "%s/theirs", e.folder);
    put(e.name, "nothing\n", 0600);
    put(e.theirs, "pavior bundle 1\n", 0666);
    due = &e;
    CHECK(pav_bundle_open(e.name, &bundle) != PAV_OK);
    due = NULL;
    CHECK(strstr(pav_message(), "this is no bundle") != NULL);
    CHECK_EQ(pav_bundle_open(e.theirs, &bundle), PAV_EINVAL);
    CHECK(strstr(pav_message(), "others may write") != NULL);
    (void)unlink(e.name);
    (void)unlink(e.theirs);
    CHECK(rmdir(e.folder) == 0);
}
