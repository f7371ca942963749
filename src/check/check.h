/* SPDX-License-Identifier: BSD-3-Clause */
/* check: the enumeration. Random and bundled programs, each proved in several ways; one
 * list that `pavior check`, the tests and later bench and tune walk. */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "base/base.h"
#include "lang/lang.h"
#include "run/run.h"

/* One proof on one program: PAV_OK, or a status and a message saying what differs
 * where. */
typedef struct proof {
    const char *name;
    pav_status (*hold)(const program *p, uint64_t seed);
} proof;
extern const proof proof_table[]; /* closes with a NULL name */

#endif
