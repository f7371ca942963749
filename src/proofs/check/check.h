/* SPDX-License-Identifier: BSD-3-Clause */
/* check: the enumeration of random and bundled programs. Each program is proved for
 * several schedules. `pavior check`, the tests and the tools use the same list of
 * proofs. */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "base/base.h"
#include "lang/lang.h"
#include "run/run.h"

/* GPU kernels of some programs, compiled together (proof_gpu.c). seed: one per
 * program. */
typedef struct gpu_proof gpu_proof;
pav_status gpu_proof_open(gpu *g, const ir *const *code, const uint64_t *seed,
                          int64_t count, unsigned how, gpu_proof **result);
void gpu_proof_close(gpu_proof *k);
RELEASES(close_proof, gpu_proof, gpu_proof_close)

/* Summary of the proofs of a program: whether its steps shared passes, and whether the
 * tiles were several along an axis, or periodic, or had boundaries with turns. */
typedef struct proof_tally {
    bool several, tiled[MAX_DIM], around[MAX_DIM], turned, shared;
    bool within;         /* steps shared launches within subdomains */
    int subdomains;      /* number of subdomains; 0: the grid was not cut */
    bool visits;         /* steps shared visits of the grid out of core */
    outofcore_seen seen; /* counts of their methods and settings */
} proof_tally;

/* A program to prove. On a device with compiled kernels, its kernels are program `number`
 * of a common set. Without a set they are compiled alone. */
typedef struct proof_case {
    const program *program;
    uint64_t seed;
    bool compiled;
    const kernel_set *set;
    int64_t number;
    gpu *gpu; /* used instead of the processor; or NULL */
    const gpu_proof *gpu_kernels;
    proof_tally *tally; /* or NULL */
} proof_case;

/* One proof for one program. Returns PAV_OK, or a status and a message about the first
 * difference. */
typedef pav_status proof_of_case(const proof_case *c);
typedef struct proof {
    const char *name;
    proof_of_case *hold;
} proof;
extern const proof proof_table[];   /* ends with a NULL name */
extern const proof compile_table[]; /* proofs without a device */

#endif
