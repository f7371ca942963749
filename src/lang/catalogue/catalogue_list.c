/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the catalogue, in a readable list or in JSON. */
#include <string.h>

#include "lang/lang_private.h"

static void add_extent(text *t, const catalogue_entry *e)
{
    text_add_extent(t, e->dim, e->extent);
}

/* Word number `index` of "none|fe|fd". */
static const char *word_at(const char *words, int index, int *length)
{
    for (; index > 0; index--)
        words += strcspn(words, "|") + 1;
    *length = (int)strcspn(words, "|");
    return words;
}

static void add_usual(text *t, const catalogue_key *key)
{
    if (key->kind == KEY_CHOICE) {
        int length;
        const char *word = word_at(key->words, (int)key->usual, &length);
        text_add(t, "%.*s", length, word);
    } else {
        text_add_double(t, key->usual);
    }
}

/* ---- for people -------------------------------------------------------------------- */

static void add_key_line(text *t, const char *before, const catalogue_key *key)
{
    text_add(t, "%s%s=", before, key->name);
    add_usual(t, key);
    text_add(t, ": ");
    catalogue_add_range(t, key);
    text_add(t, "\n");
}

static void add_lines(text *t)
{
    static const char margin[] = "                ";

    text_add(t, "WORD[:KEY=VALUE,...][@NxNxN][/f32|f64] is a program, wherever a file is "
                "taken.\nWhat it leaves out is as given here, /f64, and ");
    add_key_line(t, "", &catalogue_steps);
    text_add(t, "\n");
    for (int i = 0; i < catalogue_entries; i++) {
        const catalogue_entry *e = &catalogue_table[i];
        text_add(t, "  %-13s %s\n%s@", e->name, e->about, margin);
        add_extent(t, e);
        text_add(t, "\n");
        for (int k = 0; k < MAX_KEYS && e->key[k].name; k++)
            add_key_line(t, margin, &e->key[k]);
    }
}

/* ---- JSON -------------------------------------------------------------------------- */

static void add_words(text *t, const char *words)
{
    const char *comma = "";
    int length;

    text_add(t, ", \"words\": [");
    for (const char *at = words;; at += length + 1) {
        at = word_at(at, 0, &length);
        text_add(t, "%s\"%.*s\"", comma, length, at);
        comma = ", ";
        if (!at[length])
            break;
    }
    text_add(t, "]");
}

static void add_json_key(text *t, const catalogue_key *key)
{
    static const char *const kinds[] = {
        [KEY_INTEGER] = "integer",
        [KEY_EVEN] = "even",
        [KEY_REAL] = "real",
        [KEY_CHOICE] = "choice",
    };
    const char *quote = key->kind == KEY_CHOICE ? "\"" : "";

    text_add(t, "{\"name\": \"%s\", \"kind\": \"%s\", \"default\": %s", key->name,
             kinds[key->kind], quote);
    add_usual(t, key);
    text_add(t, "%s", quote);
    if (key->kind == KEY_CHOICE) {
        add_words(t, key->words);
    } else {
        text_add(t, ", \"least\": ");
        text_add_double(t, key->least);
        text_add(t, ", \"most\": ");
        text_add_double(t, key->most);
    }
    text_add(t, "}");
}

static void add_json_entry(text *t, const catalogue_entry *e)
{
    text_add(t, "{\"name\": ");
    text_add_json(t, e->name);
    text_add(t, ", \"about\": ");
    text_add_json(t, e->about);
    text_add(t, ", \"extent\": \"");
    add_extent(t, e);
    text_add(t, "\", \"keys\": [");
    for (int k = 0; k < MAX_KEYS && e->key[k].name; k++) {
        add_json_key(t, &e->key[k]);
        text_add(t, ", ");
    }
    add_json_key(t, &catalogue_steps);
    text_add(t, "]}");
}

static void add_json(text *t)
{
    text_add(t, "{\"catalogue\": [");
    for (int i = 0; i < catalogue_entries; i++) {
        text_add(t, i ? ", " : "");
        add_json_entry(t, &catalogue_table[i]);
    }
    text_add(t, "]}\n");
}

pav_status pav_catalogue(int json, char **result)
{
    GUARDED;
    text t = {0};
    if (!result)
        return FAIL(PAV_EINVAL, "pav_catalogue needs a place for the text; it is NULL");
    *result = NULL;
    if (json)
        add_json(&t);
    else
        add_lines(&t);
    return text_take(&t, result);
}
