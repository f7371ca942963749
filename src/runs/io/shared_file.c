/* SPDX-License-Identifier: BSD-3-Clause */
/* A file written by several processes, each its own points of a frame. The first process
 * makes it under a temporary name with its header and full size, and renames it when all
 * have written. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/io_private.h"

enum { ROOM = 1 << 20 };

struct shared_file {
    out_file out; /* first process only */
    int descriptor;
    char *path, *name; /* path: final path, first process only; name: temporary name */
    pav_type type;
    int dimensions;
    int64_t extent[PAV_MAX_DIMENSIONS], first; /* first: offset of the values */
    char *bytes; /* waiting bytes, to be written at offset `at` */
    int64_t at, waiting;
};

bool path_is_shared(const char *path)
{
    const io_format *format = io_find(path);
    return format && format->begin;
}

static pav_status cannot_write(const shared_file *f, int error)
{
    return FAIL(write_status(error), "%s cannot be written: %s%s", f->name,
                strerror(error), write_hint(error, f->name));
}

static pav_status open_file(const io_frame *f, shared_file **result)
{
    shared_file *s = *result = mem_new(1, sizeof *s);
    if (!s)
        return PAV_ENOMEM;
    *s = (shared_file){.descriptor = -1, .dimensions = f->dimensions};
    memcpy(s->extent, f->extent, sizeof s->extent);
    s->bytes = mem_new(ROOM, 1);
    return s->bytes ? PAV_OK : PAV_ENOMEM;
}

pav_status shared_begin(series *of, const io_frame *f, shared_file **result)
{
    text path = {0};

    TRY(open_file(f, result));
    shared_file *s = *result;
    if (of->format->index)
        index_piece(of, f->step, &path);
    else
        series_name_at(of, f->step, &path);
    TRY(text_take(&path, &s->path));
    TRY(out_open(&s->out, s->path));
    TRY(text_copy(s->out.temporary, &s->name));
    s->descriptor = fileno(s->out.file);
    TRY(of->format->begin(&s->out, f, &s->type, &s->first));
    /* extends the file from its header to its full size */
    const int64_t end = s->first + frame_count(f) * (int64_t)pav_type_size(s->type);
    struct stat about;
    if (fflush(s->out.file) != 0 || fstat(s->descriptor, &about) != 0 ||
        (about.st_size < end && ftruncate(s->descriptor, end) != 0))
        return cannot_write(s, errno);
    return PAV_OK;
}

void shared_where(const shared_file *f, shared_place *where)
{
    (void)snprintf(where->name, sizeof where->name, "%s", f->name);
    where->type = f->type;
    where->first = f->first;
}

pav_status shared_open(const shared_place *where, const io_frame *f, shared_file **result)
{
    TRY(open_file(f, result));
    shared_file *s = *result;
    TRY(text_copy(where->name, &s->name));
    s->type = where->type;
    s->first = where->first;
    s->descriptor = open(where->name, O_WRONLY | O_CLOEXEC);
    return s->descriptor >= 0 ? PAV_OK : cannot_write(s, errno);
}

/* ---- values ------------------------------------------------------------------------ */

static pav_status send(shared_file *f)
{
    io_alive();
    if (put_at(f->descriptor, f->bytes, f->waiting, f->at) < f->waiting)
        return cannot_write(f, errno);
    f->waiting = 0;
    return PAV_OK;
}

/* Adds a row. If it follows the waiting values in the file, they are written together
 * later. */
static pav_status put_row(shared_file *f, const io_frame *part, int64_t from,
                          int64_t count, int64_t j, int64_t k, int64_t at)
{
    const int64_t bytes = count * (int64_t)pav_type_size(f->type);
    if (f->waiting > 0 && (f->at + f->waiting != at || f->waiting + bytes > ROOM))
        TRY(send(f));
    if (f->waiting == 0)
        f->at = at;
    frame_read(part, from, j, k, count, f->type, f->bytes + f->waiting);
    f->waiting += bytes;
    return PAV_OK;
}

pav_status shared_put(shared_file *f, const io_frame *part,
                      const int64_t at[PAV_MAX_DIMENSIONS])
{
    const int64_t size = (int64_t)pav_type_size(f->type), most = ROOM / 16;

    for (int64_t k = 0; k < part->extent[2]; k++)
        for (int64_t j = 0; j < part->extent[1]; j++)
            for (int64_t i = 0; i < part->extent[0]; i += most) {
                const int64_t row = ((at[2] + k) * f->extent[1] + at[1] + j) *
                                        f->extent[0] +
                                    at[0];
                TRY(put_row(f, part, i, int64_least(part->extent[0] - i, most), j, k,
                            f->first + (row + i) * size));
            }
    return send(f);
}

/* ---- the end ----------------------------------------------------------------------- */

void shared_close(shared_file *f)
{
    if (!f)
        return;
    if (!f->out.file && f->descriptor >= 0)
        (void)close(f->descriptor);
    (void)out_close(&f->out, PAV_EIO);
    MEM_FREE_ALL(f->bytes, f->name, f->path, f);
}

pav_status shared_end(series *s, shared_file *f, const io_frame *frame, text *path)
{
    TRY(out_close(&f->out, PAV_OK));
    f->descriptor = -1;
    series_name_at(s, frame->step, path);
    return path->failed       ? PAV_ENOMEM
           : s->format->index ? index_add(s, frame, f->path)
                              : series_note(s, f->path);
}
