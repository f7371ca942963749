/* SPDX-License-Identifier: BSD-3-Clause */
/* The host, described by /proc and /sys: processors, caches, memory. Missing facts stay 0
 * or "".
 *
 * Processors for the threads of a team: first come one processor of every core, because
 * two threads of a core share its path to memory. The choice alternates between NUMA
 * nodes, because each node has its own memory. So few threads already reach most of the
 * memory rate. The chosen processors are then sorted by node and core, because successive
 * threads have neighbouring parts of a grid. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/device_private.h"

enum { MOST_NODES = 256, LIST_SIZE = 4096, MOST_RANGE = 100000, PATH = 1024 };
static const char this_system[] = "/sys/devices/system";

typedef struct place {
    int cpu, node, core; /* core: its first processor */
    int sibling;         /* number of earlier processors of the core */
    /* number of earlier processors of the node with equal `sibling` */
    int turn;
} place;

/* ---- lists like "0-3,8-11" --------------------------------------------------------- */

bool host_next_range(const char **list, int *first, int *last)
{
    char *end;
    const long begin = strtol(*list, &end, 10);

    if (end == *list)
        return false;
    const long until = *end == '-' ? strtol(end + 1, &end, 10) : begin;
    *list = *end == ',' ? end + 1 : "";
    if (begin < 0 || until < begin || until - begin > MOST_RANGE || until > MOST_RANGE)
        return false;
    *first = (int)begin;
    *last = (int)until;
    return true;
}

/* Reads the first line of a file. */
static bool read_line(const char *path, char *line, size_t size)
{
    OWNED_BY(stdio_close) FILE *const file = fopen(path, "r");

    return file && fgets(line, (int)size, file);
}

/* ---- locations of processors ------------------------------------------------------- */

static int find_core(const char *system, int cpu)
{
    char path[PATH], list[LIST_SIZE];
    const char *rest = list;
    int first, last;

    (void)snprintf(path, sizeof path, "%s/cpu/cpu%d/topology/thread_siblings_list",
                   system, cpu);
    return read_line(path, list, sizeof list) && host_next_range(&rest, &first, &last)
               ? first
               : cpu;
}

static void find_nodes(const char *system, place *all, int count)
{
    char path[PATH], list[LIST_SIZE];
    int first, last;

    for (int node = 0; node < MOST_NODES; node++) {
        (void)snprintf(path, sizeof path, "%s/node/node%d/cpulist", system, node);
        const char *rest = read_line(path, list, sizeof list) ? list : "";
        while (host_next_range(&rest, &first, &last))
            for (int n = 0; n < count; n++)
                if (all[n].cpu >= first && all[n].cpu <= last)
                    all[n].node = node;
    }
}

static void find_places(const char *system, place *all, const int *allowed, int count)
{
    for (int n = 0; n < count; n++)
        all[n] = (place){.cpu = allowed[n], .core = find_core(system, allowed[n])};
    find_nodes(system, all, count);
    for (int n = 0; n < count; n++)
        for (int k = 0; k < n; k++)
            all[n].sibling += all[k].core == all[n].core;
    for (int n = 0; n < count; n++)
        for (int k = 0; k < n; k++)
            all[n].turn += all[k].node == all[n].node && all[k].sibling == all[n].sibling;
}

/* ---- choosing ---------------------------------------------------------------------- */

static int by_worth(const void *a, const void *b)
{
    const place *p = a, *q = b;

    return p->sibling != q->sibling ? p->sibling - q->sibling
           : p->turn != q->turn     ? p->turn - q->turn
                                    : p->node - q->node;
}

static int by_nearness(const void *a, const void *b)
{
    const place *p = a, *q = b;

    return p->node != q->node   ? p->node - q->node
           : p->core != q->core ? p->core - q->core
                                : p->cpu - q->cpu;
}

static int cores_of(const place *all, int count)
{
    int cores = 0;

    for (int n = 0; n < count; n++)
        cores += all[n].sibling == 0;
    return cores;
}

int host_choose_cpus_of(const char *system, const int *allowed, int count, int threads,
                        int *cpu)
{
    OWNED place *all = mem_new(HOST_MOST_CPUS, sizeof *all);
    const int used = threads < count ? threads : count;

    if (!all)
        return 0;
    find_places(system, all, allowed, count);
    const int cores = cores_of(all, count);
    qsort(all, (size_t)count, sizeof *all, by_worth);
    qsort(all, (size_t)used, sizeof *all, by_nearness);
    for (int n = 0; n < used; n++)
        cpu[n] = all[n].cpu;
    return cores;
}

int host_choose_cpus(int threads, int *cpu)
{
    OWNED int *allowed = mem_new(HOST_MOST_CPUS, sizeof *allowed);

    return allowed ? host_choose_cpus_of(this_system, allowed, host_allowed_cpus(allowed),
                                         threads, cpu)
                   : 0;
}

int host_node(void)
{
    return host_find_topology().node;
}

host_topology host_find_topology(void)
{
    OWNED place *all = mem_new(HOST_MOST_CPUS, sizeof *all);
    OWNED int *allowed = mem_new(HOST_MOST_CPUS, sizeof *allowed);
    host_topology t = {0};

    if (all && allowed) {
        t.processors = host_allowed_cpus(allowed);
        find_places(this_system, all, allowed, t.processors);
        t.cores = cores_of(all, t.processors);
        for (int n = 0; n < t.processors; n++)
            t.nodes += all[n].sibling == 0 && all[n].turn == 0;
        t.node = t.nodes == 1 ? all[0].node : -1;
    }
    return t;
}

/* Found once: a folder of the system is read for each processor. */
int host_nodes(void)
{
    static _Atomic int nodes;

    if (nodes == 0)
        nodes = int_most(1, host_find_topology().nodes);
    return nodes;
}

enum { PATH_SIZE = 4096, LINE_SIZE = 8192 };

/* ---- processors -------------------------------------------------------------------- */

int host_processors(void)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);

    return online > 0 ? (int)online : 1;
}

static int usable_processors(void)
{
    const int usable = host_usable_cpus();

    return usable > 0 ? usable : host_processors();
}

/* The line: cpu user nice system idle iowait irq softirq steal ... Neither idle nor
 * iowait is work. */
bool host_usage_parse(const char *line, double ticks, double *all)
{
    enum { IDLE = 3, WAITS = 4, COUNTS = 8 };
    double sum = 0;

    if (strncmp(line, "cpu ", 4) != 0)
        return false;
    line += 4;
    for (int n = 0; n < COUNTS; n++) {
        char *end;
        const double count = strtod(line, &end);
        if (end == line)
            return false;
        sum += n == IDLE || n == WAITS ? 0 : count;
        line = end;
    }
    *all = sum / ticks;
    return true;
}

static double seconds_of(int who)
{
    struct rusage use;

    return getrusage(who, &use) != 0
               ? 0
               : (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
                     1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

host_usage host_usage_now(void)
{
    host_usage now = {.when = clock_seconds(),
                      .all = -1,
                      .own = seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN)};
    char line[LINE_SIZE];

    if (read_line("/proc/stat", line, sizeof line))
        (void)host_usage_parse(line, (double)sysconf(_SC_CLK_TCK), &now.all);
    return now;
}

double host_others(const host_usage *from, const host_usage *to)
{
    const double others = (to->all - from->all) - (to->own - from->own);

    return from->all < 0 || to->all < 0 || to->when <= from->when || others < 0
               ? 0
               : others / (to->when - from->when);
}

/* True if `name` is one of the words separated by spaces. */
static bool has_word(const char *words, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = strstr(words, name); at; at = strstr(at + 1, name)) {
        const char after = at[length];
        if (at > words && at[-1] == ' ' && (after == ' ' || after == '\n' || !after))
            return true;
    }
    return false;
}

static void copy_line(char *to, const char *from)
{
    from += strspn(from, " \t");
    (void)snprintf(to, HOST_TEXT, "%.*s", (int)strcspn(from, "\n"), from);
}

/* Reads the first processor's entry; the others are assumed equal. all: hash of the
 * lines that compiled code depends on. */
static void read_cpuinfo(host_info *h, hash *all)
{
    static const char *const named[] = {"model name", "flags", "Features", "CPU part"};
    OWNED_BY(stdio_close) FILE *const file = fopen("/proc/cpuinfo", "r");
    char line[LINE_SIZE];

    hash_init(all);
    while (file && fgets(line, sizeof line, file) && line[0] != '\n') {
        const char *colon = strchr(line, ':');
        for (size_t k = 0; k < COUNT_OF(named); k++)
            if (strncmp(line, named[k], strlen(named[k])) == 0)
                hash_add(all, line, (int64_t)strlen(line));
        if (colon && strncmp(line, "model name", 10) == 0)
            copy_line(h->model, colon + 1);
        if (colon && strncmp(line, "flags", 5) == 0) {
            h->avx2 = has_word(colon, "avx2");
            h->fma = has_word(colon, "fma");
            h->avx512f = has_word(colon, "avx512f");
        }
    }
}

/* ---- caches ------------------------------------------------------------------------ */

static bool read_cache_file(const char *root, int index, const char *name, char *line,
                            size_t size)
{
    char path[PATH_SIZE];

    (void)snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu0/cache/index%d/%s",
                   root, index, name);
    return read_line(path, line, size);
}

static bool read_cache(const char *root, int index, cache_info *cache)
{
    char level[16], type[32], size[32], list[1024];

    *cache = (cache_info){0};
    if (!read_cache_file(root, index, "level", level, sizeof level) ||
        !read_cache_file(root, index, "type", type, sizeof type) ||
        !read_cache_file(root, index, "size", size, sizeof size))
        return false;
    const char *kind = type[0] == 'D' ? "d" : type[0] == 'I' ? "i" : "";
    (void)snprintf(cache->name, sizeof cache->name, "L%.1s%s", level, kind);
    char *unit; /* "512K", "32768K", "1M" */
    cache->bytes = strtoll(size, &unit, 10);
    cache->bytes *= *unit == 'K' ? 1024 : *unit == 'M' ? 1024 * 1024 : 1;
    const char *rest = list; /* "0-3,8-11" has eight processors */
    int first, last;
    if (read_cache_file(root, index, "shared_cpu_list", list, sizeof list))
        while (host_next_range(&rest, &first, &last))
            cache->shared_by += last - first + 1;
    return true;
}

int host_caches_under(const char *root, cache_info cache[MAX_CACHES])
{
    int count = 0;

    while (count < MAX_CACHES && read_cache(root, count, &cache[count]))
        count++;
    return count;
}

static int assume_caches(cache_info cache[MAX_CACHES])
{
    static const cache_info assumed[CPU_ASSUMED_CACHES] = {
        {"L1d", 0, 1}, {"L2", 0, 1}, {"L3", 0, 0}};

    for (int n = 0; n < CPU_ASSUMED_CACHES; n++) {
        cache[n] = assumed[n];
        cache[n].bytes = cpu_assumed_cache[n];
    }
    return CPU_ASSUMED_CACHES;
}

/* The machine's own caches, read once: a solve asks for them at every stage and
 * candidate. */
static cache_info own_cache[MAX_CACHES];
static int own_caches;

static void find_own_caches(void)
{
    own_caches = host_caches_under("", own_cache);
}

static int caches_or_assumed(const char *root, cache_info cache[MAX_CACHES])
{
    static pthread_once_t found = PTHREAD_ONCE_INIT;
    int count;

    if (*root) {
        count = host_caches_under(root, cache);
    } else {
        (void)pthread_once(&found, find_own_caches);
        memcpy(cache, own_cache, sizeof own_cache);
        count = own_caches;
    }
    return count > 0 ? count : assume_caches(cache);
}

int64_t host_cache_under(const char *root, int level)
{
    cache_info cache[MAX_CACHES];
    const int count = caches_or_assumed(root, cache);
    int64_t largest = 0;

    for (int n = 0; n < count; n++)
        if ((level == 0 || cache[n].name[1] == '0' + level) && cache[n].bytes > largest)
            largest = cache[n].bytes;
    return largest;
}

int64_t host_cache(int level)
{
    return host_cache_under("", level);
}

int host_cache_sharers_under(const char *root)
{
    cache_info cache[MAX_CACHES];
    const int count = caches_or_assumed(root, cache);
    int largest = 0;

    for (int n = 0; n < count; n++)
        if (cache[n].bytes > cache[largest].bytes)
            largest = n;
    return count > 0 && cache[largest].shared_by > 0 ? cache[largest].shared_by
                                                     : HOST_MOST_THREADS;
}

int64_t host_caches(int threads)
{
    const int64_t online = host_processors();
    cache_info cache[MAX_CACHES];
    const int count = caches_or_assumed("", cache);
    int64_t bytes = 0;

    for (int n = 0; n < count; n++) {
        const int64_t shared = cache[n].shared_by > 0 ? cache[n].shared_by : online;
        const int64_t there = online > shared ? (online + shared - 1) / shared : 1;
        if (cache[n].name[1] > '1' && cache[n].name[2] != 'i')
            bytes += cache[n].bytes * (threads < there ? threads : there);
    }
    return bytes;
}

static int found_limit;

static void find_limit(void)
{
    found_limit = processors_allowed_under("");
}

int host_cpu_limit(void)
{
    static pthread_once_t found = PTHREAD_ONCE_INIT;

    (void)pthread_once(&found, find_limit);
    return found_limit;
}

static _Atomic int sharing = 1;

void host_share(int processes)
{
    atomic_store(&sharing, processes > 1 ? processes : 1);
}

int host_threads(void)
{
    const int wished = settings_threads();

    if (wished > 0)
        return int_least(wished, HOST_MOST_THREADS);
    const int processors = usable_processors(), limit = host_cpu_limit();
    const int most = limit > 0 && limit < processors ? limit : processors;
    return int_least(int_most(1, most / atomic_load(&sharing)), HOST_MOST_THREADS);
}

void host_describe(host_info *h)
{
    *h = (host_info){.processors = usable_processors(), .available = mem_available()};
    const int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && !mul_fits(pages, page, &h->memory))
        h->memory = 0;
    read_cpuinfo(h, &(hash){0});
    h->caches = host_caches_under("", h->cache);
    if (!host_find_compiler(LANGUAGE_C, h->compiler))
        h->compiler[0] = '\0';
}

/* Read once: each of many kernels asks for the hash. */
static host_info first_processor;
static hash first_hash;

static void find_processor(void)
{
    read_cpuinfo(&first_processor, &first_hash);
}

static pthread_once_t found_processor = PTHREAD_ONCE_INIT;

const char *pav_host_name(void)
{
    (void)pthread_once(&found_processor, find_processor);
    return first_processor.model;
}

void host_hash_processor(hash *h)
{
    (void)pthread_once(&found_processor, find_processor);
    hash_add(h, &first_hash, sizeof first_hash);
}
