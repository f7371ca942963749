/* SPDX-License-Identifier: BSD-3-Clause */
/* Levels: u' exists after its equation; prev(u, k) exists up to the oldest level read by
 * equations. */
#include "lang/lang_private.h"

static bool is_equation(const statement *s)
{
    return s->kind == STATEMENT_UPDATE || (s->kind == STATEMENT_SOLVE && s->level);
}

static bool in_step(const statement *s)
{
    return is_equation(s) || s->kind == STATEMENT_INJECT;
}

static void find_oldest(const checked *c)
{
    for (int64_t i = 0; i < c->reads->count; i++) {
        const field_read *r = &c->reads->item[i];
        if (in_step(c->statement) && -r->level > r->symbol->oldest)
            r->symbol->oldest = -r->level;
    }
}

/* Checks u' in an equation or an injection. */
static void check_new(parser *p, const statement *s, const field_read *r)
{
    const struct symbol_notes *notes = r->symbol->notes;
    const char *name = r->symbol->name;

    if (!notes->equation)
        mistake_at(p, r->at, "%s' has no equation", name);
    else if (notes->equation == s && s->kind == STATEMENT_SOLVE)
        return;
    else if (notes->equation == s)
        mistake_at(p, r->at, "%s' cannot stand in its own equation", name);
    else if (is_equation(s) && notes->equation_number > s->symbol->notes->equation_number)
        mistake_at(p, r->at, "%s' is read before its equation in line %d", name,
                   notes->equation->at.line);
}

/* Checks the read of an older level. After a step, one more level exists than the
 * equations read. */
static void check_old(parser *p, const statement *s, const field_read *r)
{
    const bool after = s->kind == STATEMENT_MEASURE || s->kind == STATEMENT_UNTIL ||
                       s->kind == STATEMENT_EXPECT;
    const int kept = r->symbol->oldest + (after ? 1 : 0);

    if (!r->symbol->updated)
        mistake_at(p, r->at, "'%s' is never updated, so it has no older levels",
                   r->symbol->name);
    else if (-r->level > kept && kept == 0)
        mistake_at(p, r->at, "no equation reads prev(%s), so it is not kept",
                   r->symbol->name);
    else if (-r->level > kept)
        mistake_at(p, r->at, "prev(%s, %d) is not kept; prev(%s, %d) is the oldest here",
                   r->symbol->name, -r->level, r->symbol->name, kept);
}

static void check_start(parser *p, const statement *s)
{
    if (!s->symbol->updated)
        mistake_at(p, s->at, "'%s' is never updated, so it has no older levels",
                   s->symbol->name);
    else if (s->level > s->symbol->oldest)
        mistake_at(p, s->at,
                   "no equation reads prev(%s, %d), so it needs no initial value",
                   s->symbol->name, s->level);
}

void levels_check(parser *p)
{
    for (int64_t i = 0; i < p->checks; i++)
        find_oldest(&p->check[i]);
    for (int64_t i = 0; i < p->checks; i++) {
        const checked *c = &p->check[i];
        if (c->statement->kind == STATEMENT_INITIAL)
            check_start(p, c->statement);
        for (int64_t k = 0; k < c->reads->count; k++) {
            if (c->reads->item[k].level > 0)
                check_new(p, c->statement, &c->reads->item[k]);
            else if (c->reads->item[k].level < 0)
                check_old(p, c->statement, &c->reads->item[k]);
        }
    }
}
