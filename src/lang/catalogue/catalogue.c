/* SPDX-License-Identifier: BSD-3-Clause */
/* catalogue.c: words for programs, NAME[:key=value,...][@NxNxN][/f32|f64]. Every entry
 * also accepts steps=N. Missing parts have default values. */
#include <string.h>

#include "lang/lang_private.h"

enum { MAX_NAME = 32, MAX_VALUE = 64 };

const catalogue_key catalogue_steps = {"steps", KEY_INTEGER, 100, 1, 1e12, NULL};

static size_t name_length(const char *word)
{
    size_t length = 0;
    while (char_is_of_word(word[length]))
        length++;
    return length;
}

static const catalogue_entry *find_entry(const char *name)
{
    for (int i = 0; i < catalogue_entries; i++)
        if (strcmp(catalogue_table[i].name, name) == 0)
            return &catalogue_table[i];
    return NULL;
}

static const char *nearest_entry(const char *name)
{
    const char *names[64] = {0};
    int count = 0;
    for (; count < catalogue_entries && count < (int)COUNT_OF(names); count++)
        names[count] = catalogue_table[count].name;
    return text_nearest(name, names, count);
}

/* False if a word is longer than any name. */
static bool copy_name(char name[MAX_NAME], const char *from, size_t length)
{
    if (length == 0 || length >= MAX_NAME)
        return false;
    memcpy(name, from, length);
    name[length] = '\0';
    return true;
}

static bool is_suffix(const char *rest)
{
    return *rest == ':' || *rest == '@' || strcmp(rest, "/f32") == 0 ||
           strcmp(rest, "/f64") == 0;
}

bool catalogue_is_word(const char *word)
{
    char name[MAX_NAME];
    const size_t length = name_length(word);
    if (!copy_name(name, word, length))
        return false;
    return word[length] ? is_suffix(word + length) : nearest_entry(name) != NULL;
}

/* Index of a key of the entry, or -1. */
static int find_key(const catalogue_entry *entry, const char *name)
{
    for (int i = 0; i < MAX_KEYS && entry->key[i].name; i++)
        if (strcmp(entry->key[i].name, name) == 0)
            return i;
    return -1;
}

double catalogue_value(const catalogue_word *w, const char *key)
{
    const int index = find_key(w->entry, key);
    return index >= 0 ? w->value[index] : 0;
}

/* ---- what a key takes, in words ---------------------------------------------------- */

void catalogue_add_range(text *t, const catalogue_key *key)
{
    if (key->kind == KEY_CHOICE) {
        text_add(t, "one of %s", key->words);
        return;
    }
    text_add(t, key->kind == KEY_REAL   ? "a number from "
                : key->kind == KEY_EVEN ? "an even number from "
                                        : "a whole number from ");
    text_add_double(t, key->least);
    text_add(t, " to ");
    text_add_double(t, key->most);
}

static pav_status fail_value(const catalogue_entry *entry, const catalogue_key *key,
                             const char *value)
{
    text range = {0};
    catalogue_add_range(&range, key);
    const pav_status status = FAIL(PAV_EINVAL, "%s: %s=%s, but %s must be %s",
                                   entry->name, key->name, value, key->name,
                                   range.data ? range.data : "in range");
    text_free(&range);
    return status;
}

static pav_status fail_key(const catalogue_entry *entry, const char *name)
{
    text known = {0};
    const char *names[MAX_KEYS + 1];
    int count = 0;
    for (; count < MAX_KEYS && entry->key[count].name; count++) {
        names[count] = entry->key[count].name;
        text_add(&known, "%s (", names[count]);
        catalogue_add_range(&known, &entry->key[count]);
        text_add(&known, "), ");
    }
    names[count] = catalogue_steps.name;
    text_add(&known, "%s (", catalogue_steps.name);
    catalogue_add_range(&known, &catalogue_steps);
    text_add(&known, ")");
    const char *near = text_nearest(name, names, count + 1);
    const pav_status status = FAIL(
        PAV_EINVAL, "%s has no key '%s'%s%s%s; its keys are %s", entry->name, name,
        near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "",
        known.data ? known.data : "others");
    text_free(&known);
    return status;
}

static pav_status fail_name(const char *name)
{
    text known = {0};
    const char *near = nearest_entry(name);
    for (int i = 0; i < catalogue_entries; i++)
        text_add(&known, "%s%s", i > 0 ? " " : "", catalogue_table[i].name);
    const pav_status status =
        near ? FAIL(PAV_EINVAL, "unknown catalogue entry '%s'; did you mean '%s'?", name,
                    near)
             : FAIL(PAV_EINVAL, "unknown catalogue entry '%s'; the entries are: %s", name,
                    known.data ? known.data : "");
    text_free(&known);
    return status;
}

/* ---- reading a word ---------------------------------------------------------------- */

static bool choice_value(const char *words, const char *value, double *result)
{
    for (int i = 0; *words; i++) {
        const size_t length = strcspn(words, "|");
        if (strlen(value) == length && memcmp(words, value, length) == 0) {
            *result = i;
            return true;
        }
        words += length + (words[length] == '|');
    }
    return false;
}

static bool key_value(const catalogue_key *key, const char *value, double *result)
{
    num number;
    int64_t whole = 0;
    if (key->kind == KEY_CHOICE)
        return choice_value(key->words, value, result);
    const bool negative = *value == '-';
    if (!num_parse(value + negative, strlen(value + negative), &number))
        return false;
    if (key->kind != KEY_REAL && !num_is_int(number, &whole))
        return false;
    *result = negative ? -number.v : number.v;
    return *result >= key->least && *result <= key->most &&
           (key->kind != KEY_EVEN || whole % 2 == 0);
}

static pav_status set_key(catalogue_word *w, const char *name, const char *value)
{
    const int index = find_key(w->entry, name);
    if (index < 0 && strcmp(name, catalogue_steps.name) != 0)
        return fail_key(w->entry, name);
    const catalogue_key *key = index < 0 ? &catalogue_steps : &w->entry->key[index];
    return key_value(key, value, index < 0 ? &w->steps : &w->value[index])
               ? PAV_OK
               : fail_value(w->entry, key, value);
}

/* Reads key=value,key=value ... behind the colon; moves `at` behind the last value. */
static pav_status read_keys(catalogue_word *w, const char **at)
{
    do {
        char name[MAX_NAME], value[MAX_VALUE];
        const size_t length = name_length(*at);
        const char *const behind = *at + length;
        const size_t count = *behind == '=' ? strcspn(behind + 1, ",@/") : 0;
        if (!copy_name(name, *at, length) || count == 0 || count >= MAX_VALUE)
            return FAIL(PAV_EINVAL, "%s: '%.40s' is not of the form key=value,...",
                        w->entry->name, *at);
        memcpy(value, behind + 1, count);
        value[count] = '\0';
        TRY(set_key(w, name, value));
        *at = behind + 1 + count;
    } while (*(*at)++ == ',');
    (*at)--;
    return PAV_OK;
}

/* Reads NxN... behind the @; moves `at` behind the last extent. */
static pav_status read_extent(catalogue_word *w, const char **at)
{
    const char *const start = *at;
    const int dim = w->entry->dim;
    for (int axis = 0; axis < dim; axis++) {
        const size_t length = strspn(*at, "0123456789");
        const bool last = axis + 1 == dim;
        num number;
        if (length == 0 || !num_parse(*at, length, &number) ||
            !num_is_int(number, &w->extent[axis]) || w->extent[axis] < 1 ||
            ((*at)[length] == 'x') == last)
            return FAIL(PAV_EINVAL,
                        "%s: '@%.40s' should be %d positive extent%s, such as @%s",
                        w->entry->name, start, dim, dim == 1 ? "" : "s",
                        dim == 1   ? "1000"
                        : dim == 2 ? "512x256"
                                   : "512x256x128");
        *at += length + !last;
    }
    return PAV_OK;
}

static pav_status read_type(catalogue_word *w, const char **at)
{
    if (strcmp(*at, "f32") != 0 && strcmp(*at, "f64") != 0)
        return FAIL(PAV_EINVAL, "%s: '/%.40s' is not known; a word ends in /f32 or /f64",
                    w->entry->name, *at);
    w->real = (*at)[1] == '3' ? PAV_F32 : PAV_F64;
    *at += 3;
    return PAV_OK;
}

static void set_usual(catalogue_word *w, const catalogue_entry *entry)
{
    w->entry = entry;
    w->steps = catalogue_steps.usual;
    w->real = PAV_F64;
    for (int axis = 0; axis < MAX_DIM; axis++)
        w->extent[axis] = entry->extent[axis];
    for (int i = 0; i < MAX_KEYS; i++)
        w->value[i] = entry->key[i].usual;
}

static pav_status read_word(const char *word, catalogue_word *w)
{
    char name[MAX_NAME];
    const size_t length = name_length(word);
    const char *at = word + length;
    if (!copy_name(name, word, length))
        return FAIL(PAV_EINVAL,
                    "'%.60s' is no catalogue word: it does not start with a name", word);
    const catalogue_entry *entry = find_entry(name);
    if (!entry)
        return fail_name(name);
    set_usual(w, entry);
    if (*at == ':' && at++)
        TRY(read_keys(w, &at));
    if (*at == '@' && at++)
        TRY(read_extent(w, &at));
    if (*at == '/' && at++)
        TRY(read_type(w, &at));
    if (*at)
        return FAIL(PAV_EINVAL,
                    "%s: '%.40s' is too much; a word is NAME:key=value,...@NxNxN/f32",
                    name, at);
    return PAV_OK;
}

pav_status catalogue_text(const char *word, text *t)
{
    catalogue_word w;
    TRY(read_word(word, &w));
    catalogue_write(&w, t);
    return t->failed ? FAIL(PAV_ENOMEM, "memory ran out for the text of '%.60s'", word)
                     : PAV_OK;
}

int catalogue_count(void)
{
    return catalogue_entries;
}

const char *catalogue_name(int index)
{
    return catalogue_table[index].name;
}

const char *catalogue_about(int index)
{
    return catalogue_table[index].about;
}
