/* SPDX-License-Identifier: BSD-3-Clause */
/* catalogue_lattice.c: the lattice Boltzmann method, D3Q19 with a single relaxation time.
 *
 * The fields store populations after collision, minus their weights, so that 16 bits
 * suffice for the difference from rest. g0 is the population at rest; pairs of opposite
 * directions follow: g1 and g2, and so on. Each step pulls the populations from the
 * neighbours upstream. If the neighbour lies beyond a wall, the opposite population of
 * the point itself bounces back, halfway between points. The wall z+ moves along x. */
#include "lang/lang_private.h"

enum { PAIRS = 9 };
static const int along[PAIRS][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},
                                    {1, 1, 0},  {1, -1, 0}, {1, 0, 1},
                                    {1, 0, -1}, {0, 1, 1},  {0, 1, -1}};

/* Population 2*pair + 1 moves along the direction of its pair, the next population
 * against it. */
static int part_of(int population, int axis)
{
    const int sign = population % 2 ? 1 : -1;
    return sign * along[(population - 1) / 2][axis];
}

static const char *weight_of(int population)
{
    return (population - 1) / 2 < 3 ? "1/18" : "1/36";
}

/* Writes the velocity components along a pair's direction: "+ ux - uy". */
static void add_along(int pair, const char *const *velocity, text *t)
{
    for (int axis = 0; axis < 3; axis++)
        if (along[pair][axis])
            text_add(t, " %c %s", along[pair][axis] > 0 ? '+' : '-', velocity[axis]);
}

static void add_fields(const char *stored, text *t)
{
    static const char *const velocity[] = {"u0", "v0", "w0"};

    text_add(t,
             "let u0 = 0.05*sin(2*pi*y/ny); v0 = 0.03*sin(2*pi*z/nz); "
             "w0 = 0.04*sin(2*pi*x/nx)\nfield g0%s = 0.001*random(0)\n",
             stored);
    for (int n = 1; n <= 2 * PAIRS; n++) {
        text_add(t, "field g%d%s = %s*(%s3*(0", n, stored, weight_of(n),
                 n % 2 ? "" : "-");
        add_along((n - 1) / 2, velocity, t);
        text_add(t, ") + 0.01*random(%d))\n", n);
    }
}

/* ---- streaming --------------------------------------------------------------------- */

/* Names the walls upstream of population n, "W or S"; the axis `without` is left out. */
static void add_walls(int n, int without, text *t)
{
    static const char *const low[] = {"W", "S", "B"}, *const high[] = {"E", "N", "T"};
    bool any = false;

    for (int axis = 0; axis < 3; axis++) {
        const int part = part_of(n, axis);
        if (part == 0 || axis == without)
            continue;
        text_add(t, "%s%s", any ? " or " : "", part > 0 ? low[axis] : high[axis]);
        any = true;
    }
}

static void add_pulled(int n, text *t)
{
    text_add(t, "g%d[%d,%d,%d]", n, -part_of(n, 0), -part_of(n, 1), -part_of(n, 2));
}

static void add_returned(int n, text *t)
{
    const int opposite = n % 2 ? n + 1 : n - 1;
    const int slid = part_of(n, 2) < 0 ? part_of(n, 0) : 0;

    if (slid)
        text_add(t, "where(T, g%d %c lid/6, where(", opposite, slid > 0 ? '+' : '-');
    else
        text_add(t, "where(");
    add_walls(n, slid ? 2 : -1, t);
    text_add(t, ", g%d, ", opposite);
    add_pulled(n, t);
    text_add(t, slid ? "))" : ")");
}

static void add_streaming(bool walls, text *t)
{
    if (walls)
        text_add(t, "param lid = 0.05\nlet W = x == 0; E = x == nx - 1; S = y == 0; "
                    "N = y == ny - 1; B = z == 0; T = z == nz - 1\n");
    text_add(t, "let s0 = g0\n");
    for (int n = 1; n <= 2 * PAIRS; n++) {
        text_add(t, "let s%d = ", n);
        if (walls)
            add_returned(n, t);
        else
            add_pulled(n, t);
        text_add(t, "\n");
    }
}

/* ---- collision --------------------------------------------------------------------- */

static void add_flow(const char *name, int axis, text *t)
{
    text_add(t, "let %s = (", name);
    for (int n = 1, any = 0; n <= 2 * PAIRS; n++) {
        const int part = part_of(n, axis);
        if (part)
            text_add(t, "%s%ss%d", any++ ? " " : "", part > 0 ? "+ " : "- ", n);
    }
    text_add(t, ")*less\n");
}

static void add_collision(text *t)
{
    static const char *const velocity[] = {"ux", "uy", "uz"};

    text_add(t, "let more = s0");
    for (int n = 1; n <= 2 * PAIRS; n++)
        text_add(t, " + s%d", n);
    text_add(t, "\nlet rho = 1 + more\nlet less = 1/rho\n");
    for (int axis = 0; axis < 3; axis++)
        add_flow(velocity[axis], axis, t);
    text_add(t, "let rest = more - 1.5*rho*(ux^2 + uy^2 + uz^2)\n"
                "g0' = (1 - om)*s0 + om/3*rest\n");
    for (int pair = 0; pair < PAIRS; pair++) {
        const char *weight = weight_of(2 * pair + 1);
        text_add(t, "let c%d = 0", pair);
        add_along(pair, velocity, t);
        text_add(t, "\nlet even%d = om*%s*(rest + 4.5*rho*c%d^2)\n", pair, weight, pair);
        text_add(t, "let odd%d = 3*om*%s*rho*c%d\n", pair, weight, pair);
        text_add(t, "g%d' = (1 - om)*s%d + (even%d + odd%d)\n", 2 * pair + 1,
                 2 * pair + 1, pair, pair);
        text_add(t, "g%d' = (1 - om)*s%d + (even%d - odd%d)\n", 2 * pair + 2,
                 2 * pair + 2, pair, pair);
    }
}

void catalogue_write_lattice(const catalogue_word *w, text *t)
{
    static const char *const stored[] = {"", " stored f16", " stored bf16"};
    const bool walls = catalogue_value(w, "walls") > 0;

    text_add(t, "param om = 1/");
    text_add_double(t, catalogue_value(w, "tau"));
    text_add(t, "\n");
    add_fields(stored[(int)catalogue_value(w, "stored")], t);
    add_streaming(walls, t);
    add_collision(t);
    text_add(t, walls ? "border = 0 beyond" : "border periodic");
}
