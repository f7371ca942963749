/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a striped store: creating or opening them, reserving space, mapping. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/striped/striped_private.h"

enum { LEAST_CHUNK = 4 << 20, MOST_CHUNKS = 8192 };

/* ---- one file ---------------------------------------------------------------------- */

static int64_t bytes_of(const striped *s, int n)
{
    const int64_t turns = s->bytes / (s->chunk * s->files);
    const int64_t rest = s->bytes - turns * s->chunk * s->files - n * s->chunk;
    return turns * s->chunk + (rest < 0 ? 0 : rest < s->chunk ? rest : s->chunk);
}

/* Checks the free space for all files on the disk of file n. Blocks are allocated when
 * written, but room must exist now. */
static pav_status check_room(const striped *s, int n)
{
    uint64_t own, which;
    int64_t needed = 0;
    const int64_t room = disk_available(s->file[n].path, &own);
    for (int k = 0; k < s->files; k++)
        if (disk_available(s->file[k].path, &which) >= 0 && which == own)
            needed += bytes_of(s, k);
    if (room < 0 || needed <= room)
        return PAV_OK;
    return striped_failed(&s->file[n], "made", ENOSPC, needed);
}

static pav_status take_room(const striped *s, int n)
{
    if (ftruncate(s->file[n].file, bytes_of(s, n)) != 0)
        return striped_failed(&s->file[n], "made", errno, bytes_of(s, n));
    return check_room(s, n);
}

static pav_status check_size(const striped_file *f, int64_t bytes)
{
    struct stat about;
    if (fstat(f->file, &about) != 0)
        return striped_failed(f, "read", errno, 0);
    if (about.st_size == bytes)
        return PAV_OK;
    return FAIL(
        PAV_EFORMAT,
        "the store %s is damaged: it has %lld bytes in place of %lld, so that it was "
        "cut, or another file has its name; begin anew",
        f->path, (long long)about.st_size, (long long)bytes);
}

static pav_status open_file(striped *s, const striped_options *o, int n)
{
    striped_file *f = &s->file[n];
    const int how = O_RDWR | O_CLOEXEC;
    f->file = f->direct = -1;
    f->path = name_of(o->path[n], s->is_new);
    if (!f->path)
        return PAV_ENOMEM;
    s->files = n + 1 > s->files ? n + 1 : s->files;
    if (o->there)
        name_settle(f->path);
    f->file = o->there ? open(f->path, how)
                       : open(f->path, how | O_CREAT | O_TRUNC, 0666);
    if (f->file < 0)
        return striped_failed(f, o->there ? "opened" : "made", errno, 0);
    if (o->kept && !name_lock(f->file))
        return FAIL(PAV_EIO, "the store %s is in use: another run computes in it",
                    f->path);
    f->direct = open(f->path, how | O_DIRECT);
    if (!o->there && !o->kept)
        (void)unlink(f->path);
    return PAV_OK;
}

/* ---- the mapping ------------------------------------------------------------------- */

static pav_status map_chunk(striped *s, int64_t turn)
{
    const striped_file *f = &s->file[turn % s->files];
    const int64_t at = turn * s->chunk, left = s->bytes - at;
    const size_t bytes = (size_t)(left < s->chunk ? left : s->chunk);
    const void *there = mmap(s->memory + at, bytes, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_FIXED, f->file, turn / s->files * s->chunk);
    return there == MAP_FAILED ? striped_failed(f, "mapped into memory", errno, 0)
                               : PAV_OK;
}

static pav_status map_all(striped *s)
{
    void *there = mmap(NULL, (size_t)s->bytes, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (there == MAP_FAILED)
        return striped_failed(&s->file[0], "mapped into memory", errno, 0);
    s->memory = there;
    for (int64_t turn = 0; turn * s->chunk < s->bytes; turn++)
        TRY(map_chunk(s, turn));
    return PAV_OK;
}

/* ---- all --------------------------------------------------------------------------- */

static void lay_out(striped *s, const striped_options *o)
{
    s->bytes = int_rounded(o->bytes, STRIPED_ALIGN);
    s->chunk = LEAST_CHUNK;
    while (s->bytes / s->chunk >= MOST_CHUNKS)
        s->chunk *= 2;
    if (o->paths == 1)
        s->chunk = s->bytes;
}

static pav_status prepare(striped *s, const striped_options *o)
{
    bool past = true;
    lay_out(s, o);
    s->there = o->there;
    s->kept = o->kept;
    s->timed = o->timed;
    s->is_new = o->kept && !o->there;
    s->touched = true;
    for (int n = 0; n < o->paths; n++)
        TRY(open_file(s, o, n));
    for (int n = 0; n < s->files; n++) {
        const int64_t bytes = bytes_of(s, n);
        past = past && s->file[n].direct >= 0;
        TRY(o->there ? check_size(&s->file[n], bytes) : take_room(s, n));
    }
    atomic_store(&s->past, past);
    fault_find(s);
    TRY(map_all(s));
    striped_guard(s);
    return striped_start(s);
}

static void remove_files(const striped *s)
{
    for (int n = 0; n < s->files; n++)
        if (s->file[n].file >= 0)
            (void)unlink(s->file[n].path);
}

pav_status striped_open(const striped_options *o, striped **opened)
{
    striped *s = mem_new(1, sizeof *s);
    *opened = NULL;
    if (!s)
        return PAV_ENOMEM;
    const pav_status status = prepare(s, o);
    if (status == PAV_OK) {
        *opened = s;
        return PAV_OK;
    }
    striped_close(s);
    return status;
}

void striped_close(striped *s)
{
    if (!s)
        return;
    if (s->threads > 0)
        striped_stop(s);
    striped_unguard(s);
    if (s->memory)
        (void)munmap(s->memory, (size_t)s->bytes);
    if (s->is_new)
        remove_files(s);
    for (int n = 0; n < s->files; n++) {
        if (s->file[n].file >= 0)
            (void)close(s->file[n].file);
        if (s->file[n].direct >= 0)
            (void)close(s->file[n].direct);
        free(s->file[n].path);
    }
    mem_free(s->cached);
    mem_free(s->span);
    mem_free(s);
}

void *striped_memory(const striped *s)
{
    return s->memory;
}

/* Handles the caller's writes: zeros become holes, and cached bytes of a kept store go to
 * the files. */
static pav_status take_touched(striped *s)
{
    if (!s->touched)
        return PAV_OK;
    holes_find(s);
    s->touched = false;
    return s->kept ? cached_write(s) : PAV_OK;
}

pav_status striped_flush(striped *s)
{
    TRY(striped_check(s));
    TRY(take_touched(s));
    if (msync(s->memory, (size_t)s->bytes, MS_SYNC) != 0)
        return striped_failed(&s->file[0], "written", errno, 0);
    cached_give_back_others(s);
    for (int n = 0; n < s->files && atomic_load(&s->past); n++)
        (void)posix_fadvise(s->file[n].file, 0, 0, POSIX_FADV_DONTNEED);
    return PAV_OK;
}

pav_status striped_sync(striped *s)
{
    TRY(striped_wait(s));
    TRY(take_touched(s));
    for (int n = 0; n < s->files; n++) {
        const striped_file *f = &s->file[n];
        if (fdatasync(f->file) != 0)
            return striped_failed(f, "written", errno, 0);
        /* A checkpoint must not reach the disk before the names of its new files. */
        const int error = s->is_new ? directory_sync(f->path) : 0;
        if (error)
            return striped_failed(f, "written", error, 0);
    }
    return PAV_OK;
}

striped_figures striped_figures_of(const striped *s)
{
    striped_figures f = s->figures;
    f.direct = atomic_load(&s->past);
    f.no_ring = s->no_ring;
    f.holes = atomic_load(&s->holes);
    f.written -= f.holes;
    return f;
}

const striped_span *striped_spans(const striped *s, int64_t *count)
{
    *count = s->spans;
    return s->span;
}
