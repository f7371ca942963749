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
    int reduced;        /* newest level within reductions */
    bool later;         /* in all steps: a scalar brings the value of a reduction */
} context_row;

#define BIT(use) (1u << (use))
enum {
    ANYWHERE = 1 << USE_POINT | 1 << USE_TIME | 1 << USE_SCALAR,
    TRANSFER = 1 << USE_RESTRICT | 1 << USE_INTERPOLATE
};

static const context_row context_rows[] = {
    [CONTEXT_PARAM] = {"a param", BIT(USE_REDUCTION), false, -MAX_LEVEL, 0, 0, false},
    [CONTEXT_PARAM_DERIVED] = {"a param", BIT(USE_REDUCTION) | BIT(USE_SCALAR), false,
                               -MAX_LEVEL, 0, 0, false},
    [CONTEXT_SCALAR] = {"the initial value of a scalar", BIT(USE_REDUCTION), false,
                        -MAX_LEVEL, 0, 0, false},
    [CONTEXT_INITIAL] = {"an initial value",
                         ANYWHERE | TRANSFER | BIT(USE_RANDOM) | BIT(USE_UNIFORM), true,
                         0, 0, 0, false},
    [CONTEXT_SHOWN] = {"an output",
                       ANYWHERE | TRANSFER | BIT(USE_RANDOM) | BIT(USE_UNIFORM), true, 0,
                       0, 0, true},
    [CONTEXT_UPDATE] = {"an update",
                        ANYWHERE | TRANSFER | BIT(USE_REDUCTION) | BIT(USE_UNIFORM) |
                            BIT(USE_LINE),
                        true, -MAX_LEVEL, 1, 1, false},
    [CONTEXT_EVOLVE] = {"the equation of a scalar",
                        BIT(USE_TIME) | BIT(USE_SCALAR) | BIT(USE_REDUCTION) |
                            BIT(USE_UNIFORM),
                        false, -MAX_LEVEL, 1, 1, false},
    [CONTEXT_BORDER] = {"the value of a border", ANYWHERE, true, 0, 0, 0, false},
    [CONTEXT_MASK] = {"a mask", BIT(USE_POINT) | BIT(USE_SCALAR) | TRANSFER, true, 0, 0,
                      0, false},
    [CONTEXT_INJECT] = {"an injection", ANYWHERE | TRANSFER | BIT(USE_UNIFORM), true,
                        -MAX_LEVEL, 1, 0, true},
    [CONTEXT_AFTER] = {"what is taken after a step",
                       BIT(USE_TIME) | BIT(USE_SCALAR) | BIT(USE_MEASURE) |
                           BIT(USE_REDUCTION),
                       false, -MAX_LEVEL, 0, 0, false},
    [CONTEXT_SAMPLE] = {"a sample", ANYWHERE, true, 0, 0, 0, true},
    [CONTEXT_SOLVE] = {"an equation to solve",
                       BIT(USE_POINT) | BIT(USE_SCALAR) | TRANSFER, true, 0, 0, 0, false},
    [CONTEXT_SOLVE_STEP] = {"an equation to solve",
                            ANYWHERE | TRANSFER | BIT(USE_REDUCTION) | BIT(USE_UNIFORM),
                            true, -MAX_LEVEL, 1, 0, false},
};

static void report_use(parser *p, use_kind kind, const use *u, const context_row *row)
{
    static const struct {
        const char *before, *why;
    } words[USE_COUNT_CHECKED] = {
        [USE_POINT] = {"", "differs from point to point and cannot stand"},
        [USE_TIME] = {"", "changes with time and cannot stand"},
        [USE_SCALAR] = {"the scalar ", "may change between steps and cannot stand"},
        [USE_MEASURE] = {"the measure ", "is known only after a step and cannot stand"},
        [USE_RANDOM] =
            {"", "stands only in initial values (uniform(seed) also in updates), not"},
        [USE_UNIFORM] = {"",
                         "stands in initial values, updates, injections and solve, not"},
        [USE_REDUCTION] = {"", "over the grid cannot stand"},
        [USE_RESTRICT] = {"", "cannot stand"},
        [USE_INTERPOLATE] = {"", "cannot stand"},
        [USE_LINE] = {"", "along an axis stands in updates, not"},
    };
    const char *of = u->name, *way_out = "";

    if (kind == USE_REDUCTION)
        way_out = row->later
                      ? arena_print(p->arena,
                                    "; name it before, as in scalar m = %s(u), and after "
                                    "the equation of u, m' = %s(u')",
                                    of, of)
                      : arena_print(p->arena, "; name it before, as in param m = %s(u)",
                                    of);

    mistake_at(p, u->at, "%s'%s' %s in %s%s", words[kind].before, u->name,
               words[kind].why, row->name, way_out);
}

static void check_level(parser *p, const field_read *r, const context_row *row)
{
    const char *name = r->symbol->name;

    if (r->level > (r->reach.reduced ? row->reduced : row->newest))
        mistake_at(p, r->at, "%s' cannot stand %s%s%s", name,
                   r->reach.reduced ? "in a reduction of " : "in ", row->name,
                   row == &context_rows[CONTEXT_AFTER]
                       ? arena_print(p->arena,
                                     "; there %s is the new value, prev(%s) the old one",
                                     name, name)
                       : "");
    else if (r->level < row->oldest && !r->reach.reduced)
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
    else if (own < coarse && r->reach.derived)
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

    if (r->reach.reduced)
        return;
    if (r->reach.transfer == READ_SAME)
        check_same(p, r, coarse);
    else if (r->reach.transfer == READ_TO_FINE && !coarse)
        mistake_at(p, r->at,
                   "'restrict' gives values of the coarse grid and stands only in "
                   "equations of coarse fields");
    else if (r->reach.transfer == READ_TO_FINE && own != coarse - 1)
        mistake_at(p, r->at, "'restrict' takes fields of %s here, and '%s' is %scoarse",
                   coarse == 1 ? "the grid" : "the next finer grid", r->symbol->name,
                   own ? "" : "not ");
    else if (r->reach.transfer == READ_TO_COARSE && own <= coarse)
        mistake_at(p, r->at,
                   "'interpolate' gives values of a finer grid and cannot stand in "
                   "equations of coarse fields as coarse as '%s'",
                   r->symbol->name);
    else if (r->reach.transfer == READ_TO_COARSE && own > coarse + 1)
        mistake_at(p, r->at,
                   "'interpolate' takes fields of the next coarser grid, and '%s' is %d "
                   "times coarser",
                   r->symbol->name, 1 << (own - coarse));
}

static void check_read(parser *p, const field_read *r, const context_row *row, int coarse)
{
    if (r->symbol->kind == SYMBOL_SCALAR)
        check_level(p, r, row);
    if (r->symbol->kind != SYMBOL_FIELD)
        return;
    if (!row->fields && !r->reach.reduced)
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
    for (int i = 0; i < USE_COUNT_CHECKED; i++)
        if (into->use[i].name && !(row->uses & BIT(i)))
            report_use(p, (use_kind)i, &into->use[i], row);
    if (coarse && into->use[USE_LET_SPACING].name) {
        warn_at(
            p, into->use[USE_LET_SPACING].at,
            "'%s' in this let is the spacing of the coarse grid here, %d times that of "
            "the grid; if that is meant, make it an argument of the let and write %s "
            "here, else take a param, such as param d = %s",
            into->use[USE_LET_SPACING].name, 1 << coarse, into->use[USE_LET_SPACING].name,
            into->use[USE_LET_SPACING].name);
    }
    for (int64_t i = 0; i < into->count; i++)
        check_read(p, &into->item[i], row, coarse);
}

void statement_check(parser *p, statement *s, const reads *r)
{
    if (statement_is_bad(p))
        return;
    ARENA_ADD(p->arena, p->check, p->checks, p->check_capacity) = (checked){s, r};
}

void statement_check_again(parser *p, statement *s)
{
    reads *r = reads_new(p);

    expr_check(p, s->value, false, CONTEXT_UPDATE, s->symbol->coarse, r);
    if (s->edge)
        reads_collect(p, s->edge, r);
    for (int64_t i = 0; i < p->checks; i++)
        if (p->check[i].statement == s)
            p->check[i].reads = r;
}

statement *statement_made(parser *p, statement ***at, statement like)
{
    statement *s = arena_alloc(p->arena, 1, sizeof *s);

    like.made = true;
    like.next = **at;
    *s = like;
    **at = s;
    if (p->last == *at)
        p->last = &s->next;
    *at = &s->next;
    return s;
}

void equation_made(parser *p, statement ***at, statement like)
{
    symbol *of = like.symbol;
    const bool scalar = of->kind == SYMBOL_SCALAR;
    reads *r = reads_new(p);

    like.kind = scalar ? STATEMENT_EVOLVE : STATEMENT_UPDATE;
    like.slice_axis = -1;
    statement *s = statement_made(p, at, like);
    of->updated = true;
    of->notes->equation = s;
    expr_check(p, s->value, false, scalar ? CONTEXT_EVOLVE : CONTEXT_UPDATE, of->coarse,
               r);
    if (s->edge)
        reads_collect(p, s->edge, r);
    statement_check(p, s, r);
}

/* ---- common parts: field name, interval, file, end --------------------------------- */

place place_outside(const parser *p, place at)
{
    return at.file ? p->include[at.file - 1].at : at;
}

statement *statement_new(parser *p, statement_kind kind, place at)
{
    statement *s = arena_alloc(p->arena, 1, sizeof *s);

    *s = (statement){.kind = kind, .at = place_outside(p, at), .slice_axis = -1};
    *p->last = s;
    p->last = &s->next;
    return s;
}

/* The field to use in this turn in place of a list. */
static symbol *list_head(parser *p, const token *name, symbol *s)
{
    if (!s || s->kind != SYMBOL_LIST || s->notes->bad)
        return s;
    if (p->list && p->is_complex != s->is_complex)
        mistake_at(p, name->at,
                   "a list and a complex field cannot share a statement: write one for "
                   "'%s'",
                   s->name);
    else if (p->list && p->list != s->parts)
        mistake_at(p, name->at, "'%s' has %d components, and the list before it %d",
                   s->name, s->parts, p->list);
    p->list = s->parts;
    p->is_complex = s->is_complex;
    return list_part(p, s, p->turn % s->parts);
}

symbol *field_parse(parser *p)
{
    const token *name = expect_name(p, "the name of a field");

    if (!name)
        return NULL;
    symbol *s = list_head(p, name, symbol_find(p, name->text, name->length));
    if (!s && word_is_known(name->text, name->length))
        syntax_mistake_at(
            p, name->at,
            "the name of a field is needed here, and '%.*s' is %s; a number "
            "such as max(u) is recorded by measure m = max(u), a slope at a face is "
            "given "
            "by border neumann u = 0",
            name->length, name->text, word_purpose(p, name));
    else if (!s)
        report_unknown(p, name, "field", NEAR_FIELDS | NEAR_PARTS);
    else if (s->kind != SYMBOL_FIELD && !s->notes->bad)
        mistake_at(p, name->at, "'%.*s' is a %s; the name of a field is needed here%s",
                   name->length, name->text, symbol_kind_name(s->kind),
                   s->kind == SYMBOL_PARAM && token_is(p->next, "'")
                       ? ", or of a scalar: scalars can have equations, params keep "
                         "their values"
                       : "");
    return s && s->kind == SYMBOL_FIELD && !s->notes->bad ? s : NULL;
}

/* A field or a scalar. */
symbol *unknown_parse(parser *p)
{
    const token *name = p->next;
    symbol *s = symbol_find(p, name->text, name->length);
    symbol *head = s && s->kind == SYMBOL_LIST ? list_part(p, s, 0) : s;

    if (!head || head->kind != SYMBOL_SCALAR || head->notes->bad)
        return field_parse(p);
    take(p);
    return list_head(p, name, s);
}

bool statement_ends(parser *p)
{
    if (p->panic || at_statement_end(p))
        return !p->panic;
    if (p->next->kind == TOKEN_BAD)
        syntax_mistake(p, "this is not expected here");
    else
        report_rest(p);
    abandon_rest(p);
    return false;
}

/* ---- computing --------------------------------------------------------------------- */

static bool initial_parse(parser *p, statement *s)
{
    int64_t level = 1;

    expect(p, "(");
    s->symbol = field_parse(p);
    if (accept(p, ","))
        integer_parse(p, "the age of a level", 1, MAX_LEVEL, &level);
    expect(p, ")");
    expect_on(p, "=");
    s->value = expr_parse_part(p);
    s->level = (int)level;
    if (!statement_ends(p) || !s->symbol)
        return false;
    if (s->symbol->initial_prev[level])
        mistake_at(p, s->at, "what prev(%s, %d) starts from is given twice",
                   s->symbol->name, (int)level);
    s->symbol->initial_prev[level] = s->value;
    expr_check(p, s->value, false, CONTEXT_INITIAL, s->symbol->coarse, p->reads);
    return true;
}

/* u' = e every k: where(step - k*floor((step + 1/2)/k) == 0, e, u). Half a step keeps the
 * quotient, whose divisor becomes a rounded factor, away from whole numbers. */
static void take_some_steps(parser *p, statement *s)
{
    expr *step = expr_make(
        p, s->at, (expr){.kind = EXPR_BUILTIN, .builtin = BUILTIN_STEP}, 0, NULL);
    expr *every = number_new(p, s->at, num_int(s->every_steps)),
         *half = number_new(p, s->at, num_ratio(1, 2));
    expr *phase = expr_binary(p, OP_DIV, expr_binary(p, OP_ADD, step, half), every);

    phase = expr_call(p, s->at, FUNCTION_FLOOR, 1, &phase);
    expr *rest = expr_binary(p, OP_SUB, step, expr_binary(p, OP_MUL, every, phase));
    s->written = s->value;
    s->value = expr_call(
        p, s->at, FUNCTION_WHERE, 3,
        (expr *[]){expr_binary(p, OP_EQ, rest, number_new(p, s->at, num_int(0))),
                   s->value,
                   expr_make(p, s->at, (expr){.kind = EXPR_SYMBOL, .symbol = s->symbol},
                             0, NULL)});
}

/* u' = ..., of a field or a scalar */
static bool update_parse(parser *p, statement *s)
{
    s->symbol = unknown_parse(p);
    if (s->symbol && s->symbol->kind == SYMBOL_SCALAR)
        s->kind = STATEMENT_EVOLVE;
    expect(p, "'");
    if (next_is(p, "'"))
        syntax_mistake(p,
                       "an equation gives the value after a step, u' = ...; older values "
                       "are prev(u), as in u' = 2*u - prev(u) + ...");
    if (next_is(p, "+") || next_is(p, "-") || next_is(p, "*") || next_is(p, "/"))
        syntax_mistake(p,
                       "the left side is u' alone; an equation for u' is written solve "
                       "u' - dt*laplace(u') = u by auto to 1e-8");
    expect_on(p, "=");
    s->value = expr_parse_part(p);
    part_parse(p, s, PART_EVERY);
    if (!statement_ends(p) || !s->symbol)
        return false;
    if (s->every_steps > 1)
        take_some_steps(p, s);
    struct symbol_notes *notes = s->symbol->notes;
    if (notes->equation)
        mistake_at(p, s->at, "%s' has an equation in line %d already", s->symbol->name,
                   notes->equation->at.line);
    notes->equation = s;
    notes->equation_number = ++p->equations;
    s->symbol->updated = true;
    expr_check(p, s->value, false,
               s->kind == STATEMENT_EVOLVE ? CONTEXT_EVOLVE : CONTEXT_UPDATE,
               s->symbol->coarse, p->reads);
    return true;
}

/* until max(u) < 1 every 10, expect max(u) < 1 */
static bool condition_parse(parser *p, statement *s)
{
    s->value = expr_parse(p);
    if (s->kind == STATEMENT_UNTIL)
        part_parse(p, s, PART_EVERY);
    if (!statement_ends(p))
        return false;
    if (p->on_mesh)
        mesh_expr_check(p, s->value, true, MESH_AFTER);
    else
        expr_check(p, s->value, true, CONTEXT_AFTER, false, p->reads);
    return true;
}

/* True if a value is known only at the start of a run: it reduces initial values. */
static bool has_reduction(const expr *e)
{
    bool has = e->kind == EXPR_REDUCE ||
               (e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_PARAM &&
                !e->symbol->constant && !e->symbol->notes->bad);

    for (int i = 0; i < e->count; i++)
        has |= has_reduction(e->arg[i]);
    return has;
}

static bool steps_parse(parser *p, statement *s)
{
    if (p->steps)
        mistake_at(p, s->at, "'steps' stands in line %d already", p->steps->at.line);
    else
        p->steps = s;
    s->value = expr_parse(p);
    if (p->steps != s || p->panic)
        return true;
    const bool reduces = has_reduction(s->value);
    if (!reduces &&
        constant_integer(p, s->value, "the number of steps", 1, INT64_MAX, &s->count))
        p->program->steps = s->count;
    else if (reduces) {
        p->program->steps_param = symbol_hidden(p, SYMBOL_PARAM, "steps", s->at);
        p->program->steps_param->value = s->value;
        expr_check(p, s->value, false, CONTEXT_PARAM, false, p->reads);
    }
    s->once = accept(p, "at") && expect_on(p, "once");
    if (s->once && reduces)
        mistake_at(p, s->at, "steps at once need a number that is known before the run");
    if (s->once && !at_statement_end(p))
        s->every = integer_parse(p, "the steps of a jump", 1, INT64_MAX, &s->every_steps);
    return true;
}

/* chaotic 7 by 64 */
static bool chaotic_parse(parser *p, statement *s)
{
    program *tree = p->program;

    if (tree->chaotic)
        mistake_at(p, s->at, "'chaotic' stands twice");
    s->value = integer_parse(p, "the steps that blocks do not wait", 2, 256,
                             &tree->chaotic);
    if (!expect_on(p, "by"))
        return false;
    s->every = integer_parse(p, "the points of a block", 1, INT32_MAX,
                             &tree->chaotic_block);
    (void)statement_ends(p);
    return true;
}

/* checkpoint every 1000 into "heat.checkpoint" */
static bool checkpoint_parse(parser *p, statement *s)
{
    const statement *other = p->program->first;

    while (part_parse(p, s, PART_EVERY | PART_INTO))
        continue;
    if (!statement_ends(p))
        return false;
    if (!s->every)
        mistake_at(p, s->at, "how often? 'checkpoint every 1000' says it");
    while (other && other->kind != STATEMENT_CHECKPOINT)
        other = other->next;
    if (other && other != s)
        mistake_at(p, s->at, "'checkpoint' stands in line %d already", other->at.line);
    return true;
}

/* ---- all statements ---------------------------------------------------------------- */

enum { DECLARES_NOTHING, DECLARES_NAMES, DECLARES_ON_MESH };

typedef struct statement_row {
    const char *word;
    statement_kind kind;
    statement_parse *parse[2]; /* on a grid, on a mesh */
    statement_more *more;
    int declares;
    const char *example;
} statement_row;

static const statement_row rows[] = {
#define ROW(word, KIND, grid, mesh, more, declares, example)                             \
    {#word, STATEMENT_##KIND, {grid, mesh}, more, declares, example},
    STATEMENT_LIST(ROW)
#undef ROW
    /* Words that may be names, too. */
    {"prev", STATEMENT_INITIAL, {initial_parse, NULL}, NULL, DECLARES_NOTHING, NULL},
    {"advance", STATEMENT_ADVANCE, {advance_parse, NULL}, NULL, DECLARES_NOTHING, NULL},
    {"coarse", STATEMENT_COARSE, {coarse_parse, NULL}, NULL, DECLARES_NOTHING, NULL},
    {"mesh", STATEMENT_MESH, {NULL, mesh_parse}, NULL, DECLARES_NOTHING, NULL},
    {"form", STATEMENT_FORM, {NULL, form_parse}, NULL, DECLARES_NAMES, NULL},
};
static const statement_row update_row = {"'",  STATEMENT_UPDATE, {update_parse, NULL},
                                         NULL, DECLARES_NOTHING, NULL};

static const statement_row *find_row(const parser *p, const token *t)
{
    for (size_t i = 0; t->kind == TOKEN_NAME && i < COUNT_OF(rows); i++)
        if (rows[i].parse[p->on_mesh] && token_is(t, rows[i].word))
            return &rows[i];
    return NULL;
}

const char *statement_example(const token *word)
{
    size_t i = 0;

    while (i < COUNT_OF(rows) - 1 && !token_is(word, rows[i].word))
        i++;
    return rows[i].example;
}

/* Reports a line without a statement. Its names count as declared, because the line may
 * be a misspelt declaration. */
static void report_beginning(parser *p)
{
    const token *t = p->next;
    const int shown = t->length < 40 ? t->length : 40;
    const symbol *s = t->kind == TOKEN_NAME ? symbol_find(p, t->text, t->length) : NULL;

    p->declares = true;
    if (p->grid && t->kind == TOKEN_NAME && t->length == 1 &&
        strchr(axis_letters, *t->text)) {
        syntax_mistake(p, "axes stand in one statement, with commas between: grid x 100, "
                          "y 100");
    } else if (t->kind == TOKEN_NAME && t[1].kind == TOKEN_BAD) {
        p->next++;
        syntax_mistake(p, "unknown statement");
    } else if (t->kind == TOKEN_NAME && token_is(t + 1, "=") &&
               word_is_reserved(t->text, t->length)) {
        report_reserved(p, t);
        abandon_rest(p);
    } else if (s && (s->kind == SYMBOL_FIELD || s->kind == SYMBOL_LIST ||
                     !token_is(t + 1, "="))) {
        syntax_mistake(
            p,
            "a line begins with a statement, such as %.*s' = ... for a new value, or "
            "field %.*s = ... for the first one; a neighbour is %.*s[1]",
            shown, t->text, shown, t->text, shown, t->text);
    } else if (t->kind == TOKEN_NAME && token_is(t + 1, "=") &&
               !(t->length > 2 && memcmp(t->text + t->length - 2, "_t", 2) == 0)) {
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
        abandon_rest(p);
    } else {
        syntax_mistake(p, "unknown statement: a line begins with a word or u' = ..., a "
                          "comment with #");
    }
}

static void parse_row(parser *p, const statement_row *row, place at)
{
    p->declares = row->declares == DECLARES_NAMES ||
                  (row->declares == DECLARES_ON_MESH && p->on_mesh);
    bool more;
    do {
        const token *begin = p->next;
        p->turn = 0;
        do { /* once for each part of a list */
            p->next = begin;
            p->list = p->arguments = 0;
            p->parts = 0;
            p->numbers = p->is_complex = false;
            statement *s = statement_new(p, row->kind, at);
            p->reads = reads_new(p);
            if (row->parse[p->on_mesh](p, s))
                statement_check(p, s, p->reads);
        } while (++p->turn < p->list && !statement_is_bad(p));
        more = row->more && row->more(p);
        at = p->next->at;
    } while (more);
}

static void parse_one(parser *p)
{
    const token *t = p->next;
    const statement_row *row = find_row(p, t);
    const bool updates = t->kind == TOKEN_NAME && token_is(t + 1, "'");

    if (updates && !p->on_mesh) {
        parse_row(p, &update_row, t->at);
    } else if (row) {
        take(p);
        parse_row(p, row, t->at);
    } else if (updates) {
        syntax_mistake(p, "an update belongs to programs on a grid: nothing changes in "
                          "time on a mesh");
    } else if (p->on_mesh && t->kind == TOKEN_NAME &&
               word_begins_statement(t->text, t->length)) {
        syntax_mistake(
            p,
            "'%.*s' belongs to programs on a grid; on a mesh there are mesh, param, let, "
            "field, form, border, solve, output, measure and expect",
            t->length, t->text);
    } else {
        report_beginning(p);
    }
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
        p->parts = 0;
        p->mistakes_before = p->mistakes.count;
        parse_one(p);
        statement_ends(p);
    }
}
