/* SPDX-License-Identifier: BSD-3-Clause */
/* A run is killed at random moments, continues on another device with other threads, and
 * is killed again. At the end its files equal the files of an unbroken run, byte for
 * byte. */
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kept.h"

#ifdef __SANITIZE_THREAD__ /* everything is slower */
enum { KILLS = 10, FEW = 5 };
#else
enum { KILLS = 200, FEW = 40 };
#endif
enum { SOON = 40000 }; /* microseconds */

/* Runs killed many times, within a part of the total time: most lives reach the next
 * checkpoint, few reach much farther. A small checkpoint is one write, a large one is
 * hundreds of writes. */
static const struct trial {
    int nx, ny, steps, every, kills, parts;
} small = {13, 9, 400, 25, KILLS, 8}, large = {700, 500, 12, 1, FEW, 3}, *now;

static const char *source(void)
{
    return kept_program_on(now->nx, now->ny, now->steps);
}

static char whole[4096], broken[4096], checkpoint[4200], unbroken[4200];

static void check_ends_well(pid_t child)
{
    int state = 1;
    REQUIRE(waitpid(child, &state, 0) == child);
    CHECK_EQ(state, 0);
}

/* Compiles before the killed runs, so that compile time is no part of their lives. */
static void compile_first(void)
{
    const pav_run_options options = {.no_files = 1, .steps = 1};
    const pid_t child = fork();
    if (child == 0)
        _exit(kept_run(source(), kept_kernels(), &options) == PAV_OK ? 0 : 1);
    check_ends_well(child);
}

/* Starts the run in a child process. The parent must not begin threads before this
 * fork. */
static pid_t begin(int life)
{
    const bool goes_on = access(checkpoint, F_OK) == 0 ||
                         access(kept_path("broken/c.old"), F_OK) == 0;
    const pav_run_options options = {.directory = life < 0 ? whole : broken,
                                     .checkpoint = life < 0 ? unbroken : checkpoint,
                                     .checkpoint_every = now->every,
                                     .restart = life > 0 && goes_on ? checkpoint : NULL,
                                     .threads = life < 0 ? 1 : 1 + life % 2};
    const pid_t child = fork();
    if (child != 0)
        return child;
    const pav_status status = kept_run(
        source(), life % 3 ? kept_kernels() : "interpreter", &options);
    if (status != PAV_OK)
        (void)fprintf(stderr, "%s\n", pav_message());
    _exit(status == PAV_OK ? 0 : 1);
}

/* Microseconds of an unbroken run on this machine. */
static int64_t take_unbroken(void)
{
    const double start = clock_seconds();
    check_ends_well(begin(-1));
    return (int64_t)(1e6 * (clock_seconds() - start));
}

/* True if the child was killed. If the child failed by itself, the test ends. */
static bool kill_after(pid_t child, int64_t microseconds)
{
    int state = 0;
    (void)usleep((useconds_t)microseconds);
    (void)kill(child, SIGKILL);
    REQUIRE(waitpid(child, &state, 0) == child);
    REQUIRE(WIFSIGNALED(state) || (WIFEXITED(state) && WEXITSTATUS(state) == 0));
    return WIFSIGNALED(state);
}

static void check_result(void)
{
    static const char *const names[] = {"c", "u.csv", "v.npy", "top.csv", "v-end.npy"};
    for (size_t k = 0; k < COUNT_OF(names); k++) {
        char a[4200], b[4200];
        (void)snprintf(a, sizeof a, "%s/%s", whole, names[k]);
        (void)snprintf(b, sizeof b, "%s/%s", broken, names[k]);
        CHECK(kept_same(a, b));
        CHECK_EQ(unlink(b), 0);
    }
    (void)unlink(kept_path("broken/c.old"));
}

static void prepare(const struct trial *t)
{
    now = t;
    compile_first();
    (void)strcpy(whole, kept_path("whole"));
    (void)strcpy(broken, kept_path("broken"));
    (void)snprintf(unbroken, sizeof unbroken, "%s/c", whole);
    (void)snprintf(checkpoint, sizeof checkpoint, "%s/c", broken);
    CHECK_EQ(mkdir(whole, 0700), 0);
    CHECK_EQ(mkdir(broken, 0700), 0);
}

/* Returns the number of kills with a half-written checkpoint. */
static int kill_and_go_on(const struct trial *t)
{
    rng random = {.state = 20240607};
    int kills = 0, halves = 0, life = 0;
    prepare(t);
    const int64_t latest = SOON + take_unbroken() / t->parts;
    for (int lives = 0; kills < t->kills && lives < 20 * t->kills; lives++, life++) {
        if (kill_after(begin(life), rng_below(&random, latest))) {
            halves += access(kept_path("broken/c.part"), F_OK) == 0;
            kills++;
            continue;
        }
        check_result();
        life = -1; /* from the beginning */
    }
    CHECK_EQ(kills, t->kills);
    check_ends_well(begin(life)); /* the last one is left alone */
    check_result();
    return halves;
}

TEST(a_run_that_is_killed_at_200_random_moments_continues_to_the_same_bits)
{
    (void)kill_and_go_on(&small);
}

LONG_TEST(a_run_that_is_killed_while_it_writes_checkpoints_continues_to_the_same_bits)
{
    CHECK(kill_and_go_on(&large) >= FEW / 10);
}
