/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of prisms on a GPU. The build makes a text of each part (cmake/embed.cmake).
 * */

/* ==== prism_gpu_head ==== */
/* CUDA definitions of the macros required by prism_cell_private.h; `real` is double or
 * float. */
#define SPLAT(x) ((real)(x))
#define FNMA(a, b, c) FMA(-(a), b, c)
#define CELL __device__ __forceinline__
#define UNROLL _Pragma("unroll")

/* ==== prism_traversal ==== */
/* Traversal of columns of cells by warps. Each lane computes the sums of one cell for its
 * lower and upper corners. A shuffle hands the upper sums to the lane of the cell above,
 * so each node of a column is stored once, without atomics. A warp processes `each`
 * columns, 32 cells at a time, so few lanes are idle for any number of layers. */
enum { PRISM_THREADS = 128 };

/* The cell of a lane: its column and layer. */
struct prism_lane {
    long long which;
    int level;
};

CELL prism_lane moved_up(prism_lane p, int cells, int layers)
{
    p.level += cells;
    while (p.level >= layers) {
        p.level -= layers;
        p.which++;
    }
    return p;
}

/* Moves the sums of upper corners one lane up. The sums of lane 31 wait for the next
 * round. */
template <int CORNERS> CELL void hand_up(const real *upper, real *waiting, real *below)
{
    UNROLL
    for (int i = 0; i < CORNERS; i++) {
        const real of_lane = __shfl_up_sync(0xffffffffu, upper[i], 1);
        below[i] = threadIdx.x % 32 ? of_lane : waiting[i];
        waiting[i] = __shfl_sync(0xffffffffu, upper[i], 31);
    }
}

template <int CORNERS>
CELL void store_sums(const prism_lane &p, int layers, const real *sum, const real *below,
                     real *parts)
{
    UNROLL
    for (int i = 0; i < CORNERS; i++) {
        real *to = parts + (CORNERS * p.which + i) * (layers + 1) + p.level;
        to[0] = p.level ? sum[i] + below[i] : sum[i];
        if (p.level == layers - 1)
            to[1] = sum[CORNERS + i];
    }
}

/* Columns of cells, and the sums at columns of nodes. The host has the same structure:
 * column_work of fem/gpu/mesh_gpu.c. */
struct column_work {
    const int *corner;         /* columns of each cell's corners */
    const long long *first;    /* first corner of each gathered column */
    const long long *incident; /* corners of cells, in the order of sums */
    const int *column;         /* numbers of the gathered columns; NULL: all columns */
    unsigned *arrived;         /* cells at each column with finished sums; 0 between
                                * launches */
    real *part, *out;
    long long cells, columns;
    int layers, levels, each;      /* each: columns of cells for one warp */
    int heights, level, overwrite; /* gathered levels: their number, and the first;
                                    * overwrite: sums begin at 0, not at out */
};

/* Adds the parts of the cells at a column to its nodes, in list order, by one warp. Loads
 * of several parts are under way at once. Places without a part add 0: no sum is -0,
 * since all begin at 0. */
CELL void gather_column(const column_work &w, long long which)
{
    enum { AT_ONCE = 8 };
    const long long first = w.first[which], end = w.first[which + 1];
    const int lane = threadIdx.x % 32;
    real *out = w.out + (w.column ? w.column[which] : which) * w.levels + w.level;

    for (long long k = first; k < end; k += AT_ONCE) {
        const real *from[AT_ONCE];
        UNROLL
        for (int i = 0; i < AT_ONCE; i++)
            from[i] = w.part + (k + i < end ? w.incident[k + i] * w.heights : 0);
        _Pragma("unroll 1") for (int height = lane; height < w.heights; height += 32)
        {
            real part[AT_ONCE], sum = w.overwrite && k == first ? SPLAT(0) : out[height];
            UNROLL
            for (int i = 0; i < AT_ONCE; i++)
                part[i] = k + i < end ? from[i][height] : SPLAT(0);
            UNROLL
            for (int i = 0; i < AT_ONCE; i++)
                sum += part[i];
            out[height] = sum;
        }
    }
}

/* Gathers the columns of nodes whose cells are all finished. The last of the warps at a
 * column does so; no warp waits. The order of sums is independent of the order of
 * warps. */
template <int CORNERS> CELL void gather_finished(const column_work &w)
{
    const long long begin = ((long long)blockIdx.x * blockDim.x + threadIdx.x) / 32 *
                            w.each,
                    end = begin + w.each < w.cells ? begin + w.each : w.cells;

    __syncwarp();
    __threadfence(); /* parts first, then the counts */
    for (long long k = CORNERS * begin; k < CORNERS * end; k += 32) {
        const long long mine = k + threadIdx.x % 32;
        int column = -1;
        if (mine < CORNERS * end) {
            const int at = w.corner[mine];
            const long long cells = w.first[at + 1] - w.first[at];
            if (atomicAdd(w.arrived + at, 1u) + 1 == cells)
                w.arrived[column = at] = 0;
        }
        __threadfence();
        __syncwarp();
        for (unsigned ready = __ballot_sync(0xffffffffu, column >= 0); ready;
             ready &= ready - 1)
            gather_column(w, __shfl_sync(0xffffffffu, column, __ffs(ready) - 1));
    }
}

/* cell(which, level, sum) computes the sums of CORNERS lower nodes, then of the upper
 * nodes. part: layers + 1 values for each corner of each column of cells. */
template <int CORNERS, class CELL_SUMS>
CELL void visit_columns(const column_work &w, CELL_SUMS cell)
{
    const long long warp = ((long long)blockIdx.x * blockDim.x + threadIdx.x) / 32,
                    first = warp * w.each,
                    end = first + w.each < w.cells ? first + w.each : w.cells;
    prism_lane p = moved_up({first, 0}, threadIdx.x % 32, w.layers);
    real waiting[CORNERS] = {};

    for (int done = 0; done < w.each * w.layers; done += 32) {
        real sum[2 * CORNERS] = {}, below[CORNERS];
        if (p.which < end)
            cell(p.which, p.level, sum);
        hand_up<CORNERS>(sum + CORNERS, waiting, below);
        if (p.which < end)
            store_sums<CORNERS>(p, w.layers, sum, below, w.part);
        p = moved_up(p, 32, w.layers);
    }
    if (w.arrived)
        gather_finished<CORNERS>(w);
}

/* ==== prism_gpu_kernels ==== */
/* The action of an operator on prisms by a GPU, in four versions:
 *
 *     direct         one thread for each cell, the cell's full matrix of 36 sums, atomics
 *                    at the nodes, the rule on the thread's stack
 *     constant       like direct, with the rule in constant memory
 *     accumulators   like direct, with twelve sums; the uses of a sum lie far apart
 *     best           the factored prism, with threads along columns. A layer hands its
 *                    sums to the layer above by a shuffle. The sums of the triangles are
 *                    then gathered at each node in the fixed order of all sums: no
 *                    atomics of numbers, bitwise identical to the CPU */
struct prism_work : column_work {
    const real *u, *x, *y, *z;
    double stiffness, mass;
};

struct prism_place {
    prism_vector at[6];
    real u[6];
};

CELL prism_place prism_load(const prism_work &w, long long triangle, int level)
{
    prism_place p;
    UNROLL
    for (int n = 0; n < 6; n++) {
        const long long k = (long long)w.corner[3 * triangle + n % 3] * w.levels + level +
                            n / 3;
        p.at[n].x = w.x[k];
        p.at[n].y = w.y[k];
        p.at[n].z = w.z[k];
        p.u[n] = w.u[k];
    }
    return p;
}

CELL void prism_add_all(const prism_work &w, long long triangle, int level,
                        const real *sum)
{
    for (int n = 0; n < 6; n++)
        atomicAdd(w.out + (long long)w.corner[3 * triangle + n % 3] * w.levels + level +
                      n / 3,
                  sum[n]);
}

/* ---- the textbook, a thread a cell ------------------------------------------------- */

/* A quadrature point: its weight, the values of six functions, their derivatives. */
enum { POINT_NUMBERS = 25, RULE_NUMBERS = 8 * POINT_NUMBERS };
__constant__ real prism_rule[RULE_NUMBERS];

struct prism_point {
    real scale, value[6];
    prism_vector gradient[6];
};

CELL prism_point prism_point_of(const prism_vector *at, const real *rule)
{
    prism_vector c[3];
    prism_point p;
    for (int k = 0; k < 3; k++)
        c[k].x = c[k].y = c[k].z = SPLAT(0);
    for (int n = 0; n < 6; n++)
        for (int k = 0; k < 3; k++)
            c[k] = prism_along(c[k], rule[7 + 3 * n + k], at[n]);
    const prism_vector r0 = prism_cross(c[1], c[2]), r1 = prism_cross(c[2], c[0]),
                       r2 = prism_cross(c[0], c[1]);
    const real det = prism_dot(c[0], r0), inverse = SPLAT(1) / det;
    p.scale = rule[0] * det;
    for (int n = 0; n < 6; n++) {
        const real *d = rule + 7 + 3 * n;
        p.value[n] = rule[1 + n];
        p.gradient[n].x = inverse * FMA(d[0], r0.x, FMA(d[1], r1.x, d[2] * r2.x));
        p.gradient[n].y = inverse * FMA(d[0], r0.y, FMA(d[1], r1.y, d[2] * r2.y));
        p.gradient[n].z = inverse * FMA(d[0], r0.z, FMA(d[1], r1.z, d[2] * r2.z));
    }
    return p;
}

CELL real prism_entry(const prism_work &w, const prism_point &p, int n, int k)
{
    return p.scale * FMA((real)w.stiffness, prism_dot(p.gradient[n], p.gradient[k]),
                         (real)w.mass * p.value[n] * p.value[k]);
}

CELL void prism_by_matrix(const prism_work &w, const prism_place &c, const real *rule,
                          real *sum)
{
    real matrix[36] = {};
    for (int ip = 0; ip < 8; ip++) {
        const prism_point p = prism_point_of(c.at, rule + ip * POINT_NUMBERS);
        for (int n = 0; n < 6; n++)
            for (int k = 0; k < 6; k++)
                matrix[6 * n + k] += prism_entry(w, p, n, k);
    }
    for (int n = 0; n < 6; n++) {
        sum[n] = SPLAT(0);
        for (int k = 0; k < 6; k++)
            sum[n] = FMA(matrix[6 * n + k], c.u[k], sum[n]);
    }
}

/* The rule on the stack: each thread computes its own table. */
CELL void prism_make_rule(real *rule)
{
    const real z[2] = {SPLAT(PRISM_Z0), SPLAT(PRISM_Z1)};
    const real a[2] = {SPLAT(PRISM_A0), SPLAT(PRISM_A1)};
    const real w[2] = {SPLAT(PRISM_W0), SPLAT(PRISM_W1)};
    for (int ip = 0; ip < 8; ip++) {
        real *p = rule + ip * POINT_NUMBERS;
        const real s = z[ip / 4], b = (SPLAT(1) - a[ip / 2 % 2]) * z[ip % 2],
                   corner[3] = {SPLAT(1) - a[ip / 2 % 2] - b, a[ip / 2 % 2], b};
        p[0] = w[ip / 2 % 2];
        for (int n = 0; n < 6; n++) {
            const real height = n < 3 ? SPLAT(1) - s : s;
            p[1 + n] = corner[n % 3] * height;
            p[7 + 3 * n] = n % 3 == 0 ? -height : n % 3 == 1 ? height : SPLAT(0);
            p[8 + 3 * n] = n % 3 == 0 ? -height : n % 3 == 2 ? height : SPLAT(0);
            p[9 + 3 * n] = n < 3 ? -corner[n % 3] : corner[n % 3];
        }
    }
}

#define PRISM_CELL_OF_THREAD                                                             \
    const long long id = (long long)blockIdx.x * blockDim.x + threadIdx.x,               \
                    triangle = id / w.layers;                                            \
    const int level = (int)(id % w.layers);                                              \
    if (triangle >= w.cells)                                                             \
        return;

extern "C" __global__ void __launch_bounds__(128)
    prism_direct(const __grid_constant__ prism_work w)
{
    PRISM_CELL_OF_THREAD
    real rule[RULE_NUMBERS], sum[6];
    prism_make_rule(rule);
    prism_by_matrix(w, prism_load(w, triangle, level), rule, sum);
    prism_add_all(w, triangle, level, sum);
}

extern "C" __global__ void __launch_bounds__(128)
    prism_constant(const __grid_constant__ prism_work w)
{
    PRISM_CELL_OF_THREAD
    real sum[6];
    prism_by_matrix(w, prism_load(w, triangle, level), prism_rule, sum);
    prism_add_all(w, triangle, level, sum);
}

extern "C" __global__ void __launch_bounds__(128)
    prism_accumulators(const __grid_constant__ prism_work w)
{
    PRISM_CELL_OF_THREAD
    const prism_place c = prism_load(w, triangle, level);
    real a[2][6] = {};
    for (int ip = 0; ip < 8; ip++) {
        const prism_point p = prism_point_of(c.at, prism_rule + ip * POINT_NUMBERS);
        UNROLL
        for (int k = 0; k < 6; k++)
            UNROLL
        for (int j = 0; j < 6; j++)
            a[k % 2][j] = FMA(prism_entry(w, p, j, k), c.u[k], a[k % 2][j]);
    }
    real sum[6];
    UNROLL
    for (int j = 0; j < 6; j++)
        sum[j] = a[0][j] + a[1][j];
    prism_add_all(w, triangle, level, sum);
}

/* ---- factored, threads along columns ----------------------------------------------- */

template <bool MASS> CELL void prism_columns(const prism_work &w)
{
    visit_columns<3>(w, [&](long long triangle, int level, real *sum) {
        const prism_place c = prism_load(w, triangle, level);
        if (MASS)
            prism_mass(c.at, c.u, (real)w.mass, sum);
        else
            prism_action(c.at, c.u, (real)w.stiffness, (real)w.mass, sum);
    });
}

extern "C" __global__ void __launch_bounds__(PRISM_THREADS, sizeof(real) == 8 ? 4 : 6)
    prism_best(const __grid_constant__ prism_work w)
{
    prism_columns<false>(w);
}

extern "C" __global__ void __launch_bounds__(PRISM_THREADS)
    prism_best_mass(const __grid_constant__ prism_work w)
{
    prism_columns<true>(w);
}
