/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of a test, in a directory of its own that disappears with it. */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <stdint.h>

/* The path of a file there; valid until the fourth call from now. */
const char *scratch_path(const char *name);
void scratch_write(const char *name, const void *bytes, int64_t length);
/* A file's bytes, NUL-terminated, to be freed with mem_free; the test ends when there is
 * none. */
char *scratch_read(const char *name, int64_t *length);
/* How many files there are now. */
int scratch_count(void);
/* An npy file of the given version and dictionary. */
void scratch_npy(const char *name, int version, const char *dictionary, const void *data,
                 int64_t length);

#endif
