/* SPDX-License-Identifier: BSD-3-Clause */
/* Proofs that cut and out-of-core grids have the bits of the whole. */
#include <stdlib.h>

#include "check/check_private.h"

/* ---- out of core ------------------------------------------------------------------- */

/* The proof that a grid out of core is bitwise identical to a grid in core: for all
 * methods, with random steps, parts and windows, by fused launches and single steps. It
 * covers the interpreter, compiled kernels and GPU kernels. */

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
    visit_draw d = {0};
    const int64_t any = 1 + rng_below(r, OUTOFCORE_METHODS - 1);
    (void)outofcore_method(rng_below(r, 2) ? any : 0, &d.as);
    d.as.always = true;
    if (!d.as.single)
        d.as.steps = 1 + rng_below(r, VISIT_STEPS);
    return d;
}

/* Draws the moment of transfers (between or during visits) and the number of planes that
 * stay on the device. The methods of Jin, Endo and Matsuoka (docs/out-of-core.md) fix
 * both, so nothing is drawn for them. */
static void draw_settings(rng *r, visit_draw *d, bool on_gpu)
{
    d->as.parts = 2 + rng_below(r, MOST_PARTS - 1);
    /* Draws files with a few planes in the host's memory, or several windows, or planes
     * that stay, or none of these. */
    enum { FILES, WINDOWS, STAY, KINDS };
    const char *top = getenv("TMPDIR");
    const int64_t kind = rng_below(r, KINDS + 1);
    if (kind == FILES && !d->as.overlapped)
        d->as.disk = top && *top ? top : "/tmp";
    if (d->as.disk && rng_below(r, 3) > 0)
        d->as.host_bytes = LEAST_HOST + rng_below(r, LEAST_HOST);
    if (kind == WINDOWS || (d->as.disk && rng_below(r, 3) == 0))
        d->as.windows = on_gpu ? 0 : 2 + rng_below(r, 2);
    if (kind == STAY && !d->as.stays)
        d->as.stay = 1 + rng_below(r, MOST_STAY);
    if (d->as.stays)
        return;
    const int64_t when = rng_below(r, d->as.disk ? 2 : 3);
    d->as.resend = rng_below(r, 4) == 0;
    d->as.between = when == 1;
    d->as.overlapped = when == 2;
    d->as.stays = d->as.stay > 0 || rng_below(r, 2) == 0;
}

/* Half of the visits by compiled kernels use time tiles, if the program allows them. */
static bool open_tiles(const program *p, cut_opening *how, rng *r, visit_draw *d,
                       pav_run **run)
{
    visit_draw tiled = {
        .tiles = {.kind = SCHEDULE_CPU_TIME,
                  .tile.steps = (int)(2 + rng_below(r, VISIT_STEPS - 2))}};
    for (int n = TILE_COLUMN; n <= TILE_SWEEP; n++)
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

/* Draws a request allowed by the program; false: none of a few was allowed. Steps that
 * cannot share a visit run stage by stage if the request has no other settings. */
static bool draw(const program *p, uint64_t seed, cut_opening *how,
                 const schedule *launch, visit_draw *d, pav_run **run)
{
    enum { DRAWS = 3 };
    rng r = {seed ^ UINT64_C(0x0c0e)};
    for (int n = 0; n < DRAWS; n++) {
        *d = draw_method(&r);
        draw_settings(&r, d, how->there != NULL);
        /* The depth is either the depth of the device's fused launch, or 1. Most blocks
         * are at least one launch long, so fused launches occur. */
        const bool single = d->as.depth == 1 ||
                            (d->as.depth == 0 && rng_below(&r, 3) == 0);
        d->as.launch = single || d->as.single ? NULL : launch;
        d->as.depth = d->as.launch ? 0 : 1;
        if (d->as.launch && launch->tile.steps <= VISIT_STEPS && rng_below(&r, 4) > 0)
            d->as.steps = launch->tile.steps +
                          rng_below(&r, VISIT_STEPS - launch->tile.steps + 1);
        if (open_tiles(p, how, &r, d, run) || open_drawn(p, how, d, run))
            return true;
    }
    const visit_draw drawn = *d;
    (void)outofcore_method(0, &d->as);
    d->as.always = true;
    d->as.disk = drawn.as.disk;
    d->as.parts = drawn.as.parts;
    d->as.depth = 1;
    return open_parts(p, how, d, run);
}

pav_status visits_equal_one(const proof_case *c, cut_opening how, const schedule *launch)
{
    static const int64_t steps[] = {0, VISIT_STEPS};
    visit_draw d;
    OWNED_BY(free_run) pav_run *run = NULL;
    if (launch && launch->kind != SCHEDULE_GPU_TIME)
        launch = NULL; /* a persistent kernel needs the whole grid on chip */
    if (!draw(c->program, c->seed, &how, launch, &d, &run))
        return PAV_OK;
    const pav_status status = equals_interpreter(c->program, run, steps, COUNT_OF(steps));
    if (c->tally) {
        c->tally->visits = d.as.tiles ||
                           (launch && d.as.launch && d.as.steps >= launch->tile.steps);
        outofcore_see(run, &c->tally->seen);
    }
    if (status == PAV_OK || status == PAV_ENOMEM)
        return status;
    return FAIL(status, "out of core by %s, %lld steps in %lld parts%s%s: %s",
                d.as.method, (long long)d.as.steps, (long long)d.as.parts,
                d.as.launch  ? ", fused launches"
                : d.as.tiles ? ", time tiles"
                             : "",
                d.as.disk ? ", on disk" : "", pav_message());
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

/* ---- subdomains -------------------------------------------------------------------- */

/* The proof that a grid cut into subdomains is bitwise identical to an uncut grid. The
 * program's seed chooses the cuts. It covers the interpreter, compiled kernels and GPU
 * kernels. */

enum { MOST_ALONG = 5 };

/* Cuts at random places, at least the least width apart. */
static pav_status random_cut(const ir *code, uint64_t seed, int every, decomposition *d)
{
    rng r = {seed ^ UINT64_C(0x5eed0f5eed)};
    int64_t extent[MAX_DIM], least[MAX_DIM], parts[MAX_DIM];
    for (int axis = 0; axis < MAX_DIM; axis++) {
        extent[axis] = points_along(code, axis, false);
        least[axis] = every * (subdomain_least_width(code, axis) - 1) + 1;
        const int64_t most = int64_least(extent[axis] / least[axis], MOST_ALONG);
        parts[axis] = most > 1 ? 1 + rng_below(&r, most) : 1;
    }
    for (int axis = 0; parts[0] * parts[1] * parts[2] == 1 && axis < MAX_DIM; axis++)
        parts[axis] = extent[axis] >= 2 * least[axis] ? 2 : 1;
    TRY(decompose(extent, parts, d));
    for (int axis = 0; axis < MAX_DIM; axis++)
        for (int64_t n = 1; n < parts[axis]; n++) {
            int64_t *cut = d->cut[axis];
            const int64_t first = cut[n - 1] + least[axis],
                          last = cut[parts[axis]] - (parts[axis] - n) * least[axis];
            cut[n] = first + rng_below(&r, last - first + 1);
        }
    return PAV_OK;
}

static pav_status compare_cut(const proof_case *c, const cut_opening *how)
{
    OWNED_BY(free_run) pav_run *cut = NULL;
    TRY(run_open_cut(c->program, how, &cut));
    return equals_interpreter(c->program, cut, proof_steps, COUNT_OF(proof_steps));
}

pav_status subdomains_equal_one(const proof_case *c, cut_opening how)
{
    OWNED_BY(decomposition_free) decomposition d = {0};
    OWNED_BY(free_code) ir *code = NULL;
    TRY(ir_build(c->program, NULL, &code));
    how.apart = c->seed / 8 % 2; /* exchange halos while the inside is computed */
    /* Half of the programs exchange after every step. */
    how.every = c->seed % 2 ? 2 + (int)(c->seed / 2 % 3) : 1;
    /* time blocks between two exchanges, with tiles of a few points */
    schedule time = {.kind = SCHEDULE_CPU_TIME,
                     .tile = {.steps = how.every,
                              .size = {[TILE_SWEEP] = 1 + (int)(c->seed / 32 % 4)}}};
    if (c->program->dim > 1)
        time.tile.size[TILE_COLUMN] = 1 + (int)(c->seed / 128 % 6);
    how.time = how.set && how.every > 1 && c->seed / 16 % 2 ? &time : NULL;
    how.cut = &d;
    TRY(random_cut(code, c->seed, how.every, &d));
    if (decomposition_count(&d) == 1)
        return PAV_OK;
    if (c->tally)
        c->tally->subdomains = (int)decomposition_count(&d);
    pav_status status = compare_cut(c, &how);
    if (how.every > 1 && (status == PAV_EUNSUPPORTED || status == PAV_EINVAL)) {
        how.every = 1; /* such wide halos are refused */
        how.time = NULL;
        status = compare_cut(c, &how);
    }
    if (status == PAV_OK || status == PAV_ENOMEM)
        return status;
    return FAIL(status, "in %lldx%lldx%lld subdomains that exchange every %d steps: %s",
                (long long)d.parts[0], (long long)d.parts[1], (long long)d.parts[2],
                how.every, pav_message());
}
