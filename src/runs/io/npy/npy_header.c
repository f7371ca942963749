/* SPDX-License-Identifier: BSD-3-Clause */
/* The header of an npy file, version 1.0. One text for the library and for generated
 * programs. */
#include <string.h>

#include "io/io_private.h"

int npy_header_text(char *to, const char *type, int dimensions, const int64_t *extent)
{
    enum { BEFORE = 10, ALIGNMENT = 64 }; /* bytes before the dictionary; of the data */
    char *const words = to + BEFORE;
    const size_t room = NPY_HEADER - BEFORE;
    int length = snprintf(words, room,
                          "{'descr': '%s', 'fortran_order': False, 'shape': (", type);

    for (int n = 0; n < dimensions; n++)
        length += snprintf(words + length, room - (size_t)length, "%s%lld",
                           n > 0 ? ", " : "", (long long)extent[n]);
    length += snprintf(words + length, room - (size_t)length, "%s), }",
                       dimensions == 1 ? "," : "");
    while ((BEFORE + length + 1) % ALIGNMENT != 0)
        words[length++] = ' ';
    words[length++] = '\n';
    memcpy(to, "\x93NUMPY\x01\x00", BEFORE - 2);
    to[BEFORE - 2] = (char)(length % 256);
    to[BEFORE - 1] = (char)(length / 256);
    return BEFORE + length;
}
