/* SPDX-License-Identifier: BSD-3-Clause */
/* The proof that a grid out of core is bitwise identical to a grid in core: for all
 * methods, with random steps, parts and windows, by fused launches and single steps. It
 * covers the interpreter, compiled kernels and GPU kernels. */
#include <stdlib.h>

#include "check/check_private.h"

enum {
    VISIT_STEPS = 7,
    MOST_PARTS = 5,
    MOST_STAY = 12,
    MOST_TILE = 9,
    LEAST_HOST = 1 << 14, /* bytes */
    MOST_HOST = 1 << 20
};

typedef struct visit_draw {
    outofcore_request as;
    schedule tiles; /* time tiles on processors */
} visit_draw;

static const char *temporary_directory(void)
{
    const char *top = getenv("TMPDIR");
    return top && *top ? top : "/tmp";
}

/* Tries fewer and fewer parts. A refusal for any number of parts ends the search. */
static bool open_within(const program *p, cut_opening *how, visit_draw *d, pav_run **run)
{
    const int64_t parts = d->as.parts;
    pav_status status = PAV_EINVAL;
    how->visits = &d->as;
    for (; d->as.parts > 0 && status != PAV_OK && status != PAV_EUNSUPPORTED;
         d->as.parts -= status != PAV_OK)
        status = run_open_cut(p, how, run);
    if (status != PAV_OK)
        d->as.parts = parts;
    return status == PAV_OK;
}

/* Raises the host's memory in small steps until visits of files fit. So it holds only a
 * few more planes than needed. */
static bool open_parts(const program *p, cut_opening *how, visit_draw *d, pav_run **run)
{
    const int64_t least = d->as.host_bytes;
    for (; d->as.host_bytes > 0 && d->as.host_bytes <= MOST_HOST;
         d->as.host_bytes += d->as.host_bytes / 4 + 1)
        if (open_within(p, how, d, run))
            return true;
    d->as.host_bytes = 0;
    if (open_within(p, how, d, run))
        return true;
    d->as.host_bytes = least;
    return false;
}

/* Draws a method: `auto` for half of the visits, else a method of the paper. */
static visit_draw draw_method(rng *r)
{
    visit_draw d;
    const int64_t any = 1 + rng_below(r, OUTOFCORE_METHODS - 1);
    (void)outofcore_method(rng_below(r, 2) ? any : 0, &d.as);
    d.as.always = true;
    if (!d.as.single)
        d.as.steps = 1 + rng_below(r, VISIT_STEPS);
    return d;
}

/* Draws files with a few planes in the host's memory, or several windows, or planes that
 * stay, or none of these. */
static void draw_store(rng *r, visit_draw *d, bool on_gpu)
{
    enum { FILES, WINDOWS, STAY, KINDS };
    const int64_t kind = rng_below(r, KINDS + 1);
    if (kind == FILES && !d->as.overlapped)
        d->as.disk = temporary_directory();
    if (d->as.disk && rng_below(r, 3) > 0)
        d->as.host_bytes = LEAST_HOST + rng_below(r, LEAST_HOST);
    if (kind == WINDOWS || (d->as.disk && rng_below(r, 3) == 0))
        d->as.windows = on_gpu ? 0 : 2 + rng_below(r, 2);
    if (kind == STAY && !d->as.stays)
        d->as.stay = 1 + rng_below(r, MOST_STAY);
}

/* Draws the time of transfers and the planes kept on the device. The paper's methods fix
 * these themselves. */
static void draw_settings(rng *r, visit_draw *d, bool on_gpu)
{
    d->as.parts = 2 + rng_below(r, MOST_PARTS - 1);
    draw_store(r, d, on_gpu);
    if (d->as.stays)
        return;
    const int64_t when = rng_below(r, d->as.disk ? 2 : 3);
    d->as.resend = rng_below(r, 4) == 0;
    d->as.between = when == 1;
    d->as.overlapped = when == 2;
    d->as.stays = d->as.stay > 0 || rng_below(r, 2) == 0;
}

/* The depth is either the depth of the device's fused launch, or 1. Most blocks are at
 * least one launch long, so fused launches occur. */
static void draw_launch(rng *r, visit_draw *d, const schedule *launch)
{
    const bool single = d->as.depth == 1 || (d->as.depth == 0 && rng_below(r, 3) == 0);
    d->as.launch = single || d->as.single ? NULL : launch;
    d->as.depth = d->as.launch ? 0 : 1;
    if (d->as.launch && launch->tile.steps <= VISIT_STEPS && rng_below(r, 4) > 0)
        d->as.steps = launch->tile.steps +
                      rng_below(r, VISIT_STEPS - launch->tile.steps + 1);
}

/* Half of the visits by compiled kernels use time tiles, if the program allows them. */
static bool open_tiles(const program *p, cut_opening *how, rng *r, visit_draw *d,
                       pav_run **run)
{
    visit_draw tiled = {.tiles.kind = SCHEDULE_CPU_TIME};
    tiled.tiles.tile.steps = (int)(2 + rng_below(r, VISIT_STEPS - 2));
    for (int n = TILE_COLUMN; n <= TILE_WIDTH; n++)
        tiled.tiles.tile.size[n] = (int)(1 + rng_below(r, MOST_TILE));
    (void)outofcore_method(0, &tiled.as);
    tiled.as.always = true;
    tiled.as.steps = VISIT_STEPS - rng_below(r, 4);
    tiled.as.parts = d->as.parts;
    tiled.as.disk = d->as.disk;
    tiled.as.tiles = &d->tiles;
    if (!how->set || how->there || rng_below(r, 2) > 0)
        return false;
    const visit_draw other = *d;
    *d = tiled;
    if (open_parts(p, how, d, run))
        return true;
    *d = other;
    return false;
}

/* Opens the drawn visit, else one with fewer resident planes, else one without fused
 * launches. */
static bool open_drawn(const program *p, cut_opening *how, visit_draw *d, pav_run **run)
{
    for (; d->as.stay > 0; d->as.stay /= 2)
        if (open_parts(p, how, d, run))
            return true;
    if (open_parts(p, how, d, run))
        return true;
    d->as.launch = NULL;
    d->as.depth = 1;
    return open_parts(p, how, d, run);
}

static bool draw_one(const program *p, rng *r, cut_opening *how, const schedule *launch,
                     visit_draw *d, pav_run **run)
{
    *d = draw_method(r);
    draw_settings(r, d, how->there != NULL);
    draw_launch(r, d, launch);
    return open_tiles(p, how, r, d, run) || open_drawn(p, how, d, run);
}

/* Draws a request allowed by the program; false: none of a few was allowed. Steps that
 * cannot share a visit run stage by stage if the request has no other settings. */
static bool draw(const program *p, uint64_t seed, cut_opening *how,
                 const schedule *launch, visit_draw *d, pav_run **run)
{
    enum { DRAWS = 3 };
    rng r = {seed ^ UINT64_C(0x0c0e)};
    for (int n = 0; n < DRAWS; n++)
        if (draw_one(p, &r, how, launch, d, run))
            return true;
    const visit_draw drawn = *d;
    (void)outofcore_method(0, &d->as);
    d->as.always = true;
    d->as.disk = drawn.as.disk;
    d->as.parts = drawn.as.parts;
    d->as.depth = 1;
    return open_parts(p, how, d, run);
}

static pav_status compare(const proof_case *c, pav_run *visited)
{
    pav_run *whole = NULL;
    pav_status status = run_open_with(c->program, interp_stage, &whole);
    if (status == PAV_OK)
        status = runs_are_equal(whole, visited, true);
    if (status == PAV_OK)
        status = pav_run_steps(whole, VISIT_STEPS);
    if (status == PAV_OK)
        status = pav_run_steps(visited, VISIT_STEPS);
    if (status == PAV_OK)
        status = runs_are_equal(whole, visited, true);
    pav_run_free(whole);
    return status;
}

static pav_status said_of(const visit_draw *d, pav_status status)
{
    text why = {0};
    if (status == PAV_OK || status == PAV_ENOMEM)
        return status;
    text_add(&why, "%s", pav_message());
    FAIL(status, "out of core by %s, %lld steps in %lld parts%s%s: %s", d->as.method,
         (long long)d->as.steps, (long long)d->as.parts,
         d->as.launch  ? ", fused launches"
         : d->as.tiles ? ", time tiles"
                       : "",
         d->as.disk ? ", on disk" : "", why.data ? why.data : "");
    text_free(&why);
    return status;
}

pav_status visits_equal_one(const proof_case *c, cut_opening how, const schedule *launch)
{
    visit_draw d;
    pav_run *run = NULL;
    if (launch && launch->kind != SCHEDULE_GPU_TIME)
        launch = NULL; /* a persistent kernel needs the whole grid on chip */
    if (!draw(c->program, c->seed, &how, launch, &d, &run))
        return PAV_OK;
    const pav_status status = said_of(&d, compare(c, run));
    if (c->tally)
        c->tally->visits = d.as.tiles ||
                           (launch && d.as.launch && d.as.steps >= launch->tile.steps);
    if (c->tally)
        outofcore_see(run, &c->tally->seen);
    pav_run_free(run);
    return status;
}

void visits_add(outofcore_seen *all, const outofcore_seen *some)
{
    int64_t *to = (int64_t *)all;
    const int64_t *from = (const int64_t *)some; /* both structs hold only numbers */
    for (size_t n = 0; n < sizeof *all / sizeof *to; n++)
        to[n] += from[n];
}

pav_status visits_of_interpreter(const proof_case *c)
{
    return visits_equal_one(c, (cut_opening){0}, NULL);
}
