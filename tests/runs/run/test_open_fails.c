/* SPDX-License-Identifier: BSD-3-Clause */
/* Every allocation of an opening run fails in turn. A run that cannot be opened leaves no
 * kernels loaded. */
#define _GNU_SOURCE
#include <link.h>

#include "finished.h"

static int count_object(struct dl_phdr_info *info, size_t size, void *count)
{
    (void)info, (void)size;
    ++*(int *)count;
    return 0;
}

static int shared_objects(void)
{
    int count = 0;
    (void)dl_iterate_phdr(count_object, &count);
    return count;
}

/* Lets each allocation of an opening run fail in turn. The end: many failures in a row
 * change nothing. */
static void open_with_failures(const char *source, const pav_run_options *options)
{
    enum { CALM = 250 };
    pav_program *description;
    pav_device *device;
    pav_run *run;
    REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &description));
    REQUIRE_OK(pav_device_open("cpu", &device));
    REQUIRE_OK(pav_run_open(description, device, options, &run)); /* compiles once */
    pav_run_free(run);
    const int before = shared_objects();
    int refused = 0;
    for (int64_t n = 1, opened = 0; opened < CALM; n++) {
        mem_fail_after(n);
        const pav_status status = pav_run_open(description, device, options, &run);
        mem_fail_after(0);
        opened = status == PAV_OK ? opened + 1 : 0;
        refused += status == PAV_ENOMEM;
        if (status == PAV_OK)
            pav_run_free(run);
        CHECK_EQ(shared_objects(), before);
    }
    CHECK(refused > 0);
    pav_device_free(device);
    pav_program_free(description);
}

TEST(kernels_are_unloaded_if_the_teams_of_subdomains_find_no_memory)
{
    const pav_run_options options = {.no_files = true, .threads = 2, .subdomains = "1x2"};
    open_with_failures("grid x 700, y 600\nfield u\nu' = u + 1\nsteps 4\n", &options);
}

TEST(kernels_are_unloaded_if_the_windows_of_a_grid_find_no_memory)
{
    const pav_run_options options = {
        .no_files = true, .threads = 1, .out_of_core = "auto:parts=4,steps=2"};
    open_with_failures("grid x 24, y 96\nfield u\nu' = u + 1\nsteps 4\n", &options);
}
