/* SPDX-License-Identifier: BSD-3-Clause */
/* Outputs of a run with ranks: each rank writes its own points to one file, if the format
 * permits this and all ranks see the directory. Otherwise the first rank gathers a level
 * and writes it. */
#include "run/run_private.h"

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

static pav_status write_all(pav_run *run, const recorder *r, part_writing *w)
{
    const part_visit visit = {write_part, w};
    uint64_t word = 0;
    const int field = run_field_of(run, r->statement->symbol);
    const pav_status own = exec_split_read(run->part, field, 0, &w->shown, &visit);
    word = own == PAV_OK ? 0 : FAILED;
    TRY(own);
    TRY(ranks_or(run->part->ranks, &word, 1));
    return word == 0 ? PAV_OK
                     : FAIL(PAV_EIO, "another rank could not write its part of %s",
                            r->statement->symbol->name);
}

static pav_status end_file(pav_run *run, recorder *r, const io_frame *f,
                           shared_file *file)
{
    text path = {0};
    pav_status status = PAV_OK;
    if (run_is_first(run))
        status = shared_end(r->series, file, f, &path);
    if (run_is_first(run) && status == PAV_OK)
        exec_note(&run->client, "step %lld: wrote %s", (long long)run->part->step,
                  path.data);
    text_free(&path);
    return status;
}

static bool may_share(const statement *s)
{
    return path_is_shared(s->file ? s->file : ".npy");
}

pav_status output_write_parts(pav_run *run, recorder *r, const io_frame *f,
                              const box *shown, bool *done)
{
    part_writing w = {.frame = f, .shown = *shown};
    bool seen = false;
    *done = false;
    if (!run->part->ranks || run->observers.ranks_gather || !run->cut.is_cut ||
        !may_share(r->statement))
        return PAV_OK;
    pav_status status = open_file(run, r->series, f, &w.file, &seen);
    if (status == PAV_OK && !seen) {
        run->observers.ranks_gather = true;
        exec_note(&run->client, "not all ranks see the directory of outputs: the first "
                                "one gathers and writes them");
    } else if (status == PAV_OK) {
        *done = true;
        status = write_all(run, r, &w);
        if (status == PAV_OK)
            status = end_file(run, r, f, w.file);
    }
    shared_close(w.file);
    return status;
}
