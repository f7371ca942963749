/* SPDX-License-Identifier: BSD-3-Clause */
/* Element types of fields. C has no type for the 16 bits of bf16 and f16. */
enum { PROGRAM_F32, PROGRAM_F64, PROGRAM_BF16, PROGRAM_F16, PROGRAM_U8 };

typedef struct PROGRAM_run PROGRAM_run;

/* One level of a field in memory: point (i, j, k) is element i + j*stride[1] +
 * k*stride[2] of `data`. Absent axes have extent 1. `halo` is the number of ghost points
 * before and behind each axis. */
typedef struct PROGRAM_view {
    void *data;
    int type;
    int64_t extent[3], stride[3];
    int halo[3][2];
} PROGRAM_view;

/* The directory of the files read at the start. */
extern const char *PROGRAM_directory;

#if ON_GPU
/* The grid is cut across its slowest axis into parts. Each part has the number of its
 * GPU, or -1 for the processors, and its share of the grid. Change these before
 * PROGRAM_create. */
extern int PROGRAM_gpu[PROGRAM_PARTS];
extern double PROGRAM_share[PROGRAM_PARTS];

#endif
/* A run with the initial values of all fields. threads 0: one for each processor. NULL:
 * memory ran out, a thread could not be started, or a file is missing or cut short. */
PROGRAM_run *PROGRAM_create(int threads);
void PROGRAM_free(PROGRAM_run *p);
#if ON_TILES
/* Many steps in one call are faster than single calls: time tiles fuse them. */
#endif
void PROGRAM_step(PROGRAM_run *p, int64_t steps);
int64_t PROGRAM_steps(const PROGRAM_run *p); /* taken so far */
double PROGRAM_time(const PROGRAM_run *p);   /* t of the present step */
/* The values of a field: age 0 is the present step, age 1, 2, ... are earlier steps, if
 * the field keeps them. After you write values, call PROGRAM_written to fill the borders.
 * A step moves the values, so ask again after it. */
PROGRAM_view PROGRAM_field(PROGRAM_run *p, int field, int age);
void PROGRAM_written(PROGRAM_run *p, int field, int age);
/* The present value of a measure. For `until` and `expect`: 1 if the condition holds,
 * else 0. */
double PROGRAM_number(PROGRAM_run *p, int which);
/* Values of a field at the positions of a sample. */
void PROGRAM_sample(PROGRAM_run *p, int which, double *value);
#if ON_GPU
/* The planes of a part: *lo to *hi - 1. */
void PROGRAM_part(const PROGRAM_run *p, int n, int64_t *lo, int64_t *hi);
#endif
