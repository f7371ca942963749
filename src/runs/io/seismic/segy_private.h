/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the SEG-Y files. */
#ifndef IO_SEISMIC_SEGY_PRIVATE_H
#define IO_SEISMIC_SEGY_PRIVATE_H

#include "io/io_private.h"

enum {
    SEGY_TEXT = 3200, /* bytes of a text header */
    SEGY_BINARY = 400,
    SEGY_HEAD = SEGY_TEXT + SEGY_BINARY,
    SEGY_TRACE = 240,
    SEGY_IBM = 1, /* formats of samples */
    SEGY_INT32 = 2,
    SEGY_INT16 = 3,
    SEGY_IEEE = 5,
    SEGY_INT8 = 8,
};

/* Rows of g->columns values. */
/* t: the 240 bytes of a trace header */

#endif
