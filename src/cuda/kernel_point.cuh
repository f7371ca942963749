/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread for each point: the first one of this thread along each axis; the next is as far on as the
 * whole launch reaches. Along x blocks begin at multiples of their width, which is a power of two, so
 * that warps load whole lines: a thread may come to lie before the box. */
INLINE int64_t first_x(const work &w)
{
    return (w.lo[0] & -(int64_t)blockDim.x) + (int64_t)blockIdx.x * blockDim.x +
           threadIdx.x;
}

INLINE int64_t first_y(const work &w)
{
    return w.lo[1] + (int64_t)blockIdx.y * blockDim.y + threadIdx.y;
}

INLINE int64_t first_z(const work &w)
{
    return w.lo[2] + (int64_t)blockIdx.z * blockDim.z + threadIdx.z;
}

INLINE int64_t next_x()
{
    return (int64_t)gridDim.x * blockDim.x;
}

INLINE int64_t next_y()
{
    return (int64_t)gridDim.y * blockDim.y;
}

INLINE int64_t next_z()
{
    return (int64_t)gridDim.z * blockDim.z;
}
