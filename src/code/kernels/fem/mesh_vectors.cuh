/* SPDX-License-Identifier: BSD-3-Clause */
/* Vector operations of iterative solvers on the nodes of a mesh, bitwise identical to the
 * host's loops (fem/mesh_space.c). */
struct vector_work {
    double *y;
    const double *x, *z;
    const unsigned char *fixed;
    /* factors of each column's matrix; above may be NULL */
    const double *diagonal, *above;
    /* a matrix of columns; each: values of an entry */
    const long long *first;
    const int *near;
    const double *value;
    double a, b;
    long long n, each;
    int levels, block; /* block: nodes in one sum */
};

#define NODE_OF_THREAD                                                                   \
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;                \
    if (i >= w.n)                                                                        \
        return;

/* y = a x + b y */
extern "C" __global__ void mesh_axpby(const __grid_constant__ vector_work w)
{
    NODE_OF_THREAD
    w.y[i] = w.a * w.x[i] + w.b * w.y[i];
}

/* y = x, with 0 at fixed nodes */
extern "C" __global__ void mesh_mask(const __grid_constant__ vector_work w)
{
    NODE_OF_THREAD
    w.y[i] = w.fixed[i] ? 0 : w.x[i];
}

/* y = x at fixed nodes */
extern "C" __global__ void mesh_restore(const __grid_constant__ vector_work w)
{
    NODE_OF_THREAD
    if (w.fixed[i])
        w.y[i] = w.x[i];
}

/* y[k] = the sum of x z over block k; one warp for each block. Each lane sums its nodes,
 * then halves of the lanes are added pairwise. */
extern "C" __global__ void mesh_sums(const __grid_constant__ vector_work w)
{
    const long long k = ((long long)blockIdx.x * blockDim.x + threadIdx.x) / 32,
                    first = k * w.block,
                    end = first + w.block < w.n ? first + w.block : w.n;
    double sum = 0;

    for (long long i = first + threadIdx.x % 32; i < end; i += 32)
        sum += w.x[i] * w.z[i];
    for (int apart = 16; apart; apart /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, apart);
    if (threadIdx.x % 32 == 0 && first < w.n)
        w.y[k] = sum;
}

/* Solves the factored matrix of each column; one thread for each column. */
extern "C" __global__ void mesh_columns(const __grid_constant__ vector_work w)
{
    const long long column = (long long)blockIdx.x * blockDim.x + threadIdx.x,
                    at = column * w.levels;

    if (at >= w.n)
        return;
    const double *r = w.x + at, *d = w.diagonal + at,
                 *l = w.above ? w.above + at : w.above;
    double *z = w.y + at;
    z[0] = r[0];
    for (int k = 1; k < w.levels; k++)
        z[k] = l ? r[k] - l[k - 1] * z[k - 1] : r[k];
    z[w.levels - 1] /= d[w.levels - 1];
    for (int k = w.levels - 2; k >= 0; k--)
        z[k] = l ? z[k] / d[k] - l[k] * z[k + 1] : z[k] / d[k];
}

/* y = z + a m x, or a m x without z; one thread for each row of columns and level. */
extern "C" __global__ void mesh_product(const __grid_constant__ vector_work w)
{
    NODE_OF_THREAD
    const long long row = i / w.levels;
    const int level = (int)(i % w.levels), many = w.each > 1;
    double sum = 0;

    for (long long e = w.first[row]; e < w.first[row + 1]; e++)
        for (int d = -many; d <= many; d++)
            if (level + d >= 0 && level + d < w.levels)
                sum += w.value[e * w.each + (many ? (d + 1) * w.levels + level : 0)] *
                       w.x[(long long)w.near[e] * w.levels + level + d];
    w.y[i] = w.z ? w.z[i] + w.a * sum : w.a * sum;
}
