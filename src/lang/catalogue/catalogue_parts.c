/* SPDX-License-Identifier: BSD-3-Clause */
/* catalogue_parts.c: the text of a chosen program. Between the grid and the steps stands
 * the body of the entry, with each $word replaced.
 *
 * The weights of means are whole numbers of billionths and add up to exactly one, half of
 * it at the centre. Values therefore stay within the range of the initial values. */
#include <string.h>

#include "lang/lang_private.h"

enum { BILLION = 1000000000, WEIGHTS_A_LINE = 6 };

/* Weight i of n neighbours, in billionths; all weights differ. */
static int64_t distinct_weight(int64_t i, int64_t n)
{
    const int64_t mean = BILLION / 2 / n;
    return mean / 2 + mean * (n - i) / (n + 1);
}

static void write_billionths(text *t, int64_t weight)
{
    text_add_double(t, (double)weight / BILLION);
}

static void write_neighbour(text *t, int dim, int axis, int distance, int64_t weight)
{
    text_add(t, "[");
    for (int a = 0; a < dim; a++)
        text_add(t, "%s%d", a > 0 ? "," : "", a == axis ? distance : 0);
    text_add(t, "] ");
    write_billionths(t, weight);
}

/* Weights for the neighbours ring by ring outwards; equal within a ring if symmetric. */
static void write_star(const catalogue_word *w, text *t)
{
    const int dim = w->entry->dim, radius = (int)catalogue_value(w, "r");
    const bool symmetric = catalogue_value(w, "c") > 0;
    const int64_t arms = 2 * dim, n = arms * radius;
    int64_t centre = BILLION;
    text_add(t, "stencil s {\n");
    for (int64_t i = 0; i < n; i++) {
        const int64_t weight = distinct_weight(symmetric ? i - i % arms : i, n);
        const int distance = (int)(i / arms) + 1, arm = (int)(i % arms);
        text_add(t, "    ");
        write_neighbour(t, dim, arm / 2, arm % 2 ? -distance : distance, weight);
        text_add(t, "\n");
        centre -= weight;
    }
    text_add(t, "    ");
    write_neighbour(t, dim, 0, 0, centre);
    text_add(t, "\n}");
}

static void write_box(const catalogue_word *w, text *t)
{
    const int64_t side = 2 * (int64_t)catalogue_value(w, "r") + 1;
    const int64_t n = side * side * (w->entry->dim > 2 ? side : 1) - 1;
    int64_t centre = BILLION;
    for (int64_t i = 0; i < n; i++)
        centre -= distinct_weight(i, n);
    text_add(t, "stencil s {\n    box ");
    for (int64_t i = 0; i <= n; i++) {
        const bool before = i < n / 2;
        if (i > 0)
            text_add(t, i % WEIGHTS_A_LINE ? ", " : ",\n        ");
        write_billionths(t, i == n / 2 ? centre : distinct_weight(before ? i : i - 1, n));
    }
    text_add(t, "\n}");
}

/* One step of heat conduction. fe: the stiffness matrix of trilinear cubes. fd: the
 * isotropic operator; its leading error is h^2/12 times the Laplacian of the
 * Laplacian. */
static const char *const presets[] = {
    "centre $c0; face $c1; edge $c2; corner $c3",
    "centre 1 - 0.8/3; face 0; edge 0.1/6; corner 0.1/12",
    "centre 1 - 12.8/30; face 1.4/30; edge 0.3/30; corner 0.1/30",
};

static void write_template(const catalogue_word *w, const char *at, text *t);

static void write_classes(const catalogue_word *w, text *t)
{
    text_add(t, "stencil s { ");
    write_template(w, presets[(int)catalogue_value(w, "preset")], t);
    text_add(t, " }");
}

static void write_layer(const catalogue_word *w, text *t)
{
    const int cells = (int)catalogue_value(w, "absorb");
    if (cells > 0)
        text_add(t, "absorb %d cells%s", cells,
                 catalogue_value(w, "layer") > 0 ? " by pml" : "");
}

typedef struct part {
    const char *name;
    void (*write)(const catalogue_word *w, text *t);
} part;

static const part parts[] = {
    {"star", write_star},
    {"box", write_box},
    {"classes", write_classes},
    {"layer", write_layer},
    {"lattice", catalogue_write_lattice},
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Writes the replacement of `$word`. */
static void write_word(const catalogue_word *w, const char *word, size_t length, text *t)
{
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (strlen(parts[i].name) == length && memcmp(parts[i].name, word, length) == 0) {
            parts[i].write(w, t);
            return;
        }
    for (int i = 0; i < MAX_KEYS && w->entry->key[i].name; i++) {
        const char *const name = w->entry->key[i].name;
        if (strlen(name) == length && memcmp(name, word, length) == 0)
            text_add_double(t, w->value[i]);
    }
}

static void write_template(const catalogue_word *w, const char *at, text *t)
{
    while (*at) {
        const size_t plain = strcspn(at, "$");
        text_add_bytes(t, at, (int64_t)plain);
        at += plain;
        if (*at == '$') {
            size_t length = 0;
            while (is_letter(at[1 + length]))
                length++;
            write_word(w, at + 1, length, t);
            at += 1 + length;
        }
    }
}

void catalogue_write(const catalogue_word *w, text *t)
{
    text_add(t, "# %s: %s\ngrid ", w->entry->name, w->entry->about);
    for (int axis = 0; axis < w->entry->dim; axis++)
        text_add(t, "%s%c %lld", axis > 0 ? ", " : "", "xyz"[axis],
                 (long long)w -> extent[axis]);
    text_add(t, "%s\nreal %s\n", w->entry->spacing, pav_type_name(w->real));
    write_template(w, w->entry->body, t);
    text_add(t, "steps %.0f\n", w->steps);
}
