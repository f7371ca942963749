/* SPDX-License-Identifier: BSD-3-Clause */
/* on_gpu.h: runs on the emulated GPU by one schedule. */
#ifndef ON_GPU_H
#define ON_GPU_H

#include "kept.h"

/* True if an emulated GPU exists; else the test is reported as skipped. */
bool on_gpu_there(void);
pav_status on_gpu_open(const char *source, const char *requested, begun *b);
/* Checks seventeen steps for bitwise identity with the interpreter. */
void on_gpu_verified(const char *source, const char *requested);
/* Checks that the schedule is refused for this reason. */
void on_gpu_refused(const char *source, const char *requested, const char *why);

#endif
