/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures of fields, read back from their pixels. Numbers stand at the points of their
 * coordinates, colours mean the values of the legend, and NaN has a colour of its own. */
#include "seen.h"
#include "shown.h"
#include "test.h"

/* Points along an axis. Point n is at origin + (first + n*every)*tenths/10. */
typedef struct place {
    int64_t points, origin, tenths, first, every;
} place;

static io_frame lay_out(const view *v, const place *across, const place *upwards)
{
    const place *both[] = {across, upwards};
    io_frame f = frame_of_view(v, 2);
    f.name = "u";
    f.step = 100;
    f.time = 100; /* without a dt */
    for (int a = 0; a < 2; a++)
        f.scale[a] = (frame_axis){.origin = num_int(both[a]->origin),
                                  .span = num_int(both[a]->tenths),
                                  .over = num_int(10),
                                  .first = both[a]->first,
                                  .every = both[a]->every};
    return f;
}

/* Draws a frame and reads the picture. The caller frees the canvas. */
static seen draw(const series_style *style, const io_frame *f, canvas *c)
{
    frame_picture p;
    REQUIRE_OK(frame_picture_make(style, f, &p));
    REQUIRE_OK(picture_draw(&p.picture, c));
    mem_free(p.value);
    return seen_look(c);
}

static seen draw_plain(const view *v, canvas *c)
{
    const io_frame f = frame_of_view(v, 2);
    return draw(&(series_style){0}, &f, c);
}

static rgb cell_colour(const seen *s, const view *v, int64_t i, int64_t j)
{
    const seen_box *p = &s->plot;
    const int x = (int)((2 * i + 1) * p->width / (2 * v->extent[0]));
    const int y = (int)((2 * j + 1) * p->height / (2 * v->extent[1]));
    return seen_pixel(s->canvas, p->left + x, p->top + p->height - 1 - y);
}

/* ---- axes -------------------------------------------------------------------------- */

/* from: pixel of the first point's edge. pixels: length of the axis, negative upwards. */
static void check_axis(const seen_axis *a, int from, int pixels, const place *of)
{
    const double spacing = (double)(of->tenths * of->every) / 10;
    const double first = (double)of->origin + (double)(of->first * of->tenths) / 10;
    CHECK(a->count >= 2);
    for (int n = 0; n < a->count; n++) {
        const double point = (a->tick[n].value - first) / spacing;
        const double wanted = (point + 0.5) * pixels / (double)of->points;
        CHECK_NEAR(a->tick[n].at - from, wanted, 1);
    }
}

TEST(numbers_along_the_axes_stand_at_the_points_of_their_coordinates)
{
    static const place cases[][2] = {
        {{20, 0, 10, 0, 1}, {16, 0, 10, 0, 1}},       /* indices */
        {{21, -1, 1, 0, 1}, {31, 2, 5, 0, 1}},        /* an origin and two spacings */
        {{12, -1, 1, 5, 1}, {9, 0, 25, 40, 1}},       /* cropped */
        {{12, 3, 1, 0, 3}, {30, 0, 10, 7, 2}},        /* every third and second point */
        {{300, 0, 100, 0, 1}, {200, -900, 100, 0, 1}} /* points of few pixels */
    };
    for (size_t n = 0; n < COUNT_OF(cases); n++) {
        const place *across = &cases[n][0], *upwards = &cases[n][1];
        canvas c;
        const view v = shown_view(PAV_F32, across->points, upwards->points, 1);
        const io_frame f = lay_out(&v, across, upwards);
        const seen s = draw(&(series_style){0}, &f, &c);
        const seen_box *p = &s.plot;
        check_axis(&s.across, p->left, p->width, across);
        check_axis(&s.upwards, p->top + p->height - 1, -p->height, upwards);
        canvas_free(&c);
    }
}

TEST(numbers_stand_right_where_many_points_share_a_pixel)
{
    static const place across = {2400, -3, 1, 100, 2}, upwards = {20, 0, 10, 0, 1};
    canvas c;
    const view v = shown_view(PAV_F32, across.points, upwards.points, 1);
    const io_frame f = lay_out(&v, &across, &upwards);
    const seen s = draw(&(series_style){0}, &f, &c);
    CHECK_EQ(s.plot.width, 1200);
    check_axis(&s.across, s.plot.left, s.plot.width, &across);
    check_axis(&s.upwards, s.plot.top + s.plot.height - 1, -s.plot.height, &upwards);
    canvas_free(&c);
}

TEST(a_picture_says_what_it_shows_and_along_which_axes)
{
    canvas c;
    const view v = shown_view(PAV_F32, 20, 16, 1);
    io_frame f = lay_out(&v, &(place){20, 0, 10, 0, 1}, &(place){16, 0, 10, 0, 1});
    f.grid_dimensions = 3;
    f.axis[0] = 1;
    f.axis[1] = 2;
    f.scale[2] = f.scale[1];
    f.scale[0].first = 7;
    const seen s = draw(&(series_style){0}, &f, &c);
    const seen_box *p = &s.plot;
    const int below = p->top + p->height, middle = p->left + p->width / 2;
    CHECK(seen_words(&c, "u at x = 7, step 100", false,
                     (seen_box){middle - 10, 0, 20, p->top}));
    CHECK(
        seen_words(&c, "y", false, (seen_box){middle - 10, below, 20, c.height - below}));
    CHECK(seen_words(&c, "z", true,
                     (seen_box){0, p->top + p->height / 2 - 10, p->left, 20}));
    canvas_free(&c);
}

/* ---- colours ----------------------------------------------------------------------- */

/* The values of x + 10*y + 100*z go from 0 to 169 here. */
TEST(the_legend_has_the_value_of_a_cell_at_its_colour_in_every_map)
{
    char names[200];
    const view v = shown_view(PAV_F64, 20, 16, 1);
    const io_frame f = frame_of_view(&v, 2);
    strcpy(names, colours_list());
    for (char *name = strtok(names, ", "); name; name = strtok(NULL, ", ")) {
        canvas c;
        const seen s = draw(&(series_style){.picture.colours = name}, &f, &c);
        for (int64_t j = 0; j < 16; j++)
            for (int64_t i = 0; i < 20; i++) {
                int off;
                const rgb colour = cell_colour(&s, &v, i, j);
                CHECK_NEAR(seen_by_legend(&s, colour, &off), i + 10 * j, 1.5);
                CHECK(off <= 6);
            }
        canvas_free(&c);
    }
}

TEST(the_legend_is_right_where_the_weaker_sign_has_a_part_of_the_map)
{
    canvas c;
    const view v = shown_view(PAV_F64, 20, 16, 1);
    const io_frame f = frame_of_view(&v, 2);
    for (int64_t n = 0; n < 20 * 16; n++)
        ((double *)v.data)[n] -= 40;
    const seen s = draw(&(series_style){0}, &f, &c);
    for (int64_t j = 0; j < 16; j++) {
        int off;
        const rgb colour = cell_colour(&s, &v, 3, j);
        CHECK_NEAR(seen_by_legend(&s, colour, &off), 3 + 10 * j - 40, 1.5);
    }
    canvas_free(&c);
}

TEST(the_legend_spans_the_values_of_the_slice)
{
    canvas c;
    const view v = shown_view(PAV_F64, 20, 16, 1);
    const seen s = draw_plain(&v, &c);
    CHECK_NEAR(seen_value(&s.legend, s.bar.top), 169, 0.5);
    CHECK_NEAR(seen_value(&s.legend, s.bar.top + s.bar.height - 1), 0, 0.5);
    canvas_free(&c);
}

TEST(a_range_that_was_requested_is_that_of_the_legend_and_ends_the_colours)
{
    canvas c;
    const view v = shown_view(PAV_F64, 20, 16, 1);
    const io_frame f = frame_of_view(&v, 2);
    const seen s = draw(&(series_style){.ranged = true, .range = {50, 120}}, &f, &c);
    const seen_box *b = &s.bar;
    const int below = b->top + b->height - 1, x = b->left + b->width / 2;
    int off;
    CHECK_NEAR(seen_value(&s.legend, b->top), 120, 0.2);
    CHECK_NEAR(seen_value(&s.legend, below), 50, 0.2);
    CHECK_NEAR(seen_by_legend(&s, cell_colour(&s, &v, 1, 8), &off), 81, 0.6);
    (void)seen_by_legend(&s, cell_colour(&s, &v, 19, 15), &off);
    CHECK(off <= 2);
    CHECK_NEAR(seen_by_legend(&s, cell_colour(&s, &v, 19, 15), &off), 120, 0.6);
    CHECK_NEAR(seen_by_legend(&s, cell_colour(&s, &v, 0, 0), &off), 50, 0.6);
    CHECK(!colours_are_equal(seen_pixel(&c, x, b->top), seen_pixel(&c, x, below)));
    canvas_free(&c);
}

TEST(points_that_are_no_numbers_have_a_colour_that_means_no_value)
{
    int off;
    canvas c;
    const view v = shown_view(PAV_F64, 20, 16, 1);
    ((double *)v.data)[5 + 20 * 4] = NAN;
    const seen s = draw_plain(&v, &c);
    const rgb colour = cell_colour(&s, &v, 5, 4);
    const seen_box *b = &s.bar;
    const int below = b->top + b->height;
    (void)seen_by_legend(&s, colour, &off);
    CHECK(off > 60);
    CHECK(!colours_are_equal(cell_colour(&s, &v, 6, 4), colour));
    CHECK(colours_are_equal(seen_pixel(&c, b->left + b->width / 2, below + 20), colour));
    CHECK(seen_words(&c, "not finite", false,
                     (seen_box){b->left + b->width, below, c.width - b->left - b->width,
                                c.height - below}));
    CHECK_NEAR(seen_value(&s.legend, b->top), 169, 0.5);
    canvas_free(&c);
}

TEST(a_legend_without_such_points_does_not_speak_of_them)
{
    canvas c;
    const view v = shown_view(PAV_F64, 20, 16, 1);
    const seen s = draw_plain(&v, &c);
    CHECK(!seen_words(
        &c, "not finite", false,
        (seen_box){s.bar.left, s.bar.top, c.width - s.bar.left, c.height - s.bar.top}));
    canvas_free(&c);
}

/* ---- curves ------------------------------------------------------------------------ */

/* The middle of the curve's pixels in a column. */
static double curve_at(const seen *s, int x)
{
    double sum = 0;
    int count = 0;
    for (int y = s->plot.top; y < s->plot.top + s->plot.height; y++)
        if (colours_are_equal(seen_pixel(s->canvas, x, y), (rgb){38, 84, 168})) {
            sum += y;
            count++;
        }
    return sum / count;
}

TEST(a_curve_has_the_values_of_its_points_by_the_numbers_of_both_axes)
{
    canvas c;
    const view v = shown_view(PAV_F64, 61, 1, 1);
    io_frame f = lay_out(&v, &(place){61, -1, 1, 5, 2}, &(place){1, 0, 10, 0, 1});
    f.dimensions = 1;
    for (int n = 0; n < 61; n++) {
        const double x = -0.5 + 0.2 * n;
        ((double *)v.data)[n] = x * x;
    }
    const seen s = draw(&(series_style){0}, &f, &c);
    CHECK_EQ(s.bar.width, 0);
    CHECK(s.across.count >= 5 && s.upwards.count >= 3);
    for (int n = 0; n < s.across.count; n++) {
        const double x = s.across.tick[n].value;
        const double y = seen_value(&s.upwards, curve_at(&s, s.across.tick[n].at));
        CHECK_NEAR(y, x * x, 1);
    }
    canvas_free(&c);
}

TEST(a_title_has_the_label_the_time_and_the_step)
{
    float value[4] = {0, 1, 2, 3};
    const view v = {
        .type = PAV_F32, .data = value, .extent = {2, 2, 1}, .stride = {1, 2, 4}};
    io_frame f = frame_of_view(&v, 2);
    frame_picture p;
    f.name = "u";
    f.step = 40;
    f.time = 0.125;
    REQUIRE_OK(frame_picture_make(&(series_style){0}, &f, &p));
    CHECK_STR(p.head.title, "u, t = 0.125, step 40");
    mem_free(p.value);
    f.time = 40; /* without a dt */
    REQUIRE_OK(frame_picture_make(&(series_style){.label = "T (K)"}, &f, &p));
    CHECK_STR(p.head.title, "T (K), step 40");
    mem_free(p.value);
    f.timed = true; /* dt is 1 */
    REQUIRE_OK(frame_picture_make(&(series_style){.label = "T (K)"}, &f, &p));
    CHECK_STR(p.head.title, "T (K), t = 40, step 40");
    mem_free(p.value);
}
