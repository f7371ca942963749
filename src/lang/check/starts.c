/* SPDX-License-Identifier: BSD-3-Clause */
/* The start of a run. The value of a border may contain params, and a param may contain a
 * reduction over a field with reads beyond its faces. A border that depends on itself in
 * this way is a mistake.
 *
 * Names are declared before their use, so only borders and `prev(u) = ...` can close a
 * cycle. Known values are propagated until nothing changes. A border that is still
 * unknown then lies on a cycle or depends on one. */
#include "lang/lang_private.h"

/* True if the reader reads the field beyond its own values. */
static bool reads_border(const parser *p, const field_read *r)
{
    for (int axis = 0; axis < p->dim; axis++) {
        if (r->lo[axis] != 0 || r->hi[axis] != 0 || r->transfer != READ_SAME)
            return true;
        for (int side = 0; side < 2; side++) {
            const statement *rule = r->symbol->notes->rule[axis][side];
            if (rule && border_rules[rule->border].has_face)
                return true;
        }
    }
    return false;
}

/* The first unknown read, or NULL. */
static const field_read *find_unknown(const parser *p, const reads *list)
{
    for (int64_t i = 0; list && i < list->count; i++) {
        const field_read *r = &list->item[i];
        const struct symbol_notes *notes = r->symbol->notes;
        const int age = r->level < 0 ? -r->level : 0;
        if (!notes->ready[age])
            return r;
        if (r->symbol->kind == SYMBOL_FIELD && !notes->closed[age] && reads_border(p, r))
            return r;
    }
    return NULL;
}

static bool all_known(const parser *p, const reads *list)
{
    return !find_unknown(p, list);
}

static bool faces_known(const parser *p, const symbol *field)
{
    for (int axis = 0; axis < p->dim; axis++)
        for (int side = 0; side < 2; side++)
            if (!all_known(p, field->notes->rule_reads[axis][side]))
                return false;
    return true;
}

/* Notes the state of a level; true if it changed. */
static bool note_level(const parser *p, const symbol *s, int age, bool ready)
{
    struct symbol_notes *notes = s->notes;
    const bool closed = ready && (s->kind == SYMBOL_PARAM || faces_known(p, s));
    const bool news = ready != notes->ready[age] || closed != notes->closed[age];

    notes->ready[age] = ready;
    notes->closed[age] = closed;
    return news;
}

/* Propagates known values; true if one became known. Older levels start from the newest
 * level, unless a statement gives their initial value. */
static bool spread(parser *p)
{
    bool news = false;

    for (int64_t i = 0; i < p->checks; i++) {
        const statement *s = p->check[i].statement;
        const bool starts = s->kind == STATEMENT_PARAM || s->kind == STATEMENT_FIELD;
        if (!starts && s->kind != STATEMENT_INITIAL)
            continue;
        const bool ready = all_known(p, p->check[i].reads);
        news |= note_level(p, s->symbol, starts ? 0 : s->level, ready);
        for (int age = 1; s->kind == STATEMENT_FIELD && age <= MAX_LEVEL; age++)
            if (!s->symbol->initial_prev[age])
                news |= note_level(p, s->symbol, age, ready);
    }
    return news;
}

/* The unknown param of a field's border, or NULL. */
static const field_read *find_param(const parser *p, const symbol *field)
{
    for (int axis = 0; axis < p->dim; axis++)
        for (int side = 0; side < 2; side++) {
            const reads *list = field->notes->rule_reads[axis][side];
            for (int64_t i = 0; list && i < list->count; i++)
                if (!list->item[i].symbol->notes->ready[0])
                    return &list->item[i];
        }
    return NULL;
}

/* Reports params that depend on themselves through the initial value of a level. */
static void check_params(parser *p)
{
    for (int64_t i = 0; i < p->checks; i++) {
        const checked *c = &p->check[i];
        const field_read *r = find_unknown(p, c->reads);
        if (c->statement->kind != STATEMENT_PARAM || !r)
            continue;
        mistake_at(p, r->at,
                   "at the start the param '%s' depends on itself, by way of what '%s' "
                   "starts from",
                   c->statement->symbol->name, r->symbol->name);
        return;
    }
}

void starts_check(parser *p)
{
    const symbol_list *fields = &p->program->fields;

    while (spread(p))
        continue;
    for (int64_t i = 0; i < fields->count; i++) {
        const field_read *r = find_param(p, fields->item[i]);
        if (!r)
            continue;
        mistake_at(p, r->at,
                   "the border of '%s' needs the param '%s', and '%s' is taken of what "
                   "that border closes; take it of another field that starts alike",
                   fields->item[i]->name, r->symbol->name, r->symbol->name);
        return;
    }
    check_params(p);
}
