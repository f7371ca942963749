/* SPDX-License-Identifier: BSD-3-Clause */
/* ---- fields and numbers of a run --------------------------------------------------- */

typedef PROGRAM_run program;

/* The memory of a field: its levels lie `apart` bytes from each other, point (0, 0, 0) of
 * the first of them `first` bytes from its begin. `shape` has no data. */
typedef struct field_memory {
    view shape;
    int64_t first, apart, bytes;
    int levels, changes; /* steps compute it anew */
#if ON_GPU
    int reach[2]; /* planes that are read before and behind those that are computed */
#endif
} field_memory;
static const field_memory field[FIELDS];

#if ON_GPU
/* Planes of the grid across its slowest axis, from `lo` to before `hi`, that one GPU or
 * the processors compute. What lies before the grid is the first part's, what lies behind
 * it the last one's. */
typedef struct part {
    int gpu; /* -1: the processors, whose part lies in `memory` */
    int64_t lo, hi;
    char *
        there[FIELDS]; /* its levels, with those planes of its neighbours that it reads */
    double *table_memory[MOST_TABLES];
    const double *table[MOST_TABLES];
    double *fold; /* what its kernels leave of reductions */
    int64_t fold_room;
} part;
#endif

struct PROGRAM_run {
    crew *team;
    int64_t step;                      /* of level 0 of all fields */
    double uniform[UNIFORMS];          /* numbers that are the same at all points */
    double *table_memory[MOST_TABLES]; /* values along one axis */
    const double *table[MOST_TABLES];  /* the same from index 0 */
    char *memory[FIELDS];              /* of all levels */
    int newest[FIELDS];                /* which of them is level +1 */
    unsigned long long
        kept[FIELDS]; /* levels in memory whose borders need no more filling */
    double *reduced;  /* what kernels leave of reductions */
    int64_t room;     /* values that fit there */
    int failed;       /* memory ran out */
    int begun;        /* the start is over */
    tuner *loops;     /* of the loop schedules of each stage */
    bool tries;       /* the present call is a trial */
    bool in_tile;     /* a thread's copy of the run, for the steps of a time tile */
#if ON_TILES
    struct walk *walk; /* of threads through tiles */
    tuner tilings;     /* of time tiles; the last candidate: single steps */
#endif
#if ON_GPU
    int running; /* the start is over: the parts work */
    part part[PROGRAM_PARTS];
    unsigned long long here[FIELDS];   /* levels of which all of memory is valid */
    int64_t table_values[MOST_TABLES]; /* in table_memory */
#endif
};

/* Level +1 is the one that a step computes, 0 the present one, -1 the one before; they
 * rotate. */
INLINE int place_of(const program *p, int f, int level)
{
    const int age = field[f].levels == 1 ? 0 : 1 - level;

    return (p->newest[f] + age) % field[f].levels;
}

INLINE view view_of(const program *p, int f, int level)
{
    view v = field[f].shape;

    v.data = p->memory[f] + field[f].first + place_of(p, f, level) * field[f].apart;
    return v;
}

INLINE grid grid_of(const program *p, int f, int level)
{
    const view v = view_of(p, f, level);

    return (grid){v.data, v.stride[1], v.stride[2]};
}

static void rotate(program *p)
{
    for (int f = 0; f < FIELDS; f++)
        if (field[f].changes)
            p->newest[f] = (p->newest[f] + field[f].levels - 1) % field[f].levels;
}

static double step_time(const program *p);

static void set_time(program *p, int64_t step)
{
    p->uniform[STEP] = (double)step;
    p->uniform[TIME] = (double)step * step_time(p);
}
