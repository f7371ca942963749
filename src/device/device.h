/* SPDX-License-Identifier: BSD-3-Clause */
/* device: the machines a computation can run on. Knows bytes and names, no stencil.
 * A device is one file and one line in the table of device.c. */
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

#include "base/base.h"

typedef struct device_ops {
    const char *name;  /* as users write it, before any ":number" */
    const char *about; /* one line for doctor */
    /* True when usable here; otherwise *why says what is missing and what to do (static text). */
    bool (*present)(const char **why);
    int rank; /* "auto" takes the highest that is present */
} device_ops;

struct pav_device {
    const device_ops *ops;
    char name[64];
};

extern const device_ops *const device_table[]; /* NULL-terminated */

/* Cores, memory, caches and compilers of the host, and libraries found: for doctor. */
void doctor_text(bool json, text *t);

#endif
