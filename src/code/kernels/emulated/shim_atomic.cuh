/* SPDX-License-Identifier: BSD-3-Clause */
// Atomics and signals of emulated kernels. Blocks run on threads of the host, so these
// are the host's atomics. Persistent blocks wait for each other's signals.

template <class T, class Change> static inline T emulated_change(T *at, Change change)
{
    T old, wanted;

    __atomic_load(at, &old, __ATOMIC_SEQ_CST);
    do
        wanted = change(old);
    while (!__atomic_compare_exchange(at, &old, &wanted, false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_SEQ_CST));
    return old;
}

template <class T> struct emulated_same {
    typedef T type;
};
#define EMULATED_ATOMIC(name, expression)                                                \
    template <class T>                                                                   \
    static inline T name(T *at, typename emulated_same<T>::type value)                   \
    {                                                                                    \
        return emulated_change(at, [value](T old) -> T { return expression; });          \
    }
EMULATED_ATOMIC(atomicAdd, old + value)
EMULATED_ATOMIC(atomicSub, old - value)
EMULATED_ATOMIC(atomicMin, value < old ? value : old)
EMULATED_ATOMIC(atomicMax, old < value ? value : old)
EMULATED_ATOMIC(atomicOr, old | value)
EMULATED_ATOMIC(atomicAnd, old &value)
EMULATED_ATOMIC(atomicXor, old ^ value)
EMULATED_ATOMIC(atomicExch, value)

template <class T>
static inline T atomicCAS(T *at, typename emulated_same<T>::type compare,
                          typename emulated_same<T>::type value)
{
    return emulated_change(at, [=](T old) -> T { return old == compare ? value : old; });
}

static inline void kernel_signal(unsigned *at, unsigned value)
{
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);
}
// Relaxed loads and stores of numbers written by other blocks at the same time. Each word
// is whole.
template <int BYTES> struct emulated_word {
    typedef unsigned long long type;
};
template <> struct emulated_word<4> {
    typedef unsigned type;
};
template <> struct emulated_word<2> {
    typedef unsigned short type;
};
template <> struct emulated_word<1> {
    typedef unsigned char type;
};
template <class T> static inline T kernel_load_relaxed(const T *from)
{
    typedef typename emulated_word<sizeof(T)>::type word;
    word all[sizeof(T) / sizeof(word)];
    T value;

    for (unsigned i = 0; i < sizeof(T) / sizeof(word); i++)
        all[i] = __atomic_load_n(reinterpret_cast<const word *>(from) + i,
                                 __ATOMIC_RELAXED);
    memcpy(&value, all, sizeof value);
    return value;
}
template <class T> static inline void kernel_store_relaxed(T *to, T value)
{
    typedef typename emulated_word<sizeof(T)>::type word;
    word all[sizeof(T) / sizeof(word)];

    memcpy(all, &value, sizeof value);
    for (unsigned i = 0; i < sizeof(T) / sizeof(word); i++)
        __atomic_store_n(reinterpret_cast<word *>(to) + i, all[i], __ATOMIC_RELAXED);
}

static inline void kernel_wait_epoch(const unsigned *at, unsigned value,
                                     int line = __builtin_LINE())
{
    emulated_request ask = {};

    ask.wish = EMULATED_AWAIT;
    ask.line = line;
    ask.number = static_cast<int>(value);
    ask.source = at;
    emulated_do(ask);
}
