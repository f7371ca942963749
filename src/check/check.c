/* SPDX-License-Identifier: BSD-3-Clause */
/* The walk: every catalogue word and then random programs, each through every proof. A
 * failure names the word or the seed that repeats it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"

enum {
    RANDOM_POINTS = 400,
    PROGRESS_EVERY = 1000,
    BATCH = 40,   /* programs whose kernels are compiled at once */
    HEAVY = 6000, /* values computed by those, beyond which compilers take much memory */
    FAST_EVERY = 12, /* a batch of so many is compiled as for a run, the others quickly */
};

typedef struct subject {
    char *what;
    program *program;
    uint64_t seed;
    ir *code;
} subject;

typedef struct walk {
    const pav_check_options *options;
    bool compiled; /* for processors */
    gpu *gpu;      /* or NULL */
    int64_t passed, failed;
    int count, batches;
    int64_t weight; /* values that the batch computes */
    subject subject[BATCH];
} walk;

static void tell(const walk *w, const char *format, ...) PRINTF_LIKE(2, 3);
static void tell(const walk *w, const char *format, ...)
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

static pav_status prove(const proof_case *c)
{
    for (const proof *q = proof_table; q->name; q++) {
        const pav_status status = q->hold(c);
        if (status == PAV_OK)
            continue;
        char *why = strdup(pav_message());
        FAIL(status, "%s: %s", q->name, why ? why : "");
        free(why);
        return status;
    }
    return PAV_OK;
}

static void count(walk *w, pav_status status, const char *what)
{
    if (status == PAV_OK) {
        w->passed++;
    } else {
        w->failed++;
        tell(w, "%s FAILED: %s", what, pav_message());
    }
    const long long done = w->passed + w->failed;
    if (done % PROGRESS_EVERY == 0)
        tell(w, "%lld programs so far, %lld failed", done, (long long)w->failed);
}

/* Nothing when they cannot be compiled together: then each is alone, and the one to blame
 * is found. */
static void compile(walk *w, kernel_set **set, gpu_proof **kernels)
{
    const unsigned how = w->batches++ % FAST_EVERY ? HOST_QUICK : 0;
    const ir *code[BATCH];
    uint64_t seed[BATCH];
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

static void prove_batch(walk *w)
{
    kernel_set *set = NULL;
    gpu_proof *kernels = NULL;
    compile(w, &set, &kernels);
    for (int n = 0; n < w->count; n++) {
        subject *s = &w->subject[n];
        const proof_case c = {s->program, s->seed, w->compiled, set, n, w->gpu, kernels};
        count(w, prove(&c), s->what);
        ir_free(s->code);
        program_free(s->program);
        free(s->what);
    }
    w->count = 0;
    w->weight = 0;
    kernel_set_close(set);
    gpu_proof_close(kernels);
}

static pav_status add_subject(walk *w, const char *what, program *p, uint64_t seed)
{
    subject s = {.what = strdup(what), .program = p, .seed = seed};
    if (!s.what)
        return FAIL(PAV_ENOMEM, "memory ran out while programs were gathered");
    const bool batched = w->compiled || w->gpu;
    const pav_status status = batched ? ir_build(p, NULL, &s.code) : PAV_OK;
    if (status != PAV_OK) {
        free(s.what);
        return status;
    }
    w->subject[w->count++] = s;
    for (int64_t k = 0; s.code && k < s.code->stages; k++)
        w->weight += s.code->stage[k].count;
    if (!batched || w->count == BATCH || w->weight > HEAVY)
        prove_batch(w);
    return PAV_OK;
}

static void walk_text(walk *w, const char *what, const char *source, int64_t length,
                      uint64_t seed)
{
    const pav_program_options options = {.name = what};
    program *p = NULL;
    pav_status status = program_parse(source, length, &options, &p);
    if (status == PAV_OK)
        status = add_subject(w, what, p, seed);
    if (status != PAV_OK) {
        program_free(p);
        count(w, status, what);
    }
}

static void walk_catalogue(walk *w)
{
    for (int k = 0; catalogue_small(k); k++) {
        text t = {0};
        if (catalogue_text(catalogue_small(k), &t) == PAV_OK)
            walk_text(w, catalogue_small(k), t.data, t.length, (uint64_t)k + 1);
        else
            count(w, PAV_EINTERNAL, catalogue_small(k));
        text_free(&t);
    }
}

/* Program n of seed s is the first of seed s + n - 1, so that one failure is repeated
 * alone by `pavior check --programs 1 --seed ...`. */
static void walk_random(walk *w, uint64_t seed)
{
    rng r = {hash_mix(seed)};
    text t = {0};
    char what[64];
    snprintf(what, sizeof what, "random program of seed %llu", (unsigned long long)seed);
    random_program(&r, RANDOM_POINTS, &t);
    if (t.failed)
        count(w, PAV_ENOMEM, what);
    else
        walk_text(w, what, t.data, t.length, seed);
    text_free(&t);
}

pav_status pav_check(const pav_check_options *options, int64_t *passed, int64_t *failed)
{
    const pav_check_options defaults = {0};
    walk w = {.options = options ? options : &defaults};
    const uint64_t seed = w.options->seed ? w.options->seed : 1;
    const int64_t programs = w.options->programs ? w.options->programs : 200;
    pav_device *device = NULL;
    if (!passed || !failed)
        return FAIL(PAV_EINVAL, "pav_check needs places for the two counts");
    *passed = *failed = 0;
    TRY(pav_device_open(w.options->device ? w.options->device : "auto", &device));
    tell(&w, "checking device %s: %s%lld random programs from seed %llu",
         pav_device_name(device), w.options->random_only ? "" : "the catalogue, then ",
         (long long)programs, (unsigned long long)seed);
    if (device->lacking)
        tell(&w, "%s alone is checked: %s",
             device->ops->compiled ? pav_device_name(device) : "the interpreter",
             device->lacking);
    w.compiled = device->ops->compiled;
    const pav_status opened = device->ops->gpu ? gpu_open(device, &w.gpu) : PAV_OK;
    pav_device_free(device);
    TRY(opened);
    if (!w.options->random_only)
        walk_catalogue(&w);
    for (int64_t k = 0; k < programs; k++)
        walk_random(&w, seed + (uint64_t)k);
    prove_batch(&w);
    gpu_close(w.gpu);
    *passed = w.passed;
    *failed = w.failed;
    return PAV_OK;
}
