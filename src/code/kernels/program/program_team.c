/* SPDX-License-Identifier: BSD-3-Clause */
/* ---- a team of threads ------------------------------------------------------------- */

/* Work is cut into parts; each thread does those whose numbers are its own, the caller
 * part 0. */
typedef void team_work(void *argument, int64_t part);
typedef struct member {
    team *team;
    int number;
    pthread_t thread;
} member;
struct team {
    int threads, started;
    member *member;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    atomic_llong turns; /* pieces of work begun; one more at the end */
    atomic_llong done;  /* parts of all of them that threads have done */
    int over;
    team_work *work;
    void *argument;
};

enum { SPINS = 20000 }; /* before a thread sleeps */

static void await(team *t, const atomic_llong *count, long long least)
{
    for (int n = 0; n < SPINS; n++)
        if (atomic_load(count) >= least)
            return;
    pthread_mutex_lock(&t->lock);
    while (atomic_load(count) < least)
        pthread_cond_wait(&t->changed, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

/* Others wait for multiples of `all`. */
static void count_one(team *t, atomic_llong *count, int all)
{
    pthread_mutex_lock(&t->lock);
    if ((atomic_fetch_add(count, 1) + 1) % all == 0)
        pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

static void *be_member(void *argument)
{
    member *const m = argument;
    team *const t = m->team;

    for (long long turn = 1;; turn++) {
        await(t, &t->turns, turn);
        if (t->over)
            return NULL;
        t->work(t->argument, m->number);
        count_one(t, &t->done, t->threads - 1);
    }
}

/* work(argument, n) for n from 0 to the number of threads less one. */
static void team_run(team *t, team_work *work, void *argument)
{
    t->work = work;
    t->argument = argument;
    if (t->threads > 1)
        count_one(t, &t->turns, 1);
    work(argument, 0);
    await(t, &t->done, (t->threads - 1) * atomic_load(&t->turns));
}

static void team_free(team *t)
{
    if (!t)
        return;
    t->over = 1;
    count_one(t, &t->turns, 1);
    for (int n = 0; n < t->started; n++)
        pthread_join(t->member[n].thread, NULL);
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->lock);
    free(t->member);
    free(t);
}

/* NULL: memory ran out, or the system gives no more threads. */
static team *team_new(int threads)
{
    team *t = calloc(1, sizeof *t);

    if (!t)
        return NULL;
    t->threads = threads;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, NULL);
    t->member = calloc((size_t)threads, sizeof *t->member);
    for (int n = 1; t->member && n < threads; n++) {
        member *m = &t->member[t->started];
        *m = (member){.team = t, .number = n};
        if (pthread_create(&m->thread, NULL, be_member, m) != 0)
            break;
        t->started++;
    }
    if (t->member && t->started == threads - 1)
        return t;
    team_free(t);
    return NULL;
}
