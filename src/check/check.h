/* SPDX-License-Identifier: BSD-3-Clause */
/* check: the enumeration. Random and bundled programs, each proved by several schedules;
 * one list that `pavior check`, the tests and tools go through. */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "base/base.h"
#include "lang/lang.h"
#include "run/run.h"

/* Kernels of some programs for a GPU, made at once (proof_gpu.c); seed: of each
 * program. */
typedef struct gpu_proof gpu_proof;
pav_status gpu_proof_open(gpu *g, const ir *const *code, const uint64_t *seed,
                          int64_t count, unsigned how, gpu_proof **result);
void gpu_proof_close(gpu_proof *k);

/* What the proofs of a program came to: whether its steps shared passes, and had several
 * tiles along an axis, or around one that wraps, or whose boundaries turn. */
typedef struct proof_tally {
    bool several, tiled[MAX_DIM], around[MAX_DIM], turned, shared;
    bool within;         /* steps shared launches within subdomains */
    int subdomains;      /* that its grid was cut into; 0: it was not */
    bool visits;         /* and in visits of its grid out of core */
    outofcore_seen seen; /* of those visits */
} proof_tally;

/* A program to be proved. Where the device compiles, its kernels are those of program
 * `number` of a set that was compiled with others', or, when there is none, are compiled
 * alone. */
typedef struct proof_case {
    const program *program;
    uint64_t seed;
    bool compiled;
    const kernel_set *set;
    int64_t number;
    gpu *gpu; /* in place of the processor; or NULL */
    const gpu_proof *gpu_kernels;
    proof_tally *tally; /* or NULL */
} proof_case;

/* One proof on one program: PAV_OK, or a status and a message saying what differs
 * where. */
typedef struct proof {
    const char *name;
    pav_status (*hold)(const proof_case *c);
} proof;
extern const proof proof_table[];   /* closes with a NULL name */
extern const proof compile_table[]; /* what needs no device */

#endif
