/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields for output tests, and attributes of XML texts. */
#ifndef SHOWN_H
#define SHOWN_H

#include "base/base.h"

/* A view of the values x + 10*y + 100*z; the next call overwrites its memory. */
view shown_view(pav_type type, int64_t nx, int64_t ny, int64_t nz);
/* The text after name=", up to the next quotation mark; "" if there is none. */
const char *attribute(const char *all, const char *name);

#endif
