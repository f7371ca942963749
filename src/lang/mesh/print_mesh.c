/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the statements of programs on a mesh in canonical form. */
#include "lang/lang_private.h"

static void print_mesh(const mesh_source *m, text *t)
{
    if (m->shape)
        text_add(t, "mesh %s", m->shape);
    else
        text_add(t, "mesh \"%s\"", m->path);
    value_print(t, " ", m->size);
    value_print(t, " layers ", m->layers);
    value_print(t, " from ", m->from);
    value_print(t, " to ", m->to);
    value_print(t, " grading ", m->grading);
}

static void print_form(const symbol *f, text *t)
{
    text_add(t, "form %s(%s", f->name, f->argument[0]->name);
    if (f->arguments > 1)
        text_add(t, ", %s", f->argument[1]->name);
    text_add(t, ")");
    if (f->border)
        text_add(t, " at \"%s\"", f->border);
    value_print(t, " = ", f->value);
}

static void print_names(const char *between, symbol *const *list, int count, text *t)
{
    for (int k = 0; k < count; k++)
        text_add(t, "%s%s", k ? between : "", list[k]->name);
}

static void print_solve(const statement *s, text *t)
{
    text_add(t, "solve ");
    print_names(" + ", s->left, s->left_count, t);
    text_add(t, " = ");
    print_names(" + ", s->rights, s->right_count, t);
    text_add(t, " for %s by %s", s->symbol->name, s->method);
    if (s->preconditioner)
        text_add(t, " with %s", s->preconditioner);
    text_add(t, " to ");
    num_print(t, s->tolerance);
}

static void print_border(const statement *s, text *t)
{
    text_add(t, "border %s", s->symbol->name);
    value_print(t, " = ", s->value);
    for (int k = 0; k < s->at_borders; k++)
        text_add(t, "%s\"%s\"", k ? ", " : " at ", s->at_border[k]);
}

static void print_output(const statement *s, text *t)
{
    text_add(t, "output ");
    print_names(", ", s->left, s->left_count, t);
    text_add(t, " into \"%s\"", s->file);
    value_print(t, " layer ", s->layer);
    for (int k = 0; k < 2 && s->cut[0][0]; k++) {
        value_print(t, k ? " to (" : " cut (", s->cut[k][0]);
        value_print(t, ", ", s->cut[k][1]);
        text_add(t, ")");
    }
}

bool mesh_statement_print(const program *tree, const statement *s, text *t)
{
    if (!tree->mesh)
        return false;
    switch (s->kind) {
    case STATEMENT_MESH: print_mesh(tree->mesh, t); return true;
    case STATEMENT_FORM: print_form(s->symbol, t); return true;
    case STATEMENT_FIELD:
        text_add(t, "field %s on nodes", s->symbol->name);
        value_print(t, " = ", s->value);
        return true;
    case STATEMENT_SOLVE: print_solve(s, t); return true;
    case STATEMENT_BORDER: print_border(s, t); return true;
    case STATEMENT_OUTPUT: print_output(s, t); return true;
    default: return false;
    }
}
