/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfers of a store: pieces, threads, and ranges kept in memory. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/device.h"
#include "io/striped/striped_private.h"

/* ---- simulated failures ------------------------------------------------------------ */

/* Simulated disk failures, for tests of messages and recovery. */

static const char *const names[] = {
    [FAULT_READ] = "read:",     [FAULT_WRITE] = "write:", [FAULT_FULL] = "full:",
    [FAULT_TURNED] = "turned:", [FAULT_SEEN] = "seen:",   [FAULT_KILL] = "kill:"};

void fault_find(striped *s)
{
    const char *value = getenv("PAV_DISK_FAULT");
    for (size_t k = FAULT_READ; value && k < COUNT_OF(names); k++)
        if (strncmp(value, names[k], strlen(names[k])) == 0) {
            s->fault = (fault_kind)k;
            atomic_store(&s->until, strtoll(value + strlen(names[k]), NULL, 10));
        }
}

static fault_kind fault_next(striped *s, bool write)
{
    const bool of_write = s->fault == FAULT_WRITE || s->fault == FAULT_FULL;
    if (s->fault == FAULT_NONE || s->fault == FAULT_SEEN ||
        (s->fault != FAULT_KILL && write != of_write) ||
        atomic_fetch_sub(&s->until, 1) != 1)
        return FAULT_NONE;
    if (s->fault == FAULT_KILL)
        (void)raise(SIGKILL);
    return s->fault;
}

void striped_moment(const char *where)
{
    static _Atomic int64_t times;
    const char *value = getenv("PAV_DISK_FAULT");
    const size_t length = strlen(where);
    if (value && strncmp(value, where, length) == 0 && value[length] == ':' &&
        strtoll(value + length + 1, NULL, 10) == atomic_fetch_add(&times, 1) + 1)
        (void)raise(SIGKILL);
}

/* ---- messages of failures ---------------------------------------------------------- */

static bool is_full(int error)
{
    return error == ENOSPC || error == EDQUOT;
}

static const char *hint_of(const striped_file *f, const char *what, int error)
{
    if (strcmp(what, "opened") == 0)
        return "; it belongs to a checkpoint, and that cannot be used without it";
    if (is_full(error))
        return "; free some space, or give --disk a directory of another disk, or "
               "several "
               "with commas";
    return strcmp(what, "read") == 0 ? "" : write_hint(error, f->path);
}

pav_status striped_failed(const striped_file *f, const char *what, int error,
                          int64_t needed)
{
    OWNED_BY(text_free) text room = {0};
    if (is_full(error))
        text_add_room(&room, f->file, needed);
    return FAIL(write_status(error), "the store %s cannot be %s: %s%s%s", f->path, what,
                error ? strerror(error) : "it ends too early", room.data ? room.data : "",
                hint_of(f, what, error));
}

/* ---- ranges in memory -------------------------------------------------------------- */

/* Some ranges of a store on disk are cached: the mapping has anonymous pages there
 * instead of pages of a file. Code using the mapping sees no difference, and transfers
 * copy these bytes. If the store is kept, its files receive them when the store is
 * synced. */

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
    return (*is_cached           ? s->cached[n].hi
            : n < s->cached_runs ? s->cached[n].lo
                                 : s->bytes) -
           at;
}

/* Number of cached bytes in a range. */
static int64_t cached_bytes(const striped *s, int64_t at, int64_t bytes)
{
    int64_t all = 0;
    for (int64_t n = find(s, at); n < s->cached_runs && s->cached[n].lo < at + bytes; n++)
        all += int64_least(s->cached[n].hi, at + bytes) - int64_most(s->cached[n].lo, at);
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

pav_status striped_cache(striped *s, int64_t at, int64_t bytes)
{
    const cached_range r = {int_rounded(at, STRIPED_ALIGN),
                            (at + bytes) / STRIPED_ALIGN * STRIPED_ALIGN};
    const striped_move m = move_of(s, &r, false);
    if (r.lo >= r.hi)
        return PAV_OK;
    TRY(mem_extend(&s->cached, s->cached_runs + 1, sizeof *s->cached));
    const void *there = mmap(m.memory, (size_t)m.bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (there == MAP_FAILED)
        return FAIL(PAV_ENOMEM, "no memory for planes of the store %s: %s",
                    s->file[0].path, strerror(errno));
    if (s->there)
        TRY(striped_move_files(s, &m));
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
        TRY(striped_move_files(s, &m));
    }
    return PAV_OK;
}

/* ---- one piece --------------------------------------------------------------------- */

/* The transfer of one piece. It is cut at chunk borders between files. In each file the
 * aligned part bypasses the page cache; the parts before and after it do not. */

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
    if (*m->sum != 0 && s->fault == FAULT_SEEN && atomic_fetch_sub(&s->until, 1) == 1)
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
static int64_t move_past(striped *s, const striped_file *f, bool write, char *memory,
                         int64_t bytes, int64_t at)
{
    const bool aligned = ((uintptr_t)memory - (uintptr_t)at) % STRIPED_ALIGN == 0;
    int64_t done = 0;
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

static pav_status move_part(striped *s, const striped_file *f, bool write, char *memory,
                            int64_t bytes, int64_t at)
{
    const int64_t first = int_rounded(at, STRIPED_ALIGN) - at;
    const int64_t before = first < bytes ? first : bytes;
    const int64_t middle = (bytes - before) / STRIPED_ALIGN * STRIPED_ALIGN;
    TRY(move_in(f, f->file, write, memory, before, at));
    const int64_t done = before +
                         move_past(s, f, write, memory + before, middle, at + before);
    return move_in(f, f->file, write, memory + done, bytes - done, at + done);
}

/* ---- all --------------------------------------------------------------------------- */

pav_status striped_move_files(striped *s, const striped_move *m)
{
    for (int64_t done = 0, now; done < m->bytes; done += now) {
        const int64_t at = m->at + done, turn = at / s->chunk, within = at % s->chunk;
        now = int64_least(m->bytes - done, s->chunk - within);
        TRY(move_part(s, &s->file[turn % s->files], m->write, (char *)m->memory + done,
                      now, turn / s->files * s->chunk + within));
    }
    return PAV_OK;
}

/* Transfers a piece run by run. Cached runs are copied; a kept store also writes them to
 * its files. */
static pav_status move_all(striped *s, const striped_move *m, bool are_zero)
{
    bool is_cached;
    for (int64_t done = 0, run; done < m->bytes; done += run) {
        run = int64_least(cached_run(s, m->at + done, &is_cached), m->bytes - done);
        const striped_move part = striped_part(m, done, run);
        char *there = s->memory + part.at;
        if (is_cached)
            memcpy(m->write ? there : part.memory, m->write ? part.memory : there,
                   (size_t)run);
        if (!is_cached || (m->write && s->kept))
            TRY((are_zero ? holes_make : striped_move_files)(s, &part));
    }
    return PAV_OK;
}

static pav_status write_all(striped *s, const striped_move *m)
{
    bool are_zero;
    for (int64_t n = 0; n * m->unit < m->bytes; n++)
        m->sum[n] = sum_of((const char *)m->memory + n * m->unit, m->unit);
    for (int64_t done = 0, run; done < m->bytes; done += run) {
        run = zeros_run(m, done, &are_zero);
        const striped_move part = striped_part(m, done, run);
        TRY(move_all(s, &part, are_zero));
    }
    return PAV_OK;
}

static pav_status striped_transfer(striped *s, const striped_move *m)
{
    const fault_kind fault = fault_next(s, m->write);
    if (fault != FAULT_NONE && fault != FAULT_TURNED)
        return striped_failed(&s->file[0], m->write ? "written" : "read",
                              fault == FAULT_FULL ? ENOSPC : EIO, m->bytes);
    TRY(m->write ? write_all(s, m) : move_all(s, m, false));
    if (fault == FAULT_TURNED)
        *(char *)m->memory ^= 1;
    return m->write ? PAV_OK : check_sums(s, m);
}

/* ---- threads ----------------------------------------------------------------------- */

/* Threads for transfers: enough pieces in parallel to keep the disks busy. */

enum { PER_FILE = 4, PIECE = 4 << 20 /* bytes */ };

/* ---- the threads ------------------------------------------------------------------- */

/* Records the times of a piece, while memory suffices. */
static void note(striped *s, const striped_move *m, double begun)
{
    enum { MOST = 1 << 20 };
    if (!s->timed || s->spans == MOST)
        return;
    if (mem_reserve(&s->span, &s->span_room, s->spans, sizeof *s->span) != PAV_OK)
        return;
    s->span[s->spans++] = (striped_span){begun, clock_seconds(), m->bytes, m->write};
}

/* The loop of a thread. After a failure all queued pieces are dropped. */
static void *work(void *user)
{
    striped *s = user;
    LOCKED(&s->lock);
    while (!s->closing) {
        if (s->next >= s->pieces) {
            (void)pthread_cond_wait(&s->asked, &s->lock);
            continue;
        }
        const striped_move m = s->piece[s->next++];
        const bool drop = s->failure.status != PAV_OK;
        s->busy++;
        (void)pthread_mutex_unlock(&s->lock);
        const double begun = clock_seconds();
        const guard g = guard_begin();
        const pav_status status = drop ? PAV_OK : striped_transfer(s, &m);
        guard_end(&g);
        (void)pthread_mutex_lock(&s->lock);
        note(s, &m, begun);
        const int64_t cached = m.write && s->kept ? 0 : cached_bytes(s, m.at, m.bytes);
        s->busy--;
        if (status == PAV_OK) {
            *(m.write ? &s->figures.written : &s->figures.read) += m.bytes - cached;
            s->figures.cached += cached;
        }
        failure_keep(&s->failure, status);
        if (s->busy == 0 && s->next >= s->pieces)
            (void)pthread_cond_broadcast(&s->done);
    }
    return NULL;
}

pav_status striped_start(striped *s)
{
    const int most = int_least(PER_FILE * s->files, STRIPED_THREADS);
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_cond_init(&s->asked, NULL);
    (void)pthread_cond_init(&s->done, NULL);
    while (s->threads < most &&
           pthread_create(&s->thread[s->threads], NULL, work, s) == 0)
        s->threads++;
    return s->threads > 0
               ? PAV_OK
               : FAIL(PAV_ENOMEM, "no thread can be started that reads the disk");
}

/* ---- for callers ------------------------------------------------------------------- */

pav_status striped_begin(striped *s, const striped_move *m)
{
    const int64_t each = int64_most(PIECE / m->unit, 1) * m->unit;
    const int64_t needed = s->pieces + int_parts(m->bytes, each);
    LOCKED(&s->lock);
    if (needed > s->room && mem_extend(&s->piece, 2 * needed, sizeof *s->piece) == PAV_OK)
        s->room = 2 * needed;
    const bool room = needed <= s->room;
    for (int64_t at = 0; at < m->bytes && room; at += each) {
        striped_move *part = &s->piece[s->pieces++];
        *part = striped_part(m, at, int64_least(m->bytes - at, each));
        part->sum = m->sum + at / m->unit;
    }
    (void)pthread_cond_broadcast(&s->asked);
    return room ? PAV_OK : PAV_ENOMEM;
}

pav_status striped_wait(striped *s)
{
    const double begun = clock_seconds();
    LOCKED(&s->lock);
    while (s->busy > 0 || s->next < s->pieces)
        (void)pthread_cond_wait(&s->done, &s->lock);
    s->next = s->pieces = 0;
    s->figures.waited += clock_seconds() - begun;
    return failure_report(&s->failure);
}
