/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses between single steps and time blocks. The first time blocks of a run try the
 * candidates of the model in turn, single steps included; all later steps use the
 * fastest. Results are bitwise identical. */
#include <math.h>
#include <string.h>

#include "run/run_private.h"
#include "run/time/time_private.h"

enum {
    TRIALS = 2,      /* trials of each shape */
    MOST_LOSSES = 3, /* losses in a row before the trials end */
    PROBE = 2,       /* steps of a shape not tried yet */
};

pav_status temporal_refusal(const pav_run *run, text *why)
{
    static const schedule any = {.kind = SCHEDULE_CPU_TIME};
    const bool asked = run->schedule.kind == SCHEDULE_CPU_TIME;
    TRY(emit_legal(run->part->code, asked ? &run->schedule : &any, NULL, why));
    if (why->length == 0)
        run_list_observers(run, 2, why);
    if (why->length == 0 && run->cut.is_cut)
        time_within_refusal(run, why);
    return why->failed ? PAV_ENOMEM : PAV_OK;
}

static bool is_settled(const time_choice *c)
{
    return c->current >= c->count || c->count == 1;
}

/* Loop schedules are tuned in single steps, so time blocks wait for that. A run with
 * requested time blocks takes few single steps and does not wait. */
static bool may_fuse(const pav_run *run)
{
    return run->part->executor->ops.tuned(run->part->executor) ||
           (run->blocks.tiles && run->blocks.tiles->forced);
}

bool temporal_is_tuned(const pav_run *run)
{
    return run->blocks.async ||
           (may_fuse(run) && (!run->blocks.tiles || is_settled(run->blocks.tiles)));
}

static const time_trial *trial_of(const time_choice *c)
{
    return &c->trial[is_settled(c) || c->waits ? c->fastest : c->current];
}

int temporal_depth(const pav_run *run)
{
    return run->blocks.tiles ? trial_of(run->blocks.tiles)->shape.tile.steps : 1;
}

double temporal_bytes(const pav_run *run)
{
    const bool fuses_steps = temporal_depth(run) > 1;
    return fuses_steps ? trial_of(run->blocks.tiles)->bytes * (double)run->work.points
                       : 0;
}

int64_t run_block_steps(const pav_run *run)
{
    const int of_executor = run_executor_figures(run).depth;
    const int of_tiles = run->blocks.tiles
                             ? schedule_longest(&trial_of(run->blocks.tiles)->shape,
                                                false)
                             : 1;
    return of_tiles > of_executor ? of_tiles : of_executor;
}

const char *temporal_schedule(const pav_run *run)
{
    const bool fuses_steps = temporal_depth(run) > 1;
    return fuses_steps ? trial_of(run->blocks.tiles)->words : NULL;
}

/* ---- opening ----------------------------------------------------------------------- */

/* Along x, tiles begin at boundaries of cache lines. */
static pav_status find_skews(const pav_run *run, bool close, ir_blocking *b)
{
    const int unit[MAX_DIM] = {run->part->code->dim > 1 && !close ? 16 : 1, 1, 1};
    return ir_blocking_open(run->part->code, unit, b);
}

/* Time blocks pay only if the data exceed the cache of one core. A shared cache is slow
 * enough for tiles to gain. */
static bool is_worth_trying(const pav_run *run, const kernel_host *host)
{
    const int64_t cache = host->core_cache > 0 ? host->core_cache : host->cache;
    return run->work.step_bytes > (double)cache;
}

/* Rounds the tile to its final size, with at most as many sharing threads as the run
 * has. */
static void put_words(const pav_run *run, const time_choice *c, time_trial *t)
{
    const int share = int_least(t->shape.device.size[0], c->threads);
    t->shape.device.size[0] = share > 1 ? share : 0;
    if (t->shape.tile.steps > 1)
        time_round_tile(run->part->code, &c->state.blocking, &t->shape);
    schedule_string(&t->shape, t->words);
}

/* Drops candidates that were rounded to the same tile. */
static void put_all_words(const pav_run *run, time_choice *c)
{
    int kept = 0;
    for (int k = 0; k < c->count; k++) {
        put_words(run, c, &c->trial[k]);
        int same = 0;
        while (same < kept && strcmp(c->trial[same].words, c->trial[k].words) != 0)
            same++;
        if (same == kept)
            c->trial[kept++] = c->trial[k];
    }
    c->count = kept;
}

/* The best schedule at another size is tried first. */
static int time_hint(const pav_run *run, time_trial *trial)
{
    const run_choice *c = run->known.choice;
    if (!c || !c->is_hint || c->several.kind != SCHEDULE_CPU_TIME)
        return 0;
    *trial = (time_trial){.shape = c->several};
    return 1;
}

/* Drops shapes with blocks longer than allowed: some shapes need the steps of several
 * tiles. */
static void leave_out_longer(const pav_run *run, time_choice *c)
{
    const int steps = wide_halo_steps(run->part->wide);
    int kept = 0;
    for (int k = 0; k < c->count; k++)
        if (!run->cut.is_cut || schedule_longest(&c->trial[k].shape, false) <= steps)
            c->trial[kept++] = c->trial[k];
    c->count = kept;
}

/* Within subdomains, the depth is limited by the halo width. Lower depths are tried until
 * some tile fits a cache. */
static void list_shapes(const pav_run *run, const schedule *requested,
                        const kernel_host *host, time_choice *c)
{
    const bool free = run->cut.is_cut && requested->tile.steps == 0;
    const int before = c->count;
    schedule r = *requested;
    int steps = free ? wide_halo_steps(run->part->wide) : 0;
    do {
        r.tile.steps = free ? steps : r.tile.steps;
        c->count += time_model(run, &c->state.blocking, &r, host, MOST_SHAPES - 3,
                               c->trial + c->count);
        leave_out_longer(run, c);
    } while (free && c->count == before && --steps > 1);
}

static void list_trials(const pav_run *run, const kernel_host *host, time_choice *c)
{
    const schedule requested = time_requested(run);
    schedule single = {.kind = SCHEDULE_CPU_TIME};
    single.tile.steps = 1;
    if (c->state.blocking.refusal || (!c->forced && !is_worth_trying(run, host)))
        return;
    if (!c->forced)
        c->trial[c->count++] = (time_trial){.shape = single};
    c->count += time_hint(run, c->trial + c->count);
    list_shapes(run, &requested, host, c);
    if (!trial_any_begins(run->steps, PROBE))
        c->count = c->forced && c->count > 0;
    put_all_words(run, c);
}

static pav_status plan(const pav_run *run, bool close, time_choice *c)
{
    const kernel_host host = kernel_host_of(&run->client);
    *c = (time_choice){.forced = host.kind == SCHEDULE_CPU_TIME,
                       .threads = run->team.all ? host_team_threads(run->team.all)
                                                : host.threads};
    TRY(find_skews(run, close, &c->state.blocking));
    list_trials(run, &host, c);
    return PAV_OK;
}

pav_status temporal_plan(const pav_run *run, time_choice *c)
{
    return plan(run, false, c);
}

static pav_status open_choice(pav_run *run, const schedule *fixed, time_choice *c)
{
    TRY(plan(run, fixed && fixed->close, c));
    c->state.stream = time_sweep_axis(run->part->code->dim);
    c->state.column = schedule_column_axis(run->part->code->dim);
    if (!fixed)
        return PAV_OK;
    c->forced = true;
    c->count = !c->state.blocking.refusal;
    c->trial[0] = (time_trial){.shape = *fixed};
    put_words(run, c, &c->trial[0]);
    return PAV_OK;
}

pav_status temporal_check(const pav_run *run)
{
    char string[SCHEDULE_STRING];
    text why = {0};
    if (run->schedule.kind != SCHEDULE_CPU_TIME)
        return PAV_OK;
    pav_status status = temporal_refusal(run, &why);
    if (status == PAV_OK && why.length > 0)
        status = FAIL(
            PAV_EUNSUPPORTED,
            "the schedule %s fuses several steps (temporal blocking), which %s cannot "
            "do: %s; leave out --schedule, which finds another",
            schedule_string(&run->schedule, string), run->program->name, why.data);
    text_free(&why);
    return status;
}

pav_status run_open_temporal(pav_run *run, const schedule *fixed)
{
    const schedule_kind kind = run->schedule.kind;
    if (!fixed)
        TRY(temporal_check(run));
    if ((kind != SCHEDULE_CPU_TIME && kind != SCHEDULE_AUTO) || run_is_single(run) ||
        !time_within_may_be(run))
        return PAV_OK;
    run->blocks.tiles = mem_new(1, sizeof *run->blocks.tiles);
    if (!run->blocks.tiles)
        return PAV_ENOMEM;
    TRY(open_choice(run, fixed, run->blocks.tiles));
    if (!fixed)
        TRY(temporal_fit(run, run->blocks.tiles));
    TRY(time_within_agree(run, run->blocks.tiles));
    if (run->blocks.tiles->count <= !run->blocks.tiles->forced)
        run_close_temporal(run);
    return PAV_OK;
}

void run_close_temporal(pav_run *run)
{
    if (run->blocks.tiles)
        time_state_close(run->part->code, &run->blocks.tiles->state);
    mem_free(run->blocks.tiles);
    run->blocks.tiles = NULL;
}

/* ---- trials ------------------------------------------------------------------------ */

/* Single steps may be fastest by several rows at a time and tiles by single rows, or the
 * reverse. So the last trial is the fastest shape with the other choice of rows. */
static void try_other_rows(time_choice *c)
{
    const time_trial *best = &c->trial[c->fastest];
    if (!c->has_rows || c->tried_rows || best->shape.tile.steps < 2)
        return;
    c->tried_rows = true;
    time_trial *other = &c->trial[c->current = c->count++];
    *other = (time_trial){.shape = best->shape, .bytes = best->bytes};
    other->shape.thread.size[1] = !best->shape.thread.size[1];
    schedule_string(&other->shape, other->words);
}

/* Moves to the next candidate; ends the trials after some losses in a row, because the
 * model has put the better candidates first. */
static void go_on(time_choice *c, bool lost)
{
    c->losses = lost ? c->losses + 1 : 0;
    c->current = c->losses < MOST_LOSSES ? c->current + 1 : c->count;
    if (c->current == c->count)
        try_other_rows(c);
}

void time_note(time_choice *c, int steps, double seconds, bool probe)
{
    time_trial *t = &c->trial[c->current];
    const time_trial *best = &c->trial[c->fastest];
    trial_note(&c->budget, steps * seconds, steps, probe ? INFINITY : seconds);
    if (t->tried == 0 || seconds < t->seconds)
        t->seconds = seconds;
    t->tried += !probe;
    const bool slow = trial_is_slow(&c->budget, t->seconds);
    const bool lost = t != best && (probe ? slow : t->seconds >= best->seconds);
    if (!lost && !probe)
        c->fastest = c->current;
    if (lost || t->tried == TRIALS)
        go_on(c, lost);
}

/* The first trial of a shape takes a few steps and predicts the time of a whole block. */
static int trial_steps(const time_choice *c, double allowance)
{
    const time_trial *t = &c->trial[c->current];
    const bool first = c->budget.best <= 0 || t->seconds > 0 ||
                       t->shape.tile.steps < PROBE;
    const int steps = first ? schedule_longest(&t->shape, true) : PROBE;
    return trial_may_begin(&c->budget, allowance, t->seconds, steps) ? steps : 0;
}

/* If the length of the run is known, a candidate too expensive now is dropped for
 * good. */
int time_next_trial(time_choice *c, int64_t known, int64_t done)
{
    int steps = 0;
    c->waits = false;
    while (!is_settled(c) && !c->waits && steps == 0) {
        steps = trial_steps(c, trial_allowance(known, done));
        c->waits = steps == 0 && known == 0;
        c->current += steps == 0 && known > 0;
    }
    return steps;
}

bool temporal_borders_are_kept(const pav_run *run)
{
    for (int f = 0; f < run->part->code->fields; f++)
        if (run->part->code->field[f].updated &&
            subdomain_border_state(run->part, f) == BORDER_TO_KEEP)
            return false;
    return true;
}

/* The last steps before an event are divided into equal blocks. */
static int64_t steps_of(int64_t room, int depth)
{
    if (room >= 2 * (int64_t)depth)
        return depth;
    const int64_t blocks = (room + depth - 1) / depth;
    return (room + blocks - 1) / blocks;
}

void run_count_block(pav_run *run, int64_t steps)
{
    run->blocks.count.taken++;
    if (steps > run->blocks.count.longest)
        run->blocks.count.longest = steps;
}

static pav_status take_block(pav_run *run, const schedule *shape, int steps)
{
    time_block block = {.whole = run->part,
                        .part = run->part,
                        .number = -1,
                        .team = run->team.all,
                        .state = &run->blocks.tiles->state,
                        .count = &run->blocks.count.tile,
                        .shape = *shape,
                        .step = run->part->step,
                        .steps = steps};
    TRY(time_state_ready(run, block.state, steps));
    return run->cut.is_cut ? time_block_take_within(&block) : time_block_take(&block);
}

static pav_status take(pav_run *run, const schedule *shape, int64_t steps)
{
    const int64_t first = run->part->step;
    if (steps < 2)
        return run_one_step(run);
    run->part->singles = 0;
    TRY(take_block(run, shape, (int)steps));
    run_count_block(run, steps);
    return time_keep_rows(run, &run->blocks.tiles->state, first, (int)steps);
}

/* A block cut short by the caller is no measurement. A block cut short by an event is
 * one, because it has the full length possible there. */
static bool is_trial(const pav_run *run, int depth, int64_t steps)
{
    return steps == depth || (steps < depth && time_until_event(run, depth) == steps);
}

pav_status run_some_steps(pav_run *run, int64_t most)
{
    executor *e = run->part->executor;
    bool done;
    if (run->outofcore)
        return outofcore_steps(run, most);
    TRY(launches_steps(run, most, &done));
    if (done)
        return PAV_OK;
    TRY(e->ops.advance(e, most, &done));
    if (done)
        return PAV_OK;
    if (run->blocks.async)
        TRY(async_steps(run, most, &done));
    if (done)
        return PAV_OK;
    if (!run->blocks.tiles || !temporal_borders_are_kept(run) || !may_fuse(run))
        return run_one_step(run);
    time_choice *c = run->blocks.tiles;
    time_take_rows(run, c);
    const int trial = time_next_trial(c, run->steps, run->part->step);
    const schedule *shape = &trial_of(c)->shape;
    const int longest = trial > 0 ? trial : schedule_longest(shape, false);
    const int64_t steps = steps_of(time_until_event(run, most), longest);
    const bool whole = is_trial(run, longest, steps);
    const double begun = clock_seconds();
    TRY(take(run, shape, steps));
    double each = (clock_seconds() - begun) / (double)steps;
    if (trial == 0 || !whole)
        return PAV_OK;
    TRY(ranks_share(run->part->ranks, 0, &each, (int64_t)sizeof each));
    time_note(c, (int)steps, each, longest < shape->tile.steps);
    return PAV_OK;
}
