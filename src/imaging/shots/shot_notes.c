/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes to the listener about the number of shots computed together. */
#include <stdio.h>

#include "imaging/imaging_private.h"

static void note(const pav_adjoint_options *o, const char *said)
{
    if (o->listener)
        (void)o->listener(o->user, PAV_EVENT_NOTE, NULL, said);
}

void shots_note_together(const pav_adjoint_options *o, int64_t count)
{
    char said[64];

    (void)snprintf(said, sizeof said, "%lld shots are computed as one", (long long)count);
    if (count > 1)
        note(o, said);
}

void shots_note_apart(const pav_adjoint_options *o, pav_status status)
{
    text t = {0};

    if (status != PAV_EUNSUPPORTED)
        return;
    text_add(&t, "not so many shots are computed as one: %s", pav_message());
    if (!t.failed)
        note(o, t.data);
    text_free(&t);
}
