/* SPDX-License-Identifier: BSD-3-Clause */
/* A plan as one JSON object; unknown values are null. */
#include <math.h>

#include "run/plan/needs_private.h"

static const char *const sureties[] = {
    [NEED_SURE] = "sure", [NEED_AT_MOST] = "at most", [NEED_SPARE] = "spare"};

static void add_known(text *t, const char *name, int64_t value)
{
    if (value < 0)
        text_add(t, ", \"%s\": null", name);
    else
        text_add(t, ", \"%s\": %lld", name, (long long)value);
}

static void add_number(text *t, const char *name, double value)
{
    text_add(t, ", \"%s\": ", name);
    text_add_json_double(t, value);
}

/* 0 is unknown. */
static double known(double value)
{
    return value > 0 ? value : (double)NAN;
}

/* ---- stores ------------------------------------------------------------------------ */

static void add_item(const need_item *n, const char *comma, text *t)
{
    text_add(t, "%s{\"kind\": \"%s\", \"name\": ", comma, need_name(n->kind));
    text_add_json(t, n->name);
    text_add(t, ", \"surety\": \"%s\", \"bytes\": %lld, \"count\": %lld",
             sureties[n->surety], (long long)n->bytes, (long long)n->count);
    if (n->field)
        text_add(t,
                 ", \"type\": \"%s\", \"point_bytes\": %lld, \"halo_bytes\": %lld, "
                 "\"padding_bytes\": %lld",
                 pav_type_name(n->field->storage), (long long)n->size.point_bytes,
                 (long long)n->size.halo_bytes, (long long)n->size.padding_bytes);
    text_add(t, "}");
}

static void add_store(const needs *n, int number, text *t)
{
    static const char *const tiers[] = {
        [TIER_HOST] = "host", [TIER_GPU] = "gpu", [TIER_DISK] = "disk"};
    const need_store *s = &n->store[number];
    const char *comma = "";
    text_add(t, "%s{\"tier\": \"%s\", \"path\": ", number ? ", " : "", tiers[s->tier]);
    text_add_json(t, s->name);
    text_add(t, ", \"needed\": %lld, \"needed_at_most\": %lld", (long long)s->sure,
             (long long)s->most);
    add_known(t, "available", s->available);
    text_add(t, ", \"parts\": [");
    for (int64_t k = 0; k < n->items; k++)
        if (n->item[k].store == number) {
            add_item(&n->item[k], comma, t);
            comma = ", ";
        }
    text_add(t, "]}");
}

/* ---- the step ---------------------------------------------------------------------- */

static void add_loop_schedule(const schedule *m, const char *comma, text *t)
{
    text_add(t,
             "%s{\"schedule\": \"%s\", \"block\": %d, \"threads\": %d, \"axis\": "
             "\"%c\", \"ahead\": %d, \"several_rows\": %s, \"streams\": %s}",
             comma, schedule_name(m->kind), m->tile.size[1], schedule_threads(m),
             "xyz"[schedule_axis(m)], m -> tile.ahead,
             m->thread.size[1] == 1 ? "false" : "true",
             m->non_temporal ? "true" : "false");
}

/* On a GPU: the first candidate, and the number of candidates. */
static void add_kernels(const plan_stage *s, text *t)
{
    if (s->forecast.tried == 0)
        return;
    text_add(t, ", \"schedule\": \"");
    schedule_print(&s->forecast.schedule, t);
    text_add(t, "\", \"schedules_tried\": %d", s->forecast.tried);
    add_number(t, "footprint_bytes", s->forecast.bytes / s->load.points);
}

static void add_stage(const plan_stage *s, const char *comma, text *t)
{
    text_add(t, "%s{\"name\": ", comma);
    text_add_json(t, s->stage->name);
    add_number(t, "points", s->load.points);
    add_number(t, "bytes_per_point", s->load.bytes);
    add_number(t, "flops_per_point", s->load.flops);
    add_number(t, "seconds_at_least", s->seconds);
    text_add(t, ", \"loop_schedules\": [");
    for (int k = 0; k < s->loop_tuner.count; k++)
        add_loop_schedule(&s->loop_tuner.loop[k], k ? ", " : "", t);
    text_add(t, "]");
    add_kernels(s, t);
    text_add(t, "}");
}

/* ---- all of it --------------------------------------------------------------------- */

static void add_head(const pav_plan *plan, text *t)
{
    const pav_run *run = plan->run;
    uint64_t identity;
    t->failed |= program_identity(run->program, &identity) != PAV_OK;
    text_add(t,
             "{\"fits\": %s, \"message\": ", plan->verdict == PAV_OK ? "true" : "false");
    text_add_json(t, plan->why);
    text_add(t, ", \"program\": ");
    text_add_json(t, run->program->name);
    text_add(t, ", \"identity\": \"%016llx\", \"grid\": [", (unsigned long long)identity);
    for (int axis = 0; axis < run->code->dim; axis++)
        text_add(t, "%s%lld", axis ? ", " : "",
                 (long long)points_along(run->code, axis, false));
    text_add(t, "], \"from_wisdom\": ");
    text_add_json(t, run->known.choice && run->known.choice->is_wisdom
                         ? run->known.choice->words
                         : NULL);
    text_add(t, ", \"type\": \"%s\", \"device\": \"%s\", \"threads\": %d",
             pav_type_name(run->program->real), run->device_name, run_threads(run));
    plan_subdomains_json(plan, t);
    plan_outofcore_json(plan, t);
    add_known(t, "steps", run->steps > 0 ? run->steps : -1);
}

void plan_json(const pav_plan *plan, text *t)
{
    const pav_run *run = plan->run;
    const bool bounded = plan->copy_rate > 0 || plan_is_cached(plan);
    add_head(plan, t);
    text_add(t, ", \"stores\": [");
    for (int k = 0; k < plan->needs.stores; k++)
        add_store(&plan->needs, k, t);
    text_add(t, "], \"stages\": [");
    for (int64_t k = 0; k < plan->stages; k++)
        add_stage(&plan->stage[k], k ? ", " : "", t);
    text_add(t, "]");
    plan_blocks_json(plan, t);
    plan_wave_json(plan, t);
    add_number(t, "bytes_per_point", run->work.step_bytes / (double)run->work.points);
    add_number(t, "flops_per_point", run->work.step_flops / (double)run->work.points);
    add_number(t, "copy_gbytes", known(plan->copy_rate / 1e9));
    text_add(t, ", \"copy_measured\": %s", plan->measured ? "true" : "false");
    add_known(t, "cache_bytes", plan->caches);
    add_number(t, "seconds_per_step_at_least", bounded ? plan->seconds : (double)NAN);
    add_number(t, "seconds_at_least",
               bounded && run->steps > 0 ? plan->seconds * (double)run->steps
                                         : (double)NAN);
    plan_costs_json(plan, t);
    text_add(t, "}\n");
}
