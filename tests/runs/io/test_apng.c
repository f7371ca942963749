/* SPDX-License-Identifier: BSD-3-Clause */
/* Animated pictures. After every picture the file is taken apart chunk by chunk. */
#include "io/io.h"
#include "scratch.h"
#include "shown.h"
#include "test.h"

#include <stdio.h>
#include <unistd.h>

typedef struct found {
    int frames, stated, data, ends;
    uint32_t sequence; /* the next */
    uint32_t width, height;
    bool whole; /* signature, order and sums are right; nothing follows the end */
} found;

static uint32_t get_32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint32_t sum_of(const uint8_t *bytes, int64_t length)
{
    uint32_t sum = ~0U;
    for (int64_t n = 0; n < length; n++) {
        sum ^= bytes[n];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
    }
    return ~sum;
}

static void look_at(found *f, const uint8_t *type, const uint8_t *data)
{
    if (memcmp(type, "acTL", 4) == 0) {
        f->stated = (int)get_32(data);
    } else if (memcmp(type, "fcTL", 4) == 0) {
        f->frames++;
        f->whole &= get_32(data) == f->sequence++ && get_32(data + 4) == f->width &&
                    get_32(data + 8) == f->height && f->data == f->frames - 1;
    } else if (memcmp(type, "IDAT", 4) == 0) {
        f->whole &= f->frames == 1;
        f->data++;
    } else if (memcmp(type, "fdAT", 4) == 0) {
        f->whole &= f->frames > 1 && get_32(data) == f->sequence++;
        f->data++;
    }
    f->ends += memcmp(type, "IEND", 4) == 0;
}

static found take_apart(const char *name)
{
    int64_t length;
    char *all = scratch_read(name, &length);
    const uint8_t *bytes = (const uint8_t *)all;
    found f = {.width = get_32(bytes + 16), .height = get_32(bytes + 20)};
    f.whole = memcmp(all, "\x89PNG\r\n\x1a\n", 8) == 0;
    for (int64_t at = 8; f.whole && at < length;) {
        const int64_t size = get_32(bytes + at);
        f.whole = f.ends == 0 && at + 12 + size <= length;
        if (!f.whole)
            break;
        f.whole = sum_of(bytes + at + 4, size + 4) == get_32(bytes + at + 8 + size);
        look_at(&f, bytes + at + 4, bytes + at + 8);
        at += 12 + size;
    }
    f.whole &= f.ends == 1;
    mem_free(all);
    return f;
}

static io_frame named(const view *v)
{
    io_frame f = frame_of_view(v, 2);
    f.name = "u";
    return f;
}

static const series_style style = {.numbered = true, .every = 10};

TEST(an_animation_is_whole_after_every_picture)
{
    series *s;
    text path = {0};
    const view v = shown_view(PAV_F32, 6, 5, 1);
    io_frame f = named(&v);
    REQUIRE_OK(series_open(scratch_path("u.apng"), &style, &s));
    for (f.step = 0; f.step <= 50; f.step += 10) {
        ((float *)v.data)[7] = (float)f.step;
        REQUIRE_OK(series_add(s, &f, &path));
        const found got = take_apart("u.apng");
        CHECK(got.whole);
        CHECK_EQ(got.frames, f.step / 10 + 1);
        CHECK_EQ(got.stated, got.frames);
        CHECK_EQ(got.data, got.frames);
        CHECK_EQ(scratch_count(), 1);
    }
    series_close(s);
    text_free(&path);
}

TEST(the_first_picture_of_an_animation_is_the_png_of_that_step)
{
    int64_t length, other;
    series *s, *one;
    text path = {0};
    const view v = shown_view(PAV_F32, 6, 5, 1);
    const io_frame f = named(&v);
    REQUIRE_OK(series_open(scratch_path("u.apng"), &style, &s));
    REQUIRE_OK(series_open(scratch_path("u.png"), &style, &one));
    REQUIRE_OK(series_add(s, &f, &path));
    REQUIRE_OK(series_add(one, &f, &path));
    char *film = scratch_read("u.apng", &length);
    char *still = scratch_read("u-000000.png", &other);
    CHECK(memcmp(film, still, 33) == 0); /* then acTL and fcTL */
    CHECK(memcmp(film + 33 + 58, still + 33, (size_t)other - 33 - 12) == 0);
    mem_free(film);
    mem_free(still);
    series_close(s);
    series_close(one);
    text_free(&path);
}

TEST(a_picture_of_another_size_is_refused)
{
    series *s;
    text path = {0};
    const view v = shown_view(PAV_F32, 6, 5, 1);
    io_frame f = named(&v);
    REQUIRE_OK(series_open(scratch_path("u.apng"), &style, &s));
    REQUIRE_OK(series_add(s, &f, &path));
    CHECK(path.length > 0);
    REQUIRE_OK(series_add(s, &f, &path));
    CHECK_EQ(path.length, 0); /* the path was reported already */
    f.extent[0] = 3;
    CHECK_STATUS(series_add(s, &f, &path), PAV_EFORMAT);
    CHECK(strstr(pav_message(), "move it away and a new one is begun"));
    const found got = take_apart("u.apng");
    CHECK(got.whole);
    CHECK_EQ(got.frames, 2);
    series_close(s);
    text_free(&path);
}

static int64_t counted; /* bytes up to step 10 */

/* The data of the first chunk of this type. */
static char *find_chunk(char *all, int64_t length, const char *type)
{
    for (int64_t at = 8; at < length; at += 12 + get_32((uint8_t *)all + at))
        if (memcmp(all + at + 4, type, 4) == 0)
            return all + at + 8;
    REQUIRE(false);
    return NULL;
}

static void film(int64_t from, int64_t to)
{
    series *s;
    text path = {0};
    const view v = shown_view(PAV_F32, 6, 5, 1);
    io_frame f = named(&v);
    series_past past = {.frame = f, .step = from, .frames = from / 10, .bytes = counted};
    text said = {0};
    REQUIRE_OK(series_open(scratch_path("u.apng"), &style, &s));
    REQUIRE_OK(series_resume(s, &past, &said));
    for (f.step = from; f.step <= to; f.step += 10) {
        REQUIRE_OK(series_add(s, &f, &path));
        if (f.step == 10)
            counted = series_bytes(s);
    }
    series_close(s);
    text_free(&said);
    text_free(&path);
}

TEST(an_animation_continues_where_an_earlier_run_left_it)
{
    int64_t length, other;
    film(0, 50);
    char *unbroken = scratch_read("u.apng", &length);
    film(0, 30);
    film(20, 50); /* the pictures of steps 20 and 30 are made again */
    char *resumed = scratch_read("u.apng", &other);
    CHECK_EQ(length, other);
    CHECK(memcmp(unbroken, resumed, (size_t)length) == 0);
    mem_free(unbroken);
    mem_free(resumed);
}

/* The status of continuing at step 20, after an earlier run with `frames` pictures. */
static pav_status go_on(int64_t frames, text *said)
{
    series *s;
    const view v = shown_view(PAV_F32, 6, 5, 1);
    series_past past = {
        .frame = named(&v), .step = 20, .frames = frames, .bytes = counted};
    past.frame.step = 20;
    REQUIRE_OK(series_open(scratch_path("u.apng"), &style, &s));
    const pav_status status = series_resume(s, &past, said);
    series_close(s);
    return status;
}

TEST(an_animation_that_has_not_its_pictures_any_more_is_left_alone)
{
    int64_t length, other;
    text said = {0};
    film(0, 10);
    char *all = scratch_read("u.apng", &length);
    for (int64_t cut = 0; cut < length; cut += 1 + length / 20) {
        scratch_write("u.apng", all, cut);
        CHECK_STATUS(go_on(2, &said), PAV_EFORMAT);
        CHECK(strstr(pav_message(), "u.apng does not begin with the 2 pictures"));
        mem_free(scratch_read("u.apng", &other));
        CHECK_EQ(other, cut);
    }
    *find_chunk(all, length, "paVs") ^= 1; /* another picture */
    scratch_write("u.apng", all, length);
    CHECK_STATUS(go_on(2, &said), PAV_EFORMAT);
    mem_free(all);
}

TEST(an_animation_that_began_anew_since_it_was_counted_is_left_alone)
{
    text said = {0};
    film(0, 20);
    const int64_t before = counted;
    REQUIRE(unlink(scratch_path("u.apng")) == 0);
    film(1000, 1030);
    counted = before;
    CHECK_STATUS(go_on(2, &said), PAV_EFORMAT);
    CHECK_EQ(take_apart("u.apng").frames, 4);
}

TEST(an_animation_that_is_gone_begins_anew_and_that_is_said)
{
    text said = {0};
    REQUIRE_OK(go_on(2, &said));
    CHECK(strstr(said.data, "u.apng is gone, and 2 pictures with it: it begins anew at "
                            "step 20"));
    text_free(&said);
    REQUIRE_OK(go_on(0, &said)); /* a new output */
    CHECK(said.length == 0);
}

TEST(an_animation_of_another_output_is_left_alone)
{
    text said = {0};
    film(0, 30);
    CHECK_STATUS(go_on(0, &said), PAV_EFORMAT);
    CHECK(strstr(pav_message(), "had no such output: move it away"));
    CHECK_EQ(take_apart("u.apng").frames, 4);
}

/* ---- one range of colours ---------------------------------------------------------- */

/* Pictures of steps `from` to 50; each has a point of 0 and others of the step. */
static void film_over_frames(const series_style *s_style, int64_t from, int64_t to)
{
    series *s;
    text path = {0}, said = {0};
    const view v = shown_view(PAV_F32, 6, 5, 1);
    io_frame f = named(&v);
    series_past past = {.frame = f, .step = from, .frames = from / 10, .bytes = counted};
    REQUIRE_OK(series_open(scratch_path("u.apng"), s_style, &s));
    REQUIRE_OK(series_resume(s, &past, &said));
    for (f.step = from; f.step <= to; f.step += 10) {
        for (int64_t n = 0; n < 30; n++)
            ((float *)v.data)[n] = n % 7 ? (float)f.step : 0;
        REQUIRE_OK(series_add(s, &f, &path));
        counted = f.step == 10 ? series_bytes(s) : counted;
    }
    REQUIRE_OK(series_settle(s));
    series_close(s);
    text_free(&said);
    text_free(&path);
}

static const series_style over = {.numbered = true, .over_frames = true, .every = 10};

TEST(an_animation_has_the_colours_of_the_range_of_all_its_pictures)
{
    int64_t length, other;
    film_over_frames(&over, 0, 50);
    char *grown = scratch_read("u.apng", &length);
    REQUIRE(unlink(scratch_path("u.apng")) == 0);
    film_over_frames(&(series_style){.numbered = true, .ranged = true, .range = {0, 50}},
                     0, 50);
    char *given = scratch_read("u.apng", &other);
    CHECK_EQ(length, other);
    CHECK(memcmp(grown, given, (size_t)length) == 0);
    CHECK(take_apart("u.apng").whole);
    mem_free(grown);
    mem_free(given);
}

TEST(an_animation_of_a_restarted_run_has_the_range_of_all_its_pictures)
{
    int64_t length, other;
    film_over_frames(&over, 0, 50);
    char *unbroken = scratch_read("u.apng", &length);
    REQUIRE(unlink(scratch_path("u.apng")) == 0);
    film_over_frames(&over, 0, 30);
    film_over_frames(&over, 20, 50);
    char *resumed = scratch_read("u.apng", &other);
    CHECK_EQ(length, other);
    CHECK(memcmp(unbroken, resumed, (size_t)length) == 0);
    mem_free(unbroken);
    mem_free(resumed);
}
