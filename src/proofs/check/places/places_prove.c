/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs one random program at one random place, or its second half at another place. After
 * its steps, fields, samples and measures must be bitwise identical to the uncut
 * interpreter's. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/places/places_private.h"

typedef struct trial {
    const program *program;
    pav_ranks *ranks;
    const char *folder;
    const char *checkpoint;
    int64_t steps, half; /* half 0: no restart */
    drawn_place at, then;
    places_result *result;
} trial;

static bool is_refusal(pav_status status)
{
    return status == PAV_EINVAL || status == PAV_EUNSUPPORTED || status == PAV_ELIMIT ||
           status == PAV_ENOMEM;
}

static pav_status open_place(const trial *t, const drawn_place *p, const char *restart,
                             pav_run **run)
{
    const pav_run_options options = {
        .no_files = 1,
        .nan_check_every = -1,
        .copy_rate = -1,
        .wisdom = -1,
        .threads = p->threads,
        .schedule = p->schedule[0] ? p->schedule : NULL,
        .subdomains = p->subdomains[0] ? p->subdomains : NULL,
        .weights = p->weights[0] ? p->weights : NULL,
        .exchange_every = p->every,
        .out_of_core = p->outofcore[0] ? p->outofcore : NULL,
        .disk = p->on_disk ? t->folder : NULL,
        .restart = restart,
        .ranks = p->set.has[ELEMENT_RANKS] ? t->ranks : NULL,
    };
    OWNED_BY(free_device) pav_device *device = NULL;
    TRY(pav_device_open(p->device, &device));
    return run_open_given(t->program, device, &options, NULL, NULL, run);
}

/* The worst status of all ranks, so that they go on or stop together. A rank that has
 * succeeded tells the message of the first that has not. */
static pav_status agreed(const trial *t, pav_status own)
{
    typedef struct rank_verdict {
        int status;
        char why[240];
    } rank_verdict;
    if (!t->ranks)
        return own;
    const int count = ranks_count(t->ranks);
    rank_verdict mine = {.status = (int)own};
    OWNED rank_verdict *all = mem_new(count, sizeof *all);
    snprintf(mine.why, sizeof mine.why, "%s", own == PAV_OK ? "" : pav_message());
    if (!all)
        return PAV_ENOMEM;
    TRY(ranks_gather(t->ranks, &mine, sizeof mine, all));
    for (int n = 0; n < count; n++)
        if (all[n].status != PAV_OK)
            return FAIL((pav_status)all[n].status, "rank %d: %s", n, all[n].why);
    return PAV_OK;
}

static void settle(trial *t, places_outcome outcome)
{
    t->result->outcome = outcome;
    text_free(&t->result->why);
    text_add(&t->result->why, "%s", outcome == PLACES_EQUAL ? "" : pav_message());
}

/* FAIL may quote the present message. */
static void fails(trial *t, const char *when)
{
    (void)FAIL(PAV_EINTERNAL, "%s: %s", when, pav_message());
    settle(t, PLACES_FAILED);
}

/* Compares at the start, and before a restart, where a checkpoint is written. */
static pav_status start_is_equal(trial *t, pav_run *reference, pav_run *run)
{
    TRY(agreed(t, runs_are_equal(reference, run, true)));
    if (!t->half)
        return PAV_OK;
    TRY(agreed(t, pav_run_steps(run, t->half)));
    TRY(pav_run_steps(reference, t->half));
    TRY(agreed(t, runs_are_equal(reference, run, true)));
    return agreed(t, pav_run_checkpoint(run, t->checkpoint));
}

static pav_status end_is_equal(trial *t, pav_run *reference, pav_run *run)
{
    const int64_t left = t->steps - t->half;
    TRY(agreed(t, pav_run_steps(run, left)));
    TRY(pav_run_steps(reference, left));
    return agreed(t, runs_are_equal_since(reference, run, t->half));
}

/* False: the place is refused or fails. */
static bool is_open(trial *t, const drawn_place *p, const char *restart, pav_run **run)
{
    const pav_status status = agreed(t, open_place(t, p, restart, run));
    if (status != PAV_OK)
        settle(t, is_refusal(status) ? PLACES_REFUSED : PLACES_FAILED);
    return status == PAV_OK;
}

static void prove_runs(trial *t, pav_run *reference, pav_run **run)
{
    if (!is_open(t, &t->at, NULL, run))
        return;
    if (start_is_equal(t, reference, *run) != PAV_OK) {
        fails(t, t->half ? "before the restart" : "at the start");
        return;
    }
    if (t->half) { /* the new run has only rows after the checkpoint */
        pav_run_free(*run);
        *run = NULL;
        if (!is_open(t, &t->then, t->checkpoint, run))
            return;
    }
    if (end_is_equal(t, reference, *run) == PAV_OK)
        settle(t, PLACES_EQUAL);
    else
        fails(t, "after the last step");
}

/* ---- its files --------------------------------------------------------------------- */

static void trace_path(const char *folder, int number, text *path)
{
    char name[16];
    places_trace_name(number, name);
    text_add(path, "%s/%s", folder, name);
}

static pav_status write_trace(const drawn_program *d, const char *folder, int n)
{
    const int64_t rows = d->rows[n], columns = d->columns[n];
    OWNED double *value = mem_new(rows * columns, sizeof *value);
    OWNED_BY(text_free) text path = {0};
    if (!value)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < rows * columns; k++)
        value[k] = places_trace_value(k / columns, k % columns);
    trace_path(folder, n, &path);
    return path.failed ? PAV_ENOMEM : npy_write_table(path.data, value, rows, columns);
}

static pav_status parse(const trial *t, const drawn_program *d, program **p)
{
    const pav_program_options options = {.name = "random", .directory = t->folder};
    pav_status status = PAV_OK;
    if (ranks_number(t->ranks) == 0)
        for (int n = 0; n < d->traces && status == PAV_OK; n++)
            status = write_trace(d, t->folder, n);
    TRY(agreed(t, status));
    return d->source.failed
               ? PAV_ENOMEM
               : program_parse(d->source.data, d->source.length, &options, p);
}

/* ---- one program at one place ------------------------------------------------------ */

static void join(element_set *all, const element_set *some)
{
    for (int n = 0; n < ELEMENTS; n++)
        all->has[n] = all->has[n] || some->has[n];
}

/* Draws the place for an attempt; each attempt draws another one. */
static void draw_trial(trial *t, const drawn_program *d, uint64_t seed, int attempt,
                       unsigned devices)
{
    rng r = {hash_mix(hash_mix(seed) + (uint64_t)attempt)};
    t->steps = d->steps;
    draw_place(&r, d, devices, &t->at);
    t->result->set = d->set;
    join(&t->result->set, &t->at.set);
    place_command(&t->at, &t->result->words);
    if (d->steps < 2 || rng_below(&r, 8))
        return;
    t->half = 1 + rng_below(&r, d->steps - 1);
    draw_place(&r, d, devices, &t->then);
    join(&t->result->set, &t->then.set);
    t->result->set.has[ELEMENT_RESTART] = true;
    text_add(&t->result->words, ", after %lld steps ", (long long)t->half);
    place_command(&t->then, &t->result->words);
}

static void remove_files(const trial *t, int traces)
{
    OWNED_BY(text_free) text older = {0};
    text_add(&older, "%s.old", t->checkpoint);
    (void)unlink(t->checkpoint);
    if (older.data)
        (void)unlink(older.data);
    for (int n = 0; n < traces; n++) {
        OWNED_BY(text_free) text path = {0};
        trace_path(t->folder, n, &path);
        if (path.data)
            (void)unlink(path.data);
    }
}

void prove_at_place(uint64_t seed, int attempt, unsigned devices, pav_ranks *ranks,
                    const char *folder, void (*begun)(void *user, const char *words),
                    void *user, places_result *result)
{
    const drawn_place plain = {.device = "interpreter", .threads = 1};
    OWNED_BY(free_program) program *p = NULL;
    OWNED_BY(free_run) pav_run *reference = NULL, *run = NULL;
    OWNED_BY(text_free) text checkpoint = {0};
    drawn_program d;
    draw_places_program(seed, &d);
    *result = (places_result){0};
    text_add(&checkpoint, "%s/half.checkpoint", folder);
    trial t = {.folder = folder,
               .result = result,
               .ranks = ranks,
               .checkpoint = checkpoint.data ? checkpoint.data : ""};
    draw_trial(&t, &d, seed, attempt, devices);
    begun(user, result->words.data ? result->words.data : "");
    const pav_status status = parse(&t, &d, &p);
    t.program = p;
    if (agreed(&t, status) == PAV_OK &&
        open_place(&t, &plain, NULL, &reference) == PAV_OK)
        prove_runs(&t, reference, &run);
    else
        settle(&t, PLACES_FAILED);
    (void)agreed(&t, PAV_OK); /* no rank removes files of another */
    if (ranks_number(ranks) == 0)
        remove_files(&t, d.traces);
    text_free(&d.source);
}
