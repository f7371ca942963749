/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints programs in canonical form: expressions, statements, and statements on a mesh.
 */
#include "lang/lang_private.h"

/* ---- expressions ------------------------------------------------------------------- */

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

static void value_print(text *t, const char *word, const expr *e)
{
    if (!e)
        return;
    text_add(t, "%s", word);
    expr_print(e, t);
}

/* ---- meshes ------------------------------------------------------------------------ */

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

static void print_mesh_solve(const statement *s, text *t)
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

static void print_mesh_border(const statement *s, text *t)
{
    text_add(t, "border %s", s->symbol->name);
    value_print(t, " = ", s->value);
    for (int k = 0; k < s->at_borders; k++)
        text_add(t, "%s\"%s\"", k ? ", " : " at ", s->at_border[k]);
}

static void print_mesh_output(const statement *s, text *t)
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

static bool mesh_statement_print(const program *tree, const statement *s, text *t)
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
    case STATEMENT_SOLVE: print_mesh_solve(s, t); return true;
    case STATEMENT_BORDER: print_mesh_border(s, t); return true;
    case STATEMENT_OUTPUT: print_mesh_output(s, t); return true;
    default: return false;
    }
}

/* ---- statements -------------------------------------------------------------------- */

static void add_file(text *t, const char *word, const char *file)
{
    if (file)
        text_add(t, "%s\"%s\"", word, file);
}

/* ---- declarations ------------------------------------------------------------------ */

static void print_grid(const program *tree, text *t)
{
    for (int i = 0; i < tree->dim; i++) {
        const axis_grid *a = &tree->axis[i];
        text_add(t, "%s %c ", i > 0 ? "," : "grid", axis_letters[i]);
        expr_print(a->extent, t);
        value_print(t, " from ", a->from);
        value_print(t, " to ", a->to);
        value_print(t, " spacing ", a->spacing);
        value_print(t, " at ", a->stretch);
        add_file(t, a->gaps ? " spacing " : " at ", a->table);
        text_add(t, "%s", a->down ? " down" : "");
    }
}

static void print_real(const program *tree, text *t)
{
    text_add(t, "real %s", pav_type_name(tree->real));
    if (tree->stored != tree->real)
        text_add(t, " stored %s", pav_type_name(tree->stored));
}

static void print_let(const symbol *s, text *t)
{
    text_add(t, "let %s", s->name);
    for (int i = 0; i < s->arguments; i++)
        text_add(t, "%s%s", i > 0 ? ", " : "(", s->argument[i]->name);
    text_add(t, "%s", s->arguments > 0 ? ")" : "");
    value_print(t, " = ", s->value);
}

static void add_raw(const raw_file *raw, text *t)
{
    text_add(t, " raw %s %s", pav_type_name(raw->type), raw->big ? "big" : "little");
    for (int i = 0; i < MAX_DIM && raw->extent[i]; i++) {
        text_add(t, "%s%c ", i > 0 ? ", " : " ", axis_letters[raw->axis[i]]);
        expr_print(raw->extent[i], t);
    }
}

static void print_field(const symbol *s, text *t)
{
    text_add(t, "field %s%s", s->name, s->coarse ? " coarse" : "");
    if (s->coarse > 1)
        text_add(t, " %d", s->coarse);
    if (s->storage_stated)
        text_add(t, " stored %s", pav_type_name(s->storage));
    value_print(t, " = ", s->value);
    add_file(t, " = ", s->file);
    if (s->raw)
        add_raw(s->raw, t);
}

static void print_initial(const statement *s, text *t)
{
    if (s->level == 1)
        text_add(t, "prev(%s)", s->symbol->name);
    else
        text_add(t, "prev(%s, %d)", s->symbol->name, s->level);
    value_print(t, " = ", s->value);
}

/* ---- faces ------------------------------------------------------------------------- */

static void add_faces(const program *tree, const char *word, const char *all,
                      unsigned faces, text *t)
{
    const char *before = "";

    if (faces == (unsigned)FACES_ALL >> (2 * (MAX_DIM - tree->dim))) {
        text_add(t, "%s", all);
        return;
    }
    text_add(t, "%s", word);
    for (int i = 0; i < 2 * tree->dim; i++)
        if (faces & (1U << i)) {
            text_add(t, "%s%s", before, face_names[i]);
            before = ", ";
        }
}

static void print_border(const program *tree, const statement *s, text *t)
{
    text_add(t, "border");
    if (border_rules[s->border].copies)
        text_add(t, " %s", border_rules[s->border].word);
    if (s->symbol)
        text_add(t, " %s", s->symbol->name);
    value_print(t, " = ", s->value);
    if (border_lies_beyond(s->border))
        add_faces(tree, " beyond ", " beyond", s->faces, t);
    else
        add_faces(tree, " at ", "", s->faces, t);
}

static void print_absorb(const program *tree, const statement *s, text *t)
{
    value_print(t, "absorb ", s->cells);
    text_add(t, " cells");
    value_print(t, " strength ", s->strength);
    add_faces(tree, " at ", "", s->faces, t);
    text_add(t, "%s", s->matched ? " by pml" : "");
}

/* ---- sources and receivers --------------------------------------------------------- */

static void add_point(const program *tree, expr *const *axis, text *t)
{
    for (int i = 0; i < tree->dim; i++) {
        text_add(t, "%s", i > 0 ? ", " : "(");
        expr_print(axis[i], t);
    }
    text_add(t, ")");
}

static void add_points(const program *tree, const points *list, text *t)
{
    static const char *const owner[] = {"", "receivers of ", "sources of "};

    text_add(t, "%s%s", list->line_count ? " along " : " at ", owner[list->owner]);
    if (list->file)
        text_add(t, "\"%s\"", list->file);
    for (int i = 0; i < list->count; i++) {
        text_add(t, "%s", i == 0 ? "" : list->line_count ? " to " : ", ");
        add_point(tree, list->list[i], t);
    }
    value_print(t, " count ", list->line_count);
    if (list->method == POINTS_SINC)
        text_add(t, " by sinc");
}

/* Prints a factor. Operators weaker than a product need parentheses. */
static void add_scale(const expr *e, text *t)
{
    const bool closed = e->kind == EXPR_BINARY &&
                        operator_table[e->op].precedence < PRECEDENCE_PRODUCT;

    text_add(t, "*%s", closed ? "(" : "");
    expr_print(e, t);
    text_add(t, "%s", closed ? ")" : "");
}

static void print_inject(const program *tree, const statement *s, text *t)
{
    add_file(t, "inject ", s->trace);
    if (!s->trace)
        value_print(t, "inject ", s->value);
    else if (s->value->kind != EXPR_NUMBER || !num_equal(s->value->number, num_int(1)))
        add_scale(s->value, t);
    text_add(t, " into %s", s->symbol->name);
    add_points(tree, &s->points, t);
}

static void add_colours(const statement *s, text *t)
{
    value_print(t, " range ", s->range[0]);
    value_print(t, " to ", s->range[1]);
    if (s->colours)
        text_add(t, " colours %s", s->colours);
}

static void print_sample(const program *tree, const statement *s, text *t)
{
    text_add(t, "sample %s", s->columns > 0 ? "" : s->symbol->name);
    for (int i = 0; i < s->columns; i++)
        value_print(t, i > 0 ? ", " : "", s->column[i]);
    add_points(tree, &s->points, t);
    value_print(t, " every ", s->every);
    add_file(t, " into ", s->file);
    add_colours(s, t);
}

static void add_stride(const statement *s, text *t)
{
    if (s->strides == 1)
        value_print(t, " stride ", s->stride[0]);
    for (int i = 0; s->strides > 1 && i < s->strides; i++)
        value_print(t, i > 0 ? ", " : " stride (", s->stride[i]);
    text_add(t, "%s", s->strides > 1 ? ")" : "");
}

static void print_output(const program *tree, const statement *s, text *t)
{
    text_add(t, "output %s", s->symbol->name);
    value_print(t, " every ", s->every);
    add_file(t, " into ", s->file);
    if (s->slice_axis >= 0)
        text_add(t, " slice %c", axis_letters[s->slice_axis]);
    value_print(t, " ", s->slice_at);
    for (int i = 0; s->crop && i < 2; i++) {
        text_add(t, "%s", i == 0 ? " crop " : " to ");
        add_point(tree, s->crop[i], t);
    }
    add_stride(s, t);
    add_colours(s, t);
}

/* ---- computing --------------------------------------------------------------------- */

static void print_mask(const statement *s, text *t)
{
    text_add(t, "mask %s%s", s->symbol ? s->symbol->name : "", s->symbol ? " = " : "");
    value_print(t, "", s->value);
    add_file(t, "", s->file);
}

static void print_solve(const statement *s, text *t)
{
    value_print(t, "solve ", s->value);
    value_print(t, " = ", s->right);
    text_add(t, " for %s by %s", s->symbol->name, s->method);
    for (int k = 0; k < s->options; k++) {
        const solve_option *o = &s->option[k];
        text_add(t, "%s%s = ", k ? ", " : "(", o->name);
        if (o->word)
            text_add(t, "%s", o->word);
        else
            text_add_double(t, o->number);
    }
    text_add(t, "%s to ", s->options ? ")" : "");
    num_print(t, s->tolerance);
}

static void print_named(const char *word, const statement *s, text *t)
{
    text_add(t, "%s %s", word, s->symbol->name);
    value_print(t, " = ", s->value);
}

static void print_stencil(const program *tree, const symbol *s, text *t)
{
    static const char *const classes[] = {"centre", "face", "edge", "corner"};
    const char *before = "";

    text_add(t, "stencil %s { %s", s->name, s->form == STENCIL_BOX ? "box " : "");
    for (int i = 0; s->form == STENCIL_LIST && i < s->taps; i++) {
        for (int axis = 0; axis < tree->dim; axis++)
            text_add(t, "%s%d",
                     axis > 0 ? ", "
                     : i > 0  ? ", ["
                              : "[",
                     s->tap[i].offset[axis]);
        value_print(t, "] ", s->tap[i].weight);
    }
    for (int i = 0; s->form != STENCIL_LIST && i < s->classes; i++) {
        if (!s->class_weight[i])
            continue;
        text_add(t, "%s%s%s", before, s->form == STENCIL_BOX ? "" : classes[i],
                 s->form == STENCIL_BOX ? "" : " ");
        expr_print(s->class_weight[i], t);
        before = ", ";
    }
    text_add(t, " }");
}

static void print_coarse(const statement *s, text *t)
{
    const char *before = " along ";

    text_add(t, "coarse %d", s->coarse[0]);
    if (s->coarse[1] > s->coarse[0])
        text_add(t, " to %d", s->coarse[1]);
    for (int axis = 0; axis < MAX_DIM; axis++) {
        if (!(s->axes >> axis & 1))
            continue;
        text_add(t, "%s%c", before, axis_letters[axis]);
        before = ", ";
    }
}

static void print_any(const program *tree, const statement *s, text *t)
{
    if (mesh_statement_print(tree, s, t))
        return;
    switch (s->kind) {
    case STATEMENT_GRID: print_grid(tree, t); break;
    case STATEMENT_REAL: print_real(tree, t); break;
    case STATEMENT_PARAM: print_named("param", s, t); break;
    case STATEMENT_SCALAR: print_named("scalar", s, t); break;
    case STATEMENT_LET: print_let(s->symbol, t); break;
    case STATEMENT_FIELD: print_field(s->symbol, t); break;
    case STATEMENT_INITIAL: print_initial(s, t); break;
    case STATEMENT_STENCIL: print_stencil(tree, s->symbol, t); break;
    case STATEMENT_UPDATE:
        text_add(t, "%s'", s->symbol->name);
        value_print(t, " = ", s->written ? s->written : s->value);
        break;
    case STATEMENT_BORDER: print_border(tree, s, t); break;
    case STATEMENT_ABSORB: print_absorb(tree, s, t); break;
    case STATEMENT_MASK: print_mask(s, t); break;
    case STATEMENT_INJECT: print_inject(tree, s, t); break;
    case STATEMENT_GATHER:
    case STATEMENT_SAMPLE: print_sample(tree, s, t); break;
    case STATEMENT_MEASURE:
        print_named("measure", s, t);
        value_print(t, " every ", s->every);
        add_file(t, " into ", s->file);
        break;
    case STATEMENT_UNTIL:
        value_print(t, "until ", s->value);
        value_print(t, " every ", s->every);
        break;
    case STATEMENT_STEPS: value_print(t, "steps ", s->value); break;
    case STATEMENT_CHAOTIC:
        value_print(t, "chaotic ", s->value);
        value_print(t, " by ", s->every);
        break;
    case STATEMENT_CHECKPOINT:
        value_print(t, "checkpoint every ", s->every);
        add_file(t, " into ", s->file);
        break;
    case STATEMENT_OUTPUT: print_output(tree, s, t); break;
    case STATEMENT_EXPECT: value_print(t, "expect ", s->value); break;
    case STATEMENT_SOLVE: print_solve(s, t); break;
    case STATEMENT_COARSE: print_coarse(s, t); break;
    case STATEMENT_MESH:
    case STATEMENT_FORM: break;
    }
}

void statement_print(const program *tree, const statement *s, text *t)
{
    const int64_t from = t->length;

    print_any(tree, s, t);
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

void program_print_in_lines(const program *p, text *t)
{
    int line = 1;

    for (const statement *s = p->first; s; s = s->next) {
        if (s->gather || s->made)
            continue;
        statement_begin_line(s, &line, t);
        statement_print(p, s, t);
    }
}

void program_print(const program *p, text *t)
{
    for (const statement *s = p->first; s; s = s->next) {
        if (s->gather || s->made)
            continue;
        statement_print(p, s, t);
        text_add(t, "\n");
    }
}
