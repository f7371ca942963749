/* SPDX-License-Identifier: BSD-3-Clause */
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
    switch (bytes_of(a.to.type)) {
    case 1: copy_point<uint8_t>(a, p); break;
    case 2: copy_point<uint16_t>(a, p); break;
    case 4: copy_point<uint32_t>(a, p); break;
    default: copy_point<uint64_t>(a, p); break;
    }
}
