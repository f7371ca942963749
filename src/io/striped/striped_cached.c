/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranges of a store kept in memory. The mapping has anonymous pages there instead of
 * pages of a file. So code using the mapping sees no difference, and transfers copy these
 * bytes. The files of a kept store receive them when the store is synced. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "io/striped/striped_private.h"

/* Finds the first range with an end after `at`. */
static int64_t find(const striped *s, int64_t at)
{
    int64_t lo = 0, hi = s->cached_runs;
    while (lo < hi) {
        const int64_t middle = (lo + hi) / 2;
        if (s->cached[middle].hi > at)
            hi = middle;
        else
            lo = middle + 1;
    }
    return lo;
}

int64_t cached_run(const striped *s, int64_t at, bool *is_cached)
{
    const int64_t n = find(s, at);
    *is_cached = n < s->cached_runs && s->cached[n].lo <= at;
    if (*is_cached)
        return s->cached[n].hi - at;
    return (n < s->cached_runs ? s->cached[n].lo : s->bytes) - at;
}

int64_t cached_bytes(const striped *s, int64_t at, int64_t bytes)
{
    int64_t all = 0;
    for (int64_t n = find(s, at); n < s->cached_runs && s->cached[n].lo < at + bytes;
         n++) {
        const cached_range *r = &s->cached[n];
        const int64_t lo = r->lo > at ? r->lo : at;
        all += (r->hi < at + bytes ? r->hi : at + bytes) - lo;
    }
    return all;
}

static striped_move move_of(const striped *s, const cached_range *r, bool write)
{
    return (striped_move){.at = r->lo,
                          .bytes = r->hi - r->lo,
                          .unit = r->hi - r->lo,
                          .memory = s->memory + r->lo,
                          .write = write};
}

static pav_status take_memory(striped *s, const cached_range *r)
{
    const void *there = mmap(s->memory + r->lo, (size_t)(r->hi - r->lo),
                             PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (there == MAP_FAILED)
        return FAIL(PAV_ENOMEM, "no memory for planes of the store %s: %s",
                    s->file[0].path, strerror(errno));
    const striped_move m = move_of(s, r, false);
    return s->there ? striped_move_files(s, NULL, &m) : PAV_OK;
}

pav_status striped_cache(striped *s, int64_t at, int64_t bytes)
{
    const cached_range r = {int_rounded(at, STRIPED_ALIGN),
                            (at + bytes) / STRIPED_ALIGN * STRIPED_ALIGN};
    if (r.lo >= r.hi)
        return PAV_OK;
    cached_range *grown = mem_grow(s->cached, s->cached_runs + 1, sizeof *grown);
    if (!grown)
        return PAV_ENOMEM;
    s->cached = grown;
    TRY(take_memory(s, &r));
    s->cached[s->cached_runs++] = r;
    return PAV_OK;
}

void striped_touch(striped *s)
{
    s->touched = true;
}

pav_status cached_write(striped *s)
{
    for (int64_t n = 0; n < s->cached_runs; n++) {
        const striped_move m = move_of(s, &s->cached[n], true);
        TRY(striped_move_files(s, NULL, &m));
    }
    return PAV_OK;
}

void cached_give_back_others(striped *s)
{
    bool is_cached;
    for (int64_t at = 0; at < s->bytes;) {
        const int64_t run = cached_run(s, at, &is_cached);
        if (!is_cached)
            (void)madvise(s->memory + at, (size_t)run, MADV_DONTNEED);
        at += run;
    }
}
