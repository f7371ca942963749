/* SPDX-License-Identifier: BSD-3-Clause */
/* Seconds of a step, by the model of its schedule in SCHEDULE_TABLE; of a subdomain's
 * step; and of a step of a grid out of core. Traffic and arithmetic of stages are counted
 * from the IR. */
#include <math.h>

#include "cost/cost_private.h"

static const char *const names[COST_TERMS] = {
    "memory", "caches", "arithmetic", "synchronisation", "launches", "idle units"};

const char *cost_term_name(cost_term term)
{
    return names[term];
}

const char *cost_bound(const step_cost *c)
{
    int most = 0;
    for (int n = 1; n < COST_TERMS; n++)
        if (c->term[n] > c->term[most])
            most = n;
    return names[most];
}

/* ---- memory traffic and arithmetic ------------------------------------------------- */

double cost_points_of(const ir *code)
{
    double all = 1;
    for (int axis = 0; axis < code->dim; axis++)
        all *= (double)points_along(code, axis, false);
    return all;
}

static pav_status analyse(const ir *code, const ir_stage *s, ir_analysis *found)
{
    RETURN_IN_ARENA(a, (ir_analyse(code, s, a, found), PAV_OK));
}

pav_status stage_load_of(const ir *code, const ir_stage *s, stage_load *load)
{
    const ir_known *known = ir_known_of(code, s);
    ir_analysis found = {0};
    pav_status status = PAV_OK;
    if (known && known->in_step)
        found = known->analysis;
    else
        status = analyse(code, s, &found);
    *load = (stage_load){
        .points = s->rests ? 0 : (double)found.points,
        .flops = (double)found.cost.flops,
        .streamed = (double)found.cost.streamed,
        .instructions = (double)found.cost.instructions,
        .reads = (double)found.loads,
        .again = (double)found.bytes_again,
        .bytes = (double)ir_bytes_by_groups(code, s,
                                            found.bytes_read + found.bytes_written),
    };
    return status;
}

/* A processor loads full vectors; a GPU's thread loads one value at a time. */
pav_status cost_stage_arithmetic(const cost_question *q, const ir_stage *s, unit_use u,
                                 double *seconds)
{
    const machine_rates *rate = &q->machine->rate;
    const bool wide = s->real == PAV_F64;
    stage_load load;
    TRY(stage_load_of(q->code, s, &load));
    *seconds = cost_seconds(load.points * load.instructions,
                            u.efficiency * (wide ? rate->f64 : rate->f32)) +
               cost_seconds(load.points * load.reads * u.read,
                            u.efficiency *
                                (wide && !q->machine->gpu ? rate->f64 : rate->f32));
    return PAV_OK;
}

pav_status cost_step_arithmetic(const cost_question *q, unit_use u, double *seconds)
{
    *seconds = 0;
    for (int64_t n = 0; n < q->code->step.count; n++) {
        double one;
        TRY(cost_stage_arithmetic(q, &q->code->stage[q->code->step.stage[n]], u, &one));
        *seconds += one;
    }
    return PAV_OK;
}

pav_status cost_arithmetic(const ir *code, const machine_facts *m, double *seconds)
{
    const cost_question q = {.code = code, .machine = m};
    return cost_step_arithmetic(
        &q, m->gpu ? (unit_use){.efficiency = 1} : cost_host_use(), seconds);
}

/* ---- a subdomain of a cut grid ----------------------------------------------------- */

/* Adds a step of a subdomain: its points at the rate of its machine, and the exchange of
 * its halos. Deeper halos need fewer exchanges. The points cost the copy bandwidth of the
 * caches if these hold them, otherwise of memory. */
static void add_exchange(const cost_question *q, step_cost *c)
{
    const cost_subdomain *s = q->subdomain;
    const machine_rates *rate = &q->machine->rate;
    c->bytes = s->points * s->point_bytes;
    const bool fits = c->bytes < (double)machine_last_cache(q->machine) &&
                      rate->last_cache > 0;
    c->term[COST_MEMORY] = c->bytes / (fits ? rate->last_cache : rate->memory);
    c->term[COST_LAUNCH] = machine_between_pieces(q->machine) * (double)s->stages;
    const double step = c->term[COST_MEMORY] + c->term[COST_LAUNCH];
    double awaited = s->faces * s->link.begin + s->halo_bytes / s->link.rate;
    if (s->hides) /* behind a step */
        awaited = awaited > step ? awaited - step : 0;
    c->term[COST_SYNCHRONISE] = awaited / s->steps;
    c->seconds = c->term[COST_SYNCHRONISE] + step;
}

/* ---- a grid out of core: bytes moved by kernels and by the link, and calls --------- */

/* Factor for the planes that a launch reads around its own. */
static double around(double planes, double width)
{
    return (width + planes) / width;
}

/* Seconds to compute `planes` planes once in all steps of a block. A fused launch moves
 * about as many bytes as one step. Launches and steps also read planes around their
 * own. */
static double work_of(const cost_visits *v, const machine_facts *m, double planes)
{
    const outofcore_costs *costs = outofcore_costs_of(m);
    const int fused = v->depth * v->launches;
    const double launches = fused * costs->fused / costs->single *
                            around(2 * (double)v->radius, v->width) / v->depth;
    const double singles = (v->steps - fused) *
                           around(costs->around + 2 * (double)v->halo, v->width);
    /* of all planes by single launches, without planes around them */
    const double step = v->kernels > 0
                            ? v->kernels
                            : v->extent * v->step / m->rate.memory * costs->single;
    return planes / v->extent * step * (launches + singles) / v->steps;
}

/* Seconds for the launches of a visit besides their bytes. A fused launch sweeps over the
 * planes around its own one after another. */
static double calls_of(const cost_visits *v, const outofcore_costs *costs)
{
    return v->launches * (costs->operation + costs->plane * (double)(2 * v->radius)) +
           (v->steps - v->launches * v->depth) * (double)v->stages * costs->operation;
}

/* Seconds for moves within the window in a visit: of kept planes, of uploaded planes, and
 * of planes to download. Nothing overlaps them. */
static double moves_of(const cost_visits *v, const machine_facts *m)
{
    const outofcore_costs *costs = outofcore_costs_of(m);
    return (v->kept / v->width + 2) * v->buffers * costs->move +
           (v->kept + 2 * v->width) * 2 * v->all * costs->moved / machine_moving_rate(m);
}

/* Seconds to fill the first window of a block, and to drain the last one. */
static double ends_of(const cost_visits *v, double rate)
{
    return v->ends *
           (v->window * v->uploaded + (v->window + v->drained) * v->downloaded) / rate /
           v->steps;
}

/* Planes cross the link in both directions during computing, except for the first and the
 * last visit of a block. During work on planes that stay, the link is idle. Planes of a
 * disk come and go during computing, and pass through the host's memory between
 * visits. */
static void add_visits(const cost_question *q, step_cost *c)
{
    const cost_visits *v = q->visits;
    const machine_facts *m = q->machine;
    const machine_link rate = machine_link_of(m, v->pinned);
    const double twice = v->again ? v->visits * v->kept : 0;
    const double moving = v->extent - v->stay, still = v->stay / v->extent;
    const double moves = v->visits > 1 ? v->visits * moves_of(v, m) / v->steps : 0;
    const double work = work_of(v, m, v->extent + twice / 2) +
                        v->visits * calls_of(v, outofcore_costs_of(m)) / v->steps;
    const double uploaded = (moving + twice) * v->uploaded / v->steps;
    const double downloaded = moving * v->downloaded / v->steps,
                 most = uploaded > downloaded ? uploaded : downloaded;
    const double link = v->overlaps ? most / rate.busy
                                    : (uploaded + downloaded) / rate.alone;
    if (v->disk > 0) {
        const double copies = moves + link, disk = v->missing * most / v->disk;
        const double alone = work + v->missing * ends_of(v, v->disk);
        c->term[COST_MEMORY] = work + copies;
        c->term[COST_SYNCHRONISE] = disk;
        c->seconds = copies + (v->visits <= 1 ? work + 2 * disk
                               : disk > alone ? disk
                                              : alone);
        return;
    }
    const double alone = work * (1 - still) + ends_of(v, rate.alone);
    c->term[COST_MEMORY] = work + moves;
    c->term[COST_SYNCHRONISE] = link;
    c->seconds = !v->overlaps || v->visits <= 1
                     ? link + work + moves
                     : moves + work * still + (link > alone ? link : alone);
}

/* ---- seconds of a step ------------------------------------------------------------- */

double cost_overlap(const step_cost *c)
{
    static const double sharp = 4;
    const double *term = c->term;
    const double most = fmax(fmax(term[COST_MEMORY], term[COST_CACHE]),
                             term[COST_ARITHMETIC]);
    double sum = 0;
    for (int n = COST_MEMORY; n <= COST_ARITHMETIC && most > 0; n++)
        sum += pow(term[n] / most, sharp);
    return most * pow(sum, 1 / sharp);
}

#define ROW(kind, name, on, steps, options, emitter, model) [SCHEDULE_##kind] = (model),
static cost_model *const models[SCHEDULE_KINDS] = {SCHEDULE_TABLE(ROW)};

static pav_status is_legal(const cost_question *q)
{
    char string[SCHEDULE_STRING];
    OWNED_BY(text_free) text why = {0};
    TRY(emit_legal(q->code, q->schedule, q->machine->gpu, &why));
    return why.length == 0
               ? PAV_OK
               : FAIL(PAV_EUNSUPPORTED, "%s cannot go by %s: %s", q->code->program->name,
                      schedule_string(q->schedule, string), why.data);
}

/* A core waits for memory and for each of its caches in turn, so their seconds add up:
 * the model of Treibig and Hager, "Introducing a performance model for bandwidth-limited
 * loop kernels" (2010). A GPU switches to other warps meanwhile. */
pav_status cost_forecast(const cost_question *q, step_cost *c)
{
    *c = (step_cost){0};
    if (q->subdomain) {
        add_exchange(q, c);
        return PAV_OK;
    }
    if (q->visits) {
        add_visits(q, c);
        return PAV_OK;
    }
    const machine_facts *m = q->machine;
    const schedule_kind kind = q->schedule->kind;
    const double *term = c->term;
    c->schedule = *q->schedule;
    if (!models[kind] || schedule_is_of_gpus(kind) != (m->gpu != NULL))
        return FAIL(PAV_EINVAL, "no model says what the schedule %s costs on %s",
                    schedule_name(kind), m->gpu ? "a GPU" : "processors");
    if (!q->launch && !q->blocking && !q->box)
        TRY(is_legal(q));
    TRY(models[kind](q, c));
    if (m->rate.memory <= 0)
        return PAV_OK;
    c->seconds = m->gpu ? cost_overlap(c)
                        : term[COST_MEMORY] + term[COST_CACHE] + term[COST_ARITHMETIC];
    c->seconds += term[COST_SYNCHRONISE] + term[COST_LAUNCH] + term[COST_IDLE];
    return PAV_OK;
}
