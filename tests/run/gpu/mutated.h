/* SPDX-License-Identifier: BSD-3-Clause */
/* mutated.h: emitted text with one change, which a test has to miss. */
#ifndef MUTATED_H
#define MUTATED_H

#include "gpu_site.h"

typedef struct mutation {
    const char *from, *to;
} mutation;

/* The source with that change, at its first place; it must be there. */
void add_mutated(const text *source, const mutation *m, text *t);
/* Whether there is an emulated GPU. */
bool mutated_gpu(void);
/* Whether what is made with that change is still right. */
typedef bool mutation_survives(const char *program_text, const schedule *requested,
                               const mutation *m);
/* All is right without a change, and none of them is. */
void check_mutated(mutation_survives *survives, const char *program_text,
                   const schedule *requested, const mutation *all, size_t count);

#endif
