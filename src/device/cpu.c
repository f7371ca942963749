/* SPDX-License-Identifier: BSD-3-Clause */
/* The host's processors, by C that its compiler makes for them when a run begins. */
#include "device/device_private.h"

static bool present(const char **why)
{
    char path[HOST_TEXT];

    *why =
        "there is no C compiler: install gcc or clang, or name one in PAV_CC, or use the "
        "device interpreter";
    return host_find_compiler(path);
}

const device_ops cpu_device = {
    .name = "cpu",
    .about = "compiles each program; on request (--device cpu)",
    .present = present,
    .rank = 0,
    .compiled = true,
};
