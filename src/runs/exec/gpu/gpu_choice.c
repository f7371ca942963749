/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses between single steps and fused launches on a GPU. Candidates are tried one
 * after another, then other sweeps of the fastest. Unless fused launches were requested,
 * trials begin only if the run has at least a second left, and another thread compiles
 * meanwhile. An emulated GPU has a slow compiler: its runs wait for the
 * compiler, and need ten seconds left. The choice changes no bit. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "exec/gpu/gpu_private.h"

enum {
    ROUNDS = 3,       /* trials of each candidate */
    MOST_LOSSES = 2,  /* slower fused launches in a row before trials end */
    MOST_MISSES = 64, /* calls without room for a fused launch before it is given up */
    MOST_ROW = 512,   /* fused launches or single steps between two marks */
    MOST_TRIALS = EMIT_GPU_FUSED_CANDIDATES + COST_SWEEPS,
    MARK_BEGUN = 0,
    MARK_DONE = 1,
};
/* Least seconds left in a run: if it waits for the compiler, and if another thread
 * compiles. */
static const double worth = LAUNCH_WORTH, worth_ahead = LAUNCH_WORTH_AHEAD;
static const double row = 5e-3; /* seconds of a timed row of short launches or steps */
/* Most seconds of work queued on a GPU while the compiler is busy. Later steps can use
 * the launch compiled by then. */
static const double queued = 20e-3;

/* ---- compiling while steps are taken ----------------------------------------------- */

/* Compiles candidate fused launches in a thread of its own, in the order of the trials,
 * while the run continues. Results go to the cache, and the run's own thread loads them:
 * a driver may delay loading a module until the GPU is idle, and launches of the other
 * thread would put this off. */

typedef struct gpu_ahead {
    const gpurun *g;
    pthread_t thread;
    atomic_int done; /* of `count` */
    atomic_bool stopped;
    int count;
    schedule requested[EMIT_GPU_FUSED_CANDIDATES];
    gpu_module *module[EMIT_GPU_FUSED_CANDIDATES]; /* NULL: it could not be compiled */
} gpu_ahead;

static void *compile_all(void *argument)
{
    gpu_ahead *a = argument;
    host_stop_by(&a->stopped);
    for (int n = 0; n < a->count && !atomic_load(&a->stopped); n++) {
        if (gpu_fused_compile(a->g, &a->requested[n], &a->module[n]) != PAV_OK)
            a->module[n] = NULL;
        atomic_store(&a->done, n + 1);
    }
    return NULL;
}

static gpu_ahead *begin_compiling(const gpurun *g, const schedule *requested, int count)
{
    gpu_ahead *a = mem_new(1, sizeof *a);
    if (!a)
        return NULL;
    *a = (gpu_ahead){.g = g, .count = count};
    memcpy(a->requested, requested, (size_t)count * sizeof *requested);
    if (host_thread_start(&a->thread, -1, compile_all, a) == 0)
        return a;
    mem_free(a);
    return NULL;
}

static void stop_compiling(gpu_ahead *a)
{
    if (a)
        atomic_store(&a->stopped, true);
}

/* ---- the choice -------------------------------------------------------------------- */

typedef struct gpu_trial {
    schedule requested;
    gpu_fused *fused; /* NULL: not made yet */
    cost_sweep sweep;
    double first;       /* seconds of the first fused launch, or single step */
    bool single, other; /* single steps; another sweep of an earlier fused launch */
} gpu_trial;

struct gpu_choice {
    bool forced;      /* fused launches were requested */
    bool sweeps;      /* sweeps of the fastest are listed, or not wanted */
    bool shortened;   /* the fastest has its shorter launch, or needs none */
    gpu_ahead *ahead; /* compiles trials from 1 on; NULL: each is compiled in its turn */
    bool begun;       /* compiling ahead began, or could not */
    int misses;
    tuner tuner;
    double asked; /* seconds of steps queued during compilation */
    gpu_trial trial[MOST_TRIALS + 1];
};

/* ---- opening ----------------------------------------------------------------------- */

pav_status launch_may_be(const exec_client *client, const ir *code, bool *fuses_steps)
{
    schedule candidate[EMIT_GPU_FUSED_CANDIDATES];
    int count = 0;
    if (client->schedule->kind == SCHEDULE_AUTO &&
        !launch_is_short(client, worth_ahead) &&
        !client->ops->state(client->run).only_single)
        TRY(emit_gpu_fused_candidates(code, candidate, &count));
    *fuses_steps = schedule_fuses_steps(client->schedule) || count > 0;
    return PAV_OK;
}

static void add(gpu_choice *c, const schedule *requested)
{
    c->trial[c->tuner.count++] = (gpu_trial){.requested = *requested,
                                             .single = !requested->kind};
}

/* Bytes of a single step by the first schedule of each stage. */
static pav_status single_bytes(const gpurun *g, double *bytes)
{
    const ir *code = g->base.part->code;
    stage_forecast f;
    *bytes = 0;
    for (int64_t n = 0; n < code->step.count; n++) {
        TRY(gpu_forecast_stage(g, code->step.stage[n], &f));
        *bytes += code->stage[code->step.stage[n]].rests ? 0 : f.bytes;
    }
    return PAV_OK;
}

static pav_status list(gpurun *g, gpu_choice *c)
{
    static const schedule steps = {.kind = SCHEDULE_AUTO};
    launch_forecast found[EMIT_GPU_FUSED_CANDIDATES];
    const schedule *requested = g->client->schedule;
    double single = 0;
    int count = 0;
    tuner_open(&c->tuner, 0, ROUNDS);
    c->tuner.most_losses = MOST_LOSSES;
    c->forced = schedule_fuses_steps(requested);
    c->sweeps = requested->planes > 0 || requested->kind == SCHEDULE_PERSISTENT;
    if (c->forced) {
        TRY(gpu_fused_requested(g, requested, found, &count));
    } else if (requested->kind == SCHEDULE_AUTO && g->base.part->fuses_steps) {
        /* Single steps, and the fused launches with less memory traffic by the model. */
        add(c, &steps);
        TRY(single_bytes(g, &single));
        TRY(gpu_fused_candidates(g, single, found, &count));
    }
    for (int n = 0; n < count; n++)
        add(c, &found[n].requested);
    return PAV_OK;
}

/* Adds a shorter launch to the fastest fused launch. Without a request this needs single
 * steps long enough to pay for the compiler. */
static pav_status shorten(gpurun *g, const gpu_choice *c)
{
    const gpu_trial *t = &c->trial[c->tuner.fastest];
    schedule shorter;
    if (!t->fused)
        return PAV_OK;
    TRY(gpu_fused_shorter(g, &t->requested, place_launch_what(t->fused), &shorter));
    const double single = c->tuner.seconds[0]; /* 0: none was timed, e.g. for a bundle */
    if (shorter.tile.steps == 0 ||
        (!c->forced && single > 0 && gpu_fused_saved(g, &shorter) * single < worth))
        return PAV_OK;
    return gpu_fused_shorten(g, &shorter, t->fused);
}

/* Compiles trials from 1 on, as soon as the run has at least `worth_ahead` seconds left.
 * This holds for requested launches, too: only the first of them is compiled before the
 * run begins. */
static void begin_ahead(gpurun *g, gpu_choice *c, double seconds_left)
{
    schedule requested[EMIT_GPU_FUSED_CANDIDATES];
    /* Trials that need the compiler. Other sweeps of a launch need none, and stand at
     * the end. */
    int made = 0;
    while (made < c->tuner.count && made <= EMIT_GPU_FUSED_CANDIDATES &&
           !c->trial[made].other)
        made++;
    if (c->begun || !g->ahead || made < 2 || seconds_left < worth_ahead)
        return;
    for (int n = 1; n < made; n++)
        requested[n - 1] = c->trial[n].requested;
    c->begun = true;
    c->ahead = begin_compiling(g, requested, made - 1);
}

/* Lower bound of the seconds of the run, by a memory rate that no GPU exceeds. */
static double least_seconds(const gpurun *g)
{
    const client_state state = g->client->ops->state(g->client->run);
    return (double)state.steps * state.step_bytes / gpu_most_memory_rate;
}

pav_status gpu_choice_open(gpurun *g)
{
    if (g->base.part->is_inner)
        return PAV_OK;
    if (!g->owned)
        return g->base.part->fuses_steps ? gpu_fused_make(g, g->set->fused[g->number],
                                                          g->set->launches, &g->fused)
                                         : PAV_OK;
    g->trial_seconds = row;
    g->ahead = !gpu_facts_of(g->gpu)->emulated;
    TRY(mem_take(&g->choice, 1, sizeof *g->choice));
    TRY(list(g, g->choice));
    /* A requested launch must be compiled before the run begins. */
    gpu_choice *c = g->choice;
    if (c->forced) {
        TRY(gpu_fused_make(g, &c->trial[0].requested, NULL, &c->trial[0].fused));
        g->fused = c->trial[0].fused;
        c->shortened = c->tuner.count == 1;
        TRY(c->shortened ? shorten(g, c) : PAV_OK);
    }
    if (c->tuner.count <= !c->forced)
        gpu_choice_close(g);
    return PAV_OK;
}

void gpu_choice_begin(gpurun *g)
{
    if (g->choice && !g->choice->forced)
        begin_ahead(g, g->choice, least_seconds(g));
}

pav_status place_make_all(const exec_place *p)
{
    gpurun *g = gpurun_of(p->executor);
    gpu_choice *c = g ? g->choice : NULL;
    if (!c)
        return PAV_OK;
    const int fastest = c->tuner.fastest;
    for (int n = 0; n < c->tuner.count; n++) {
        gpu_trial *t = &c->trial[n];
        pav_status status = PAV_OK;
        if (!t->single && !t->fused)
            status = gpu_fused_make(g, &t->requested, NULL, &t->fused);
        c->tuner.fastest = n;
        if (status == PAV_OK)
            status = shorten(g, c);
        if (status == PAV_ENOMEM)
            return status;
    }
    c->tuner.fastest = fastest;
    return PAV_OK;
}

void gpu_choice_close(gpurun *g)
{
    if (!g->choice)
        place_launch_free(g->fused);
    else {
        gpu_ahead *a = g->choice->ahead;
        if (a) {
            stop_compiling(a);
            (void)pthread_join(a->thread, NULL);
            for (int n = 0; n < a->count; n++)
                gpu_module_close(a->module[n]);
            mem_free(a);
        }
    }
    for (int n = 0; g->choice && n < g->choice->tuner.count; n++)
        if (!g->choice->trial[n].other)
            place_launch_free(g->choice->trial[n].fused);
    mem_free(g->choice);
    g->choice = NULL;
    g->fused = NULL;
}

/* ---- trials ------------------------------------------------------------------------ */

static bool is_settled(const gpu_choice *c)
{
    return tuner_is_over(&c->tuner) && c->sweeps;
}

bool gpu_choice_is_tuned(const gpurun *g)
{
    const gpu_choice *c = g->choice;
    const bool begun = c && (c->forced || c->tuner.current > 0 || c->tuner.tried[0] > 0);
    return !begun || (is_settled(c) && c->shortened);
}

bool place_is_late(const exec_place *p)
{
    const gpurun *g = gpurun_of(p->executor);
    const gpu_ahead *a = g && g->choice ? g->choice->ahead : NULL;
    return a && !atomic_load(&a->stopped) && atomic_load(&a->done) == 0;
}

bool place_is_complete(const exec_place *p)
{
    const gpurun *g = gpurun_of(p->executor);
    return !g || (!launch_is_short(g->client, worth_ahead) && gpu_choice_is_tuned(g) &&
                  (!g->choice || g->choice->tuner.current > 0));
}

int gpu_choice_has_tried(const gpurun *g)
{
    return g->choice ? g->choice->tuner.current : 0;
}

static void use_trial(gpurun *g, const gpu_trial *t)
{
    g->fused = t->fused;
    if (t->fused && t->sweep.planes > 0)
        gpu_fused_sweep(g, t->fused, t->sweep);
}

static double worth_of(const gpurun *g)
{
    return g->ahead ? worth_ahead : worth;
}

/* By the seconds of single steps, which have been tried: the run's own seconds include
 * compilation. */
static double seconds_left(const gpurun *g, const gpu_choice *c)
{
    const client_state state = g->client->ops->state(g->client->run);
    return state.steps == 0 && c->forced
               ? INFINITY
               : (double)(state.steps - g->base.part->step) * c->tuner.seconds[0];
}

static bool pays(const gpurun *g, const gpu_choice *c)
{
    return c->tuner.current > 0 || (c->forced && !g->ahead) ||
           seconds_left(g, c) >= worth_of(g);
}

static void go_on(gpurun *g, gpu_choice *c, bool lost)
{
    if (!pays(g, c)) {
        c->tuner.count = 1;
        c->sweeps = c->sweeps || !c->forced;
    }
    c->misses = 0;
    tuner_next_candidate(&c->tuner, lost);
    if (tuner_is_over(&c->tuner) && !c->sweeps) {
        /* Adds the other sweeps of the fastest fused launch. None of them ends the
         * trials by its losses. */
        gpu_trial *from = &c->trial[c->tuner.fastest];
        cost_sweep_list candidate = {0};
        c->sweeps = true;
        c->tuner.losses = 0;
        c->tuner.most_losses = MOST_TRIALS + 1;
        if (from->fused && from->requested.kind == SCHEDULE_GPU_TIME)
            gpu_fused_sweeps(g, from->fused, &candidate);
        from->sweep = candidate.sweep[0];
        for (int n = 1; n < candidate.count; n++)
            c->trial[c->tuner.count++] = (gpu_trial){.requested = from->requested,
                                                     .fused = from->fused,
                                                     .sweep = candidate.sweep[n],
                                                     .other = true};
    }
    if (is_settled(c)) {
        stop_compiling(c->ahead);
        use_trial(g, &c->trial[c->tuner.fastest]);
    }
}

/* True if the present trial waits for the compiler. */
static bool is_awaited(const gpu_choice *c)
{
    const gpu_trial *t = &c->trial[c->tuner.current];
    return c->ahead && !t->single && !t->fused && !t->other &&
           atomic_load(&c->ahead->done) < c->tuner.current;
}

/* True if the present launch can be made without a long wait. A launch compiled ahead
 * comes from the cache; without a cache it is compiled again. */
static bool is_at_hand(const gpurun *g, const gpu_choice *c)
{
    const gpu_module *made = c->ahead->module[c->tuner.current - 1];
    return made && (!*gpu_module_note(made) || seconds_left(g, c) >= worth);
}

/* A launch that cannot be made is skipped. */
static pav_status make(gpurun *g, gpu_choice *c, bool *made)
{
    gpu_trial *t = &c->trial[c->tuner.current];
    *made = t->single || t->fused;
    if (*made)
        return PAV_OK;
    if (c->ahead && !is_at_hand(g, c))
        return PAV_OK;
    const pav_status status = gpu_fused_make(g, &t->requested, NULL, &t->fused);
    *made = status == PAV_OK;
    return status == PAV_ENOMEM ? status : PAV_OK;
}

/* Number of fused launches or single steps in a trial. The first one is alone. Short ones
 * then follow in a row, so that the host runs ahead of the GPU, and rounds of launches
 * become graphs (device/gpu/gpu_kernel.c), exactly like in the rest of the run. */
static int64_t row_of(const gpurun *g, const gpu_trial *t)
{
    const double some = t->first > 0 ? g->trial_seconds / t->first : 1;
    const int64_t count = some < MOST_ROW ? (int64_t)some : MOST_ROW;
    const int64_t rest = g->period > 0 ? count % g->period : 0;
    return count < 1 ? 1 : count > rest ? count - rest : count;
}

/* Nothing but samples may be due between two launches. */
static pav_status take_launches(gpurun *g, int64_t count, int64_t most)
{
    const int64_t end = g->base.part->step + most;
    TRY(gpu_fused_steps(g, most));
    while (--count > 0 && gpu_fused_is_behind(g) &&
           gpu_fused_next(g, end - g->base.part->step) > 1) {
        TRY(g->client->ops->record(g->client->run));
        TRY(gpu_fused_steps(g, end - g->base.part->step));
    }
    return PAV_OK;
}

static pav_status take_singles(gpurun *g, int64_t count, int64_t most)
{
    const int64_t room = g->client->ops->until_event(g->client->run, most);
    TRY(g->client->ops->one_step(g->client->run));
    for (int64_t k = 1; k < count && k < room; k++) {
        TRY(g->client->ops->record(g->client->run));
        TRY(g->client->ops->one_step(g->client->run));
    }
    return PAV_OK;
}

/* False for a launch that was shortened for lack of room. */
static bool is_its_own(const gpu_trial *t, int64_t steps)
{
    return t->single || steps >= place_launch_what(t->fused)->least;
}

/* ---- steps ------------------------------------------------------------------------- */

/* Expected seconds of the remaining steps, by the mean of the steps so far. */
static double expected(const gpurun *g)
{
    const client_state state = g->client->ops->state(g->client->run);
    return state.seconds * (double)(state.steps - g->base.part->step) /
           (double)(g->base.part->step + 1);
}

static bool is_worth(const gpurun *g, const gpu_choice *c)
{
    return c->forced || c->tuner.current > 0 || c->tuner.tried[0] > 0 ||
           expected(g) >= worth_of(g);
}

/* Launches may not exceed the trial budget of the run. The time of the compiler is
 * bounded by `worth`. */
static bool affords(const gpurun *g, gpu_choice *c)
{
    const gpu_trial *t = &c->trial[c->tuner.current];
    const int depth = t->fused ? gpu_fused_most_steps(place_launch_what(t->fused))
                               : t->requested.tile.steps;
    c->tuner.known = g->client->ops->state(g->client->run).steps;
    c->tuner.done = g->base.part->step;
    return tuner_may_begin(&c->tuner, (double)row_of(g, t) * (depth > 1 ? depth : 1));
}

/* While the compiler makes the next launch: takes steps by the fastest launch so far. The
 * host waits for the GPU now and then, because steps queued far ahead would leave none
 * for the new launch. */
static pav_status await(gpurun *g, gpu_choice *c, int64_t most)
{
    const int64_t from = g->base.part->step;
    double seconds;
    use_trial(g, &c->trial[c->tuner.fastest]);
    TRY(g->fused ? gpu_fused_steps(g, most) : g->client->ops->one_step(g->client->run));
    c->asked += (double)(g->base.part->step - from) * c->tuner.seconds[c->tuner.fastest];
    if (c->asked < queued)
        return PAV_OK;
    c->asked = 0;
    TRY(gpu_mark(g->gpu, MARK_BEGUN));
    TRY(gpu_mark(g->gpu, MARK_DONE));
    return gpu_seconds(g->gpu, MARK_BEGUN, MARK_DONE, &seconds);
}

pav_status gpu_choice_steps(gpurun *g, int64_t most)
{
    gpu_choice *c = g->choice;
    bool made = true;
    if (!c || is_settled(c)) {
        /* Takes steps by the chosen launch. */
        if (c && !c->shortened) {
            c->shortened = true;
            TRY(shorten(g, c));
        }
        return g->fused ? gpu_fused_steps(g, most)
                        : g->client->ops->one_step(g->client->run);
    }
    /* Trial steps take longer than other steps, so the expected time is reduced. */
    enum { SOME_STEPS = 64, TRIED = 3 };
    if (!c->begun && g->base.part->step >= SOME_STEPS)
        begin_ahead(g, c, expected(g) / TRIED);
    if (!gpu_fused_may(g) || (!c->forced && !gpu_stages_are_tuned(&g->base)) ||
        !is_worth(g, c))
        return g->client->ops->one_step(g->client->run);
    if (is_awaited(c))
        return await(g, c, most);
    if (!affords(g, c)) {
        /* If the length of the run is known, a trial too expensive now will never be
         * affordable. */
        use_trial(g, &c->trial[c->tuner.fastest]);
        if (c->tuner.known > 0)
            go_on(g, c, true);
        return g->fused ? gpu_fused_steps(g, most)
                        : g->client->ops->one_step(g->client->run);
    }
    TRY(make(g, c, &made));
    if (made) {
        /* Times a trial between two marks. A launch shortened for lack of room does
         * not count. */
        gpu_trial *t = &c->trial[c->tuner.current];
        const int64_t from = g->base.part->step, count = row_of(g, t);
        double seconds;
        use_trial(g, t);
        TRY(gpu_mark(g->gpu, MARK_BEGUN));
        TRY(g->fused ? take_launches(g, count, most) : take_singles(g, count, most));
        TRY(gpu_mark(g->gpu, MARK_DONE));
        TRY(gpu_seconds(g->gpu, MARK_BEGUN, MARK_DONE, &seconds));
        if (!is_its_own(t, g->base.part->step - from)) {
            if (++c->misses > MOST_MISSES)
                go_on(g, c, true);
            return PAV_OK;
        }
        const double steps = (double)(g->base.part->step - from);
        const bool is_first = c->tuner.current == 0;
        t->first = t->first > 0 ? t->first : seconds;
        const tuner_verdict verdict = tuner_judge(&c->tuner, seconds / steps, steps,
                                                  false, true);
        if (verdict == TUNER_AGAIN)
            return PAV_OK;
        if (is_first)
            begin_ahead(g, c, seconds_left(g, c));
        go_on(g, c, verdict == TUNER_LOST);
        return PAV_OK;
    }
    go_on(g, c, true);
    return g->client->ops->one_step(g->client->run);
}
