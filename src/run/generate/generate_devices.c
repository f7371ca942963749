/* SPDX-License-Identifier: BSD-3-Clause */
/* The devices of a generated program: processors alone, or subdomains, each for a GPU or
 * for the processors. */
#include <stdlib.h>
#include <string.h>

#include "run/generate/generate_private.h"

static pav_status not_for(const char *device)
{
    return FAIL(PAV_EUNSUPPORTED,
                "stand-alone programs are written for --device cpu, cuda, several GPUs "
                "(cuda:0-1, cuda:0,2) and processors beside GPUs (cpu+cuda), not for %s; "
                "`pavior run` takes more",
                device);
}

static pav_status add_number_of(generation *g, const char *device, long number)
{
    enum { MOST_NUMBER = 1023 };

    if (number > MOST_NUMBER)
        return not_for(device);
    if (g->parts == MOST_PARTS)
        return FAIL(PAV_ELIMIT, "'%s' names more than %d devices", device, MOST_PARTS);
    g->gpu = true;
    g->gpu_of[g->parts++] = (int)number;
    return PAV_OK;
}

/* Adds the GPUs of "0-1", "0,2" or "3", up to `end`. */
static pav_status add_numbers_of(generation *g, const char *device, const char *at,
                                 const char *end)
{
    while (at < end) {
        char *behind;
        if (!strchr("0123456789", *at))
            return not_for(device);
        const long from = strtol(at, &behind, 10);
        long to = from;
        if (*behind == '-' && behind[1] && strchr("0123456789", behind[1]))
            to = strtol(behind + 1, &behind, 10);
        if (to < from || behind > end || (behind < end && *behind != ','))
            return not_for(device);
        for (long n = from; n <= to; n++)
            TRY(add_number_of(g, device, n));
        at = behind + (*behind == ',');
        if (*behind == ',' && at >= end)
            return not_for(device);
    }
    return PAV_OK;
}

/* Adds one device of a list such as "cpu+cuda:0". */
static pav_status add_word(generation *g, const char *device, const char *word,
                           size_t length, int *processors)
{
    if (length == 3 && strncmp(word, "cpu", length) == 0 && g->parts < MOST_PARTS &&
        !(*processors)++) {
        g->gpu_of[g->parts++] = -1;
        return PAV_OK;
    }
    if (length < 4 || strncmp(word, "cuda", 4) != 0)
        return not_for(device);
    if (length == 4)
        return add_number_of(g, device, 0);
    if (word[4] != ':' || length == 5)
        return not_for(device);
    return add_numbers_of(g, device, word + 5, word + length);
}

/* Default shares: equal for all GPUs; for the processors, their work during the same
 * time. */
static void choose_shares(generation *g)
{
    const double processors = machine_with_gpu(&(cpu_facts){.threads = host_threads()});

    for (int n = 0; n < g->parts; n++)
        g->share[n] = g->gpu_of[n] >= 0 ? 1 : processors;
}

static pav_status read_shares(generation *g, const char *list)
{
    const char *at = list;

    for (int n = 0; n < g->parts; n++) {
        char *end;
        g->share[n] = strtod(at, &end);
        if (end == at || !(g->share[n] > 0 && g->share[n] < 1e9) ||
            *end != (n + 1 < g->parts ? ',' : '\0'))
            return FAIL(PAV_EINVAL,
                        "'%s' are no shares: give a positive number for each of the %d "
                        "devices, with commas between them, as in 1,3",
                        list, g->parts);
        at = end + 1;
    }
    return PAV_OK;
}

pav_status find_devices(generation *g)
{
    const char *const device = g->options->device ? g->options->device : "cpu";
    int processors = 0;

    g->parts = 0;
    for (const char *at = device;; at++) {
        const size_t length = strcspn(at, "+");
        TRY(add_word(g, device, at, length, &processors));
        at += length;
        if (!*at)
            break;
    }
    if (g->options->shares && g->parts < 2)
        return FAIL(PAV_EINVAL,
                    "shares are of several devices: add --device cpu+cuda or cuda:0-1, "
                    "or leave out --shares %s",
                    g->options->shares);
    if (g->options->shares)
        return read_shares(g, g->options->shares);
    choose_shares(g);
    return PAV_OK;
}

/* ---- what cannot be cut ------------------------------------------------------------ */

pav_status refuse_parts(const generation *g)
{
    const ir *code = g->code;
    const int axis = code->dim - 1;
    const int64_t planes = points_along(code, axis, false);
    const int64_t least = subdomain_least_width(code, axis);

    if (g->parts < 2)
        return PAV_OK;
    if (code->dim < 2)
        return FAIL(PAV_EUNSUPPORTED,
                    "%s: a grid of one dimension cannot be shared out by a stand-alone "
                    "program yet: take --device cuda or cpu, or `pavior run --device %s`",
                    g->program->name, g->options->device);
    for (int64_t f = 0; f < code->fields; f++)
        if (code->field[f].extent[axis] != planes)
            return FAIL(PAV_EUNSUPPORTED,
                        "%s: field %s has fewer planes than the grid, which a "
                        "stand-alone program cannot share out yet: take --device cuda "
                        "or cpu, or `pavior run --device %s`",
                        g->program->name, code->field[f].name, g->options->device);
    if (planes / g->parts < least)
        return FAIL(PAV_EUNSUPPORTED,
                    "%s: %lld planes cannot be shared out to %d devices: each needs "
                    "%lld at least, as many as are read beyond its own",
                    g->program->name, (long long)planes, g->parts, (long long)least);
    return PAV_OK;
}
