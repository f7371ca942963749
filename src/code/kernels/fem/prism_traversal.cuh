/* SPDX-License-Identifier: BSD-3-Clause */
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
