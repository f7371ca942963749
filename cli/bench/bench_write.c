/* SPDX-License-Identifier: BSD-3-Clause */
/* A figure of results into its file. */
#include "bench_list.h"

int bench_write_figure(const char *path, const pav_figure *figure)
{
    const pav_status status = pav_figure_write(path, figure);
    if (status != PAV_OK)
        complain(status, "%s", pav_message());
    return status == PAV_OK ? EXIT_DONE : EXIT_RUN_FAILED;
}
