/* SPDX-License-Identifier: BSD-3-Clause */
/* Syncs the files of a series for checkpoints: a checkpoint counts files only if they are
 * on the disk. Files are noted when written and synced on request; by then the system has
 * written most of them back. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "io/io_private.h"

enum { MOST = 64 << 10 /* largest size of the noted names, bytes */ };

static pav_status cannot_sync(const char *path, int error)
{
    return FAIL(PAV_EIO, "%s is written, but cannot be brought to the disk: %s", path,
                strerror(error));
}

/* Syncs a file. A file moved away meanwhile is no failure. */
static pav_status sync_file(const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);

    if (file < 0)
        return errno == ENOENT ? PAV_OK : cannot_sync(path, errno);
    const int error = fsync(file) != 0 ? errno : 0;
    (void)close(file);
    return error ? cannot_sync(path, error) : PAV_OK;
}

/* Syncs the files and their directory; all files of a series are in one directory. */
pav_status series_sync(series *s)
{
    const char *last = NULL;

    for (int64_t at = 0; at < s->recent.length;) {
        last = s->recent.data + at;
        TRY(sync_file(last));
        at += (int64_t)strlen(last) + 1;
    }
    const int error = last ? directory_sync(last) : 0;
    if (error && error != ENOENT)
        return cannot_sync(last, error);
    s->recent.length = 0;
    return PAV_OK;
}

static bool is_noted(const series *s, const char *path)
{
    for (int64_t at = 0; at < s->recent.length;
         at += (int64_t)strlen(s->recent.data + at) + 1)
        if (strcmp(s->recent.data + at, path) == 0)
            return true;
    return false;
}

pav_status series_note(series *s, const char *path)
{
    if (s->format->film && is_noted(s, path))
        return PAV_OK;
    text_add_bytes(&s->recent, path, (int64_t)strlen(path) + 1);
    if (s->recent.failed)
        return FAIL(PAV_ENOMEM, "%s is written, but its name cannot be kept: %s", path,
                    pav_message());
    return s->recent.length > MOST ? series_sync(s) : PAV_OK;
}
