/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress of a run: on a terminal one line, redrawn in place; elsewhere a plain line
 * every ten seconds. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

/* ---- ranks ------------------------------------------------------------------------- */

/* A command started as several ranks by an MPI launcher: only the first rank prints,
 * except if another rank fails on its own; all ranks end together. */

/* stderr of this rank, for the reason of its failure */
static int messages = STDERR_FILENO;

int ranks_begin(pav_ranks **ranks)
{
    DO(exit_of(pav_ranks_open(NULL, ranks)));
    if (pav_ranks_number(*ranks) == 0)
        return EXIT_DONE;
    const int nowhere = open("/dev/null", O_WRONLY);
    messages = dup(STDERR_FILENO);
    if (nowhere >= 0 && messages >= 0) {
        (void)dup2(nowhere, STDOUT_FILENO);
        (void)dup2(nowhere, STDERR_FILENO);
        (void)close(nowhere);
    }
    return EXIT_DONE;
}

static void print_reason(const pav_ranks *ranks, const char *why)
{
    char name[64];
    (void)snprintf(name, sizeof name, "rank %d of %d: ", pav_ranks_number(ranks),
                   pav_ranks_count(ranks));
    const bool named = strncmp(why, name, strlen(name)) == 0;
    (void)dprintf(messages, "%s%s\n", named ? "" : name, why);
}

/* Called by all ranks, even if no run was opened. The last complaint is the reason for
 * this rank's failure. */
void ranks_end(pav_ranks *ranks, int code)
{
    pav_status status;
    int failed = -1;
    const char *why = complaint(&status);
    const int number = pav_ranks_number(ranks);
    if (!ranks)
        return;
    /* flush now: after a failure of one rank the launcher kills the others */
    (void)fflush(stdout);
    status = code == EXIT_DONE ? PAV_OK : status != PAV_OK ? status : PAV_EINVAL;
    if (pav_ranks_meet(ranks, status, &failed) != PAV_OK) {
        if (number > 0)
            print_reason(ranks, why);
        pav_ranks_abort(ranks, code);
    }
    if (failed == number && number > 0)
        print_reason(ranks, why);
    pav_ranks_free(ranks);
}

/* ---- progress ---------------------------------------------------------------------- */

enum { LIVE_WIDTH = 100 };

static volatile sig_atomic_t stop_asked; /* number of the signal; 0: none yet */

/* Batch systems may send a notice to each process of a job and then again to all
 * processes, so a second notice must not end the process. */
static void on_signal(int number)
{
    if (stop_asked && !(number == SIGUSR1 || number == SIGUSR2 || number == SIGXCPU))
        _exit(128 + number);
    stop_asked = number;
}

void interrupt_listen(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    for (size_t k = 0; k < sizeof signals / sizeof *signals; k++)
        sigaction(signals[k], &action, NULL);
    /* The terminal was closed. Under nohup SIGHUP is ignored, and stays so. */
    struct sigaction before;
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
}

bool interrupted(void)
{
    return stop_asked != 0;
}

double seconds_now(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void live_open(live *l, bool quiet)
{
    *l = (live){.quiet = quiet,
                .terminal = isatty(STDERR_FILENO) != 0,
                .last = -1,
                .setup_due = seconds_now() + 1.9};
}

void live_close(live *l)
{
    if (l->drawn)
        fprintf(stderr, "\r\033[K");
    l->drawn = false;
}

static void time_left(double seconds, char *out, size_t size)
{
    const long long s = seconds < 0 ? -1 : (long long)(seconds + 0.5);
    if (s < 0 || s > 100LL * 365 * 86400)
        snprintf(out, size, "--");
    else if (s < 3600)
        snprintf(out, size, "%lld:%02lld", s / 60, s % 60);
    else
        snprintf(out, size, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
}

static void draw(live *l, const pav_progress *p)
{
    char left[32];
    time_left(p->seconds_left, left, sizeof left);
    live_close(l);
    fprintf(stderr, "step %lld", (long long)p->step);
    if (p->steps > 0)
        fprintf(stderr, " of %lld (%.0f %%)", (long long)p->steps,
                100.0 * (double)p->step / (double)p->steps);
    fprintf(stderr, "  %.3g Gpts/s", p->gpts);
    if (p->gbytes > 0)
        fprintf(stderr, "  %.3g GB/s", p->gbytes);
    fprintf(stderr, "  %s%s left", p->bounded && p->seconds_left >= 0 ? "at most " : "",
            left);
    fprintf(stderr, "%s%s%s", p->longest ? ", longest so far: " : "",
            p->longest ? p->longest : "", l->terminal ? "" : "\n");
    fflush(stderr);
    l->drawn = l->terminal;
    l->last = p->seconds;
}

/* A log has a plain line after two seconds, and every ten from then on. */
static void draw_setup(live *l, const char *before, const char *what)
{
    const double now = seconds_now();
    if (l->quiet || (!l->terminal && now < l->setup_due))
        return;
    l->setup_due = now + 10;
    live_close(l);
    if (l->terminal)
        fprintf(stderr, "%s%.*s", before, LIVE_WIDTH, what);
    else
        fprintf(stderr, "%s%s\n", before, what);
    fflush(stderr);
    l->drawn = l->terminal;
}

void live_say(void *user, const char *line)
{
    draw_setup(user, "", line);
}

int live_listen(void *user, pav_event event, const pav_progress *progress,
                const char *text)
{
    live *l = user;
    if (event == PAV_EVENT_WARNING || (!l->quiet && event == PAV_EVENT_NOTE)) {
        const bool explains = stop_asked == SIGINT && !l->noted;
        live_close(l);
        fprintf(stderr, "%s%s\n", text,
                explains ? " (a second Ctrl-C ends the command at once)" : "");
        l->noted |= explains;
    } else if (event == PAV_EVENT_SETUP) {
        draw_setup(l, "set-up: ", text);
    } else if (!l->quiet && (progress->steps == 0 || progress->step < progress->steps) &&
               (l->terminal || l->last < 0 || progress->seconds - l->last >= 10)) {
        draw(l, progress); /* a plain line every ten seconds keeps a log file short */
    }
    const int answer = l->view ? view_listen(l->view, event, progress, text) : PAV_GO_ON;
    return interrupted() ? PAV_STOP : answer;
}

int notes_listen(void *quiet, pav_event event, const pav_progress *progress,
                 const char *text)
{
    (void)progress;
    if (event == PAV_EVENT_WARNING || (event == PAV_EVENT_NOTE && !*(bool *)quiet))
        fprintf(stderr, "%s\n", text);
    return interrupted();
}

/* ---- summary ----------------------------------------------------------------------- */

/* Summary of a run: the library's report. As JSON it is always one object, with the
 * status first; if no run was opened, the object holds only status, message and 0
 * steps. */

/* ---- objects ----------------------------------------------------------------------- */

/* `report`: the library's JSON object (its first member is the message), or NULL. */
static void put_object(FILE *out, pav_status status, const char *message,
                       const char *report)
{
    fprintf(out, "{\"status\": \"%s\", ", pav_status_name(status));
    if (report) {
        fputs(report + 1, out);
        return;
    }
    fputs("\"message\": ", out);
    json_put_string(out, message);
    fputs(", \"steps\": 0}\n", out);
}

/* ---- the file of --report ---------------------------------------------------------- */

bool is_page(const char *path)
{
    const char *ending = path ? strrchr(path, '.') : NULL;
    return ending && strcmp(ending, ".html") == 0;
}

static void put_page(FILE *out, pav_status status, const char *message,
                     const char *report, const view *v)
{
    OWNED_BY(close_text) char *object = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&object, &length);
    if (!memory)
        return;
    put_object(memory, status, message, report);
    if (fclose(memory) == 0)
        view_put_report(out, v, object);
}

/* False: errno is set. */
static bool fill_file(FILE *out, pav_status status, const char *message,
                      const char *report, const summary_options *wanted)
{
    if (!out)
        return false;
    if (is_page(wanted->path))
        put_page(out, status, message, report, wanted->view);
    else
        put_object(out, status, message, report);
    const int error = fflush(out) != 0 || ferror(out) ? errno : 0;
    const bool closed = fclose(out) == 0;
    errno = error ? error : errno;
    return !error && closed;
}

/* An existing file may be replaced if it is empty or an earlier report: a report begins
 * with a brace, or as a page with the first line of all such pages. */
static bool may_replace(const char *path)
{
    struct stat about;
    OWNED_BY(close_file)
    FILE *const file = lstat(path, &about) == 0 && S_ISREG(about.st_mode)
                           ? fopen(path, "r")
                           : NULL;
    char line[64] = "";
    return !file || !fgets(line, sizeof line, file) ||
           (is_page(path) ? strncmp(line, view_page, strlen(line)) == 0 : *line == '{');
}

/* Creates a new file; NULL: errno is set. It never overwrites an existing file or the
 * target of a link. Only the partial report of an earlier process with the same process
 * number is replaced. */
static FILE *make_file(const char *path)
{
    const int how = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    struct stat about;
    int file = open(path, how, 0666);
    if (file < 0 && errno == EEXIST && lstat(path, &about) == 0 &&
        S_ISREG(about.st_mode) && may_replace(path) && unlink(path) == 0)
        file = open(path, how, 0666);
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
    if (file >= 0 && !out)
        close(file);
    return out;
}

/* Temporary name of the file until it is complete; false: errno is set. */
static bool name_part(const char *path, char part[PATH_MAX])
{
    if (snprintf(part, PATH_MAX, "%s.%ld.part", path, (long)getpid()) < PATH_MAX)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

/* False: errno is set. Pipes and other special files are not opened: their reader would
 * see an end of file. */
static bool can_write(const char *path)
{
    struct stat about;
    char part[PATH_MAX];
    if (lstat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
        errno = S_ISDIR(about.st_mode) ? EISDIR : 0;
        return errno == 0 && (stat(path, &about) != 0 || access(path, W_OK) == 0);
    }
    FILE *out = name_part(path, part) ? make_file(part) : NULL;
    if (out) {
        fclose(out);
        remove(part);
    }
    return out != NULL;
}

int summary_check(const char *path)
{
    if (!may_replace(path))
        return usage_error(&run_command,
                           "--report %s would take the place of a file that is no "
                           "report: give another name, or remove it",
                           path);
    if (!can_write(path))
        return usage_error(&run_command,
                           "the report could not be written to %s: %s; give --report a "
                           "file in an existing, writable directory",
                           path, strerror(errno));
    return EXIT_DONE;
}

/* Writes a temporary file and renames it, so a partial file never has this name. Pipes
 * and other special files are written directly. */
static bool replace_file(pav_status status, const char *message, const char *report,
                         const summary_options *wanted)
{
    const char *path = wanted->path;
    struct stat about;
    char part[PATH_MAX];
    if (lstat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return fill_file(fopen(path, "w"), status, message, report, wanted);
    FILE *out = name_part(path, part) ? make_file(part) : NULL;
    if (!out)
        return false;
    if (fill_file(out, status, message, report, wanted) && rename(part, path) == 0)
        return true;
    const int error = errno;
    remove(part);
    errno = error;
    return false;
}

int summary_put(const char *json, pav_status status, const char *message,
                const summary_options *wanted)
{
    if (wanted->json)
        put_object(stdout, status, message, json);
    if (!wanted->path || replace_file(status, message, json, wanted))
        return EXIT_DONE;
    fprintf(stderr, "pavior run: the report could not be written to %s: %s\n",
            wanted->path, strerror(errno));
    return EXIT_RUN_FAILED;
}
