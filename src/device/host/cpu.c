/* SPDX-License-Identifier: BSD-3-Clause */
/* The device "cpu": the host's processors run C compiled at the start of a run. */
#include <stdio.h>
#include <stdlib.h>

#include "device/device_private.h"

static bool present(const char **why)
{
    const char *named = getenv("PAV_CC");
    char path[HOST_TEXT];

    static _Thread_local char said[HOST_TEXT];

    (void)snprintf(said, sizeof said,
                   "PAV_CC is '%.400s', which is no program that can be started; give "
                   "the path of a C compiler alone, or unset it",
                   named ? named : "");
    *why = named && *named
               ? said
               : "there is no C compiler; install gcc or clang, or name one in PAV_CC";
    return images_target(".so") || host_find_compiler(LANGUAGE_C, path);
}

const device_ops cpu_device = {
    .name = "cpu",
    .about = "compiles each program for this processor; all its cores",
    .present = present,
    .rank = 2,
    .compiled = true,
};
