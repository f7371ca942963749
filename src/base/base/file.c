/* SPDX-License-Identifier: BSD-3-Clause */
/* Files and directories. Whole files are read until their end, so pipes and /proc work
 * too. Files are opened safely while standard streams are closed. Failed writes are
 * explained: a full disk, a missing directory. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/base_private.h"

enum { CHUNK = 64 << 10, PATH_SIZE = 4096 };

bool path_leads_out(const char *path)
{
    bool out = path[0] == '/';

    for (const char *at = path; *at && !out; at += strspn(at, "/")) {
        const size_t length = strcspn(at, "/");
        out = length == 2 && at[0] == '.' && at[1] == '.';
        at += length;
    }
    return out;
}

static const char *oddity_of(const struct stat *about)
{
    switch (about->st_mode & S_IFMT) {
    case S_IFREG: return NULL;
    case S_IFDIR: return "it is a directory";
    case S_IFIFO: return "it is a pipe, and an ordinary file is needed";
    case S_IFSOCK: return "it is a socket, and an ordinary file is needed";
    default: return "it is a device, and an ordinary file is needed";
    }
}

const char *file_oddity(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 ? oddity_of(&about) : NULL;
}

/* Reads on to the end or past `limit`, whichever comes first. */
static pav_status read_all(FILE *file, const char *path, int64_t limit, text *t)
{
    char chunk[CHUNK], size[SIZE_TEXT];
    size_t got = sizeof chunk;

    while (got == sizeof chunk) {
        errno = 0;
        got = fread(chunk, 1, sizeof chunk, file);
        text_add_bytes(t, chunk, (int64_t)got);
        if (ferror(file))
            return FAIL(PAV_EIO, "%s cannot be read: %s", path, strerror(errno));
        if (t->failed)
            return FAIL(PAV_ENOMEM, "%s cannot be read: %s", path, pav_message());
        if (t->length > limit)
            return FAIL(PAV_ELIMIT,
                        "%s is larger than the %s that are read of such a file", path,
                        size_text(limit, size));
    }
    return PAV_OK;
}

static pav_status read_and_close(FILE *file, const char *path, int64_t limit, char **data,
                                 int64_t *length)
{
    OWNED_BY(text_free) text t = {0};
    const pav_status status = read_all(file, path, limit, &t);

    fclose(file);
    TRY(status);
    *length = t.length;
    return text_take(&t, data);
}

pav_status file_read(const char *path, int64_t limit, char **data, int64_t *length)
{
    *data = NULL;
    *length = 0;
    FILE *file = fopen(path, "rb");
    return file ? read_and_close(file, path, limit, data, length)
                : FAIL(PAV_EIO, "%s cannot be opened: %s", path, strerror(errno));
}

/* Checks the open file itself, because its name may lead elsewhere by now. */
static pav_status refuse_open(int file, const char *path, file_trust *trusts)
{
    struct stat about;

    if (fstat(file, &about) != 0)
        return FAIL(PAV_EIO, "%s cannot be read: %s", path, strerror(errno));
    return oddity_of(&about)
               ? FAIL(PAV_EIO, "%s cannot be read: %s", path, oddity_of(&about))
           : trusts ? trusts(&about, path)
                    : PAV_OK;
}

pav_status file_read_trusted(const char *path, int64_t limit, file_trust *trusts,
                             char **data, int64_t *length)
{
    *data = NULL;
    *length = 0;
    const int number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* of a pipe */
    if (number < 0)
        return FAIL(PAV_EIO, "%s cannot be opened: %s", path, strerror(errno));
    const pav_status status = refuse_open(number, path, trusts);
    FILE *file = status == PAV_OK ? fdopen(number, "rb") : NULL;
    if (file)
        return read_and_close(file, path, limit, data, length);
    (void)close(number);
    return status != PAV_OK ? status
                            : FAIL(PAV_ENOMEM, "%s cannot be read: no memory", path);
}

pav_status file_read_ordinary(const char *path, int64_t limit, char **data,
                              int64_t *length)
{
    return file_read_trusted(path, limit, NULL, data, length);
}

void stdio_close(FILE *const *file)
{
    const int error = errno;

    if (*file)
        (void)fclose(*file);
    errno = error;
}

void handle_close(const int *file)
{
    const int error = errno;

    if (*file >= 0)
        (void)close(*file);
    errno = error;
}

void listing_close(DIR *const *directory)
{
    const int error = errno;

    if (*directory)
        (void)closedir(*directory);
    errno = error;
}

int file_above_streams(int file)
{
    if (file < 0 || file > STDERR_FILENO)
        return file;
    const int apart = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    handle_close(&file);
    return apart;
}

FILE *file_write(const char *path, bool append)
{
    const int how = O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC);
    const int number = file_above_streams(open(path, how, 0666));
    FILE *file = number >= 0 ? fdopen(number, append ? "ab" : "wb") : NULL;

    if (!file)
        handle_close(&number);
    return file;
}

bool path_of_user(const user_place *place, int count, int room, int size, char *path)
{
    for (int k = 0; k < count; k++) {
        const char *value = getenv(place[k].variable);
        if (value && *value)
            return snprintf(path, (size_t)size, "%s%s", value, place[k].rest) <
                   size - room;
    }
    path[0] = '\0';
    return false;
}

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

const char *path_ending(const char *path)
{
    static const char packed[] = ".zst";
    const char *first = path_name(path);
    const char *dot = strrchr(first, '.');

    if (!dot)
        return path + strlen(path);
    if (strcmp(dot, packed) == 0)
        for (const char *at = dot; at > first; at--)
            if (at[-1] == '.')
                return at - 1;
    return dot;
}

/* ---- directories ------------------------------------------------------------------- */

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

/* Finds the path or the nearest existing directory above it. missing: the first missing
 * path below it, or "". False if nothing exists or the path is too long. */
static bool path_nearest(const char *path, char there[PATH_SIZE], char missing[PATH_SIZE])
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
    OWNED_BY(text_free) text part = {0};

    for (const char *at = path; *at;) {
        at += strspn(at, "/");
        at += strcspn(at, "/");
        part.length = 0;
        text_add_bytes(&part, path, at - path);
        if (part.failed)
            return PAV_ENOMEM;
        TRY(make_one(part.data));
    }
    return PAV_OK;
}

/* The errno of making the directory `missing` in `above`, without making it; 0 if nothing
 * prevents it. A dangling link of this name prevents it, too. */
static int error_of_making(const char *missing, const char *above)
{
    struct stat about;

    if (lstat(missing, &about) == 0)
        return EEXIST;
    return errno != ENOENT ? errno : access(above, W_OK | X_OK) == 0 ? 0 : errno;
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

/* ---- disks ------------------------------------------------------------------------- */

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
    OWNED_BY(text_free) text directory = {0};
    struct stat about;

    add_directory(path, &directory);
    return !directory.failed && stat(directory.data, &about) == 0;
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
    OWNED_BY(text_free) text directory = {0};

    add_directory(path, &directory);
    if (directory.failed)
        return ENOMEM;
    OWNED_BY(handle_close)
    const int file = open(directory.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return file < 0 || (fsync(file) != 0 && errno != EINVAL) ? errno : 0;
}
