/* SPDX-License-Identifier: BSD-3-Clause */
/* run: where what is computed meets where: fields from a program, the time loop, borders, sources,
 * receivers, measures, outputs, the watch for NaN, and the report. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "base/base.h"
#include "device/device.h"
#include "grid/grid.h"
#include "interp/interp.h"
#include "io/io.h"
#include "lang/lang.h"
#include "plan/plan.h"

/* How stages are executed: interp_stage, or interp_stage_slow for checks. */
typedef pav_status (*stage_runner)(const interp_args *args);

/* A run for checks, through the given runner; no files, no listener. */
pav_status run_open_with(const program *p, stage_runner runner, pav_run **run);
const ir *run_code(const pav_run *run);
/* Level 0, -1, ... of field number `field` of the IR. */
const view *run_view(const pav_run *run, int field, int level);

#endif
