/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists: vectors, fields with components, and tables of numbers.
 *
 * The tree of a program holds numbers only. A list is an expression of the parser,
 * EXPR_LIST: an operation on lists becomes a list of operations as soon as it is parsed.
 * A field with components is a name (SYMBOL_LIST) for the fields u.x, u.y, u.z, or f.0,
 * f.1, ... A statement about a list is parsed once for each of its parts (`turn`), and
 * takes this part of each list. So the checker, the printer and everything behind them
 * see fields, params and lets of numbers. */
#include <string.h>

#include "lang/lang_private.h"

enum { MOST_ELEMENTS = 1000 };

/* ---- names of parts ---------------------------------------------------------------- */

/* Up to three parts have the letters of axes, more have numbers. */
static const char *part_word(const parser *p, int parts, bool is_complex, int part)
{
    if (is_complex)
        return part ? "im" : "re";
    const char letter = parts == 2 ? axis_letter(p->program, part)
                                   : axis_letters[part % MAX_DIM];

    return parts > MAX_DIM ? arena_print(p->arena, "%d", part)
                           : arena_print(p->arena, "%c", letter);
}

/* The number of a part: by its word, a number, or the index of a list being parsed; -1:
 * the list has none of this name. */
static int64_t part_find(const parser *p, const symbol *of, const char *word, int length)
{
    const symbol *index = symbol_exact(p, word, length);
    num number;
    int64_t part = -1;

    for (int i = 0; i < of->parts && of->parts <= MAX_DIM; i++) {
        const char *own = part_word(p, of->parts, of->is_complex, i);
        if (word_find(&own, 1, word, length) == 0)
            return i;
    }
    if (index && index->kind == SYMBOL_INDEX && index->constant)
        (void)num_is_int(index->number, &part);
    else if (num_parse(word, (size_t)length, &number))
        (void)num_is_int(number, &part);
    return part < of->parts ? part : -1;
}

symbol *list_part(const parser *p, const symbol *of, int part)
{
    const char *name = arena_print(p->arena, "%s.%s", of->name,
                                   part_word(p, of->parts, of->is_complex, part));
    symbol *s = symbol_exact(p, name, (int)strlen(name));

    return s ? s : p->unknown; /* after a mistake in the declaration */
}

const symbol *list_of_part(const parser *p, const char *word, int length)
{
    while (length > 0 && word[length - 1] != '.')
        length--;
    return length > 1 ? symbol_find(p, word, length - 1) : NULL;
}

symbol *list_part_named(const parser *p, const char *word, int length)
{
    const symbol *of = list_of_part(p, word, length);
    int begin = length;

    while (begin > 0 && word[begin - 1] != '.')
        begin--;
    const int64_t part = of && of->kind == SYMBOL_LIST
                             ? part_find(p, of, word + begin, length - begin)
                             : -1;
    return part < 0 ? NULL : list_part(p, of, (int)part);
}

/* ---- declarations ------------------------------------------------------------------ */

/* Appends the name of a part. The first part declares the list. */
void list_declare(parser *p, token *name, int parts, bool is_complex, int part,
                  bool first)
{
    if (first) {
        symbol *s = symbol_declare(p, SYMBOL_LIST, name);
        s->parts = parts;
        s->is_complex = is_complex;
    }
    name->text = arena_print(p->arena, "%.*s.%s", name->length, name->text,
                             part_word(p, parts, is_complex, part));
    name->length = (int)strlen(name->text);
}

static int count_numbers(const expr *e)
{
    int count = e->kind != EXPR_LIST;

    for (int i = 0; e->kind == EXPR_LIST && i < e->count; i++)
        count += count_numbers(e->arg[i]);
    return count;
}

expr *list_declared(parser *p, expr *value, token *name)
{
    int left = p->turn;

    p->list = value->kind == EXPR_LIST ? count_numbers(value) : 0;
    p->is_complex = value->is_complex;
    while (value->kind == EXPR_LIST) {
        const bool first = left == 0;
        int part = 0;
        for (int n; left >= (n = count_numbers(value->arg[part])); part++)
            left -= n;
        list_declare(p, name, value->count, value->is_complex, part, first);
        value = value->arg[part];
    }
    return value;
}

/* ---- statements about lists -------------------------------------------------------- */

bool list_skip(parser *p)
{
    const symbol *s = symbol_find(p, p->next->text, p->next->length);

    if (s && s->kind != SYMBOL_LIST)
        p->numbers = true;
    if (p->turn == 0 || p->next->kind != TOKEN_NAME || !s || s->kind == SYMBOL_LIST)
        return false;
    take(p);
    return true;
}

bool list_refused(parser *p, const expr *e)
{
    if (e->kind == EXPR_LIST && e->is_complex)
        mistake_at(p, e->at,
                   "a number is needed here; this is a complex one, with re, im and abs");
    else if (e->kind == EXPR_LIST)
        mistake_at(p, e->at, "a number is needed here; this is a list of %d", e->count);
    return e->kind == EXPR_LIST;
}

expr *number_new(parser *p, place at, num value)
{
    expr *e = expr_new(p, EXPR_NUMBER, at);

    e->number = value;
    return e;
}

expr *list_turn(parser *p, expr *e, int parts, int part)
{
    if (e->kind != EXPR_LIST && p->is_complex && part > 0)
        return number_new(p, e->at, num_int(0));
    if (e->kind != EXPR_LIST)
        return part > 0 ? expr_copy(p, e) : e;
    if (e->is_complex && !p->is_complex)
        list_refused(p, e);
    else if (p->is_complex && !e->is_complex)
        mistake_at(p, e->at,
                   "a complex number is needed here, such as a + i*b; this is "
                   "a list of %d",
                   e->count);
    else if (parts > 0 && e->count != parts)
        mistake_at(p, e->at, "a list of %d is needed here, or a number; this one has %d",
                   parts, e->count);
    else if (!list_refused(p, parts > 0 ? e->arg[part] : e))
        return e->arg[part];
    return expr_unknown(p, e->at);
}

/* ---- expressions ------------------------------------------------------------------- */

expr *let_applied(parser *p, const expr *e, const expr *apply)
{
    if (apply && e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_ARGUMENT)
        return expr_copy(p, apply->arg[e->symbol->index]);
    expr *c = expr_new(p, e->kind, e->at);
    if (p->panic) /* it has too many terms */
        return expr_unknown(p, e->at);
    *c = *e;
    expr_arguments(p, c, e->count, e->arg);
    for (int i = 0; i < c->count; i++)
        c->arg[i] = let_applied(p, e->arg[i], apply);
    if (apply)
        expr_close(p, c);
    return c;
}

expr *expr_copy(parser *p, const expr *e)
{
    return let_applied(p, e, NULL);
}

expr *expr_call(parser *p, place at, function_kind function, int count, expr *const *arg)
{
    expr *e = expr_new(p, EXPR_CALL, at);

    e->function = function;
    expr_arguments(p, e, count, arg);
    expr_close(p, e);
    return e;
}

expr *list_new(parser *p, place at, int count, expr *const *part)
{
    expr *e = expr_new(p, EXPR_LIST, at);

    expr_arguments(p, e, count, part);
    for (int i = 0; i < count; i++) {
        e->size += part[i]->size;
        e->height = part[i]->height > e->height ? part[i]->height : e->height;
    }
    return e;
}

expr *list_value(parser *p, place at, symbol *s)
{
    const int64_t nodes = p->nodes;
    expr **part = arena_alloc(p->arena, s->parts + 1, sizeof *part), *e;

    if (s->notes->bad)
        return expr_unknown(p, at);
    for (int i = 0; i < s->parts; i++)
        part[i] = list_value(p, at, list_part(p, s, i));
    if (s->kind == SYMBOL_LIST) {
        e = list_new(p, at, s->parts, part);
        e->is_complex = s->is_complex;
        p->nodes = nodes + 1; /* it is one name in the text */
        return e;
    }
    e = expr_new(p, EXPR_SYMBOL, at);
    e->symbol = s;
    expr_close(p, e);
    return e;
}

/* ---- lists as written -------------------------------------------------------------- */

const token *list_loop(const parser *p)
{
    int depth = 0;

    for (const token *t = p->next; t->kind != TOKEN_END && depth >= 0; t++) {
        if (depth == 0 && token_is(t, "for") && t[1].kind == TOKEN_NAME &&
            (token_is(t + 2, "from") || !word_is_known(t[1].text, t[1].length)))
            return t;
        depth += token_is(t, "(") || token_is(t, "[");
        depth -= token_is(t, ")") || token_is(t, "]");
    }
    return NULL;
}

/* The index of a list, declared at its first use. */
static symbol *index_parse(parser *p)
{
    const token *name = expect_name(p, "the name of an index");
    symbol *index = name ? symbol_exact(p, name->text, name->length) : NULL;

    if (!name)
        return p->unknown;
    if (!index || index->kind != SYMBOL_INDEX)
        return symbol_declare(p, SYMBOL_INDEX, name);
    if (index->constant)
        mistake_at(p, name->at, "'%s' is the index of the list around this one",
                   index->name);
    return index;
}

expr *list_each(parser *p, const token *loop)
{
    const token *body = p->next;
    int64_t first = 0, last = -1;
    int count = 0;

    p->next = loop + 1;
    symbol *index = index_parse(p);
    expect(p, "from");
    const expr *from = expr_parse_inside(p);
    expect(p, "to");
    const expr *to = expr_parse_inside(p);
    const token *end = p->next;
    if (!statement_is_bad(p) &&
        constant_integer(p, from, "the first index", -MAX_OFFSET, MAX_OFFSET, &first))
        constant_integer(p, to, "the last index", first, first + MOST_ELEMENTS - 1,
                         &last);
    expr **part = arena_alloc(p->arena, last < first ? 1 : last - first + 1,
                              sizeof *part);
    for (int64_t k = first; k <= last && !statement_is_bad(p); k++) {
        index->constant = true;
        index->number = num_int(k);
        p->next = body;
        part[count++] = expr_parse_inside(p);
        expect(p, "for");
    }
    index->constant = false;
    p->next = p->panic ? p->next : end;
    return statement_is_bad(p) ? expr_unknown(p, body->at)
                               : list_new(p, body->at, count, part);
}

expr *list_parse(parser *p, const token *open)
{
    const token *loop = list_loop(p);
    int64_t count = 0, capacity = 0;
    expr **part = NULL, *e;

    if (loop) {
        e = list_each(p, loop);
    } else {
        do {
            ARENA_ADD(p->arena, part, count, capacity) = expr_parse_inside(p);
        } while (count < MOST_ELEMENTS && accept_on(p, ","));
        e = list_new(p, open->at, (int)count, part);
    }
    expect_closed(p, open, "]");
    if (p->panic || e->kind != EXPR_LIST || e->count > 1)
        return e;
    mistake_at(p, open->at, "a list has at least two elements");
    return expr_unknown(p, open->at);
}

/* ---- parts of expressions ---------------------------------------------------------- */

/* The element nearest to an index that is not known, of elements lo to hi: by bisection,
 * so that the tree stays low. */
static expr *nearest(parser *p, const expr *list, const expr *index, int lo, int hi)
{
    const int middle = (lo + hi + 1) / 2;

    if (lo == hi)
        return list->arg[lo];
    expr *below = expr_binary(p, OP_LT, expr_copy(p, index),
                              number_new(p, index->at, num_ratio(2 * middle - 1, 2)));
    return expr_call(p, index->at, FUNCTION_WHERE, 3,
                     (expr *[]){below, nearest(p, list, index, lo, middle - 1),
                                nearest(p, list, index, middle, hi)});
}

expr *list_element(parser *p, const expr *list, const token *open, const char *closes)
{
    const expr *index = expr_parse_inside(p);
    int64_t part = 0;

    expect_closed(p, open, closes);
    if (p->panic || list_refused(p, index))
        return expr_unknown(p, list->at);
    const constant c = constant_find(p, index);
    if (!c.known && !c.quiet && *closes == ']') {
        ARENA_ADD(p->arena, p->lookup, p->lookups,
                  p->lookup_capacity) = (lookup){index, list->count};
        return nearest(p, list, index, 0, list->count - 1);
    }
    return constant_integer(p, index, "the index of a list", 0, list->count - 1, &part)
               ? list->arg[part]
               : expr_unknown(p, list->at);
}

static expr *extreme(parser *p, const expr *of, reduction_kind reduction)
{
    expr *e = expr_new(p, EXPR_REDUCE, of->at);

    e->reduction = reduction;
    expr_arguments(p, e, 1, (expr *[]){expr_copy(p, of)});
    expr_close(p, e);
    return e;
}

/* True if an index is the same in all steps and has a value at each point. */
static bool is_steady(const reads *r)
{
    const unsigned others = 1u << USE_TIME | 1u << USE_SCALAR | 1u << USE_MEASURE |
                            1u << USE_RANDOM | 1u << USE_UNIFORM | 1u << USE_REDUCTION |
                            1u << USE_RESTRICT | 1u << USE_INTERPOLATE | 1u << USE_LINE;
    bool steady = true;

    for (int i = 0; i < USE_COUNT_CHECKED; i++)
        steady &= !(others >> i & 1 && r->use[i].name);
    for (int64_t i = 0; i < r->count; i++) {
        const symbol *s = r->item[i].symbol;
        steady &= s->kind == SYMBOL_FIELD && !s->updated && !s->notes->solver &&
                  s->coarse == r->item[0].symbol->coarse;
    }
    return steady;
}

/* The index farthest outside of its table becomes a hidden param, for the run to check at
 * its start. */
void lookups_check(parser *p)
{
    symbol_list *indices = &p->program->indices;

    for (int64_t i = 0; i < p->lookups; i++) {
        const lookup *l = &p->lookup[i];
        const lookup *last = i > 0 ? l - 1 : NULL;
        const place at = l->index->at;
        reads *r = reads_new(p);
        reads_collect(p, l->index, r);
        if (!is_steady(r) || (last && memcmp(&at, &last->index->at, sizeof at) == 0 &&
                              l->parts == last->parts))
            continue;
        expr *most = extreme(p, l->index, REDUCTION_MAX);
        expr *above = expr_binary(p, OP_GE, most,
                                  number_new(p, at, num_ratio(2 * l->parts - 1, 2)));
        symbol *s = symbol_hidden(p, SYMBOL_PARAM,
                                  arena_print(p->arena, "index %lld", (long long)i), at);
        s->parts = l->parts;
        s->value = expr_call(
            p, at, FUNCTION_WHERE, 3,
            (expr *[]){above, expr_copy(p, most), extreme(p, l->index, REDUCTION_MIN)});
        expr_check(p, s->value, false, CONTEXT_PARAM, 0, reads_new(p));
        ARENA_ADD(p->arena, indices->item, indices->count, indices->capacity) = s;
    }
}

expr *list_part_parse(parser *p, const expr *list)
{
    const token *t = p->next;
    const symbol like = {.parts = list->kind == EXPR_LIST ? list->count : 0,
                         .is_complex = list->is_complex};

    if (like.parts > 0 && accept(p, "("))
        return list_element(p, list, t, ")");
    const int64_t part = part_find(p, &like, t->text, t->length);
    p->parted |= like.is_complex;
    if (part >= 0) {
        take(p);
        return list->arg[part];
    }
    if (like.parts > 0)
        syntax_mistake(p, "this list has the components .%s to .%s",
                       part_word(p, like.parts, like.is_complex, 0),
                       part_word(p, like.parts, like.is_complex, like.parts - 1));
    else
        syntax_mistake(p, "a number has no components");
    return expr_unknown(p, list->at);
}

/* ---- files ------------------------------------------------------------------------- */

const char *list_file(const parser *p, const char *path)
{
    const char *point = path ? strchr(path_name(path), '.') : NULL;

    if (!path || p->list == 0)
        return path;
    const char *at = strstr(path, ".h5:") || !point ? path + strlen(path) : point;
    return arena_print(p->arena, "%.*s.%s%s", (int)(at - path), path,
                       part_word(p, p->list, p->is_complex, p->turn), at);
}
