/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of a checkpoint file, through a buffer and with a final sum. The file is
 * written as FILE.part, locked, and synced to disk. Then the old checkpoint becomes
 * FILE.old, and FILE.part becomes FILE. Whenever the process is killed, one of the three
 * files is complete.
 *
 * The checksum at the end is the sum over all 32-bit words, each times an odd number
 * given by its place in the file, modulo 2^64. So the order of bytes does not matter:
 * ranks sum their own points, and the sums are added. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/striped/striped.h"
#include "run/checkpoint/checkpoint_private.h"

/* ---- checksum ---------------------------------------------------------------------- */

enum { WORD = 4, WORDS = 8, BLOCK = WORD * WORDS };

static const uint64_t lane[WORDS] = {
    UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344),
    UINT64_C(0xa4093822299f31d0), UINT64_C(0x082efa98ec4e6c89),
    UINT64_C(0x452821e638d01377), UINT64_C(0xbe5466cf34e90c6c),
    UINT64_C(0xc0ac29b7c97c50dd), UINT64_C(0x3f84d5b5b5470917)};

/* The sum of a block of the file, with 0 in place of unknown bytes. */
static uint64_t sum_block(int64_t block, const void *bytes)
{
    const uint64_t factor = hash_mix((uint64_t)block);
    uint32_t word[WORDS];
    uint64_t sum = 0;
    memcpy(word, bytes, sizeof word);
    for (int k = 0; k < WORDS; k++)
        sum += word[k] * ((factor ^ lane[k]) | 1);
    return sum;
}

static uint64_t sum_part(int64_t at, const char *bytes, int64_t length)
{
    char whole[BLOCK] = {0};
    memcpy(whole + at % BLOCK, bytes, (size_t)length);
    return sum_block(at / BLOCK, whole);
}

/* The sum of bytes at a place of the file. */
static uint64_t sum_of(int64_t at, const void *bytes, int64_t length)
{
    const char *from = bytes;
    uint64_t sum = 0;
    while (length > 0) {
        const int64_t room = BLOCK - at % BLOCK, now = length < room ? length : room;
        sum += now == BLOCK ? sum_block(at / BLOCK, from) : sum_part(at, from, now);
        from += now;
        at += now;
        length -= now;
    }
    return sum;
}

static uint64_t sum_end(uint64_t sum, int64_t length)
{
    return hash_mix(sum + hash_mix((uint64_t)length));
}

const char checkpoint_magic[CHECKPOINT_MAGIC] = "PAVCHKPT";

/* ---- writing ----------------------------------------------------------------------- */

static pav_status cannot(const stream *s, const char *what, int error)
{
    OWNED_BY(text_free) text room = {0};
    if (error == ENOSPC && s->whole > 0)
        text_add_room(&room, s->file, s->whole);
    return FAIL(write_status(error), "the checkpoint %s cannot be %s: %s%s%s", s->path,
                what, strerror(error), room.data ? room.data : "",
                write_hint(error, s->path));
}

static pav_status add_name(const char *path, const char *ending, char **name)
{
    text t = {0};
    text_add(&t, "%s%s", path, ending);
    return text_take(&t, name);
}

static pav_status begin(stream *s, const char *path)
{
    *s = (stream){.path = path, .file = -1, .buffer = mem_new(STREAM_BUFFER, 1)};
    return s->buffer ? PAV_OK : PAV_ENOMEM;
}

/* Closes the file at once, so that the other run's file is not removed. */
static pav_status kept_by_another(stream *s)
{
    (void)close(s->file);
    s->file = -1;
    return FAIL(
        PAV_EIO,
        "the checkpoint %s is being written by another run; give this one another "
        "file",
        s->path);
}

/* True for the first bytes of a checkpoint. partial: after a crash of the machine the
 * unfinished file may have later bytes, and zeros before them. */
bool checkpoint_begins(const char *bytes, size_t length, bool partial)
{
    static const char zeros[CHECKPOINT_MAGIC];
    return memcmp(bytes, checkpoint_magic, length) == 0 ||
           (partial && memcmp(bytes, zeros, length) == 0);
}

/* Refuses to empty a file of this name, unless it is the partial checkpoint of a killed
 * run, and no link. */
static const char *refusal_of(int file, const struct stat *about)
{
    char begins[CHECKPOINT_MAGIC];
    const ssize_t length = pread(file, begins, sizeof begins, 0);

    if (!S_ISREG(about->st_mode))
        return "it is no ordinary file";
    return about->st_nlink > 1 ? "the file has another name, too"
           : length < 0 || !checkpoint_begins(begins, (size_t)length, true)
               ? "it is no checkpoint"
               : NULL;
}

static pav_status foreign(const stream *s, const char *why)
{
    return FAIL(
        PAV_EIO,
        "the checkpoint %s cannot be written: %s is in its way (%s); give another "
        "name, or remove it",
        s->path, s->part, why);
}

static pav_status empty_part(stream *s, const struct stat *about)
{
    const char *refusal = refusal_of(s->file, about);
    if (!refusal)
        return ftruncate(s->file, 0) == 0 ? PAV_OK : cannot(s, "written", errno);
    (void)close(s->file); /* keeps the file */
    s->file = -1;
    return foreign(s, refusal);
}

/* Opens and locks the file of this name. Between opening and locking, another run may
 * have renamed it, so this retries. */
static pav_status open_locked(stream *s)
{
    struct stat own, named;
    for (int tries = 0; tries < 100; tries++) {
        s->file = file_above_streams(
            open(s->part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
        if (s->file < 0)
            return errno == ELOOP ? foreign(s, "it is a link")
                                  : cannot(s, "written", errno);
        if (flock(s->file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
            return kept_by_another(s);
        if (fstat(s->file, &own) == 0 && lstat(s->part, &named) == 0 &&
            own.st_ino == named.st_ino && own.st_dev == named.st_dev)
            return empty_part(s, &own);
        (void)close(s->file);
        s->file = -1;
    }
    return cannot(s, "written", EBUSY);
}

pav_status stream_create(stream *s, const char *path)
{
    struct stat about;
    const char *refusal = file_oddity(path);
    if (!refusal && lstat(path, &about) == 0 && S_ISLNK(about.st_mode))
        refusal = "it is a link";
    TRY(refusal ? FAIL(PAV_EIO, "the checkpoint %s cannot be written: %s", path, refusal)
                : PAV_OK);
    pav_status status = begin(s, path);
    if (status == PAV_OK)
        status = add_name(path, ".part", &s->part);
    if (status == PAV_OK && file_oddity(s->part))
        status = foreign(s, file_oddity(s->part));
    if (status == PAV_OK)
        status = open_locked(s);
    if (status != PAV_OK)
        stream_close(s);
    return status;
}

pav_status stream_join(stream *s, const char *path, const char *part)
{
    TRY(begin(s, path));
    s->joined = true;
    s->file = open(part, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    return s->file >= 0 ? PAV_OK : cannot(s, "written", errno);
}

static pav_status write_all(const stream *s, const char *bytes, int64_t length,
                            int64_t at)
{
    while (length > 0) {
        const ssize_t put = pwrite(s->file, bytes, (size_t)length, at);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return cannot(s, "written", put < 0 ? errno : EIO);
        bytes += put;
        at += put;
        length -= put;
    }
    return PAV_OK;
}

static pav_status empty_buffer(stream *s)
{
    s->sum += sum_of(s->at, s->buffer, s->used);
    TRY(write_all(s, s->buffer, s->used, s->at));
    s->at += s->used;
    s->used = 0;
    return PAV_OK;
}

pav_status stream_put(stream *s, const void *bytes, int64_t length)
{
    const char *from = bytes;
    while (length > 0) {
        const int64_t room = STREAM_BUFFER - s->used, now = length < room ? length : room;
        memcpy(s->buffer + s->used, from, (size_t)now);
        s->used += now;
        from += now;
        length -= now;
        if (s->used == STREAM_BUFFER)
            TRY(empty_buffer(s));
    }
    return PAV_OK;
}

/* The target may already be in the buffer. */
pav_status stream_seek(stream *s, int64_t at)
{
    if (at == s->at + s->used)
        return PAV_OK;
    if (s->end <= 0) /* it is written */
        TRY(empty_buffer(s));
    else if (at >= s->at && at < s->at + s->owned) {
        s->used = at - s->at;
        return PAV_OK;
    }
    s->at = at;
    s->used = s->owned = 0;
    return PAV_OK;
}

pav_status stream_flush(stream *s)
{
    TRY(empty_buffer(s));
    return fsync(s->file) == 0 ? PAV_OK : cannot(s, "written", errno);
}

pav_status stream_finish(stream *s, uint64_t others, bool keep)
{
    TRY(empty_buffer(s));
    const int64_t length = s->whole - (int64_t)sizeof(uint64_t);
    const uint64_t sum = sum_end(s->sum + others, length);
    TRY(write_all(s, (const char *)&sum, sizeof sum, length));
    if (fsync(s->file) != 0)
        return cannot(s, "written", errno);
    OWNED char *old = NULL;
    TRY(add_name(s->path, ".old", &old));
    if (keep && rename(s->path, old) != 0 && errno != ENOENT)
        return cannot(s, "kept as FILE.old", errno);
    striped_moment("rename");
    if (rename(s->part, s->path) != 0)
        return cannot(s, "written", errno);
    striped_moment("renamed");
    mem_free(s->part);
    s->part = NULL;
    const int error = directory_sync(s->path);
    return error ? cannot(s, "written", error) : PAV_OK;
}

/* ---- reading ----------------------------------------------------------------------- */

static pav_status cut_short(const stream *s)
{
    return FAIL(PAV_EFORMAT, "the checkpoint %s is damaged: it was cut short", s->path);
}

static pav_status cannot_read(const stream *s, const char *why)
{
    return FAIL(PAV_EIO, "the checkpoint %s cannot be read: %s", s->path, why);
}

static pav_status open_file(stream *s)
{
    struct stat about;
    const char *refusal = file_oddity(s->path);
    if (refusal)
        return cannot_read(s, refusal);
    s->file = open(s->path, O_RDONLY | O_CLOEXEC);
    if (s->file < 0 || fstat(s->file, &about) != 0)
        return cannot_read(s, strerror(errno));
    s->end = about.st_size - (int64_t)sizeof(uint64_t);
    return s->end > 0 ? PAV_OK : cut_short(s);
}

pav_status stream_open(stream *s, const char *path)
{
    pav_status status = begin(s, path);
    if (status == PAV_OK)
        status = open_file(s);
    if (status != PAV_OK)
        stream_close(s);
    return status;
}

static pav_status read_all(const stream *s, char *bytes, int64_t length, int64_t at)
{
    while (length > 0) {
        const ssize_t got = pread(s->file, bytes, (size_t)length, at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return cannot_read(s, strerror(errno));
        if (got == 0)
            return cut_short(s);
        bytes += got;
        at += got;
        length -= got;
    }
    return PAV_OK;
}

pav_status stream_get(stream *s, void *bytes, int64_t length)
{
    char *to = bytes;
    while (length > 0) {
        if (s->used == s->owned) {
            s->at += s->owned;
            const int64_t left = s->end - s->at;
            s->owned = left < STREAM_BUFFER ? left : STREAM_BUFFER;
            s->used = 0;
            TRY(s->owned <= 0 ? cut_short(s) : read_all(s, s->buffer, s->owned, s->at));
        }
        const int64_t there = s->owned - s->used, now = length < there ? length : there;
        memcpy(to, s->buffer + s->used, (size_t)now);
        if (!s->uncounted)
            s->sum += sum_of(s->at + s->used, to, now);
        s->used += now;
        to += now;
        length -= now;
    }
    return PAV_OK;
}

int64_t stream_left(const stream *s)
{
    return s->end - s->at - s->used;
}

pav_status stream_check(stream *s, uint64_t all)
{
    uint64_t sum;
    TRY(read_all(s, (char *)&sum, sizeof sum, s->end));
    return sum != sum_end(all, s->end)
               ? FAIL(PAV_EFORMAT,
                      "the checkpoint %s is damaged: its bytes do not have its checksum",
                      s->path)
               : PAV_OK;
}

/* An unfinished file is removed while it is still locked. */
void stream_close(stream *s)
{
    if (s->part && s->file >= 0)
        (void)unlink(s->part);
    if (s->file >= 0)
        (void)close(s->file);
    MEM_FREE_ALL(s->part, s->buffer);
    *s = (stream){.file = -1};
}
