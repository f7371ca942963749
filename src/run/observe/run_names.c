/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks names of a run's files before any is written. A checkpoint or report of the same
 * name would be lost or would overwrite a file. Names are compared after following
 * existing links. */
#include <stdlib.h>
#include <string.h>

#include "run/checkpoint/checkpoint_private.h"

/* A requested name. For a file of a series ("u-000100.npy"), also the name of the
 * series. */
typedef struct requested {
    text name, whole; /* whole: the series */
    int64_t step;     /* -1: not in a series */
} requested;

static void add_directory(const char *path, int64_t length, text *t)
{
    text folder = {0};
    text_add(&folder, "%.*s", length > 0 ? (int)length : 1, length > 0 ? path : ".");
    char *there = folder.failed ? NULL : realpath(folder.data, NULL);
    text_add(t, "%s/", there ? there : folder.failed ? "" : folder.data);
    free(there);
    text_free(&folder);
}

static void add_true_name(const char *path, text *t)
{
    const char *slash = strrchr(path, '/');
    char *there = realpath(path, NULL);
    if (there) {
        text_add(t, "%s", there);
    } else {
        add_directory(path, slash ? slash - path + 1 : 0, t);
        text_add(t, "%s", slash ? slash + 1 : path);
    }
    free(there);
}

static bool is_named(const text *name, const char *path)
{
    text t = {0};
    add_true_name(path, &t);
    const bool same = !t.failed && strcmp(t.data, name->data) == 0;
    text_free(&t);
    return same;
}

static pav_status want(const char *path, requested *w)
{
    int64_t stem;
    text plain = {0};
    *w = (requested){.step = series_step(path, &stem)};
    add_true_name(path, &w->name);
    text_add(&plain, "%.*s%s", w->step < 0 ? 0 : (int)stem, path, path_ending(path));
    add_true_name(plain.failed ? "" : plain.data, &w->whole);
    const bool failed = plain.failed || w->name.failed || w->whole.failed;
    text_free(&plain);
    return failed ? PAV_ENOMEM : PAV_OK;
}

static void requested_free(requested *w)
{
    text_free(&w->name);
    text_free(&w->whole);
}

/* True for a file of this name or, with `every` above 0, for a step that `every`
 * divides. */
static bool is_one(const requested *w, const char *path, int64_t every)
{
    return every == 0 ? is_named(&w->name, path)
                      : w->step >= 0 && w->step % every == 0 && is_named(&w->whole, path);
}

/* Compares with the output, and with the pieces of an index file. */
static bool is_of_output(const requested *w, const statement *s, const char *path)
{
    const format_info *f = format_find(path);
    text piece = {0};
    bool found = is_one(w, path, f && f->film ? 0 : s->every_steps);
    if (f && f->piece && !found) {
        text_add(&piece, "%.*s%s", (int)(path_ending(path) - path), path, f->piece);
        found = !piece.failed && is_one(w, piece.data, s->every_steps);
    }
    text_free(&piece);
    return found;
}

static pav_status ask(const pav_run *run, const statement *s, const requested *w,
                      bool *found)
{
    const bool rows = (s->kind == STATEMENT_SAMPLE && !s->gather) ||
                      s->kind == STATEMENT_GATHER || s->kind == STATEMENT_MEASURE;
    text path = {0};
    pav_status status = PAV_OK;
    *found = false;
    if (s->kind == STATEMENT_OUTPUT)
        status = output_path(run, s, &path);
    else if (rows)
        status = rows_path(run, s, &path);
    if (status == PAV_OK && path.data)
        *found = rows ? is_one(w, path.data, 0) : is_of_output(w, s, path.data);
    text_free(&path);
    return status;
}

static pav_status ask_all(const pav_run *run, const char *path, const requested *w,
                          const char *what)
{
    bool found = false;
    for (const statement *s = run->program->first; s && !run->options.no_files;
         s = s->next) {
        TRY(ask(run, s, w, &found));
        if (found)
            return FAIL(PAV_EINVAL,
                        "%s is what line %d of %s writes; give the %s another name", path,
                        s->at.line, run->program->name, what);
    }
    return PAV_OK;
}

pav_status names_check(const pav_run *run, const char *path, const char *what)
{
    requested w;
    pav_status status = want(path, &w);
    if (status == PAV_OK)
        status = ask_all(run, path, &w, what);
    requested_free(&w);
    return status;
}

static pav_status check_kept(const pav_run *run, const char *path, const char *ending)
{
    text kept = {0}, name = {0};
    text_add(&kept, "%s%s", run->checkpoint.path, ending);
    add_true_name(path, &name);
    pav_status status = kept.failed || name.failed ? PAV_ENOMEM : PAV_OK;
    if (status == PAV_OK && is_named(&name, kept.data))
        status = FAIL(PAV_EINVAL,
                      "%s is a name that the checkpoint %s needs; give another", path,
                      run->checkpoint.path);
    text_free(&kept);
    text_free(&name);
    return status;
}

pav_status pav_run_check_name(const pav_run *run, const char *path)
{
    GUARDED;
    if (!run || !path)
        return FAIL(PAV_EINVAL, "pav_run_check_name needs a run and a path");
    if (run->checkpoint.path) {
        TRY(check_kept(run, path, ""));
        TRY(check_kept(run, path, ".old"));
        TRY(check_kept(run, path, ".part"));
    }
    return names_check(run, path, "file");
}

/* ---- inside the directory of outputs ----------------------------------------------- */

/* A checkpoint named by the options is not the description's. */
static bool is_written(const pav_run *run, const statement *s)
{
    return s->kind == STATEMENT_OUTPUT || s->kind == STATEMENT_SAMPLE ||
           s->kind == STATEMENT_GATHER || s->kind == STATEMENT_MEASURE ||
           (s->kind == STATEMENT_CHECKPOINT && !run->options.checkpoint);
}

pav_status names_check_inside(const pav_run *run)
{
    const pav_run_options *o = &run->options;
    for (const statement *s = run->program->first; s && !o->no_files && !o->allow_outside;
         s = s->next)
        if (is_written(run, s) && s->file && path_leads_out(s->file))
            return FAIL(
                PAV_EINVAL,
                "%s:%d: %s is outside the directory of outputs (%s), where alone a "
                "description may write; give it a name without `/` in front and "
                "`..`, and --out a directory; or allow it by --allow-outside",
                run->program->name, s->at.line, s->file,
                o->directory ? o->directory : "the current one");
    return PAV_OK;
}
