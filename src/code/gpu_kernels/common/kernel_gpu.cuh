/* SPDX-License-Identifier: BSD-3-Clause */
/* What all kernels stand on: C's numbers of fixed size, which no header is there for, and
 * the argument. */
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#define INT64_MAX 0x7fffffffffffffffLL
#define UINT64_C(digits) digits##ULL
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define INLINE __device__ __forceinline__

/* One level of one field. */
struct grid {
    void *data;   /* point (0, 0, 0) */
    int64_t y, z; /* strides in elements */
};

/* Ghosts beyond a side of an axis: point p is copied to from + sign * p, where that is
 * one of `depth` from `first` on. */
struct images {
    int from, sign, first, depth;
};

/* What a kernel of a stage is asked for. */
struct work {
    int64_t lo[3], hi[3];     /* a box of points */
    double *fold;             /* what pieces of rows are reduced to */
    int64_t folds[3];         /* from a row to the next, plane, reduction */
    const int64_t (*list)[3]; /* points, in place of the box */
    const double *weight;     /* of each */
    int64_t count;            /* of them */
    int64_t planes;           /* that one block sweeps */
    int64_t same_ends;        /* around its rows, levels of a field hold the same */
    int64_t around;           /* points of rows that wrap; 0: what lies beyond is there */
    images beyond[3][2];      /* what it stores, too: kernel_ghosts.cuh */
};
