/* SPDX-License-Identifier: BSD-3-Clause */
/* A vector: neighbouring points along x, loaded, computed and stored together by one
 * thread. */
template <class T, int N> struct alignas(N * sizeof(T)) pack {
    T v[N];
};

/* The type of one load or store, by its size in bytes. */
template <int BYTES> struct word_of;
template <> struct word_of<1> {
    typedef unsigned char type;
};
template <> struct word_of<2> {
    typedef unsigned short type;
};
template <> struct word_of<4> {
    typedef unsigned int type;
};
template <> struct word_of<8> {
    typedef uint2 type;
};
template <> struct word_of<16> {
    typedef uint4 type;
};

/* Loads a vector from memory never written by this kernel. */
template <int N, class T> INLINE pack<T, N> load_vector(const T *from)
{
    typedef typename word_of<N * sizeof(T)>::type word;
    const word w = __ldg((const word *)from);
    pack<T, N> p;

    memcpy(&p, &w, sizeof p);
    return p;
}

#ifndef PAV_NO_PTX
/* Prefetches a cache line to L2. */
INLINE void kernel_prefetch(const void *at)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
}

/* Hides a value from the optimiser. */
INLINE int64_t kernel_opaque(int64_t number)
{
    asm volatile("" : "+l"(number));
    return number;
}
#endif

template <class T> INLINE T load_one(const T *from)
{
    return __ldg(from);
}

template <class T, int N> INLINE void store_whole(T *to, const pack<T, N> &p)
{
    typename word_of<N * sizeof(T)>::type w;

    memcpy(&w, &p, sizeof w);
    *(decltype(w) *)to = w;
}

/* Bit n of `inside` is set if point i + n lies inside the box. The mask is the same for
 * all planes, so the inner loop tests one bit instead of comparing two 64-bit indices.
 * alike: same_ends of the work. */
struct row_ends {
    unsigned inside;
    bool alike;
};

template <int N> INLINE row_ends ends_of(int64_t i, const work &w)
{
    row_ends ends = {0, w.same_ends != 0};

    for (int n = 0; n < N; n++)
        ends.inside |= (unsigned)(i + n >= w.lo[0] && i + n < w.hi[0]) << n;
    return ends;
}

/* On periodic rows: the extra offset from the first vector to the last one, its left
 * neighbour; then from the last vector to the first, its right neighbour. */
INLINE int before_row(int64_t i, const work &w)
{
    return i == 0 ? (int)w.around : 0;
}

template <int N> INLINE int behind_row(int64_t i, const work &w)
{
    return i + N == w.around ? -(int)w.around : 0;
}

INLINE bool is_inside(const row_ends &ends, int n)
{
    return ends.inside >> n & 1;
}

template <int N> INLINE bool is_whole(const row_ends &ends)
{
    return ends.inside == (1U << N) - 1;
}

/* Stores only points inside the box. */
template <class T, int N>
INLINE void store_vector(T *to, const pack<T, N> &p, const row_ends &ends)
{
    if (is_whole<N>(ends)) {
        store_whole(to, p);
        return;
    }
    for (int n = 0; n < N; n++)
        if (is_inside(ends, n))
            to[n] = p.v[n];
}

/* Stores a vector. If all levels of the field are equal around the rows of the box,
 * points outside the box are stored too, with their values in `other`: memory takes whole
 * lines faster than parts of lines. All vectors select point by point. A branch for whole
 * vectors made warps diverge and was slower. */
template <class T, int N>
INLINE void store_vector(T *to, pack<T, N> p, const pack<T, N> &other,
                         const row_ends &ends)
{
    if (!ends.alike) {
        store_vector(to, p, ends);
        return;
    }
    for (int n = 0; n < N; n++)
        if (!is_inside(ends, n))
            p.v[n] = other.v[n];
    store_whole(to, p);
}

/* Loads `other` of store_vector if no register has it: early, so that no store waits for
 * the load. */
template <int N, class T>
INLINE pack<T, N> load_same_field(const T *from, const row_ends &ends)
{
    return is_whole<N>(ends) ? pack<T, N>{} : load_vector<N>(from);
}

/* The first point along x of this thread's first vector. Blocks begin at multiples of
 * their width, so that warps load whole lines. A thread may therefore lie before the
 * box. */
template <int N> INLINE int64_t first_vector(const work &w)
{
    return (w.lo[0] & -(int64_t)(N * blockDim.x)) +
           ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) * N;
}

/* The first of N rows of this thread. */
template <int N> INLINE int64_t first_of_rows(const work &w)
{
    return w.lo[1] + ((int64_t)blockIdx.y * blockDim.y + threadIdx.y) * N;
}

/* Moves the rows of a thread back inside the box. Two threads may compute the same row,
 * with equal results. */
template <int N> INLINE int64_t rows_from(const work &w, int64_t j)
{
    return j < w.hi[1] - N ? j : w.hi[1] - N;
}

/* The plane at offset z, but not before the first readable plane; `swept`: planes swept
 * so far. */
INLINE int64_t plane_within(int64_t z, int first, int64_t swept)
{
    return z > first - swept ? z : first - swept;
}

/* The same for prefetched planes: `left` planes are still to come, and they read no
 * farther than offset `last`. */
INLINE int64_t plane_until(int z, int last, int64_t left)
{
    return z < last + left ? z : last + left;
}

/* The end of a block's sweep: `planes` planes from `from` on, cut at the end of the
 * box. */
INLINE int64_t end_of_sweep(const work &w, int axis, int64_t from)
{
    return from + w.planes < w.hi[axis] ? from + w.planes : w.hi[axis];
}
