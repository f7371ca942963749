/* SPDX-License-Identifier: BSD-3-Clause */
/* Random calls of the interface by several threads at once, each with its own handles.
 * Every thread must get the same values and messages alone. Under the thread sanitizer
 * the test also finds state shared without a lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opened.h"

enum { THREADS = 4, CALLS = 40, HANDLES = 3 };

typedef struct caller {
    uint64_t random, seen; /* seen: a hash of all results */
    int number, runs;      /* runs: opened without a failure */
    opened handle[HANDLES];
} caller;

static uint64_t draw(caller *c, uint64_t below)
{
    c->random = c->random * 6364136223846793005u + 1442695040888963407u;
    return (c->random >> 33) % below;
}

static void see(caller *c, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t n = 0; n < count; n++)
        c->seen = (c->seen ^ at[n]) * 1099511628211u;
}

static void see_status(caller *c, pav_status status)
{
    see(c, &status, sizeof status);
    if (status != PAV_OK)
        see(c, pav_message(), strlen(pav_message()));
}

static void see_text(caller *c, pav_status status, char *text)
{
    see_status(c, status);
    if (text)
        see(c, text, strlen(text));
    pav_text_free(text);
}

/* Random programs of `pavior check`, some with a mistake. */
static void open_run(caller *c, opened *o)
{
    static const char *const device[] = {"interpreter", "cpu", "emulated", "nothing"};
    static const char *const cut[] = {NULL, NULL, "2", "1x2", "0"};
    const pav_run_options options = {.no_files = 1,
                                     .wisdom = -1,
                                     .copy_rate = -1,
                                     .nan_check_every = -1,
                                     .threads = 1 + (int)draw(c, 2),
                                     .subdomains = cut[draw(c, 5)]};
    char *text = NULL;
    close_opened(o);
    *o = (opened){0};
    see_status(c, pav_check_program(1 + draw(c, 40), &text));
    if (text && draw(c, 8) == 0)
        text[draw(c, strlen(text))] = '?';
    see_status(c, pav_program_parse(text, strlen(text), NULL, &o->program));
    pav_text_free(text);
    see_status(c, pav_device_open(device[draw(c, 4)], &o->device));
    see_status(c, pav_run_open(o->program, o->device, &options, &o->run));
    c->runs += o->run != NULL;
}

static void read_fields(caller *c, const opened *o)
{
    pav_item item;
    for (int64_t n = 0; o->run && n < pav_run_items(o->run); n++) {
        see_status(c, pav_run_describe(o->run, n, &item));
        if (item.kind != PAV_KIND_FIELD)
            continue;
        const int64_t points = item.extent[0] * item.extent[1] * item.extent[2];
        double *const values = malloc((size_t)points * sizeof *values);
        REQUIRE(values);
        const pav_status status = pav_field_read(o->run, item.name, 0, PAV_F64, values,
                                                 points);
        see_status(c, status);
        if (status == PAV_OK)
            see(c, values, (size_t)points * sizeof *values);
        free(values);
    }
}

static void checkpoint_path(const caller *c, char path[64])
{
    snprintf(path, 64, "calls-%d.checkpoint", c->number);
}

static void go_on(caller *c, opened *o)
{
    char path[64];
    checkpoint_path(c, path);
    const pav_run_options options = {.no_files = 1,
                                     .wisdom = -1,
                                     .copy_rate = -1,
                                     .nan_check_every = -1,
                                     .restart = path};
    see_status(c, pav_run_checkpoint(o->run, path));
    pav_run_free(o->run);
    see_status(c, pav_run_open(o->program, o->device, &options, &o->run));
}

static void call(caller *c)
{
    opened *o = &c->handle[draw(c, HANDLES)];
    char *text = NULL;
    switch (draw(c, 9)) {
    case 0:
    case 1: open_run(c, o); break;
    case 2:
    case 3: see_status(c, pav_run_steps(o->run, (int64_t)draw(c, 4))); break;
    case 4: read_fields(c, o); break;
    case 5: go_on(c, o); break;
    case 6:
        see_text(c, pav_program_explain(o->program, (int)draw(c, 2), &text), text);
        break;
    case 7: see_text(c, pav_catalogue((int)draw(c, 2), &text), text); break;
    default:
        see_status(c, pav_run_set(o->run, "no such scalar", 1));
        if (draw(c, 4) == 0 && pav_doctor((int)draw(c, 2), &text) == PAV_OK)
            pav_text_free(text);
        break;
    }
}

static void *make_calls(void *user)
{
    caller *c = user;
    char path[64];
    for (int n = 0; n < CALLS; n++)
        call(c);
    for (int n = 0; n < HANDLES; n++)
        close_opened(&c->handle[n]);
    checkpoint_path(c, path);
    (void)remove(path);
    return NULL;
}

LONG_TEST(random_calls_of_several_threads_give_what_each_gives_alone)
{
    caller alone[THREADS], beside[THREADS];
    pthread_t thread[THREADS];
    for (int k = 0; k < THREADS; k++) {
        alone[k] = (caller){.random = (uint64_t)k + 11, .number = k};
        beside[k] = alone[k];
        (void)make_calls(&alone[k]);
    }
    for (int k = 0; k < THREADS; k++)
        REQUIRE(pthread_create(&thread[k], NULL, make_calls, &beside[k]) == 0);
    for (int k = 0; k < THREADS; k++)
        REQUIRE(pthread_join(thread[k], NULL) == 0);
    for (int k = 0; k < THREADS; k++) {
        CHECK(alone[k].runs > 2);
        CHECK(alone[k].seen == beside[k].seen);
    }
}
