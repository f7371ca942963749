/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes JSON strings and reads flat JSON objects, such as the lines of `bench
 * --json`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* ---- looking ----------------------------------------------------------------------- */

double json_number_of(const char *json, const char *key)
{
    char quoted[JSON_TEXT];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(json, quoted);
    return at ? strtod(at + strlen(quoted), NULL) : 0;
}

/* ---- writing ----------------------------------------------------------------------- */

/* Length in bytes of the UTF-8 character at this place (Unicode, table 3-7); 0:
 * invalid. */
static int character_length(const unsigned char *at)
{
    const int length = at[0] < 0x80   ? 1
                       : at[0] < 0xc2 ? 0
                       : at[0] < 0xe0 ? 2
                       : at[0] < 0xf0 ? 3
                       : at[0] < 0xf5 ? 4
                                      : 0;
    for (int k = 1; k < length; k++)
        if ((at[k] & 0xc0U) != 0x80U)
            return 0;
    const bool bad = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
                     (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f);
    return bad ? 0 : length;
}

/* Invalid bytes (legal in file names) become U+FFFD. */
void json_put_string(FILE *out, const char *string)
{
    const unsigned char *at = (const unsigned char *)string;
    fputc('"', out);
    while (*at) {
        const int length = character_length(at);
        if (length == 0)
            fputs("\xef\xbf\xbd", out);
        else if (*at < 0x20 || *at == '"' || *at == '\\' || *at == 0x7f)
            fprintf(out, "\\u%04x", (unsigned)*at);
        else
            fwrite(at, 1, (size_t)length, out);
        at += length ? length : 1;
    }
    fputc('"', out);
}

/* ---- reading ----------------------------------------------------------------------- */

static void skip_space(const char **at)
{
    *at += strspn(*at, " \t\r\n");
}

static bool take(const char **at, char wanted)
{
    skip_space(at);
    if (**at != wanted)
        return false;
    ++*at;
    return true;
}

/* Encodes a code point below 0x10000 as UTF-8, NUL-terminated. */
static void spell(unsigned long code, char bytes[4])
{
    memset(bytes, 0, 4);
    if (code < 0x80) {
        bytes[0] = (char)code;
    } else if (code < 0x800) {
        bytes[0] = (char)(0xc0 | code >> 6);
        bytes[1] = (char)(0x80 | (code & 0x3f));
    } else {
        bytes[0] = (char)(0xe0 | code >> 12);
        bytes[1] = (char)(0x80 | (code >> 6 & 0x3f));
        bytes[2] = (char)(0x80 | (code & 0x3f));
    }
}

/* Reads an escape sequence after a backslash; false: unknown. */
static bool take_escape(const char **at, char bytes[4])
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *found = **at ? strchr(letters, **at) : NULL;
    char digits[5] = "";
    if (found) {
        ++*at;
        spell((unsigned char)meant[found - letters], bytes);
        return true;
    }
    if (**at != 'u' || strspn(*at + 1, "0123456789abcdefABCDEF") < 4)
        return false;
    memcpy(digits, *at + 1, 4);
    *at += 5;
    spell(strtoul(digits, NULL, 16), bytes);
    return true;
}

/* Longer strings are truncated. */
static bool take_string(const char **at, char *string, size_t size)
{
    size_t length = 0;
    if (!take(at, '"'))
        return false;
    while (**at && **at != '"') {
        char bytes[4] = {**at};
        if (*(*at)++ == '\\' && !take_escape(at, bytes))
            return false;
        for (int k = 0; bytes[k] && length + 1 < size; k++)
            string[length++] = bytes[k];
    }
    string[length] = '\0';
    return take(at, '"');
}

static bool take_number(const char **at, double *number)
{
    char *end;
    if (!**at || !strchr("-0123456789", **at))
        return false;
    *number = strtod(*at, &end);
    *at = end;
    return true;
}

static bool take_value(const char **at, json_member *m)
{
    static const char *const words[] = {"null", "true", "false"};
    skip_space(at);
    m->kind = **at == '"' ? JSON_STRING : JSON_NUMBER;
    if (m->kind == JSON_STRING)
        return take_string(at, m->string, sizeof m->string);
    if (take_number(at, &m->number))
        return true;
    m->kind = JSON_WORD;
    for (int k = 0; k < 3; k++)
        if (strncmp(*at, words[k], strlen(words[k])) == 0) {
            *at += strlen(words[k]);
            return true;
        }
    return false;
}

bool json_read_object(const char *line, void (*member)(void *user, const json_member *m),
                      void *user)
{
    const char *at = line;
    json_member m;
    if (!take(&at, '{'))
        return false;
    bool more = !take(&at, '}');
    while (more) {
        m = (json_member){.kind = JSON_WORD};
        if (!take_string(&at, m.key, sizeof m.key) || !take(&at, ':') ||
            !take_value(&at, &m))
            return false;
        member(user, &m);
        more = take(&at, ',');
        if (!more && !take(&at, '}'))
            return false;
    }
    skip_space(&at);
    return *at == '\0';
}
