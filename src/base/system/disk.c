/* SPDX-License-Identifier: BSD-3-Clause */
/* Disks: free space, and syncing of names so they survive a power cut. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/base_private.h"

int64_t disk_available(const char *path, uint64_t *which)
{
    char there[PATH_SIZE], missing[PATH_SIZE];
    struct stat about;
    struct statvfs disk;
    int64_t bytes;

    *which = 0;
    if (!path_nearest(path, there, missing) || stat(there, &about) != 0)
        return -1;
    /* a file system without blocks (/proc) cannot be full */
    if (statvfs(there, &disk) != 0 || disk.f_blocks == 0)
        return -1;
    *which = (uint64_t)about.st_dev;
    return mul_fits((int64_t)disk.f_bavail, (int64_t)disk.f_frsize, &bytes) ? bytes
                                                                            : INT64_MAX;
}

void text_add_room(text *t, int file, int64_t needed)
{
    enum { BLOCK = 512 /* bytes per unit of st_blocks */ };
    struct statvfs disk;
    struct stat own;

    if (file < 0 || fstatvfs(file, &disk) != 0 || fstat(file, &own) != 0)
        return;
    const int64_t room = (int64_t)disk.f_bavail * (int64_t)disk.f_frsize +
                         (int64_t)own.st_blocks * BLOCK;
    text_add(t, "; ");
    if (needed > 0)
        text_add_bytes_size(t, needed);
    text_add(t, needed > 0 ? " are needed and " : "more than the ");
    text_add_bytes_size(t, room);
    text_add(t, needed > 0 ? " free" : " free are needed");
}

static void add_directory(const char *path, text *t)
{
    const char *slash = strrchr(path, '/');

    text_add_bytes(t, slash ? path : ".", slash ? slash - path + 1 : 1);
}

/* True if the directory of the path exists. Creating a file in /proc fails with ENOENT
 * although the directory exists. */
static bool has_directory(const char *path)
{
    struct stat about;
    text directory = {0};

    add_directory(path, &directory);
    const bool there = !directory.failed && stat(directory.data, &about) == 0;
    text_free(&directory);
    return there;
}

const char *write_hint(int error, const char *path)
{
    switch (error) {
    case ENOENT:
        return has_directory(path) ? "; its directory takes no new files: write elsewhere"
                                   : "; its directory is not there: make it";
    case ENOTDIR: return "; a part of its path is no directory";
    case EACCES:
    case EPERM:
    case EROFS: return "; write into a directory that you may write to";
    case ENOSPC:
    case EDQUOT: return "; free some space or write elsewhere";
    case EFBIG: return "; a limit on the size of files stands in the way (ulimit -f)";
    default: return "";
    }
}

pav_status write_status(int error)
{
    return error == ENOSPC || error == EDQUOT ? PAV_EFULL
           : error == ENOMEM                  ? PAV_ENOMEM
                                              : PAV_EIO;
}

/* Some file systems do not need to sync directories and return EINVAL. */
int directory_sync(const char *path)
{
    text directory = {0};

    add_directory(path, &directory);
    const int file = directory.failed
                         ? -1
                         : open(directory.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = directory.failed ? ENOMEM : file < 0 ? errno : 0;
    text_free(&directory);
    if (file < 0)
        return error;
    if (fsync(file) != 0 && errno != EINVAL)
        error = errno;
    (void)close(file);
    return error;
}
