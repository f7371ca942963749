/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluates an expression of the language at the nodes of a mesh. It is parsed and
 * checked like the initial value of a field, and evaluated by blocks of nodes in f64.
 * Only terms of a grid (spacings, neighbours, derivatives) have no meaning here. */
#include <math.h>
#include <string.h>

#include "fem/fem.h"
#include "lang/lang.h"

enum { BLOCK = 256 };

typedef struct block {
    const double *at[3];
    int count;
} block;

/* ---- allowed expressions ----------------------------------------------------------- */

static const char *refusal_of(const expr *e)
{
    if (e->kind == EXPR_BUILTIN && e->builtin > BUILTIN_Z && e->builtin != BUILTIN_PI)
        return builtin_names[e->builtin];
    if (e->kind == EXPR_CALL && function_draws(e->function))
        return "random";
    if (e->kind != EXPR_NUMBER && e->kind != EXPR_BUILTIN && e->kind != EXPR_UNARY &&
        e->kind != EXPR_BINARY && e->kind != EXPR_CALL)
        return "a neighbour, a derivative or a sum over a grid";
    return NULL;
}

static pav_status check_tree(const char *source, const expr *e)
{
    const char *what = refusal_of(e);

    if (what)
        return FAIL(PAV_EINVAL,
                    "'%s': %s belongs to grids; at the nodes of a mesh there "
                    "are x, y, z, pi, numbers and functions of them",
                    source, what);
    for (int k = 0; k < e->count; k++)
        TRY(check_tree(source, e->arg[k]));
    return PAV_OK;
}

static int height_of(const expr *e)
{
    int most = 0;

    for (int k = 0; k < e->count; k++)
        most = int_most(most, height_of(e->arg[k]) + k);
    return most + 1;
}

static const expr *value_of(const program *p)
{
    return p->fields.count == 1 ? p->fields.item[0]->value : NULL;
}

pav_status node_expression_open(const char *source, node_expression *e)
{
    const pav_program_options options = {.name = "expression"};
    OWNED_BY(text_free) text t = {0};

    *e = (node_expression){0};
    /* Accepts one line only, so the text cannot contain a second statement. */
    if (!source || !*source)
        return FAIL(PAV_EINVAL, "an expression of x, y and z is missing");
    for (const char *c = source; *c; c++)
        if ((unsigned char)*c < ' ' || *c == ';' || *c == '#')
            return FAIL(PAV_EINVAL,
                        "'%s' is more than an expression: leave out what follows "
                        "the character %d",
                        source, (int)(c - source));
    TRY(text_print(&t,
                   "grid x 2, y 2, z 2\nreal f64\nfield value = %s\nvalue' = value\n"
                   "steps 1\n",
                   source));
    TRY(program_parse(t.data, t.length, &options, &e->program));
    const expr *root = value_of(e->program);
    if (!root)
        return FAIL(PAV_EINVAL,
                    "'%s' is no expression of x, y and z, but a file or more "
                    "than one statement",
                    source);
    TRY(check_tree(source, root));
    return mem_take(&e->stack, (int64_t)height_of(root) * BLOCK, sizeof *e->stack);
}

void node_expression_free(node_expression *e)
{
    program_free(e->program);
    mem_free(e->stack);
}

/* ---- values ------------------------------------------------------------------------ */

static void combine(const expr *e, double *to, int count)
{
    const double *second = to + BLOCK, *third = second + BLOCK;

    for (int i = 0; i < count; i++)
        if (e->kind == EXPR_UNARY)
            to[i] = e->op == OP_NEG ? -to[i] : to[i] == 0;
        else if (e->kind == EXPR_BINARY)
            to[i] = combine_f64(e->op, to[i], second[i]);
        else if (e->function == FUNCTION_WHERE)
            to[i] = to[i] != 0 ? second[i] : third[i];
        else
            to[i] = function_f64(e->function, to[i], e->count > 1 ? second[i] : 0);
}

/* Evaluates argument k in block k of the free part of the stack. */
static void evaluate(const expr *e, const block *b, double *to)
{
    if (e->kind == EXPR_BUILTIN && e->builtin != BUILTIN_PI)
        memcpy(to, b->at[e->builtin - BUILTIN_X], (size_t)b->count * sizeof *to);
    else if (e->kind == EXPR_NUMBER || e->kind == EXPR_BUILTIN)
        for (int i = 0; i < b->count; i++)
            to[i] = e->kind == EXPR_NUMBER ? num_f64(e->number) : PI;
    else {
        for (int k = 0; k < e->count; k++)
            evaluate(e->arg[k], b, to + k * BLOCK);
        combine(e, to, b->count);
    }
}

void node_expression_values(const node_expression *e, const double *const at[3],
                            int64_t count, double *values)
{
    for (int64_t from = 0; from < count; from += BLOCK) {
        const block b = {{at[0] + from, at[1] + from, at[2] + from},
                         (int)int64_least(count - from, BLOCK)};
        evaluate(value_of(e->program), &b, e->stack);
        memcpy(values + from, e->stack, (size_t)b.count * sizeof *values);
    }
}
