/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of kept files. A file is called NAME.new until something refers to it, so files
 * left by killed processes can be recognised. Open files are locked. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "io/striped/striped_private.h"

static const char ending[] = ".new";

static char *joined(const char *a, const char *b, const char *c)
{
    const size_t length = strlen(a) + strlen(b) + strlen(c) + 1;
    char *all = malloc(length);
    if (all)
        (void)snprintf(all, length, "%s%s%s", a, b, c);
    return all;
}

char *name_of(const char *path, bool is_new)
{
    return joined(path, is_new ? ending : "", "");
}

/* Renames a file to its final name if a process was killed before doing so. */
void name_settle(const char *path)
{
    char *was = name_of(path, true);
    if (was && access(path, F_OK) != 0)
        (void)rename(was, path);
    free(was);
}

void striped_settle(striped *s)
{
    for (int n = 0; n < s->files && s->is_new; n++) {
        char *path = s->file[n].path;
        path[strlen(path) - strlen(ending)] = '\0';
        name_settle(path);
    }
    s->is_new = false;
}

enum { PATIENCE = 5, PAUSE = 10000000 }; /* seconds, nanoseconds */

/* Tries to lock the file for a while. Pending writes of a killed process keep its files
 * and their locks for some time after its end. */
static bool lock_in_time(int file)
{
    const double begun = clock_seconds();
    while (flock(file, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK || clock_seconds() - begun > PATIENCE)
            return false;
        (void)nanosleep(&(struct timespec){0, PAUSE}, NULL);
    }
    return true;
}

/* Locks the file. If the file system has no locks, every process is let in. */
bool name_lock(int file)
{
    return lock_in_time(file) || errno != EWOULDBLOCK;
}

/* ---- leftovers --------------------------------------------------------------------- */

static bool has_ending(const char *name)
{
    const size_t length = strlen(name);
    return length > strlen(ending) && strcmp(name + length - strlen(ending), ending) == 0;
}

static bool is_kept(const char *path, const striped_options *o)
{
    const size_t length = strlen(path) - strlen(ending);
    for (int n = 0; n < o->paths; n++)
        if (strlen(o->path[n]) == length && strncmp(path, o->path[n], length) == 0)
            return true;
    return false;
}

/* Removes one file. The file is locked meanwhile, so a file just made by another process
 * is not removed. */
static int64_t remove_one(const char *path)
{
    struct stat about;
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    const bool removed = file >= 0 && lock_in_time(file) && fstat(file, &about) == 0 &&
                         S_ISREG(about.st_mode) && unlink(path) == 0;
    if (file >= 0)
        (void)close(file);
    return removed ? about.st_size : 0;
}

int64_t striped_remove_left(const char *directory, const char *begin,
                            const striped_options *kept)
{
    DIR *all = opendir(directory);
    int64_t bytes = 0;
    for (const struct dirent *e; all && (e = readdir(all));) {
        if (strncmp(e->d_name, begin, strlen(begin)) != 0 || !has_ending(e->d_name))
            continue;
        char *path = joined(directory, "/", e->d_name);
        if (path && !is_kept(path, kept))
            bytes += remove_one(path);
        free(path);
    }
    if (all)
        (void)closedir(all);
    return bytes;
}
