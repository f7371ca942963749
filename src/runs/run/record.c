/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints records: each fact becomes a member of a JSON object, or part of a sentence. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/record_private.h"

/* ---- JSON -------------------------------------------------------------------------- */

/* The end of the text tells if this is the first member: no value ends with a comma. */
static void begin_member(text *t, const char *key)
{
    const char last = t->length > 0 ? t->data[t->length - 1] : '{';
    const bool first = last == '{' || last == '[' ||
                       (last == ' ' && t->data[t->length - 2] == ',');
    text_add(t, first ? "" : ", ");
    if (key)
        text_add(t, "\"%s\": ", key);
}

void json_add(text *t, const json_fact *fact)
{
    for (; fact->kind != JSON_END; fact++) {
        if (fact->only_said)
            continue;
        begin_member(t, fact->key);
        switch (fact->kind) {
        case JSON_END: break;
        case JSON_COUNT: text_add(t, "%lld", (long long)fact->count); break;
        case JSON_WORD: text_add_json(t, fact->word); break;
        case JSON_RAW: text_add(t, "%s", fact->word); break;
        case JSON_NUMBER:
            if (fact->digits > 0 && isfinite(fact->number))
                text_add(t, "%.*g", fact->digits, fact->number);
            else
                text_add_json_double(t, fact->number);
        }
    }
}

void json_open(text *t, const char *key, char bracket)
{
    begin_member(t, key);
    text_add(t, "%c", bracket);
}

void json_object(text *t, const char *key, const json_fact *fact)
{
    json_open(t, key, '{');
    json_add(t, fact);
    text_add(t, "}");
}

void json_list(text *t, const char *key, const int64_t *value, int count)
{
    json_open(t, key, '[');
    for (int n = 0; n < count; n++)
        JSON_ADD(t, json_count(NULL, value[n]));
    text_add(t, "]");
}

void run_json_program(const pav_run *run, const char *message, text *t)
{
    char hex[24];
    uint64_t identity;
    t->failed |= program_identity(run->program, &identity) != PAV_OK;
    (void)snprintf(hex, sizeof hex, "%016llx", (unsigned long long)identity);
    JSON_ADD(t, json_word("message", message), json_word("program", run->program->name),
             json_word("identity", hex));
    json_list(t, "grid", ir_grid_box(run->code).hi, run->code->dim);
}

/* ---- sentences --------------------------------------------------------------------- */

static void add_bytes(text *t, double bytes)
{
    text_add_bytes_size(t, (int64_t)bytes);
}

const fact_unit unit_bytes = {.words = add_bytes},
                unit_time = {.words = text_add_duration},
                unit_seconds = {1, "%.3g s", NULL},
                unit_microseconds = {1e6, "%.3g us", NULL},
                unit_percent = {100, "%.0f %%", NULL};

static const json_fact *find(const json_fact *fact, const char *key, size_t length)
{
    while (fact->kind != JSON_END && (!fact->key || strlen(fact->key) != length ||
                                      memcmp(fact->key, key, length) != 0))
        fact++;
    assert(fact->kind != JSON_END); /* a sentence names facts of its own record */
    return fact;
}

void say_clause(text *t, const json_fact *fact, const char *words)
{
    for (;;) {
        const size_t plain = strcspn(words, "{");
        text_add_bytes(t, words, (int64_t)plain);
        if (!words[plain])
            return;
        words += plain + 1;
        const size_t key = strcspn(words, ":}"), end = strcspn(words, "}");
        const json_fact *f = find(fact, words, key);
        const double value = f->kind == JSON_COUNT ? (double)f->count : f->number;
        if (f->kind == JSON_WORD || f->kind == JSON_RAW)
            text_add(t, "%s", f->word ? f->word : "");
        else if (f->unit && f->unit->words)
            f->unit->words(t, value);
        else if (f->unit)
            text_add(t, f->unit->format, f->unit->scale * value);
        else if (f->kind == JSON_COUNT)
            text_add(t, "%lld", (long long)f->count);
        else
            text_add(t, "%.4g", f->number);
        if (key < end)
            text_add(t, " %.*s%s", (int)(end - key - 1), words + key + 1,
                     f->count == 1 ? "" : "s");
        words += end + 1;
    }
}

static void end_line(text *t)
{
    if (t->length > 0 && t->data[t->length - 1] != '\n')
        text_add(t, "\n");
}

void say(text *t, const json_fact *fact, const clause *list)
{
    bool is_line_said = true;
    for (const clause *c = list; c->words; c++) {
        is_line_said = c->label ? c->when : is_line_said;
        if (!is_line_said || !c->when)
            continue;
        if (c->label) {
            end_line(t);
            text_add(t, "%-12s ", c->label);
        }
        say_clause(t, fact, c->words);
    }
    end_line(t);
}

/* ---- words ------------------------------------------------------------------------- */

static short_words take_words(text *from, text *t)
{
    short_words w;
    (void)snprintf(w.s, sizeof w.s, "%s", from->data ? from->data : "");
    if (t)
        t->failed |= from->failed;
    text_free(from);
    return w;
}

short_words size_words(text *t, int64_t bytes)
{
    text size = {0};
    text_add_bytes_size(&size, bytes);
    return take_words(&size, t);
}

short_words duration_words(text *t, double seconds)
{
    text duration = {0};
    text_add_duration(&duration, seconds);
    return take_words(&duration, t);
}

short_words extent_words(text *t, int dimensions, const int64_t *extent)
{
    text all = {0};
    text_add_extent(&all, dimensions, extent);
    return take_words(&all, t);
}

short_words grid_words(text *t, const pav_run *run)
{
    return extent_words(t, run->code->dim, ir_grid_box(run->code).hi);
}
