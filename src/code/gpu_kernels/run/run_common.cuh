/* SPDX-License-Identifier: BSD-3-Clause */
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
