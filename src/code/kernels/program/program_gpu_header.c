/* SPDX-License-Identifier: BSD-3-Clause */
/* A call of a stage's kernel, whose points are a box. */
typedef struct PROGRAM_call {
    int64_t lo[3], hi[3];
    const void *grid;           /* of each level: address on the GPU, strides y and z */
    const double *const *table; /* values along an axis on the GPU, from index 0 */
    const double *uniform;      /* numbers, here */
    double *fold;     /* on the GPU: what a reduction leaves of pieces of rows */
    int64_t folds[3]; /* from a row to the next, plane, reduction */
} PROGRAM_call;

/* Ghosts on one side of an axis that are copies of points of a level on the GPU. `map`:
 * enum ghost_map of PROGRAM.c. */
typedef struct PROGRAM_ghosts {
    PROGRAM_view view;
    int64_t lo[3], hi[3]; /* across the axis */
    int axis, side, map;
} PROGRAM_ghosts;

/* Where a GPU fails, a sentence says so and the process ends. All but the copy between
 * two is asked of the one that was turned to. Numbers below 0 are no GPUs. */
void PROGRAM_gpu_open(int count, const int *gpu);
void PROGRAM_gpu_use(int gpu);
void *PROGRAM_gpu_take(int64_t bytes);
void PROGRAM_gpu_give(void *there);
void PROGRAM_gpu_upload(void *there, const void *here, int64_t bytes);
void PROGRAM_gpu_download(void *here, const void *there, int64_t bytes);
void PROGRAM_gpu_copy(int to_gpu, void *to, int from_gpu, const void *from,
                      int64_t bytes);
void PROGRAM_gpu_wait(void); /* until all that was asked for is done */
void PROGRAM_gpu_ghosts(const PROGRAM_ghosts *g);
