/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses the text of the adjoint and copies all names needed by callers into its
 * program. */
#include <string.h>

#include "solve/adjoint/adjoint_private.h"

/* The names live until the derived program is freed. */
static pav_status keep(const adjoint_deriver *a, adjoint *r)
{
    arena *to = r->program->arena;
    int64_t count = 0;

    adjoint_history *kept = arena_alloc(to, r->histories + 1, sizeof *kept);
    for (int64_t k = 0; k < r->histories; k++) {
        kept[k] = r->history[k];
        kept[k].name = arena_print(to, "%s", r->history[k].name);
    }
    r->history = kept;
    adjoint_channel *channel = arena_alloc(to, r->channels + 1, sizeof *channel);
    memcpy(channel, r->channel, (size_t)r->channels * sizeof *channel);
    r->channel = channel;
    while (a->wish->coefficients && a->wish->coefficients[count])
        count++;
    const char **gradient = arena_alloc(to, count + 1, sizeof *gradient);
    for (int64_t k = 0; k < count; k++)
        gradient[k] = arena_print(to, "%s", r->gradient[k]);
    r->gradient = gradient;
    for (count = 0; r->divisor[count];)
        count++;
    const char **divisor = arena_alloc(to, count + 1, sizeof *divisor);
    for (int64_t k = 0; k < count; k++)
        divisor[k] = arena_print(to, "%s", r->divisor[k]);
    r->divisor = divisor;
    r->weight = r->weight ? arena_print(to, "%s", r->weight) : NULL;
    r->image = r->image ? arena_print(to, "%s", r->image) : NULL;
    r->illumination = r->illumination ? arena_print(to, "%s", r->illumination) : NULL;
    return PAV_OK;
}

/* Gradients and images are computed only in steps with a nonzero weight. */
static void set_gates(const adjoint_wish *wish, const adjoint *r)
{
    const symbol_list *fields = &r->program->fields;
    const symbol *gate = symbol_in(&r->program->scalars, r->weight);
    symbol *image = symbol_in(fields, r->image),
           *light = symbol_in(fields, r->illumination);

    for (int64_t k = 0; wish->coefficients && wish->coefficients[k]; k++)
        symbol_in(fields, r->gradient[k])->gate = gate;
    if (image)
        image->gate = gate;
    if (light)
        light->gate = gate;
}

pav_status adjoint_parse(const adjoint_deriver *a, adjoint *r)
{
    const pav_program_options options = {.name = a->p->name,
                                         .directory = a->p->directory};
    pav_status status = program_parse(r->source, (int64_t)strlen(r->source), &options,
                                      &r->program);
    char why[300];

    if (status != PAV_OK)
        return FAIL(status, "the adjoint of %s is refused: %s", a->p->name,
                    solve_reason(a->p, why, sizeof why));
    ARENA_GUARD(r->program->arena, status, keep(a, r));
    if (status == PAV_OK)
        set_gates(a->wish, r);
    return status;
}
