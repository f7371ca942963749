/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses between single steps and time blocks. The first time blocks of a run try the
 * candidates of the model in turn, single steps included; all later steps use the
 * fastest. Results are bitwise identical. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "run/run_private.h"
#include "run/time/time_private.h"

/* ---- events at steps --------------------------------------------------------------- */

/* Events at steps: rows of receivers within a time block, and observers of whole fields,
 * at the end of a block. */

pav_status time_state_ready(const pav_run *run, time_state *s, int steps)
{
    if (!s->receiver) {
        /* One entry for each recorder, in the same order. */
        time_receiver *list = mem_new(run->observers.recorders + 1, sizeof *list);
        for (int64_t k = 0; list && k < run->observers.recorders; k++) {
            const recorder *r = &run->observers.recorder[k];
            if (r->statement->kind == STATEMENT_SAMPLE)
                list[k] = (time_receiver){r->statement, &r->points,
                                          run_field_of(run, r->statement->symbol)};
        }
        s->receiver = list;
        s->receivers = run->observers.recorders;
        if (!s->receiver)
            return PAV_ENOMEM;
    }
    return time_state_open(run->part, s, steps);
}

bool time_sample_is_due(const pav_run *run, const recorder *r, int64_t step)
{
    return r->statement->kind == STATEMENT_SAMPLE &&
           subdomain_is_due(run->part, r->statement, step);
}

pav_status time_keep_rows(pav_run *run, const time_state *s, int64_t step, int steps)
{
    assert(steps <= TIME_MOST_STEPS + 1); /* a block, and one step if others follow */
    for (int n = 0; n + 1 < steps; n++)
        for (int64_t k = 0; k < run->observers.recorders; k++) {
            recorder *r = &run->observers.recorder[k];
            if (!time_sample_is_due(run, r, step + n + 1))
                continue;
            sample_row(&r->points, s->sampled[k] + n * s->sample[k].count,
                       r->row + LEADING);
            r->last_step = step + n + 1;
            TRY(rows_keep(run, r, step + n + 1, s->time[n]));
        }
    return PAV_OK;
}

/* ---- time blocks within subdomains ------------------------------------------------- */

/* Subdomains on processors take time blocks, each by itself. */

static bool are_on_processors(const pav_run *run)
{
    for (int n = 0; n < run->places; n++)
        if (run->place[n].kind == PLACE_GPU ||
            (run->place[n].device && run->place[n].kind != PLACE_PROCESSORS))
            return false;
    return run->compiled;
}

/* A cut axis that is periodic for some field; -1: none. */
static int cut_around(const pav_run *run)
{
    for (int axis = 0; axis < run->code->dim; axis++)
        if (run->cut.boxes.parts[axis] > 1 && axis_wraps(run->code, axis))
            return axis;
    return -1;
}

/* Appends to `why` the reason against time blocks in subdomains. */
static void refuse_within(const pav_run *run, text *why)
{
    const int around = cut_around(run), steps = wide_halo_steps(run->part->wide);
    if (!are_on_processors(run))
        text_add(why, "not all subdomains are on processors");
    else if (around >= 0)
        text_add(why, "the grid is cut along %c, which is periodic", "xyz"[around]);
    else if (steps < 2)
        text_add(why, "halos are exchanged after each step (--exchange-every 4 asks for "
                      "fewer exchanges)");
    else if (schedule_longest(&run->schedule, false) > steps)
        text_add(
            why,
            "blocks of %d steps are longer than the %d from one exchange to the next "
            "(--exchange-every)",
            schedule_longest(&run->schedule, false), steps);
}

/* True if the subdomains may take time blocks, or the grid is whole. */
static bool may_be_within(const pav_run *run)
{
    OWNED_BY(text_free) text why = {0};
    if (run->cut.is_cut)
        refuse_within(run, &why);
    return why.length == 0 && !why.failed;
}

/* All ranks try the first rank's candidates: ranks on different machines would list
 * different tiles. */
static pav_status agree_on_shapes(const pav_run *run, time_choice *c)
{
    pav_ranks *ranks = run->part->ranks;
    TRY(ranks_share(ranks, 0, &c->count, (int64_t)sizeof c->count));
    return ranks_share(ranks, 0, c->trial, (int64_t)sizeof c->trial);
}

/* ---- tiles for a cache ------------------------------------------------------------- */

/* Checks and prepares trials of time blocks. A requested depth without a tile in any
 * cache is refused, with a smaller one as advice. Other shapes use the rows of single
 * steps until the fastest is tried both ways. */

/* The deepest tile below the requested depth that fits a cache; 0: none. */
static int less_depth(const pav_run *run, const time_choice *c)
{
    const kernel_host host = kernel_host_of(&run->client);
    schedule requested = time_requested(run);
    time_trial one;
    while (--requested.tile.steps > 1)
        if (time_model(run, &c->state.blocking, &requested, &host, 1, &one) > 0)
            return requested.tile.steps;
    return 0;
}

pav_status temporal_fit(const pav_run *run, const time_choice *c)
{
    if (!c->forced || c->count > 0)
        return PAV_OK;
    char words[SCHEDULE_STRING], asked[SCHEDULE_STRING], remedy[2 * SCHEDULE_STRING];
    const int depth = less_depth(run, c);
    /* Names the narrowest legal tile: a named tile is used whether it fits a cache or
     * not. */
    const int column = schedule_column_axis(run->part->code->dim);
    const int64_t line = time_line(run->part->code->dim);
    schedule shape = time_requested(run);
    if (shape.tile.steps == 0)
        shape.tile.steps = 2;
    shape.tile.size[TILE_SWEEP] = 4;
    if (column >= 0)
        shape.tile.size[TILE_COLUMN] = schedule_size(
            int_rounded(2 * c->state.blocking.skew[column] + 1, line));
    schedule_string(&shape, words);
    if (depth > 0)
        (void)snprintf(remedy, sizeof remedy, "less depth (depth=%d)", depth);
    else
        (void)snprintf(remedy, sizeof remedy, "a tile that they need not hold (%s)",
                       words);
    return FAIL(PAV_EUNSUPPORTED,
                "%s asks for tiles that no cache of this machine holds; ask "
                "for %s, or leave out --schedule, which finds another",
                schedule_string(&run->schedule, asked), remedy);
}

void time_take_rows(const pav_run *run, time_choice *c)
{
    if (c->has_rows || c->forced)
        return;
    c->has_rows = true;
    /* True if no stage of a step was faster by several rows at a time. */
    const executor *e = run->part->executor;
    schedule s;
    int chosen = 0, single = 0;
    for (int64_t n = 0; n < run->code->step.count; n++)
        if (e->ops.chosen(e, n, &s)) {
            chosen++;
            single += s.thread.size[1] == 1;
        }
    const int rows = chosen > 0 && single == chosen;
    for (int k = 0; k < c->count && rows; k++) {
        time_trial *t = &c->trial[k];
        if (t->shape.tile.steps > 1)
            t->shape.thread.size[1] = rows;
        schedule_string(&t->shape, t->words);
    }
}

/* ---- choosing ---------------------------------------------------------------------- */

enum {
    TRIALS = 2,      /* trials of each shape */
    MOST_LOSSES = 3, /* losses in a row before the trials end */
    PROBE = 2,       /* steps of a shape not tried yet */
};

pav_status temporal_refusal(const pav_run *run, text *why)
{
    static const schedule any = {.kind = SCHEDULE_CPU_TIME};
    TRY(emit_legal(run->part->code,
                   run->schedule.kind == SCHEDULE_CPU_TIME ? &run->schedule : &any, NULL,
                   why));
    if (why->length == 0)
        run_list_observers(run, 2, why);
    if (why->length == 0 && run->cut.is_cut)
        refuse_within(run, why);
    return why->failed ? PAV_ENOMEM : PAV_OK;
}

static bool is_settled(const time_choice *c)
{
    return tuner_is_over(&c->tuner) || c->count == 1;
}

/* Loop schedules are tuned in single steps, so time blocks wait for that. A run with
 * requested time blocks takes few single steps and does not wait. */
static bool may_fuse(const pav_run *run)
{
    return run->blocks.tiles->forced ||
           run->part->executor->ops.tuned(run->part->executor);
}

static const time_trial *trial_of(const time_choice *c)
{
    return &c->trial[is_settled(c) || c->waits ? c->tuner.fastest : c->tuner.current];
}

static void tile_figures(const pav_run *run, executor_figures *f)
{
    const time_trial *t = trial_of(run->blocks.tiles);
    f->tuned = may_fuse(run) && is_settled(run->blocks.tiles);
    f->depth = int_most(f->depth, schedule_longest(&t->shape, false));
    if (t->shape.tile.steps < 2)
        return;
    f->crossing = int_most(f->crossing, t->shape.tile.steps);
    f->schedule = t->words;
    f->step_bytes = t->bytes * (double)run->work.points;
}

/* ---- opening ----------------------------------------------------------------------- */

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

/* Drops shapes with blocks longer than allowed: some shapes need the steps of several
 * tiles. */
static void drop_longer_blocks(const pav_run *run, time_choice *c)
{
    const int steps = wide_halo_steps(run->part->wide);
    int kept = 0;
    for (int k = 0; k < c->count; k++)
        if (!run->cut.is_cut || schedule_longest(&c->trial[k].shape, false) <= steps)
            c->trial[kept++] = c->trial[k];
    c->count = kept;
}

static void list_trials(const pav_run *run, const kernel_host *host, time_choice *c)
{
    const schedule requested = time_requested(run);
    const schedule single = {.kind = SCHEDULE_CPU_TIME, .tile.steps = 1};
    /* Time blocks pay only if the data exceed the cache of one core. A shared cache is
     * slow enough for tiles to gain. */
    const int64_t cache = host->core_cache > 0 ? host->core_cache : host->cache;
    if (c->state.blocking.refusal ||
        (!c->forced && run->work.step_bytes <= (double)cache))
        return;
    if (!c->forced)
        c->trial[c->count++] = (time_trial){.shape = single};
    /* The best schedule at another size is tried first. */
    const run_choice *hint = run->known.choice;
    if (hint && hint->is_hint && hint->several.kind == SCHEDULE_CPU_TIME)
        c->trial[c->count++] = (time_trial){.shape = hint->several};
    /* Within subdomains, the depth is limited by the halo width. Lower depths are
     * tried until some tile fits a cache. */
    const bool free = run->cut.is_cut && requested.tile.steps == 0;
    const int before = c->count;
    schedule r = requested;
    int steps = free ? wide_halo_steps(run->part->wide) : 0;
    do {
        r.tile.steps = free ? steps : r.tile.steps;
        c->count += time_model(run, &c->state.blocking, &r, host, MOST_SHAPES - 3,
                               c->trial + c->count);
        drop_longer_blocks(run, c);
    } while (free && c->count == before && --steps > 1);
    if (!trial_any_begins(run->steps, PROBE))
        c->count = c->forced && c->count > 0;
    /* Drops candidates that were rounded to the same tile. */
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

pav_status temporal_plan(const pav_run *run, bool close, time_choice *c)
{
    const kernel_host host = kernel_host_of(&run->client);
    *c = (time_choice){.forced = host.kind == SCHEDULE_CPU_TIME,
                       .threads = run->team.all ? host_team_threads(run->team.all)
                                                : host.threads};
    /* Along x, tiles begin at boundaries of cache lines. */
    const int unit[MAX_DIM] = {run->part->code->dim > 1 && !close ? 16 : 1, 1, 1};
    TRY(ir_blocking_open(run->part->code, unit, &c->state.blocking));
    list_trials(run, &host, c);
    return PAV_OK;
}

pav_status temporal_check(const pav_run *run)
{
    char string[SCHEDULE_STRING];
    OWNED_BY(text_free) text why = {0};
    if (run->schedule.kind != SCHEDULE_CPU_TIME)
        return PAV_OK;
    TRY(temporal_refusal(run, &why));
    return why.length == 0
               ? PAV_OK
               : FAIL(PAV_EUNSUPPORTED,
                      "the schedule %s fuses several steps (temporal blocking), which %s "
                      "cannot do: %s; leave out --schedule, which finds another",
                      schedule_string(&run->schedule, string), run->program->name,
                      why.data);
}

static void close_tiles(pav_run *run)
{
    time_state_close(run->part->code, &run->blocks.tiles->state);
    mem_free(run->blocks.tiles);
    run->blocks.tiles = NULL;
    run->stepper = &single_steps;
}

pav_status run_open_temporal(pav_run *run, const schedule *fixed)
{
    const schedule_kind kind = run->schedule.kind;
    if (!fixed)
        TRY(temporal_check(run));
    if ((kind != SCHEDULE_CPU_TIME && kind != SCHEDULE_AUTO) || run_is_single(run) ||
        !may_be_within(run))
        return PAV_OK;
    TRY(mem_take(&run->blocks.tiles, 1, sizeof *run->blocks.tiles));
    run->stepper = &tile_steps;
    time_choice *c = run->blocks.tiles;
    TRY(temporal_plan(run, fixed && fixed->close, c));
    c->state.stream = time_sweep_axis(run->part->code->dim);
    c->state.column = schedule_column_axis(run->part->code->dim);
    if (fixed) {
        c->forced = true;
        c->count = !c->state.blocking.refusal;
        c->trial[0] = (time_trial){.shape = *fixed};
        put_words(run, c, &c->trial[0]);
    }
    if (!fixed)
        TRY(temporal_fit(run, run->blocks.tiles));
    TRY(agree_on_shapes(run, run->blocks.tiles));
    time_open_trials(run->blocks.tiles);
    if (run->blocks.tiles->count <= !run->blocks.tiles->forced)
        close_tiles(run);
    return PAV_OK;
}

/* ---- trials ------------------------------------------------------------------------ */

void time_open_trials(time_choice *c)
{
    tuner_open(&c->tuner, c->count, TRIALS);
    c->tuner.most_losses = MOST_LOSSES;
}

void time_note(time_choice *c, int steps, double seconds, bool probe)
{
    const tuner_verdict verdict = tuner_judge(&c->tuner, seconds, steps, probe, false);
    if (verdict == TUNER_AGAIN)
        return;
    tuner_next_candidate(&c->tuner, verdict == TUNER_LOST);
    if (tuner_is_over(&c->tuner)) {
        /* Single steps may be fastest by several rows at a time and tiles by single
         * rows, or the reverse. So the last trial is the fastest shape with the other
         * choice of rows. */
        const time_trial *best = &c->trial[c->tuner.fastest];
        if (c->has_rows && !c->tried_rows && best->shape.tile.steps >= 2) {
            c->tried_rows = true;
            time_trial *other = &c->trial[c->count++];
            tuner_add(&c->tuner, 1);
            *other = (time_trial){.shape = best->shape, .bytes = best->bytes};
            other->shape.thread.size[1] = !best->shape.thread.size[1];
            schedule_string(&other->shape, other->words);
        }
    }
}

/* The first trial of a shape takes a few steps and predicts the time of a whole block. */
static int trial_steps(const time_choice *c)
{
    const tuner *m = &c->tuner;
    const schedule *shape = &c->trial[m->current].shape;
    const bool first = m->best <= 0 || m->seconds[m->current] > 0 ||
                       shape->tile.steps < PROBE;
    const int steps = first ? schedule_longest(shape, true) : PROBE;
    return tuner_may_begin(m, steps) ? steps : 0;
}

/* If the length of the run is known, a candidate too expensive now is dropped for
 * good. */
int time_next_trial(time_choice *c, int64_t known, int64_t done)
{
    int steps = 0;
    c->waits = false;
    c->tuner.known = known;
    c->tuner.done = done;
    while (!is_settled(c) && !c->waits && steps == 0) {
        steps = trial_steps(c);
        c->waits = steps == 0 && known == 0;
        c->tuner.current += steps == 0 && known > 0;
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

static pav_status take_block(pav_run *run, const schedule *shape, int64_t steps)
{
    time_block block = {.whole = run->part,
                        .part = run->part,
                        .number = -1,
                        .team = run->team.all,
                        .state = &run->blocks.tiles->state,
                        .count = &run->blocks.count.tile,
                        .shape = *shape,
                        .step = run->part->step,
                        .steps = (int)steps};
    const int64_t first = run->part->step;
    run->part->singles = 0;
    TRY(time_state_ready(run, block.state, block.steps));
    TRY(run->cut.is_cut ? time_block_take_within(&block) : time_block_take(&block));
    run_count_block(run, steps);
    return time_keep_rows(run, block.state, first, block.steps);
}

static pav_status steps_by_tiles(pav_run *run, int64_t most)
{
    time_choice *c = run->blocks.tiles;
    if (!temporal_borders_are_kept(run) || !may_fuse(run))
        return run_one_step(run, most);
    time_take_rows(run, c);
    const int trial = time_next_trial(c, run->steps, run->part->step);
    const schedule *shape = &trial_of(c)->shape;
    const int longest = trial > 0 ? trial : schedule_longest(shape, false);
    const int64_t steps = steps_of(time_until_event(run, most), longest);
    /* A block cut short by the caller is no measurement. A block cut short by an event
     * is one, because it has the full length possible there. */
    const bool whole = steps == longest ||
                       (steps < longest && time_until_event(run, longest) == steps);
    const double begun = clock_seconds();
    TRY(steps > 1 ? take_block(run, shape, steps) : run_one_step(run, steps));
    double each = (clock_seconds() - begun) / (double)steps;
    if (trial == 0 || !whole)
        return PAV_OK;
    TRY(ranks_share(run->part->ranks, 0, &each, (int64_t)sizeof each));
    time_note(c, (int)steps, each, longest < shape->tile.steps);
    return PAV_OK;
}

const stepper tile_steps = {
    .steps = steps_by_tiles, .figures = tile_figures, .close = close_tiles};
