/* SPDX-License-Identifier: BSD-3-Clause */
/* Bundles: all kernels of a run in one file, compiled on one machine and run on machines
 * without a compiler. Loaded kernels run as the user. So the file must belong to the user
 * or to root, and others must not have write permission. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/bundle/bundle_private.h"

enum { MOST_BYTES = 1 << 30 };

/* ---- opening ----------------------------------------------------------------------- */

static pav_status check_owner(const struct stat *about, const char *path)
{
    if (about->st_uid != geteuid() && about->st_uid != 0)
        return FAIL(PAV_EINVAL,
                    "%s belongs to another user, and what is in a bundle runs as you: "
                    "copy it, if you trust it",
                    path);
    if (about->st_mode & (S_IWGRP | S_IWOTH))
        return FAIL(PAV_EINVAL,
                    "others may write %s, and what is in a bundle runs as you: chmod "
                    "go-w, if you trust it",
                    path);
    return PAV_OK;
}

static pav_status check_version(const pav_bundle *b)
{
    return strcmp(b->version, pav_version()) == 0
               ? PAV_OK
               : FAIL(PAV_EUNSUPPORTED,
                      "%s was made by Pavior %s, and this is %s, whose kernels are "
                      "others",
                      b->path, b->version, pav_version());
}

pav_status bundle_take(const char *bytes, int64_t length, const char *path,
                       pav_bundle **result)
{
    pav_bundle *b = mem_new(1, sizeof *b);
    *result = NULL;
    if (!b)
        return PAV_ENOMEM;
    (void)snprintf(b->path, sizeof b->path, "%s", path);
    pav_status status = bundle_parse(bytes, length, b);
    if (status == PAV_OK)
        status = check_version(b);
    if (status == PAV_OK)
        *result = b;
    else
        pav_bundle_free(b);
    return status;
}

static pav_status read_bundle(const char *path, pav_bundle **result)
{
    char *bytes;
    int64_t length;
    TRY(file_read_trusted(path, MOST_BYTES, check_owner, &bytes, &length));
    const pav_status status = bundle_take(bytes, length, path, result);
    mem_free(bytes);
    return status;
}

pav_status pav_bundle_open(const char *path, pav_bundle **result)
{
    GUARDED;
    if (result)
        *result = NULL;
    if (!path || !result)
        return FAIL(PAV_EINVAL, "pav_bundle_open needs a path and a place for it");
    TRY(read_bundle(path, result));
    images_offer(&(*result)->images);
    return PAV_OK;
}

void pav_bundle_free(pav_bundle *b)
{
    GUARDED;
    if (!b)
        return;
    images_withdraw(&b->images);
    images_free(&b->images);
    mem_free(b);
}

const char *pav_bundle_device(const pav_bundle *b)
{
    return b ? b->device : "";
}

/* ---- a run with it ----------------------------------------------------------------- */

const char *bundle_schedule(const pav_bundle *b)
{
    return b->schedule;
}

void bundle_add_grid(const pav_run *run, text *t)
{
    int64_t extent[MAX_DIM];
    for (int axis = 0; axis < MAX_DIM; axis++)
        extent[axis] = points_along(run->code, axis, false);
    text_add_extent(t, run->code->dim, extent);
    text_add(t, "/%s", pav_type_name(run->program->real));
}

bool bundle_is_of_size(const pav_bundle *b, const pav_run *run)
{
    text grid = {0};
    bundle_add_grid(run, &grid);
    const bool same = !grid.failed && strcmp(grid.data, b->grid) == 0;
    text_free(&grid);
    return same;
}

void bundle_note_size(const pav_bundle *b, const exec_client *client)
{
    if (strcmp(b->device, "cpu") == 0)
        exec_note(client,
                  "%s was made for %s: for other sizes it has kernels that know none, "
                  "which take up to a tenth longer where caches hold the grid",
                  b->path, b->grid);
}

pav_status bundle_check(const pav_bundle *b, const pav_device *device)
{
    const pav_status status = images_check(&b->images, device);
    return status == PAV_OK ? PAV_OK
                            : FAIL(status, "the bundle %s does not suit this machine: %s",
                                   b->path, pav_message());
}
