/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside run by writers and readers of bundles. */
#ifndef RUN_BUNDLE_PRIVATE_H
#define RUN_BUNDLE_PRIVATE_H

#include "run/run_private.h"

/* Kernels of one program for one device, with the facts for checking both. */
struct pav_bundle {
    char version[WISDOM_NAME], name[WISDOM_NAME], grid[WISDOM_NAME];
    uint64_t program; /* program_identity */
    char device[WISDOM_NAME], machine[WISDOM_NAME], compiler[WISDOM_NAME];
    char schedule[WISDOM_SCHEDULE]; /* a schedule string, or "auto" */
    char path[WISDOM_PATH];         /* for messages */
    kernel_images images;
};

/* bundle.c: "40x30x20/f32" */
void bundle_add_grid(const pav_run *run, text *t);

/* bundle_text.c: the bytes of a bundle file. PAV_EFORMAT: it is truncated, damaged, or no
 * bundle. */
void bundle_print(const pav_bundle *b, text *t);
pav_status bundle_parse(const char *bytes, int64_t length, pav_bundle *b);

#endif
