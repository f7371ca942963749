/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses all statements one after the other. This file contains the equations and the
 * statements about the length of a run. */
#include <string.h>

#include "lang/lang_private.h"

/* ---- contexts of expressions ------------------------------------------------------- */

/* The context of an expression decides on the values in it: a table has one row for each
 * context. */

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

static const context_row context_rows[] = {
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
    const context_row *row = &context_rows[where];
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

/* ---- common parts: field name, interval, file, end --------------------------------- */

statement *statement_new(parser *p, statement_kind kind, place at)
{
    statement *s = arena_alloc(p->arena, 1, sizeof *s);

    s->kind = kind;
    s->at = at;
    s->slice_axis = -1;
    *p->last = s;
    p->last = &s->next;
    return s;
}

symbol *field_parse(parser *p)
{
    const token *name = expect_name(p, "the name of a field");

    if (!name)
        return NULL;
    symbol *s = symbol_find(p, name->text, name->length);
    if (!s && word_is_reserved(name->text, name->length))
        syntax_mistake_at(p, name->at,
                          "the name of a field is needed here, and '%.*s' is a word of "
                          "the language; a number such as max(u) is recorded by "
                          "measure m = max(u)",
                          name->length, name->text);
    else if (!s)
        report_unknown(p, name, "field", NEAR_FIELDS | NEAR_PARTS);
    else if (s->kind != SYMBOL_FIELD && !s->notes->bad)
        mistake_at(p, name->at, "'%s' is a %s; the name of a field is needed here",
                   s->name, symbol_kind_name(s->kind));
    return s && s->kind == SYMBOL_FIELD && !s->notes->bad ? s : NULL;
}

bool every_parse(parser *p, statement *s)
{
    const place at = p->next->at;

    if (!accept(p, "every"))
        return false;
    if (s->every)
        mistake_at(p, at, "'every' is given twice");
    s->every = expr_parse(p);
    if (!p->panic)
        constant_integer(p, s->every, "the number of steps after 'every'", 1, INT64_MAX,
                         &s->every_steps);
    return true;
}

bool file_parse(parser *p, statement *s)
{
    const place at = p->next->at;

    if (!accept(p, "into"))
        return false;
    if (s->file)
        mistake_at(p, at, "'into' is given twice");
    s->file_at = p->next->at;
    s->file = expect_string(p);
    return true;
}

bool statement_ends(parser *p)
{
    if (p->panic || at_statement_end(p))
        return !p->panic;
    if (p->next->kind == TOKEN_BAD)
        syntax_mistake(p, "this is not expected here");
    else
        report_rest(p);
    p->panic = true;
    skip_rest(p);
    return false;
}

/* ---- statements -------------------------------------------------------------------- */

/* ---- computing --------------------------------------------------------------------- */

static void initial_parse(parser *p, place at)
{
    statement *s = statement_new(p, STATEMENT_INITIAL, at);
    int64_t level = 1;

    expect(p, "(");
    s->symbol = field_parse(p);
    if (accept(p, ",")) {
        const expr *e = expr_parse(p);
        if (!p->panic)
            constant_integer(p, e, "the age of a level", 1, MAX_LEVEL, &level);
    }
    expect(p, ")");
    expect_on(p, "=");
    s->value = expr_parse(p);
    s->level = (int)level;
    if (!statement_ends(p) || !s->symbol)
        return;
    if (s->symbol->initial_prev[level])
        mistake_at(p, at, "what prev(%s, %d) starts from is given twice", s->symbol->name,
                   (int)level);
    s->symbol->initial_prev[level] = s->value;
    reads *r = reads_new(p);
    expr_check(p, s->value, false, CONTEXT_INITIAL, s->symbol->coarse, r);
    statement_check(p, s, r);
}

static void update_parse(parser *p, place at)
{
    statement *s = statement_new(p, STATEMENT_UPDATE, at);

    s->symbol = field_parse(p);
    expect(p, "'");
    if (next_is(p, "'"))
        syntax_mistake(p,
                       "an equation gives the value after a step, u' = ...; older values "
                       "are prev(u), as in u' = 2*u - prev(u) + ...");
    expect_on(p, "=");
    s->value = expr_parse(p);
    if (!statement_ends(p) || !s->symbol)
        return;
    struct symbol_notes *notes = s->symbol->notes;
    if (notes->equation)
        mistake_at(p, at, "%s' has an equation in line %d already", s->symbol->name,
                   notes->equation->at.line);
    notes->equation = s;
    notes->equation_number = ++p->equations;
    s->symbol->updated = true;
    reads *r = reads_new(p);
    expr_check(p, s->value, false, CONTEXT_UPDATE, s->symbol->coarse, r);
    statement_check(p, s, r);
}

static void until_parse(parser *p, place at)
{
    statement *s = statement_new(p, STATEMENT_UNTIL, at);
    reads *r = reads_new(p);

    s->value = expr_parse(p);
    every_parse(p, s);
    if (statement_ends(p))
        expr_check(p, s->value, true, CONTEXT_AFTER, false, r);
    statement_check(p, s, r);
}

static void expect_parse(parser *p, place at)
{
    statement *s = statement_new(p, STATEMENT_EXPECT, at);
    reads *r = reads_new(p);

    s->value = expr_parse(p);
    if (statement_ends(p))
        expr_check(p, s->value, true, CONTEXT_AFTER, false, r);
    statement_check(p, s, r);
}

static void steps_parse(parser *p, place at)
{
    statement *s = statement_new(p, STATEMENT_STEPS, at);

    if (p->steps)
        mistake_at(p, at, "'steps' stands in line %d already", p->steps->at.line);
    else
        p->steps = s;
    s->value = expr_parse(p);
    if (p->steps == s && !p->panic &&
        constant_integer(p, s->value, "the number of steps", 1, INT64_MAX, &s->count))
        p->program->steps = s->count;
}

/* chaotic 7 by 64 */
static void chaotic_parse(parser *p, place at)
{
    statement *s = statement_new(p, STATEMENT_CHAOTIC, at);
    program *tree = p->program;

    if (tree->chaotic)
        mistake_at(p, at, "'chaotic' stands twice");
    s->value = expr_parse(p);
    if (!p->panic)
        constant_integer(p, s->value, "the steps that blocks do not wait", 2, 256,
                         &tree->chaotic);
    if (!expect_on(p, "by"))
        return;
    s->every = expr_parse(p);
    if (!p->panic)
        constant_integer(p, s->every, "the points of a block", 1, INT32_MAX,
                         &tree->chaotic_block);
    (void)statement_ends(p);
}

/* checkpoint every 1000 into "heat.checkpoint" */
static void checkpoint_parse(parser *p, place at)
{
    const statement *other = p->program->first;
    statement *s = statement_new(p, STATEMENT_CHECKPOINT, at);

    while (every_parse(p, s) || file_parse(p, s))
        continue;
    if (!statement_ends(p))
        return;
    if (!s->every)
        mistake_at(p, at, "how often? 'checkpoint every 1000' says it");
    while (other && other->kind != STATEMENT_CHECKPOINT)
        other = other->next;
    if (other && other != s)
        mistake_at(p, at, "'checkpoint' stands in line %d already", other->at.line);
    statement_check(p, s, reads_new(p));
}

/* ---- all statements ---------------------------------------------------------------- */

static const struct statement_row {
    const char *word;
    void (*parse)(parser *p, place at);
    bool declares; /* several names may follow */
} rows[] = {
    {"grid", grid_parse, false},     {"real", real_parse, false},
    {"param", param_parse, true},    {"scalar", scalar_parse, true},
    {"let", let_parse, true},        {"field", fields_parse, true},
    {"prev", initial_parse, false},  {"stencil", stencil_parse, false},
    {"border", border_parse, false}, {"absorb", absorb_parse, false},
    {"mask", mask_parse, false},     {"inject", inject_parse, false},
    {"sample", sample_parse, false}, {"measure", measure_parse, false},
    {"until", until_parse, false},   {"steps", steps_parse, false},
    {"output", output_parse, false}, {"expect", expect_parse, false},
    {"solve", solve_parse, false},   {"checkpoint", checkpoint_parse, false},
    {"coarse", coarse_parse, false}, {"chaotic", chaotic_parse, false},
};

/* Reports a line without a statement. Its names count as declared, because the line may
 * be a misspelt declaration. */
static void report_beginning(parser *p)
{
    const token *t = p->next;
    const int shown = t->length < 40 ? t->length : 40;

    p->declares = true;
    if (p->grid && t->kind == TOKEN_NAME && t->length == 1 &&
        strchr(axis_letters, *t->text)) {
        syntax_mistake(p, "axes stand in one statement, with commas between: grid x 100, "
                          "y 100");
    } else if (t->kind == TOKEN_NAME && t[1].kind == TOKEN_BAD) {
        p->next++;
        syntax_mistake(p, "unknown statement");
    } else if (t->kind == TOKEN_NAME && token_is(t + 1, "=")) {
        syntax_mistake(p,
                       "what is '%.*s'? An update is written %.*s' = ..., a number param "
                       "%.*s = ...",
                       shown, t->text, shown, t->text, shown, t->text);
    } else if (t->kind == TOKEN_NAME && foreign_statement(p, t)) {
        syntax_mistake(p, "%s", foreign_statement(p, t));
    } else if (t->kind == TOKEN_NAME) {
        mistake_near(p, t, NEAR_STATEMENTS | NEAR_FIELDS, "unknown statement '%.*s'",
                     shown, t->text);
        p->next++;
        p->panic = true;
        skip_rest(p);
    } else {
        syntax_mistake(p, "unknown statement");
    }
}

static void parse_one(parser *p)
{
    const token *t = p->next;

    if (p->on_mesh && mesh_statement_parse(p, t))
        return;
    if (t->kind == TOKEN_NAME && token_is(t + 1, "'")) {
        update_parse(p, t->at);
        return;
    }
    for (size_t i = 0; !p->on_mesh && i < COUNT_OF(rows); i++)
        if (t->kind == TOKEN_NAME && token_is(t, rows[i].word)) {
            take(p);
            p->declares = rows[i].declares;
            rows[i].parse(p, t->at);
            return;
        }
    report_beginning(p);
}

void statements_parse(parser *p)
{
    while (p->next->kind != TOKEN_END && p->mistakes.count <= MAX_MISTAKES) {
        if (p->next->kind == TOKEN_NEWLINE || token_is(p->next, ";")) {
            p->next++;
            continue;
        }
        p->panic = p->declares = false;
        p->arguments = 0;
        p->mistakes_before = p->mistakes.count;
        parse_one(p);
        statement_ends(p);
    }
}
