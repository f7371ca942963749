/* SPDX-License-Identifier: BSD-3-Clause */
/* The traversal of random programs at random places. A child process runs the programs.
 * If a program crashes, its seed is reported, and the traversal continues behind it. The
 * child counts in shared memory, and sends failures through a pipe. The first part counts
 * covered pairs. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "places.h"

/* ---- pairs ------------------------------------------------------------------------- */

/* Coverage of random places: counts, for each pair of features, places and schedules, the
 * programs compared with both. Pairs excluded by a refusal are named. */

static const char *element_words(int n)
{
    static const char *const words[ELEMENTS] = {
#define X(name, words) words,
        FEATURE_LIST(X) PLACE_LIST(X) SCHEDULE_LIST(X)
#undef X
    };
    return words[n];
}

static int group_of(int n)
{
    return n < FIRST_PLACE ? 0 : n < FIRST_SCHEDULE ? 1 : 2;
}

/* A refusal: some of its words, and the pairs of elements excluded by it: each element of
 * `first` with each element of `second`. Only these pairs count as refused. The program
 * has other elements, too, and the refusal says nothing about them. */
typedef struct cause {
    const char *words;
    element first[8], second[8]; /* 0, which is ELEMENT_LINE, ends a list */
} cause;

#define CUTS ELEMENT_CUT_X, ELEMENT_CUT_Y, ELEMENT_CUT_Z
#define WIDE ELEMENT_WIDE_2, ELEMENT_WIDE_4
#define TRACES ELEMENT_TRACE, ELEMENT_TRACES, ELEMENT_TRACE_TIMES
#define FUSED ELEMENT_CPU_TIME, ELEMENT_DIAMOND, ELEMENT_GPU_TIME, ELEMENT_PERSISTENT
#define PERIODIC                                                                         \
    ELEMENT_PERIODIC_ONE, ELEMENT_PERIODIC_TWO, ELEMENT_PERIODIC_ALL,                    \
        ELEMENT_PERIODIC_LAST

static const cause causes[] = {
    {"subdomains exchange halos", {ELEMENT_PERSISTENT}, {CUTS, WIDE, ELEMENT_RANKS}},
    {"halos are exchanged after each step", {FUSED}, {CUTS, ELEMENT_LIST, ELEMENT_RANKS}},
    {"persistent blocks keep all", {ELEMENT_PERSISTENT}, {ELEMENT_VISITS, ELEMENT_DISK}},
    {"coarse grids", {ELEMENT_COARSE}, {WIDE, FUSED}},
    {"reads another grid", {ELEMENT_COARSE}, {ELEMENT_TWO_PASS}},
    {"reads across two grids", {ELEMENT_COARSE}, {FUSED}},
    {"there are injections", {PERIODIC, TRACES, ELEMENT_INJECT}, {WIDE}},
    {"knows where a point is",
     {PERIODIC, ELEMENT_COORDINATE, ELEMENT_BITS, ELEMENT_RANDOM},
     {WIDE}},
    {"folds all points into one value",
     {ELEMENT_REDUCTION, ELEMENT_EVOLVE},
     {FUSED, WIDE}},
    {"solves an equation", {ELEMENT_EQUATION, ELEMENT_TRANSFORM}, {FUSED, WIDE}},
    {"goes along a whole axis", {ELEMENT_ALONG, ELEMENT_AT_ONCE}, {FUSED, WIDE}},
    {"injected step by step", {TRACES}, {FUSED, ELEMENT_VISITS}},
    {"too thin", {ELEMENT_ONE_POINT, ELEMENT_SHORT}, {CUTS, WIDE, ELEMENT_LIST}},
    {"they would be thinner", {ELEMENT_ONE_POINT, ELEMENT_SHORT}, {CUTS, WIDE}},
    {"no neighbours in a plane", {ELEMENT_POINTWISE}, {ELEMENT_TWO_PASS}},
    {"point along", {ELEMENT_ONE_POINT}, {FUSED, ELEMENT_VISITS, ELEMENT_DISK}},
};

/* These explain a pair of a line and the second element. */
static const cause of_lines[] = {
    {"no planes to stream",
     .second = {ELEMENT_SWEEP, ELEMENT_SWEEP_PLAIN, ELEMENT_TWO_PASS}},
    {"has a grid of one dimension", .second = {ELEMENT_DISK}},
    {"only axis wraps around", .second = {FUSED}},
    {"a grid of one dimension has no", .second = {FUSED}},
};

static bool is_among(const element *list, int n)
{
    for (int k = 0; k < 8 && list[k] != ELEMENT_LINE; k++)
        if (list[k] == (element)n)
            return true;
    return false;
}

/* True if the sentence of a refusal says that a and b cannot be together. */
static bool explains(const char *why, int a, int b)
{
    for (size_t k = 0; k < COUNT_OF(causes); k++) {
        const cause *c = &causes[k];
        if (strstr(why, c->words) && ((is_among(c->first, a) && is_among(c->second, b)) ||
                                      (is_among(c->first, b) && is_among(c->second, a))))
            return true;
    }
    for (size_t k = 0; k < COUNT_OF(of_lines); k++)
        if (a == ELEMENT_LINE && strstr(why, of_lines[k].words) &&
            is_among(of_lines[k].second, b))
            return true;
    return false;
}

void coverage_add(coverage *c, places_outcome outcome, const element_set *set,
                  const char *why)
{
    const bool refused = outcome == PLACES_REFUSED;
    for (int a = 0; a < ELEMENTS; a++)
        for (int b = 0; set->has[a] && b < ELEMENTS; b++) {
            c->drawn[outcome][a][b] += set->has[b];
            if (refused && set->has[b] && explains(why, a, b) && c->refused[a][b]++ == 0)
                snprintf(c->why[a][b], SENTENCE, "%s", why);
        }
}

static void coverage_join(coverage *c, const coverage *other)
{
    for (int a = 0; a < ELEMENTS; a++)
        for (int b = 0; b < ELEMENTS; b++) {
            for (int outcome = 0; outcome < PLACES_OUTCOMES; outcome++)
                c->drawn[outcome][a][b] += other->drawn[outcome][a][b];
            c->refused[a][b] += other->refused[a][b];
            if (!c->why[a][b][0])
                memcpy(c->why[a][b], other->why[a][b], SENTENCE);
        }
}

/* Schedules of absent devices do not count. */
static bool counts(int n, unsigned devices)
{
    if (n == ELEMENT_INTERPRETER)
        return devices & DEVICE_INTERPRETER;
    if (n >= ELEMENT_CPU_AUTO && n <= ELEMENT_DIAMOND)
        return devices & DEVICE_CPU;
    if (n >= ELEMENT_GPU_AUTO)
        return devices & (DEVICE_EMULATED | DEVICE_CUDA);
    if (n == ELEMENT_EARLY)
        return (devices & DEVICE_CPU) && !(devices & WITH_RANKS);
    if (n == ELEMENT_RANKS || (group_of(n) == 1 && (devices & WITH_RANKS)))
        return n == ELEMENT_RANKS && (devices & WITH_RANKS);
    return n != ELEMENT_LIST || are_several(devices);
}

/* A grid cannot be cut along a missing axis. The interpreter stands in for kernels of
 * processors alone, and not if time blocks are requested. */
static bool is_possible(int a, int b)
{
    const bool cut = a <= ELEMENT_PLANE && b >= ELEMENT_CUT_X && b <= ELEMENT_CUT_Z;
    const bool early = a == ELEMENT_EARLY;
    return !(cut && b - ELEMENT_CUT_X > a - ELEMENT_LINE) &&
           !(early && (b < ELEMENT_CPU_AUTO || b > ELEMENT_BLOCKS));
}

/* True if the elements belong to different groups, and a run could have both. */
static bool is_pair(int a, int b, unsigned devices)
{
    if ((devices & WITH_RANKS) && a != ELEMENT_RANKS && b != ELEMENT_RANKS)
        return false;
    return group_of(a) < group_of(b) && counts(a, devices) && counts(b, devices) &&
           is_possible(a, b);
}

static char mark(const coverage *c, int a, int b)
{
    const int64_t n = c->drawn[PLACES_EQUAL][a][b];
    if (n == 0)
        return c->drawn[PLACES_FAILED][a][b] ? 'F' : c->refused[a][b] ? 'r' : '.';
    return n < 10 ? (char)('0' + n) : n < 100 ? '+' : n < 1000 ? '*' : '#';
}

/* devices: only their schedules count; among ranks only pairs with ranks. */
static void coverage_table(const coverage *c, unsigned devices, text *t)
{
    text_add(t, "programs compared with both: 1 to 9; +: 10 and more; *: 100; #: 1000; "
                "F: failed; r: refused; .: none\n");
    char letter = 'A';
    for (int b = FIRST_PLACE; b < ELEMENTS; b++)
        if (counts(b, devices))
            text_add(t, "  %c %s\n", letter++, element_words(b));
    letter = 'A';
    for (int a = -1; a < FIRST_SCHEDULE; a++) { /* -1: the letters */
        if (a >= 0 && !counts(a, devices))
            continue;
        text_add(t, "%-24s", a < 0 ? "" : element_words(a));
        for (int b = FIRST_PLACE; b < ELEMENTS; b++) {
            if (b == FIRST_SCHEDULE)
                text_add(t, " ");
            if (counts(b, devices))
                text_add(t, " %c",
                         a < 0                    ? letter++
                         : is_pair(a, b, devices) ? mark(c, a, b)
                                                  : ' ');
        }
        text_add(t, "\n");
    }
}

static bool was_drawn(const coverage *c, int a, int b)
{
    return c->drawn[PLACES_EQUAL][a][b] || c->drawn[PLACES_FAILED][a][b];
}

/* True if neither has compared a pair of the set, and b refused programs with it fewer
 * than `tries` times. */
static bool coverage_wants(const coverage *a, const coverage *b, const element_set *set,
                           unsigned devices, int64_t tries)
{
    for (int m = 0; m < ELEMENTS; m++)
        for (int n = 0; set->has[m] && n < ELEMENTS; n++)
            if (set->has[n] && is_pair(m, n, devices) && !was_drawn(a, m, n) &&
                !was_drawn(b, m, n) && b->drawn[PLACES_REFUSED][m][n] < tries)
                return true;
    return false;
}

int64_t coverage_missing(const coverage *c, unsigned devices, text *t)
{
    int64_t missing = 0;
    for (int a = 0; a < ELEMENTS; a++)
        for (int b = 0; b < ELEMENTS; b++) {
            if (!is_pair(a, b, devices) || was_drawn(c, a, b) || c->refused[a][b])
                continue;
            missing++;
            text_add(t, "no program had both: %s, %s\n", element_words(a),
                     element_words(b));
        }
    return missing;
}

void coverage_refusals(const coverage *c, unsigned devices, text *t)
{
    for (int a = 0; a < ELEMENTS; a++)
        for (int b = 0; b < ELEMENTS; b++)
            if (is_pair(a, b, devices) && !was_drawn(c, a, b) && c->refused[a][b])
                text_add(t, "refused: %s, %s: %s\n", element_words(a), element_words(b),
                         c->why[a][b]);
}

enum {
    ATTEMPTS = 6,
    HUNTED = 20, /* seeds drawn for missing pairs, as multiple of the programs */
    TRIES = 24,  /* programs proved for a missing pair */
    WORDS = 400,
    LIVE_MS = 500,
    PATH_BYTES = 512,
    MOST_SECONDS = 300 /* of one program: one that takes longer hangs */
};

/* Counts written by a child and read by the parent. */
typedef struct shared {
    coverage cover;
    int64_t next; /* number of the child's next program */
    int64_t begun, passed, failed, refused;
    uint64_t seed;     /* of the last program */
    char words[WORDS]; /* its options */
} shared;

/* A child process, and what the parent knows of it. */
typedef struct worker {
    shared *shared;
    char folder[PATH_BYTES];
    pid_t child; /* 0: none runs */
    int in;      /* end of its pipe */
    text line;   /* the incomplete last line from the pipe */
    int64_t watched;
    double since; /* the time when program `watched` began */
    bool hangs;   /* it was killed */
} worker;

/* First, all programs are proved. Then, with `coverage`, the traversal hunts for missing
 * pairs: it draws more programs, and proves those with a missing pair. */
typedef struct traversal {
    const places_options *options;
    unsigned devices;
    pid_t parent;
    int workers;
    worker *worker;
    coverage *cover; /* of all workers, before the hunt */
    bool hunts;
} traversal;

static bool is_first(const traversal *w)
{
    return ranks_number(w->options->ranks) == 0;
}

static void note(const traversal *w, const char *line)
{
    if (w->options->report && line)
        w->options->report(w->options->user, line);
}

/* ---- the files of a program -------------------------------------------------------- */

static pav_status make_folder(const traversal *w, worker *of)
{
    const char *top = getenv("TMPDIR");
    snprintf(of->folder, sizeof of->folder, "%s/pavior-places-XXXXXX",
             top && *top && strlen(top) < PATH_BYTES / 2 ? top : "/tmp");
    if (is_first(w) && !mkdtemp(of->folder))
        of->folder[0] = '\0';
    TRY(ranks_share(w->options->ranks, 0, of->folder, sizeof of->folder));
    return of->folder[0] ? PAV_OK
                         : FAIL(PAV_EIO, "no directory can be made: set $TMPDIR");
}

/* Removes files left by a killed child. */
static void empty_folder(const worker *of)
{
    static const char *const below[] = {"/reference", "/place", ""};
    char path[2 * PATH_BYTES];
    for (size_t n = 0; n < COUNT_OF(below); n++) {
        snprintf(path, sizeof path, "%s%s", of->folder, below[n]);
        places_remove_files(path);
    }
}

static void remove_folder(const traversal *w, const worker *of)
{
    if (is_first(w) && of->folder[0]) {
        empty_folder(of);
        (void)rmdir(of->folder);
    }
}

/* ---- a failure --------------------------------------------------------------------- */

void places_add_program(uint64_t seed, text *t)
{
    drawn_program d;
    draw_places_program(seed, &d);
    if (d.source.data)
        text_add(t, "%s", d.source.data);
    for (int n = 0; n < d.traces; n++) {
        char name[16];
        places_trace_name(n, name);
        text_add(t, "# %s: %lld rows, %lld columns, of numbers row + column/8, from 1\n",
                 name, (long long)d.rows[n], (long long)d.columns[n]);
    }
    text_free(&d.source);
}

static void report_failure(const traversal *w, const shared *s, const char *why, text *t)
{
    char launch[32] = "";
    if (w->options->ranks)
        snprintf(launch, sizeof launch, "mpirun -n %d ", ranks_count(w->options->ranks));
    text_add(t, "program of seed %llu FAILED: %s\n%spavior run %s\n",
             (unsigned long long)s->seed, why, launch, s->words);
    places_add_program(s->seed, t);
    text_add(t, "# again: %scheck_places --programs 1 --seed %llu", launch,
             (unsigned long long)s->seed);
}

/* ---- the child --------------------------------------------------------------------- */

static void begin(void *user, const char *words)
{
    snprintf(((shared *)user)->words, WORDS, "%s", words);
}

static void send_line(int out, const text *t)
{
    const char *at = t->data ? t->data : "";
    size_t left = strlen(at) + 1;
    while (left > 0) {
        const ssize_t sent = write(out, at, left);
        if (sent < 0 && errno != EINTR)
            return;
        at += sent > 0 ? sent : 0;
        left -= sent > 0 ? (size_t)sent : 0;
    }
}

/* out: the parent's pipe; -1 among ranks, which have no child. */
static void settle(const traversal *w, shared *s, const places_result *r, int out)
{
    const char *const why = r->why.data ? r->why.data : "";
    coverage_add(&s->cover, r->outcome, &r->set, why);
    s->passed += r->outcome == PLACES_EQUAL;
    s->failed += r->outcome == PLACES_FAILED;
    if (r->outcome != PLACES_FAILED)
        return;
    OWNED_BY(text_free) text t = {0};
    report_failure(w, s, why, &t);
    if (out < 0)
        note(w, t.data);
    else
        send_line(out, &t);
}

/* Draws another place if a place is refused. */
static void prove_seed(const traversal *w, const worker *of, int out)
{
    shared *s = of->shared;
    places_outcome outcome = PLACES_REFUSED;
    for (int attempt = 0; attempt < ATTEMPTS && outcome == PLACES_REFUSED; attempt++) {
        places_result r;
        prove_at_place(s->seed, attempt, w->devices, w->options->ranks, of->folder, begin,
                       s, &r);
        settle(w, s, &r, out);
        outcome = r.outcome;
        text_free(&r.words);
        text_free(&r.why);
    }
    s->refused += outcome == PLACES_REFUSED;
}

static void draw_live(const traversal *w)
{
    char line[WORDS + 200];
    int64_t begun = 0, refused = 0, failed = 0;
    const shared *last = w->worker[0].shared;
    if (!w->options->live)
        return;
    for (int n = 0; n < w->workers; n++) {
        const shared *s = w->worker[n].shared;
        begun += s->begun;
        refused += s->refused;
        failed += s->failed;
        last = s->seed > last->seed ? s : last;
    }
    snprintf(line, sizeof line,
             "program %lld%s of %lld, %lld refused, %lld failed; seed %llu: %s",
             (long long)begun, w->hunts ? ", for missing pairs, after the last" : "",
             (long long)w->options->programs, (long long)refused, (long long)failed,
             (unsigned long long)last->seed, last->words);
    w->options->live(w->options->user, line);
}

/* True if the traversal wants program `number` from worker `own`. */
static bool is_wanted(const traversal *w, int64_t number, int own)
{
    element_set set;
    if (number % w->workers != own)
        return false;
    if (!w->hunts)
        return true;
    draw_elements(w->options->seed + (uint64_t)number, w->devices, &set);
    return coverage_wants(w->cover, &w->worker[own].shared->cover, &set, w->devices,
                          TRIES / w->workers + 1);
}

/* Proves programs until the parent is gone. Then the child removes the folder. */
static void prove_rest(const traversal *w, int own, int out)
{
    const worker *of = &w->worker[own];
    shared *s = of->shared;
    const int64_t end = w->options->programs * (w->hunts ? 1 + HUNTED : 1);
    while (s->next < end) {
        if (out < 0)
            draw_live(w);
        else if (getppid() != w->parent) {
            remove_folder(w, of);
            return;
        }
        const int64_t k = s->next++;
        if (!is_wanted(w, k, own))
            continue;
        s->seed = w->options->seed + (uint64_t)k;
        s->begun++;
        prove_seed(w, of, out);
    }
}

/* ---- the parent -------------------------------------------------------------------- */

static void take_bytes(const traversal *w, worker *of, const char *bytes, ssize_t count)
{
    for (ssize_t n = 0; n < count; n++) {
        if (bytes[n]) {
            text_add_bytes(&of->line, &bytes[n], 1);
            continue;
        }
        note(w, of->line.data);
        text_free(&of->line);
    }
}

/* Kills a child if its program hangs. */
static void watch(worker *of)
{
    if (of->watched != of->shared->begun) {
        of->watched = of->shared->begun;
        of->since = clock_seconds();
    }
    if (clock_seconds() - of->since > MOST_SECONDS && !of->hangs)
        of->hangs = kill(of->child, SIGKILL) == 0;
}

static void report_crash(const traversal *w, const worker *of, int state)
{
    OWNED_BY(text_free) text t = {0};
    char why[64];
    if (of->hangs)
        snprintf(why, sizeof why, "it takes more than %d s", MOST_SECONDS);
    else if (WIFSIGNALED(state))
        snprintf(why, sizeof why, "the process is killed by signal %d (%s)",
                 WTERMSIG(state), strsignal(WTERMSIG(state)));
    else
        snprintf(why, sizeof why, "the process ends with %d", WEXITSTATUS(state));
    report_failure(w, of->shared, why, &t);
    note(w, t.data);
    of->shared->failed++;
}

static pav_status begin_child(traversal *w, int own)
{
    worker *of = &w->worker[own];
    int way[2];
    if (pipe(way) != 0)
        return FAIL(PAV_EIO, "no pipe can be made: %s", strerror(errno));
    of->child = fork();
    if (of->child == 0) {
        close(way[0]);
        prove_rest(w, own, way[1]);
        _exit(0);
    }
    close(way[1]);
    of->in = way[0];
    of->hangs = false;
    of->since = clock_seconds();
    if (of->child > 0)
        return PAV_OK;
    of->child = 0;
    close(of->in);
    return FAIL(PAV_EIO, "no process can be made: %s", strerror(errno));
}

/* The child has closed its pipe. After a crash another child goes on behind the seed. */
static pav_status end_child(traversal *w, int own)
{
    worker *of = &w->worker[own];
    int state = 0;
    close(of->in);
    while (waitpid(of->child, &state, 0) < 0 && errno == EINTR)
        ;
    of->child = 0;
    empty_folder(of);
    if (state == 0)
        return PAV_OK;
    report_crash(w, of, state);
    return begin_child(w, own);
}

static pav_status listen_to(traversal *w, int own)
{
    worker *of = &w->worker[own];
    char bytes[4096];
    const ssize_t count = read(of->in, bytes, sizeof bytes);
    if (count == 0 || (count < 0 && errno != EINTR))
        return end_child(w, own);
    take_bytes(w, of, bytes, count);
    return PAV_OK;
}

static pav_status run_children(traversal *w)
{
    OWNED struct pollfd *f = mem_new(w->workers, sizeof *f);
    int running = f ? w->workers : 0;
    pav_status status = f ? PAV_OK : PAV_ENOMEM;
    for (int n = 0; n < w->workers && status == PAV_OK; n++)
        status = begin_child(w, n);
    while (running > 0 && status == PAV_OK) {
        running = 0;
        for (int n = 0; n < w->workers; n++) {
            worker *of = &w->worker[n];
            f[n] = (struct pollfd){.fd = of->child ? of->in : -1, .events = POLLIN};
            running += of->child != 0;
        }
        const int ready = poll(f, (nfds_t)w->workers, LIVE_MS);
        draw_live(w);
        for (int n = 0; n < w->workers && status == PAV_OK; n++) {
            if (w->worker[n].child)
                watch(&w->worker[n]);
            if (ready > 0 && f[n].revents)
                status = listen_to(w, n);
        }
    }
    return status;
}

/* ---- devices, report --------------------------------------------------------------- */

static bool is_here(const char *name)
{
    OWNED_BY(free_device) pav_device *device = NULL;
    return pav_device_open(name, &device) == PAV_OK;
}

static pav_status find_devices(traversal *w)
{
    static const struct {
        const char *name;
        unsigned bit;
    } known[] = {{"interpreter", DEVICE_INTERPRETER},
                 {"cpu", DEVICE_CPU},
                 {"emulated", DEVICE_EMULATED},
                 {"cuda", DEVICE_CUDA}};
    const char *const only = w->options->device;
    for (size_t n = 0; n < COUNT_OF(known); n++)
        if (only ? strcmp(only, known[n].name) == 0
                 : known[n].bit != DEVICE_CUDA && is_here(known[n].name))
            w->devices |= known[n].bit;
    if (w->devices && w->options->ranks)
        w->devices |= WITH_RANKS;
    return w->devices
               ? PAV_OK
               : FAIL(PAV_EINVAL,
                      "check_places runs on interpreter, cpu, emulated or cuda, not "
                      "on '%s'",
                      only);
}

static void report_coverage(const traversal *w, places_count *found)
{
    OWNED_BY(text_free) text table = {0}, pairs = {0};
    coverage_table(w->cover, w->devices, &table);
    note(w, table.data);
    coverage_refusals(w->cover, w->devices, &pairs);
    found->missing = coverage_missing(w->cover, w->devices, &pairs);
    if (w->options->coverage)
        note(w, pairs.data);
}

/* Proves all programs, and moves the counts of all workers to the traversal's. */
static pav_status prove_all(traversal *w, places_count *found)
{
    if (w->options->ranks)
        prove_rest(w, 0, -1);
    else
        TRY(run_children(w));
    for (int n = 0; n < w->workers; n++) {
        shared *s = w->worker[n].shared;
        coverage_join(w->cover, &s->cover);
        found->passed += s->passed;
        found->failed += s->failed;
        found->refused += s->refused;
        s->cover = (coverage){0};
        s->passed = s->failed = s->refused = 0;
    }
    return PAV_OK;
}

static pav_status traverse_all(traversal *w, places_count *found)
{
    char line[120];
    TRY(find_devices(w));
    for (int n = 0; n < w->workers; n++)
        TRY(make_folder(w, &w->worker[n]));
    snprintf(line, sizeof line,
             "checking %lld random programs over places from seed %llu",
             (long long)w->options->programs, (unsigned long long)w->options->seed);
    note(w, line);
    TRY(prove_all(w, found));
    w->hunts = w->options->coverage;
    if (w->hunts)
        TRY(prove_all(w, found));
    report_coverage(w, found);
    return PAV_OK;
}

static void *map_shared(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                    0);
    return at == MAP_FAILED ? NULL : at;
}

pav_status places_check(const places_options *options, places_count *found)
{
    const int jobs = options->jobs > 1 && !options->ranks ? options->jobs : 1;
    traversal w = {.options = options,
                   .parent = getpid(),
                   .workers = jobs,
                   .worker = mem_new(jobs, sizeof *w.worker),
                   .cover = map_shared(sizeof *w.cover)};
    pav_status status = w.worker && w.cover ? PAV_OK : PAV_ENOMEM;
    for (int n = 0; n < jobs && status == PAV_OK; n++) {
        w.worker[n].shared = map_shared(sizeof *w.worker[n].shared);
        status = w.worker[n].shared ? PAV_OK : PAV_ENOMEM;
    }
    status = status == PAV_OK ? traverse_all(&w, found) : FAIL(status, "memory ran out");
    for (int n = 0; w.worker && n < jobs; n++) {
        remove_folder(&w, &w.worker[n]);
        text_free(&w.worker[n].line);
        if (w.worker[n].shared)
            (void)munmap(w.worker[n].shared, sizeof *w.worker[n].shared);
    }
    if (w.cover)
        (void)munmap(w.cover, sizeof *w.cover);
    mem_free(w.worker);
    return status;
}
