/* SPDX-License-Identifier: BSD-3-Clause */
/* bench coefficients: where the numbers of a 7-point operator come from: they are constants of the kernel, arguments of
 * each call (scalars, which a caller may change between steps), or fields, which add their bytes to the bound. */
#include <stdio.h>

#include "bench.h"

#define SUM                                                                              \
    "u' = c0*u + c1*u[1,0,0] + c2*u[-1,0,0] + c3*u[0,1,0] + c4*u[0,-1,0] + c5*u[0,0,1] " \
    "+ "                                                                                 \
    "c6*u[0,0,-1]\nborder u = 0\n"
#define NUMBERS(word)                                                                    \
    word " c1 = 0.11; c2 = 0.09; c3 = 0.12; c4 = 0.08; c5 = 0.13; c6 = 0.07\n"

static const struct {
    const char *name, *numbers;
} places[] = {
    {"constants", "param c0 = 0.4\n" NUMBERS("param")},
    {"arguments", "scalar c0 = 0.4\n" NUMBERS("scalar")},
    {"field", "field c0 = 0.4 + 0.1*random(2)\n" NUMBERS("param")},
    {"fields", "field c0 = 0.3 + 0.1*random(2); c1 = 0.1*random(3); c2 = 0.1*random(4)\n"
               "field c3 = 0.1*random(5); c4 = 0.1*random(6); c5 = 0.1*random(7)\n"
               "field c6 = 0.1*random(8)\n"},
};
enum { PLACES = sizeof places / sizeof *places };

static int one_place(bench *b, int place, int64_t size, const char *type)
{
    char word[BENCH_WORD], description[1024];
    const long long n = size;
    snprintf(word, sizeof word, "coefficients:%s", places[place].name);
    bench_add_grid(word, 3, size, type);
    snprintf(description, sizeof description,
             "grid x %lld, y %lld, z %lld\nreal %s\nfield u = random(1)\n%s" SUM, n, n, n,
             type, places[place].numbers);
    return bench_item(b, word, description);
}

static int coefficients(bench *b)
{
    static const char *const types[] = {"f32", "f64"};
    const int64_t largest = b->size[b->sizes - 1];
    const int64_t size = b->sized || largest < 512 ? largest : 512;
    int code = EXIT_DONE;
    for (int place = 0; place < PLACES; place++)
        for (int type = 0; type < 2 && code == EXIT_DONE; type++)
            code = one_place(b, place, size, types[type]);
    return code;
}

const bench_kind bench_coefficients = {
    "coefficients", "7 points whose numbers are constants, arguments or fields",
    coefficients};
