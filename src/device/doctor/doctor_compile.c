/* SPDX-License-Identifier: BSD-3-Clause */
/* Times each compiler with a small kernel. The first run of a description waits about
 * this long. Results are not kept. */
#include <string.h>

#include "device/cuda/cuda_private.h"

static const char c_text[] =
    "void step(double *to, const double *from, long count)\n"
    "{\n"
    "    for (long i = 1; i + 1 < count; i++)\n"
    "        to[i] = from[i] + 0.1 * (from[i - 1] - 2 * from[i] + from[i + 1]);\n"
    "}\n";
static const char cuda_text[] =
    "extern \"C\" __global__ void step(double *to, const double *from, long count)\n"
    "{\n"
    "    const long i = 1 + blockIdx.x * (long)blockDim.x + threadIdx.x;\n"
    "    if (i + 1 < count)\n"
    "        to[i] = from[i] + 0.1 * (from[i - 1] - 2 * from[i] + from[i + 1]);\n"
    "}\n";

static pav_status compile_on_host(language l)
{
    host_module *m;
    const pav_status status = module_open(l, c_text, (int64_t)strlen(c_text), 0, &m);

    host_module_close(m);
    return status;
}

static pav_status compile_in_c(void)
{
    return compile_on_host(LANGUAGE_C);
}

static pav_status compile_in_cxx(void)
{
    return compile_on_host(LANGUAGE_CXX);
}

static pav_status compile_by_nvrtc(void)
{
    enum { USUAL = 90 };
    char target[NVRTC_TARGET];
    text image = {0};
    const char *why;
    nvrtc n;

    if (!nvrtc_find(0, &n, &why) || !nvrtc_target(&n, USUAL, target, &why))
        return FAIL(PAV_EDEVICE, "%s", why);
    const nvrtc_job job = {.source = cuda_text, .target = target};
    const pav_status status = nvrtc_run(&n, &job, &image, NULL);
    text_free(&image);
    return status;
}

static const struct {
    const char *name, *key;
    pav_status (*compile)(void);
} compilers[] = {
    {"C", "c", compile_in_c},
    {"C++", "cxx", compile_in_cxx},
    {"CUDA", "cuda", compile_by_nvrtc},
};

/* Returns the seconds, or a negative number if compiling fails. */
static double seconds_of(pav_status (*compile)(void))
{
    const double begun = clock_seconds();

    return compile() == PAV_OK ? clock_seconds() - begun : -1;
}

void doctor_compile(text *t)
{
    const char *before = "";

    for (size_t k = 0; k < COUNT_OF(compilers); k++) {
        const double seconds = seconds_of(compilers[k].compile);
        if (seconds >= 0)
            text_add(t, "%s%.2f s in %s", before, seconds, compilers[k].name);
        else
            text_add(t, "%snone in %s", before, compilers[k].name);
        before = ", ";
    }
    text_add(t, " (measured)\n");
}

void doctor_compile_json(text *t)
{
    text_add(t, "{");
    for (size_t k = 0; k < COUNT_OF(compilers); k++) {
        const double seconds = seconds_of(compilers[k].compile);
        text_add(t, "%s\"%s\": ", k > 0 ? ", " : "", compilers[k].key);
        if (seconds >= 0)
            text_add_json_double(t, seconds);
        else
            text_add(t, "null");
    }
    text_add(t, "}");
}
