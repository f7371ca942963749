/* SPDX-License-Identifier: BSD-3-Clause */
/* The transfer of one piece. It is cut at chunk borders between files. In each file the
 * aligned part bypasses the page cache; the parts before and after it do not. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "io/striped/striped_private.h"

/* ---- sums -------------------------------------------------------------------------- */

/* A checksum in four lanes of 64 bits, fast enough for the memory bandwidth. Never 0. */
static uint64_t sum_of(const char *bytes, int64_t length)
{
    enum { LANES = 4, BLOCK = LANES * 8 };
    uint64_t lane[LANES] = {1, 2, 3, 4}, sum = hash_mix((uint64_t)length);
    for (int64_t at = 0; at < length; at += BLOCK) {
        uint64_t word[LANES] = {0};
        memcpy(word, bytes + at, (size_t)(length - at < BLOCK ? length - at : BLOCK));
        for (int k = 0; k < LANES; k++) {
            const uint64_t mixed = (lane[k] ^ word[k]) * UINT64_C(0x9e3779b97f4a7c15);
            lane[k] = mixed << 29 | mixed >> 35;
        }
    }
    for (int k = 0; k < LANES; k++)
        sum = hash_mix(sum ^ lane[k]);
    return sum ? sum : 1;
}

static void add_sums(const striped_move *m)
{
    for (int64_t n = 0; n * m->unit < m->bytes; n++)
        m->sum[n] = sum_of((const char *)m->memory + n * m->unit, m->unit);
}

static pav_status check_sums(const striped *s, const striped_move *m)
{
    for (int64_t n = 0; n * m->unit < m->bytes; n++) {
        const uint64_t found = sum_of((const char *)m->memory + n * m->unit, m->unit);
        if (m->sum[n] != 0 && m->sum[n] != found)
            return FAIL(PAV_EFORMAT,
                        "the store %s is damaged: %lld bytes from byte %lld on are not "
                        "those that were written; begin anew, and look after the disk",
                        s->file[0].path, (long long)m->unit,
                        (long long)(m->at + n * m->unit));
        m->sum[n] = found;
    }
    return PAV_OK;
}

/* Compares checksums in the mapping. A failed read of the mapping is reported instead of
 * a wrong checksum, because the zeros there are no damage of the file. */
pav_status striped_compare(striped *s, const striped_move *m)
{
    striped_move there = *m;
    there.memory = s->memory + m->at;
    if (*m->sum != 0 && fault_is_seen(s))
        *(char *)there.memory ^= 1;
    const pav_status status = check_sums(s, &there);
    TRY(striped_check(s));
    return status;
}

/* ---- one file ---------------------------------------------------------------------- */

static int64_t once(int file, bool write, char *memory, int64_t bytes, int64_t at)
{
    int64_t done;
    do
        done = write ? pwrite(file, memory, (size_t)bytes, at)
                     : pread(file, memory, (size_t)bytes, at);
    while (done < 0 && errno == EINTR);
    return done;
}

static pav_status move_in(const striped_file *f, int file, bool write, char *memory,
                          int64_t bytes, int64_t at)
{
    for (int64_t done = 0; done < bytes;) {
        const int64_t now = once(file, write, memory + done, bytes - done, at + done);
        if (now <= 0)
            return striped_failed(f, write ? "written" : "read", now < 0 ? errno : 0,
                                  bytes - done);
        done += now;
    }
    return PAV_OK;
}

/* Transfers aligned bytes bypassing the page cache and returns their number. If the file
 * system refuses, no more transfers try it. */
static int64_t move_past(striped *s, ring *r, const striped_file *f, bool write,
                         char *memory, int64_t bytes, int64_t at)
{
    const bool aligned = ((uintptr_t)memory - (uintptr_t)at) % STRIPED_ALIGN == 0;
    const bool whole = r && aligned && bytes > 0 && atomic_load(&s->past);
    const ring_transfer all = {f->direct, write, memory, bytes, at};
    int64_t done = whole ? ring_move(r, &all) / STRIPED_ALIGN * STRIPED_ALIGN : 0;
    while (aligned && f->direct >= 0 && atomic_load(&s->past) && done < bytes) {
        const int64_t now = once(f->direct, write, memory + done, bytes - done,
                                 at + done);
        if (now < 0 && errno == EINVAL)
            atomic_store(&s->past, false);
        if (now <= 0 || now % STRIPED_ALIGN != 0)
            break;
        done += now;
    }
    return done;
}

static pav_status move_part(striped *s, ring *r, const striped_file *f, bool write,
                            char *memory, int64_t bytes, int64_t at)
{
    const int64_t first = int_rounded(at, STRIPED_ALIGN) - at;
    const int64_t before = first < bytes ? first : bytes;
    const int64_t middle = (bytes - before) / STRIPED_ALIGN * STRIPED_ALIGN;
    TRY(move_in(f, f->file, write, memory, before, at));
    const int64_t done = before +
                         move_past(s, r, f, write, memory + before, middle, at + before);
    return move_in(f, f->file, write, memory + done, bytes - done, at + done);
}

/* ---- all --------------------------------------------------------------------------- */

pav_status striped_move_files(striped *s, ring *r, const striped_move *m)
{
    for (int64_t done = 0; done < m->bytes;) {
        const int64_t at = m->at + done, turn = at / s->chunk, within = at % s->chunk;
        const int64_t left = m->bytes - done, room = s->chunk - within;
        const int64_t now = left < room ? left : room;
        TRY(move_part(s, r, &s->file[turn % s->files], m->write, (char *)m->memory + done,
                      now, turn / s->files * s->chunk + within));
        done += now;
    }
    return PAV_OK;
}

static void copy_cached(const striped *s, const striped_move *m, int64_t done,
                        int64_t bytes)
{
    char *there = s->memory + m->at + done, *here = (char *)m->memory + done;
    memcpy(m->write ? there : here, m->write ? here : there, (size_t)bytes);
}

/* Transfers a piece run by run. Cached runs are copied; a kept store also writes them to
 * its files. */
static pav_status move_all(striped *s, ring *r, const striped_move *m, bool are_zero)
{
    for (int64_t done = 0; done < m->bytes;) {
        bool is_cached;
        const int64_t run = cached_run(s, m->at + done, &is_cached),
                      left = m->bytes - done;
        striped_move part = *m;
        part.at += done;
        part.memory = (char *)m->memory + done;
        part.bytes = run < left ? run : left;
        if (is_cached)
            copy_cached(s, m, done, part.bytes);
        if (!is_cached || (m->write && s->kept))
            TRY((are_zero ? holes_make : striped_move_files)(s, r, &part));
        done += part.bytes;
    }
    return PAV_OK;
}

static pav_status write_all(striped *s, ring *r, const striped_move *m)
{
    add_sums(m);
    for (int64_t done = 0; done < m->bytes;) {
        bool are_zero;
        striped_move part = *m;
        part.at += done;
        part.memory = (char *)m->memory + done;
        part.bytes = zeros_run(m, done, &are_zero);
        TRY(move_all(s, r, &part, are_zero));
        done += part.bytes;
    }
    return PAV_OK;
}

pav_status striped_transfer(striped *s, ring *r, const striped_move *m)
{
    const fault_kind fault = fault_next(s, m->write);
    if (fault != FAULT_NONE && fault != FAULT_TURNED)
        return striped_failed(&s->file[0], m->write ? "written" : "read",
                              fault == FAULT_FULL ? ENOSPC : EIO, m->bytes);
    TRY(m->write ? write_all(s, r, m) : move_all(s, r, m, false));
    if (fault == FAULT_TURNED)
        *(char *)m->memory ^= 1;
    return m->write ? PAV_OK : check_sums(s, m);
}
