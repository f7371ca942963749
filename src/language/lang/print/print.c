/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints programs in canonical form: expressions, statements, and those on a mesh. */
#include <assert.h>

#include "lang/lang_private.h"

/* ---- expressions ------------------------------------------------------------------- */

static void print(const expr *e, int least, text *t);

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

static void print_line(const expr *e, text *t)
{
    const char *down = e->line == LINE_TRANSFORM ? " inverse" : " down";

    text_add(t, "%s(", line_names[e->line]);
    for (int i = 0; i < e->count; i++) {
        text_add(t, "%s", i ? ", " : "");
        print(e->arg[i], PRECEDENCE_OR, t);
    }
    text_add(t, " along %c%s%s)", axis_letters[e->axis], e->down ? down : "",
             e->exclusive ? " exclusive" : "");
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
    case EXPR_LINE: print_line(e, t); break;
    case EXPR_LIST: break; /* only in the parser */
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

/* ---- values, names, files ---------------------------------------------------------- */

static void add_file(text *t, const char *word, const char *file)
{
    if (file)
        text_add(t, "%s\"%s\"", word, file);
}

/* Each behind the word `between`, the first one behind `before`. */
static void add_names(text *t, const char *before, const char *between,
                      symbol *const *list, int count)
{
    for (int k = 0; k < count; k++)
        text_add(t, "%s%s", k ? between : before, list[k]->name);
}

/* ---- declarations ------------------------------------------------------------------ */

static void print_mesh(const mesh_source *m, text *t)
{
    assert(m); /* a program on a mesh has one */
    text_add(t, "mesh %s", m->shape ? m->shape : "");
    add_file(t, "", m->shape ? NULL : m->path);
    value_print(t, " ", m->size);
    value_print(t, " layers ", m->layers);
    value_print(t, " from ", m->from);
    value_print(t, " to ", m->to);
    value_print(t, " grading ", m->grading);
}

static void print_grid(const program *tree, text *t)
{
    for (int i = 0; i < tree->dim; i++) {
        const axis_grid *a = &tree->axis[i];
        text_add(t, "%s %c", i > 0 ? "," : "grid", axis_letters[i]);
        value_print(t, " ", a->extent);
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

/* Let or form, with its arguments. */
static void add_arguments(const symbol *s, text *t)
{
    text_add(t, "%s", s->name);
    add_names(t, "(", ", ", s->argument, s->arguments);
    text_add(t, "%s", s->arguments > 0 ? ")" : "");
    add_file(t, " at ", s->border);
}

static void add_traits(const symbol *s, text *t)
{
    text_add(t, "%s%s", s->name, s->coarse ? " coarse" : "");
    if (s->coarse > 1)
        text_add(t, " %d", s->coarse);
    if (s->storage_stated)
        text_add(t, " stored %s", pav_type_name(s->storage));
}

static void add_start(const symbol *s, text *t)
{
    const raw_file *raw = s->raw;

    add_file(t, " = ", s->file);
    if (!raw)
        return;
    text_add(t, " raw %s %s", pav_type_name(raw->type), raw->big ? "big" : "little");
    for (int i = 0; i < MAX_DIM && raw->extent[i]; i++) {
        text_add(t, "%s%c", i > 0 ? ", " : " ", axis_letters[raw->axis[i]]);
        value_print(t, " ", raw->extent[i]);
    }
}

static void print_stencil(const program *tree, const symbol *s, text *t)
{
    static const char *const classes[] = {"centre ", "face ", "edge ", "corner "};
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
        text_add(t, "%s", before);
        value_print(t, s->form == STENCIL_BOX ? "" : classes[i], s->class_weight[i]);
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

/* ---- parts of statements ----------------------------------------------------------- */

static void add_faces(const program *tree, const statement *s, text *t)
{
    const border_kind kind = s->where ? s->part : s->border;
    const bool beyond = s->kind == STATEMENT_BORDER && border_lies_beyond(kind);
    const char *before = beyond ? " beyond " : " at ";

    if (s->faces == (unsigned)FACES_ALL >> (2 * (MAX_DIM - tree->dim))) {
        text_add(t, "%s", beyond ? " beyond" : "");
        return;
    }
    for (int i = 0; i < 2 * tree->dim; i++)
        if (s->faces & (1U << i)) {
            text_add(t, "%s%s", before, face_names[i]);
            before = ", ";
        }
}

/* Values between parentheses. */
static void add_point(text *t, const char *before, expr *const *axis, int count)
{
    for (int i = 0; i < count; i++)
        value_print(t, i > 0 ? ", " : before, axis[i]);
    text_add(t, ")");
}

static void add_points(const program *tree, const points *list, text *t)
{
    static const char *const owner[] = {"", "receivers of ", "sources of "};

    text_add(t, "%s%s", list->line_count ? " along " : " at ", owner[list->owner]);
    add_file(t, "", list->file);
    for (int i = 0; i < list->count; i++)
        add_point(t,
                  i == 0             ? "("
                  : list->line_count ? " to ("
                                     : ", (",
                  list->list[i], tree->dim);
    value_print(t, " count ", list->line_count);
    if (list->method == POINTS_SINC)
        text_add(t, " by sinc");
}

/* The factor of a trace. Operators weaker than a product need parentheses. */
static void add_scale(const expr *e, text *t)
{
    if (e->kind == EXPR_NUMBER && num_equal(e->number, num_int(1)))
        return;
    const bool closed = e->kind == EXPR_BINARY &&
                        operator_table[e->op].precedence < PRECEDENCE_PRODUCT;
    value_print(t, closed ? "*(" : "*", e);
    text_add(t, "%s", closed ? ")" : "");
}

static void add_columns(const statement *s, text *t)
{
    for (int i = 0; i < s->columns; i++)
        value_print(t, i > 0 ? ", " : "", s->column[i]);
    if (s->columns == 0)
        text_add(t, "%s", s->symbol->name);
}

static void add_region(const program *tree, const statement *s, text *t)
{
    if (s->slice_axis >= 0)
        text_add(t, " slice %c", axis_letters[s->slice_axis]);
    value_print(t, " ", s->slice_at);
    for (int i = 0; s->crop && i < 2; i++)
        add_point(t, i == 0 ? " crop (" : " to (", s->crop[i], tree->dim);
    if (s->strides == 1)
        value_print(t, " stride ", s->stride[0]);
    else if (s->strides > 1)
        add_point(t, " stride (", s->stride, s->strides);
    value_print(t, " layer ", s->layer);
    for (int k = 0; k < 2 && s->cut[0][0]; k++)
        add_point(t, k ? " to (" : " cut (", s->cut[k], 2);
}

static void add_colours(const statement *s, text *t)
{
    value_print(t, " range ", s->range[0]);
    value_print(t, " to ", s->range[1]);
    if (s->frames != RANGE_USUAL)
        text_add(t, s->frames == RANGE_OF_FRAMES ? " range over frames"
                                                 : " range each frame");
    for (int64_t k = 0; s->contour && k < (s->contours_at ? s->contours : 1); k++)
        value_print(t,
                    k > 0            ? ", "
                    : s->contours_at ? " contours at "
                                     : " contours ",
                    s->contour[k]);
    if (s->arrows)
        add_names(t, " arrows ", ", ", s->left + 1, 2);
    value_print(t, " size ", s->size);
    if (s->colours)
        text_add(t, " colours %s", s->colours);
    add_file(t, " label ", s->label);
}

static void add_method(const statement *s, text *t)
{
    text_add(t, " for %s by %s", s->symbol->name, s->method);
    for (int k = 0; k < s->options; k++) {
        const solve_option *o = &s->option[k];
        text_add(t, "%s%s = %s", k ? ", " : "(", o->name, o->word ? o->word : "");
        if (!o->word)
            text_add_double(t, o->number);
    }
    text_add(t, "%s", s->options ? ")" : "");
    if (s->preconditioner)
        text_add(t, " with %s", s->preconditioner);
    text_add(t, " to ");
    num_print(t, s->tolerance);
}

/* ---- statements -------------------------------------------------------------------- */

/* A part of a statement, printed behind its word. A value, file or name that is missing
 * prints nothing. */
typedef enum part {
    NONE,
    WORD,  /* nothing behind it */
    SHOWN, /* an output: the name behind its expression, or alone */
    NAME,
    VALUE,
    RIGHT,
    EVERY,
    ONCE,
    INTO,
    CELLS,
    STRENGTH,
    LEVEL,
    ARGUMENTS,
    TRAITS,
    START,
    KIND,
    FACES,
    PML,
    AT_BORDERS,
    TRACE,
    POINTS,
    COLUMNS,
    REGION,
    COLOURS,
    LEFT_NAMES,
    RIGHT_NAMES,
    METHOD,
} part;

static void print_part(const program *tree, const statement *s, part what,
                       const char *word, text *t)
{
    const symbol *name = s->symbol;

    switch (what) {
    case NONE: break;
    case WORD: text_add(t, "%s", word); break;
    case NAME:
        if (name)
            text_add(t, "%s%s", word, name->name);
        break;
    case VALUE: value_print(t, word, s->written ? s->written : s->value); break;
    case RIGHT: value_print(t, word, s->right); break;
    case EVERY:
        value_print(t, word, s->every);
        text_add(t, "%s", s->timed ? " time" : "");
        break;
    case ONCE: text_add(t, "%s", s->once ? word : ""); break;
    case INTO: add_file(t, word, s->file); break;
    case CELLS: value_print(t, word, s->cells); break;
    case STRENGTH: value_print(t, word, s->strength); break;
    case LEVEL:
        if (s->level > 1)
            text_add(t, "%s%d", word, s->level);
        break;
    case ARGUMENTS: add_arguments(name, t); break;
    case TRAITS: add_traits(name, t); break;
    case START: add_start(name, t); break;
    case KIND:
        if (border_rules[s->where ? s->part : s->border].copies)
            text_add(t, "%s%s", word, border_rules[s->where ? s->part : s->border].word);
        break;
    case FACES:
        add_faces(tree, s, t);
        value_print(t, " where ", s->where);
        break;
    case PML: text_add(t, "%s", s->matched ? word : ""); break;
    case AT_BORDERS:
        for (int k = 0; k < s->at_borders; k++)
            add_file(t, k ? ", " : word, s->at_border[k]);
        break;
    case TRACE:
        add_file(t, word, s->trace);
        if (s->trace)
            add_scale(s->value, t);
        else
            value_print(t, word, s->value);
        break;
    case POINTS: add_points(tree, &s->points, t); break;
    case COLUMNS: add_columns(s, t); break;
    case REGION: add_region(tree, s, t); break;
    case COLOURS: add_colours(s, t); break;
    case SHOWN:
        text_add(t, "%s%s", s->value ? " as " : "output ", s->symbol->name);
        if (s->left_count > 1 && !s->arrows)
            add_names(t, ", ", ", ", s->left + 1, s->left_count - 1);
        text_add(t, "%s%s", s->vector ? " as " : "", s->vector ? s->vector : "");
        break;
    case LEFT_NAMES: add_names(t, "", word, s->left, s->left_count); break;
    case RIGHT_NAMES: add_names(t, "", word, s->rights, s->right_count); break;
    case METHOD: add_method(s, t); break;
    }
}

enum { MOST_PARTS = 7 };
typedef struct form {
    const char *word;
    part what;
} form;

static const form on_grid[][MOST_PARTS] = {
    [STATEMENT_PARAM] = {{"param ", NAME}, {" = ", VALUE}},
    [STATEMENT_SCALAR] = {{"scalar ", NAME}, {" = ", VALUE}},
    [STATEMENT_LET] = {{"let ", WORD}, {"", ARGUMENTS}, {" = ", VALUE}},
    [STATEMENT_FIELD] = {{"field ", WORD}, {"", TRAITS}, {" = ", VALUE}, {"", START}},
    [STATEMENT_INITIAL] = {{"prev(", NAME}, {", ", LEVEL}, {") = ", VALUE}},
    [STATEMENT_UPDATE] = {{"", NAME}, {"' = ", VALUE}, {" every ", EVERY}},
    [STATEMENT_EVOLVE] = {{"", NAME}, {"' = ", VALUE}, {" every ", EVERY}},
    [STATEMENT_BORDER] =
        {{"border", WORD}, {" ", KIND}, {" ", NAME}, {" = ", VALUE}, {"", FACES}},
    [STATEMENT_ABSORB] = {{"absorb ", CELLS},
                          {" cells", WORD},
                          {" strength ", STRENGTH},
                          {"", FACES},
                          {" by pml", PML}},
    [STATEMENT_INJECT] = {{"inject ", TRACE}, {" into ", NAME}, {"", POINTS}},
    [STATEMENT_SAMPLE] = {{"sample ", WORD},
                          {"", COLUMNS},
                          {"", POINTS},
                          {" every ", EVERY},
                          {" into ", INTO},
                          {"", COLOURS}},
    [STATEMENT_MEASURE] = {{"measure ", NAME},
                           {" = ", VALUE},
                           {" every ", EVERY},
                           {" into ", INTO}},
    [STATEMENT_UNTIL] = {{"until ", VALUE}, {" every ", EVERY}},
    [STATEMENT_STEPS] = {{"steps ", VALUE}, {" at once", ONCE}, {" ", EVERY}},
    [STATEMENT_CHAOTIC] = {{"chaotic ", VALUE}, {" by ", EVERY}},
    [STATEMENT_CHECKPOINT] = {{"checkpoint every ", EVERY}, {" into ", INTO}},
    [STATEMENT_OUTPUT] = {{"output ", VALUE},
                          {"", SHOWN},
                          {" every ", EVERY},
                          {" into ", INTO},
                          {"", REGION},
                          {"", COLOURS}},
    [STATEMENT_EXPECT] = {{"expect ", VALUE}},
    [STATEMENT_SOLVE] = {{"solve ", VALUE}, {" = ", RIGHT}, {"", METHOD}},
    [STATEMENT_FORM] = {{"form ", WORD}, {"", ARGUMENTS}, {" = ", VALUE}},
};

/* On a mesh, where they differ. */
static const form on_mesh[][MOST_PARTS] = {
    [STATEMENT_FIELD] = {{"field ", NAME}, {" on nodes", WORD}, {" = ", VALUE}},
    [STATEMENT_BORDER] = {{"border ", NAME}, {" = ", VALUE}, {" at ", AT_BORDERS}},
    [STATEMENT_OUTPUT] = {{"output ", WORD},
                          {", ", LEFT_NAMES},
                          {" into ", INTO},
                          {"", REGION}},
    [STATEMENT_SOLVE] = {{"solve ", WORD},
                         {" + ", LEFT_NAMES},
                         {" = ", WORD},
                         {" + ", RIGHT_NAMES},
                         {"", METHOD}},
};

static void print_any(const program *tree, const statement *s, text *t)
{
    const statement_kind kind = s->kind == STATEMENT_GATHER ? STATEMENT_SAMPLE : s->kind;
    const bool own = tree->mesh && kind < (int)COUNT_OF(on_mesh) &&
                     on_mesh[kind][0].what != NONE;

    switch (s->kind) {
    case STATEMENT_GRID: print_grid(tree, t); return;
    case STATEMENT_MESH: print_mesh(tree->mesh, t); return;
    case STATEMENT_REAL: print_real(tree, t); return;
    case STATEMENT_STENCIL: print_stencil(tree, s->symbol, t); return;
    case STATEMENT_COARSE: print_coarse(s, t); return;
    case STATEMENT_ADVANCE:
        for (int k = 0; k < s->columns; k++) {
            text_add(t, "%s%s = ", k ? ", " : "advance ", s->left[k]->name);
            expr_print(s->column[k], t);
        }
        text_add(t, " by %s", s->method);
        if (s->count > 1)
            text_add(t, " in %lld steps", (long long)s->count);
        return;
    case STATEMENT_MASK:
        text_add(t, "mask %s%s", s->symbol ? s->symbol->name : "",
                 s->symbol ? " = " : "");
        value_print(t, "", s->value);
        add_file(t, "", s->file);
        text_add(t, "%s", s->insulated ? " insulated" : "");
        return;
    default: break;
    }
    for (int k = 0; k < MOST_PARTS; k++) {
        const form *f = own ? &on_mesh[kind][k] : &on_grid[kind][k];
        print_part(tree, s, f->what, f->word, t);
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
        if (s->made)
            continue;
        statement_begin_line(s, &line, t);
        statement_print(p, s, t);
    }
}

void program_print(const program *p, text *t)
{
    for (const statement *s = p->first; s; s = s->next) {
        if (s->made)
            continue;
        statement_print(p, s, t);
        text_add(t, "\n");
    }
}
