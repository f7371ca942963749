/* SPDX-License-Identifier: BSD-3-Clause */
/* Factors of a matrix that never changes: a run computes them in its first step, and
 * again if a caller changes fields or scalars. */
#include <string.h>

#include "kept.h"
#include "run/run_private.h"

enum { POINTS = 9 * 8 * 7 };

static const char *const forms[] = {"u along z", "u along y cyclic", "1 + u along x"};

/* `tail`: more lines. */
static void open_form(int form, const char *device, const char *tail,
                      const pav_run_options *options, begun *b)
{
    OWNED_BY(text_free) text t = {0};

    text_add(&t,
             "grid x 9, y 8, z 7\nfield k = 1 + 0.1*x*y*z; u = 1 + x\n"
             "u' = tridiagonal(-k, 4 + 2*k, -1, %s)\nsteps 6\n%s",
             forms[form], tail);
    REQUIRE(!t.failed);
    REQUIRE_OK(kept_open(t.data, device, options, b));
}

static double largest(begun *b)
{
    double u[POINTS], most = 0;

    REQUIRE_OK(pav_field_read(b->run, "u", 0, PAV_F64, u, POINTS));
    for (int n = 0; n < POINTS; n++)
        most = u[n] > most ? u[n] : most;
    return most;
}

/* The quotient is the second hidden field. With quotients of 0 the solution is 0. */
static void clear_quotients(begun *b)
{
    const double zeros[POINTS] = {0};
    int f = 0;

    while (f < b->run->code->fields && !b->run->code->field[f].rests)
        f++;
    REQUIRE(f + 1 < b->run->code->fields);
    REQUIRE_OK(run_bring_points(b->run, f + 1, 0, PAV_F64, (void *)(uintptr_t)zeros));
}

TEST(steps_after_the_first_read_the_stored_factors)
{
    static const char *const device[] = {"interpreter", "cpu", "emulated"};

    for (int form = 0; form < 3; form++)
        for (int way = 0; way < 6; way++) {
            begun b;
            const pav_run_options options = {.no_files = 1,
                                             .subdomains = way < 3 ? NULL : "2x2x2"};
            open_form(form, device[way % 3], "", &options, &b);
            REQUIRE_OK(pav_run_steps(b.run, 2));
            clear_quotients(&b);
            REQUIRE_OK(pav_run_steps(b.run, 1)); /* the change is seen */
            CHECK(largest(&b) > 0);
            clear_quotients(&b);
            b.run->part->steady = 3; /* the change stays secret */
            REQUIRE_OK(pav_run_steps(b.run, 1));
            CHECK(!(largest(&b) > 0));
            close_begun(&b);
        }
}
