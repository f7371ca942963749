/* SPDX-License-Identifier: BSD-3-Clause */
/* Names in a generated program. All exported names begin with the program's own name. */
#include <ctype.h>
#include <string.h>

#include "run/generate/generate_private.h"

enum { LONGEST = 40 };

void add_identifier(const char *word, text *t)
{
    for (; *word; word++) {
        const unsigned char c = (unsigned char)*word;
        text_add(t, "%c", c < 128 && isalnum(c) ? c : '_');
    }
}

void add_field(const generation *g, int64_t field, text *t)
{
    text_add(t, "F%lld_", (long long)field);
    add_identifier(g->code->field[field].name, t);
}

void add_string(const char *string, text *t)
{
    text_add(t, "\"");
    for (; *string; string++) {
        const unsigned char c = (unsigned char)*string;
        if (c == '"' || c == '\\' || c == '?')
            text_add(t, "\\%c", c);
        else if (c < ' ' || c > '~')
            text_add(t, "\\%03o", c);
        else
            text_add(t, "%c", c);
    }
    text_add(t, "\"");
}

void add_comment(const char *words, text *t)
{
    for (; *words; words++) {
        const unsigned char c = (unsigned char)*words;
        const bool special = c < ' ' || c == 127 || c == '?' || c == '\\' ||
                             (c == '*' && words[1] == '/') ||
                             (c == '/' && words[1] == '*');
        text_add(t, "%c", special ? ' ' : c);
    }
}

/* The last part of a path. A name of the catalogue, with an '@', is no path. */
const char *program_file_name(const char *path)
{
    return strchr(path, '@') ? path : path_name(path);
}

/* Appends "heat3d" for "examples/heat3d.pav", "star3d_r_4" for "star3d:r=4@64x64x64". */
static void add_last_name(const char *path, text *t)
{
    const char *first = program_file_name(path), *dot = strrchr(first, '.');
    const size_t length = dot && strcmp(dot, ".pav") == 0 ? (size_t)(dot - first)
                                                          : strcspn(first, "@");

    if (!isalpha((unsigned char)*first))
        text_add(t, "program_");
    for (size_t n = 0; n < length && n < LONGEST; n++) {
        const char letter[2] = {first[n]};
        add_identifier(letter, t);
    }
}

/* Reserved words: with _create, _free, _step, ... they would be names of the system or of
 * the program itself; with .h, names of included headers. */
static const char taken[] =
    "main, pthread, team, set, take, step, begin, next, run, sample, check, out, stage, "
    "call, copy, clear, of, to, from, timer, pthread_key, atomic_is_lock, errno, "
    "immintrin, math, sched, stdatomic, stdbool, stddef, stdint, stdio, stdlib, string, "
    "time, unistd";

static bool is_taken(const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = taken; *at; at += strspn(at, ", ")) {
        const size_t word = strcspn(at, ",");
        if (word == length && strncmp(at, name, length) == 0)
            return true;
        at += word;
    }
    return false;
}

static pav_status refuse_name(const char *name)
{
    return FAIL(
        PAV_EINVAL,
        "a program cannot be called '%s': letters, digits and _ make a name, at most %d "
        "of them, a letter first, and it is none of %s",
        name, LONGEST, taken);
}

static bool is_name(const char *name)
{
    bool good = isalpha((unsigned char)*name) && strlen(name) <= LONGEST;

    for (; *name; name++)
        good = good && (unsigned char)*name < 128 &&
               (isalnum((unsigned char)*name) || *name == '_');
    return good;
}

pav_status program_name_of(const program *p, const char *asked, text *name)
{
    if (asked && (!is_name(asked) || is_taken(asked)))
        return refuse_name(asked);
    if (asked)
        text_add(name, "%s", asked);
    else
        add_last_name(p->name, name);
    if (name->data && is_taken(name->data))
        text_add(name, "_program");
    return name->failed || !name->data ? PAV_ENOMEM : PAV_OK;
}
