/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluates an expression of the language at the nodes of a mesh. It is parsed and
 * checked like the initial value of a field, and evaluated by blocks of nodes in f64.
 * Only terms of a grid (spacings, neighbours, derivatives) have no meaning here. */
#include <math.h>
#include <string.h>

#include "fem/fem.h"
#include "lang/lang.h"

enum { BLOCK = 256 };

struct node_expression {
    program *program;
    const expr *root;
    int height;
    double *stack; /* a block for every level of the tree */
};

typedef struct block {
    const double *at[3];
    int count;
} block;

/* ---- what has a meaning here ------------------------------------------------------- */

static const char *refusal_of(const expr *e)
{
    if (e->kind == EXPR_BUILTIN && e->builtin > BUILTIN_Z && e->builtin != BUILTIN_PI)
        return builtin_names[e->builtin];
    if (e->kind == EXPR_CALL && e->function == FUNCTION_RANDOM)
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

/* Accepts one line only, so the text cannot contain a second statement. */
static pav_status check_text(const char *source)
{
    if (!source || !*source)
        return FAIL(PAV_EINVAL, "an expression of x, y and z is missing");
    for (const char *c = source; *c; c++)
        if ((unsigned char)*c < ' ' || *c == ';' || *c == '#')
            return FAIL(PAV_EINVAL,
                        "'%s' is more than an expression: leave out what follows "
                        "the character %d",
                        source, (int)(c - source));
    return PAV_OK;
}

static pav_status parse(const char *source, program **result)
{
    const pav_program_options options = {.name = "expression"};
    text t = {0};
    char *made;

    text_add(&t,
             "grid x 2, y 2, z 2\nreal f64\nfield value = %s\nvalue' = value\nsteps 1\n",
             source);
    TRY(text_take(&t, &made));
    const pav_status status = program_parse(made, (int64_t)strlen(made), &options,
                                            result);
    mem_free(made);
    return status;
}

static const expr *value_of(const program *p)
{
    return p->fields.count == 1 ? p->fields.item[0]->value : NULL;
}

static pav_status set_root(node_expression *e, const char *source)
{
    e->root = value_of(e->program);
    if (!e->root)
        return FAIL(PAV_EINVAL,
                    "'%s' is no expression of x, y and z, but a file or more "
                    "than one statement",
                    source);
    TRY(check_tree(source, e->root));
    e->height = height_of(e->root);
    e->stack = mem_new((int64_t)e->height * BLOCK, sizeof *e->stack);
    return e->stack ? PAV_OK : PAV_ENOMEM;
}

pav_status node_expression_open(const char *source, node_expression **result)
{
    *result = NULL;
    TRY(check_text(source));
    node_expression *e = mem_new(1, sizeof *e);
    if (!e)
        return PAV_ENOMEM;
    pav_status status = parse(source, &e->program);
    if (status == PAV_OK)
        status = set_root(e, source);
    if (status == PAV_OK)
        *result = e;
    else
        node_expression_free(e);
    return status;
}

void node_expression_free(node_expression *e)
{
    if (!e)
        return;
    if (e->program)
        program_free(e->program);
    mem_free(e->stack);
    mem_free(e);
}

/* ---- values ------------------------------------------------------------------------ */

static void fill(double *to, int count, double value)
{
    for (int i = 0; i < count; i++)
        to[i] = value;
}

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
    if (e->kind == EXPR_NUMBER)
        fill(to, b->count, num_f64(e->number));
    else if (e->kind == EXPR_BUILTIN && e->builtin == BUILTIN_PI)
        fill(to, b->count, 3.14159265358979323846);
    else if (e->kind == EXPR_BUILTIN)
        memcpy(to, b->at[e->builtin - BUILTIN_X], (size_t)b->count * sizeof *to);
    else {
        for (int k = 0; k < e->count; k++)
            evaluate(e->arg[k], b, to + k * BLOCK);
        combine(e, to, b->count);
    }
}

pav_status node_expression_values(const node_expression *e, const double *const at[3],
                                  int64_t count, double *values)
{
    for (int64_t from = 0; from < count; from += BLOCK) {
        const block b = {{at[0] + from, at[1] + from, at[2] + from},
                         (int)(count - from < BLOCK ? count - from : BLOCK)};
        evaluate(e->root, &b, e->stack);
        memcpy(values + from, e->stack, (size_t)b.count * sizeof *values);
    }
    return PAV_OK;
}
