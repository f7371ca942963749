/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of programs for bitwise comparison. Each program has two forms: the form of any
 * run, and a form with one of the schedules of gpu_schedules.c for each stage, chosen by
 * its seed. The second form of every other program has split stages. If bitwise identity
 * is not promised, a third form has one thread per point. Compilers take most of a
 * check's time, so programs are divided among one module per thread. */
#include <stdio.h>

#include "check/check_private.h"

enum { LONGEST = 512, PLANES = 3 /* planes per sweep; grids are small */ };

typedef struct module {
    place_set *set;
    int64_t programs;
    const ir **code; /* GPU_OPENINGS forms of all programs; NULL: no such form */
    const schedule **ways;
    const schedule **fused; /* NULL: the program takes single steps */
    pav_status status;
    char why[LONGEST];
} module;

struct gpu_proof {
    gpu *gpu;
    unsigned how;
    int64_t count, modules;
    bool *plain;     /* rows without padding, in each second form */
    bool *free;      /* sweeps are autotuned there, as in any run */
    ir **split;      /* each program with split stages; NULL: not split */
    schedule **way;  /* one schedule per stage, or split stage */
    schedule *fused; /* one per program; 0 steps: none */
    schedule *point; /* one per stage of the longest program */
    module *module;  /* program n is number n / modules of module n % modules */
};

/* ---- ways -------------------------------------------------------------------------- */

static pav_status choose_parts(gpu_proof *k, int64_t n, const ir *code, uint64_t seed)
{
    if (!split_stages_are_proved(seed))
        return PAV_OK;
    TRY(ir_build(code->program, NULL, &k->split[n]));
    return ir_split_stages(k->split[n]);
}

/* The program in its second form, with split stages if it has them. */
static const ir *second(const gpu_proof *k, int64_t n, const ir *code)
{
    return k->split[n] ? k->split[n] : code;
}

static int architecture_of(const gpu_proof *k)
{
    const gpu_facts *facts = gpu_facts_of(k->gpu);

    return 10 * facts->major + facts->minor;
}

static pav_status choose_schedules(gpu_proof *k, int64_t n, const ir *code, uint64_t seed)
{
    schedule *all = k->way[n] = mem_new(code->stages + 1, sizeof *all);

    for (int64_t s = 0; all && s < code->stages; s++)
        if (emit_gpu_has_kernel(code, &code->stage[s]))
            all[s] = gpu_schedule_of_seed(architecture_of(k), code, s, seed);
    return all ? PAV_OK : PAV_ENOMEM;
}

/* ---- modules ----------------------------------------------------------------------- */

static pav_status fill_module(gpu_proof *k, int64_t number, const ir *const *code)
{
    module *m = &k->module[number];

    m->programs = (k->count - number + k->modules - 1) / k->modules;
    m->code = mem_new(GPU_OPENINGS * m->programs, sizeof *m->code);
    m->ways = mem_new(GPU_OPENINGS * m->programs, sizeof *m->ways);
    m->fused = mem_new(GPU_OPENINGS * m->programs, sizeof *m->fused);
    if (!m->code || !m->ways || !m->fused)
        return PAV_ENOMEM;
    for (int64_t n = 0; n < m->programs; n++) {
        const int64_t which = number + n * k->modules;
        const int64_t own = BY_SCHEDULES_OF_ITS_SEED * m->programs + n;
        const int64_t point = POINT_BY_POINT * m->programs + n;
        m->code[n] = code[which];
        m->code[own] = second(k, which, code[which]);
        m->ways[own] = k->way[which];
        if (k->fused[which].tile.steps > 0)
            m->fused[n] = &k->fused[which];
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

    m->status = place_set_open(k->gpu, m->code, GPU_OPENINGS * m->programs, m->ways,
                               "Kernels of programs that are checked", k->how, &m->set);
    if (m->status == PAV_OK)
        m->status = place_set_add_launches(m->set, m->code, GPU_OPENINGS * m->programs,
                                           m->fused,
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
        k->point[s].kind = SCHEDULE_POINT;
    return k->point ? PAV_OK : PAV_ENOMEM;
}

static pav_status fill(gpu_proof *k, const ir *const *code, const uint64_t *seed)
{
    k->split = mem_new(k->count, sizeof *k->split);
    k->way = mem_new(k->count, sizeof *k->way);
    k->fused = mem_new(k->count, sizeof *k->fused);
    k->module = mem_new(k->modules, sizeof *k->module);
    k->plain = mem_new(k->count, sizeof *k->plain);
    k->free = mem_new(k->count, sizeof *k->free);
    if (!k->split || !k->way || !k->fused || !k->module || !k->plain || !k->free)
        return PAV_ENOMEM;
    TRY(choose_point(k, code));
    for (int64_t n = 0; n < k->count; n++) {
        k->plain[n] = rows_are_plain(seed[n]);
        k->free[n] = walks_are_free(seed[n]);
        TRY(choose_parts(k, n, code[n], seed[n]));
        TRY(choose_schedules(k, n, second(k, n, code[n]), seed[n]));
        k->fused[n] = gpu_fused_of_seed(architecture_of(k), code[n], seed[n]);
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
        place_set_close(k->module[n].set);
        mem_free((void *)k->module[n].code);
        mem_free((void *)k->module[n].ways);
        mem_free((void *)k->module[n].fused);
    }
    for (int64_t n = 0; k->way && n < k->count; n++)
        mem_free(k->way[n]);
    for (int64_t n = 0; k->split && n < k->count; n++)
        ir_free(k->split[n]);
    mem_free((void *)k->split);
    mem_free((void *)k->way);
    mem_free(k->fused);
    mem_free(k->point);
    mem_free(k->plain);
    mem_free(k->free);
    mem_free(k->module);
    mem_free(k);
}

const schedule *gpu_proof_fused(const gpu_proof *k, int64_t number)
{
    return k->fused[number].tile.steps > 0 ? &k->fused[number] : NULL;
}

place_opening gpu_proof_of(const gpu_proof *k, int64_t number, int which)
{
    const module *m = &k->module[number % k->modules];
    const bool own = which == BY_SCHEDULES_OF_ITS_SEED;

    return (place_opening){.set = m->set,
                           .number = number / k->modules + which * m->programs,
                           .planes = own && !k->free[number] ? PLANES : 0,
                           .split = own && k->split[number],
                           .plain = own && k->plain[number]};
}
