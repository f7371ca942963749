/* SPDX-License-Identifier: BSD-3-Clause */
/* Proofs of GPU kernels: schedules, single steps, fused launches. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check_private.h"

/* ---- schedules --------------------------------------------------------------------- */

/* The schedules for stages of programs compared on a GPU. The program's seed chooses one
 * schedule per stage, and also split stages and rows without padding. Some hundred
 * programs use all of them. */

/* A stage without support for one schedule takes the next legal one. */
static const schedule ways[] = {
    {.kind = SCHEDULE_SWEEP, .tile.size = {4, 2}},
    {.kind = SCHEDULE_SWEEP,
     .tile.size = {2, 1},
     .thread.size[0] = 1,
     .thread.size[1] = 2},
    {.kind = SCHEDULE_POINT, .tile.size = {32, 1}},
    {.kind = SCHEDULE_SWEEP,
     .tile.size = {2, 2},
     .thread.size[0] = 2,
     .thread.size[1] = 3},
    {.kind = SCHEDULE_SWEEP, .tile.size = {8, 1}, .thread.size[0] = 1},
    {.kind = SCHEDULE_SWEEP, .tile.storage = STORAGE_SHARED, .tile.size = {8, 2}},
    {.kind = SCHEDULE_SWEEP, .tile.storage = STORAGE_REGISTERS},
    {.kind = SCHEDULE_SWEEP,
     .tile.storage = STORAGE_SHARED,
     .tile.copy = COPY_TMA,
     .tile.size = {16, 5}},
    {.kind = SCHEDULE_SWEEP,
     .tile.storage = STORAGE_SHARED,
     .tile.copy = COPY_REMAP,
     .tile.size = {4, 6},
     .thread.size[0] = 1},
    {.kind = SCHEDULE_SWEEP,
     .tile.storage = STORAGE_SHARED,
     .tile.copy = COPY_TMA,
     .tile.size = {8, 2},
     .thread.size[1] = 2,
     .tile.ahead = 1},
    {.kind = SCHEDULE_SWEEP,
     .tile.storage = STORAGE_SHARED,
     .tile.copy = COPY_SPLIT,
     .tile.size = {8, 3}},
    {.kind = SCHEDULE_SWEEP, .tile.size = {4, 2}, .tile.ahead = 1, .prefetch = 1},
    {.kind = SCHEDULE_SWEEP, .input = true, .tile.size = {4, 2}, .thread.size[1] = 2},
    {.kind = SCHEDULE_SWEEP,
     .tile.storage = STORAGE_SHARED,
     .input = true,
     .tile.size = {8, 2},
     .prefetch = 1},
    {.kind = SCHEDULE_POINT, .tile.size = {128, 2}},
    {.kind = SCHEDULE_SWEEP, .tile.size = {4, 2}, .unroll = 3},
    {.kind = SCHEDULE_SWEEP,
     .tile.size = {4, 2},
     .thread.size[1] = 2,
     .tile.ahead = 1,
     .unroll = 2},
    {.kind = SCHEDULE_SWEEP,
     .tile.storage = STORAGE_SHARED,
     .tile.size = {8, 2},
     .thread.size[1] = 2,
     .unroll = 5},
    {.kind = SCHEDULE_SWEEP, .input = true, .tile.size = {4, 2}, .unroll = 3},
    {.kind = SCHEDULE_SWEEP,
     .tile.storage = STORAGE_REGISTERS,
     .tile.size = {32, 2},
     .thread.size[1] = 2,
     .unroll = 2,
     .prefetch = 2},
    {.kind = SCHEDULE_SWEEP, .tile.size = {4, 2}, .thread.size[1] = 2, .blocks = 5},
    {.kind = SCHEDULE_SWEEP,
     .tile.storage = STORAGE_SHARED,
     .tile.size = {8, 2},
     .thread.size[1] = 2,
     .blocks = 1},
    {.kind = SCHEDULE_POINT, .tile.size = {64, 2}, .blocks = 3},
    {.kind = SCHEDULE_TWO_PASS},
    {.kind = SCHEDULE_TWO_PASS, .tile.size = {4, 2}, .thread.size[1] = 2, .unroll = 2},
    {.kind = SCHEDULE_TWO_PASS, .tile.storage = STORAGE_SHARED, .tile.size = {4, 2}},
    {.kind = SCHEDULE_TWO_PASS, .tile.storage = STORAGE_REGISTERS, .tile.size = {32, 2}},
    {.kind = SCHEDULE_TWO_PASS,
     .tile.storage = STORAGE_SHARED,
     .tile.copy = COPY_TMA,
     .tile.size = {8, 2},
     .prefetch = 1},
    {.kind = SCHEDULE_TWO_PASS,
     .tile.storage = STORAGE_SHARED,
     .tile.copy = COPY_REMAP,
     .tile.size = {4, 6},
     .thread.size[0] = 1},
    {.kind = SCHEDULE_TWO_PASS, .input = true, .tile.size = {4, 2}},
};

static bool can_go(int architecture, const ir *code, int64_t stage,
                   const schedule *requested)
{
    return emit_gpu_oldest(requested) <= architecture &&
           !emit_gpu_refusal(code, &code->stage[stage], requested);
}

static bool rows_are_plain(uint64_t seed)
{
    return hash_mix(seed) / 2 % 8 == 0;
}

/* Rows without padding have no vectors. */
static schedule made_plain(schedule s)
{
    s.plain = true;
    s.thread.size[0] = 0;
    return s;
}

schedule gpu_schedule_of_seed(int architecture, const ir *code, int64_t stage,
                              uint64_t seed)
{
    static const schedule_uniforms places[] = {UNIFORMS_ARGUMENT, UNIFORMS_CONSTANT,
                                               UNIFORMS_GLOBAL, UNIFORMS_SHARED};
    const uint64_t first = hash_mix(seed + (uint64_t)stage);
    const schedule_uniforms coefficients = places[hash_mix(first) % COUNT_OF(places)];
    const bool plain = rows_are_plain(seed);

    for (uint64_t n = 0; n < COUNT_OF(ways); n++) {
        const schedule *way = &ways[(first + n) % COUNT_OF(ways)];
        schedule requested = plain ? made_plain(*way) : *way;
        requested.coefficients = coefficients;
        if (can_go(architecture, code, stage, &requested))
            return requested;
    }
    return (schedule){.kind = plain ? SCHEDULE_POINT : SCHEDULE_AUTO, .plain = plain};
}

bool split_stages_are_proved(uint64_t seed)
{
    return hash_mix(seed) % 2 != 0;
}

/* ---- kernels ----------------------------------------------------------------------- */

/* Kernels of programs for bitwise comparison. Each program has two forms: the form of any
 * run, and a form with one of the schedules of proof_gpu.c for each stage, chosen by
 * its seed. The second form of every other program has split stages. Compilers take most
 * of a check's time, so programs are divided among one module per thread. */

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

/* The forms of one program. */
typedef struct forms {
    bool plain;     /* rows without padding, in the second form */
    bool free;      /* sweeps are autotuned there, as in any run */
    ir *split;      /* with split stages; NULL: not split */
    schedule *way;  /* one schedule per stage, or split stage */
    schedule fused; /* 0 steps: none */
} forms;

struct gpu_proof {
    gpu *gpu;
    unsigned how;
    arena *memory; /* of all arrays */
    int64_t count, modules;
    forms *form;    /* one per program */
    module *module; /* program n is number n / modules of module n % modules */
};

/* ---- ways -------------------------------------------------------------------------- */

/* The program in its second form, with split stages if it has them. */
static const ir *second(const gpu_proof *k, int64_t n, const ir *code)
{
    return k->form[n].split ? k->form[n].split : code;
}

/* ---- modules ----------------------------------------------------------------------- */

/* The fused schedule of the program; NULL: it takes single steps. */
static const schedule *gpu_proof_fused(const gpu_proof *k, int64_t number)
{
    return k->form[number].fused.tile.steps > 0 ? &k->form[number].fused : NULL;
}

static void fill_module(gpu_proof *k, int64_t number, const ir *const *code)
{
    module *m = &k->module[number];
    const int64_t programs = int_parts(k->count - number, k->modules),
                  room = GPU_OPENINGS * programs;

    *m = (module){.programs = programs,
                  .code = arena_alloc(k->memory, room, sizeof *m->code),
                  .ways = arena_alloc(k->memory, room, sizeof *m->ways),
                  .fused = arena_alloc(k->memory, room, sizeof *m->fused)};
    for (int64_t n = 0; n < m->programs; n++) {
        const int64_t which = number + n * k->modules;
        assert(which < k->count); /* modules share all programs */
        const int64_t own = BY_SCHEDULES_OF_ITS_SEED * m->programs + n;
        m->code[n] = code[which];
        m->code[own] = second(k, which, code[which]);
        m->ways[own] = k->form[which].way;
        m->fused[n] = gpu_proof_fused(k, which);
    }
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

static pav_status fill(gpu_proof *k, const ir *const *code, const uint64_t *seed)
{
    k->form = arena_alloc(k->memory, k->count, sizeof *k->form);
    k->module = arena_alloc(k->memory, k->modules, sizeof *k->module);
    for (int64_t n = 0; n < k->count; n++) {
        const gpu_facts *facts = gpu_facts_of(k->gpu);
        const int architecture = 10 * facts->major + facts->minor;
        forms *f = &k->form[n];
        *f = (forms){.plain = rows_are_plain(seed[n]),
                     .free = hash_mix(seed[n]) / 16 % 2 != 0,
                     .fused = gpu_fused_of_seed(architecture, code[n], seed[n])};
        if (split_stages_are_proved(seed[n])) {
            TRY(ir_build_kernels(code[n]->program, &f->split));
            TRY(ir_split_stages(f->split));
        }
        const ir *own = second(k, n, code[n]);
        f->way = arena_alloc(k->memory, own->stages + 1, sizeof *f->way);
        for (int64_t s = 0; s < own->stages; s++)
            if (emit_gpu_has_kernel(own, &own->stage[s]))
                f->way[s] = gpu_schedule_of_seed(architecture, own, s, seed[n]);
    }
    for (int64_t n = 0; n < k->modules; n++)
        fill_module(k, n, code);
    OWNED_BY(close_team) host_team *team = NULL;
    TRY(host_team_open((int)k->modules, HOST_BIND_NONE, &team));
    host_team_run(team, k->modules, compile, k);
    for (int64_t n = 0; n < k->modules; n++)
        if (k->module[n].status != PAV_OK)
            return FAIL(k->module[n].status, "%s", k->module[n].why);
    return PAV_OK;
}

pav_status gpu_proof_open(gpu *g, const ir *const *code, const uint64_t *seed,
                          int64_t count, unsigned how, gpu_proof **result)
{
    gpu_proof *k = mem_new(1, sizeof *k);
    pav_status status;

    *result = NULL;
    if (!k)
        return PAV_ENOMEM;
    *k = (gpu_proof){.gpu = g,
                     .how = how,
                     .memory = arena_new(),
                     .count = count,
                     .modules = int64_least(count, host_threads())};
    ARENA_GUARD(k->memory, status, fill(k, code, seed));
    if (status != PAV_OK || !k->module) {
        gpu_proof_close(k);
        return status != PAV_OK ? status : PAV_ENOMEM;
    }
    *result = k;
    return PAV_OK;
}

void gpu_proof_close(gpu_proof *k)
{
    if (!k)
        return;
    for (int64_t n = 0; k->module && n < k->modules; n++)
        place_set_close(k->module[n].set);
    for (int64_t n = 0; k->form && n < k->count; n++)
        ir_free(k->form[n].split);
    arena_free(k->memory);
    mem_free(k);
}

static place_opening gpu_proof_of(const gpu_proof *k, int64_t number, int which)
{
    const module *m = &k->module[number % k->modules];
    const bool own = which == BY_SCHEDULES_OF_ITS_SEED;

    return (place_opening){.set = m->set,
                           .number = number / k->modules + which * m->programs,
                           .planes = own && !k->form[number].free ? PLANES : 0,
                           .split = own && k->form[number].split,
                           .plain = own && k->form[number].plain};
}

/* ---- single steps ------------------------------------------------------------------ */

/* Proves that GPU kernels are bitwise identical to the interpreter after each step, with
 * NaN in the memory around the points. The schedules are those of any run, and random
 * ones from the seed. */

static const char *form_name(int which)
{
    static const char *const names[] = {"as any run", "in the ways of its seed"};
    return names[which];
}

static pav_status open_form(const proof_case *c, const gpu_proof *k, int64_t number,
                            int which, pav_run **run)
{
    const place_opening how = gpu_proof_of(k, number, which);

    TRY(proof_in_way(form_name(which), run_open_there(c->program, &how, run)));
    return proof_in_way(form_name(which), run_is_poisoned(*run));
}

/* Compares single steps in both forms. */
static pav_status steps_agree(const proof_case *c, const gpu_proof *k, int64_t number)
{
    OWNED_BY(free_run) pav_run *reference = NULL, *one = NULL, *other = NULL;
    TRY(run_open_with(c->program, interp_stage, &reference));
    TRY(open_form(c, k, number, AS_ANY_RUN, &one));
    TRY(open_form(c, k, number, BY_SCHEDULES_OF_ITS_SEED, &other));
    return runs_follow(reference, (pav_run *[]){one, other}, 2, form_name);
}

/* ---- fused launches ---------------------------------------------------------------- */

/* The proof that fused launches on a GPU are bitwise identical to single steps: with
 * tiles of a few points, sweeps of a few planes, and launches of all lengths up to the
 * depth. Programs without legal fused launches are left out. */

enum { FEW_PLANES = 5, HEAVY = 1200 };

/* ---- schedules --------------------------------------------------------------------- */

#define IN_SHARED .kind = SCHEDULE_GPU_TIME, .tile.storage = STORAGE_SHARED
#define IN_REGISTERS .kind = SCHEDULE_GPU_TIME, .tile.storage = STORAGE_REGISTERS
#define STAYS .kind = SCHEDULE_PERSISTENT
static const schedule tiles[] = {
    {IN_REGISTERS, .tile.size = {32, 5}, .thread.size[1] = 2, .thread.size[0] = 1,
     .planes = 5, .tail = 3},
    {IN_SHARED, .tile.size = {12, 11}},
    {IN_REGISTERS, .tile.size = {32, 4}, .thread.size[1] = 3, .thread.size[0] = 2},
    {IN_SHARED, .tile.size = {16, 9}},
    {IN_REGISTERS, .tile.size = {32, 12}, .thread.size[1] = 1, .thread.size[0] = 4},
    {IN_REGISTERS, .tile.size = {32, 6}, .thread.size[1] = 2, .unroll = 3,
     .thread.size[0] = 1},
    {IN_REGISTERS, .tile.size = {32, 6}, .thread.size[1] = 2, .prefetch = 2,
     .thread.size[0] = 1},
    {IN_REGISTERS, .tile.size = {32, 6}, .thread.size[1] = 2, .tile.copy = COPY_TMA,
     .planes = 4, .tail = 2},
    {IN_REGISTERS, .tile.size = {32, 5}, .thread.size[1] = 3, .prefetch = 1,
     .thread.size[0] = 1, .unroll = 2},
    {IN_SHARED, .tile.size = {9, 16}},
    {IN_SHARED, .tile.size = {23, 23}},
    {IN_SHARED, .tile.size = {32, 32}},
    {STAYS, .device.size = {2, 2, 1}, .thread.size[1] = 1, .tile.size = {32, 1}},
    {STAYS, .device.size = {1, 3, 2}, .thread.size[1] = 2, .planes = 1,
     .tile.size = {32, 1}},
    {STAYS, .device.size = {3, 1, 1}, .thread.size[1] = 3, .thread.size[0] = 1,
     .tile.size = {64, 1}},
    {STAYS, .device.size = {1, 2, 2}, .buffers = 1},
    {STAYS, .device.size = {2, 1, 1}, .buffers = 1, .thread.size[0] = 2,
     .tile.size = {32, 1}},
    {STAYS, .device.size = {1, 2, 1}, .tile.size = {64, 1}},
};

int64_t gpu_fused_values(const ir *code, const schedule *s)
{
    int64_t values = 0;

    for (int64_t k = 0; k < code->step.count; k++)
        values += code->stage[code->step.stage[k]].count;
    return values * s->tile.steps * int_most(1, s->thread.size[1]) *
           int_most(1, s->thread.size[0]) * int_most(1, s->unroll);
}

/* True if the kernel has few values. Heavier kernels compile for seconds. */
static bool is_light(const ir *code, const schedule *s)
{
    return gpu_fused_values(code, s) <= HEAVY;
}

static bool has_pass(const ir *code, const schedule *requested)
{
    OWNED_BY(text_free) text why = {0};
    return emit_legal(code, requested, NULL, &why) == PAV_OK && why.length == 0;
}

/* The first tile, from a random one on, with points of its own for the program and a
 * short kernel. */
schedule gpu_fused_of_seed(int architecture, const ir *code, uint64_t seed)
{
    const uint64_t first = hash_mix(seed + 1);

    for (uint64_t n = 0; n < COUNT_OF(tiles); n++) {
        schedule requested = tiles[(first + n) % COUNT_OF(tiles)];
        requested.tile.steps = 2 + (int)(first >> 8 & 255) % 3 -
                               (requested.kind == SCHEDULE_PERSISTENT);
        if (!is_light(code, &requested))
            requested.tile.steps = int_least(requested.tile.steps, 2);
        if (emit_gpu_oldest(&requested) <= architecture && is_light(code, &requested) &&
            has_pass(code, &requested))
            return requested;
    }
    return (schedule){0};
}

/* ---- runs -------------------------------------------------------------------------- */

/* Single steps come first, while borders are kept. Then come launches of full depth and a
 * shorter one. */
static pav_status follow_passes(const program *p, pav_run *run, int depth)
{
    const int64_t steps[] = {2, depth + 1, 2 * depth + 3};
    return equals_interpreter(p, run, steps, COUNT_OF(steps));
}

/* Opens a run with two or three slabs across the slowest axis. */
static pav_status open_slabs(const proof_case *c, const place_opening *how, int every,
                             pav_run **run)
{
    int64_t parts[MAX_DIM] = {1, 1, 1};
    OWNED_BY(decomposition_free) decomposition d = {0};
    OWNED_BY(free_code) ir *code = NULL;
    TRY(ir_build_kernels(c->program, &code));
    parts[code->dim - 1] = 2 + (int64_t)(c->seed / 4 % 4 == 0);
    const cut_opening cut = {
        .cut = &d, .every = every, .there = how, .apart = c->seed / 8 % 2};
    TRY(decompose(ir_grid_box(code).hi, parts, &d));
    return run_open_cut(c->program, &cut, run);
}

/* The same within subdomains with a halo exchange before every launch, or every second
 * one. */
static pav_status slabs_equal_steps(const proof_case *c, const place_opening *how,
                                    int depth)
{
    OWNED_BY(free_run) pav_run *run = NULL;
    const int every = depth * (1 + (int)(c->seed / 2 % 4 == 0));
    const pav_status opened = open_slabs(c, how, every, &run);
    if (opened == PAV_EUNSUPPORTED || opened == PAV_EINVAL)
        return PAV_OK; /* the slabs are too thin, or have no fused launches */
    TRY(opened);
    TRY(follow_passes(c->program, run, depth));
    if (c->tally)
        c->tally->within = run_blocks(run)->taken > 0;
    return PAV_OK;
}

static pav_status fused_equal_steps(const proof_case *c, const schedule *s,
                                    place_opening how)
{
    OWNED_BY(free_run) pav_run *run = NULL;
    how.planes = FEW_PLANES;
    how.fuses_steps = true;
    TRY(run_open_there(c->program, &how, &run));
    TRY(follow_passes(c->program, run, s->tile.steps));
    if (c->tally)
        c->tally->several = run_blocks(run)->taken > 0;
    return s->kind == SCHEDULE_GPU_TIME ? slabs_equal_steps(c, &how, s->tile.steps)
                                        : PAV_OK;
}

/* ---- all proofs of a program ------------------------------------------------------- */

static pav_status agree(const proof_case *c, const gpu_proof *k, int64_t number)
{
    const place_opening whole = gpu_proof_of(k, number, AS_ANY_RUN);
    const cut_opening cut = {.there = &whole};
    TRY(steps_agree(c, k, number));
    TRY(subdomains_equal_one(c, cut));
    if (!whole.plain)
        TRY(visits_equal_one(c, cut, gpu_proof_fused(k, number)));
    const schedule *s = gpu_proof_fused(k, number);
    char words[SCHEDULE_STRING];
    if (!s)
        return PAV_OK;
    return proof_in_way(schedule_string(s, words),
                        fused_equal_steps(c, s, gpu_proof_of(k, number, AS_ANY_RUN)));
}

static pav_status compile_and_agree(const proof_case *c)
{
    OWNED_BY(free_code) ir *code = NULL;
    OWNED_BY(close_proof) gpu_proof *k = NULL;
    TRY(ir_build_kernels(c->program, &code));
    TRY(gpu_proof_open(c->gpu, &(const ir *){code}, &c->seed, 1, HOST_QUICK, &k));
    return agree(c, k, 0);
}

pav_status gpu_equals_rows(const proof_case *c)
{
    return c->gpu_kernels ? agree(c, c->gpu_kernels, c->number) : compile_and_agree(c);
}
