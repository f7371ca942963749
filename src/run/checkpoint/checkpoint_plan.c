/* SPDX-License-Identifier: BSD-3-Clause */
/* The path and the interval of a run's checkpoint, from the options or else the
 * description. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/checkpoint/checkpoint_private.h"

static const double usual_seconds = 600;

/* "dir/heat3d.pav" gives "heat3d.checkpoint". */
static void add_usual_name(const char *path, text *t)
{
    const char *stem = path_name(path);
    const char *dot = strrchr(stem, '.');
    const int64_t length = dot > stem ? dot - stem : (int64_t)strlen(stem);
    for (int64_t k = 0; k < length; k++) {
        const unsigned char c = (unsigned char)stem[k];
        const bool plain = c > ' ' && c != ':' && c != '=' && c != '@' && c != ',';
        text_add_bytes(t, plain ? (const char *)&stem[k] : "-", 1);
    }
    text_add(t, "%s.checkpoint", length > 0 ? "" : "run");
}

static pav_status described_path(const pav_run *run, const statement *s, char **path)
{
    text name = {0}, whole = {0};
    if (s->file)
        text_add(&name, "%s", s->file);
    else
        add_usual_name(run->program->name, &name);
    pav_status status = name.failed ? PAV_ENOMEM : run_path(run, name.data, &whole);
    text_free(&name);
    if (status == PAV_OK)
        return text_take(&whole, path);
    text_free(&whole);
    return status;
}

static pav_status copy_path(const char *given, char **path)
{
    text t = {0};
    text_add(&t, "%s", given);
    return text_take(&t, path);
}

/* A file of this name must be a checkpoint, or its beginning if the disk was full. */
static bool is_foreign(const char *path, bool partial)
{
    if (file_oddity(path))
        return true;
    char begins[CHECKPOINT_MAGIC] = {0};
    FILE *file = fopen(path, "rb");
    const size_t length = file ? fread(begins, 1, sizeof begins, file) : 0;
    if (file)
        (void)fclose(file);
    return !checkpoint_begins(begins, length, partial);
}

/* The same for FILE.old and FILE.part, because a checkpoint replaces these, too. */
static pav_status check_name(const char *path, const char *ending)
{
    text name = {0};
    text_add(&name, "%s%s", path, ending);
    const pav_status status =
        name.failed ? PAV_ENOMEM
        : is_foreign(name.data, strcmp(ending, ".part") == 0)
            ? FAIL(PAV_EINVAL,
                   "the checkpoint %s cannot be written: a file of the name %s is there "
                   "and no checkpoint; give another name, or remove it",
                   path, name.data)
            : PAV_OK;
    text_free(&name);
    return status;
}

/* The checkpoint of the restart may be damaged, and is still accepted. */
static pav_status check_names(const pav_run *run)
{
    const char *path = run->checkpoint.path, *restart = run->options.restart;
    if (file_oddity(path))
        return PAV_OK; /* trying to write it will report the error */
    if (!restart || strcmp(restart, path) != 0)
        TRY(check_name(path, ""));
    TRY(names_check(run, path, "checkpoint"));
    TRY(check_name(path, ".old"));
    return check_name(path, ".part");
}

/* An error now is better than after an hour of steps. */
static pav_status try_file(const char *path)
{
    stream s;
    TRY(stream_create(&s, path));
    stream_close(&s);
    return PAV_OK;
}

pav_status checkpoint_find(pav_run *run)
{
    checkpoint_plan *c = &run->checkpoint;
    const statement *s = run->program->first;
    while (s && s->kind != STATEMENT_CHECKPOINT)
        s = s->next;
    *c = (checkpoint_plan){
        .keep = true, .saved = -1, .missed = -1, .saved_at = clock_seconds()};
    c->every = run->options.checkpoint_every > 0     ? run->options.checkpoint_every
               : run->options.checkpoint_seconds > 0 ? 0
               : s                                   ? s->every_steps
                                                     : 0;
    c->seconds = run->options.checkpoint_seconds > 0 ? run->options.checkpoint_seconds
                                                     : usual_seconds;
    if (run->options.checkpoint)
        TRY(copy_path(run->options.checkpoint, &c->path));
    else if (!s && (c->every > 0 || run->options.checkpoint_seconds > 0))
        return FAIL(PAV_EINVAL,
                    "how often a checkpoint is wanted is said, but not where it is kept: "
                    "--checkpoint FILE says it");
    else if (s && !run->options.no_files)
        TRY(described_path(run, s, &c->path));
    return PAV_OK;
}

pav_status checkpoint_open(pav_run *run)
{
    if (run->checkpoint.path && !run->options.no_files && run->options.directory)
        TRY(directory_make(run->options.directory));
    if (run->options.restart)
        TRY(names_check(run, run->options.restart, "file of --restart"));
    if (!run->checkpoint.path || !run_is_first(run))
        return PAV_OK;
    TRY(check_names(run));
    return try_file(run->checkpoint.path);
}

void checkpoint_close(pav_run *run)
{
    mem_free(run->checkpoint.path);
    free(run->checkpoint.why);
}
