/* SPDX-License-Identifier: BSD-3-Clause */
/* pav_record: each shot of a list is a run with a directory of its own. A finished shot
 * leaves shot.txt there, which names its inputs. A survey that continues after a stop
 * runs only the missing shots. The list recorded.csv names these directories and is the
 * input of a migration. measures.csv has the measures, of each shot and of the survey. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "imaging/imaging_private.h"

/* ---- runs -------------------------------------------------------------------------- */

/* Runs the shots of a recorded survey. A single shot writes its own files. Several shots
 * computed together keep their rows of samples, and each shot's rows are then written in
 * the form of a single run. */

/* Who listens to a run. `run`: of one shot, once it is open. */
typedef struct voice {
    const pav_adjoint_options *options;
    int64_t number;
    pav_run *run;
} voice;

/* Drops notes, which would repeat for each shot. Warnings before the first step are the
 * same for all shots, later ones name the shot. */
static int listen(void *user, pav_event event, const pav_progress *progress,
                  const char *said)
{
    const voice *v = user;
    const pav_adjoint_options *o = v->options;
    OWNED_BY(text_free) text own = {0};

    if (event == PAV_EVENT_NOTE)
        return 0;
    if (event == PAV_EVENT_WARNING && v->run && pav_run_step(v->run) > 0)
        text_add(&own, "%s %lld: %s", o->sweep ? "run" : "shot", (long long)v->number + 1,
                 said);
    return o->listener(o->user, event, progress, own.data ? own.data : said);
}

static pav_run_options options_of(voice *v, const char *directory)
{
    const pav_adjoint_options *o = v->options;

    return (pav_run_options){.listener = listen,
                             .user = v,
                             .report_seconds = 0.2,
                             .steps = o->steps,
                             .directory = directory,
                             .no_files = !directory,
                             .threads = o->threads,
                             .schedule = o->schedule,
                             .no_stamp = o->no_stamp};
}

enum { MOST_MARK = 1 << 16 };

typedef struct recording {
    const pav_adjoint_options *options;
    shot_list list;
    pav_record_result *result;
} recording;

/* ---- finished shots ---------------------------------------------------------------- */

static void add_directory(const recording *c, int64_t k, text *t)
{
    text_add(t, "%s/shot-%04lld", c->options->directory ? c->options->directory : ".",
             (long long)k + 1);
}

/* "sx=100, deep=1500" */
static void values_of(const shot_list *l, int64_t k, const char *between, text *t)
{
    const char *before = "";

    for (int c = 0; c < l->columns; c++)
        if (c != l->data) {
            text_add(t, "%s%s=%s", before, l->name[c], shots_cell(l, k, c));
            before = between;
        }
}

/* The text of shot.txt: the shot's values, and a hash of the description and its input
 * files. */
static pav_status make_mark(const recording *c, const program *shot, int64_t k, text *t)
{
    OWNED_BY(text_free) text printed = {0};
    hash h;

    program_print(shot, &printed);
    if (printed.failed)
        return PAV_ENOMEM;
    hash_init(&h);
    hash_add(&h, printed.data, printed.length);
    hash_add(&h, &c->options->steps, sizeof c->options->steps);
    TRY(files_hash(shot, &h));
    text_add(t, "%s: ", shot->name);
    values_of(&c->list, k, ", ", t);
    return text_print(t, "\nmade of: %016llx\n", (unsigned long long)hash_end(&h));
}

/* Reads a file of shot k. */
static pav_status read_file(const recording *c, int64_t k, const char *name, char **said)
{
    OWNED_BY(text_free) text path = {0};
    int64_t length = 0;

    add_directory(c, k, &path);
    TRY(text_print(&path, "/%s", name));
    return file_read(path.data, MOST_MARK, said, &length);
}

/* True if a file of the shot can be read. */
static bool is_readable(const shot_job *s, const char *file)
{
    OWNED_BY(text_free) text path = {0};

    text_add(&path, "%s/%s", s->path.data, file);
    return !path.failed && access(path.data, R_OK) == 0;
}

/* True if the shot is finished and the files of its samples still exist. */
static bool is_done(const recording *c, const shot_job *s)
{
    OWNED char *said = NULL;

    if (read_file(c, s->number, "shot.txt", &said) != PAV_OK ||
        strcmp(said, s->mark.data) != 0)
        return false;
    EACH_STATEMENT(n, s->program)
        if ((sample_is_whole(n) && n->file && !is_readable(s, n->file)) ||
            (n->kind == STATEMENT_MEASURE && !is_readable(s, "measures.csv")))
            return false;
    return true;
}

static pav_status cannot_write(const char *path)
{
    return FAIL(write_status(errno), "%s cannot be written: %s%s", path, strerror(errno),
                write_hint(errno, path));
}

/* Writes a file by renaming a complete one, so an incomplete file is never visible. */
static pav_status write_text(const char *path, const text *t)
{
    OWNED_BY(text_free) text part = {0};

    text_add(&part, "%s.part", path);
    if (part.failed || t->failed)
        return PAV_ENOMEM;
    FILE *f = file_write(part.data, false);
    bool written = f && fwrite(t->data, 1, (size_t)t->length, f) == (size_t)t->length;
    written = f && fclose(f) == 0 && written && rename(part.data, path) == 0;
    return written ? PAV_OK : cannot_write(path);
}

/* Writes a text into a file of the shot's directory; NULL: removes the file. */
static pav_status put_file(const shot_job *s, const char *name, const text *t)
{
    OWNED_BY(text_free) text path = {0};

    TRY(text_print(&path, "%s/%s", s->path.data, name));
    return t                                           ? write_text(path.data, t)
           : unlink(path.data) == 0 || errno == ENOENT ? PAV_OK
                                                       : cannot_write(path.data);
}

/* ---- measures ---------------------------------------------------------------------- */

/* Writes the names of a shot's measures, and in the next line their values at the end. */
static pav_status write_measures(const shot_job *s, pav_run *run)
{
    OWNED_BY(text_free) text names = {0}, values = {0};
    double value;

    EACH_STATEMENT(n, s->program) {
        if (n->kind != STATEMENT_MEASURE)
            continue;
        TRY(pav_run_get(run, n->symbol->name, &value));
        text_add(&names, "%s%s", names.length ? ", " : "", n->symbol->name);
        text_add(&values, values.length ? ", " : "\n");
        text_add_double(&values, value);
    }
    text_add(&names, "%s\n", values.data ? values.data : "");
    return values.failed   ? PAV_ENOMEM
           : values.length ? put_file(s, "measures.csv", &names)
                           : PAV_OK;
}

/* Adds the values of a shot's measures, or empty cells; and the reason if it failed. */
static pav_status add_measures(const recording *c, int64_t k, text *t)
{
    OWNED char *said = NULL, *failed = NULL;
    const bool fails = read_file(c, k, "failed.txt", &failed) == PAV_OK;
    const pav_status status = read_file(c, k, "measures.csv", &said);
    const char *line = status == PAV_OK ? strchr(said, '\n') : NULL;

    if (c->result->measures > 0 && !fails)
        TRY(status);
    if (line)
        text_add(t, "%.*s", (int)strcspn(line + 1, "\n"), line + 1);
    for (int64_t n = 1; !line && n < c->result->measures; n++)
        text_add(t, ", ");
    if (c->result->failed > 0)
        text_add(t, "%s%s", c->result->measures > 0 ? ", " : "", fails ? failed : "");
    return PAV_OK;
}

/* Adds the names of all measures. */
static void add_names(const recording *c, text *t)
{
    const char *between = "";

    EACH_STATEMENT(n, c->list.p)
        if (n->kind == STATEMENT_MEASURE) {
            text_add(t, "%s%s", between, n->symbol->name);
            between = ", ";
        }
    if (c->result->failed > 0)
        text_add(t, "%sfailed", between);
}

/* ---- some shots -------------------------------------------------------------------- */

static pav_status find(void *user, shot_job *s)
{
    const recording *c = user;

    add_directory(c, s->number, &s->path);
    if (s->path.failed)
        return PAV_ENOMEM;
    TRY(directory_make(s->path.data));
    TRY(put_file(s, "failed.txt", NULL));
    TRY(shots_parse(&c->list, s->number, &s->program));
    TRY(make_mark(c, s->program, s->number, &s->mark));
    s->done = is_done(c, s);
    if (s->done)
        return PAV_OK;
    TRY(put_file(s, "measures.csv", NULL));
    return put_file(s, "shot.txt", NULL);
}

/* A stack of several shots, whose rows are kept until the run is over. Then each shot's
 * rows are written in the form of a single run. */
static pav_status run_stack(program *stack, shot_job *const *s, int64_t count,
                            pav_device *device, const pav_adjoint_options *o)
{
    voice own = {.options = o};
    const pav_run_options options = options_of(&own, NULL);
    const program *all[MOST_TOGETHER];
    OWNED_BY(free_device) pav_device *interpreter = NULL;
    OWNED_BY(free_run) pav_run *run = NULL;

    for (int64_t n = 0; n < count; n++)
        all[n] = s[n]->program;
    program_stack(stack, all, count);
    TRY(run_open_given(stack, device, &options, NULL, NULL, &run));
    const int64_t free_now = mem_available();
    if (free_now >= 0 && run_rows_bytes(run) >= free_now / 4)
        return FAIL(PAV_EUNSUPPORTED,
                    "the records of these shots together do not fit in memory");
    shots_note_together(o, count);
    TRY(pav_run_finish(run));
    TRY(pav_device_open("interpreter", &interpreter));
    for (int64_t n = 0; n < count; n++) {
        const pav_run_options files = {.directory = s[n]->path.data,
                                       .no_stamp = o->no_stamp};
        OWNED_BY(free_run) pav_run *one = NULL;
        TRY(pav_run_open(public_program(s[n]->program), interpreter, &files, &one));
        TRY(run_write_samples(one, run, n, count));
    }
    return PAV_OK;
}

/* Returns PAV_EUNSUPPORTED if several shots cannot be computed together. */
static pav_status run_shots(const shot_list *l, shot_job *const *s, int64_t count,
                            pav_device *device, const pav_adjoint_options *o)
{
    voice own = {.options = o, .number = s[0]->number};
    const pav_run_options options = options_of(&own, s[0]->path.data);
    OWNED_BY(free_program) program *stack = NULL;
    OWNED_BY(free_run) pav_run *run = NULL;

    if (count == 1) {
        TRY(pav_run_open(public_program(s[0]->program), device, &options, &run));
        own.run = run;
        const pav_status status = pav_run_finish(run);
        if (status == PAV_OK || (status == PAV_EEXPECT && o->sweep))
            TRY(write_measures(s[0], run));
        return status;
    }
    EACH_STATEMENT(n, s[0]->program)
        if (n->kind == STATEMENT_OUTPUT || n->kind == STATEMENT_MEASURE)
            return FAIL(PAV_EUNSUPPORTED, "%s %s", s[0]->program->name,
                        n->kind == STATEMENT_OUTPUT ? "writes fields with `output`"
                                                    : "has measures");
    for (int64_t n = 1; n < count; n++)
        TRY(shots_alike(s[0]->program, s[n]->program));
    TRY(shots_parse(l, s[0]->number, &stack));
    return run_stack(stack, s, count, device, o);
}

static pav_status take(void *user, shot_job *const *s, int64_t count, pav_device *device,
                       const pav_adjoint_options *options)
{
    const double begun = clock_seconds();

    TRY(run_shots(&((const recording *)user)->list, s, count, device, options));
    for (int64_t n = 0; n < count; n++)
        s[n]->result.of.forward_seconds = (clock_seconds() - begun) / (double)count;
    return PAV_OK;
}

/* The result of a shot without steps was there before. */
static pav_status keep(void *user, shot_job *s)
{
    (void)user;
    s->result.of.steps = 1;
    return put_file(s, "shot.txt", &s->mark);
}

/* Writes the first line of the reason as a cell of a table. */
static pav_status note_failure(void *user, shot_job *s)
{
    OWNED_BY(text_free) text t = {0};
    const char *why = pav_message();

    (void)user;
    s->result.of.steps = 1;
    text_add(&t, "\"%.*s\"", (int)strcspn(why, "\n"), why);
    for (int64_t n = 1; !t.failed && n < t.length - 1; n++)
        if (t.data[n] == '"')
            t.data[n] = '\'';
    return put_file(s, "failed.txt", &t);
}

/* ---- all of them ------------------------------------------------------------------- */

static pav_status add(void *user, const shot_result *r)
{
    pav_record_result *sum = ((recording *)user)->result;

    sum->shots++;
    sum->found += r->of.steps == 0;
    sum->seconds += r->of.forward_seconds;
    return PAV_OK;
}

/* Writes the list with a column `data`, the directory of each recorded shot; or with its
 * measures. */
static pav_status write_list(const recording *c, const char *name, bool measures)
{
    const shot_list *l = &c->list;
    OWNED_BY(text_free) text t = {0}, path = {0};

    for (int64_t k = -1; k < l->shots; k++) { /* -1: the names */
        for (int n = 0; n < l->columns; n++)
            if (n != l->data)
                text_add(&t, "%s, ", k < 0 ? l->name[n] : shots_cell(l, k, n));
        if (measures && k < 0)
            add_names(c, &t);
        else if (measures)
            TRY(add_measures(c, k, &t));
        else if (k < 0)
            text_add(&t, "data");
        else
            add_directory(c, k, &t);
        text_add(&t, "\n");
    }
    text_add(&path, "%s/%s", c->options->directory ? c->options->directory : ".", name);
    return path.failed ? PAV_ENOMEM : write_text(path.data, &t);
}

/* Methods of a solution are chosen by known values. */
static bool has_solution(const program *p)
{
    bool has = false;

    EACH_STATEMENT(s, p)
        has |= s->kind == STATEMENT_SOLVE || s->once;
    return has;
}

/* Makes params arguments of the kernels, so that all shots share the kernels. Params of
 * grids and places cannot be arguments. */
static void vary(shot_list *l)
{
    for (int c = 0; c < l->columns && !has_solution(l->p); c++) {
        OWNED_BY(free_program) program *first = NULL;
        l->varies[c] = true;
        l->varies[c] = shots_parse(l, 0, &first) == PAV_OK;
    }
}

/* A description that records nothing is an error, because the runs would have no
 * result. */
static pav_status record(recording *c, const program *p, pav_device *device)
{
    const pav_adjoint_options *o = c->options;
    bool writes = false;

    TRY(program_refuse_mesh(p));
    EACH_STATEMENT(s, p) {
        writes |= sample_is_whole(s) || s->kind == STATEMENT_OUTPUT;
        c->result->measures += s->kind == STATEMENT_MEASURE;
    }
    if (!writes && c->result->measures == 0)
        return FAIL(PAV_EINVAL,
                    "%s records nothing: it has no `sample`, `output` or `measure`",
                    p->name);
    if (o->no_files)
        return FAIL(PAV_EINVAL, "shots are recorded into files: leave no_files out");
    TRY(directory_make(o->directory ? o->directory : "."));
    TRY(shots_open(p, o->shots, NULL, &c->list));
    if (o->sweep)
        vary(&c->list);
    const shot_deal deal = {.shots = c->list.shots,
                            .points = c->list.points,
                            .find = find,
                            .take = take,
                            .keep = keep,
                            .fail = o->sweep ? note_failure : NULL,
                            .add = add,
                            .user = c};
    const pav_status status = shots_deal(&deal, device, o);
    TRY(ranks_count(o->ranks) > 1 ? shots_meet(o->ranks, status) : status);
    if (ranks_number(o->ranks) > 0)
        return PAV_OK;
    /* A failed shot has a file with the reason. */
    for (int64_t k = 0; k < c->list.shots; k++) {
        OWNED char *said = NULL;
        c->result->failed += read_file(c, k, "failed.txt", &said) == PAV_OK;
    }
    if (c->result->measures + c->result->failed > 0)
        TRY(write_list(c, "measures.csv", true));
    return write_list(c, "recorded.csv", false);
}

static void close_recording(recording *c)
{
    shots_close(&c->list);
}

pav_status pav_record(const pav_program *p, pav_device *device,
                      const pav_adjoint_options *options, pav_record_result *result)
{
    GUARDED;
    OWNED_BY(close_recording) recording c = {.options = options, .result = result};

    if (!p || !device || !options || !options->shots || !result)
        return FAIL(PAV_EINVAL, "pav_record needs a program, a device, a list of shots "
                                "and a place for the result");
    *result = (pav_record_result){0};
    return record(&c, &p->tree, device);
}
