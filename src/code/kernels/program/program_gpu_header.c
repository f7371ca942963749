/* SPDX-License-Identifier: BSD-3-Clause */
/* A call of a stage's kernel for the points of a box. */
typedef struct PROGRAM_call {
    int64_t lo[3], hi[3];
    const void *grid;           /* for each level: address on the GPU, strides y and z */
    const double *const *table; /* on the GPU: values along an axis, from index 0 */
    const double *uniform;      /* on the host */
    double *fold;               /* on the GPU: values of pieces of rows, for reductions */
    int64_t folds[3];           /* values of a row, of a plane, of a reduction */
} PROGRAM_call;

/* Ghosts on one side of an axis, copied from points of the level on the GPU. `map`: enum
 * ghost_map of PROGRAM.c. */
typedef struct PROGRAM_ghosts {
    PROGRAM_view view;
    int64_t lo[3], hi[3]; /* across the axis */
    int axis, side, map;
} PROGRAM_ghosts;

/* If a GPU fails, these functions print a message and end the process. PROGRAM_gpu_use
 * selects the GPU of the functions without a number. Numbers below 0 are no GPUs. */
void PROGRAM_gpu_open(int count, const int *gpu);
void PROGRAM_gpu_use(int gpu);
void *PROGRAM_gpu_take(int64_t bytes);
void PROGRAM_gpu_give(void *there);
void PROGRAM_gpu_upload(void *there, const void *here, int64_t bytes);
void PROGRAM_gpu_download(void *here, const void *there, int64_t bytes);
void PROGRAM_gpu_copy(int to_gpu, void *to, int from_gpu, const void *from,
                      int64_t bytes);
void PROGRAM_gpu_wait(void); /* until all its work is done */
void PROGRAM_gpu_ghosts(const PROGRAM_ghosts *g);
