/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages for failures of opening and transferring files. */
#include <errno.h>
#include <string.h>

#include "io/striped/striped_private.h"

static bool is_full(int error)
{
    return error == ENOSPC || error == EDQUOT;
}

static const char *hint_of(const striped_file *f, const char *what, int error)
{
    if (strcmp(what, "opened") == 0)
        return "; it belongs to a checkpoint, which is of no use without it";
    if (is_full(error))
        return "; free some space, or give --disk a directory of another disk, or "
               "several "
               "with commas";
    return strcmp(what, "read") == 0 ? "" : write_hint(error, f->path);
}

pav_status striped_failed(const striped_file *f, const char *what, int error,
                          int64_t needed)
{
    text room = {0};
    if (is_full(error))
        text_add_room(&room, f->file, needed);
    const pav_status status = FAIL(write_status(error),
                                   "the store %s cannot be %s: %s%s%s", f->path, what,
                                   error ? strerror(error) : "it ends too early",
                                   room.data ? room.data : "", hint_of(f, what, error));
    text_free(&room);
    return status;
}
