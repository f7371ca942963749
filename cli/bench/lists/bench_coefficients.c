/* SPDX-License-Identifier: BSD-3-Clause */
/* bench coefficients: the cost of storing an operator's coefficients, one for each of its
 * 7 or 25 points. They are literals of the kernel; or scalars, variable between steps, in
 * each possible memory of a GPU; or fields, and then their bytes are part of the
 * bound. */
#include <stdio.h>
#include <string.h>

#include "bench_list.h"

/* place: value of `coefficients=`, or NULL; few: only for the smaller operator. */
static const struct source {
    const char *name, *word, *place;
    int fields; /* maximum number of coefficients in fields */
    bool few, on_host;
} sources[] = {
    {"literals", "param", NULL, 0, false, true},
    {"argument", "scalar", "argument", 0, false, true},
    {"constant", "scalar", "constant", 0, false, false},
    {"global", "scalar", "global", 0, false, false},
    {"shared", "scalar", "shared", 0, false, false},
    {"field", "param", NULL, 1, false, true},
    {"fields", "param", NULL, 7, true, true},
};
enum { SOURCES = sizeof sources / sizeof *sources, DESCRIPTION = 4096 };

/* Appends point n of the star, such as "u[0,-3,0]"; point 0 is the centre. */
static void add_point(char *text, int n)
{
    int offset[3] = {0, 0, 0};
    if (n > 0)
        offset[(n - 1) % 6 / 2] = (n % 2 ? 1 : -1) * ((n - 1) / 6 + 1);
    sprintf(text + strlen(text), "%s c%d*u[%d,%d,%d]", n > 0 ? " +" : "", n, offset[0],
            offset[1], offset[2]);
}

static void describe(const struct source *s, int points, int64_t size, const char *type,
                     char *text)
{
    const long long n = size;
    const int middle = points / 2;
    sprintf(text, "grid x %lld, y %lld, z %lld\nreal %s\nfield u = random(1)\n", n, n, n,
            type);
    for (int k = 0; k < points; k++) {
        char *end = text + strlen(text);
        if (k < s->fields)
            sprintf(end, "field c%d = (0.5 + random(%d))/%d\n", k, k + 2, points);
        else
            sprintf(end, "%s c%d = %.6g\n", s->word, k,
                    (1 + 0.01 * (k - middle)) / points);
    }
    strcat(text, "u' =");
    for (int k = 0; k < points; k++)
        add_point(text, k);
    strcat(text, "\nborder u = 0\n");
}

/* The schedule is that of --schedule for all sources, with a different place of the
 * coefficients. */
static void name_way(const bench *b, const struct source *s, char way[BENCH_WORD])
{
    const char *wanted = b->how.schedule ? b->how.schedule : "sweep";
    if (s->place)
        snprintf(way, BENCH_WORD, "%s%ccoefficients=%s", wanted,
                 strchr(wanted, ':') ? ',' : ':', s->place);
    else
        snprintf(way, BENCH_WORD, "%s", wanted);
}

static int one_source(bench *b, const struct source *s, int points, int64_t size,
                      const char *type)
{
    char word[BENCH_WORD], way[BENCH_WORD], description[DESCRIPTION];
    const char *wanted = b->how.schedule;
    if ((!bench_on_gpu(b) && !s->on_host) || (s->few && points > s->fields))
        return EXIT_DONE;
    snprintf(word, sizeof word, "coefficients:%s,points=%d", s->name, points);
    bench_add_grid(word, 3, size, type);
    describe(s, points, size, type, description);
    name_way(b, s, way);
    b->how.schedule = bench_on_gpu(b) ? way : wanted;
    const int code = bench_item(b, word, description);
    b->how.schedule = wanted;
    return code;
}

static int coefficients(bench *b)
{
    static const char *const types[] = {"f32", "f64"};
    static const int points[] = {7, 25};
    const int64_t largest = b->size[b->sizes - 1];
    const int64_t size = b->sized || largest < 512 ? largest : 512;
    int code = EXIT_DONE;
    for (int n = 0; n < 2; n++)
        for (int k = 0; k < SOURCES; k++)
            for (int type = 0; type < 2 && code == EXIT_DONE; type++)
                code = one_source(b, &sources[k], points[n], size, types[type]);
    return code;
}

const bench_kind bench_coefficients = {
    .name = "coefficients",
    .about = "7 and 25 points whose numbers are literals, scalars or fields",
    .run = coefficients,
    .one_size = true,
};
