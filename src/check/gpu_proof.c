/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of programs whose bits are compared. Every program is there twice: as any run has it, and with each of
 * its stages in one of the ways below, which follows from the program's seed, of every other program these are the
 * stages in parts; and once more, point by point, where the interpreter's bits are not promised. Compilers take most of
 * a check's time, so the programs are dealt out to as many modules as there are threads. */
#include <stdio.h>

#include "check/check_private.h"

/* Where a stage cannot go by one it goes by the next that it can. */
static const emit_gpu_schedule ways[] = {
    {.form = EMIT_GPU_STREAM, .threads = {4, 2}},
    {.form = EMIT_GPU_STREAM, .threads = {2, 1}, .vector = 1, .rows = 2},
    {.form = EMIT_GPU_POINT, .threads = {32, 1}},
    {.form = EMIT_GPU_STREAM, .threads = {2, 2}, .vector = 2, .rows = 3},
    {.form = EMIT_GPU_STREAM, .threads = {8, 1}, .vector = 1},
    {.form = EMIT_GPU_STREAM, .source = EMIT_GPU_SHARED, .threads = {8, 2}},
    {.form = EMIT_GPU_STREAM, .source = EMIT_GPU_SHUFFLE},
    {.form = EMIT_GPU_STREAM,
     .source = EMIT_GPU_SHARED,
     .copy = EMIT_GPU_TMA,
     .threads = {16, 5}},
    {.form = EMIT_GPU_STREAM,
     .source = EMIT_GPU_SHARED,
     .copy = EMIT_GPU_REMAP,
     .threads = {4, 6},
     .vector = 1},
    {.form = EMIT_GPU_STREAM,
     .source = EMIT_GPU_SHARED,
     .copy = EMIT_GPU_TMA,
     .threads = {8, 2},
     .rows = 2,
     .ahead = 1},
    {.form = EMIT_GPU_STREAM,
     .source = EMIT_GPU_SHARED,
     .copy = EMIT_GPU_SPLIT,
     .threads = {8, 3}},
    {.form = EMIT_GPU_STREAM, .threads = {4, 2}, .ahead = 1, .prefetch = 1},
    {.form = EMIT_GPU_STREAM, .input = true, .threads = {4, 2}, .rows = 2},
    {.form = EMIT_GPU_STREAM,
     .source = EMIT_GPU_SHARED,
     .input = true,
     .threads = {8, 2},
     .prefetch = 1},
    {.form = EMIT_GPU_POINT, .threads = {128, 2}},
    {.form = EMIT_GPU_TWO_PASS, .source = EMIT_GPU_SHARED, .threads = {4, 2}},
};
enum { LONGEST = 512 };

typedef struct module {
    gpu_set *set;
    int64_t programs;
    const ir **code; /* GPU_FORMS times all of them; NULL: not in that form */
    const emit_gpu_schedule **ways;
    const emit_gpu_schedule **pass; /* NULL: the program takes single steps */
    pav_status status;
    char why[LONGEST];
} module;

struct gpu_proof {
    gpu *gpu;
    unsigned how;
    int64_t count, modules;
    ir **parted;              /* each program in parts; NULL: its stages stay whole */
    emit_gpu_schedule **way;  /* of each program's stages, or those parts */
    emit_gpu_schedule *pass;  /* of each program; depth 0: none */
    emit_gpu_schedule *point; /* of as many stages as any program has */
    module *module;           /* program n is number n / modules of module n % modules */
};

/* ---- ways --------------------------------------------------------------------------------- */

static bool can_go(const gpu *g, const ir *code, int64_t stage,
                   const emit_gpu_schedule *wanted)
{
    const gpu_facts *facts = gpu_tell(g);

    return emit_gpu_oldest(wanted) <= 10 * facts->major + facts->minor &&
           !emit_gpu_refusal(code, &code->stage[stage], wanted);
}

static emit_gpu_schedule way_of(const gpu *g, const ir *code, int64_t stage,
                                uint64_t seed)
{
    static const emit_gpu_place places[] = {EMIT_GPU_PLACE_ARGUMENT,
                                            EMIT_GPU_PLACE_CONSTANT,
                                            EMIT_GPU_PLACE_GLOBAL, EMIT_GPU_PLACE_SHARED};
    const uint64_t first = hash_mix(seed + (uint64_t)stage);
    const emit_gpu_place coefficients = places[hash_mix(first) % COUNT_OF(places)];

    for (uint64_t n = 0; n < COUNT_OF(ways); n++) {
        emit_gpu_schedule wanted = ways[(first + n) % COUNT_OF(ways)];
        wanted.coefficients = coefficients;
        if (can_go(g, code, stage, &wanted))
            return wanted;
    }
    return (emit_gpu_schedule){0};
}

bool parts_are_proved(uint64_t seed)
{
    return hash_mix(seed) % 2 != 0;
}

static pav_status choose_parts(gpu_proof *k, int64_t n, const ir *code, uint64_t seed)
{
    if (!parts_are_proved(seed))
        return PAV_OK;
    TRY(ir_build(code->program, NULL, &k->parted[n]));
    return ir_part(k->parted[n]);
}

/* The program in its second form. */
static const ir *second(const gpu_proof *k, int64_t n, const ir *code)
{
    return k->parted[n] ? k->parted[n] : code;
}

static pav_status choose_ways(gpu_proof *k, int64_t n, const ir *code, uint64_t seed)
{
    emit_gpu_schedule *all = k->way[n] = mem_new(code->stages + 1, sizeof *all);

    for (int64_t s = 0; all && s < code->stages; s++)
        if (emit_gpu_has_kernel(code, &code->stage[s]))
            all[s] = way_of(k->gpu, code, s, seed);
    return all ? PAV_OK : PAV_ENOMEM;
}

/* ---- passes ------------------------------------------------------------------------------- */

#define IN_SHARED .form = EMIT_GPU_TIME, .source = EMIT_GPU_SHARED
#define IN_REGISTERS .form = EMIT_GPU_TIME, .source = EMIT_GPU_SHUFFLE
#define STAYS .form = EMIT_GPU_RESIDENT
static const emit_gpu_schedule tiles[] = {
    {IN_REGISTERS, .threads = {32, 5}, .rows = 2, .vector = 1},
    {IN_SHARED, .threads = {12, 11}},
    {IN_REGISTERS, .threads = {32, 4}, .rows = 3, .vector = 2},
    {IN_SHARED, .threads = {16, 9}},
    {IN_REGISTERS, .threads = {32, 12}, .rows = 1, .vector = 4},
    {IN_REGISTERS, .threads = {32, 12}, .rows = 2, .unroll = 3},
    {IN_SHARED, .threads = {9, 16}},
    {IN_SHARED, .threads = {23, 23}},
    {IN_SHARED, .threads = {32, 32}},
    {STAYS, .parts = {2, 2, 1}, .rows = 1},
    {STAYS, .parts = {1, 3, 2}, .rows = 2, .threads = {32, 1}},
    {STAYS, .parts = {3, 1, 1}, .rows = 3, .threads = {64, 1}},
    {STAYS, .parts = {1, 2, 2}, .rows = 2},
    {STAYS, .parts = {2, 1, 1}, .rows = 1, .threads = {32, 1}},
};

static bool has_pass(const ir *code, const emit_gpu_schedule *wanted)
{
    text why = {0};
    const pav_status status = emit_gpu_pass_refusal(code, wanted, &why);
    const bool good = status == PAV_OK && why.length == 0;

    text_free(&why);
    return good;
}

/* The first tile from one on that leaves the program points of its own. */
static emit_gpu_schedule pass_of(const ir *code, uint64_t seed)
{
    const uint64_t first = hash_mix(seed + 1);

    for (uint64_t n = 0; n < COUNT_OF(tiles); n++) {
        emit_gpu_schedule wanted = tiles[(first + n) % COUNT_OF(tiles)];
        wanted.depth = 2 + (int)(first >> 8 & 255) % 3;
        if (has_pass(code, &wanted))
            return wanted;
    }
    return (emit_gpu_schedule){0};
}

/* ---- modules ------------------------------------------------------------------------------ */

static pav_status fill_module(gpu_proof *k, int64_t number, const ir *const *code)
{
    module *m = &k->module[number];

    m->programs = (k->count - number + k->modules - 1) / k->modules;
    m->code = mem_new(GPU_FORMS * m->programs, sizeof *m->code);
    m->ways = mem_new(GPU_FORMS * m->programs, sizeof *m->ways);
    m->pass = mem_new(GPU_FORMS * m->programs, sizeof *m->pass);
    if (!m->code || !m->ways || !m->pass)
        return PAV_ENOMEM;
    for (int64_t n = 0; n < m->programs; n++) {
        const int64_t which = number + n * k->modules;
        const int64_t own = IN_WAYS_OF_ITS_SEED * m->programs + n;
        const int64_t point = POINT_BY_POINT * m->programs + n;
        m->code[n] = code[which];
        m->code[own] = second(k, which, code[which]);
        m->ways[own] = k->way[which];
        if (k->pass[which].depth > 0)
            m->pass[n] = &k->pass[which];
        if (!gpu_bits_are_promised(k->gpu, code[which]))
            m->code[point] = code[which];
        m->ways[point] = k->point;
    }
    return PAV_OK;
}

static void compile(void *argument, int64_t number)
{
    const gpu_proof *k = argument;
    module *m = &k->module[number];

    m->status = gpu_set_open(k->gpu, m->code, GPU_FORMS * m->programs, m->ways,
                             "Kernels of programs that are checked", k->how, &m->set);
    if (m->status == PAV_OK)
        m->status = gpu_set_add_passes(m->set, m->code, GPU_FORMS * m->programs, m->pass,
                                       "Passes of programs that are checked", k->how);
    if (m->status != PAV_OK)
        (void)snprintf(m->why, sizeof m->why, "%s", pav_message());
}

static pav_status compile_all(gpu_proof *k)
{
    host_team *team = NULL;

    TRY(host_team_open((int)k->modules, HOST_BIND_NONE, &team));
    host_team_run(team, k->modules, compile, k);
    host_team_close(team);
    for (int64_t n = 0; n < k->modules; n++)
        if (k->module[n].status != PAV_OK)
            return FAIL(k->module[n].status, "%s", k->module[n].why);
    return PAV_OK;
}

static pav_status choose_point(gpu_proof *k, const ir *const *code)
{
    int64_t most = 1;

    for (int64_t n = 0; n < k->count; n++)
        most = code[n]->stages > most ? code[n]->stages : most;
    k->point = mem_new(most, sizeof *k->point);
    for (int64_t s = 0; k->point && s < most; s++)
        k->point[s].form = EMIT_GPU_POINT;
    return k->point ? PAV_OK : PAV_ENOMEM;
}

static pav_status fill(gpu_proof *k, const ir *const *code, const uint64_t *seed)
{
    k->parted = mem_new(k->count, sizeof *k->parted);
    k->way = mem_new(k->count, sizeof *k->way);
    k->pass = mem_new(k->count, sizeof *k->pass);
    k->module = mem_new(k->modules, sizeof *k->module);
    if (!k->parted || !k->way || !k->pass || !k->module)
        return PAV_ENOMEM;
    TRY(choose_point(k, code));
    for (int64_t n = 0; n < k->count; n++) {
        TRY(choose_parts(k, n, code[n], seed[n]));
        TRY(choose_ways(k, n, second(k, n, code[n]), seed[n]));
        k->pass[n] = pass_of(code[n], seed[n]);
    }
    for (int64_t n = 0; n < k->modules; n++)
        TRY(fill_module(k, n, code));
    return compile_all(k);
}

pav_status gpu_proof_open(gpu *g, const ir *const *code, const uint64_t *seed,
                          int64_t count, unsigned how, gpu_proof **result)
{
    const int threads = host_threads();
    gpu_proof *k = mem_new(1, sizeof *k);

    *result = NULL;
    if (!k)
        return PAV_ENOMEM;
    *k = (gpu_proof){.gpu = g,
                     .how = how,
                     .count = count,
                     .modules = count < threads ? count : threads};
    const pav_status status = fill(k, code, seed);
    if (status == PAV_OK)
        *result = k;
    else
        gpu_proof_close(k);
    return status;
}

void gpu_proof_close(gpu_proof *k)
{
    if (!k)
        return;
    for (int64_t n = 0; k->module && n < k->modules; n++) {
        gpu_set_close(k->module[n].set);
        mem_free((void *)k->module[n].code);
        mem_free((void *)k->module[n].ways);
        mem_free((void *)k->module[n].pass);
    }
    for (int64_t n = 0; k->way && n < k->count; n++)
        mem_free(k->way[n]);
    for (int64_t n = 0; k->parted && n < k->count; n++)
        ir_free(k->parted[n]);
    mem_free((void *)k->parted);
    mem_free((void *)k->way);
    mem_free(k->pass);
    mem_free(k->point);
    mem_free(k->module);
    mem_free(k);
}

const emit_gpu_schedule *gpu_proof_pass(const gpu_proof *k, int64_t number)
{
    return k->pass[number].depth > 0 ? &k->pass[number] : NULL;
}

const gpu_set *gpu_proof_set(const gpu_proof *k, int64_t number, int form, int64_t *at,
                             bool *parted)
{
    const module *m = &k->module[number % k->modules];

    *at = number / k->modules + form * m->programs;
    *parted = form == IN_WAYS_OF_ITS_SEED && k->parted[number];
    return m->set;
}
