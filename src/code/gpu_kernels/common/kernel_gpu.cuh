/* SPDX-License-Identifier: BSD-3-Clause */
/* The basis of all kernels: integer types of fixed size, because NVRTC has no headers,
 * and the argument of a stage kernel. */
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

/* The ghosts beyond one side of an axis: point p is copied to from + sign * p if that is
 * one of `depth` ghosts from `first` on. */
struct images {
    int from, sign, first, depth;
};

/* The argument of a stage kernel. */
struct work {
    int64_t lo[3], hi[3];     /* a box of points */
    double *fold;             /* results of reductions, one for each piece of a row */
    int64_t folds[3];         /* strides in `fold`: row, plane, reduction */
    const int64_t (*list)[3]; /* points, in place of the box */
    const double *weight;     /* weight of each listed point */
    int64_t count;            /* number of listed points */
    int64_t planes;           /* planes swept by one block */
    int64_t same_ends;        /* nonzero: all levels are equal around the rows */
    int64_t around;           /* length of periodic rows; 0: ghosts are in memory */
    images beyond[3][2];      /* ghosts stored by the sweep: kernel_ghosts.cuh */
};
