/* SPDX-License-Identifier: BSD-3-Clause */
/* Shells: the points between an outer and an inner box, distributed evenly among the
 * threads of a block. */
struct tile_point {
    int i, j, k;
};

/* A shell consists of whole rows in the planes before and after the inner box, whole rows
 * beside it in its own planes, and the two ends of the inner box's rows. */
struct shell {
    int lo[3], hi[3];     /* the outer box */
    int from[3], to[3];   /* the inner one */
    int planes, of_plane; /* outer planes; outer rows of an inner plane */
    int rows, ends;
};

/* Upper bounds known at compile time. WIDTH x HEIGHT x DEEP: the outer box. LESS: the
 * difference in width between the two boxes. */
template <int SHELL_WIDTH, int SHELL_HEIGHT, int SHELL_DEEP, int LESS_X, int LESS_Y,
          int LESS_Z>
struct shell_size {
    enum {
        WIDTH = SHELL_WIDTH,
        HEIGHT = SHELL_HEIGHT,
        PLANES = LESS_Z < SHELL_DEEP ? LESS_Z : SHELL_DEEP,
        OF_PLANE = LESS_Y < HEIGHT ? LESS_Y : HEIGHT,
        ENDS = LESS_X < WIDTH ? LESS_X : WIDTH,
        MOST = (PLANES * HEIGHT + SHELL_DEEP * OF_PLANE) * WIDTH +
               SHELL_DEEP * HEIGHT * ENDS
    };
};

template <class SIZE> INLINE void count_rows(shell &s)
{
    s.planes = s.from[2] - s.lo[2] + s.hi[2] - s.to[2];
    s.of_plane = s.from[1] - s.lo[1] + s.hi[1] - s.to[1];
    s.rows = s.planes * SIZE::HEIGHT + (s.to[2] - s.from[2]) * s.of_plane;
    s.ends = s.from[0] - s.lo[0] + s.hi[0] - s.to[0];
}

/* Position n outside the inner box along an axis: positions before it come first. */
INLINE int outer_part(const shell &s, int axis, int n)
{
    const int before = s.from[axis] - s.lo[axis];

    return n < before ? s.lo[axis] + n : s.to[axis] + n - before;
}

/* Point n of the whole rows; it may lie beyond the last row. */
template <class SIZE> INLINE tile_point in_rows(const shell &s, int n)
{
    const int row = n / SIZE::WIDTH, i = s.lo[0] + n % SIZE::WIDTH;
    const int rest = row - s.planes * SIZE::HEIGHT;

    if (rest < 0)
        return {i, s.lo[1] + row % SIZE::HEIGHT, outer_part(s, 2, row / SIZE::HEIGHT)};
    return {i, outer_part(s, 1, rest % s.of_plane), s.from[2] + rest / s.of_plane};
}

INLINE tile_point in_ends(const shell &s, int n)
{
    const int row = n / s.ends, rows = s.to[1] - s.from[1];

    return {outer_part(s, 0, n % s.ends), s.from[1] + row % rows, s.from[2] + row / rows};
}

INLINE int points_of(const shell &s)
{
    return (s.to[1] - s.from[1]) * (s.to[2] - s.from[2]) * s.ends;
}

/* True if any thread has a point in this turn. */
template <class T, class SIZE> INLINE bool has_turn(const shell &s, int turn)
{
    return turn * T::THREADS < s.rows * SIZE::WIDTH + points_of(s);
}

/* Finds the thread's point in a turn; false if it has none. */
template <class T, class SIZE>
INLINE bool in_shell(const shell &s, int turn, tile_point &p)
{
    const int whole = s.rows * SIZE::WIDTH, n = turn * T::THREADS + threadIdx.x;
    const int all = whole + points_of(s);

    if (n >= all)
        return false;
    p = n < whole ? in_rows<SIZE>(s, n) : in_ends(s, n - whole);
    return n >= whole || (p.i < s.hi[0] && p.j < s.hi[1]);
}
