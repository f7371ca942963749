/* SPDX-License-Identifier: BSD-3-Clause */
/* planned.h: plans of descriptions, and their contents. */
#ifndef PLANNED_H
#define PLANNED_H

#include "finished.h"
#include "run/plan/needs_private.h"

typedef struct planned {
    pav_device *device;
    pav_program *program;
    pav_plan *plan;
} planned;

/* Options NULL: none; memory is copied at 10 GB/s. */
pav_status plan_text_of(const char *source, const char *device,
                        const pav_run_options *options, planned *p);
void close_planned(planned *p);
/* The bytes of all needs of a kind in a store, the host's or the disks'. */
int64_t planned_bytes(const planned *p, need_kind kind, bool host);
const char *planned_report(const planned *p, int json); /* freed by the next call */

#endif
