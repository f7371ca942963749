/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules of a run, from the caller, from wisdom or from its own autotuning. The known
 * schedule of the problem is used without trials or extra compiling. A schedule from
 * another size is tried first. After a long run, the result of its autotuning is stored
 * in wisdom. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/choice/choice_private.h"
#include "run/run_private.h"
#include "run/time/time_private.h"

/* ---- schedules as a string --------------------------------------------------------- */

/* The schedules of a run as one string: the schedule of fused steps, if any, then the
 * schedule of each stage of a single step, separated by ';':
 * "time:depth=4,tile=32x2;blocks:block=16". "-" is the default schedule of a stage. If
 * all stages have the same schedule, it stands once. */

static schedule chosen_for(const pav_run *run, int64_t n)
{
    schedule s = {.kind = SCHEDULE_NONE};
    const executor *e = run->part->executor;
    return e->ops.chosen(e, n, &s) ? s : (schedule){.kind = SCHEDULE_NONE};
}

void choice_print(const schedule *each, int64_t count, text *t)
{
    bool alike = true;
    for (int64_t n = 1; n < count; n++)
        alike = alike && schedule_is_same(&each[0], &each[n]);
    for (int64_t n = 0; n < (alike ? 1 : count); n++) {
        text_add(t, "%s", n > 0 ? ";" : "");
        if (each[n].kind == SCHEDULE_NONE)
            text_add(t, "-");
        else
            schedule_print(&each[n], t);
    }
}

pav_status run_choice_words(const pav_run *run, text *t)
{
    const executor *e = run->part->executor;
    schedule each[CHOICE_STAGES] = {0};
    for (int64_t n = 0; n < run->code->step.count; n++)
        each[n] = chosen_for(run, n);
    if (run_executor_figures(run).schedule || e->ops.figures(e).depth > 1)
        run_schedule_string(run, t);
    text_add(t, "%s", t->length > 0 ? ";" : "");
    choice_print(each, run->code->step.count, t);
    return t->failed ? PAV_ENOMEM : PAV_OK;
}

/* ---- read -------------------------------------------------------------------------- */

static pav_status take_word(const char *word, schedule_place on, run_choice *c)
{
    schedule s = {.kind = SCHEDULE_NONE};
    if (strcmp(word, "-") != 0)
        TRY(schedule_parse(word, on, &s));
    if (s.kind != SCHEDULE_NONE && schedule_fuses_steps(&s)) {
        if (c->stages > 0 || c->several.kind != SCHEDULE_AUTO)
            return FAIL(PAV_EINVAL, "%s does not come first", word);
        c->several = s;
        return PAV_OK;
    }
    if (c->stages == CHOICE_STAGES)
        return FAIL(PAV_ELIMIT, "there are more than %d schedules", CHOICE_STAGES);
    c->stage[c->stages++] = s;
    return PAV_OK;
}

static pav_status parse_choice(const pav_run *run, const char *words, schedule_place on,
                               run_choice *c)
{
    char word[WISDOM_SCHEDULE];
    *c = (run_choice){0};
    (void)snprintf(c->words, sizeof c->words, "%s", words);
    for (const char *at = words; at; at = strchr(at, ';') ? strchr(at, ';') + 1 : NULL) {
        const size_t length = strcspn(at, ";");
        if (length >= sizeof word)
            return FAIL(PAV_EINVAL, "the schedule %.100s is too long", at);
        memcpy(word, at, length);
        word[length] = 0;
        TRY(take_word(word, on, c));
    }
    return c->stages <= 1 || c->stages == run->code->step.count
               ? PAV_OK
               : FAIL(PAV_EINVAL, "%s has schedules of %d stages, and a step has %lld",
                      words, c->stages, (long long)run->code->step.count);
}

/* ---- schedules of a run ------------------------------------------------------------ */

void run_drop_choice(pav_run *run)
{
    mem_free(run->known.choice);
    run->known.choice = NULL;
}

bool run_is_single(const pav_run *run)
{
    return run->known.choice && !run->known.choice->is_hint &&
           run->known.choice->several.kind == SCHEDULE_AUTO;
}

/* ---- the problem ------------------------------------------------------------------- */

/* Wisdom is about runs of the whole grid on one device. */
static bool has_wisdom_problem(const pav_run *run, const opening *how)
{
    const bool alone = run_is_whole(run) && !run->part->ranks && !run->solver.outer;
    return place_has_schedules(how->device) && !how->runner && !how->rough &&
           run->options.wisdom >= 0 && !run->options.bundle && alone &&
           run->code->step.count <= CHOICE_STAGES;
}

pav_status choice_problem(const pav_run *run, const pav_device *device, wisdom_line *key)
{
    OWNED_BY(text_free) text machine = {0}, compiled_by = {0};
    *key = (wisdom_line){
        .program = wisdom_program(run->code, run_steps_between_observations(run)),
        .dim = run->code->dim,
        .real = run->program->real};
    memcpy(key->extent, ir_grid_box(run->code).hi, sizeof key->extent);
    TRY(device_identity(device, &machine, &compiled_by));
    if (place_kind_of(device) != PLACE_GPU)
        text_add(&machine, ", %d thread%s", run_threads(run),
                 run_threads(run) == 1 ? "" : "s");
    if (machine.failed)
        return PAV_ENOMEM;
    wisdom_put(key->machine, machine.data);
    wisdom_put(key->compiler, compiled_by.data);
    wisdom_put(key->version, pav_version());
    wisdom_put(key->name, run->program->name);
    return PAV_OK;
}

/* ---- taking ------------------------------------------------------------------------ */

enum take_as { AS_ASKED, AS_WISDOM, AS_HINT };
static pav_status take(pav_run *run, const char *words, schedule_place on,
                       enum take_as how)
{
    TRY(mem_take(&run->known.choice, 1, sizeof *run->known.choice));
    const pav_status status = parse_choice(run, words, on, run->known.choice);
    run->known.choice->is_wisdom = how == AS_WISDOM;
    run->known.choice->is_hint = how == AS_HINT;
    if (status == PAV_OK) {
        /* Requests fused steps like a caller, if the run has enough steps. */
        run_choice *c = run->known.choice;
        const bool splits = c->stages > 0 && c->stage[0].kind == SCHEDULE_TWO_PASS;
        if (!c->is_hint) {
            if (c->is_wisdom && run->steps > 0 && run->steps <= c->several.tile.steps)
                c->several = (schedule){.kind = SCHEDULE_AUTO};
            if (c->several.kind != SCHEDULE_AUTO)
                run->schedule = c->several;
            else if (splits)
                run->schedule = c->stage[0];
        }
    } else
        run_drop_choice(run);
    return status;
}

/* An unreadable line of wisdom is ignored. A result of a busy machine is only a
 * hint. */
static pav_status take_known(pav_run *run, const wisdom *w, schedule_place on)
{
    const wisdom_line *known = wisdom_find(w, run->known.problem);
    const wisdom_line *near = known ? known : wisdom_nearest(w, run->known.problem);
    if (run->options.wisdom > 0 && !known) {
        const wisdom_line *key = run->known.problem;
        OWNED_BY(text_free) text grid = {0};
        text_add_extent(&grid, key->dim, key->extent);
        return FAIL(
            PAV_EUNSUPPORTED,
            "wisdom knows nothing of %s of %s points of %s on %s: `pavior tune` finds "
            "it out",
            run->program->name, grid.data ? grid.data : "", pav_type_name(key->real),
            key->machine);
    }
    if (!near)
        return PAV_OK;
    const bool sure = known && (known->effort > EFFORT_BUSY || run->options.wisdom > 0);
    const pav_status status = take(run, near->schedule, on, sure ? AS_WISDOM : AS_HINT);
    const bool same = near->program == run->known.problem->program;
    if (status == PAV_OK && sure) {
        run->known.choice->gpts = known->gpts;
        wisdom_put(run->known.choice->name, known->name);
    }
    if (status != PAV_OK && status != PAV_ENOMEM && same)
        exec_warn(&run->client, "what wisdom knows of this run is not taken: %s",
                  pav_message());
    return status == PAV_ENOMEM ? status : PAV_OK;
}

pav_status run_find_choice(pav_run *run, const opening *how)
{
    const schedule_place on = place_schedules(how->device, run->device_name);
    const pav_bundle *bundle = run->options.bundle;
    if (how->choice)
        return take(run, how->choice, on, AS_ASKED);
    if (bundle && !run->options.schedule && strchr(bundle_schedule(bundle), ';'))
        return take(run, bundle_schedule(bundle), on, AS_ASKED);
    if (run->schedule.kind != SCHEDULE_AUTO || how->without_wisdom ||
        !has_wisdom_problem(run, how))
        return PAV_OK;
    TRY(mem_take(&run->known.problem, 1, sizeof *run->known.problem));
    TRY(choice_problem(run, how->device, run->known.problem));
    OWNED_BY(wisdom_free) wisdom w = {0};
    const pav_status status = wisdom_load(&w);
    if (status != PAV_OK && status != PAV_ENOMEM && run->options.wisdom == 0) {
        exec_warn(&run->client, "wisdom is not asked: %s", pav_message());
        return PAV_OK;
    }
    TRY(status);
    return take_known(run, &w, on);
}

/* ---- learning ---------------------------------------------------------------------- */

static const double long_enough = 1; /* seconds spent in steps */
enum { TRIED = 2 };                  /* the longest trial on processors, in steps */
enum { DOUBT = 3 }; /* a run this many times slower than wisdom says gives a warning */

static bool has_learnt(const pav_run *run)
{
    const bool open = !run->known.choice || run->known.choice->is_hint;
    return run->known.problem && open && run->seconds.spent[PHASE_STEPS] >= long_enough &&
           run_is_tuned(run) && run->part->executor->compiled &&
           trial_any_begins(run->steps, TRIED) && place_is_complete(run_place(run));
}

pav_status run_remember(const pav_run *run, const char *words, double gpts,
                        wisdom_effort effort, bool *taken)
{
    wisdom_line line = *run->known.problem;
    *taken = false;
    int64_t count = 0;
    const wisdom all = {.count = 1, .capacity = 1, .line = &line};
    if (strlen(words) >= sizeof line.schedule || !(gpts > 0))
        return PAV_OK;
    (void)snprintf(line.schedule, sizeof line.schedule, "%s", words);
    line.gpts = gpts;
    line.effort = effort;
    date_put(line.date, sizeof line.date);
    const pav_status status = wisdom_keep(&all, true, &count);
    *taken = count > 0;
    return status;
}

/* Other work on more than a fifth of the processors can make the wrong schedule win. */
static bool was_disturbed(const pav_run *run, double *others)
{
    static const double share = 0.2;
    const host_usage now = host_usage_now();
    *others = host_others(&run->seconds.begun, &now);
    return *others > share * host_processors();
}

void run_learn(pav_run *run)
{
    char path[WISDOM_PATH];
    double others;
    OWNED_BY(text_free) text words = {0};
    bool taken;
    if (!has_learnt(run) || !wisdom_path(path))
        return;
    const bool disturbed = was_disturbed(run, &others);
    pav_status status = run_choice_words(run, &words);
    if (status == PAV_OK)
        status = run_remember(run, words.data, run_figures(run).gpts,
                              disturbed ? EFFORT_BUSY : EFFORT_MEASURE, &taken);
    if (status == PAV_OK && disturbed && taken)
        exec_note(&run->client,
                  "other work kept %.1f of %d processors busy: the schedule of this run "
                  "is a hint for the next one, which measures again",
                  others, host_processors());
    if (status != PAV_OK)
        exec_note(&run->client, "what this run has found out is not remembered: %s",
                  pav_message());
}

/* A line of wisdom may belong to another machine of the same name, or be wrong. */
void run_doubt_choice(pav_run *run)
{
    run_choice *c = run->known.choice;
    if (!c || !c->is_wisdom || c->doubted ||
        run->seconds.spent[PHASE_STEPS] < long_enough)
        return;
    c->doubted = true;
    const double gpts = run_figures(run).gpts;
    if (gpts * DOUBT < c->gpts)
        exec_warn(&run->client,
                  "this run reaches %.4g Gpts/s by the schedule of wisdom, and wisdom "
                  "measured %.4g: `pavior wisdom forget %s` forgets it, `pavior tune` "
                  "then measures anew, and --no-wisdom does without",
                  gpts, c->gpts, c->name);
}
