/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedule strings: parsing, refusals and their messages, and printing. A printed
 * schedule parses to the same schedule again, for every kind and all its options. */
#include <stdio.h>
#include <string.h>

#include "schedule/schedule_private.h"
#include "test.h"

static const schedule_place on_gpus = {true, "GPUs"};
static const schedule_place on_cpu = {false, "cpu"};

/* ---- read -------------------------------------------------------------------------- */

TEST(options_of_gpus_are_read)
{
    schedule s;
    REQUIRE_OK(schedule_parse("sweep:shared,input,unroll=5,rows=2,vector=4,"
                              "threads=32x16,ahead=3,prefetch=4,blocks=1",
                              on_gpus, &s));
    CHECK_EQ(s.kind, SCHEDULE_SWEEP);
    CHECK_EQ(s.tile.storage, STORAGE_SHARED);
    CHECK_EQ(s.thread.size[1], 2);
    CHECK_EQ(s.thread.size[0], 4);
    CHECK_EQ(s.tile.size[0], 32);
    CHECK_EQ(s.tile.size[1], 16);
    CHECK_EQ(s.tile.ahead, 3);
    CHECK_EQ(s.prefetch, 4);
    CHECK_EQ(s.unroll, 5);
    CHECK(s.input);
    CHECK_EQ(s.blocks, 1);
}

TEST(sizes_that_are_not_said_are_one)
{
    schedule s;
    REQUIRE_OK(schedule_parse("point:threads=128", on_gpus, &s));
    CHECK_EQ(s.tile.size[0], 128);
    CHECK_EQ(s.tile.size[1], 1);
    REQUIRE_OK(schedule_parse("persistent:tiles=2x3", on_gpus, &s));
    CHECK_EQ(s.device.size[0], 2);
    CHECK_EQ(s.device.size[1], 3);
    CHECK_EQ(s.device.size[2], 1);
}

TEST(nothing_and_auto_ask_for_autotuning)
{
    const schedule none = {.kind = SCHEDULE_AUTO};
    schedule s;
    REQUIRE_OK(schedule_parse(NULL, on_gpus, &s));
    CHECK(schedule_is_same(&s, &none));
    REQUIRE_OK(schedule_parse("auto", on_cpu, &s));
    CHECK(schedule_is_same(&s, &none));
}

TEST(the_copying_of_planes_is_a_word)
{
    schedule s;
    REQUIRE_OK(schedule_parse("sweep:shared,copy=tma", on_gpus, &s));
    CHECK_EQ(s.tile.copy, COPY_TMA);
    REQUIRE_OK(schedule_parse("sweep:shared,copy=async", on_gpus, &s));
    CHECK_EQ(s.tile.copy, COPY_ASYNC);
}

TEST(a_time_tile_of_processors_is_read)
{
    schedule s;
    REQUIRE_OK(schedule_parse("time:depth=8,tile=32x2", on_cpu, &s));
    CHECK_EQ(s.kind, SCHEDULE_CPU_TIME);
    CHECK_EQ(s.tile.steps, 8);
    CHECK_EQ(s.tile.size[TILE_COLUMN], 32);
    CHECK_EQ(s.tile.size[TILE_SWEEP], 2);
    CHECK_EQ(s.shape, SHAPE_SKEWED);
    REQUIRE_OK(schedule_parse("time:diamond,depth=8", on_cpu, &s));
    CHECK_EQ(s.shape, SHAPE_DIAMOND);
    REQUIRE_OK(schedule_parse("time:tile=16x4,share=4", on_cpu, &s));
    CHECK_EQ(s.device.size[0], 4);
    CHECK_EQ(s.thread.size[1], 0);
    REQUIRE_OK(schedule_parse("time:depth=4,rows=single", on_cpu, &s));
    CHECK_EQ(s.thread.size[1], 1);
    REQUIRE_OK(schedule_parse("time:tile=0x5", on_cpu, &s));
    CHECK_EQ(s.tile.steps, 0);
    CHECK_EQ(s.tile.size[TILE_COLUMN], 0);
}

/* ---- refused ----------------------------------------------------------------------- */

typedef struct wrong {
    const char *string, *message;
} wrong;

static void refused_as(pav_status status, schedule_place on, const wrong *all,
                       size_t count)
{
    schedule s;
    for (size_t n = 0; n < count; n++) {
        CHECK_STATUS(schedule_parse(all[n].string, on, &s), status);
        if (!strstr(pav_message(), all[n].message))
            CHECK_STR(pav_message(), all[n].message);
    }
}

static void refused(schedule_place on, const wrong *all, size_t count)
{
    refused_as(PAV_EINVAL, on, all, count);
}

TEST(what_is_wrong_for_gpus_is_reported)
{
    static const wrong all[] = {
        {"pont", "did you mean 'point'?"},
        {"two-pas", "did you mean 'two-pass'?"},
        {"sweep:shard", "did you mean 'shared'?"},
        {"sweep:row=2", "did you mean 'rows'?"},
        {"persistent:tile=2", "did you mean 'tiles'?"},
        {"sweep:rows=0",
         "rows '0' of the schedule sweep is not a whole number from 1 to 1024"},
        {"sweep:rows=2x", "rows '2x'"},
        {"sweep:rows=99999999999999999999", "rows '99999999999999999999'"},
        {"sweep:threads=32x", "is not like 32x8"},
        {"sweep:threads=32x8x2", "is not like 32x8"},
        {"persistent:tiles=2x", "is not like 1x8x16"},
        {"persistent:tiles=1x1x1x1", "is not like 1x8x16"},
        {"time:depth=0", "depth '0' of the schedule time is not a whole number from 1"},
        {"persistent:depth=65", "from 1 to 64"},
        {"point:shared",
         "shared is of the schedules sweep, two-pass and time, not of point"},
        {"point:rows=2", "sweep, two-pass, time and persistent, not of point"},
        {"point:copy=tma", "copy is of the schedules sweep, two-pass and time, not of"},
        {"time:tiles=2x2", "tiles is of the schedule persistent, not of time"},
        {"point:diagonal",
         "there is no word of the schedule point 'diagonal': give plain"},
        {"sweep:threads", "threads of a schedule takes a value, as in threads=32x8"},
        {"sweep:prefetch", "prefetch of a schedule takes a value, as in prefetch=2"},
        {"sweep:input=2", "input of a schedule takes no value: leave out '=2'"},
        {"time:rows=3,shared", "rows is of time:shuffle: a thread of time:shared has"},
        {"sweep:shared,copy=tna", "did you mean 'tma'?"},
        {"sweep:coefficients=texture", "no place of coefficients 'texture'"},
        {"auto:rows=2", "auto has no settings, but 'auto:rows=2' has some"},
        {"sweep:", "a setting is missing in the schedule sweep"},
        {"sweep:shared,", "a setting is missing in the schedule sweep"},
        {"sweep,rows=2", "follow a colon: say 'sweep:rows=2'"},
        {"sweep:rows=2,ahead=1,rows=3", "says both rows=2 and rows=3: leave out one"},
        {"sweep:shared,rows=2,cache", "says both shared and cache"},
        {"point:plain,plain", "says both plain and plain"},
    };
    refused(on_gpus, all, COUNT_OF(all));
}

TEST(what_is_wrong_for_processors_is_reported)
{
    static const wrong all[] = {
        {"block", "did you mean 'blocks'?"},
        {"diagonal", "give auto, rows, blocks or time"},
        {"timely", "did you mean 'time'?"},
        {"time:dimond", "did you mean 'diamond'?"},
        {"time:diamond,skewed", "says both diamond and skewed: leave out one"},
        {"rows:diamond", "diamond is of the schedule time, not of rows"},
        {"time:depth=0", "depth '0' of the schedule time is not a whole number from 2"},
        {"time:depth=65,tile=4x4", "depth '65' of the schedule time is not"},
        {"time:depth=+4", "depth '+4'"},
        {"time:depth= 4", "depth ' 4'"},
        {"time:depth=4 ", "depth '4 '"},
        {"time:tile=+3x4", "tile '+3x4' of the schedule time is not"},
        {"time:tile=3x0,depth=4", "tile '3x0'"},
        {"time:tile=3x4x5", "tile '3x4x5'"},
        {"time:depth=4,tile=3", "tile '3'"},
        {"time:dept=3", "did you mean 'depth'?"},
        {"time:depth=4,", "a setting is missing in the schedule time"},
        {"time:depth=3,depth=4", "says both depth=3 and depth=4: leave out one"},
        {"rows:depth=3", "depth is of the schedule time, not of rows"},
        {"time:share=0", "share '0' of the schedule time is not a whole number from 1"},
        {"blocks:share=2", "share is of the schedule time, not of blocks"},
    };
    refused(on_cpu, all, COUNT_OF(all));
}

TEST(a_removed_option_is_refused_with_its_replacement)
{
    static const wrong cpu[] = {
        {"time:pyramid,depth=8", "pyramid of a schedule is gone"},
        {"time:width=128", "is gone: time tiles have whole rows"}};
    static const wrong gpus[] = {
        {"sweep:ghosts=separate", "is gone: sweeps store the ghosts they can"}};
    refused_as(PAV_EUNSUPPORTED, on_cpu, cpu, COUNT_OF(cpu));
    refused_as(PAV_EUNSUPPORTED, on_gpus, gpus, COUNT_OF(gpus));
}

TEST(a_schedule_of_another_device_is_reported)
{
    static const wrong cpu[] = {
        {"sweep:rows=2", "the schedule sweep:rows=2 is of GPUs, and this run is on the "
                         "device cpu: give auto, rows, blocks or time"},
        {"time:depth=4,rows=3", "is of GPUs"}};
    static const wrong gpus[] = {
        {"rows", "the schedule rows is of the device cpu, not of GPUs: give auto"},
        {"time:tile=3x3", "give time with threads= and rows="}};
    refused(on_cpu, cpu, COUNT_OF(cpu));
    refused(on_gpus, gpus, COUNT_OF(gpus));
}

/* ---- printed ----------------------------------------------------------------------- */

TEST(what_is_left_to_be_chosen_is_left_out)
{
    static const struct {
        const char *string;
        schedule s;
    } all[] = {{"auto", {.kind = SCHEDULE_AUTO}},
               {"rows", {.kind = SCHEDULE_ROWS}},
               {"sweep", {.kind = SCHEDULE_SWEEP}},
               {"time:depth=3,tile=0x5",
                {.kind = SCHEDULE_CPU_TIME, .tile = {.steps = 3, .size = {0, 5}}}},
               {"point:threads=64x4,coefficients=constant",
                {.kind = SCHEDULE_POINT,
                 .tile.size = {64, 4},
                 .coefficients = UNIFORMS_CONSTANT}}};
    char string[SCHEDULE_STRING];
    for (size_t n = 0; n < COUNT_OF(all); n++)
        CHECK_STR(schedule_string(&all[n].s, string), all[n].string);
}

/* Sets an option to a legal random value in two of three draws. */
static void draw(const schedule_option *o, uint64_t bits, schedule *s)
{
    int *n = option_number(o, s);
    if (bits % 3 == 0 || option_is_said(o, s))
        return;
    const int value = (int)(bits >> 8 & 0x3ff);
    switch (o->form) {
    case FORM_FLAG: *option_flag(o, s) = true; return;
    case FORM_VALUE: *n = o->value; return;
    case FORM_CHOICE: *n = value % o->count; return;
    case FORM_COUNT:
        *n = option_least(o, s->kind) + value % (o->count - option_least(o, s->kind) + 1);
        return;
    case FORM_THREADS:
    case FORM_TILES:
    case FORM_POINTS:
        for (int k = 0; k < (o->form == FORM_TILES ? 3 : 2); k++)
            n[k] = 1 + (int)(bits >> (16 + 8 * k) & 0xff);
    }
}

static void comes_back(const schedule *s)
{
    const schedule_place on = {schedule_is_of_gpus(s->kind) || s->apart, "here"};
    char string[SCHEDULE_STRING], again[SCHEDULE_STRING];
    schedule back;
    CHECK_STATUS(schedule_parse(schedule_string(s, string), on, &back), PAV_OK);
    if (!schedule_is_same(s, &back))
        CHECK_STR(schedule_string(&back, again), string);
    CHECK(schedule_is_same(s, &back));
}

TEST(what_is_printed_is_read_as_the_same_for_every_kind_and_random_options)
{
    enum { DRAWS = 200 };
    int64_t count;
    const schedule_option *o = schedule_options(&count);
    for (int kind = 0; kind < SCHEDULE_KINDS; kind++)
        for (uint64_t seed = 0; seed < DRAWS; seed++) {
            schedule s = {.kind = (schedule_kind)kind};
            for (int64_t k = 0; k < count; k++)
                if (option_has_place(&o[k], &s))
                    draw(&o[k], hash_mix(hash_mix(seed) + (uint64_t)k), &s);
            comes_back(&s);
        }
}

TEST(candidates_of_every_list_are_different_and_come_back)
{
    for (int which = 0; which <= CANDIDATES_EXHAUSTIVE; which++) {
        schedule_list l;
        schedule_candidates((schedule_candidates_of)which, &l);
        CHECK(l.count > 0 && l.count < SCHEDULE_MOST_CANDIDATES);
        for (int n = 0; n < l.count; n++) {
            comes_back(&l.schedule[n]);
            for (int k = 0; k < n; k++)
                CHECK(!schedule_is_same(&l.schedule[n], &l.schedule[k]));
        }
    }
}

TEST(depths_by_rank_are_all_depths)
{
    int64_t all = 0, ranked = 0;
    for (int n = 0; n < SCHEDULE_DEPTHS; n++) {
        CHECK(n == 0 || schedule_depths[n] > schedule_depths[n - 1]);
        all |= INT64_C(1) << schedule_depths[n];
        ranked |= INT64_C(1) << schedule_depths_by_rank[n];
    }
    CHECK_EQ(ranked, all);
}

TEST(schedules_that_differ_in_one_option_are_not_the_same)
{
    int64_t count;
    const schedule_option *o = schedule_options(&count);
    for (int kind = 0; kind < SCHEDULE_KINDS; kind++)
        for (int64_t k = 0; k < count; k++) {
            const schedule bare = {.kind = (schedule_kind)kind};
            schedule s = bare;
            const bool other = o[k].form != FORM_VALUE || o[k].value != 0;
            if (!option_is_of(&o[k], s.kind) || !other)
                continue;
            draw(&o[k], 0x01010101, &s);
            CHECK(option_is_said(&o[k], &s));
            CHECK(!schedule_is_same(&s, &bare));
        }
}
