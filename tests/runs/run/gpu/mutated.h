/* SPDX-License-Identifier: BSD-3-Clause */
/* mutated.h: emitted source with one change, an error to be detected. */
#ifndef MUTATED_H
#define MUTATED_H

#include "gpu_site.h"

typedef struct mutation {
    const char *from, *to;
} mutation;

/* The source with the first match changed; a match must exist. */
void add_mutated(const text *source, const mutation *m, text *t);
/* True if an emulated GPU exists. */
bool mutated_gpu(void);
/* True if the result is still right after the change. */
typedef bool mutation_survives(const char *program_text, const schedule *requested,
                               const mutation *m);
/* Checks that the result is right without a change, and wrong with each change. */
void check_mutated(mutation_survives *survives, const char *program_text,
                   const schedule *requested, const mutation *all, size_t count);

#endif
