/* SPDX-License-Identifier: BSD-3-Clause */
/* A folder in which files stand as the system's do under /. */
#ifndef MADE_ROOT_H
#define MADE_ROOT_H

extern char made_root[64];
void make_root(void);
/* Writes a file below it, making the folders on the way. */
void put_file(const char *path, const char *content);
void remove_root(void);

#endif
