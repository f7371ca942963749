/* SPDX-License-Identifier: BSD-3-Clause */
/* ---- the run ----------------------------------------------------------------------- */

typedef struct options {
    int64_t steps;
    int threads;
} options;

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Steps from one observation to the next; 0: the only one is at the end. */
static int64_t period_of(const observer *o)
{
    const int each = o->kind == SAMPLE || o->kind == UNTIL;

    return o->every > 0 ? o->every : each;
}

static double multiples(double t, double time)
{
    return floor(t / time + TOLERANCE);
}

/* True if the step reaches a multiple of the time. Steps of varying length end there. */
static int reaches(const PROGRAM_run *p, double time, int64_t step)
{
    const double t = PROGRAM_time_of(p, step);
    const double before = VARIES ? t - 2 * TOLERANCE * time
                                 : PROGRAM_time_of(p, step - 1);

    return step == 0 || multiples(t, time) > multiples(before, time);
}

static int is_due(const PROGRAM_run *p, const observer *o, int last)
{
    const int64_t step = PROGRAM_steps(p), period = period_of(o);

    if (o->time > 0)
        return !last && reaches(p, o->time, step);
    return period > 0 ? !last && step % period == 0 : last;
}

static void record_measure(PROGRAM_run *p, const observer *o, int due, int last)
{
    const int64_t step = PROGRAM_steps(p);
    const double value = PROGRAM_number(p, o->which);

    if (due)
        add_row(o->table, step, PROGRAM_time(p))[0] = value;
    if (last)
        printf("%s = %.9g\n", o->name, value);
    else
        printf("step %lld: %s = %.9g\n", (long long)step, o->name, value);
}

static void record_all(PROGRAM_run *p, int last)
{
    const int64_t step = PROGRAM_steps(p);

    for (const observer *o = observers; o->kind; o++) {
        const int due = is_due(p, o, last);
        if (o->kind == OUTPUT && due)
            write_output(p, o);
        if (o->kind == MEASURE && (due || last))
            record_measure(p, o, due, last);
        if (o->kind == SAMPLE && due)
            PROGRAM_sample(p, o->which, add_row(o->table, step, PROGRAM_time(p)));
    }
}

static int until_holds(PROGRAM_run *p)
{
    const int64_t step = PROGRAM_steps(p);

    for (const observer *o = observers; o->kind; o++)
        if (o->kind == UNTIL && is_due(p, o, 0) && PROGRAM_number(p, o->which) != 0) {
            printf("step %lld: %s holds\n", (long long)step, o->name);
            return 1;
        }
    return 0;
}

static int expectations_broken(PROGRAM_run *p)
{
    int broken = 0;

    for (const observer *o = observers; o->kind; o++)
        if (o->kind == EXPECT && PROGRAM_number(p, o->which) == 0) {
            printf("expected %s, which does not hold\n", o->name);
            broken++;
        }
    return broken;
}

/* Steps until the next observation, or fewer. */
static int64_t steps_unseen(const PROGRAM_run *p, int64_t steps)
{
    enum { FAR = 1000 };
    const int64_t step = PROGRAM_steps(p);
    int64_t left = VARIES ? 1 : steps - step;

    for (const observer *o = observers; o->kind; o++) {
        const int64_t period = period_of(o);
        int64_t next = period > 0 ? period - step % period : left;
        while (o->time > 0 && !VARIES && next < left && next < FAR &&
               !reaches(p, o->time, step + next))
            next++;
        left = next < left ? next : left;
    }
    return left;
}

/* False: the time had to grow, and it did not; or the residual missed its tolerance. */
static int run_steps(PROGRAM_run *p, int64_t steps)
{
    int timed = VARIES || (ENDLESS && steps == STEPS), over = 0;
    double seconds = 0;

    for (const observer *o = observers; o->kind; o++)
        timed |= o->time > 0;
    record_all(p, 0);
    while (!over && PROGRAM_steps(p) < steps) {
        const double begun = seconds_now(), t = PROGRAM_time(p);
        PROGRAM_step(p, steps_unseen(p, steps));
        seconds += seconds_now() - begun;
        if (timed && !(PROGRAM_time(p) - t > 0 && PROGRAM_time(p) < 1e308)) {
            fprintf(stderr,
                    "PROGRAM: step %lld leads from t = %g to %g, but dt must be positive "
                    "and finite, and change t: bound it, as in max(1e-6, ...)\n",
                    (long long)PROGRAM_steps(p), t, PROGRAM_time(p));
            return 0;
        }
        record_all(p, 0);
        over = until_holds(p);
    }
    record_all(p, 1);
    printf("%lld steps of %lld points in %.3f s: %.4g Mpts/s\n",
           (long long)PROGRAM_steps(p), (long long)POINTS, seconds,
           seconds > 0 ? 1e-6 * (double)PROGRAM_steps(p) * (double)POINTS / seconds : 0);
    if (UNSOLVABLE(p)) {
        fprintf(stderr, "PROGRAM: no face gives a value, and the right side does "
                        "not sum to 0, so no solution exists: subtract its mean, or "
                        "give a value at a face\n");
        return 0;
    }
    if (SOLVES && !over)
        fprintf(stderr,
                "PROGRAM: after %lld steps the residual is above the tolerance: take "
                "more (--steps), or ask `pavior run`, which names the cause\n",
                (long long)PROGRAM_steps(p));
    return over || !SOLVES;
}

static void use(FILE *to)
{
    char steps[32] = "as many as `until` needs";

    if (STEPS < INT64_MAX)
        snprintf(steps, sizeof steps, "%lld", (long long)STEPS);
    fprintf(
        to,
        "PROGRAM [--steps N] [--threads N] [--in DIR] [--out DIR]\n"
        "  --steps N    steps to take (%s)\n"
#if ON_GPU
        "  --threads N  threads for the start and for the processors' part of the grid\n"
        "               (one for each processor)\n"
        "  --gpus LIST  numbers of the GPUs, such as 0,2: one for each GPU of the "
        "program\n"
        "  --shares LIST  shares of the grid, such as 1,3: one for each device\n"
#endif
#if ON_CPU
        "  --threads N  threads that compute (one for each processor)\n"
#endif
        "  --in DIR     directory of the input files (.)\n"
        "  --out DIR    directory for the output files; it must exist (.)\n",
        steps);
}

static int64_t read_count(const char *option, const char *word)
{
    char *end = NULL;
    const long long value = word ? strtoll(word, &end, 10) : -1;

    if (word && end != word && *end == 0 && value >= 0)
        return value;
    fprintf(stderr, "PROGRAM: %s wants a number that is not negative\n", option);
    exit(2);
}

#if ON_GPU
/* Reads a list such as "1,3" of `count` numbers. */
static void read_list(const char *option, const char *word, double *value, int count)
{
    for (int n = 0; n < count; n++) {
        char *end = NULL;
        value[n] = word ? strtod(word, &end) : -1;
        if (word && end != word && value[n] >= 0 && value[n] < 1e9 &&
            *end == (n + 1 < count ? ',' : 0)) {
            word = end + 1;
            continue;
        }
        fprintf(stderr,
                "PROGRAM: %s wants %d numbers with commas between them, one for each "
                "device\n",
                option, count);
        exit(2);
    }
}

static void read_gpus(const char *word)
{
    double number[PROGRAM_PARTS] = {0};
    int gpus = 0;

    for (int n = 0; n < PROGRAM_PARTS; n++)
        gpus += PROGRAM_gpu[n] >= 0;
    read_list("--gpus", word, number, gpus);
    for (int n = PROGRAM_PARTS - 1; n >= 0; n--)
        if (PROGRAM_gpu[n] >= 0)
            PROGRAM_gpu[n] = (int)number[--gpus];
}

static void read_shares(const char *word)
{
    read_list("--shares", word, PROGRAM_share, PROGRAM_PARTS);
    for (int n = 0; n < PROGRAM_PARTS; n++)
        if (PROGRAM_share[n] <= 0) {
            fprintf(stderr, "PROGRAM: --shares wants numbers above 0\n");
            exit(2);
        }
}

static void print_parts(const PROGRAM_run *p)
{
    int64_t lo, hi;

    for (int n = 0; n < PROGRAM_PARTS && PROGRAM_PARTS > 1; n++) {
        PROGRAM_part(p, n, &lo, &hi);
        if (PROGRAM_gpu[n] >= 0)
            printf("GPU %d: ", PROGRAM_gpu[n]);
        else
            printf("processors: ");
        printf("planes %lld to %lld\n", (long long)lo, (long long)hi - 1);
    }
}

#endif
static options read_options(char **word)
{
    options o = {.steps = STEPS};

    for (; *word; word += 2) {
        if (strcmp(*word, "--steps") == 0) {
            o.steps = read_count(*word, word[1]);
        } else if (strcmp(*word, "--threads") == 0) {
            const int64_t threads = read_count(*word, word[1]);
            o.threads = threads < 1024 ? (int)threads : 1024;
#if ON_GPU
        } else if (strcmp(*word, "--gpus") == 0) {
            read_gpus(word[1]);
        } else if (strcmp(*word, "--shares") == 0) {
            read_shares(word[1]);
#endif
        } else if (strcmp(*word, "--in") == 0 && word[1]) {
            PROGRAM_directory = word[1];
        } else if (strcmp(*word, "--out") == 0 && word[1]) {
            out_directory = word[1];
        } else {
            const int asked = strcmp(*word, "--help") == 0;
            use(asked ? stdout : stderr);
            exit(asked ? 0 : 2);
        }
    }
    return o;
}

int main(int count, char **word)
{
    const options o = read_options(count > 0 ? word + 1 : word);
    PROGRAM_run *const p = PROGRAM_create(o.threads);

    if (!p) {
        fprintf(stderr,
                "PROGRAM: memory ran out, threads could not be started, or an input file "
                "is missing or too short (--in DIR)\n");
        return EXIT_FAILURE;
    }
#if ON_GPU
    print_parts(p);
#endif
    if (o.steps == 0 && EQUATIONS > 0)
        fprintf(stderr, "PROGRAM: no step is taken; --steps N gives their number\n");
    const int ended = run_steps(p, o.steps);
    for (int n = 0; n < RECORDS; n++)
        write_table(&record[n]);
    const int broken = ended && expectations_broken(p);
    PROGRAM_free(p);
    return broken || !ended ? EXIT_FAILURE : EXIT_SUCCESS;
}
