/* SPDX-License-Identifier: BSD-3-Clause */
/* The C code of a kernel corresponds to its stage. */
#include "codegen/codegen.h"
#include "test.h"

static void emit_for(const char *source, int64_t row, int64_t plane, text *t)
{
    program *p = NULL;
    ir *code = NULL;
    REQUIRE_OK(program_parse(source, (int64_t)strlen(source), NULL, &p));
    REQUIRE_OK(ir_build(p, NULL, &code));
    for (int64_t f = 0; f < code->fields; f++) {
        code->field[f].stride[1] = row;
        code->field[f].stride[2] = plane;
    }
    const ir *const all[] = {code};
    REQUIRE_OK(emit_source(all, 1, "first line\nsecond */ line", NULL, t, NULL));
    ir_free(code);
    program_free(p);
}

static void emit(const char *source, text *t)
{
    emit_for(source, 0, 0, t);
}

static const char heat[] = "grid x 16, y 8\nfield u = 1\nparam a = 0.1\n"
                           "u' = u + a*laplace(u)\nborder u = 0";

TEST(the_head_is_a_comment_that_nothing_in_it_closes)
{
    text t = {0};
    emit(heat, &t);
    CHECK(strncmp(t.data, "/* first line\n * second  / line */\n", 34) == 0);
    text_free(&t);
}

TEST(a_level_has_one_pointer_that_compilers_know_nothing_about)
{
    text t = {0};
    emit(heat, &t);
    CHECK(strstr(t.data, "    const double *f0_u = row0 + from;"));
    CHECK(strstr(t.data, "        OPAQUE(f0_u);"));
    CHECK(strstr(t.data, "doubles_at(f0_u + y0)"));
    CHECK(strstr(t.data, "        f0_u += DOUBLES;"));
    CHECK(strstr(t.data, " = doubles_fma(n"));
    text_free(&t);
}

TEST(the_index_is_hidden_where_a_finer_grid_has_an_address_for_each_lane)
{
    static const char coarse[] = "grid x 65, y 65\nfield u = 1\nfield c coarse = 0\n"
                                 "c' = restrict(u)\nborder u = 0\nborder c = 0";
    text t = {0}, other = {0};
    emit(coarse, &t);
    emit(heat, &other);
    CHECK(strstr(t.data, "        int64_t i = at;\n        OPAQUE(i);\n"));
    CHECK(!strstr(other.data, "OPAQUE(i);"));
    text_free(&t);
    text_free(&other);
}

TEST(strides_are_constants_of_a_step_where_they_are_known)
{
    text any = {0}, fixed = {0};
    emit(heat, &any);
    emit_for(heat, 24, 192, &fixed);
    CHECK(strstr(any.data, "const int64_t y0 = g[0].y, z0 = g[0].z;"));
    CHECK(!strstr(any.data, "y0 = 24"));
    CHECK(strstr(fixed.data, "const int64_t y0 = 24, z0 = 192;"));
    CHECK(strstr(fixed.data, "y0 = g[0].y")); /* initial values */
    text_free(&any);
    text_free(&fixed);
}

TEST(helpers_of_narrow_storage_stand_only_where_they_are_needed)
{
    text t = {0}, narrow = {0};
    emit(heat, &t);
    emit("grid x 16\nreal f32 stored bf16\nfield u = 1\nu' = u/2", &narrow);
    CHECK(!strstr(t.data, "bf16"));
    CHECK(strstr(narrow.data, "f32_of_bf16("));
    text_free(&t);
    text_free(&narrow);
}

TEST(stages_of_uniforms_have_no_kernel)
{
    ir_node node = {.op = IR_RANDOM, .arg = {-1, -1, -1}};
    ir_output output = {.kind = IR_STORE};
    ir_stage s = {
        .real = PAV_F32, .count = 1, .node = &node, .outputs = 1, .output = &output};
    CHECK(emit_has_kernel(&s));
    output.kind = IR_SET;
    CHECK(!emit_has_kernel(&s));
}

TEST(a_slot_that_is_loaded_and_stored_is_one)
{
    ir_node node = {.op = IR_LOAD, .field = 2, .level = 1};
    ir_output output = {.kind = IR_STORE, .field = 2, .level = 1};
    ir_stage s = {
        .real = PAV_F32, .count = 1, .node = &node, .outputs = 1, .output = &output};
    emit_slot slot[2];
    CHECK_EQ(emit_slots(&s, slot), 1);
    CHECK(slot[0].loaded && slot[0].stored);
    node.offset[0] = 1; /* read at another point: not allowed */
    CHECK(!emit_has_kernel(&s));
}

TEST(sums_of_planes_are_held_where_that_saves_work)
{
    text t = {0}, cube = {0};
    emit("grid x 16, y 8, z 9\nfield u = 1\nborder u = 0\nu' = u + laplace(u)", &t);
    emit("grid x 16, y 8, z 9\nfield u = 1\nborder u = 0\n"
         "stencil s { centre 0.3, face 0.06, edge 0.02, corner 0.0125 }\nu' = s(u)",
         &cube);
    CHECK(!strstr(t.data, "all_held_") && !strstr(t.data, "each_carried"));
    CHECK(strstr(cube.data, "void each_carried("));
    CHECK(strstr(cube.data, "all_carried_0_"));
    CHECK(strstr(cube.data,
                 "carried_planes_0_1[] = {3, 2, }")); /* of faces, and of the centre */
    text_free(&t);
    text_free(&cube);
}

TEST(rows_of_a_tile_share_what_they_load)
{
    text t = {0};
    emit(heat, &t);
    CHECK(strstr(t.data, "INLINE void rows_0_"));
    CHECK(strstr(t.data, "doubles_at(f0_u + 4 * y0)")); /* four rows and a neighbour */
    CHECK(!strstr(t.data, "doubles_at(f0_u + 5 * y0)"));
    text_free(&t);
}

TEST(choices_are_made_between_vectors_that_are_both_loaded)
{
    text t = {0};
    emit("grid x 16\nreal f32\nfield u = 1\nu' = where(x < 3, u[1], u[-2])\nborder clamp "
         "u",
         &t);
    CHECK(strstr(t.data, "floats_where(n"));
    CHECK(strstr(t.data, ", floats_at(f0_u + 1), floats_at(f0_u - 2))"));
    text_free(&t);
}

TEST(narrow_storage_is_converted_in_vectors_and_rounded_once)
{
    text t = {0};
    emit("grid x 16\nreal f32 stored f16\nfield u = 1\nu' = u[1] - 2*u[-3]\nborder u = 0",
         &t);
    CHECK(strstr(t.data, "floats_at_f16(f0_u - 3)"));
    CHECK(strstr(t.data, "halves v1_0 = f16_of_floats(n"));
    CHECK(strstr(t.data, "STREAM(f0_u_new, v1_0);"));
    text_free(&t);
}

TEST(functions_of_the_library_are_called_point_by_point)
{
    text t = {0};
    emit("grid x 16\nreal f32\nfield u = 1\nu' = exp(u)\nborder periodic", &t);
    CHECK(strstr(t.data, "floats_exp("));
    text_free(&t);
}

TEST(a_function_of_x_is_a_vector_out_of_its_table)
{
    text single = {0}, twice = {0};
    emit("grid x 16\nreal f32\nfield u = 1\nu' = exp(-x^2)*u\nborder periodic", &single);
    emit("grid x 16\nfield u = 1\nu' = exp(-x^2)*u\nborder periodic", &twice);
    CHECK(strstr(single.data, "= floats_at_f64(table"));
    CHECK(strstr(twice.data, "= doubles_at_f64(table"));
    text_free(&single);
    text_free(&twice);
}

TEST(a_value_is_computed_just_before_it_is_needed)
{
    text t = {0};
    emit("grid x 16\nfield u = 1\nu' = u + 0.1*laplace(u, order 4)\nborder u = 0", &t);
    const char *far = strstr(t.data, "_at(f0_u - 2)");
    const char *sum = strstr(t.data, "doubles_of((-30.0))");
    const char *near = strstr(t.data, "_at(f0_u - 1)"); /* the IR has it before */
    CHECK(far && sum && near && far < sum && sum < near);
    text_free(&t);
}

TEST(tiles_of_very_many_rows_are_lower)
{
    text wide = {0}, wider = {0}, word = {0};
    REQUIRE_OK(catalogue_text("star3d:r=5@32x32x32", &word));
    emit(word.data, &wide);
    text_free(&word);
    REQUIRE_OK(catalogue_text("star3d:r=6@32x32x32", &word));
    emit(word.data, &wider);
    CHECK(strstr(wide.data, "rows_0_1, 4, 0);") &&
          strstr(wider.data, "rows_0_1, 2, 0);"));
    CHECK(strstr(wide.data, "_at(f0_u + 8 * y0)") && !strstr(wide.data, "9 * y0"));
    text_free(&word);
    text_free(&wide);
    text_free(&wider);
}

TEST(values_of_a_piece_are_folded_together)
{
    text t = {0};
    emit("grid x 16, y 8\nfield u = 1\nmeasure m = sum(u) every 1 into \"m.csv\"\nu' = u",
         &t);
    CHECK(strstr(t.data, "reduce(REDUCE_SUM, v0 + (x - from), x, n)"));
    CHECK(strstr(t.data, ", 0, 0);"));
    text_free(&t);
}

TEST(rows_ask_for_the_leading_row_of_what_they_read)
{
    text t = {0};
    emit("grid x 16, y 8, z 8\nfield u = 1\nu' = u + 0.1*laplace(u)\nborder u = 0", &t);
    CHECK(strstr(t.data, "(p->prefetch_j - j) * y0 + (p->prefetch_k - k) * z0;"));
    CHECK(strstr(t.data, "            if ((i & 7) == 0)\n"
                         "                fetch(f0_u_above1 + soon0, 8 * y0, 4);"));
    text_free(&t);
}

TEST(ends_of_rows_come_from_another_level_of_the_field_only)
{
    text t = {0}, other = {0};
    emit(heat, &t);
    emit("grid x 16\nfield u = 1\nfield v = 1\nu' = 2*v", &other);
    CHECK(strstr(t.data, "doubles_stream_part(f0_u_new, "));
    CHECK(!strstr(other.data, "doubles_stream_part(f0_u_new"));
    text_free(&t);
    text_free(&other);
}
