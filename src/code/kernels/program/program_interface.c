/* SPDX-License-Identifier: BSD-3-Clause */
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
    p->begun = 1;
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

PROGRAM_view PROGRAM_field(PROGRAM_run *p, int f, int age)
{
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
