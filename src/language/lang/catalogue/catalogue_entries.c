/* SPDX-License-Identifier: BSD-3-Clause */
/* The programs of the catalogue. Each program is stable for the ranges of its keys, on
 * every extent allowed by its borders. Its initial values differ at every point, and its
 * values stay bounded. A new program needs one row here, and one or two words in
 * catalogue.c. */
#include "lang/lang_private.h"

/* ---- the lattice Boltzmann method -------------------------------------------------- */

/* The lattice Boltzmann method, D3Q19 with a single relaxation time.
 *
 * The fields store populations after collision, minus their weights, so that 16 bits
 * suffice for the difference from rest. g0 is the population at rest; pairs of opposite
 * directions follow: g1 and g2, and so on. Each step pulls the populations from the
 * neighbours upstream. If the neighbour lies beyond a wall, the opposite population of
 * the point itself bounces back, halfway between points. The wall z+ moves along x. */

enum { PAIRS = 9 };
static const int along[PAIRS][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},
                                    {1, 1, 0},  {1, -1, 0}, {1, 0, 1},
                                    {1, 0, -1}, {0, 1, 1},  {0, 1, -1}};

/* Population 2*pair + 1 moves along the direction of its pair, the next population
 * against it. */
static int part_of(int population, int axis)
{
    return (population % 2 ? 1 : -1) * along[(population - 1) / 2][axis];
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

/* ---- moments ----------------------------------------------------------------------- */

/* With kept=moments the fields are ten moments after collision: m, the density minus 1;
 * j, the momentum; q, the second moments minus those at rest of this density. Populations
 * are their sums of Hermite's polynomials, of second order (regularised: Latt and
 * Chopard, 2006). Here g0 to g18 are lets: 36 times the populations, and for g1 to g6 18
 * times, which spares products at all neighbours. Streaming is the same. */
static void add_moments(const char *stored, text *t)
{
    static const char *const of_pair[] = {"xx", "yy", "zz", "xy", "xz", "yz"};

    text_add(t, "field m%s = 0.001*random(0)\n", stored);
    for (int axis = 0; axis < 3; axis++)
        text_add(t, "field j%c%s = 0.04*sin(2*pi*%c/n%c) + 0.001*random(%d)\n",
                 "xyz"[axis], stored, "yzx"[axis], "yzx"[axis], axis + 1);
    for (int k = 0; k < 6; k++)
        text_add(t, "field q%s%s = 0.001*random(%d)\n", of_pair[k], stored, k + 4);
    text_add(t, "let base = m - 1.5*(qxx + qyy + qzz); g0 = 12*base\n");
    for (int pair = 0; pair < PAIRS; pair++) {
        const char *axes = of_pair[pair < 3 ? pair : 3 + (pair - 3) / 2];
        const char x = axes[0], y = axes[1];
        const char sign = along[pair][y - 'x'] > 0 ? '+' : '-';
        if (x == y)
            text_add(t, "let a%d = base + 4.5*q%s; b%d = j%c\n", pair, axes, pair, x);
        else
            text_add(t,
                     "let a%d = base + 4.5*(q%c%c + q%c%c) %c 9*q%s; "
                     "b%d = j%c %c j%c\n",
                     pair, x, x, y, y, sign, axes, pair, x, sign, y);
        text_add(t, "let g%d = a%d + 3*b%d; g%d = a%d - 3*b%d\n", 2 * pair + 1, pair,
                 pair, 2 * pair + 2, pair, pair);
    }
}

/* ---- streaming --------------------------------------------------------------------- */

static void add_pulled(int n, text *t)
{
    text_add(t, "g%d[%d,%d,%d]", n, -part_of(n, 0), -part_of(n, 1), -part_of(n, 2));
}

static void add_returned(int n, bool moments, text *t)
{
    const int opposite = n % 2 ? n + 1 : n - 1;
    const int slid = part_of(n, 2) < 0 ? part_of(n, 0) : 0;

    if (slid)
        text_add(t, "where(T, g%d %c lid*%s, where(", opposite, slid > 0 ? '+' : '-',
                 moments ? "6" : "1/6");
    else
        text_add(t, "where(");
    /* Names the walls upstream of population n, "W or S"; the axis `without` is left
     * out. */
    static const char *const low[] = {"W", "S", "B"}, *const high[] = {"E", "N", "T"};
    bool any = false;
    for (int axis = 0; axis < 3; axis++) {
        const int part = part_of(n, axis);
        if (part == 0 || axis == (slid ? 2 : -1))
            continue;
        text_add(t, "%s%s", any ? " or " : "", part > 0 ? low[axis] : high[axis]);
        any = true;
    }
    text_add(t, ", g%d, ", opposite);
    add_pulled(n, t);
    text_add(t, slid ? "))" : ")");
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

/* The moments after collision. Populations are added by the plane they come from, so a
 * sweep along z keeps sums of a plane instead of the plane. */
static void add_collision_of_moments(text *t)
{
    text_add(
        t, "let upxx = s11 + s14; upx = s11 - s14; upyy = s15 + s18; upy = s15 - s18\n"
           "let downxx = s13 + s12; downx = s13 - s12; downyy = s17 + s16; "
           "downy = s17 - s16\n"
           "let up = 2*s5 + (upxx + upyy); down = 2*s6 + (downxx + downyy)\n"
           "let rising = s7 + s8; rise = s7 - s8; falling = s9 + s10; fall = s9 - s10\n"
           "let faces = s1 + s2; corners = rising + falling; ends = up + down\n"
           "let midxx = 2*faces + corners; midx = 2*(s1 - s2) + (rise + fall)\n"
           "let midyy = 2*(s3 + s4) + corners; midy = 2*(s3 - s4) + (rise - fall)\n"
           "let all = ends + ((s0 + 2*faces) + midyy); third = all*(1/3)\n"
           "let px = ((upx + downx) + midx)*(1/36); py = ((upy + downy) + midy)*(1/36)\n"
           "let pz = (up - down)*(1/36); more = all*(1/36); rate = om/(1 + more)\n"
           "let ux = rate*px; uy = rate*py; uz = rate*pz; left = (1 - om)/36\n"
           "m' = more\njx' = px\njy' = py\njz' = pz\n"
           "qxx' = left*((upxx + downxx) + midxx - third) + ux*px\n"
           "qyy' = left*((upyy + downyy) + midyy - third) + uy*py\n"
           "qzz' = left*(ends - third) + uz*pz\n"
           "qxy' = left*(rising - falling) + ux*py\n"
           "qxz' = left*(upx - downx) + ux*pz\n"
           "qyz' = left*(upy - downy) + uy*pz\n");
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
        text_add(t,
                 "\nlet even%d = om*%s*(rest + 4.5*rho*c%d^2)\n"
                 "let odd%d = 3*om*%s*rho*c%d\n"
                 "g%d' = (1 - om)*s%d + (even%d + odd%d)\n"
                 "g%d' = (1 - om)*s%d + (even%d - odd%d)\n",
                 pair, weight, pair, pair, weight, pair, 2 * pair + 1, 2 * pair + 1, pair,
                 pair, 2 * pair + 2, 2 * pair + 2, pair, pair);
    }
}

void catalogue_write_lattice(const catalogue_word *w, text *t)
{
    static const char *const stored[] = {"", " stored f16", " stored bf16"};
    const bool walls = catalogue_value(w, "walls") > 0;
    const bool moments = catalogue_value(w, "kept") > 0;

    text_add_values(t, "param om = 1/%g\n", catalogue_value(w, "tau"));
    (moments ? add_moments : add_fields)(stored[(int)catalogue_value(w, "stored")], t);
    if (walls)
        text_add(t, "param lid = 0.05\nlet W = x == 0; E = x == nx - 1; S = y == 0; "
                    "N = y == ny - 1; B = z == 0; T = z == nz - 1\n");
    text_add(t, "let s0 = g0\n");
    for (int n = 1; n <= 2 * PAIRS; n++) {
        text_add(t, "let s%d = ", n);
        if (walls)
            add_returned(n, moments, t);
        else
            add_pulled(n, t);
        text_add(t, "\n");
    }
    (moments ? add_collision_of_moments : add_collision)(t);
    text_add(t, walls ? "border = 0 beyond" : "border periodic");
}

/* ---- entries ----------------------------------------------------------------------- */

/* clang-format off */
const catalogue_entry catalogue_table[] = {
    {"star1d", "weighted mean over a star of radius r; weights distinct, or c=symmetric",
     1, {16777216}, "",
     {{"r", KEY_INTEGER, 1, 1, 16, NULL},
      {"c", KEY_CHOICE, 0, 0, 1, "distinct|symmetric"}},
     "field u = sin(0.3*x) + 0.5*random(1)\n$star\nu' = s(u)\nborder u = 0\n"},
    {"star2d", "weighted mean over a star of radius r; weights distinct, or c=symmetric",
     2, {4096, 4096}, "",
     {{"r", KEY_INTEGER, 1, 1, 16, NULL},
      {"c", KEY_CHOICE, 0, 0, 1, "distinct|symmetric"}},
     "field u = sin(0.3*x + 0.2*y) + 0.5*random(1)\n$star\nu' = s(u)\nborder u = 0\n"},
    {"star3d", "weighted mean over a star of radius r; weights distinct, or c=symmetric",
     3, {256, 256, 256}, "",
     {{"r", KEY_INTEGER, 1, 1, 16, NULL},
      {"c", KEY_CHOICE, 0, 0, 1, "distinct|symmetric"}},
     "field u = sin(0.3*x + 0.2*y + 0.1*z) + 0.5*random(1)\n$star\nu' = s(u)\n"
     "border u = 0\n"},
    {"box2d", "weighted mean over a square of (2r+1)^2 points, weights all distinct",
     2, {4096, 4096}, "", {{"r", KEY_INTEGER, 1, 1, 8, NULL}},
     "field u = sin(0.3*x + 0.2*y) + 0.5*random(1)\n$box\nu' = s(u)\nborder u = 0\n"},
    {"box3d", "weighted mean over a cube of (2r+1)^3 points, weights all distinct",
     3, {256, 256, 256}, "", {{"r", KEY_INTEGER, 1, 1, 4, NULL}},
     "field u = sin(0.3*x + 0.2*y + 0.1*z) + 0.5*random(1)\n$box\nu' = s(u)\n"
     "border u = 0\n"},
    {"sym27", "27 points, one weight a class: c0 to c3, or a heat step by preset=fe|fd",
     3, {256, 256, 256}, "",
     {{"preset", KEY_CHOICE, 0, 0, 2, "none|fe|fd"}, {"c0", KEY_REAL, 0.3, -1, 1, NULL},
      {"c1", KEY_REAL, 0.06, -1, 1, NULL}, {"c2", KEY_REAL, 0.02, -1, 1, NULL},
      {"c3", KEY_REAL, 0.0125, -1, 1, NULL}},
     "field u = sin(0.3*x + 0.2*y + 0.1*z) + 0.5*random(1)\n$classes\nu' = s(u)\n"
     "border u = 0\n"},
    {"heat1d", "heat equation, explicit steps of a = diffusivity*dt/h^2",
     1, {16777216}, "", {{"a", KEY_REAL, 0.25, 0, 0.5, NULL}},
     "field u = exp(-(x - nx/2)^2/(1 + nx^2/50)) + 0.1*random(1)\nparam a = $a\n"
     "u' = u + a*(u[1] + u[-1] - 2*u)\nborder u = 0\n"},
    {"heat2d", "heat equation, explicit steps of a = diffusivity*dt/h^2",
     2, {4096, 4096}, "", {{"a", KEY_REAL, 0.125, 0, 0.25, NULL}},
     "field u = exp(-((x - nx/2)^2 + (y - ny/2)^2)/(1 + nx^2/50)) + 0.1*random(1)\n"
     "param a = $a\n"
     "u' = u + a*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1] - 4*u)\nborder u = 0\n"},
    {"heat3d", "heat equation, explicit steps of a = diffusivity*dt/h^2",
     3, {256, 256, 256}, "", {{"a", KEY_REAL, 0.1, 0, 0.1666, NULL}},
     "field u = exp(-((x - nx/2)^2 + (y - ny/2)^2 + (z - nz/2)^2)/(1 + nx^2/50)) + "
     "0.1*random(1)\nparam a = $a\n"
     "u' = u + a*(u[1,0,0] + u[-1,0,0] + u[0,1,0] + u[0,-1,0] + u[0,0,1] + u[0,0,-1] - "
     "6*u)\n"
     "border u = 0\n"},
    {"wave2d", "acoustic waves, velocity per point, any order in space, 2nd in time",
     2, {4096, 4096}, " spacing 10",
     {{"order", KEY_EVEN, 8, 2, 16, NULL}, {"absorb", KEY_INTEGER, 0, 0, 1000, NULL},
      {"layer", KEY_CHOICE, 0, 0, 1, "sponge|pml"}},
     "field u = exp(-((x/h - nx/2)^2 + (y/h - ny/2)^2)/20) + 0.01*random(1)\n"
     "field c = 1500 + 300*sin(0.05*y/h) + 200*random(2)\n"
     "param dt = 0.36*h/max(c)\n"
     "u' = 2*u - prev(u) + dt^2*c^2*laplace(u, order $order)\n$layer\nborder u = 0\n"},
    {"wave3d", "acoustic waves, velocity per point, any order in space, 2nd in time",
     3, {256, 256, 256}, " spacing 10",
     {{"order", KEY_EVEN, 8, 2, 16, NULL}, {"absorb", KEY_INTEGER, 0, 0, 1000, NULL},
      {"layer", KEY_CHOICE, 0, 0, 1, "sponge|pml"}},
     "field u = exp(-((x/h - nx/2)^2 + (y/h - ny/2)^2 + (z/h - nz/2)^2)/20) + "
     "0.01*random(1)\n"
     "field c = 1500 + 300*sin(0.05*z/h) + 200*random(2)\n"
     "param dt = 0.36*h/max(c)\n"
     "u' = 2*u - prev(u) + dt^2*c^2*laplace(u, order $order)\n$layer\nborder u = 0\n"},
    {"jacobi2d", "Jacobi steps for -laplace(u) = f, f a spike in the middle",
     2, {4096, 4096}, "", {{0}},
     "field u = 0.1*random(1)\n"
     "field f = where(x == floor(nx/2) and y == floor(ny/2), 1, 0)\n"
     "u' = (u[1,0] + u[-1,0] + u[0,1] + u[0,-1] + f)/4\nborder u = 0\n"},
    {"grayscott2d", "Gray-Scott reaction and diffusion, two fields, periodic",
     2, {4096, 4096}, "",
     {{"F", KEY_REAL, 0.037, 0, 0.1, NULL}, {"k", KEY_REAL, 0.06, 0, 0.1, NULL},
      {"Du", KEY_REAL, 0.2, 0, 0.2, NULL},
      {"Dv", KEY_REAL, 0.1, 0, 0.2, NULL}},
     "param F = $F; k = $k; Du = $Du; Dv = $Dv\n"
     "let seed = where(abs(x - nx/2) < 1 + nx/10 and abs(y - ny/2) < 1 + ny/10, 1, 0)\n"
     "field u = 1 - 0.5*seed - 0.02*random(1)\nfield v = 0.25*seed + 0.02*random(2)\n"
     "u' = u + Du*laplace(u) - u*v^2 + F*(1 - u)\n"
     "v' = v + Dv*laplace(v) + u*v^2 - (F + k)*v\nborder periodic\n"},
    {"grayscott3d", "Gray-Scott reaction and diffusion, two fields, periodic",
     3, {256, 256, 256}, "",
     {{"F", KEY_REAL, 0.037, 0, 0.1, NULL}, {"k", KEY_REAL, 0.06, 0, 0.1, NULL},
      {"Du", KEY_REAL, 0.1, 0, 0.12, NULL},
      {"Dv", KEY_REAL, 0.05, 0, 0.12, NULL}},
     "param F = $F; k = $k; Du = $Du; Dv = $Dv\n"
     "let seed = where(abs(x - nx/2) < 1 + nx/10 and abs(y - ny/2) < 1 + ny/10 and "
     "abs(z - nz/2) < 1 + nz/10, 1, 0)\n"
     "field u = 1 - 0.5*seed - 0.02*random(1)\nfield v = 0.25*seed + 0.02*random(2)\n"
     "u' = u + Du*laplace(u) - u*v^2 + F*(1 - u)\n"
     "v' = v + Dv*laplace(v) + u*v^2 - (F + k)*v\nborder periodic\n"},
    {"elastic2d", "elastic waves: velocity and stress on a staggered grid, five fields",
     2, {2048, 2048}, "", {{"order", KEY_EVEN, 4, 2, 16, NULL}},
     "param dt = 0.36; mu = 0.3; la = 1 - 2*mu\n"
     "field vx = 0.1*random(1); field vy = exp(-((x - nx/2)^2 + (y - ny/2)^2)/10)\n"
     "field sxx = 0.1*random(2); field syy = 0.1*random(3); field sxy = 0.1*random(4)\n"
     "vx' = vx + dt*(dx(sxx, order $order, at +1/2) + dy(sxy, order $order, at -1/2))\n"
     "vy' = vy + dt*(dx(sxy, order $order, at -1/2) + dy(syy, order $order, at +1/2))\n"
     "let exx = dx(vx', order $order, at -1/2)\nlet eyy = dy(vy', order $order, at "
     "-1/2)\n"
     "sxx' = sxx + dt*((la + 2*mu)*exx + la*eyy)\n"
     "syy' = syy + dt*((la + 2*mu)*eyy + la*exx)\n"
     "sxy' = sxy + dt*mu*(dy(vx', order $order, at +1/2) + dx(vy', order $order, at "
     "+1/2))\n"
     "border = 0 beyond\n"},
    {"elastic3d", "elastic waves: velocity and stress on a staggered grid, nine fields",
     3, {192, 192, 192}, "", {{"order", KEY_EVEN, 4, 2, 16, NULL}},
     "param dt = 0.36; mu = 0.3; la = 1 - 2*mu\n"
     "field vx = 0.1*random(1); field vy = 0.1*random(2)\n"
     "field vz = exp(-((x - nx/2)^2 + (y - ny/2)^2 + (z - nz/2)^2)/10)\n"
     "field sxx = 0.1*random(3); field syy = 0.1*random(4); field szz = 0.1*random(5)\n"
     "field sxy = 0.1*random(6); field sxz = 0.1*random(7); field syz = 0.1*random(8)\n"
     "vx' = vx + dt*(dx(sxx, order $order, at +1/2) + dy(sxy, order $order, at -1/2) + "
     "dz(sxz, order $order, at -1/2))\n"
     "vy' = vy + dt*(dx(sxy, order $order, at -1/2) + dy(syy, order $order, at +1/2) + "
     "dz(syz, order $order, at -1/2))\n"
     "vz' = vz + dt*(dx(sxz, order $order, at -1/2) + dy(syz, order $order, at -1/2) + "
     "dz(szz, order $order, at +1/2))\n"
     "let exx = dx(vx', order $order, at -1/2)\nlet eyy = dy(vy', order $order, at "
     "-1/2)\n"
     "let ezz = dz(vz', order $order, at -1/2)\n"
     "sxx' = sxx + dt*(2*mu*exx + la*(exx + eyy + ezz))\n"
     "syy' = syy + dt*(2*mu*eyy + la*(exx + eyy + ezz))\n"
     "szz' = szz + dt*(2*mu*ezz + la*(exx + eyy + ezz))\n"
     "sxy' = sxy + dt*mu*(dy(vx', order $order, at +1/2) + dx(vy', order $order, at "
     "+1/2))\n"
     "sxz' = sxz + dt*mu*(dz(vx', order $order, at +1/2) + dx(vz', order $order, at "
     "+1/2))\n"
     "syz' = syz + dt*mu*(dz(vy', order $order, at +1/2) + dy(vz', order $order, at "
     "+1/2))\n"
     "border = 0 beyond\n"},
    {"maxwell2d", "Maxwell's equations (TM) around a dielectric cylinder, staggered",
     2, {2048, 2048}, "", {{"order", KEY_EVEN, 2, 2, 16, NULL}},
     "param dt = 0.44\n"
     "field Ez = 0.1*random(1); field Hx = 0.1*random(2); field Hy = 0.1*random(3)\n"
     "field eps = where((x - nx/2)^2 + (y - ny/2)^2 < 1 + nx^2/25, 4, 1)\n"
     "Hx' = Hx - dt*dy(Ez, order $order, at +1/2)\n"
     "Hy' = Hy + dt*dx(Ez, order $order, at +1/2)\n"
     "Ez' = Ez + dt/eps*(dx(Hy', order $order, at -1/2) - dy(Hx', order $order, at "
     "-1/2))\n"
     "border Ez = 0\nborder Hx, Hy = 0 beyond\n"
     "inject 0.1*sin(0.3*t) into Ez at ((nx - 1)/3, (ny - 1)/2)\n"},
    {"advect2d", "a rotating flow carries a bump, first-order upwind",
     2, {4096, 4096}, "", {{"cfl", KEY_REAL, 0.8, 0, 1, NULL}},
     "param c = $cfl\n"
     "field u = exp(-((x - nx/2)^2 + (y - ny/3)^2)/(1 + nx^2/100)) + 0.1*random(1)\n"
     "field a = (y - (ny - 1)/2)/ny; field b = ((nx - 1)/2 - x)/nx\n"
     "let flow_x = where(a > 0, a*(u - u[-1,0]), a*(u[1,0] - u))\n"
     "let flow_y = where(b > 0, b*(u - u[0,-1]), b*(u[0,1] - u))\n"
     "u' = u - c*(flow_x + flow_y)\nborder clamp u\n"},
    {"burgers1d", "Burgers' equation, Rusanov's flux, periodic",
     1, {16777216}, "", {{"cfl", KEY_REAL, 0.5, 0, 0.9, NULL}},
     "param c = $cfl\nfield u = sin(2*pi*x/nx) + 0.1*random(1)\n"
     "let flux = 0.25*(u^2 + u[1]^2) - 0.5*max(abs(u), abs(u[1]))*(u[1] - u)\n"
     "u' = u - c*(flux - flux[-1])\nborder periodic\n"},
    {"aniso2d", "anisotropic diffusion: the fast direction turns from place to place",
     2, {4096, 4096}, "", {{0}},
     "param dt = 0.1\n"
     "field u = exp(-((x - nx/2)^2 + (y - ny/2)^2)/(1 + nx^2/50)) + 0.1*random(1)\n"
     "let phi = pi*(x/nx + y/ny)\n"
     "field kxx = 0.1 + 0.9*cos(phi)^2; field kyy = 0.1 + 0.9*sin(phi)^2\n"
     "field kxy = 0.9*sin(phi)*cos(phi)\n"
     "let flow = dx(kxx*dx(u, at +1/2), at -1/2) + dy(kyy*dy(u, at +1/2), at -1/2)\n"
     "u' = u + dt*(flow + dx(kxy*dy(u)) + dy(kxy*dx(u)))\nborder neumann\n"},
    {"blur3d", "the 27-point binomial filter on a noisy ball",
     3, {256, 256, 256}, "", {{0}},
     "field u = where((x - nx/2)^2 + (y - ny/2)^2 + (z - nz/2)^2 < 1 + nx^2/9, 1, 0) + "
     "0.2*random(1)\n"
     "stencil blur { centre 8/64; face 4/64; edge 2/64; corner 1/64 }\n"
     "u' = blur(u)\nborder clamp u\n"},
    {"lbm3d", "lattice Boltzmann, D3Q19, in a periodic box or under a moving lid",
     3, {128, 128, 128}, "",
     {{"tau", KEY_REAL, 0.8, 0.55, 5, NULL},
      {"walls", KEY_CHOICE, 0, 0, 1, "none|all"},
      {"stored", KEY_CHOICE, 0, 0, 2, "real|f16|bf16"},
      {"kept", KEY_CHOICE, 0, 0, 1, "populations|moments"}},
     "$lattice\n"},
};
/* clang-format on */

const int catalogue_entries = COUNT_OF(catalogue_table);
