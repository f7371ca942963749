/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws a random place: the device, subdomains and schedule of a run, written in options
 * of `pavior run`. */
#include <stdio.h>
#include <string.h>

#include "places.h"

typedef struct schedule_words {
    element element;
    const char *words; /* "": the device's choice */
} schedule_words;

static const schedule_words of_cpu[] = {
    {ELEMENT_CPU_AUTO, ""},
    {ELEMENT_ROWS, "rows"},
    {ELEMENT_ROWS_STREAM, "rows:stream"},
    {ELEMENT_ROWS_SINGLE, "rows:rows=single"},
    {ELEMENT_BLOCKS, "blocks"},
    {ELEMENT_CPU_TIME, "time:depth=2"},
    {ELEMENT_CPU_TIME, "time:depth=4,tile=8x4"},
    {ELEMENT_DIAMOND, "time:diamond,depth=4,tile=64x4"},
    {ELEMENT_DIAMOND, "time:diamond,depth=1,tile=64x4"},
};

static const schedule_words of_gpu[] = {
    {ELEMENT_GPU_AUTO, ""},         {ELEMENT_POINT, "point"},
    {ELEMENT_SWEEP, "sweep"},       {ELEMENT_SWEEP_PLAIN, "sweep:plain"},
    {ELEMENT_TWO_PASS, "two-pass"}, {ELEMENT_GPU_TIME, "time:depth=2"},
    {ELEMENT_GPU_TIME, "time"},     {ELEMENT_PERSISTENT, "persistent"},
};

static void take_schedule(rng *r, const schedule_words *of, int64_t count,
                          drawn_place *to)
{
    const schedule_words *drawn = &of[rng_below(r, count)];
    snprintf(to->schedule, sizeof to->schedule, "%s", drawn->words);
    to->set.has[drawn->element] = true;
}

/* Draws a device. Kernels for GPUs compile longest, the interpreter needs no compiler, so
 * their chances differ. */
static void draw_device(rng *r, unsigned devices, drawn_place *to)
{
    const unsigned gpus = devices & (DEVICE_EMULATED | DEVICE_CUDA);
    const int64_t n = rng_below(r, 8);
    if (gpus && (n == 0 || !(devices & (DEVICE_INTERPRETER | DEVICE_CPU)))) {
        snprintf(to->device, sizeof to->device, "%s",
                 gpus & DEVICE_CUDA ? "cuda" : "emulated");
        take_schedule(r, of_gpu, COUNT_OF(of_gpu), to);
    } else if ((devices & DEVICE_CPU) && (n < 4 || !(devices & DEVICE_INTERPRETER))) {
        snprintf(to->device, sizeof to->device, "cpu");
        take_schedule(r, of_cpu, COUNT_OF(of_cpu), to);
    } else {
        snprintf(to->device, sizeof to->device, "interpreter");
        to->set.has[ELEMENT_INTERPRETER] = true;
    }
}

/* Draws a list of devices with weights. Without weights, the first device may take the
 * whole grid. */
static void draw_list(rng *r, unsigned devices, drawn_place *to)
{
    const bool cpu = devices & DEVICE_CPU;
    const bool fast = (devices & (DEVICE_EMULATED | DEVICE_CUDA)) && rng_below(r, 3) == 0;
    const char *const first = cpu ? "cpu" : "interpreter";
    const char *const other = !fast                   ? "interpreter"
                              : devices & DEVICE_CUDA ? "cuda"
                                                      : "emulated";
    snprintf(to->device, sizeof to->device, "%s+%s", first, other);
    snprintf(to->weights, sizeof to->weights, "%d,%d", 1 + (int)rng_below(r, 3),
             1 + (int)rng_below(r, 3));
    rng late = *r; /* other draws stay those of the seed */
    if (rng_below(&late, 3) == 0) {
        strcat(to->device, "+interpreter");
        strcat(to->weights, ",2");
        to->set.has[ELEMENT_LIST_OF_THREE] = true;
    }
    to->set.has[ELEMENT_LIST] = true;
    to->set.has[ELEMENT_INTERPRETER] = !cpu || !fast ||
                                       to->set.has[ELEMENT_LIST_OF_THREE];
    to->set.has[ELEMENT_CPU_AUTO] = cpu;
    to->set.has[ELEMENT_GPU_AUTO] = fast;
}

static void draw_every(rng *r, drawn_place *to)
{
    static const int every[] = {0, 1, 2, 2, 4};
    to->every = every[rng_below(r, (int64_t)COUNT_OF(every))];
    to->set.has[ELEMENT_WIDE_2] = to->every == 2;
    to->set.has[ELEMENT_WIDE_4] = to->every == 4;
}

/* Cuts any axes with two points or more. If chance cut none, the longest axis is cut. */
static void draw_cut(rng *r, const drawn_program *d, drawn_place *to)
{
    int64_t parts[MAX_DIM] = {1, 1, 1};
    int longest = 0;
    for (int axis = 0; axis < d->dim; axis++) {
        longest = d->extent[axis] > d->extent[longest] ? axis : longest;
        if (rng_below(r, 2) == 0 && d->extent[axis] > 1)
            parts[axis] = 2 + rng_below(r, d->extent[axis] > 2 ? 2 : 1);
    }
    if (parts[0] * parts[1] * parts[2] == 1 && d->extent[longest] > 1)
        parts[longest] = 2;
    if (parts[0] * parts[1] * parts[2] == 1) {
        to->set.has[ELEMENT_WHOLE] = true;
        return;
    }
    OWNED_BY(text_free) text t = {0};
    for (int axis = 0; axis < MAX_DIM; axis++)
        to->set.has[ELEMENT_CUT_X + axis] |= parts[axis] > 1;
    text_add_extent(&t, d->dim, parts);
    snprintf(to->subdomains, sizeof to->subdomains, "%s", t.data ? t.data : "");
    draw_every(r, to);
}

static void draw_visits(rng *r, drawn_place *to)
{
    static const char *const method[] = {"naive", "mm",     "mmt",
                                         "mmtb",  "m-mmtb", "mp-mmtb"};
    const char *const name = rng_below(r, 4)
                                 ? "auto"
                                 : method[rng_below(r, (int64_t)COUNT_OF(method))];
    const int parts = 2 + (int)rng_below(r, 3), steps = 1 + (int)rng_below(r, 5);
    if (strcmp(name, "naive") == 0)
        snprintf(to->outofcore, sizeof to->outofcore, "naive:parts=%d", parts);
    else
        snprintf(to->outofcore, sizeof to->outofcore, "%s:parts=%d,steps=%d", name, parts,
                 steps);
    to->on_disk = rng_below(r, 3) == 0;
    to->set.has[ELEMENT_VISITS] = true;
    to->set.has[ELEMENT_DISK] = to->on_disk;
}

void draw_place(rng *r, const drawn_program *d, unsigned devices, drawn_place *to)
{
    *to = (drawn_place){.threads = 1 + (int)rng_below(r, 3)};
    to->set.has[ELEMENT_RANKS] = devices & WITH_RANKS;
    const int64_t kind = rng_below(r, 16);
    if (kind == 0 && are_several(devices) && !(devices & WITH_RANKS)) {
        draw_list(r, devices, to);
        if (rng_below(r, 2))
            draw_every(r, to);
        return;
    }
    draw_device(r, devices, to);
    if ((devices & WITH_RANKS) && kind % 2)
        draw_every(r, to); /* ranks choose their boxes */
    else if (kind < 9 || (devices & WITH_RANKS))
        draw_cut(r, d, to);
    else if (kind < 14)
        draw_visits(r, to);
    else
        to->set.has[ELEMENT_WHOLE] = true;
    if (to->set.has[ELEMENT_WHOLE] && strcmp(to->device, "cpu") == 0 &&
        strncmp(to->schedule, "time", 4) != 0) {
        rng own = *r; /* other draws stay those of the seed */
        to->early = (int)rng_below(&own, 4);
        to->set.has[ELEMENT_EARLY] = to->early > 0;
    }
}
