/* SPDX-License-Identifier: BSD-3-Clause */
/* The enumeration: every catalogue word and then random programs, each with every proof.
 * A failure names its word or seed, and repeats with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check_private.h"
#include "check/places/places.h"

/* ---- the list of proofs ------------------------------------------------------------ */

/* The list of proofs, and two self-comparisons: the printed form of a program with its
 * parsed form, and the interpreter's rows with its single points. Several proofs share
 * the comparison of two runs, step by step. */

/* ---- the canonical form ------------------------------------------------------------ */

static pav_status print_again(const char *source, int64_t length, const program *p,
                              text *again)
{
    const pav_program_options options = {.name = "the canonical form",
                                         .directory = p->directory};
    program *q = NULL;
    TRY(program_parse(source, length, &options, &q));
    program_print(q, again);
    program_free(q);
    return again->failed ? PAV_ENOMEM : PAV_OK;
}

static pav_status prints_and_parses_back(const proof_case *c)
{
    const program *p = c->program;
    text once = {0}, again = {0};
    program_print(p, &once);
    pav_status status = once.failed ? PAV_ENOMEM
                                    : print_again(once.data, once.length, p, &again);
    if (status == PAV_OK && strcmp(once.data, again.data) != 0)
        status = FAIL(PAV_EINTERNAL, "printed once\n%sprinted again\n%s", once.data,
                      again.data);
    text_free(&once);
    text_free(&again);
    return status;
}

/* ---- rows against points ----------------------------------------------------------- */

pav_status proof_in_way(const char *way, pav_status status)
{
    if (status == PAV_OK || status == PAV_ENOMEM)
        return status;
    return FAIL(status, "%s: %s", way, pav_message());
}

const int64_t proof_steps[] = {0, 1, 1, 1};

static pav_status take_and_compare(pav_run *a, pav_run *b, int64_t steps, bool any_nan)
{
    if (steps > 0) {
        TRY(pav_run_steps(a, steps));
        TRY(pav_run_steps(b, steps));
    }
    return runs_are_equal(a, b, any_nan);
}

pav_status equals_interpreter(const program *p, pav_run *run, const int64_t *steps,
                              size_t count)
{
    pav_run *reference = NULL;
    pav_status status = run_open_with(p, interp_stage, &reference);
    for (size_t n = 0; n < count && status == PAV_OK; n++)
        status = take_and_compare(reference, run, steps[n], true);
    pav_run_free(reference);
    return status;
}

pav_status runners_agree(const program *p, stage_runner one, stage_runner other)
{
    pav_run *a = NULL, *b = NULL;
    pav_status status = run_open_with(p, one, &a);
    if (status == PAV_OK)
        status = run_open_with(p, other, &b);
    for (size_t n = 0; n < COUNT_OF(proof_steps) && status == PAV_OK; n++)
        status = take_and_compare(a, b, proof_steps[n], false);
    pav_run_free(a);
    pav_run_free(b);
    return status;
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
            TRY(proof_in_way(name(n), runs_are_equal(reference, run[n], true)));
        }
    }
    return PAV_OK;
}

/* Compares whole stages with split stages, the parts of a GPU stage with neighbours in
 * one direction each. */
static pav_status split_stages_equal_whole_ones(const proof_case *c)
{
    pav_run *split = NULL;
    pav_status status = run_open_split(c->program, &split);
    if (status == PAV_OK)
        status = equals_interpreter(c->program, split, proof_steps,
                                    COUNT_OF(proof_steps));
    pav_run_free(split);
    return status;
}

static pav_status rows_equal_points(const proof_case *c)
{
    return runners_agree(c->program, interp_stage, interp_stage_slow);
}

static pav_status passes_agree(const proof_case *c)
{
    return passes_keep_the_values(c->program, c->seed);
}

static pav_status evaluation_agrees(const proof_case *c)
{
    return direct_agrees(c->program, c->seed);
}

const proof proof_table[] = {
    {"the printed form parses back", prints_and_parses_back},
    {"passes keep the values", passes_agree},
    {"rows equal points", rows_equal_points},
    {"stages in parts equal whole ones", split_stages_equal_whole_ones},
    {"subdomains equal one", subdomains_of_interpreter},
    {"visits out of core equal one", visits_of_interpreter},
    {"kernels equal rows", kernels_equal_rows},
    {"a direct evaluation agrees", evaluation_agrees},
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
    char *what;
    program *program;
    uint64_t seed;
    ir *code;
    pav_status status; /* `why` has its message */
    char *why;
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

static void note(const traversal *w, const char *format, ...) PRINTF_LIKE(2, 3);
static void note(const traversal *w, const char *format, ...)
{
    text t = {0};
    va_list list;
    va_start(list, format);
    text_add_list(&t, format, list);
    va_end(list);
    if (w->options->report && t.data)
        w->options->report(w->options->user, t.data);
    text_free(&t);
}

static pav_status prove(const proof *table, const proof_case *c)
{
    for (const proof *q = table; q->name; q++) {
        const pav_status status = q->hold(c);
        if (status != PAV_OK)
            return FAIL(status, "%s: %s", q->name, pav_message());
    }
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
static void compile(traversal *w, kernel_set **set, gpu_proof **kernels)
{
    const unsigned how = w->batches++ % HARD_EVERY == 0 ? 0 : HOST_QUICK;
    const ir *code[MOST];
    uint64_t seed[MOST];
    for (int n = 0; n < w->count; n++) {
        code[n] = w->subject[n].code;
        seed[n] = w->subject[n].seed;
    }
    if (w->gpu && w->count > 0)
        (void)gpu_proof_open(w->gpu, code, seed, w->count, how, kernels);
    else if (w->compiled && w->count > 0)
        (void)kernel_set_open(code, w->count, "Kernels of programs that are checked", how,
                              set);
}

static void settle(subject *s, pav_status status)
{
    s->status = status;
    s->why = status == PAV_OK ? NULL : strdup(pav_message());
}

static void add_tally(traversal *w, const subject *s, const proof_tally *tally)
{
    w->found.near += w->gpu && !gpu_bits_are_promised(w->gpu, s->code);
    w->found.several += tally->several;
    w->found.within += tally->within;
    w->found.visits += tally->visits;
    w->found.turned += tally->turned;
    visits_add(&w->seen, &tally->seen);
    for (int axis = 0; axis < MAX_DIM; axis++) {
        w->found.tiled[axis] += tally->tiled[axis];
        w->found.around[axis] += tally->around[axis];
    }
}

static void prove_on_device(traversal *w)
{
    kernel_set *set = NULL;
    gpu_proof *kernels = NULL;
    compile(w, &set, &kernels);
    for (int n = 0; n < w->count; n++) {
        subject *s = &w->subject[n];
        proof_tally tally = {0};
        const proof_case c = {s->program, s->seed, w->compiled, set,
                              n,          w->gpu,  kernels,     &tally};
        settle(s, prove(proof_table, &c));
        if (s->status == PAV_OK)
            add_tally(w, s, &tally);
    }
    kernel_set_close(set);
    gpu_proof_close(kernels);
}

static void prove_one_compiles(void *argument, int64_t n)
{
    subject *s = &((traversal *)argument)->subject[n];
    const proof_case c = {.program = s->program, .seed = s->seed};
    settle(s, prove(compile_table, &c));
}

static void prove_batch(traversal *w)
{
    if (w->options->compile)
        host_team_run(w->team, w->count, prove_one_compiles, w);
    else
        prove_on_device(w);
    for (int n = 0; n < w->count; n++) {
        subject *s = &w->subject[n];
        count(w, s->status, s->what, s->why);
        ir_free(s->code);
        program_free(s->program);
        free(s->what);
        free(s->why);
    }
    w->count = 0;
    w->weight = 0;
}

static pav_status add_subject(traversal *w, const char *what, program *p, uint64_t seed)
{
    subject s = {.what = strdup(what), .program = p, .seed = seed};
    if (!s.what)
        return FAIL(PAV_ENOMEM, "memory ran out while programs were gathered");
    const bool emits = w->compiled || w->gpu;
    const pav_status status = emits ? ir_build(p, NULL, &s.code) : PAV_OK;
    if (status != PAV_OK) {
        free(s.what);
        return status;
    }
    if (w->compiled && strides_are_fixed(seed))
        kernel_strides_of_whole(s.code);
    w->subject[w->count++] = s;
    for (int64_t k = 0; s.code && k < s.code->stages; k++)
        w->weight += s.code->stage[k].count;
    if (w->count == w->batch || w->weight > (int64_t)HEAVY * w->batch / BATCH)
        prove_batch(w);
    return PAV_OK;
}

static void draw_live(const traversal *w, const char *what)
{
    char line[160];
    if (!w->options->live)
        return;
    snprintf(line, sizeof line, "%lld programs done, %lld failed; %s",
             (long long)w->found.passed + w->found.failed, (long long)w->found.failed,
             what);
    w->options->live(w->options->user, line);
}

static void visit_text(traversal *w, const char *what, const char *source, int64_t length,
                       uint64_t seed)
{
    const pav_program_options options = {.name = what};
    program *p = NULL;
    draw_live(w, what);
    pav_status status = program_parse(source, length, &options, &p);
    if (status == PAV_OK)
        status = add_subject(w, what, p, seed);
    if (status != PAV_OK) {
        program_free(p);
        count(w, status, what, pav_message());
    }
}

static uint64_t seed_of(const traversal *w)
{
    return w->options->seed ? w->options->seed : 1;
}

/* Programs only compiled, not run, may have the size of a user's. */
static void visit_word(traversal *w, const char *small, uint64_t seed)
{
    text word = {0}, t = {0};

    if (w->options->compile)
        word_of_large_grid(small, &word);
    else
        text_add(&word, "%s", small);
    if (word.failed || catalogue_text(word.data, &t) != PAV_OK)
        count(w, PAV_EINTERNAL, small, word.failed ? "memory ran out" : pav_message());
    else
        visit_text(w, word.data, t.data, t.length, seed);
    text_free(&word);
    text_free(&t);
}

/* True if program `number` belongs to this process. Several processes may share the
 * programs. */
static bool is_shared(const traversal *w, int64_t number)
{
    const int shares = w->options->shares;
    return shares <= 1 || number % shares == w->options->share - 1;
}

/* A compilation uses only a few candidates of each word, and the next seed chooses the
 * next candidates. */
static void visit_catalogue(traversal *w)
{
    const uint64_t first = w->options->compile ? seed_of(w) : 1;

    for (int k = 0; catalogue_small(k); k++)
        if (is_shared(w, k))
            visit_word(w, catalogue_small(k), (uint64_t)k + first);
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

/* Tests every third adjoint on the device, since each needs two compiled programs. */
static void visit_linear(traversal *w, const char *what, uint64_t seed)
{
    const bool there = seed / EQUATION_EVERY % 3 == 0;
    text t = {0};
    double size;
    random_linear(seed, &t);
    count(w, adjoint_holds(&t, there ? device_of(w) : "interpreter", &size), what,
          pav_message());
    text_free(&t);
}

static void visit_equation(traversal *w, const char *what, uint64_t seed)
{
    random_equation e = {0};
    random_solve(seed, &e);
    const pav_status status = e.solve.failed || e.residual.failed
                                  ? FAIL(PAV_ENOMEM, "memory ran out")
                                  : equation_is_solved(
                                        &e, w->compiled || w->gpu ? device_of(w) : NULL);
    count(w, status, what, pav_message());
    random_equation_free(&e);
}

static void visit_random(traversal *w, const char *what, uint64_t seed)
{
    text t = {0};
    draw_program(seed, &t);
    if (t.failed)
        count(w, PAV_ENOMEM, what, "memory ran out");
    else
        visit_text(w, what, t.data, t.length, seed);
    text_free(&t);
}

/* Takes no steps if programs are only compiled. */
static void visit_seed(traversal *w, uint64_t seed)
{
    static const struct {
        const char *kind;
        void (*visit)(traversal *w, const char *what, uint64_t seed);
    } kinds[] = {{"program", visit_random},
                 {"linear program", visit_linear},
                 {"equation", visit_equation}};
    const int kind = w->options->compile ? 0 : is_equation(seed) ? 2 : is_linear(seed);
    char what[64];
    snprintf(what, sizeof what, "random %s of seed %llu", kinds[kind].kind,
             (unsigned long long)seed);
    kinds[kind].visit(w, what, seed);
}

/* ---- the device and the number of programs ----------------------------------------- */

static const char *first_words(const traversal *w)
{
    return w->options->random_only ? "" : "the catalogue, then ";
}

static int64_t programs_of(const traversal *w)
{
    return w->options->programs ? w->options->programs : 200;
}

/* Opens the device, and chooses the size of a batch large enough to keep the compilers
 * busy. */
static pav_status open_device(traversal *w)
{
    const int threads = host_threads();
    pav_device *device = NULL;
    TRY(pav_device_open(device_of(w), &device));
    if (device->places > 1) {
        const pav_status status = device_check_single(device, "a check");
        pav_device_free(device);
        return status;
    }
    note(w, "checking device %s: %s%lld random programs from seed %llu",
         pav_device_name(device), first_words(w), (long long)programs_of(w),
         (unsigned long long)seed_of(w));
    if (device->lacking)
        note(w, "%s alone is checked: %s",
             place_kind_of(device)->kernels ? pav_device_name(device) : "the interpreter",
             device->lacking);
    w->compiled = place_kind_of(device)->kernels;
    const pav_status opened = place_kind_of(device)->own_memory
                                  ? gpu_open(device, &w->gpu)
                                  : PAV_OK;
    pav_device_free(device);
    w->batch = w->compiled || w->gpu ? BATCH : 1;
    if (w->gpu)
        w->batch = BATCH * threads < MOST ? BATCH * threads : MOST;
    return opened;
}

static pav_status open_compiler(traversal *w)
{
    TRY(gpu_compiler_is_here());
    note(w, "compiling kernels for GPUs: %s%lld random programs from seed %llu",
         first_words(w), (long long)programs_of(w), (unsigned long long)seed_of(w));
    w->batch = MOST;
    return host_team_open(host_threads(), HOST_BIND_NONE, &w->team);
}

/* Reports the visits of all programs. A request without a suitable method counts for the
 * first method. */
static void report_visits(const traversal *w)
{
    const outofcore_seen *s = &w->seen;
    text t = {0};
    outofcore_request as;
    for (int64_t n = 0; n < OUTOFCORE_METHODS; n++)
        text_add(&t, "%s%lld by %s", n > 0 ? ", " : "", (long long)s->method[n],
                 outofcore_method(n, &as));
    if (t.data && !w->options->compile)
        note(w, "out of core %s", t.data);
    text_free(&t);
    if (!w->options->compile)
        note(
            w,
            "of these %lld stage by stage, %lld by fused launches, %lld around an axis; "
            "in %lld planes stayed, %lld had several windows, %lld lay on disk, of which "
            "the host's memory bounded %lld",
            (long long)s->stages, (long long)s->launches, (long long)s->around,
            (long long)s->stay, (long long)s->windows, (long long)s->disk,
            (long long)s->bounded);
}

static void report_several(const traversal *w)
{
    const pav_check_count *c = &w->found;
    report_visits(w);
    if (w->options->compile || (!w->compiled && !w->gpu))
        return;
    note(w, "several steps shared a %s in %lld programs", w->gpu ? "launch" : "pass",
         (long long)c->several);
    if (w->gpu)
        note(w, "in %lld of them within subdomains, too, in %lld out of core",
             (long long)c->within, (long long)c->visits);
    if (w->compiled)
        note(w, "visits of %lld programs out of core took time tiles",
             (long long)c->visits);
    if (w->compiled)
        note(w,
             "in %lld, %lld and %lld of them there were several tiles along x, y and z; "
             "in %lld, %lld and %lld around faces that wrap; in %lld diamonds",
             (long long)c->tiled[0], (long long)c->tiled[1], (long long)c->tiled[2],
             (long long)c->around[0], (long long)c->around[1], (long long)c->around[2],
             (long long)c->turned);
}

static void visit_all(traversal *w)
{
    if (!w->options->random_only)
        visit_catalogue(w);
    for (int64_t k = 0; k < programs_of(w); k++)
        if (is_shared(w, k))
            visit_seed(w, seed_of(w) + (uint64_t)k);
    prove_batch(w);
}

pav_status pav_check(const pav_check_options *options, pav_check_count *result)
{
    GUARDED;
    const pav_check_options defaults = {0};
    traversal w = {.options = options ? options : &defaults};
    if (!result)
        return FAIL(PAV_EINVAL, "pav_check needs a place for the count");
    *result = (pav_check_count){0};
    if (w.options->places)
        return check_places(w.options, result);
    TRY(w.options->compile ? open_compiler(&w) : open_device(&w));
    visit_all(&w);
    report_several(&w);
    gpu_close(w.gpu);
    host_team_close(w.team);
    *result = w.found;
    return PAV_OK;
}
