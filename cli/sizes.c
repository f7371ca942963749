/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory sizes of the user: 3GiB, 512MiB, 2.5GB, 4096. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static bool read_size(const char *value, int64_t *bytes)
{
    static const struct {
        const char *name;
        double bytes;
    } units[] = {{"", 1},         {"B", 1},    {"KiB", 1024.0}, {"kB", 1e3},
                 {"MiB", 0x1p20}, {"MB", 1e6}, {"GiB", 0x1p30}, {"GB", 1e9},
                 {"TiB", 0x1p40}, {"TB", 1e12}};
    char *end;
    if (!isdigit((unsigned char)*value))
        return false;
    const double number = strtod(value, &end);
    for (size_t n = 0; n < sizeof units / sizeof *units; n++) {
        const double all = floor(number * units[n].bytes);
        if (strcmp(end, units[n].name) != 0 || !(all >= 1 && all < 0x1p62))
            continue;
        *bytes = (int64_t)all;
        return true;
    }
    return false;
}

int size_option(const char *option, const char *value, int64_t *bytes)
{
    if (!value || read_size(value, bytes))
        return EXIT_DONE;
    complain(PAV_EINVAL,
             "pavior: --%s takes a size, such as 3GiB, 512MiB or 2.5GB, not '%s'", option,
             value);
    return EXIT_USAGE;
}
