/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans visits: the steps of a block, the planes of a visit and the resident planes,
 * within the device's memory. The user requests a method with settings
 * ("auto:steps=8,parts=4"), and some programs or settings are refused.
 *
 * A block of T steps uploads each plane once, so many steps are good. But the window
 * keeps T times the skew of a step besides the visit's own planes, and these are shifted
 * within it. */
#include <stdlib.h>
#include <string.h>

#include "run/outofcore/outofcore_private.h"

/* ---- requests ---------------------------------------------------------------------- */

/* The methods of Jin, Endo and Matsuoka, and "auto" for the best. */
static const struct method {
    const char *name;
    outofcore_request as;
} methods[OUTOFCORE_METHODS] = {
    {"auto", {0}},
    {"naive", {.single = true, .resend = true, .stays = true}},
    {"mm", {.again = true, .depth = 1, .resend = true, .stays = true}},
    {"mmt", {.again = true, .depth = 2, .resend = true, .stays = true}},
    {"mmtb",
     {.depth = 2, .between = true, .unshifted = true, .resend = true, .stays = true}},
    {"m-mmtb", {.depth = 2, .between = true, .resend = true, .stays = true}},
    {"mp-mmtb", {.depth = 2, .overlapped = true, .resend = true, .stays = true}},
};

const char *outofcore_method(int64_t number, outofcore_request *as)
{
    *as = methods[number].as;
    as->method = methods[number].name;
    return as->method;
}

static pav_status not_a_method(const char *given)
{
    return FAIL(
        PAV_EINVAL,
        "'%s' is no method out of core: give auto, naive, mm, mmt, mmtb, m-mmtb or "
        "mp-mmtb, or with settings, as in auto:steps=8,parts=4",
        given);
}

static pav_status take_name(const char *given, size_t length, outofcore_request *r)
{
    for (size_t n = 0; n < COUNT_OF(methods); n++)
        if (strlen(methods[n].name) == length &&
            strncmp(given, methods[n].name, length) == 0) {
            const outofcore_request before = *r;
            (void)outofcore_method((int64_t)n, r);
            r->bytes = before.bytes;
            r->always = before.always;
            r->host_bytes = before.host_bytes;
            r->disk = before.disk;
            return PAV_OK;
        }
    return not_a_method(given);
}

/* "steps=8,parts=4" */
static pav_status take_settings(const char *given, const char *at, outofcore_request *r)
{
    int64_t overlap = -1, once = !r->resend, stay = -1, depth = 0;
    const struct setting {
        const char *name;
        int64_t least, *value;
    } settings[] = {{"steps=", 1, &r->steps}, {"parts=", 1, &r->parts},
                    {"depth=", 1, &depth},    {"windows=", 1, &r->windows},
                    {"once=", 0, &once},      {"stay=", 0, &stay},
                    {"overlap=", 0, &overlap}};
    while (*at) {
        const struct setting *s = settings;
        const struct setting *const end = settings + COUNT_OF(settings);
        while (s < end && strncmp(at, s->name, strlen(s->name)) != 0)
            s++;
        const char *const digits = s < end ? at + strlen(s->name) : "";
        char *behind;
        if (*digits < '0' || *digits > '9')
            return not_a_method(given);
        *s->value = strtoll(digits, &behind, 10);
        if ((*behind != ',' && *behind != '\0') || *s->value < s->least)
            return not_a_method(given);
        at = *behind ? behind + 1 : behind;
    }
    r->resend = once == 0;
    r->stays = r->stays || stay >= 0;
    r->stay = stay > 0 ? stay : 0;
    r->asks_overlap = overlap >= 0;
    if (r->asks_overlap) {
        r->between = overlap == 0;
        r->overlapped = overlap > 0;
    }
    r->asks_depth = depth > 0;
    if (r->asks_depth)
        r->depth = depth;
    return PAV_OK;
}

static pav_status take_method(const char *given, outofcore_request *r)
{
    const size_t length = strcspn(given, ":");
    TRY(take_name(given, length, r));
    TRY(take_settings(given, given + length + (given[length] == ':'), r));
    if (r->single && r->steps > 1)
        return FAIL(PAV_EINVAL, "%s: naive takes one step a visit; auto takes several",
                    given);
    if (r->steps > TIME_MOST_STEPS)
        return FAIL(PAV_EINVAL, "%s: a visit takes %d steps at most; give no more", given,
                    TIME_MOST_STEPS);
    return PAV_OK;
}

/* A run and the solvers of its steps have equal shares of the memory. */
static int64_t shares(const pav_run *run)
{
    return 1 + (run->solver.outer ? run->solver.outer : run)->solver.solution.count;
}

pav_status outofcore_parse(const pav_run *run, outofcore_request *requested)
{
    const pav_run_options *o = &run->options;
    *requested = (outofcore_request){.method = methods[0].name,
                                     .bytes = o->device_memory / shares(run),
                                     .always = o->out_of_core != NULL,
                                     .host_bytes = o->host_memory / shares(run),
                                     .disk = o->disk};
    if (o->host_memory < 0)
        return FAIL(PAV_EINVAL, "a host's memory of %lld bytes: give more than none",
                    (long long)o->host_memory);
    if (o->device_memory < 0)
        return FAIL(PAV_EINVAL, "a device's memory of %lld bytes: give more than none",
                    (long long)o->device_memory);
    return o->out_of_core ? take_method(o->out_of_core, requested) : PAV_OK;
}

/* ---- refusals ---------------------------------------------------------------------- */

/* The reason against visits; NULL: none. An output computes its expression in whole
 * fields. */
static const char *refusal(const pav_run *run, const outofcore *o)
{
    EACH_STATEMENT(s, run->program)
        if (s->kind == STATEMENT_OUTPUT && s->symbol->shown && !run->options.no_files)
            return "the output of an expression needs whole fields; make it a field with "
                   "an equation";
    return o->requested.again && !o->state.blocking.refusal &&
                   o->state.blocking.periodic[run->code->dim - 1]
               ? "mm and mmt part no axis that wraps around; auto does"
               : NULL;
}

bool outofcore_may_be(const pav_run *run)
{
    outofcore o = {0};
    const bool may = ir_blocking_open(run->code, NULL, &o.state.blocking) == PAV_OK &&
                     !refusal(run, &o);
    ir_blocking_close(&o.state.blocking);
    return may;
}

/* ---- too little memory ------------------------------------------------------------- */

/* The requested parts do not fit. */
static pav_status parts_do_not_fit(const pav_run *run)
{
    const outofcore *o = run->outofcore;
    if (o->requested.parts > o->extent)
        return FAIL(PAV_EINVAL,
                    "%lld parts along %c are too many: it has %lld planes; give fewer "
                    "(--out-of-core auto:parts=N)",
                    (long long)o->requested.parts, "xyz"[o->axis],
                    (long long)o -> extent);
    if (o->state.blocking.periodic[o->axis] && o->requested.parts > 1)
        return FAIL(
            PAV_EINVAL,
            "%lld parts along %c, which wraps around, are too many: each must have "
            "%lld planes or more; give fewer (--out-of-core auto:parts=N)",
            (long long)o->requested.parts, "xyz"[o->axis],
            (long long)(2 * (outofcore_most_shift(o, 1) + 2 * o->halo) + 1));
    if (o->disk && !run_uses_device_memory(run) && o->windows > 1)
        return FAIL(PAV_ENOMEM,
                    "%s does not fit so into the host's memory, with %d windows: give "
                    "more (--host-memory), fewer windows (windows=N) or more parts "
                    "(--out-of-core auto:parts=N)",
                    run->program->name, o->windows);
    return FAIL(PAV_ENOMEM,
                "%s does not fit so into the device's memory: give more parts "
                "(--out-of-core auto:parts=N) and fewer planes that stay (stay=N), or "
                "leave them to be chosen",
                run->program->name);
}

/* bytes: needed for `what`; limit: available to this run. With solvers in its steps it
 * has one of several equal shares, and the message counts all. */
static pav_status too_few(const pav_run *run, bool host, int64_t bytes, const char *what,
                          int64_t limit)
{
    const int64_t all = shares(run);
    return FAIL(PAV_ENOMEM,
                "%s needs %s of the %s's memory for %s%s, and has %s: give more "
                "(--%s-memory), or a grid whose planes are smaller",
                run->program->name, size_words(NULL, bytes * all).s,
                host ? "host" : "device", what,
                all > 1 ? ", shared equally by its steps and their solvers" : "",
                size_words(NULL, limit * all).s, host ? "host" : "device");
}

/* The error if no visits fit into the memory. */
static pav_status refuse_too_little(const pav_run *run)
{
    const outofcore *o = run->outofcore;
    const int64_t narrow = o->state.blocking.periodic[o->axis]
                               ? 2 * (outofcore_most_shift(o, 1) + 2 * o->halo) + 1
                               : 1;
    int64_t bytes = 0, out;
    const int64_t planes = o->why_stages[0] ? 2 * o->halo + o->unit
                                            : outofcore_planes(o, 1, narrow, false, &out);
    const int64_t least = planes > 0 && outofcore_bytes(run, planes, &bytes) ? bytes : 0;
    const int64_t host = o->disk
                             ? disk_staged_bytes(run, 1) +
                                   (run_uses_device_memory(run) ? 0 : o->windows * least)
                             : 0;
    if (o->disk && !o->why_stages[0] && host > o->disk->limit)
        return too_few(run, true, host, "planes on their way to and from the disk",
                       o->disk->limit);
    return least <= o->limit
               ? parts_do_not_fit(run)
               : too_few(run, !run_uses_device_memory(run) && o->requested.bytes <= 0,
                         least, "the thinnest part of its grid", o->limit);
}

/* ---- the plan ---------------------------------------------------------------------- */

/* The widest ghosts of any field, or the farthest neighbour of any stage along the
 * axis. */
static int deepest(const ir *code, int axis)
{
    int most = ir_farthest_load(code, axis);
    for (int64_t f = 0; f < code->fields; f++)
        most = int_most(most, ir_halo_of(&code->field[f], axis));
    return most;
}

/* The memory of a window: a part of the memory for all windows on one device. */
static int64_t limit_of(const pav_run *run)
{
    const outofcore *o = run->outofcore;
    int64_t all = o->requested.bytes;
    if (all <= 0 && run_uses_device_memory(run))
        all = place_free_memory(run_place(run), 1) / 10 * 9 / shares(run);
    else if (all <= 0)
        all = o->disk ? o->disk->limit : INT64_MAX;
    return all / int_parts(o->windows, run->places);
}

/* Chooses the widest visits within the memory; false: no plane fits. */
static bool choose_stages(const pav_run *run, int64_t planes)
{
    outofcore *o = run->outofcore;
    const int64_t around = 2 * o->halo + o->unit - 1, parts = o->requested.parts;
    const int64_t asked = parts > 0 ? int_parts(o->extent, parts) : o->extent;
    o->steps = 1;
    o->launch.depth = 1;
    o->overlaps = false;
    o->width = planes - around < asked ? planes - around : asked;
    o->planes = o->width + around;
    return o->width > 0 && (parts == 0 || o->width == asked);
}

static pav_status choose_window(const pav_run *run)
{
    outofcore *o = run->outofcore;
    if (o->why_stages[0])
        return choose_stages(run, outofcore_most_planes(run)) ? PAV_OK
                                                              : refuse_too_little(run);
    if (!outofcore_choose(run))
        return refuse_too_little(run);
    outofcore_fit_tiles(run);
    o->planes = outofcore_planes(o, o->steps, o->width, o->overlaps, &o->out);
    o->staged = o->disk ? disk_staged_bytes(run, o->width) : 0;
    if (o->disk)
        o->disk->cached = disk_cached_planes(run, o->planes, o->width);
    return PAV_OK;
}

static pav_status plan_disk(pav_run *run)
{
    disk_tier *t = run->outofcore->disk;
    const int64_t available = mem_available();
    if (run->code->dim == 1)
        return FAIL(
            PAV_EUNSUPPORTED,
            "%s has a grid of one dimension, which is not kept on disk: leave out "
            "--disk and --host-memory",
            run->program->name);
    if (t->limit == 0)
        t->limit = available > 0 ? available / 2 : INT64_MAX;
    for (int64_t f = 0; f < run->code->fields; f++) {
        const int64_t bytes = disk_bytes(run, &run->code->field[f]);
        if (bytes < 0 || !add_fits(t->bytes, bytes, &t->bytes))
            return FAIL(PAV_ELIMIT, "the store has more bytes than 64 bits can count");
    }
    if (!t->there || t->there_bytes == t->bytes)
        return PAV_OK;
    return FAIL(PAV_EUNSUPPORTED,
                "the fields of the checkpoint %s take %lld bytes of their files, and "
                "those of %s on %s %lld: go on with the description and on the device "
                "that wrote them (processors, or GPUs)",
                run->options.restart, (long long)t->there_bytes, run->program->name,
                run->device_name, (long long)t->bytes);
}

/* True if launches may cross the end of a periodic axis. There the planes of the last
 * visit are contiguous. All buffers of the first planes return through the store, so it
 * needs as many buffers. Coefficients are excluded, because they would be read before the
 * first plane. */
static bool goes_on(const pav_run *run)
{
    const int axis = run->outofcore->axis;
    bool may = !ir_knows_index(run->code, axis);
    for (int64_t f = 0; f < run->code->fields; f++) {
        const ir_field *field = &run->code->field[f];
        may = may && field->updated && border_wraps(field->border[axis][0].kind) &&
              field_buffers(field, true) == field->levels;
    }
    return may;
}

/* Chooses a launch, if any. */
static pav_status outofcore_find_launch(pav_run *run)
{
    outofcore *o = run->outofcore;
    const launch_request r = {
        .blocking = &o->state.blocking,
        .axis = o->axis,
        .depth = o->requested.single ? 1 : o->requested.depth,
        .given = o->requested.launch,
        .injects = true,
        .samples = true,
        .goes_on = goes_on(run),
        .by_model = true,
        .where = "out of core",
    };
    TRY(run_find_launch(run, &r, &o->launch));
    if (o->state.blocking.periodic[o->axis])
        o->begin = o->launch.radius;
    else
        o->launch.ahead = 0;
    return PAV_OK;
}

/* The reason for taking a step stage by stage; NULL: none. */
static const char *reason(const pav_run *run, const outofcore *o)
{
    if (run->solver.solution.count > 0)
        return "an equation is solved in each of its steps";
    for (int64_t f = 0; f < run->code->fields; f++)
        if (run->code->field[f].coarse)
            return "it has fields on coarse grids";
    return o->state.blocking.refusal ? o->state.blocking.refusal
           : run->code->dim == 1 && o->state.blocking.periodic[0]
               ? "its only axis wraps around"
               : NULL;
}

/* decides whether, with the reason */
static pav_status find_stages(pav_run *run)
{
    outofcore *o = run->outofcore;
    const char *why = reason(run, o);
    if (!why)
        return PAV_OK;
    const outofcore_request *r = &o->requested;
    if (r->again || r->unshifted || r->overlapped || r->depth > 1 || r->steps > 1)
        return FAIL(PAV_EUNSUPPORTED,
                    "%s cannot take several steps a visit: %s; auto and naive take it "
                    "stage by stage",
                    run->program->name, why);
    if (o->disk && run->checkpoint.path)
        return FAIL(PAV_EUNSUPPORTED,
                    "the files of %s cannot be its checkpoint: %s, so that steps are "
                    "taken in place; leave out --checkpoint, or --disk and "
                    "--host-memory",
                    run->program->name, why);
    (void)snprintf(o->why_stages, sizeof o->why_stages, "%s", why);
    return PAV_OK;
}

/* Called after the executor of the window is known, because it decides the layout of
 * rows. */
pav_status outofcore_plan(pav_run *run)
{
    outofcore *o = run->outofcore;
    if (o->is_planned)
        return PAV_OK;
    o->axis = o->state.stream = run->code->dim - 1;
    o->state.column = -1;
    o->extent = points_along(run->code, o->axis, false);
    o->halo = deepest(run->code, o->axis);
    o->unit = o->axis == 0 ? 64 : 1;
    TRY(ir_blocking_open(run->code, NULL, &o->state.blocking));
    const char *const why = refusal(run, o);
    if (why)
        return FAIL(PAV_EUNSUPPORTED, "%s cannot be computed out of core: %s",
                    run->program->name, why);
    TRY(find_stages(run));
    if (run_uses_device_memory(run))
        run->part->executor->line = run->part->inner->executor->line;
    o->launch.depth = 1;
    if (!o->why_stages[0])
        TRY(outofcore_find_launch(run));
    TRY(outofcore_find_tiles(run));
    if (o->disk)
        TRY(plan_disk(run));
    o->limit = limit_of(run);
    if (o->requested.stay > 0 && !outofcore_may_be_resident(o))
        return FAIL(
            PAV_EINVAL,
            "no planes of %s can stay on the device (stay=%lld): they do in blocks of "
            "steps in two dimensions or three, along an axis that does not wrap "
            "around, in one window, with a store in memory; leave it out",
            run->program->name, (long long)o->requested.stay);
    outofcore_measure(run);
    TRY(choose_window(run));
    o->is_planned = true;
    return outofcore_bytes(run, o->planes, &o->bytes)
               ? PAV_OK
               : FAIL(PAV_EINTERNAL, "the window has more bytes than 64 bits can count");
}
