/* SPDX-License-Identifier: BSD-3-Clause */
/* Element types: computations use f32 and f64; bf16, f16 and u8 are storage types. */
#include <string.h>

#include "base/base.h"

struct type_row {
    const char *name;
    size_t size;
};

static const struct type_row types[] = {
    [PAV_F32] = {"f32", 4}, [PAV_F64] = {"f64", 8}, [PAV_BF16] = {"bf16", 2},
    [PAV_F16] = {"f16", 2}, [PAV_U8] = {"u8", 1},
};

static const struct type_row *find_type(pav_type type)
{
    return (unsigned)type < COUNT_OF(types) ? &types[type] : NULL;
}

size_t pav_type_size(pav_type type)
{
    const struct type_row *row = find_type(type);

    return row ? row->size : 0;
}

const char *pav_type_name(pav_type type)
{
    const struct type_row *row = find_type(type);

    return row ? row->name : "unknown";
}

bool type_from_name(const char *name, size_t length, pav_type *type)
{
    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (strlen(types[i].name) == length && memcmp(types[i].name, name, length) == 0) {
            *type = (pav_type)i;
            return true;
        }
    return false;
}
