/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps go on while files are written. The linker sends calls of series_add here
 * (link.cmake). */
#include "finished.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

static bool held;
static sem_t leave; /* to write one file */
static atomic_int written;
static atomic_bool in_vain; /* none came in 100 s: somebody waits for the file instead */

extern __typeof__(series_add) __real_series_add, __wrap_series_add;

pav_status __wrap_series_add(series *s, const io_frame *f, text *path)
{
    struct timespec end;
    if (held && !in_vain) {
        (void)clock_gettime(CLOCK_REALTIME, &end);
        end.tv_sec += 100;
        in_vain = sem_timedwait(&leave, &end) != 0;
    }
    written++;
    return __real_series_add(s, f, path);
}

TEST(steps_are_taken_while_the_first_of_their_files_is_being_written)
{
    enum { STEPS = 20 };
    begun b;
    held = sem_init(&leave, 0, 0) == 0;
    begin_in_folder("grid x 8, y 8\nfield u = x\nu' = u + 1\nborder u = 0\nsteps 20\n"
                    "output u every 1 into \"u.npy\"",
                    &b);
    REQUIRE_OK(pav_run_steps(b.run, STEPS));
    CHECK_EQ(pav_run_step(b.run), STEPS);
    CHECK_EQ(written, 0);
    for (int n = 0; n <= STEPS; n++)
        (void)sem_post(&leave);
    REQUIRE_OK(pav_run_finish(b.run));
    CHECK_EQ(written, STEPS + 1);
    CHECK(!in_vain);
    close_begun(&b);
    for (int n = 0; n <= STEPS; n++) {
        char name[32];
        int64_t length;
        (void)snprintf(name, sizeof name, "u-%06d.npy", n);
        (void)folder_take(name, &length);
        CHECK_EQ(length, 128 + 64 * 8);
    }
}
