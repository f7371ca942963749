/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of the catalogue keep their text: kernel_texts.txt has a hash for each
 * program and target, over all schedules. A change on purpose writes it anew by
 * TEST_UPDATE=1, in a commit of its own, with equal results and rates measured. */
#include <pavior.h>
#include <stdio.h>
#include <stdlib.h>

#include "test.h"

static const char file[] = TEST_SOURCE "/tests/api/kernel_texts.txt";

static const char *const cpu_schedules[] = {NULL};
static const char *const gpu_schedules[] = {
    "point",
    "point:coefficients=constant",
    "sweep",
    "sweep:plain",
    "sweep:shuffle,rows=2",
    "sweep:shared,copy=tma",
    "sweep:shared,copy=remap,rows=2",
    "sweep:shared,input",
    "sweep:vector=1,unroll=3",
    "sweep:prefetch=4,rows=2,ghosts=separate",
    "two-pass",
    "two-pass:shared,copy=tma",
    "time:depth=2",
    "time:depth=4,copy=tma,unroll=3",
    "time:depth=3,rows=3",
    "persistent",
    "persistent:depth=2",
};

/* FNV-1a. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return hash;
}

/* Of the kernels by all schedules. A refused schedule counts as such, not by its
 * sentence. */
static uint64_t hash_of(const pav_program *p, const char *device,
                        const char *const *schedule, size_t count)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t k = 0; k < count; k++) {
        char *text = NULL;
        const pav_status status = pav_program_generate(p, device, schedule[k], &text);
        hash = hash_text(hash, status == PAV_OK ? text : "refused");
        pav_text_free(text);
    }
    return hash;
}

/* "heat3d@64x64x64/f32 1f2e3d4c 5b6a7988" */
static void print_row(const char *name, char row[160])
{
    pav_program *p = NULL;
    REQUIRE_OK(pav_program_load(name, NULL, &p));
    const uint64_t cpu = hash_of(p, "cpu", cpu_schedules,
                                 sizeof cpu_schedules / sizeof *cpu_schedules);
    const uint64_t gpu = hash_of(p, "cuda", gpu_schedules,
                                 sizeof gpu_schedules / sizeof *gpu_schedules);
    (void)snprintf(row, 160, "%s %08x %08x", name, (unsigned)(cpu ^ cpu >> 32),
                   (unsigned)(gpu ^ gpu >> 32));
    pav_program_free(p);
}

TEST(kernels_of_the_catalogue_keep_their_text)
{
    char row[160], name[128], now[160], changed[1 << 15] = "";
    size_t length = 0;
    int rows = 0;
    FILE *f = fopen(file, "r");
    REQUIRE(f);
    while (fgets(row, sizeof row, f)) {
        REQUIRE(sscanf(row, "%127s", name) == 1);
        row[strcspn(row, "\n")] = '\0';
        print_row(name, now);
        length += (size_t)snprintf(changed + length, sizeof changed - length, "%s\n",
                                   now);
        if (!getenv("TEST_UPDATE"))
            CHECK_STR(now, row);
        rows++;
    }
    (void)fclose(f);
    CHECK(rows >= 60);
    if (!getenv("TEST_UPDATE"))
        return;
    f = fopen(file, "w");
    REQUIRE(f);
    CHECK(fputs(changed, f) >= 0);
    CHECK_EQ(fclose(f), 0);
}
