/* SPDX-License-Identifier: BSD-3-Clause */
/* Surveys: a list of shots, each with its own values of the description's params, is
 * added up in the order of the list. Each result is kept in a file until the sum is
 * complete, so a survey that continues after a stop takes only the missing shots. Ranks
 * of MPI pass their results to rank 0 through the same files. */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "imaging/imaging_private.h"

/* ---- results ----------------------------------------------------------------------- */

/* The result of a shot, and the file that keeps it until the survey is over. */

pav_status shot_result_open(shot_result *r, int64_t count, int64_t of_points)
{
    r->points = of_points;
    TRY(mem_take(&r->file, 1 + count * of_points, sizeof *r->file));
    TRY(mem_take(&r->value, count + 1, sizeof *r->value));
    for (; r->count < count; r->count++)
        r->value[r->count] = r->file + 1 + r->count * of_points;
    return PAV_OK;
}

void shot_result_free(shot_result *r)
{
    MEM_FREE_ALL(r->value, r->file);
    *r = (shot_result){0};
}

/* The file of a shot's result holds the misfit, then all values. Its name
 * contains a hash of the description, the shot's values, the state of the input files and
 * the data. */
static pav_status result_name(const shot_wish *wish, const char *data,
                              const program *shot, int64_t k, text *path)
{
    const pav_adjoint_options *o = wish->options;
    uint64_t identity = 0;
    hash h;

    TRY(program_identity(shot, &identity));
    hash_init(&h);
    hash_add(&h, &identity, sizeof identity);
    hash_add(&h, &o->steps, sizeof o->steps);
    hash_add(&h, &o->every, sizeof o->every);
    hash_add(&h, &wish->image, sizeof wish->image);
    if (o->stored)
        hash_add(&h, o->stored, (int64_t)strlen(o->stored) + 1);
    for (int n = 0; wish->coefficients && wish->coefficients[n]; n++)
        hash_add(&h, wish->coefficients[n], (int64_t)strlen(wish->coefficients[n]) + 1);
    TRY(files_hash(shot, &h));
    if (data)
        TRY(receivers_hash(shot, data, &h));
    return text_print(path, "%s/shot-%04lld-%016llx.npy",
                      o->directory ? o->directory : ".", (long long)k + 1,
                      (unsigned long long)hash_end(&h));
}

/* Reads a result left by an earlier survey or by another rank. *found is false if there
 * is none. */
static pav_status result_take(const char *path, int64_t count, int64_t of_points,
                              shot_result *r, bool *found)
{
    OWNED_BY(traces_free) trace_table t = {0};

    *found = access(path, R_OK) == 0 && traces_read(path, &t) == PAV_OK && t.rows == 1 &&
             t.columns == count * of_points + 1;
    if (!*found)
        return PAV_OK;
    TRY(shot_result_open(r, count, of_points));
    memcpy(r->file, t.value, (size_t)t.columns * sizeof *t.value);
    r->of.misfit = t.value[0];
    return PAV_OK;
}

/* ---- the sum ----------------------------------------------------------------------- */

typedef struct survey {
    const program *p;
    pav_device *device;
    const shot_wish *wish;
    shot_list list;
    shot_result *sum;
    bool stacks; /* this process adds up all shots; results of other ranks are files */
} survey;

static pav_status add(void *user, const shot_result *r)
{
    shot_result *sum = ((survey *)user)->sum;

    pav_adjoint_result all = r->of.steps > 0 ? r->of : sum->of;
    all.misfit = sum->of.misfit + r->of.misfit;
    all.steps_again = sum->of.steps_again + r->of.steps_again;
    all.forward_seconds = sum->of.forward_seconds + r->of.forward_seconds;
    all.backward_seconds = sum->of.backward_seconds + r->of.backward_seconds;
    sum->of = all;
    if (!sum->value)
        TRY(shot_result_open(sum, r->count, r->points));
    for (int64_t k = 0; k < r->count; k++)
        for (int64_t n = 0; n < r->points; n++)
            sum->value[k][n] += r->value[k][n];
    return PAV_OK;
}

/* Waits for the file of another rank. A network file system may show the file of another
 * machine somewhat later. */
static pav_status await_kept(const survey *s, int64_t k, const char *path, int64_t count,
                             int64_t of_points, shot_result *r)
{
    enum { TRIES = 20, PAUSE = 100000000 /* ns */ };
    const pav_adjoint_options *o = s->wish->options;
    bool found = false;

    for (int n = 0; n < TRIES; n++) {
        TRY(result_take(path, count, of_points, r, &found));
        if (found)
            return PAV_OK;
        (void)nanosleep(&(struct timespec){0, PAUSE}, NULL);
    }
    return FAIL(
        PAV_EIO,
        "shot %lld was taken by rank %lld, and rank 0 does not see its result %s: "
        "the directory %s, and the files that the description reads, must be the "
        "same for all ranks",
        (long long)k + 1, (long long)(k % ranks_count(o->ranks)), path,
        o->directory ? o->directory : "of work");
}

/* or NULL */
static const char *data_of(const shot_list *l, int64_t k)
{
    return l->data < 0 ? l->data_of_all : shots_cell(l, k, l->data);
}

static pav_status find(void *user, shot_job *job)
{
    const survey *s = user;
    const pav_adjoint_options *options = s->wish->options;
    const int64_t k = job->number;
    int64_t count = 0;

    while (s->wish->coefficients && s->wish->coefficients[count])
        count++;
    count = s->wish->image ? 2 : count;
    job->data = data_of(&s->list, k);
    TRY(shots_parse(&s->list, k, &job->program));
    const int64_t of_points = program_all_points(job->program);
    if (of_points != s->list.points)
        return FAIL(PAV_EINVAL,
                    "shot %lld has a grid of %lld points, the first one of %lld",
                    (long long)k + 1, (long long)of_points, (long long)s->list.points);
    TRY(result_name(s->wish, job->data, job->program, k, &job->path));
    if (!s->stacks || shots_own(options, k)) /* of this rank */
        return options->no_files ? PAV_OK
                                 : result_take(job->path.data, count, of_points,
                                               &job->result, &job->done);
    job->done = true;
    return await_kept(s, k, job->path.data, count, of_points, &job->result);
}

static pav_status take(void *user, shot_job *const *job, int64_t count,
                       pav_device *device, const pav_adjoint_options *options)
{
    shot_wish wish = *((const survey *)user)->wish;

    wish.options = options;
    return shots_take(job, count, device, &wish);
}

static pav_status keep(void *user, shot_job *job)
{
    const shot_result *r = &job->result;

    r->file[0] = r->of.misfit;
    return ((const survey *)user)->wish->options->no_files
               ? PAV_OK
               : npy_write_table(job->path.data, r->file, 1, r->count * r->points + 1);
}

/* ---- all of them ------------------------------------------------------------------- */

static void remove_kept(const survey *s)
{
    const shot_list *l = &s->list;

    for (int64_t k = 0; k < l->shots && !s->wish->options->no_files; k++) {
        OWNED_BY(free_program) program *shot = NULL;
        OWNED_BY(text_free) text path = {0};
        if (shots_parse(l, k, &shot) == PAV_OK &&
            result_name(s->wish, data_of(l, k), shot, k, &path) == PAV_OK)
            (void)unlink(path.data);
    }
}

static pav_status read_survey(survey *s)
{
    const pav_adjoint_options *o = s->wish->options;

    TRY(shots_open(s->p, o->shots, s->wish->data, &s->list));
    for (int64_t k = 0; k < s->list.shots; k++)
        if (s->wish->image && !data_of(&s->list, k))
            return FAIL(PAV_EINVAL, "%s has no column `data`, and no --data is given",
                        o->shots);
    if (ranks_count(o->ranks) > 1 && o->no_files)
        return FAIL(PAV_EINVAL, "ranks hand on their shots by files, in a directory that "
                                "all of them see: let the survey write files");
    return o->directory && !o->no_files ? directory_make(o->directory) : PAV_OK;
}

static pav_status all_shots(survey *s)
{
    pav_ranks *ranks = s->wish->options->ranks;
    shot_deal deal = {.shots = s->list.shots,
                      .points = s->list.points,
                      .find = find,
                      .take = take,
                      .keep = keep,
                      .add = add,
                      .user = s};
    const pav_status status = shots_deal(&deal, s->device, s->wish->options);

    if (ranks_count(ranks) == 1)
        return status;
    TRY(shots_meet(ranks, status));
    shot_result_free(s->sum);
    s->stacks = deal.all = true;
    return ranks_number(ranks) == 0 ? shots_deal(&deal, s->device, s->wish->options)
                                    : PAV_OK;
}

/* Notes to the listener if some samples are no receivers. */
static void report_receivers(const program *p, const char *data,
                             const pav_adjoint_options *o)
{
    OWNED const statement **list = NULL;
    int64_t samples = 0, count = 0;
    char said[128];

    if (!o->listener || receivers_choose(p, data, &list) != PAV_OK || !list)
        return; /* the shot itself reports the error */
    EACH_STATEMENT(s, p)
        samples += sample_is_whole(s);
    while (list[count])
        count++;
    if (count == samples)
        return;
    (void)snprintf(said, sizeof said,
                   "the receivers are those of %lld of %lld `sample` lines, by the data",
                   (long long)count, (long long)samples);
    (void)o->listener(o->user, PAV_EVENT_NOTE, NULL, said);
}

pav_status survey_take(const program *p, pav_device *device, const shot_wish *wish,
                       survey_end *end, void *user, shot_result *result)
{
    const bool first = ranks_number(wish->options->ranks) == 0;
    survey s = {.p = p, .device = device, .wish = wish, .sum = result};

    *result = (shot_result){0};
    if (!wish->options->shots) {
        report_receivers(p, wish->data, wish->options);
        shot_job job = {.program = (program *)(uintptr_t)p, .data = wish->data};
        const pav_status only = shots_take(&(shot_job *){&job}, 1, device, wish);
        *result = job.result;
        return only == PAV_OK ? end(user, result) : only;
    }
    pav_status status = read_survey(&s);
    if (status == PAV_OK && first)
        report_receivers(p, data_of(&s.list, 0), wish->options);
    if (status == PAV_OK)
        status = all_shots(&s);
    if (result->of.steps == 0) /* all were files */
        result->of.steps = wish->options->steps > 0 ? wish->options->steps : p->steps;
    if (status == PAV_OK && first)
        status = end(user, result);
    if (status == PAV_OK && first)
        remove_kept(&s);
    else if (status != PAV_OK)
        shot_result_free(result); /* pav_message() is kept */
    shots_close(&s.list);
    return status;
}
