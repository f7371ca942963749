/* SPDX-License-Identifier: BSD-3-Clause */
/* One thread for each point of a box. Along x blocks begin at multiples of their width, a
 * power of two, so that warps load whole lines. A thread may therefore lie before the box
 * or behind it. */
struct place {
    int64_t i, j, k;
};

INLINE int64_t first_x(const work &w)
{
    return w.lo[0] & -(int64_t)blockDim.x;
}

/* True if all blocks stand in one line along x: a launch limits the number of blocks
 * along y and z. */
INLINE bool is_in_line(const work &w)
{
    return (gridDim.y == 1 && w.hi[1] - w.lo[1] > blockDim.y) ||
           (gridDim.z == 1 && w.hi[2] - w.lo[2] > blockDim.z);
}

INLINE place place_of_thread(const work &w)
{
    int64_t x = blockIdx.x, y = blockIdx.y, z = blockIdx.z;

    if (is_in_line(w)) {
        const int64_t across = (w.hi[0] - first_x(w) + blockDim.x - 1) / blockDim.x;
        const int64_t down = (w.hi[1] - w.lo[1] + blockDim.y - 1) / blockDim.y;
        z = x / across / down;
        y = x / across % down;
        x = x % across;
    }
    return {first_x(w) + x * blockDim.x + threadIdx.x,
            w.lo[1] + y * blockDim.y + threadIdx.y,
            w.lo[2] + z * blockDim.z + threadIdx.z};
}

INLINE bool is_inside(const work &w, place p)
{
    return p.i >= w.lo[0] && p.i < w.hi[0] && p.j < w.hi[1] && p.k < w.hi[2];
}
