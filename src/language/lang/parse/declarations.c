/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations: the type of the arithmetic, params, scalars, lets and fields, and the
 * table of their names. */
#include <string.h>

#include "lang/lang_private.h"

/* ---- names: a hash table with one scope -------------------------------------------- */

/* The slot of a name, or the free slot for it. */
static int64_t slot_of(const parser *p, const char *word, int length)
{
    const uint64_t mask = (uint64_t)p->table_size - 1;
    uint64_t i = hash_bytes(word, length) & mask;

    while (p->table[i] && (strncmp(p->table[i]->name, word, (size_t)length) != 0 ||
                           p->table[i]->name[length] != '\0'))
        i = (i + 1) & mask;
    return (int64_t)i;
}

symbol *symbol_exact(const parser *p, const char *word, int length)
{
    return p->table_size > 0 ? p->table[slot_of(p, word, length)] : NULL;
}

symbol *symbol_find(const parser *p, const char *word, int length)
{
    for (int i = 0; i < p->arguments; i++)
        if (word_find(&p->argument[i]->name, 1, word, length) == 0)
            return p->argument[i];
    symbol *s = symbol_exact(p, word, length);
    return s ? s : list_part_named(p, word, length);
}

symbol *symbol_in(const symbol_list *list, const char *name)
{
    for (int64_t k = 0; name && k < list->count; k++)
        if (strcmp(list->item[k]->name, name) == 0)
            return list->item[k];
    return NULL;
}

/* Inserts a symbol. It replaces a poisoned entry of the same name. */
static void put(parser *p, symbol *s)
{
    if (2 * (p->names + 1) > p->table_size) {
        symbol **old = p->table;
        const int64_t size = p->table_size;
        p->table_size = size > 0 ? 2 * size : 64;
        p->table = arena_alloc(p->arena, p->table_size, sizeof(symbol *));
        for (int64_t i = 0; i < size; i++)
            if (old[i])
                p->table[slot_of(p, old[i]->name, (int)strlen(old[i]->name))] = old[i];
    }
    symbol **slot = &p->table[slot_of(p, s->name, (int)strlen(s->name))];
    p->names += !*slot;
    *slot = s;
}

static symbol_list *list_of(program *tree, symbol_kind kind)
{
    symbol_list *const lists[] = {
        [SYMBOL_FIELD] = &tree->fields,     [SYMBOL_PARAM] = &tree->params,
        [SYMBOL_SCALAR] = &tree->scalars,   [SYMBOL_LET] = &tree->lets,
        [SYMBOL_STENCIL] = &tree->stencils, [SYMBOL_MEASURE] = &tree->measures,
        [SYMBOL_FORM] = &tree->forms,       [SYMBOL_INDEX] = NULL,
    };

    return lists[kind];
}

static void list_add(parser *p, symbol *s)
{
    symbol_list *list = list_of(p->program, s->kind);

    if (list) {
        s->index = (int)list->count;
        ARENA_ADD(p->arena, list->item, list->count, list->capacity) = s;
    }
}

symbol *symbol_new(parser *p, symbol_kind kind, const token *name)
{
    symbol *s = arena_alloc(p->arena, 1, sizeof *s);

    *s = (symbol){.kind = kind,
                  .name = arena_copy(p->arena, name->text, (size_t)name->length),
                  .at = place_outside(p, name->at),
                  .notes = arena_alloc(p->arena, 1, sizeof *s->notes)};
    return s;
}

const char *word_purpose(const parser *p, const token *name)
{
    const int builtin = word_find(builtin_names, BUILTIN_COUNT, name->text, name->length);

    return builtin == BUILTIN_PI     ? "the number 3.14159..."
           : builtin == BUILTIN_STEP ? "the number of steps taken"
           : builtin >= 0            ? "a coordinate"
           : word_is_in(name, NEAR_STATEMENTS)
               ? arena_print(p->arena, "the beginning of a statement, such as %s",
                             statement_example(name))
           : word_is_in(name, NEAR_PARTS)  ? "a word of the language"
           : word_is_in(name, NEAR_VALUES) ? "an operator of conditions"
                                           : "a function";
}

void report_reserved(parser *p, const token *name)
{
    mistake_at(p, name->at, "'%.*s' is %s; another name is needed", name->length,
               name->text, word_purpose(p, name));
}

/* Each name has one meaning in a program. False after a mistake: it was read as a value
 * of the language, or an upright grid writes it with another letter (lexer.c). */
static bool can_hide(parser *p, const token *name)
{
    const int builtin = word_find(builtin_names, BUILTIN_COUNT, name->text, name->length);
    const bool extent = builtin >= BUILTIN_NX && builtin <= BUILTIN_NZ;
    const place at = builtin < 0 || extent ? (place){0} : p->builtin_at[builtin];
    const bool turned = p->program->upright && upright_turns(name);

    if (at.line > 0)
        return mistake_at(
            p, name->at, "'%s' is %s in line %d already; another name is needed here",
            builtin_names[builtin],
            builtin == BUILTIN_T ? "the time" : "a spacing of the grid", at.line);
    return !turned ||
           mistake_at(p, name->at, "'%.*s' is %s of this grid; another name is needed",
                      name->length, name->text,
                      builtin < 0             ? "a derivative"
                      : extent                ? "an extent"
                      : builtin >= BUILTIN_IX ? "an index"
                                              : "a spacing");
}

/* The table's symbol of this name, without arguments of lets. */
static symbol *declared(const parser *p, const token *name)
{
    return symbol_exact(p, name->text, name->length);
}

symbol *symbol_hidden(parser *p, symbol_kind kind, const char *name, place at)
{
    const token word = {.text = name, .length = (int)strlen(name), .at = at};
    symbol *s = symbol_new(p, kind, &word);

    list_add(p, s);
    return s;
}

/* The second part of a declaration, after symbol_new. */
static void symbol_enter(parser *p, symbol *s, const token *name)
{
    const symbol *other = declared(p, name);
    const bool called = s->kind == SYMBOL_STENCIL ||
                        (s->kind == SYMBOL_LET && p->arguments > 0);

    if (word_is_reserved(name->text, name->length) ||
        (called && word_is_call(name->text, name->length) &&
         !word_is_hidden(name->text, name->length))) {
        report_reserved(p, name);
        symbol_poison(p, name);
    } else if (other && !other->notes->poison) {
        mistake_at(p, name->at, "'%s' is declared already, in line %d as a %s", s->name,
                   other->at.line, symbol_kind_name(other->kind));
    } else if (token_is(name, "dt") && s->kind != SYMBOL_PARAM &&
               s->kind != SYMBOL_SCALAR && !p->derived) {
        mistake_at(p, name->at,
                   "'dt' is the time step and must be a param or a scalar, not a %s",
                   symbol_kind_name(s->kind));
        put(p, s);
    } else if (!can_hide(p, name)) {
        put(p, s);
    } else {
        s->notes->bad = p->panic;
        put(p, s);
        list_add(p, s);
        return;
    }
    s->notes->bad = true;
}

symbol *symbol_declare(parser *p, symbol_kind kind, const token *name)
{
    symbol *s = symbol_new(p, kind, name);

    symbol_enter(p, s, name);
    return s;
}

bool symbol_poisoned(const parser *p, const token *name)
{
    const symbol *s = declared(p, name);

    return s && s->notes->poison;
}

void symbol_poison(parser *p, const token *name)
{
    if (p->frozen || declared(p, name))
        return;
    symbol *s = symbol_new(p, SYMBOL_SCALAR, name);
    s->notes->bad = s->notes->poison = true;
    put(p, s);
}

const char *symbol_kind_name(symbol_kind kind)
{
    static const char *const names[] = {"field",   "param",     "scalar",  "let",
                                        "stencil", "argument",  "measure", "form",
                                        "list",    "list index"};

    return names[kind];
}

/* ---- declarations ------------------------------------------------------------------ */

void type_parse(parser *p, pav_type *type)
{
    const token *t = p->next;

    if (t->kind == TOKEN_NAME && type_from_name(t->text, (size_t)t->length, type) &&
        *type != PAV_U8)
        take(p);
    else
        syntax_mistake(p, "a type is missing: f32 (float), f64 (double), bf16 or f16");
}

static bool flush_parse(parser *p, program *tree)
{
    expect(p, "below");
    const expr *limit = p->panic ? NULL : expr_parse(p);

    if (p->panic || !constant_need(p, limit, "the limit", &tree->tiny))
        return false;
    if (tree->tiny.v > 0 && tree->tiny.v < 1)
        return true;
    mistake_at(p, limit->at,
               "values below a limit between 0 and 1 become 0, as in "
               "real f32 flushed below 1e-30; this limit is %.12g",
               tree->tiny.v);
    return false;
}

bool real_parse(parser *p, statement *s)
{
    program *tree = p->program;
    const token *t = p->next;

    if (p->real)
        mistake_at(p, s->at, "'real' stands in line %d already", p->real->at.line);
    p->real = s;
    type_parse(p, &tree->real);
    if (!p->panic && tree->real != PAV_F32 && tree->real != PAV_F64) {
        mistake_at(p, t->at,
                   "arithmetic is in f32 or f64; a narrower type follows 'stored', as in "
                   "real f32 stored %s",
                   pav_type_name(tree->real));
        tree->real = PAV_F32;
    }
    tree->stored = tree->real;
    if (accept(p, "stored"))
        type_parse(p, &tree->stored);
    return !accept(p, "flushed") || flush_parse(p, tree);
}

/* True for `name =`. The name may be reserved: its declaration is then the mistake. */
static bool names_value(const token *t)
{
    return t->kind == TOKEN_NAME && token_is(t + 1, "=") && !token_is(t, "border");
}

/* True if another declaration follows on the same line: a semicolon and a name, followed
 * by `=`, or by `(` if arguments are allowed. Moves to the name. */
static bool another_value(parser *p, bool arguments)
{
    const token *t = p->next;

    if (p->panic || !token_is(t, ";") ||
        !(names_value(t + 1) ||
          (arguments && t[1].kind == TOKEN_NAME && !token_is(t + 1, "prev") &&
           !word_is_reserved(t[1].text, t[1].length) && token_is(t + 2, "("))))
        return false;
    p->next++;
    return true;
}

bool more_values(parser *p)
{
    return another_value(p, false);
}

bool more_lets(parser *p)
{
    return another_value(p, true);
}

bool value_parse(parser *p, statement *s)
{
    const symbol_kind kind = s->kind == STATEMENT_PARAM ? SYMBOL_PARAM : SYMBOL_SCALAR;
    const token *name = expect_name(p, "a name");

    if (!name)
        return false;
    const int before = p->mistakes.count;
    token part = *name;
    expect_on(p, "=");
    expr *value = list_declared(p, expr_parse_any(p), &part);
    s->symbol = symbol_declare(p, kind, &part);
    s->symbol->value = value;
    const context where = kind == SYMBOL_SCALAR ? CONTEXT_SCALAR
                          : p->derived          ? CONTEXT_PARAM_DERIVED
                                                : CONTEXT_PARAM;
    if (!p->panic)
        expr_check(p, value, false, where, false, p->reads);
    s->symbol->notes->bad |= p->panic || p->mistakes.count > before;
    value_settle(p, s->symbol);
    s->value = s->symbol->value;
    if (s->symbol->overridden)
        *p->reads = (reads){0};
    return true;
}

static void parse_let_argument(parser *p, symbol **argument)
{
    const token *t = expect_name(p, "the name of an argument");

    if (!t)
        return;
    if (word_is_reserved(t->text, t->length))
        report_reserved(p, t);
    for (int i = 0; i < p->arguments; i++)
        if (word_find(&argument[i]->name, 1, t->text, t->length) == 0)
            mistake_at(p, t->at, "the argument '%s' is given twice", argument[i]->name);
    if (p->arguments == MAX_ARGUMENTS) {
        p->next = t;
        syntax_mistake(p, "a let has at most %d arguments", MAX_ARGUMENTS);
        return;
    }
    argument[p->arguments] = symbol_new(p, SYMBOL_ARGUMENT, t);
    argument[p->arguments]->index = p->arguments;
    p->arguments++;
}

/* Parses the arguments of a let. They stay in scope until its value is parsed. */
void arguments_parse(parser *p, symbol **argument)
{
    const token *open = p->next;

    p->argument = argument;
    p->arguments = 0;
    if (!accept(p, "("))
        return;
    do
        parse_let_argument(p, argument);
    while (accept(p, ","));
    expect_closed(p, open, ")");
}

static void settle_let(parser *p, symbol *s)
{
    for (int i = 0; i < s->arguments; i++)
        s->argument[i]->notes->uses = argument_uses(p, s->value, s->argument[i]);
    type_settle(p, s->value);
    s->boolean = s->value->boolean;
    reads *r = s->notes->reads;
    reads_collect(p, s->value, r);
    for (int64_t i = 0; i < r->count; i++)
        for (int axis = 0; axis < MAX_DIM; axis++)
            if (r->item[i].reach.lo[axis] < 0 && r->item[i].reach.hi[axis] > 0)
                r->item[i].reach.let_axes |= 1u << axis;
}

bool let_parse(parser *p, statement *s)
{
    const token *name = expect_name(p, "a name");
    symbol **argument = arena_alloc(p->arena, MAX_ARGUMENTS, sizeof(symbol *));
    const int before = p->mistakes.count;

    if (!name)
        return false;
    token part = *name;
    p->parted = false;
    arguments_parse(p, argument);
    expect_on(p, "=");
    expr *value = list_declared(p, expr_parse_any(p), &part);
    s->symbol = symbol_declare(p, SYMBOL_LET, &part);
    s->value = s->symbol->value = value;
    s->symbol->arguments = p->arguments;
    s->symbol->argument = argument;
    s->symbol->notes->reads = reads_new(p);
    s->symbol->notes->parted = p->parted;
    p->arguments = 0;
    if (!p->panic && p->mistakes.count == before)
        settle_let(p, s->symbol);
    s->symbol->notes->bad |= p->panic || p->mistakes.count > before;
    if (!s->symbol->notes->bad && s->symbol->arguments == 0)
        constant_settle(p, s->symbol);
    return true;
}

static bool parse_order(parser *p)
{
    if (accept(p, "big"))
        return true;
    if (!accept(p, "little"))
        syntax_mistake(p, "the order of bytes is missing: little or big, as in raw f32 "
                          "little z 301, x 401");
    return false;
}

static void parse_extent(parser *p, int axis, expr **extent)
{
    const axis_grid *a = &p->program->axis[axis];
    int64_t count = 0;

    *extent = integer_parse(p, "the extent of a file", 1, INT64_MAX, &count);
    if (p->panic || count == 0)
        return;
    if (!p->grid_known)
        mistake_at(p, (*extent)->at, "the grid has to stand before files of bare values");
    else if (count != a->points)
        mistake_at(p, (*extent)->at,
                   "the file has %lld points along %c, and the grid %lld",
                   (long long)count, axis_letters[axis], (long long)a->points);
}

/* the layout behind the word `raw` */
static const raw_file *parse_raw(parser *p)
{
    raw_file *raw = arena_alloc(p->arena, 1, sizeof *raw);
    unsigned taken = 0;

    type_parse(p, &raw->type);
    raw->big = parse_order(p);
    for (int i = 0; i < p->dim && !p->panic; i++) {
        if (i > 0)
            expect_on(p, ",");
        raw->axis[i] = axis_parse(p, taken, "an axis, the contiguous one first,");
        taken |= 1U << raw->axis[i];
        parse_extent(p, raw->axis[i], &raw->extent[i]);
    }
    return raw;
}

/* Parses the initial value of a field. */
static void parse_start(parser *p, symbol *s, statement *st)
{
    st->file_at = p->next->at;
    if (p->next->kind == TOKEN_STRING) {
        s->file = st->file = list_file(p, expect_string(p));
        if (accept(p, "raw"))
            s->raw = parse_raw(p);
        return;
    }
    s->value = st->value = expr_parse_part(p);
}

/* Parses the number behind `coarse`; the default is 1. */
static int parse_coarse(parser *p)
{
    int64_t number = 1;

    if (p->next->kind == TOKEN_NUMBER || token_is(p->next, "("))
        (void)constant_integer(p, primary_parse(p), "the number of a coarse grid", 1,
                               MAX_COARSE, &number);
    return (int)number;
}

/* Parses `coarse` with its number, and `stored` with a type; each once at most. */
static bool parse_trait(parser *p, symbol *s)
{
    const token *t = p->next;
    const bool coarse = accept(p, "coarse");

    if (!coarse && !accept(p, "stored"))
        return false;
    if (coarse ? s->coarse : s->storage_stated)
        mistake_at(p, t->at, "'%.*s' is given twice", t->length, t->text);
    s->storage_stated |= !coarse;
    if (coarse)
        s->coarse = parse_coarse(p);
    else
        type_parse(p, &s->storage);
    return true;
}

/* u[3], psi complex: the name of the part to declare in this turn */
static void parse_parts(parser *p, token *name)
{
    const token *open = p->next;
    int64_t parts = 0;

    if (accept(p, "complex")) {
        p->list = 2;
        p->is_complex = p->has_complex = true;
        list_declare(p, name, 2, true, p->turn, p->turn == 0);
    }
    if (p->list || !accept(p, "["))
        return;
    const expr *e = expr_parse_inside(p);
    expect_closed(p, open, "]");
    if (p->panic ||
        !constant_integer(p, e, "the number of components", 2, MAX_FIELDS, &parts))
        return;
    p->list = (int)parts;
    list_declare(p, name, p->list, false, p->turn, p->turn == 0);
}

bool field_declare(parser *p, statement *s)
{
    const token *name = expect_name(p, "a name");

    if (!name)
        return false;
    token part = *name;
    parse_parts(p, &part);
    symbol *f = s->symbol = symbol_new(p, SYMBOL_FIELD, &part);
    while (parse_trait(p, f))
        continue;
    if (accept_on(p, "="))
        parse_start(p, f, s);
    const bool bad = statement_is_bad(p);
    symbol_enter(p, f, &part);
    if (f->value && !bad)
        expr_check(p, f->value, false, CONTEXT_INITIAL, f->coarse, p->reads);
    const int most = p->derived ? MAX_DERIVED_FIELDS : MAX_FIELDS;
    if (p->program->fields.count == most + 1)
        mistake_at(p, name->at, "there are more than %d fields", most);
    return true;
}

/* True if a field may be declared here: no other statement begins. */
static bool names_field(const token *t)
{
    const bool other = (token_is(t, "advance") || token_is(t, "coarse")) &&
                       (t[1].kind == TOKEN_NAME || t[1].kind == TOKEN_NUMBER);

    return names_value(t) ||
           (t->kind == TOKEN_NAME && !other && !token_is(t + 1, "'") &&
            !token_is(t + 1, "(") && !word_is_reserved(t->text, t->length));
}

/* Another field follows a comma, or a semicolon and a new name. */
bool more_fields(parser *p)
{
    const token *t = p->next;

    if (p->on_mesh)
        return accept_on(p, ",");
    if (p->panic)
        return false;
    if (token_is(t, ",") || (token_is(t, ";") && names_field(t + 1))) {
        take(p);
        skip_newlines(p);
        return true;
    }
    if (t->kind == TOKEN_NAME && !word_is_known(t->text, t->length) &&
        !token_is(t - 1, "="))
        syntax_mistake(p, "a comma is missing before '%.*s', if that is a field too",
                       t->length < 40 ? t->length : 40, t->text);
    return false;
}
