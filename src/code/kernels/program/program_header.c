/* SPDX-License-Identifier: BSD-3-Clause */
/* Heads of generated programs: includes and macros, types, the functions of each file.
 * The build makes a text of each part (cmake/embed.cmake). */

/* ==== program_header ==== */
/* Element types of fields. C has no type for the 16 bits of bf16 and f16. */
enum { PROGRAM_F32, PROGRAM_F64, PROGRAM_BF16, PROGRAM_F16, PROGRAM_U8 };

typedef struct PROGRAM_run PROGRAM_run;

/* One level of a field in memory: point (i, j, k) is element i + j*stride[1] +
 * k*stride[2] of `data`. Absent axes have extent 1. `halo` is the number of ghost points
 * before and behind each axis. */
typedef struct PROGRAM_view {
    void *data;
    int type;
    int64_t extent[3], stride[3];
    int halo[3][2];
} PROGRAM_view;

/* The directory of the files read at the start. */
extern const char *PROGRAM_directory;

#if ON_GPU
/* The grid is cut across its slowest axis into parts. Each part has the number of its
 * GPU, or -1 for the processors, and its share of the grid. Change these before
 * PROGRAM_create. */
extern int PROGRAM_gpu[PROGRAM_PARTS];
extern double PROGRAM_share[PROGRAM_PARTS];

#endif
/* A run with the initial values of all fields. threads 0: one for each processor. NULL:
 * memory ran out, a thread could not be started, or a file is missing or cut short. */
PROGRAM_run *PROGRAM_create(int threads);
void PROGRAM_free(PROGRAM_run *p);
#if ON_TILES
/* Many steps in one call are faster than single calls: time tiles fuse them. */
#endif
void PROGRAM_step(PROGRAM_run *p, int64_t steps);
int64_t PROGRAM_steps(const PROGRAM_run *p); /* taken so far */
double PROGRAM_time(const PROGRAM_run *p);   /* t of the present step */
/* t of any step. If dt is a scalar, only the next one's is known. */
double PROGRAM_time_of(const PROGRAM_run *p, int64_t step);
/* The values of a field: age 0 is the present step, age 1, 2, ... are earlier steps, if
 * the field keeps them. After you write values, call PROGRAM_written: it fills borders,
 * and the next step computes stored factors again. A step moves the values, so ask again
 * after it. */
PROGRAM_view PROGRAM_field(PROGRAM_run *p, int field, int age);
void PROGRAM_written(PROGRAM_run *p, int field, int age);
/* The present value of a measure. For `until` and `expect`: 1 if the condition holds,
 * else 0. */
double PROGRAM_number(PROGRAM_run *p, int which);
/* The values of a sample: of its first expression at all positions, then of the next. */
void PROGRAM_sample(PROGRAM_run *p, int which, double *value);
#if ON_GPU
/* The planes of a part: *lo to *hi - 1. */
void PROGRAM_part(const PROGRAM_run *p, int n, int64_t *lo, int64_t *hi);
#endif

/* ==== program_gpu_header ==== */
/* A call of a stage's kernel for the points of a box. */
typedef struct PROGRAM_call {
    int64_t lo[3], hi[3];
    const void *grid;           /* for each level: address on the GPU, strides y and z */
    const double *const *table; /* on the GPU: values along an axis, from index 0 */
    const double *uniform;      /* on the host */
    double *fold;               /* on the GPU: values of pieces of rows, for reductions */
    int64_t folds[3];           /* values of a row, of a plane, of a reduction */
} PROGRAM_call;

/* Ghosts on one side of an axis, copied from points of the level on the GPU. `map`: enum
 * ghost_map of PROGRAM.c. */
typedef struct PROGRAM_ghosts {
    PROGRAM_view view;
    int64_t lo[3], hi[3]; /* across the axis */
    int axis, side, map;
} PROGRAM_ghosts;

/* If a GPU fails, these functions print a message and end the process. PROGRAM_gpu_use
 * selects the GPU of the functions without a number. Numbers below 0 are no GPUs. */
void PROGRAM_gpu_open(int count, const int *gpu);
void PROGRAM_gpu_use(int gpu);
void *PROGRAM_gpu_take(int64_t bytes);
void PROGRAM_gpu_give(void *there);
void PROGRAM_gpu_upload(void *there, const void *here, int64_t bytes);
void PROGRAM_gpu_download(void *here, const void *there, int64_t bytes);
void PROGRAM_gpu_copy(int to_gpu, void *to, int from_gpu, const void *from,
                      int64_t bytes);
void PROGRAM_gpu_wait(void); /* until all its work is done */
void PROGRAM_gpu_ghosts(const PROGRAM_ghosts *g);
void PROGRAM_gpu_points(const PROGRAM_view *to, const PROGRAM_view *from);

/* ==== program_types ==== */
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
    int anew;                          /* the caller has written fields */
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
#if ON_SOLVERS
    void *solver[SOLVERS]; /* runs that solve the equations of a step */
#endif
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

/* ==== program_interface ==== */
/* ---- the interface ----------------------------------------------------------------- */

const char *PROGRAM_directory = ".";

static int processors(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);

    return count < 1 ? 1 : count > 1024 ? 1024 : (int)count;
}

static void close_team(crew *team)
{
    if (team)
        crew_close(team);
    mem_free(team);
}

/* NULL: memory ran out, or the system gives no more threads. */
static crew *open_team(int threads)
{
    crew *const team = mem_new(1, sizeof *team);

    if (team && crew_open(team, threads)) {
        team->spins = threads <= processors();
        if (crew_start(team, NULL) == 0)
            return team;
    }
    close_team(team);
    return NULL;
}

/* The memory of fields has large pages where the system has some. Every thread clears its
 * share of each level, so its pages lie in the memory near the thread. */
enum { LARGE_PAGE = 1 << 21, PAGE = 4096 };
typedef struct clearing {
    const program *p;
    int field;
} clearing;

static void clear_part(void *argument, int64_t n)
{
    const clearing *const c = argument;
    const field_memory *const f = &field[c->field];
    const int64_t parts = c->p->team->threads;

    for (int64_t at = 0; at < f->bytes; at += f->apart) {
        const int64_t all = f->bytes - at < f->apart ? f->bytes - at : f->apart;
        const int64_t lo = all * n / parts, hi = all * (n + 1) / parts;
        memset(c->p->memory[c->field] + at + lo, 0, (size_t)(hi - lo));
    }
}

static char *take_pages(int64_t bytes)
{
    const int64_t page = bytes < LARGE_PAGE ? PAGE : LARGE_PAGE;
    const size_t all = (size_t)((bytes + page - 1) & -page);
    char *const memory = aligned_alloc((size_t)page, all);

#ifdef MADV_HUGEPAGE
    if (memory && page == LARGE_PAGE)
        (void)madvise(memory, all, MADV_HUGEPAGE); /* optional */
#endif
    return memory;
}

static int take_memory(program *p)
{
    for (int f = 0; f < FIELDS; f++) {
        p->memory[f] = take_pages(field[f].bytes);
        if (!p->memory[f])
            return 0;
        (void)crew_run(p->team, p->team->threads, clear_part, &(clearing){p, f});
    }
    return 1;
}

PROGRAM_run *PROGRAM_create(int threads)
{
    program *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
#if ON_GPU
    cut_parts(p);
#endif
    p->team = open_team(threads > 0 ? threads : processors());
    p->loops = mem_new(STAGES, sizeof *p->loops);
    p->failed |= !p->team || !p->loops;
    for (int n = 0; p->loops && n < STAGES; n++)
        tuner_open(&p->loops[n], WAYS, ROUNDS);
#if ON_TILES
    p->failed |= !p->failed && !open_tiles(p);
#endif
    if (p->failed || !take_memory(p)) {
        PROGRAM_free(p);
        return NULL;
    }
#if ON_TILES
    tuner_open(&p->tilings, TILINGS + 1, ROUNDS);
    p->tilings.most_losses = 1;
#endif
    set_initial_numbers(p);
#if ON_TABLES
    fill_tables(p);
#endif
    start(p);
    set_time(p, 0);
    p->begun = p->anew = 1;
#if ON_GPU
    if (!p->failed)
        upload_all(p);
#endif
    if (!p->failed)
        return p;
    PROGRAM_free(p);
    return NULL;
}

void PROGRAM_free(PROGRAM_run *p)
{
    if (!p)
        return;
    close_team(p->team);
#if ON_SOLVERS
    close_solvers(p);
#endif
#if ON_GPU
    give_memory(p);
#endif
    for (int n = 0; n < TABLES; n++)
        free(p->table_memory[n]);
    for (int f = 0; f < FIELDS; f++)
        free(p->memory[f]);
    free(p->reduced);
    mem_free(p->loops);
#if ON_TILES
    walk_close(&p->walk);
#endif
    free(p);
}

void PROGRAM_step(PROGRAM_run *p, int64_t steps)
{
#if ON_TILES
    for (int64_t n = 0; n < steps;)
        n += take_steps(p, steps - n);
#endif
#if ON_SINGLE
    for (int64_t n = 0; n < steps; n++)
        take_step(p);
#endif
#if ON_GPU
    for (int n = 0; n < PROGRAM_PARTS; n++)
        if (p->part[n].gpu >= 0) {
            PROGRAM_gpu_use(p->part[n].gpu);
            PROGRAM_gpu_wait();
        }
#endif
}

int64_t PROGRAM_steps(const PROGRAM_run *p)
{
    return p->step;
}

double PROGRAM_time(const PROGRAM_run *p)
{
    return p->uniform[TIME];
}

double PROGRAM_time_of(const PROGRAM_run *p, int64_t step)
{
    return time_of(p, step);
}

PROGRAM_view PROGRAM_field(PROGRAM_run *p, int f, int age)
{
    show(p, f);
#if ON_GPU
    download(p, f, -age);
#endif
    return view_of(p, f, -age);
}

void PROGRAM_written(PROGRAM_run *p, int f, int age)
{
#if ON_GPU
    upload(p, f, -age);
#endif
    fill_border(p, f, -age, p->step - age);
    p->anew = 1;
#if ON_GPU
    exchange_planes(p, f, -age);
#endif
    set_time(p, p->step);
}
#if ON_GPU

void PROGRAM_part(const PROGRAM_run *p, int n, int64_t *lo, int64_t *hi)
{
    *lo = n > 0 && n < PROGRAM_PARTS ? p->part[n].lo : 0;
    *hi = n >= 0 && n + 1 < PROGRAM_PARTS ? p->part[n].hi : PLANES;
}
#endif
