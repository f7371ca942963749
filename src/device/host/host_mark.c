/* SPDX-License-Identifier: BSD-3-Clause */
/* Directories made by Pavior carry a mark: the file CACHEDIR.TAG, known to backup
 * programs. Files in a directory without the mark belong to somebody else and are never
 * removed, whatever their names. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/device_private.h"

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

int mark_make(char *path)
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
