/* SPDX-License-Identifier: BSD-3-Clause */
/* The schedules of compiled kernels by name: which manners of going over a box a run may choose from. */
#include "run/kernel_private.h"
#include "run/time_private.h"

static const char *const names[] = {
    [SCHEDULE_AUTO] = "auto",
    [SCHEDULE_ROWS] = "rows",
    [SCHEDULE_BLOCKS] = "blocks",
    [SCHEDULE_TIME] = "time",
};

pav_status schedule_find(const char *name, schedule *result)
{
    int found = SCHEDULE_AUTO;
    time_shape shape;
    if (name && time_words_are(name)) {
        *result = SCHEDULE_TIME;
        return time_words_find(name, &shape);
    }
    const pav_status status = name ? text_choice("schedule", name, names, COUNT_OF(names),
                                                 &found)
                                   : PAV_OK;
    *result = (schedule)found;
    return status;
}

const char *schedule_name(schedule s)
{
    return names[s];
}

void schedule_limit(schedule s, manners *m)
{
    int kept = 0;
    for (int k = 0; k < m->count; k++)
        if (s == SCHEDULE_AUTO || s == SCHEDULE_TIME ||
            (s == SCHEDULE_BLOCKS) == (m->manner[k].block > 0))
            m->manner[kept++] = m->manner[k];
    m->count = kept;
}

schedule manners_schedule(const manners *m)
{
    if (m->count == 0)
        return SCHEDULE_AUTO;
    return m->manner[m->fastest].block > 0 ? SCHEDULE_BLOCKS : SCHEDULE_ROWS;
}
