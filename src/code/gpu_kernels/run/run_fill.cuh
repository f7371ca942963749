/* SPDX-License-Identifier: BSD-3-Clause */
/* Fills a box with random numbers of [0, 1) for measurements: any ordinary numbers will
 * do. */
struct fill {
    view to;
    int64_t lo[3], hi[3];
};

INLINE void put_value(const view &v, int64_t element, double value)
{
    switch (v.type) {
    case TYPE_F32: ((float *)v.data)[element] = (float)value; break;
    case TYPE_F64: ((double *)v.data)[element] = value; break;
    case TYPE_BF16: ((uint16_t *)v.data)[element] = bf16_of_f64(value); break;
    case TYPE_F16: ((uint16_t *)v.data)[element] = f16_of_f64(value); break;
    default: ((uint8_t *)v.data)[element] = u8_of_f64(value); break;
    }
}

extern "C" __global__ void run_fill(const __grid_constant__ fill a)
{
    point p;

    if (point_of(a.lo, a.hi, thread_number(), p))
        put_value(a.to, element_of(a.to, p.i, p.j, p.k),
                  random_at(a.to.type, p.i, p.j, p.k));
}
