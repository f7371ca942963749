/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors are printed on stderr at once. The last one is kept, so --json can repeat it. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

enum { LONGEST = 65536 };

static char kept[LONGEST];
static pav_status kept_status = PAV_OK;

const char *complaint(pav_status *status)
{
    *status = kept_status;
    return kept;
}

static void keep(pav_status status, const char *format, va_list list)
{
    kept_status = status;
    vsnprintf(kept, sizeof kept, format, list);
}

void complain(pav_status status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    keep(status, format, list);
    va_end(list);
    fprintf(stderr, "%s\n", kept);
}

int usage_error(const command *c, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    keep(PAV_EINVAL, format, list);
    va_end(list);
    fprintf(stderr, "pavior %s: %s; see `pavior help %s`\n", c->name, kept, c->name);
    return EXIT_USAGE;
}

/* Before a run has begun, unreadable or unsupported input is bad usage. Failures to write
 * outputs come later, from the run. */
int fail_with(pav_status status)
{
    const bool usage = status == PAV_EINVAL || status == PAV_ESYNTAX ||
                       status == PAV_EIO || status == PAV_EFORMAT ||
                       status == PAV_ELIMIT || status == PAV_EUNSUPPORTED;
    complain(status, "%s", pav_message());
    return usage ? EXIT_USAGE : EXIT_RUN_FAILED;
}

/* ---- the nearest name -------------------------------------------------------------- */

enum { MOST_LETTERS = 32 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Edit distance in letters. Words longer than every name are far from all names. */
static int distance(const char *a, size_t length, const char *b)
{
    int row[MOST_LETTERS + 1];
    const size_t other = strlen(b);
    if (length > MOST_LETTERS || other > MOST_LETTERS)
        return MOST_LETTERS;
    for (size_t j = 0; j <= other; j++)
        row[j] = (int)j;
    for (size_t i = 0; i < length; i++) {
        int corner = row[0]++;
        for (size_t j = 0; j < other; j++) {
            const int replaced = corner + (a[i] != b[j]);
            corner = row[j + 1];
            row[j + 1] = least(replaced, least(row[j], corner) + 1);
        }
    }
    return row[other];
}

const char *nearest_name(const char *word, size_t length, const char *const *names)
{
    const char *nearest = NULL;
    int best = (int)least(MOST_LETTERS, (int)length) / 3 + 2;
    for (; *names; names++) {
        const int found = distance(word, length, *names);
        if (found < best) {
            best = found;
            nearest = *names;
        }
    }
    return nearest;
}
