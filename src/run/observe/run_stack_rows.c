/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the rows of one shot of a stack by a run of that shot alone, without steps. The
 * files are bitwise identical to the files of a full run. */
#include <string.h>

#include "run/run_private.h"

int64_t run_rows_bytes(const pav_run *run)
{
    int64_t bytes = 0;

    for (int64_t k = 0; k < run->observers.recorders; k++) {
        const recorder *r = &run->observers.recorder[k];
        const int64_t every = r->statement->every_steps;
        if (sample_is_whole(r->statement))
            bytes += r->columns * (int64_t)sizeof *r->row *
                     (run->steps / (every > 0 ? every : 1) + 1);
    }
    return bytes;
}

/* Each expression of a row has the positions of all shots. */
static void take_columns(const recorder *r, const double *row, int64_t shot,
                         int64_t shots)
{
    const int64_t each = r->points.count, parts = (r->columns - LEADING) / each;

    for (int64_t n = 0; n < parts; n++)
        memcpy(r->row + LEADING + n * each, row + LEADING + (n * shots + shot) * each,
               (size_t)each * sizeof *row);
}

pav_status run_write_samples(pav_run *run, pav_run *stack, int64_t shot, int64_t shots)
{
    for (int64_t k = 0; k < run_samples(run); k++) {
        recorder *r = (recorder *)(uintptr_t)run_sample(run, k);
        kept_rows rows = {0};
        TRY(run_kept_sample(stack, k, &rows));
        for (int64_t n = 0; n < rows.count; n++) {
            const double *row = rows.row + n * rows.columns;
            take_columns(r, row, shot, shots);
            TRY(rows_keep(run, r, (int64_t)row[0], row[1]));
        }
    }
    return run_write_rows(run);
}
