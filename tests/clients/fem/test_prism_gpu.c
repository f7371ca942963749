/* SPDX-License-Identifier: BSD-3-Clause */
/* Prisms on the emulated GPU: the best kernel is bitwise identical to the processor's,
 * others agree up to rounding. NVRTC compiles all kernels. */
#include "fem_helper.h"

static const pav_form form = {1, -30};

static double *acted(const pav_mesh *m, pav_device *device, const char *method, int f32,
                     const double *u)
{
    const pav_prism_options options = {.device = device, .method = method, .f32 = f32};
    pav_prism *p;
    double *y = zero_vector(m);

    REQUIRE_OK(pav_prism_open(m, form, &options, &p));
    REQUIRE_OK(pav_prism_action(p, u, y));
    pav_prism_free(p);
    return y;
}

static void compare(const pav_mesh *m, pav_device *device, int f32)
{
    double *u = random_vector(m, 3), *want = acted(m, NULL, NULL, f32, u),
           *got = acted(m, device, NULL, f32, u);
    CHECK(memcmp(got, want, (size_t)m->nodes * sizeof *got) == 0);
    mem_free(u);
    mem_free(want);
    mem_free(got);
}

TEST(the_best_gpu_kernel_has_the_bits_of_the_processor)
{
    static const struct {
        const char *word;
        int layers;
    } meshes[] = {
        {"disc:n=3", 1}, {"shell:n=1", 5}, {"square:n=2", 70}, {"square:n=1", 300}};
    pav_device *device = emulated_gpu();
    for (size_t k = 0; k < COUNT_OF(meshes) && device; k++) {
        pav_mesh *m = crooked_mesh(meshes[k].word, meshes[k].layers, 0.2);
        compare(m, device, 0);
        compare(m, device, 1);
        pav_mesh_free(m);
    }
    pav_device_free(device);
}

TEST(other_gpu_kernels_are_the_textbook_but_for_rounding)
{
    static const char *const names[] = {"direct", "constant", "accumulators"};
    pav_device *device = emulated_gpu();
    pav_mesh *m = crooked_mesh("disc:n=4", 6, 0.2);
    double *u = random_vector(m, 3), *want = acted(m, NULL, "reference", 0, u);
    for (int k = 0; k < 6 && device; k++) {
        double *got = acted(m, device, names[k % 3], k / 3, u);
        CHECK(far_apart(got, want, m->nodes) < (k < 3 ? 1e-13 : 1e-4));
        mem_free(got);
    }
    mem_free(u);
    mem_free(want);
    pav_mesh_free(m);
    pav_device_free(device);
}

TEST(right_hand_sides_have_the_processor_s_bits_on_a_gpu)
{
    pav_device *device = emulated_gpu();
    const pav_prism_options options = {.device = device};
    pav_mesh *m = crooked_mesh("disc:n=4", 6, 0.2);
    double *f = random_vector(m, 3), *want = zero_vector(m), *got = zero_vector(m);
    for (int k = 0; k < 2 && device; k++) {
        pav_prism *p;
        REQUIRE_OK(pav_prism_open(m, form, k ? &options : NULL, &p));
        REQUIRE_OK(pav_prism_rhs(p, f, k ? got : want));
        pav_prism_free(p);
    }
    CHECK(memcmp(got, want, (size_t)m->nodes * sizeof *got) == 0);
    mem_free(f);
    mem_free(want);
    mem_free(got);
    pav_mesh_free(m);
    pav_device_free(device);
}

TEST(what_a_gpu_does_not_have_is_reported)
{
    pav_device *device = emulated_gpu();
    const pav_prism_options odd = {.device = device, .method = "columns"},
                            plain = {.device = device};
    pav_mesh *m = crooked_mesh("square:n=1", 1, 0);
    pav_matrix matrix;
    pav_prism *p;
    if (device) {
        CHECK_STATUS(pav_prism_open(m, form, &odd, &p), PAV_EINVAL);
        CHECK_SAYS("accumulators");
        REQUIRE_OK(pav_prism_open(m, form, &plain, &p));
        CHECK_STATUS(pav_prism_assemble(p, &matrix), PAV_EUNSUPPORTED);
        pav_prism_free(p);
    }
    pav_mesh_free(m);
    pav_device_free(device);
}

LONG_TEST(nvrtc_takes_the_kernels_for_every_architecture)
{
    static const int architectures[] = {75, 80, 90, 100};
    const char *file;
    if (!library_open("NVRTC", &file)) {
        test_skip("NVRTC", "there is none here");
        return;
    }
    for (int k = 0; k < 8; k++) {
        text source = {0}, stats = {0};
        REQUIRE_OK(prism_gpu_source(k % 2 ? PAV_F32 : PAV_F64, &source));
        CHECK_STATUS(
            gpu_try_compile(architectures[k / 2], source.data, source.length, &stats),
            PAV_OK);
        CHECK(stats.length > 0 && strstr(stats.data, "prism_best: "));
        text_free(&source);
        text_free(&stats);
    }
}
