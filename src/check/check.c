/* SPDX-License-Identifier: BSD-3-Clause */
/* The walk: every catalogue word and then random programs, each through every proof. A
 * failure names the word or the seed that repeats it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"

enum { RANDOM_POINTS = 400, PROGRESS_EVERY = 1000 };

typedef struct walk {
    const pav_check_options *options;
    int64_t passed, failed;
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

static pav_status prove(const program *p, uint64_t seed)
{
    for (const proof *q = proof_table; q->name; q++) {
        const pav_status status = q->hold(p, seed);
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

static void walk_text(walk *w, const char *what, const char *source, int64_t length,
                      uint64_t seed)
{
    const pav_program_options options = {.name = what};
    program *p = NULL;
    pav_status status = program_parse(source, length, &options, &p);
    if (status == PAV_OK)
        status = prove(p, seed);
    count(w, status, what);
    program_free(p);
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
    tell(&w,
         "checking device %s: the catalogue, then %lld random programs from seed %llu",
         pav_device_name(device), (long long)programs, (unsigned long long)seed);
    pav_device_free(device);
    walk_catalogue(&w);
    for (int64_t k = 0; k < programs; k++)
        walk_random(&w, seed + (uint64_t)k);
    *passed = w.passed;
    *failed = w.failed;
    return PAV_OK;
}
