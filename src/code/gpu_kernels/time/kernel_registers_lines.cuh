/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads and stores of register-resident vectors in pieces of at most 16 bytes. If each
 * lane accessed both pieces of its own 32-byte vector, every request of a warp would
 * touch all sectors of a row and use half of each. So lanes copy each other's pieces, and
 * two neighbour lanes store their vectors together. */
template <class V, int N> struct piece_of {
    enum { POINTS = N * sizeof(V) > 16 ? 16 / sizeof(V) : N, COUNT = N / POINTS };
};

template <int N, class V> INLINE pack<V, N> load_pieces(const V *from)
{
    enum { EACH = piece_of<V, N>::POINTS };
    pack<V, N> p;

#pragma unroll
    for (int n = 0; n < N; n += EACH) {
        const pack<V, EACH> piece = load_vector<EACH>(from + n);
#pragma unroll
        for (int l = 0; l < EACH; l++)
            p.v[n + l] = piece.v[l];
    }
    return p;
}

template <class V, int N> INLINE void store_pieces(V *to, const pack<V, N> &p)
{
    enum { EACH = piece_of<V, N>::POINTS };

#pragma unroll
    for (int n = 0; n < N; n += EACH) {
        pack<V, EACH> piece;
#pragma unroll
        for (int l = 0; l < EACH; l++)
            piece.v[l] = p.v[n + l];
        store_whole(to + n, piece);
    }
}

/* Prefetches the row of the warp. `to` and `from` point to the lane's own vectors. */
template <class V, int N> INLINE void prefetch_line(pack<V, N> *to, const V *from)
{
    enum { EACH = piece_of<V, N>::POINTS, COUNT = piece_of<V, N>::COUNT };
    const int own = threadIdx.x * N;

#pragma unroll
    for (int n = 0; n < COUNT; n++) {
        const int at = (n * 32 + threadIdx.x) * EACH - own;
        kernel_copy_async<EACH * sizeof(V)>(&to->v[0] + at, from + at);
    }
}

template <class V> INLINE V from_neighbour_lane(V v)
{
    return __shfl_xor_sync(0xffffffffU, v, 1);
}

INLINE uint16_t from_neighbour_lane(uint16_t v)
{
    return (uint16_t)from_neighbour_lane((unsigned)v);
}

INLINE uint8_t from_neighbour_lane(uint8_t v)
{
    return (uint8_t)from_neighbour_lane((unsigned)v);
}

/* Stores a vector if `take` is not 0. A predicated store replaces a branch, because
 * compilers schedule the code before and behind a branch separately. No thread reads the
 * stored points again. */
template <class V, int N>
INLINE void store_where(unsigned take, V *to, const pack<V, N> &p)
{
#ifndef PAV_NO_PTX
    if (sizeof(p) == 16) {
        uint4 w;

        memcpy(&w, &p, sizeof w);
        asm volatile("{\n"
                     "    .reg .pred p;\n"
                     "    setp.ne.u32 p, %0, 0;\n"
                     "    @p st.global.v4.u32 [%1], {%2, %3, %4, %5};\n"
                     "}" ::"r"(take),
                     "l"(to), "r"(w.x), "r"(w.y), "r"(w.z), "r"(w.w));
        return;
    }
#endif
    if (take)
        store_pieces(to, p);
}

/* Stores the vectors of two neighbour lanes together: first the two pieces of the even
 * lane, then the two of the odd lane. `own` and `partner`: bit r is set if row r of the
 * lane, or of its neighbour, is stored. */
template <class V, int N, int ROWS>
INLINE void store_paired(V *to, int64_t pitch, const pack<V, N> (&rows)[ROWS],
                         unsigned own, unsigned partner)
{
    enum { EACH = piece_of<V, N>::POINTS };
    const bool is_odd = threadIdx.x % 2 == 1;
    const unsigned first = is_odd ? partner : own, second = is_odd ? own : partner;
    V *const at = to - (is_odd ? EACH : 0);

#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        pack<V, EACH> left, right;
#pragma unroll
        for (int n = 0; n < EACH; n++) {
            const V mine = rows[r].v[n], last = rows[r].v[EACH % N + n];
            const V other = from_neighbour_lane(is_odd ? mine : last);
            left.v[n] = is_odd ? other : mine;
            right.v[n] = is_odd ? last : other;
        }
        store_where(first & 1U << r, at + r * pitch, left);
        store_where(second & 1U << r, at + r * pitch + 2 * EACH, right);
    }
}
