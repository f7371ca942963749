/* SPDX-License-Identifier: BSD-3-Clause */
// Dynamic shared memory, and asynchronous copies to shared memory: cp.async, mbarriers,
// cp.async.bulk. Each function has the name of its GPU version in the kernels.
template <class T> static inline T *kernel_shared()
{
    return static_cast<T *>(emulated_now.shared);
}

static inline void emulated_copy(emulated_wish wish, int number, void *to,
                                 const void *from, long long bytes, void *phases,
                                 int line)
{
    emulated_request ask = {};

    ask.wish = wish;
    ask.line = line;
    ask.number = number;
    ask.to = to;
    ask.source = from;
    ask.bytes = bytes;
    ask.phases = phases;
    emulated_do(ask);
}

// ---- cp.async -------------------------------------------------------------------------

template <int bytes>
static inline void kernel_copy_async(void *to, const void *from,
                                     int line = __builtin_LINE())
{
    static_assert(bytes == 4 || bytes == 8 || bytes == 16, "4, 8 or 16 bytes are copied");
    emulated_copy(EMULATED_COPY, 1, to, from, bytes, nullptr, line);
}
// Writes zeros if `take` is false; `from` is then not read.
template <int bytes>
static inline void kernel_copy_async_zero(void *to, const void *from, bool take,
                                          int line = __builtin_LINE())
{
    static_assert(bytes == 4 || bytes == 8 || bytes == 16, "4, 8 or 16 bytes are copied");
    emulated_copy(EMULATED_COPY, take, to, from, bytes, nullptr, line);
}
static inline void kernel_copy_commit(int line = __builtin_LINE())
{
    emulated_copy(EMULATED_COMMIT, 0, nullptr, nullptr, 0, nullptr, line);
}
template <int left> static inline void kernel_copy_wait(int line = __builtin_LINE())
{
    emulated_copy(EMULATED_WAIT, left, nullptr, nullptr, 0, nullptr, line);
}

// ---- mbarriers and bulk copies --------------------------------------------------------

static inline void kernel_mbarrier_init(unsigned long long *barrier, int arrivals,
                                        int line = __builtin_LINE())
{
    emulated_copy(EMULATED_PHASES, arrivals, barrier, nullptr, 0, nullptr, line);
}
static inline void kernel_mbarrier_end(unsigned long long *barrier,
                                       int line = __builtin_LINE())
{
    emulated_copy(EMULATED_PHASES, 0, barrier, nullptr, 0, nullptr, line);
}
static inline void kernel_mbarrier_fence()
{
}
static inline void kernel_mbarrier_arrive(unsigned long long *barrier,
                                          int line = __builtin_LINE())
{
    emulated_copy(EMULATED_PHASE_ARRIVE, 0, barrier, nullptr, 0, nullptr, line);
}
// Arrives, and adds bytes of bulk copies to the transfers awaited in this phase.
static inline void kernel_mbarrier_expect(unsigned long long *barrier, unsigned bytes,
                                          int line = __builtin_LINE())
{
    emulated_copy(EMULATED_PHASE_ARRIVE, 0, barrier, nullptr, bytes, nullptr, line);
}
// The same without an arrival.
static inline void kernel_mbarrier_await(unsigned long long *barrier, unsigned bytes,
                                         int line = __builtin_LINE())
{
    emulated_copy(EMULATED_PHASE_AWAIT, 0, barrier, nullptr, bytes, nullptr, line);
}
static inline void kernel_mbarrier_wait(unsigned long long *barrier, unsigned parity,
                                        int line = __builtin_LINE())
{
    emulated_copy(EMULATED_PHASE_WAIT, static_cast<int>(parity), barrier, nullptr, 0,
                  nullptr, line);
}
static inline void kernel_bulk_load(void *to, const void *from, unsigned bytes,
                                    unsigned long long *barrier,
                                    int line = __builtin_LINE())
{
    emulated_copy(EMULATED_BULK, 1, to, from, bytes, barrier, line);
}
static inline void kernel_tensor_load(void *to, const unsigned long long *map, int x,
                                      int y, int z, unsigned long long *barrier,
                                      int line = __builtin_LINE())
{
    emulated_request ask = {};

    ask.wish = EMULATED_TENSOR;
    ask.line = line;
    ask.to = to;
    ask.source = map;
    ask.phases = barrier;
    ask.at[0] = x;
    ask.at[1] = y;
    ask.at[2] = z;
    emulated_do(ask);
}
