/* SPDX-License-Identifier: BSD-3-Clause */
/* The cache of compiled kernels: the directory pavior-kernels, made and marked by
 * Pavior. It lies in $PAV_CACHE, or in pavior in $XDG_CACHE_HOME or in ~/.cache. Its
 * files are loaded and run, so both directories must belong to this user and be writable
 * by nobody else. Files are renamed to their final names when complete. Several
 * processes may do so at once. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "device/device_private.h"

/* ---- marked directories ------------------------------------------------------------ */

/* Directories made by Pavior carry a mark: the file CACHEDIR.TAG, known to backup
 * programs. Files in a directory without the mark belong to somebody else and are never
 * removed, whatever their names. */

static const char name[] = "CACHEDIR.TAG";
static const char mark[] =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# Pavior made this directory and removes from it what it made there.\n"
    "# See https://bford.info/cachedir/\n";
enum { LENGTH = sizeof mark - 1 };

bool mark_is_there(int directory)
{
    char there[LENGTH + 1];
    struct stat s;
    const int file = openat(directory, name,
                            O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const bool same = file >= 0 && fstat(file, &s) == 0 && S_ISREG(s.st_mode) &&
                      s.st_uid == geteuid() &&
                      read(file, there, sizeof there) == LENGTH &&
                      memcmp(there, mark, LENGTH) == 0;

    if (file >= 0)
        (void)close(file);
    return same;
}

/* False, with errno set. */
static bool put(int directory)
{
    const int file = openat(directory, name,
                            O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    const ssize_t done = file >= 0 ? write(file, mark, LENGTH) : -1;
    const int error = done < 0 ? errno : done < LENGTH ? ENOSPC : 0;

    if (file >= 0)
        (void)close(file);
    if (error && file >= 0)
        (void)unlinkat(directory, name, 0);
    errno = error;
    return error == 0;
}

static int mark_make(char *path)
{
    if (!mkdtemp(path))
        return -1;
    const int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (directory >= 0 && put(directory))
        return directory;
    const int error = errno;
    if (directory >= 0)
        (void)close(directory);
    (void)rmdir(path);
    errno = error;
    return -1;
}

/* The mark is removed last. So an interrupted removal leaves a directory still known to
 * be Pavior's. */
bool mark_remove(int parent, const char *entry, int directory)
{
    DIR *all = mark_is_there(directory) ? fdopendir(dup(directory)) : NULL;
    const struct dirent *one;

    if (all)
        rewinddir(all);
    while (all && (one = readdir(all)))
        if (strcmp(one->d_name, name) != 0)
            (void)unlinkat(directory, one->d_name, 0);
    if (all) {
        (void)closedir(all);
        (void)unlinkat(directory, name, 0);
    }
    /* fails unless the directory is empty */
    return unlinkat(parent, entry, AT_REMOVEDIR) == 0;
}

/* The directory is renamed to its final name with the mark already inside. If two
 * processes do so at once, one succeeds and the other uses its result. */
bool mark_make_named(const char *path)
{
    char made[CACHE_PATH + 8];

    (void)snprintf(made, sizeof made, "%.*s-XXXXXX", CACHE_PATH, path);
    const int directory = mark_make(made);
    if (directory < 0)
        return false;
    const bool named = rename(made, path) == 0;
    const int error = errno;
    if (!named)
        (void)mark_remove(AT_FDCWD, made, directory);
    (void)close(directory);
    errno = error;
    return named || error == EEXIST || error == ENOTEMPTY;
}

/* ---- the cache --------------------------------------------------------------------- */

enum {
    NAMES = 96, /* bytes appended to the path */
    NEARLY_FULL = 1 << 20
};

static const char own_name[] = "pavior-kernels";

static bool wanted_place(char path[CACHE_PATH])
{
    static const struct {
        const char *variable, *rest;
    } places[] = {
        {"PAV_CACHE", ""}, {"XDG_CACHE_HOME", "/pavior"}, {"HOME", "/.cache/pavior"}};

    for (size_t k = 0; k < COUNT_OF(places); k++) {
        const char *value = getenv(places[k].variable);
        if (value && *value)
            return snprintf(path, CACHE_PATH, "%s%s", value, places[k].rest) <
                   CACHE_PATH - NAMES;
    }
    path[0] = '\0';
    return false;
}

/* NULL if the directory is safe to use, else the reason. */
static const char *what_is_odd(const struct stat *s)
{
    if (!S_ISDIR(s->st_mode))
        return "it is no directory";
    if (s->st_uid != geteuid())
        return "it belongs to another user";
    if (s->st_mode & (S_IWGRP | S_IWOTH))
        return "others may write there";
    return NULL;
}

/* Makes missing directories. */
static const char *what_is_wrong(const char *place)
{
    char part[CACHE_PATH];
    struct stat s;
    int why = 0; /* errno of the first failure */

    if (stat(place, &s) == 0)
        return what_is_odd(&s);
    for (size_t n = 1; place[n - 1]; n++)
        if (place[n] == '/' || place[n] == '\0') {
            (void)snprintf(part, sizeof part, "%.*s", (int)n, place);
            if (mkdir(part, 0700) != 0 && errno != EEXIST && why == 0)
                why = errno;
        }
    if (stat(place, &s) != 0)
        return strerror(why ? why : errno);
    return what_is_odd(&s);
}

/* Checks Pavior's own directory inside `place` and makes it if missing. */
static const char *what_is_wrong_inside(const char *place, const char *path)
{
    struct stat s;
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (directory < 0 && errno == ENOENT) {
        cache_tidy(place, "pavior-kernels-"); /* left by killed processes */
        if (!mark_make_named(path))
            return strerror(errno);
        directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (directory < 0 || fstat(directory, &s) != 0)
        return errno == ENOTDIR ? "its pavior-kernels is no directory" : strerror(errno);
    errno = 0;
    const bool marked = mark_is_there(directory);
    const int error = errno;
    (void)close(directory);
    if (!marked && (error == EMFILE || error == ENFILE))
        return strerror(error);
    return marked ? what_is_odd(&s)
                  : "its pavior-kernels is not Pavior's, for it has no CACHEDIR.TAG that "
                    "says so";
}

void cache_give_up(kernel_cache *c, const char *why)
{
    cache_end_work(c);
    c->lasting = false;
    (void)snprintf(c->note, sizeof c->note,
                   "compiled kernels are not kept: %.2000s cannot be used (%.1000s); "
                   "PAV_CACHE names another directory",
                   c->place[0] ? c->place : "the cache directory", why);
}

/* PAV_EFULL if the disk of the path `there` is nearly full, else `status`. `directory` is
 * for the message. */
static pav_status blame_disk(const kernel_cache *c, const char *directory,
                             const char *there, pav_status status)
{
    struct statvfs s;

    if (statvfs(there, &s) != 0 ||
        (unsigned long long)s.f_bavail * s.f_frsize >= NEARLY_FULL)
        return status;
    text room = {0};
    text_add_bytes_size(&room, (int64_t)(s.f_bavail * s.f_frsize));
    status = FAIL(PAV_EFULL, "kernels cannot be compiled in %s, where %s are free%s",
                  directory, room.data ? room.data : "few bytes",
                  c->lasting ? ""
                             : ": free some space, or TMPDIR names another directory");
    text_free(&room);
    return status;
}

void cache_open(kernel_cache *c)
{
    *c = (kernel_cache){.lasting = true, .owned = -1};
    if (!wanted_place(c->place)) {
        cache_give_up(c, c->place[0]
                             ? "its path is too long"
                             : "none of PAV_CACHE, XDG_CACHE_HOME and HOME is set");
        return;
    }
    (void)snprintf(c->path, sizeof c->path, "%s/%s", c->place, own_name);
    errno = 0;
    const char *wrong = what_is_wrong(c->place);
    if (!wrong)
        wrong = what_is_wrong_inside(c->place, c->path);
    if (wrong && errno == ENOSPC && blame_disk(c, c->path, c->place, PAV_OK) != PAV_OK)
        wrong = pav_message();
    if (wrong)
        cache_give_up(c, wrong);
}

pav_status cache_blame_disk(const kernel_cache *c, pav_status status)
{
    return blame_disk(c, c->work, c->work, status);
}

/* ---- the working directory --------------------------------------------------------- */

static bool make_work(kernel_cache *c, const char *path, const char *prefix)
{
    if (snprintf(c->work, CACHE_PATH, "%s/%sXXXXXX", path, prefix) >= CACHE_PATH - NAMES)
        errno = ENAMETOOLONG;
    else if ((c->owned = mark_make(c->work)) >= 0) {
        (void)flock(c->owned, LOCK_EX | LOCK_NB);
        return true;
    }
    c->work[0] = '\0';
    return false;
}

static pav_status make_temporary_work(kernel_cache *c)
{
    static const char prefix[] = "pavior-kernels-";
    const char *place = getenv("TMPDIR");

    place = place && *place ? place : "/tmp";
    cache_tidy(place, prefix);
    if (make_work(c, place, prefix))
        return PAV_OK;
    if (errno == ENOSPC)
        TRY(blame_disk(c, place, place, PAV_OK));
    return FAIL(PAV_EIO,
                "%s; nor can one be made in %.1000s (%s), which TMPDIR can change",
                c->note, place, strerror(errno));
}

pav_status cache_begin_work(kernel_cache *c)
{
    static const char prefix[] = "work-";

    if (c->lasting) {
        cache_tidy(c->path, prefix);
        if (make_work(c, c->path, prefix))
            return PAV_OK;
        const char *why = strerror(errno);
        const bool full = errno == ENOSPC &&
                          blame_disk(c, c->path, c->path, PAV_OK) != PAV_OK;
        cache_give_up(c, full ? pav_message() : why);
    }
    return make_temporary_work(c);
}

void cache_end_work(kernel_cache *c)
{
    if (c->owned >= 0) {
        (void)mark_remove(AT_FDCWD, c->work, c->owned);
        (void)close(c->owned);
    }
    c->owned = -1;
    c->work[0] = '\0';
}

/* ---- one compiles, the others wait ------------------------------------------------- */

static void lock_path(const char *object, char path[2 * CACHE_PATH])
{
    (void)snprintf(path, 2 * CACHE_PATH, "%.*s.lock", CACHE_PATH, object);
}

int cache_lock(const char *object, double seconds)
{
    const double begun = clock_seconds();
    const struct timespec wait = {0, 5000000};
    char path[2 * CACHE_PATH];

    lock_path(object, path);
    for (;;) {
        /* The lock lasts until the file is closed; child programs do not inherit it. */
        int lock = open(path, O_CREAT | O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0) {
            (void)close(lock);
            lock = -1;
        }
        if (lock >= 0 || errno != EWOULDBLOCK || clock_seconds() - begun > seconds)
            return lock;
        (void)nanosleep(&wait, NULL);
    }
}

void cache_unlock(const char *object, int lock)
{
    char path[2 * CACHE_PATH];

    if (lock < 0)
        return;
    lock_path(object, path);
    (void)unlink(path);
    (void)close(lock);
}
