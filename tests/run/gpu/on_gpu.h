/* SPDX-License-Identifier: BSD-3-Clause */
/* on_gpu.h: runs on the emulated GPU by one schedule. */
#ifndef ON_GPU_H
#define ON_GPU_H

#include "kept.h"

/* Whether there is an emulated GPU; else it says that the test is skipped. */
bool on_gpu_there(void);
pav_status on_gpu_open(const char *source, const char *requested, begun *b);
/* Seventeen steps have the bits of the interpreter. */
void on_gpu_verified(const char *source, const char *requested);
/* The schedule cannot be, for that reason. */
void on_gpu_refused(const char *source, const char *requested, const char *why);

#endif
