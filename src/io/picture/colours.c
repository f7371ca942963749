/* SPDX-License-Identifier: BSD-3-Clause */
/* Colour maps: nine evenly spaced colours each, joined by smooth curves in sRGB.
 * Lightness rises evenly, or falls evenly from a neutral middle, so equal steps of the
 * value look equal. A diverging map has its middle at 0 and the same slope on both
 * sides. */
#include <math.h>
#include <string.h>

#include "io/io_private.h"

enum { STOPS = 9 };

struct colour_map {
    const char *name;
    bool diverging;
    rgb not_finite;
    uint32_t stop[STOPS]; /* 0xrrggbb */
};

static const colour_map maps[] = {
    {"viridis",
     false,
     {255, 70, 160},
     {0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30,
      0xfde725}},
    {"magma",
     false,
     {60, 220, 120},
     {0x000004, 0x1c1044, 0x4f127b, 0x812581, 0xb5367a, 0xe55064, 0xfb8761, 0xfec287,
      0xfcfdbf}},
    {"inferno",
     false,
     {60, 220, 160},
     {0x000004, 0x1f0c48, 0x550f6d, 0x88226a, 0xba3655, 0xe35933, 0xf98c0a, 0xf9c932,
      0xfcffa4}},
    {"grey",
     false,
     {255, 70, 160},
     {0x000000, 0x202020, 0x404040, 0x606060, 0x808080, 0x9f9f9f, 0xbfbfbf, 0xdfdfdf,
      0xffffff}},
    {"seismic",
     true,
     {60, 200, 90},
     {0x081d58, 0x1f4fa3, 0x4a8fd0, 0xa6cdea, 0xf7f7f7, 0xf6bfa4, 0xdf7050, 0xb02334,
      0x67001f}},
};

const colour_map *colours_find(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(maps); i++)
        if (strcmp(maps[i].name, name) == 0)
            return &maps[i];
    return NULL;
}

bool colours_known(const char *name)
{
    return colours_find(name) != NULL;
}

const char *colours_list(void)
{
    return "viridis, magma, inferno, grey, seismic";
}

/* The position of a value in the map, 0 to 1. */
static double place_of(const colour_map *map, double value, double from, double to)
{
    const double middle = fmax(fabs(from), fabs(to));
    const double place = map->diverging && from < 0 && to > 0
                             ? 0.5 + 0.5 * (value / middle)
                             : (value / 2 - from / 2) / (to / 2 - from / 2);

    return fmin(fmax(place, 0), 1);
}

/* One colour channel on the Catmull-Rom curve from stop b to stop c, with a and d beside
 * them. */
static uint8_t between(const uint32_t stop[4], int shift, double t)
{
    const double a = stop[0] >> shift & 255U, b = stop[1] >> shift & 255U;
    const double c = stop[2] >> shift & 255U, d = stop[3] >> shift & 255U;
    const double cubic = 3 * (b - c) + d - a, square = 2 * a - 5 * b + 4 * c - d;
    const double value = b + t / 2 * (c - a + t * (square + t * cubic));

    return (uint8_t)(fmin(fmax(value, 0), 255) + 0.5);
}

rgb colours_at(const colour_map *map, double value, double from, double to)
{
    if (!isfinite(value))
        return map->not_finite;
    const double place = place_of(map, value, from, to) * (STOPS - 1);
    const int b = place < STOPS - 2 ? (int)place : STOPS - 2;
    const uint32_t stop[4] = {map->stop[b > 0 ? b - 1 : 0], map->stop[b],
                              map->stop[b + 1],
                              map->stop[b < STOPS - 2 ? b + 2 : STOPS - 1]};
    return (rgb){between(stop, 16, place - b), between(stop, 8, place - b),
                 between(stop, 0, place - b)};
}

rgb colours_not_finite(const colour_map *map)
{
    return map->not_finite;
}
