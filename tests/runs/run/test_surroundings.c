/* SPDX-License-Identifier: BSD-3-Clause */
/* The caller's environment changes no bit of a run: rounding mode, flush to zero, closed
 * standard streams. The run leaves the environment unchanged. */
#include <fcntl.h>
#include <fenv.h>
#include <stdio.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "kept.h"

/* ---- rounding ---------------------------------------------------------------------- */

/* Thirds, functions, subnormal numbers, conversions to narrow storage, and a sum. */
static const char source[] =
    "grid x 40, y 9\nfield u = 1/3 + sin(x/7); v = 1e-308/(1 + x + y); w stored bf16 = "
    "x/3\n"
    "u' = u + 0.1*laplace(u) + exp(-u)/3\nv' = v/3 + 1e-320\nw' = w + 0.1*u'\n"
    "border u periodic\nmeasure m = sum(u)\nsteps 12\n";

static const char *take(const char *device, int threads, char *path)
{
    (void)snprintf(path, 4096, "%s-%d", kept_path(device), threads);
    const pav_run_options options = {
        .no_files = 1, .checkpoint = path, .threads = threads};
    REQUIRE_OK(kept_run(source, device, &options));
    return path;
}

static void same_bits_after(const char *device, int threads, void (*change)(void))
{
    char plain[4096], changed[4200];
    take(device, threads, plain);
    (void)snprintf(changed, sizeof changed, "%s-plain", plain);
    REQUIRE(rename(plain, changed) == 0);
    change();
    take(device, threads, plain);
    CHECK(kept_same(plain, changed));
}

static void round_up(void)
{
    REQUIRE(fesetround(FE_UPWARD) == 0);
}

static void same_bits_rounding_up(const char *device)
{
    same_bits_after(device, 1, round_up);
    CHECK_EQ(fegetround(), FE_UPWARD);
    (void)fesetround(FE_TONEAREST);
    same_bits_after(device, 3, round_up);
    CHECK_EQ(fegetround(), FE_UPWARD);
}

TEST(a_caller_that_rounds_up_gets_the_same_bits_from_the_interpreter)
{
    same_bits_rounding_up("interpreter");
}

TEST(a_caller_that_rounds_up_gets_the_same_bits_from_kernels)
{
    same_bits_rounding_up(kept_kernels());
}

TEST(a_caller_that_rounds_up_gets_the_same_bits_from_a_gpu)
{
    pav_device *device = NULL;
    if (pav_device_open("emulated", &device) == PAV_OK)
        same_bits_after("emulated", 0, round_up);
    pav_device_free(device);
}

#if defined(__x86_64__)
enum {
    ZEROS = 0x8040
}; /* of MXCSR: results, and operands, below the normal numbers are zeros */

static void take_for_zero(void)
{
    _mm_setcsr(_mm_getcsr() | ZEROS);
}

TEST(a_caller_that_takes_small_numbers_for_zero_gets_the_same_bits)
{
    same_bits_after("interpreter", 1, take_for_zero);
    CHECK_EQ(_mm_getcsr() & ZEROS, ZEROS);
    _mm_setcsr(_mm_getcsr() & ~(unsigned)ZEROS);
    same_bits_after(kept_kernels(), 2, take_for_zero);
    CHECK_EQ(_mm_getcsr() & ZEROS, ZEROS);
}
#endif

TEST(a_caller_s_flags_of_exceptions_stay_as_they_were)
{
    char path[4096];
    (void)feclearexcept(FE_ALL_EXCEPT);
    take("interpreter", 1, path);
    CHECK_EQ(fetestexcept(FE_ALL_EXCEPT), 0);
}

/* ---- closed standard streams ------------------------------------------------------- */

static const char *const names[] = {"c", "u.csv", "v.npy", "top.csv", "v-end.npy"};

/* Text written to standard streams while files are open must not reach any file. */
static int scribble(void *user, pav_event event, const pav_progress *progress,
                    const char *said)
{
    const int *which = user;
    (void)event, (void)progress, (void)said;
    for (int k = 0; k < 3; k++)
        if (*which >> k & 1)
            (void)!write(k, "scribble\n", 9);
    return 0;
}

static pav_status write_all(const char *directory, const char *checkpoint, int which)
{
    const pav_run_options options = {.directory = directory,
                                     .checkpoint = checkpoint,
                                     .checkpoint_every = 5,
                                     .listener = scribble,
                                     .user = &which,
                                     .report_seconds = 1e-9};
    return kept_run(kept_program(40), kept_kernels(), &options);
}

static void close_streams(int which)
{
    for (int k = 0; k < 3; k++)
        if (which >> k & 1)
            (void)close(k);
}

TEST(what_a_library_writes_is_whole_whichever_standard_streams_are_closed)
{
    char whole[4096], broken[4096], one[4200], other[4200];
    const int kept[] = {dup(0), dup(1), dup(2)};
    (void)strcpy(whole, kept_path("whole"));
    (void)strcpy(broken, kept_path("broken"));
    (void)snprintf(one, sizeof one, "%s/c", whole);
    (void)snprintf(other, sizeof other, "%s/c", broken);
    pav_status status = write_all(whole, one, 0);
    for (int which = 1; which < 8 && status == PAV_OK; which++) {
        close_streams(which);
        status = write_all(broken, other, which);
        const bool free = fcntl(0, F_GETFD) < 0 || !(which & 1);
        for (int k = 0; k < 3; k++)
            (void)dup2(kept[k], k);
        CHECK(free);
        for (size_t k = 0; k < COUNT_OF(names) && status == PAV_OK; k++) {
            char a[4200], b[4200];
            (void)snprintf(a, sizeof a, "%.4000s/%s", whole, names[k]);
            (void)snprintf(b, sizeof b, "%.4000s/%s", broken, names[k]);
            CHECK(kept_same(a, b));
        }
    }
    CHECK_STATUS(status, PAV_OK);
}

/* ---- very long runs ---------------------------------------------------------------- */

TEST(the_most_steps_that_can_be_asked_for_are_taken_until_something_ends_them)
{
    static const char counted[] = "grid x 8\nfield u = 0\nu' = u + 1\n"
                                  "until max(u) >= 50\nsteps 100\n";
    const pav_run_options options = {.no_files = 1};
    begun b;
    REQUIRE_OK(kept_open(counted, "interpreter", &options, &b));
    REQUIRE_OK(pav_run_steps(b.run, 3));
    REQUIRE_OK(pav_run_steps(b.run, INT64_MAX));
    CHECK_EQ(pav_run_step(b.run), 50);
    close_begun(&b);
}
