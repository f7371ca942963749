/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of a test, in a folder of its own. The folder is removed after the test. */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <stdint.h>

/* The path of a file in the folder; valid until the fourth call from now. */
const char *scratch_path(const char *name);
void scratch_write(const char *name, const void *bytes, int64_t length);
/* The bytes of a file, NUL-terminated, to be freed with mem_free. A missing file ends the
 * test. */
char *scratch_read(const char *name, int64_t *length);
/* The number of files in the folder. */
int scratch_count(void);
/* Writes an npy file of the given version and dictionary. */
void scratch_npy(const char *name, int version, const char *dictionary, const void *data,
                 int64_t length);

#endif
