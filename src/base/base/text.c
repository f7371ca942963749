/* SPDX-License-Identifier: BSD-3-Clause */
/* Growing text, and what messages and reports append to it: JSON, XML, sizes and
 * durations, the nearest known word. The buffer doubles. Once memory has run out,
 * `failed` stays set, so a long list of appends needs one check only, in text_take. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base_private.h"

enum { FIRST_CAPACITY = 128 };

/* Room for `more` bytes and the NUL. */
static bool reserve(text *t, int64_t more)
{
    int64_t needed, capacity = t->capacity > 0 ? t->capacity : FIRST_CAPACITY;

    if (t->failed || !add_fits(t->length, more, &needed) ||
        !add_fits(needed, 1, &needed)) {
        t->failed = true;
        return false;
    }
    if (t->data && needed <= t->capacity)
        return true;
    while (capacity < needed)
        if (!mul_fits(capacity, 2, &capacity))
            capacity = needed;
    char *data = mem_grow(t->data, capacity, 1);
    if (!data) {
        t->failed = true;
        return false;
    }
    t->data = data;
    t->capacity = capacity;
    return true;
}

void text_add_bytes(text *t, const char *bytes, int64_t length)
{
    if (length < 0 || !reserve(t, length))
        return;
    if (length > 0)
        memcpy(t->data + t->length, bytes, (size_t)length);
    t->length += length;
    t->data[t->length] = '\0';
}

void text_add_list(text *t, const char *format, va_list list)
{
    va_list again;

    va_copy(again, list);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        t->failed = true;
    else if (reserve(t, length)) {
        (void)vsnprintf(t->data + t->length, (size_t)length + 1, format, list);
        t->length += length;
    }
}

void text_add(text *t, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    text_add_list(t, format, list);
    va_end(list);
}

pav_status text_print(text *t, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    text_add_list(t, format, list);
    va_end(list);
    return t->failed ? PAV_ENOMEM : PAV_OK;
}

pav_status text_take(text *t, char **result)
{
    *result = NULL;
    text_add_bytes(t, "", 0);
    if (t->failed) {
        const long long length = t->length;
        text_free(t);
        return FAIL(PAV_ENOMEM, "memory ran out after %lld bytes of a text", length);
    }
    *result = t->data;
    *t = (text){0};
    return PAV_OK;
}

pav_status text_copy_bytes(const char *bytes, int64_t length, char **result)
{
    text t = {0};

    text_add_bytes(&t, bytes, length);
    return text_take(&t, result);
}

pav_status text_copy(const char *string, char **result)
{
    return text_copy_bytes(string, (int64_t)strlen(string), result);
}

void text_free(text *t)
{
    mem_free(t->data);
    *t = (text){0};
}

void text_free_all(int count, text *const *t)
{
    for (int n = 0; n < count; n++)
        text_free(t[n]);
}

void pav_text_free(char *string)
{
    mem_free(string);
}

/* ---- JSON, XML and UTF-8 ----------------------------------------------------------- */

/* JSON strings and numbers, XML strings, and checks of UTF-8. Invalid UTF-8 becomes
 * U+FFFD, so the output is valid whatever a file name contains. */

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
    static const char *const entity[] = {
        ['&'] = "&amp;", ['<'] = "&lt;",   ['>'] = "&gt;",  ['"'] = "&quot;",
        ['\t'] = "&#9;", ['\n'] = "&#10;", ['\r'] = "&#13;"};
    const size_t at = (unsigned char)c;
    const char *word = at < COUNT_OF(entity) ? entity[at] : NULL;

    if (word || at < ' ')
        text_add(t, "%s", word ? word : REPLACEMENT);
    else
        text_add_bytes(t, &c, 1);
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

void text_add_values(text *t, const char *words, ...)
{
    va_list list;

    va_start(list, words);
    for (const char *at = words; *at; at++) {
        const size_t plain = strcspn(at, "%");
        text_add_bytes(t, at, (int64_t)plain);
        at += plain;
        if (!*at)
            break;
        switch (*++at) {
        case 's': text_add(t, "%s", va_arg(list, const char *)); break;
        case 'q': text_add_json(t, va_arg(list, const char *)); break;
        case 'g': text_add_json_double(t, va_arg(list, double)); break;
        case 'd': text_add(t, "%lld", (long long)va_arg(list, int64_t)); break;
        case 'b': text_add(t, va_arg(list, int) ? "true" : "false"); break;
        case 'z': text_add_bytes_size(t, va_arg(list, int64_t)); break;
        default: text_add(t, "%d", va_arg(list, int));
        }
    }
    va_end(list);
}

/* ---- sizes, extents and durations -------------------------------------------------- */

const char *size_text(int64_t bytes, char out[SIZE_TEXT])
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double size = (double)bytes / 1024;
    size_t unit = 0;

    if (bytes > -1024 && bytes < 1024) {
        (void)snprintf(out, SIZE_TEXT, "%d B", (int)bytes);
        return out;
    }
    for (; fabs(size) >= 1023.95 && unit + 1 < COUNT_OF(units); unit++)
        size /= 1024;
    (void)snprintf(out, SIZE_TEXT, "%.1f %s", size, units[unit]);
    return out;
}

void text_add_bytes_size(text *t, int64_t bytes)
{
    char size[SIZE_TEXT];

    text_add(t, "%s", size_text(bytes, size));
}

void text_add_extent(text *t, int dimensions, const int64_t *extent)
{
    for (int i = 0; i < dimensions; i++)
        text_add(t, "%s%lld", i > 0 ? "x" : "", (long long)extent[i]);
}

void text_add_sides(text *t, double left, const char *between, double right)
{
    enum { LEAST = 6, MOST = 17, LONGEST = 32 };
    char a[LONGEST], b[LONGEST];

    for (int digits = LEAST; digits <= MOST; digits++) {
        (void)snprintf(a, sizeof a, "%.*g", digits, left);
        (void)snprintf(b, sizeof b, "%.*g", digits, right);
        if (strcmp(a, b) != 0 || !(left < right || left > right))
            break;
    }
    text_add(t, "%s%s%s", a, between, b);
}

/* Two units at most: 850 ms, 12.3 s, 1 min 02 s, 1 h 02 min, 3 d 04 h. */
void text_add_duration(text *t, double seconds)
{
    /* 32 million years; larger values would overflow integers */
    if (!(seconds >= 0 && seconds < 1e15)) {
        text_add(t, "unknown");
        return;
    }
    const long long whole = (long long)(seconds + 0.5), minutes = (whole + 30) / 60;
    const long long hours = (whole + 1800) / 3600;
    if (seconds < 0.0009995)
        text_add(t, "%.0f us", seconds * 1e6);
    else if (seconds < 0.9995)
        text_add(t, "%.0f ms", seconds * 1e3);
    else if (seconds < 59.95)
        text_add(t, "%.1f s", seconds);
    else if (whole < 3600)
        text_add(t, "%lld min %02lld s", whole / 60, whole % 60);
    else if (minutes < 24 * 60)
        text_add(t, "%lld h %02lld min", minutes / 60, minutes % 60);
    else
        text_add(t, "%lld d %02lld h", hours / 24, hours % 24);
}

/* ---- the nearest word -------------------------------------------------------------- */

/* Finds the known word probably meant by a typo.
 *
 * Edit distance with transpositions of neighbours (optimal string alignment), ignoring
 * case. Up to a third of the word's letters may be edited. A transposition counts less
 * than another edit: `sihn` is sinh, not sin. A prefix of a known word is near too, but
 * after all others. Words beyond 64 bytes are not considered. */

enum { MOST_LETTERS = 64, EDIT = 4, TRANSPOSITION = 3 };

static int fold(char c)
{
    return tolower((unsigned char)c);
}

/* Row i of the table from the two before it; column j is the distance of the first i
 * letters of `a` from the first j letters of `b`. */
static void next_row(const char *a, int i, const char *b, int length, const int *before,
                     const int *last, int *row)
{
    row[0] = i * EDIT;
    for (int j = 1; j <= length; j++) {
        row[j] = int_least(int_least(row[j - 1], last[j]) + EDIT,
                           last[j - 1] + (fold(a[i - 1]) == fold(b[j - 1]) ? 0 : EDIT));
        const bool swapped = i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
                             fold(a[i - 2]) == fold(b[j - 1]);
        if (swapped)
            row[j] = int_least(row[j], before[j - 2] + TRANSPOSITION);
    }
}

static bool begins(const char *word, const char *with, int length)
{
    for (int i = 0; i < length; i++)
        if (fold(word[i]) != fold(with[i]))
            return false;
    return true;
}

/* The distance; limit + 1 if it is larger than the limit. */
static int score(const char *word, int length, const char *candidate, int limit)
{
    const size_t size = strnlen(candidate, MOST_LETTERS + 1);

    if (size == 0 || size > MOST_LETTERS)
        return limit + 2;
    const int other = (int)size, common = int_least(length, other);
    int rows[3][MOST_LETTERS + 1] = {{0}};

    for (int j = 0; j <= other; j++)
        rows[0][j] = j * EDIT;
    for (int i = 1; i <= length; i++)
        next_row(word, i, candidate, other, rows[(i + 1) % 3], rows[(i + 2) % 3],
                 rows[i % 3]);

    const int found = rows[length % 3][other];
    return found <= limit                                   ? found
           : common >= 3 && begins(word, candidate, common) ? limit + 1
                                                            : limit + 2;
}

const char *text_nearest(const char *word, const char *const *candidates, int64_t count)
{
    const size_t size = strnlen(word, MOST_LETTERS + 1);
    const char *nearest = NULL;

    if (size == 0 || size > MOST_LETTERS)
        return NULL;
    const int limit = ((int)size + 1) / 3 * EDIT;
    int best = limit + 2;
    for (int64_t i = 0; i < count; i++) {
        const int found = score(word, (int)size, candidates[i], limit);
        if (found < best) {
            best = found;
            nearest = candidates[i];
        }
    }
    return nearest;
}

pav_status text_choice(const char *what, const char *word, const char *const *candidates,
                       int64_t count, int *result)
{
    OWNED_BY(text_free) text all = {0};

    for (int64_t k = 0; k < count; k++) {
        if (strcmp(word, candidates[k]) == 0) {
            *result = (int)k;
            return PAV_OK;
        }
        text_add(&all, "%s%s",
                 k == 0          ? ""
                 : k + 1 < count ? ", "
                                 : " or ",
                 candidates[k]);
    }
    const char *near = text_nearest(word, candidates, count);
    return FAIL(PAV_EINVAL, "there is no %s '%s'%s%s%s %s", what, word,
                near ? "; did you mean '" : "", near ? near : "",
                near ? "'? There are" : ": give", all.data ? all.data : "another");
}
