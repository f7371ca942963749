/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON strings and numbers, XML strings, and checks of UTF-8. Invalid UTF-8 becomes
 * U+FFFD, so the output is valid whatever a file name contains. */
#include <math.h>
#include <string.h>

#include "base/base_private.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* The length of the character at `at`, with `left` bytes to go; 0 if it is invalid.
 * Overlong forms, surrogates and values beyond U+10FFFF are invalid (Unicode, table
 * 3-7). */
static int character_length(const unsigned char *at, int64_t left)
{
    const unsigned char first = at[0];

    if (first < 0x80)
        return 1;
    const int length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || left < length)
        return 0;
    for (int i = 1; i < length; i++)
        if (!utf8_continues((char)at[i]))
            return 0;
    const bool bad = (first == 0xe0 && at[1] < 0xa0) || (first == 0xed && at[1] > 0x9f) ||
                     (first == 0xf0 && at[1] < 0x90) || (first == 0xf4 && at[1] > 0x8f);
    return bad ? 0 : length;
}

bool text_is_utf8(const char *bytes, int64_t length)
{
    const unsigned char *at = (const unsigned char *)bytes;

    for (int64_t i = 0; i < length;) {
        const int size = character_length(at + i, length - i);
        if (size == 0)
            return false;
        i += size;
    }
    return true;
}

static void add_json_ascii(text *t, char c)
{
    static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *found = c ? strchr(escaped, c) : NULL;

    if (found)
        text_add(t, "\\%c", letters[found - escaped]);
    else if ((unsigned char)c < 0x20 || c == 0x7f)
        text_add(t, "\\u%04x", (unsigned)(unsigned char)c);
    else
        text_add_bytes(t, &c, 1);
}

/* Appends a string character by character; `ascii` appends characters of one byte. */
static void add_characters(text *t, const char *string, void (*ascii)(text *t, char c))
{
    const int64_t length = (int64_t)strlen(string);
    for (int64_t i = 0; i < length;) {
        const int size = character_length((const unsigned char *)string + i, length - i);
        if (size == 1)
            ascii(t, string[i]);
        else
            text_add(t, "%.*s", size > 0 ? size : 3, size > 0 ? string + i : REPLACEMENT);
        i += size > 0 ? size : 1;
    }
}

void text_add_json(text *t, const char *string)
{
    if (!string) {
        text_add(t, "null");
        return;
    }
    text_add(t, "\"");
    add_characters(t, string, add_json_ascii);
    text_add(t, "\"");
}

static void add_xml_ascii(text *t, char c)
{
    switch (c) {
    case '&': text_add(t, "&amp;"); break;
    case '<': text_add(t, "&lt;"); break;
    case '>': text_add(t, "&gt;"); break;
    case '"': text_add(t, "&quot;"); break;
    case '\t':
    case '\n':
    case '\r': text_add(t, "&#%d;", c); break;
    default:
        text_add_bytes(t, (unsigned char)c < ' ' ? REPLACEMENT : &c,
                       (unsigned char)c < ' ' ? 3 : 1);
    }
}

void text_add_xml(text *t, const char *string)
{
    add_characters(t, string, add_xml_ascii);
}

void text_add_json_double(text *t, double value)
{
    if (isfinite(value))
        text_add_double(t, value);
    else
        text_add(t, "null");
}
