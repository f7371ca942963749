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

/* cell(which, level, sum) computes the sums of CORNERS lower nodes, then of the upper
 * nodes. parts: layers + 1 values for each corner of each column of cells. */
template <int CORNERS, class CELL_SUMS>
CELL void visit_columns(long long cells, int layers, int each, real *parts,
                        CELL_SUMS cell)
{
    const long long warp = ((long long)blockIdx.x * blockDim.x + threadIdx.x) / 32,
                    first = warp * each,
                    end = first + each < cells ? first + each : cells;
    prism_lane p = moved_up({first, 0}, threadIdx.x % 32, layers);
    real waiting[CORNERS] = {};

    for (int done = 0; done < each * layers; done += 32) {
        real sum[2 * CORNERS] = {}, below[CORNERS];
        if (p.which < end)
            cell(p.which, p.level, sum);
        hand_up<CORNERS>(sum + CORNERS, waiting, below);
        if (p.which < end)
            store_sums<CORNERS>(p, layers, sum, below, parts);
        p = moved_up(p, 32, layers);
    }
}

/* Adds the parts of corners first .. end - 1 of `incident` to `sum`, in list order. */
CELL real gathered(real sum, const real *part, const long long *incident, long long first,
                   long long end, int pitch, int level)
{
    for (long long k = first; k < end; k++)
        sum += part[incident[k] * pitch + level];
    return sum;
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
 *                    atomics, bitwise identical to the CPU */
struct prism_work {
    const int *corner; /* three columns of each triangle */
    const real *u, *x, *y, *z;
    real *out;        /* the result; in `best` three columns of each triangle */
    const real *part; /* for gathering: the columns of the triangles */
    const long long *first,
        *incident; /* for gathering: triangle corners at each column */
    long long triangles, columns;
    double stiffness, mass;
    int layers, levels, each; /* each: columns of cells for one warp */
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
    if (triangle >= w.triangles)                                                         \
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
    visit_columns<3>(w.triangles, w.layers, w.each, w.out,
                     [&](long long triangle, int level, real *sum) {
                         const prism_place c = prism_load(w, triangle, level);
                         if (MASS)
                             prism_mass(c.at, c.u, (real)w.mass, sum);
                         else
                             prism_action(c.at, c.u, (real)w.stiffness, (real)w.mass,
                                          sum);
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

/* Sums over the triangles at each column of nodes, in a fixed order; one warp for each
 * column. */
extern "C" __global__ void prism_gather(const __grid_constant__ prism_work w)
{
    const long long column = ((long long)blockIdx.x * blockDim.x + threadIdx.x) / 32;

    if (column >= w.columns)
        return;
    for (int level = threadIdx.x % 32; level < w.levels; level += 32)
        w.out[column * w.levels + level] = gathered(SPLAT(0), w.part, w.incident,
                                                    w.first[column], w.first[column + 1],
                                                    w.levels, level);
}
