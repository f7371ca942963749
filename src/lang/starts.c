/* SPDX-License-Identifier: BSD-3-Clause */
/* The start of a run: the value of a border may hold params, and a param a reduction over a field
 * that is read beyond its faces. A border that so needs itself is a mistake.
 *
 * Names stand before their use, so only borders lead back. What is known at the start spreads
 * until it spreads no more; a border that is not reached then lies on a circle or behind one. */
#include "lang/lang_private.h"

/* Whether the reader sees more of the field than its own values. */
static bool reads_border(const parser *p, const field_read *r)
{
    for (int axis = 0; axis < p->dim; axis++) {
        if (r->lo[axis] != 0 || r->hi[axis] != 0 || r->transfer != READ_SAME)
            return true;
        for (int side = 0; side < 2; side++) {
            const statement *rule = r->symbol->notes->rule[axis][side];
            if (rule && (rule->border == BORDER_VALUE || rule->border == BORDER_ODD))
                return true;
        }
    }
    return false;
}

static bool all_known(const parser *p, const reads *list)
{
    for (int64_t i = 0; list && i < list->count; i++) {
        const field_read *r = &list->item[i];
        const struct symbol_notes *notes = r->symbol->notes;
        if (!notes->ready)
            return false;
        if (r->symbol->kind == SYMBOL_FIELD && !notes->closed && reads_border(p, r))
            return false;
    }
    return true;
}

static bool faces_known(const parser *p, const symbol *field)
{
    for (int axis = 0; axis < p->dim; axis++)
        for (int side = 0; side < 2; side++)
            if (!all_known(p, field->notes->rule_reads[axis][side]))
                return false;
    return true;
}

/* Whether something new became known. */
static bool spread(parser *p)
{
    bool news = false;

    for (int64_t i = 0; i < p->checks; i++) {
        const statement *s = p->check[i].statement;
        if (s->kind != STATEMENT_PARAM && s->kind != STATEMENT_FIELD)
            continue;
        struct symbol_notes *notes = s->symbol->notes;
        const bool ready = notes->ready || all_known(p, p->check[i].reads);
        const bool closed = notes->closed || s->kind == STATEMENT_PARAM ||
                            (ready && faces_known(p, s->symbol));
        news |= ready != notes->ready || closed != notes->closed;
        notes->ready = ready;
        notes->closed = closed;
    }
    return news;
}

/* The param of a field's border that is not known, or NULL. */
static const field_read *find_param(const parser *p, const symbol *field)
{
    for (int axis = 0; axis < p->dim; axis++)
        for (int side = 0; side < 2; side++) {
            const reads *list = field->notes->rule_reads[axis][side];
            for (int64_t i = 0; list && i < list->count; i++)
                if (!list->item[i].symbol->notes->ready)
                    return &list->item[i];
        }
    return NULL;
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
}
