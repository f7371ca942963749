/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests whether a text can be a description: not too large, UTF-8, without control
 * characters. */
#include <string.h>

#include "lang/lang_private.h"

/* The first invalid byte of a description, a control character; or NULL. */
static const char *find_control(const char *source, int64_t length)
{
    for (int64_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)source[i];
        const bool alone = c == '\r' && i + 1 < length && source[i + 1] != '\n';
        if ((c < 0x20U && c != '\n' && c != '\t' && c != '\r') || c == 0x7fU || alone)
            return source + i;
    }
    return NULL;
}

static place place_of(const char *source, const char *at)
{
    place result = {1, 1, 1};

    for (; source < at; source++) {
        if (*source == '\n') {
            result.line++;
            result.column = 1;
        } else if (!utf8_continues(*source)) {
            result.column++;
        }
    }
    return result;
}

/* The first byte that breaks UTF-8, found by bisection in broken text. */
static const char *find_broken(const char *source, int64_t length)
{
    int64_t good = 0, bad = length;

    while (bad - good > 1) {
        int64_t middle = good + (bad - good) / 2;
        while (middle > good && utf8_continues(source[middle]))
            middle--;
        if (middle == good)
            break;
        if (text_is_utf8(source + good, middle - good))
            good = middle;
        else
            bad = middle;
    }
    return source + good;
}

/* True for text with two bytes per character: it has a byte order mark, or every other
 * byte at its beginning is 0. */
static bool is_utf16(const char *s, int64_t length)
{
    if (length < 4)
        return false;
    const bool marked = memcmp(s, "\xff\xfe", 2) == 0 || memcmp(s, "\xfe\xff", 2) == 0;
    return marked || (!s[0] && s[1] && !s[2] && s[3]) || (s[0] && !s[1] && s[2] && !s[3]);
}

bool source_readable(parser *p)
{
    const place start = {1, 1, 0};

    if (p->length > MAX_SOURCE) {
        mistake_at(p, start, "the description holds %lld bytes; at most %d are read",
                   (long long)p->length, MAX_SOURCE);
        return false;
    }
    if (is_utf16(p->source, p->length)) {
        mistake_at(p, start, "the description is UTF-16; save it as UTF-8");
        return false;
    }
    const char *control = find_control(p->source, p->length);
    if (control && *control == '\r') {
        mistake_at(
            p, place_of(p->source, control),
            "a carriage return (0x0d) stands here alone; save the description with "
            "lines that end as those of Unix or Windows");
        return false;
    }
    if (control) {
        mistake_at(p, place_of(p->source, control),
                   "the byte 0x%02x is a control character, which no description holds",
                   (unsigned)(unsigned char)*control);
        return false;
    }
    if (text_is_utf8(p->source, p->length))
        return true;
    const char *broken = find_broken(p->source, p->length);
    mistake_at(p, place_of(p->source, broken), "the description is not UTF-8 text");
    return false;
}
