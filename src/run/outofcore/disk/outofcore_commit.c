/* SPDX-License-Identifier: BSD-3-Clause */
/* The checkpoint of a store on disks. In place of field values it has the paths of the
 * store's files, the slot of each buffer, and checksums of all planes. It is written
 * after each block, after the block's planes are on disk. Until then the last checkpoint
 * is valid, since the block wrote to none of its slots. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/checkpoint/checkpoint_private.h"
#include "run/outofcore/outofcore_private.h"

/* ---- writing ----------------------------------------------------------------------- */

static void put_field(const pav_run *run, int64_t number, text *t)
{
    const disk_field *d = &run->outofcore->disk->field[number];
    checkpoint_put(t, run->part->field[number].newest);
    checkpoint_put(t, d->slots);
    checkpoint_put(t, d->planes);
    checkpoint_put(t, d->plane);
    for (int n = 0; n < d->buffers; n++)
        checkpoint_put(t, d->buffer[n].slot);
    text_add_bytes(t, (const char *)d->sum,
                   d->slots * d->planes * (int64_t)sizeof *d->sum);
}

static void put_store(const pav_run *run, text *t)
{
    const disk_tier *k = run->outofcore->disk;
    checkpoint_put(t, k->paths);
    for (int n = 0; n < k->paths; n++) {
        checkpoint_put(t, (int64_t)strlen(k->path[n]));
        text_add(t, "%s", k->path[n]);
    }
    checkpoint_put(t, k->bytes);
    checkpoint_put(t, run->outofcore->behind);
    for (int64_t f = 0; f < run->code->fields; f++)
        if (!run->code->field[f].memory)
            put_field(run, f, t);
}

pav_status outofcore_store_write(const pav_run *run, text *section)
{
    TRY(disk_seal(run));
    TRY(striped_sync(run->outofcore->disk->files));
    put_store(run, section);
    return section->failed ? PAV_ENOMEM : PAV_OK;
}

static void remove_all(char **path, int paths)
{
    for (int n = 0; n < paths; n++) {
        (void)unlink(path[n]);
        free(path[n]);
    }
}

/* Removes the files of the last checkpoint, now replaced. */
void outofcore_store_written(const pav_run *run)
{
    disk_tier *t = run->outofcore->disk;
    striped_settle(t->files);
    remove_all(t->former, t->formers);
    t->formers = 0;
}

/* ---- reading ----------------------------------------------------------------------- */

static pav_status damaged(const stream *s)
{
    return FAIL(PAV_EFORMAT,
                "the checkpoint %s is damaged: what it says of the files of "
                "its fields cannot be",
                s->path);
}

static pav_status get(stream *s, int64_t most, int64_t *value)
{
    TRY(stream_get(s, value, sizeof *value));
    return *value < 0 || *value > most ? damaged(s) : PAV_OK;
}

static pav_status get_path(stream *s, char **path)
{
    enum { LONGEST = 1 << 16 };
    int64_t length;
    TRY(get(s, LONGEST, &length));
    *path = calloc((size_t)length + 1, 1);
    return *path ? stream_get(s, *path, length) : PAV_ENOMEM;
}

static pav_status get_paths(stream *s, char **path, int *paths)
{
    int64_t count;
    TRY(get(s, STRIPED_FILES, &count));
    for (*paths = 0; *paths < count; ++*paths)
        TRY(get_path(s, &path[*paths]));
    return PAV_OK;
}

/* *paths is 0 without a file, or if the file is not of a store on disks. Damage is
 * reported later, by the restart. */
pav_status disk_peek(const char *checkpoint, char **path, int *paths, int64_t *bytes)
{
    stream s;
    bool is_store = false;
    *paths = 0;
    *bytes = 0;
    if (access(checkpoint, F_OK) != 0 || stream_open(&s, checkpoint) != PAV_OK)
        return PAV_OK;
    pav_status status = prefix_skip(&s, &is_store);
    if (status == PAV_OK && is_store)
        status = get_paths(&s, path, paths);
    if (status == PAV_OK && is_store)
        status = get(&s, INT64_MAX, bytes);
    stream_close(&s);
    if (status == PAV_OK || status == PAV_ENOMEM)
        return status;
    for (int n = 0; n < *paths; n++)
        free(path[n]);
    *paths = 0;
    return PAV_OK;
}

static pav_status get_field(pav_run *run, int64_t number, stream *s)
{
    const disk_field *d = &run->outofcore->disk->field[number];
    levels *l = &run->part->field[number];
    int64_t newest, slots, planes, plane, slot;
    TRY(get(s, d->buffers - 1, &newest));
    TRY(get(s, INT64_MAX, &slots));
    TRY(get(s, INT64_MAX, &planes));
    TRY(get(s, INT64_MAX, &plane));
    if (slots != d->slots || planes != d->planes || plane != d->plane)
        return FAIL(PAV_EUNSUPPORTED,
                    "the fields of the checkpoint %s lie otherwise in their files than "
                    "this device has them; go on with the device that wrote them",
                    s->path);
    for (int n = 0; n < d->buffers; n++) {
        TRY(get(s, d->slots - 1, &slot));
        d->buffer[n].slot = (int)slot;
        disk_place(d, n, l);
    }
    l->newest = (int)newest;
    return stream_get(s, d->sum, d->slots * d->planes * (int64_t)sizeof *d->sum);
}

static pav_status check_paths(const pav_run *run, stream *s)
{
    const disk_tier *t = run->outofcore ? run->outofcore->disk : NULL;
    char *path[STRIPED_FILES] = {NULL};
    int paths = 0;
    pav_status status = get_paths(s, path, &paths);
    if (status == PAV_OK && (!t || !t->there || paths != t->paths))
        status = damaged(s);
    for (int n = 0; n < paths; n++)
        free(path[n]);
    return status;
}

pav_status outofcore_store_read(pav_run *run, stream *s)
{
    int64_t bytes, behind;
    TRY(check_paths(run, s));
    TRY(get(s, INT64_MAX, &bytes));
    TRY(get(s, 1, &behind));
    if (bytes != run->outofcore->disk->bytes)
        return damaged(s);
    for (int64_t f = 0; f < run->code->fields; f++)
        if (!run->code->field[f].memory)
            TRY(get_field(run, f, s));
    run->outofcore->behind = behind != 0;
    subdomain_refresh_views(run->part);
    return PAV_OK;
}
