/* SPDX-License-Identifier: BSD-3-Clause */
/* Helpers for tests of the language: parse a description and look at the program, its
 * canonical text or its mistakes. */
#ifndef PARSE_HELPER_H
#define PARSE_HELPER_H

#include <stdio.h>
#include <stdlib.h>

#include "lang/lang.h"
#include "test.h"

/* The start of most descriptions: a grid and an updated field. */
#define LINE "grid x 10\nfield u\nborder u = 0\n"
#define PLANE "grid x 10, y 12\nfield u\nborder u = 0\n"
#define SPACE "grid x 10, y 12, z 14\nfield u\nborder u = 0\n"

static inline pav_status parse_text(const char *source, program **p)
{
    return program_parse(source, (int64_t)strlen(source), NULL, p);
}

/* Parses a correct description; ends the test if it is refused. */
static inline program *parse_good(const char *source)
{
    program *p = NULL;
    REQUIRE_OK(parse_text(source, &p));
    return p;
}

/* True if the description has a mistake and the message contains `part`. */
static inline bool mistaken(const char *source, const char *part)
{
    program *p = NULL;
    const pav_status status = parse_text(source, &p);
    const bool told = status == PAV_ESYNTAX && strstr(pav_message(), part) != NULL;
    if (!told)
        printf("  of\n%s\n  is said: %s\n", source,
               status == PAV_OK ? "nothing" : pav_message());
    program_free(p);
    return told;
}

/* True if the description has exactly `count` mistakes. */
static inline bool mistakes_are(const char *source, int count)
{
    program *p = NULL;
    int found = 0;
    if (parse_text(source, &p) != PAV_OK)
        for (const char *at = pav_message(); (at = strstr(at, "text:")); at++)
            found++;
    program_free(p);
    if (found != count)
        printf("  %d mistakes: %s\n", found, pav_message());
    return found == count;
}

/* One of four texts, used in turn. */
static inline text *text_kept(void)
{
    static text kept[4];
    static int turn;
    text *t = &kept[turn++ % 4];
    text_free(t);
    return t;
}

/* The canonical text, valid during the next three calls. */
static inline const char *canonical(const char *source)
{
    program *p = parse_good(source);
    text *t = text_kept();
    program_print(p, t);
    program_free(p);
    return t->data ? t->data : "";
}

/* The canonical form of an expression on the right of an update in 1-D. */
static inline const char *canonical_expression(const char *expression)
{
    static char source[4000];
    text *t = text_kept();
    (void)snprintf(
        source, sizeof source,
        "grid x 10\nfield u, v, a, b, c\nborder clamp\nlet f(q) = q\nu' = %s\n",
        expression);
    program *p = parse_good(source);
    const statement *s = p->first;
    while (s && s->kind != STATEMENT_UPDATE)
        s = s->next;
    REQUIRE(s != NULL);
    expr_print(s->value, t);
    program_free(p);
    return t->data;
}

/* The first statement of a kind; ends the test if there is none. */
static inline const statement *statement_find(const program *p, statement_kind kind)
{
    const statement *s = p->first;
    while (s && s->kind != kind)
        s = s->next;
    REQUIRE(s != NULL);
    return s;
}

static inline const symbol *symbol_named(const symbol_list *list, const char *name)
{
    for (int64_t i = 0; i < list->count; i++)
        if (strcmp(list->item[i]->name, name) == 0)
            return list->item[i];
    REQUIRE(false);
    return NULL;
}

#endif
