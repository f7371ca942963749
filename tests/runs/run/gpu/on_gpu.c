/* SPDX-License-Identifier: BSD-3-Clause */
#include "on_gpu.h"

#include <stdio.h>
#include <string.h>

static pav_run_options by(const char *requested)
{
    return (pav_run_options){.no_files = 1, .nan_check_every = -1, .schedule = requested};
}

bool on_gpu_there(void)
{
    pav_device *device = NULL;
    if (test_loses_stacks())
        return false;
    const bool there = pav_device_open("emulated", &device) == PAV_OK;
    if (!there)
        test_skip("runs on a GPU", pav_message());
    pav_device_free(device);
    return there;
}

pav_status on_gpu_open(const char *source, const char *requested, begun *b)
{
    const pav_run_options how = by(requested);
    return kept_open(source, "emulated", &how, b);
}

void on_gpu_verified(const char *source, const char *requested)
{
    const pav_run_options how = by(requested);
    begun b;
    char *said = NULL;
    REQUIRE_OK(kept_open(source, "emulated", NULL, &b));
    CHECK_STATUS(pav_run_verify(b.program, b.device, &how, 17, &said), PAV_OK);
    pav_text_free(said);
    close_begun(&b);
}

void on_gpu_refused(const char *source, const char *requested, const char *why)
{
    begun b;
    CHECK_STATUS(on_gpu_open(source, requested, &b), PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), why) != NULL);
    close_begun(&b);
}
