/* SPDX-License-Identifier: BSD-3-Clause */
/* Chaotic relaxation: blocks do not wait, and read neighbour values of any age. They
 * converge to the solution of all other methods, and a single block has the bits of
 * single steps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trial.h"

static void open_on_threads(trial *t, const char *source, int threads)
{
    const pav_run_options options = {.no_files = 1, .threads = threads, .bind = "none"};
    *t = (trial){0};
    REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &t->program));
    REQUIRE_OK(pav_device_open("cpu", &t->device));
    REQUIRE_OK(pav_run_open(t->program, t->device, &options, &t->run));
}

static bool says(pav_run *run, const char *words)
{
    char *text = NULL;
    REQUIRE_OK(pav_run_report(run, 0, &text));
    const bool found = strstr(text, words) != NULL;
    pav_text_free(text);
    return found;
}

TEST(blocks_that_do_not_wait_come_to_the_solution)
{
    static const char *const problem[] = {
        "grid x 33 from 0 to 1, y 29 from 0 to 1\nfield u\nlet e = x*y\n"
        "solve -laplace(u) = 0 for u by async-%d(ages = chance, block = 3, alpha = 4) "
        "to 1e-11\nborder u = e\nmeasure e1 = max(abs(u - e))\n",
        "grid x 20, y 17, z 18\nfield u\nlet e = 1\n"
        "solve u - laplace(u) = 1 for u by async-%d(ages = chance, block = 2) to 1e-11\n"
        "border neumann u = 0\nmeasure e1 = max(abs(u - e))\n",
    };
    for (int k = 0; k < 2; k++)
        for (int variant = 0; variant < 4; variant += 3)
            for (int threads = 1; threads < 4; threads++) {
                char source[400];
                trial t;
                (void)snprintf(source, sizeof source, problem[k], variant);
                open_on_threads(&t, source, threads);
                REQUIRE_OK(pav_run_finish(t.run));
                CHECK(says(t.run, "blocks do not wait for each other"));
                CHECK_EQ(pav_run_until(t.run), 1);
                CHECK_NEAR(trial_get(&t, "e1"), 0, 1e-9);
                trial_close(&t);
            }
}

TEST(one_block_has_the_bits_of_single_steps)
{
    static const char *const by[] = {
        "jacobi(weight = 0.9, every = 7)",
        "async-0(ages = chance, block = 99, weight = 0.9, every = 7)"};
    double *u[2];
    int64_t count[2];
    for (int k = 0; k < 2; k++) {
        char source[300];
        trial t;
        (void)snprintf(source, sizeof source,
                       "grid x 37, y 23\nreal f32\nfield u; f = random(2)\n"
                       "solve -laplace(u) = f by %s to 1e-2\nborder u = 0\n",
                       by[k]);
        open_on_threads(&t, source, 1);
        trial_step(&t, 50);
        u[k] = trial_read(&t, "u", &count[k]);
        trial_close(&t);
    }
    CHECK_EQ(count[0], count[1]);
    CHECK(memcmp(u[0], u[1], (size_t)count[0] * sizeof *u[0]) == 0);
    free(u[0]);
    free(u[1]);
}

enum { N = 9, BLOCK = 4, STEPS = 3 };
typedef double plane[N][N];

static void read_plane(const trial *t, plane *to)
{
    int64_t count = 0;
    double *u = trial_read((trial *)(uintptr_t)t, "u", &count);
    CHECK_EQ(count, N * N);
    memcpy(*to, u, sizeof *to);
    free(u);
}

static void relax_rows(const plane *from, plane *to, int begin, int end)
{
    const plane *u = from;
    for (int y = begin > 1 ? begin : 1; y < end && y < N - 1; y++)
        for (int x = 1; x < N - 1; x++) {
            const double sum = (*u)[y][x - 1] + (*u)[y][x + 1] + (*u)[y - 1][x] +
                               (*u)[y + 1][x];
            (*to)[y][x] = (*u)[y][x] + 0.5 / 4 * (x * y + 1 + sum - 4 * (*u)[y][x]);
        }
}

/* With one thread the order of the blocks is known, and so are the values exchanged. The
 * block before has taken all steps, so its last or last but one level is read. The block
 * behind still has its initial levels. */
TEST(a_block_sees_what_is_there)
{
    static plane level[2], now;
    trial t;
    open_on_threads(&t,
                    "grid x 9, y 9\nfield u; f = x*y + 1\n"
                    "solve -laplace(u) = f by async-0(ages = chance, alpha = 2, "
                    "block = 4, weight = 0.5, every = 1000) to 1e-3\nborder u = 0\n",
                    1);
    trial_step(&t, 1); /* alone; so is the second */
    read_plane(&t, &level[1]);
    trial_step(&t, 1);
    read_plane(&t, &level[0]);
    trial_step(&t, STEPS);
    for (int begin = 0; begin < N; begin += BLOCK)
        for (int s = 0; s < STEPS; s++)
            relax_rows((const plane *)&level[s % 2], &level[1 - s % 2], begin,
                       begin + BLOCK);
    read_plane(&t, &now);
    for (int k = 0; k < N * N; k++)
        CHECK_NEAR(now[k / N][k % N], level[STEPS % 2][k / N][k % N], 1e-13);
    trial_close(&t);
}

TEST(what_has_an_age_is_not_left_to_chance)
{
    for (int variant = 1; variant < 3; variant++) {
        char source[200], *text = NULL;
        pav_program *p = NULL;
        (void)snprintf(source, sizeof source,
                       "grid x 9, y 9\nfield u; f = 1\nborder u = 0\n"
                       "solve -laplace(u) = f by async-%d(ages = chance) to 1e-3\n",
                       variant);
        REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &p));
        CHECK_STATUS(pav_program_solver(p, &text), PAV_EINVAL);
        CHECK(strstr(pav_message(), "ages = chance is for async-0 and async-3") != NULL);
        pav_text_free(text);
        pav_program_free(p);
    }
}

TEST(what_is_left_to_chance_has_no_bits_to_verify)
{
    static const char source[] = "grid x 9, y 9\nfield u = random(1)\nborder u = 0\n"
                                 "u' = u + 0.2*laplace(u)\nchaotic 4 by 3\nsteps 9\n";
    char *text = NULL;
    pav_program *p = NULL;
    pav_device *device = NULL;
    REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &p));
    REQUIRE_OK(pav_device_open("cpu", &device));
    CHECK_STATUS(pav_run_verify(p, device, NULL, 9, &text), PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), "leaves to chance") != NULL);
    pav_text_free(text);
    pav_device_free(device);
    pav_program_free(p);
}

/* Each of these programs takes single steps and gives the reason. */
TEST(some_steps_must_be_waited_for)
{
    static const char *const said[][2] = {
        {"border periodic\n", "fields wrap around"},
        {"border u = 0\ninject sin(t) into u at (4, 4)\n", "there are sources"},
        {"border u = 0\nsample u at (4, 4)\n", "there are receivers"},
    };
    for (size_t k = 0; k < sizeof said / sizeof *said; k++) {
        char source[300];
        trial t;
        (void)snprintf(source, sizeof source,
                       "grid x 9, y 8\nfield u = random(1)\n%su' = u + 0.2*laplace(u)\n"
                       "chaotic 4 by 3\nsteps 9\n",
                       said[k][0]);
        open_on_threads(&t, source, 2);
        REQUIRE_OK(pav_run_finish(t.run));
        CHECK(says(t.run, said[k][1]));
        trial_close(&t);
    }
}
