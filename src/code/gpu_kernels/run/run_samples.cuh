/* SPDX-License-Identifier: BSD-3-Clause */
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
