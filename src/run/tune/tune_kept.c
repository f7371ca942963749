/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurements of an unfinished tuning, in a file next to wisdom: a line for each
 * candidate. The file only saves time, so unreadable lines are measured again and write
 * errors are ignored. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/tune/tune_private.h"

enum { MOST_BYTES = 1 << 20 };

/* One file for each problem. */
static bool path_of(const tuning *t, char path[WISDOM_PATH + 32])
{
    char wise[WISDOM_PATH];
    wisdom_line key = *t->like->known.problem;
    hash h;
    hash_init(&h);
    hash_add(&h, &key.program, sizeof key.program);
    hash_add(&h, key.extent, sizeof key.extent);
    hash_add(&h, &key.real, sizeof key.real);
    hash_add(&h, key.machine, (int64_t)strlen(key.machine));
    hash_add(&h, key.compiler, (int64_t)strlen(key.compiler));
    hash_add(&h, key.version, (int64_t)strlen(key.version));
    if (!wisdom_path(wise))
        return false;
    (void)snprintf(path, WISDOM_PATH + 32, "%s.tune-%016llx", wise,
                   (unsigned long long)hash_end(&h));
    return true;
}

/* Reads a line: seconds (0: the candidate is impossible), the listed schedule, and the
 * schedule after autotuning. */
static void take_line(tuning *t, char *line)
{
    char *tab, *words;
    const double seconds = strtod(line, &tab);
    const int before = t->count;
    if (*tab != '\t' || !(seconds >= 0) || !(words = strchr(tab + 1, '\t')))
        return;
    *words++ = 0;
    tune_add(t, tab + 1);
    if (t->count == before || strlen(words) >= WISDOM_SCHEDULE)
        return;
    tune_candidate *c = &t->candidate[before];
    (void)snprintf(c->words, sizeof c->words, "%s", words);
    c->seconds = seconds;
    c->refused = seconds == 0;
    t->known = t->count;
}

void tune_recall(tuning *t)
{
    char path[WISDOM_PATH + 32], *bytes, *rest = NULL;
    int64_t length;
    if (!path_of(t, path) || access(path, F_OK) != 0 ||
        file_read(path, MOST_BYTES, &bytes, &length) != PAV_OK)
        return;
    for (char *line = strtok_r(bytes, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        take_line(t, line);
    mem_free(bytes);
}

void tune_keep(const tuning *t, const tune_candidate *c)
{
    char path[WISDOM_PATH + 32];
    if (!path_of(t, path))
        return;
    FILE *file = file_write(path, true);
    if (!file)
        return;
    (void)fprintf(file, "%.17g\t%s\t%s\n", c->refused ? 0 : c->seconds, c->asked,
                  c->words);
    (void)fclose(file);
}

void tune_forget(const tuning *t)
{
    char path[WISDOM_PATH + 32];
    if (path_of(t, path))
        (void)unlink(path);
}
