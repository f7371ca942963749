/* SPDX-License-Identifier: BSD-3-Clause */
/* A plan as text: a table of each store, one of the step, and the bound of the time; and
 * as one JSON object, where unknown values are null. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/plan/needs_private.h"

enum { NAMES = 14, LONGEST = 200 };

/* ---- cells ------------------------------------------------------------------------- */

/* A size in a column; 0 bytes leave it blank. */
static void add_size(text *t, int width, int64_t bytes)
{
    text size = {0};
    if (bytes > 0)
        text_add_bytes_size(&size, bytes);
    text_add(t, " %*s", width, size.data ? size.data : "");
    t->failed |= size.failed;
    text_free(&size);
}

static void add_seconds(text *t, int width, double seconds)
{
    text duration = {0};
    text_add_duration(&duration, seconds);
    text_add(t, " %*s", width, seconds > 0 && duration.data ? duration.data : "");
    t->failed |= duration.failed;
    text_free(&duration);
}

/* ---- the head ---------------------------------------------------------------------- */

/* Without wisdom, a plan prints the candidates instead. */
static void add_known(const pav_run *run, text *t)
{
    if (!run->known.choice || !run->known.choice->is_wisdom)
        return;
    text_add(t, "%-12s %s (from wisdom: nothing is tried)\n", "schedule",
             run->known.choice->words);
}

static void add_head(const pav_plan *plan, text *t)
{
    const pav_run *run = plan->run;
    int64_t extent[MAX_DIM];
    for (int axis = 0; axis < MAX_DIM; axis++)
        extent[axis] = points_along(run->code, axis, false);
    text_add(t, "%-12s %s\n%-12s ", "program", run->program->name, "grid");
    text_add_extent(t, run->code->dim, extent);
    text_add(t, ", %s\n%-12s ", pav_type_name(run->program->real), "device");
    run_device_words(run, run_threads(run), t);
    text_add(t, "\n");
    plan_subdomains_text(plan, t);
    plan_outofcore_text(plan, t);
    add_known(run, t);
    text_add(t, "%-12s ", "steps");
    if (run->steps > 0)
        text_add(t, "%lld\n", (long long)run->steps);
    else
        text_add(t, "not given: times and files of a step alone\n");
}

/* ---- stores ------------------------------------------------------------------------ */

static void add_field_words(const ir_field *f, int dimensions, text *t)
{
    text_add(t, "%d level%s of ", f->levels, f->levels == 1 ? "" : "s");
    text_add_extent(t, dimensions, f->extent);
    text_add(t, " %s%s", pav_type_name(f->storage), f->coarse ? ", coarse" : "");
    if (f->coarse > 1)
        text_add(t, " %d", f->coarse);
}

static void add_count(int64_t count, const char *one, const char *rest, text *t)
{
    text_add(t, "%lld %s%s%s", (long long)count, one, count == 1 ? "" : "s", rest);
}

/* The words after the numbers. */
static void add_words(const pav_plan *plan, const need_item *n, text *t)
{
    switch (n->kind) {
    case NEED_FIELD: add_field_words(n->field, plan->run->code->dim, t); break;
    case NEED_WINDOW: add_count(n->count, "plane", " of all fields", t); break;
    case NEED_COPIES: text_add(t, "levels that the host reads or fills"); break;
    case NEED_VERIFY: text_add(t, "the interpreter's run beside it, at first"); break;
    case NEED_SOLVER: text_add(t, "all fields of what solves in each step"); break;
    case NEED_TABLES: add_count(n->count, "table", " along the axes", t); break;
    case NEED_REDUCTIONS: text_add(t, "one value for %d points", EMIT_PIECE); break;
    case NEED_CHECKPOINT:
        if (n->store == STORE_HOST)
            text_add(t, "a buffer");
        else
            text_add(t, n->surety == NEED_SURE
                            ? "the newest"
                            : "the one before, and one that is being written");
        break;
    case NEED_POSITIONS: add_count(n->count, "position", "", t); break;
    case NEED_READING: text_add(t, "start values, piece by piece"); break;
    case NEED_WRITING: text_add(t, "while an output is written"); break;
    case NEED_QUEUE:
        text_add(t, "of what is left: outputs that wait for their file");
        break;
    case NEED_OUTPUT: add_count(n->count, "frame", "", t); break;
    case NEED_ROWS: add_count(n->count, "row", "", t); break;
    case NEED_STAGED: text_add(t, "planes between the disk and the window"); break;
    case NEED_CACHED: text_add(t, "planes of the files that stay in memory"); break;
    case NEED_DRIVER: text_add(t, "the GPU's driver and its compiler, about"); break;
    case NEED_DISK: text_add(t, "in files, as they are and as they will be"); break;
    }
}

static const char *name_of(const need_item *n)
{
    return n->name && n->kind != NEED_POSITIONS ? n->name : need_name(n->kind);
}

static void add_item(const pav_plan *plan, const need_item *n, text *t)
{
    text_add(t, "  %-*s", NAMES, name_of(n));
    if (strlen(name_of(n)) > NAMES)
        text_add(t, "\n  %-*s", NAMES, "");
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

static void add_total(const need_store *s, text *t)
{
    text_add(t, "  %-*s %10s %10s %10s", NAMES, "in all", "", "", "");
    add_size(t, 11, s->sure > 0 ? s->sure : s->most);
    text_add(t, "  ");
    if (s->most > s->sure && s->sure > 0) {
        text_add(t, "up to ");
        text_add_bytes_size(t, s->most);
        text_add(t, ", ");
    }
    if (s->available < 0) {
        text_add(t, "what is available is not known\n");
        return;
    }
    text_add(t, "of ");
    text_add_bytes_size(t, s->available);
    text_add(t, " %s%s\n", s->tier == TIER_HOST ? "available" : "free",
             s->sure > s->available ? ": DOES NOT FIT" : "");
}

static void add_store(const pav_plan *plan, int number, text *t)
{
    const needs *n = &plan->needs;
    const need_store *s = &n->store[number];
    const bool several = s->tier == TIER_GPU && plan->run->places > 1;
    if (s->tier != TIER_DISK)
        text_add(t, "\n%-*s %10s %10s %10s %11s\n", NAMES + 2,
                 several               ? s->name
                 : s->tier == TIER_GPU ? "device memory"
                                       : "memory",
                 "points", "halo", "padding", "all");
    else
        text_add(t, "\n%-*s %10s %10s %10s %11s\n", NAMES + 2, "disk", "", "", "", "all");
    for (int64_t k = 0; k < n->items; k++)
        if (n->item[k].store == number && n->item[k].surety != NEED_SPARE)
            add_item(plan, &n->item[k], t);
    add_total(s, t);
    for (int64_t k = 0; k < n->items; k++)
        if (n->item[k].store == number && n->item[k].surety == NEED_SPARE)
            add_item(plan, &n->item[k], t);
}

/* ---- the step ---------------------------------------------------------------------- */

static void add_ahead(const loop_tuner *m, text *t)
{
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
    text_add(t, " rows prefetched, ");
}

static void add_order(const loop_tuner *m, text *t)
{
    bool rows = false;
    int64_t block = 0;
    for (int k = 0; k < m->count; k++) {
        rows = rows || m->loop[k].tile.size[1] == 0;
        block = m->loop[k].tile.size[1] > block ? m->loop[k].tile.size[1] : block;
    }
    text_add(t, "%s%s", rows ? "rows" : "", rows && block ? " or " : "");
    if (block)
        text_add(t, "blocks of %lld rows", (long long)block);
}

static void add_height(const loop_tuner *m, text *t)
{
    int several_rows = 0;
    for (int k = 0; k < m->count; k++)
        several_rows += m->loop[k].thread.size[1] != 1;
    text_add(t, "%s at a time, ",
             several_rows == 0          ? "one row"
             : several_rows == m->count ? "some rows"
                                        : "one row or some");
}

static void add_streams(const loop_tuner *m, text *t)
{
    int streams = 0;
    for (int k = 0; k < m->count; k++)
        streams += m->loop[k].non_temporal;
    text_add(t, "%s stores",
             streams == 0          ? "ordinary"
             : streams == m->count ? "non-temporal"
                                   : "non-temporal or ordinary");
}

/* "16 threads along z or y" */
static void add_threads(const loop_tuner *m, text *t)
{
    bool across = false;
    for (int k = 0; k < m->count; k++)
        across = across || (m->axis == 2 && m->loop[k].device.size[1] > 0);
    text_add(t, "    %d thread%s along %c%s, ", m->threads, m->threads == 1 ? "" : "s",
             "xyz"[m->axis], across ? " or y" : "");
}

static void add_loop_schedules(const loop_tuner *m, text *t)
{
    if (m->count == 0)
        return;
    add_threads(m, t);
    add_order(m, t);
    if (m->count > 1)
        text_add(t, "; the first %d steps try %d loop schedules:\n    ",
                 loop_tuner_trials(m), m->count);
    else
        text_add(t, ", ");
    add_height(m, t);
    add_ahead(m, t);
    add_streams(m, t);
    text_add(t, "\n");
}

static void add_kernels(const plan_stage *s, text *t)
{
    if (s->forecast.tried == 0)
        return;
    text_add(t, "    ");
    schedule_print(&s->forecast.schedule, t);
    if (s->forecast.tried > 1)
        text_add(t, " and %d others, which the first steps try", s->forecast.tried - 1);
    if (s->load.points > 0)
        text_add(t, "\n    %.4g bytes/pt with the halo of every tile",
                 s->forecast.bytes / s->load.points);
    text_add(t, "\n");
}

static void add_stage(const plan_stage *s, text *t)
{
    text_add(t, "  %-*s", NAMES, s->stage->name);
    if (strlen(s->stage->name) > NAMES)
        text_add(t, "\n  %-*s", NAMES, "");
    text_add(t, " %12.0f %9.4g %9.4g", s->load.points, s->load.bytes, s->load.flops);
    add_size(t, 11, (int64_t)(s->load.points * s->load.bytes));
    add_seconds(t, 10, s->seconds);
    text_add(t, "\n");
    add_loop_schedules(&s->loop_tuner, t);
    add_kernels(s, t);
}

static void add_step(const pav_plan *plan, text *t)
{
    const pav_run *run = plan->run;
    if (plan->stages == 0)
        return;
    text_add(t, "\n%-*s %12s %9s %9s %11s %10s\n", NAMES + 2, "step", "points",
             "bytes/pt", "flops/pt", "traffic", "at least");
    for (int64_t k = 0; k < plan->stages; k++)
        add_stage(&plan->stage[k], t);
    text_add(t, "  %-*s %12.0f %9.4g %9.4g", NAMES, "in all", (double)run->work.points,
             run->work.step_bytes / (double)run->work.points,
             run->work.step_flops / (double)run->work.points);
    add_size(t, 11, (int64_t)run->work.step_bytes);
    add_seconds(t, 10, plan->seconds);
    text_add(t, "\n");
    plan_blocks_text(plan, t);
}

/* ---- the bound --------------------------------------------------------------------- */

/* The rates used for the bound. */
static void add_rate(const pav_plan *plan, text *t)
{
    const int threads = run_threads(plan->run);
    text_add(t, "%-12s caches hold ", "");
    text_add_bytes_size(t, plan->caches);
    if (plan->copy_rate > 0)
        text_add(t, "; memory is copied at %.4g GB/s", plan->copy_rate / 1e9);
    if (plan->measured && run_uses_device_memory(plan->run))
        text_add(t, ", measured now");
    else if (plan->measured)
        text_add(t, ", measured now with %d thread%s", threads, threads == 1 ? "" : "s");
    text_add(t, "\n");
}

static void add_least(const pav_plan *plan, text *t)
{
    const pav_run *run = plan->run;
    const double whole = run->work.step_bytes / plan->copy_rate;
    text_add(t, "at least ");
    text_add_duration(t, plan->seconds);
    text_add(t, " a step");
    if (run->steps > 0) {
        text_add(t, ", ");
        text_add_duration(t, plan->seconds * (double)run->steps);
        text_add(t, " in all%s",
                 run->code->untils.count ? " unless `until` holds before" : "");
    }
    text_add(t, ", by traffic to memory alone\n");
    if (plan->seconds < whole / 2)
        text_add(t,
                 "%-12s caches may hold most of what a step moves: it may take longer\n",
                 "");
}

static void add_bound(const pav_plan *plan, text *t)
{
    if (plan->stages == 0)
        return;
    text_add(t, "\n%-12s ", "time");
    if (plan->verdict == PAV_ENOMEM)
        text_add(t, "not shown of a run that is refused\n");
    else if (plan->seconds > 0)
        add_least(plan, t);
    else if (plan->copy_rate <= 0 && !plan_is_cached(plan))
        text_add(t, "not known: the rate of copying memory was not measured\n");
    else
        text_add(t, "not bounded by memory: caches may hold all that a step moves\n");
    add_rate(plan, t);
    if (!run_has_kernels(plan->run))
        text_add(t, "%-12s the interpreter computes far slower than memory is read\n",
                 "");
}

void plan_text(const pav_plan *plan, text *t)
{
    add_head(plan, t);
    for (int k = 0; k < plan->needs.stores; k++)
        add_store(plan, k, t);
    add_step(plan, t);
    add_bound(plan, t);
    plan_costs_text(plan, t);
    plan_wave_text(plan, t);
    plan_add_layers(plan->run, t);
}

/* ---- as JSON ----------------------------------------------------------------------- */

static const char *const sureties[] = {
    [NEED_SURE] = "sure", [NEED_AT_MOST] = "at most", [NEED_SPARE] = "spare"};

static void json_known(text *t, const char *name, int64_t value)
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

static void json_item(const need_item *n, const char *comma, text *t)
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

static void json_store(const needs *n, int number, text *t)
{
    static const char *const tiers[] = {
        [TIER_HOST] = "host", [TIER_GPU] = "gpu", [TIER_DISK] = "disk"};
    const need_store *s = &n->store[number];
    const char *comma = "";
    text_add(t, "%s{\"tier\": \"%s\", \"path\": ", number ? ", " : "", tiers[s->tier]);
    text_add_json(t, s->name);
    text_add(t, ", \"needed\": %lld, \"needed_at_most\": %lld", (long long)s->sure,
             (long long)s->most);
    json_known(t, "available", s->available);
    text_add(t, ", \"parts\": [");
    for (int64_t k = 0; k < n->items; k++)
        if (n->item[k].store == number) {
            json_item(&n->item[k], comma, t);
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
static void json_kernels(const plan_stage *s, text *t)
{
    if (s->forecast.tried == 0)
        return;
    text_add(t, ", \"schedule\": \"");
    schedule_print(&s->forecast.schedule, t);
    text_add(t, "\", \"schedules_tried\": %d", s->forecast.tried);
    add_number(t, "footprint_bytes", s->forecast.bytes / s->load.points);
}

static void json_stage(const plan_stage *s, const char *comma, text *t)
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
    json_kernels(s, t);
    text_add(t, "}");
}

/* ---- all of it --------------------------------------------------------------------- */

static void json_head(const pav_plan *plan, text *t)
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
    json_known(t, "steps", run->steps > 0 ? run->steps : -1);
}

void plan_json(const pav_plan *plan, text *t)
{
    const pav_run *run = plan->run;
    const bool bounded = plan->copy_rate > 0 || plan_is_cached(plan);
    json_head(plan, t);
    text_add(t, ", \"stores\": [");
    for (int k = 0; k < plan->needs.stores; k++)
        json_store(&plan->needs, k, t);
    text_add(t, "], \"stages\": [");
    for (int64_t k = 0; k < plan->stages; k++)
        json_stage(&plan->stage[k], k ? ", " : "", t);
    text_add(t, "]");
    plan_blocks_json(plan, t);
    plan_wave_json(plan, t);
    add_number(t, "bytes_per_point", run->work.step_bytes / (double)run->work.points);
    add_number(t, "flops_per_point", run->work.step_flops / (double)run->work.points);
    add_number(t, "copy_gbytes", known(plan->copy_rate / 1e9));
    text_add(t, ", \"copy_measured\": %s", plan->measured ? "true" : "false");
    json_known(t, "cache_bytes", plan->caches);
    add_number(t, "seconds_per_step_at_least", bounded ? plan->seconds : (double)NAN);
    add_number(t, "seconds_at_least",
               bounded && run->steps > 0 ? plan->seconds * (double)run->steps
                                         : (double)NAN);
    plan_costs_json(plan, t);
    text_add(t, "}\n");
}
