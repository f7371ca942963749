/* SPDX-License-Identifier: BSD-3-Clause */
/* The direct evaluation of programs with files: fields, masks and positions. */
#include <stdlib.h>
#include <unistd.h>

#include "check_helper.h"

static char folder[64];

static void open_folder(void)
{
    strcpy(folder, "/tmp/pavior-check-XXXXXX");
    REQUIRE(mkdtemp(folder) != NULL);
    REQUIRE(chdir(folder) == 0);
}

static void close_folder(void)
{
    (void)unlink("c.npy");
    (void)unlink("m.npy");
    (void)unlink("p.npy");
    REQUIRE(chdir("/") == 0);
    REQUIRE(rmdir(folder) == 0);
}

/* Writes random numbers from lo to hi on 6 x 5 points. */
static void write_field(const char *path, uint64_t seed, double lo, double hi)
{
    double values[30];
    rng r = {seed};
    const view v = {
        .data = values, .type = PAV_F64, .extent = {6, 5, 1}, .stride = {1, 6, 30}};
    for (int k = 0; k < 30; k++)
        values[k] = lo + (hi - lo) * rng_unit(&r);
    REQUIRE_OK(npy_write_view(path, 2, &v));
}

static void write_mask(uint64_t seed)
{
    uint8_t open[30];
    rng r = {seed};
    const view v = {
        .data = open, .type = PAV_U8, .extent = {6, 5, 1}, .stride = {1, 6, 30}};
    for (int k = 0; k < 30; k++)
        open[k] = rng_below(&r, 2) != 0;
    REQUIRE_OK(npy_write_view("m.npy", 2, &v));
}

static void write_positions(double shift)
{
    const double at[] = {1.25 + shift, 2.5, 3, 1, 4.75, 0.1};
    REQUIRE_OK(npy_write_table("p.npy", at, 3, 2));
}

/* Opens a run on the files, then changes one of them before the direct evaluation reads
 * it. */
static pav_status follow(void (*change)(void))
{
    program *p = parse(
        "grid x 6, y 5\nreal f32\nfield u = random(1); c stored f16 = \"c.npy\"\n"
        "u' = c*u[1,0] + 0.1*u[0,-1]\nborder clamp\nmask u = \"m.npy\"\n"
        "inject c into u at \"p.npy\" by sinc\nsteps 3");
    pav_run *run = NULL;
    direct_tally tally = {0};
    open_folder();
    write_field("c.npy", 1, 0, 1);
    write_mask(2);
    write_positions(0);
    REQUIRE_OK(run_open_with(p, interp_stage, &run));
    change();
    const pav_status status = direct_follow(p, run, PROOF_STEPS, &tally);
    pav_run_free(run);
    program_free(p);
    close_folder();
    return status;
}

static void change_nothing(void)
{
}

static void change_the_field(void)
{
    write_field("c.npy", 3, 0, 1);
}

static void change_the_mask(void)
{
    write_mask(4);
}

static void change_the_positions(void)
{
    write_positions(0.01);
}

TEST(a_program_with_files_agrees)
{
    CHECK_STATUS(follow(change_nothing), PAV_OK);
}

TEST(another_field_file_is_reported)
{
    CHECK_STATUS(follow(change_the_field), PAV_EINTERNAL);
}

TEST(another_mask_file_is_reported)
{
    CHECK_STATUS(follow(change_the_mask), PAV_EINTERNAL);
}

TEST(another_file_of_positions_is_reported)
{
    CHECK_STATUS(follow(change_the_positions), PAV_EINTERNAL);
}

TEST(a_file_that_is_gone_fails_the_proof)
{
    program *p = parse("grid x 6, y 5\nfield u = \"no-such.npy\"\nu' = u\nsteps 1");
    CHECK_STATUS(direct_agrees(&(proof_case){.program = p}), PAV_EIO);
    program_free(p);
}
