/* SPDX-License-Identifier: BSD-3-Clause */
// Memory that several threads change: blocks run on threads of the host, so these are its
// atomics. And numbers by which blocks that are there at once wait for each other.
static inline void __threadfence()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
static inline void __threadfence_block()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
static inline void __threadfence_system()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

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
