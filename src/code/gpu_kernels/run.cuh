/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of a run that belong to no stage: copies, ghosts and borders, reductions,
 * samples, the NaN check. The build makes a text of each part (cmake/embed.cmake). */

/* ==== run_common ==== */
/* Shared parts of kernels without a stage: points of a level of any type, and threads
 * numbered in one line. TYPE_... and REDUCTION_... are numbers of the host. */
INLINE int64_t thread_number()
{
    return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

INLINE int64_t element_of(const emit_gpu_view &v, int64_t i, int64_t j, int64_t k)
{
    return i + j * v.y + k * v.z;
}

INLINE int bytes_of(int64_t type)
{
    return type == TYPE_F64 ? 8 : type == TYPE_F32 ? 4 : type == TYPE_U8 ? 1 : 2;
}

INLINE double value_of(const emit_gpu_view &v, int64_t element)
{
    switch (v.type) {
    case TYPE_F32: return ((const float *)v.data)[element];
    case TYPE_F64: return ((const double *)v.data)[element];
    case TYPE_BF16: return f32_of_bf16(((const uint16_t *)v.data)[element]);
    case TYPE_F16: return f32_of_f16(((const uint16_t *)v.data)[element]);
    default: return ((const uint8_t *)v.data)[element];
    }
}

struct point {
    int64_t i, j, k;
};

/* Quotient of two nonnegative numbers. GPUs divide 64-bit words by a long program, so
 * 32-bit operands take a short way. */
INLINE int64_t quotient(int64_t a, int64_t b)
{
    return (a | b) >> 32 ? a / b : (int64_t)((uint32_t)a / (uint32_t)b);
}

/* Point n of a box, x fastest; false when it has fewer. */
INLINE bool point_of(const int64_t *lo, const int64_t *hi, int64_t n, point &p)
{
    const int64_t nx = hi[0] - lo[0], ny = hi[1] - lo[1], nz = hi[2] - lo[2];

    if (n >= nx * ny * nz)
        return false;
    const int64_t row = quotient(n, nx), plane = quotient(row, ny);
    p = {lo[0] + n - row * nx, lo[1] + row - plane * ny, lo[2] + plane};
    return true;
}

/* ==== run_copy ==== */
/* Copies the points of a box between two levels of the same type; without a source it
 * stores zeros. */
template <class element> INLINE void copy_point(const emit_gpu_copy &a, const point &p)
{
    const element *const from = (const element *)a.from.data;

    ((element *)a.to.data)[element_of(a.to, p.i, p.j, p.k)] =
        from ? from[element_of(a.from, p.i, p.j, p.k)] : 0;
}

extern "C" __global__ void run_copy(const __grid_constant__ emit_gpu_copy a)
{
    point p;

    if (!point_of(a.lo, a.hi, thread_number(), p))
        return;
    const int bytes = bytes_of(a.to.type);
    bytes == 1   ? copy_point<uint8_t>(a, p)
    : bytes == 2 ? copy_point<uint16_t>(a, p)
    : bytes == 4 ? copy_point<uint32_t>(a, p)
                 : copy_point<uint64_t>(a, p);
}

/* ==== run_ghosts ==== */
/* Fills ghosts that copy points of the same line. One thread fills all ghosts of a line,
 * because a face set to 0 must be copied first. */
/* Element: an unsigned number of the size of the field's; only bytes have no sign. */
template <class element> INLINE void fill_line(const emit_gpu_ghosts &a, const point &p)
{
    const ghost_map map = (ghost_map)a.map;
    const int64_t stride = a.axis == 0   ? 1
                           : a.axis == 1 ? a.view.y
                                         : a.view.z,
                  n = a.extent;
    const bool negative = (map & GHOST_NEGATIVE) != 0;
    const bool is_signed = negative && sizeof(element) > 1;
    const element sign = is_signed ? (element)1 << (8 * sizeof(element) - 1) : 0;
    element *const line = (element *)a.view.data + element_of(a.view, p.i, p.j, p.k);

    for (int64_t d = 1; d <= a.depth; d++) {
        const int64_t to = a.side ? n - 1 + d : -d;
        line[to * stride] = line[border_source(map, n, to) * stride] ^ sign;
    }
    if (border_zeroes_face(map))
        line[(a.side ? n - 1 : 0) * stride] = 0;
}

extern "C" __global__ void run_ghosts(const __grid_constant__ emit_gpu_ghosts a)
{
    int64_t lo[3] = {a.lo[0], a.lo[1], a.lo[2]}, hi[3] = {a.hi[0], a.hi[1], a.hi[2]};
    point p;

    for (int axis = 0; axis < 3; axis++)
        if (axis == a.axis) {
            lo[axis] = 0;
            hi[axis] = 1;
        }
    if (!point_of(lo, hi, thread_number(), p))
        return;
    const int bytes = bytes_of(a.view.type);
    bytes == 1   ? fill_line<uint8_t>(a, p)
    : bytes == 2 ? fill_line<uint16_t>(a, p)
    : bytes == 4 ? fill_line<uint32_t>(a, p)
                 : fill_line<uint64_t>(a, p);
}

/* ==== run_borders ==== */
/* Fills the ghosts of all axes in one launch. Filled axis by axis, x first, a ghost would
 * become a copy of a copy. Here a thread follows those copies back, last axis first, to
 * an inner point and takes its bits. Along each axis a level has inner and outer points:
 * ghosts, and faces set to 0. Part 1 + 2 + 4 has the points outer along x, y and z, so
 * parts 1, 2 and 4 contain nearly all outer points. They are usually straight: one
 * multiplication along one axis finds the source. `gpu_borders.c` precomputes all
 * constants. */
/* The treatment of a point, its element and the source's. */
struct ghost {
    int64_t at, from;
    int how;
};

/* Follows the copies of a ghost back to their source. The search ends at an axis without
 * filled ghosts, because faster axes were not filled there either. */
INLINE ghost ghost_of(const emit_gpu_border &b, const int *at)
{
    int from[3] = {at[0], at[1], at[2]}, how = 0;

    for (int axis = 2; axis >= 0; axis--) {
        const emit_gpu_border_axis &a = b.axis[axis];
        const bool high = at[axis] >= a.first + a.inner;
        const int map = a.side[high].map;
        if (at[axis] >= a.first && !high)
            continue;
        if (map < 0)
            break;
        if (at[axis] >= 0 && at[axis] < a.extent) {
            how |= EMIT_GPU_GHOST_FILLED | EMIT_GPU_GHOST_ZERO;
            break;
        }
        from[axis] = (int)border_source((ghost_map)map, a.extent, at[axis]);
        how = (how | EMIT_GPU_GHOST_FILLED) ^
              (map & GHOST_NEGATIVE ? EMIT_GPU_GHOST_NEGATED : 0);
    }
    return {element_of(b.view, at[0], at[1], at[2]),
            element_of(b.view, from[0], from[1], from[2]), how};
}

/* The same for a straight part; its strides fit in 32 bits. */
INLINE ghost ghost_along(const emit_gpu_border &b, int axis, const int *at)
{
    const emit_gpu_border_axis &a = b.axis[axis];
    const int here = axis == 0 ? at[0] : axis == 1 ? at[1] : at[2];
    const emit_gpu_border_side &s = a.side[here >= a.first];
    const bool zero = here >= 0 && here < a.extent;
    const int y = (int)b.view.y, z = (int)b.view.z,
              stride = axis == 0   ? 1
                       : axis == 1 ? y
                                   : z;
    const int64_t element = at[0] + (int64_t)at[1] * y + (int64_t)at[2] * z;

    return {element, element + (int64_t)(s.from + s.sign * here - here) * stride,
            zero ? EMIT_GPU_GHOST_FILLED | EMIT_GPU_GHOST_ZERO : s.how};
}

/* Element: an unsigned number of the size of the field's; only bytes have no sign. */
template <class element, int count>
INLINE void fill_elements(const emit_gpu_view &v, const ghost *g)
{
    const element sign = sizeof(element) > 1 ? (element)1 << (8 * sizeof(element) - 1)
                                             : 0;
    element *const data = (element *)v.data;
    element value[count];

    for (int k = 0; k < count; k++)
        value[k] = (g[k].how & (EMIT_GPU_GHOST_FILLED | EMIT_GPU_GHOST_ZERO)) ==
                           EMIT_GPU_GHOST_FILLED
                       ? data[g[k].from]
                       : 0;
    for (int k = 0; k < count; k++)
        if (g[k].how & EMIT_GPU_GHOST_FILLED)
            data[g[k].at] = value[k] ^ (g[k].how & EMIT_GPU_GHOST_NEGATED ? sign : 0);
}

template <int count> INLINE void fill_ghosts(const emit_gpu_view &v, const ghost *g)
{
    const int bytes = bytes_of(v.type);
    bytes == 1   ? fill_elements<uint8_t, count>(v, g)
    : bytes == 2 ? fill_elements<uint16_t, count>(v, g)
    : bytes == 4 ? fill_elements<uint32_t, count>(v, g)
                 : fill_elements<uint64_t, count>(v, g);
}

/* Points of a part along an axis: `count` points from `first` on; `between` inner points
 * are skipped after the first `low`. */
struct places {
    int count, first, low, between;
};

INLINE places places_of(const emit_gpu_border_axis &a, bool outer)
{
    return {outer ? a.outer : a.inner, outer ? -a.halo : a.first, a.low,
            outer ? a.inner : 0};
}

INLINE int place_of(const places &p, int n)
{
    return p.first + n + (n >= p.low ? p.between : 0);
}

/* Thread n of a part fills the same position of EMIT_GPU_BORDER_LINES lines along x. It
 * loads `count` of them before it stores, to hide latency. */
template <int count> INLINE void fill_part(const emit_gpu_border &b, int part, unsigned n)
{
    const places x = places_of(b.axis[0], part & 1), y = places_of(b.axis[1], part & 2),
                 z = places_of(b.axis[2], part & 4);
    const unsigned lines = (unsigned)y.count * z.count, nx = x.count;

    if (n >= nx * ((lines + EMIT_GPU_BORDER_LINES - 1) / EMIT_GPU_BORDER_LINES))
        return;
    const unsigned line = n / nx * EMIT_GPU_BORDER_LINES;
    int at[3] = {place_of(x, n % nx)}, j = line % y.count, k = line / y.count;
#pragma unroll 1
    for (int done = 0; done < EMIT_GPU_BORDER_LINES; done += count) {
        ghost g[count];
        for (int i = 0; i < count; i++) {
            at[1] = place_of(y, j);
            at[2] = place_of(z, k);
            g[i] = count == 1 ? ghost_of(b, at) : ghost_along(b, part / 2, at);
            g[i].how = line + done + i < lines ? g[i].how : 0;
            k += ++j == y.count;
            j = j == y.count ? 0 : j;
        }
        fill_ghosts<count>(b.view, g);
    }
}

extern "C" __global__ void run_borders(const __grid_constant__ emit_gpu_borders a)
{
    const emit_gpu_border &b = a.level[blockIdx.y];
    const int block = blockIdx.x;
    int part = 1;

    while (part < 7 && block >= b.end[part])
        part++;
    const unsigned n = (block - b.end[part - 1]) * blockDim.x + threadIdx.x;
    if (b.straight >> part & 1)
        fill_part<EMIT_GPU_BORDER_LINES>(b, part, n);
    else
        fill_part<1>(b, part, n);
}

/* ==== run_reductions ==== */
/* The fixed tree over groups of values of any length: a warp folds a short group, a block
 * a long one. It folds chunk after chunk, with indices from multiples of the chunk's
 * size; the value of a chunk waits for its partner as in interp/row_sweep.c. */
enum {
    THREADS = 256,
    OWN = EMIT_GPU_TINY,
    WARPS = THREADS / WARP,
    MOST_WAITING = 64,
    TOP_LEVEL = 62
};

/* Blocks of the tree that wait to be the left half of the next, by falling size. */
struct waiting {
    int depth;
    double value[MOST_WAITING];
};

/* Adds the next block. Blocks come in index order without a gap, so the last waiting
 * block is the other half of this one, unless this is the first of all. */
INLINE void add_block(int kind, waiting &w, int64_t index, double value)
{
    for (int level = 0; (index & 1) && level < TOP_LEVEL; index >>= 1, level++)
        if (w.depth > 0)
            value = joined(kind, w.value[--w.depth], value);
    w.value[w.depth++] = value;
}

INLINE double value_of_all(int kind, const waiting &w)
{
    double value = w.value[w.depth - 1];

    for (int n = w.depth - 2; n >= 0; n--)
        value = joined(kind, w.value[n], value);
    return value;
}

/* The values of indices at ... at + OWN - 1. */
INLINE double reduce_own(int kind, const double *value, int64_t at, range r)
{
    double part[OWN];

    for (int n = 0; n < OWN; n++)
        part[n] = at + n >= r.from && at + n < r.to ? value[at + n - r.from]
                                                    : missing(kind);
#pragma unroll
    for (int size = 1; size < OWN; size *= 2)
#pragma unroll
        for (int n = 0; n + size < OWN; n += 2 * size)
            part[n] = joined(kind, part[n], part[n + size]);
    return part[0];
}

extern "C" __global__ void __launch_bounds__(THREADS)
    run_reductions(const __grid_constant__ emit_gpu_reductions a)
{
    __shared__ waiting all[WARPS];
    const bool is_short = a.count <= EMIT_GPU_SHORT;
    const int width = is_short ? WARP : THREADS;
    const int warp = threadIdx.x / width, thread = threadIdx.x % width,
              chunk = OWN * width;
    const int64_t group = (int64_t)blockIdx.x * (THREADS / width) + warp;
    const int kind = a.kind == REDUCTION_MIN   ? REDUCE_MIN
                     : a.kind == REDUCTION_MAX ? REDUCE_MAX
                                               : REDUCE_SUM;
    const double *const value = a.from + group * a.count;
    const range r = {a.first, a.first + a.count};

    if (((r.from ^ (r.to - 1)) & -OWN) == 0) {
        const int64_t own = thread_number();
        if (own < a.groups)
            a.to[own] = reduce_own(kind, a.from + own * a.count, r.from & -OWN, r);
        return;
    }
    if (group >= a.groups)
        return;
    if (thread == 0)
        all[warp].depth = 0;
    for (int64_t begin = r.from & -(int64_t)chunk; begin < r.to; begin += chunk) {
        const int64_t at = begin + OWN * thread;
        const double own = reduce_own(kind, value, at, r);
        const double sum = is_short ? reduce_threads(kind, own, WARP)
                                    : reduce_block(kind, own);
        if (thread == 0)
            add_block(kind, all[warp], begin / chunk, sum);
    }
    if (thread == 0)
        a.to[group] = value_of_all(kind, all[warp]);
}

/* ==== run_samples ==== */
/* Samples between grid points: for each row of the list, the weighted sum of its
 * neighbours in list order. */
extern "C" __global__ void run_samples(const __grid_constant__ emit_gpu_samples a)
{
    const int64_t row = thread_number();
    double sum = 0;

    if (row >= a.count)
        return;
    for (int64_t n = a.first[row]; n < a.first[row + 1]; n++) {
        const int64_t *p = a.index[n];
        sum += a.weight[n] * value_of(a.view, element_of(a.view, p[0], p[1], p[2]));
    }
    a.value[row] = sum;
}

/* ==== run_nan_check ==== */
/* The NaN check: finds the number, x fastest, of the first point of a box that is not
 * finite: all bits of its exponent are set. */
template <class bits>
INLINE uint64_t first_not_finite(const emit_gpu_nan_check &a, bits exponent)
{
    const bits *const data = (const bits *)a.view.data;
    const int64_t nx = a.hi[0] - a.lo[0], step = blockDim.x;
    const int64_t begin = (int64_t)blockIdx.x * EMIT_GPU_CHECKED * step + threadIdx.x;
    uint64_t found = ~0ULL;
    point p;

    bool inside = point_of(a.lo, a.hi, begin, p);
#pragma unroll
    for (int m = 0; m < EMIT_GPU_CHECKED; m++) {
        const int64_t n = begin + m * step;
        if (inside && (data[element_of(a.view, p.i, p.j, p.k)] & exponent) == exponent)
            found = found < (uint64_t)n ? found : (uint64_t)n;
        p.i += step;
        if (p.i >= a.hi[0] + nx) { /* rows shorter than a block */
            inside = inside && point_of(a.lo, a.hi, n + step, p);
        } else if (p.i >= a.hi[0]) {
            p.i -= nx;
            p.k += p.j + 1 == a.hi[1];
            p.j = p.j + 1 == a.hi[1] ? a.lo[1] : p.j + 1;
            inside = inside && p.k < a.hi[2];
        }
    }
    return found;
}

extern "C" __global__ void run_check_nan(const __grid_constant__ emit_gpu_nan_check a)
{
    const int64_t type = a.view.type;
    const uint64_t found = type == TYPE_F64
                               ? first_not_finite<uint64_t>(a, 0x7ffULL << 52)
                           : type == TYPE_F32 ? first_not_finite<uint32_t>(a, 0x7f800000)
                           : type == TYPE_U8
                               ? ~0ULL
                               : first_not_finite<uint16_t>(
                                     a, type == TYPE_BF16 ? 0x7f80 : 0x7c00);

    if (found != ~0ULL)
        atomicMin(a.found, found);
}
