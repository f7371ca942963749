/* SPDX-License-Identifier: BSD-3-Clause */
/* A walk computes several steps tile by tile: it turns operations, steps and tiles into
 * calls (operation, step, box, faces). A single step is a walk of depth one. A time tile
 * of a processor is a walk over tiles that fit in caches. A visit out of core is a tile
 * one level up.
 *
 * Library and generated programs share this text. Both define box, mem_new and
 * CPU_LINE. */
#include <stdatomic.h>

#include "domain/domain.h"
#include "machine/machine.h"

/* ---- points and faces of a tile along an axis -------------------------------------- */

typedef struct time_axis {
    int64_t extent, width, tiles;
    int64_t first; /* the first tile is wider by this number of points, so all boundaries
                    * move */
    bool periodic;
    /* boundaries turn back: they move back and forth over `swing` points and stand at
     * multiples of `unit` */
    bool turns;
    int64_t swing, unit;
    /* > 0: tiles overlap. The first operation has this many more points on each side, and
     * each shift takes as many points away. */
    int64_t overlap;
} time_axis;

/* Indices lo .. hi - 1. A spans list holds a few spans, ascending and not adjacent. */
typedef struct span {
    int64_t lo, hi;
} span;
typedef struct spans {
    int count;
    span at[4];
} spans;

/* The ends of an axis of a field. */
typedef struct time_ends {
    int halo[2];
    bool given[2];  /* the border prescribes the outermost point */
    bool filled[2]; /* the walk fills the face */
} time_ends;

/* most: largest shift along the axis. A periodic axis gets tiles wide enough for it. */
time_axis time_axis_of(int64_t extent, int64_t width, bool periodic, int64_t most);
/* Points of tile k for an operation with this shift. */
spans time_points(const time_axis *a, int64_t k, int64_t shift);
/* Leaves out points prescribed by a border. outer: with the ghosts and prescribed points
 * of faces that belong to the tile. */
spans time_stored(const time_axis *a, int64_t k, int64_t shift, time_ends e, bool outer);
/* True if the ghosts of a face belong to the tile. */
bool time_has_face(const time_axis *a, int64_t k, int64_t shift, time_ends e, int side);
/* ---- one tile ---------------------------------------------------------------------- */

typedef struct walk_tile {
    const time_axis *axis; /* of each axis */
    int64_t at[3];         /* number along each axis */
    int64_t back[3];       /* subtracted from the shifts of operations */
} walk_tile;

/* Calls `part` for each box of an operation in a tile. */
typedef void walk_part(void *user, const box *b);
void walk_points(const walk_tile *t, const int64_t *shift, walk_part *part, void *user);
/* Calls `face` for each box of a face of a field in a tile, in the order of a whole
 * level: x first, side - before side +. Along its axis the box is one point wide. */
typedef void walk_face(void *user, int axis, int side, const box *b);
void walk_faces(const walk_tile *t, const int64_t *shift, const time_ends *ends,
                walk_face *face, void *user);

/* ---- all tiles --------------------------------------------------------------------- */

/* Threads that share tiles, and their present column. The padding keeps groups in
 * separate cache lines, because threads poll them all the time. */
typedef struct walk_group {
    atomic_int arrived; /* threads that have reached the barrier */
    atomic_uint turn;
    int threads;
    int64_t row, column, tried; /* tried: columns of the row already visited */
    char apart[CPU_LINE];
} walk_group;

/* A thread's place in its group. */
typedef struct walk_seat {
    walk_group *group;
    int number;
} walk_seat;

/* Progress of a column, in a cache line of its own, because other threads poll it all the
 * time. */
typedef struct walk_progress {
    atomic_llong tiles;
    char apart[CPU_LINE - sizeof(atomic_llong)];
} walk_progress;

typedef struct walk_place {
    int64_t row, column, tile;
    walk_seat seat;
    void *own; /* the thread's own data */
} walk_place;

/* Threads take columns of tiles, row by row. Tiles of a column follow each other. */
typedef struct walk {
    void (*tile)(void *user, const walk_place *at); /* takes one tile */
    void *user;
    int64_t rows, columns, tiles; /* tiles: of a column */
    /* true: a tile needs both neighbours in the row before; false: it needs the column
     * before */
    bool turns;
    bool around;    /* the first column is a neighbour of the last */
    int64_t behind; /* distance, in tiles, to the columns it depends on */
    int groups;
    walk_progress *done; /* [row][column] */
    _Atomic char *taken; /* of each column: 1 if a group took it */
    walk_group *group;
    walk_seat *seat; /* of each thread */
} walk;

/* Allocates memory for the rows and columns; false if memory ran out. Call walk_close in
 * either case. */
bool walk_open(walk *w, int threads);
void walk_close(walk *w);
/* Begins a walk by groups of `share` threads with consecutive numbers; the last group may
 * be smaller. */
void walk_begin(walk *w, int threads, int share);
/* A thread's part of the walk. All threads call it. */
void walk_take(const walk *w, int64_t thread, void *own);
/* walk_is_in_row: true if the row has a tile in this column. Rows of turning boundaries
 * have a tile in every other column. time_first_column: the first column of the n-th
 * group. Each group takes the columns whose memory its threads touched first. */
bool walk_is_in_row(const walk *w, int64_t row, int64_t column);
int64_t time_first_column(int64_t columns, int64_t groups, int64_t n);
/* A barrier of all threads of the group. */
void walk_synchronise(walk_group *g);
