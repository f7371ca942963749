/* SPDX-License-Identifier: BSD-3-Clause */
/* A temporary folder with the files of a simulated system, in place of /. */
#ifndef MADE_ROOT_H
#define MADE_ROOT_H

extern char made_root[64];
void make_root(void);
/* Writes a file below the folder, and makes the folders of its path. */
void put_file(const char *path, const char *content);
void remove_root(void);

#endif
