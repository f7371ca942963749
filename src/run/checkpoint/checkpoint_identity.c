/* SPDX-License-Identifier: BSD-3-Clause */
/* The identity of a checkpoint's program: its printed statements, without those that
 * change no value, and the positions of its sources and receivers. Differences are
 * reported. */
#include <string.h>

#include "run/checkpoint/checkpoint_private.h"

/* These statements may differ, because they change no value. */
static bool may_differ(const statement *s)
{
    return s->kind == STATEMENT_STEPS || s->kind == STATEMENT_OUTPUT ||
           s->kind == STATEMENT_CHECKPOINT;
}

void identity_add(const pav_run *run, text *t)
{
    for (const statement *s = run->program->first; s; s = s->next) {
        if (may_differ(s))
            continue;
        statement_print(run->program, s, t);
        text_add_bytes(t, "\n", 1);
    }
}

static void add_axes(const pav_run *run, hash *h)
{
    for (int axis = 0; axis < run->code->dim; axis++) {
        const axis_grid *a = &run->program->axis[axis];
        if (a->at)
            hash_add(h, a->at, (a->points + a->known_around) * (int64_t)sizeof(double));
    }
}

/* A hash of the traces that sources inject from files. */
int64_t identity_traces(const pav_run *run)
{
    hash h;
    hash_init(&h);
    for (int64_t k = 0; k < run->code->injections.count; k++) {
        const point_set *set = &run->part->injection[k];
        if (set->trace.value)
            hash_add(&h, set->trace.value,
                     set->trace.rows * set->trace.columns * (int64_t)sizeof(double));
    }
    return (int64_t)hash_end(&h);
}

/* A hash of the positions on stretched axes, of sources and of receivers: their files may
 * have changed. */
int64_t identity_positions(const pav_run *run)
{
    const int64_t size = run->code->dim * (int64_t)sizeof(double);
    hash h;
    hash_init(&h);
    add_axes(run, &h);
    for (int64_t k = 0; k < run->code->injections.count; k++)
        hash_add(&h, run->part->injection[k].position,
                 run->part->injection[k].count * size);
    for (int64_t k = 0; k < run->observers.recorders; k++)
        if (run->observers.recorder[k].points.count > 0)
            hash_add(&h, run->observers.recorder[k].points.position,
                     run->observers.recorder[k].points.count * size);
    return (int64_t)hash_end(&h);
}

static int line_length(const char *line)
{
    const size_t length = strcspn(line, "\n");
    return length < 200 ? (int)length : 200;
}

static pav_status report_difference(const pav_run *run, const char *path,
                                    const char *theirs, const char *own)
{
    const char *name = run->program->name;
    while (*theirs && strcspn(theirs, "\n") == strcspn(own, "\n") &&
           strncmp(theirs, own, strcspn(own, "\n") + 1) == 0) {
        theirs += strcspn(theirs, "\n") + 1;
        own += strcspn(own, "\n") + 1;
    }
    if (!*theirs || !*own)
        return FAIL(PAV_EINVAL,
                    "the checkpoint %s is of another program: `%.*s` stands in %s only; "
                    "a run that goes on may differ in steps, output and checkpoint alone",
                    path, line_length(*own ? own : theirs), *own ? own : theirs,
                    *own ? name : "the checkpoint's");
    return FAIL(PAV_EINVAL,
                "the checkpoint %s is of another program: it has `%.*s` where %s has "
                "`%.*s`; a run that goes on may differ in steps, output and checkpoint "
                "alone",
                path, line_length(theirs), theirs, name, line_length(own), own);
}

pav_status identity_check(const pav_run *run, const char *path, const char *theirs)
{
    text own = {0};
    identity_add(run, &own);
    text_add_bytes(&own, "", 1);
    pav_status status = own.failed ? PAV_ENOMEM : PAV_OK;
    if (status == PAV_OK && strcmp(own.data, theirs) != 0)
        status = report_difference(run, path, theirs, own.data);
    text_free(&own);
    return status;
}
