/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors, lists and tables: the fields and statements that they stand for. */
#include "parse_helper.h"

#define FLAT "grid x 8, y 9\nfield u[2], p, f[4]\nborder periodic\n"
#define TABLES FLAT "param c = [[0,0], [1,0], [0,-1], [2,1]]; w = [1/2, 1/3, 1/6, 4]\n"

/* True if the canonical text of the description contains each line. */
static bool stands_for(const char *source, const char *lines)
{
    const char *whole = canonical(source);
    const bool there = strstr(whole, lines) != NULL;
    if (!there)
        printf("  of\n%s\n  stands\n%s\n", source, whole);
    return there;
}

TEST(a_statement_about_a_vector_is_one_for_each_component)
{
    CHECK(
        stands_for("grid x 5\nfield u[3] = [x, 2, 3]\nborder u = 0\nu' = 2*u - prev(u)\n"
                   "prev(u) = [1, 2, x]\n",
                   "field u.x = x\nfield u.y = 2\nfield u.z = 3\nborder u.x = 0\n"
                   "border u.y = 0\nborder u.z = 0\nu.x' = 2*u.x - prev(u.x)\n"
                   "u.y' = 2*u.y - prev(u.y)\nu.z' = 2*u.z - prev(u.z)\n"
                   "prev(u.x) = 1\nprev(u.y) = 2\nprev(u.z) = x\n"));
    CHECK(stands_for(
        FLAT "p' = u.x\nborder p, u = 1 at x-, x+\n",
        "border p = 1 at x-, x+\nborder u.x = 1 at x-, x+\nborder u.y = 1 at x-, x+\n"));
    CHECK(stands_for(FLAT "u' = 2*u\nmask u = x < 3\n",
                     "mask u.x = x < 3\nmask u.y = x < 3\n"));
}

TEST(observers_of_a_vector_name_its_components)
{
    CHECK(stands_for(FLAT "output u into \"v.npy.zst\"; output 2*u as b\n",
                     "output u.x into \"v.x.npy.zst\"\noutput u.y into \"v.y.npy.zst\"\n"
                     "output 2*u.x as b.x\noutput 2*u.y as b.y\n"));
    CHECK(stands_for(FLAT "output u as v into \"v.vti\"; output p, f into \"a.h5\"\n",
                     "output u.x, u.y as v into \"v.vti\"\n"
                     "output p, f.0, f.1, f.2, f.3 into \"a.h5\"\n"));
    CHECK(stands_for(FLAT "sample u, p at (1, 2)\n", "sample u.x, u.y, p at (1, 2)\n"));
    CHECK(stands_for(FLAT "p' = p; u' = u\ninject [1, x] into u at (1, 2)\n"
                          "inject 3 into p, u at (1, 2)\n",
                     "inject 1 into u.x at (1, 2)\ninject x into u.y at (1, 2)\n"
                     "inject 3 into p at (1, 2)\ninject 3 into u.x at (1, 2)\n"
                     "inject 3 into u.y at (1, 2)\n"));
    CHECK(stands_for("grid x 3\nfield u[2] = \"a.b/u.npy\", v[2] = \"m.h5:/v\"\noutput u",
                     "field u.x = \"a.b/u.x.npy\"\nfield u.y = \"a.b/u.y.npy\"\n"
                     "field v.x = \"m.h5:/v.x\"\nfield v.y = \"m.h5:/v.y\"\n"));
}

TEST(components_follow_a_point)
{
    CHECK(stands_for(FLAT
                     "u' = u\np' = u.0 + f.3[1,0] + f.(1+1) + prev(u).y + grad(p).1\n",
                     "p' = u.x + f.3[1, 0] + f.2 + prev(u.y) + dy(p)\n"));
    CHECK(stands_for(FLAT "u.x' = p; p' = u.x' + u'.x + (u[1,0]).y\nu.y' = 0",
                     "p' = u.x' + u.x' + u.y[1, 0]\n"));
    CHECK(stands_for("grid x 5, z 5\nfield u[2], w\nborder clamp\nw' = curl(u) + u.z\n",
                     "field u.x\nfield u.z\nfield w\nborder clamp\n"
                     "w' = dx(u.z) - dz(u.x) + u.z\n"));
}

/* A central difference of central differences would read every second point. */
TEST(a_divergence_of_a_gradient_is_one_of_fluxes_between_points)
{
    CHECK(stands_for("grid x 5\nfield u, k\nborder clamp\nu' = div(k*grad(u))\n",
                     "u' = dx((k + k[1])/2*dx(u, at +1/2), at -1/2)\n"));
    CHECK(stands_for(
        FLAT "let q(w) = grad(w)/x; r = -2*q(p)\np' = div(r - u)\n",
        "p' = dx(-2*(dx(p, at +1/2)/((x + x[1, 0])/2)) - (u.x + u.x[1, 0])/2, at -1/2) "
        "+ dy(-2*(dy(p, at +1/2)/((x + x[0, 1])/2)) - (u.y + u.y[0, 1])/2, at -1/2)\n"));
    CHECK(stands_for(
        FLAT "p' = div(p*grad(p, order 4)) + div(grad(p), order 4)\n",
        "p' = dx(p*dx(p, order 4)) + dy(p*dy(p, order 4)) + (dx(dx(p), order 4) + "
        "dy(dy(p), order 4))\n"));
    CHECK(stands_for(FLAT "p' = dx(p*dx(p)) + div(grad(p)^2)\n",
                     "p' = dx(p*dx(p)) + (dx(dx(p)^2) + dy(dy(p)^2))\n"));
}

TEST(vectors_have_their_operators)
{
    CHECK(stands_for(FLAT "u' = -p*grad(p, at +1/2)\n",
                     "u.x' = -p*dx(p, at +1/2)\nu.y' = -p*dy(p, at +1/2)\n"));
    CHECK(stands_for(FLAT "p' = div(2*u, order 4) + dot(u, [1, 3])\n",
                     "p' = dx(2*u.x, order 4) + dy(2*u.y, order 4) + (u.x*1 + u.y*3)\n"));
    CHECK(stands_for("grid x 5, y 5, z 5\nfield a[3]\nborder clamp\na' = curl(a)\n",
                     "a.x' = dy(a.z) - dz(a.y)\na.y' = dz(a.x) - dx(a.z)\n"
                     "a.z' = dx(a.y) - dy(a.x)\n"));
    CHECK(stands_for(FLAT "let g(q) = q^2; flux(q) = [q*p, p]\nu' = g(u) + flux(2)\n",
                     "u.x' = g(u.x) + flux.x(2)\nu.y' = g(u.y) + flux.y(2)\n"));
    CHECK(stands_for(FLAT "measure m = norm(u)\n",
                     "measure m = sqrt(sum(u.x*u.x + u.y*u.y))\n"));
    CHECK(stands_for("grid x 5\nfield u, grad; curl\nborder clamp\nu' = grad*curl\n",
                     "u' = grad*curl\n"));
}

TEST(a_table_is_read_by_the_index_of_a_list)
{
    CHECK(stands_for(TABLES "f' = [w[k]*f.k[-c[k]] for k from 0 to 3]\n",
                     "f.0' = w.0*f.0[0, 0]\nf.1' = w.1*f.1[-1, 0]\n"
                     "f.2' = w.2*f.2[0, 1]\nf.3' = w.3*f.3[-2, -1]\n"));
    CHECK(stands_for(TABLES "p' = sum(w[k + 1]*f.(2*k) for k from 0 to 1)\n",
                     "p' = w.1*f.0 + w.2*f.2\n"));
    CHECK(stands_for(TABLES "u' = dot([c[1], c[3]], [p, 2])\n",
                     "u.x' = c.1.x*p + c.3.x*2\nu.y' = c.1.y*p + c.3.y*2\n"));
    CHECK(stands_for(FLAT "f' = [[2*i for i from 1 to 2].0*k for k from 1 to 4]\n",
                     "f.0' = 2*1*1\n"));
}

TEST(an_index_of_the_run_takes_the_nearest_element)
{
    CHECK(stands_for(TABLES "p' = w[f.0]\n",
                     "p' = where(f.0 < 1.5, where(f.0 < 0.5, w.0, w.1), where(f.0 < 2.5, "
                     "w.2, w.3))\n"));
    CHECK(stands_for("grid x 5\nparam c = [[1, 2], [3, 4]]\nfield u[2], m\nu' = c[m]",
                     "u.x' = where(m < 0.5, c.x.x, c.y.x)\n"
                     "u.y' = where(m < 0.5, c.x.y, c.y.y)\n"));
    CHECK(mistaken(FLAT "u' = u.(p)", "the index of a list must be constant"));
    CHECK(mistaken(TABLES "p' = w[u]", "a number is needed here; this is a list of 2"));
    CHECK(mistaken(TABLES "p' = w[p < 1]", "a number is needed here; this is a cond"));
}

TEST(only_an_index_of_fields_without_equations_is_checked_at_the_start)
{
    const char
        *const start = "grid x 5\nparam w = [1, 2, 3]\nfield m, k = w[m] + w[m], u\n";
    char source[400];
    (void)snprintf(source, sizeof source,
                   "%su' = w[u] + w[floor(t)] + w[m + 1]\nlet g(a) = w[a]\n", start);
    program *p = parse_good(source);
    CHECK_EQ(p->indices.count, 3);
    CHECK_EQ(p->indices.item[0]->parts, 3);
    program_free(p);
}

TEST(an_element_of_a_table_is_set_from_outside)
{
    const char *const set[] = {"w.1=5", "c.1.0=3", NULL};
    const pav_program_options options = {.set = set};
    const char *source = "grid x 5\nfield u\nparam w = [1, 2, 3]; c = [[1, 2], [3, 4]]\n"
                         "u' = w[1] + c[1].x";
    program *p = NULL;
    REQUIRE_OK(program_parse(source, (int64_t)strlen(source), &options, &p));
    CHECK_EQ(num_equal(symbol_named(&p->params, "w.y")->number, num_int(5)), true);
    CHECK_EQ(num_equal(symbol_named(&p->params, "c.y.x")->number, num_int(3)), true);
    program_free(p);
}

TEST(a_method_in_time_takes_all_components_together)
{
    CHECK(stands_for("grid x 3\nparam dt = 0.1\nfield u[2], v\n"
                     "advance u = [u.y, -u.x], v = u.x by rk4\n",
                     "advance u.x = u.y, u.y = -u.x, v = u.x by rk4\n"));
}

TEST(the_text_of_a_program_with_lists_parses_to_itself)
{
    const char *source = TABLES
        "let e(q) = [q*u.x, dot(u, q*u)]\nu' = max(u, 1, [1, 2])[1, 0] + e(p)\n"
        "f' = [w[k]*f.k[-c[k]] + k for k from 0 to 3]\nborder u = [x, 2] at y-, y+\n";
    static char once[10000];
    (void)snprintf(once, sizeof once, "%s", canonical(source));
    CHECK_STR(canonical(once), once);
}

TEST(a_wrong_number_of_components_is_a_mistake)
{
    CHECK(mistaken(FLAT "p' = u", "a number is needed here; this is a list of 2"));
    CHECK(mistaken(FLAT "u' = [1, 2, 3]", ":4:6: a list of 2 is needed here"));
    CHECK(mistaken(FLAT "u' = u + f", ":4:10: a list of 2 and one of 4"));
    CHECK(mistaken(FLAT "border u, p = [1, 0] at x-", "this is a list of 2"));
    CHECK(mistaken(FLAT "inject [1, 2] into p at (2, 2)\np' = p", "a list of 2"));
    CHECK(mistaken(FLAT "expect norm(p) < u", "a list of 2"));
    CHECK(mistaken(FLAT "solve laplace(u) = 0 for f by cg to 1e-3", "2 equations for 4"));
    CHECK(mistaken(FLAT "field b = random([1, 2])", "a list of 2"));
    CHECK(mistaken(FLAT "inject 1 into u, f at (2, 2)", "'f' has 4 components"));
    CHECK(mistaken("grid x 5\nfield u[1]", "from 2 to 1000, not 1"));
    CHECK(mistaken("grid x 5\nfield u = 1 + [2]", "at least two elements"));
}

TEST(a_component_that_is_not_there_is_a_mistake)
{
    CHECK(mistaken(FLAT "u.z' = 1", "'u' has the components u.x to u.y"));
    CHECK(mistaken(FLAT "p' = f.4", "'f' has the components f.0 to f.3"));
    CHECK(mistaken(FLAT "p' = p.x", "the field 'p' has no components"));
    CHECK(mistaken(FLAT "p' = grad(p).z", "the components .x to .y"));
    CHECK(mistaken(FLAT "p' = (2*p).x", "a number has no components"));
    CHECK(mistaken(TABLES "p' = w[4]", "from 0 to 3, not 4"));
    CHECK(mistaken(FLAT "p' = sum(f.k for k from 0 to 9)", "unknown name 'f.k'"));
    CHECK(mistakes_are(FLAT "p' = sum(f.k for k from 0 to 9)", 1));
}

TEST(an_operator_says_what_it_takes)
{
    CHECK(mistaken(FLAT "u' = grad(u)", "'grad' takes a number"));
    CHECK(mistaken(FLAT "p' = div(f)", "'div' takes a list of 2 numbers"));
    CHECK(mistaken(FLAT "p' = dot(p, 2)", "'dot' takes two lists"));
    CHECK(mistaken(FLAT "p' = dot(u, u, order 4)", "'order' belongs to derivatives"));
}

TEST(an_index_has_no_other_meaning)
{
    CHECK(mistaken(FLAT "param k = 1\np' = sum(f.k for k from 0 to 3)", "as a param"));
    CHECK(mistaken(FLAT "p' = sum(f.k for k from 0 to 3)\nlet k = 1", "as a list index"));
    CHECK(mistaken(FLAT "p' = sum(f.k for k from 0 to 3) + k", "only in its list"));
    CHECK(mistaken(FLAT "p' = sum(f.k for k in 0 to 3)", "'from' is missing"));
    CHECK(mistaken(FLAT "p' = sum(f.k for k from 3 to 0)", "from 3 to"));
    CHECK(mistaken(FLAT "p' = sum(sum(f.k for k from 0 to 1) for k from 0 to 1)",
                   "the list around this one"));
}

#define WAVE "grid x 8\nfield psi complex, u\nborder periodic\n"

TEST(a_complex_field_is_two_fields)
{
    CHECK(
        stands_for("grid x 5\nfield psi complex stored f32 = x + i\nborder psi = x\n"
                   "psi' = 2*psi - prev(psi)\noutput psi into \"p.npy\"\n",
                   "field psi.re stored f32 = x\nfield psi.im stored f32 = 1\n"
                   "border psi.re = x\nborder psi.im = 0\n"
                   "psi.re' = 2*psi.re - prev(psi.re)\n"
                   "psi.im' = 2*psi.im - prev(psi.im)\n"
                   "output psi.re into \"p.re.npy\"\noutput psi.im into \"p.im.npy\"\n"));
    CHECK(stands_for(WAVE "param n = 2\npsi' = psi^n\nu' = re(psi^(nx - 7))",
                     "param n = 2\npsi.re' = psi.re*psi.re - psi.im*psi.im\n"
                     "psi.im' = psi.re*psi.im + psi.im*psi.re\nu' = psi.re\n"));
    CHECK(stands_for(WAVE "u' = u\nsample psi at (1)\ninject i*u into psi at (1)\n"
                          "psi' = 3; output psi every 2; inject 2 into psi, u at (1)\n",
                     "sample psi.re, psi.im at (1)\ninject 0 into psi.re at (1)\n"
                     "inject u into psi.im at (1)\npsi.re' = 3\npsi.im' = 0\n"
                     "output psi.re every 2\noutput psi.im every 2\ninject 2 into psi.re "
                     "at (1)\ninject 2 into u at (1)\n"
                     "inject 0 into psi.im at (1)\n"));
}

TEST(complex_numbers_have_their_operators)
{
    CHECK(stands_for(WAVE "psi' = -i*psi\n", "psi.re' = psi.im\npsi.im' = -psi.re\n"));
    CHECK(stands_for(WAVE "psi' = psi*psi[1]\n",
                     "psi.re' = psi.re*psi.re[1] - psi.im*psi.im[1]\n"
                     "psi.im' = psi.re*psi.im[1] + psi.im*psi.re[1]\n"));
#define SIZE "max(abs(psi.re), abs(psi.im))"
#define RE "(psi.re/" SIZE ")"
#define IM "(psi.im/" SIZE ")"
#define SQUARE "(psi.re/" SIZE "*" RE " + psi.im/" SIZE "*" IM ")"
    CHECK(stands_for(WAVE "psi' = u/psi\n", "psi.re' = u*" RE "/" SQUARE "/" SIZE "\n"
                                            "psi.im' = u*-" IM "/" SQUARE "/" SIZE "\n"));
    CHECK(stands_for(WAVE "psi' = (2*i)^-2*psi + psi^0/(2*i)\n",
                     "psi.re' = 1/-(2*2)*psi.re\npsi.im' = 1/-(2*2)*psi.im + -1/2\n"));
    CHECK(stands_for(WAVE "psi' = exp(i*u) + dx(psi)/2 + u\n",
                     "psi.re' = cos(u) + dx(psi.re)/2 + u\n"
                     "psi.im' = sin(u) + dx(psi.im)/2\n"));
    CHECK(stands_for(
        WAVE "u' = abs(psi) + arg(psi) + re(psi*i) + im(conj(psi)) + re(u)\n",
        "u' = hypot(psi.re, psi.im) + atan2(psi.im, psi.re) + -psi.im + -psi.im + u\n"));
    CHECK(stands_for(
        WAVE "let f(q) = q^2 + u; one = 1 + i\npsi' = where(u < 1, f(psi), one)\n",
        "psi.re' = where(u < 1, psi.re*psi.re - psi.im*psi.im + u, one.re)\n"
        "psi.im' = where(u < 1, psi.re*psi.im + psi.im*psi.re, one.im)\n"));
}

TEST(a_let_is_put_in_place_for_complex_arguments)
{
    CHECK(stands_for(WAVE "let g(a) = u*a - i*dx(a)\npsi' = g(psi)\n",
                     "psi.re' = u*psi.re + dx(psi.im)\n"
                     "psi.im' = u*psi.im + -dx(psi.re)\n"));
    CHECK(stands_for(WAVE "let g(a) = u*a - i*dx(a)\npsi' = g(u)\n",
                     "psi.re' = g.re(u)\npsi.im' = g.im(u)\n"));
    CHECK(mistaken(WAVE "let g(a) = re(a)\npsi' = g(psi)", "not known of complex"));
    CHECK(mistaken(WAVE "let g(a) = (a + i*a).re; h(a) = g(a)\npsi' = h(psi)",
                   "not known of complex"));
    CHECK(mistaken(WAVE "let g(a) = cos(a)\npsi' = g(psi)", "not known of complex"));
}

TEST(what_complex_numbers_do_not_have_is_a_mistake)
{
    CHECK(mistaken(WAVE "u' = psi", "this is a complex one, with re, im and abs"));
    CHECK(mistaken(WAVE "psi' = where(psi < 1, 0, 1)", "not known of complex numbers"));
    CHECK(mistaken(WAVE "psi' = sin(psi)", "not known of complex numbers"));
    CHECK(mistaken(WAVE "psi' = psi^u", "not known of complex numbers"));
    CHECK(mistaken(WAVE "psi' = psi^-1025", "whole powers from -1024 to 1024"));
    CHECK(mistaken(WAVE "psi' = psi^(1/2)", "a root is sqrt(abs(z))*exp(i*arg(z)/2)"));
    CHECK(mistaken(WAVE "psi' = psi^1023", "as in let q = psi^31, then q^33"));
    CHECK(mistaken(WAVE "psi' = [u, 1]", "a complex number is needed here"));
    CHECK(mistaken(WAVE "u' = max(psi)", "not known of complex numbers"));
    CHECK(mistaken(WAVE "psi' = psi/0", "the divisor is 0"));
    CHECK(mistaken(WAVE "psi' = psi/(0*i)", "the divisor is 0"));
    CHECK(mistaken(WAVE "field v[2]\nv' = psi", "this is a complex one"));
    CHECK(mistaken(WAVE "u' = psi.x", "has the components psi.re to psi.im"));
    CHECK(mistaken("grid x 5\nfield u = i", "the imaginary unit is i behind"));
    CHECK(mistaken(WAVE "u' = dot(psi, psi)", "'dot' takes two lists"));
    program_free(parse_good(WAVE "param i = 3; arg = 2\nu' = i + arg"));
}
