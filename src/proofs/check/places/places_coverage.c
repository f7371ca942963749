/* SPDX-License-Identifier: BSD-3-Clause */
/* Coverage of random places: counts, for each pair of features, places and schedules, the
 * programs compared with both. Pairs excluded by a refusal are named. */
#include <stdio.h>
#include <string.h>

#include "check/places/places_private.h"

static const char *element_words(int n)
{
    static const char *const words[ELEMENTS] = {
#define X(name, words) words,
        FEATURE_LIST(X) PLACE_LIST(X) SCHEDULE_LIST(X)
#undef X
    };
    return words[n];
}

static int group_of(int n)
{
    return n < FIRST_PLACE ? 0 : n < FIRST_SCHEDULE ? 1 : 2;
}

/* A refusal: some of its words, and the pairs of elements excluded by it: each element of
 * `first` with each element of `second`. Only these pairs count as refused. The program
 * has other elements, too, and the refusal says nothing about them. */
typedef struct cause {
    const char *words;
    element first[8], second[8]; /* 0, which is ELEMENT_LINE, ends a list */
} cause;

#define CUTS ELEMENT_CUT_X, ELEMENT_CUT_Y, ELEMENT_CUT_Z
#define WIDE ELEMENT_WIDE_2, ELEMENT_WIDE_4
#define TRACES ELEMENT_TRACE, ELEMENT_TRACES, ELEMENT_TRACE_TIMES
#define FUSED ELEMENT_CPU_TIME, ELEMENT_DIAMOND, ELEMENT_GPU_TIME, ELEMENT_PERSISTENT
#define PERIODIC                                                                         \
    ELEMENT_PERIODIC_ONE, ELEMENT_PERIODIC_TWO, ELEMENT_PERIODIC_ALL,                    \
        ELEMENT_PERIODIC_LAST

static const cause causes[] = {
    {"subdomains exchange halos", {ELEMENT_PERSISTENT}, {CUTS, WIDE, ELEMENT_RANKS}},
    {"halos are exchanged after each step", {FUSED}, {CUTS, ELEMENT_LIST, ELEMENT_RANKS}},
    {"persistent blocks keep all", {ELEMENT_PERSISTENT}, {ELEMENT_VISITS, ELEMENT_DISK}},
    {"coarse grids", {ELEMENT_COARSE}, {WIDE, FUSED}},
    {"reads another grid", {ELEMENT_COARSE}, {ELEMENT_TWO_PASS}},
    {"reads across two grids", {ELEMENT_COARSE}, {FUSED}},
    {"there are injections", {PERIODIC, TRACES, ELEMENT_INJECT}, {WIDE}},
    {"knows where a point is", {PERIODIC, ELEMENT_COORDINATE}, {WIDE}},
    {"folds all points into one value", {ELEMENT_REDUCTION}, {FUSED, WIDE}},
    {"solves an equation", {ELEMENT_EQUATION, ELEMENT_TRANSFORM}, {FUSED, WIDE}},
    {"goes along a whole axis", {ELEMENT_ALONG, ELEMENT_AT_ONCE}, {FUSED, WIDE}},
    {"an equation is solved",
     {ELEMENT_EQUATION, ELEMENT_TRANSFORM},
     {ELEMENT_VISITS, ELEMENT_DISK}},
    {"injected step by step", {TRACES}, {FUSED, ELEMENT_VISITS}},
    {"too thin", {ELEMENT_ONE_POINT, ELEMENT_SHORT}, {CUTS, WIDE, ELEMENT_LIST}},
    {"they would be thinner", {ELEMENT_ONE_POINT, ELEMENT_SHORT}, {CUTS, WIDE}},
    {"no neighbours in a plane", {ELEMENT_POINTWISE}, {ELEMENT_TWO_PASS}},
    {"point along", {ELEMENT_ONE_POINT}, {FUSED, ELEMENT_VISITS, ELEMENT_DISK}},
};

/* These explain a pair of a line and the second element. */
static const cause of_lines[] = {
    {"no planes to stream",
     .second = {ELEMENT_SWEEP, ELEMENT_SWEEP_PLAIN, ELEMENT_TWO_PASS}},
    {"has a grid of one dimension", .second = {ELEMENT_DISK}},
    {"only axis wraps around", .second = {FUSED}},
    {"a grid of one dimension has no", .second = {FUSED}},
};

static bool is_among(const element *list, int n)
{
    for (int k = 0; k < 8 && list[k] != ELEMENT_LINE; k++)
        if (list[k] == (element)n)
            return true;
    return false;
}

/* True if the sentence of a refusal says that a and b cannot be together. */
static bool explains(const char *why, int a, int b)
{
    for (size_t k = 0; k < COUNT_OF(causes); k++) {
        const cause *c = &causes[k];
        if (strstr(why, c->words) && ((is_among(c->first, a) && is_among(c->second, b)) ||
                                      (is_among(c->first, b) && is_among(c->second, a))))
            return true;
    }
    for (size_t k = 0; k < COUNT_OF(of_lines); k++)
        if (a == ELEMENT_LINE && strstr(why, of_lines[k].words) &&
            is_among(of_lines[k].second, b))
            return true;
    return false;
}

void coverage_add(coverage *c, places_outcome outcome, const element_set *set,
                  const char *why)
{
    const bool refused = outcome == PLACES_REFUSED;
    for (int a = 0; a < ELEMENTS; a++)
        for (int b = 0; set->has[a] && b < ELEMENTS; b++) {
            c->drawn[outcome][a][b] += set->has[b];
            if (refused && set->has[b] && explains(why, a, b) && c->refused[a][b]++ == 0)
                snprintf(c->why[a][b], SENTENCE, "%s", why);
        }
}

void coverage_join(coverage *c, const coverage *other)
{
    for (int a = 0; a < ELEMENTS; a++)
        for (int b = 0; b < ELEMENTS; b++) {
            for (int outcome = 0; outcome < PLACES_OUTCOMES; outcome++)
                c->drawn[outcome][a][b] += other->drawn[outcome][a][b];
            c->refused[a][b] += other->refused[a][b];
            if (!c->why[a][b][0])
                memcpy(c->why[a][b], other->why[a][b], SENTENCE);
        }
}

/* Schedules of absent devices do not count. */
static bool counts(int n, unsigned devices)
{
    if (n == ELEMENT_INTERPRETER)
        return devices & DEVICE_INTERPRETER;
    if (n >= ELEMENT_CPU_AUTO && n <= ELEMENT_DIAMOND)
        return devices & DEVICE_CPU;
    if (n >= ELEMENT_GPU_AUTO)
        return devices & (DEVICE_EMULATED | DEVICE_CUDA);
    if (n == ELEMENT_EARLY)
        return (devices & DEVICE_CPU) && !(devices & WITH_RANKS);
    if (n == ELEMENT_RANKS || (group_of(n) == 1 && (devices & WITH_RANKS)))
        return n == ELEMENT_RANKS && (devices & WITH_RANKS);
    return n != ELEMENT_LIST || are_several(devices);
}

/* A grid cannot be cut along a missing axis. The interpreter stands in for kernels of
 * processors alone, and not if time blocks are requested. */
static bool is_possible(int a, int b)
{
    const bool cut = a <= ELEMENT_PLANE && b >= ELEMENT_CUT_X && b <= ELEMENT_CUT_Z;
    const bool early = a == ELEMENT_EARLY;
    return !(cut && b - ELEMENT_CUT_X > a - ELEMENT_LINE) &&
           !(early && (b < ELEMENT_CPU_AUTO || b > ELEMENT_BLOCKS));
}

/* True if the elements belong to different groups, and a run could have both. */
static bool is_pair(int a, int b, unsigned devices)
{
    if ((devices & WITH_RANKS) && a != ELEMENT_RANKS && b != ELEMENT_RANKS)
        return false;
    return group_of(a) < group_of(b) && counts(a, devices) && counts(b, devices) &&
           is_possible(a, b);
}

static char mark(const coverage *c, int a, int b)
{
    const int64_t n = c->drawn[PLACES_EQUAL][a][b];
    if (n == 0)
        return c->drawn[PLACES_FAILED][a][b] ? 'F' : c->refused[a][b] ? 'r' : '.';
    return n < 10 ? (char)('0' + n) : n < 100 ? '+' : n < 1000 ? '*' : '#';
}

void coverage_table(const coverage *c, unsigned devices, text *t)
{
    text_add(t, "programs compared with both: 1 to 9; +: 10 and more; *: 100; #: 1000; "
                "F: failed; r: refused; .: none\n");
    char letter = 'A';
    for (int b = FIRST_PLACE; b < ELEMENTS; b++)
        if (counts(b, devices))
            text_add(t, "  %c %s\n", letter++, element_words(b));
    letter = 'A';
    for (int a = -1; a < FIRST_SCHEDULE; a++) { /* -1: the letters */
        if (a >= 0 && !counts(a, devices))
            continue;
        text_add(t, "%-24s", a < 0 ? "" : element_words(a));
        for (int b = FIRST_PLACE; b < ELEMENTS; b++) {
            if (b == FIRST_SCHEDULE)
                text_add(t, " ");
            if (counts(b, devices))
                text_add(t, " %c",
                         a < 0                    ? letter++
                         : is_pair(a, b, devices) ? mark(c, a, b)
                                                  : ' ');
        }
        text_add(t, "\n");
    }
}

static bool was_drawn(const coverage *c, int a, int b)
{
    return c->drawn[PLACES_EQUAL][a][b] || c->drawn[PLACES_FAILED][a][b];
}

bool coverage_wants(const coverage *a, const coverage *b, const element_set *set,
                    unsigned devices, int64_t tries)
{
    for (int m = 0; m < ELEMENTS; m++)
        for (int n = 0; set->has[m] && n < ELEMENTS; n++)
            if (set->has[n] && is_pair(m, n, devices) && !was_drawn(a, m, n) &&
                !was_drawn(b, m, n) && b->drawn[PLACES_REFUSED][m][n] < tries)
                return true;
    return false;
}

int64_t coverage_missing(const coverage *c, unsigned devices, text *t)
{
    int64_t missing = 0;
    for (int a = 0; a < ELEMENTS; a++)
        for (int b = 0; b < ELEMENTS; b++) {
            if (!is_pair(a, b, devices) || was_drawn(c, a, b) || c->refused[a][b])
                continue;
            missing++;
            text_add(t, "no program had both: %s, %s\n", element_words(a),
                     element_words(b));
        }
    return missing;
}

void coverage_refusals(const coverage *c, unsigned devices, text *t)
{
    for (int a = 0; a < ELEMENTS; a++)
        for (int b = 0; b < ELEMENTS; b++)
            if (is_pair(a, b, devices) && !was_drawn(c, a, b) && c->refused[a][b])
                text_add(t, "refused: %s, %s: %s\n", element_words(a), element_words(b),
                         c->why[a][b]);
}
