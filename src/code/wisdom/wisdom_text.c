/* SPDX-License-Identifier: BSD-3-Clause */
/* Wisdom as text: a head, a line of columns for each problem, and a last line with their
 * number, so truncated files are detected. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wisdom/wisdom.h"

#define HEAD "pavior wisdom 1"
enum {
    PROGRAM,
    NAME,
    GRID,
    TYPE,
    MACHINE,
    COMPILER,
    VERSION,
    SCHEDULE,
    RATE,
    EFFORT,
    DATE,
    COLUMNS
};
static const char *const titles[COLUMNS] = {
    "program", "name",     "grid",   "type",   "machine", "compiler",
    "pavior",  "schedule", "Gpts/s", "effort", "date",
};

void wisdom_put(char to[WISDOM_NAME], const char *from)
{
    (void)snprintf(to, WISDOM_NAME, "%s", from);
    for (char *at = to; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 127)
            *at = '_';
    while (!text_is_utf8(to, (int64_t)strlen(to)))
        to[strlen(to) - 1] = 0;
}

/* ---- printed ----------------------------------------------------------------------- */

void wisdom_print(const wisdom *w, text *t)
{
    text_add(t, HEAD "\n#");
    for (int k = 0; k < COLUMNS; k++)
        text_add(t, "%s%s", k ? "\t" : "", titles[k]);
    text_add(t, "\n");
    for (int64_t n = 0; n < w->count; n++) {
        text_add(t, "%016llx\t%s\t", (unsigned long long)w->line[n].program,
                 w->line[n].name);
        text_add_extent(t, w->line[n].dim, w->line[n].extent);
        text_add(t, "\t%s\t%s\t%s\t%s\t%s\t%.4g\t%s\t%s\n",
                 pav_type_name(w->line[n].real), w->line[n].machine, w->line[n].compiler,
                 w->line[n].version, w->line[n].schedule, w->line[n].gpts,
                 wisdom_efforts[w->line[n].effort], w->line[n].date);
    }
    text_add(t, "end %lld\n", (long long)w->count);
}

/* ---- read -------------------------------------------------------------------------- */

static bool take_number(const char *word, uint64_t *number)
{
    char *end;
    if (strlen(word) != 16 || strspn(word, "0123456789abcdef") != 16)
        return false;
    *number = strtoull(word, &end, 16);
    return !*end;
}

static bool take_grid(const char *word, wisdom_line *l)
{
    const char *at = word;
    for (int axis = 0; axis < MAX_DIM; axis++)
        l->extent[axis] = 1;
    for (l->dim = 0; l->dim < MAX_DIM; at++) {
        char *end;
        if (*at < '1' || *at > '9')
            return false;
        errno = 0;
        l->extent[l->dim++] = strtoll(at, &end, 10);
        at = end;
        if (errno != 0 || *at != 'x')
            break;
    }
    return errno == 0 && !*at;
}

static bool take_rate(const char *word, double *rate)
{
    char *end;
    *rate = strtod(word, &end);
    return *word >= '0' && *word <= '9' && !*end && *rate > 0 &&
           *rate <= machine_most_gpts;
}

/* True without control characters; some of them have two bytes in UTF-8. */
static bool is_printable(const char *word)
{
    for (const unsigned char *at = (const unsigned char *)word; *at; at++)
        if (*at < ' ' || *at == 127 || (*at == 0xc2 && at[1] < 0xa0))
            return false;
    return true;
}

static bool take_text(const char *word, size_t room, char *to)
{
    const size_t length = strlen(word);
    if (length == 0 || length >= room || !is_printable(word))
        return false;
    memcpy(to, word, length + 1);
    return true;
}

static bool take_effort(const char *word, wisdom_effort *effort)
{
    for (int k = 0; k < EFFORTS; k++)
        if (strcmp(word, wisdom_efforts[k]) == 0) {
            *effort = (wisdom_effort)k;
            return true;
        }
    return false;
}

static bool is_day(int year, int month, int day)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return year >= 1970 && month >= 1 && month <= 12 && day >= 1 &&
           day <= days[month - 1] + (leap && month == 2);
}

static int number_at(const char *word)
{
    return (int)strtol(word, NULL, 10);
}

static bool take_date(const char *word, char to[WISDOM_NAME])
{
    static const char like[] = "dddd-dd-dd";
    for (size_t k = 0; k < sizeof like; k++) {
        if (like[k] == 'd' ? !(word[k] >= '0' && word[k] <= '9') : word[k] != like[k])
            return false;
    }
    return is_day(number_at(word), number_at(word + 5), number_at(word + 8)) &&
           take_text(word, WISDOM_NAME, to);
}

/* Accepts schedules of both kinds of devices; a run checks the kind later. *gone: this
 * version has an option no more. */
static bool take_schedule(const char *word, char to[WISDOM_SCHEDULE], bool *gone)
{
    char each[WISDOM_SCHEDULE];
    if (!take_text(word, WISDOM_SCHEDULE, to))
        return false;
    for (const char *at = word; at; at = strchr(at, ';') ? strchr(at, ';') + 1 : NULL) {
        const schedule_place cpu = {.name = "cpu"}, gpu = {.gpu = true, .name = "a GPU"};
        const size_t length = strcspn(at, ";");
        schedule s;
        memcpy(each, at, length);
        each[length] = 0;
        if (strcmp(each, "-") == 0)
            continue;
        const pav_status one = schedule_parse(each, cpu, &s);
        const pav_status other = one == PAV_OK ? one : schedule_parse(each, gpu, &s);
        *gone = *gone || one == PAV_EUNSUPPORTED || other == PAV_EUNSUPPORTED;
        if (other != PAV_OK && !*gone)
            return false;
    }
    return true;
}

static bool take_column(int column, const char *word, wisdom_line *l, bool *gone)
{
    switch (column) {
    case PROGRAM: return take_number(word, &l->program);
    case NAME: return take_text(word, sizeof l->name, l->name);
    case GRID: return take_grid(word, l);
    case TYPE: return type_from_name(word, strlen(word), &l->real);
    case MACHINE: return take_text(word, sizeof l->machine, l->machine);
    case COMPILER: return take_text(word, sizeof l->compiler, l->compiler);
    case VERSION: return take_text(word, sizeof l->version, l->version);
    case SCHEDULE: return take_schedule(word, l->schedule, gone);
    case RATE: return take_rate(word, &l->gpts);
    case EFFORT: return take_effort(word, &l->effort);
    default: return take_date(word, l->date);
    }
}

static pav_status refuse(const char *path, int64_t number, const char *why)
{
    return FAIL(PAV_EFORMAT,
                "%s:%lld: %s; none of its lines is used: mend or remove the file, or "
                "export it again with `pavior wisdom export`",
                path, (long long)number, why);
}

static pav_status take_line(char *line, const char *path, int64_t number, wisdom *w)
{
    wisdom_line l = {0};
    bool taken, gone = false;
    for (int k = 0; k < COLUMNS; k++) {
        char *end = line ? strchr(line, '\t') : NULL, why[64];
        if (!line || (k == COLUMNS - 1 && end))
            return refuse(path, number, "a line of wisdom has 11 columns");
        if (end)
            *end = 0;
        (void)snprintf(why, sizeof why, "the column %s cannot be read", titles[k]);
        if (!take_column(k, line, &l, &gone))
            return refuse(path, number, why);
        line = end ? end + 1 : NULL;
    }
    return gone ? PAV_OK : wisdom_add(w, &l, &taken);
}

static pav_status take_end(const char *line, const char *rest, const char *path,
                           int64_t number, int64_t lines)
{
    char *end;
    const long long count = strtoll(line + 4, &end, 10);
    return *end || count != lines
               ? refuse(path, number, "the last line counts other lines than there are")
           : *rest ? refuse(path, number, "something follows the last line")
                   : PAV_OK;
}

static pav_status take_lines(char *at, const char *path, wisdom *w)
{
    int64_t number = 1, lines = 0;
    while (at) {
        char *end = strchr(at, '\n');
        if (!end)
            return refuse(path, number, "the file was cut: its last line counts lines");
        *end = 0;
        if (number == 1 && strcmp(at, HEAD) != 0)
            return refuse(path, number, "this is no wisdom: it begins with `" HEAD "`");
        if (strncmp(at, "end ", 4) == 0)
            return take_end(at, end + 1, path, number, lines);
        if (number > 1 && *at != '#' && *at) {
            TRY(take_line(at, path, number, w));
            lines++;
        }
        number++;
        at = end + 1;
    }
    return PAV_OK;
}

pav_status wisdom_parse(const char *bytes, int64_t length, const char *path, wisdom *w)
{
    OWNED_BY(text_free) text copy = {0};
    *w = (wisdom){0};
    if (!text_is_utf8(bytes, length) || memchr(bytes, 0, (size_t)length))
        return refuse(path, 1, "this is no text");
    text_add_bytes(&copy, bytes, length);
    text_add_bytes(&copy, "", 1);
    const pav_status status = copy.failed ? PAV_ENOMEM : take_lines(copy.data, path, w);
    if (status != PAV_OK)
        wisdom_free(w);
    return status;
}
