/* SPDX-License-Identifier: BSD-3-Clause */
// Synchronisation of the threads of a block: barriers, shuffles and votes. `line` is the
// line of the call.
static inline void emulated_barrier(emulated_wish wish, int number, int threads, int line)
{
    emulated_request ask = {};

    ask.wish = wish;
    ask.line = line;
    ask.number = number;
    ask.threads = threads;
    emulated_do(ask);
}

static inline void __syncthreads(int line = __builtin_LINE())
{
    emulated_barrier(EMULATED_BARRIER, 0, 0, line);
}
static inline void kernel_barrier(int number, int threads, int line = __builtin_LINE())
{
    emulated_barrier(EMULATED_BARRIER, number, threads, line);
}
static inline void kernel_barrier_arrive(int number, int threads,
                                         int line = __builtin_LINE())
{
    emulated_barrier(EMULATED_ARRIVE, number, threads, line);
}

// ---- votes ----------------------------------------------------------------------------

static inline unsigned __ballot_sync(unsigned mask, int vote, int line = __builtin_LINE())
{
    emulated_request ask = {};

    ask.wish = EMULATED_BALLOT;
    ask.line = line;
    ask.mask = mask;
    ask.value = vote != 0;
    return static_cast<unsigned>(emulated_do(ask));
}
static inline int __any_sync(unsigned mask, int vote, int line = __builtin_LINE())
{
    return __ballot_sync(mask, vote, line) != 0;
}
static inline int __all_sync(unsigned mask, int vote, int line = __builtin_LINE())
{
    return __ballot_sync(mask, vote, line) == mask;
}
static inline void __syncwarp(unsigned mask = 0xffffffffu, int line = __builtin_LINE())
{
    __ballot_sync(mask, 0, line);
}

// ---- shuffles -------------------------------------------------------------------------

static inline int emulated_lane()
{
    const unsigned row = threadIdx.y + threadIdx.z * blockDim.y;

    return static_cast<int>((threadIdx.x + row * blockDim.x) % 32);
}

template <class T>
static inline T emulated_shuffle(unsigned mask, T value, int from, int line)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8,
                  "values of 4 or 8 bytes are shuffled");
    emulated_request ask = {};
    T result;

    ask.wish = EMULATED_SHUFFLE;
    ask.line = line;
    ask.mask = mask;
    ask.number = from;
    __builtin_memcpy(&ask.value, &value, sizeof value);
    const unsigned long long bits = emulated_do(ask);
    __builtin_memcpy(&result, &bits, sizeof result);
    return result;
}

// If the source lies outside the lane's section of `width` lanes, the lane keeps its own
// value.
template <class T>
static inline T __shfl_sync(unsigned mask, T value, int from, int width = 32,
                            int line = __builtin_LINE())
{
    const int first = emulated_lane() & ~(width - 1);

    return emulated_shuffle(mask, value, first + (from & (width - 1)), line);
}
template <class T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32,
                               int line = __builtin_LINE())
{
    const int lane = emulated_lane(), from = lane - static_cast<int>(by);

    return emulated_shuffle(mask, value, from < (lane & ~(width - 1)) ? lane : from,
                            line);
}
template <class T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32,
                                 int line = __builtin_LINE())
{
    const int lane = emulated_lane(), from = lane + static_cast<int>(by);

    return emulated_shuffle(mask, value, from > (lane | (width - 1)) ? lane : from, line);
}
template <class T>
static inline T __shfl_xor_sync(unsigned mask, T value, int with, int width = 32,
                                int line = __builtin_LINE())
{
    const int lane = emulated_lane(), from = lane ^ with;

    return emulated_shuffle(mask, value, from > (lane | (width - 1)) ? lane : from, line);
}
