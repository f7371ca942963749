/* SPDX-License-Identifier: BSD-3-Clause */
/* The context of an expression decides on the values in it: a table has one row for each
 * context. */
#include "lang/lang_private.h"

typedef struct context_row {
    const char *name;
    unsigned uses;      /* bit k: use_kind k */
    bool fields;        /* outside of reductions */
    int oldest, newest; /* levels of fields */
} context_row;

#define BIT(use) (1u << (use))
enum {
    ANYWHERE = 1 << USE_POINT | 1 << USE_TIME | 1 << USE_SCALAR,
    TRANSFER = 1 << USE_RESTRICT | 1 << USE_INTERPOLATE
};

static const context_row rows[] = {
    [CONTEXT_PARAM] = {"a param", BIT(USE_REDUCTION), false, -MAX_LEVEL, 0},
    [CONTEXT_PARAM_DERIVED] = {"a param", BIT(USE_REDUCTION) | BIT(USE_SCALAR), false,
                               -MAX_LEVEL, 0},
    [CONTEXT_INITIAL] = {"an initial value", ANYWHERE | TRANSFER | BIT(USE_RANDOM), true,
                         0, 0},
    [CONTEXT_UPDATE] = {"an update", ANYWHERE | TRANSFER | BIT(USE_REDUCTION), true,
                        -MAX_LEVEL, 1},
    [CONTEXT_BORDER] = {"the value of a border", ANYWHERE, false, 0, 0},
    [CONTEXT_MASK] = {"a mask", BIT(USE_POINT) | BIT(USE_SCALAR) | TRANSFER, true, 0, 0},
    [CONTEXT_INJECT] = {"an injection", ANYWHERE | TRANSFER, true, -MAX_LEVEL, 1},
    [CONTEXT_AFTER] = {"what is taken after a step",
                       BIT(USE_TIME) | BIT(USE_SCALAR) | BIT(USE_MEASURE) |
                           BIT(USE_REDUCTION),
                       false, -MAX_LEVEL, 0},
    [CONTEXT_SAMPLE] = {"a sample", ANYWHERE, true, 0, 0},
    [CONTEXT_SOLVE] = {"an equation to solve",
                       BIT(USE_POINT) | BIT(USE_SCALAR) | TRANSFER, true, 0, 0},
    [CONTEXT_SOLVE_STEP] = {"an equation to solve",
                            ANYWHERE | TRANSFER | BIT(USE_REDUCTION), true, -MAX_LEVEL,
                            1},
};

static void report_use(parser *p, use_kind kind, const use *u, const context_row *row)
{
    switch (kind) {
    case USE_POINT:
        mistake_at(p, u->at, "'%s' differs from point to point and cannot stand in %s",
                   u->name, row->name);
        break;
    case USE_TIME:
        mistake_at(p, u->at, "'%s' changes with time and cannot stand in %s", u->name,
                   row->name);
        break;
    case USE_SCALAR:
        mistake_at(p, u->at,
                   "the scalar '%s' may change between steps and cannot stand in %s",
                   u->name, row->name);
        break;
    case USE_MEASURE:
        mistake_at(p, u->at,
                   "the measure '%s' is known only after a step and cannot stand in %s",
                   u->name, row->name);
        break;
    case USE_RANDOM:
        mistake_at(p, u->at, "'random' stands only in initial values, not in %s",
                   row->name);
        break;
    case USE_REDUCTION:
        mistake_at(p, u->at,
                   "'%s' over the grid cannot stand in %s; name it before, as in "
                   "param m = %s(u)",
                   u->name, row->name, u->name);
        break;
    default: mistake_at(p, u->at, "'%s' cannot stand in %s", u->name, row->name); break;
    }
}

static void check_level(parser *p, const field_read *r, const context_row *row)
{
    const char *name = r->symbol->name;

    if (r->level > row->newest || (r->reduced && r->level > 0))
        mistake_at(p, r->at, "%s' cannot stand %s%s", name,
                   r->reduced ? "in a reduction of " : "in ", row->name);
    else if (r->level < row->oldest && !r->reduced)
        mistake_at(p, r->at, "prev(%s) cannot stand in %s; only %s itself can", name,
                   row->name, name);
}

/* Reports a read of a coarser or finer field without a transfer. */
static void check_same(parser *p, const field_read *r, int coarse)
{
    const char *name = r->symbol->name;
    const int own = r->symbol->coarse;

    if (own > coarse)
        mistake_at(p, r->at, "'%s' is coarse; on %s it is read through interpolate(%s)",
                   name, coarse ? "a finer grid" : "the grid", name);
    else if (own < coarse - 1)
        mistake_at(p, r->at,
                   "'%s' is %d times finer than what is computed; write restrict(...) "
                   "of a field on each grid between",
                   name, 1 << (coarse - own));
    else if (own < coarse && r->derived)
        mistake_at(p, r->at,
                   "'%s' is not coarse, and its derivative is not known there; write "
                   "restrict(...), or read its points as %s[i]",
                   name, name);
}

/* Fields of two grids can be combined only by restrict and interpolate, or by r[i] of the
 * finer grid. */
static void check_transfer(parser *p, const field_read *r, int coarse)
{
    const int own = r->symbol->coarse;

    if (r->reduced)
        return;
    if (r->transfer == READ_SAME)
        check_same(p, r, coarse);
    else if (r->transfer == READ_TO_FINE && !coarse)
        mistake_at(p, r->at,
                   "'restrict' gives values of the coarse grid and stands only in "
                   "equations of coarse fields");
    else if (r->transfer == READ_TO_FINE && own != coarse - 1)
        mistake_at(p, r->at, "'restrict' takes fields of %s here, and '%s' is %scoarse",
                   coarse == 1 ? "the grid" : "the next finer grid", r->symbol->name,
                   own ? "" : "not ");
    else if (r->transfer == READ_TO_COARSE && own <= coarse)
        mistake_at(p, r->at,
                   "'interpolate' gives values of a finer grid and cannot stand in "
                   "equations of coarse fields as coarse as '%s'",
                   r->symbol->name);
    else if (r->transfer == READ_TO_COARSE && own > coarse + 1)
        mistake_at(p, r->at,
                   "'interpolate' takes fields of the next coarser grid, and '%s' is %d "
                   "times coarser",
                   r->symbol->name, 1 << (own - coarse));
}

static void check_read(parser *p, const field_read *r, const context_row *row, int coarse)
{
    if (r->symbol->kind != SYMBOL_FIELD)
        return;
    if (!row->fields && !r->reduced)
        mistake_at(p, r->at,
                   "the field '%s' differs from point to point and cannot stand in %s%s",
                   r->symbol->name, row->name,
                   row->uses & BIT(USE_REDUCTION) ? "; sum, min, max or norm of it can"
                                                  : "");
    else {
        const int before = p->mistakes.count;
        check_level(p, r, row);
        if (p->mistakes.count == before)
            check_transfer(p, r, coarse);
    }
}

void expr_check(parser *p, expr *e, bool condition, context where, int coarse,
                reads *into)
{
    const context_row *row = &rows[where];
    const int before = p->mistakes.count;

    type_check(p, e, condition);
    reads_collect(p, e, into);
    if (p->mistakes.count > before)
        return;
    for (int i = 0; i < USE_COUNT; i++)
        if (into->use[i].name && !(row->uses & BIT(i)))
            report_use(p, (use_kind)i, &into->use[i], row);
    for (int64_t i = 0; i < into->count; i++)
        check_read(p, &into->item[i], row, coarse);
}

void statement_check(parser *p, statement *s, const reads *r)
{
    if (statement_is_bad(p))
        return;
    arena_reserve(p->arena, &p->check, p->checks, &p->check_capacity, sizeof *p->check);
    p->check[p->checks++] = (checked){s, r};
}
