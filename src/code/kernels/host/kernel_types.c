/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdint.h>
#include <string.h>

/* One level of one field. */
typedef struct grid {
    void *data;   /* point (0, 0, 0) */
    int64_t y, z; /* strides in elements */
} grid;

/* A box of points, and the loop schedule, which changes no value. */
typedef struct work {
    int64_t lo[3], hi[3];
    const grid *grid;
    const double *const *table; /* from index 0 */
    const double *uniform;
    double *reduce;   /* result of the first reduction for the first piece of the box */
    int64_t folds[3]; /* strides in `reduce`: row, plane, reduction */
    int64_t block;    /* rows along y swept together through all z */
    int64_t ahead;    /* prefetch distance in rows */
    int several_rows; /* true: several rows at once */
    int streams;      /* true: non-temporal stores */
    int same_ends;    /* true: all levels are equal around the rows */
    int carried;      /* true: carry values from plane to plane if the stage can */
    int relaxed;      /* true: relaxed atomic access if the kernel can */
    /* of a kernel that several stages share: the numbers of its tables and uniforms */
    const int *tables, *uniforms;
} work;

enum {
    PIECE = 512, /* points; pieces begin at multiples of it */
    LINE = 64    /* bytes */
};
#ifdef __OPTIMIZE__
#define INLINE static inline __attribute__((always_inline, unused))
#else /* without optimisation, forced copies take most of the compile time */
#define INLINE static inline __attribute__((unused))
#endif
#define NOT_INLINE static __attribute__((noinline))
/* Hides a value from the optimiser. */
#define OPAQUE(number) __asm__("" : "+r"(number))
#define ALIGNED __attribute__((aligned(64)))
#ifdef __clang__
#define INDEPENDENT
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif
