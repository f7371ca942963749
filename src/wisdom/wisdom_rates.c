/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates of machines, measured once and kept next to wisdom: a line for each machine and
 * number of threads, with tabs between columns. They only save measurements and change no
 * bit, so an unreadable line is ignored, and the next measurement replaces it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wisdom/wisdom.h"

enum { LEAST = 6, NUMBERS = 10, MOST_BYTES = 1 << 20 };

bool rates_path(char path[WISDOM_PATH])
{
    if (!wisdom_path(path) || strlen(path) + sizeof ".rates" > WISDOM_PATH)
        return false;
    strcat(path, ".rates");
    return true;
}

static void put_key(const char *machine, int threads, char key[WISDOM_NAME + 16])
{
    char name[WISDOM_NAME];
    wisdom_put(name, machine);
    (void)snprintf(key, WISDOM_NAME + 16, "%s\t%d\t", name, threads);
}

/* Rates in bytes or results a second, except the sixth, in seconds. Impossible values are
 * refused. The last ones, of a GPU's link, may be missing, and so may the date behind
 * them. */
static bool read_numbers(const char *at, machine_rates *r)
{
    double value[NUMBERS] = {0};
    char *end;
    for (int n = 0; n < NUMBERS && (n < LEAST || *at); n++) {
        value[n] = strtod(at, &end);
        if (end == at || !isfinite(value[n]) || value[n] < 0 || value[n] > 1e18 ||
            (*end != '\t' && *end != 0 && *end != '\n'))
            return false;
        at = end + (*end == '\t');
    }
    if (value[0] <= 0 || value[5] > 1)
        return false;
    *r = (machine_rates){.memory = value[0],
                         .last_cache = value[1],
                         .core_cache = value[2],
                         .f32 = value[3],
                         .f64 = value[4],
                         .launch = value[5],
                         .link = {value[6], value[7]},
                         .staged = {value[8], value[9]},
                         .measured = true};
    (void)snprintf(r->date, sizeof r->date, "%.*s", (int)strspn(at, "0123456789-"), at);
    return true;
}

pav_status rates_load(const char *machine, int threads, machine_rates *r)
{
    char path[WISDOM_PATH], key[WISDOM_NAME + 16], *bytes, *rest = NULL;
    int64_t length;
    *r = (machine_rates){0};
    put_key(machine, threads, key);
    if (!rates_path(path) || access(path, F_OK) != 0)
        return PAV_OK;
    TRY(file_read_ordinary(path, MOST_BYTES, &bytes, &length));
    for (char *line = strtok_r(bytes, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        if (strncmp(line, key, strlen(key)) == 0 && !read_numbers(line + strlen(key), r))
            *r = (machine_rates){0};
    mem_free(bytes);
    return PAV_OK;
}

/* Copies all lines except the key's. */
static void copy_others(const char *path, const char *key, text *t)
{
    char *bytes, *rest = NULL;
    int64_t length;
    if (access(path, F_OK) != 0 ||
        file_read_ordinary(path, MOST_BYTES, &bytes, &length) != PAV_OK)
        return;
    for (char *line = strtok_r(bytes, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        if (strncmp(line, key, strlen(key)) != 0)
            text_add(t, "%s\n", line);
    mem_free(bytes);
}

static pav_status write_all(const char *path, const text *t)
{
    char made[WISDOM_PATH + 32];
    (void)snprintf(made, sizeof made, "%s.%ld", path, (long)getpid());
    FILE *file = file_write(made, false);
    bool written = file &&
                   fwrite(t->data, 1, (size_t)t->length, file) == (size_t)t->length;
    written = file && fclose(file) == 0 && written;
    if (written && rename(made, path) == 0)
        return PAV_OK;
    (void)unlink(made);
    return FAIL(PAV_EIO, "rates of this machine cannot be kept in %s", path);
}

pav_status rates_keep(const char *machine, int threads, const machine_rates *r)
{
    char path[WISDOM_PATH], key[WISDOM_NAME + 16], directory[WISDOM_PATH];
    text t = {0};
    if (!rates_path(path))
        return FAIL(PAV_EIO, "there is no place to keep rates in: PAV_WISDOM names one");
    (void)snprintf(directory, sizeof directory, "%s", path);
    char *slash = strrchr(directory, '/');
    if (slash && slash != directory) {
        *slash = 0;
        TRY(directory_make(directory));
    }
    put_key(machine, threads, key);
    copy_others(path, key, &t);
    text_add(&t, "%s%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%s\n",
             key, r->memory, r->last_cache, r->core_cache, r->f32, r->f64, r->launch,
             r->link.alone, r->link.busy, r->staged.alone, r->staged.busy, r->date);
    const pav_status status = t.failed ? PAV_ENOMEM : write_all(path, &t);
    text_free(&t);
    return status;
}
