/* SPDX-License-Identifier: BSD-3-Clause */
/* The cache of compiled kernels: the directory pavior-kernels, made and marked by
 * Pavior. It lies in $PAV_CACHE, or in pavior in $XDG_CACHE_HOME or in ~/.cache. Its
 * files are loaded and run, so both directories must belong to this user and be writable
 * by nobody else. Files are renamed to their final names when complete. Several
 * processes may do so at once.
 * An object is found by a hash of everything it depends on. Otherwise one process makes
 * it while the others wait. If the cache cannot store it, a temporary directory is
 * used. */
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

/* Directories made by Pavior are marked by a file CACHEDIR.TAG, known to backup programs.
 * Only marked directories are ever removed: a directory without the mark belongs to
 * somebody else, whatever its name. */

static const char mark_name[] = "CACHEDIR.TAG";
static const char mark_text[] =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# Pavior made this directory and removes from it what it made there.\n"
    "# See https://bford.info/cachedir/\n";
enum { LENGTH = sizeof mark_text - 1 };

static bool mark_is_there(int directory)
{
    char there[LENGTH + 1];
    struct stat s;
    OWNED_BY(handle_close)
    const int file = openat(directory, mark_name,
                            O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    return file >= 0 && fstat(file, &s) == 0 && S_ISREG(s.st_mode) &&
           s.st_uid == geteuid() && read(file, there, sizeof there) == LENGTH &&
           memcmp(there, mark_text, LENGTH) == 0;
}

/* False, with errno set. */
static bool put_mark(int directory)
{
    OWNED_BY(handle_close)
    const int file = openat(directory, mark_name,
                            O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    const ssize_t done = file >= 0 ? write(file, mark_text, LENGTH) : -1;
    const int error = done < 0 ? errno : done < LENGTH ? ENOSPC : 0;

    if (error && file >= 0)
        (void)unlinkat(directory, mark_name, 0);
    errno = error;
    return error == 0;
}

static int mark_make(char *path)
{
    if (!mkdtemp(path))
        return -1;
    const int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (directory >= 0 && put_mark(directory))
        return directory;
    const int error = errno;
    if (directory >= 0)
        (void)close(directory);
    (void)rmdir(path);
    errno = error;
    return -1;
}

/* The mark is removed last. So an interrupted removal leaves a directory still known
 * to be Pavior's. */
static bool mark_remove(int parent, const char *entry, int directory)
{
    OWNED_BY(listing_close)
    DIR *const all = mark_is_there(directory) ? fdopendir(dup(directory)) : NULL;
    const struct dirent *one;

    if (all)
        rewinddir(all);
    while (all && (one = readdir(all)))
        if (strcmp(one->d_name, mark_name) != 0)
            (void)unlinkat(directory, one->d_name, 0);
    if (all)
        (void)unlinkat(directory, mark_name, 0);
    /* fails unless the directory is empty */
    return unlinkat(parent, entry, AT_REMOVEDIR) == 0;
}

/* The directory is renamed to its final name with the mark already inside. If
 * two processes do so at once, one succeeds and the other uses its result. */
bool mark_make_named(const char *path)
{
    char made[CACHE_PATH + 8];

    (void)snprintf(made, sizeof made, "%.*s-XXXXXX", CACHE_PATH, path);
    OWNED_BY(handle_close) const int directory = mark_make(made);
    if (directory < 0)
        return false;
    if (rename(made, path) == 0)
        return true;
    const int error = errno;
    (void)mark_remove(AT_FDCWD, made, directory);
    errno = error;
    return error == EEXIST || error == ENOTEMPTY;
}

/* ---- litter of killed processes ---------------------------------------------------- */

/* Younger files are left alone: their owners may not have locked them yet. */
enum { STALE_SECONDS = 60 };

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

/* Removes an old file or directory unless its lock is held: a process still using it
 * holds the lock. */
static void remove_unused(int parent, const char *name, bool directory)
{
    OWNED_BY(handle_close)
    const int file = openat(parent, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    if (file < 0 || flock(file, LOCK_EX | LOCK_NB) != 0)
        return;
    if (directory)
        (void)mark_remove(parent, name, file);
    else
        (void)unlinkat(parent, name, 0);
}

static void cache_tidy(const char *path, const char *prefix)
{
    OWNED_BY(listing_close) DIR *const directory = opendir(path);
    const bool own = directory && mark_is_there(dirfd(directory));
    const size_t length = strlen(prefix);
    const struct dirent *entry;
    struct stat s;

    while (directory && (entry = readdir(directory))) {
        const char *name = entry->d_name;
        /* mkdtemp appends six characters to the prefix */
        const bool work = strncmp(name, prefix, length) == 0 &&
                          strlen(name + length) == 6;
        if (!work && !(own && is_kept(name, ".lock")))
            continue;
        if (fstatat(dirfd(directory), name, &s, AT_SYMLINK_NOFOLLOW) == 0 &&
            s.st_uid == geteuid() &&
            (work ? S_ISDIR(s.st_mode) : S_ISREG(s.st_mode) && s.st_size == 0) &&
            time(NULL) - s.st_mtime > STALE_SECONDS)
            remove_unused(dirfd(directory), name, work);
    }
}

/* ---- the cache --------------------------------------------------------------------- */

enum {
    NAMES = 96, /* bytes appended to the path */
    NEARLY_FULL = 1 << 20
};

static const char own_name[] = "pavior-kernels";

static bool wanted_place(char path[CACHE_PATH])
{
    static const user_place places[] = {
        {"PAV_CACHE", ""}, {"XDG_CACHE_HOME", "/pavior"}, {"HOME", "/.cache/pavior"}};

    return path_of_user(places, COUNT_OF(places), NAMES, CACHE_PATH, path);
}

/* NULL if the directory is safe to use, else the reason. */
static const char *what_is_odd(const struct stat *s)
{
    if (!S_ISDIR(s->st_mode))
        return "it is no directory";
    return s->st_uid != geteuid()             ? "it belongs to another user"
           : s->st_mode & (S_IWGRP | S_IWOTH) ? "others may write there"
                                              : NULL;
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
    return stat(place, &s) != 0 ? strerror(why ? why : errno) : what_is_odd(&s);
}

/* Checks Pavior's own directory inside `place` and makes it if missing. */
static const char *what_is_wrong_inside(const char *place, const char *path)
{
    struct stat s;
    OWNED_BY(handle_close) int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

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
    return !marked && (error == EMFILE || error == ENFILE) ? strerror(error)
           : marked                                        ? what_is_odd(&s)
                    : "its pavior-kernels is not Pavior's, for it has no CACHEDIR.TAG "
                      "that says so";
}

static void cache_end_work(kernel_cache *c)
{
    if (c->owned >= 0) {
        (void)mark_remove(AT_FDCWD, c->work, c->owned);
        (void)close(c->owned);
    }
    c->owned = -1;
    c->work[0] = '\0';
}

static void cache_give_up(kernel_cache *c, const char *why)
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
    OWNED_BY(text_free) text room = {0};
    text_add_bytes_size(&room, (int64_t)(s.f_bavail * s.f_frsize));
    return FAIL(PAV_EFULL, "kernels cannot be compiled in %s, where %s are free%s",
                directory, room.data ? room.data : "few bytes",
                c->lasting ? "" : ": free some space, or TMPDIR names another directory");
}

static void cache_open(kernel_cache *c)
{
    c->lasting = true;
    c->owned = -1;
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

static pav_status cache_begin_work(kernel_cache *c)
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

/* ---- one compiles, the others wait ------------------------------------------------- */

static void lock_path(const char *object, char path[2 * CACHE_PATH])
{
    (void)snprintf(path, 2 * CACHE_PATH, "%.*s.lock", CACHE_PATH, object);
}

/* A process that gave the object up left its lock. */
static int cache_lock(kernel_cache *c, const char *object, double seconds)
{
    const double begun = clock_seconds();
    const struct timespec wait = {0, 5000000};
    char path[2 * CACHE_PATH];

    lock_path(object, path);
    for (;;) {
        const bool left = access(path, F_OK) == 0;
        /* The lock lasts until the file is closed; child programs do not inherit it. */
        int lock = open(path, O_CREAT | O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0) {
            (void)close(lock);
            lock = -1;
        }
        atomic_store(&c->again, left && lock >= 0);
        atomic_store(&c->asked, true);
        if (lock >= 0 || errno != EWOULDBLOCK || clock_seconds() - begun > seconds ||
            host_jobs_stopped())
            return lock;
        (void)nanosleep(&wait, NULL);
    }
}

/* A stopped process leaves the file of its lock, so the next one knows of it. */
static void cache_unlock(const char *object, int lock)
{
    char path[2 * CACHE_PATH];

    if (lock < 0)
        return;
    lock_path(object, path);
    if (!host_jobs_stopped())
        (void)unlink(path);
    (void)close(lock);
}

/* ---- seals ------------------------------------------------------------------------- */

/* Seals of objects in the cache. An object truncated, changed, renamed or written by
 * another user is not loaded. */

enum { OBJECT_LIMIT = 1 << 30 };

typedef struct seal {
    char mark[8];
    int64_t length;
    uint64_t hash;
} seal;

static const char seal_mark[8] = "pavior2";

static seal seal_of(const char *data, int64_t length, const char *name)
{
    seal s = {.length = length};
    hash h;

    memcpy(s.mark, seal_mark, sizeof s.mark);
    hash_init(&h);
    hash_add(&h, path_name(name), (int64_t)strlen(path_name(name)));
    hash_add(&h, data, length);
    s.hash = hash_end(&h);
    return s;
}

pav_status cache_seal(const char *object, const char *name)
{
    OWNED char *data = NULL;
    int64_t length;

    TRY(file_read(object, OBJECT_LIMIT, &data, &length));
    const seal s = seal_of(data, length, name);
    FILE *file = file_write(object, true);
    const bool written = file && fchmod(fileno(file), 0700) == 0 &&
                         fwrite(&s, sizeof s, 1, file) == 1;
    const bool closed = file && fclose(file) == 0;
    return written && closed ? PAV_OK
                             : FAIL(write_status(errno),
                                    "compiled kernels could not be written to %s: %s",
                                    object, strerror(errno));
}

/* True if the file belongs to this user and ends with a seal; the rest is not read. */
static bool has_seal(int directory, const char *entry)
{
    seal found = {.length = 0};
    struct stat s;
    OWNED_BY(handle_close)
    const int file = openat(directory, entry,
                            O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    return file >= 0 && fstat(file, &s) == 0 && S_ISREG(s.st_mode) &&
           s.st_uid == geteuid() && s.st_size > (off_t)sizeof found &&
           pread(file, &found, sizeof found, s.st_size - (off_t)sizeof found) ==
               sizeof found &&
           memcmp(found.mark, seal_mark, sizeof found.mark) == 0 &&
           found.length == s.st_size - (off_t)sizeof found;
}

bool cache_is_sealed(const char *object)
{
    struct stat s;

    return lstat(object, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == geteuid() &&
           !(s.st_mode & (S_IWGRP | S_IWOTH)) && cache_has_seal(object);
}

bool cache_has_seal(const char *object)
{
    const int64_t size = sizeof(seal);
    OWNED char *data = NULL;
    int64_t length;

    if (file_read_ordinary(object, OBJECT_LIMIT, &data, &length) != PAV_OK ||
        length <= size)
        return false;
    const seal want = seal_of(data, length - size, object);
    return memcmp(&want, data + length - size, sizeof want) == 0;
}

/* ---- pruning ----------------------------------------------------------------------- */

/* Removes files from the kernel cache: litter of killed processes, and objects beyond the
 * size limit. Files without Pavior's mark or seal are never removed. An object may be
 * removed while other processes run it: they keep their loaded copy. */

/* ---- size -------------------------------------------------------------------------- */

typedef struct kept_file {
    char name[256];
    int64_t bytes;
    struct timespec used;
} kept_file;

typedef struct kept_list {
    kept_file *item;
    int64_t count, room, bytes;
} kept_list;

static bool add_kept(kept_list *list, int directory, const char *name)
{
    struct stat s;

    if (!is_kept(name, "") || strlen(name) >= sizeof list->item->name ||
        !has_seal(directory, name) ||
        fstatat(directory, name, &s, AT_SYMLINK_NOFOLLOW) != 0)
        return true;
    if (mem_reserve(&list->item, &list->room, list->count, sizeof *list->item) != PAV_OK)
        return false;
    kept_file *k = &list->item[list->count++];
    *k = (kept_file){.bytes = s.st_size, .used = s.st_mtim};
    (void)snprintf(k->name, sizeof k->name, "%s", name);
    list->bytes += k->bytes;
    return true;
}

static int compare_age(const void *a, const void *b)
{
    const struct timespec *s = &((const kept_file *)a)->used,
                          *t = &((const kept_file *)b)->used;

    return s->tv_sec == t->tv_sec  ? (s->tv_nsec > t->tv_nsec) - (s->tv_nsec < t->tv_nsec)
           : s->tv_sec < t->tv_sec ? -1
                                   : 1;
}

/* Removes the least recently used sealed objects until the total is below
 * $PAV_CACHE_SIZE, but never `newest`. */
static void prune(kernel_cache *c, const char *newest)
{
    int64_t allowed = settings_cache_bytes();
    OWNED_BY(listing_close) DIR *const directory = opendir(c->path);
    const struct dirent *entry;
    kept_list list = {0};

    if (directory && !mark_is_there(dirfd(directory)))
        allowed = INT64_MAX;
    while (directory && (entry = readdir(directory)) &&
           add_kept(&list, dirfd(directory), entry->d_name))
        ;
    if (directory && list.item && list.bytes > allowed) {
        qsort(list.item, (size_t)list.count, sizeof *list.item, compare_age);
        for (int64_t n = 0; n < list.count && list.bytes > allowed; n++)
            if (strcmp(list.item[n].name, path_name(newest)) != 0 &&
                unlinkat(dirfd(directory), list.item[n].name, 0) == 0)
                list.bytes -= list.item[n].bytes;
    }
    mem_free(list.item);
}

/* ---- objects ----------------------------------------------------------------------- */

typedef struct item {
    kernel_cache *cache;
    const cache_maker *maker;
    unsigned how;
    void *of;
    /* kept: path in the cache; made: path in the working directory */
    char kept[2 * CACHE_PATH], made[2 * CACHE_PATH];
} item;

/* Two hashes with different first bytes make a key of 128 bits. */
static void cache_key(const cache_maker *maker, const void *of, bool whole,
                      char key[IMAGE_KEY])
{
    hash h[2];

    for (int k = 0; k < 2; k++) {
        const char begin = (char)k;
        hash_init(&h[k]);
        hash_add(&h[k], &begin, 1);
        maker->describe(of, &h[k]);
        if (whole)
            maker->compiled_by(of, &h[k]);
    }
    (void)snprintf(key, IMAGE_KEY, "%016llx%016llx", (unsigned long long)hash_end(&h[0]),
                   (unsigned long long)hash_end(&h[1]));
}

static void path_of_key(const kernel_cache *c, const cache_maker *maker, const void *of,
                        const char *ending, char path[2 * CACHE_PATH])
{
    char key[IMAGE_KEY];

    cache_key(maker, of, true, key);
    (void)snprintf(path, 2 * CACHE_PATH, "%s/%s%s", c->path, key, ending);
}

/* Records the object for a bundle. */
static void record(const item *i, const char *path)
{
    kernel_image image = {.length = 0};
    OWNED_BY(text_free) text target = {0};
    cache_key(i->maker, i->of, false, image.key);
    i->maker->target(i->of, &target);
    (void)snprintf(image.kind, sizeof image.kind, "%s", i->maker->ending);
    (void)snprintf(image.target, sizeof image.target, "%s",
                   target.data ? target.data : "");
    images_put(file_read(path, OBJECT_LIMIT, &image.bytes, &image.length), &image);
}

static pav_status load(const item *i, const char *path)
{
    TRY(i->maker->load(i->of, path));
    if (images_are_recorded())
        record(i, path);
    return PAV_OK;
}

pav_status cache_write(const char *path, const void *bytes, int64_t length)
{
    FILE *file = file_write(path, false);
    const bool written = file && fwrite(bytes, 1, (size_t)length, file) == (size_t)length;
    const bool closed = file && fclose(file) == 0;

    return written && closed
               ? PAV_OK
               : FAIL(write_status(errno), "kernels could not be written to %s: %s", path,
                      strerror(errno));
}

static pav_status make_piece(void *of, int64_t piece)
{
    const item *i = of;

    (void)piece;
    return i->maker->make(i->of, i->cache->work, i->made);
}

/* Makes one object: compiles it in the work directory and loads it. On a full disk, the
 * message names the disk instead of the compiler. An object that cannot be loaded is
 * removed from the cache. */
static pav_status make(item *i)
{
    TRY(cache_begin_work(i->cache));
    (void)snprintf(i->made, sizeof i->made, "%s/kernels%s", i->cache->work,
                   i->maker->ending);
    pav_status status = host_jobs(1, 1, make_piece, i);
    if (status == PAV_EDEVICE || status == PAV_EIO || status == PAV_EFULL)
        status = blame_disk(i->cache, i->cache->work, i->cache->work, status);
    TRY(status);
    if (!(i->how & HOST_KEEP) || !i->cache->lasting)
        return load(i, i->made);
    TRY(cache_seal(i->made, i->kept));
    if (rename(i->made, i->kept) != 0)
        return FAIL(write_status(errno), "compiled kernels could not be kept as %s: %s",
                    i->kept, strerror(errno));
    prune(i->cache, i->kept);
    status = load(i, i->kept);
    if (status != PAV_OK)
        (void)unlink(i->kept);
    return status;
}

static pav_status make_somewhere(item *i)
{
    pav_status status = make(i);

    if ((status == PAV_EIO || status == PAV_EFULL) && i->cache->lasting) {
        cache_give_up(i->cache, pav_message());
        status = make(i);
    }
    cache_end_work(i->cache);
    return status;
}

pav_status cache_make_apart(const cache_maker *maker, void *of, const char *path)
{
    OWNED_NEW(kernel_cache, c, 1);
    OWNED char *bytes = NULL;
    char made[2 * CACHE_PATH];
    int64_t length = 0;

    cache_open(c);
    TRY(cache_begin_work(c));
    (void)snprintf(made, sizeof made, "%s/kernels%s", c->work, maker->ending);
    pav_status status = maker->make(of, c->work, made);
    if (status == PAV_OK)
        status = cache_seal(made, path);
    if (status == PAV_OK)
        status = file_read(made, OBJECT_LIMIT, &bytes, &length);
    cache_end_work(c);
    return status == PAV_OK ? cache_write(path, bytes, length) : status;
}

pav_status images_install(const kernel_images *all, const char *folder)
{
    bool any = false;

    for (const kernel_image *i = all->image; i < all->image + all->count; i++) {
        char path[2 * CACHE_PATH];
        if (strcmp(i->kind, ".cubin") != 0)
            continue; /* for this processor only */
        (void)snprintf(path, sizeof path, "%.*s/%s", CACHE_PATH, folder, i->target);
        TRY(directory_make(path));
        (void)snprintf(path, sizeof path, "%.*s/%s/%s%s", CACHE_PATH, folder, i->target,
                       i->key, i->kind);
        TRY(cache_write(path, i->bytes, i->length));
        TRY(cache_seal(path, path));
        (void)chmod(path, 0644);
        any = true;
    }
    return any ? PAV_OK
               : FAIL(PAV_EUNSUPPORTED, "this device has no kernels for an installation: "
                                        "give --device cuda, or no device");
}

static bool load_kept(item *i)
{
    if (!cache_is_sealed(i->kept) || load(i, i->kept) != PAV_OK)
        return false;
    (void)utimensat(AT_FDCWD, i->kept, NULL, 0); /* the oldest are removed first */
    return true;
}

/* The installation's object was made by any version of the compiler. A damaged object is
 * told, and so is an object refused by the driver: they are compiled. */
static bool load_installed(const item *i)
{
    OWNED_BY(text_free) text target = {0};
    char key[IMAGE_KEY], name[IMAGE_TARGET + IMAGE_KEY + 8], path[2 * CACHE_PATH];

    cache_key(i->maker, i->of, false, key);
    i->maker->target(i->of, &target);
    (void)snprintf(name, sizeof name, "%s/%s%s", target.data ? target.data : "", key,
                   i->maker->ending);
    if (!installed_path(name, path))
        return false;
    const bool sealed = cache_has_seal(path);
    if (sealed && load(i, path) == PAV_OK)
        return true;
    (void)snprintf(i->cache->note, sizeof i->cache->note,
                   "the installed kernels %.1000s are not used: %.2000s", path,
                   sealed ? pav_message() : "they are damaged: install Pavior again");
    return false;
}

static pav_status find_or_make(item *i, double seconds)
{
    path_of_key(i->cache, i->maker, i->of, i->maker->ending, i->kept);
    const bool kept = i->how & HOST_KEEP && i->cache->lasting;
    if ((kept && load_kept(i)) || load_installed(i))
        return PAV_OK;
    if (host_requires_cached())
        return FAIL(PAV_EUNSUPPORTED,
                    "these kernels are not in the cache %s, and PAV_REQUIRE_CACHED "
                    "forbids to compile them: `pavior compile` with the same "
                    "description, --set, device and compiler makes them",
                    i->cache->path);
    if (i->how & HOST_FIND)
        return FAIL(PAV_EUNSUPPORTED, "these kernels are not in the cache %s",
                    i->cache->path);
    atomic_store(&i->cache->asked, !kept);
    if (!kept)
        return make_somewhere(i);
    const int lock = cache_lock(i->cache, i->kept, seconds);
    const pav_status status = load_kept(i) ? PAV_OK : make_somewhere(i);
    cache_unlock(i->kept, lock);
    return status;
}

/* ---- links from pieces to objects -------------------------------------------------- */

/* A link whose object was pruned is removed. */
bool cache_find_piece(kernel_cache *c, const cache_maker *maker, const void *piece,
                      char path[2 * CACHE_PATH])
{
    char link[2 * CACHE_PATH], name[NAMES];

    if (!c->path[0])
        cache_open(c);
    path_of_key(c, maker, piece, ".piece", link);
    const ssize_t length = c->lasting ? readlink(link, name, sizeof name) : -1;
    if (length <= 0 || length >= (ssize_t)sizeof name ||
        memchr(name, '/', (size_t)length))
        return false;
    (void)snprintf(path, 2 * CACHE_PATH, "%s/%.*s", c->path, (int)length, name);
    if (access(path, R_OK) == 0)
        return true;
    (void)unlink(link);
    return false;
}

void cache_link_piece(const kernel_cache *c, const cache_maker *maker, const void *piece,
                      const void *object)
{
    char link[2 * CACHE_PATH], path[2 * CACHE_PATH];

    path_of_key(c, maker, piece, ".piece", link);
    path_of_key(c, maker, object, maker->ending, path);
    if (c->lasting && access(path, R_OK) == 0)
        (void)symlink(path_name(path), link);
}

static _Atomic int64_t loads, unkept;

void cache_count_load(unsigned how)
{
    loads += !(how & HOST_FIND);
}

int64_t pav_kernel_loads(void)
{
    return loads;
}

int64_t pav_kernels_not_kept(void)
{
    return unkept;
}

/* Loads an offered image. Then the cache and compilers are not used. */
static pav_status load_image(kernel_cache *c, const cache_maker *maker, void *of)
{
    char key[IMAGE_KEY], path[2 * CACHE_PATH];
    cache_key(maker, of, false, key);
    const kernel_image *i = images_find(key, maker->ending);
    if (!i)
        return FAIL(PAV_EUNSUPPORTED,
                    "the bundle lacks these kernels, and with a bundle nothing is "
                    "compiled: leave --bundle out, or let `pavior compile -o` make one "
                    "of this description, device and schedule");
    cache_open(c);
    pav_status status = cache_begin_work(c);
    (void)snprintf(path, sizeof path, "%s/kernels%s", c->work, i->kind);
    if (status == PAV_OK)
        status = cache_write(path, i->bytes, i->length);
    if (status == PAV_OK)
        status = maker->load(of, path);
    cache_end_work(c);
    return status;
}

pav_status cache_load(kernel_cache *c, const cache_maker *maker, unsigned how, void *of)
{
    if (images_are_offered())
        return load_image(c, maker, of);
    if (maker->find)
        TRY(maker->find(of));
    OWNED_NEW(item, i, 1);
    cache_count_load(how);
    cache_open(c);
    *i = (item){.cache = c, .maker = maker, .how = how, .of = of};
    const pav_status status = find_or_make(i, settings_compiler_seconds());
    unkept += status == PAV_OK && how & HOST_KEEP && !c->lasting;
    return status;
}
