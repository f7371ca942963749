/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of expressions: the field values in them, and their columns. */
#include <string.h>

#include "lang/lang_private.h"

/* ---- taps -------------------------------------------------------------------------- */

/* Sums of fields, at neighbours or in derivatives, times numbers. */

enum { MOST_TAPS = 20000 };

/* The actual arguments of a let. */
typedef struct env {
    const struct env *outer;
    const expr *call;
} env;

typedef struct taps {
    parser *p;
    bool reports, refused; /* refusals are mistakes */
    int64_t count, capacity;
    sample_tap *item;
} taps;

/* Offset and factor of a subexpression. */
typedef struct way {
    int offset[MAX_DIM];
    num weight;
    const env *env;
} way;

typedef void tap_rule(taps *t, const expr *e, const way *w);
static tap_rule add_taps;

static void refuse(taps *t, const expr *e, const char *why)
{
    t->refused = true;
    if (t->reports)
        mistake_at(t->p, e->at,
                   "%s; a sample takes sums of fields, at neighbours or in derivatives, "
                   "times numbers, and products and functions of such sums; make another "
                   "expression a field of its own and sample that",
                   why);
}

static void add_tap(taps *t, const expr *e, const way *w)
{
    if (e->level != 0) {
        refuse(t, e, "only the present level can be sampled");
        return;
    }
    if (e->symbol->coarse) {
        refuse(t, e, "a coarse field cannot be sampled");
        return;
    }
    for (int64_t i = 0; i < t->count; i++) {
        sample_tap *old = &t->item[i];
        if (old->field == e->symbol &&
            memcmp(old->offset, w->offset, sizeof w->offset) == 0) {
            old->weight = num_add(old->weight, w->weight);
            return;
        }
    }
    if (t->count == MOST_TAPS) {
        refuse(t, e, "this expression reads too many neighbours");
        return;
    }
    sample_tap *tap = &ARENA_ADD(t->p->arena, t->item, t->count, t->capacity);
    *tap = (sample_tap){.field = e->symbol, .weight = w->weight};
    memcpy(tap->offset, w->offset, sizeof tap->offset);
}

/* Collects the actual argument, in the environment outside the let. */
static void collect_argument(taps *t, const expr *e, const way *w)
{
    const expr *call = w->env ? w->env->call : NULL;
    way there = *w;

    for (int i = 0; call && i < call->count; i++)
        if (call->symbol->argument[i] == e->symbol) {
            there.env = w->env->outer;
            add_taps(t, call->arg[i], &there);
        }
}

static void collect_symbol(taps *t, const expr *e, const way *w)
{
    switch (e->symbol->kind) {
    case SYMBOL_FIELD: add_tap(t, e, w); return;
    case SYMBOL_LET: add_taps(t, e->symbol->value, w); return;
    case SYMBOL_ARGUMENT: collect_argument(t, e, w); return;
    default: refuse(t, e, "this is no field");
    }
}

/* Collects a product: one of its sides must be a number. */
static void collect_product(taps *t, const expr *e, const way *w)
{
    const constant right = constant_find(t->p, e->arg[1]),
                   left = constant_find(t->p, e->arg[0]);
    way scaled = *w;

    if (!right.known && (e->op == OP_DIV || !left.known)) {
        refuse(t, e,
               e->op == OP_DIV ? "what is divided by is no number known before a run"
                               : "neither factor is a number known before a run");
        return;
    }
    const num factor = right.known ? right.value : left.value;
    scaled.weight = e->op == OP_DIV ? num_div(w->weight, factor)
                                    : num_mul(w->weight, factor);
    add_taps(t, e->arg[right.known ? 0 : 1], &scaled);
}

static void collect_binary(taps *t, const expr *e, const way *w)
{
    way other = *w;

    if (e->op == OP_MUL || e->op == OP_DIV) {
        collect_product(t, e, w);
        return;
    }
    if (e->op != OP_ADD && e->op != OP_SUB) {
        refuse(t, e, "this is no sum of fields");
        return;
    }
    if (e->op == OP_SUB)
        other.weight = num_neg(w->weight);
    add_taps(t, e->arg[0], w);
    add_taps(t, e->arg[1], &other);
}

/* ---- derivatives ------------------------------------------------------------------- */

/* Collects the taps of `times` derivatives along each axis, from `axis` on. */
static void derive(taps *t, const expr *e, const int *times, int axis, const way *w)
{
    num weight[2 * MAX_OFFSET + 1];
    int first, count;

    while (axis < t->p->dim && times[axis] == 0)
        axis++;
    if (axis == t->p->dim) {
        add_taps(t, e->arg[0], w);
        return;
    }
    if (!difference_weights(times[axis], e->order, e->half[axis], weight, &first,
                            &count)) {
        refuse(t, e, "the weights of this derivative have too many digits");
        return;
    }
    if (axis_stretched(t->p->program, axis)) {
        refuse(t, e,
               "along a stretched axis the weights of a derivative differ from "
               "point to point; make a field of it");
        return;
    }
    const num h = num_power(t->p->program->axis[axis].step, times[axis]);
    for (int i = 0; i < count; i++) {
        way there = *w;
        if (weight[i].v == 0)
            continue;
        there.offset[axis] += first + i;
        there.weight = num_mul(w->weight, num_div(weight[i], h));
        derive(t, e, times, axis + 1, &there);
    }
}

static void collect_laplace(taps *t, const expr *e, const way *w)
{
    for (int axis = 0; axis < t->p->dim; axis++) {
        int times[MAX_DIM] = {0};
        times[axis] = 2;
        derive(t, e, times, 0, w);
    }
}

static void collect_stencil(taps *t, const expr *e, const way *w)
{
    for (int i = 0; i < e->symbol->taps; i++) {
        const stencil_tap *tap = &e->symbol->tap[i];
        const constant c = constant_find(t->p, tap->weight);
        way there = *w;
        if (!c.known) {
            refuse(t, e, "the weights of this stencil are no numbers known before a run");
            return;
        }
        for (int axis = 0; axis < MAX_DIM; axis++)
            there.offset[axis] += tap->offset[axis];
        there.weight = num_mul(w->weight, c.value);
        add_taps(t, e->arg[0], &there);
    }
}

static void collect_derivative(taps *t, const expr *e, const way *w)
{
    derive(t, e, e->derivative, 0, w);
}

static void add_taps(taps *t, const expr *e, const way *w)
{
    static tap_rule *const rule[EXPR_KINDS] = {
        [EXPR_SYMBOL] = collect_symbol,     [EXPR_BINARY] = collect_binary,
        [EXPR_DERIVE] = collect_derivative, [EXPR_LAPLACE] = collect_laplace,
        [EXPR_STENCIL] = collect_stencil,
    };
    const env inside = {w->env, e};
    way there = *w;

    if (t->refused || statement_is_bad(t->p))
        return;
    if (rule[e->kind]) {
        rule[e->kind](t, e, w);
        return;
    }
    if (e->kind == EXPR_APPLY)
        there.env = &inside;
    else if (e->kind == EXPR_UNARY)
        there.weight = num_neg(w->weight);
    else if (e->kind == EXPR_SHIFT) {
        for (int axis = 0; axis < MAX_DIM; axis++)
            there.offset[axis] += e->offset[axis];
    } else {
        refuse(t, e, "this is no sum of fields");
        return;
    }
    add_taps(t, e->kind == EXPR_APPLY ? e->symbol->value : e->arg[0], &there);
}

static bool taps_collect(parser *p, const expr *e, bool reports, sample_taps *result)
{
    taps t = {.p = p, .reports = reports};

    add_taps(&t, e, &(way){.weight = num_int(1)});
    *result = (sample_taps){t.count, t.item};
    return !t.refused && !statement_is_bad(p);
}

/* ---- columns ----------------------------------------------------------------------- */

/* Samples of expressions. A column consists of forms and the operations around them. A
 * form is a maximal sum of sampled fields (taps.c). The run evaluates the operations
 * around the forms, products and functions, at each position. A form in turn consists of
 * samples of single fields, the parts of the gather; they precede it in the program. */

enum { MOST_FORMS = 1000 };

typedef struct gathering {
    parser *p;
    statement *gather, **at; /* at: insertion point of the next part */
    int column;
} gathering;

/* ---- parts ------------------------------------------------------------------------- */

static bool is_new(const sample_taps *t, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (t->item[i].field == t->item[n].field)
            return false;
    return true;
}

/* The taps of one field. */
static void add_part(gathering *g, const sample_taps *t, int64_t n)
{
    statement *s = statement_made(g->p, &g->at, *g->gather);

    s->kind = STATEMENT_SAMPLE;
    s->symbol = t->item[n].field;
    s->gather = g->gather;
    s->of = g->column;
    s->form = g->gather->forms;
    s->columns = 0;
    s->file = NULL;
    s->tap = arena_alloc(g->p->arena, t->count, sizeof *s->tap);
    for (int64_t i = n; i < t->count; i++)
        if (t->item[i].field == s->symbol)
            s->tap[s->taps++] = t->item[i];
}

/* Adds a form, and returns the leaf for its value. */
static expr *add_form(gathering *g, const expr *e, const sample_taps *t)
{
    expr *leaf = expr_new(g->p, EXPR_SYMBOL, e->at);

    if (g->gather->forms == MOST_FORMS)
        mistake_at(g->p, e->at, "this sample has more than %d sums of fields",
                   MOST_FORMS);
    for (int64_t n = 0; n < t->count && !statement_is_bad(g->p); n++)
        if (is_new(t, n))
            add_part(g, t, n);
    leaf->level = g->gather->forms++;
    return leaf;
}

/* ---- columns ----------------------------------------------------------------------- */

/* True for values known to a run at each row and position. */
static bool is_known_there(const parser *p, const expr *e)
{
    const bool is_axis = e->kind == EXPR_BUILTIN && e->builtin <= BUILTIN_Z;

    return e->kind == EXPR_BUILTIN &&
           (e->builtin == BUILTIN_T || e->builtin == BUILTIN_STEP ||
            (is_axis && (int)(e->builtin - BUILTIN_X) < p->dim));
}

static bool has_arguments(const expr *e)
{
    return e->kind == EXPR_BINARY || e->kind == EXPR_UNARY ||
           (e->kind == EXPR_CALL && !function_draws(e->function));
}

static expr *take_apart(gathering *g, const expr *e)
{
    const constant c = constant_find(g->p, e);
    sample_taps t;

    if (c.known)
        return number_new(g->p, e->at, c.value);
    if (is_known_there(g->p, e))
        return expr_copy(g->p, e);
    if (taps_collect(g->p, e, false, &t))
        return add_form(g, e, &t);
    if (e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_LET)
        return take_apart(g, e->symbol->value);
    if (!has_arguments(e)) {
        (void)taps_collect(g->p, e, true, &t);
        return NULL;
    }
    expr *arg[3] = {NULL};
    for (int k = 0; k < e->count && !statement_is_bad(g->p); k++)
        arg[k] = take_apart(g, e->arg[k]);
    return expr_make(g->p, e->at, *e, e->count, arg);
}

static statement **add_parts(parser *p, statement *gather, statement **at)
{
    gathering g = {.p = p, .gather = gather, .at = at};

    gather->made_of = arena_alloc(p->arena, gather->columns + 1, sizeof *gather->made_of);
    for (; g.column < gather->columns; g.column++) {
        p->mistakes_before = p->mistakes.count;
        gather->made_of[g.column] = take_apart(&g, gather->column[g.column]);
    }
    return g.at;
}

void gathers_check(parser *p)
{
    for (statement **at = &p->program->first; *at; at = &(*at)->next)
        if ((*at)->kind == STATEMENT_GATHER)
            at = add_parts(p, *at, at);
}
