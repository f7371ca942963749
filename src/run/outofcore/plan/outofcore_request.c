/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses a method of visits: "auto", "mm", ..., with settings: "auto:steps=8,parts=4". */
#include <stdlib.h>
#include <string.h>

#include "run/outofcore/outofcore_private.h"

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

static bool is_word(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(at, word, length) == 0;
}

static pav_status take_name(const char *given, size_t length, outofcore_request *r)
{
    for (size_t n = 0; n < COUNT_OF(methods); n++)
        if (is_word(given, length, methods[n].name)) {
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

/* "steps=8", then a comma or the end. */
static bool take_setting(const char **at, const char *name, int64_t least, int64_t *value)
{
    const size_t length = strlen(name);
    char *end;
    if (strncmp(*at, name, length) != 0 || (*at)[length] < '0' || (*at)[length] > '9')
        return false;
    *value = strtoll(*at + length, &end, 10);
    if ((*end != ',' && *end != '\0') || *value < least)
        return false;
    *at = *end ? end + 1 : end;
    return true;
}

static pav_status check_steps(const char *given, const outofcore_request *r)
{
    if (r->single && r->steps > 1)
        return FAIL(PAV_EINVAL, "%s: naive takes one step a visit; auto takes several",
                    given);
    if (r->steps > TIME_MOST_STEPS)
        return FAIL(PAV_EINVAL, "%s: a visit takes %d steps at most; give no more", given,
                    TIME_MOST_STEPS);
    return PAV_OK;
}

static pav_status take_method(const char *given, outofcore_request *r)
{
    const size_t length = strcspn(given, ":");
    const char *at = given + length + (given[length] == ':');
    TRY(take_name(given, length, r));
    int64_t overlap = -1, once = !r->resend, stay = -1, depth = 0;
    while (*at)
        if (!take_setting(&at, "steps=", 1, &r->steps) &&
            !take_setting(&at, "parts=", 1, &r->parts) &&
            !take_setting(&at, "depth=", 1, &depth) &&
            !take_setting(&at, "windows=", 1, &r->windows) &&
            !take_setting(&at, "once=", 0, &once) &&
            !take_setting(&at, "stay=", 0, &stay) &&
            !take_setting(&at, "overlap=", 0, &overlap))
            return not_a_method(given);
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
    return check_steps(given, r);
}

pav_status outofcore_parse(const pav_run *run, outofcore_request *requested)
{
    const pav_run_options *o = &run->options;
    *requested = (outofcore_request){.method = methods[0].name,
                                     .bytes = o->device_memory,
                                     .always = o->out_of_core != NULL,
                                     .host_bytes = o->host_memory,
                                     .disk = o->disk};
    if (o->host_memory < 0)
        return FAIL(PAV_EINVAL, "a host's memory of %lld bytes: give more than none",
                    (long long)o->host_memory);
    if (o->device_memory < 0)
        return FAIL(PAV_EINVAL, "a device's memory of %lld bytes: give more than none",
                    (long long)o->device_memory);
    return o->out_of_core ? take_method(o->out_of_core, requested) : PAV_OK;
}

/* ---- for plans and reports --------------------------------------------------------- */

void outofcore_add_count(text *t, int64_t count, const char *what)
{
    text_add(t, "%lld %s%s", (long long)count, what, count == 1 ? "" : "s");
}

/* Appends settings to request the same visits again:
 * "auto:steps=8,parts=4,overlap=1,stay=0". */
void outofcore_add_as(const pav_run *run, text *t)
{
    const outofcore *o = run->outofcore;
    const outofcore_request *r = &o->requested;
    const bool is_auto = strcmp(r->method, "auto") == 0;
    const bool wraps = o->state.blocking.periodic[o->axis] && !o->why_stages[0];
    text_add(t, "%s:parts=%lld", r->method,
             (long long)(wraps ? o->extent / o->width : int_parts(o->extent, o->width)));
    if (!r->single && !o->why_stages[0])
        text_add(t, ",steps=%d", o->steps);
    if (o->windows > 1)
        text_add(t, ",windows=%d", o->windows);
    if (!is_auto || o->why_stages[0])
        return;
    if (run_has_launches(run))
        text_add(t, ",depth=%d", o->depth);
    if (!o->disk)
        text_add(t, ",overlap=%d,stay=%lld", o->overlaps, (long long)o->stay);
    text_add(t, ",once=%d", o->sent_once);
    if (!run_has_launches(run) && !outofcore_has_tiles(o))
        text_add(t, ",depth=1");
}

const char *outofcore_tiles(const pav_run *run)
{
    return run->outofcore && outofcore_has_tiles(run->outofcore)
               ? run->outofcore->tile_words
               : NULL;
}

/* True if planes move between visits although overlap was requested. */
bool outofcore_is_not_overlapped(const outofcore *o)
{
    return o->requested.overlapped && !o->overlaps && o->width < o->extent;
}

void outofcore_add_method_json(const pav_run *run, text *t)
{
    text as = {0};
    outofcore_add_as(run, &as);
    text_add(t, "\"method\": \"%s\", \"as\": ", run->outofcore->requested.method);
    text_add_json(t, as.data);
    text_add(t, ", \"tiles\": ");
    text_add_json(t, outofcore_tiles(run));
    text_add(t, ", ");
    t->failed = t->failed || as.failed;
    text_free(&as);
}
