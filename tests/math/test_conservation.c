/* SPDX-License-Identifier: BSD-3-Clause */
/* Conservation: schemes in flux form keep their sum up to rounding, and staggered
 * leapfrog schemes keep their energy. In this energy, one of the two kinds of field is
 * taken at two neighbouring times. */
#include "trial.h"

/* The description measures `e` after many steps. */
typedef struct conserving {
    const char *name, *text;
    double tolerance; /* relative to e, of order 1 */
} conserving;

static const conserving sums[] = {
    {"heat between insulating walls",
     "grid x 31, y 20\nfield u = random(1)\nu' = u + 0.2*laplace(u)\nborder mirror u\n"
     "param all = sum(u)\nmeasure e = sum(u)/all\n",
     1e-13},
    {"heat around a torus",
     "grid x 16, y 9, z 13\nfield u = random(2)\nu' = u + 0.15*laplace(u)\n"
     "border periodic\nparam all = sum(u)\nmeasure e = sum(u)/all\n",
     1e-13},
    {"diffusion in flux form through uneven rock",
     "grid x 31, y 20\nfield u = random(1)\nfield k = 0.2 + random(2)\n"
     "let fx = (k + k[1,0])/2*dx(u, at +1/2)\nlet fy = (k + k[0,1])/2*dy(u, at +1/2)\n"
     "u' = u + 0.1*(dx(fx, at -1/2) + dy(fy, at -1/2))\nborder mirror\n"
     "param all = sum(u)\nmeasure e = sum(u)/all\n",
     1e-13},
    {"upwind advection in flux form, the wind varying",
     "grid x 40, y 30\nfield u = random(1)\nfield a = random(2) - 0.5\n"
     "let flux = where(a > 0, a*u, a*u[1,0])\nu' = u - 0.5*(flux - flux[-1,0])\n"
     "border periodic\nparam all = sum(u)\nmeasure e = sum(u)/all\n",
     1e-13},
    {"Burgers' equation with Rusanov's flux",
     "grid x 100\nfield u = 1 + sin(2*pi*x/nx)\n"
     "let flux = 0.25*(u^2 + u[1]^2) - 0.5*max(abs(u), abs(u[1]))*(u[1] - u)\n"
     "u' = u - 0.4*(flux - flux[-1])\nborder periodic\n"
     "param all = sum(u)\nmeasure e = sum(u)/all\n",
     1e-13},
    {"the 27-point filter between walls",
     "grid x 9, y 8, z 11\nfield u = random(1)\n"
     "stencil s { centre 8/64; face 4/64; edge 2/64; corner 1/64 }\nu' = s(u)\n"
     "border mirror\nparam all = sum(u)\nmeasure e = sum(u)/all\n",
     1e-13},
    {"phase separation",
     "grid x 32, y 32\nfield u = 1 + 0.2*(random(1) - 0.5)\n"
     "let potential = u^3 - u - 0.5*laplace(u)\nu' = u + 0.01*laplace(potential)\n"
     "border periodic\nparam all = sum(u)\nmeasure e = sum(u)/all\n",
     1e-13},
};

static void check_kept(const conserving *c)
{
    trial t;
    trial_open(&t, "%s", c->text);
    const double before = trial_get(&t, "e");
    trial_step(&t, 200);
    CHECK_NEAR(trial_get(&t, "e"), before, c->tolerance);
    trial_close(&t);
}

TEST(schemes_in_flux_form_keep_their_sum)
{
    for (size_t k = 0; k < sizeof sums / sizeof *sums; k++)
        check_kept(&sums[k]);
}

/* The same scheme with a border that loses heat: the sum must fall, so the tests above
 * can fail. */
TEST(heat_between_cold_walls_is_not_kept)
{
    const double left = trial_end("grid x 31, y 20\nfield u = random(1)\n"
                                  "u' = u + 0.2*laplace(u)\nborder u = 0\nsteps 200\n"
                                  "param all = sum(u)\nmeasure e = sum(u)/all\n");
    CHECK(left < 0.5 && left > 0);
}

/* e is the energy after a step; prev() gives the fields of the other half of the
 * leapfrog. */
static const conserving energies[] = {
    {"waves: kinetic energy, and potential energy between two levels",
     "grid x 30, y 22\nparam s = 0.2\nfield u = random(1)\nprev(u) = random(2)\n"
     "u' = 2*u - prev(u) + s*laplace(u, order 4)\nborder periodic\n"
     "let kinetic = sum((u - prev(u))^2)\nlet potential = -s*sum(u*laplace(prev(u), "
     "order 4))\n"
     "measure e = (kinetic + potential)/100\n",
     1e-11},
    {"Maxwell's equations in a box of mirrors",
     "grid x 25, y 18\nparam dt = 0.6\nfield Ez = random(1)\nfield Hx; field Hy\n"
     "field eps = 1 + random(4)\n"
     "Hx' = Hx - dt*dy(Ez, at +1/2)\nHy' = Hy + dt*dx(Ez, at +1/2)\n"
     "Ez' = Ez + dt/eps*(dx(Hy', at -1/2) - dy(Hx', at -1/2))\n"
     "border Ez = 0\nborder Hx, Hy = 0 beyond\n"
     "measure e = (sum(Hx^2 + Hy^2) + sum(eps*Ez*prev(Ez)))/100\n",
     1e-11},
    {"elastic waves on a staggered grid, materials varying",
     "grid x 24, y 17\nparam dt = 0.3\n"
     "field la = 0.5 + random(6); field mu = 0.5 + random(7); field rho = 1 + random(8)\n"
     "field vx = random(1); field vy = random(2)\n"
     "field sxx = random(3); field syy = random(4); field sxy = random(5)\n"
     "vx' = vx + dt/rho*(dx(sxx, order 4, at +1/2) + dy(sxy, order 4, at -1/2))\n"
     "vy' = vy + dt/rho*(dx(sxy, order 4, at -1/2) + dy(syy, order 4, at +1/2))\n"
     "let exx = dx(vx', order 4, at -1/2)\nlet eyy = dy(vy', order 4, at -1/2)\n"
     "sxx' = sxx + dt*((la + 2*mu)*exx + la*eyy)\n"
     "syy' = syy + dt*(la*exx + (la + 2*mu)*eyy)\n"
     "sxy' = sxy + dt*mu*(dy(vx', order 4, at +1/2) + dx(vy', order 4, at +1/2))\n"
     "border periodic\n"
     "let even = (la + 2*mu)*(sxx*prev(sxx) + syy*prev(syy))\n"
     "let cross = la*(sxx*prev(syy) + syy*prev(sxx))\n"
     "let strain = (even - cross)/(4*mu*(la + mu)) + sxy*prev(sxy)/mu\n"
     "measure e = sum(rho*(vx^2 + vy^2) + strain)/100\n",
     1e-11},
};

/* The energy needs two levels, so it is measured from the first step on. */
static void check_energy(const conserving *c)
{
    trial t;
    trial_open(&t, "%s", c->text);
    trial_step(&t, 1);
    const double before = trial_get(&t, "e");
    CHECK(before > 0.1);
    trial_step(&t, 500);
    CHECK_NEAR(trial_get(&t, "e"), before, c->tolerance * before);
    trial_close(&t);
}

TEST(leapfrog_schemes_keep_their_energy)
{
    for (size_t k = 0; k < sizeof energies / sizeof *energies; k++)
        check_energy(&energies[k]);
}

/* Beyond a face an insulated mask is that of the points copied by the field's own border,
 * whatever other fields have. */
TEST(an_insulated_mask_follows_the_borders_of_each_field)
{
    static const char own[] = "field v = random(2)\nv' = v + 0.2*laplace(v)\n"
                              "border neumann v\nmask x < 9 or y > 3 insulated\nsteps 7\n"
                              "measure e = sum(v*v*(1 + x))\n";
    const double alone = trial_end("grid x 12, y 9\n%s", own);
    const double second = trial_end(
        "grid x 12, y 9\nfield u = random(1)\nu' = u + 0.1*laplace(u)\n"
        "border periodic u\n%s",
        own);
    CHECK_NEAR(second, alone, 0);
}

/* Upwind advection moves the centre of mass by the wind, even if it changes the shape. */
TEST(advection_moves_the_centre_of_mass_with_the_wind)
{
    const double e = trial_end(
        "grid x 80, y 60\nparam a = 0.4; b = -0.3\n"
        "field u = exp(-((x - 30)^2 + (y - 35)^2)/8)\n"
        "u' = u - a*(u - u[-1,0]) - b*(u[0,1] - u)\nborder periodic\nsteps 20\n"
        "param all = sum(u); x0 = sum(x*u)/all; y0 = sum(y*u)/all\n"
        "measure e = abs(sum(x*u)/all - x0 - a*step) + abs(sum(y*u)/all - y0 - "
        "b*step)\n");
    CHECK_NEAR(e, 0, 1e-11);
}
