/* SPDX-License-Identifier: BSD-3-Clause */
/* The host, described by /proc and /sys. Missing facts stay 0 or "". */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/device_private.h"

enum { PATH_SIZE = 4096, LINE_SIZE = 8192 };

/* ---- processors -------------------------------------------------------------------- */

static int usable_processors(void)
{
    const int usable = host_usable_cpus();

    if (usable > 0)
        return usable;
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 0;
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

/* Reads the first processor's entry; the others are assumed equal. */
static void read_cpuinfo(host_info *h)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[LINE_SIZE];

    if (!file)
        return;
    while (fgets(line, sizeof line, file) && line[0] != '\n') {
        const char *colon = strchr(line, ':');
        if (colon && strncmp(line, "model name", 10) == 0)
            copy_line(h->model, colon + 1);
        if (!colon || strncmp(line, "flags", 5) != 0)
            continue;
        h->avx2 = has_word(colon, "avx2");
        h->fma = has_word(colon, "fma");
        h->avx512f = has_word(colon, "avx512f");
    }
    fclose(file);
}

/* ---- caches ------------------------------------------------------------------------ */

static bool read_cache_file(const char *root, int index, const char *name, char *line,
                            size_t size)
{
    char path[PATH_SIZE];

    (void)snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu0/cache/index%d/%s",
                   root, index, name);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    const bool good = fgets(line, (int)size, file) != NULL;
    fclose(file);
    return good;
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

int host_cache_sharers(void)
{
    return host_cache_sharers_under("");
}

int64_t host_caches(int threads)
{
    const int64_t online = sysconf(_SC_NPROCESSORS_ONLN);
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
    found_limit = processors_allowed();
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

void host_hash_processor(hash *h)
{
    static const char *const named[] = {"model name", "flags", "Features", "CPU part"};
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[LINE_SIZE];

    while (file && fgets(line, sizeof line, file) && line[0] != '\n')
        for (size_t k = 0; k < COUNT_OF(named); k++)
            if (strncmp(line, named[k], strlen(named[k])) == 0)
                hash_add(h, line, (int64_t)strlen(line));
    if (file)
        fclose(file);
}

void host_describe(host_info *h)
{
    *h = (host_info){.processors = usable_processors(), .available = mem_available()};
    const int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && !mul_fits(pages, page, &h->memory))
        h->memory = 0;
    read_cpuinfo(h);
    h->caches = host_caches_under("", h->cache);
    if (!host_find_compiler(LANGUAGE_C, h->compiler))
        h->compiler[0] = '\0';
}

static char host_model[HOST_TEXT];

static void find_model(void)
{
    host_info h = {0};

    read_cpuinfo(&h);
    copy_line(host_model, h.model);
}

const char *pav_host_name(void)
{
    static pthread_once_t found = PTHREAD_ONCE_INIT;

    (void)pthread_once(&found, find_model);
    return host_model;
}
