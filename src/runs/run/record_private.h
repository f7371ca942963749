/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside run: records of reports. A record is a list of facts, each with a
 * key, a value and its unit. Two printers show it: json_add as members of a JSON object,
 * say as sentences, in clauses with facts by their keys. */
#ifndef RUN_RECORD_PRIVATE_H
#define RUN_RECORD_PRIVATE_H

#include "run/run_private.h"

/* A number in a sentence: scaled and printed by its format, or by a function. */
typedef struct fact_unit {
    double scale;
    const char *format;
    void (*words)(text *t, double value); /* or NULL */
} fact_unit;
extern const fact_unit unit_bytes, /* "1.5 GiB" */
    unit_time,                     /* "2.1 s" */
    unit_seconds,                  /* "0.034 s" */
    unit_microseconds, unit_percent;

typedef enum json_kind {
    JSON_END,
    JSON_COUNT,  /* an integer */
    JSON_NUMBER, /* with all its digits, or with `digits`; null if it is not finite */
    JSON_WORD,   /* quoted; NULL is null */
    JSON_RAW     /* as it is */
} json_kind;
typedef struct json_fact {
    json_kind kind;
    const char *key;
    int64_t count;
    double number;
    int digits; /* 0: all */
    const char *word;
    const fact_unit *unit; /* NULL: %lld, or four digits */
    bool only_said;        /* in sentences, not in JSON */
} json_fact;

static inline json_fact json_count(const char *key, int64_t value)
{
    return (json_fact){.kind = JSON_COUNT, .key = key, .count = value};
}

/* null if it is negative */
static inline json_fact json_known(const char *key, int64_t value)
{
    return value >= 0 ? json_count(key, value)
                      : (json_fact){.kind = JSON_RAW, .key = key, .word = "null"};
}

static inline json_fact json_digits(const char *key, int digits, double value)
{
    return (json_fact){
        .kind = JSON_NUMBER, .key = key, .number = value, .digits = digits};
}

static inline json_fact json_number(const char *key, double value)
{
    return json_digits(key, 0, value);
}

static inline json_fact json_word(const char *key, const char *word)
{
    return (json_fact){.kind = JSON_WORD, .key = key, .word = word};
}

static inline json_fact json_truth(const char *key, bool value)
{
    return (json_fact){.kind = JSON_RAW, .key = key, .word = value ? "true" : "false"};
}

static inline json_fact json_letter(const char *key, int axis)
{
    static const char *const letters[MAX_DIM] = {"x", "y", "z"};
    return json_word(key, letters[axis]);
}

/* JSON text made elsewhere. */
static inline json_fact json_raw(const char *key, const char *value)
{
    return (json_fact){.kind = JSON_RAW, .key = key, .word = value};
}

static inline json_fact in_unit(const fact_unit *unit, json_fact fact)
{
    fact.unit = unit;
    return fact;
}

static inline json_fact only_said(json_fact fact)
{
    fact.only_said = true;
    return fact;
}

/* Appends the facts up to JSON_END. A comma comes before all but the first member. */
void json_add(text *t, const json_fact *fact);
#define JSON_ADD(t, ...) json_add(t, (const json_fact[]){__VA_ARGS__, {.kind = JSON_END}})
/* Appends an object of the facts. */
void json_object(text *t, const char *key, const json_fact *fact);
#define JSON_OBJECT(t, key, ...)                                                         \
    json_object(t, key, (const json_fact[]){__VA_ARGS__, {.kind = JSON_END}})
/* Begins an object or a list: a member, or with key NULL an element. */
void json_open(text *t, const char *key, char bracket);
void json_list(text *t, const char *key, const int64_t *value, int count);

/* A clause of a sentence, said if `when` holds. In its words {key} stands for the fact
 * with this key, and {key:noun} for its count with the noun, in the plural unless it is
 * 1. A label begins a line; without it (NULL) the clause continues the line before, and
 * is left out together with it. */
typedef struct clause {
    const char *label;
    bool when;
    const char *words;
} clause;
/* Appends the words of a clause. */
void say_clause(text *t, const json_fact *fact, const char *words);
/* Appends lines; the last one is ended, too. */
void say(text *t, const json_fact *fact, const clause *list);
#define SAY(t, fact, ...) say(t, fact, (const clause[]){__VA_ARGS__, {.words = NULL}})

/* Facts of a run and of its plan: message, program, identity and grid. */
void run_json_program(const pav_run *run, const char *message, text *t);

/* Words for a sentence, valid until the end of the expression that asks for them. Sets
 * t->failed if memory runs out; t may be NULL in the message of a failure. */
typedef struct short_words {
    char s[96];
} short_words;
short_words size_words(text *t, int64_t bytes);
short_words duration_words(text *t, double seconds);
short_words extent_words(text *t, int dimensions, const int64_t *extent);
short_words grid_words(text *t, const pav_run *run); /* "512x512x512" */

#endif
