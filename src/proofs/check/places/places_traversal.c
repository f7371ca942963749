/* SPDX-License-Identifier: BSD-3-Clause */
/* The traversal of random programs at random places. A child process runs the programs.
 * If a program crashes, its seed is reported, and the traversal continues behind it. The
 * child counts in shared memory, and sends failures through a pipe. */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/places/places_private.h"

enum {
    ATTEMPTS = 6,
    WORDS = 400,
    LIVE_MS = 500,
    PATH_BYTES = 512,
    MOST_SECONDS = 300 /* of one program: one that takes longer hangs */
};

/* Counts written by the child and read by the parent. */
typedef struct shared {
    coverage cover;
    int64_t done, passed, failed, refused; /* done: programs begun */
    uint64_t seed;                         /* of the last one */
    char words[WORDS];                     /* its options */
} shared;

typedef struct traversal {
    const pav_check_options *options;
    unsigned devices;
    pid_t parent;
    char folder[PATH_BYTES];
    shared *shared;
    text line;       /* the incomplete last line from the pipe */
    int64_t watched; /* the program that has run since ... */
    double since;
    bool hangs; /* it was killed */
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

static pav_status make_folder(traversal *w)
{
    const char *top = getenv("TMPDIR");
    snprintf(w->folder, sizeof w->folder, "%s/pavior-places-XXXXXX",
             top && *top && strlen(top) < PATH_BYTES / 2 ? top : "/tmp");
    if (is_first(w) && !mkdtemp(w->folder))
        w->folder[0] = '\0';
    TRY(ranks_share(w->options->ranks, 0, w->folder, sizeof w->folder));
    return w->folder[0] ? PAV_OK : FAIL(PAV_EIO, "no directory can be made: set $TMPDIR");
}

/* Removes files left by a killed child. */
static void empty_folder(const traversal *w)
{
    DIR *d = opendir(w->folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[2 * PATH_BYTES];
        snprintf(path, sizeof path, "%s/%s", w->folder, e->d_name);
        if (e->d_name[0] != '.')
            (void)unlink(path);
    }
    if (d)
        (void)closedir(d);
}

static void remove_folder(const traversal *w)
{
    if (!is_first(w))
        return;
    empty_folder(w);
    (void)rmdir(w->folder);
}

/* ---- a failure --------------------------------------------------------------------- */

static pav_status add_program(uint64_t seed, text *t)
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
    return t->failed ? PAV_ENOMEM : PAV_OK;
}

pav_status pav_check_place(uint64_t seed, char **result)
{
    GUARDED;
    text t = {0};
    if (!result)
        return FAIL(PAV_EINVAL, "pav_check_place needs a place for the text");
    (void)add_program(seed, &t);
    return text_take(&t, result);
}

static void report_failure(const traversal *w, const char *why, text *t)
{
    const uint64_t seed = w->shared->seed;
    char launch[32] = "";
    if (w->options->ranks)
        snprintf(launch, sizeof launch, "mpirun -n %d ", ranks_count(w->options->ranks));
    text_add(t, "program of seed %llu FAILED: %s\n%spavior run %s\n",
             (unsigned long long)seed, why, launch, w->shared->words);
    (void)add_program(seed, t);
    text_add(t, "# again: %spavior check --places --programs 1 --seed %llu", launch,
             (unsigned long long)seed);
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
static void settle(const traversal *w, const places_result *r, int out)
{
    shared *s = w->shared;
    const char *const why = r->why.data ? r->why.data : "";
    if (r->outcome == PLACES_EQUAL) {
        s->passed++;
        coverage_compared(&s->cover, &r->set);
    } else if (r->outcome == PLACES_REFUSED) {
        coverage_refused(&s->cover, &r->set, why);
    } else {
        OWNED_BY(text_free) text t = {0};
        coverage_failed(&s->cover, &r->set);
        report_failure(w, why, &t);
        if (out < 0)
            note(w, t.data);
        else
            send_line(out, &t);
        s->failed++;
    }
}

/* Draws another place if a place is refused. */
static void prove_seed(const traversal *w, uint64_t seed, int out)
{
    places_outcome outcome = PLACES_REFUSED;
    for (int attempt = 0; attempt < ATTEMPTS && outcome == PLACES_REFUSED; attempt++) {
        places_result r;
        prove_at_place(seed, attempt, w->devices, w->options->ranks, w->folder, begin,
                       w->shared, &r);
        settle(w, &r, out);
        outcome = r.outcome;
        text_free(&r.words);
        text_free(&r.why);
    }
    w->shared->refused += outcome == PLACES_REFUSED;
}

static void draw_live(const traversal *w)
{
    const shared *s = w->shared;
    char line[WORDS + 200];
    if (!w->options->live)
        return;
    snprintf(line, sizeof line,
             "program %lld of %lld, %lld refused, %lld failed; seed %llu: %s",
             (long long)s->done, (long long)check_programs(w->options),
             (long long)s->refused, (long long)s->failed, (unsigned long long)s->seed,
             s->words);
    w->options->live(w->options->user, line);
}

/* Proves programs until the parent is gone. Then the child removes the folder. */
static void prove_rest(const traversal *w, int out)
{
    while (w->shared->done < check_programs(w->options)) {
        if (out < 0)
            draw_live(w);
        else if (getppid() != w->parent) {
            remove_folder(w);
            return;
        }
        const int64_t k = w->shared->done;
        w->shared->seed = check_seed(w->options) + (uint64_t)k;
        w->shared->done = k + 1;
        if (check_is_shared(w->options, k))
            prove_seed(w, w->shared->seed, out);
    }
}

/* ---- the parent -------------------------------------------------------------------- */

/* Hands on the lines of the child, and kills it if its program hangs. */
static void listen_to(traversal *w, pid_t child, int in)
{
    struct pollfd f = {.fd = in, .events = POLLIN};
    w->hangs = false;
    w->since = clock_seconds();
    for (;;) {
        char bytes[4096];
        const int ready = poll(&f, 1, LIVE_MS);
        draw_live(w);
        if (w->watched != w->shared->done) {
            w->watched = w->shared->done;
            w->since = clock_seconds();
        }
        if (clock_seconds() - w->since > MOST_SECONDS && !w->hangs)
            w->hangs = kill(child, SIGKILL) == 0;
        if (ready <= 0)
            continue;
        const ssize_t count = read(in, bytes, sizeof bytes);
        if (count == 0 || (count < 0 && errno != EINTR))
            return;
        for (ssize_t n = 0; n < count; n++) {
            text_add_bytes(&w->line, &bytes[n], 1);
            if (bytes[n])
                continue;
            note(w, w->line.data);
            text_free(&w->line);
        }
    }
}

static void report_crash(traversal *w, int state)
{
    OWNED_BY(text_free) text t = {0};
    char why[64];
    if (w->hangs)
        snprintf(why, sizeof why, "it takes more than %d s", MOST_SECONDS);
    else if (WIFSIGNALED(state))
        snprintf(why, sizeof why, "the process is killed by signal %d (%s)",
                 WTERMSIG(state), strsignal(WTERMSIG(state)));
    else
        snprintf(why, sizeof why, "the process ends with %d", WEXITSTATUS(state));
    report_failure(w, why, &t);
    note(w, t.data);
    w->shared->failed++;
}

static pav_status run_child(traversal *w)
{
    int way[2], state = 0;
    if (pipe(way) != 0)
        return FAIL(PAV_EIO, "no pipe can be made: %s", strerror(errno));
    const pid_t child = fork();
    if (child == 0) {
        close(way[0]);
        prove_rest(w, way[1]);
        _exit(0);
    }
    close(way[1]);
    if (child > 0)
        listen_to(w, child, way[0]);
    close(way[0]);
    if (child < 0)
        return FAIL(PAV_EIO, "no process can be made: %s", strerror(errno));
    while (waitpid(child, &state, 0) < 0 && errno == EINTR)
        ;
    if (state != 0)
        report_crash(w, state);
    empty_folder(w);
    return PAV_OK;
}

/* ---- devices, report --------------------------------------------------------------- */

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
    for (size_t n = 0; n < COUNT_OF(known); n++) {
        OWNED_BY(free_device) pav_device *device = NULL;
        if (only ? strcmp(only, known[n].name) == 0
                 : known[n].bit != DEVICE_CUDA &&
                       pav_device_open(known[n].name, &device) == PAV_OK)
            w->devices |= known[n].bit;
    }
    if (!w->devices)
        return FAIL(PAV_EINVAL,
                    "programs over places run on interpreter, cpu, emulated or cuda, not "
                    "on '%s'",
                    only);
    w->devices |= w->options->ranks ? WITH_RANKS : 0;
    return PAV_OK;
}

static void report_coverage(traversal *w)
{
    OWNED_BY(text_free) text table = {0}, pairs = {0};
    coverage_table(&w->shared->cover, w->devices, &table);
    note(w, table.data);
    if (!w->options->coverage)
        return;
    coverage_refusals(&w->shared->cover, w->devices, &pairs);
    (void)coverage_missing(&w->shared->cover, w->devices, &pairs);
    note(w, pairs.data);
}

static pav_status traverse_all(traversal *w)
{
    char line[120];
    TRY(find_devices(w));
    TRY(make_folder(w));
    snprintf(line, sizeof line,
             "checking %lld random programs over places from seed %llu",
             (long long)check_programs(w->options),
             (unsigned long long)check_seed(w->options));
    note(w, line);
    pav_status status = PAV_OK;
    if (w->options->ranks)
        prove_rest(w, -1);
    while (status == PAV_OK && w->shared->done < check_programs(w->options))
        status = run_child(w);
    remove_folder(w);
    if (status == PAV_OK)
        report_coverage(w);
    return status;
}

pav_status check_places(const pav_check_options *options, pav_check_count *found)
{
    traversal w = {.options = options, .parent = getpid()};
    OWNED_BY(text_free) text pairs = {0};
    w.shared = mmap(NULL, sizeof *w.shared, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (w.shared == MAP_FAILED)
        return FAIL(PAV_ENOMEM, "memory ran out");
    const pav_status status = traverse_all(&w);
    if (status == PAV_OK)
        *found = (pav_check_count){
            .passed = w.shared->passed,
            .failed = w.shared->failed,
            .refused = w.shared->refused,
            .missing = coverage_missing(&w.shared->cover, w.devices, &pairs)};
    text_free(&w.line);
    (void)munmap(w.shared, sizeof *w.shared);
    return status;
}
