/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the known word probably meant by a typo.
 *
 * Edit distance with transpositions of neighbours (optimal string alignment), ignoring
 * case. A distance of up to a third of the word's letters is near enough. A prefix of a
 * known word is near too, but after all others. Words beyond 64 bytes are not
 * considered. */
#include <ctype.h>
#include <string.h>

#include "base/base_private.h"

enum { MOST_LETTERS = 64 };

static int fold(char c)
{
    return tolower((unsigned char)c);
}

/* Row i of the table from the two before it; column j is the distance of the first i
 * letters of `a` from the first j letters of `b`. */
static void next_row(const char *a, int i, const char *b, int length, const int *before,
                     const int *last, int *row)
{
    row[0] = i;
    for (int j = 1; j <= length; j++) {
        const bool same = fold(a[i - 1]) == fold(b[j - 1]);
        row[j] = int_least(int_least(row[j - 1], last[j]) + 1,
                           last[j - 1] + (same ? 0 : 1));
        const bool swapped = i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
                             fold(a[i - 2]) == fold(b[j - 1]);
        if (swapped)
            row[j] = int_least(row[j], before[j - 2] + 1);
    }
}

static int distance(const char *a, int a_length, const char *b, int b_length)
{
    int rows[3][MOST_LETTERS + 1] = {{0}};

    for (int j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (int i = 1; i <= a_length; i++)
        next_row(a, i, b, b_length, rows[(i + 1) % 3], rows[(i + 2) % 3], rows[i % 3]);
    return rows[a_length % 3][b_length];
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
    const int found = distance(word, length, candidate, other);
    if (found <= limit)
        return found;
    return common >= 3 && begins(word, candidate, common) ? limit + 1 : limit + 2;
}

const char *text_nearest(const char *word, const char *const *candidates, int64_t count)
{
    const size_t size = strnlen(word, MOST_LETTERS + 1);
    const char *nearest = NULL;

    if (size == 0 || size > MOST_LETTERS)
        return NULL;
    const int limit = ((int)size + 1) / 3;
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
    text all = {0};

    for (int64_t k = 0; k < count; k++) {
        if (strcmp(word, candidates[k]) == 0) {
            *result = (int)k;
            text_free(&all);
            return PAV_OK;
        }
        text_add(&all, "%s%s",
                 k == 0          ? ""
                 : k + 1 < count ? ", "
                                 : " or ",
                 candidates[k]);
    }
    const char *near = text_nearest(word, candidates, count);
    const pav_status status = FAIL(PAV_EINVAL, "there is no %s '%s'%s%s%s %s", what, word,
                                   near ? "; did you mean '" : "", near ? near : "",
                                   near ? "'? There are" : ": give",
                                   all.data ? all.data : "another");
    text_free(&all);
    return status;
}
