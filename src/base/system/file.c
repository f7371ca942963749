/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads whole files until their end, so pipes and /proc work too. Opens files safely
 * while standard streams are closed, recognises special files, and finds the endings of
 * names. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base_private.h"

enum { CHUNK = 64 << 10 };

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

static pav_status read_and_close(FILE *file, const char *path, int64_t limit, char **data,
                                 int64_t *length)
{
    text t = {0};
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

pav_status file_read(const char *path, int64_t limit, char **data, int64_t *length)
{
    *data = NULL;
    *length = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return FAIL(PAV_EIO, "%s cannot be opened: %s", path, strerror(errno));
    return read_and_close(file, path, limit, data, length);
}

/* Checks the open file itself, because its name may lead elsewhere by now. */
static pav_status refuse_open(int file, const char *path, file_trust *trusts)
{
    struct stat about;

    if (fstat(file, &about) != 0)
        return FAIL(PAV_EIO, "%s cannot be read: %s", path, strerror(errno));
    if (oddity_of(&about))
        return FAIL(PAV_EIO, "%s cannot be read: %s", path, oddity_of(&about));
    return trusts ? trusts(&about, path) : PAV_OK;
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

int file_apart(int file)
{
    if (file < 0 || file > STDERR_FILENO)
        return file;
    const int apart = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int error = errno;
    (void)close(file);
    errno = error;
    return apart;
}

void streams_take(closed_streams *s)
{
    int file;

    *s = (closed_streams){{false}};
    while ((file = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0 && file <= STDERR_FILENO)
        s->taken[file] = true;
    if (file >= 0)
        (void)close(file);
}

void streams_leave(const closed_streams *s)
{
    for (int k = 0; k <= STDERR_FILENO; k++)
        if (s->taken[k])
            (void)close(k);
}

FILE *file_write(const char *path, bool append)
{
    const int how = O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC);
    const int number = file_apart(open(path, how, 0666));
    FILE *file = number >= 0 ? fdopen(number, append ? "ab" : "wb") : NULL;

    if (number >= 0 && !file) {
        const int error = errno;
        (void)close(number);
        errno = error;
    }
    return file;
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
