/* SPDX-License-Identifier: BSD-3-Clause */
/* A plan as text: a table of each store, one of the step, and the bound of the time; and
 * as one JSON object, where unknown values are null. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/plan/needs_private.h"
#include "run/record_private.h"
#include "run/time/time_private.h"

enum { NAMES = 14, LONGEST = 200 };

/* ---- cells ------------------------------------------------------------------------- */

/* A size in a column; 0 bytes leave it blank. */
static void add_size(text *t, int width, int64_t bytes)
{
    text_add(t, " %*s", width, bytes > 0 ? size_words(t, bytes).s : "");
}

/* ---- the head ---------------------------------------------------------------------- */

static void add_head(const pav_plan *plan, text *t)
{
    const pav_run *run = plan->run;
    const bool has_choice = run->known.choice && run->known.choice->is_wisdom;
    const short_words extent = grid_words(t, run);
    OWNED_BY(text_free) text device = {0};
    run_device_words(run, run_threads(run), &device);
    const json_fact fact[] = {
        json_word("name", run->program->name),
        json_word("extent", extent.s),
        json_word("type", pav_type_name(run->program->real)),
        json_word("device", device.data),
        json_word("wisdom", has_choice ? run->known.choice->words : NULL),
        json_count("steps", run->steps),
        {.kind = JSON_END}};
    SAY(t, fact, {"program", true, "{name}"}, {"grid", true, "{extent}, {type}"},
        {"device", true, "{device}"});
    plan_subdomains_text(plan, t);
    plan_outofcore(plan, false, t);
    /* without wisdom, a plan prints the candidates instead */
    SAY(t, fact, {"schedule", has_choice, "{wisdom} (from wisdom: nothing is tried)"},
        {"steps", run->steps > 0, "{steps}"},
        {"steps", run->steps == 0, "not given: times and files of a step alone"});
    /* chosen methods, and the reasons for them */
    const solution *s = &run->solver.solution, *one = s->count > 0 ? s->each : s;

    for (int64_t n = 0; one[0].start && n < int64_most(s->count, 1); n++)
        text_add(t, "%-12s %s by %s: %s\n", "solver", one[n].field, one[n].method,
                 one[n].about);
    t->failed |= device.failed;
}

/* ---- stores ------------------------------------------------------------------------ */

/* The words after the numbers. */
static void add_words(const pav_plan *plan, const need_item *n, text *t)
{
    static const char *const about[] = {
        [NEED_FIELD] = "{levels:level} of {extent} {type}",
        [NEED_WINDOW] = "{count:plane} of all fields",
        [NEED_COPIES] = "levels that the host reads or fills",
        [NEED_VERIFY] = "the interpreter's run beside it, at first",
        [NEED_SOLVER] = "all fields of what solves in each step",
        [NEED_TABLES] = "{count:table} along the axes",
        [NEED_REDUCTIONS] = "one value for {piece} points",
        [NEED_CHECKPOINT] = "the newest",
        [NEED_POSITIONS] = "{count:position}",
        [NEED_READING] = "start values, piece by piece",
        [NEED_WRITING] = "while an output is written",
        [NEED_QUEUE] = "of the remaining memory: outputs waiting for their file",
        [NEED_OUTPUT] = "{count:frame}",
        [NEED_ROWS] = "{count:row}",
        [NEED_STAGED] = "planes between the disk and the window",
        [NEED_CACHED] = "planes of the files that stay in memory",
        [NEED_DRIVER] = "the GPU's driver and its compiler, about",
        [NEED_DISK] = "in files, present and future",
    };
    const ir_field *f = n->field;
    const short_words extent = f ? extent_words(t, plan->run->code->dim, f->extent)
                                 : (short_words){{0}};
    const json_fact fact[] = {json_count("levels", f ? f->levels : 0),
                              json_word("extent", extent.s),
                              json_word("type", f ? pav_type_name(f->storage) : NULL),
                              json_count("count", n->count),
                              json_count("piece", EMIT_PIECE),
                              {.kind = JSON_END}};
    const char *words = about[n->kind];
    if (n->kind == NEED_CHECKPOINT && n->store == STORE_HOST)
        words = "a buffer";
    else if (n->kind == NEED_CHECKPOINT && n->surety != NEED_SURE)
        words = "the one before, and one that is being written";
    say_clause(t, fact, words);
    if (f && f->in_place && !f->memory)
        text_add(t, n->count > f->levels ? ", and as many for fused launches"
                    : f->rests           ? ", computed once"
                                         : ", stored in place");
    if (f && f->coarse)
        text_add(t, ", coarse");
    if (f && f->coarse > 1)
        text_add(t, " %d", f->coarse);
}

/* A name of a row; a long one has a line of its own. */
static void add_row_name(const char *name, text *t)
{
    text_add(t, "  %-*s", NAMES, name);
    if (strlen(name) > NAMES)
        text_add(t, "\n  %-*s", NAMES, "");
}

static void add_item(const pav_plan *plan, const need_item *n, text *t)
{
    add_row_name(n->name && n->kind != NEED_POSITIONS ? n->name : need_names[n->kind], t);
    add_size(t, 10, n->size.point_bytes);
    add_size(t, 10, n->size.halo_bytes);
    if (n->surety == NEED_SURE)
        add_size(t, 10, n->size.padding_bytes);
    else
        text_add(t, " %10s", "up to");
    add_size(t, 11, n->bytes);
    text_add(t, "  ");
    add_words(plan, n, t);
    text_add(t, "\n");
}

static void add_store(const pav_plan *plan, int number, text *t)
{
    const needs *n = &plan->needs;
    const need_store *s = &n->store[number];
    const char *name = s->tier == TIER_GPU && plan->run->places > 1 ? s->name
                       : s->tier == TIER_GPU                        ? "device memory"
                       : s->tier == TIER_DISK                       ? "disk"
                                                                    : "memory";
    const bool disk = s->tier == TIER_DISK;
    text_add(t, "\n%-*s %10s %10s %10s %11s\n", NAMES + 2, name, disk ? "" : "points",
             disk ? "" : "halo", disk ? "" : "padding", "all");
    for (int64_t k = 0; k < n->items; k++)
        if (n->item[k].store == number && n->item[k].surety != NEED_SPARE)
            add_item(plan, &n->item[k], t);
    text_add(t, "  %-*s %10s %10s %10s", NAMES, "in all", "", "", "");
    add_size(t, 11, s->sure > 0 ? s->sure : s->most);
    text_add(t, "  ");
    if (s->most > s->sure && s->sure > 0)
        text_add(t, "up to %s, ", size_words(t, s->most).s);
    if (s->available < 0)
        text_add(t, "the available memory is not known\n");
    else
        text_add(t, "of %s %s%s\n", size_words(t, s->available).s,
                 s->tier == TIER_HOST ? "available" : "free",
                 s->sure > s->available ? ": DOES NOT FIT" : "");
    for (int64_t k = 0; k < n->items; k++)
        if (n->item[k].store == number && n->item[k].surety == NEED_SPARE)
            add_item(plan, &n->item[k], t);
}

/* ---- the step ---------------------------------------------------------------------- */

static void add_loop_schedules(const loop_tuner *m, text *t)
{
    bool across = false, rows = false;
    int64_t block = 0;
    int several_rows = 0, streams = 0;
    if (m->count == 0)
        return;
    for (int k = 0; k < m->count; k++) {
        const schedule *s = &m->loop[k];
        across = across || (m->axis == 2 && s->device.size[1] > 0);
        rows = rows || s->tile.size[1] == 0;
        block = s->tile.size[1] > block ? s->tile.size[1] : block;
        several_rows += s->thread.size[1] != 1;
        streams += s->non_temporal;
    }
    /* "16 threads along z or y, rows or blocks of 8 rows" */
    text_add(t, "    %d thread%s along %c%s, %s%s", m->threads,
             m->threads == 1 ? "" : "s", "xyz"[m->axis], across ? " or y" : "",
             rows ? "rows" : "", rows && block ? " or " : "");
    if (block)
        text_add(t, "blocks of %lld rows", (long long)block);
    if (m->count > 1)
        text_add(t, "; the first %d steps try %d loop schedules:\n    ",
                 m->tuner.rounds * m->count, m->count);
    else
        text_add(t, ", ");
    text_add(t, "%s at a time, ",
             several_rows == 0          ? "one row"
             : several_rows == m->count ? "some rows"
                                        : "one row or some");
    /* The numbers of prefetched rows: "0, 2 or 4". */
    int64_t listed[MOST_LOOP_SCHEDULES];
    int count = 0;
    for (int k = 0; k < m->count; k++) {
        bool known = false;
        for (int i = 0; i < count; i++)
            known = known || listed[i] == m->loop[k].tile.ahead;
        if (!known)
            listed[count++] = m->loop[k].tile.ahead;
    }
    for (int i = 0; i < count; i++)
        text_add(t, "%s%lld",
                 i == 0          ? ""
                 : i + 1 < count ? ", "
                                 : " or ",
                 (long long)listed[i]);
    text_add(t, " rows prefetched, %s stores\n",
             streams == 0          ? "ordinary"
             : streams == m->count ? "non-temporal"
                                   : "non-temporal or ordinary");
}

/* The traffic of a stage or step, and its seconds at least. */
static void add_traffic(double bytes, double seconds, text *t)
{
    add_size(t, 11, (int64_t)bytes);
    text_add(t, " %10s\n", seconds > 0 ? duration_words(t, seconds).s : "");
}

static void add_stage(const plan_stage *s, text *t)
{
    add_row_name(s->stage->name, t);
    text_add(t, " %12.0f %9.4g %9.4g", s->load.points, s->load.bytes, s->load.flops);
    add_traffic(s->load.points * s->load.bytes, s->seconds, t);
    add_loop_schedules(&s->loop_tuner, t);
    if (s->forecast.with < 0)
        text_add(t, "    in the launch of the stage above\n");
    if (s->forecast.tried == 0)
        return;
    text_add(t, "    ");
    schedule_print(&s->forecast.schedule, t);
    if (s->forecast.with > 0)
        text_add(t, ", one launch with the next %lld", (long long)s->forecast.with);
    if (s->forecast.tried > 1)
        text_add(t, " and %d others, which the first steps try", s->forecast.tried - 1);
    if (s->load.points > 0 && s->forecast.with == 0)
        text_add(t, "\n    %.4g bytes/pt with the halo of every tile",
                 s->forecast.bytes / s->load.points);
    text_add(t, "\n");
}

/* ---- the bound --------------------------------------------------------------------- */

void plan_text(const pav_plan *plan, text *t)
{
    add_head(plan, t);
    for (int k = 0; k < plan->needs.stores; k++)
        add_store(plan, k, t);
    const pav_run *run = plan->run;
    if (plan->stages != 0) {
        text_add(t, "\n%-*s %12s %9s %9s %11s %10s\n", NAMES + 2, "step", "points",
                 "bytes/pt", "flops/pt", "traffic", "at least");
        for (int64_t k = 0; k < plan->stages; k++)
            add_stage(&plan->stage[k], t);
        text_add(t, "  %-*s %12.0f %9.4g %9.4g", NAMES, "in all",
                 (double)run->work.points,
                 run->work.step_bytes / (double)run->work.points,
                 run->work.step_flops / (double)run->work.points);
        add_traffic(run->work.step_bytes, plan->seconds, t);
        plan_blocks_text(plan, t);
    }
    const bool refused = plan->verdict == PAV_ENOMEM;
    const bool bounded = !refused && plan->seconds > 0;
    const bool unknown = plan->copy_rate <= 0 && !plan_is_cached(plan);
    const json_fact fact[] = {
        in_unit(&unit_time, json_number("step", plan->seconds)),
        in_unit(&unit_time, json_number("all", plan->seconds * (double)run->steps)),
        in_unit(&unit_bytes, json_count("caches", plan->caches)),
        json_number("rate", plan->copy_rate / 1e9),
        json_count("threads", run_threads(run)),
        {.kind = JSON_END}};
    if (plan->stages != 0) {
        text_add(t, "\n");
        SAY(t, fact, {"time", refused, "not shown of a run that is refused"},
            {"time", bounded, "at least {step} a step"},
            {NULL, run->steps > 0, ", {all} in all"},
            {NULL, run->steps > 0 && run->code->untils.count,
             " unless `until` holds before"},
            {NULL, true, ", by traffic to memory alone"},
            {"", bounded && plan->seconds < run->work.step_bytes / plan->copy_rate / 2,
             "caches may hold most of what a step moves: it may take longer"},
            {"time", !refused && !bounded && unknown,
             "not known: the rate of copying memory was not measured"},
            {"time", !refused && !bounded && !unknown,
             "not bounded by memory: caches may hold all that a step moves"},
            {"", true, "caches hold {caches}"},
            {NULL, plan->copy_rate > 0, "; memory is copied at {rate} GB/s"},
            {NULL, plan->measured, ", measured now"},
            {NULL, plan->measured && !run_uses_device_memory(run),
             " with {threads:thread}"},
            {"", !run_has_kernels(run),
             "the interpreter computes far slower than memory is read"});
    }
    plan_costs_text(plan, t);
    plan_wave_text(plan, t);
    plan_add_layers(plan->run, t);
}

/* ---- as JSON ----------------------------------------------------------------------- */

/* 0 is unknown. */
static double known(double value)
{
    return value > 0 ? value : (double)NAN;
}

static void json_store(const needs *n, int number, text *t)
{
    static const char *const tiers[] = {
        [TIER_HOST] = "host", [TIER_GPU] = "gpu", [TIER_DISK] = "disk"};
    static const char *const sureties[] = {
        [NEED_SURE] = "sure", [NEED_AT_MOST] = "at most", [NEED_SPARE] = "spare"};
    const need_store *s = &n->store[number];
    json_open(t, NULL, '{');
    JSON_ADD(t, json_word("tier", tiers[s->tier]), json_word("path", s->name),
             json_count("needed", s->sure), json_count("needed_at_most", s->most),
             json_known("available", s->available));
    json_open(t, "parts", '[');
    for (int64_t k = 0; k < n->items; k++) {
        const need_item *i = &n->item[k];
        if (i->store != number)
            continue;
        json_open(t, NULL, '{');
        JSON_ADD(t, json_word("kind", need_names[i->kind]), json_word("name", i->name),
                 json_word("surety", sureties[i->surety]), json_count("bytes", i->bytes),
                 json_count("count", i->count));
        if (i->field)
            JSON_ADD(t, json_word("type", pav_type_name(i->field->storage)),
                     json_count("point_bytes", i->size.point_bytes),
                     json_count("halo_bytes", i->size.halo_bytes),
                     json_count("padding_bytes", i->size.padding_bytes));
        text_add(t, "}");
    }
    text_add(t, "]}");
}

static void json_stage(const plan_stage *s, text *t)
{
    json_open(t, NULL, '{');
    JSON_ADD(t, json_word("name", s->stage->name), json_number("points", s->load.points),
             json_number("bytes_per_point", s->load.bytes),
             json_number("flops_per_point", s->load.flops),
             json_number("seconds_at_least", s->seconds));
    json_open(t, "loop_schedules", '[');
    for (int k = 0; k < s->loop_tuner.count; k++) {
        const schedule *m = &s->loop_tuner.loop[k];
        JSON_OBJECT(t, NULL, json_word("schedule", schedule_name(m->kind)),
                    json_count("block", m->tile.size[1]),
                    json_count("threads", schedule_threads(m)),
                    json_letter("axis", schedule_axis(m)),
                    json_count("ahead", m->tile.ahead),
                    json_truth("several_rows", m->thread.size[1] != 1),
                    json_truth("streams", m->non_temporal));
    }
    text_add(t, "]");
    /* on a GPU: the first candidate, and the number of candidates */
    if (s->forecast.tried > 0) {
        char first[SCHEDULE_STRING];
        JSON_ADD(
            t, json_word("schedule", schedule_string(&s->forecast.schedule, first)),
            json_count("schedules_tried", s->forecast.tried),
            json_number("footprint_bytes", run_rate(s->forecast.bytes, s->load.points)));
    }
    text_add(t, "}");
}

static void blocks_json(const pav_plan *plan, text *t)
{
    const time_choice *c = plan->blocks;
    if (run_has_launches(plan->run)) {
        char schedule_words[SCHEDULE_STRING];
        JSON_ADD(t, json_word("single_steps_because", plan->single));
        json_open(t, "time_blocks", '[');
        for (int k = 0; k < plan->launches.count; k++) {
            const launch_forecast *f = &plan->launches.launch[k];
            JSON_OBJECT(
                t, NULL,
                json_word("schedule", schedule_string(&f->schedule, schedule_words)),
                json_digits("bytes_by_model", 6, f->bytes),
                json_count("shared_bytes", f->shared),
                json_count("shorter_steps", f->shorter));
        }
        text_add(t, "]");
    }
    if (!c)
        return;
    JSON_ADD(t, json_word("single_steps_because", plan->single));
    json_open(t, "time_blocks", '[');
    for (int k = 0; k < c->count; k++)
        if (c->trial[k].shape.tile.steps > 1)
            JSON_OBJECT(t, NULL, json_word("schedule", c->trial[k].words),
                        json_digits("bytes_by_model", 6, c->trial[k].bytes));
    text_add(t, "]");
}

void plan_json(const pav_plan *plan, text *t)
{
    const pav_run *run = plan->run;
    const double all = (double)run->work.points;
    const double seconds = plan->copy_rate > 0 || plan_is_cached(plan) ? plan->seconds
                                                                       : (double)NAN;
    const run_choice *choice = run->known.choice;
    json_open(t, NULL, '{');
    JSON_ADD(t, json_truth("fits", plan->verdict == PAV_OK));
    run_json_program(run, plan->why, t);
    JSON_ADD(
        t, json_word("from_wisdom", choice && choice->is_wisdom ? choice->words : NULL),
        json_word("type", pav_type_name(run->program->real)),
        json_word("device", run->device_name), json_count("threads", run_threads(run)));
    plan_subdomains_json(plan, t);
    plan_outofcore(plan, true, t);
    JSON_ADD(t, json_known("steps", run->steps > 0 ? run->steps : -1));
    json_open(t, "stores", '[');
    for (int k = 0; k < plan->needs.stores; k++)
        json_store(&plan->needs, k, t);
    text_add(t, "]");
    json_open(t, "stages", '[');
    for (int64_t k = 0; k < plan->stages; k++)
        json_stage(&plan->stage[k], t);
    text_add(t, "]");
    blocks_json(plan, t);
    plan_wave_json(plan, t);
    JSON_ADD(t, json_number("bytes_per_point", run->work.step_bytes / all),
             json_number("flops_per_point", run->work.step_flops / all),
             json_number("copy_gbytes", known(plan->copy_rate / 1e9)),
             json_truth("copy_measured", plan->measured),
             json_known("cache_bytes", plan->caches),
             json_number("seconds_per_step_at_least", seconds),
             json_number("seconds_at_least",
                         run->steps > 0 ? seconds * (double)run->steps : (double)NAN));
    plan_costs_json(plan, t);
    text_add(t, "}\n");
}
