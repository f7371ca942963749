/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of variants of kernels: stencils, coefficients, split stages. */
#include <stdio.h>
#include <string.h>

#include "bench_list.h"

/* ---- stencils ---------------------------------------------------------------------- */

/* bench stencils: one step of common operators, in f32 and f64. On a GPU over several
 * sizes; on a processor with arrays far larger than its caches or, with --small, within
 * them. bench orders: operators of growing radius, alone and in the right side of a wave
 * equation. */

static const struct {
    const char *large, *small;
} measured_on_host[] = {
    {"star3d:r=1@512x512x512", "star3d:r=1@64x64x64"},
    {"heat3d@512x512x512", "heat3d@128x128x128"},
    {"star2d:r=1@8192x8192", "star2d:r=1@1000x1000"},
    {"sym27@512x512x512", "sym27@64x64x64"},
    {"box3d:r=1@512x512x512", "box3d:r=1@64x64x64"},
    {"wave3d:order=8@512x512x512", "wave3d:order=8@64x64x64"},
    {"star3d:r=2@512x512x512", "star3d:r=2@64x64x64"},
    {"star3d:r=3@512x512x512", "star3d:r=3@64x64x64"},
    {"star3d:r=4@512x512x512", "star3d:r=4@64x64x64"},
    {"star3d:r=6@512x512x512", "star3d:r=6@64x64x64"},
    {"grayscott3d@384x384x384", "grayscott3d@64x64x64"},
    {"elastic3d@256x256x256", "elastic3d@48x48x48"},
    {"lbm3d@192x192x192", "lbm3d@32x32x32"},
};
enum { ON_HOST = sizeof measured_on_host / sizeof *measured_on_host };

static int list_of_host(bench *b)
{
    static const char *const types[] = {"f32", "f64"};
    int code = EXIT_DONE;
    for (int k = 0; k < ON_HOST; k++)
        for (int type = 0; type < 2 && code == EXIT_DONE; type++) {
            char word[BENCH_WORD];
            snprintf(word, sizeof word, "%s/%s",
                     b->small ? measured_on_host[k].small : measured_on_host[k].large,
                     types[type]);
            code = bench_item(b, word, NULL);
        }
    return code;
}

/* Two-dimensional grids have default sizes of their own; --sizes replaces them. */
static int plane_stencils(bench *b)
{
    static const char *const words[] = {"star2d:r=1"};
    bench plane = *b;
    if (!b->sized && pav_device_name(b->device)[0] == 'c') {
        plane.size[0] = 8192;
        plane.size[1] = 32768;
        plane.sizes = 2;
    }
    const int code = bench_words(&plane, words, 1, 2);
    b->rows = plane.rows;
    return code;
}

static int stencils(bench *b)
{
    static const char *const words[] = {
        "star3d:r=1",       "sym27", "box3d:r=1",       "grayscott3d",
        "elastic3d",        "lbm3d", "lbm3d:walls=all", "lbm3d:stored=f16",
        "lbm3d:stored=bf16"};
    if (!bench_on_gpu(b) && !b->sized)
        return list_of_host(b);
    const int code = bench_words(b, words, sizeof words / sizeof *words, 3);
    return code == EXIT_DONE ? plane_stencils(b) : code;
}

const bench_kind bench_stencils = {
    .name = "stencils",
    .about = "the usual operators; on GPUs over a range of sizes",
    .run = stencils,
};

static int orders(bench *b)
{
    static const char *const words[] = {
        "star3d:r=1",      "star3d:r=2",      "star3d:r=3",      "star3d:r=4",
        "star3d:r=5",      "star3d:r=6",      "star3d:r=7",      "star3d:r=8",
        "wave3d:order=2",  "wave3d:order=4",  "wave3d:order=6",  "wave3d:order=8",
        "wave3d:order=10", "wave3d:order=12", "wave3d:order=14", "wave3d:order=16"};
    bench one = *b;
    if (!b->sized && b->size[b->sizes - 1] > 512) {
        one.size[0] = 512;
        one.sizes = 1;
    }
    const int code = bench_words(&one, words, sizeof words / sizeof *words, 3);
    b->rows = one.rows;
    return code;
}

const bench_kind bench_orders = {
    .name = "orders",
    .about = "stars of radius 1 to 8, and wave steps of order 2 to 16",
    .run = orders,
};

/* ---- coefficients ------------------------------------------------------------------ */

/* bench coefficients: the cost of storing an operator's coefficients, one for each of its
 * 7 or 25 points. They are literals of the kernel; or scalars, variable between steps, in
 * each possible memory of a GPU; or fields, and then their bytes are part of the
 * bound. */

/* place: value of `coefficients=`, or NULL; few: only for the smaller operator. */
static const struct source {
    const char *name, *word, *place;
    int fields; /* maximum number of coefficients in fields */
    bool few, on_host;
} sources[] = {
    {"literals", "param", NULL, 0, false, true},
    {"argument", "scalar", "argument", 0, false, true},
    {"constant", "scalar", "constant", 0, false, false},
    {"global", "scalar", "global", 0, false, false},
    {"shared", "scalar", "shared", 0, false, false},
    {"field", "param", NULL, 1, false, true},
    {"fields", "param", NULL, 7, true, true},
};
enum { SOURCES = sizeof sources / sizeof *sources, DESCRIPTION = 4096 };

/* Appends point n of the star, such as "u[0,-3,0]"; point 0 is the centre. */
static void add_point(char *text, int n)
{
    int offset[3] = {0, 0, 0};
    if (n > 0)
        offset[(n - 1) % 6 / 2] = (n % 2 ? 1 : -1) * ((n - 1) / 6 + 1);
    sprintf(text + strlen(text), "%s c%d*u[%d,%d,%d]", n > 0 ? " +" : "", n, offset[0],
            offset[1], offset[2]);
}

static void describe(const struct source *s, int points, int64_t size, const char *type,
                     char *text)
{
    const long long n = size;
    const int middle = points / 2;
    sprintf(text, "grid x %lld, y %lld, z %lld\nreal %s\nfield u = random(1)\n", n, n, n,
            type);
    for (int k = 0; k < points; k++) {
        char *end = text + strlen(text);
        if (k < s->fields)
            sprintf(end, "field c%d = (0.5 + random(%d))/%d\n", k, k + 2, points);
        else
            sprintf(end, "%s c%d = %.6g\n", s->word, k,
                    (1 + 0.01 * (k - middle)) / points);
    }
    strcat(text, "u' =");
    for (int k = 0; k < points; k++)
        add_point(text, k);
    strcat(text, "\nborder u = 0\n");
}

/* The schedule is that of --schedule for all sources, with a different place of the
 * coefficients. */
static void name_way(const bench *b, const struct source *s, char way[BENCH_WORD])
{
    const char *wanted = b->how.schedule ? b->how.schedule : "sweep";
    if (s->place)
        snprintf(way, BENCH_WORD, "%s%ccoefficients=%s", wanted,
                 strchr(wanted, ':') ? ',' : ':', s->place);
    else
        snprintf(way, BENCH_WORD, "%s", wanted);
}

static int one_source(bench *b, const struct source *s, int points, int64_t size,
                      const char *type)
{
    char word[BENCH_WORD], way[BENCH_WORD], description[DESCRIPTION];
    const char *wanted = b->how.schedule;
    if ((!bench_on_gpu(b) && !s->on_host) || (s->few && points > s->fields))
        return EXIT_DONE;
    snprintf(word, sizeof word, "coefficients:%s,points=%d", s->name, points);
    bench_add_grid(word, 3, size, type);
    describe(s, points, size, type, description);
    name_way(b, s, way);
    b->how.schedule = bench_on_gpu(b) ? way : wanted;
    const int code = bench_item(b, word, description);
    b->how.schedule = wanted;
    return code;
}

static int coefficients(bench *b)
{
    static const char *const types[] = {"f32", "f64"};
    static const int points[] = {7, 25};
    const int64_t largest = b->size[b->sizes - 1];
    const int64_t size = b->sized || largest < 512 ? largest : 512;
    int code = EXIT_DONE;
    for (int n = 0; n < 2; n++)
        for (int k = 0; k < SOURCES; k++)
            for (int type = 0; type < 2 && code == EXIT_DONE; type++)
                code = one_source(b, &sources[k], points[n], size, types[type]);
    return code;
}

const bench_kind bench_coefficients = {
    .name = "coefficients",
    .about = "7 and 25 points whose numbers are literals, scalars or fields",
    .run = coefficients,
    .one_size = true,
};

/* ---- split stages ------------------------------------------------------------------ */

/* bench passes: single-pass steps against split stages (first the neighbours in a plane,
 * then those across planes). The operators are symmetric, with the radii of finite
 * differences. */

static const char *const words[] = {"star3d:r=1,c=symmetric", "star3d:r=2,c=symmetric",
                                    "star3d:r=4,c=symmetric", "wave3d:order=8", "sym27"};
/* The best candidate of each method, and each method with planes in shared memory. */
static const char *const schedules[] = {"auto", "sweep:shared", "two-pass",
                                        "two-pass:shared"};
enum {
    WORDS = sizeof words / sizeof *words,
    SCHEDULES = sizeof schedules / sizeof *schedules,
    USUAL = 512
};

static int by_all(bench *b, const char *word)
{
    int code = EXIT_DONE;
    for (int k = 0; k < SCHEDULES && code == EXIT_DONE; k++)
        code = bench_by(b, word, schedules[k]);
    return code;
}

static int passes(bench *b)
{
    static const char *const types[] = {"f32", "f64"};
    const int64_t largest = b->size[b->sizes - 1];
    int code = EXIT_DONE;
    if (!bench_on_gpu(b))
        return usage_error(&bench_command, "passes compares schedules of GPUs: --device "
                                           "cuda");
    for (int k = 0; k < WORDS; k++)
        for (int type = 0; type < 2 && code == EXIT_DONE; type++) {
            char word[BENCH_WORD];
            snprintf(word, sizeof word, "%s", words[k]);
            bench_add_grid(word, 3, b->sized || largest < USUAL ? largest : USUAL,
                           types[type]);
            code = by_all(b, word);
        }
    return code;
}

const bench_kind bench_passes = {
    .name = "passes",
    .about = "steps in one pass and in two, on GPUs",
    .run = passes,
    .fixed = "it goes by one schedule after the other",
    .one_size = true,
};

/* ---- variants ---------------------------------------------------------------------- */

/* bench variants: the effect of each technique, from one thread a point on: the schedules
 * of the table, in order. For an illegal schedule the reason is printed. */

static const char *const on_gpu[] = {
    "point:plain", /* naive: rows not aligned */
    "point",       /* rows aligned to lines */
    "sweep:plain",
    "sweep:shared,plain",
    "sweep:vector=1",
    "sweep:shared,vector=1",
    "sweep:vector=2",
    "sweep",
    "sweep:ahead=1",
    "sweep:shared,ahead=4",
    "sweep:shuffle",
    "sweep:shuffle,ahead=1",
    "sweep:shared",
    "sweep:shared,ahead=1",
    "sweep:shared,copy=remap",
    "sweep:shared,copy=tma",
    "sweep:shared,copy=split",
    "sweep:rows=2",
    "sweep:shuffle,rows=2",
    "sweep:shared,rows=2",
    "sweep:shared,copy=tma,rows=2",
    "sweep:rows=4",
    "sweep:rows=2,prefetch=3",
    "sweep:shared,rows=2,prefetch=1",
    "sweep:rows=2,unroll=3",
    "sweep:shared,input",
};
static const char *const schedules_of_host[] = {"rows", "blocks"};

int bench_by(bench *b, const char *word, const char *schedule)
{
    char what[2 * BENCH_WORD];
    pav_bench_result r;
    pav_program *program = NULL;
    int code = load_program(word, b->o->set, &program);
    if (code != EXIT_DONE)
        return code;
    b->how.schedule = schedule;
    const pav_status status = pav_bench_program(program, b->device, &b->how, &r);
    pav_program_free(program);
    b->how.schedule = NULL;
    if (status == PAV_OK) {
        const bench_row row = bench_row_of(word, &r);
        return bench_keep(b, &row);
    }
    snprintf(what, sizeof what, "%s by %s", word, schedule ? schedule : "auto");
    return bench_missed(b, what, status == PAV_EINVAL ? PAV_EUNSUPPORTED : status);
}

static int variants_of(bench *b, const char *word)
{
    const bool gpu = bench_on_gpu(b);
    const int count = (int)(gpu ? sizeof on_gpu / sizeof *on_gpu
                                : sizeof schedules_of_host / sizeof *schedules_of_host);
    int code = EXIT_DONE;
    for (int k = 0; k < count && code == EXIT_DONE; k++)
        code = bench_by(b, word, gpu ? on_gpu[k] : schedules_of_host[k]);
    return code;
}

static int variants(bench *b)
{
    static const char *const types[] = {"f32", "f64"};
    const int64_t largest = b->size[b->sizes - 1];
    int code = EXIT_DONE;
    for (int type = 0; type < 2; type++)
        for (int dim = 2; dim <= 3 && code == EXIT_DONE; dim++) {
            char word[BENCH_WORD];
            snprintf(word, sizeof word, "star%dd:r=1", dim);
            const int64_t usual = largest < 512 ? largest : dim == 2 ? 8192 : 512;
            bench_add_grid(word, dim, b->sized ? largest : usual, types[type]);
            code = variants_of(b, word);
        }
    return code;
}

const bench_kind bench_variants = {
    .name = "variants",
    .about = "what each technique adds: schedules of 5 and 7 points, one by one",
    .run = variants,
    .fixed = "it goes by one schedule after the other",
    .one_size = true,
};
