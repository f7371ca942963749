/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits C and CUDA text into tokens, without comments, strings and numbers. */
#include <ctype.h>
#include <string.h>

#include "codegen/codegen_private.h"

static bool begins(const emit_words *w, const char *with)
{
    return strncmp(w->at, with, strlen(with)) == 0;
}

/* Moves behind the next `end`, or to the end of the text. */
static void skip_past(emit_words *w, const char *end)
{
    const char *found = strstr(w->at, end);

    w->at = found && found < w->end ? found + strlen(end) : w->end;
}

static void skip_quoted(emit_words *w)
{
    const char quote = *w->at++;

    while (w->at < w->end && *w->at != quote)
        w->at += *w->at == '\\' ? 2 : 1;
    w->at += w->at < w->end;
}

static void skip_word(emit_words *w)
{
    while (w->at < w->end && char_is_of_word(*w->at))
        w->at++;
}

/* Moves to the next token. */
static void skip_blank(emit_words *w)
{
    while (w->at < w->end) {
        if (begins(w, "/*"))
            skip_past(w, "*/");
        else if (begins(w, "//"))
            skip_past(w, "\n");
        else if (*w->at == '"' || *w->at == '\'')
            skip_quoted(w);
        else if (isdigit((unsigned char)*w->at))
            skip_word(w);
        else if (isspace((unsigned char)*w->at) || *w->at == '\\')
            w->at++;
        else
            return;
    }
}

/* Counts open braces and parentheses behind the token, and directives with an #endif. */
static void count_open(emit_words *w)
{
    if (w->is_word && w->directive)
        w->conditions += (w->length >= 2 && memcmp(w->token, "if", 2) == 0) -
                         emit_word_is(w, "endif");
    else if (!w->is_word)
        w->depth += (strchr("{(", *w->token) != NULL) - (strchr("})", *w->token) != NULL);
    w->directive = *w->token == '#';
}

bool emit_next_word(emit_words *w)
{
    skip_blank(w);
    if (w->at >= w->end)
        return false;
    w->token = w->at;
    w->is_word = char_is_of_word(*w->at);
    if (w->is_word)
        skip_word(w);
    else
        w->at++;
    w->length = w->at - w->token;
    count_open(w);
    return true;
}

bool emit_word_is(const emit_words *w, const char *word)
{
    return (int64_t)strlen(word) == w->length &&
           memcmp(w->token, word, (size_t)w->length) == 0;
}

uint64_t emit_word_hash(const emit_words *w)
{
    return hash_bytes(w->token, w->length);
}
