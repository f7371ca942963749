/* SPDX-License-Identifier: BSD-3-Clause */
/* Autotuning of a run. All candidates are measured briefly, in the order of the models,
 * until time runs out. Then the better half is measured for twice as long, until one is
 * left. Only a schedule with bitwise identical results is remembered. */
#include <stdio.h>
#include <string.h>

#include "run/tune/tune_private.h"

static const struct {
    /* of all candidates, by default; of one candidate in the first round */
    double seconds, each;
    int most; /* candidates */
} efforts[EFFORTS] = {
    [EFFORT_ESTIMATE] = {10, 0.05, 3},
    [EFFORT_MEASURE] = {30, 0.1, 24},
    [EFFORT_PATIENT] = {120, 0.2, 96},
    [EFFORT_EXHAUSTIVE] = {900, 0.4, TUNE_MOST},
};
static const double first_share = 0.6; /* share of the time for the first round */

/* ---- telling ----------------------------------------------------------------------- */

static double rate(const tuning *t, double seconds)
{
    return seconds > 0 ? (double)t->like->work.points / seconds / 1e9 : 0;
}

static const tune_candidate *best(const tuning *t)
{
    const tune_candidate *found = NULL;
    for (int n = 0; n < t->count; n++) {
        const tune_candidate *c = &t->candidate[n];
        if (!c->refused && c->seconds > 0 && (!found || c->seconds < found->seconds))
            found = c;
    }
    return found;
}

static void report(const tuning *t, const tune_candidate *c, int number, int of)
{
    const tune_candidate *fastest = best(t);
    text line = {0};
    if (!t->options->listener)
        return;
    text_add(&line, "%d of %d, %.0f of %.0f s: %s: ", number, of,
             clock_seconds() - t->begun, t->seconds, c->words);
    if (c->refused)
        text_add(&line, "cannot be: %s", pav_message());
    else
        text_add(&line, "%.4g Gpts/s", rate(t, c->seconds));
    if (fastest && fastest != c)
        text_add(&line, " (best: %.4g)", rate(t, fastest->seconds));
    (void)t->options->listener(t->options->user, PAV_EVENT_NOTE, NULL,
                               line.data ? line.data : "");
    text_free(&line);
}

/* ---- rounds ------------------------------------------------------------------------ */

static bool is_over(const tuning *t, double share)
{
    return clock_seconds() - t->begun >= share * t->seconds;
}

static pav_status measure_all(tuning *t)
{
    const int most = efforts[t->effort].most;
    const int count = t->count < most ? t->count : most;
    t->tried = t->known;
    for (int n = t->known; n < count && (t->measured < 2 || !is_over(t, first_share));
         n++) {
        tune_candidate *c = &t->candidate[n];
        TRY(tune_measure(t, c, efforts[t->effort].each));
        t->measured++;
        t->tried = n + 1;
        tune_keep(t, c);
        report(t, c, n + 1, count);
    }
    return PAV_OK;
}

static int sort(tuning *t, tune_candidate *list[TUNE_MOST])
{
    int count = 0;
    for (int n = 0; n < t->count; n++) {
        tune_candidate *c = &t->candidate[n];
        int at = count;
        if (c->refused || c->seconds <= 0)
            continue;
        count++;
        for (; at > 0 && list[at - 1]->seconds > c->seconds; at--)
            list[at] = list[at - 1];
        list[at] = c;
    }
    return count;
}

static pav_status halve(tuning *t)
{
    double each = efforts[t->effort].each;
    tune_candidate *list[TUNE_MOST] = {0};
    int count = sort(t, list);
    for (count = (count + 1) / 2; count > 1 && !is_over(t, 1); count = (count + 1) / 2) {
        each *= 2;
        for (int n = 0; n < count && !is_over(t, 1); n++) {
            TRY(tune_measure(t, list[n], each));
            report(t, list[n], n + 1, count);
        }
        const int left = sort(t, list);
        count = left < count ? left : count;
    }
    return PAV_OK;
}

/* ---- the end ----------------------------------------------------------------------- */

/* Chooses the fastest. If its results differ from the reference, this is a defect and an
 * error. */
static pav_status choose(tuning *t, const tune_candidate **chosen)
{
    tune_candidate *list[TUNE_MOST] = {0};
    const int count = sort(t, list);
    *chosen = NULL;
    if (count == 0 || !list[0])
        return FAIL(PAV_EUNSUPPORTED, "no schedule of %s could be measured: %s",
                    t->program->name, pav_message());
    *chosen = list[0];
    return tune_verify(t, list[0]);
}

static bool is_finished(const tuning *t)
{
    const int most = efforts[t->effort].most;
    return t->tried >= (t->count < most ? t->count : most);
}

/* The requested effort, if its list was finished; else the effort that was reached. */
static wisdom_effort tried_effort(const tuning *t)
{
    int effort = (int)t->effort;
    while (!is_finished(t) && effort > EFFORT_ESTIMATE && t->tried < efforts[effort].most)
        effort--;
    return (wisdom_effort)effort;
}

static pav_status say(const tuning *t, const tune_candidate *chosen, bool taken,
                      char **result)
{
    char path[WISDOM_PATH];
    text s = {0};
    const tune_candidate *first = &t->candidate[t->known < t->count ? t->known : 0];
    text_add(&s, "%s: %s, %.4g Gpts/s; ", t->program->name, chosen->words,
             rate(t, chosen->seconds));
    if (first != chosen && first->seconds > 0)
        text_add(&s, "%.4g by %s, ranked first; ", rate(t, first->seconds), first->words);
    text_add(&s, "%d of %d candidates in %.0f s, bits verified; ", t->tried, t->count,
             clock_seconds() - t->begun);
    if (!wisdom_path(path))
        text_add(&s, "not remembered: PAV_WISDOM is none\n");
    else if (taken && tried_effort(t) != t->effort)
        text_add(&s, "remembered in %s, as %s: not all of %s was tried\n", path,
                 wisdom_efforts[tried_effort(t)], wisdom_efforts[t->effort]);
    else if (taken)
        text_add(&s, "remembered in %s\n", path);
    else
        text_add(&s, "%s knows one that was tried harder\n", path);
    return text_take(&s, result);
}

static pav_status finish(tuning *t, char **result)
{
    const tune_candidate *chosen;
    char path[WISDOM_PATH];
    bool taken = false;
    TRY(choose(t, &chosen));
    if (!chosen)
        return FAIL(PAV_EINTERNAL, "tuning has chosen nothing");
    if (wisdom_path(path))
        TRY(run_remember(t->like, chosen->words, rate(t, chosen->seconds),
                         tried_effort(t), &taken));
    tune_forget(t);
    return say(t, chosen, taken, result);
}

/* ---- the beginning ----------------------------------------------------------------- */

static pav_status check(const tuning *t)
{
    const pav_run *run = t->like;
    if (!place_has_schedules(t->device))
        return FAIL(PAV_EUNSUPPORTED,
                    "the device %s has one schedule: tune on the device cpu or a GPU",
                    pav_device_name(t->device));
    if (run->places > 1 || run->cut.is_cut || run->outofcore)
        return FAIL(PAV_EUNSUPPORTED,
                    "tuning is of runs on one device whose memory holds the grid");
    if (run->code->step.count == 0 || run->code->step.count > CHOICE_STAGES)
        return FAIL(PAV_EUNSUPPORTED, "%s has %lld stages a step: tuning is of 1 to %d",
                    t->program->name, (long long)run->code->step.count, CHOICE_STAGES);
    return PAV_OK;
}

/* A schedule from wisdom is a candidate, too, even from another size. */
static pav_status add_known(tuning *t)
{
    wisdom w;
    if (wisdom_load(&w) != PAV_OK)
        return PAV_OK;
    const wisdom_line *known = wisdom_nearest(&w, t->like->known.problem);
    if (known)
        tune_add(t, known->schedule);
    wisdom_free(&w);
    return PAV_OK;
}

static pav_status begin(tuning *t)
{
    pav_run_options like = t->run_options;
    like.no_files = 0; /* outputs are observers, the same as in a run */
    TRY(run_open_unstarted(t->program, t->device, &like, &t->like));
    TRY(check(t));
    t->like->known.problem = mem_new(1, sizeof *t->like->known.problem);
    if (!t->like->known.problem)
        return PAV_ENOMEM;
    TRY(choice_problem(t->like, t->device, t->like->known.problem));
    tune_recall(t);
    TRY(run_has_launches(t->like) ? tune_list_device(t) : tune_list_host(t));
    return add_known(t);
}

static pav_status work(tuning *t, char **result)
{
    TRY(begin(t));
    TRY(measure_all(t));
    TRY(halve(t));
    return finish(t, result);
}

static pav_status find_effort(const char *name, wisdom_effort *effort)
{
    int which = EFFORT_MEASURE;
    if (name)
        TRY(text_choice("effort", name, wisdom_efforts, EFFORTS, &which));
    *effort = (wisdom_effort)which;
    return PAV_OK;
}

pav_status pav_tune(const pav_program *p, pav_device *device,
                    const pav_tune_options *options, char **result)
{
    GUARDED;
    static const pav_tune_options usual = {0};
    if (result)
        *result = NULL;
    if (!p || !device || !result)
        return FAIL(PAV_EINVAL,
                    "pav_tune needs a program, a device, and a place for the text");
    tuning *t = mem_new(1, sizeof *t);
    if (!t)
        return PAV_ENOMEM;
    t->program = &p->tree;
    t->device = device;
    t->options = options ? options : &usual;
    t->run_options = (pav_run_options){.no_files = 1,
                                       .steps = INT32_MAX,
                                       .nan_check_every = -1,
                                       .copy_rate = -1,
                                       .wisdom = -1,
                                       .threads = t->options->threads,
                                       .bind = t->options->bind};
    t->begun = clock_seconds();
    pav_status status = find_effort(t->options->effort, &t->effort);
    t->seconds = t->options->seconds > 0 ? t->options->seconds
                                         : efforts[t->effort].seconds;
    if (status == PAV_OK)
        status = work(t, result);
    pav_run_free(t->like);
    mem_free(t);
    return status;
}
