/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of wisdom. A writer holds a lock next to the file, reads the present content, and
 * replaces the file by a complete new one. Readers see the old or the new file, and two
 * writers never lose a line. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "wisdom/wisdom.h"

static const char system_path[] = "/etc/pavior/wisdom";
extern const char wisdom_shipped[]; /* src/code/wisdom/shipped/shipped.wisdom */

bool wisdom_path(char path[WISDOM_PATH])
{
    enum { ENDING = 16 /* bytes appended to the path */ };
    static const user_place places[] = {{"PAV_WISDOM", ""},
                                        {"XDG_DATA_HOME", "/pavior/wisdom"},
                                        {"HOME", "/.local/share/pavior/wisdom"}};
    return path_of_user(places, COUNT_OF(places), ENDING, WISDOM_PATH, path) &&
           strcmp(path, "none") != 0;
}

static bool is_named(void)
{
    const char *value = getenv("PAV_WISDOM");
    return value && *value;
}

/* ---- reading ----------------------------------------------------------------------- */

static pav_status load(const char *path, wisdom *w)
{
    OWNED char *bytes = NULL;
    int64_t length = 0;
    *w = (wisdom){0};
    if (access(path, F_OK) != 0 || strcmp(path, "/dev/null") == 0)
        return PAV_OK;
    TRY(file_read_ordinary(path, WISDOM_MOST_BYTES, &bytes, &length));
    return length > 0 ? wisdom_parse(bytes, length, path, w) : PAV_OK;
}

/* Adds lines for problems without a line of equal or higher effort. A measurement on this
 * machine counts more than a rate claimed by an imported line. */
static pav_status add_all(wisdom *w, const wisdom *more)
{
    for (int64_t n = 0; n < more->count; n++) {
        const wisdom_line *known = wisdom_find(w, &more->line[n]);
        bool is_taken;
        if (!known || known->effort < more->line[n].effort)
            TRY(wisdom_add(w, &more->line[n], &is_taken));
    }
    return PAV_OK;
}

pav_status wisdom_load_shipped(wisdom *w)
{
    return wisdom_parse(wisdom_shipped, (int64_t)strlen(wisdom_shipped),
                        "wisdom that is shipped", w);
}

pav_status wisdom_load(wisdom *w)
{
    char path[WISDOM_PATH];
    OWNED_BY(wisdom_free) wisdom all = {0}, of_system = {0}, shipped = {0};
    *w = (wisdom){0};
    if (wisdom_path(path))
        TRY(load(path, &all));
    if (!is_named()) {
        TRY(load(system_path, &of_system));
        TRY(add_all(&all, &of_system));
        TRY(wisdom_load_shipped(&shipped));
        TRY(add_all(&all, &shipped));
    }
    *w = all;
    all = (wisdom){0};
    return PAV_OK;
}

/* ---- writing ----------------------------------------------------------------------- */

static pav_status cannot(const char *path, int error)
{
    return FAIL(write_status(error), "wisdom cannot be kept in %s: %s%s", path,
                strerror(error), write_hint(error, path));
}

pav_status wisdom_make_directory(const char *path)
{
    char directory[WISDOM_PATH];
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return PAV_OK;
    (void)snprintf(directory, sizeof directory, "%.*s", (int)(slash - path), path);
    return directory_make(directory);
}

/* Takes the lock; it is held until the file is closed. */
static pav_status take_lock(const char *path, int *lock)
{
    char name[WISDOM_PATH + 8];
    (void)snprintf(name, sizeof name, "%s.lock", path);
    *lock = file_above_streams(open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (*lock < 0)
        return cannot(path, errno);
    while (flock(*lock, LOCK_EX) != 0)
        if (errno != EINTR)
            return cannot(path, errno);
    return PAV_OK;
}

static int put(FILE *file, const text *t)
{
    errno = 0;
    const bool written = fwrite(t->data, 1, (size_t)t->length, file) ==
                             (size_t)t->length &&
                         fflush(file) == 0 && fsync(fileno(file)) == 0;
    const int error = written ? 0 : errno ? errno : EIO;
    return fclose(file) == 0 || error ? error : errno;
}

pav_status wisdom_replace(const char *path, const text *t)
{
    char made[WISDOM_PATH + 32];
    if (t->failed)
        return PAV_ENOMEM;
    (void)snprintf(made, sizeof made, "%s.%ld", path, (long)getpid());
    FILE *file = file_write(made, false);
    int error = file ? put(file, t) : errno;
    if (error == 0 && rename(made, path) != 0)
        error = errno;
    if (error == 0)
        return directory_sync(path) == 0 ? PAV_OK : cannot(path, errno);
    (void)unlink(made);
    return cannot(path, error);
}

/* Changes the present content under the lock. */
typedef pav_status wisdom_change(void *user, wisdom *w, bool *changed);
static pav_status change(wisdom_change *make, void *user)
{
    char path[WISDOM_PATH];
    OWNED_BY(wisdom_free) wisdom w = {0};
    OWNED_BY(text_free) text t = {0};
    OWNED_BY(handle_close) int lock = -1;
    bool changed = false;
    if (!wisdom_path(path))
        return FAIL(PAV_EIO, "there is no place to keep wisdom in: PAV_WISDOM names one");
    TRY(wisdom_make_directory(path));
    TRY(take_lock(path, &lock));
    TRY(load(path, &w));
    TRY(make(user, &w, &changed));
    if (!changed)
        return PAV_OK;
    wisdom_print(&w, &t);
    return wisdom_replace(path, &t);
}

typedef struct keeping {
    const wisdom *more;
    bool measured;
    int64_t taken;
} keeping;

static pav_status keep(void *user, wisdom *w, bool *changed)
{
    keeping *k = user;
    for (int64_t n = 0; n < k->more->count; n++) {
        bool is_taken;
        TRY((k->measured ? wisdom_renew : wisdom_add)(w, &k->more->line[n], &is_taken));
        k->taken += is_taken;
    }
    *changed = k->taken > 0;
    return PAV_OK;
}

pav_status wisdom_keep(const wisdom *more, bool measured, int64_t *taken)
{
    keeping k = {.more = more, .measured = measured};
    const pav_status status = change(keep, &k);
    if (taken)
        *taken = status == PAV_OK ? k.taken : 0;
    return status;
}

typedef struct forgetting {
    wisdom_filter *leave;
    const void *user;
    int64_t forgotten;
} forgetting;

static pav_status forget(void *user, wisdom *w, bool *changed)
{
    forgetting *f = user;
    int64_t left = 0;
    for (int64_t n = 0; n < w->count; n++)
        if (f->leave(f->user, &w->line[n]))
            w->line[left++] = w->line[n];
    f->forgotten = w->count - left;
    w->count = left;
    *changed = f->forgotten > 0;
    return PAV_OK;
}

pav_status wisdom_forget(wisdom_filter *leave, const void *user, int64_t *forgotten)
{
    forgetting f = {.leave = leave, .user = user};
    const pav_status status = change(forget, &f);
    *forgotten = status == PAV_OK ? f.forgotten : 0;
    return status;
}
