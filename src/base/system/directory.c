/* SPDX-License-Identifier: BSD-3-Clause */
/* Directories: finds the existing part of a path, makes the missing part, or predicts why
 * making it would fail. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base_private.h"

/* Cuts the last name off a path, down to "." or "/"; false if there is nothing left to
 * cut. */
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

bool path_nearest(const char *path, char there[PATH_SIZE], char missing[PATH_SIZE])
{
    struct stat about;

    missing[0] = '\0';
    if (strlen(path) >= PATH_SIZE)
        return false;
    memcpy(there, *path ? path : ".", strlen(path) + 1 + !*path);
    for (size_t n = strlen(there); n > 1 && there[n - 1] == '/'; n--)
        there[n - 1] = '\0';
    while (stat(there, &about) != 0) {
        memcpy(missing, there, strlen(there) + 1);
        if (!go_up(there))
            return false;
    }
    return true;
}

static pav_status refuse(const char *path, int error)
{
    return FAIL(write_status(error), "the directory %s cannot be made: %s", path,
                strerror(error));
}

/* Checks that the existing path is a directory. */
static pav_status check_kind(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISDIR(about.st_mode)
               ? PAV_OK
               : FAIL(PAV_EIO, "%s is wanted as a directory, but it is a file", path);
}

/* Makes one directory. Another process may make it at the same moment. */
static pav_status make_one(const char *path)
{
    struct stat about;

    if (mkdir(path, 0777) == 0)
        return PAV_OK;
    const int error = errno;
    return stat(path, &about) != 0 ? refuse(path, error) : check_kind(path);
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

/* The errno of making the directory; 0 if no obstacle is known. A dangling link is an
 * obstacle. */
static int error_of_making(const char *missing, const char *above)
{
    struct stat about;

    if (lstat(missing, &about) == 0)
        return EEXIST;
    if (errno != ENOENT)
        return errno;
    return access(above, W_OK | X_OK) == 0 ? 0 : errno;
}

pav_status directory_check(const char *path)
{
    char there[PATH_SIZE], missing[PATH_SIZE];

    if (!path_nearest(path, there, missing))
        return refuse(path, strlen(path) < PATH_SIZE ? ENOENT : ENAMETOOLONG);
    TRY(check_kind(there));
    if (*missing == '\0')
        return access(there, W_OK | X_OK) == 0
                   ? PAV_OK
                   : FAIL(PAV_EIO, "nothing can be written into %s: %s", there,
                          strerror(errno));
    const int error = error_of_making(missing, there);
    return error ? refuse(missing, error) : PAV_OK;
}
