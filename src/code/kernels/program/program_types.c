/* SPDX-License-Identifier: BSD-3-Clause */
/* ---- fields and numbers of a run --------------------------------------------------- */

typedef PROGRAM_run program;

/* The memory of a field holds all its levels, one every `apart` bytes. Point (0, 0, 0) of
 * the first level lies `first` bytes after the begin. `shape` has no data. */
typedef struct field_memory {
    view shape;
    int64_t first, apart, bytes;
    int levels, changes; /* changes: steps compute the field */
#if ON_GPU
    int reach[2]; /* planes read before and behind a computed plane */
#endif
} field_memory;
static const field_memory field[FIELDS];

#if ON_GPU
/* A part of the grid: planes lo to hi - 1 of its slowest axis, computed by one GPU or by
 * the processors. The ghosts before the grid belong to the first part, the ghosts behind
 * it to the last part. */
typedef struct part {
    int gpu; /* -1: the processors, with their part in `memory` of the run */
    int64_t lo, hi;
    /* the levels of each field, with the neighbours' planes read by the part */
    char *there[FIELDS];
    double *table_memory[MOST_TABLES];
    const double *table[MOST_TABLES];
    double *fold; /* values of pieces of rows, for reductions */
    int64_t fold_room;
} part;
#endif

struct PROGRAM_run {
    crew *team;
    int64_t step;                      /* of level 0 of all fields */
    double uniform[UNIFORMS];          /* numbers that are the same at all points */
    double *table_memory[MOST_TABLES]; /* values along one axis */
    const double *table[MOST_TABLES];  /* the value of index 0 */
    char *memory[FIELDS];              /* of all levels */
    int newest[FIELDS];                /* number of level +1 in the memory */
    /* bit n is set if the border of level n in the memory is filled and never changes */
    unsigned long long kept[FIELDS];
    double *reduced; /* values of pieces of rows, for reductions */
    int64_t room;    /* number of values with room in `reduced` */
    int failed;      /* memory ran out */
    int begun;       /* the start is over */
    tuner *loops;    /* of the loop schedules of each stage */
    bool tries;      /* the present call is a trial */
    bool in_tile;    /* a thread's copy of the run, for the steps of a time tile */
#if ON_TILES
    walk walk;     /* of threads through tiles */
    tuner tilings; /* of time tiles; the last candidate: single steps */
#endif
#if ON_GPU
    int running; /* the start is over: the parts work */
    part part[PROGRAM_PARTS];
    /* bit n is set if level n in the memory of the host is up to date in all parts */
    unsigned long long here[FIELDS];
    int64_t table_values[MOST_TABLES]; /* in table_memory */
#endif
};

/* The place of a level in the memory of a field. A step computes level +1 from the
 * present level 0, and from earlier levels -1, -2, ... After the step the levels
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

static double time_of(const program *p, int64_t step);

static void set_time(program *p, int64_t step)
{
    p->uniform[STEP] = (double)step;
    p->uniform[TIME] = time_of(p, step);
}
