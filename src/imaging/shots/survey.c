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
    r->value = mem_new(count + 1, sizeof *r->value);
    for (; r->value && r->count < count; r->count++)
        if (!(r->value[r->count] = mem_new(of_points, sizeof **r->value)))
            return PAV_ENOMEM;
    return r->value ? PAV_OK : PAV_ENOMEM;
}

void shot_result_free(shot_result *r)
{
    for (int64_t k = 0; r->value && k < r->count; k++)
        mem_free(r->value[k]);
    mem_free(r->value);
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
    text_add(path, "%s/shot-%04lld-%016llx.npy", o->directory ? o->directory : ".",
             (long long)k + 1, (unsigned long long)hash_end(&h));
    return path->failed ? PAV_ENOMEM : PAV_OK;
}

static pav_status result_keep(const char *path, const shot_result *r)
{
    const int64_t count = r->count * r->points + 1;
    double *all = mem_new(count, sizeof *all);

    if (!all)
        return PAV_ENOMEM;
    all[0] = r->misfit;
    for (int64_t k = 0; k < r->count; k++)
        memcpy(all + 1 + k * r->points, r->value[k], (size_t)r->points * sizeof *all);
    const pav_status status = npy_write_table(path, all, 1, count);
    mem_free(all);
    return status;
}

/* Reads a result left by an earlier survey or by another rank. *found is false if there
 * is none. */
static pav_status result_take(const char *path, int64_t count, int64_t of_points,
                              shot_result *r, bool *found)
{
    trace_table t = {0};

    *found = false;
    if (access(path, R_OK) != 0 || traces_read(path, &t) != PAV_OK)
        return PAV_OK;
    *found = t.rows == 1 && t.columns == count * of_points + 1;
    pav_status status = *found ? shot_result_open(r, count, of_points) : PAV_OK;
    if (*found)
        r->misfit = t.value[0];
    for (int64_t k = 0; *found && status == PAV_OK && k < count; k++)
        memcpy(r->value[k], t.value + 1 + k * of_points,
               (size_t)of_points * sizeof **r->value);
    traces_free(&t);
    return status;
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

    if (!sum->value)
        TRY(shot_result_open(sum, r->count, r->points));
    sum->misfit += r->misfit;
    sum->steps = r->steps > 0 ? r->steps : sum->steps;
    sum->steps_again += r->steps_again;
    sum->every = r->steps > 0 ? r->every : sum->every;
    sum->history_bytes = r->steps > 0 ? r->history_bytes : sum->history_bytes;
    sum->disk_bytes = r->steps > 0 ? r->disk_bytes : sum->disk_bytes;
    sum->forward_seconds += r->forward_seconds;
    sum->backward_seconds += r->backward_seconds;
    for (int64_t k = 0; k < r->count; k++)
        for (int64_t n = 0; n < r->points; n++)
            sum->value[k][n] += r->value[k][n];
    return PAV_OK;
}

/* Computes the shots together. If this is impossible or fails, each half is tried, down
 * to single shots. */
static pav_status take_jobs(const survey *s, const shot_job *job, const int64_t *number,
                            int64_t count, pav_device *device,
                            const pav_adjoint_options *options, shot_result *r)
{
    shot_wish wish = *s->wish;
    const int64_t half = count / 2;

    wish.options = options;
    const pav_status status = shots_take(job, count, device, &wish, r);
    if (status == PAV_OK || status == PAV_EINTERRUPTED)
        return status;
    if (count == 1)
        return FAIL(status, "shot %lld of %lld: %s", (long long)*number + 1,
                    (long long)s->list.shots, pav_message());
    shots_note_apart(options, status);
    TRY(take_jobs(s, job, number, half, device, options, r));
    return take_jobs(s, job + half, number + half, count - half, device, options,
                     r + half);
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

/* One of the shots that may be computed together. */
typedef struct shot_part {
    program *shot;
    text path; /* path of the result's file */
    bool found;
} shot_part;

static pav_status find_shot(const survey *s, int64_t k,
                            const pav_adjoint_options *options, shot_part *part,
                            shot_result *r)
{
    int64_t count = 0;

    while (s->wish->coefficients && s->wish->coefficients[count])
        count++;
    count = s->wish->image ? 2 : count;
    TRY(shots_parse(&s->list, k, &part->shot));
    const int64_t of_points = program_all_points(part->shot);
    if (of_points != s->list.points)
        return FAIL(PAV_EINVAL,
                    "shot %lld has a grid of %lld points, the first one of %lld",
                    (long long)k + 1, (long long)of_points, (long long)s->list.points);
    TRY(result_name(s->wish, shots_data(&s->list, k), part->shot, k, &part->path));
    if (!s->stacks || shots_own(s->wish->options, k)) /* of this rank */
        return options->no_files
                   ? PAV_OK
                   : result_take(part->path.data, count, of_points, r, &part->found);
    part->found = true;
    return await_kept(s, k, part->path.data, count, of_points, r);
}

/* Computes the shots whose results were not found. */
static pav_status take_missing(const survey *s, const int64_t *shot, int64_t count,
                               const shot_part *part, pav_device *device,
                               const pav_adjoint_options *options, shot_result *r)
{
    shot_job job[MOST_TOGETHER];
    shot_result own[MOST_TOGETHER] = {0};
    int64_t jobs = 0, number[MOST_TOGETHER], at[MOST_TOGETHER];

    for (int64_t n = 0; n < count; n++)
        if (!part[n].found) {
            job[jobs] = (shot_job){part[n].shot, shots_data(&s->list, shot[n])};
            number[jobs] = shot[n];
            at[jobs++] = n;
        }
    pav_status status = jobs > 0 ? take_jobs(s, job, number, jobs, device, options, own)
                                 : PAV_OK;
    for (int64_t n = 0; n < jobs; n++) {
        r[at[n]] = own[n];
        if (!own[n].value || options->no_files)
            continue;
        const pav_status kept = result_keep(part[at[n]].path.data, &own[n]);
        status = status == PAV_OK ? kept : status;
    }
    return status;
}

static pav_status take_shots(void *user, const int64_t *shot, int64_t count,
                             pav_device *device, const pav_adjoint_options *options,
                             shot_result *r)
{
    GUARDED;
    const survey *s = user;
    shot_part part[MOST_TOGETHER] = {0};
    pav_status status = PAV_OK;

    for (int64_t n = 0; status == PAV_OK && n < count; n++)
        status = find_shot(s, shot[n], options, &part[n], &r[n]);
    if (status == PAV_OK)
        status = take_missing(s, shot, count, part, device, options, r);
    for (int64_t n = 0; n < count; n++) {
        if (status != PAV_OK)
            shot_result_free(&r[n]);
        text_free(&part[n].path);
        program_free(part[n].shot);
    }
    return status;
}

/* ---- all of them ------------------------------------------------------------------- */

static void remove_kept(const survey *s)
{
    const shot_list *l = &s->list;

    for (int64_t k = 0; k < l->shots && !s->wish->options->no_files; k++) {
        program *shot = NULL;
        text path = {0};
        if (shots_parse(l, k, &shot) == PAV_OK &&
            result_name(s->wish, shots_data(l, k), shot, k, &path) == PAV_OK)
            (void)unlink(path.data);
        text_free(&path);
        program_free(shot);
    }
}

static bool is_own(void *user, int64_t k)
{
    const survey *s = user;

    return s->stacks || shots_own(s->wish->options, k);
}

static pav_status read_survey(survey *s)
{
    const pav_adjoint_options *o = s->wish->options;

    TRY(shots_open(s->p, o->shots, s->wish->data, &s->list));
    for (int64_t k = 0; k < s->list.shots; k++)
        if (s->wish->image && !shots_data(&s->list, k))
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
    const shot_deal deal = {.shots = s->list.shots,
                            .points = s->list.points,
                            .own = is_own,
                            .take = take_shots,
                            .add = add,
                            .user = s};

    if (ranks_count(ranks) == 1)
        return shots_deal(&deal, s->device, s->wish->options);
    TRY(shots_meet(ranks, shots_deal(&deal, s->device, s->wish->options)));
    shot_result_free(s->sum);
    s->stacks = true;
    return ranks_number(ranks) == 0 ? shots_deal(&deal, s->device, s->wish->options)
                                    : PAV_OK;
}

pav_status survey_take(const program *p, pav_device *device, const shot_wish *wish,
                       survey_end *end, void *user, shot_result *result)
{
    const bool first = ranks_number(wish->options->ranks) == 0;
    survey s = {.p = p, .device = device, .wish = wish, .sum = result};

    *result = (shot_result){0};
    if (!wish->options->shots) {
        receivers_report(p, wish->data, wish->options);
        const shot_job job = {p, wish->data};
        const pav_status only = shots_take(&job, 1, device, wish, result);
        return only == PAV_OK ? end(user, result) : only;
    }
    pav_status status = read_survey(&s);
    if (status == PAV_OK && first)
        receivers_report(p, shots_data(&s.list, 0), wish->options);
    if (status == PAV_OK)
        status = all_shots(&s);
    if (result->steps == 0) /* all were files */
        result->steps = wish->options->steps > 0 ? wish->options->steps : p->steps;
    if (status == PAV_OK && first)
        status = end(user, result);
    if (status == PAV_OK && first)
        remove_kept(&s);
    else if (status != PAV_OK)
        shot_result_free(result); /* pav_message() is kept */
    shots_close(&s.list);
    return status;
}
