/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts values of npy files to doubles: numbers of any kind and size in either byte
 * order. */
#include <string.h>

#include "npy/npy.h"

static uint64_t load_bits(const char *at, int size, bool swapped)
{
    uint64_t wide;
    uint32_t word;
    uint16_t half;

    switch (size) {
    case 8:
        memcpy(&wide, at, sizeof wide);
        return swapped ? __builtin_bswap64(wide) : wide;
    case 4:
        memcpy(&word, at, sizeof word);
        return swapped ? __builtin_bswap32(word) : word;
    case 2:
        memcpy(&half, at, sizeof half);
        return swapped ? __builtin_bswap16(half) : half;
    default: return (unsigned char)*at;
    }
}

static double float_of(uint64_t bits, int size)
{
    const uint32_t word = (uint32_t)bits;
    const uint16_t half = (uint16_t)bits;
    float single;
    double value;

    if (size == 2)
        return type_load(PAV_F16, &half);
    if (size == 4) {
        memcpy(&single, &word, sizeof single);
        return (double)single;
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Two's complement of `size` bytes. */
static double integer_of(uint64_t bits, int size)
{
    const uint64_t sign = UINT64_C(1) << (8 * size - 1);

    if (!(bits & sign))
        return (double)bits;
    return -(double)(sign - (bits & (sign - 1)));
}

double npy_value(const npy_header *h, const char *at)
{
    const uint64_t bits = load_bits(at, h->item_size, h->swapped);

    switch (h->kind) {
    case 'f': return float_of(bits, h->item_size);
    case 'i': return integer_of(bits, h->item_size);
    case 'b': return bits != 0;
    default: return (double)bits;
    }
}

pav_status npy_column(const char *bytes, int64_t length, double **values, int64_t *count)
{
    npy_header h;

    *values = NULL;
    *count = 0;
    TRY(npy_parse_header(bytes, length, &h));
    if (h.dimensions != 1)
        return FAIL(PAV_EFORMAT, "it has %d dimensions; one is needed, an array (n)",
                    h.dimensions);
    if (length - h.data_offset != h.count * h.item_size)
        return FAIL(PAV_EFORMAT, "it states %lld values and holds %lld bytes of them",
                    (long long)h.count, (long long)(length - h.data_offset));
    *values = mem_new(h.count + 1, sizeof **values);
    if (!*values)
        return PAV_ENOMEM;
    for (int64_t i = 0; i < h.count; i++)
        (*values)[i] = npy_value(&h, bytes + h.data_offset + i * h.item_size);
    *count = h.count;
    return PAV_OK;
}
