/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings: values from outside ("a=0.2") in place of the declared values of params and
 * scalars. */
#include <math.h>
#include <string.h>

#include "lang/lang_private.h"

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

/* Length of a text without trailing blanks. */
static size_t trimmed(const char *at, size_t length)
{
    while (length > 0 && (at[length - 1] == ' ' || at[length - 1] == '\t'))
        length--;
    return length;
}

/* True for printable text: UTF-8 without control characters. */
static bool is_clean(const char *word)
{
    for (const char *c = word; *c; c++)
        if (((unsigned char)*c < 0x20U && *c != '\t') || *c == 0x7f)
            return false;
    return text_is_utf8(word, (int64_t)strlen(word));
}

pav_status settings_take(parser *p, const char *const *set)
{
    int64_t count = 0;

    while (set && set[count])
        count++;
    p->setting = arena_alloc(p->arena, count, sizeof *p->setting);
    for (; set && p->settings < count; p->settings++) {
        setting *s = &p->setting[p->settings];
        if (!is_clean(set[p->settings]))
            return FAIL(PAV_EINVAL,
                        "setting number %lld is not UTF-8 text or holds control "
                        "characters; it must read name=value",
                        (long long)p->settings + 1);
        const char *name = skip_blanks(set[p->settings]), *equals = strchr(name, '=');
        const size_t length = equals ? trimmed(name, (size_t)(equals - name)) : 0;
        if (length == 0 || *skip_blanks(equals + 1) == '\0')
            return FAIL(PAV_EINVAL,
                        "cannot set '%s': it must read name=value, as in a=0.2",
                        set[p->settings]);
        s->name = arena_copy(p->arena, name, length);
        s->value = arena_print(p->arena, "%s", skip_blanks(equals + 1));
    }
    return PAV_OK;
}

/* Parses a setting's value with the names declared so far. NULL: it is invalid, and *why
 * gets the reason. */
static expr *read_value(const parser *p, setting *s)
{
    parser inner = *p;
    expr *e = NULL;
    num value;

    inner.source = s->value;
    inner.length = (int64_t)strlen(s->value);
    inner.tokens = inner.token_capacity = 0;
    inner.token = NULL;
    inner.mistakes = (mistake_list){0};
    inner.mistakes_before = 0;
    inner.panic = inner.declares = false;
    inner.frozen = true;
    if (lexer_read(&inner)) {
        e = expr_parse(&inner);
        if (!inner.panic && inner.next->kind != TOKEN_END)
            syntax_mistake(&inner, "'%.*s' is not expected there%s", inner.next->length,
                           inner.next->text,
                           *inner.next->text == ','
                               ? "; a fraction is written with a point, as in 0.1"
                               : "");
    }
    if (inner.mistakes.count == 0 && !inner.panic)
        type_check(&inner, e, false);
    if (inner.mistakes.count == 0 && !inner.panic)
        constant_need(&inner, e, "the value", &value);
    if (inner.mistakes.count == 0)
        return e;
    s->why = inner.mistakes.item[0].message;
    return NULL;
}

static void override(parser *p, symbol *s)
{
    for (int64_t i = 0; i < p->settings; i++) {
        setting *set = &p->setting[i];
        if (strcmp(set->name, s->name) != 0)
            continue;
        set->used = true;
        expr *value = read_value(p, set);
        if (value) {
            s->value = value;
            s->overridden = true;
        }
    }
}

void value_settle(parser *p, symbol *s)
{
    if (!s->notes->bad && !p->panic)
        override(p, s);
    if (s->notes->bad)
        return;
    if (s->kind == SYMBOL_SCALAR) {
        s->constant = constant_need(p, s->value, "what a scalar starts from", &s->number);
    } else {
        const constant c = constant_find(p, s->value);
        s->constant = c.known;
        s->number = c.value;
        if (c.known && !isfinite(c.value.v))
            report_infinite(p, s->value, &c,
                            arena_print(p->arena, "the value of '%s'", s->name));
        else if (c.early)
            mistake_at(p, c.at, "%s", c.why);
    }
}

/* ---- afterwards -------------------------------------------------------------------- */

static pav_status report_unused(const parser *p, const setting *s)
{
    const program *tree = p->program;
    const int64_t count = tree->params.count + tree->scalars.count;
    const symbol *other = symbol_find(p, s->name, (int)strlen(s->name));
    const char **name = arena_alloc(p->arena, count, sizeof *name);

    for (int64_t i = 0; i < count; i++)
        name[i] = i < tree->params.count
                      ? tree->params.item[i]->name
                      : tree->scalars.item[i - tree->params.count]->name;
    if (other)
        return FAIL(PAV_EINVAL,
                    "cannot set '%s', which is a %s; only params and scalars can be set",
                    s->name, symbol_kind_name(other->kind));
    const char *near = strlen(s->name) < 100 ? text_nearest(s->name, name, count) : NULL;
    if (near)
        return FAIL(PAV_EINVAL,
                    "cannot set '%s': %s has no such param or scalar; did you mean "
                    "'%s'?",
                    s->name, p->name, near);
    return FAIL(PAV_EINVAL, "cannot set '%s': %s has no such param or scalar", s->name,
                p->name);
}

pav_status settings_done(const parser *p)
{
    for (int64_t i = 0; i < p->settings; i++) {
        const setting *s = &p->setting[i];
        if (s->why)
            return FAIL(PAV_EINVAL, "cannot set %s to '%s': %s", s->name, s->value,
                        s->why);
        if (!s->used)
            return report_unused(p, s);
    }
    return PAV_OK;
}
