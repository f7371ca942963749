/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of device share among themselves. */
#ifndef DEVICE_DEVICE_PRIVATE_H
#define DEVICE_DEVICE_PRIVATE_H

#include "device/device.h"

extern const device_ops interpreter_device;

/* What the system says of this machine (host.c); 0 and "" where it does not say. */
enum { MAX_CACHES = 8, CACHE_NAME = 16, HOST_TEXT = 256 };
typedef struct cache_info {
    char name[CACHE_NAME]; /* "L1d", "L2" */
    int64_t bytes;
    int shared_by; /* logical processors */
} cache_info;
typedef struct host_info {
    char model[HOST_TEXT];
    char compiler[HOST_TEXT]; /* path of the first of cc, gcc, clang on PATH */
    int processors;           /* that this process may use */
    int64_t memory, available;
    bool avx2, fma, avx512f;
    int caches;
    cache_info cache[MAX_CACHES];
} host_info;
void host_describe(host_info *h);
/* Bytes per second that one core copies between arrays larger than the caches: read and written. 0
 * when there is no memory for it. Takes less than 0.3 s. */
double host_copy_rate(const host_info *h);

#endif
