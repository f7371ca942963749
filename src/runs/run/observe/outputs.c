/* SPDX-License-Identifier: BSD-3-Clause */
/* Outputs: a field, a crop or a slice of it at the present step, handed to the writer.
 * In a run with ranks each rank writes its own points to one file, if the format
 * permits this and all ranks see the directory. Otherwise the first rank gathers a
 * level and writes it. */
#include <stdlib.h>
#include <string.h>

#include "run/checkpoint/checkpoint_private.h"
#include "run/run_private.h"

/* ---- each rank its own points ------------------------------------------------------ */

enum { NO_FILE = 1, FAILED = 2 };

typedef struct part_writing {
    const io_frame *frame; /* of all points */
    box shown;
    shared_file *file;
} part_writing;

/* Clips a part's points along an axis to the points of the frame. */
static bool clip(const part_writing *w, const view *host, const box *b, int k,
                 io_frame *part, int64_t at[PAV_MAX_DIMENSIONS], int64_t from[MAX_DIM])
{
    const int axis = w->frame->axis[k];
    const int64_t every = (w->shown.hi[axis] - w->shown.lo[axis] - 1) /
                          (w->frame->extent[k] > 1 ? w->frame->extent[k] - 1 : 1);
    const int64_t step = every > 0 ? every : 1, lo = w->shown.lo[axis];
    at[k] = (b->lo[axis] - lo + step - 1) / step;
    from[axis] = lo + at[k] * step;
    part->extent[k] = from[axis] < b->hi[axis] ? (b->hi[axis] - 1 - from[axis]) / step + 1
                                               : 0;
    part->stride[k] = step * host->stride[axis];
    return part->extent[k] > 0;
}

static pav_status write_part(void *user, const view *host, const box *b)
{
    const part_writing *w = user;
    io_frame part = *w->frame;
    int64_t at[PAV_MAX_DIMENSIONS] = {0}, from[MAX_DIM];
    for (int axis = 0; axis < MAX_DIM; axis++)
        from[axis] = b->lo[axis];
    for (int k = 0; k < part.dimensions; k++)
        if (!clip(w, host, b, k, &part, at, from))
            return PAV_OK;
    part.data = view_at(host, from[0], from[1], from[2]);
    return shared_put(w->file, &part, at);
}

/* The first rank creates the file; *seen: all ranks can write to it. */
static pav_status open_file(pav_run *run, series *s, const io_frame *f,
                            shared_file **file, bool *seen)
{
    pav_ranks *ranks = run->part->ranks;
    shared_place where = {.name = ""};
    uint64_t word = 0;
    pav_status status = PAV_OK;
    if (run_is_first(run)) {
        status = shared_begin(s, f, file);
        if (status == PAV_OK)
            shared_where(*file, &where);
    }
    TRY(ranks_share(ranks, 0, &where, (int64_t)sizeof where));
    if (!run_is_first(run) && where.name[0] && shared_open(&where, f, file) != PAV_OK)
        word = NO_FILE;
    TRY(ranks_or(ranks, &word, 1));
    *seen = word == 0 && (where.name[0] || status == PAV_OK);
    return status;
}

/* Each rank writes its own points, if all ranks see the directory; *done tells whether
 * they did. */
static pav_status output_write_parts(pav_run *run, recorder *r, const io_frame *f,
                                     const box *shown, bool *done)
{
    part_writing w = {.frame = f, .shown = *shown};
    const part_visit visit = {write_part, &w};
    const symbol *field = r->statement->symbol;
    const char *file = r->statement->file ? r->statement->file : ".npy";
    uint64_t word = 0;
    OWNED_BY(text_free) text path = {0};
    bool seen = false;
    *done = false;
    if (!run->part->ranks || run->observers.ranks_gather || !run->cut.is_cut || f->more ||
        !path_is_shared(file))
        return PAV_OK;
    pav_status status = open_file(run, r->series, f, &w.file, &seen);
    if (status == PAV_OK && !seen) {
        run->observers.ranks_gather = true;
        exec_note(&run->client, "not all ranks see the directory of outputs: the first "
                                "one gathers and writes them");
    } else if (status == PAV_OK) {
        *done = true;
        status = exec_split_read(run->part, run_field_of(run, field), 0, shown, &visit);
        word = status == PAV_OK ? 0 : FAILED;
        /* all ranks meet, also if this one has failed */
        const pav_status met = ranks_or(run->part->ranks, &word, 1);
        status = status == PAV_OK ? met : status;
        if (status == PAV_OK && word != 0)
            status = FAIL(PAV_EIO, "another rank could not write its part of %s",
                          field->name);
        if (status == PAV_OK && run_is_first(run)) {
            status = shared_end(r->series, w.file, f, &path);
            if (status == PAV_OK)
                exec_note(&run->client, "step %lld: wrote %s", (long long)run->part->step,
                          path.data);
        }
    }
    shared_close(w.file);
    return status;
}

pav_status run_path(const pav_run *run, const char *file, text *t)
{
    if (run->options.directory && file[0] != '/')
        text_add(t, "%s/", run->options.directory);
    return text_print(t, "%s", file);
}

/* ---- selected points --------------------------------------------------------------- */

static int64_t shown_along(const statement *s, int axis)
{
    return (s->crop_to[axis] - s->crop_from[axis]) / s->stride_of[axis] + 1;
}

/* Points of the grid between two points of the output's field. */
static int64_t output_unit(const pav_run *run, const statement *s, int axis)
{
    return INT64_C(1) << coarse_shift(run->program, s->symbol->coarse, axis);
}

/* The axis of a slice; -1: none. A picture of a 3-D field needs a slice. */
static int find_cut(const pav_run *run, const statement *s)
{
    const format_info *format = s->file ? format_find(s->file) : NULL;

    return s->slice_axis >= 0                                      ? s->slice_axis
           : run->code->dim == MAX_DIM && format && !format->field ? MAX_DIM - 1
                                                                   : -1;
}

/* The positions of the shown points along an axis, in indices of the grid; for a slice,
 * its own. */
static frame_axis scale_of(const pav_run *run, const statement *s, int axis, bool cut)
{
    const axis_grid *g = &run->program->axis[axis];
    const int64_t unit = output_unit(run, s, axis), every = s->stride_of[axis];
    int64_t first = s->crop_from[axis];

    if (cut)
        first = s->slice_axis >= 0 ? s->slice_index
                                   : first + shown_along(s, axis) / 2 * every;
    return (frame_axis){.at = g->at,
                        .origin = g->origin,
                        .span = g->span,
                        .over = g->over,
                        .first = unit * first,
                        .every = unit * every,
                        .letter = axis_letter(run->program, axis),
                        .down = g->down};
}

io_frame output_frame(const pav_run *run, const statement *s, box *shown)
{
    const int cut = find_cut(run, s), dim = run->code->dim;
    const subdomain *now = run->part && run->part->uniform ? run->part : NULL;
    io_frame f = {.name = s->symbol->name,
                  .step = now ? now->step : 0,
                  .time = now ? now->uniform[run->code->uniform_t] : 0,
                  .timed = run->program->dt,
                  .size = s->size_value,
                  .made = run->origin.stamp,
                  .grid_dimensions = dim,
                  .extent = {1, 1, 1},
                  .type = run->code->field[run_field_of(run, s->symbol)].storage};

    for (int axis = 0; axis < dim; axis++) {
        f.scale[axis] = scale_of(run, s, axis, axis == cut);
        if (axis == cut)
            continue;
        f.axis[f.dimensions] = axis;
        f.extent[f.dimensions++] = shown_along(s, axis);
    }
    *shown = (box){.hi = {1, 1, 1}};
    for (int axis = 0; axis < dim; axis++) {
        shown->lo[axis] = f.scale[axis].first / output_unit(run, s, axis);
        shown->hi[axis] = shown->lo[axis] + 1;
    }
    for (int k = 0; k < f.dimensions; k++)
        shown->hi[f.axis[k]] += (f.extent[k] - 1) * s->stride_of[f.axis[k]];
    return f;
}

int64_t output_fields(const statement *s)
{
    return s->left_count > 1 ? s->left_count : 1;
}

void output_frames(const pav_run *run, const statement *s, box *shown, io_frame *all)
{
    all[0] = output_frame(run, s, shown);
    all[0].vector = s->vector;
    for (int64_t k = 1; k < output_fields(s); k++) {
        all[k] = all[0];
        all[k].vector = NULL;
        all[k].more = NULL;
        all[k].name = s->left[k]->name;
        all[k].type = run->code->field[run_field_of(run, s->left[k])].storage;
        all[k - 1].more = &all[k];
    }
}

void output_place(const statement *s, const view *v, const box *shown, io_frame *f)
{
    for (int k = 0; k < f->dimensions; k++)
        f->stride[k] = s->stride_of[f->axis[k]] * v->stride[f->axis[k]];
    f->data = view_at(v, shown->lo[0], shown->lo[1], shown->lo[2]);
}

/* ---- where to ---------------------------------------------------------------------- */

pav_status output_path(const pav_run *run, const statement *s, text *t)
{
    OWNED_BY(text_free) text usual = {0};

    text_add(&usual, "%s.npy", s->symbol->name);
    const char *file = s->file ? s->file : usual.data;
    return file ? run_path(run, file, t) : PAV_ENOMEM;
}

pav_status output_open(const pav_run *run, recorder *r, const char *path)
{
    const statement *s = r->statement;
    const format_info *format = format_find(path);
    const series_style style = {
        .numbered = s->every != NULL,
        .picture = {s->colours, s->size_value, s->contours,
                    s->contours_at ? s->contour_value : NULL,
                    s->arrows && strcmp(s->arrows, "streamlines") == 0},
        .over_frames = s->frames == RANGE_OF_FRAMES ||
                       (s->frames == RANGE_USUAL && !s->range[0] && s->every && format &&
                        format->picture && format->film),
        .label = s->label,
        .ranged = s->range[0] != NULL,
        .range = {num_f64(s->range_value[0]), num_f64(s->range_value[1])},
        .every = s->every_steps,
        .made = run->origin.stamp,
    };

    TRY(series_open(path, &style, &r->series));
    return series_try(r->series); /* an error now is better than after an hour of steps */
}

void output_report(pav_run *run)
{
    OWNED_BY(text_free) text path = {0};
    int64_t step;

    while (run->observers.writer && writer_next(run->observers.writer, &step, &path))
        if (path.length > 0)
            exec_note(&run->client, "step %lld: wrote %s", (long long)step, path.data);
}

/* Brings the present level of a field to the host, for a frame of the first rank. */
static pav_status place_field(pav_run *run, const statement *s, const symbol *field,
                              const box *shown, io_frame *f)
{
    const view *v;
    TRY(subdomain_host_view(run->part, run_field_of(run, field), 0, HOST_FILE, shown,
                            &v));
    if (run_is_first(run))
        output_place(s, v, shown, f);
    return PAV_OK;
}

/* Hands all frames of a file to the writer. The view of a field may end with the next
 * one's, so the fields behind the first are copied before it. */
static pav_status hand_over(pav_run *run, recorder *r, io_frame *all, const box *shown)
{
    const statement *s = r->statement;
    const int64_t fields = output_fields(s);
    pav_status status = PAV_OK;
    for (int64_t k = fields - 1; k > 0 && status == PAV_OK; k--) {
        io_frame f = all[k];
        f.more = NULL;
        status = place_field(run, s, s->left[k], shown, &f);
        if (status == PAV_OK && run_is_first(run))
            status = frame_copy(&f, &all[k]);
        all[k].more = k + 1 < fields ? &all[k + 1] : NULL;
    }
    if (r->given)
        output_place(s, r->given, shown, &all[0]);
    else if (status == PAV_OK)
        status = place_field(run, s, s->symbol, shown, &all[0]);
    if (status == PAV_OK && run_is_first(run) && !run->observers.writer)
        status = writer_open(0, &run->observers.writer);
    if (status == PAV_OK && run_is_first(run)) {
        status = writer_add(run->observers.writer, r->series, &all[0]);
        r->rows++;
        output_report(run);
    }
    for (int64_t k = 1; k < fields; k++) {
        all[k].more = NULL; /* it lies in `all` */
        frame_free(&all[k]);
    }
    return status;
}

pav_status output_write(pav_run *run, recorder *r)
{
    const statement *s = r->statement;
    box shown;
    bool done;
    OWNED_NEW(io_frame, all, output_fields(s));
    output_frames(run, s, &shown, all);
    if (r->given) {
        all[0].name = r->given_name.data;
        all[0].type = r->given->type;
        return hand_over(run, r, all, &shown);
    }
    if (s->symbol->shown)
        TRY(run_show(run, run_field_of(run, s->symbol)));
    TRY(output_write_parts(run, r, &all[0], &shown, &done));
    r->rows += done;
    return done ? PAV_OK : hand_over(run, r, all, &shown);
}

pav_status output_wait(pav_run *run)
{
    while (writer_goes_on(run->observers.writer))
        output_report(run);
    const pav_status status = writer_wait(run->observers.writer);

    output_report(run);
    return status;
}

/* An output that the description does not have. Its line is parsed behind those of the
 * description, so it has all their words and their messages. */
struct pav_output {
    program *line; /* the description and the line */
    recorder recorder;
    text path;
    pav_output *next; /* the one opened before; see run_observers */
};

/* ---- names of files ---------------------------------------------------------------- */

/* Checks names of a run's files before any is written. A checkpoint or report of the same
 * name would be lost or would overwrite a file. Names are compared after following
 * existing links. */

/* A requested name. For a file of a series ("u-000100.npy"), also the name of the
 * series. */
typedef struct requested {
    text name, whole; /* whole: the series */
    int64_t step;     /* -1: not in a series */
    int64_t every;    /* above 0: `name` is a series of such steps, itself no file */
} requested;

static void add_true_name(const char *path, text *t)
{
    const char *slash = strrchr(path, '/');
    OWNED_BY(text_free) text folder = {0};
    OWNED char *there = realpath(path, NULL);
    if (there) {
        text_add(t, "%s", there);
        return;
    }
    text_add(&folder, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
    there = folder.failed ? NULL : realpath(folder.data, NULL);
    text_add(t, "%s/%s",
             there           ? there
             : folder.failed ? ""
                             : folder.data,
             slash ? slash + 1 : path);
}

static bool is_named(const text *name, const char *path)
{
    OWNED_BY(text_free) text t = {0};
    add_true_name(path, &t);
    return !t.failed && strcmp(t.data, name->data) == 0;
}

/* Writes the name of the series of a file ("u.npy" for "u-000100.npy"). Returns its step,
 * or -1 if the file is in no series. */
static int64_t find_series(const char *path, text *whole)
{
    OWNED_BY(text_free) text plain = {0};
    int64_t stem;
    const int64_t step = series_step(path, &stem);
    text_add(&plain, "%.*s%s", step < 0 ? 0 : (int)stem, path, path_ending(path));
    add_true_name(plain.failed ? "" : plain.data, whole);
    whole->failed |= plain.failed;
    return step;
}

/* True for a file of this name or, with `every` above 0, for a step that `every`
 * divides. Two series of one name have files in common. */
static bool is_one(const requested *w, const char *path, int64_t every)
{
    OWNED_BY(text_free) text whole = {0};
    if ((w->every > 0) == (every > 0))
        return is_named(&w->name, path);
    if (every > 0)
        return w->step >= 0 && w->step % every == 0 && is_named(&w->whole, path);
    const int64_t step = find_series(path, &whole);
    return step >= 0 && step % w->every == 0 && !whole.failed &&
           strcmp(whole.data, w->name.data) == 0;
}

/* Compares with the output, and with the pieces of an index file. */
static bool is_of_output(const requested *w, const statement *s, const char *path)
{
    const format_info *f = format_find(path);
    OWNED_BY(text_free) text piece = {0};
    if (is_one(w, path, f && f->film ? 0 : s->every_steps))
        return true;
    if (!f || !f->piece)
        return false;
    text_add(&piece, "%.*s%s", (int)(path_ending(path) - path), path, f->piece);
    return !piece.failed && is_one(w, piece.data, s->every_steps);
}

static pav_status ask(const pav_run *run, const statement *s, const requested *w,
                      bool *found)
{
    const bool rows = (s->kind == STATEMENT_SAMPLE && !s->gather) ||
                      s->kind == STATEMENT_GATHER || s->kind == STATEMENT_MEASURE;
    OWNED_BY(text_free) text path = {0};
    if (s->kind == STATEMENT_OUTPUT)
        TRY(output_path(run, s, &path));
    else if (rows)
        TRY(rows_path(run, s, &path));
    *found = path.data &&
             (rows ? is_one(w, path.data, 0) : is_of_output(w, s, path.data));
    return PAV_OK;
}

pav_status names_check(const pav_run *run, const char *path, int64_t every,
                       const char *what)
{
    OWNED_BY(text_free) text name = {0}, whole = {0};
    const int64_t step = find_series(path, &whole);
    add_true_name(path, &name);
    if (name.failed || whole.failed)
        return PAV_ENOMEM;
    const requested w = {.step = step, .name = name, .whole = whole, .every = every};
    bool found;
    for (const statement *s = run->program->first; s && !run->options.no_files;
         s = s->next) {
        TRY(ask(run, s, &w, &found));
        if (found)
            return FAIL(PAV_EINVAL,
                        "%s is what line %d of %s writes; give the %s another name", path,
                        s->at.line, run->program->name, what);
    }
    for (const pav_output *o = run->observers.opened; o; o = o->next)
        if (is_of_output(&w, o->recorder.statement, o->path.data))
            return FAIL(PAV_EINVAL,
                        "%s is what another open output of this run writes; close that "
                        "output first, or give the %s another name",
                        path, what);
    return PAV_OK;
}

/* Checks the names of an output of the caller: its index, and the files of its steps. */
static pav_status check_output(const pav_run *run, const statement *s, const char *path)
{
    const format_info *f = format_find(path);
    OWNED_BY(text_free) text piece = {0};

    TRY(names_check(run, path, s->every && !(f && f->film) ? s->every_steps : 0,
                    "output"));
    if (!f || !f->piece)
        return PAV_OK;
    TRY(text_print(&piece, "%.*s%s", (int)(path_ending(path) - path), path, f->piece));
    return names_check(run, piece.data, s->every_steps, "output");
}

static pav_status check_kept(const pav_run *run, const char *path, const char *ending)
{
    OWNED_BY(text_free) text kept = {0}, name = {0};
    text_add(&kept, "%s%s", run->checkpoint.path, ending);
    add_true_name(path, &name);
    if (kept.failed || name.failed)
        return PAV_ENOMEM;
    return is_named(&name, kept.data)
               ? FAIL(PAV_EINVAL,
                      "%s is a name that the checkpoint %s needs; give another", path,
                      run->checkpoint.path)
               : PAV_OK;
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
    return names_check(run, path, 0, "file");
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

/* ---- outputs of the caller --------------------------------------------------------- */

static void drop_output(pav_output **o)
{
    if (!*o)
        return;
    series_close((*o)->recorder.series);
    program_free((*o)->line);
    TEXT_FREE_ALL(&(*o)->recorder.given_name, &(*o)->path);
    mem_free(*o);
}

static bool is_part_of_line(const char *words)
{
    bool quoted = false;

    for (const char *c = words; *c; c++) {
        quoted ^= *c == '"';
        if (*c == '\n' || *c == '\r' || (!quoted && (*c == ';' || *c == '#')))
            return false;
    }
    return true;
}

pav_status pav_output_open(pav_run *run, const char *words, const char *path,
                           pav_output **result)
{
    GUARDED;
    OWNED_BY(text_free) text t = {0};

    if (result)
        *result = NULL;
    if (!run || !words || !path || !result)
        return FAIL(PAV_EINVAL, "pav_output_open needs a run, the words of an output, a "
                                "path and a place for the output");
    if (!is_part_of_line(words))
        return FAIL(PAV_EINVAL,
                    "the words of an output are part of one line, without line ends, ';' "
                    "and '#' outside of quotes: %s",
                    words);
    const program *p = run->solver.asked ? run->solver.asked : run->program;
    program_print(p, &t);
    /* a name of the caller could clash with one of the description */
    TRY(text_print(&t, "output %s into \"the output%s\"\n", words, path_ending(path)));
    NEW_BY(drop_output, pav_output, o, 1);
    TRY(program_parse(t.data, t.length,
                      &(pav_program_options){.name = "output", .directory = p->directory},
                      &o->line));
    statement *s = o->line
                       ->first; /* the grid; then the last output, since it is the line */
    for (statement *n = s->next; n; n = n->next)
        s = n->kind == STATEMENT_OUTPUT ? n : s;
    for (int k = -1; k < s->left_count; k++) {
        symbol **field = k < 0 ? &s->symbol : &s->left[k];
        const char *name = (*field)->name;
        *field = symbol_in(&run->program->fields, name);
        if (!*field)
            return FAIL(PAV_EUNSUPPORTED,
                        "'%s' is an expression, and an output of a begun run writes "
                        "fields; give it their names",
                        name);
    }
    o->recorder = (recorder){.statement = s, .run = run};
    TRY(text_print(&o->path, "%s", path));
    TRY(check_output(run, s, path));
    TRY(run_is_first(run) ? output_open(run, &o->recorder, path) : PAV_OK);
    o->next = run->observers.opened;
    run->observers.opened = o;
    *result = mem_hand_over(&o);
    return PAV_OK;
}

/* A series has frames of one name. */
static pav_status keep_name(recorder *r, const char *name)
{
    if (!r->given_name.data)
        return text_print(&r->given_name, "%s", name);
    return strcmp(r->given_name.data, name) == 0
               ? PAV_OK
               : FAIL(PAV_EINVAL,
                      "this output shows %s, and its frames have one name; open another "
                      "output for %s",
                      r->given_name.data, name);
}

pav_status pav_output_write(pav_output *o)
{
    GUARDED;
    if (!o)
        return FAIL(PAV_EINVAL, "pav_output_write needs an output; it is NULL");
    TRY(run_check_whole(o->recorder.run));
    TRY(run_see_loans(o->recorder.run));
    if (!o->recorder.given)
        TRY(keep_name(&o->recorder, o->recorder.statement->symbol->name));
    return output_write(o->recorder.run, &o->recorder);
}

pav_status pav_output_write_values(pav_output *o, const char *name, const double *values,
                                   int64_t count)
{
    GUARDED;
    if (!o || !name || !values)
        return FAIL(PAV_EINVAL, "pav_output_write_values needs an output, a name and "
                                "values, one for each point of the field");
    recorder *r = &o->recorder;
    const int field = run_field_of(r->run, r->statement->symbol);
    const int64_t *n = r->run->code->field[field].extent;
    if (count != n[0] * n[1] * n[2])
        return FAIL(PAV_EINVAL, "%lld values for field %s, which has %lld points",
                    (long long)count, r->statement->symbol->name,
                    (long long)(n[0] * n[1] * n[2]));
    TRY(keep_name(r, name));
    const view given = {.data = (void *)(uintptr_t)values,
                        .type = PAV_F64,
                        .extent = {n[0], n[1], n[2]},
                        .stride = {1, n[0], n[0] * n[1]}};
    r->given = &given;
    const pav_status status = pav_output_write(o);
    r->given = NULL;
    return status;
}

pav_status pav_output_close(pav_output *o)
{
    GUARDED;
    OWNED_BY(drop_output) pav_output *owned = o;
    if (!owned)
        return PAV_OK;
    pav_output **at = &o->recorder.run->observers.opened;
    while (*at != o)
        at = &(*at)->next;
    *at = o->next;
    TRY(output_wait(owned->recorder.run));
    return owned->recorder.series ? series_settle(owned->recorder.series) : PAV_OK;
}
