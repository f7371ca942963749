/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the receivers of a description: all samples, or only the samples whose files
 * are in the data. Finds the data file of each receiver. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "imaging/imaging_private.h"

static bool is_directory(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static bool holds_traces(const char *path)
{
    return path && (path_is_segy(path) || strcmp(path_ending(path), ".npy") == 0);
}

static bool matches(const statement *s, const char *data, bool directory)
{
    return s->file && (directory ? holds_traces(s->file)
                                 : strcmp(path_name(s->file), path_name(data)) == 0);
}

static pav_status refuse(const program *p, const char *data, bool directory,
                         int64_t samples)
{
    return directory
               ? FAIL(PAV_EINVAL,
                      "%s is a directory, and no `sample` of %s is recorded `into` a "
                      ".npy or SEG-Y file that could lie there",
                      data, p->name)
               : FAIL(PAV_EINVAL,
                      "%s has %lld `sample` lines, and none `into \"%s\"`: let the data "
                      "have the name of one's file, or name the directory that holds "
                      "those of all",
                      p->name, (long long)samples, path_name(data));
}

pav_status receivers_choose(const program *p, const char *data, const statement ***list)
{
    const bool directory = data && is_directory(data);
    int64_t samples = 0, count = 0;

    *list = NULL;
    for (const statement *s = p->first; s; s = s->next)
        samples += sample_is_whole(s);
    if (!data || (samples <= 1 && !directory))
        return PAV_OK;
    *list = mem_new(samples + 1, sizeof **list);
    for (const statement *s = p->first; *list && s; s = s->next)
        if (sample_is_whole(s) && matches(s, data, directory))
            (*list)[count++] = s;
    if (*list && count > 0)
        return PAV_OK;
    const pav_status status = *list ? refuse(p, data, directory, samples) : PAV_ENOMEM;
    mem_free(*list);
    *list = NULL;
    return status;
}

void receivers_report(const program *p, const char *data, const pav_adjoint_options *o)
{
    const statement **list = NULL;
    int64_t samples = 0, count = 0;
    char said[128];

    if (!o->listener || receivers_choose(p, data, &list) != PAV_OK || !list)
        return; /* the shot itself reports the error */
    for (const statement *s = p->first; s; s = s->next)
        samples += sample_is_whole(s);
    while (list[count])
        count++;
    mem_free(list);
    if (count == samples)
        return;
    (void)snprintf(said, sizeof said,
                   "the receivers are those of %lld of %lld `sample` lines, by the data",
                   (long long)count, (long long)samples);
    (void)o->listener(o->user, PAV_EVENT_NOTE, NULL, said);
}

pav_status receivers_path(const statement *line, const char *data, text *path)
{
    text_add(path, "%s", data);
    if (is_directory(data))
        text_add(path, "/%s", line->file);
    return path->failed ? PAV_ENOMEM : PAV_OK;
}

pav_status receivers_hash(const program *p, const char *data, hash *h)
{
    const statement **list = NULL;

    file_hash(data, h);
    TRY(receivers_choose(p, data, &list));
    for (int64_t k = 0; list && list[k]; k++) {
        text path = {0};
        const pav_status status = receivers_path(list[k], data, &path);
        if (status == PAV_OK)
            file_hash(path.data, h);
        text_free(&path);
    }
    mem_free(list);
    return PAV_OK;
}

/* ---- their columns in a table of all shots ----------------------------------------- */

static int64_t count_positions(pav_run *run, int64_t sample)
{
    pav_item item = {0};

    for (int64_t k = 0; k < pav_run_items(run); k++)
        if (pav_run_describe(run, k, &item) == PAV_OK && item.kind == PAV_KIND_SAMPLE &&
            item.index == sample)
            return item.extent[0];
    return 0;
}

pav_status channels_open(const adjoint *a, pav_run *run, int64_t *columns,
                         shot_channel **result)
{
    shot_channel *channel = mem_new(a->channels + 1, sizeof *channel);
    int64_t sample = -1;

    *columns = 0;
    *result = channel;
    for (int64_t k = 0; channel && k < a->channels; k++) {
        const statement *line = a->channel[k].line;
        sample += a->channel[k].column == 0;
        channel[k] = (shot_channel){
            .line = line,
            .column = a->channel[k].column,
            .sample = sample,
            .at = *columns,
            .count = count_positions(run, sample),
            .every = line->every_steps > 0 ? line->every_steps : 1,
        };
        *columns += channel[k].count;
    }
    return channel ? PAV_OK : PAV_ENOMEM;
}
