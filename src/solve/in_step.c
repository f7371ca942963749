/* SPDX-License-Identifier: BSD-3-Clause */
/* Solves an equation for u' in each step, for example u' - dt*laplace(u') = u for
 * implicit heat conduction. Two descriptions result. The first is the description itself:
 * its step stores the terms without u' in a field, and later reads u' from a second
 * field. The second is the solver, run between the two. Its inputs are the first field, u
 * for its initial guess, and the coefficients of the operator. */
#include <string.h>

#include "solve/solve_private.h"

/* ---- what the operator reads ------------------------------------------------------- */

static void hand(deriver *d, const char *from, int level, const char *to)
{
    solution *s = d->solution;

    for (int k = 0; k < s->handed; k++)
        if (strcmp(s->hand[k].to, to) == 0 && s->hand[k].level != level)
            solve_fail(d, PAV_EUNSUPPORTED,
                       "what multiplies '%s' reads two levels of '%s': name one, as in "
                       "field k; k' = ...",
                       d->unknown->name, to);
        else if (strcmp(s->hand[k].to, to) == 0)
            return;
    if (s->handed == MOST_HANDED)
        solve_fail(d, PAV_ELIMIT, "an operator in a step reads at most %d fields",
                   MOST_HANDED - 2);
    s->hand[s->handed++] = (solution_hand){from, to, level};
}

/* Lists the fields that an expression reads. */
static void find_handed(deriver *d, const expr *e)
{
    const bool clock = e->kind == EXPR_BUILTIN &&
                       (e->builtin == BUILTIN_T || e->builtin == BUILTIN_STEP);
    const symbol *s = e->symbol;

    if (clock || e->kind == EXPR_REDUCE)
        solve_fail(d, PAV_EUNSUPPORTED,
                   "what multiplies %s' holds %s, which a solver does not know: make it "
                   "a field of its own, as in field k; k' = ...",
                   d->unknown->name, clock ? "the time" : "a sum over the grid");
    if (e->kind == EXPR_SYMBOL && s->kind == SYMBOL_FIELD && s->index >= 0 &&
        !(s == d->unknown && e->level == d->level)) {
        if (s == d->unknown)
            solve_fail(d, PAV_EUNSUPPORTED,
                       "what multiplies %s' reads '%s' itself: name it before, as in "
                       "field k; k' = 1 + %s^2",
                       s->name, s->name, s->name);
        hand(d, s->name, e->level, s->name);
        d->is_handed[s->index] = true;
    }
    for (int k = 0; e->kind == EXPR_STENCIL && k < s->taps; k++)
        find_handed(d, copy_inlined(d, s->tap[k].weight));
    for (int k = 0; k < e->count; k++)
        find_handed(d, e->arg[k]);
}

/* The solver has only one level of each input: level 0. */
static void forget_levels(expr *e)
{
    e->level = 0;
    for (int k = 0; k < e->count; k++)
        forget_levels(e->arg[k]);
}

/* ---- the equation ------------------------------------------------------------------ */

/* The difference a - b, one of which may be missing. */
static expr *difference_of(deriver *d, expr *a, expr *b)
{
    return a && b ? tree_binary(d, OP_SUB, a, b) : a ? a : tree_negated(d, b);
}

/* Keeps the linear part on the left, for the solver's equation. The remaining terms
 * become the field `given`, the right side. */
void step_part(deriver *d)
{
    const expr *zero = tree_number(d, num_int(0)), *unknown = tree_unknown(d, d->level);
    expr *a = copy_linear(d, d->left, unknown, 0),
         *b = copy_linear(d, d->right, unknown, 0);

    if (!a && !b)
        solve_fail(d, PAV_EUNSUPPORTED, "the equation does not hold %s'",
                   d->unknown->name);
    expr *left = difference_of(d, a, b);
    hand(d, d->unknown->name, 0, d->unknown->name);
    hand(d, d->given, 1, d->given);
    find_handed(d, left);
    if (d->mask && !d->mask->file)
        find_handed(d, copy_inlined(d, d->mask->value));
    d->rest = difference_of(d, copy_with(d, d->right, zero, 0),
                            copy_with(d, d->left, zero, 0));
    forget_levels(left);
    d->level = 0;
    d->left = left;
    d->right = tree_field(d, d->given, 0);
    text_add(&d->head, "field %s\n", d->given);
}

/* ---- the solver's description ------------------------------------------------------ */

/* True if an expression reads something that the solver does not have. */
static bool reads_left_out(const deriver *d, const expr *e)
{
    const symbol *s = e->symbol;
    bool out = e->kind == EXPR_REDUCE ||
               (e->kind == EXPR_APPLY && reads_left_out(d, s->value));

    if (e->kind == EXPR_SYMBOL)
        out = s->kind == SYMBOL_MEASURE ||
              (s->kind == SYMBOL_LET && reads_left_out(d, s->value)) ||
              (s->kind == SYMBOL_FIELD &&
               (e->level != 0 || (s != d->unknown && !d->is_handed[s->index])));
    for (int k = 0; e->kind == EXPR_STENCIL && !out && k < s->taps; k++)
        out = reads_left_out(d, s->tap[k].weight);
    for (int k = 0; k < e->count && !out; k++)
        out = reads_left_out(d, e->arg[k]);
    return out;
}

bool step_keeps(const deriver *d, const statement *s)
{
    const symbol *f = s->symbol;

    switch (s->kind) {
    case STATEMENT_GRID:
    case STATEMENT_COARSE:
    case STATEMENT_REAL:
    case STATEMENT_PARAM:
    case STATEMENT_SCALAR: return true;
    case STATEMENT_LET: return !reads_left_out(d, f->value);
    case STATEMENT_STENCIL:
        for (int k = 0; k < f->taps; k++)
            if (reads_left_out(d, f->tap[k].weight))
                return false;
        return true;
    case STATEMENT_FIELD: return f == d->unknown || d->is_handed[f->index];
    case STATEMENT_BORDER: return !f || f == d->unknown || d->is_handed[f->index];
    default: return false;
    }
}

/* Prints a declaration for the solver without its initial value: the step hands over its
 * fields and numbers. */
void step_print(const deriver *d, const statement *s, text *t)
{
    statement bare = *s;
    symbol empty;

    if (s->kind == STATEMENT_PARAM && !s->symbol->constant) {
        text_add(t, "scalar %s = 1", s->symbol->name);
        return;
    }
    if (s->kind == STATEMENT_FIELD) {
        empty = *s->symbol;
        empty.value = NULL;
        empty.file = NULL;
        empty.raw = NULL;
        bare.symbol = &empty;
    }
    statement_print(d->p, &bare, t);
}

/* ---- the description's own step ---------------------------------------------------- */

/* Writes the statements in place of the equation. */
void step_equations(deriver *d, text *t)
{
    char *own = arena_print(d->arena, "field %s\n%s' = %s\nfield %s\n%s' = %s\n",
                            d->given, d->given, tree_text(d, d->rest), d->solved,
                            d->unknown->name, d->solved);

    if (d->p->upright)
        upright_swap(own, (int64_t)strlen(own));
    text_add(t, "%s", own);
}

/* ---- the step with all its equations ----------------------------------------------- */

enum { IN_PLACE = 4 /* statements that replace an equation */ };

/* All other statements are copied. */
static pav_status write_step(const program *p, solution *result, text *t)
{
    for (const statement *s = p->first; s; s = s->next) {
        if (s->made)
            continue;
        if (s->kind == STATEMENT_SOLVE) {
            const int number = (int)++result->count;
            TRY(solve_one(p, s, number, t, &result->each[number - 1]));
            continue;
        }
        statement_print(p, s, t);
        text_add(t, "\n");
    }
    return t->failed ? PAV_ENOMEM : PAV_OK;
}

static pav_status parse(const program *p, text *t, solution *result)
{
    char why[300];
    TRY(text_take(t, &result->source));
    const pav_status status = program_parse_derived(result->source, p, &result->program);
    if (status != PAV_OK)
        return FAIL(status, "%s: the step without its equations to solve is refused: %s",
                    p->name, solve_reason(p, why, sizeof why));
    statement *m = result->program->first;
    for (const statement *s = p->first; s && m; s = s->next) {
        const int count = s->made ? 0 : s->kind == STATEMENT_SOLVE ? IN_PLACE : 1;
        for (int k = 0; k < count && m; k++, m = m->next)
            statement_keep_place(s, m);
    }
    for (int64_t n = 0; n < result->count; n++) {
        symbol *solved = symbol_in(&result->program->fields, result->each[n].solved);
        if (solved)
            solved->solved = true;
    }
    return PAV_OK;
}

/* Absorbing layers would damp right sides, too. */
pav_status solve_in_steps(const program *p, solution *result)
{
    text t = {0};
    int64_t count = 0;

    for (const statement *s = p->first; s; s = s->next) {
        count += s->kind == STATEMENT_SOLVE;
        if (s->kind == STATEMENT_ABSORB)
            return FAIL(PAV_EUNSUPPORTED,
                        "%s:%d: absorbing layers beside an equation to solve are not "
                        "supported: damp by a term of the equations",
                        p->name, s->at.line);
    }
    result->each = mem_new(count, sizeof *result->each);
    pav_status status = result->each ? write_step(p, result, &t) : PAV_ENOMEM;
    if (status == PAV_OK)
        status = parse(p, &t, result);
    text_free(&t);
    if (status != PAV_OK)
        solution_free(result); /* and the message stays */
    return status;
}
