/* SPDX-License-Identifier: BSD-3-Clause */
/* The NaN check: finds the number, x fastest, of the first point of a box that is not
 * finite. */
extern "C" __global__ void run_check_nan(const __grid_constant__ emit_gpu_nan_check a)
{
    const int64_t n = thread_number();
    point p;

    if (!point_of(a.lo, a.hi, n, p))
        return;
    const double value = value_of(a.view, element_of(a.view, p.i, p.j, p.k));
    if (value - value != 0)
        atomicMin(a.found, (uint64_t)n);
}
