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
    OWNED_BY(handle_close) const int file = open(path, O_RDONLY | O_CLOEXEC);

    if (file >= 0)
        hash_add(h, bytes, read(file, bytes, sizeof bytes)); /* nothing after a failure */
}

static void add_prefix(text *name)
{
    char bytes[MOST];
    hash h;

    hash_init(&h);
    add_file(&h, "/proc/sys/kernel/random/boot_id");
    hash_add(&h, bytes, readlink("/proc/self/ns/pid", bytes, sizeof bytes));
    text_add(name, ".pavior-%016llx-", (unsigned long long)hash_end(&h));
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
    OWNED_BY(text_free) text prefix = {0};

    add_prefix(&prefix);
    if (prefix.failed)
        return PAV_ENOMEM;
    OWNED_BY(listing_close) DIR *const all = opendir(directory);
    for (const struct dirent *one = NULL; all && (one = readdir(all));)
        if (strncmp(one->d_name, prefix.data, (size_t)prefix.length) == 0 &&
            is_gone(one->d_name + prefix.length) && is_own_file(dirfd(all), one->d_name))
            (void)unlinkat(dirfd(all), one->d_name, 0);
    return PAV_OK;
}

/* ---- the zstd library -------------------------------------------------------------- */

/* The zstd library (version 1.4 and later), opened when a .zst file is first written or
 * read. */

static zstd api;
static const char *missing; /* NULL: the library is there */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const library_call calls[] = {
#define CALL(symbol, result, member, arguments) {#symbol, offsetof(zstd, member)},
    ZSTD_CALLS(CALL)
#undef CALL
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

pav_status out_pack(out_file *o)
{
    if (zstd_missing())
        return FAIL(PAV_EUNSUPPORTED, "%s: %s", o->shown, zstd_missing());
    struct packer *p = o->packer = mem_new(1, sizeof *p);
    if (!p)
        return PAV_ENOMEM;
    p->api = zstd_open();
    p->state = p->api->packer_new();
    if (!p->state || p->api->is_error(p->api->packer_set(p->state, SET_LEVEL, LEVEL)) ||
        p->api->is_error(p->api->packer_set(p->state, SET_CHECKSUM, 1)))
        return FAIL(PAV_ENOMEM, "%s cannot be written: memory ran out", o->shown);
    return PAV_OK;
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
            return FAIL(PAV_EIO, "%s cannot be written: zstd says: %s", o->shown,
                        p->api->error_name(left));
        TRY(out_write_plain(o, p->bytes, (int64_t)out.at));
    }
    return PAV_OK;
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
    OWNED_BY(text_free) text after = {0};

    if (o->file && error == ENOSPC) {
        text_add_room(&after, fileno(o->file), o->whole);
    } else if (o->file && o->written > 0) {
        text_add(&after, " after ");
        text_add_bytes_size(&after, o->written);
    }
    return FAIL(write_status(error), "%s cannot be written: %s%s%s", o->shown,
                strerror(error), after.length > 0 ? after.data : "",
                write_hint(error, o->shown));
}

/* Finds the target's path, following links if it exists. */
static pav_status find_target(out_file *o)
{
    const char *odd = file_oddity(o->shown);

    if (odd)
        return FAIL(PAV_EIO, "%s cannot be written: %s", o->shown, odd);
    o->path = realpath(o->shown, NULL);
    return o->path ? PAV_OK : text_copy(o->shown, &o->path);
}

/* Opens a new file next to the target. Its name does not contain the target's, because
 * that may already have the greatest length. */
static int open_another(const out_file *o, text *name)
{
    static atomic_uint number;
    int found = -1;

    for (int n = 0; n < TRIES && found < 0; n++) {
        name->length = 0;
        text_add_bytes(name, o->path, path_name(o->path) - o->path);
        add_prefix(name);
        text_add(name, "%ld-%u", (long)getpid(), atomic_fetch_add(&number, 1));
        if (name->failed)
            return -1;
        found = file_above_streams(
            open(name->data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
        if (found < 0 && errno != EEXIST)
            return -1;
    }
    return found;
}

static pav_status open_temporary(out_file *o)
{
    OWNED_BY(text_free) text name = {0};

    errno = ENOMEM;
    const int descriptor = open_another(o, &name);
    if (descriptor < 0)
        return cannot_write(o, errno);
    o->file = fdopen(descriptor, "wb");
    if (!o->file) {
        const int error = errno;
        (void)close(descriptor);
        (void)unlink(name.data);
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
    return o->packer ? pack(o, bytes, length, GO_ON) : out_write_plain(o, bytes, length);
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

pav_status out_write_text(out_file *o, const text *t)
{
    return t->failed ? PAV_ENOMEM : out_write(o, t->data, t->length);
}

pav_status out_write_values(out_file *o, const io_frame *f, pav_type type)
{
    enum { VALUES = 4096 };
    double values[VALUES];

    for (int64_t k = 0; k < f->extent[2]; k++)
        for (int64_t j = 0; j < f->extent[1]; j++)
            for (int64_t i = 0; i < f->extent[0]; i += VALUES) {
                const int64_t count = int64_least(f->extent[0] - i, VALUES);
                frame_read(f, i, j, k, count, type, values);
                TRY(out_write(o, values, count * (int64_t)pav_type_size(type)));
            }
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
 * the number of bytes written, fewer if the disk is full. errno is EIO if the system does
 * not say why. */
int64_t put_at(int descriptor, const char *bytes, int64_t length, int64_t at)
{
    int64_t done = 0;
    errno = EIO;
    while (done < length) {
        const ssize_t put_now = pwrite(descriptor, bytes + done, (size_t)(length - done),
                                       at + done);
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
    const int64_t put_now = put_at(fileno(o->file), bytes, length, o->written);
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
    return put_at(fileno(o->file), bytes, length, at) == length ? PAV_OK
                                                                : cannot_write(o, errno);
}

/* Opens an existing file with at least `bytes`. */
static pav_status open_again(out_file *o, int64_t bytes)
{
    struct stat now = {0};
    const int descriptor = file_above_streams(open(o->path, O_RDWR | O_CLOEXEC));
    pav_status status = PAV_OK;

    if (descriptor < 0)
        return cannot_write(o, errno);
    if (fstat(descriptor, &now) != 0 || now.st_size < bytes) {
        status = FAIL(PAV_EFORMAT,
                      "%s has %lld bytes, but the run that is gone on with had written "
                      "%lld; bring it back, or move it away and a new one is begun",
                      o->shown, (long long)now.st_size, (long long)bytes);
    } else {
        o->written = bytes;
        o->file = fdopen(descriptor, "r+b");
        if (!o->file)
            status = cannot_write(o, errno);
    }
    if (!o->file)
        (void)close(descriptor);
    return status;
}

pav_status out_resume(out_file *o, const char *path, int64_t bytes)
{
    struct stat now;

    *o = (out_file){.shown = path};
    if (stat(path, &now) != 0 && errno == ENOENT)
        return PAV_OK;
    pav_status status = find_target(o);
    if (status == PAV_OK)
        status = open_again(o, bytes);
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
    MEM_FREE_ALL(o->temporary, o->path);
    *o = (out_file){0};
    return status;
}

pav_status frame_write(const char *path, frame_fill *fill, const io_frame *f)
{
    out_file o;

    TRY(out_open(&o, path));
    return out_close(&o, fill(&o, f));
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
