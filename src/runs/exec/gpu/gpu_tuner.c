/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules of stages on a GPU: candidates, trials, and the present choice. */
#include <string.h>

#include "exec/gpu/gpu_private.h"

/* ---- candidates -------------------------------------------------------------------- */

/* Chooses the schedules of the stages of a run: the requested one, refused if it is
 * impossible; or all candidates supported by this GPU. */

/* True if the GPU and the stage support everything in the schedule. */
static pav_status can_go(const gpurun *g, int64_t stage, const schedule *s, bool *can)
{
    const ir *code = g->base.part->code;
    OWNED_BY(text_free) text why = {0};
    TRY(emit_gpu_machine_lack(code, &code->stage[stage], s, gpu_facts_of(g->gpu), &why));
    *can = why.length == 0;
    return PAV_OK;
}

/* A schedule that was fast at another size comes first, with its number of planes
 * reset. */
static int take_hint(gpurun *g, int64_t stage)
{
    const ir *code = g->base.part->code;
    bool is_hint, can = false;
    const schedule *known = g->client->ops->known(g->client->run, stage, &is_hint);
    if (!known || !is_hint || !schedule_is_of_gpus(known->kind) ||
        known->kind == SCHEDULE_TWO_PASS ||
        emit_gpu_refusal(code, &code->stage[stage], known) ||
        can_go(g, stage, known, &can) != PAV_OK || !can)
        return 0;
    g->of_stage[0][stage] = *known;
    g->of_stage[0][stage].planes = 0;
    return 1;
}

/* The schedules of a stage: those found so far, and none beyond. */
static void end_candidates(gpurun *g, int64_t stage, int taken)
{
    for (; taken < EMIT_GPU_CANDIDATES; taken++)
        g->of_stage[taken][stage].kind = SCHEDULE_NONE;
}

static void choose_one(gpurun *g, int64_t stage, const schedule *s)
{
    g->of_stage[0][stage] = *s;
    end_candidates(g, stage, 1);
}

static bool is_there(const gpurun *g, int64_t stage, int taken, const schedule *s)
{
    for (int n = 0; n < taken; n++)
        if (schedule_is_same(&g->of_stage[n][stage], s))
            return true;
    return false;
}

/* True for a stage that runs seldom, so tuning it is a waste. A layered stage is seldom
 * run if its replacement for the points inside is: both depend on the size of the same
 * box (exec/single_step.c). */
static bool is_rare(const gpurun *g, int64_t stage)
{
    const ir *code = g->base.part->code;
    const int64_t full = gpu_full_points(gpu_facts_of(g->gpu));
    const ir_stage *s = &code->stage[stage];
    if (s->layered)
        return box_points(s->inside) >= full;
    for (int64_t n = 0; s->stands_in && n < code->step.count; n++) {
        const ir_stage *whole = &code->stage[code->step.stage[n]];
        bool own = whole->layered && whole->bare == stage;
        for (int axis = 0; axis < code->dim; axis++)
            own = own || (whole->layered && whole->strip[axis] == stage);
        if (own)
            return box_points(whole->inside) < full;
    }
    return false;
}

/* Memory traffic of a stage. A solver has hundreds of stages but a few kinds. */
static pav_status traffic_of(const gpurun *g, int64_t stage, const schedule *s,
                             schedule *settled, double *bytes)
{
    const ir *code = g->base.part->code;
    const int64_t like = ir_known_of(code, &code->stage[stage])->like;
    gpu_traffic fresh = {.asked = *s}, *t = g->traffic ? &g->traffic[like] : &fresh;

    if (t->bytes <= 0 || !schedule_is_same(&t->asked, s)) {
        *t = fresh;
        TRY(cost_stage_bytes(code, &code->stage[stage], s, &t->settled, &t->bytes));
    }
    *settled = t->settled;
    *bytes = t->bytes;
    return PAV_OK;
}

/* Seconds of a stage in the whole run that its candidates may save a tenth of. Their
 * compilation takes longer. */
static const double brief = 0.02;

/* True if the stage takes less, at a memory rate that few GPUs exceed. */
static pav_status find_brief(const gpurun *g, int64_t stage, const schedule *s, bool *is)
{
    const client_state state = g->client->ops->state(g->client->run);
    const ir *code = g->base.part->code;
    schedule settled;
    double bytes;
    TRY(traffic_of(g, stage, s, &settled, &bytes));
    const double steps = code->stage[stage].rests ? 1 : (double)state.expected;
    *is = state.expected > 0 && steps * bytes < brief * gpu_most_memory_rate;
    return PAV_OK;
}

/* Copies the candidates of an earlier stage like this one. False: there is none, or one
 * of them has a schedule found before. */
static bool copy_candidates(gpurun *g, int64_t stage)
{
    const ir *code = g->base.part->code;
    const int64_t like = ir_known_of(code, &code->stage[stage])->like;
    bool is_hint;
    if (like == stage || g->client->ops->known(g->client->run, like, &is_hint) ||
        g->client->ops->known(g->client->run, stage, &is_hint))
        return false;
    for (int n = 0; n < EMIT_GPU_CANDIDATES; n++)
        g->of_stage[n][stage] = g->of_stage[n][like];
    return true;
}

/* At least one schedule works on every GPU. */
static pav_status choose_candidates(gpurun *g, int64_t stage)
{
    enum { FEW = 3 };
    schedule candidate[EMIT_GPU_CANDIDATES];
    const ir *code = g->base.part->code;
    if (copy_candidates(g, stage))
        return PAV_OK;
    const int64_t all = emit_gpu_candidates(code, &code->stage[stage], candidate);
    /* Stacks of shots read nothing across the sweep axis, and their runs are short. */
    const int64_t some = code->program->shots > 0 ? int64_least(FEW, all) : all;
    bool is_brief;
    TRY(find_brief(g, stage, &candidate[0], &is_brief));
    const bool one = is_brief || is_rare(g, stage) || code->stage[stage].transform;
    int taken = take_hint(g, stage);
    const int most = one ? taken + 1 : EMIT_GPU_CANDIDATES;
    for (int64_t n = 0; n < some && taken < most; n++) {
        bool can;
        TRY(can_go(g, stage, &candidate[n], &can));
        if (can && !is_there(g, stage, taken, &candidate[n]))
            g->of_stage[taken++][stage] = candidate[n];
    }
    if (taken == 0)
        g->of_stage[taken++][stage] = (schedule){.kind = SCHEDULE_SWEEP};
    end_candidates(g, stage, taken);
    return PAV_OK;
}

/* A stage that does not support the schedule runs by another one, with a note. */
static pav_status choose_requested(gpurun *g, int64_t stage, const schedule *requested)
{
    const ir *code = g->base.part->code;
    const ir_stage *s = &code->stage[stage];
    const schedule own = emit_gpu_schedule_of(code, stage, requested);
    const char *why = emit_gpu_lack(code, s, requested);
    if (why)
        exec_note(g->client, "stage %s goes %s: %s", s->name,
                  requested->plain ? "point by point" : "by the default schedule", why);
    if (emit_gpu_is_open(&own))
        return choose_candidates(g, stage);
    choose_one(g, stage, &own);
    return PAV_OK;
}

/* Checks a request against the program, then against this GPU. */
static pav_status check(const gpurun *g, const schedule *requested)
{
    const ir *code = g->base.part->code;
    char string[SCHEDULE_STRING];
    OWNED_BY(text_free) text why = {0};
    if (schedule_fuses_steps(requested))
        return PAV_OK; /* gpu_fused_requested checks it */
    TRY(emit_check(code, requested));
    TRY(emit_legal(code, requested, gpu_facts_of(g->gpu), &why));
    return why.length == 0 ? PAV_OK
                           : FAIL(PAV_EUNSUPPORTED, "the schedule %s cannot be on %s: %s",
                                  schedule_string(requested, string),
                                  g->client->device_name, why.data);
}

static pav_status choose_stage(gpurun *g, int64_t stage)
{
    const schedule *requested = g->client->schedule;
    bool is_hint;
    const schedule *known = g->client->ops->known(g->client->run, stage, &is_hint);
    if (known && !is_hint && schedule_is_of_gpus(known->kind)) {
        /* Takes a schedule known to be fast, if this GPU supports it. It applies to
         * this stage alone: other stages may not support it. */
        const ir *code = g->base.part->code;
        const ir_stage *s = &code->stage[stage];
        const char *why = emit_gpu_refusal(code, s, known);
        char string[SCHEDULE_STRING];
        bool can = false;
        if (!why)
            TRY(can_go(g, stage, known, &can));
        choose_one(g, stage, known);
        return can ? PAV_OK
                   : FAIL(PAV_EUNSUPPORTED, "stage %s cannot go by %s: %s", s->name,
                          schedule_string(known, string),
                          why ? why : "this GPU lacks what it needs");
    }
    return requested->kind == SCHEDULE_AUTO || schedule_fuses_steps(requested) ||
                   schedule_groups_stages(requested)
               ? choose_candidates(g, stage)
               : choose_requested(g, stage, requested);
}

static pav_status choose_groups(gpurun *g)
{
    const ir *code = g->base.part->code;
    emit_gpu_groups_free(&g->groups); /* plans choose more than once */
    return code->groups == 0 || g->base.part->is_inner
               ? PAV_OK
               : emit_gpu_groups_open(code, g->client->schedule, gpu_facts_of(g->gpu),
                                      &g->groups);
}

pav_status gpurun_choose(executor *self)
{
    gpurun *g = gpurun_of(self);
    const ir *code = g->base.part->code;
    TRY(check(g, g->client->schedule));
    TRY(choose_groups(g));
    for (int n = 0; n < EMIT_GPU_CANDIDATES; n++) {
        mem_free(g->of_stage[n]); /* plans call this more than once */
        TRY(mem_take(&g->of_stage[n], code->stages + 1, sizeof *g->of_stage[n]));
    }
    mem_free(g->traffic);
    TRY(mem_take(&g->traffic, code->stages + 1, sizeof *g->traffic));
    for (int64_t k = 0; k < code->stages; k++)
        if (emit_gpu_has_kernel(code, &code->stage[k]))
            TRY(choose_stage(g, k));
    return PAV_OK;
}

const schedule *place_candidate(const exec_place *p, int64_t stage, int n)
{
    const gpurun *g = gpurun_of(p->executor);
    const schedule *s = g ? &g->of_stage[n][stage] : NULL;
    return s && s->kind != SCHEDULE_NONE ? s : NULL;
}

/* ---- trials ------------------------------------------------------------------------ */

/* Autotuning of a stage on a GPU: chooses one of its kernels, and for streaming kernels
 * the number of planes that a block sweeps through. With few planes, halos are loaded
 * more often. With many planes, blocks drift apart, or leave multiprocessors idle at the
 * end. The first steps try each kernel with the same number of planes, then the fastest
 * kernel with each number. */

enum { ROUNDS = 2 };

void gpu_tuner_open(gpu_tuner *m, const emit_gpu_kernel *k, int kernels, const box *b,
                    int axis, int64_t fixed)
{
    *m = (gpu_tuner){.box = *b, .all = b->hi[axis] - b->lo[axis]};
    const bool open = fixed == 0 && !box_is_empty(b);
    const bool streams = k->schedule.kind == SCHEDULE_SWEEP && open;
    for (int n = 0; n < kernels; n++)
        m->candidate[n] = (gpu_candidate){
            .kernel = n, .planes = fixed > 0 ? fixed : COST_FIRST_PLANES};
    tuner_open(&m->tuner, kernels, open && (streams || kernels > 1) ? ROUNDS : 0);
    m->planes_tried = !streams;
}

/* Number of blocks of a kernel that sweeps through all planes. */
static int64_t tiles_of(const gpu_tuner *m, const ir *code, const emit_gpu_kernel *k)
{
    emit_gpu_work w = {.planes = m->all};
    int64_t blocks[MAX_DIM], shared;
    int threads[MAX_DIM];
    box_bounds(&m->box, w.lo, w.hi);
    emit_gpu_extent(code, k, &w, blocks, threads, &shared);
    return blocks[0] * blocks[1] * blocks[2];
}

/* Planes of a sweep for exactly `waves` waves of blocks, with a multiprocessor for each
 * block; 0: there is no such number, or blocks share multiprocessors. */
static int64_t planes_of(const gpu_tuner *m, const gpu_candidate *candidate, int waves)
{
    const int64_t sweeps = candidate->tiles > 0
                               ? waves * m->multiprocessors / candidate->tiles
                               : 0;
    return sweeps > 0 ? (m->all + sweeps - 1) / sweeps : 0;
}

/* A kernel with planes in shared memory copies halos that its neighbours copy, too. It is
 * fast only in a long sweep that leaves no multiprocessor idle at the end. */
void gpu_tuner_begin_with(gpu_tuner *m, int kernel, const ir *code,
                          const emit_gpu_kernel *k, const gpu_facts *facts)
{
    enum { SOME = 4 };
    const schedule *s = &k->schedule;
    gpu_candidate *candidate = &m->candidate[kernel];
    if (box_is_empty(&m->box) || s->kind != SCHEDULE_SWEEP)
        return;
    if (s->tile.storage != STORAGE_SHARED) {
        /* Planes of a sweep that give a small grid blocks for all threads of the GPU. */
        const int64_t threads = (int64_t)k->schedule.tile.size[0] *
                                k->schedule.tile.size[1];
        const int64_t all = (int64_t)facts->multiprocessors *
                            gpu_facts_architecture(facts)->threads;
        const int64_t tiles = tiles_of(m, code, k);
        const int64_t sweeps = tiles * threads > 0 ? all / (tiles * threads) : 1;
        const int64_t planes = sweeps > 0 ? m->all / sweeps : m->all;
        candidate->planes = planes < 1                   ? 1
                            : planes < COST_FIRST_PLANES ? planes
                                                         : COST_FIRST_PLANES;
        return;
    }
    m->multiprocessors = facts->multiprocessors;
    candidate->tiles = s->blocks == 1 ? tiles_of(m, code, k) : 0;
    candidate->planes = planes_of(m, candidate, SOME);
    if (candidate->planes == 0)
        candidate->planes = GPU_FIRST_SHARED;
}

bool gpu_tuner_is_tuned(const gpu_tuner *m)
{
    return tuner_is_over(&m->tuner) && m->planes_tried;
}

/* Adds a number of planes for the fastest kernel, as candidate number `count`, if it is a
 * new one. Returns the number of candidates. */
static int add_planes(gpu_tuner *m, int count, int64_t planes)
{
    const gpu_candidate fastest = m->candidate[m->tuner.fastest];
    bool is_new = planes > 0 && planes < 2 * m->all && planes != fastest.planes;
    for (int n = m->tuner.count; n < count; n++)
        is_new = is_new && planes != m->candidate[n].planes;
    if (is_new)
        m->candidate[count] = (gpu_candidate){.kernel = fastest.kernel, .planes = planes};
    return count + is_new;
}

/* The second half of the trials: numbers of planes. */
static void try_planes(gpu_tuner *m)
{
    int count = m->tuner.count;
    if (!tuner_is_over(&m->tuner) || m->planes_tried)
        return;
    for (int n = 0; n < SCHEDULE_PLANES; n++)
        count = add_planes(m, count, schedule_planes[n]);
    for (int n = 0; n < SCHEDULE_WAVES; n++)
        count = add_planes(
            m, count, planes_of(m, &m->candidate[m->tuner.fastest], schedule_waves[n]));
    tuner_add(&m->tuner, count - m->tuner.count);
    m->planes_tried = true;
}

void gpu_tuner_limit(gpu_tuner *m, int64_t steps)
{
    m->tuner.known = steps;
    if (trial_any_begins(steps, 1))
        return;
    m->tuner.current = m->tuner.count;
    m->planes_tried = true;
}

void gpu_tuner_next(gpu_tuner *m, const box *b)
{
    m->trying = false;
    if (!trial_is_of(&m->box, b))
        return;
    m->trying = tuner_next(&m->tuner);
    try_planes(m);
    m->trying = m->trying || tuner_next(&m->tuner);
    m->tuner.done++;
}

bool gpu_tuner_is_trial(const gpu_tuner *m, const box *b)
{
    return m->trying && trial_is_of(&m->box, b);
}

gpu_candidate gpu_tuner_candidate(const gpu_tuner *m, const box *b)
{
    return m->candidate[gpu_tuner_is_trial(m, b) ? m->tuner.current : m->tuner.fastest];
}

void gpu_tuner_measured(gpu_tuner *m, double each, double all)
{
    tuner_time(&m->tuner, each, all);
    m->trying = false;
    try_planes(m);
}

/* ---- present schedules ------------------------------------------------------------- */

/* Tuned schedules of the stages of a step on a GPU: their schedule strings, which request
 * the same again, and their bytes and arithmetic. */

/* Stage n of the step; NULL: the host runs it. */
static const gpu_stage *stage_of(const gpurun *g, int64_t n)
{
    const gpu_stage *s = &g->stage[g->base.part->code->step.stage[n]];

    return s->variants > 0 ? s : NULL;
}

static schedule candidate_of(const gpurun *g, const gpu_stage *s)
{
    const gpu_candidate *candidate = &s->tuner.candidate[s->tuner.tuner.fastest];
    schedule found = s->variant[candidate->kernel].what.schedule;

    if (found.kind == SCHEDULE_SWEEP)
        found.planes = (int)candidate->planes;
    emit_gpu_leave_defaults(g->base.part->code, &g->base.part->code->stage[s - g->stage],
                            &found);
    return found;
}

static bool is_same(const gpurun *g, const gpu_stage *a, const gpu_stage *b)
{
    if (!a || !b)
        return a == b;
    const schedule one = candidate_of(g, a), other = candidate_of(g, b);
    return schedule_is_same(&one, &other);
}

/* ---- schedule strings -------------------------------------------------------------- */

/* True if no earlier stage of the step has the same schedule. */
static bool is_first(const gpurun *g, int64_t stage)
{
    for (int64_t n = 0; n < stage; n++)
        if (is_same(g, stage_of(g, n), stage_of(g, stage)))
            return false;
    return true;
}

/* " (u, v)" */
static void add_names(const gpurun *g, int64_t first, text *t)
{
    const ir *code = g->base.part->code;

    for (int64_t n = first; n < code->step.count; n++)
        if (is_same(g, stage_of(g, first), stage_of(g, n)))
            text_add(t, "%s%s", n == first ? " (" : ", ",
                     code->stage[code->step.stage[n]].name);
    text_add(t, ")");
}

void gpu_tuned_string(const gpurun *g, text *t)
{
    const int64_t count = g->base.part->code->step.count;
    int64_t candidates = 0;

    for (int64_t n = 0; n < count; n++)
        candidates += is_first(g, n);
    for (int64_t n = 0; n < count; n++) {
        if (!is_first(g, n))
            continue;
        text_add(t, "%s", n > 0 ? "; " : "");
        if (stage_of(g, n)) {
            const schedule own = candidate_of(g, stage_of(g, n));
            schedule_print(&own, t);
        } else {
            text_add(t, "the host");
        }
        if (candidates > 1)
            add_names(g, n, t);
    }
}

bool gpu_tuned_stage(const executor *self, int64_t n, schedule *s)
{
    const gpurun *g = (const gpurun *)self;
    const gpu_stage *stage = stage_of(g, n);
    if (stage)
        *s = candidate_of(g, stage);
    return stage != NULL;
}

/* ---- in numbers -------------------------------------------------------------------- */

static const emit_gpu_group *group_of(const gpurun *g, int64_t stage)
{
    for (int64_t n = 0; n < g->groups.count; n++)
        if (ir_list_has(&g->groups.group[n].view.code.step, stage))
            return &g->groups.group[n];
    return NULL;
}

pav_status gpu_forecast_stage(const gpurun *g, int64_t stage, stage_forecast *f)
{
    const ir *code = g->base.part->code;

    const emit_gpu_group *group = group_of(g, stage);
    stage_load load;
    TRY(stage_load_of(code, &code->stage[stage], &load));
    if (group) {
        const ir_list *step = &group->view.code.step;
        *f = (stage_forecast){.schedule = group->schedule,
                              .tried = step->stage[0] == stage,
                              .bytes = load.points * load.bytes,
                              .with = step->stage[0] == stage ? step->count - 1 : -1};
        return PAV_OK;
    }
    *f = (stage_forecast){0};
    if (!emit_gpu_has_kernel(code, &code->stage[stage]))
        return PAV_OK;
    while (f->tried < EMIT_GPU_CANDIDATES &&
           g->of_stage[f->tried][stage].kind != SCHEDULE_NONE)
        f->tried++;
    return traffic_of(g, stage, &g->of_stage[0][stage], &f->schedule, &f->bytes);
}

pav_status gpu_tuned_bytes(const gpurun *g, double *bytes)
{
    const ir *code = g->base.part->code;
    double sum = 0;

    *bytes = 0;
    for (int64_t n = 0; n < code->step.count; n++) {
        schedule settled;
        double one;
        if (!stage_of(g, n))
            return PAV_OK;
        const schedule candidate = candidate_of(g, stage_of(g, n));
        if (stage_of(g, n)->group) {
            stage_forecast f;
            TRY(gpu_forecast_stage(g, code->step.stage[n], &f));
            one = f.bytes;
        } else
            TRY(traffic_of(g, code->step.stage[n], &candidate, &settled, &one));
        sum += code->stage[code->step.stage[n]].rests ? 0 : one;
    }
    *bytes = sum;
    return PAV_OK;
}

pav_status gpu_tuned_arithmetic(const gpurun *g, double *seconds)
{
    const ir *code = g->base.part->code;
    const gpu_facts *f = gpu_facts_of(g->gpu);
    double sum = 0;

    *seconds = 0;
    for (int64_t n = 0; n < code->step.count; n++) {
        const ir_stage *stage = &code->stage[code->step.stage[n]];
        const double rate = stage->real == PAV_F64 ? f->f64_rate : f->f32_rate;
        stage_load load;
        if (!stage_of(g, n) || rate <= 0)
            return PAV_OK;
        TRY(stage_load_of(code, stage, &load));
        sum += load.points * load.instructions / rate;
    }
    *seconds = sum;
    return PAV_OK;
}
