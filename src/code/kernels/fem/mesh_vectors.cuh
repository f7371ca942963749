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

/* ---- columns ----------------------------------------------------------------------- */

/* Columns of a warp, levels at once, and threads of a block. */
enum {
    TILE_COLUMNS = 32,
    TILE_LEVELS = 16,
    TILE_PITCH = TILE_LEVELS + 1,
    VECTOR_THREADS = 128
};

/* Numbers of a warp's columns, 16 of each lane. Neighbouring lanes move neighbouring
 * levels. */
struct column_tile {
    double at[TILE_COLUMNS][TILE_PITCH];
};

__device__ __forceinline__ int tile_column(int j)
{
    return 32 / TILE_LEVELS * j + threadIdx.x % 32 / TILE_LEVELS;
}

/* visit(j, node) for each number j of a lane; `first`: the first level. */
template <class VISIT>
__device__ __forceinline__ void visit_tile(const vector_work &w, long long column,
                                           int first, VISIT visit)
{
    const int level = first + threadIdx.x % TILE_LEVELS;

#pragma unroll
    for (int j = 0; j < TILE_LEVELS; j++) {
        const long long i = (column + tile_column(j)) * w.levels + level;
        if (level < w.levels && i < w.n)
            visit(j, i);
    }
}

/* Solves the factored matrix of each column; one thread for each column. A warp moves
 * tiles of its columns between memory and shared memory, along levels. Its loads are
 * under way together, and divisions wait for them once. */
extern "C" __global__ void __launch_bounds__(VECTOR_THREADS, 4)
    mesh_columns(const __grid_constant__ vector_work w)
{
    __shared__ column_tile tiles[2][VECTOR_THREADS / 32];
    const int lane = threadIdx.x % 32, end = (w.levels - 1) / TILE_LEVELS * TILE_LEVELS;
    const long long column = ((long long)blockIdx.x * blockDim.x + threadIdx.x) - lane;
    column_tile &z = tiles[0][threadIdx.x / 32], &f = tiles[1][threadIdx.x / 32];
    const double *const r = w.above ? w.y : w.x;
    double last = 0, factor = 0; /* of the level before */
    const auto move = [&](column_tile &tile, const double *from, int first) {
        double value[TILE_LEVELS] = {};
        visit_tile(w, column, first, [&](int j, long long i) { value[j] = from[i]; });
        for (int j = 0; j < TILE_LEVELS; j++)
            tile.at[tile_column(j)][lane % TILE_LEVELS] = value[j];
        __syncwarp();
    };
    const auto store = [&](int first) {
        __syncwarp();
        visit_tile(w, column, first, [&](int j, long long i) {
            w.y[i] = z.at[tile_column(j)][lane % TILE_LEVELS];
        });
        __syncwarp();
    };

    for (int first = 0; w.above && first <= end; first += TILE_LEVELS) {
        move(z, w.x, first);
        move(f, w.above, first);
        for (int k = 0; k < TILE_LEVELS; k++) {
            last = first + k ? z.at[lane][k] - factor * last : z.at[lane][k];
            factor = f.at[lane][k];
            z.at[lane][k] = last;
        }
        store(first);
    }
    for (int first = end; first >= 0; first -= TILE_LEVELS) {
        move(z, r, first);
        move(f, w.diagonal, first);
#pragma unroll 4
        for (int k = 0; k < TILE_LEVELS; k++)
            z.at[lane][k] /= f.at[lane][k];
        __syncwarp();
        if (w.above)
            move(f, w.above, first);
        for (int k = TILE_LEVELS - 1; k >= 0 && w.above; k--)
            if (first + k < w.levels) {
                last = first + k + 1 < w.levels ? z.at[lane][k] - f.at[lane][k] * last
                                                : z.at[lane][k];
                z.at[lane][k] = last;
            }
        store(first);
    }
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
