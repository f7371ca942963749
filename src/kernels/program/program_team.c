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
    pthread_cond_t wake, done;
    atomic_llong turn; /* changes where there is work, and at the end */
    atomic_int left;   /* threads that are at work */
    int over;
    team_work *work;
    void *argument;
};

enum { SPINS = 20000 }; /* before a thread sleeps */

static void wait_for_turn(team *t, long long seen)
{
    for (int n = 0; n < SPINS; n++)
        if (atomic_load(&t->turn) != seen)
            return;
    pthread_mutex_lock(&t->lock);
    while (atomic_load(&t->turn) == seen)
        pthread_cond_wait(&t->wake, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

static void wait_for_all(team *t)
{
    for (int n = 0; n < SPINS; n++)
        if (atomic_load(&t->left) == 0)
            return;
    pthread_mutex_lock(&t->lock);
    while (atomic_load(&t->left) > 0)
        pthread_cond_wait(&t->done, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

static void *be_member(void *argument)
{
    member *const m = argument;
    team *const t = m->team;

    for (long long seen = 0;; seen++) {
        wait_for_turn(t, seen);
        if (t->over)
            return NULL;
        t->work(t->argument, m->number);
        pthread_mutex_lock(&t->lock);
        if (atomic_fetch_sub(&t->left, 1) == 1)
            pthread_cond_signal(&t->done);
        pthread_mutex_unlock(&t->lock);
    }
}

static void begin_turn(team *t)
{
    pthread_mutex_lock(&t->lock);
    atomic_fetch_add(&t->turn, 1);
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->lock);
}

/* work(argument, n) for n from 0 to the number of threads less one. */
static void team_run(team *t, team_work *work, void *argument)
{
    t->work = work;
    t->argument = argument;
    atomic_store(&t->left, t->threads - 1);
    if (t->threads > 1)
        begin_turn(t);
    work(argument, 0);
    wait_for_all(t);
}

static void team_free(team *t)
{
    if (!t)
        return;
    t->over = 1;
    begin_turn(t);
    for (int n = 0; n < t->started; n++)
        pthread_join(t->member[n].thread, NULL);
    pthread_cond_destroy(&t->done);
    pthread_cond_destroy(&t->wake);
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
    pthread_cond_init(&t->wake, NULL);
    pthread_cond_init(&t->done, NULL);
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
