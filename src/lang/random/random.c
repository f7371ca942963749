/* SPDX-License-Identifier: BSD-3-Clause */
/* random.c: a random program, statement by statement. Names are declared before their
 * use. The initial values of older levels come last, because they follow from the reads
 * of all other statements. */
#include "lang/lang_private.h"

static void draw_steps(sketch *s, text *t)
{
    text_add(t, "steps %d", 1 + pick(s, 4));
    text_add(t, "%s", chance(s, 4) ? "; " : "\n");
}

static void (*const parts[])(sketch *s, text *t) = {
    draw_real,     draw_values,   draw_fields,       draw_reduced_values,
    draw_lets,     draw_stencils, draw_equations,    draw_steps,
    draw_borders,  draw_mask,     draw_injections,   draw_older,
    draw_measures, draw_files,    draw_expectations,
};

void random_program(rng *r, int64_t points_at_most, text *t)
{
    sketch s = {.rng = r};
    if (chance(&s, 4))
        text_add(t, "# drawn at random\n");
    draw_grid(&s, points_at_most, t);
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        parts[i](&s, t);
}
