/* SPDX-License-Identifier: BSD-3-Clause */
/* Derives the description of a step that contains equations to solve. in_step.c replaces
 * the equations. */
#include <string.h>

#include "solve/solve_private.h"

enum { IN_PLACE = 4 /* statements that replace an equation */ };

static bool is_solved(const statement *s)
{
    return s->kind == STATEMENT_SOLVE;
}

static int64_t count_equations(const program *p)
{
    int64_t count = 0;

    for (const statement *s = p->first; s; s = s->next)
        count += is_solved(s);
    return count;
}

/* All other statements are copied. */
static pav_status write_step(const program *p, solution *result, text *t)
{
    for (const statement *s = p->first; s; s = s->next) {
        if (s->made)
            continue;
        if (is_solved(s)) {
            const int number = (int)++result->count;
            TRY(solve_one(p, s, number, t, &result->each[number - 1]));
            continue;
        }
        statement_print(p, s, t);
        text_add(t, "\n");
    }
    return t->failed ? PAV_ENOMEM : PAV_OK;
}

static void keep_lines(const program *p, program *made)
{
    statement *m = made->first;

    for (const statement *s = p->first; s && m; s = s->next) {
        const int count = s->made ? 0 : is_solved(s) ? IN_PLACE : 1;
        for (int k = 0; k < count && m; k++, m = m->next)
            statement_keep_place(s, m);
    }
}

static void mark_solved(const solution *all)
{
    const symbol_list *fields = &all->program->fields;

    for (int64_t k = 0; k < fields->count; k++)
        for (int64_t n = 0; n < all->count; n++)
            if (strcmp(fields->item[k]->name, all->each[n].solved) == 0)
                fields->item[k]->solved = true;
}

static pav_status parse(const program *p, text *t, solution *result)
{
    char why[300];
    TRY(text_take(t, &result->source));
    const pav_status status = program_parse_derived(result->source, p, &result->program);
    if (status != PAV_OK)
        return FAIL(status, "%s: the step without its equations to solve is refused: %s",
                    p->name, solve_reason(p, why, sizeof why));
    keep_lines(p, result->program);
    mark_solved(result);
    return PAV_OK;
}

/* Refuses absorbing layers: they would damp right sides, too. */
static pav_status refuse_layers(const program *p)
{
    for (const statement *s = p->first; s; s = s->next)
        if (s->kind == STATEMENT_ABSORB)
            return FAIL(PAV_EUNSUPPORTED,
                        "%s:%d: absorbing layers beside an equation to solve are not "
                        "supported: damp by a term of the equations",
                        p->name, s->at.line);
    return PAV_OK;
}

pav_status solve_in_steps(const program *p, solution *result)
{
    text t = {0};

    TRY(refuse_layers(p));
    result->each = mem_new(count_equations(p), sizeof *result->each);
    pav_status status = result->each ? write_step(p, result, &t) : PAV_ENOMEM;
    if (status == PAV_OK)
        status = parse(p, &t, result);
    text_free(&t);
    if (status != PAV_OK)
        solution_free(result); /* and the message stays */
    return status;
}
