/* SPDX-License-Identifier: BSD-3-Clause */
/* Surveys: shots, each with its own values of the description's params, added up in the
 * order of the list. Every shot's result is a file until the sum is there, so that a
 * survey that was stopped takes only the shots again that it had not finished; ranks of
 * MPI leave them to the first one that way. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "imaging/imaging_private.h"

enum { MOST_COLUMNS = 64, MOST_LIST = 64 << 20 };

/* The list: a line of names, params of the description or `data`, then a line of values
 * for each shot. */
typedef struct shot_list {
    char *bytes;
    int columns, data; /* data: the column of paths; -1: none */
    const char *name[MOST_COLUMNS];
    int64_t shots, capacity;
    int64_t points; /* of the grid of the first */
    char **cell;    /* of each shot and column; points into bytes */
} shot_list;

/* ---- reading ----------------------------------------------------------------------- */

static char *trimmed(char *word)
{
    while (*word == ' ' || *word == '\t')
        word++;
    for (size_t n = strlen(word); n > 0 && strchr(" \t\r", word[n - 1]); n--)
        word[n - 1] = '\0';
    return word;
}

/* Cuts a line at its commas; how many cells there are, MOST_COLUMNS + 1 where they are
 * more. */
static int cut_line(char *line, char *cell[MOST_COLUMNS])
{
    int count = 0;

    for (char *next; line && count < MOST_COLUMNS; line = next) {
        next = strchr(line, ',');
        if (next)
            *next++ = '\0';
        cell[count++] = trimmed(line);
        if (!next)
            return count;
    }
    return MOST_COLUMNS + 1;
}

static pav_status take_line(shot_list *l, const char *path, int64_t number, char *line)
{
    char *cell[MOST_COLUMNS];
    const int count = cut_line(line, cell);

    if (count > MOST_COLUMNS || (l->columns > 0 && count != l->columns))
        return FAIL(PAV_EFORMAT, "%s:%lld: %d values; %s", path, (long long)number, count,
                    l->columns > 0 ? "the first line has another number of names"
                                   : "64 are the most");
    if (l->columns == 0) {
        for (int k = 0; k < count; k++) {
            l->name[k] = cell[k];
            if (strcmp(cell[k], "data") == 0)
                l->data = k;
        }
        l->columns = count;
        return PAV_OK;
    }
    if (l->shots == l->capacity) {
        l->capacity = 2 * l->capacity + 16;
        void *more = mem_grow(l->cell, l->capacity * l->columns, sizeof *l->cell);
        if (!more)
            return PAV_ENOMEM;
        l->cell = more;
    }
    memcpy(l->cell + l->shots++ * l->columns, cell, (size_t)count * sizeof *cell);
    return PAV_OK;
}

static pav_status read_list(const char *path, shot_list *l)
{
    int64_t length = 0, number = 0;

    l->data = -1;
    TRY(file_read(path, MOST_LIST, &l->bytes, &length));
    for (char *line = l->bytes, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        number++;
        line = trimmed(line);
        if (*line && *line != '#')
            TRY(take_line(l, path, number, line));
    }
    if (l->shots == 0)
        return FAIL(PAV_EFORMAT,
                    "%s lists no shot: a line of names, as in `sx, data`, and a line of "
                    "values for each shot are needed",
                    path);
    return PAV_OK;
}

/* ---- one shot ---------------------------------------------------------------------- */

typedef struct survey {
    const program *p;
    pav_device *device;
    const shot_wish *wish;
    shot_list list;
    char *source; /* of the description */
    shot_result *sum;
    bool stacks; /* all shots are this process's now: those of other ranks are files */
} survey;

/* Of shot k: the description with its params. */
static pav_status parse_shot(const survey *s, int64_t k, program **result)
{
    const char *set[MOST_COLUMNS + 1] = {NULL};
    text word[MOST_COLUMNS] = {{0}};
    int count = 0;

    for (int c = 0; c < s->list.columns; c++)
        if (c != s->list.data) {
            text_add(&word[count], "%s=%s", s->list.name[c],
                     s->list.cell[k * s->list.columns + c]);
            set[count] = word[count].data;
            count++;
        }
    const pav_program_options options = {
        .set = set, .name = s->p->name, .directory = s->p->directory};
    pav_status status = program_parse(s->source, (int64_t)strlen(s->source), &options,
                                      result);
    if (status != PAV_OK)
        status = FAIL(status, "shot %lld: %s", (long long)k + 1, pav_message());
    for (int c = 0; c < count; c++)
        text_free(&word[c]);
    return status;
}

static const char *data_of(const survey *s, int64_t k)
{
    return s->list.data < 0 ? s->wish->data
                            : s->list.cell[k * s->list.columns + s->list.data];
}

/* What a shot's result is called: it is that of this description, these values, the
 * files that it reads as they are, and these data. */
static pav_status result_path(const survey *s, const program *shot, int64_t k, text *path)
{
    const pav_adjoint_options *o = s->wish->options;
    const char *data = data_of(s, k);
    uint64_t identity = 0;
    hash h;

    TRY(program_identity(shot, &identity));
    hash_init(&h);
    hash_add(&h, &identity, sizeof identity);
    hash_add(&h, &o->steps, sizeof o->steps);
    hash_add(&h, &o->every, sizeof o->every);
    hash_add(&h, &s->wish->image, sizeof s->wish->image);
    if (o->stored)
        hash_add(&h, o->stored, (int64_t)strlen(o->stored) + 1);
    for (int n = 0; s->wish->coefficients && s->wish->coefficients[n]; n++)
        hash_add(&h, s->wish->coefficients[n],
                 (int64_t)strlen(s->wish->coefficients[n]) + 1);
    TRY(files_hash(shot, &h));
    if (data)
        TRY(receivers_hash(shot, data, &h));
    text_add(path, "%s/shot-%04lld-%016llx.npy", o->directory ? o->directory : ".",
             (long long)k + 1, (unsigned long long)hash_end(&h));
    return path->failed ? PAV_ENOMEM : PAV_OK;
}

/* The misfit, then all values. */
static pav_status keep(const char *path, const shot_result *r)
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

/* A result that an earlier survey left, or another rank; *found is false where there is
 * none. */
static pav_status take_kept(const char *path, int64_t count, int64_t of_points,
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

/* As one; where that cannot be, or fails, in halves, and at last one by one. */
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
    TRY(take_jobs(s, job, number, half, device, options, r));
    return take_jobs(s, job + half, number + half, count - half, device, options,
                     r + half);
}

/* A network file system may show a file of another machine somewhat later. */
static pav_status await_kept(const survey *s, int64_t k, const char *path, int64_t count,
                             int64_t of_points, shot_result *r)
{
    enum { TRIES = 20, PAUSE = 100000000 /* ns */ };
    const pav_adjoint_options *o = s->wish->options;
    bool found = false;

    for (int n = 0; n < TRIES; n++) {
        TRY(take_kept(path, count, of_points, r, &found));
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

static bool is_of_another(const survey *s, int64_t k)
{
    pav_ranks *ranks = s->wish->options->ranks;

    return s->stacks && k % ranks_count(ranks) != ranks_number(ranks);
}

/* Of those that are taken as one, if need be. */
typedef struct shot_part {
    program *shot;
    text path; /* of its result's file */
    bool found;
} shot_part;

static int64_t count_values(const survey *s)
{
    int64_t count = 0;

    while (s->wish->coefficients && s->wish->coefficients[count])
        count++;
    return s->wish->image ? 2 : count;
}

static pav_status find_shot(const survey *s, int64_t k,
                            const pav_adjoint_options *options, shot_part *part,
                            shot_result *r)
{
    const int64_t count = count_values(s);

    TRY(parse_shot(s, k, &part->shot));
    const int64_t of_points = program_all_points(part->shot);
    if (of_points != s->list.points)
        return FAIL(PAV_EINVAL,
                    "shot %lld has a grid of %lld points, the first one of %lld",
                    (long long)k + 1, (long long)of_points, (long long)s->list.points);
    TRY(result_path(s, part->shot, k, &part->path));
    if (!is_of_another(s, k))
        return options->no_files
                   ? PAV_OK
                   : take_kept(part->path.data, count, of_points, r, &part->found);
    part->found = true;
    return await_kept(s, k, part->path.data, count, of_points, r);
}

/* Those that were not found. */
static pav_status take_missing(const survey *s, const int64_t *shot, int64_t count,
                               const shot_part *part, pav_device *device,
                               const pav_adjoint_options *options, shot_result *r)
{
    shot_job job[MOST_TOGETHER];
    shot_result own[MOST_TOGETHER] = {0};
    int64_t jobs = 0, number[MOST_TOGETHER], at[MOST_TOGETHER];

    for (int64_t n = 0; n < count; n++)
        if (!part[n].found) {
            job[jobs] = (shot_job){part[n].shot, data_of(s, shot[n])};
            number[jobs] = shot[n];
            at[jobs++] = n;
        }
    pav_status status = jobs > 0 ? take_jobs(s, job, number, jobs, device, options, own)
                                 : PAV_OK;
    for (int64_t n = 0; n < jobs; n++) {
        r[at[n]] = own[n];
        if (!own[n].value || options->no_files)
            continue;
        const pav_status kept = keep(part[at[n]].path.data, &own[n]);
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
    for (int64_t k = 0; k < s->list.shots && !s->wish->options->no_files; k++) {
        program *shot = NULL;
        text path = {0};
        if (parse_shot(s, k, &shot) == PAV_OK && result_path(s, shot, k, &path) == PAV_OK)
            (void)unlink(path.data);
        text_free(&path);
        program_free(shot);
    }
}

/* Dealt out to ranks in turns. */
static bool is_own(void *user, int64_t k)
{
    const survey *s = user;
    pav_ranks *ranks = s->wish->options->ranks;

    return s->stacks || k % ranks_count(ranks) == ranks_number(ranks);
}

static pav_status count_points(survey *s)
{
    program *first = NULL;

    TRY(parse_shot(s, 0, &first));
    s->list.points = program_all_points(first);
    program_free(first);
    return PAV_OK;
}

static pav_status read_survey(survey *s)
{
    const pav_adjoint_options *o = s->wish->options;
    text t = {0};

    program_print(s->p, &t);
    TRY(text_take(&t, &s->source));
    TRY(read_list(o->shots, &s->list));
    TRY(count_points(s));
    for (int64_t k = 0; k < s->list.shots; k++)
        if (s->wish->image && !data_of(s, k))
            return FAIL(PAV_EINVAL, "%s has no column `data`, and no --data is given",
                        o->shots);
    if (ranks_count(o->ranks) > 1 && o->no_files)
        return FAIL(PAV_EINVAL, "ranks hand on their shots by files, in a directory that "
                                "all of them see: let the survey write files");
    return o->directory && !o->no_files ? directory_make(o->directory) : PAV_OK;
}

/* All ranks come here, with what became of their own shots. */
static pav_status meet(pav_ranks *ranks, pav_status own)
{
    uint64_t failed = own != PAV_OK;
    char *why = own == PAV_OK ? NULL : strdup(pav_message());
    pav_status status = ranks_or(ranks, &failed, 1);

    if (own != PAV_OK)
        status = FAIL(own, "%s", why ? why : "memory ran out");
    else if (status == PAV_OK && failed)
        status = FAIL(PAV_EINTERRUPTED,
                      "a shot of another rank failed; given again, the survey goes on "
                      "with those that are missing");
    free(why);
    return status;
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
    TRY(meet(ranks, shots_deal(&deal, s->device, s->wish->options)));
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
        receivers_tell(p, wish->data, wish->options);
        const shot_job job = {p, wish->data};
        const pav_status only = shots_take(&job, 1, device, wish, result);
        return only == PAV_OK ? end(user, result) : only;
    }
    pav_status status = read_survey(&s);
    if (status == PAV_OK && first)
        receivers_tell(p, data_of(&s, 0), wish->options);
    if (status == PAV_OK)
        status = all_shots(&s);
    if (result->steps == 0) /* all were files */
        result->steps = wish->options->steps > 0 ? wish->options->steps : p->steps;
    if (status == PAV_OK && first)
        status = end(user, result);
    if (status == PAV_OK && first)
        remove_kept(&s);
    else if (status != PAV_OK)
        shot_result_free(result); /* and the message stays */
    mem_free(s.list.bytes);
    mem_free(s.list.cell);
    mem_free(s.source);
    return status;
}
