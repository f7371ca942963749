/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbouring points along x that one thread loads, computes and stores together. */
template <class T, int N> struct alignas(N * sizeof(T)) pack {
    T v[N];
};

/* What is loaded at once, by its bytes. */
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

/* Of memory that no thread of the kernel writes. */
template <int N, class T> INLINE pack<T, N> load_vector(const T *from)
{
    typedef typename word_of<N * sizeof(T)>::type word;
    const word w = __ldg((const word *)from);
    pack<T, N> p;

    memcpy(&p, &w, sizeof p);
    return p;
}

#ifndef PAV_NO_PTX
/* Brings the line of that address to the second-level cache. */
INLINE void kernel_prefetch(const void *at)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
}

/* A number that compilers know nothing about. */
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

/* What of a thread's packs, which begin with point i of a row, lies in the box: a bit for
 * each point. It stays the same in all planes, which test a bit in place of two indices
 * of 64 bits. alike: the work's same_ends. */
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

/* Where rows wrap: how much farther the last pack lies than the one before the first, and
 * the first than the one behind the last. */
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

/* Only what lies in the box. */
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

/* The same; where levels of a field hold the same around the rows of the box, what lies
 * next to it is stored, too, as `other` has it, since memory takes whole lines faster
 * than parts of them. All packs choose point by point: where only those did that are not
 * whole, warps came apart, and were slower. */
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

/* What `other` is, where no thread holds it; so early that nobody has to wait for it. */
template <int N, class T>
INLINE pack<T, N> load_same_field(const T *from, const row_ends &ends)
{
    return is_whole<N>(ends) ? pack<T, N>{} : load_vector<N>(from);
}

/* The first point along x of this thread's first pack. Blocks begin where as many packs
 * do as they have threads along x, so that warps load whole lines: a thread may come to
 * lie before the box. */
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

/* None begins so late that it has fewer: two threads may compute the same row, alike. */
template <int N> INLINE int64_t rows_from(const work &w, int64_t j)
{
    return j < w.hi[1] - N ? j : w.hi[1] - N;
}

/* Plane z from this one; or, of a sweep that has not come to its first plane, the first
 * that may be read. */
INLINE int64_t plane_within(int64_t z, int first, int64_t swept)
{
    return z > first - swept ? z : first - swept;
}

/* The same of what is read earlier than it is needed: `left` planes are still to come,
 * which read up to plane `last` from them. */
INLINE int64_t plane_until(int z, int last, int64_t left)
{
    return z < last + left ? z : last + left;
}

/* Planes of one sweep of a block: those from here on, as many as `planes`, but within the
 * box. */
INLINE int64_t end_of_sweep(const work &w, int axis, int64_t from)
{
    return from + w.planes < w.hi[axis] ? from + w.planes : w.hi[axis];
}
