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
    double *reduce;   /* of the first reduction, of the piece that the box begins in */
    int64_t folds[3]; /* from there to the next row, plane and reduction */
    int64_t block;    /* rows along y that are taken together through all z */
    int64_t ahead;    /* rows by which memory is asked for before it is needed */
    int several_rows; /* rows are taken several at once */
    int streams;      /* results go non-temporal */
    int same_ends;    /* around its rows, levels of a field hold the same */
    int carried; /* values are carried from plane to plane, where the stage has such */
    int relaxed; /* others load and store at once, where a kernel can bear it */
} work;

enum {
    PIECE = 512, /* points; pieces begin at multiples of it */
    LINE = 64    /* bytes */
};
#ifdef __OPTIMIZE__
#define INLINE static inline __attribute__((always_inline, unused))
#else /* copies of them take a compiler longer than all the rest */
#define INLINE static inline __attribute__((unused))
#endif
#define NOT_INLINE static __attribute__((noinline))
/* A number that compilers know nothing about. */
#define OPAQUE(number) __asm__("" : "+r"(number))
#define ALIGNED __attribute__((aligned(64)))
#ifdef __clang__
#define INDEPENDENT
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif
