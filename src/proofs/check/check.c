/* SPDX-License-Identifier: BSD-3-Clause */
/* The enumeration: every catalogue word and then random programs, each with every proof.
 * A failure names its word or seed, and repeats with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check_private.h"

/* ---- the list of proofs ------------------------------------------------------------ */

/* The list of proofs, and two self-comparisons: the printed form of a program with its
 * parsed form, and the interpreter's rows with its single points. Several proofs share
 * the comparison of two runs, step by step. */

/* ---- the canonical form ------------------------------------------------------------ */

static pav_status prints_and_parses_back(const proof_case *c)
{
    const pav_program_options options = {.name = "the canonical form",
                                         .directory = c->program->directory};
    OWNED_BY(text_free) text once = {0}, again = {0};
    OWNED_BY(free_program) program *q = NULL;
    program_print(c->program, &once);
    if (once.failed)
        return PAV_ENOMEM;
    TRY(program_parse(once.data, once.length, &options, &q));
    program_print(q, &again);
    if (again.failed)
        return PAV_ENOMEM;
    return strcmp(once.data, again.data) == 0
               ? PAV_OK
               : FAIL(PAV_EINTERNAL, "printed once\n%sprinted again\n%s", once.data,
                      again.data);
}

/* ---- rows against points ----------------------------------------------------------- */

pav_status proof_in_way(const char *way, pav_status status)
{
    return status == PAV_OK || status == PAV_ENOMEM
               ? status
               : FAIL(status, "%s: %s", way, pav_message());
}

const int64_t proof_steps[] = {0, 1, 1, 1};

static pav_status compare_after(pav_run *a, pav_run *b, const int64_t *steps,
                                size_t count)
{
    for (size_t n = 0; n < count; n++) {
        if (steps[n] > 0) {
            TRY(pav_run_steps(a, steps[n]));
            TRY(pav_run_steps(b, steps[n]));
        }
        TRY(runs_are_equal(a, b, 0));
    }
    return PAV_OK;
}

pav_status equals_interpreter(const program *p, pav_run *run, const int64_t *steps,
                              size_t count)
{
    OWNED_BY(free_run) pav_run *reference = NULL;
    TRY(run_open_with(p, interp_stage, &reference));
    return compare_after(reference, run, steps, count);
}

pav_status runners_agree(const program *p, stage_runner one, stage_runner other)
{
    OWNED_BY(free_run) pav_run *a = NULL, *b = NULL;
    TRY(run_open_with(p, one, &a));
    TRY(run_open_with(p, other, &b));
    return compare_after(a, b, proof_steps, COUNT_OF(proof_steps));
}

pav_status runs_follow(pav_run *reference, pav_run *const *run, int count,
                       const char *(*name)(int n))
{
    for (int step = 0; step <= PROOF_STEPS; step++) {
        if (step > 0)
            TRY(pav_run_steps(reference, 1));
        for (int n = 0; n < count; n++) {
            if (step > 0)
                TRY(proof_in_way(name(n), pav_run_steps(run[n], 1)));
            TRY(proof_in_way(name(n), runs_are_equal(reference, run[n], 0)));
        }
    }
    return PAV_OK;
}

/* Compares whole stages with split stages, the parts of a GPU stage with neighbours in
 * one direction each. */
static pav_status split_stages_equal_whole_ones(const proof_case *c)
{
    OWNED_BY(free_run) pav_run *split = NULL;
    TRY(run_open_split(c->program, &split));
    return equals_interpreter(c->program, split, proof_steps, COUNT_OF(proof_steps));
}

static pav_status rows_equal_points(const proof_case *c)
{
    return runners_agree(c->program, interp_stage, interp_stage_slow);
}

static pav_status subdomains_of_interpreter(const proof_case *c)
{
    return subdomains_equal_one(c, (cut_opening){0});
}

const proof proof_table[] = {
    {"the printed form parses back", prints_and_parses_back},
    {"passes keep the values", passes_keep_the_values},
    {"rows equal points", rows_equal_points},
    {"stages in parts equal whole ones", split_stages_equal_whole_ones},
    {"subdomains equal one", subdomains_of_interpreter},
    {"visits out of core equal one", visits_of_interpreter},
    {"kernels equal rows", kernels_equal_rows},
    {"a direct evaluation agrees", direct_agrees},
    {NULL, NULL},
};

const proof compile_table[] = {
    {"NVRTC compiles the kernels", gpu_kernels_compile},
    {NULL, NULL},
};

/* ---- the enumeration --------------------------------------------------------------- */

enum {
    RANDOM_POINTS = 400,
    PROGRESS_EVERY = 1000,
    BATCH = 40, /* programs whose kernels are compiled at once, by one compiler */
    MOST = 160, /* programs compiled at once by several compilers */
    EQUATION_EVERY = 20, /* seeds between two equations; halfway, an adjoint is tested */
    HEAVY = 6000,        /* a batch with more values needs too much memory to compile */
    HARD_EVERY = 25,     /* fully optimised: one batch in so many */
};

typedef struct subject {
    char what[128];
    program *program;
    uint64_t seed;
    ir *code;
    kept_failure failure;
} subject;

typedef struct traversal {
    const pav_check_options *options;
    bool compiled; /* for processors */
    gpu *gpu;      /* or NULL */
    pav_check_count found;
    outofcore_seen seen;
    host_team *team;           /* compiling threads; or NULL */
    int count, batches, batch; /* batch: largest number of programs */
    int64_t weight;            /* number of values computed by the batch */
    subject subject[MOST];
} traversal;

PRINTF_LIKE(2, 3)
static void note(const traversal *w, const char *format, ...)
{
    OWNED_BY(text_free) text t = {0};
    va_list list;
    va_start(list, format);
    text_add_list(&t, format, list);
    va_end(list);
    if (w->options->report && t.data)
        w->options->report(w->options->user, t.data);
}

static pav_status prove(const proof *table, const proof_case *c)
{
    for (const proof *q = table; q->name; q++)
        TRY(proof_in_way(q->name, q->hold(c)));
    return PAV_OK;
}

static void count(traversal *w, pav_status status, const char *what, const char *why)
{
    if (status == PAV_OK) {
        w->found.passed++;
    } else {
        w->found.failed++;
        note(w, "%s FAILED: %s", what, why ? why : "");
    }
    const long long done = w->found.passed + w->found.failed;
    if (done % PROGRESS_EVERY == 0)
        note(w, "%lld programs so far, %lld failed", done, (long long)w->found.failed);
}

/* Compiles a batch of programs together. If this fails, the set stays empty: each program
 * is then compiled alone, to find the one that fails. Full optimisation takes twenty
 * times longer than quick compilation, so only some batches get it. */
static void prove_on_device(traversal *w)
{
    const unsigned how = w->batches++ % HARD_EVERY == 0 ? 0 : HOST_QUICK;
    OWNED_BY(close_kernel_set) kernel_set *set = NULL;
    OWNED_BY(close_proof) gpu_proof *kernels = NULL;
    const ir *code[MOST];
    uint64_t seed[MOST];
    for (int n = 0; n < w->count; n++) {
        code[n] = w->subject[n].code;
        seed[n] = w->subject[n].seed;
    }
    if (w->gpu && w->count > 0)
        (void)gpu_proof_open(w->gpu, code, seed, w->count, how, &kernels);
    else if (w->compiled && w->count > 0)
        (void)kernel_set_open(code, w->count, "Kernels of programs that are checked", how,
                              &set);
    for (int n = 0; n < w->count; n++) {
        subject *s = &w->subject[n];
        proof_tally t = {0};
        const proof_case c = {s->program, s->seed, w->compiled, set,
                              n,          w->gpu,  kernels,     &t};
        failure_keep(&s->failure, prove(proof_table, &c));
        if (s->failure.status != PAV_OK)
            continue;
        w->found.several += t.several;
        w->found.within += t.within;
        w->found.visits += t.visits;
        w->found.turned += t.turned;
        visits_add(&w->seen, &t.seen);
        for (int axis = 0; axis < MAX_DIM; axis++) {
            w->found.tiled[axis] += t.tiled[axis];
            w->found.around[axis] += t.around[axis];
        }
    }
}

static void prove_one_compiles(void *argument, int64_t n)
{
    subject *s = &((traversal *)argument)->subject[n];
    const proof_case c = {.program = s->program, .seed = s->seed};
    failure_keep(&s->failure, prove(compile_table, &c));
}

static void prove_batch(traversal *w)
{
    if (w->options->compile)
        host_team_run(w->team, w->count, prove_one_compiles, w);
    else
        prove_on_device(w);
    for (int n = 0; n < w->count; n++) {
        subject *s = &w->subject[n];
        count(w, s->failure.status, s->what, s->failure.why);
        ir_free(s->code);
        program_free(s->program);
        free(s->failure.why);
    }
    w->count = 0;
    w->weight = 0;
}

static void visit_text(traversal *w, const char *what, const text *source, uint64_t seed)
{
    const pav_program_options options = {.name = what};
    subject *s = &w->subject[w->count];
    char line[160];
    snprintf(line, sizeof line, "%lld programs done, %lld failed; %s",
             (long long)w->found.passed + w->found.failed, (long long)w->found.failed,
             what);
    if (w->options->live)
        w->options->live(w->options->user, line);
    *s = (subject){.seed = seed};
    snprintf(s->what, sizeof s->what, "%s", what);
    pav_status status = source->failed ? FAIL(PAV_ENOMEM, "memory ran out")
                                       : program_parse(source->data, source->length,
                                                       &options, &s->program);
    if (status == PAV_OK && (w->compiled || w->gpu))
        status = ir_build_kernels(s->program, &s->code);
    if (status != PAV_OK) {
        program_free(s->program);
        count(w, status, what, pav_message());
        return;
    }
    if (w->compiled && strides_are_fixed(seed))
        kernel_strides_of_whole(s->code);
    w->count++;
    for (int64_t k = 0; s->code && k < s->code->stages; k++)
        w->weight += s->code->stage[k].count;
    if (w->count == w->batch || w->weight > (int64_t)HEAVY * w->batch / BATCH)
        prove_batch(w);
}

/* Program n of seed s equals program 1 of seed s + n - 1. So a failure is repeated alone
 * by `pavior check --programs 1 --seed ...`. */
static void draw_program(uint64_t seed, text *t)
{
    rng r = {hash_mix(seed)};
    random_program(&r, RANDOM_POINTS, t);
}

/* Some programs solve an equation. It needs many steps, so they are few. */
static bool is_equation(uint64_t seed)
{
    return seed % EQUATION_EVERY == 0;
}

/* Some programs are linear, for tests of their adjoints. */
static bool is_linear(uint64_t seed)
{
    return seed % EQUATION_EVERY == EQUATION_EVERY / 2;
}

pav_status pav_check_program(uint64_t seed, char **result)
{
    GUARDED;
    text t = {0};
    random_equation e = {0};
    if (!result)
        return FAIL(PAV_EINVAL, "pav_check_program needs a place for the text");
    if (!is_equation(seed)) {
        (is_linear(seed) ? random_linear : draw_program)(seed, &t);
        return text_take(&t, result);
    }
    random_solve(seed, &e);
    text_free(&e.residual);
    return text_take(&e.solve, result);
}

static const char *device_of(const traversal *w)
{
    return w->options->device ? w->options->device : "auto";
}

/* Takes no steps if programs are only compiled. Every third adjoint is tested on the
 * device, since each needs two compiled programs. */
static void visit_seed(traversal *w, uint64_t seed)
{
    const bool equation = !w->options->compile && is_equation(seed),
               linear = !w->options->compile && is_linear(seed);
    OWNED_BY(text_free) text t = {0};
    OWNED_BY(random_equation_free) random_equation e = {0};
    pav_status status;
    double size;
    char what[64];
    snprintf(what, sizeof what, "random %s of seed %llu",
             equation ? "equation"
             : linear ? "linear program"
                      : "program",
             (unsigned long long)seed);
    if (equation) {
        random_solve(seed, &e);
        status = e.solve.failed || e.residual.failed
                     ? FAIL(PAV_ENOMEM, "memory ran out")
                     : equation_is_solved(&e,
                                          w->compiled || w->gpu ? device_of(w) : NULL);
        count(w, status, what, pav_message());
    } else if (linear) {
        random_linear(seed, &t);
        status = adjoint_holds(
            &t, seed / EQUATION_EVERY % 3 == 0 ? device_of(w) : "interpreter", &size);
        count(w, status, what, pav_message());
    } else {
        draw_program(seed, &t);
        visit_text(w, what, &t, seed);
    }
}

/* ---- the device and the number of programs ----------------------------------------- */

static void note_begin(const traversal *w, const char *doing, const char *device)
{
    note(w, "%s%s: %s%lld random programs from seed %llu", doing, device,
         w->options->random_only ? "" : "the catalogue, then ",
         (long long)check_programs(w->options),
         (unsigned long long)check_seed(w->options));
}

/* Reports the visits of all programs, and steps that shared a pass. A request without a
 * suitable method counts for the first method. */
static void report_several(const traversal *w)
{
    const pav_check_count *c = &w->found;
    const outofcore_seen *s = &w->seen;
    OWNED_BY(text_free) text t = {0};
    outofcore_request as;
    for (int64_t n = 0; n < OUTOFCORE_METHODS; n++)
        text_add(&t, "%s%lld by %s", n > 0 ? ", " : "", (long long)s->method[n],
                 outofcore_method(n, &as));
    if (t.data)
        note(w, "out of core %s", t.data);
    note(w,
         "of these %lld stage by stage, %lld by fused launches, %lld around an axis; "
         "in %lld planes stayed, %lld had several windows, %lld lay on disk, of which "
         "the host's memory bounded %lld",
         (long long)s->stages, (long long)s->launches, (long long)s->around,
         (long long)s->stay, (long long)s->windows, (long long)s->disk,
         (long long)s->bounded);
    if (!w->compiled && !w->gpu)
        return;
    note(w, "several steps shared a %s in %lld programs", w->gpu ? "launch" : "pass",
         (long long)c->several);
    if (w->gpu) {
        note(w, "in %lld of them within subdomains, too, in %lld out of core",
             (long long)c->within, (long long)c->visits);
        return;
    }
    note(w, "visits of %lld programs out of core took time tiles", (long long)c->visits);
    note(w,
         "in %lld, %lld and %lld of them there were several tiles along x, y and z; "
         "in %lld, %lld and %lld around faces that wrap; in %lld diamonds",
         (long long)c->tiled[0], (long long)c->tiled[1], (long long)c->tiled[2],
         (long long)c->around[0], (long long)c->around[1], (long long)c->around[2],
         (long long)c->turned);
}

/* Programs only compiled, not run, may have the size of a user's. A compilation uses only
 * a few candidates of each word, and the next seed chooses the next candidates. */
static void visit_all(traversal *w)
{
    const pav_check_options *o = w->options;
    const uint64_t first = o->compile ? check_seed(o) : 1;
    for (int k = 0; !o->random_only && catalogue_small(k); k++) {
        const char *small = catalogue_small(k);
        OWNED_BY(text_free) text word = {0}, t = {0};
        if (!check_is_shared(o, k))
            continue;
        if (o->compile) {
            /* "star3d:r=4@13x12x11/f32" -> "star3d:r=4@256x256x256/f32": defaults and
             * candidates depend on the room for a tile. */
            const char *at = small + strcspn(small, "@"), *type = at + strcspn(at, "/");
            text_add_bytes(&word, small, at - small);
            for (; at < type; at += strspn(at, "0123456789")) {
                text_add(&word, at[1] >= '0' && at[1] <= '9' ? "%c256" : "%c", *at);
                at++;
            }
            text_add(&word, "%s", type);
        } else
            text_add(&word, "%s", small);
        if (word.failed || catalogue_text(word.data, &t) != PAV_OK)
            count(w, PAV_EINTERNAL, small,
                  word.failed ? "memory ran out" : pav_message());
        else
            visit_text(w, word.data, &t, (uint64_t)k + first);
    }
    for (int64_t k = 0; k < check_programs(o); k++)
        if (check_is_shared(o, k))
            visit_seed(w, check_seed(o) + (uint64_t)k);
    prove_batch(w);
}

pav_status pav_check(const pav_check_options *options, pav_check_count *result)
{
    GUARDED;
    traversal w = {.options = options ? options : &(pav_check_options){0}, .batch = MOST};
    if (!result)
        return FAIL(PAV_EINVAL, "pav_check needs a place for the count");
    *result = (pav_check_count){0};
    if (w.options->compile) {
        TRY(gpu_compiler_is_here());
        note_begin(&w, "compiling kernels for GPUs", "");
        TRY(host_team_open(host_threads(), HOST_BIND_NONE, &w.team));
    } else {
        OWNED_BY(free_device) pav_device *device = NULL;
        TRY(pav_device_open(device_of(&w), &device));
        TRY(device_check_single(device, "a check"));
        const place_kind kind = place_kind_of(device);
        note_begin(&w, "checking device ", pav_device_name(device));
        if (device->lacking)
            note(&w, "%s alone is checked: %s",
                 kind == PLACE_PROCESSORS ? pav_device_name(device) : "the interpreter",
                 device->lacking);
        w.compiled = kind == PLACE_PROCESSORS;
        if (kind == PLACE_GPU)
            TRY(gpu_open(device, &w.gpu));
        /* large enough to keep the compilers busy */
        w.batch = w.gpu        ? int_least(BATCH * host_threads(), MOST)
                  : w.compiled ? BATCH
                               : 1;
    }
    visit_all(&w);
    if (!w.options->compile)
        report_several(&w);
    gpu_close(w.gpu);
    host_team_close(w.team);
    *result = w.found;
    return PAV_OK;
}
