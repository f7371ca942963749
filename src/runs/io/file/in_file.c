/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads files from beginning to end, piece by piece. Files with names ending in .zst are
 * decompressed on the way. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "io/io_private.h"

enum { PIECE = 1 << 16 /* packed bytes */ };

struct unpacker {
    const zstd *api;
    void *state;
    zstd_piece in;
    bool inside;       /* inside a frame not yet complete */
    char bytes[PIECE]; /* compressed bytes from the file */
};

static pav_status read_failed(const in_file *f, int error)
{
    return FAIL(PAV_EIO, "%s cannot be read: %s", f->path, strerror(error));
}

static pav_status read_plain(in_file *f, char *bytes, int64_t length, int64_t *got)
{
    errno = EIO;
    *got = (int64_t)fread(bytes, 1, (size_t)length, f->file);
    return *got < length && ferror(f->file) ? read_failed(f, errno) : PAV_OK;
}

/* ---- zstd -------------------------------------------------------------------------- */

static pav_status open_unpacker(in_file *f)
{
    if (zstd_missing())
        return FAIL(PAV_EUNSUPPORTED, "%s: %s", f->path, zstd_missing());
    struct unpacker *u = f->unpacker = mem_new(1, sizeof *u);
    if (!u)
        return PAV_ENOMEM;
    u->api = zstd_open();
    u->in.bytes = u->bytes;
    u->state = u->api->unpacker_new();
    return u->state ? PAV_OK
                    : FAIL(PAV_ENOMEM, "%s cannot be read: memory ran out", f->path);
}

static pav_status refill(in_file *f)
{
    struct unpacker *u = f->unpacker;
    int64_t got;

    TRY(read_plain(f, u->bytes, PIECE, &got));
    u->in.size = (size_t)got;
    u->in.at = 0;
    if (got == 0 && u->inside)
        return FAIL(PAV_EFORMAT, "%s is cut short: its zstd frame goes on behind its end",
                    f->path);
    return PAV_OK;
}

/* Reads until `length` bytes are there, or the file ends at the end of a frame. The
 * library may hold output back, so new input is read only when it returns nothing
 * more. */
static pav_status read_packed(in_file *f, char *bytes, int64_t length, int64_t *got)
{
    struct unpacker *u = f->unpacker;
    zstd_piece out = {bytes, (size_t)length, 0};

    while (out.at < out.size) {
        const size_t before = out.at;
        if (u->in.at < u->in.size || u->inside) {
            const size_t left = u->api->unpack(u->state, &out, &u->in);
            if (u->api->is_error(left))
                return FAIL(PAV_EFORMAT, "%s is damaged, or no zstd file: %s", f->path,
                            u->api->error_name(left));
            u->inside = left > 0;
        }
        if (out.at > before || u->in.at < u->in.size)
            continue;
        TRY(refill(f));
        if (u->in.size == 0)
            break;
    }
    *got = (int64_t)out.at;
    return PAV_OK;
}

/* ---- for readers ------------------------------------------------------------------- */

pav_status in_open(in_file *f, const char *path)
{
    const char *dot = strrchr(path, '.'), *odd = file_oddity(path);

    if (odd)
        return FAIL(PAV_EIO, "%s cannot be read: %s", path, odd);
    *f = (in_file){.path = path, .file = fopen(path, "rb")};
    if (!f->file)
        return FAIL(PAV_EIO, "%s cannot be opened: %s", path, strerror(errno));
    const pav_status status = dot && strcmp(dot, ".zst") == 0 ? open_unpacker(f) : PAV_OK;
    if (status != PAV_OK)
        in_close(f);
    return status;
}

pav_status in_read(in_file *f, char *bytes, int64_t length, int64_t *got)
{
    return f->unpacker ? read_packed(f, bytes, length, got)
                       : read_plain(f, bytes, length, got);
}

pav_status in_skip(in_file *f, int64_t bytes)
{
    errno = EIO;
    return bytes != 0 && fseeko(f->file, bytes, SEEK_CUR) != 0 ? read_failed(f, errno)
                                                               : PAV_OK;
}

pav_status in_size(const in_file *f, int64_t *bytes)
{
    struct stat now;

    *bytes = -1;
    if (fstat(fileno(f->file), &now) != 0)
        return read_failed(f, errno);
    if (!f->unpacker)
        *bytes = now.st_size;
    return PAV_OK;
}

void in_close(in_file *f)
{
    if (f->unpacker && f->unpacker->state)
        (void)f->unpacker->api->unpacker_free(f->unpacker->state);
    mem_free(f->unpacker);
    if (f->file)
        (void)fclose(f->file);
    *f = (in_file){0};
}
