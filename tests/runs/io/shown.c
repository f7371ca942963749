/* SPDX-License-Identifier: BSD-3-Clause */
#include "shown.h"

#include <stdio.h>
#include <string.h>

#include "test.h"

view shown_view(pav_type type, int64_t nx, int64_t ny, int64_t nz)
{
    enum { MOST = 1 << 16 };
    static double memory[MOST];
    REQUIRE(nx * ny * nz <= MOST);
    for (int64_t n = 0; n < nx * ny * nz; n++) {
        const int64_t x = n % nx, y = n / nx % ny, z = n / nx / ny;
        type_store(type, (char *)memory + n * (int64_t)pav_type_size(type),
                   (double)(x + 10 * y + 100 * z));
    }
    return (view){
        .data = memory, .type = type, .extent = {nx, ny, nz}, .stride = {1, nx, nx * ny}};
}

const char *attribute(const char *all, const char *name)
{
    static char values[4][256];
    static int next;
    char key[64], *value = values[next++ % 4];
    (void)snprintf(key, sizeof key, "%s=\"", name);
    const char *at = strstr(all, key);
    const char *from = at ? at + strlen(key) : "";
    (void)snprintf(value, sizeof values[0], "%.*s", (int)strcspn(from, "\""), from);
    return value;
}
