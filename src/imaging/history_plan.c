/* SPDX-License-Identifier: BSD-3-Clause */
/* What the past of a run takes, before it is run. */
#include <string.h>

#include "imaging/imaging_private.h"

pav_status history_choose(const program *forward, const adjoint *a,
                          const pav_adjoint_options *o, history_choice *c)
{
    const int64_t available = mem_available();
    const bool snapshots = o->keep && strcmp(o->keep, "snapshots") == 0;
    const bool all = o->keep && strcmp(o->keep, "all") == 0;
    text t = {0};

    *c = (history_choice){0};
    if (o->keep && !snapshots && !all)
        return FAIL(PAV_EINVAL, "there is no way '%s' to keep the past: all, snapshots",
                    o->keep);
    c->budget = o->history > 0 ? o->history : available > 0 ? available / 2 : INT64_MAX;
    if (o->every < 0 || o->every > a->steps)
        return FAIL(PAV_EINVAL, "every %lld steps of %lld", (long long)o->every,
                    (long long)a->steps);
    c->size = history_measure(forward, a, o->every > 0 ? o->every : 1);
    history_ways(&c->size, a->steps, c->budget, c->way);
    c->taken = (c->way[0].fits && !snapshots) || all ? 0 : 1;
    if (c->way[c->taken].fits)
        return PAV_OK;
    text_add_bytes_size(&t, c->budget);
    text_add(&t, " of history do not hold %s",
             all ? "all steps, which are " : "one state of ");
    text_add_bytes_size(&t, all ? c->way[0].bytes : c->size.state);
    const pav_status status = FAIL(PAV_ENOMEM, "%s: %s", forward->name,
                                   t.data ? t.data : "memory ran out");
    text_free(&t);
    return status;
}

static const char *const names[] = {"all", "snapshots"};

static void add_way(const history_choice *c, int k, int64_t steps, text *t)
{
    const history_way *w = &c->way[k];

    text_add(t, "  %-10s ", names[k]);
    if (k == 1 && !w->fits) {
        text_add(t, "not one state fits\n");
        return;
    }
    text_add_bytes_size(t, w->bytes);
    text_add(t, ", %lld of %lld states, %lld steps again (%.2f of the run)%s\n",
             (long long)w->states, (long long)c->way[0].states, (long long)w->steps_again,
             (double)w->steps_again / (double)steps,
             c->taken == k ? ": taken"
             : w->fits     ? ""
                           : ": does not fit");
}

static void add_json(const history_choice *c, int64_t steps, text *t)
{
    text_add(t, "{\"steps\": %lld, \"history\": %lld, \"taken\": \"%s\", \"ways\": [",
             (long long)steps, (long long)c->budget, names[c->taken]);
    for (int k = 0; k < 2; k++)
        text_add(t,
                 "%s{\"name\": \"%s\", \"bytes\": %lld, \"states\": %lld, "
                 "\"steps_again\": %lld, \"fits\": %s}",
                 k ? ", " : "", names[k], (long long)c->way[k].bytes,
                 (long long)c->way[k].states, (long long)c->way[k].steps_again,
                 c->way[k].fits ? "true" : "false");
    text_add(t, "]}\n");
}

static pav_status report(const program *forward, const adjoint *a,
                         const pav_adjoint_options *o, int json, char **result)
{
    history_choice c = {0};
    text t = {0};

    TRY(history_choose(forward, a, o, &c));
    if (json) {
        add_json(&c, a->steps, &t);
    } else {
        text_add(&t, "the past of %lld steps", (long long)a->steps);
        if (c.size.every > 1)
            text_add(&t, ", every %lld of them,", (long long)c.size.every);
        text_add(&t, " within ");
        text_add_bytes_size(&t, c.budget);
        text_add(&t, ":\n");
        for (int k = 0; k < 2; k++)
            add_way(&c, k, a->steps, &t);
    }
    return text_take(&t, result);
}

pav_status pav_adjoint_plan(const pav_program *p, const pav_adjoint_options *options,
                            int json, char **result)
{
    GUARDED;
    static const pav_adjoint_options usual;
    const pav_adjoint_options *o = options ? options : &usual;
    adjoint a = {0};
    program *forward = NULL;

    if (result)
        *result = NULL;
    if (!p || !result)
        return FAIL(PAV_EINVAL,
                    "pav_adjoint_plan needs a program and a place for the text");
    const char **all = o->coefficients ? NULL : coefficients_of(&p->tree);
    if (!o->coefficients && !all)
        return PAV_ENOMEM;
    const adjoint_wish wish = {.steps = o->steps,
                               .coefficients = all ? (const char *const *)all
                                                   : o->coefficients};
    const pav_program_options named = {.name = p->tree.name,
                                       .directory = p->tree.directory};
    pav_status status = adjoint_derive(&p->tree, &wish, &a);
    if (status == PAV_OK)
        status = program_parse(a.forward, (int64_t)strlen(a.forward), &named, &forward);
    if (status == PAV_OK)
        status = history_settle(forward, &a);
    if (status == PAV_OK)
        status = report(forward, &a, o, json, result);
    program_free(forward);
    adjoint_free(&a);
    mem_free(all);
    return status;
}
