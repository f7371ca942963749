/* SPDX-License-Identifier: BSD-3-Clause */
/* Methods in time: advance u = f, v = g by rk4 becomes equations of hidden fields, the
 * stages of the method, before all other rules. So nothing else knows these methods.
 *
 * A stage reads the rates of the stage before, at its time. A copy of the rate's tree
 * reads the hidden fields in place of u and v; lets that depend on them are copied, too.
 * Hidden fields have the borders and masks of their fields; the value of such a border
 * reads the hidden fields of the same stage. */
#include <stdio.h>
#include <string.h>

#include "lang/lang_private.h"

enum { MOST_STAGES = 4 };

/* Value of stage k: u + sum of weight[j]*(y_j - u)/over + dt*rate/part, where y_1 is the
 * value of the first stage, and the rate is taken of the stage before. All times count
 * in halves of a step. */
typedef struct method_stage {
    int weight[MOST_STAGES - 1], over, part[2], time;
} method_stage;

static const struct method {
    const char *name;
    int stages; /* 0: Adams-Bashforth */
    method_stage stage[MOST_STAGES];
} methods[] = {
    {"euler", 1, {{{0}, 1, {1, 1}, 0}}},
    {"rk2", 2, {{{0}, 1, {1, 1}, 0}, {{1}, 2, {1, 2}, 2}}},
    /* Shu and Osher, J. Comput. Phys. 77 (1988) */
    {"ssprk3", 3, {{{0}, 1, {1, 1}, 0}, {{1}, 4, {1, 4}, 2}, {{0, 2}, 3, {2, 3}, 1}}},
    {"rk4",
     4,
     {{{0}, 1, {1, 2}, 0},
      {{0}, 1, {1, 2}, 1},
      {{0}, 1, {1, 1}, 1},
      {{1, 2, 1}, 3, {1, 6}, 2}}},
    {.name = "ab2"},
};

/* ---- parsing ----------------------------------------------------------------------- */

static void add_rate(parser *p, statement *s, const token *name, symbol *of, expr *rate,
                     int64_t capacity[2])
{
    if (of->notes->equation)
        mistake_at(p, name->at, "%s' has an equation in line %d already", of->name,
                   of->notes->equation->at.line);
    of->notes->equation = s;
    of->updated = true;
    expr_check(p, rate, false,
               of->kind == SYMBOL_SCALAR ? CONTEXT_EVOLVE : CONTEXT_UPDATE, of->coarse,
               reads_new(p));
    arena_reserve(p->arena, &s->left, s->columns, &capacity[0], sizeof *s->left);
    arena_reserve(p->arena, &s->column, s->columns, &capacity[1], sizeof *s->column);
    s->left[s->columns] = of;
    s->column[s->columns++] = rate;
}

static void parse_rate(parser *p, statement *s, int64_t capacity[2])
{
    const token *name = p->next;
    symbol *of = symbol_find(p, name->text, name->length);
    const int parts = of && of->kind == SYMBOL_LIST ? of->parts : 0;
    p->is_complex = of && of->is_complex;

    symbol *first = unknown_parse(p);
    p->list = 0; /* all components are taken here */
    of = parts && first ? of : first;
    expect_on(p, "=");
    expr *rate = expr_parse_any(p);
    for (int i = 0; i < parts + !parts && of && !p->panic; i++)
        add_rate(p, s, name, parts ? list_part(p, of, i) : of,
                 list_turn(p, rate, parts, i), capacity);
}

/* advance u = f, v = g by rk4 in 3 steps */
bool advance_parse(parser *p, statement *s)
{
    int64_t capacity[2] = {0};

    do
        parse_rate(p, s, capacity);
    while (!p->panic && accept_on(p, ","));
    if (p->panic || !expect(p, "by"))
        return false;
    const token *name = p->next;
    const char *const word = token_text(p, name);
    const char *all[COUNT_OF(methods)], *near = NULL;
    bool known = false;
    for (size_t k = 0; k < COUNT_OF(methods); k++) {
        all[k] = methods[k].name;
        known |= token_is(name, all[k]);
        near = name->length > 2 && strstr(all[k], word) ? all[k] : near; /* rk3 */
    }
    if (!known)
        syntax_mistake(p, "the methods are euler, rk2, ssprk3, rk4 and ab2%s",
                       near ? arena_print(p->arena, "; did you mean '%s'?", near)
                            : did_you_mean(p, word, all, COUNT_OF(methods)));
    else
        s->method = token_text(p, take(p));
    s->count = 1;
    if (!p->panic && accept(p, "in")) {
        (void)integer_parse(p, "the number of steps within a step", 1, 64, &s->count);
        expect(p, "steps");
    }
    (void)statement_ends(p);
    return false; /* its equations are checked */
}

/* ---- copies of trees --------------------------------------------------------------- */

typedef struct advancing {
    parser *p;
    const statement *s;
    symbol **now; /* of each advanced field: its values in the rates being copied */
    num later;    /* times of the rates, in steps after the present one */
    int level; /* of `now` in the copies: 1, or in borders 0, the level that is closed */
    int64_t lets, capacity;
    struct copied {
        symbol *let, *copy;
    } * copied;      /* lets with copies */
    statement **end; /* the next equation comes here */
} advancing;

static expr *number(const advancing *a, num value)
{
    return number_new(a->p, a->s->at, value);
}

static expr *value_of(const advancing *a, symbol *of, int level)
{
    return expr_make(a->p, a->s->at,
                     (expr){.kind = EXPR_SYMBOL, .symbol = of, .level = level}, 0, NULL);
}

static int find(const advancing *a, const symbol *of)
{
    for (int i = 0; i < a->s->columns; i++)
        if (a->s->left[i] == of)
            return i;
    return -1;
}

static bool depends(const advancing *a, const reads *r)
{
    bool any = r && r->use[USE_TIME].name;

    for (int64_t i = 0; r && i < r->count; i++)
        any |= find(a, r->item[i].symbol) >= 0;
    return any;
}

static expr *copy_tree(advancing *a, const expr *e);

static symbol *copy_let(advancing *a, symbol *let)
{
    parser *p = a->p;

    if (let->notes->bad || !depends(a, let->notes->reads))
        return let;
    for (int64_t i = 0; i < a->lets; i++)
        if (a->copied[i].let == let)
            return a->copied[i].copy;
    symbol *c = symbol_hidden(p, SYMBOL_LET, let->name, let->at);
    c->arguments = let->arguments;
    c->argument = let->argument;
    c->boolean = let->boolean;
    c->value = copy_tree(a, let->value);
    c->notes->reads = reads_new(p);
    reads_collect(p, c->value, c->notes->reads);
    if (c->arguments == 0)
        constant_settle(p, c);
    ARENA_ADD(p->arena, a->copied, a->lets, a->capacity) = (struct copied){let, c};
    return c;
}

static expr *copy_tree(advancing *a, const expr *e)
{
    expr *c = expr_new(a->p, e->kind, e->at);
    const int of = e->kind == EXPR_SYMBOL && a->now ? find(a, e->symbol) : -1;
    expr **arg = arena_alloc(a->p->arena, e->count + 1, sizeof *arg);

    *c = *e;
    for (int i = 0; i < e->count; i++)
        arg[i] = copy_tree(a, e->arg[i]);
    c->arg = arg;
    if (of >= 0 && e->level != 0)
        mistake_at(a->p, e->at, "a rate reads '%s' itself, not another level of it",
                   e->symbol->name);
    if (of >= 0 && a->now[of] != e->symbol) {
        c->symbol = a->now[of];
        c->level = a->level;
    }
    if ((e->kind == EXPR_SYMBOL || e->kind == EXPR_APPLY) &&
        e->symbol->kind == SYMBOL_LET)
        c->symbol = copy_let(a, e->symbol);
    if (e->kind == EXPR_STENCIL && depends(a, e->symbol->notes->reads))
        mistake_at(a->p, e->at,
                   "the weights of '%s' depend on time or on what is advanced: write the "
                   "sum out",
                   e->symbol->name);
    expr_close(a->p, c);
    return e->kind != EXPR_BUILTIN || e->builtin != BUILTIN_T || a->later.v == 0
               ? c
               : expr_binary(a->p, OP_ADD, c,
                             expr_binary(a->p, OP_MUL, number(a, a->later),
                                         value_of(a, a->p->program->dt, 0)));
}

/* ---- hidden fields ----------------------------------------------------------------- */

static void add_equation(advancing *a, symbol *of, expr *value)
{
    equation_made(a->p, &a->end,
                  (statement){.at = a->s->at, .symbol = of, .value = value});
}

/* The copies that follow read `now` in place of the fields (NULL: the fields), at a time
 * later by this part of a step. */
static void look_at(advancing *a, symbol **now, num later)
{
    a->now = now;
    a->later = later;
    a->level = 1;
    a->lets = a->p->nodes = 0;
}

/* Gives the hidden field of advanced field i the borders and masks of its field, at its
 * own time. No point reads a rate (`now` is NULL) beyond a face. So a border of a rate
 * reads no fields: it only keeps the points of the face that the equation takes. */
static void add_rules(advancing *a, int i, symbol *hidden, symbol **now, num later)
{
    const symbol *const of = a->s->left[i];

    look_at(a, now, later);
    a->level = 0;
    for (statement *s = a->p->program->first; s; s = s->next) {
        if (of->kind != SYMBOL_FIELD || s->made ||
            !(((s->kind == STATEMENT_BORDER && !s->symbol) || s->symbol == of) &&
              (s->kind == STATEMENT_BORDER || s->kind == STATEMENT_MASK)))
            continue;
        reads *r = reads_new(a->p);
        statement **at = &s->next, *c = statement_made(a->p, &at, *s);
        c->symbol = hidden;
        if (!now && s->reads_fields) {
            c->border = border_rules[s->border].has_face ? BORDER_VALUE : BORDER_NEUMANN;
            c->value = border_rules[s->border].has_face ? number(a, num_int(0)) : NULL;
            c->where = NULL;
            c->reads_fields = false;
        }
        if (c->value && s->kind == STATEMENT_BORDER) {
            c->value = copy_tree(a, c->value);
            expr_check(a->p, c->value, false, CONTEXT_BORDER, of->coarse, r);
        }
        if (c->where) {
            c->where = copy_tree(a, c->where);
            border_join(a->p, c, r);
        }
        statement_check(a->p, c, r);
    }
}

/* A field of the method. Where a mask keeps points they have the values of `of`. */
static symbol *hide(advancing *a, const symbol *of, int number)
{
    char name[80];

    (void)snprintf(name, sizeof name, "%.40s stage %d", of->name, number);
    symbol *s = symbol_hidden(a->p, of->kind, name, a->s->at);
    s->coarse = of->coarse;
    s->storage = of->storage;
    s->storage_stated = of->storage_stated;
    s->constant = of->kind == SYMBOL_SCALAR;
    s->number = num_int(0);
    if (of->kind == SYMBOL_FIELD &&
        statements_include(a->p->program, 1u << STATEMENT_MASK)) {
        s->value = of->value;
        s->file = of->file;
        s->raw = of->raw;
    }
    return s;
}

/* ---- methods ----------------------------------------------------------------------- */

/* (y - u)*weight/over */
static expr *difference(const advancing *a, symbol *y, symbol *u, int base, num weight)
{
    return expr_binary(
        a->p, OP_MUL, number(a, weight),
        expr_binary(a->p, OP_SUB, value_of(a, y, 1), value_of(a, u, base)));
}

static expr *times_dt(const advancing *a, num part, expr *rate)
{
    expr *length = expr_binary(a->p, OP_MUL, number(a, part),
                               value_of(a, a->p->program->dt, 0));

    return expr_binary(a->p, OP_MUL, length, rate);
}

/* Stages first to last of step `step` within the step; the values before it are `base`,
 * at level `level`. */
static void take_stages(advancing *a, const struct method *m, int step, symbol **base,
                        int level)
{
    const statement *s = a->s;
    const int count = s->columns, steps = (int)s->count;
    symbol **y = arena_alloc(a->p->arena, (int64_t)count * (m->stages + 1), sizeof *y);

    memcpy(y, base, (size_t)count * sizeof *y);
    for (int k = 0; k < m->stages; k++) {
        const method_stage *stage = &m->stage[k];
        const bool last = k + 1 == m->stages;
        const num next = num_ratio(2 * step + (last ? 2 : m->stage[k + 1].time),
                                   2 * steps);
        symbol **value = y + (int64_t)(k + 1) * count;
        const bool ends = last && step + 1 == steps;
        for (int i = 0; i < count; i++)
            value[i] = ends ? s->left[i] : hide(a, s->left[i], step * m->stages + k + 1);
        for (int i = 0; i < count && !ends; i++)
            add_rules(a, i, value[i], value, num_sub(next, num_int(1)));
        look_at(a, y + (int64_t)k * count, num_ratio(2 * step + stage->time, 2 * steps));
        for (int i = 0; i < count; i++) {
            a->p->nodes = 0;
            expr *sum = value_of(a, base[i], level);
            for (int j = 0; j < k; j++)
                if (stage->weight[j])
                    sum = expr_binary(
                        a->p, OP_ADD, sum,
                        difference(a, y[(j + 1) * count + i], base[i], level,
                                   num_ratio(stage->weight[j], stage->over)));
            const num part = num_ratio(stage->part[0], stage->part[1] * steps);
            add_equation(a, value[i],
                         expr_binary(a->p, OP_ADD, sum,
                                     times_dt(a, part, copy_tree(a, s->column[i]))));
        }
    }
    memcpy(base, y + (int64_t)m->stages * count, (size_t)count * sizeof *base);
}

/* Adams-Bashforth of order 2; the first step is Euler's. The hidden field is the rate. */
static void take_two_rates(advancing *a)
{
    parser *p = a->p;
    const statement *s = a->s;
    symbol **rate = arena_alloc(p->arena, s->columns, sizeof *rate);

    if (p->program->dt->kind == SYMBOL_SCALAR || s->count > 1)
        mistake_at(p, s->at, "ab2 needs equal steps: a param dt, and no steps within it");
    for (int i = 0; i < s->columns; i++)
        add_rules(a, i, rate[i] = hide(a, s->left[i], 0), NULL, num_int(0));
    look_at(a, s->left, num_int(0));
    for (int i = 0; i < s->columns; i++) {
        p->nodes = 0;
        add_equation(a, rate[i], copy_tree(a, s->column[i]));
    }
    for (int i = 0; i < s->columns; i++) {
        expr *step = expr_make(
            p, s->at, (expr){.kind = EXPR_BUILTIN, .builtin = BUILTIN_STEP}, 0, NULL);
        expr *more = expr_binary(p, OP_SUB, value_of(a, rate[i], 1),
                                 value_of(a, rate[i], 0));
        more = expr_call(
            p, s->at, FUNCTION_WHERE, 3,
            (expr *[]){expr_binary(p, OP_LT, step, number(a, num_int(1))),
                       number(a, num_int(0)),
                       expr_binary(p, OP_MUL, number(a, num_ratio(1, 2)), more)});
        add_equation(
            a, s->left[i],
            expr_binary(p, OP_ADD, value_of(a, s->left[i], 0),
                        times_dt(a, num_int(1),
                                 expr_binary(p, OP_ADD, value_of(a, rate[i], 1), more))));
    }
}

void advance_check(parser *p)
{
    const unsigned layers = 1u << STATEMENT_ABSORB;

    for (statement *s = p->program->first; s; s = s->next) {
        if (s->kind != STATEMENT_ADVANCE || p->mistakes.count > 0)
            continue;
        if (!p->program->dt)
            mistake_at(p, s->at,
                       "'advance' needs the length of a step: a param or scalar "
                       "called dt");
        else if (statements_include(p->program, layers))
            mistake_at(p, s->at,
                       "'advance' and 'absorb' cannot stand together: write a "
                       "term such as -damping*u in the rate");
        else {
            advancing a = {.p = p, .s = s, .end = &s->next};
            const struct method *m = methods;
            symbol **base = arena_alloc(p->arena, s->columns, sizeof *base);
            while (strcmp(m->name, s->method) != 0)
                m++;
            memcpy(base, s->left, (size_t)s->columns * sizeof *base);
            if (m->stages == 0)
                take_two_rates(&a);
            for (int n = 0; n < s->count && m->stages > 0; n++)
                take_stages(&a, m, n, base, n > 0);
        }
        if (p->program->fields.count > MAX_FIELDS)
            mistake_at(p, s->at, "with its stages the program has more than %d fields",
                       MAX_FIELDS);
    }
}
