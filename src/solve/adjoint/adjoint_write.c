/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes both descriptions: the adjoint, and the forward run. The traces of the forward
 * run's receivers are inputs of the adjoint. */
#include "solve/adjoint/adjoint_private.h"

static bool mentions_updated(const expr *e)
{
    bool found = e->kind == EXPR_SYMBOL &&
                 ((e->symbol->kind == SYMBOL_FIELD && e->symbol->updated) ||
                  ((e->symbol->kind == SYMBOL_LET) && e->symbol->value &&
                   mentions_updated(e->symbol->value)));

    if (e->kind == EXPR_APPLY && e->symbol->value)
        found = found || mentions_updated(e->symbol->value);
    for (int k = 0; k < e->count && !found; k++)
        found = mentions_updated(e->arg[k]);
    return found;
}

/* True for declarations independent of updated fields. */
static bool is_kept(adjoint_deriver *a, const statement *s)
{
    switch (s->kind) {
    case STATEMENT_GRID:
    case STATEMENT_REAL:
    case STATEMENT_SCALAR:
    case STATEMENT_STENCIL: return true;
    case STATEMENT_PARAM:
    case STATEMENT_LET: return !mentions_updated(s->symbol->value);
    case STATEMENT_FIELD:
        a->d.solve = s;
        if (!s->symbol->updated && s->symbol->value && mentions_updated(s->symbol->value))
            solve_fail(&a->d, PAV_EUNSUPPORTED,
                       "the coefficient '%s' is made of an updated field",
                       s->symbol->name);
        return !s->symbol->updated;
    default: return false;
    }
}

static void add_fields(adjoint_deriver *a)
{
    for (int64_t k = 0; k < a->parts; k++) {
        const symbol *s = a->part[k].field;
        text_add(a->d.head, "field %s", a->part[k].name);
        if (s->storage_stated)
            text_add(a->d.head, " stored %s", pav_type_name(s->storage));
        text_add(a->d.head, "\n");
    }
}

/* Adjoints that are one step ahead come first. Each group is in the opposite order of the
 * description. */
static void add_equations(adjoint_deriver *a)
{
    for (int ahead = 1; ahead >= 0; ahead--)
        for (int64_t k = a->parts - 1; k >= 0; k--)
            if (a->part[k].ahead == ahead) {
                const char *value = borders_fold(a, &a->part[k]);
                text_add(a->d.equations, "%s' = %s", a->part[k].name, value);
                receivers_add_kept(a, &a->part[k]);
                text_add(a->d.equations, "\n");
            }
    receivers_empty_kept(a);
}

/* Gives the adjoint the masks of the description. No source reaches a masked point, so
 * its adjoint is irrelevant. It stays 0 and contributes nothing, because the forward run
 * does not evaluate its equation. */
static void add_masks(adjoint_deriver *a, text *t)
{
    for (const statement *s = a->p->first; s; s = s->next) {
        symbol field = {.kind = SYMBOL_FIELD};
        statement own = *s;
        if (s->kind != STATEMENT_MASK)
            continue;
        a->d.solve = s;
        if (s->value && mentions_updated(s->value))
            solve_fail(&a->d, PAV_EUNSUPPORTED,
                       "a mask of an updated field has no adjoint here: make it one of a "
                       "coefficient");
        if (s->symbol) {
            field.name = adjoint_part_of(a, s->symbol)->name;
            own.symbol = &field;
        }
        statement_print(a->p, &own, t);
        text_add(t, "\n");
    }
}

static void add_sources(adjoint_deriver *a, text *t)
{
    for (const statement *s = a->p->first; s; s = s->next)
        if (s->kind == STATEMENT_INJECT && !a->wish->coefficients && !a->wish->image) {
            sources_write(a, s, NULL, t);
            text_add(t, "\n");
        }
}

static void swap_axes(const adjoint_deriver *a, text *t)
{
    if (a->p->upright && t->data && !t->failed)
        upright_swap(t->data, t->length);
}

void adjoint_write_back(adjoint_deriver *a, text *t)
{
    text_add(t, "# %s backwards: step s stands for the time of step %lld - s\n",
             a->p->name, (long long)a->result->steps);
    for (const statement *s = a->p->first; s; s = s->next)
        if (is_kept(a, s) && !s->made) {
            statement_print(a->p, s, t);
            text_add(t, "\n");
        }
    add_fields(a);
    add_equations(a);
    sensitivity_write(a);
    borders_write(a);
    swap_axes(a, a->d.head);
    swap_axes(a, a->d.equations);
    swap_axes(a, a->d.tail);
    text_add(t, "%s%s%s", a->d.head->data ? a->d.head->data : "",
             a->d.equations->data ? a->d.equations->data : "",
             a->d.tail->data ? a->d.tail->data : "");
    add_masks(a, t);
    receivers_write(a, t);
    text_add(t, "%s", a->injections.data ? a->injections.data : "");
    add_sources(a, t);
    text_add(t, "steps %lld\n", (long long)a->result->steps + 1);
}

static bool is_received(const adjoint_deriver *a, const statement *s)
{
    for (int64_t k = 0; k < a->result->channels; k++)
        if (a->result->channel[k].line == s)
            return true;
    return false;
}

void adjoint_write_forward(adjoint_deriver *a, text *t)
{
    int number = 0, line = 1;

    for (const statement *s = a->p->first; s; s = s->next) {
        const bool left_out = s->kind == STATEMENT_OUTPUT ||
                              s->kind == STATEMENT_MEASURE ||
                              s->kind == STATEMENT_UNTIL || s->kind == STATEMENT_EXPECT ||
                              s->kind == STATEMENT_CHECKPOINT ||
                              s->kind == STATEMENT_STEPS || s->kind == STATEMENT_SAMPLE ||
                              s->kind == STATEMENT_GATHER || s->made;
        if (left_out && !is_received(a, s))
            continue;
        number += s->kind == STATEMENT_INJECT;
        statement_begin_line(s, &line, t);
        if (s->kind == STATEMENT_INJECT && a->wish->test)
            sources_write(a, s, adjoint_file(a, "source", number), t);
        else
            statement_print(a->p, s, t);
    }
    text_add(t, "\nsteps %lld\n", (long long)a->result->steps);
}
