/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of all fields in a checkpoint, row by row, without a second copy. On a
 * decomposed grid each rank writes and reads the points of its own subdomains. Borders
 * that are copies of points, or constant, are filled again. Borders computed from fields
 * and scalars are saved as ghosts, because those values may have changed since. */
#include "run/checkpoint/checkpoint_private.h"

static bool keeps_ghosts(const pav_run *run, const ir_field *f)
{
    for (int face = 0; face < 2 * run->code->dim; face++) {
        const int stage = f->border[face / 2][face % 2].stage;
        if (stage >= 0 && !stage_is_still(&run->code->stage[stage]))
            return true;
    }
    return false;
}

static box all_points(const ir_field *f)
{
    return (box){{0, 0, 0}, {f->extent[0], f->extent[1], f->extent[2]}};
}

/* Lower axes have their halo, higher axes have none, so each ghost lies in one box. */
static box ghosts(const ir_field *f, int axis, int side)
{
    box b = all_points(f);
    for (int a = 0; a < axis; a++)
        b = box_along(b, a, -f->halo[a][0], f->extent[a] + f->halo[a][1]);
    return side ? box_along(b, axis, f->extent[axis], f->extent[axis] + f->halo[axis][1])
                : box_along(b, axis, -f->halo[axis][0], 0);
}

/* ---- boxes ------------------------------------------------------------------------- */

/* All rows of a box are written to the stream, or read from it. */
typedef struct traversal {
    stream *stream;      /* NULL: of another rank */
    progress_sink *sink; /* or NULL */
    host_use how;        /* HOST_FILE: written; HOST_FILL: read */
    bool parts;          /* each subdomain's own points are visited */
    const ir_field *f;   /* the field of the level at `begin` in the file */
    int64_t begin;
} traversal;

static pav_status visit_row(const traversal *w, char *row, int64_t count, int64_t size)
{
    enum { PIECE = 1 << 20 /* points */ };
    for (int64_t i = 0; i < count; i += PIECE) {
        const int64_t now = int64_least(count - i, PIECE);
        TRY(w->how == HOST_FILL ? stream_get(w->stream, row + i * size, now * size)
                                : stream_put(w->stream, row + i * size, now * size));
        TRY(progress_add(w->sink, now));
    }
    return PAV_OK;
}

static pav_status visit_box(const traversal *w, const view *v, const box *b)
{
    const int64_t size = (int64_t)pav_type_size(v->type);
    const int64_t count = b->hi[0] - b->lo[0];
    for (int64_t k = b->lo[2]; k < b->hi[2] && count > 0; k++)
        for (int64_t j = b->lo[1]; j < b->hi[1]; j++)
            TRY(visit_row(w, view_at(v, b->lo[0], j, k), count, size));
    return PAV_OK;
}

/* Points of a subdomain; its rows are parts of the file's rows. */
static pav_status visit_part(void *user, const view *v, const box *b)
{
    const traversal *w = user;
    const int64_t *extent = w->f->extent;
    const int64_t size = (int64_t)pav_type_size(v->type);
    for (int64_t k = b->lo[2]; k < b->hi[2]; k++)
        for (int64_t j = b->lo[1]; j < b->hi[1]; j++) {
            const int64_t before = (k * extent[1] + j) * extent[0] + b->lo[0];
            const box row = {{b->lo[0], j, k}, {b->hi[0], j + 1, k + 1}};
            TRY(stream_seek(w->stream, w->begin + before * size));
            TRY(visit_box(w, v, &row));
        }
    return PAV_OK;
}

static pav_status visit_parts(const pav_run *run, traversal *w, int field, int level)
{
    const box all = all_points(w->f);
    const part_visit visit = {visit_part, w};
    w->stream->uncounted = false;
    return w->how == HOST_FILL ? exec_split_fill(run->part, field, level, &visit)
                               : exec_split_read(run->part, field, level, &all, &visit);
}

/* The whole level with its ghosts. */
static pav_status visit_whole(const pav_run *run, traversal *w, int field, int level)
{
    const box all = all_points(w->f);
    const view *v;
    TRY(run_host_view(run, field, level, w->how, &v));
    if (!w->stream || (w->how == HOST_FILE && !run_is_first(run)))
        return PAV_OK;
    w->stream->uncounted = !run_is_first(run);
    TRY(stream_seek(w->stream, w->begin));
    TRY(visit_box(w, v, &all));
    if (!keeps_ghosts(run, w->f))
        return PAV_OK;
    for (int face = 0; face < 2 * run->code->dim; face++) {
        /* Subdomains beside a periodic face have no ghosts there, only their neighbours'
         * points. So these ghosts are copied again, before they are written and after
         * they were read. */
        const int axis = face / 2, side = face % 2;
        const box b = ghosts(w->f, axis, side);
        const border_kind kind = w->f->border[axis][side].kind;
        const bool copies = border_wraps(kind), reads = w->how == HOST_FILL;
        if (copies && !reads)
            ghost_fill_side(v, axis, side, border_rules[kind].map, &b);
        TRY(visit_box(w, v, &b));
        if (copies && reads)
            ghost_fill_side(v, axis, side, border_rules[kind].map, &b);
    }
    return PAV_OK;
}

int checkpoint_levels(const pav_run *run, const ir_field *f)
{
    return f->memory || f->rests ? 0
                                 : f->levels + (run->checkpoint.apart && f->in_place &&
                                                !run->program->derived);
}

static int64_t level_points(const pav_run *run, const ir_field *f)
{
    int64_t count = box_points(all_points(f));
    for (int n = 0; n < 2 * run->code->dim && keeps_ghosts(run, f); n++) {
        count += box_points(ghosts(f, n / 2, n % 2));
    }
    return count;
}

static pav_status visit_level(const pav_run *run, traversal *w, int field, int level)
{
    const bool parts = w->parts && run->cut.is_cut && !keeps_ghosts(run, w->f) &&
                       w->f->coarse == 0;

    /* if all subdomains have all points, the first subdomain writes them */
    return (parts ? visit_parts : visit_whole)(run, w, field, level);
}

/* A level without a buffer is read for the sum alone, before the level in its place. */
static pav_status visit_all(const pav_run *run, traversal *w)
{
    for (int k = 0; k < ir_lasting_fields(run->code); k++) {
        const ir_field *f = w->f = &run->code->field[k];
        const int64_t bytes = level_points(run, f) * (int64_t)pav_type_size(f->storage);
        const int count = checkpoint_levels(run, f);
        for (int age = 0; age < count; age++) {
            if (age + 1 < count && age + 1 == f->levels) {
                w->begin += bytes;
                TRY(visit_level(run, w, k, -age));
                w->begin -= bytes;
            }
            if (age < f->levels)
                TRY(visit_level(run, w, k, -age));
            w->begin += bytes;
        }
    }
    return PAV_OK;
}

/* ---- all fields -------------------------------------------------------------------- */

static int64_t place_of(const stream *s)
{
    return s->at + s->used;
}

pav_status data_write(const pav_run *run, stream *s, bool parts)
{
    traversal w = {
        .stream = s, .how = HOST_FILE, .parts = parts, .begin = s ? place_of(s) : 0};
    return visit_all(run, &w);
}

pav_status data_read(pav_run *run, stream *s)
{
    traversal w = {.stream = s,
                   .sink = &run->setup.sink,
                   .how = HOST_FILL,
                   .parts = true,
                   .begin = place_of(s)};
    return visit_all(run, &w);
}

int64_t data_bytes(const pav_run *run)
{
    int64_t bytes = 0;
    for (int64_t k = 0; k < ir_lasting_fields(run->code); k++) {
        const ir_field *f = &run->code->field[k];
        bytes += checkpoint_levels(run, f) * level_points(run, f) *
                 (int64_t)pav_type_size(f->storage);
    }
    return bytes;
}

pav_status data_fill_borders(pav_run *run, int64_t step)
{
    for (int64_t k = 0; k < run->code->fields; k++) {
        const ir_field *f = &run->code->field[k];
        for (int age = 0; !f->memory && age < f->levels && !keeps_ghosts(run, f); age++)
            TRY(subdomain_fill_border(run->part, (int)k, -age, step - age));
    }
    return PAV_OK;
}
