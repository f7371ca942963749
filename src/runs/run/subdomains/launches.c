/* SPDX-License-Identifier: BSD-3-Clause */
/* Fused launches for some planes of the grid on a GPU, for a visit out of core or within
 * a subdomain. A launch reads enough planes around its own for all its steps. Operations
 * that need the whole grid between steps rule it out. */
#include <assert.h>
#include <limits.h>
#include <stdio.h>

#include "run/run_private.h"

/* ---- a launch for some planes ------------------------------------------------------ */

static bool is_asked_for(const pav_run *run, const launch_request *r)
{
    return schedule_fuses_steps(&run->schedule) || r->depth > 1 || r->given;
}

/* NULL: no reason. */
static const char *reason_against(const launch_request *r, const emit_gpu_fused *what)
{
    if (!what->sweeps)
        return "persistent blocks keep all of the grid";
    if (what->injections > 0 && !r->injects)
        return "sources inject between its steps";
    if (what->samples > 0 && !r->samples)
        return "receivers record between its steps";
    if (!r->blocking->periodic[r->axis])
        return NULL;
    if (!r->goes_on)
        return "its slowest axis wraps around";
    return what->injections > 0 || what->samples > 0
               ? "its slowest axis wraps around, and it has sources or receivers"
               : NULL;
}

/* On an H100, launches with two fields, or by shared memory, were slower than single
 * steps. */
static bool is_fast(const ir *code, const emit_gpu_fused *what)
{
    int updated = 0;
    for (int64_t f = 0; f < code->fields; f++)
        updated += code->field[f].updated;
    return updated == 1 && what->schedule.tile.storage == STORAGE_REGISTERS;
}

/* *found: the launch is possible; otherwise why_single has the reason. */
static pav_status find(const pav_run *run, const launch_request *r,
                       const schedule *requested, visit_launch *l, bool *found)
{
    schedule suited = *requested;
    OWNED_BY(emit_gpu_fused_free) emit_gpu_fused what = {0};
    *found = false;
    const pav_status status = place_find_launch(run_place(run), &suited, &what);
    const char *why = status == PAV_OK ? reason_against(r, &what) : pav_message();
    if (!why && !is_asked_for(run, r) && !is_fast(run->code, &what))
        why = "those of several are slower (--schedule time takes them)";
    (void)snprintf(l->why_single, sizeof l->why_single, "%s", why ? why : "");
    if (status != PAV_OK)
        return status == PAV_EUNSUPPORTED ? PAV_OK : status;
    if (!why && r->most > 0 && what.most > r->most)
        (void)snprintf(l->why_single, sizeof l->why_single,
                       "launches of %d steps (depth=) are longer than the %d for which "
                       "nothing is exchanged or observed",
                       what.most, r->most);
    *found = !l->why_single[0] && what.most > 1;
    if (*found) {
        /* Even without neighbours along the axis a sweep is a plane behind for each step,
         * and loads that many planes more. */
        const int radius = int_most(
            int_most(what.around[r->axis], what.most * r->blocking->skew[r->axis]),
            what.most - 1);
        *l = (visit_launch){
            .depth = what.most,
            .radius = radius,
            .ahead = what.ahead,
            .lag = what.schedule.tile.storage == STORAGE_REGISTERS ? radius : 0,
            .launch = suited};
    }
    return PAV_OK;
}

static bool is_bare(const schedule *s)
{
    return schedule_is_same(s, &(schedule){.kind = SCHEDULE_GPU_TIME});
}

pav_status run_find_launch(const pav_run *run, const launch_request *r, visit_launch *l)
{
    const schedule *asked = r->given ? r->given : &run->schedule;
    const int depth = r->depth > 0 ? (int)r->depth : r->most;
    const schedule given = {.kind = SCHEDULE_GPU_TIME, .tile.steps = depth};
    bool found = false;
    int least = INT_MAX;
    *l = (visit_launch){.depth = 1};
    if (!run_has_launches(run) && r->depth > 1)
        (void)snprintf(l->why_single, sizeof l->why_single,
                       "processors have no launches");
    if (!run_has_launches(run) || r->depth == 1)
        return PAV_OK;
    /* If the number of steps is unknown, compiling cannot pay. */
    if (!is_asked_for(run, r) &&
        (asked->kind != SCHEDULE_AUTO ||
         (r->by_model ? run->client.rough || run->steps == 0
                      : launch_is_short(&run->client, LAUNCH_WORTH))))
        return PAV_OK;
    if (schedule_fuses_steps(asked) && !is_bare(asked))
        TRY(find(run, r, asked, l, &found));
    else {
        /* *least: steps of the shortest candidate. */
        schedule candidate[EMIT_GPU_FUSED_CANDIDATES];
        int count;
        found = false;
        TRY(emit_gpu_fused_candidates(run->code, candidate, &count));
        for (int n = 0; n < count && !found; n++) {
            if (candidate[n].kind != SCHEDULE_GPU_TIME)
                continue;
            least = candidate[n].tile.steps < least ? candidate[n].tile.steps : least;
            if (r->depth == 0 || candidate[n].tile.steps == r->depth)
                TRY(find(run, r, &candidate[n], l, &found));
        }
    }
    if (!found && depth > 1 && (r->depth > 0 || depth < least) &&
        (is_bare(asked) || !schedule_fuses_steps(asked)))
        TRY(find(run, r, &given, l, &found));
    return found || !is_asked_for(run, r)
               ? PAV_OK
               : FAIL(PAV_EUNSUPPORTED,
                      "%s cannot take several steps in one launch %s: %s",
                      run->program->name, r->where, l->why_single);
}

/* ---- launches within subdomains ---------------------------------------------------- */

/* Fused launches within subdomains on GPUs. Halos are exchanged before each launch, or
 * once for several launches; each subdomain then takes the steps of a launch alone. The
 * last step before an observation is a single one, the same as on one GPU. */

typedef struct launches launches;
struct launches {
    visit_launch what;
    int axis, halo;  /* halo: planes that kernels may touch beyond their radius */
    int between;     /* launches between two exchanges */
    double *numbers; /* kernel arguments for the steps of one launch */
};

/* ---- the choice of launches -------------------------------------------------------- */

/* NULL: no reason. */
static const char *reason_against_cut(const pav_run *run, int axis)
{
    for (int a = 0; a < run->code->dim; a++)
        if (a != axis && run->cut.boxes.parts[a] > 1)
            return "the grid is cut along axes other than the slowest (--subdomains N "
                   "cuts only along the slowest)";
    for (int n = 0; n < run->places; n++)
        if (run->place[n].kind != PLACE_GPU)
            return "not all subdomains are on GPUs";
    return NULL;
}

static pav_status cannot(const pav_run *run, const char *why)
{
    return FAIL(PAV_EUNSUPPORTED,
                "%s cannot take several steps in one launch within subdomains: %s; leave "
                "out --schedule for single steps",
                run->program->name, why);
}

static int deepest(const ir *code, int axis)
{
    int most = 0;
    for (int64_t f = 0; f < code->fields; f++) {
        const halo_depth d = halo_depth_of(code, f);
        most = int_most(most, int_most(d.side[axis][0], d.side[axis][1]));
        most = int_most(most, ir_halo_of(&code->field[f], axis));
    }
    return most;
}

/* Deepens halos for the launches between two exchanges. In register-resident launches the
 * last steps start with planes of redundant computation, which read coefficients, too.
 * Without a request, a failure is no error. */
static pav_status widen(pav_run *run, launches *l)
{
    wide_halo *wide;
    TRY(run_new_halo(run, l->between * l->what.depth, &wide));
    wide_halo_deepen(wide, run->code, l->axis, l->between * l->what.radius + l->halo,
                     l->what.lag);
    return subdomain_widen(run->part, &run->cut.boxes, wide);
}

static pav_status take_single(pav_run *run, launches *l, const char *why)
{
    (void)snprintf(l->what.why_single, sizeof l->what.why_single, "%s", why);
    l->what.depth = 1;
    return run_widen(run, run->options.exchange_every);
}

static pav_status leave_out(pav_run *run, launches *l, pav_status status)
{
    if (schedule_fuses_steps(&run->schedule) || run->part->fuses_steps ||
        status == PAV_ENOMEM || status == PAV_OK)
        return status;
    return take_single(run, l, pav_message());
}

int launches_depth(const pav_run *run)
{
    return run->cut.launches ? run->cut.launches->what.depth : 1;
}

pav_status launches_leave(pav_run *run, const char *why)
{
    if (schedule_fuses_steps(&run->schedule))
        return cannot(run, why);
    run->part->fuses_steps = false;
    for (int64_t n = 0; n < run->part->inners; n++)
        run->part->inner[n].fuses_steps = false;
    return take_single(run, run->cut.launches, why);
}

/* Steps between exchanges; 0: free. */
static int period(const pav_run *run, const opening *how)
{
    const int every = how->every ? how->every : run->options.exchange_every;
    return every > 1 ? every : 0;
}

/* The last step before an observation is a single one. 0: no limit. */
static int most_steps(const pav_run *run, const opening *how)
{
    const int64_t observed = run_steps_to_observer(run);
    const int every = period(run, how);
    const int most = observed > 1 && observed < INT_MAX ? (int)observed - 1 : 0;
    return every > 0 && (most == 0 || every < most) ? every : most;
}

static pav_status find_in_subdomains(pav_run *run, const opening *how, launches *l,
                                     const ir_blocking *b)
{
    const int every = period(run, how);
    const launch_request r = {
        .blocking = b,
        .axis = l->axis,
        .injects = true,
        .given = how->there.set ? place_set_fused(how->there.set, how->there.number)
                                : NULL,
        .most = most_steps(run, how),
        .where = "within subdomains",
    };
    TRY(run_find_launch(run, &r, &l->what));
    if (l->what.depth < 2)
        return PAV_OK;
    l->halo = deepest(run->code, l->axis);
    l->between = every > 0 ? every / l->what.depth : 1;
    return leave_out(run, l, widen(run, l));
}

pav_status launches_find(pav_run *run, const opening *how)
{
    const int axis = run->code->dim - 1;
    const char *why = run->cut.is_cut ? reason_against_cut(run, axis) : NULL;
    OWNED_BY(ir_blocking_close) ir_blocking b = {0};
    if (!run->cut.is_cut)
        return PAV_OK;
    if (why && (schedule_fuses_steps(&run->schedule) || how->there.fuses_steps))
        return cannot(run, why);
    TRY(mem_take(&run->cut.launches, 1, sizeof *run->cut.launches));
    run->cut.launches->axis = axis;
    run->cut.launches->what.depth = 1;
    if (why) {
        (void)snprintf(run->cut.launches->what.why_single,
                       sizeof run->cut.launches->what.why_single, "%s", why);
        return PAV_OK;
    }
    TRY(ir_blocking_open(run->code, NULL, &b));
    const pav_status status = find_in_subdomains(run, how, run->cut.launches, &b);
    run->part->fuses_steps = run->cut.launches->what.depth > 1;
    for (int64_t n = 0; n < run->part->inners; n++)
        run->part->inner[n].fuses_steps = run->part->fuses_steps;
    return status;
}

/* ---- made -------------------------------------------------------------------------- */

pav_status launches_make(pav_run *run)
{
    launches *l = run->cut.launches;
    const emit_gpu_fused *what = NULL;
    if (!l || l->what.depth < 2)
        return PAV_OK;
    for (subdomain *inner = NULL; (inner = subdomain_next_inner(run->part, inner));) {
        const box *own = &inner->grid->box;
        if (!inner->executor->absent)
            TRY(place_make_within(inner->executor, &l->what.launch,
                                  own->hi[l->axis] - own->lo[l->axis], &what));
    }
    if (!what)
        return PAV_OK; /* all subdomains belong to other ranks */
    return mem_take(&l->numbers, l->what.depth * what->number_bytes / 8 + 1,
                    sizeof *l->numbers);
}

void launches_close(pav_run *run)
{
    if (run->cut.launches)
        MEM_FREE_ALL(run->cut.launches->numbers, run->cut.launches);
    run->cut.launches = NULL;
}

/* ---- steps ------------------------------------------------------------------------- */

/* Beyond a face without a seam lies the border of the whole grid. */
static pav_status launch(void *user, int64_t n, const box *where)
{
    enum { BEYOND = 1 << 20 };
    const pav_run *run = user;
    const launches *l = run->cut.launches;
    const subdomain *inner = &run->part->inner[n];
    const subdomain_grid *g = inner->grid;
    const int64_t deep = (int64_t)l->between * l->what.radius;
    const int64_t lo = g->box.lo[l->axis], hi = g->box.hi[l->axis];
    const bool *seam = g->seam[l->axis];
    const place_visit v = {.begin = where->lo[l->axis],
                           .end = where->hi[l->axis],
                           .first = seam[0] ? lo - deep - l->halo : -BEYOND,
                           .last = hi + (seam[1] ? deep + l->halo : BEYOND),
                           .behind = seam[1] ? hi + deep : hi,
                           .numbers = l->numbers};
    /* a launch stores planes in memory */
    assert(v.begin >= v.end || (v.first <= v.begin && v.end <= v.last));
    return place_visit_within(inner->executor, &v);
}

static pav_status take_launch(pav_run *run, int left)
{
    const launches *l = run->cut.launches;
    const split_fused how = {.axis = l->axis,
                             .steps = l->what.depth,
                             .around = l->what.radius,
                             .left = left,
                             .launch = launch,
                             .user = run};
    TRY(place_numbers_within(run->part, l->what.depth, l->numbers));
    TRY(exec_split_fused(run->part, &how));
    run_count_block(run, l->what.depth);
    return PAV_OK;
}

static pav_status take_steps(pav_run *run, int64_t most)
{
    const launches *l = run->cut.launches;
    const int64_t all = int64_least((time_until_event(run, most) - 1) / l->what.depth,
                                    l->between);
    /* Constant borders must be filled before a launch, and single steps fill them. A stop
     * and a checkpoint wait for a single step. */
    if (all < 1 || !temporal_borders_are_kept(run) || run->progress.stopped ||
        run->checkpoint.waits)
        return run_one_step(run, most);
    for (int64_t left = all; left > 0; left--)
        TRY(take_launch(run, (int)left - 1));
    return PAV_OK;
}

const stepper launch_steps = {.steps = take_steps};

/* ---- in words ---------------------------------------------------------------------- */

void launches_text(const pav_run *run, text *t)
{
    const launches *l = run->cut.launches;
    if (!l)
        return;
    if (l->what.depth > 1) {
        text_add(t, "%-12s launches of %d steps within subdomains, halos are exchanged ",
                 "", l->what.depth);
        text_add(t, l->between > 1 ? "once in %d of them\n" : "before each\n",
                 l->between);
    } else if (l->what.why_single[0])
        text_add(t, "%-12s launches take single steps: %s\n", "", l->what.why_single);
}
