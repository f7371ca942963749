/* SPDX-License-Identifier: BSD-3-Clause */
/* Pins the store in a long run, so that the device copies it directly. If the system
 * refuses, planes pass through pinned buffers. */
#include "run/outofcore/outofcore_private.h"

enum {
    WORTH = 3 /* blocks */,
    WORTH_OF_STAGES = 64 /* steps; each moves all planes */
};

bool outofcore_pins(const pav_run *run, int steps)
{
    return run->steps == 0 || run->steps >= WORTH * steps;
}

static bool is_worth_it(const pav_run *run)
{
    const outofcore *o = run->outofcore;
    const bool by_stages = o->why_stages[0] && !o->disk &&
                           (run->steps == 0 || run->steps >= WORTH_OF_STAGES);
    return run_uses_device_memory(run) &&
           (by_stages || (o->overlaps && outofcore_pins(run, o->steps)));
}

/* Pinned by each GPU, since each copies by itself. */
static pav_status pin(const pav_run *run, const levels *l)
{
    for (int n = 0; n < run->places; n++)
        TRY(place_pin(&run->place[n], l->block, l->bytes));
    return PAV_OK;
}

pav_status outofcore_pin(pav_run *run)
{
    outofcore *o = run->outofcore;
    for (int64_t f = 0; f < run->code->fields && is_worth_it(run); f++) {
        const levels *l = &run->part->field[f];
        if (run->code->field[f].memory || l->bytes == 0)
            continue;
        if (pin(run, l) != PAV_OK) {
            exec_note(&run->client,
                      "%s: planes go through pinned buffers of a few MiB, which is "
                      "slower; ulimit -l may say why",
                      pav_message());
            return PAV_OK;
        }
        o->pinned += l->bytes;
    }
    return PAV_OK;
}

void outofcore_unpin(pav_run *run)
{
    for (int64_t f = 0; run->outofcore->pinned > 0 && f < run->code->fields; f++)
        for (int n = 0; n < run->places; n++)
            if (!run->code->field[f].memory && run->part->field[f].bytes > 0)
                place_unpin(&run->place[n], run->part->field[f].block);
    run->outofcore->pinned = 0;
}
