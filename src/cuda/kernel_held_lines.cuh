/* SPDX-License-Identifier: BSD-3-Clause */
/* Packs between memory and what a thread holds, by pieces of 16 bytes at most. Of packs of 32 bytes a warp that asked for
 * each lane's own pieces would touch all sectors of a row in every request, and use half of each: so lanes copy each other's
 * pieces, and two neighbours store theirs together. */
template <class V, int N> struct piece_of {
    enum { POINTS = N * sizeof(V) > 16 ? 16 / sizeof(V) : N, COUNT = N / POINTS };
};

template <int N, class V> INLINE pack<V, N> load_pieces(const V *from)
{
    enum { EACH = piece_of<V, N>::POINTS };
    pack<V, N> p;

#pragma unroll
    for (int n = 0; n < N; n += EACH) {
        const pack<V, EACH> piece = load_pack<EACH>(from + n);
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

/* The warp's row, in which `to` and `from` are the lane's own packs. */
template <class V, int N> INLINE void ask_line(pack<V, N> *to, const V *from)
{
    enum { EACH = piece_of<V, N>::POINTS, COUNT = piece_of<V, N>::COUNT };
    const int own = threadIdx.x * N;

#pragma unroll
    for (int n = 0; n < COUNT; n++) {
        const int at = (n * 32 + threadIdx.x) * EACH - own;
        kernel_copy_async<EACH * sizeof(V)>(&to->v[0] + at, from + at);
    }
}

template <class V> INLINE V from_beside(V v)
{
    return __shfl_xor_sync(0xffffffffU, v, 1);
}

INLINE uint16_t from_beside(uint16_t v)
{
    return (uint16_t)from_beside((unsigned)v);
}

INLINE uint8_t from_beside(uint8_t v)
{
    return (uint8_t)from_beside((unsigned)v);
}

/* Of two neighbours, the first pieces at once and the second ones. Both are there; `even` and `odd`: the pack is stored. */
template <class V, int N>
INLINE void store_beside(V *to, const pack<V, N> &p, bool even, bool odd)
{
    enum { EACH = piece_of<V, N>::POINTS };
    const bool is_odd = threadIdx.x % 2 == 1;
    V *const at = to - (is_odd ? EACH : 0);
    pack<V, EACH> left, right;

#pragma unroll
    for (int n = 0; n < EACH; n++) {
        const V other = from_beside(is_odd ? p.v[n] : p.v[EACH + n]);
        left.v[n] = is_odd ? other : p.v[n];
        right.v[n] = is_odd ? p.v[EACH + n] : other;
    }
    if (even)
        store_whole(at, left);
    if (odd)
        store_whole(at + 2 * EACH, right);
}
