/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints expressions in canonical form, with the fewest possible parentheses. */
#include "lang/lang_private.h"

static void print(const expr *e, int least, text *t);

static int precedence_of(const expr *e)
{
    if (e->kind == EXPR_UNARY || e->kind == EXPR_BINARY)
        return operator_table[e->op].precedence;
    return PRECEDENCE_POSTFIX;
}

static void print_binary(const expr *e, text *t)
{
    const operator_info *o = &operator_table[e->op];

    print(e->arg[0], o->left, t);
    if (e->op == OP_POW || e->op == OP_MUL || e->op == OP_DIV)
        text_add(t, "%s", o->sign);
    else
        text_add(t, " %s ", o->sign);
    print(e->arg[1], o->right, t);
}

static void print_unary(const expr *e, text *t)
{
    text_add(t, e->op == OP_NOT ? "not " : "-");
    print(e->arg[0], operator_table[e->op].right, t);
}

static void print_arguments(const char *name, const expr *e, text *t)
{
    text_add(t, "%s(", name);
    for (int i = 0; i < e->count; i++) {
        text_add(t, "%s", i > 0 ? ", " : "");
        print(e->arg[i], PRECEDENCE_OR, t);
    }
    text_add(t, ")");
}

static void print_symbol(const expr *e, text *t)
{
    const char *name = e->symbol->name;

    if (e->level == -1)
        text_add(t, "prev(%s)", name);
    else if (e->level < 0)
        text_add(t, "prev(%s, %d)", name, -e->level);
    else
        text_add(t, "%s%s", name, e->level > 0 ? "'" : "");
}

static void print_shift(const expr *e, text *t)
{
    print(e->arg[0], PRECEDENCE_POSTFIX, t);
    for (int i = 0; i < e->order; i++)
        text_add(t, "%s%d", i > 0 ? ", " : "[", e->offset[i]);
    text_add(t, "]");
}

/* Prints a derivative, with `order` and `at` only if they differ from the defaults. */
static void print_difference(const char *name, const expr *e, text *t)
{
    text_add(t, "%s(", name);
    print(e->arg[0], PRECEDENCE_OR, t);
    if (e->order != 2)
        text_add(t, ", order %d", e->order);
    for (int i = 0; i < MAX_DIM; i++)
        if (e->half[i] != 0)
            text_add(t, ", at %c1/2", e->half[i] > 0 ? '+' : '-');
    text_add(t, ")");
}

static void print_derivative(const expr *e, text *t)
{
    char name[8] = "d";
    int length = 1;

    for (int i = 0; i < MAX_DIM; i++)
        for (int k = 0; k < e->derivative[i] && length < 5; k++)
            name[length++] = axis_letters[i];
    print_difference(name, e, t);
}

static void print_bare(const expr *e, text *t)
{
    switch (e->kind) {
    case EXPR_NUMBER: num_print(t, e->number); break;
    case EXPR_BUILTIN: text_add(t, "%s", builtin_names[e->builtin]); break;
    case EXPR_SYMBOL: print_symbol(e, t); break;
    case EXPR_SHIFT: print_shift(e, t); break;
    case EXPR_UNARY: print_unary(e, t); break;
    case EXPR_BINARY: print_binary(e, t); break;
    case EXPR_CALL: print_arguments(function_table[e->function].name, e, t); break;
    case EXPR_APPLY:
    case EXPR_STENCIL: print_arguments(e->symbol->name, e, t); break;
    case EXPR_DERIVE: print_derivative(e, t); break;
    case EXPR_LAPLACE: print_difference("laplace", e, t); break;
    case EXPR_TRANSFER:
        print_arguments(e->transfer == TRANSFER_RESTRICT ? "restrict" : "interpolate", e,
                        t);
        break;
    case EXPR_REDUCE: print_arguments(reduction_names[e->reduction], e, t); break;
    case EXPR_GRADIENT: print_arguments("grad", e, t); break;
    case EXPR_DOT: print_arguments("dot", e, t); break;
    }
}

static void print(const expr *e, int least, text *t)
{
    const bool closed = precedence_of(e) < least;

    text_add(t, "%s", closed ? "(" : "");
    print_bare(e, t);
    text_add(t, "%s", closed ? ")" : "");
}

void expr_print(const expr *e, text *t)
{
    print(e, PRECEDENCE_OR, t);
}
