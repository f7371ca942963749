/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorted lines of wisdom, one for each problem. */
#include <math.h>
#include <string.h>

#include "wisdom/wisdom.h"

const char *const wisdom_efforts[EFFORTS] = {
    [EFFORT_ESTIMATE] = "estimate",
    [EFFORT_MEASURE] = "measure",
    [EFFORT_PATIENT] = "patient",
    [EFFORT_EXHAUSTIVE] = "exhaustive",
};

void wisdom_free(wisdom *w)
{
    mem_free(w->line);
    *w = (wisdom){0};
}

/* Compares two problems without their sizes. */
static int by_program(const wisdom_line *a, const wisdom_line *b)
{
    int order = (a->program > b->program) - (a->program < b->program);
    order = order ? order : int_compare(a->dim, b->dim);
    order = order ? order : int_compare(a->real, b->real);
    order = order ? order : strcmp(a->machine, b->machine);
    order = order ? order : strcmp(a->compiler, b->compiler);
    return order ? order : strcmp(a->version, b->version);
}

static int by_problem(const wisdom_line *a, const wisdom_line *b)
{
    int order = by_program(a, b);
    for (int axis = 0; axis < MAX_DIM; axis++)
        order = order ? order : int_compare(a->extent[axis], b->extent[axis]);
    return order;
}

/* Place of the first line equal to or behind the key. */
static int64_t place_of(const wisdom *w, const wisdom_line *key)
{
    int64_t lo = 0, hi = w->count;
    while (lo < hi) {
        const int64_t middle = lo + (hi - lo) / 2;
        if (by_problem(&w->line[middle], key) < 0)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static bool is_better(const wisdom_line *a, const wisdom_line *b)
{
    return a->effort > b->effort || (a->effort == b->effort && a->gpts > b->gpts);
}

static pav_status make_room(wisdom *w)
{
    const int64_t most = w->capacity > 0 ? 2 * w->capacity : 16;
    if (w->count < w->capacity)
        return PAV_OK;
    wisdom_line *room = mem_grow(w->line, most, sizeof *room);
    if (!room)
        return PAV_ENOMEM;
    w->line = room;
    w->capacity = most;
    return PAV_OK;
}

pav_status wisdom_add(wisdom *w, const wisdom_line *line, bool *taken)
{
    const int64_t at = place_of(w, line);
    const bool known = at < w->count && by_problem(&w->line[at], line) == 0;
    *taken = !known || is_better(line, &w->line[at]);
    if (known && *taken)
        w->line[at] = *line;
    if (known)
        return PAV_OK;
    if (w->count == WISDOM_MOST_LINES)
        return FAIL(PAV_ELIMIT,
                    "wisdom has %d lines, which is the most: `pavior wisdom forget` "
                    "makes room",
                    WISDOM_MOST_LINES);
    TRY(make_room(w));
    memmove(w->line + at + 1, w->line + at, (size_t)(w->count - at) * sizeof *w->line);
    w->line[at] = *line;
    w->count++;
    return PAV_OK;
}

pav_status wisdom_renew(wisdom *w, const wisdom_line *line, bool *taken)
{
    const int64_t at = place_of(w, line);
    const bool known = at < w->count && by_problem(&w->line[at], line) == 0;
    if (known && w->line[at].effort == line->effort)
        w->line[at].gpts = 0;
    return wisdom_add(w, line, taken);
}

const wisdom_line *wisdom_find(const wisdom *w, const wisdom_line *key)
{
    const int64_t at = place_of(w, key);
    return at < w->count && by_problem(&w->line[at], key) == 0 ? &w->line[at] : NULL;
}

/* Ratio of extents along all axes, in logarithms. */
static double distance(const wisdom_line *a, const wisdom_line *b)
{
    double sum = 0;
    for (int axis = 0; axis < MAX_DIM; axis++)
        sum += fabs(log((double)a->extent[axis] / (double)b->extent[axis]));
    return sum;
}

/* True if two problems differ only in size, borders or compiler. */
static bool is_alike(const wisdom_line *a, const wisdom_line *b)
{
    return strcmp(a->name, b->name) == 0 && a->dim == b->dim && a->real == b->real &&
           strcmp(a->machine, b->machine) == 0 && strcmp(a->version, b->version) == 0;
}

static bool is_same_program(const wisdom_line *a, const wisdom_line *b)
{
    return by_program(a, b) == 0;
}

typedef bool relation(const wisdom_line *a, const wisdom_line *b);
static const wisdom_line *nearest_of(const wisdom *w, const wisdom_line *key,
                                     relation *fits)
{
    const wisdom_line *found = NULL;
    for (int64_t n = 0; n < w->count; n++)
        if (fits(&w->line[n], key) &&
            (!found || distance(&w->line[n], key) < distance(found, key)))
            found = &w->line[n];
    return found;
}

const wisdom_line *wisdom_nearest(const wisdom *w, const wisdom_line *key)
{
    const wisdom_line *same = nearest_of(w, key, is_same_program);
    return same ? same : nearest_of(w, key, is_alike);
}
