/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds a description from the stencil options of `pavior gen`: neighbours (relative
 * coordinates with weights), spacing, right side f(x), precision. From there on it is
 * treated like any other description. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen_stencil.h"

enum { MOST_NEIGHBOURS = 512, LETTERS = 3 };

typedef struct neighbours {
    int dim, count;
    int at[MOST_NEIGHBOURS][LETTERS];
} neighbours;

/* ---- reading ----------------------------------------------------------------------- */

/* Reads the numbers of "-1,0"; returns their count, 0 for none or too many. */
static int read_offsets(const char **at, int offset[LETTERS])
{
    int count = 0;
    for (;;) {
        char *end;
        const long value = strtol(*at, &end, 10);
        if (end == *at || value < -64 || value > 64 || count == LETTERS)
            return 0;
        offset[count++] = (int)value;
        *at = end;
        if (**at != ',')
            return **at == ' ' || !**at ? count : 0;
        (*at)++;
    }
}

static int read_neighbours(const char *text, neighbours *n)
{
    const char *at = text + strspn(text, " ");
    *n = (neighbours){0};
    while (*at && n->count < MOST_NEIGHBOURS) {
        const char *word = at;
        const int dim = read_offsets(&at, n->at[n->count]);
        if (dim == 0 || (n->dim > 0 && dim != n->dim))
            return usage_error(&gen_command,
                               "--neighbours takes relative coordinates, one to three "
                               "whole numbers from -64 to 64 each, as in \"-1,0 1,0 0,-1 "
                               "0,1\", not '%s'",
                               word);
        n->dim = dim;
        n->count++;
        at += strspn(at, " ");
    }
    if (n->count == 0 || *at)
        return usage_error(&gen_command, "--neighbours takes 1 to %d of them",
                           MOST_NEIGHBOURS);
    return EXIT_DONE;
}

static int words_in(const char *text)
{
    int count = 0;
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        text += strcspn(text, " ");
        count++;
    }
    return count;
}

/* The nth word of a list; a single word serves for every n. */
static void put_word(FILE *to, const char *list, int n)
{
    const int last = words_in(list) == 1 ? 0 : n;
    const char *at = list + strspn(list, " ");
    for (int k = 0; k < last; k++) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    fprintf(to, "%.*s", (int)strcspn(at, " "), at);
}

/* ---- writing ----------------------------------------------------------------------- */

/* "200" or "200,100" */
static int put_grid(FILE *to, const stencil_options *s, int dim)
{
    const char *at = s->size ? s->size : "100";
    int64_t extent = 0;
    for (int axis = 0; axis < dim; axis++) {
        char word[24];
        snprintf(word, sizeof word, "%.*s", (int)(strcspn(at, ",") % sizeof word), at);
        if ((axis == 0 || *at) && !number_read("size", word, 1, INT64_MAX, &extent))
            return EXIT_USAGE;
        fprintf(to, "%s%c %lld", axis ? ", " : "grid ", "xyz"[axis], (long long)extent);
        at += strcspn(at, ",");
        at += *at == ',';
    }
    if (*at)
        return usage_error(&gen_command, "--size has more numbers than --neighbours");
    fprintf(to, "%s%s\n", s->spacing ? " spacing " : "", s->spacing ? s->spacing : "");
    return EXIT_DONE;
}

static void put_sum(FILE *to, const stencil_options *s, const neighbours *n)
{
    fprintf(to, "u' = ");
    for (int k = 0; k < n->count; k++) {
        fprintf(to, "%s(", k ? " + " : "");
        if (s->weights)
            put_word(to, s->weights, k);
        else
            fprintf(to, "1/%d", n->count);
        fprintf(to, ")*u[");
        for (int axis = 0; axis < n->dim; axis++)
            fprintf(to, "%s%d", axis ? ", " : "", n->at[k][axis]);
        fprintf(to, "]");
    }
    if (s->f)
        fprintf(to, " + (%s)*(%s)", s->f_weight ? s->f_weight : "h^2/4", s->f);
    fprintf(to, "\n");
}

static int put_all(FILE *to, const stencil_options *s, const neighbours *n)
{
    if (put_grid(to, s, n->dim) != EXIT_DONE)
        return EXIT_USAGE;
    fprintf(to, "real %s\nfield u = %s\n", s->precision ? s->precision : "f32",
            s->start ? s->start : "0");
    put_sum(to, s, n);
    fprintf(to, "border u = %s\noutput u into \"u.npy\"\nsteps %s\n",
            s->border ? s->border : "0", s->steps ? s->steps : "1000");
    return EXIT_DONE;
}

int stencil_describe(const stencil_options *s, char **description)
{
    neighbours n;
    size_t length = 0;
    *description = NULL;
    if (read_neighbours(s->neighbours, &n) != EXIT_DONE)
        return EXIT_USAGE;
    const int weights = s->weights ? words_in(s->weights) : 1;
    if (weights != 1 && weights != n.count)
        return usage_error(&gen_command,
                           "--weights takes one number, or one for each of the %d "
                           "neighbours, not %d",
                           n.count, weights);
    FILE *to = open_memstream(description, &length);
    if (!to)
        return usage_error(&gen_command, "memory ran out");
    const int code = put_all(to, s, &n);
    if (fclose(to) == 0 && code == EXIT_DONE)
        return EXIT_DONE;
    free(*description);
    *description = NULL;
    return code == EXIT_DONE ? usage_error(&gen_command, "memory ran out") : code;
}
