/* SPDX-License-Identifier: BSD-3-Clause */
/* The npy format: headers and values. */
#include <string.h>

#include "npy/npy.h"

/* ---- values ------------------------------------------------------------------------ */

/* Converts values of npy files to doubles: numbers of any kind and size in either byte
 * order. */

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

    return !(bits & sign) ? (double)bits : -(double)(sign - (bits & (sign - 1)));
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
    TRY(mem_take(values, h.count + 1, sizeof **values));
    for (int64_t i = 0; i < h.count; i++)
        (*values)[i] = npy_value(&h, bytes + h.data_offset + i * h.item_size);
    *count = h.count;
    return PAV_OK;
}

/* ---- headers ----------------------------------------------------------------------- */

/* The header of an npy file: magic, version, length, and a Python dictionary of exactly
 * three keys, {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } followed by
 * spaces and a newline. The parser passes once over the given bytes without recursion and
 * rejects everything unknown. */

enum {
    MAGIC = 6,         /* bytes */
    LONGEST = 1 << 20, /* largest dictionary in bytes; NumPy's own limit is 10000 */
    MOST_DIMENSIONS = 8,
};

typedef struct parser {
    const char *begin, *at, *end;
} parser;

static pav_status not_understood(const parser *p, const char *expected)
{
    return FAIL(PAV_EFORMAT, "its npy header is not understood at byte %lld: %s expected",
                (long long)(p->at - p->begin), expected);
}

static void skip_space(parser *p)
{
    while (p->at < p->end && *p->at && strchr(" \t\r\n", *p->at))
        p->at++;
}

static bool take(parser *p, char wanted)
{
    skip_space(p);
    if (p->at == p->end || *p->at != wanted)
        return false;
    p->at++;
    return true;
}

static bool take_word(parser *p, const char *word)
{
    const size_t length = strlen(word);

    skip_space(p);
    if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0)
        return false;
    p->at += length;
    return true;
}

/* After an item of a list: a comma before the next one, or the end. */
static pav_status go_on(parser *p, char end, const char *expected, bool *more)
{
    const bool comma = take(p, ',');

    *more = !take(p, end);
    return comma || !*more ? PAV_OK : not_understood(p, expected);
}

/* Reads a quoted string without escapes; the strings of a header need none. */
static bool take_string(parser *p, const char **string, int64_t *length)
{
    skip_space(p);
    if (p->at == p->end || (*p->at != '\'' && *p->at != '"'))
        return false;
    const char *end = memchr(p->at + 1, *p->at, (size_t)(p->end - p->at - 1));
    if (!end)
        return false;
    *string = p->at + 1;
    *length = end - p->at - 1;
    p->at = end + 1;
    return true;
}

/* ---- descr ------------------------------------------------------------------------- */

struct refusal {
    char kind;
    const char *what;
};
static const struct refusal refusals[] = {
    {'O', "Python objects"}, {'c', "complex numbers"}, {'S', "texts"},
    {'a', "texts"},          {'U', "texts"},           {'V', "records"},
    {'M', "dates"},          {'m', "time spans"},
};

static pav_status refuse(const char *descr, int64_t length)
{
    const char kind = length > 1 ? descr[1] : '\0';

    for (size_t i = 0; i < COUNT_OF(refusals); i++)
        if (refusals[i].kind == kind)
            return FAIL(PAV_EFORMAT,
                        "it holds %s, not real numbers; save it as float64, for example",
                        refusals[i].what);
    return FAIL(
        PAV_EFORMAT,
        "its element type is none of f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1; save it as "
        "float64, for example");
}

static bool known_type(char kind, int size)
{
    const bool power = size == 1 || size == 2 || size == 4 || size == 8;

    switch (kind) {
    case 'f': return power && size > 1;
    case 'i':
    case 'u': return power;
    case 'b': return size == 1;
    default: return false;
    }
}

static pav_status parse_type(parser *p, npy_header *h)
{
    const char native = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
    const char *descr;
    int64_t length;

    skip_space(p);
    if (p->at < p->end && *p->at == '[')
        return refuse("|V", 2);
    if (!take_string(p, &descr, &length))
        return not_understood(p, "an element type such as '<f8'");
    if (length != 3 || !strchr("<>|=", descr[0]) || descr[0] == '\0' || descr[2] < '1' ||
        descr[2] > '8' || !known_type(descr[1], descr[2] - '0'))
        return refuse(descr, length);
    h->kind = descr[1];
    h->item_size = descr[2] - '0';
    if (h->item_size > 1 && descr[0] == '|')
        return refuse("", 0);
    h->swapped = h->item_size > 1 && descr[0] != '=' && descr[0] != native;
    return PAV_OK;
}

/* ---- fortran_order and shape ------------------------------------------------------- */

static pav_status parse_order(parser *p, npy_header *h)
{
    h->fortran = take_word(p, "True");
    return !h->fortran && !take_word(p, "False") ? not_understood(p, "True or False")
                                                 : PAV_OK;
}

static pav_status parse_extent(parser *p, int64_t *extent)
{
    int64_t value = 0;

    skip_space(p);
    if (p->at < p->end && *p->at == '-')
        return FAIL(PAV_EFORMAT, "its npy header states a negative extent");
    const char *first = p->at;
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++)
        if (!mul_fits(value, 10, &value) || !add_fits(value, *p->at - '0', &value))
            return FAIL(PAV_ELIMIT, "its npy header states an extent beyond 64 bits");
    if (p->at == first)
        return not_understood(p, "an extent");
    if (p->at < p->end && *p->at == 'L') /* suffix of long integers in Python 2 */
        p->at++;
    *extent = value;
    return PAV_OK;
}

static pav_status parse_shape(parser *p, npy_header *h)
{
    h->dimensions = 0;
    if (!take(p, '('))
        return not_understood(p, "a shape such as (3, 4)");
    for (bool more = !take(p, ')'); more;) {
        if (h->dimensions == MOST_DIMENSIONS)
            return FAIL(PAV_EFORMAT, "it has more than %d dimensions", MOST_DIMENSIONS);
        TRY(parse_extent(p, &h->extent[h->dimensions++]));
        TRY(go_on(p, ')', "',' or ')'", &more));
    }
    return PAV_OK;
}

/* ---- the dictionary ---------------------------------------------------------------- */

struct entry {
    const char *key;
    pav_status (*parse)(parser *p, npy_header *h);
};
static const struct entry entries[] = {
    {"descr", parse_type}, {"fortran_order", parse_order}, {"shape", parse_shape}};

static pav_status parse_entry(parser *p, unsigned *seen, npy_header *h)
{
    const char *key;
    int64_t length;

    if (!take_string(p, &key, &length))
        return not_understood(p, "a key");
    for (size_t i = 0; i < COUNT_OF(entries); i++) {
        if ((size_t)length != strlen(entries[i].key) ||
            memcmp(key, entries[i].key, (size_t)length) != 0)
            continue;
        if (*seen & 1u << i)
            return FAIL(PAV_EFORMAT, "its npy header states %s twice", entries[i].key);
        *seen |= 1u << i;
        return !take(p, ':') ? not_understood(p, "':'") : entries[i].parse(p, h);
    }
    p->at = key;
    return not_understood(p, "descr, fortran_order or shape");
}

static pav_status parse_dictionary(parser *p, npy_header *h)
{
    unsigned seen = 0;

    if (!take(p, '{'))
        return not_understood(p, "'{'");
    for (bool more = !take(p, '}'); more;) {
        TRY(parse_entry(p, &seen, h));
        TRY(go_on(p, '}', "',' or '}'", &more));
    }
    for (size_t i = 0; i < COUNT_OF(entries); i++)
        if (!(seen & 1u << i))
            return FAIL(PAV_EFORMAT, "its npy header does not state %s", entries[i].key);
    skip_space(p);
    return p->at == p->end ? PAV_OK : not_understood(p, "nothing more");
}

static pav_status count_items(npy_header *h)
{
    int64_t bytes;

    h->count = 1;
    for (int d = 0; d < h->dimensions; d++)
        if (!mul_fits(h->count, h->extent[d], &h->count))
            return FAIL(PAV_ELIMIT, "its shape is more values than 64 bits can count");
    return !mul_fits(h->count, h->item_size, &bytes) ||
                   !add_fits(bytes, h->data_offset, &bytes)
               ? FAIL(PAV_ELIMIT, "its shape is more bytes than 64 bits can count")
               : PAV_OK;
}

/* ---- before the dictionary --------------------------------------------------------- */

/* Little-endian, whatever the machine. */
static int64_t length_field(const char *bytes, int size)
{
    int64_t value = 0;

    for (int i = size - 1; i >= 0; i--)
        value = value * 256 + (unsigned char)bytes[i];
    return value;
}

pav_status npy_prefix(const char *bytes, int64_t length, int64_t *dictionary,
                      int64_t *data)
{
    if (length < NPY_PREFIX || memcmp(bytes, "\x93NUMPY", MAGIC) != 0)
        return FAIL(PAV_EFORMAT, "it is no npy file; numpy.save writes them%s",
                    length > 4 && memcmp(bytes, "\x89PNG", 4) == 0
                        ? ", and the name of a picture ends in .png"
                        : "");
    const int version = (unsigned char)bytes[MAGIC],
              minor = (unsigned char)bytes[MAGIC + 1];
    if (version < 1 || version > 3 || minor != 0)
        return FAIL(PAV_EFORMAT,
                    "it is an npy file of version %d.%d; 1.0, 2.0 and 3.0 are known",
                    version, minor);
    const int field = version == 1 ? 2 : 4;
    *dictionary = MAGIC + 2 + field;
    *data = *dictionary + length_field(bytes + MAGIC + 2, field);
    return *data - *dictionary > LONGEST
               ? FAIL(PAV_EFORMAT, "its npy header states a length of %lld bytes",
                      (long long)(*data - *dictionary))
               : PAV_OK;
}

pav_status npy_parse_header(const char *bytes, int64_t length, npy_header *header)
{
    npy_header h = {0};
    int64_t dictionary = 0;

    *header = h;
    TRY(npy_prefix(bytes, length, &dictionary, &h.data_offset));
    if (h.data_offset > length)
        return FAIL(PAV_EFORMAT,
                    "its npy header is cut short: %lld bytes of %lld are there",
                    (long long)length, (long long)h.data_offset);
    parser p = {bytes, bytes + dictionary, bytes + h.data_offset};
    TRY(parse_dictionary(&p, &h));
    TRY(count_items(&h));
    *header = h;
    return PAV_OK;
}
