/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of one output during a run. By the ending of the path: one file per step,
 * named by the step, or one file for all steps, possibly an index of files. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "io/io_private.h"

/* ---- syncs for checkpoints --------------------------------------------------------- */

/* Syncs the files of a series for checkpoints: a checkpoint counts files only if they are
 * on the disk. Files are noted when written and synced on request; by then the system has
 * written most of them back. */

enum { MOST = 64 << 10 /* largest size of the noted names, bytes */ };

static pav_status cannot_sync(const char *path, int error)
{
    return FAIL(PAV_EIO, "%s is written, but cannot be brought to the disk: %s", path,
                strerror(error));
}

/* Syncs a file. A file moved away meanwhile is no failure. */
static pav_status sync_file(const char *path)
{
    OWNED_BY(handle_close) const int file = open(path, O_RDONLY | O_CLOEXEC);

    if (file < 0)
        return errno == ENOENT ? PAV_OK : cannot_sync(path, errno);
    return fsync(file) == 0 ? PAV_OK : cannot_sync(path, errno);
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

/* ---- series ------------------------------------------------------------------------ */

void path_of_step(const char *path, const char *ending, int64_t step, text *t)
{
    const char *dot = path_ending(path);

    text_add_bytes(t, path, dot - path);
    if (step >= 0)
        text_add(t, "-%06lld", (long long)step);
    text_add(t, "%s", ending ? ending : dot);
}

/* The name of the file written at a step. */
void series_name_at(const series *s, int64_t step, text *path)
{
    const bool one = s->format->film || !s->style.numbered;

    path->length = 0;
    path_of_step(s->path, NULL, one ? -1 : step, path);
}

/* Finds the format of a path and checks that it can be written here under this name. */
static const io_format *find_format(const char *path)
{
    const io_format *format = io_find(path);
    const char *slash = strrchr(path, '/');

    if (!format)
        return NULL;
    if (format->missing && format->missing()) {
        (void)FAIL(PAV_EUNSUPPORTED, "%s: %s", path, format->missing());
        return NULL;
    }
    if (format == &xdmf_format && strchr(slash ? slash : path, ':')) {
        (void)FAIL(PAV_EUNSUPPORTED,
                   "%s: readers of .xdmf files take the part behind a colon for a "
                   "dataset; give it a name without a colon",
                   path);
        return NULL;
    }
    return format;
}

pav_status series_open(const char *path, const series_style *style, series **result)
{
    const io_format *format = find_format(path);

    *result = NULL;
    if (!format)
        return PAV_EUNSUPPORTED;
    OWNED_NEW(series, s, 1);
    *s = (series){.format = format, .style = *style, .range = {INFINITY, -INFINITY, 0}};
    TRY(text_copy(path, &s->path));
    *result = mem_hand_over(&s);
    return PAV_OK;
}

pav_status series_try(const series *s)
{
    OWNED_BY(text_free) text path = {0};

    series_name_at(s, 0, &path);
    return path.failed ? PAV_ENOMEM : out_try(path.data);
}

pav_status series_add(series *s, const io_frame *f, text *path)
{
    series_name_at(s, f->step, path);
    if (path->failed)
        return PAV_ENOMEM;
    TRY(s->format->fill ? frame_write(path->data, s->format->fill, f)
                        : s->format->write(s, path->data, f));
    TRY(series_note(s, path->data));
    const bool told = s->format->film && s->begun && clock_seconds() - s->told < 1;
    path->length = told ? 0 : path->length;
    s->told = told ? s->told : clock_seconds();
    s->begun = true;
    return PAV_OK;
}

pav_status series_settle(series *s)
{
    const bool due = s->style.over_frames && s->outgrown;

    s->outgrown = false;
    return due ? s->format->settle(s) : PAV_OK;
}

int64_t series_bytes(const series *s)
{
    return s->film.kept;
}

void series_close(series *s)
{
    if (!s)
        return;
    if (s->format->close)
        s->format->close(s);
    TEXT_FREE_ALL(&s->entries, &s->recent);
    MEM_FREE_ALL(s->path, s);
}

pav_status series_resume(series *s, series_past *past, text *said)
{
    return !s->style.numbered || past->step <= 0 || !s->format->resume
               ? PAV_OK
               : s->format->resume(s, past, said);
}
