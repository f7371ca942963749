/* SPDX-License-Identifier: BSD-3-Clause */
/* The input files of a shot: the files read by its description, and its data. A rewritten
 * file has another size or time, so results of the old file are not used again. */
#include <string.h>
#include <sys/stat.h>

#include "imaging/imaging_private.h"

void file_hash(const char *path, hash *h)
{
    struct stat about;

    hash_add(h, path, (int64_t)strlen(path) + 1);
    if (stat(path, &about) != 0)
        return;
    hash_add(h, &about.st_size, sizeof about.st_size);
    hash_add(h, &about.st_mtim.tv_sec, sizeof about.st_mtim.tv_sec);
    hash_add(h, &about.st_mtim.tv_nsec, sizeof about.st_mtim.tv_nsec);
}

/* The file of "model.h5:/vp" is model.h5. */
static pav_status add_file(const program *p, const char *file, hash *h)
{
    text path = {0};

    if (!file)
        return PAV_OK;
    const char *colon = strstr(file, ":/");
    const int length = colon ? (int)(colon - file) : (int)strlen(file);
    if (file[0] != '/')
        text_add(&path, "%s/", p->directory ? p->directory : ".");
    text_add(&path, "%.*s", length, file);
    const pav_status status = path.failed ? PAV_ENOMEM : PAV_OK;
    if (status == PAV_OK)
        file_hash(path.data, h);
    text_free(&path);
    return status;
}

pav_status files_hash(const program *p, hash *h)
{
    for (int axis = 0; axis < p->dim; axis++)
        TRY(add_file(p, p->axis[axis].table, h));
    for (const statement *s = p->first; s; s = s->next) {
        const bool reads = s->kind == STATEMENT_FIELD || s->kind == STATEMENT_INITIAL ||
                           s->kind == STATEMENT_MASK;
        TRY(add_file(p, reads ? s->file : NULL, h));
        TRY(add_file(p, s->points.file, h));
        TRY(add_file(p, s->trace, h));
    }
    for (int64_t k = 0; k < p->fields.count; k++)
        TRY(add_file(p, p->fields.item[k]->file, h));
    return PAV_OK;
}
