/* SPDX-License-Identifier: BSD-3-Clause */
/* Indices of the files of a series, .pvd and .xdmf: text with an entry for each file. The
 * index is rewritten after every file, so it never names a missing file. A resumed run
 * keeps the entries of existing files. A missing or truncated index is rebuilt from the
 * files. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/io_private.h"

void index_piece(const series *s, int64_t step, text *path)
{
    path_of_step(s->path, s->format->piece, s->style.numbered ? step : -1, path);
}

static pav_status write_entries(const series *s, const char *path, const io_frame *f)
{
    const index_kind *kind = s->format->index;
    OWNED_BY(text_free) text all = {0};

    kind->head(&all, f);
    text_add_bytes(&all, s->entries.data, s->entries.length);
    text_add(&all, "%s", kind->end);
    all.failed |= s->entries.failed;
    return text_write(path, &all);
}

pav_status index_add(series *s, const io_frame *f, const char *piece)
{
    OWNED_BY(text_free) text path = {0};

    TRY(series_note(s, piece));
    s->format->index->entry(&s->entries, f, path_name(piece));
    series_name_at(s, f->step, &path);
    return path.failed ? PAV_ENOMEM : write_entries(s, path.data, f);
}

pav_status index_write(series *s, const char *path, const io_frame *f)
{
    OWNED_BY(text_free) text piece = {0};

    (void)path;
    index_piece(s, f->step, &piece);
    if (piece.failed)
        return PAV_ENOMEM;
    TRY(frame_write(piece.data, s->format->index->fill, f));
    return index_add(s, f, piece.data);
}

/* ---- resuming an earlier run ------------------------------------------------------- */

/* An index being read. begin: start of its file names. at, behind: the present entry and
 * its end. step: its step. */
typedef struct reading {
    text begin;
    const char *at, *behind;
    int64_t step;
} reading;

static void end_reading(reading *r)
{
    text_free(&r->begin);
}

/* The step in an entry's file name; -1 if there is none. */
static int64_t step_of(const series *s, const reading *r)
{
    const char *ending = s->format->piece;
    char *end;

    for (const char *at = strstr(r->at, r->begin.data); at && at < r->behind;
         at = strstr(at + 1, r->begin.data)) {
        const long long step = strtoll(at + r->begin.length, &end, 10);
        if (step >= 0 && strncmp(end, ending, strlen(ending)) == 0)
            return step;
    }
    return -1;
}

/* Moves to the next entry; false after the last one, or if the text is no entry. */
static bool next_entry(const series *s, reading *r)
{
    const index_kind *kind = s->format->index;
    const int64_t before = r->step;

    r->at = r->behind;
    if (strncmp(r->at, kind->marker, strlen(kind->marker)) != 0)
        return false;
    r->behind = strstr(r->at + 1, kind->marker);
    if (!r->behind)
        r->behind = strstr(r->at, kind->end);
    r->step = r->behind ? step_of(s, r) : -1;
    return r->step > before;
}

static bool is_there(const series *s, int64_t step)
{
    OWNED_BY(text_free) text path = {0};

    index_piece(s, step, &path);
    return !path.failed && access(path.data, R_OK) == 0;
}

/* Keeps the entries of existing files for steps before past->step. If the index is not
 * complete, returns false and keeps none. */
static bool keep_entries(series *s, const char *all, const series_past *past,
                         int64_t *kept)
{
    const index_kind *kind = s->format->index;
    const char *name = path_name(s->path), *first = strstr(all, kind->marker);
    OWNED_BY(end_reading) reading r = {.behind = first, .step = -1};
    OWNED_BY(text_free) text stem = {0};

    text_add_bytes(&stem, name, path_ending(name) - name);
    text_add_xml(&r.begin, stem.failed ? "" : stem.data);
    text_add(&r.begin, "-");
    while (first && !r.begin.failed && next_entry(s, &r))
        if (r.step < past->step && is_there(s, r.step)) {
            text_add_bytes(&s->entries, r.at, r.behind - r.at);
            ++*kept;
        }
    const bool whole = first && r.behind && strcmp(r.behind, kind->end) == 0;
    if (!whole)
        s->entries.length = *kept = 0;
    return whole;
}

pav_status index_resume(series *s, series_past *past, text *said)
{
    enum { LIMIT = 1 << 28 };
    const bool there = access(s->path, F_OK) == 0;
    OWNED char *all = NULL;
    int64_t length, kept = 0;

    const bool read = there && file_read(s->path, LIMIT, &all, &length) == PAV_OK;
    const bool whole = read && keep_entries(s, all, past, &kept);
    if (!whole && past->frames > 0 && past->step_time > 0) {
        OWNED_BY(text_free) text path = {0};
        io_frame f = past->frame;

        for (f.step = 0; f.step < past->step; f.step += s->style.every) {
            if (!is_there(s, f.step))
                continue;
            f.time = (double)f.step * past->step_time;
            path.length = 0;
            index_piece(s, f.step, &path);
            s->entries.failed |= path.failed;
            if (!path.failed)
                s->format->index->entry(&s->entries, &f, path_name(path.data));
            ++kept;
        }
    }
    const int64_t now = past->frame.step;

    if (whole && kept < past->frames)
        text_add(said,
                 "%s continues with %lld of the %lld files written up to step %lld: the "
                 "others are missing",
                 s->path, (long long)kept, (long long)past->frames, (long long)now);
    else if (!whole && past->frames > 0 && !(past->step_time > 0))
        text_add(
            said,
            "%s is %s: it begins anew at step %lld, since steps differ in length, and "
            "the times of earlier files are not known",
            s->path, there ? "no whole index" : "gone", (long long)now);
    else if (!whole && past->frames > 0)
        text_add(said,
                 "%s is %s: it is made anew, with %lld of the %lld files that were "
                 "written up to step %lld",
                 s->path, there ? "no whole index" : "gone", (long long)kept,
                 (long long)past->frames, (long long)now);
    else if (!whole && there)
        text_add(said, "%s is no whole index: it begins anew at step %lld", s->path,
                 (long long)now);
    past->frames = kept;
    if (s->entries.failed || said->failed)
        return PAV_ENOMEM;
    if (said->length == 0 || kept == 0)
        return PAV_OK;
    TRY(write_entries(s, s->path, &past->frame));
    return series_note(s, s->path);
}
