/* SPDX-License-Identifier: BSD-3-Clause */
/* Files compressed by zstd while they are written: one frame with a checksum, piece by
 * piece. */
#include "io/io_private.h"

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

pav_status out_write_packed(out_file *o, const void *bytes, int64_t length)
{
    return pack(o, bytes, length, GO_ON);
}

pav_status out_end_packed(out_file *o, pav_status status)
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
