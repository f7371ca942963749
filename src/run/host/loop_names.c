/* SPDX-License-Identifier: BSD-3-Clause */
/* The schedules of compiled kernels by name: which manners of going over a box a run may choose from. */
#include "run/host/kernel_private.h"
#include "run/time/time_private.h"

static const char *const names[] = {
    [SCHEDULE_AUTO] = "auto",
    [SCHEDULE_ROWS] = "rows",
    [SCHEDULE_BLOCKS] = "blocks",
    [SCHEDULE_TIME] = "time",
};

pav_status schedule_find(const char *name, schedule *result)
{
    int found = SCHEDULE_AUTO;
    time_schedule shape;
    if (name && time_string_is(name)) {
        *result = SCHEDULE_TIME;
        return time_string_parse(name, &shape);
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

void loop_tuner_limit(schedule s, loop_tuner *m)
{
    int kept = 0;
    for (int k = 0; k < m->count; k++)
        if (s == SCHEDULE_AUTO || s == SCHEDULE_TIME ||
            (s == SCHEDULE_BLOCKS) == (m->loop[k].block > 0))
            m->loop[kept++] = m->loop[k];
    m->count = kept;
}

schedule loop_tuner_schedule(const loop_tuner *m)
{
    if (m->count == 0)
        return SCHEDULE_AUTO;
    return m->loop[m->fastest].block > 0 ? SCHEDULE_BLOCKS : SCHEDULE_ROWS;
}
