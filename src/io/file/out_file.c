/* SPDX-License-Identifier: BSD-3-Clause */
/* Files appear complete or not at all: a file is written under a temporary name in the
 * target's directory and renamed at the end. If the target is a link, the link is
 * followed. If it exists and is no ordinary file, it is rejected, because renaming would
 * replace it. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/io_private.h"

static pav_status out_write_plain(out_file *o, const void *bytes, int64_t length);

/* ---- unfinished files -------------------------------------------------------------- */

/* Names of unfinished files, and their removal: the next run writing into the directory
 * removes files of killed processes.
 *
 * The name contains the process: .pavior-SYSTEM-PROCESS-NUMBER. A process number has a
 * meaning only within one boot of a system and one process namespace (a container's), so
 * SYSTEM is a hash of both. Files of other systems sharing the directory are left
 * alone. */

enum { MOST = 256 };

static void add_file(hash *h, const char *path)
{
    char bytes[MOST];
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file >= 0 ? read(file, bytes, sizeof bytes) : -1;

    if (length > 0)
        hash_add(h, bytes, length);
    if (file >= 0)
        (void)close(file);
}

static void add_link(hash *h, const char *path)
{
    char bytes[MOST];
    const ssize_t length = readlink(path, bytes, sizeof bytes);

    if (length > 0)
        hash_add(h, bytes, length);
}

static void add_prefix(text *name)
{
    hash h;

    hash_init(&h);
    add_file(&h, "/proc/sys/kernel/random/boot_id");
    add_link(&h, "/proc/self/ns/pid");
    text_add(name, ".pavior-%016llx-", (unsigned long long)hash_end(&h));
}

static void out_temporary_name(text *name)
{
    static atomic_uint number;

    add_prefix(name);
    text_add(name, "%ld-%u", (long)getpid(), atomic_fetch_add(&number, 1));
}

/* True if the name is exactly PROCESS-NUMBER and the process no longer exists. */
static bool is_gone(const char *name)
{
    static const char digits[] = "0123456789";
    const size_t first = strspn(name, digits);
    const size_t second = name[first] == '-' ? strspn(name + first + 1, digits) : 0;
    const long process = strtol(name, NULL, 10);

    return first > 0 && second > 0 && name[first + 1 + second] == '\0' && process > 0 &&
           process == (pid_t)process && kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

static bool is_own_file(int directory, const char *name)
{
    struct stat s;

    return fstatat(directory, name, &s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(s.st_mode) &&
           s.st_uid == geteuid();
}

pav_status io_remove_leftovers(const char *directory)
{
    text prefix = {0};
    DIR *all = opendir(directory);

    add_prefix(&prefix);
    const bool failed = prefix.failed;
    for (const struct dirent *one = NULL; !failed && all && (one = readdir(all));)
        if (strncmp(one->d_name, prefix.data, (size_t)prefix.length) == 0 &&
            is_gone(one->d_name + prefix.length) && is_own_file(dirfd(all), one->d_name))
            (void)unlinkat(dirfd(all), one->d_name, 0);
    text_free(&prefix);
    if (all)
        (void)closedir(all);
    return failed ? PAV_ENOMEM : PAV_OK;
}

/* ---- the zstd library -------------------------------------------------------------- */

/* The zstd library (version 1.4 and later), opened when a .zst file is first written or
 * read. */

static zstd api;
static const char *missing; /* NULL: the library is there */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const library_call calls[] = {
    {"ZSTD_isError", offsetof(zstd, is_error)},
    {"ZSTD_getErrorName", offsetof(zstd, error_name)},
    {"ZSTD_createCCtx", offsetof(zstd, packer_new)},
    {"ZSTD_CCtx_setParameter", offsetof(zstd, packer_set)},
    {"ZSTD_compressStream2", offsetof(zstd, pack)},
    {"ZSTD_freeCCtx", offsetof(zstd, packer_free)},
    {"ZSTD_createDCtx", offsetof(zstd, unpacker_new)},
    {"ZSTD_decompressStream", offsetof(zstd, unpack)},
    {"ZSTD_freeDCtx", offsetof(zstd, unpacker_free)},
};

static void find(void)
{
    const char *file = NULL;
    void *library = library_open("zstd", &file);

    if (!library)
        missing = ".zst files need the zstd library, which is not there; install it "
                  "(Debian, Ubuntu: apt install libzstd1; Fedora: dnf install libzstd; "
                  "conda install zstd), or use a .npy file";
    else if (!library_find(library, calls, COUNT_OF(calls), &api))
        missing = ".zst files need the zstd library of version 1.4 or later, and the one "
                  "that was found is older; install it, or use a .npy file";
}

const char *zstd_missing(void)
{
    (void)pthread_once(&once, find);
    return missing;
}

const zstd *zstd_open(void)
{
    return zstd_missing() ? NULL : &api;
}

/* ---- compressed files -------------------------------------------------------------- */

/* Files compressed by zstd while they are written: one frame with a checksum, piece by
 * piece. */

enum {
    PIECE = 1 << 16, /* packed bytes */
    GO_ON = 0,       /* the library's numbers */
    END = 2,
    SET_LEVEL = 100,
    SET_CHECKSUM = 201,
    LEVEL = 3, /* the library's default */
};

struct packer {
    const zstd *api;
    void *state;
    char bytes[PIECE];
};

static pav_status cannot_pack(const out_file *o, const char *why)
{
    return FAIL(PAV_EIO, "%s cannot be written: zstd says: %s", o->shown, why);
}

static bool set_up(struct packer *p)
{
    return p->state &&
           !p->api->is_error(p->api->packer_set(p->state, SET_LEVEL, LEVEL)) &&
           !p->api->is_error(p->api->packer_set(p->state, SET_CHECKSUM, 1));
}

pav_status out_pack(out_file *o)
{
    if (zstd_missing())
        return FAIL(PAV_EUNSUPPORTED, "%s: %s", o->shown, zstd_missing());
    struct packer *p = o->packer = mem_new(1, sizeof *p);
    if (!p)
        return PAV_ENOMEM;
    p->api = zstd_open();
    p->state = p->api->packer_new();
    return set_up(p) ? PAV_OK
                     : FAIL(PAV_ENOMEM, "%s cannot be written: memory ran out", o->shown);
}

static pav_status pack(out_file *o, const void *bytes, int64_t length, int how)
{
    struct packer *p = o->packer;
    zstd_piece in = {(void *)(uintptr_t)bytes, (size_t)length, 0};
    size_t left = 1; /* bytes held back by the library at the end of a frame */

    while (in.at < in.size || (how == END && left > 0)) {
        zstd_piece out = {p->bytes, PIECE, 0};
        left = p->api->pack(p->state, &out, &in, how);
        if (p->api->is_error(left))
            return cannot_pack(o, p->api->error_name(left));
        TRY(out_write_plain(o, p->bytes, (int64_t)out.at));
    }
    return PAV_OK;
}

static pav_status out_write_packed(out_file *o, const void *bytes, int64_t length)
{
    return pack(o, bytes, length, GO_ON);
}

static pav_status out_end_packed(out_file *o, pav_status status)
{
    struct packer *p = o->packer;

    if (status == PAV_OK)
        status = pack(o, NULL, 0, END);
    if (p->state)
        (void)p->api->packer_free(p->state);
    mem_free(p);
    o->packer = NULL;
    return status;
}

/* An upper bound: incompressible data grow by less than 1/256 plus 64 bytes. The library
 * needs 3.5 MiB of memory at its default level. */
frame_need packed_need(frame_need plain)
{
    enum { STATE = 4 << 20, AROUND = 64 };
    int64_t most;

    if (!add_fits(plain.file, plain.file / 256 + AROUND, &most))
        most = INT64_MAX;
    return (frame_need){plain.memory + STATE + (int64_t)sizeof(struct packer), most,
                        false};
}

/* ---- files ------------------------------------------------------------------------- */

enum { TRIES = 100 };

static pav_status cannot_write(const out_file *o, int error)
{
    text after = {0};

    if (o->file && error == ENOSPC) {
        text_add_room(&after, fileno(o->file), o->whole);
    } else if (o->file && o->written > 0) {
        text_add(&after, " after ");
        text_add_bytes_size(&after, o->written);
    }
    const pav_status status = FAIL(
        write_status(error), "%s cannot be written: %s%s%s", o->shown, strerror(error),
        after.length > 0 ? after.data : "", write_hint(error, o->shown));
    text_free(&after);
    return status;
}

/* Finds the target's path, following links if it exists. */
static pav_status find_target(out_file *o)
{
    const char *odd = file_oddity(o->shown);
    text copy = {0};

    if (odd)
        return FAIL(PAV_EIO, "%s cannot be written: %s", o->shown, odd);
    o->path = realpath(o->shown, NULL);
    if (o->path)
        return PAV_OK;
    text_add(&copy, "%s", o->shown);
    return text_take(&copy, &o->path);
}

/* Opens a new file next to the target. Its name does not contain the target's, because
 * that may already have the greatest length. */
static int open_another(out_file *o, text *name)
{
    const char *slash = strrchr(o->path, '/');
    const int64_t directory = slash ? slash - o->path + 1 : 0;
    int found = -1;

    for (int n = 0; n < TRIES && found < 0; n++) {
        name->length = 0;
        text_add_bytes(name, o->path, directory);
        out_temporary_name(name);
        if (name->failed)
            return -1;
        found = file_apart(
            open(name->data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
        if (found < 0 && errno != EEXIST)
            return -1;
    }
    return found;
}

static pav_status open_temporary(out_file *o)
{
    text name = {0};

    errno = ENOMEM;
    const int descriptor = open_another(o, &name);
    if (descriptor < 0) {
        const int error = errno;
        text_free(&name);
        return cannot_write(o, error);
    }
    o->file = fdopen(descriptor, "wb");
    if (!o->file) {
        const int error = errno;
        (void)close(descriptor);
        (void)unlink(name.data);
        text_free(&name);
        return cannot_write(o, error);
    }
    return text_take(&name, &o->temporary);
}

pav_status out_open(out_file *o, const char *path)
{
    *o = (out_file){.shown = path};
    pav_status status = find_target(o);
    if (o->path) /* set if find_target succeeded */
        status = open_temporary(o);
    if (status != PAV_OK) {
        mem_free(o->path);
        *o = (out_file){0};
    }
    return status;
}

pav_status out_try(const char *path)
{
    out_file o;

    TRY(out_open(&o, path));
    (void)out_close(&o, PAV_EIO); /* closed like a failed file: nothing is left */
    return PAV_OK;
}

/* ---- signs of life ----------------------------------------------------------------- */

static struct {
    void (*alive)(void *user);
    void *user;
    pthread_t thread;
} watch;

void io_watch(void (*alive)(void *user), void *user)
{
    watch.alive = alive;
    watch.user = user;
    watch.thread = pthread_self();
}

void io_alive(void)
{
    if (watch.alive && pthread_equal(watch.thread, pthread_self()))
        watch.alive(watch.user);
}

pav_status out_write(out_file *o, const void *bytes, int64_t length)
{
    return o->packer ? out_write_packed(o, bytes, length)
                     : out_write_plain(o, bytes, length);
}

static pav_status out_write_plain(out_file *o, const void *bytes, int64_t length)
{
    io_alive();
    errno = EIO;
    if (length > 0 && fwrite(bytes, 1, (size_t)length, o->file) != (size_t)length)
        return cannot_write(o, errno);
    o->written += length;
    return PAV_OK;
}

pav_status out_publish(out_file *o)
{
    errno = EIO;
    if (fflush(o->file) != 0 || rename(o->temporary, o->path) != 0)
        return cannot_write(o, errno);
    mem_free(o->temporary);
    o->temporary = NULL;
    return PAV_OK;
}

/* Writes at an offset, bypassing stdio; its buffer is empty after out_publish. Returns
 * the number of bytes written, fewer if the disk is full. */
static int64_t write_at(const out_file *o, const char *bytes, int64_t length, int64_t at)
{
    int64_t done = 0;
    while (done < length) {
        const ssize_t put_now = pwrite(fileno(o->file), bytes + done,
                                       (size_t)(length - done), at + done);
        if (put_now < 0 && errno == EINTR)
            continue;
        if (put_now <= 0)
            break;
        done += put_now;
    }
    return done;
}

pav_status out_append(out_file *o, const void *bytes, int64_t length,
                      int64_t (*whole)(void *user, int64_t bytes), void *user)
{
    errno = EIO;
    const int64_t put_now = write_at(o, bytes, length, o->written);
    if (put_now == length) {
        o->written += length;
        return PAV_OK;
    }
    o->whole = o->written + length;
    const pav_status status = cannot_write(o, errno);
    o->written += whole ? whole(user, put_now) : 0;
    (void)!ftruncate(fileno(o->file), o->written);
    return status;
}

pav_status out_reserve(out_file *o, int64_t bytes)
{
    o->whole = bytes;
    if (fallocate(fileno(o->file), 0, 0, bytes) == 0)
        return PAV_OK;
    return errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? cannot_write(o, errno)
                                                                : PAV_OK;
}

pav_status out_put(out_file *o, const void *bytes, int64_t length, int64_t at)
{
    errno = EIO;
    return write_at(o, bytes, length, at) == length ? PAV_OK : cannot_write(o, errno);
}

pav_status out_rewrite(out_file *o, const void *bytes, int64_t length)
{
    return out_put(o, bytes, length, 0);
}

/* Opens an existing file with at least `bytes`; returns the descriptor or -1. */
static int open_again(out_file *o, int64_t bytes, pav_status *status)
{
    struct stat now;
    const int descriptor = file_apart(open(o->path, O_RDWR | O_CLOEXEC));

    if (descriptor >= 0 && fstat(descriptor, &now) == 0 && now.st_size >= bytes)
        return descriptor;
    *status = descriptor < 0
                  ? cannot_write(o, errno)
                  : FAIL(
                        PAV_EFORMAT,
                        "%s has %lld bytes, but the run that is gone on with had written "
                        "%lld; bring it back, or move it away and a new one is begun",
                        o->shown, (long long)now.st_size, (long long)bytes);
    if (descriptor >= 0)
        (void)close(descriptor);
    return -1;
}

pav_status out_resume(out_file *o, const char *path, int64_t bytes)
{
    struct stat now;

    *o = (out_file){.shown = path};
    if (stat(path, &now) != 0 && errno == ENOENT)
        return PAV_OK;
    pav_status status = find_target(o);
    const int descriptor = status == PAV_OK ? open_again(o, bytes, &status) : -1;
    if (descriptor >= 0) {
        o->written = bytes;
        o->file = fdopen(descriptor, "r+b");
        if (!o->file) {
            status = cannot_write(o, errno);
            (void)close(descriptor);
        }
    }
    if (!o->file) {
        mem_free(o->path);
        *o = (out_file){0};
    }
    return status;
}

pav_status out_cut(out_file *o)
{
    errno = EIO;
    return ftruncate(fileno(o->file), o->written) == 0 ? PAV_OK : cannot_write(o, errno);
}

pav_status out_sync(out_file *o)
{
    errno = EIO;
    if (fflush(o->file) != 0 || fdatasync(fileno(o->file)) != 0)
        return cannot_write(o, errno);
    const int error = directory_sync(o->path);
    return error ? cannot_write(o, error) : PAV_OK;
}

pav_status out_close(out_file *o, pav_status status)
{
    if (!o->file)
        return status;
    if (o->packer)
        status = out_end_packed(o, status);
    errno = EIO;
    if (status == PAV_OK && fflush(o->file) != 0)
        status = cannot_write(o, errno);
    errno = EIO;
    if (fclose(o->file) != 0 && status == PAV_OK)
        status = cannot_write(o, errno);
    if (status == PAV_OK && o->temporary && rename(o->temporary, o->path) != 0)
        status = cannot_write(o, errno);
    if (status != PAV_OK && o->temporary)
        (void)unlink(o->temporary);
    mem_free(o->temporary);
    mem_free(o->path);
    *o = (out_file){0};
    return status;
}

pav_status text_write(const char *path, const text *t)
{
    out_file o;

    if (t->failed)
        return FAIL(PAV_ENOMEM, "%s cannot be written: %s", path, pav_message());
    TRY(out_open(&o, path));
    o.whole = t->length;
    return out_close(&o, out_write(&o, t->data, t->length));
}
