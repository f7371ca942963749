/* SPDX-License-Identifier: BSD-3-Clause */
/* Measuring: the clock, the median, and counters of memory reads. */
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/base_private.h"

double clock_seconds(void)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void date_put(char *to, size_t size)
{
    const time_t now = time(NULL);
    struct tm parts;
    if (!gmtime_r(&now, &parts) || strftime(to, size, "%Y-%m-%d", &parts) == 0)
        (void)snprintf(to, size, "1970-01-01");
}

/* Sorts NaN last, so the order is total. */
static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;

    return a < b ? -1 : a > b ? 1 : (a != a) - (b != b);
}

double median(double *values, int64_t count)
{
    if (count < 1)
        return 0;
    qsort(values, (size_t)count, sizeof *values, compare);
    const double upper = values[count / 2];
    return count % 2 ? upper
                     : values[count / 2 - 1] + (upper - values[count / 2 - 1]) / 2;
}

/* ---- bytes read from memory -------------------------------------------------------- */

/* Counts the bytes read from memory by the threads of this process, with counters of
 * their cores: L1 fills from memory, by loads and by its prefetcher, and L2 prefetches
 * missing every L3. No counter of a core sees write-back from caches, so stores count
 * only if they read their lines first. */

enum { EVENTS = 2, LINE = 64, MOST_THREADS = 1 << 14 };

struct memory_reads {
    int64_t files;
    int file[EVENTS * MOST_THREADS];
};

/* ---- events ------------------------------------------------------------------------ */

/* AMD, from Zen 3 on: L1 fills from memory of this socket and of others; L2 prefetches
 * from memory. */
static const uint64_t zen[EVENTS] = {0x4844, 0x1f72};

static const uint64_t *events(const char **why)
{
    enum { ZEN_3 = 0x19 };
    *why = "which counters of this processor see memory is not known to Pavior";
#if defined(__x86_64__)
    if (__builtin_cpu_is("amd") &&
        system_entry("/proc/cpuinfo", "cpu family\t: ") >= ZEN_3)
        return zen;
#endif
    return NULL;
}

/* ---- threads ----------------------------------------------------------------------- */

static int count(int64_t thread, uint64_t event)
{
    struct perf_event_attr a = {
        .size = sizeof a,
        .type = PERF_TYPE_RAW,
        .config = event,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };

    return (int)syscall(SYS_perf_event_open, &a, (pid_t)thread, -1, -1,
                        PERF_FLAG_FD_CLOEXEC);
}

static bool count_all(memory_reads *m, DIR *threads, const uint64_t event[EVENTS])
{
    for (const struct dirent *e; (e = readdir(threads)) != NULL;) {
        const int64_t thread = system_to_number(e->d_name);
        for (int n = 0; thread > 0 && n < EVENTS; n++) {
            const int file = m->files + EVENTS - n > (int64_t)EVENTS * MOST_THREADS
                                 ? -1
                                 : count(thread, event[n]);
            if (file < 0)
                return false;
            m->file[m->files++] = file;
        }
    }
    return m->files > 0;
}

/* ---- counting ---------------------------------------------------------------------- */

static const char *refusal(int error)
{
    switch (error) {
    case EACCES:
    case EPERM:
        return "the system does not let programs count (kernel.perf_event_paranoid above "
               "2, or a container's rules)";
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return "the system has no counters of this processor, as in most virtual "
               "machines";
    case EMFILE:
    case ENFILE: return "two files a thread are more than may be open (ulimit -n)";
    default: return "the threads of this process could not be counted";
    }
}

memory_reads *memory_reads_open(const char **why)
{
    const uint64_t *const event = events(why);
    memory_reads *m = event ? mem_new(1, sizeof *m) : NULL;
    OWNED_BY(listing_close) DIR *threads = m ? opendir("/proc/self/task") : NULL;
    bool good = false;

    if (threads) {
        errno = 0;
        good = count_all(m, threads, event);
    }
    if (event)
        *why = refusal(errno);
    if (good)
        return m;
    memory_reads_close(m);
    return NULL;
}

/* If other users share the counters, each counts only part of the time, so the counts are
 * scaled. */
double memory_reads_bytes(const memory_reads *m)
{
    double lines = 0;
    struct {
        uint64_t count, enabled, running;
    } v;

    for (int64_t n = 0; n < m->files; n++)
        if (read(m->file[n], &v, sizeof v) == (ssize_t)sizeof v && v.running > 0)
            lines += (double)v.count * ((double)v.enabled / (double)v.running);
    return LINE * lines;
}

void memory_reads_close(memory_reads *m)
{
    if (!m)
        return;
    for (int64_t n = 0; n < m->files; n++)
        close(m->file[n]);
    mem_free(m);
}
