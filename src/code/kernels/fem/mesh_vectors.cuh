/* SPDX-License-Identifier: BSD-3-Clause */
/* Vector operations of iterative solvers on the nodes of a mesh, bitwise identical to the
 * host's loops (fem/mesh_space.c). */
struct vector_work {
    double *y;
    const double *x, *z;
    const unsigned char *fixed;
    /* factors of each column's matrix; above may be NULL */
    const double *diagonal, *above;
    double a, b;
    long long n;
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
