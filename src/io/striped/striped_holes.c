/* SPDX-License-Identifier: BSD-3-Clause */
/* Zeros of a store are not written. Its files have holes there: holes take no space and
 * read as zeros. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "io/striped/striped_private.h"

enum { PIECE = 64 * STRIPED_ALIGN };

/* True if all bytes are zero. Most data differ from zero in the first bytes, so the test
 * ends early. */
static bool is_zero(const char *bytes, int64_t length)
{
    return length == 0 ||
           (bytes[0] == 0 && memcmp(bytes, bytes + 1, (size_t)(length - 1)) == 0);
}

int64_t zeros_run(const striped_move *m, int64_t done, bool *are_zero)
{
    const char *memory = m->memory;
    int64_t end = done;
    *are_zero = is_zero(memory + done, m->unit);
    do
        end += m->unit;
    while (end < m->bytes && is_zero(memory + end, m->unit) == *are_zero);
    return (end < m->bytes ? end : m->bytes) - done;
}

/* Makes a hole of whole pages in one file; false if the file system has no holes. */
static bool punch(const striped *s, int64_t at, int64_t bytes)
{
    const int64_t turn = at / s->chunk, within = at % s->chunk;
    return fallocate(s->file[turn % s->files].file,
                     FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                     turn / s->files * s->chunk + within, bytes) == 0;
}

static striped_move part_of(const striped_move *m, int64_t from, int64_t to)
{
    striped_move part = *m;
    part.at += from;
    part.memory = (char *)m->memory + from;
    part.bytes = to - from;
    return part;
}

/* Makes a hole of the whole pages in the piece and writes the parts before and after
 * them. */
static pav_status hole_in_chunk(striped *s, ring *r, const striped_move *m)
{
    const int64_t lo = int_rounded(m->at, STRIPED_ALIGN) - m->at;
    const int64_t hi = (m->at + m->bytes) / STRIPED_ALIGN * STRIPED_ALIGN - m->at;
    const striped_move before = part_of(m, 0, lo), behind = part_of(m, hi, m->bytes);
    if (lo >= hi || !punch(s, m->at + lo, hi - lo))
        return striped_move_files(s, r, m);
    atomic_fetch_add(&s->holes, hi - lo);
    TRY(striped_move_files(s, r, &before));
    return striped_move_files(s, r, &behind);
}

pav_status holes_make(striped *s, ring *r, const striped_move *m)
{
    for (int64_t done = 0; done < m->bytes;) {
        const int64_t left = m->bytes - done, room = s->chunk - (m->at + done) % s->chunk;
        const int64_t now = left < room ? left : room;
        const striped_move part = part_of(m, done, done + now);
        TRY(hole_in_chunk(s, r, &part));
        done += now;
    }
    return PAV_OK;
}

static bool is_resident(char *at, int64_t bytes)
{
    unsigned char page[PIECE / STRIPED_ALIGN];
    if (mincore(at, (size_t)bytes, page) != 0)
        return false;
    for (int64_t n = 0; n < bytes / STRIPED_ALIGN; n++)
        if (!(page[n] & 1))
            return false;
    return true;
}

/* Makes holes of zeros written through the mapping, if their pages are still in the page
 * cache. */
void holes_find(striped *s)
{
    bool is_cached;
    for (int64_t at = 0; at < s->bytes;) {
        const int64_t room = s->chunk - at % s->chunk,
                      run = cached_run(s, at, &is_cached);
        int64_t bytes = run < room ? run : room;
        bytes = is_cached || bytes < PIECE ? bytes : PIECE;
        if (!is_cached && is_resident(s->memory + at, bytes) &&
            is_zero(s->memory + at, bytes))
            (void)punch(s, at, bytes);
        at += bytes;
    }
}
