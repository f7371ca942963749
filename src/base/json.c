/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON strings and numbers, and what UTF-8 is. What is not UTF-8 becomes U+FFFD, so that the
 * output is valid whatever a file name holds. */
#include <math.h>
#include <string.h>

#include "base/base_private.h"

static bool continues(unsigned char byte)
{
    return (byte & 0xc0U) == 0x80U;
}

/* The length of the character at `at`, with `left` bytes to go; 0 when it is not one. No overlong
 * forms, no surrogates, nothing beyond U+10FFFF (Unicode, table 3-7). */
static int character_length(const unsigned char *at, int64_t left)
{
    const unsigned char first = at[0];

    if (first < 0x80)
        return 1;
    const int length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || left < length)
        return 0;
    for (int i = 1; i < length; i++)
        if (!continues(at[i]))
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

static void add_ascii(text *t, char c)
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

void text_add_json(text *t, const char *string)
{
    if (!string) {
        text_add(t, "null");
        return;
    }
    const int64_t length = (int64_t)strlen(string);
    text_add(t, "\"");
    for (int64_t i = 0; i < length;) {
        const unsigned char *at = (const unsigned char *)string + i;
        const int size = character_length(at, length - i);
        if (size == 0)
            text_add(t, "\xef\xbf\xbd");
        else if (size == 1)
            add_ascii(t, string[i]);
        else
            text_add_bytes(t, string + i, size);
        i += size > 0 ? size : 1;
    }
    text_add(t, "\"");
}

void text_add_json_double(text *t, double value)
{
    if (isfinite(value))
        text_add_double(t, value);
    else
        text_add(t, "null");
}
