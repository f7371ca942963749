/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of unfinished files, and their removal: the next run writing into the directory
 * removes files of killed processes.
 *
 * The name contains the process: .pavior-SYSTEM-PROCESS-NUMBER. A process number has a
 * meaning only within one boot of a system and one process namespace (a container's), so
 * SYSTEM is a hash of both. Files of other systems sharing the directory are left
 * alone. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/io_private.h"

enum { MOST = 256 };

static void add_file(hash *h, const char *path)
{
    char bytes[MOST];
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file >= 0 ? read(file, bytes, sizeof bytes) : -1;

    if (length > 0)
        hash_add(h, bytes, length);
    if (file >= 0)
        (void)close(file);
}

static void add_link(hash *h, const char *path)
{
    char bytes[MOST];
    const ssize_t length = readlink(path, bytes, sizeof bytes);

    if (length > 0)
        hash_add(h, bytes, length);
}

static void add_prefix(text *name)
{
    hash h;

    hash_init(&h);
    add_file(&h, "/proc/sys/kernel/random/boot_id");
    add_link(&h, "/proc/self/ns/pid");
    text_add(name, ".pavior-%016llx-", (unsigned long long)hash_end(&h));
}

void out_temporary_name(text *name)
{
    static atomic_uint number;

    add_prefix(name);
    text_add(name, "%ld-%u", (long)getpid(), atomic_fetch_add(&number, 1));
}

/* True if the name is exactly PROCESS-NUMBER and the process no longer exists. */
static bool is_gone(const char *name)
{
    static const char digits[] = "0123456789";
    const size_t first = strspn(name, digits);
    const size_t second = name[first] == '-' ? strspn(name + first + 1, digits) : 0;
    const long process = strtol(name, NULL, 10);

    return first > 0 && second > 0 && name[first + 1 + second] == '\0' && process > 0 &&
           process == (pid_t)process && kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

static bool is_own_file(int directory, const char *name)
{
    struct stat s;

    return fstatat(directory, name, &s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(s.st_mode) &&
           s.st_uid == geteuid();
}

pav_status io_remove_leftovers(const char *directory)
{
    text prefix = {0};
    DIR *all = opendir(directory);

    add_prefix(&prefix);
    const bool failed = prefix.failed;
    for (const struct dirent *one = NULL; !failed && all && (one = readdir(all));)
        if (strncmp(one->d_name, prefix.data, (size_t)prefix.length) == 0 &&
            is_gone(one->d_name + prefix.length) && is_own_file(dirfd(all), one->d_name))
            (void)unlinkat(dirfd(all), one->d_name, 0);
    text_free(&prefix);
    if (all)
        (void)closedir(all);
    return failed ? PAV_ENOMEM : PAV_OK;
}
