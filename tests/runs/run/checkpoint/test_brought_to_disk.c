/* SPDX-License-Identifier: BSD-3-Clause */
/* All data counted by a checkpoint must be on the disk before the checkpoint. The test
 * wraps the calls that sync files, and checks their order. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kept.h"

static char synced[8192]; /* names of synced files in order, each with a space after it */
static const char *failing;

/* Replaces the system's function: records the name of the file and syncs it, or fails for
 * the file `failing`. */
int fsync(int file)
{
    char link[64], target[4096] = "";
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t length = readlink(link, target, sizeof target - 1);
    const char *slash = length > 0 ? strrchr(target, '/') : NULL;
    const char *name = slash ? slash + 1 : target;
    if (failing && strcmp(name, failing) == 0) {
        errno = EIO;
        return -1;
    }
    if (strlen(synced) + strlen(name) + 2 < sizeof synced)
        (void)strcat(strcat(synced, name), " ");
    return (int)syscall(SYS_fsync, file);
}

static pav_status run_with(const char *output)
{
    char source[400];
    (void)snprintf(source, sizeof source,
                   "grid x 20, y 20\nfield u = x\nu' = u\n%s\nsteps 4", output);
    synced[0] = '\0';
    return kept_run(source, "interpreter",
                    &(pav_run_options){.directory = kept_path(""),
                                       .checkpoint = kept_path("c"),
                                       .checkpoint_every = 3});
}

/* True if `name` was synced, then its directory, and then the checkpoint. */
static bool in_order(const char *name)
{
    char directory[4200], folder[4200];
    (void)snprintf(directory, sizeof directory, "%s", kept_path(""));
    directory[strlen(directory) - 1] = '\0';
    (void)snprintf(folder, sizeof folder, "%s ", strrchr(directory, '/') + 1);
    const char *at = strstr(synced, name);
    at = at ? strstr(at, folder) : NULL;
    return at && strstr(at, "c.part ");
}

TEST(outputs_are_on_the_disk_before_the_checkpoint_that_counts_them)
{
    static const char *const outputs[][2] = {
        {"output u into \"u.npy\" every 2", "u-000002.npy "},
        {"output u into \"u.pvd\" every 2", "u-000002.vti "},
        {"output u into \"u.pvd\" every 2", "u.pvd "},
        {"output u into \"u.apng\" every 2", "u.apng "}};
    for (size_t n = 0; n < COUNT_OF(outputs); n++) {
        REQUIRE_OK(run_with(outputs[n][0]));
        CHECK(in_order(outputs[n][1]));
    }
}

TEST(an_output_that_cannot_be_brought_to_the_disk_ends_the_run)
{
    failing = "u-000002.npy";
    CHECK_STATUS(run_with("output u into \"u.npy\" every 2"), PAV_EIO);
    CHECK(strstr(pav_message(), "u-000002.npy is written, but cannot be brought to the "
                                "disk: Input/output error") != NULL);
    CHECK(access(kept_path("c"), F_OK) != 0);
}

TEST(an_output_that_was_moved_away_is_no_failure)
{
    begun b;
    char was[4200];
    failing = NULL;
    REQUIRE_OK(
        kept_open("grid x 20\nfield u = x\nu' = u\noutput u into \"u.npy\" every 2",
                  "interpreter", &(pav_run_options){.directory = kept_path("")}, &b));
    REQUIRE_OK(pav_run_steps(b.run, 2));
    (void)snprintf(was, sizeof was, "%s", kept_path("u-000000.npy"));
    for (int n = 0; n < 1000 && rename(was, kept_path("gone")) != 0; n++)
        (void)usleep(1000);
    CHECK_STATUS(pav_run_checkpoint(b.run, kept_path("c")), PAV_OK);
    close_begun(&b);
}
