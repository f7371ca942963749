/* SPDX-License-Identifier: BSD-3-Clause */
/* The proof that a grid cut into subdomains is bitwise identical to an uncut grid. The
 * program's seed chooses the cuts. It covers the interpreter, compiled kernels and GPU
 * kernels. */
#include "check/check_private.h"

enum { MOST_ALONG = 5 };

static int64_t parts_along(rng *r, int64_t extent, int64_t least)
{
    const int64_t most = extent / least < MOST_ALONG ? extent / least : MOST_ALONG;
    return most > 1 ? 1 + rng_below(r, most) : 1;
}

/* Moves cuts to random places, at least `least` points apart. */
static void move_cuts(rng *r, decomposition *d, int axis, int64_t least)
{
    const int64_t parts = d->parts[axis];
    int64_t *cut = d->cut[axis];
    for (int64_t n = 1; n < parts; n++) {
        const int64_t last = cut[parts] - (parts - n) * least, first = cut[n - 1] + least;
        cut[n] = first + rng_below(r, last - first + 1);
    }
}

static pav_status random_cut(const ir *code, uint64_t seed, int every, decomposition *d)
{
    rng r = {seed ^ UINT64_C(0x5eed0f5eed)};
    int64_t extent[MAX_DIM], least[MAX_DIM], parts[MAX_DIM];
    *d = (decomposition){0};
    for (int axis = 0; axis < MAX_DIM; axis++) {
        extent[axis] = points_along(code, axis, false);
        least[axis] = every * (subdomain_least_width(code, axis) - 1) + 1;
        parts[axis] = parts_along(&r, extent[axis], least[axis]);
    }
    for (int axis = 0; parts[0] * parts[1] * parts[2] == 1 && axis < MAX_DIM; axis++)
        parts[axis] = extent[axis] >= 2 * least[axis] ? 2 : 1;
    TRY(decompose(extent, parts, d));
    for (int axis = 0; axis < MAX_DIM; axis++)
        move_cuts(&r, d, axis, least[axis]);
    return PAV_OK;
}

static pav_status compare(const proof_case *c, const cut_opening *how)
{
    pav_run *whole = NULL, *cut = NULL;
    pav_status status = run_open_with(c->program, interp_stage, &whole);
    if (status == PAV_OK)
        status = run_open_cut(c->program, how, &cut);
    if (status == PAV_OK)
        status = runs_agree(whole, cut, true);
    pav_run_free(whole);
    pav_run_free(cut);
    return status;
}

/* Tries wide halos first, for several steps between exchanges. */
static pav_status compare_wide(const proof_case *c, cut_opening *how)
{
    const pav_status status = compare(c, how);
    if (how->every == 1 || (status != PAV_EUNSUPPORTED && status != PAV_EINVAL))
        return status;
    how->every = 1;
    how->time = NULL;
    return compare(c, how);
}

/* Schedule of the time blocks between two exchanges, with tiles of a few points. */
static schedule time_shape(const proof_case *c, int every)
{
    schedule s = {.kind = SCHEDULE_CPU_TIME, .tile.steps = every};
    s.tile.size[TILE_SWEEP] = 1 + (int)(c->seed / 32 % 4);
    if (c->program->dim > 1)
        s.tile.size[TILE_COLUMN] = 1 + (int)(c->seed / 128 % 6);
    return s;
}

pav_status subdomains_equal_one(const proof_case *c, cut_opening how)
{
    decomposition d = {0};
    ir *code = NULL;
    TRY(ir_build(c->program, NULL, &code));
    how.apart = c->seed / 8 % 2; /* exchange halos while the inside is computed */
    /* Half of the programs exchange after every step. */
    how.every = c->seed % 2 ? 2 + (int)(c->seed / 2 % 3) : 1;
    const schedule time = time_shape(c, how.every);
    how.time = how.set && how.every > 1 && c->seed / 16 % 2 ? &time : NULL;
    pav_status status = random_cut(code, c->seed, how.every, &d);
    if (status == PAV_OK && decomposition_count(&d) > 1) {
        how.cut = &d;
        status = compare_wide(c, &how);
        if (c->tally)
            c->tally->subdomains = (int)decomposition_count(&d);
    }
    if (status != PAV_OK && status != PAV_ENOMEM) {
        text why = {0};
        text_add(&why, "%s", pav_message());
        FAIL(status, "in %lldx%lldx%lld subdomains that exchange every %d steps: %s",
             (long long)d.parts[0], (long long)d.parts[1], (long long)d.parts[2],
             how.every, why.data ? why.data : "");
        text_free(&why);
    }
    decomposition_free(&d);
    ir_free(code);
    return status;
}

pav_status subdomains_of_interpreter(const proof_case *c)
{
    return subdomains_equal_one(c, (cut_opening){0});
}
