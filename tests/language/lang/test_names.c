/* SPDX-License-Identifier: BSD-3-Clause */
/* Names: some words of the language may be names, others not. */
#include "parse_helper.h"

TEST(words_of_other_statements_are_names)
{
    CHECK_STR(canonical("grid x 10\nfield h = 2, t; hz = 3\nparam order = 3; f16 = 2\n"
                        "let f(face, count) = face*count + min(order, 1)\n"
                        "h' = h + dx(t, order 4) + f(hz, f16)\nborder clamp\n"
                        "output h into \"h.png\" range 0 to order\n"),
              "grid x 10\nfield h = 2\nfield t\nfield hz = 3\nparam order = 3\n"
              "param f16 = 2\nlet f(face, count) = face*count + min(order, 1)\n"
              "h' = h + dx(t, order 4) + f(hz, f16)\nborder clamp\n"
              "output h into \"h.png\" range 0 to order\n");
}

TEST(a_name_has_one_meaning_in_a_program)
{
    CHECK(
        mistaken(LINE "param a = h\nfield h", "'h' is a spacing of the grid in line 4"));
    CHECK(mistaken(LINE "u' = u*t\nfield t", "'t' is the time in line 4"));
    CHECK(mistaken("grid x 10, z 10\nfield hz", "'hz' is a spacing of this grid"));
}

/* The first words of statements, and those of every expression. */
static const struct reserved {
    const char *word, *why;
} reserved[] = {
    {"grid", "the beginning of a statement, such as grid x 100, y 100"},
    {"real", "the beginning of a statement, such as real f32"},
    {"param", "the beginning of a statement, such as param a = 1"},
    {"scalar", "the beginning of a statement, such as scalar s = 0"},
    {"let", "the beginning of a statement, such as let f = u^2"},
    {"field", "the beginning of a statement, such as field u = 0"},
    {"stencil", "the beginning of a statement, such as stencil S { centre -2; face 1 }"},
    {"border", "the beginning of a statement, such as border u = 0"},
    {"absorb", "the beginning of a statement, such as absorb 20 cells"},
    {"mask", "the beginning of a statement, such as mask x < 3"},
    {"inject", "the beginning of a statement, such as inject 1 into u at (3, 3)"},
    {"sample", "the beginning of a statement, such as sample u at (3, 3)"},
    {"measure", "the beginning of a statement, such as measure m = max(u)"},
    {"until", "the beginning of a statement, such as until t >= 1"},
    {"steps", "the beginning of a statement, such as steps 100"},
    {"output", "the beginning of a statement, such as output u into \"u.png\""},
    {"expect", "the beginning of a statement, such as expect max(u) < 1"},
    {"solve", "the beginning of a statement, such as solve laplace(u) = f by auto"},
    {"checkpoint", "the beginning of a statement, such as checkpoint every 1000"},
    {"chaotic", "the beginning of a statement, such as chaotic 7 by 64"},
    {"x", "a coordinate"},
    {"y", "a coordinate"},
    {"z", "a coordinate"},
    {"step", "the number of steps taken"},
    {"pi", "the number 3.14159..."},
    {"and", "an operator of conditions"},
    {"or", "an operator of conditions"},
    {"not", "an operator of conditions"},
};

/* All other words, among them those of python/pavior/lexer.py. */
static const char free_words[] =
    "from to spacing at down stored flushed below coarse along every time once into "
    "slice "
    "crop stride range colours contours arrows streamlines size by for cells strength "
    "insulated beyond complex periodic neumann mirror odd antimirror clamp linear sinc "
    "raw "
    "little big order count receivers sources of centre face edge corner box mesh form "
    "f32 f64 bf16 f16 u8 t h hx hy hz nx ny nz ix iy iz advance include frames over each "
    "label as in where exclusive cyclic auto multigrid transform uniform normal layer "
    "cut "
    "abs sqrt exp log log10 sin cos tan asin acos atan atan2 sinh cosh tanh cbrt erf "
    "sinc "
    "hypot mod bitand bitor bitxor shl shr min max floor ceil round sign random ricker "
    "laplace dx dy dz dxx dyy dzz dxy dxz dyz prev sum norm integral restrict "
    "interpolate "
    "scan tridiagonal pow grad dot div curl re im conj arg if int while double main ";

/* Roles of a name, written as @. */
static const char *const roles[] = {
    /* fields, in all statements about them */
    "grid x 9 from 0 to 1\nfield v, @ = 2*x\nfield low coarse\nprev(@) = 1\n"
    "@' = @ + 0.1*laplace(@) + prev(@) + @[1] + dx(@, at +1/2)*max(@) + v\n"
    "low' = restrict(@)\nv' = interpolate(low) + @'\nborder v, low clamp\n"
    "border mirror @ at x-\nborder @ = 0 at x+\nmask @ = x > 0.9\n"
    "inject 0.5 into @ at (0.5)\nsample @, v at (0.5) by linear\n"
    "sample @ along (0) to (1) count 5\nmeasure q = sum(@ where x > 0.5) every 2\n"
    "output @ every 2 range 0 to 1 into \"o.png\"\noutput @, v into \"v.h5\"\n",
    "grid x 9\nfield v; @ = 1\n@' = @ + v\nborder @ = 0\n",
    "grid x 9\nfield v, @ = 1\n@' = @[1] + v[1]\nborder @, v = 0\n",
    "grid x 9\nfield v, @ = 1\n@' = @[1] + v[1]\nborder v, @ neumann\n",
    "grid x 9\nfield @ complex, v[2]\n@' = 0.5*@\nv' = [re(@), im(@)]\n",
    "grid x 9\nfield @; v = 1\nsolve -laplace(@) = v for @ by auto to 1e-8\n"
    "border @ = 0\n",
    /* a param, a scalar, a let, a measure, an argument, an index */
    "grid x 9 from 0 to 1\nparam a = 2; @ = 0.5\nparam b = [@, 3*@]\nfield u = @*x\n"
    "u' = u + @ + min(@, 1) + b[0]\nborder u = @ at x-\nborder mirror u at x+\n"
    "sample u at (@)\noutput u range 0 to @ into \"p.png\"\nmask x > 2*@\n",
    "grid x 9\nfield u = 1\nscalar s = 2; @ = 1\nu' = u + @\n@' = @ + sum(u')\n",
    "grid x 9\nfield u\nlet a = 2*u; @ = 0.5*u\nu' = u + @ + @[1]\nborder u = 1\n",
    "grid x 9\nfield u\nu' = u\nmeasure @ = max(u)\nexpect @ > 0\n",
    "grid x 9\nfield u\nlet f(a, @) = a*@ + @\nu' = f(u, u[1])\nborder u = 1\n",
    "grid x 9\nfield u[3]\nlet w = [@*u.x for @ from 1 to 3]\nu' = w\n",
};

static const char *with_name(const char *role, const char *name, int length)
{
    text *t = text_kept();

    for (; *role; role++)
        *role == '@' ? text_add(t, "%.*s", length, name) : text_add(t, "%c", *role);
    return t->data;
}

TEST(a_word_may_be_a_name_in_every_role)
{
    for (const char *word = free_words; *word; word += strcspn(word, " ") + 1)
        for (size_t n = 0; n < COUNT_OF(roles); n++) {
            program *p = NULL;
            const int length = (int)strcspn(word, " ");
            const char *source = with_name(roles[n], word, length);
            const bool good = parse_text(source, &p) == PAV_OK;
            if (!good)
                printf("  of\n%s\n  is said: %s\n", source, pav_message());
            CHECK(good);
            program_free(p);
        }
}

TEST(a_reserved_word_says_what_it_is_for)
{
    for (const struct reserved *r = reserved; r < reserved + COUNT_OF(reserved); r++)
        for (size_t n = 0; n < COUNT_OF(roles); n++)
            CHECK(mistaken(with_name(roles[n], r->word, (int)strlen(r->word)), r->why));
    CHECK(mistaken(LINE "let max(a) = a", "'max' is a function; another name is needed"));
    CHECK(mistaken(LINE "stencil dx { centre 1 }", "'dx' is a function"));
    CHECK(mistaken("grid x 9\nfield u; step = 3", "'step' is the number of steps taken"));
    CHECK(mistaken("grid x 9\nstep = 3", "'step' is the number of steps taken"));
    CHECK(mistaken("grid x 9, z 9\nparam dz = 1", "'dz' is a derivative of this grid"));
    CHECK(mistaken("grid x 9, z 9\nfield iz", "'iz' is an index of this grid"));
}

TEST(a_function_keeps_its_meaning_before_a_parenthesis)
{
    CHECK_STR(canonical("grid x 9\nfield max = 2\nparam dx = 1\n"
                        "max' = max(max, dx) + dx(max)/dx\nborder max = dx\n"
                        "measure sum = sum(max)\n"),
              "grid x 9\nfield max = 2\nparam dx = 1\n"
              "max' = max(max, dx) + dx(max)/dx\nborder max = dx\n"
              "measure sum = sum(max)\n");
}

TEST(a_border_knows_fields_with_its_words)
{
    CHECK_STR(canonical("grid x 9\nfield at, odd, mirror\nat' = at[1]\nodd' = odd[1]\n"
                        "mirror' = mirror[1]\nborder mirror at\nborder odd mirror\n"
                        "border odd = 1 at x-\nborder odd clamp at x+\n"),
              "grid x 9\nfield at\nfield odd\nfield mirror\nat' = at[1]\n"
              "odd' = odd[1]\nmirror' = mirror[1]\nborder mirror at\n"
              "border odd mirror\nborder odd = 1 at x-\nborder clamp odd at x+\n");
}
