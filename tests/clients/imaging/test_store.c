/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames of a run on a GPU after other programs have taken the GPU's memory. */
#include <string.h>

#include "imaging/imaging_private.h"
#include "run/run_private.h"
#include "test.h"

static const char source[] = "grid x 14, y 12\nfield u = x + 2*y\nu' = 2*u\n"
                             "border u = 0\nsteps 1\n";

static pav_status take_nothing(executor *self, int64_t bytes, void **memory)
{
    (void)self;
    (void)memory;
    return FAIL(PAV_ENOMEM, "%lld bytes are taken", (long long)bytes);
}

static pav_status put_one(arena *a, pav_run *run, stored_where *where)
{
    frame_item item = {.field = run_field_number(run, "u"), .type = PAV_F64};
    const store_room room = {1 << 20, 2, NULL};
    frame_layout layout = {0};
    stored frame = {0};

    frame_add(a, &layout, &item, 14 * 12);
    store *s = store_open(a, run, &layout, &room);
    CHECK_STATUS(store_put(s, false, &frame), PAV_OK);
    CHECK_STATUS(store_get(s, &frame, 0, run, item.field, 0), PAV_OK);
    store_close(s);
    *where = frame.where;
    return PAV_OK;
}

static stored_where where_one_lies(pav_run *run)
{
    arena *const a = arena_new();
    stored_where where = STORED_NOWHERE;
    pav_status status;

    REQUIRE(a);
    ARENA_GUARD(a, status, put_one(a, run, &where));
    arena_free(a);
    REQUIRE_OK(status);
    return where;
}

TEST(memory_that_a_gpu_refuses_is_the_hosts)
{
    pav_device *device = NULL;
    pav_program *p = NULL;
    pav_run *run = NULL;

    REQUIRE_OK(pav_device_open("emulated", &device));
    REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &p));
    REQUIRE_OK(pav_run_open(p, device, &(pav_run_options){.no_files = 1}, &run));
    CHECK_EQ(where_one_lies(run), STORED_THERE);
    run->part->executor->ops.take_memory = take_nothing;
    CHECK_EQ(where_one_lies(run), STORED_HERE);
    CHECK(run_memory_on_device(run, 4) <= run_memory_on_device(run, 1) / 3);
    pav_run_free(run);
    pav_program_free(p);
    pav_device_free(device);
}
