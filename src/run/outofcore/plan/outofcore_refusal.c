/* SPDX-License-Identifier: BSD-3-Clause */
/* Reasons against computing a program out of core. */
#include "run/outofcore/outofcore_private.h"

void outofcore_refusal(const pav_run *run, const outofcore *o, text *why)
{
    if (run->solver.solution.count > 0)
        text_add(why, "an equation is solved in each of its steps");
    else if (o->requested.again && !o->state.blocking.refusal &&
             o->state.blocking.periodic[run->code->dim - 1])
        text_add(why, "mm and mmt part no axis that wraps around; auto does");
}

/* Refuses settings and methods without effect. */
pav_status outofcore_check_settings(const pav_run *run)
{
    const outofcore_request *r = &run->outofcore->requested;
    const char *name = run->program->name;
    if (r->asks_depth && r->depth > 1 && !place_kind_of(run->place->device)->own_memory)
        return FAIL(PAV_EINVAL,
                    "depth=%lld: launches of several steps are of GPUs; visits of %s on "
                    "processors take time tiles (--schedule time:depth=%lld)",
                    (long long)r->depth, name, (long long)r->depth);
    if (!run->outofcore->disk)
        return PAV_OK;
    if (r->asks_overlap)
        return FAIL(PAV_EINVAL,
                    "overlap=%d: over files planes always come from the disk and go "
                    "there while a visit computes, and are copied to the window and "
                    "from it between visits; leave it out",
                    r->overlapped);
    return r->overlapped
               ? FAIL(PAV_EINVAL,
                      "%s moves planes to the window and from it while a visit "
                      "computes, which fields in files do not: m-mmtb is the same but "
                      "for that",
                      r->method)
               : PAV_OK;
}

bool outofcore_may_be(const pav_run *run)
{
    outofcore o = {0};
    text why = {0};
    bool may = ir_blocking_open(run->code, NULL, &o.state.blocking) == PAV_OK;
    if (may)
        outofcore_refusal(run, &o, &why);
    may = may && why.length == 0 && !why.failed;
    ir_blocking_close(&o.state.blocking);
    text_free(&why);
    return may;
}

pav_status outofcore_check_resident(const pav_run *run)
{
    const outofcore *o = run->outofcore;
    if (o->requested.stay == 0 || outofcore_may_be_resident(o))
        return PAV_OK;
    return FAIL(
        PAV_EINVAL,
        "no planes of %s can stay on the device (stay=%lld): they do in blocks of "
        "steps in two dimensions or three, along an axis that does not wrap "
        "around, in one window, with a store in memory; leave it out",
        run->program->name, (long long)o->requested.stay);
}

/* ---- too little memory ------------------------------------------------------------- */

static int64_t least_bytes(const pav_run *run)
{
    const outofcore *o = run->outofcore;
    const int64_t narrow = o->state.blocking.periodic[o->axis]
                               ? 2 * (outofcore_most_shift(o, 1) + 2 * o->halo) + 1
                               : 1;
    int64_t bytes = 0, out;
    const int64_t planes = o->why_stages[0] ? 2 * o->halo + o->unit
                                            : outofcore_planes(o, 1, narrow, false, &out);
    return planes > 0 && outofcore_bytes(run, planes, &bytes) ? bytes : 0;
}

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

/* bytes: needed for `what`; limit: available. */
static pav_status too_few(const pav_run *run, const char *whose, int64_t bytes,
                          const char *what, int64_t limit, const char *option)
{
    text needed = {0}, given = {0};
    text_add_bytes_size(&needed, bytes);
    text_add_bytes_size(&given, limit);
    const pav_status status = FAIL(
        PAV_ENOMEM,
        "%s needs %s of the %s's memory for %s, and has %s: give more (%s), or a grid "
        "whose planes are smaller",
        run->program->name, needed.data, whose, what, given.data, option);
    text_free(&needed);
    text_free(&given);
    return status;
}

pav_status outofcore_too_little(const pav_run *run)
{
    const outofcore *o = run->outofcore;
    const int64_t least = least_bytes(run);
    const int64_t host = o->disk
                             ? disk_staged_bytes(run, 1) +
                                   (run_uses_device_memory(run) ? 0 : o->windows * least)
                             : 0;
    if (o->disk && !o->why_stages[0] && host > o->disk->limit)
        return too_few(run, "host", host, "planes on their way to and from the disk",
                       o->disk->limit, "--host-memory");
    if (least <= o->limit)
        return parts_do_not_fit(run);
    return too_few(run, "device", least, "the thinnest part of its grid", o->limit,
                   "--device-memory");
}
