/* SPDX-License-Identifier: BSD-3-Clause */
/* Copy kernels to measure access patterns: one word for each thread, in rows with any
 * alignment and any distance between words. */
struct accesses {
    const unsigned char *from;
    unsigned char *to;
    int64_t words, rows; /* words of a row; rows */
    int64_t pitch;       /* bytes from a row to the next */
    int64_t begin;       /* bytes from the start of a row to its first word */
    int64_t apart;       /* bytes from a word to the next */
};

template <class W> INLINE void copy_words(const accesses &a)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= a.words)
        return;
    for (int64_t j = blockIdx.y; j < a.rows; j += gridDim.y) {
        const int64_t at = j * a.pitch + a.begin + i * a.apart;
        *(W *)(a.to + at) = __ldg((const W *)(a.from + at));
    }
}

extern "C" __global__ void copy_words_4(const __grid_constant__ accesses a)
{
    copy_words<unsigned>(a);
}

extern "C" __global__ void copy_words_8(const __grid_constant__ accesses a)
{
    copy_words<uint2>(a);
}

extern "C" __global__ void copy_words_16(const __grid_constant__ accesses a)
{
    copy_words<uint4>(a);
}
