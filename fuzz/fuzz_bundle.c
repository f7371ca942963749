/* SPDX-License-Identifier: BSD-3-Clause */
/* Bundles: any bytes are refused with a sentence, or are one. */
#include <stdlib.h>
#include <string.h>

#include "run/run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pav_bundle *b;
    const pav_status status = bundle_take((const char *)data, (int64_t)size, "fuzzed",
                                          &b);
    if (status == PAV_OK ? !b : b || !*pav_message())
        abort();
    pav_bundle_free(b);
    return 0;
}
