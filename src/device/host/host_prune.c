/* SPDX-License-Identifier: BSD-3-Clause */
/* Removes files from the kernel cache: litter of killed processes, and objects beyond the
 * size limit. Files without Pavior's mark or seal are never removed. An object may be
 * removed while other processes run it: they keep their loaded copy. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "device/device_private.h"

/* Younger files are left alone: their owners may not have locked them yet. */
enum { STALE_SECONDS = 60 };

/* ---- litter ------------------------------------------------------------------------ */

/* True if the name is a key, an object ending and the suffix `behind`. */
static bool is_kept(const char *name, const char *behind)
{
    enum { DIGITS = 32 };
    static const char *const endings[] = {".so", ".cubin"};
    char end[32];

    if (strspn(name, "0123456789abcdef") != DIGITS)
        return false;
    for (size_t k = 0; k < COUNT_OF(endings); k++) {
        (void)snprintf(end, sizeof end, "%s%s", endings[k], behind);
        if (strcmp(name + DIGITS, end) == 0)
            return true;
    }
    return false;
}

/* True for a name made by mkdtemp: prefix and six characters. */
static bool is_work(const char *name, const char *prefix)
{
    const size_t length = strlen(prefix);

    return strncmp(name, prefix, length) == 0 && strlen(name + length) == 6;
}

/* True for an old directory of this user (`work`), or an old empty lock file. */
static bool is_old(int directory, const char *name, bool work)
{
    struct stat s;

    return fstatat(directory, name, &s, AT_SYMLINK_NOFOLLOW) == 0 &&
           s.st_uid == geteuid() &&
           (work ? S_ISDIR(s.st_mode) : S_ISREG(s.st_mode) && s.st_size == 0) &&
           time(NULL) - s.st_mtime > STALE_SECONDS;
}

/* Removes an old file or directory unless its lock is held: a process still using it
 * holds the lock. */
static void remove_unused(int parent, const char *name, bool directory)
{
    const int file = openat(parent, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    if (file < 0)
        return;
    if (flock(file, LOCK_EX | LOCK_NB) == 0) {
        if (directory)
            (void)mark_remove(parent, name, file);
        else
            (void)unlinkat(parent, name, 0);
    }
    (void)close(file);
}

void cache_tidy(const char *path, const char *prefix)
{
    DIR *directory = opendir(path);
    const bool own = directory && mark_is_there(dirfd(directory));
    const struct dirent *entry;

    while (directory && (entry = readdir(directory))) {
        const bool work = is_work(entry->d_name, prefix);
        if ((work || (own && is_kept(entry->d_name, ".lock"))) &&
            is_old(dirfd(directory), entry->d_name, work))
            remove_unused(dirfd(directory), entry->d_name, work);
    }
    if (directory)
        closedir(directory);
}

/* ---- size -------------------------------------------------------------------------- */

typedef struct kept {
    char name[256];
    int64_t bytes;
    struct timespec used;
} kept;

typedef struct kept_list {
    kept *item;
    int64_t count, bytes;
} kept_list;

static bool add_kept(kept_list *list, int directory, const char *name)
{
    struct stat s;

    if (!is_kept(name, "") || strlen(name) >= sizeof list->item->name ||
        !cache_has_seal(directory, name) ||
        fstatat(directory, name, &s, AT_SYMLINK_NOFOLLOW) != 0)
        return true;
    if ((list->count & (list->count - 1)) == 0) { /* room for a power of two */
        kept *grown = mem_grow(list->item, list->count ? 2 * list->count : 1,
                               sizeof *grown);
        if (!grown)
            return false;
        list->item = grown;
    }
    kept *k = &list->item[list->count++];
    *k = (kept){.bytes = s.st_size, .used = s.st_mtim};
    (void)snprintf(k->name, sizeof k->name, "%s", name);
    list->bytes += k->bytes;
    return true;
}

static int compare_age(const void *a, const void *b)
{
    const struct timespec *s = &((const kept *)a)->used, *t = &((const kept *)b)->used;

    if (s->tv_sec != t->tv_sec)
        return s->tv_sec < t->tv_sec ? -1 : 1;
    return (s->tv_nsec > t->tv_nsec) - (s->tv_nsec < t->tv_nsec);
}

static void remove_oldest(const kept_list *list, int directory, int64_t allowed,
                          const char *newest)
{
    int64_t bytes = list->bytes;

    for (int64_t n = 0; n < list->count && bytes > allowed; n++)
        if (strcmp(list->item[n].name, newest) != 0 &&
            unlinkat(directory, list->item[n].name, 0) == 0)
            bytes -= list->item[n].bytes;
}

void cache_prune(kernel_cache *c, const char *newest)
{
    int64_t allowed = settings_cache_bytes();
    const char *slash = strrchr(newest, '/');
    DIR *directory = opendir(c->path);
    const struct dirent *entry;
    kept_list list = {0};

    if (directory && !mark_is_there(dirfd(directory)))
        allowed = INT64_MAX;
    while (directory && (entry = readdir(directory)) &&
           add_kept(&list, dirfd(directory), entry->d_name))
        ;
    if (directory && list.item && list.bytes > allowed) {
        qsort(list.item, (size_t)list.count, sizeof *list.item, compare_age);
        remove_oldest(&list, dirfd(directory), allowed, slash ? slash + 1 : newest);
    }
    mem_free(list.item);
    if (directory)
        closedir(directory);
}
