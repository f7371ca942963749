/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints programs in canonical form: expressions, statements, and those on a mesh. */
#include <assert.h>

#include "lang/lang_private.h"

/* ---- expressions ------------------------------------------------------------------- */

static void print(const expr *e, int least, text *t);

static void add_file(text *t, const char *word, const char *file)
{
    if (file)
        text_add(t, "%s\"%s\"", word, file);
}

static int precedence_of(const expr *e)
{
    return e->kind == EXPR_UNARY || e->kind == EXPR_BINARY
               ? operator_table[e->op].precedence
               : PRECEDENCE_POSTFIX;
}

static void print_binary(const expr *e, text *t)
{
    const operator_info *o = &operator_table[e->op];

    print(e->arg[0], o->left, t);
    text_add(t, e->op == OP_POW || e->op == OP_MUL || e->op == OP_DIV ? "%s" : " %s ",
             o->sign);
    print(e->arg[1], o->right, t);
}

static void print_unary(const expr *e, text *t)
{
    text_add(t, e->op == OP_NOT ? "not " : "-");
    print(e->arg[0], operator_table[e->op].right, t);
}

/* The arguments, without the parentheses. */
static void print_list(const expr *e, text *t)
{
    for (int i = 0; i < e->count; i++) {
        text_add(t, "%s", i > 0 ? ", " : "");
        print(e->arg[i], PRECEDENCE_OR, t);
    }
}

static void print_call(const expr *e, text *t)
{
    const char *const name = e->kind == EXPR_CALL       ? function_table[e->function].name
                             : e->kind == EXPR_REDUCE   ? reduction_names[e->reduction]
                             : e->kind == EXPR_GRADIENT ? "grad"
                             : e->kind == EXPR_DOT      ? "dot"
                             : e->kind != EXPR_TRANSFER ? e->symbol->name
                             : e->transfer == TRANSFER_RESTRICT ? "restrict"
                                                                : "interpolate";

    text_add(t, "%s(", name);
    print_list(e, t);
    text_add(t, ")");
    add_file(t, " at ", e->border);
}

static void print_number(const expr *e, text *t)
{
    num_print(t, e->number);
}

static void print_builtin(const expr *e, text *t)
{
    text_add(t, "%s", builtin_names[e->builtin]);
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

/* Prints a derivative or a Laplacian, with `order` and `at` only if they differ from the
 * defaults. */
static void print_difference(const expr *e, text *t)
{
    text_add(t, e->kind == EXPR_LAPLACE ? "laplace" : "d");
    for (int i = 0; i < MAX_DIM; i++)
        text_add(t, "%.*s", e->derivative[i],
                 (const char *const[]){"xxxx", "yyyy", "zzzz"}[i]);
    text_add(t, "(");
    print_list(e, t);
    if (e->order != 2)
        text_add(t, ", order %d", e->order);
    for (int i = 0; i < MAX_DIM; i++)
        if (e->half[i] != 0)
            text_add(t, ", at %c1/2", e->half[i] > 0 ? '+' : '-');
    text_add(t, ")");
}

static void print_line(const expr *e, text *t)
{
    const char *down = e->line == LINE_TRANSFORM     ? " inverse"
                       : e->line == LINE_TRIDIAGONAL ? " cyclic"
                                                     : " down";

    text_add(t, "%s(", line_names[e->line]);
    print_list(e, t);
    text_add(t, " along %c%s%s)", axis_letters[e->axis], e->down ? down : "",
             !e->exclusive               ? ""
             : e->line == LINE_TRANSFORM ? " mirrored"
                                         : " exclusive");
}

/* Lists stand only in the parser. */
static void (*const printers[EXPR_KINDS])(const expr *e, text *t) = {
    [EXPR_NUMBER] = print_number, [EXPR_BUILTIN] = print_builtin,
    [EXPR_SYMBOL] = print_symbol, [EXPR_SHIFT] = print_shift,
    [EXPR_UNARY] = print_unary,   [EXPR_BINARY] = print_binary,
    [EXPR_CALL] = print_call,     [EXPR_APPLY] = print_call,
    [EXPR_STENCIL] = print_call,  [EXPR_DERIVE] = print_difference,
    [EXPR_REDUCE] = print_call,   [EXPR_LAPLACE] = print_difference,
    [EXPR_TRANSFER] = print_call, [EXPR_LIST] = print_list,
    [EXPR_LINE] = print_line,     [EXPR_GRADIENT] = print_call,
    [EXPR_DOT] = print_call,
};

static void print(const expr *e, int least, text *t)
{
    const bool closed = precedence_of(e) < least;

    text_add(t, "%s", closed ? "(" : "");
    printers[e->kind](e, t);
    text_add(t, "%s", closed ? ")" : "");
}

void expr_print(const expr *e, text *t)
{
    print(e, PRECEDENCE_OR, t);
}

static void value_print(text *t, const char *word, const expr *e)
{
    if (!e)
        return;
    text_add(t, "%s", word);
    expr_print(e, t);
}

/* ---- values, names, files ---------------------------------------------------------- */

/* Each behind the word `between`, the first one behind `before`. */
static void add_names(text *t, const char *before, const char *between,
                      symbol *const *list, int count)
{
    for (int k = 0; k < count; k++)
        text_add(t, "%s%s", k ? between : before, list[k]->name);
}

/* ---- parts of statements ----------------------------------------------------------- */

/* A part of a statement, printed behind its word. A value, file or name that is missing
 * prints nothing. `at`: of the member, in bytes. */
typedef struct printing printing;
typedef struct part {
    const char *word;
    void (*print)(const printing *w);
    size_t at;
} part;

struct printing {
    const part *part;
    const program *tree;
    const statement *s;
    text *t;
};

static const void *member_of(const printing *w)
{
    return (const char *)w->s + w->part->at;
}

static void print_word(const printing *w)
{
    text_add(w->t, "%s", w->part->word);
}

static void print_flag(const printing *w)
{
    text_add(w->t, "%s", *(const bool *)member_of(w) ? w->part->word : "");
}

static void print_expr(const printing *w)
{
    value_print(w->t, w->part->word, *(expr *const *)member_of(w));
}

static void print_string(const printing *w)
{
    add_file(w->t, w->part->word, *(const char *const *)member_of(w));
}

static void print_name(const printing *w)
{
    add_names(w->t, w->part->word, "", &w->s->symbol, w->s->symbol != NULL);
}

/* Of a mask of one field. */
static void print_masked(const printing *w)
{
    if (w->s->symbol)
        text_add(w->t, "%s%s = ", w->part->word, w->s->symbol->name);
}

static void print_value(const printing *w)
{
    value_print(w->t, w->part->word, w->s->written ? w->s->written : w->s->value);
}

/* ---- declarations ------------------------------------------------------------------ */

static void print_mesh(const printing *w)
{
    const mesh_source *m = w->tree->mesh;

    assert(m); /* a program on a mesh has one */
    text_add(w->t, "mesh %s", m->shape ? m->shape : "");
    add_file(w->t, "", m->shape ? NULL : m->path);
    value_print(w->t, " ", m->size);
    value_print(w->t, " layers ", m->layers);
    value_print(w->t, " from ", m->from);
    value_print(w->t, " to ", m->to);
    value_print(w->t, " grading ", m->grading);
}

static void print_grid(const printing *w)
{
    for (int i = 0; i < w->tree->dim; i++) {
        const axis_grid *a = &w->tree->axis[i];
        text_add(w->t, "%s %c", i > 0 ? "," : "grid", axis_letters[i]);
        value_print(w->t, " ", a->extent);
        value_print(w->t, " from ", a->from);
        value_print(w->t, " to ", a->to);
        value_print(w->t, " spacing ", a->spacing);
        value_print(w->t, " at ", a->stretch);
        add_file(w->t, a->gaps ? " spacing " : " at ", a->table);
        text_add(w->t, "%s", a->down ? " down" : "");
    }
}

static void print_real(const printing *w)
{
    text_add(w->t, "real %s", pav_type_name(w->tree->real));
    if (w->tree->stored != w->tree->real)
        text_add(w->t, " stored %s", pav_type_name(w->tree->stored));
    if (w->tree->tiny.v > 0) {
        text_add(w->t, " flushed below ");
        num_print(w->t, w->tree->tiny);
    }
}

/* Let or form, with its arguments. */
static void print_head(const printing *w)
{
    const symbol *of = w->s->symbol;

    text_add(w->t, "%s%s", w->part->word, of->name);
    add_names(w->t, "(", ", ", of->argument, of->arguments);
    text_add(w->t, "%s", of->arguments > 0 ? ")" : "");
    add_file(w->t, " at ", of->border);
}

static void print_place(const printing *w)
{
    text_add(w->t, "%s%s", w->part->word, w->s->symbol->on_cells ? "cells" : "nodes");
}

static void print_traits(const printing *w)
{
    const symbol *f = w->s->symbol;

    text_add(w->t, "%s%s%s", w->part->word, f->name, f->coarse ? " coarse" : "");
    if (f->coarse > 1)
        text_add(w->t, " %d", f->coarse);
    if (f->storage_stated)
        text_add(w->t, " stored %s", pav_type_name(f->storage));
}

static void print_start(const printing *w)
{
    const raw_file *raw = w->s->symbol->raw;

    add_file(w->t, w->part->word, w->s->symbol->file);
    if (!raw)
        return;
    text_add(w->t, " raw %s %s", pav_type_name(raw->type), raw->big ? "big" : "little");
    for (int i = 0; i < MAX_DIM && raw->extent[i]; i++) {
        text_add(w->t, "%s%c", i > 0 ? ", " : " ", axis_letters[raw->axis[i]]);
        value_print(w->t, " ", raw->extent[i]);
    }
}

static void print_stencil(const printing *w)
{
    static const char *const classes[] = {"centre ", "face ", "edge ", "corner "};
    const symbol *s = w->s->symbol;
    const char *before = "";

    text_add(w->t, "%s%s { %s", w->part->word, s->name,
             s->form == STENCIL_BOX ? "box " : "");
    for (int i = 0; s->form == STENCIL_LIST && i < s->taps; i++) {
        for (int axis = 0; axis < w->tree->dim; axis++)
            text_add(w->t, "%s%d",
                     axis > 0 ? ", "
                     : i > 0  ? ", ["
                              : "[",
                     s->tap[i].offset[axis]);
        value_print(w->t, "] ", s->tap[i].weight);
    }
    for (int i = 0; s->form != STENCIL_LIST && i < s->classes; i++) {
        if (!s->class_weight[i])
            continue;
        text_add(w->t, "%s", before);
        value_print(w->t, s->form == STENCIL_BOX ? "" : classes[i], s->class_weight[i]);
        before = ", ";
    }
    text_add(w->t, " }");
}

static void print_coarse(const printing *w)
{
    const char *before = " along ";

    text_add(w->t, "%s%d", w->part->word, w->s->coarse[0]);
    if (w->s->coarse[1] > w->s->coarse[0])
        text_add(w->t, " to %d", w->s->coarse[1]);
    for (int axis = 0; axis < MAX_DIM; axis++) {
        if (!(w->s->axes >> axis & 1))
            continue;
        text_add(w->t, "%s%c", before, axis_letters[axis]);
        before = ", ";
    }
}

/* ---- places, times, pictures, methods ---------------------------------------------- */

static void print_every(const printing *w)
{
    value_print(w->t, w->part->word, w->s->every);
    text_add(w->t, "%s", w->s->timed ? " time" : "");
}

static void print_level(const printing *w)
{
    if (w->s->level > 1)
        text_add(w->t, "%s%d", w->part->word, w->s->level);
}

static void print_kind(const printing *w)
{
    const border_rule *r = &border_rules[w->s->where ? w->s->part : w->s->border];

    if (r->copies)
        text_add(w->t, "%s%s", w->part->word, r->word);
}

static void print_faces(const printing *w)
{
    const border_kind kind = w->s->where ? w->s->part : w->s->border;
    const bool beyond = w->s->kind == STATEMENT_BORDER && border_lies_beyond(kind);
    const char *before = beyond ? " beyond " : " at ";

    if (w->s->faces == (unsigned)FACES_ALL >> (2 * (MAX_DIM - w->tree->dim))) {
        text_add(w->t, "%s", beyond ? " beyond" : "");
        return;
    }
    for (int i = 0; i < 2 * w->tree->dim; i++)
        if (w->s->faces & (1U << i)) {
            text_add(w->t, "%s%s", before, face_names[i]);
            before = ", ";
        }
}

static void print_at_borders(const printing *w)
{
    for (int k = 0; k < w->s->at_borders; k++)
        add_file(w->t, k ? ", " : w->part->word, w->s->at_border[k]);
}

/* Values between parentheses. */
static void add_point(text *t, const char *before, expr *const *axis, int count)
{
    for (int i = 0; i < count; i++)
        value_print(t, i > 0 ? ", " : before, axis[i]);
    text_add(t, ")");
}

static void print_points(const printing *w)
{
    static const char *const owner[] = {"", "receivers of ", "sources of "};
    const points *list = &w->s->points;

    text_add(w->t, "%s%s", list->line_count ? " along " : " at ", owner[list->owner]);
    add_file(w->t, "", list->file);
    for (int i = 0; i < list->count; i++)
        add_point(w->t,
                  i == 0             ? "("
                  : list->line_count ? " to ("
                                     : ", (",
                  list->list[i], w->tree->dim);
    value_print(w->t, " count ", list->line_count);
    if (list->method == POINTS_SINC)
        text_add(w->t, " by sinc");
}

/* A value, or a trace with its factor. Operators weaker than a product need
 * parentheses. */
static void print_trace(const printing *w)
{
    const expr *e = w->s->value;
    const bool closed = w->s->trace && e->kind == EXPR_BINARY &&
                        operator_table[e->op].precedence < PRECEDENCE_PRODUCT;

    add_file(w->t, w->part->word, w->s->trace);
    if (w->s->trace && e->kind == EXPR_NUMBER && num_equal(e->number, num_int(1)))
        return;
    value_print(w->t, !w->s->trace ? w->part->word : closed ? "*(" : "*", e);
    text_add(w->t, "%s", closed ? ")" : "");
}

static void print_columns(const printing *w)
{
    for (int i = 0; i < w->s->columns; i++)
        value_print(w->t, i > 0 ? ", " : w->part->word, w->s->column[i]);
    add_names(w->t, w->part->word, "", &w->s->symbol, w->s->columns == 0);
}

static void print_region(const printing *w)
{
    if (w->s->slice_axis >= 0)
        text_add(w->t, " slice %c", axis_letters[w->s->slice_axis]);
    value_print(w->t, " ", w->s->slice_at);
    for (int i = 0; w->s->crop && i < 2; i++)
        add_point(w->t, i == 0 ? " crop (" : " to (", w->s->crop[i], w->tree->dim);
    if (w->s->strides == 1)
        value_print(w->t, " stride ", w->s->stride[0]);
    else if (w->s->strides > 1)
        add_point(w->t, " stride (", w->s->stride, w->s->strides);
    value_print(w->t, " layer ", w->s->layer);
    for (int k = 0; k < 2 && w->s->cut[0][0]; k++)
        add_point(w->t, k ? " to (" : " cut (", w->s->cut[k], 2);
}

static void print_colours(const printing *w)
{
    if (w->s->colours)
        text_add(w->t, "%s%s", w->part->word, w->s->colours);
    if (w->s->frames != RANGE_USUAL)
        text_add(w->t, w->s->frames == RANGE_OF_FRAMES ? " range over frames"
                                                       : " range each frame");
    for (int64_t k = 0; w->s->contour && k < (w->s->contours_at ? w->s->contours : 1);
         k++)
        value_print(w->t,
                    k > 0               ? ", "
                    : w->s->contours_at ? " contours at "
                                        : " contours ",
                    w->s->contour[k]);
    if (w->s->arrows) {
        text_add(w->t, " %s", w->s->arrows);
        add_names(w->t, " ", ", ", w->s->left + 1, 2);
    }
    value_print(w->t, " size ", w->s->size);
}

/* The name of an output behind its expression, or alone. */
static void print_shown(const printing *w)
{
    const int count = w->s->arrows ? 0 : w->s->left_count;

    add_names(w->t, w->s->value ? " as " : w->part->word, ", ",
              count ? w->s->left : &w->s->symbol, count ? count : 1);
    text_add(w->t, "%s%s", w->s->vector ? " as " : "", w->s->vector ? w->s->vector : "");
}

static void print_left(const printing *w)
{
    add_names(w->t, "", w->part->word, w->s->left, w->s->left_count);
}

static void print_right(const printing *w)
{
    add_names(w->t, "", w->part->word, w->s->rights, w->s->right_count);
}

static void print_rates(const printing *w)
{
    for (int k = 0; k < w->s->columns; k++) {
        text_add(w->t, "%s%s = ", k ? ", " : w->part->word, w->s->left[k]->name);
        expr_print(w->s->column[k], w->t);
    }
    text_add(w->t, " by %s", w->s->method);
    if (w->s->count > 1)
        text_add(w->t, " in %lld steps", (long long)w->s->count);
}

static void print_equations(const printing *w)
{
    value_print(w->t, w->s->more ? "solve { " : w->part->word, w->s->value);
    value_print(w->t, " = ", w->s->right);
    for (const statement *m = w->s->more; m; m = m->more) {
        value_print(w->t, "; ", m->value);
        value_print(w->t, " = ", m->right);
    }
    text_add(w->t, "%s", w->s->more ? " }" : "");
}

static void print_method(const printing *w)
{
    text_add(w->t, "%s%s", w->part->word, w->s->symbol->name);
    for (const statement *m = w->s->more; m; m = m->more)
        text_add(w->t, ", %s", m->symbol->name);
    text_add(w->t, " by %s", w->s->method);
    for (int k = 0; k < w->s->options; k++) {
        const solve_option *o = &w->s->option[k];
        text_add(w->t, "%s%s = %s", k ? ", " : "(", o->name, o->word ? o->word : "");
        if (!o->word)
            text_add_double(w->t, o->number);
    }
    text_add(w->t, "%s", w->s->options ? ")" : "");
    if (w->s->preconditioner)
        text_add(w->t, " with %s", w->s->preconditioner);
    text_add(w->t, " to ");
    num_print(w->t, w->s->tolerance);
}

/* ---- statements -------------------------------------------------------------------- */

enum { MOST_PARTS = 10 };
#define VALUE_OF(word, member)                                                           \
    {                                                                                    \
        word, print_expr, offsetof(statement, member)                                    \
    }
#define STRING_OF(word, member)                                                          \
    {                                                                                    \
        word, print_string, offsetof(statement, member)                                  \
    }
#define FLAG_OF(word, member)                                                            \
    {                                                                                    \
        word, print_flag, offsetof(statement, member)                                    \
    }

static const part on_grid[][MOST_PARTS] = {
    [STATEMENT_GRID] = {{"", print_grid, 0}},
    [STATEMENT_REAL] = {{"", print_real, 0}},
    [STATEMENT_PARAM] = {{"param ", print_name, 0}, {" = ", print_value, 0}},
    [STATEMENT_SCALAR] = {{"scalar ", print_name, 0}, {" = ", print_value, 0}},
    [STATEMENT_LET] = {{"let ", print_head, 0}, {" = ", print_value, 0}},
    [STATEMENT_FIELD] = {{"field ", print_traits, 0},
                         {" = ", print_value, 0},
                         {" = ", print_start, 0}},
    [STATEMENT_INITIAL] = {{"prev(", print_name, 0},
                           {", ", print_level, 0},
                           {") = ", print_value, 0}},
    [STATEMENT_STENCIL] = {{"stencil ", print_stencil, 0}},
    [STATEMENT_UPDATE] = {{"", print_name, 0},
                          {"' = ", print_value, 0},
                          {" every ", print_every, 0}},
    [STATEMENT_EVOLVE] = {{"", print_name, 0},
                          {"' = ", print_value, 0},
                          {" every ", print_every, 0}},
    [STATEMENT_ADVANCE] = {{"advance ", print_rates, 0}},
    [STATEMENT_BORDER] = {{"border", print_word, 0},
                          {" ", print_kind, 0},
                          {" ", print_name, 0},
                          {" = ", print_value, 0},
                          {"", print_faces, 0},
                          VALUE_OF(" where ", where)},
    [STATEMENT_ABSORB] = {VALUE_OF("absorb ", cells),
                          {" cells", print_word, 0},
                          VALUE_OF(" strength ", strength),
                          {"", print_faces, 0},
                          FLAG_OF(" by pml", matched)},
    [STATEMENT_MASK] = {{"mask ", print_word, 0},
                        {"", print_masked, 0},
                        VALUE_OF("", value),
                        STRING_OF("", file),
                        FLAG_OF(" insulated", insulated)},
    [STATEMENT_INJECT] = {{"inject ", print_trace, 0},
                          {" into ", print_name, 0},
                          {"", print_points, 0}},
    [STATEMENT_SAMPLE] = {{"sample ", print_columns, 0},
                          {"", print_points, 0},
                          {" every ", print_every, 0},
                          STRING_OF(" into ", file),
                          VALUE_OF(" range ", range[0]),
                          VALUE_OF(" to ", range[1]),
                          {" colours ", print_colours, 0}},
    [STATEMENT_MEASURE] = {{"measure ", print_name, 0},
                           {" = ", print_value, 0},
                           {" every ", print_every, 0},
                           STRING_OF(" into ", file)},
    [STATEMENT_UNTIL] = {{"until ", print_value, 0}, {" every ", print_every, 0}},
    [STATEMENT_STEPS] = {{"steps ", print_value, 0},
                         FLAG_OF(" at once", once),
                         {" ", print_every, 0}},
    [STATEMENT_CHAOTIC] = {{"chaotic ", print_value, 0}, {" by ", print_every, 0}},
    [STATEMENT_CHECKPOINT] = {{"checkpoint every ", print_every, 0},
                              STRING_OF(" into ", file)},
    [STATEMENT_OUTPUT] = {VALUE_OF("output ", value),
                          {"output ", print_shown, 0},
                          {" every ", print_every, 0},
                          STRING_OF(" into ", file),
                          {"", print_region, 0},
                          VALUE_OF(" range ", range[0]),
                          VALUE_OF(" to ", range[1]),
                          {" colours ", print_colours, 0},
                          STRING_OF(" label ", label)},
    [STATEMENT_EXPECT] = {{"expect ", print_value, 0}},
    [STATEMENT_SOLVE] = {{"solve ", print_equations, 0}, {" for ", print_method, 0}},
    [STATEMENT_COARSE] = {{"coarse ", print_coarse, 0}},
    [STATEMENT_MESH] = {{"", print_mesh, 0}},
    [STATEMENT_FORM] = {{"form ", print_head, 0}, {" = ", print_value, 0}},
};

/* On a mesh, where they differ. */
static const part on_mesh[COUNT_OF(on_grid)][MOST_PARTS] = {
    [STATEMENT_FIELD] = {{"field ", print_name, 0},
                         {" on ", print_place, 0},
                         {" = ", print_value, 0},
                         {" = ", print_start, 0}},
    [STATEMENT_BORDER] = {{"border ", print_name, 0},
                          {" = ", print_value, 0},
                          {" at ", print_at_borders, 0}},
    [STATEMENT_OUTPUT] = {{"output ", print_word, 0},
                          {", ", print_left, 0},
                          STRING_OF(" into ", file),
                          {"", print_region, 0}},
    [STATEMENT_SOLVE] = {{"solve ", print_word, 0},
                         {" + ", print_left, 0},
                         {" = ", print_word, 0},
                         {" + ", print_right, 0},
                         {" for ", print_method, 0}},
};

void statement_print(const program *tree, const statement *s, text *t)
{
    const int64_t from = t->length;
    const statement_kind kind = s->kind == STATEMENT_GATHER ? STATEMENT_SAMPLE : s->kind;
    const bool own = tree->mesh && on_mesh[kind][0].print;
    printing w = {own ? on_mesh[kind] : on_grid[kind], tree, s, t};

    for (; w.part->print; w.part++)
        w.part->print(&w);
    if (tree->upright && !t->failed)
        upright_swap(t->data + from, t->length - from);
}

void statement_begin_line(const statement *s, int *line, text *t)
{
    if (s->at.line <= *line && t->length > 0)
        text_add(t, "; ");
    for (; *line < s->at.line; ++*line)
        text_add(t, "\n");
}

void program_print(const program *p, text *t)
{
    EACH_STATEMENT(s, p)
        if (!s->made) {
            statement_print(p, s, t);
            text_add(t, "\n");
        }
}
