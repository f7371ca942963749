/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields to be shown, and whole files taken apart. */
#ifndef SHOWN_H
#define SHOWN_H

#include "base/base.h"

/* x + 10*y + 100*z, in memory that the next call takes again. */
view shown_view(pav_type type, int64_t nx, int64_t ny, int64_t nz);
/* What stands behind name=" in a text, up to the next quotation mark; "" where there is
 * none. */
const char *attribute(const char *all, const char *name);

#endif
