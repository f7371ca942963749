/* SPDX-License-Identifier: BSD-3-Clause */
/* The grammar: the tree holds the description as written. */
#include "parse_helper.h"

TEST(a_grid_has_its_axes_and_extents)
{
    program *p = parse_good("grid x 5, y 2*3, z 2^3\nfield u\nu' = u");
    CHECK_EQ(p->dim, 3);
    CHECK_EQ(p->axis[0].points, 5);
    CHECK_EQ(p->axis[1].points, 6);
    CHECK_EQ(p->axis[2].points, 8);
    program_free(p);
}

TEST(a_range_puts_points_on_both_ends)
{
    program *p = parse_good("grid x 11 from -1 to 1\nfield u\nu' = u");
    CHECK_EQ(num_equal(p->axis[0].origin, num_int(-1)), true);
    CHECK_EQ(num_equal(p->axis[0].step, num_ratio(1, 5)), true);
    program_free(p);
}

TEST(a_spacing_after_the_last_axis_holds_for_all_without_one)
{
    program *p = parse_good("grid x 5, y 5 spacing 2, z 5 spacing 10\nfield u\nu' = u");
    CHECK_EQ(num_equal(p->axis[0].step, num_int(10)), true);
    CHECK_EQ(num_equal(p->axis[1].step, num_int(2)), true);
    CHECK_EQ(num_equal(p->axis[2].step, num_int(10)), true);
    program_free(p);
}

TEST(without_a_spacing_coordinates_are_indices)
{
    program *p = parse_good("grid x 5\nfield u\nu' = u");
    CHECK_EQ(num_equal(p->axis[0].origin, num_int(0)), true);
    CHECK_EQ(num_equal(p->axis[0].step, num_int(1)), true);
    program_free(p);
}

TEST(semicolons_declare_further_names_of_the_same_kind)
{
    program *p = parse_good(
        "grid x 5; param a = 1; b = 2; field u; v = 3; u' = a*b*v; steps 7");
    CHECK_EQ(p->params.count, 2);
    CHECK_EQ(p->fields.count, 2);
    CHECK_EQ(p->steps, 7);
    program_free(p);
}

TEST(semicolons_declare_further_lets)
{
    program *p = parse_good("grid x 5; let a = 1; f(s) = s + a; b = f(2)\n"
                            "let c = b; field u; u' = f(u) + c");
    CHECK_EQ(p->fields.count, 1);
    CHECK_EQ(symbol_named(&p->lets, "f")->arguments, 1);
    CHECK_EQ(p->lets.count, 4);
    program_free(p);
}

TEST(an_update_after_a_semicolon_is_no_further_field)
{
    program *p = parse_good("grid x 5; field u; u' = 2*u");
    CHECK_EQ(p->fields.count, 1);
    CHECK_EQ(p->fields.item[0]->updated, true);
    program_free(p);
}

TEST(lines_continue_after_operators_and_within_brackets)
{
    program *p = parse_good(
        "grid x 10,\n  y 10\nfield u =\n  3\nu' = u +\n  2*(u\n  - 1)\n"
        "border u = 0 at x-,\n  y-\nsteps 3");
    CHECK_EQ(p->dim, 2);
    CHECK_EQ(statement_find(p, STATEMENT_UPDATE)->value->op, OP_ADD);
    CHECK_EQ(statement_find(p, STATEMENT_BORDER)->faces, FACE_BIT(0, 0) | FACE_BIT(1, 0));
    program_free(p);
}

TEST(a_line_may_end_on_a_face)
{
    program *p = parse_good(
        "grid x 10\nfield u\nu' = u[1]\nborder u = 0 at x-, x+\nsteps 2\n");
    CHECK_EQ(p->steps, 2);
    program_free(p);
}

TEST(comments_and_carriage_returns_are_blank)
{
    program *p = parse_good(
        "\xef\xbb\xbf# caf\xc3\xa9\r\ngrid x 10 # ten\r\nfield u;u' = u\r\n");
    CHECK_EQ(p->axis[0].points, 10);
    program_free(p);
}

TEST(powers_bind_tighter_than_signs_and_to_the_right)
{
    program *p = parse_good(LINE "u' = -u^2^3");
    const expr *e = statement_find(p, STATEMENT_UPDATE)->value;
    CHECK_EQ(e->kind, EXPR_UNARY);
    CHECK_EQ(e->arg[0]->op, OP_POW);
    CHECK_EQ(e->arg[0]->arg[0]->kind, EXPR_SYMBOL);
    CHECK_EQ(e->arg[0]->arg[1]->op, OP_POW);
    program_free(p);
}

TEST(a_remainder_binds_as_a_quotient_and_has_the_sign_of_the_divisor)
{
    program *p = parse_good(LINE "u' = u\nparam a = 7 % 4*2; b = -7 % 3; c = 7 % -3");
    static const double expected[] = {6, 2, -2};

    for (int n = 0; n < 3; n++)
        CHECK(num_f64(p->params.item[n]->number) == expected[n]);
    program_free(p);
}

TEST(levels_are_relative_to_the_present)
{
    program *p = parse_good(LINE "field v\nv' = prev(v, 3)\nu' = v' + prev(u)");
    const expr *sum = statement_find(p, STATEMENT_UPDATE)->next->value;
    CHECK_EQ(statement_find(p, STATEMENT_UPDATE)->value->level, -3);
    CHECK_EQ(sum->arg[0]->level, 1);
    CHECK_EQ(sum->arg[1]->level, -1);
    CHECK_EQ(symbol_named(&p->fields, "v")->oldest, 3);
    CHECK_EQ(symbol_named(&p->fields, "u")->oldest, 1);
    program_free(p);
}

TEST(offsets_may_be_constant_expressions)
{
    program *p = parse_good("param r = 2\n" SPACE "u' = u[r, -r + 1, 2*r^2/4]");
    const expr *e = statement_find(p, STATEMENT_UPDATE)->value;
    CHECK_EQ(e->kind, EXPR_SHIFT);
    CHECK_EQ(e->offset[0], 2);
    CHECK_EQ(e->offset[1], -1);
    CHECK_EQ(e->offset[2], 2);
    program_free(p);
}

TEST(derivatives_count_their_letters)
{
    program *p = parse_good(SPACE "u' = dxzx(u, order 6)");
    const expr *e = statement_find(p, STATEMENT_UPDATE)->value;
    CHECK_EQ(e->kind, EXPR_DERIVE);
    CHECK_EQ(e->derivative[0], 2);
    CHECK_EQ(e->derivative[1], 0);
    CHECK_EQ(e->derivative[2], 1);
    CHECK_EQ(e->order, 6);
    program_free(p);
}

TEST(half_a_cell_is_plus_or_minus)
{
    program *p = parse_good(LINE "u' = dx(2*dx(u, at +1/2), at -1/2)");
    const expr *e = statement_find(p, STATEMENT_UPDATE)->value;
    CHECK_EQ(e->half[0], -1);
    CHECK_EQ(e->arg[0]->arg[1]->half[0], 1);
    CHECK_EQ(e->order, 2);
    program_free(p);
}

TEST(min_of_one_is_over_the_grid_and_of_two_is_not)
{
    program *p = parse_good(LINE "u' = min(u, 2)\nmeasure m = min(u)");
    CHECK_EQ(statement_find(p, STATEMENT_UPDATE)->value->kind, EXPR_CALL);
    CHECK_EQ(statement_find(p, STATEMENT_MEASURE)->value->kind, EXPR_REDUCE);
    program_free(p);
}

TEST(extents_have_names_that_a_program_may_take)
{
    program *p = parse_good(LINE "let a = nx\nparam nx = 3\nlet b = nx\nu' = a + b");
    CHECK_EQ(symbol_named(&p->lets, "a")->value->kind, EXPR_BUILTIN);
    CHECK_EQ(symbol_named(&p->lets, "b")->value->kind, EXPR_SYMBOL);
    program_free(p);
}

TEST(classes_of_a_stencil_reach_all_their_neighbours)
{
    program *p = parse_good(
        "grid x 5, y 5, z 5\nfield u\nborder u = 0\n"
        "stencil s { centre -6; face 1\n edge 2, corner 0 }\nu' = s(u)");
    const symbol *s = symbol_named(&p->stencils, "s");
    CHECK_EQ(s->form, STENCIL_CLASSES);
    CHECK_EQ(s->taps, 1 + 6 + 12);
    program_free(p);
}

TEST(a_box_lists_its_weights_with_x_fastest)
{
    program *p = parse_good(PLANE
                            "stencil s { box 1, 2, 3,\n 4, 5, 6\n 7, 8, 9 }\nu' = s(u)");
    const symbol *s = symbol_named(&p->stencils, "s");
    CHECK_EQ(s->taps, 9);
    CHECK_EQ(s->tap[1].offset[0], 0);
    CHECK_EQ(s->tap[1].offset[1], -1);
    CHECK_EQ(num_equal(s->tap[5].weight->number, num_int(6)), true);
    CHECK_EQ(s->tap[5].offset[0], 1);
    program_free(p);
}

TEST(a_listed_stencil_leaves_out_zeros)
{
    program *p = parse_good(LINE
                            "param w = 0\nstencil s { [0] -2; [1] 1, [2] w\n[-1] 1 }\n"
                            "u' = s(u)");
    CHECK_EQ(symbol_named(&p->stencils, "s")->taps, 3);
    program_free(p);
}

TEST(borders_name_fields_kinds_and_faces)
{
    program *p = parse_good(
        "grid x 5, y 5\nfield u, v\nu' = u\nborder u, v = 2 beyond x-\n"
        "border neumann u = 1 at y+\nborder v mirror\n");
    const statement *s = statement_find(p, STATEMENT_BORDER);
    CHECK_EQ(s->border, BORDER_BEYOND);
    CHECK_STR(s->symbol->name, "u");
    CHECK_EQ(s->faces, FACE_BIT(0, 0));
    CHECK_STR(s->next->symbol->name, "v");
    CHECK_EQ(s->next->next->border, BORDER_NEUMANN);
    CHECK_EQ(s->next->next->next->border, BORDER_MIRROR);
    CHECK_EQ(s->next->next->next->faces, 15);
    program_free(p);
}

TEST(the_last_border_of_a_face_rules_it)
{
    program *p = parse_good("grid x 5\nfield u, v, c\nu' = u\nv' = c*v\nborder u = 2\n"
                            "border clamp at x-\nabsorb 2 cells\n");
    const symbol *u = symbol_named(&p->fields, "u"), *v = symbol_named(&p->fields, "v");
    const symbol *c = symbol_named(&p->fields, "c");
    CHECK_EQ(field_border(p, u, 0, 0)->border, BORDER_CLAMP);
    CHECK_EQ(field_border(p, u, 0, 1)->border, BORDER_VALUE);
    CHECK_EQ(field_border(p, v, 0, 1)->kind, STATEMENT_ABSORB);
    CHECK_EQ(field_border(p, c, 0, 1)->border, BORDER_CLAMP);
    program_free(p);
}

TEST(an_absorbing_layer_spares_periodic_faces)
{
    program *p = parse_good(
        "grid x 9, y 9\nfield u\nu' = u[1,1]\nborder periodic at x-, x+\n"
        "absorb 3 cells strength 1/2");
    const statement *s = statement_find(p, STATEMENT_ABSORB);
    CHECK_EQ(s->faces, FACE_BIT(1, 0) | FACE_BIT(1, 1));
    CHECK_EQ(s->cell_count, 3);
    CHECK_EQ(num_equal(s->strength_value, num_ratio(1, 2)), true);
    program_free(p);
}

TEST(an_absorbing_layer_spares_periodic_faces_field_by_field)
{
    program *p = parse_good(
        "grid x 9, y 9\nfield u, v, w\nu' = u[1,1]\nv' = v[1,0]\nborder periodic u\n"
        "border periodic w\nabsorb 3 cells");
    const symbol *u = symbol_named(&p->fields, "u"), *v = symbol_named(&p->fields, "v");
    const statement *s = statement_find(p, STATEMENT_ABSORB);
    CHECK_EQ(s->faces, 15);
    CHECK_EQ(field_border(p, u, 0, 0)->border, BORDER_PERIODIC);
    CHECK_EQ(field_border(p, v, 0, 0)->kind, STATEMENT_ABSORB);
    program_free(p);
}

TEST(sources_and_receivers_have_places)
{
    program *p = parse_good(
        PLANE "u' = u\ninject t into u at (1, 2), (2.5, 3) by sinc\n"
              "sample u along (0, 0) to (9, 11) count 5 every 2 into \"a.npy\"\n"
              "sample u at \"p.npy\"");
    const statement *s = statement_find(p, STATEMENT_INJECT);
    CHECK_EQ(s->points.count, 2);
    CHECK_EQ(s->points.method, POINTS_SINC);
    CHECK_EQ(num_equal(s->points.value[1][0], num_ratio(5, 2)), true);
    CHECK_EQ(s->next->points.line_points, 5);
    CHECK_EQ(s->next->every_steps, 2);
    CHECK_STR(s->next->file, "a.npy");
    CHECK_STR(s->next->next->points.file, "p.npy");
    program_free(p);
}

TEST(an_output_has_its_slice_range_and_colours)
{
    program *p = parse_good(SPACE "u' = u\noutput u every 5 slice z 14/2 range -1 to 1 "
                                  "colours grey into \"u.png\"");
    const statement *s = statement_find(p, STATEMENT_OUTPUT);
    CHECK_EQ(s->every_steps, 5);
    CHECK_EQ(s->slice_axis, 2);
    CHECK_EQ(s->slice_index, 7);
    CHECK_EQ(num_equal(s->range_value[0], num_int(-1)), true);
    CHECK_STR(s->colours, "grey");
    CHECK_STR(s->file, "u.png");
    program_free(p);
}

TEST(an_output_has_its_crop_and_strides)
{
    program *p = parse_good(
        SPACE
        "u' = u\noutput u crop (1, 2*2, 3) to (9, 8, 3) stride "
        "(2, 1, 3)\noutput u stride (1 + 1)*2 into \"v.npy\"\noutput u into \"w.npy\"");
    const statement *s = statement_find(p, STATEMENT_OUTPUT);
    CHECK(s->crop_from[1] == 4 && s->crop_to[0] == 9 && s->crop_to[2] == 3);
    CHECK(s->stride_of[0] == 2 && s->stride_of[1] == 1 && s->stride_of[2] == 3);
    s = s->next;
    CHECK(s->crop_from[2] == 0 && s->crop_to[2] == 13);
    CHECK(s->stride_of[0] == 4 && s->stride_of[2] == 4);
    CHECK(s->next->crop == NULL && s->next->stride_of[1] == 1);
    program_free(p);
}

TEST(a_solve_finds_its_unknown)
{
    program *p = parse_good("grid x 9\nfield k = 2; u\nborder u = 0\nborder k clamp\n"
                            "solve -dx(k*dx(u)) = 1 by multigrid to 1e-10\n");
    const statement *s = statement_find(p, STATEMENT_SOLVE);
    CHECK_STR(s->symbol->name, "u");
    CHECK_STR(s->method, "multigrid");
    program_free(p);
}

TEST(storage_is_that_of_the_field_else_of_real)
{
    program *p = parse_good(
        "grid x 9\nfield u; v stored f16\nu' = u\nreal f32 stored bf16");
    CHECK_EQ(p->real, PAV_F32);
    CHECK_EQ(symbol_named(&p->fields, "u")->storage, PAV_BF16);
    CHECK_EQ(symbol_named(&p->fields, "v")->storage, PAV_F16);
    program_free(p);
}

TEST(coarse_fields_have_half_the_points)
{
    program *p = parse_good(
        "grid x 9, y 10\nfield u\nfield c coarse\nc' = u[1,0] + restrict(u)\n"
        "border clamp");
    CHECK_EQ(field_extent(p, symbol_named(&p->fields, "c"), 0), 5);
    CHECK_EQ(field_extent(p, symbol_named(&p->fields, "c"), 1), 5);
    CHECK_EQ(field_extent(p, symbol_named(&p->fields, "c"), 2), 1);
    program_free(p);
}

TEST(params_are_exact)
{
    program *p = parse_good(
        "grid x 3 from 0 to 1\nparam a = 1/3; b = 3*a - 1; c = h^2/nx\n"
        "field u\nu' = u");
    CHECK_EQ(num_equal(symbol_named(&p->params, "b")->number, num_int(0)), true);
    CHECK_EQ(num_equal(symbol_named(&p->params, "c")->number, num_ratio(1, 12)), true);
    program_free(p);
}

TEST(constants_know_lets_and_functions)
{
    program *p = parse_good(
        "let twice(v) = 2*v\nlet five = 5\nparam a = twice(five + twice(1))\n"
        "param b = where(a > 13, max(a, 20), 0) + floor(7/2) + abs(-1)\n"
        "grid x a\nfield u\nu' = u");
    CHECK_EQ(p->axis[0].points, 14);
    CHECK_EQ(num_equal(symbol_named(&p->params, "b")->number, num_int(24)), true);
    program_free(p);
}

TEST(a_param_that_holds_a_reduction_is_known_later)
{
    program *p = parse_good(LINE
                            "field c = 2\nparam dt = 0.4*h/max(c); a = dt/2\nu' = u + a");
    CHECK_EQ(symbol_named(&p->params, "dt")->constant, false);
    CHECK_EQ(symbol_named(&p->params, "a")->constant, false);
    CHECK_STR(p->dt->name, "dt");
    program_free(p);
}

TEST(a_file_is_loaded_with_its_folder)
{
    program *p = NULL;
    FILE *file = fopen("test_parser_tmp.pav", "w");
    REQUIRE(file != NULL);
    (void)fputs(LINE "u' = u\n", file);
    (void)fclose(file);
    REQUIRE_OK(program_load("./test_parser_tmp.pav", NULL, &p));
    (void)remove("test_parser_tmp.pav");
    CHECK_STR(p->directory, ".");
    CHECK_STR(p->name, "./test_parser_tmp.pav");
    program_free(p);
}

TEST(a_catalogue_word_is_loaded_where_no_file_is)
{
    program *p = NULL;
    REQUIRE_OK(program_load("heat2d@9x7", NULL, &p));
    CHECK_EQ(p->axis[1].points, 7);
    program_free(p);
}

TEST(folders_and_missing_files_are_refused)
{
    program *p = NULL;
    CHECK_STATUS(program_load(".", NULL, &p), PAV_EINVAL);
    CHECK(strstr(pav_message(), "is a folder") != NULL);
    CHECK_STATUS(program_load("no/such.pav", NULL, &p), PAV_EINVAL);
    CHECK(strstr(pav_message(), "no/such.pav") != NULL);
    CHECK(p == NULL);
}
