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
    text checkpoint, older;
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
        .early = p->early ? p->early : -1,
        .restart = restart,
        .ranks = p->set.has[ELEMENT_RANKS] ? t->ranks : NULL,
    };
    pav_device *device = NULL;
    TRY(pav_device_open(p->device, &device));
    const pav_status status = run_open_given(t->program, device, &options, NULL, NULL,
                                             run);
    pav_device_free(device);
    return status;
}

static pav_status open_reference(const trial *t, pav_run **run)
{
    const drawn_place plain = {.device = "interpreter", .threads = 1};
    return open_place(t, &plain, NULL, run);
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
    rank_verdict mine = {.status = (int)own}, *all = mem_new(count, sizeof *all);
    snprintf(mine.why, sizeof mine.why, "%s", own == PAV_OK ? "" : pav_message());
    pav_status status = all ? ranks_gather(t->ranks, &mine, sizeof mine, all)
                            : PAV_ENOMEM;
    for (int n = 0; n < count && status == PAV_OK; n++)
        if (all[n].status != PAV_OK)
            status = FAIL((pav_status)all[n].status, "rank %d: %s", n, all[n].why);
    mem_free(all);
    return status;
}

static pav_status fails(const char *when)
{
    char *why = strdup(pav_message());
    const pav_status status = FAIL(PAV_EINTERNAL, "%s: %s", when, why ? why : "");
    free(why);
    return status;
}

/* Restarts a run from a checkpoint. The new run has only rows after the checkpoint. */
static pav_status run_half(trial *t, pav_run *reference, pav_run **run)
{
    TRY(agreed(t, pav_run_steps(*run, t->half)));
    TRY(pav_run_steps(reference, t->half));
    TRY(agreed(t, runs_are_equal(reference, *run)));
    return agreed(t, pav_run_checkpoint(*run, t->checkpoint.data));
}

static void settle(trial *t, places_outcome outcome)
{
    t->result->outcome = outcome;
    text_free(&t->result->why);
    text_add(&t->result->why, "%s", outcome == PLACES_EQUAL ? "" : pav_message());
}

static void compare_end(trial *t, pav_run *reference, pav_run *run)
{
    const int64_t left = t->steps - t->half;
    pav_status status = agreed(t, pav_run_steps(run, left));
    if (status == PAV_OK)
        status = pav_run_steps(reference, left);
    if (status == PAV_OK)
        status = agreed(t, runs_are_equal_since(reference, run, t->half));
    if (status != PAV_OK)
        (void)fails("after the last step");
    settle(t, status == PAV_OK ? PLACES_EQUAL : PLACES_FAILED);
}

static void prove_runs(trial *t, pav_run *reference, pav_run **run)
{
    pav_status status = agreed(t, open_place(t, &t->at, NULL, run));
    if (status == PAV_OK)
        status = agreed(t, runs_are_equal(reference, *run));
    else if (is_refusal(status)) {
        settle(t, PLACES_REFUSED);
        return;
    }
    if (status == PAV_OK && t->half)
        status = run_half(t, reference, run);
    if (status != PAV_OK) {
        (void)fails(t->half ? "before the restart" : "at the start");
        settle(t, PLACES_FAILED);
        return;
    }
    if (t->half) {
        pav_run_free(*run);
        *run = NULL;
        status = agreed(t, open_place(t, &t->then, t->checkpoint.data, run));
        if (status != PAV_OK) {
            settle(t, is_refusal(status) ? PLACES_REFUSED : PLACES_FAILED);
            return;
        }
    }
    compare_end(t, reference, *run);
}

static void prove_trial(trial *t)
{
    pav_run *reference = NULL, *run = NULL;
    if (open_reference(t, &reference) == PAV_OK)
        prove_runs(t, reference, &run);
    else
        settle(t, PLACES_FAILED);
    pav_run_free(run);
    pav_run_free(reference);
    (void)agreed(t, PAV_OK); /* no rank removes files of another */
    if (ranks_number(t->ranks) == 0) {
        (void)unlink(t->checkpoint.data);
        (void)unlink(t->older.data);
    }
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
    double *value = mem_new(d->rows[n] * d->columns[n], sizeof *value);
    text path = {0};
    if (!value)
        return PAV_ENOMEM;
    for (int64_t row = 0; row < d->rows[n]; row++)
        for (int64_t column = 0; column < d->columns[n]; column++)
            value[row * d->columns[n] + column] = places_trace_value(row, column);
    trace_path(folder, n, &path);
    const pav_status status = path.failed ? PAV_ENOMEM
                                          : npy_write_table(path.data, value, d->rows[n],
                                                            d->columns[n]);
    mem_free(value);
    text_free(&path);
    return status;
}

static void remove_traces(const drawn_program *d, const char *folder)
{
    for (int n = 0; n < d->traces; n++) {
        text path = {0};
        trace_path(folder, n, &path);
        if (path.data)
            (void)unlink(path.data);
        text_free(&path);
    }
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

void draw_elements(uint64_t seed, unsigned devices, element_set *set)
{
    drawn_program d;
    places_result r = {0};
    trial t = {.result = &r};
    draw_places_program(seed, &d);
    draw_trial(&t, &d, seed, 0, devices);
    *set = r.set;
    text_free(&r.words);
    text_free(&d.source);
}

void prove_at_place(uint64_t seed, int attempt, unsigned devices, pav_ranks *ranks,
                    const char *folder, void (*begun)(void *user, const char *words),
                    void *user, places_result *result)
{
    drawn_program d;
    program *p = NULL;
    draw_places_program(seed, &d);
    *result = (places_result){0};
    trial t = {.folder = folder, .result = result, .ranks = ranks};
    text_add(&t.checkpoint, "%s/half.checkpoint", folder);
    text_add(&t.older, "%s/half.checkpoint.old", folder);
    draw_trial(&t, &d, seed, attempt, devices);
    begun(user, result->words.data ? result->words.data : "");
    const pav_status status = parse(&t, &d, &p);
    t.program = p;
    if (agreed(&t, status) == PAV_OK)
        prove_trial(&t);
    else
        settle(&t, PLACES_FAILED);
    program_free(p);
    if (ranks_number(ranks) == 0)
        remove_traces(&d, folder);
    text_free(&d.source);
    text_free(&t.checkpoint);
    text_free(&t.older);
}
