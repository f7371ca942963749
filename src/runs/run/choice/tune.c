/* SPDX-License-Identifier: BSD-3-Clause */
/* Autotuning of a whole run (`pavior tune`). All candidates are measured briefly, in the
 * order of the models, until time runs out. Then the better half is measured for twice as
 * long, until one is left. Only a schedule with bitwise identical results is remembered.
 * Measurements are kept on disk, so that an interrupted tuning continues. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/choice/choice_private.h"
#include "run/run_private.h"
#include "run/time/time_private.h"

enum { TUNE_MOST = 256 };
typedef struct tune_candidate {
    char asked[WISDOM_SCHEDULE]; /* the listed schedule string */
    char words[WISDOM_SCHEDULE]; /* the schedule string after autotuning of its run */
    double seconds;              /* of a step: the least so far; 0: not measured */
    bool refused;                /* impossible, or its results are wrong */
} tune_candidate;

typedef struct tuning {
    const program *program;
    pav_device *device;
    const pav_tune_options *options;
    pav_run_options run_options;
    wisdom_effort effort;
    double begun, seconds; /* the time limit */
    pav_run *like;         /* an unstarted run, to list candidates and find the key */
    char path[WISDOM_PATH + 32];       /* of measurements on disk; "": none */
    int count, measured, known, tried; /* known: measured by an earlier tuning */
    tune_candidate candidate[TUNE_MOST];
} tuning;

/* ---- candidates -------------------------------------------------------------------- */

/* A candidate added twice counts once. */
static void add_candidate(tuning *t, const char *words)
{
    for (int n = 0; n < t->count; n++)
        if (strcmp(t->candidate[n].words, words) == 0 ||
            strcmp(t->candidate[n].asked, words) == 0)
            return;
    if (t->count == TUNE_MOST || strlen(words) >= WISDOM_SCHEDULE)
        return;
    tune_candidate *c = &t->candidate[t->count++];
    *c = (tune_candidate){0};
    (void)snprintf(c->asked, sizeof c->asked, "%s", words);
    (void)snprintf(c->words, sizeof c->words, "%s", words);
}

static void add_schedule(tuning *t, const schedule *s)
{
    char words[SCHEDULE_STRING];
    add_candidate(t, schedule_string(s, words));
}

/* The n-th candidate of a stage; false: the stage has fewer. */
typedef bool tune_stage(const tuning *t, int64_t stage, int n, schedule *s);

static bool stage_words(const tuning *t, tune_stage *of, int n, text *words)
{
    const ir *code = t->like->part->code;
    schedule each[CHOICE_STAGES] = {0};
    bool any = false;
    for (int64_t k = 0; k < code->step.count; k++) {
        each[k] = (schedule){.kind = SCHEDULE_NONE};
        any = of(t, code->step.stage[k], n, &each[k]) || any;
    }
    choice_print(each, code->step.count, words);
    return any && !words->failed;
}

/* Adds, for each n below `count`, the schedule string made of the n-th candidate of each
 * stage. Stages with kind NONE belong to the host or the interpreter. */
static void add_stages(tuning *t, tune_stage *of, int count)
{
    for (int n = 0; n < count; n++) {
        OWNED_BY(text_free) text words = {0};
        if (stage_words(t, of, n, &words))
            add_candidate(t, words.data);
    }
}

/* The n-th candidate of the stage, or its last. */
static bool loop_of(const tuning *t, int64_t stage, int n, schedule *s)
{
    loop_tuner m;
    const ir *code = t->like->code;
    if (!t->like->compiled ||
        kernel_candidates(&t->like->client, code, &code->stage[stage], &m) != PAV_OK ||
        m.count == 0)
        return false;
    m.tuner.fastest = n < m.count ? n : m.count - 1;
    return loop_tuner_fastest(&m, s) && n < m.count;
}

static void add_shape(tuning *t, const time_choice *c, const schedule *shape)
{
    schedule s = *shape;
    if (s.tile.steps < 2)
        return;
    time_round_tile(t->like->part->code, &c->state.blocking, &s);
    add_schedule(t, &s);
}

static pav_status list_host(tuning *t)
{
    time_choice c;
    OWNED_BY(text_free) text why = {0};
    TRY(temporal_refusal(t->like, &why));
    const bool several = why.length == 0;
    TRY(temporal_plan(t->like, false, &c));
    for (int n = 0; several && n < c.count; n++)
        add_shape(t, &c, &c.trial[n].shape);
    add_stages(t, loop_of, MOST_LOOP_SCHEDULES);
    if (several) {
        /* The model's best tiles of each depth; with the most effort, also tiles of
         * half and twice their width and height. */
        const int few[EFFORTS] = {0, 1, 2, 3};
        const kernel_host host = kernel_host_of(&t->like->client);
        const int64_t interval = run_steps_between_observations(t->like);
        time_trial found[MOST_SHAPES];
        for (int d = 0; d < SCHEDULE_DEPTHS; d++) {
            const int depth = schedule_depths_by_rank[d];
            const schedule requested = {.kind = SCHEDULE_AUTO, .tile = {.steps = depth}};
            if (interval > 0 && depth > interval)
                continue;
            const int count = time_model(t->like, &c.state.blocking, &requested, &host,
                                         few[t->effort], found);
            for (int n = 0; n < count; n++) {
                schedule other;
                add_shape(t, &c, &found[n].shape);
                for (int k = 0; k < TIME_OTHERS && t->effort == EFFORT_EXHAUSTIVE; k++)
                    if (time_other_size(t->like->part->code->dim, &found[n].shape, k,
                                        &other))
                        add_shape(t, &c, &other);
            }
        }
    }
    ir_blocking_close(&c.state.blocking);
    return PAV_OK;
}

static bool kernel_of(const tuning *t, int64_t stage, int n, schedule *s)
{
    const exec_place *on = run_place(t->like);
    if (!emit_gpu_has_kernel(t->like->part->code, &t->like->part->code->stage[stage]))
        return false;
    int last = n;
    while (last > 0 && !place_candidate(on, stage, last))
        last--;
    *s = *place_candidate(on, stage, last);
    return last == n;
}

/* The launches with the fewest modelled bytes come first. */
static void add_launches(tuning *t, const schedule *requested)
{
    launch_list list = {0};
    if (place_launches(run_place(t->like), requested, &list) != PAV_OK)
        return;
    for (int n = 1; n < list.count; n++)
        for (int k = n; k > 0 && list.launch[k].bytes < list.launch[k - 1].bytes; k--) {
            const launch_forecast other = list.launch[k];
            list.launch[k] = list.launch[k - 1];
            list.launch[k - 1] = other;
        }
    for (int n = 0; n < list.count; n++)
        add_schedule(t, &list.launch[n].requested);
}

static void add_candidates(tuning *t, schedule_candidates_of which)
{
    schedule_list list;
    schedule_candidates(which, &list);
    for (int n = 0; n < list.count; n++)
        add_schedule(t, &list.schedule[n]);
}

static pav_status list_device(tuning *t)
{
    TRY(place_choose(run_place(t->like)));
    add_launches(t, NULL);
    add_launches(t, &(schedule){.kind = SCHEDULE_PERSISTENT});
    add_stages(t, kernel_of, EMIT_GPU_CANDIDATES);
    if (t->effort >= EFFORT_PATIENT)
        add_candidates(t, CANDIDATES_PATIENT);
    if (t->effort == EFFORT_EXHAUSTIVE)
        add_candidates(t, CANDIDATES_EXHAUSTIVE);
    return PAV_OK;
}

/* ---- measurements ------------------------------------------------------------------ */

/* Stores the schedules that the run has tuned by itself. */
static pav_status put_words(const pav_run *run, tune_candidate *c)
{
    OWNED_BY(text_free) text words = {0};
    TRY(run_choice_words(run, &words));
    if (words.length < WISDOM_SCHEDULE && run_is_tuned(run))
        (void)snprintf(c->words, sizeof c->words, "%s", words.data);
    return PAV_OK;
}

/* Measures steps for at least `seconds`; then c->words has the choices of the run's own
 * trials. */
static pav_status measure(tuning *t, tune_candidate *c, double seconds)
{
    OWNED_BY(free_run) pav_run *run = NULL;
    pav_status status = run_open_chosen(t->program, t->device, &t->run_options, c->words,
                                        run_has_launches(t->like), &run);
    if (status == PAV_OK)
        status = run_time_steps(run, seconds, &c->seconds);
    if (status == PAV_OK)
        status = put_words(run, c);
    const pav_progress none = {0};
    if (t->options->listener &&
        t->options->listener(t->options->user, PAV_EVENT_PROGRESS, &none, NULL) != 0)
        return FAIL(PAV_EINTERRUPTED, "tuning was stopped");
    c->refused = status != PAV_OK || c->seconds <= 0;
    return status == PAV_EINVAL && t->measured == 0 ? status : PAV_OK;
}

/* ---- bits -------------------------------------------------------------------------- */

/* points times steps, at most, for the interpreter */
static const double few_points = 150e6;

static pav_status open_reference(tuning *t, int64_t steps, pav_run **run)
{
    if ((double)t->like->work.points * (double)steps < few_points)
        return run_open_interpreted(t->program, &t->run_options, run);
    return run_open_chosen(t->program, t->device, &t->run_options,
                           run_has_launches(t->like) ? "point" : "rows:rows=single",
                           false, run);
}

/* ---- measurements on disk ---------------------------------------------------------- */

/* Measurements of an unfinished tuning, in a file next to wisdom: a line for each
 * candidate. The file only saves time, so unreadable lines are measured again and write
 * errors are ignored. */

enum { MOST_BYTES = 1 << 20 };

/* Reads a line: seconds (0: the candidate is impossible), the listed schedule, and the
 * schedule after autotuning. */
static void take_line(tuning *t, char *line)
{
    char *tab, *words;
    const double seconds = strtod(line, &tab);
    const int before = t->count;
    if (*tab != '\t' || !(seconds >= 0) || !(words = strchr(tab + 1, '\t')))
        return;
    *words++ = 0;
    add_candidate(t, tab + 1);
    if (t->count == before || strlen(words) >= WISDOM_SCHEDULE)
        return;
    tune_candidate *c = &t->candidate[before];
    (void)snprintf(c->words, sizeof c->words, "%s", words);
    c->seconds = seconds;
    c->refused = seconds == 0;
    t->known = t->count;
}

/* ---- rounds of measurements -------------------------------------------------------- */

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
    for (const tune_candidate *c = t->candidate; c < t->candidate + t->count; c++)
        if (!c->refused && c->seconds > 0 && (!found || c->seconds < found->seconds))
            found = c;
    return found;
}

static void report(const tuning *t, const tune_candidate *c, int number, int of)
{
    const tune_candidate *fastest = best(t);
    OWNED_BY(text_free) text line = {0};
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
}

/* ---- rounds ------------------------------------------------------------------------ */

/* A share of the time for the tuning is over. */
static bool is_over(const tuning *t, double share)
{
    return clock_seconds() - t->begun >= share * t->seconds;
}

static pav_status measure_all(tuning *t)
{
    const int count = int_least(t->count, efforts[t->effort].most);
    t->tried = t->known;
    for (int n = t->known; n < count && (t->measured < 2 || !is_over(t, first_share));
         n++) {
        tune_candidate *c = &t->candidate[n];
        TRY(measure(t, c, efforts[t->effort].each));
        t->measured++;
        t->tried = n + 1;
        OWNED_BY(stdio_close)
        FILE *const file = *t->path ? file_write(t->path, true) : NULL;
        if (file)
            (void)fprintf(file, "%.17g\t%s\t%s\n", c->refused ? 0 : c->seconds, c->asked,
                          c->words);
        report(t, c, n + 1, count);
    }
    return PAV_OK;
}

static int sort_by_seconds(tuning *t, tune_candidate *list[TUNE_MOST])
{
    int count = 0;
    for (tune_candidate *c = t->candidate; c < t->candidate + t->count; c++) {
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

/* ---- the end ----------------------------------------------------------------------- */

/* The requested effort, if its list was finished; else the effort that was reached. */
static wisdom_effort tried_effort(const tuning *t)
{
    int effort = (int)t->effort;
    if (t->tried >= int_least(t->count, efforts[t->effort].most))
        return t->effort;
    while (effort > EFFORT_ESTIMATE && t->tried < efforts[effort].most)
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

/* ---- the beginning ----------------------------------------------------------------- */

static pav_status begin(tuning *t)
{
    pav_run_options like = t->run_options;
    like.no_files = 0; /* outputs are observers, the same as in a run */
    TRY(run_open_unstarted(t->program, t->device, &like, &t->like));
    const pav_run *run = t->like;
    if (!place_has_schedules(t->device))
        return FAIL(PAV_EUNSUPPORTED,
                    "the device %s has one schedule: tune on the device cpu or a GPU",
                    pav_device_name(t->device));
    if (!run_is_whole(run))
        return FAIL(PAV_EUNSUPPORTED,
                    "tuning needs a run on one device with memory for the grid");
    if (run->code->step.count == 0 || run->code->step.count > CHOICE_STAGES)
        return FAIL(PAV_EUNSUPPORTED, "%s has %lld stages a step: tuning is of 1 to %d",
                    t->program->name, (long long)run->code->step.count, CHOICE_STAGES);
    TRY(mem_take(&t->like->known.problem, 1, sizeof *t->like->known.problem));
    TRY(choice_problem(t->like, t->device, t->like->known.problem));
    /* Reads the measurements of earlier tunings of this problem. */
    OWNED char *bytes = NULL;
    char *rest = NULL;
    int64_t length;
    /* One file for each problem. */
    char wise[WISDOM_PATH];
    const wisdom_line *key = t->like->known.problem;
    hash h;
    hash_init(&h);
    hash_add(&h, &key->program, sizeof key->program);
    hash_add(&h, key->extent, sizeof key->extent);
    hash_add(&h, &key->real, sizeof key->real);
    hash_add(&h, key->machine, (int64_t)strlen(key->machine));
    hash_add(&h, key->compiler, (int64_t)strlen(key->compiler));
    hash_add(&h, key->version, (int64_t)strlen(key->version));
    if (wisdom_path(wise))
        (void)snprintf(t->path, sizeof t->path, "%s.tune-%016llx", wise,
                       (unsigned long long)hash_end(&h));
    if (access(t->path, F_OK) == 0 &&
        file_read(t->path, MOST_BYTES, &bytes, &length) == PAV_OK) {
        for (char *line = strtok_r(bytes, "\n", &rest); line;
             line = strtok_r(NULL, "\n", &rest))
            take_line(t, line);
    }
    TRY(run_has_launches(t->like) ? list_device(t) : list_host(t));
    /* A schedule from wisdom is a candidate, too, even from another size. */
    OWNED_BY(wisdom_free) wisdom w = {0};
    if (wisdom_load(&w) == PAV_OK) {
        const wisdom_line *known = wisdom_nearest(&w, t->like->known.problem);
        if (known)
            add_candidate(t, known->schedule);
    }
    return PAV_OK;
}

static pav_status work(tuning *t, char **result)
{
    enum { LEAST = EFFORT_ESTIMATE };
    int effort = EFFORT_MEASURE - LEAST;
    if (t->options->effort)
        TRY(text_choice("effort", t->options->effort, wisdom_efforts + LEAST,
                        EFFORTS - LEAST, &effort));
    effort += LEAST;
    t->effort = (wisdom_effort)effort;
    t->seconds = t->options->seconds > 0 ? t->options->seconds : efforts[effort].seconds;
    TRY(begin(t));
    TRY(measure_all(t));
    double each = efforts[t->effort].each;
    tune_candidate *list[TUNE_MOST] = {0};
    int count = sort_by_seconds(t, list);
    for (count = (count + 1) / 2; count > 1 && !is_over(t, 1); count = (count + 1) / 2) {
        each *= 2;
        for (int n = 0; n < count && !is_over(t, 1); n++) {
            TRY(measure(t, list[n], each));
            report(t, list[n], n + 1, count);
        }
        count = int_least(count, sort_by_seconds(t, list));
    }
    const tune_candidate *chosen = best(t);
    char path[WISDOM_PATH];
    bool taken = false;
    if (!chosen)
        return FAIL(PAV_EUNSUPPORTED, "no schedule of %s could be measured: %s",
                    t->program->name, pav_message());
    /* Compares bits with the interpreter, or on large grids with the simplest kernels. A
     * difference is a defect, and an error. */
    OWNED_BY(free_run) pav_run *run = NULL, *reference = NULL;
    TRY(run_open_chosen(t->program, t->device, &t->run_options, chosen->words, false,
                        &run));
    const int64_t steps = 2 * run_block_steps(run) + 1;
    TRY(open_reference(t, steps, &reference));
    TRY(run_verify_pair(run, reference, steps));
    if (wisdom_path(path))
        TRY(run_remember(t->like, chosen->words, rate(t, chosen->seconds),
                         tried_effort(t), &taken));
    (void)unlink(t->path);
    return say(t, chosen, taken, result);
}

pav_status pav_tune(const pav_program *p, pav_device *device,
                    const pav_tune_options *options, char **result)
{
    GUARDED;
    if (result)
        *result = NULL;
    if (!p || !device || !result)
        return FAIL(PAV_EINVAL,
                    "pav_tune needs a program, a device, and a place for the text");
    const pav_tune_options *taken = options ? options : &(pav_tune_options){0};
    OWNED_NEW(tuning, t, 1);
    *t = (tuning){.program = &p->tree,
                  .device = device,
                  .options = taken,
                  .run_options = {.no_files = 1,
                                  .early = -1,
                                  .steps = INT32_MAX,
                                  .nan_check_every = -1,
                                  .copy_rate = -1,
                                  .wisdom = -1,
                                  .threads = taken->threads,
                                  .bind = taken->bind},
                  .begun = clock_seconds()};
    const pav_status status = work(t, result);
    pav_run_free(t->like);
    return status;
}
