/* SPDX-License-Identifier: BSD-3-Clause */
/* Names: a hash table with one scope for all declarations of a description. */
#include <string.h>

#include "lang/lang_private.h"

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

symbol *symbol_find(const parser *p, const char *word, int length)
{
    for (int i = 0; i < p->arguments; i++)
        if (word_find(&p->argument[i]->name, 1, word, length) == 0)
            return p->argument[i];
    return p->table_size > 0 ? p->table[slot_of(p, word, length)] : NULL;
}

symbol *symbol_in(const symbol_list *list, const char *name)
{
    for (int64_t k = 0; name && k < list->count; k++)
        if (strcmp(list->item[k]->name, name) == 0)
            return list->item[k];
    return NULL;
}

static void grow_table(parser *p)
{
    symbol **old = p->table;
    const int64_t size = p->table_size;

    p->table_size = size > 0 ? 2 * size : 64;
    p->table = arena_alloc(p->arena, p->table_size, sizeof(symbol *));
    for (int64_t i = 0; i < size; i++)
        if (old[i])
            p->table[slot_of(p, old[i]->name, (int)strlen(old[i]->name))] = old[i];
}

/* Inserts a symbol. It replaces a poisoned entry of the same name. */
static void put(parser *p, symbol *s)
{
    if (2 * (p->names + 1) > p->table_size)
        grow_table(p);
    symbol **slot = &p->table[slot_of(p, s->name, (int)strlen(s->name))];
    p->names += !*slot;
    *slot = s;
}

static symbol_list *list_of(program *tree, symbol_kind kind)
{
    switch (kind) {
    case SYMBOL_FIELD: return &tree->fields;
    case SYMBOL_PARAM: return &tree->params;
    case SYMBOL_SCALAR: return &tree->scalars;
    case SYMBOL_LET: return &tree->lets;
    case SYMBOL_STENCIL: return &tree->stencils;
    case SYMBOL_MEASURE: return &tree->measures;
    case SYMBOL_FORM: return &tree->forms;
    case SYMBOL_ARGUMENT: break;
    }
    return NULL;
}

static void list_add(parser *p, symbol *s)
{
    symbol_list *list = list_of(p->program, s->kind);

    if (list) {
        arena_reserve(p->arena, &list->item, list->count, &list->capacity,
                      sizeof(symbol *));
        s->index = (int)list->count;
        list->item[list->count++] = s;
    }
}

symbol *symbol_new(parser *p, symbol_kind kind, const token *name)
{
    symbol *s = arena_alloc(p->arena, 1, sizeof *s);

    s->kind = kind;
    s->name = arena_copy(p->arena, name->text, (size_t)name->length);
    s->at = name->at;
    s->notes = arena_alloc(p->arena, 1, sizeof *s->notes);
    return s;
}

/* Explains why a word cannot be declared, if this helps. */
static void report_reserved(parser *p, const token *name)
{
    int derivative[MAX_DIM];

    if (derivative_find(name->text, name->length, derivative))
        mistake_at(p, name->at,
                   "'%.*s' is a derivative; the spacing is 'h', or 'hx', 'hy', 'hz'",
                   name->length, name->text);
    else
        mistake_at(p, name->at,
                   "'%.*s' is a word of the language; another name is needed",
                   name->length, name->text);
}

/* The table's symbol of this name, without arguments of lets. */
static symbol *declared(const parser *p, const token *name)
{
    return p->table_size > 0 ? p->table[slot_of(p, name->text, name->length)] : NULL;
}

symbol *symbol_hidden_field(parser *p, const char *name, place at)
{
    const token word = {.text = name, .length = (int)strlen(name), .at = at};
    symbol *s = symbol_new(p, SYMBOL_FIELD, &word);

    list_add(p, s);
    return s;
}

symbol *symbol_declare(parser *p, symbol_kind kind, const token *name)
{
    symbol *s = symbol_new(p, kind, name);
    const symbol *other = declared(p, name);

    s->notes->bad = p->panic;
    if (word_is_reserved(name->text, name->length)) {
        report_reserved(p, name);
        symbol_poison(p, name);
    } else if (other && !other->notes->poison) {
        mistake_at(p, name->at, "'%s' is declared already, in line %d as a %s", s->name,
                   other->at.line, symbol_kind_name(other->kind));
    } else if (token_is(name, "dt") && kind != SYMBOL_PARAM && !p->derived) {
        mistake_at(p, name->at, "'dt' is the time step and must be a param, not a %s",
                   symbol_kind_name(kind));
        put(p, s);
    } else {
        put(p, s);
        list_add(p, s);
        return s;
    }
    s->notes->bad = true;
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
    static const char *const names[] = {"field",   "param",    "scalar",  "let",
                                        "stencil", "argument", "measure", "form"};

    return names[kind];
}
