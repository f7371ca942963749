/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs one random program at one random place, or its second half at another place. After
 * its steps, fields, samples and measures must be bitwise identical to the uncut
 * interpreter's. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "places.h"

/* What a trial writes into its folder. */
enum { CHECKPOINT, OLDER, OWN_FILES, REFERENCE_FILES, PATHS };

typedef struct trial {
    const program *program;
    pav_ranks *ranks;
    const char *folder;
    text path[PATHS];
    int64_t steps, half; /* half 0: no restart */
    bool output;         /* the program writes files */
    drawn_place at, then;
    places_result *result;
} trial;

static bool is_refusal(pav_status status)
{
    return status == PAV_EINVAL || status == PAV_EUNSUPPORTED || status == PAV_ELIMIT ||
           status == PAV_ENOMEM;
}

static pav_status open_place(const trial *t, const drawn_place *p, const char *restart,
                             const text *files, pav_run **run)
{
    const pav_run_options options = {
        .no_files = !t->output || !files,
        .directory = files ? files->data : NULL,
        .no_stamp = 1,
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
    pav_status status = all ? ranks_gather(t->ranks, &mine, sizeof mine, all)
                            : PAV_ENOMEM;
    for (int n = 0; n < count && status == PAV_OK; n++)
        if (all[n].status != PAV_OK)
            status = FAIL((pav_status)all[n].status, "rank %d: %s", n, all[n].why);
    return status;
}

/* Restarts a run from a checkpoint. The new run has only rows after the checkpoint. */
static pav_status run_half(trial *t, pav_run *reference, pav_run **run)
{
    TRY(agreed(t, pav_run_steps(*run, t->half)));
    TRY(pav_run_steps(reference, t->half));
    TRY(agreed(t, runs_are_equal(reference, *run, 0)));
    return agreed(t, pav_run_checkpoint(*run, t->path[CHECKPOINT].data));
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
        status = agreed(t, runs_are_equal(reference, run, t->half));
    if (status == PAV_OK && t->output)
        status = agreed(t, pav_run_finish(run));
    if (status == PAV_OK && t->output)
        status = pav_run_finish(reference);
    if (status != PAV_OK)
        (void)FAIL(PAV_EINTERNAL, "after the last step: %s", pav_message());
    settle(t, status == PAV_OK ? PLACES_EQUAL : PLACES_FAILED);
}

static void prove_runs(trial *t, pav_run *reference, pav_run **run)
{
    const text *files = &t->path[OWN_FILES];
    pav_status status = agreed(t, open_place(t, &t->at, NULL, files, run));
    if (status == PAV_OK)
        status = agreed(t, runs_are_equal(reference, *run, 0));
    else if (is_refusal(status)) {
        settle(t, PLACES_REFUSED);
        return;
    }
    if (status == PAV_OK && t->half)
        status = run_half(t, reference, run);
    if (status != PAV_OK) {
        (void)FAIL(PAV_EINTERNAL, "%s: %s",
                   t->half ? "before the restart" : "at the start", pav_message());
        settle(t, PLACES_FAILED);
        return;
    }
    if (t->half) {
        pav_run_free(*run);
        *run = NULL;
        status = agreed(t, open_place(t, &t->then, t->path[CHECKPOINT].data, files, run));
        if (status != PAV_OK) {
            settle(t, is_refusal(status) ? PLACES_REFUSED : PLACES_FAILED);
            return;
        }
    }
    compare_end(t, reference, *run);
}

/* Compares all files of the reference with those of the place. */
static pav_status compare_files(const trial *t)
{
    DIR *d = opendir(t->path[REFERENCE_FILES].data);
    int64_t count = 0;
    pav_status status = PAV_OK;
    for (struct dirent *e; status == PAV_OK && d && (e = readdir(d));) {
        OWNED_BY(text_free) text one = {0}, other = {0};
        OWNED char *bytes = NULL, *others = NULL;
        int64_t length = 0, length_of_other = 0;
        if (e->d_name[0] == '.')
            continue;
        count++;
        text_add(&one, "%s/%s", t->path[REFERENCE_FILES].data, e->d_name);
        text_add(&other, "%s/%s", t->path[OWN_FILES].data, e->d_name);
        status = one.failed || other.failed
                     ? PAV_ENOMEM
                     : file_read(one.data, INT32_MAX, &bytes, &length);
        if (status == PAV_OK)
            status = file_read(other.data, INT32_MAX, &others, &length_of_other);
        if (status == PAV_OK &&
            (length != length_of_other || memcmp(bytes, others, (size_t)length) != 0))
            status = FAIL(PAV_EINTERNAL, "the file %s differs", e->d_name);
    }
    if (d)
        (void)closedir(d);
    return status == PAV_OK && count == 0 ? FAIL(PAV_EINTERNAL, "no file was written")
                                          : status;
}

void places_remove_files(const char *folder)
{
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        OWNED_BY(text_free) text path = {0};
        text_add(&path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] != '.' && path.data)
            (void)remove(path.data);
    }
    if (d)
        (void)closedir(d);
}

static void prove_trial(trial *t)
{
    const drawn_place plain = {.device = "interpreter", .threads = 1};
    const bool writes = ranks_number(t->ranks) == 0; /* each rank has a reference */
    const text *files = writes ? &t->path[REFERENCE_FILES] : NULL;
    pav_run *reference = NULL, *run = NULL;
    if (open_place(t, &plain, NULL, files, &reference) == PAV_OK)
        prove_runs(t, reference, &run);
    else
        settle(t, PLACES_FAILED);
    pav_run_free(run);
    pav_run_free(reference);
    (void)agreed(t, PAV_OK); /* no rank removes files of another */
    if (t->output && t->result->outcome == PLACES_EQUAL &&
        agreed(t, writes ? compare_files(t) : PAV_OK) != PAV_OK)
        settle(t, PLACES_FAILED);
    for (int n = 0; n < PATHS && writes; n++) {
        places_remove_files(t->path[n].data); /* nothing happens to a file ... */
        (void)remove(t->path[n].data);        /* ... before this */
    }
}

/* ---- its files --------------------------------------------------------------------- */

static double trace_value(int64_t row, int64_t column)
{
    return (double)(row + 1) + 0.125 * (double)(column + 1);
}

static pav_status write_trace(const drawn_program *d, const char *folder, int n)
{
    OWNED double *value = mem_new(d->rows[n] * d->columns[n], sizeof *value);
    OWNED_BY(text_free) text path = {0};
    char name[16];
    places_trace_name(n, name);
    text_add(&path, "%s/%s", folder, name);
    if (!value || path.failed)
        return PAV_ENOMEM;
    for (int64_t row = 0; row < d->rows[n]; row++)
        for (int64_t column = 0; column < d->columns[n]; column++)
            value[row * d->columns[n] + column] = trace_value(row, column);
    return npy_write_table(path.data, value, d->rows[n], d->columns[n]);
}

/* Writes a field of numbers in [0, 1), a mask of zeros and ones. */
static pav_status write_field(const drawn_program *d, const char *folder,
                              const char *name, bool mask)
{
    view v = {.type = PAV_F64, .extent = {1, 1, 1}, .stride = {1}};
    int64_t count = 1;
    for (int axis = 0; axis < d->dim; axis++) {
        v.extent[axis] = d->extent[axis];
        v.stride[axis] = count;
        count *= d->extent[axis];
    }
    OWNED double *value = mem_new(count, sizeof *value);
    OWNED_BY(text_free) text path = {0};
    rng r = {hash_mix((uint64_t)count)};
    text_add(&path, "%s/%s", folder, name);
    if (!value || path.failed)
        return PAV_ENOMEM;
    for (int64_t n = 0; n < count; n++)
        value[n] = mask ? (double)(rng_below(&r, 3) > 0) : rng_unit(&r);
    v.data = value;
    return npy_write_view(path.data, d->dim, &v);
}

static pav_status write_inputs(const drawn_program *d, const char *folder)
{
    for (int n = 0; n < d->traces; n++)
        TRY(write_trace(d, folder, n));
    if (d->set.has[ELEMENT_FIELD_FILE])
        TRY(write_field(d, folder, PLACES_FIELD, false));
    return d->set.has[ELEMENT_MASK_FILE] ? write_field(d, folder, PLACES_MASK, true)
                                         : PAV_OK;
}

static pav_status parse(const trial *t, const drawn_program *d, program **p)
{
    const pav_program_options options = {.name = "random", .directory = t->folder};
    const bool writes = ranks_number(t->ranks) == 0;
    TRY(agreed(t, writes ? write_inputs(d, t->folder) : PAV_OK));
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

/* options of `pavior run` */
static void add_command(const drawn_place *to, text *t)
{
    const char *const words[][2] = {{"--device", to->device},
                                    {" --weights", to->weights},
                                    {" --subdomains", to->subdomains},
                                    {" --out-of-core", to->outofcore},
                                    {" --disk", to->on_disk ? "." : ""},
                                    {" --schedule", to->schedule}};
    const struct {
        const char *name;
        int value;
    } numbers[] = {{" --threads", to->threads},
                   {" --exchange-every", to->every},
                   {" --early", to->early}};
    for (size_t n = 0; n < COUNT_OF(words); n++)
        if (words[n][1][0])
            text_add(t, "%s %s", words[n][0], words[n][1]);
    for (size_t n = 0; n < COUNT_OF(numbers); n++)
        if (numbers[n].value)
            text_add(t, "%s %d", numbers[n].name, numbers[n].value);
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
    add_command(&t->at, &t->result->words);
    if (d->steps < 2 || rng_below(&r, 8))
        return;
    t->half = 1 + rng_below(&r, d->steps - 1);
    draw_place(&r, d, devices, &t->then);
    join(&t->result->set, &t->then.set);
    t->result->set.has[ELEMENT_RESTART] = true;
    text_add(&t->result->words, ", after %lld steps ", (long long)t->half);
    add_command(&t->then, &t->result->words);
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
    static const char *const name[PATHS] = {"half.checkpoint", "half.checkpoint.old",
                                            "place", "reference"};
    drawn_program d;
    OWNED_BY(free_program) program *p = NULL;
    draw_places_program(seed, &d);
    *result = (places_result){0};
    trial t = {.folder = folder,
               .result = result,
               .ranks = ranks,
               .output = d.set.has[ELEMENT_OUTPUT]};
    for (int n = 0; n < PATHS; n++)
        text_add(&t.path[n], "%s/%s", folder, name[n]);
    draw_trial(&t, &d, seed, attempt, devices);
    begun(user, result->words.data ? result->words.data : "");
    const pav_status status = parse(&t, &d, &p);
    t.program = p;
    if (agreed(&t, status) == PAV_OK)
        prove_trial(&t);
    else
        settle(&t, PLACES_FAILED);
    if (ranks_number(ranks) == 0)
        places_remove_files(folder);
    text_free(&d.source);
    for (int n = 0; n < PATHS; n++)
        text_free(&t.path[n]);
}
