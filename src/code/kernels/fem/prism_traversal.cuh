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
