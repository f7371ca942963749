/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzes files of wisdom. Any bytes must be refused with a message, or give lines. Lines
 * must be the same after printing and reading them again. */
#include <stdlib.h>
#include <string.h>

#include "wisdom/wisdom.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wisdom w, again;
    text once = {0}, twice = {0};
    if (wisdom_parse((const char *)data, (int64_t)size, "fuzzed", &w) != PAV_OK) {
        if (!*pav_message() || w.count != 0)
            abort();
        return 0;
    }
    wisdom_print(&w, &once);
    if (wisdom_parse(once.data, once.length, "printed", &again) != PAV_OK)
        abort();
    wisdom_print(&again, &twice);
    if (again.count != w.count || strcmp(once.data, twice.data) != 0)
        abort();
    wisdom_free(&w);
    wisdom_free(&again);
    text_free(&once);
    text_free(&twice);
    return 0;
}
