/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a striped store: creating or opening them, reserving space, mapping. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "io/striped/striped_private.h"

/* ---- names of kept files ----------------------------------------------------------- */

/* Names of kept files. A file is called NAME.new until something refers to it, so files
 * left by killed processes can be recognised. Open files are locked. */

static const char ending[] = ".new";

/* Free it with mem_free; NULL if memory runs out. */
static char *joined(const char *a, const char *b, const char *c)
{
    text t = {0};
    char *all = NULL;
    text_add(&t, "%s%s%s", a, b, c);
    (void)text_take(&t, &all);
    return all;
}

/* Renames a file to its final name if a process was killed before doing so. */
static void name_settle(const char *path)
{
    OWNED char *was = joined(path, ending, "");
    if (was && access(path, F_OK) != 0)
        (void)rename(was, path);
}

void striped_settle(striped *s)
{
    for (int n = 0; n < s->files && s->is_new; n++) {
        char *path = s->file[n].path;
        path[strlen(path) - strlen(ending)] = '\0';
        name_settle(path);
    }
    s->is_new = false;
}

enum { PATIENCE = 5, PAUSE = 10000000 }; /* seconds, nanoseconds */

/* Tries to lock the file for a while. Pending writes of a killed process keep its files
 * and their locks for some time after its end. errno is EWOULDBLOCK if another process
 * has it. */
static bool lock_in_time(int file)
{
    const double begun = clock_seconds();
    while (flock(file, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK || clock_seconds() - begun > PATIENCE)
            return false;
        (void)nanosleep(&(struct timespec){0, PAUSE}, NULL);
    }
    return true;
}

/* ---- leftovers --------------------------------------------------------------------- */

static bool has_ending(const char *name)
{
    const size_t length = strlen(name);
    return length > strlen(ending) && strcmp(name + length - strlen(ending), ending) == 0;
}

static bool is_kept(const char *path, const striped_options *o)
{
    const size_t length = strlen(path) - strlen(ending);
    for (int n = 0; n < o->paths; n++)
        if (strlen(o->path[n]) == length && strncmp(path, o->path[n], length) == 0)
            return true;
    return false;
}

/* Removes one file. The file is locked meanwhile, so a file just made by another process
 * is not removed. */
static int64_t remove_one(const char *path)
{
    struct stat about;
    OWNED_BY(handle_close) const int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    const bool removed = file >= 0 && lock_in_time(file) && fstat(file, &about) == 0 &&
                         S_ISREG(about.st_mode) && unlink(path) == 0;
    return removed ? about.st_size : 0;
}

int64_t striped_remove_left(const char *directory, const char *begin,
                            const striped_options *kept)
{
    OWNED_BY(listing_close) DIR *const all = opendir(directory);
    int64_t bytes = 0;
    for (const struct dirent *e; all && (e = readdir(all));) {
        if (strncmp(e->d_name, begin, strlen(begin)) != 0 || !has_ending(e->d_name))
            continue;
        OWNED char *path = joined(directory, "/", e->d_name);
        if (path && !is_kept(path, kept))
            bytes += remove_one(path);
    }
    return bytes;
}

/* ---- holes ------------------------------------------------------------------------- */

/* Zeros of a store are not written. Its files have holes there: holes take no space and
 * read as zeros. */

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

striped_move striped_part(const striped_move *m, int64_t from, int64_t bytes)
{
    striped_move part = *m;
    part.at += from;
    part.memory = (char *)m->memory + from;
    part.bytes = bytes;
    return part;
}

/* Makes a hole of the whole pages in the piece and writes the parts before and after
 * them. */
static pav_status hole_in_chunk(striped *s, const striped_move *m)
{
    const int64_t lo = int_rounded(m->at, STRIPED_ALIGN) - m->at;
    const int64_t hi = (m->at + m->bytes) / STRIPED_ALIGN * STRIPED_ALIGN - m->at;
    const striped_move before = striped_part(m, 0, lo),
                       behind = striped_part(m, hi, m->bytes - hi);
    if (lo >= hi || !punch(s, m->at + lo, hi - lo))
        return striped_move_files(s, m);
    atomic_fetch_add(&s->holes, hi - lo);
    TRY(striped_move_files(s, &before));
    return striped_move_files(s, &behind);
}

pav_status holes_make(striped *s, const striped_move *m)
{
    for (int64_t done = 0, now; done < m->bytes; done += now) {
        now = int64_least(m->bytes - done, s->chunk - (m->at + done) % s->chunk);
        const striped_move part = striped_part(m, done, now);
        TRY(hole_in_chunk(s, &part));
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

/* ---- disk failures in the mapping -------------------------------------------------- */

/* If the disk fails while a mapped file is accessed, the system sends SIGBUS. A handler
 * replaces the failed page by zeros and marks the store, so the next striped_check fails
 * with a message. Any other SIGBUS goes to the previous handler. */

enum { MOST_STORES = 64 };

static _Atomic(striped *) guarded[MOST_STORES];
static struct sigaction before;
static pthread_mutex_t installing = PTHREAD_MUTEX_INITIALIZER;
static int installed; /* number of guarded stores */

static bool replace_page(char *at)
{
    return mmap(at - (uintptr_t)at % STRIPED_ALIGN, STRIPED_ALIGN, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

static void replace_torn_page(int number, siginfo_t *info, void *context)
{
    char *at = info->si_addr;
    for (int n = 0; n < MOST_STORES; n++) {
        striped *s = atomic_load(&guarded[n]);
        if (!s || at < s->memory || at >= s->memory + s->bytes || !replace_page(at))
            continue;
        atomic_store(&s->torn, at - s->memory + 1);
        return;
    }
    /* Passes the signal to the previous handler: the instruction is repeated with this
     * handler installed, or kills the process. */
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, info, context);
    else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
        before.sa_handler(number);
    else
        (void)sigaction(number, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
}

pav_status striped_check(striped *s)
{
    const int64_t torn = atomic_load(&s->torn);
    if (torn == 0)
        return PAV_OK;
    return FAIL(PAV_EIO,
                "the store %s cannot be read or written near byte %lld: the disk failed, "
                "or is full, or the file was truncated; data written since then is lost",
                s->file[(torn - 1) / s->chunk % s->files].path, (long long)(torn - 1));
}

/* ---- the store --------------------------------------------------------------------- */

enum { LEAST_CHUNK = 4 << 20, MOST_CHUNKS = 8192 };

/* ---- one file ---------------------------------------------------------------------- */

static int64_t bytes_of(const striped *s, int n)
{
    const int64_t turns = s->bytes / (s->chunk * s->files);
    const int64_t rest = s->bytes - turns * s->chunk * s->files - n * s->chunk;
    return turns * s->chunk + (rest < 0 ? 0 : rest < s->chunk ? rest : s->chunk);
}

/* Gives file n its size, and checks the free space for all files on its disk. Blocks are
 * allocated when written, but room must exist now. */
static pav_status take_room(const striped *s, int n)
{
    uint64_t own, which;
    int64_t needed = 0;
    if (ftruncate(s->file[n].file, bytes_of(s, n)) != 0)
        return striped_failed(&s->file[n], "made", errno, bytes_of(s, n));
    const int64_t room = disk_available(s->file[n].path, &own);
    for (int k = 0; k < s->files; k++)
        if (disk_available(s->file[k].path, &which) >= 0 && which == own)
            needed += bytes_of(s, k);
    return room < 0 || needed <= room
               ? PAV_OK
               : striped_failed(&s->file[n], "made", ENOSPC, needed);
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
    f->path = joined(o->path[n], s->is_new ? ending : "", "");
    if (!f->path)
        return PAV_ENOMEM;
    s->files = n + 1 > s->files ? n + 1 : s->files;
    if (o->there)
        name_settle(f->path);
    f->file = o->there ? open(f->path, how)
                       : open(f->path, how | O_CREAT | O_TRUNC, 0666);
    if (f->file < 0)
        return striped_failed(f, o->there ? "opened" : "made", errno, 0);
    /* If the file system has no locks, every process is let in. */
    if (o->kept && !lock_in_time(f->file) && errno == EWOULDBLOCK)
        return FAIL(PAV_EIO, "the store %s is in use: another run computes in it",
                    f->path);
    f->direct = open(f->path, how | O_DIRECT);
    if (!o->there && !o->kept)
        (void)unlink(f->path);
    return PAV_OK;
}

/* ---- the mapping ------------------------------------------------------------------- */

static pav_status map_all(striped *s)
{
    void *there = mmap(NULL, (size_t)s->bytes, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (there == MAP_FAILED)
        return striped_failed(&s->file[0], "mapped into memory", errno, 0);
    s->memory = there;
    for (int64_t turn = 0, at = 0; at < s->bytes; turn++, at += s->chunk) {
        const striped_file *f = &s->file[turn % s->files];
        there = mmap(s->memory + at, (size_t)int64_least(s->bytes - at, s->chunk),
                     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, f->file,
                     turn / s->files * s->chunk);
        if (there == MAP_FAILED)
            return striped_failed(f, "mapped into memory", errno, 0);
    }
    return PAV_OK;
}

/* ---- all --------------------------------------------------------------------------- */

RELEASES(close_striped, striped, striped_close)

pav_status striped_open(const striped_options *o, striped **opened)
{
    *opened = NULL;
    NEW_BY(close_striped, striped, s, 1);
    bool past = true;
    s->bytes = int_rounded(o->bytes, STRIPED_ALIGN);
    s->chunk = LEAST_CHUNK;
    while (s->bytes / s->chunk >= MOST_CHUNKS)
        s->chunk *= 2;
    if (o->paths == 1)
        s->chunk = s->bytes;
    s->there = o->there;
    s->kept = o->kept;
    s->timed = o->timed;
    s->is_new = o->kept && !o->there;
    s->touched = true;
    for (int n = 0; n < o->paths; n++)
        TRY(open_file(s, o, n));
    for (int n = 0; n < s->files; n++) {
        past = past && s->file[n].direct >= 0;
        TRY(o->there ? check_size(&s->file[n], bytes_of(s, n)) : take_room(s, n));
    }
    atomic_store(&s->past, past);
    fault_find(s);
    TRY(map_all(s));
    struct sigaction how = {.sa_sigaction = replace_torn_page, .sa_flags = SA_SIGINFO};
    (void)sigemptyset(&how.sa_mask);
    (void)pthread_mutex_lock(&installing);
    for (int n = 0; n < MOST_STORES && !s->guarded; n++) {
        striped *none = NULL;
        s->guarded = atomic_compare_exchange_strong(&guarded[n], &none, s);
    }
    if (s->guarded && installed++ == 0)
        (void)sigaction(SIGBUS, &how, &before);
    (void)pthread_mutex_unlock(&installing);
    TRY(striped_start(s));
    *opened = mem_hand_over(&s);
    return PAV_OK;
}

void striped_close(striped *s)
{
    if (!s)
        return;
    if (s->threads > 0) {
        (void)pthread_mutex_lock(&s->lock);
        s->closing = true;
        (void)pthread_cond_broadcast(&s->asked);
        (void)pthread_mutex_unlock(&s->lock);
        for (int n = 0; n < s->threads; n++)
            (void)pthread_join(s->thread[n], NULL);
        (void)pthread_cond_destroy(&s->asked);
        (void)pthread_cond_destroy(&s->done);
        (void)pthread_mutex_destroy(&s->lock);
        free(s->failure.why);
        mem_free(s->piece);
    }
    (void)pthread_mutex_lock(&installing);
    for (int n = 0; n < MOST_STORES && s->guarded; n++) {
        striped *own = s;
        (void)atomic_compare_exchange_strong(&guarded[n], &own, NULL);
    }
    if (s->guarded && --installed == 0)
        (void)sigaction(SIGBUS, &before, NULL);
    s->guarded = false;
    (void)pthread_mutex_unlock(&installing);
    if (s->memory)
        (void)munmap(s->memory, (size_t)s->bytes);
    for (int n = 0; n < s->files; n++) {
        const striped_file *f = &s->file[n];
        if (f->file >= 0 && s->is_new)
            (void)unlink(f->path);
        if (f->file >= 0)
            (void)close(f->file);
        if (f->direct >= 0)
            (void)close(f->direct);
        mem_free(f->path);
    }
    MEM_FREE_ALL(s->cached, s->span, s);
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
    /* Makes holes of zeros written through the mapping, if their pages are still in
     * the page cache. */
    bool is_cached;
    for (int64_t at = 0, bytes; at < s->bytes; at += bytes) {
        bytes = int64_least(cached_run(s, at, &is_cached), s->chunk - at % s->chunk);
        if (is_cached)
            continue;
        bytes = int64_least(bytes, PIECE);
        if (is_resident(s->memory + at, bytes) && is_zero(s->memory + at, bytes))
            (void)punch(s, at, bytes);
    }
    s->touched = false;
    return s->kept ? cached_write(s) : PAV_OK;
}

pav_status striped_flush(striped *s)
{
    TRY(striped_check(s));
    TRY(take_touched(s));
    if (msync(s->memory, (size_t)s->bytes, MS_SYNC) != 0)
        return striped_failed(&s->file[0], "written", errno, 0);
    /* Frees all mapped pages not cached. */
    bool is_cached;
    for (int64_t at = 0; at < s->bytes;) {
        const int64_t run = cached_run(s, at, &is_cached);
        if (!is_cached)
            (void)madvise(s->memory + at, (size_t)run, MADV_DONTNEED);
        at += run;
    }
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
    f.holes = atomic_load(&s->holes);
    f.written -= f.holes;
    return f;
}

const striped_span *striped_spans(const striped *s, int64_t *count)
{
    *count = s->spans;
    return s->span;
}
