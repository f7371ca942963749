/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a whole file, whose size is found by reading, so that pipes and /proc work too; making
 * directories; and what is free on disks. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/base_private.h"

enum { CHUNK = 64 << 10, PATH_SIZE = 4096 };

/* Reads on to the end or past `limit`, whichever comes first. */
static pav_status read_all(FILE *file, const char *path, int64_t limit, text *t)
{
    char chunk[CHUNK];

    for (;;) {
        errno = 0;
        const size_t got = fread(chunk, 1, sizeof chunk, file);
        text_add_bytes(t, chunk, (int64_t)got);
        if (ferror(file))
            return FAIL(PAV_EIO, "%s cannot be read: %s", path, strerror(errno));
        if (t->failed)
            return FAIL(PAV_ENOMEM, "%s cannot be read: %s", path, pav_message());
        if (t->length > limit)
            break;
        if (got < sizeof chunk)
            return PAV_OK;
    }
    char size[SIZE_TEXT];
    return FAIL(PAV_ELIMIT, "%s is larger than the %s that are read of such a file", path,
                size_text(limit, size));
}

pav_status file_read(const char *path, int64_t limit, char **data, int64_t *length)
{
    text t = {0};

    *data = NULL;
    *length = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return FAIL(PAV_EIO, "%s cannot be opened: %s", path, strerror(errno));
    pav_status status = read_all(file, path, limit, &t);
    const int64_t size = t.length;
    fclose(file);
    if (status == PAV_OK)
        status = text_take(&t, data);
    else
        text_free(&t);
    *length = status == PAV_OK ? size : 0;
    return status;
}

/* One directory; somebody else may make it at the same moment. */
static pav_status make_one(const char *path)
{
    struct stat about;

    if (mkdir(path, 0777) == 0)
        return PAV_OK;
    const int error = errno;
    if (stat(path, &about) != 0)
        return FAIL(PAV_EIO, "the directory %s cannot be made: %s", path,
                    strerror(error));
    return S_ISDIR(about.st_mode)
               ? PAV_OK
               : FAIL(PAV_EIO, "%s is wanted as a directory, but it is a file", path);
}

pav_status directory_make(const char *path)
{
    text part = {0};
    pav_status status = PAV_OK;

    for (const char *at = path; status == PAV_OK && *path;) {
        at += strspn(at, "/");
        at += strcspn(at, "/");
        part.length = 0;
        text_add_bytes(&part, path, at - path);
        status = part.failed ? PAV_ENOMEM : make_one(part.data);
        if (!*at)
            break;
    }
    text_free(&part);
    return status;
}

/* Cuts the last name off a path, down to "." or "/"; false when there is nothing left to cut. */
static bool go_up(char path[PATH_SIZE])
{
    const char *top = path[0] == '/' ? "/" : ".";
    size_t length = strlen(path);

    if (strcmp(path, top) == 0)
        return false;
    while (length > 0 && path[length - 1] == '/')
        length--;
    while (length > 0 && path[length - 1] != '/')
        length--;
    while (length > 0 && path[length - 1] == '/')
        length--;
    path[length] = '\0';
    if (length == 0)
        memcpy(path, top, 2);
    return true;
}

int64_t disk_available(const char *path, uint64_t *which)
{
    char nearest[PATH_SIZE] = ".";
    struct stat about;
    struct statvfs disk;
    int64_t bytes;

    *which = 0;
    if (strlen(path) >= sizeof nearest)
        return -1;
    if (*path)
        memcpy(nearest, path, strlen(path) + 1);
    bool there = stat(nearest, &about) == 0;
    while (!there && go_up(nearest))
        there = stat(nearest, &about) == 0;
    if (!there || statvfs(nearest, &disk) != 0)
        return -1;
    *which = (uint64_t)about.st_dev;
    return mul_fits((int64_t)disk.f_bavail, (int64_t)disk.f_frsize, &bytes) ? bytes
                                                                            : INT64_MAX;
}
