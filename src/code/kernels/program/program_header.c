/* SPDX-License-Identifier: BSD-3-Clause */
/* Element types of fields. bf16 and f16 are 16 bits that no type of C has. */
enum { PROGRAM_F32, PROGRAM_F64, PROGRAM_BF16, PROGRAM_F16, PROGRAM_U8 };

typedef struct PROGRAM_run PROGRAM_run;

/* One level of a field in memory: point (i, j, k) is element i + j*stride[1] +
 * k*stride[2] of `data`. Axes that the grid lacks have extent 1. Around the points lie as
 * many ghost points as `halo` says, before and behind each axis. */
typedef struct PROGRAM_view {
    void *data;
    int type;
    int64_t extent[3], stride[3];
    int halo[3][2];
} PROGRAM_view;

/* Where files are that the start reads, if it reads any. */
extern const char *PROGRAM_directory;

#if ON_GPU
/* The grid is cut across its slowest axis into parts, each on the GPU of this number or,
 * below 0, on the processors, and as large as its share of all. To be changed before
 * PROGRAM_create, if at all. */
extern int PROGRAM_gpu[PROGRAM_PARTS];
extern double PROGRAM_share[PROGRAM_PARTS];

#endif
/* All fields with their initial values, computed by so many threads; 0: as many as there
 * are processors. NULL: memory ran out, a thread could not be started, or a file is not
 * there or cut. */
PROGRAM_run *PROGRAM_create(int threads);
void PROGRAM_free(PROGRAM_run *p);
#if ON_TILES
/* Many at once are faster than one by one: they are fused, in tiles. */
#endif
void PROGRAM_step(PROGRAM_run *p, int64_t steps);
int64_t PROGRAM_steps(const PROGRAM_run *p); /* taken so far */
double PROGRAM_time(const PROGRAM_run *p);   /* t of the present step */
/* The present values of a field, or with age 1, 2, ... those of earlier steps, as far as
 * they are kept. They may be written, too; PROGRAM_written then makes the borders fit. A
 * step moves them: ask again. */
PROGRAM_view PROGRAM_field(PROGRAM_run *p, int field, int age);
void PROGRAM_written(PROGRAM_run *p, int field, int age);
/* A measure, or whether the condition of an `until` or `expect` holds: 1 or 0, now. */
double PROGRAM_number(PROGRAM_run *p, int which);
/* Values of a field at the positions of a sample. */
void PROGRAM_sample(PROGRAM_run *p, int which, double *value);
#if ON_GPU
/* The planes of a part: from *lo to before *hi. */
void PROGRAM_part(const PROGRAM_run *p, int n, int64_t *lo, int64_t *hi);
#endif
