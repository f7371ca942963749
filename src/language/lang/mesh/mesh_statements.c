/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements of programs on a mesh: the source of the mesh, weak forms, equations to
 * solve, given values at borders, and outputs. Params, lets and expectations are the same
 * for grids. */
#include <string.h>

#include "lang/lang_private.h"

/* ---- the mesh ---------------------------------------------------------------------- */

static const char *const shapes[] = {"square", "disc", "shell"};

/* `mesh "planet.msh"` or `mesh disc 24` */
static void parse_shape(parser *p, mesh_source *m)
{
    if (p->next->kind == TOKEN_STRING) {
        m->path = expect_string(p);
        return;
    }
    const token *t = expect_name(p, "a file name in quotes, or square, disc or shell,");
    const int found = t ? word_find(shapes, (int)COUNT_OF(shapes), t->text, t->length)
                        : -1;
    if (t && found < 0)
        syntax_mistake_at(p, t->at,
                          "'%.*s' is no mesh; there are square, disc and shell, as in "
                          "mesh disc 24, and files in quotes",
                          t->length < 40 ? t->length : 40, t->text);
    if (p->panic || found < 0)
        return;
    m->shape = shapes[found];
    m->size = integer_parse(p, "the size of a mesh", 0, 1 << 20, &m->size_value);
    m->path = arena_print(p->arena, "%s:n=%lld", m->shape, (long long)m->size_value);
}

static bool parse_heights(parser *p, mesh_source *m)
{
    if (accept(p, "from")) {
        m->from = expr_parse(p);
        expect(p, "to");
        m->to = expr_parse(p);
        return true;
    }
    if (!accept(p, "grading"))
        return false;
    m->grading = expr_parse(p);
    if (!p->panic &&
        constant_need(p, m->grading, "the grading of layers", &m->grading_value) &&
        !(m->grading_value.v > 0 && m->grading_value.v <= 1000))
        mistake_at(p, m->grading->at,
                   "layers are graded by a factor between 0 and 1000, not %.12g",
                   m->grading_value.v);
    return true;
}

bool mesh_parse(parser *p, statement *s)
{
    if (p->program->mesh)
        return syntax_mistake(p, "the mesh is declared already");
    mesh_source *m = p->program->mesh = arena_alloc(p->arena, 1, sizeof *m);
    *m = (mesh_source){.grading_value = num_int(1), .layer_count = 1, .line = s->at.line};
    parse_shape(p, m);
    expect(p, "layers");
    m->layers = integer_parse(p, "the number of layers", 1, 1 << 16, &m->layer_count);
    while (!p->panic && parse_heights(p, m))
        continue;
    if (!statement_ends(p) || !m->from)
        return false;
    mesh_expr_check(p, m->from, false, MESH_HEIGHT);
    mesh_expr_check(p, m->to, false, MESH_HEIGHT);
    return true;
}

/* ---- fields and forms -------------------------------------------------------------- */

bool mesh_field_declare(parser *p, statement *s)
{
    const token *name = expect_name(p, "a name");
    const char *file = NULL;

    if (!name)
        return false;
    const bool on = accept(p, "on"), on_cells = on && accept(p, "cells");
    if (on && !on_cells)
        expect(p, "nodes");
    if (accept_on(p, "=")) {
        if (p->next->kind == TOKEN_STRING)
            file = expect_string(p);
        else
            s->value = expr_parse(p);
        if (!p->panic && s->value)
            mesh_expr_check(p, s->value, false, MESH_NODE);
    }
    if (on_cells && !file)
        syntax_mistake(p, "a field on cells has its values from a file, as in field k "
                          "on cells = \"k.npy\"");
    const bool bad = statement_is_bad(p);
    s->symbol = symbol_declare(p, SYMBOL_FIELD, name);
    s->symbol->value = s->value;
    s->symbol->file = file;
    s->symbol->on_cells = on_cells;
    s->symbol->storage = PAV_F64;
    s->symbol->notes->bad |= bad;
    if (p->program->fields.count == MAX_FIELDS + 1)
        mistake_at(p, name->at, "there are more than %d fields", MAX_FIELDS);
    return true;
}

/* form a(u, v) = ...; form r(u, v) at "rim" = ... */
bool form_parse(parser *p, statement *s)
{
    const token *name = expect_name(p, "a name");
    symbol **argument = arena_alloc(p->arena, MAX_ARGUMENTS, sizeof(symbol *));

    if (!name)
        return false;
    const char *border = NULL;
    arguments_parse(p, argument);
    if (accept(p, "at"))
        border = expect_string(p);
    expect_on(p, "=");
    s->value = expr_parse(p);
    statement_ends(p);
    symbol *f = s->symbol = symbol_declare(p, SYMBOL_FORM, name);
    f->value = s->value;
    f->border = border;
    f->argument = argument;
    f->arguments = p->arguments;
    p->arguments = 0;
    if (!p->panic && f->arguments != 1 && f->arguments != 2)
        mistake_at(p, name->at,
                   "a form has a trial and a test function, as in form a(u, v) = "
                   "dot(grad(u), grad(v)), or a test function alone, form L(v) = f*v");
    else if (!statement_is_bad(p))
        form_check(p, f);
    f->notes->bad |= statement_is_bad(p);
    return true;
}

/* ---- equations --------------------------------------------------------------------- */

/* Parses a sum of forms, a + r; each has the given number of arguments. */
static void parse_forms(parser *p, int arguments, symbol ***list, int *count)
{
    *list = arena_alloc(p->arena, MAX_ARGUMENTS, sizeof(symbol *));
    do {
        const token *t = expect_name(p, "the name of a form");
        const symbol *s = t ? symbol_find(p, t->text, t->length) : NULL;
        if (!t)
            return;
        if (!s || (s->kind != SYMBOL_FORM && !s->notes->bad)) {
            mistake_at(p, t->at,
                       "'%.*s' is no form; 'solve a = L' takes names of forms, with + "
                       "between",
                       t->length < 40 ? t->length : 40, t->text);
        } else if (!s->notes->bad && s->arguments != arguments) {
            mistake_at(p, t->at,
                       arguments == 2 ? "'%s' has no trial function, and belongs to the "
                                        "right of the ="
                                      : "'%s' has a trial function, and belongs to the "
                                        "left of the =",
                       s->name);
        }
        if (*count == MAX_ARGUMENTS) {
            syntax_mistake(p, "at most %d forms stand on a side", MAX_ARGUMENTS);
            return;
        }
        (*list)[(*count)++] = (symbol *)s;
    } while (accept_on(p, "+"));
}

static const char *parse_word(parser *p, const char *what, const char *const *words,
                              int count)
{
    const token *t = expect_name(p, what);

    if (!t)
        return NULL;
    const int found = word_find(words, count, t->text, t->length);
    if (found >= 0)
        return words[found];
    syntax_mistake_at(p, t->at, "'%.*s' is none: %s stands here",
                      t->length < 40 ? t->length : 40, t->text, what);
    return NULL;
}

static symbol *find_unknown(parser *p, const statement *s)
{
    const symbol *form = s->left_count > 0 ? s->left[0] : NULL;

    if (!form || form->arguments != 2)
        return NULL;
    const char *name = form->argument[0]->name;
    symbol *u = symbol_find(p, name, (int)strlen(name));
    return u && u->kind == SYMBOL_FIELD ? u : NULL;
}

static void check_solve(parser *p, statement *s, const expr *tolerance)
{
    if (constant_need(p, tolerance, "the tolerance", &s->tolerance) &&
        !(s->tolerance.v > 0 && s->tolerance.v < 1))
        mistake_at(p, tolerance->at, "a tolerance lies between 0 and 1, unlike %.12g",
                   s->tolerance.v);
    if (!s->symbol && !statement_is_bad(p))
        mistake_at(p, s->at,
                   "what is solved for? No field is named like the trial function; "
                   "'for u' after the right side says it");
    if (!s->symbol || statement_is_bad(p))
        return;
    if (s->symbol->notes->solver)
        mistake_at(p, s->at, "'%s' is solved for in line %d already", s->symbol->name,
                   s->symbol->notes->solver->at.line);
    if (s->symbol->value || s->symbol->file)
        mistake_at(p, s->at, "'%s' has a value in line %d; what is solved for has none",
                   s->symbol->name, s->symbol->at.line);
    s->symbol->notes->solver = s;
}

/* solve a + r = L + g for u by cg with column to 1e-8; or cg(preconditioner = column) */
bool mesh_solve_parse(parser *p, statement *s)
{
    static const char *const methods[] = {"auto", "multigrid", "cg", "minres",
                                          "bicgstab"};
    static const char *const preconditioners[] = {"column", "jacobi", "none",
                                                  "multigrid"};
    bool named = false;

    parse_forms(p, 2, &s->left, &s->left_count);
    expect_on(p, "=");
    parse_forms(p, 1, &s->rights, &s->right_count);
    if (accept(p, "for")) {
        s->symbol = field_parse(p);
        named = true;
    }
    expect(p, "by");
    s->method = parse_word(p, "a method, auto, multigrid, cg, minres or bicgstab,",
                           methods, (int)COUNT_OF(methods));
    const token *open = p->next;
    const bool bracket = accept(p, "(");
    if (bracket) {
        expect(p, "preconditioner");
        expect_on(p, "=");
    }
    if (bracket || accept(p, "with"))
        s->preconditioner = parse_word(
            p, "a preconditioner, multigrid, column, jacobi or none,", preconditioners,
            (int)COUNT_OF(preconditioners));
    if (bracket)
        expect_closed(p, open, ")");
    expect(p, "to");
    const expr *tolerance = expr_parse(p);
    if (!statement_ends(p))
        return false;
    if (!named && !statement_is_bad(p))
        s->symbol = find_unknown(p, s);
    check_solve(p, s, tolerance);
    return true;
}

/* border u = g at "rim", "top" */
bool mesh_border_parse(parser *p, statement *s)
{
    const char **names = arena_alloc(p->arena, MAX_ARGUMENTS, sizeof(char *));

    s->border = BORDER_VALUE;
    if (next_is(p, "neumann"))
        syntax_mistake(p, "on a mesh a flux is a form over a border: form g(v) at "
                          "\"rim\" = 2*v, on the right of the solve");
    s->symbol = field_parse(p);
    expect_on(p, "=");
    s->value = expr_parse(p);
    s->at_border = names;
    if (accept(p, "at"))
        do {
            const char *name = expect_string(p);
            if (s->at_borders == MAX_ARGUMENTS)
                syntax_mistake(p, "at most %d borders stand in one statement",
                               MAX_ARGUMENTS);
            else if (name)
                names[s->at_borders++] = name;
        } while (!p->panic && accept_on(p, ","));
    if (!statement_ends(p) || !s->symbol)
        return false;
    mesh_expr_check(p, s->value, false, MESH_NODE);
    return true;
}

/* ---- outputs ----------------------------------------------------------------------- */

/* output u, f into "u.vtu"; output u into "top.png" layer 16; ... cut (0, 0) to (1, 1) */
bool mesh_output_parse(parser *p, statement *s)
{
    s->left = arena_alloc(p->arena, MAX_ARGUMENTS, sizeof(symbol *));
    do {
        symbol *f = field_parse(p);
        if (s->left_count == MAX_ARGUMENTS)
            syntax_mistake(p, "at most %d fields go into one file", MAX_ARGUMENTS);
        else if (f && f->on_cells)
            mistake_at(p, s->at, "'%s' has values in cells; files hold values of nodes",
                       f->name);
        else if (f)
            s->left[s->left_count++] = f;
    } while (!p->panic && accept_on(p, ","));
    while (part_parse(p, s, PART_INTO | PART_LAYER | PART_CUT))
        continue;
    if (!statement_ends(p) || s->left_count == 0)
        return false;
    s->symbol = s->left[0];
    if (!s->file)
        s->file = arena_print(p->arena, "%s.vtu", s->symbol->name);
    const char *ending = path_ending(s->file);
    const bool picture = strcmp(ending, ".png") == 0, array = strcmp(ending, ".npy") == 0;
    if (!picture && !array && strcmp(ending, ".vtu") != 0)
        mistake_at(p, s->file_at,
                   "a mesh is written into .vtu, for ParaView, into .npy, or as a "
                   "picture into .png, not into \"%s\"",
                   s->file);
    else if ((picture || array) && s->left_count > 1)
        mistake_at(p, s->at, "a picture or an array shows one field");
    else if (picture && !s->layer == !s->cut[0][0])
        mistake_at(p, s->at,
                   "a picture shows a level, 'layer 8', or a cut upwards, 'cut (0, 0) "
                   "to (1, 0)'");
    else if (!picture && (s->layer || s->cut[0][0]))
        mistake_at(p, s->at, "'layer' and 'cut' belong to pictures, .png");
    return true;
}
