/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies kernel arguments read by all threads of a block to shared memory. Every thread
 * must call it before anything else. */
template <class T> INLINE void stage_numbers(T &to, const T *from)
{
    const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x +
                       threadIdx.x;
    const int threads = blockDim.x * blockDim.y * blockDim.z;

    for (int n = thread; n < (int)(sizeof(T) / sizeof(unsigned)); n += threads) {
        const unsigned word = __ldg((const unsigned *)from + n);
        memcpy((unsigned char *)&to + n * sizeof word, &word, sizeof word);
    }
    __syncthreads();
}
