/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans the past of a run before the run: the steps that count, the cost of each way to
 * keep them, and the choice of one way. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "imaging/imaging_private.h"

/* ---- the interval of used steps ---------------------------------------------------- */

/* Chooses the stride between the past steps that count. The sum over time of the product
 * of two waves needs only every n-th step if n steps last at most 1/(2*f). f is the
 * highest frequency of the sources, and of the waves. */

/* Amplitudes below this part of the largest amplitude are ignored. The spectrum of a
 * Ricker wavelet of frequency f falls to this part at 3*f. */
static const double least_part = 0.003, ricker_end = 3;

/* The discrete Fourier transform of n values in place; n is a power of 2 (Cooley,
 * Tukey). Values change places by their reversed bits first. */
static void transform(double (*v)[2], int64_t n)
{
    for (int64_t i = 1, j = 0; i < n; i++) {
        int64_t bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        for (int part = 0; i < j && part < 2; part++) {
            const double kept = v[i][part];
            v[i][part] = v[j][part];
            v[j][part] = kept;
        }
    }
    for (int64_t half = 1; half < n; half *= 2)
        for (int64_t k = 0; k < half; k++) {
            const double c = cos(PI * (double)k / (double)half);
            const double s = -sin(PI * (double)k / (double)half);
            for (int64_t i = k; i < n; i += 2 * half) {
                double *a = v[i], *b = v[i + half];
                const double re = c * b[0] - s * b[1], im = c * b[1] + s * b[0];
                b[0] = a[0] - re;
                b[1] = a[1] - im;
                a[0] += re;
                a[1] += im;
            }
        }
}

/* Highest frequency with an amplitude above least_part of the largest of its trace, in
 * cycles per step. */
static pav_status highest_of_traces(const trace_table *t, double *highest)
{
    int64_t n = 2;

    while (n < 2 * t->rows)
        n *= 2;
    OWNED double(*v)[2] = mem_new(n, sizeof *v);
    if (!v)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < t->columns; k++) {
        double most = 0;
        memset(v, 0, (size_t)n * sizeof *v);
        for (int64_t i = 0; i < t->rows; i++)
            v[i][0] = t->value[i * t->columns + k];
        transform(v, n);
        for (int64_t i = 0; i <= n / 2; i++)
            most = fmax(most, hypot(v[i][0], v[i][1]));
        for (int64_t i = 0; i <= n / 2; i++)
            if (hypot(v[i][0], v[i][1]) > least_part * most)
                *highest = fmax(*highest, (double)(i + 1) / (double)n);
    }
    return PAV_OK;
}

/* Raises *highest to the source's highest frequency, in cycles per step. */
static pav_status highest_of_source(const program *p, const statement *inject, double dt,
                                    double *highest)
{
    const double ricker = wave_ricker(p, inject->value);
    OWNED_BY(traces_free) trace_table t = {0};

    if (inject->trace) {
        TRY(shot_read_wavelet(p, inject, &t));
        return highest_of_traces(&t, highest);
    }
    *highest = fmax(*highest, ricker_end * ricker * dt);
    return ricker > 0 ? PAV_OK
                      : FAIL(PAV_EUNSUPPORTED,
                             "%s:%d: how fast this source varies is not known, since "
                             "it is no ricker(f, t) of a known f and no file: give "
                             "the number of steps in place of auto",
                             p->name, inject->at.line);
}

pav_status every_settle(const program *p, pav_adjoint_options *o)
{
    const symbol *dt = p->dt;
    double highest = 0;
    int64_t sources = 0;

    if (o->every != PAV_EVERY_AUTO)
        return PAV_OK;
    if (dt && !dt->constant)
        return FAIL(PAV_EUNSUPPORTED,
                    "%s: dt follows from fields, so that the steps that count cannot be "
                    "chosen before a run: give their number in place of auto",
                    p->name);
    EACH_STATEMENT(s, p)
        if (s->kind == STATEMENT_INJECT && ++sources > 0)
            TRY(highest_of_source(p, s, dt ? num_f64(dt->number) : 1, &highest));
    if (sources == 0)
        return FAIL(PAV_EUNSUPPORTED,
                    "%s has no source whose spectrum would say how many steps "
                    "count: give their number in place of auto",
                    p->name);
    const double steps = highest > 0 ? floor(1 / (2 * highest) * (1 + 1e-9)) : 1;
    o->every = steps < 1 ? 1 : steps > 1e6 ? 1000000 : (int64_t)steps;
    return PAV_OK;
}

/* ---- ways -------------------------------------------------------------------------- */

static pav_status refuse(const program *forward, const history_choice *c)
{
    static const char *const what[] = {
        [HISTORY_ALL] = "all steps, which are ",
        [HISTORY_SNAPSHOTS] = "one state of ",
        [HISTORY_BOUNDARY] = "the strips beside the layer, which are "};
    const history_way *w = &c->way[c->taken];
    OWNED_BY(text_free) text t = {0};

    if (w->kind == HISTORY_BOUNDARY && *c->boundary.why)
        return FAIL(PAV_EUNSUPPORTED, "%s: the past cannot be stepped back to: %s",
                    forward->name, c->boundary.why);
    text_add_bytes_size(&t, c->budget.memory);
    text_add(&t, " of history do not hold %s", what[w->kind]);
    text_add_bytes_size(&t, w->kind == HISTORY_SNAPSHOTS ? c->size.state
                                                         : w->bytes + w->disk);
    return FAIL(PAV_ENOMEM, "%s: %s", forward->name, t.data ? t.data : "memory ran out");
}

static const char *const names[] = {"all", "snapshots", "boundary"};

/* Memory, and bytes of a disk if one is named. */
static pav_status choose_budget(const pav_adjoint_options *o, history_choice *c)
{
    const int64_t available = mem_available();
    uint64_t which;
    const int64_t free = o->disk ? disk_available(o->disk, &which) : 0;

    c->disk = o->disk;
    c->budget.memory = o->history > 0  ? o->history
                       : available > 0 ? available / 2
                                       : INT64_MAX;
    c->budget.disk = !o->disk            ? 0
                     : o->disk_bytes > 0 ? o->disk_bytes
                                         : int64_most(free / 2, 0);
    if (free < 0 || c->budget.disk <= free)
        return PAV_OK;
    return FAIL(PAV_ENOMEM,
                "%s has %lld bytes free, and the past of the run may take %lld there: "
                "give less by disk-size",
                o->disk, (long long)free, (long long)c->budget.disk);
}

/* Divides the states between memory and disk: the first on the disk if memory does not
 * hold all. */
static void divide(history_way *w, int64_t each, const history_budget *budget)
{
    const int64_t here = each > 0 ? budget->memory / each : w->states;

    w->disk_states = here < w->states ? w->states - here : 0;
    w->bytes = (w->states - w->disk_states) * each;
    w->fits = mul_fits(w->disk_states, each, &w->disk) && w->disk <= budget->disk;
}

/* Fills HISTORY_ALL and HISTORY_SNAPSHOTS: they give values bitwise identical to the
 * run's. */
static void find_ways(const history_size *size, int64_t steps,
                      const history_budget *budget, history_way way[2])
{
    const int64_t strides = int_parts(steps, size->every);
    const int64_t room = size->state > 0
                             ? budget->memory / size->state + budget->disk / size->state
                             : strides;
    const int64_t states = room < strides ? room : strides;

    way[0] = (history_way){.kind = HISTORY_ALL,
                           .states = size->needs_new && size->every > 1 ? 2 * strides
                                                                        : strides + 1};
    divide(&way[0], size->step, budget);
    way[1] = (history_way){.kind = HISTORY_SNAPSHOTS, .states = states};
    if (states < 1)
        return;
    divide(&way[1], size->state, budget);
    /* The first way down is the run itself, whose last step is kept during the run. */
    way[1].steps_again = (revolve_cost(strides, states - 1) - (strides - 1)) *
                             size->every +
                         (size->needs_new ? strides - 1 : 0);
}

/* A disk is slower than repeated steps on a GPU. Yet a disk named by the user is used. */
pav_status history_choose(const adjoint *a, const pav_adjoint_options *o,
                          history_choice *c)
{
    static const pav_type type[] = {PAV_F16, PAV_BF16, PAV_F32};
    history_way *steps_back = &c->way[HISTORY_BOUNDARY];
    int kept = 0, first = 0;

    *c = (history_choice){.size.every = o->every > 0 ? o->every : 1,
                          .concurrent = o->shots ? o->at_once : 1};
    while (o->keep && kept < HISTORY_WAYS && strcmp(o->keep, names[kept]) != 0)
        kept++;
    if (kept == HISTORY_WAYS)
        return FAIL(PAV_EINVAL,
                    "there is no way '%s' to keep the past: all, snapshots, boundary",
                    o->keep);
    if (o->every < 0 || o->every > a->steps)
        return FAIL(PAV_EINVAL, "every %lld steps of %lld", (long long)o->every,
                    (long long)a->steps);
    for (size_t k = 0; o->stored && k < COUNT_OF(type); k++)
        if (strcmp(o->stored, pav_type_name(type[k])) == 0) {
            c->size.narrow = true;
            c->size.type = type[k];
        }
    if (o->stored && !c->size.narrow)
        return FAIL(PAV_EINVAL, "the past is not stored as '%s': f16, bf16 or f32",
                    o->stored);
    TRY(choose_budget(o, c));
    history_measure(a, &c->size);
    find_ways(&c->size, a->steps, &c->budget, c->way);
    TRY(boundary_measure(a, &c->boundary));
    /* all of N steps but the last are taken again, each once */
    *steps_back = (history_way){
        .kind = HISTORY_BOUNDARY, .states = a->steps - 1, .steps_again = a->steps - 1};
    divide(steps_back, c->boundary.bytes, &c->budget);
    steps_back->fits = steps_back->fits && !*c->boundary.why;
    /* A way with bitwise identical values comes before HISTORY_BOUNDARY. */
    while (first < HISTORY_WAYS && !c->way[first].fits)
        first++;
    c->taken = o->keep ? kept : first < HISTORY_WAYS ? first : HISTORY_SNAPSHOTS;
    return c->way[c->taken].fits ? PAV_OK : refuse(a->forward, c);
}

/* Cost of a gradient in units of the steps forwards. The steps forwards count 1, the
 * steps back count 1 (they cost the same and read the past), and repeated steps add their
 * share. */
static double times_forward(const history_way *w, int64_t steps)
{
    return 2 + (double)w->steps_again / (double)steps;
}

static void add_way(const history_choice *c, int k, int64_t steps, text *t)
{
    const history_way *w = &c->way[k];

    text_add(t, "  %-10s ", names[k]);
    if (k == HISTORY_SNAPSHOTS && w->states < 1) {
        text_add(t, "not one state fits\n");
        return;
    }
    if (k == HISTORY_BOUNDARY && *c->boundary.why) {
        text_add(t, "cannot be: %s\n", c->boundary.why);
        return;
    }
    text_add_bytes_size(t, w->bytes);
    if (w->disk > 0) {
        text_add(t, " and ");
        text_add_bytes_size(t, w->disk);
        text_add(t, " on the disk");
    }
    if (w->kind == HISTORY_BOUNDARY)
        text_add(t, ", strips of %lld steps", (long long)w->states);
    else
        text_add(t, ", %lld of %lld states", (long long)w->states,
                 (long long)c->way[0].states);
    text_add(t, ", %lld steps again, %.2f times the steps forwards%s%s\n",
             (long long)w->steps_again, times_forward(w, steps),
             k == HISTORY_BOUNDARY ? ", other roundings" : "",
             c->taken == k ? ": taken"
             : w->fits     ? ""
                           : ": does not fit");
}

/* Appends the line about shots computed together to the plan: their number on a large GPU
 * and on this machine, or the requested number. */
static void add_together(const program *p, const pav_adjoint_options *o, text *t)
{
    const int threads = o->threads > 0 ? o->threads : host_threads();
    const int64_t count = program_all_points(p);

    if (o->together > 0)
        text_add(t, "%d shots", o->together);
    else
        text_add(t, "%lld shots on a large GPU, %lld on %d threads",
                 (long long)shots_that_fill(true, 0, count),
                 (long long)shots_that_fill(false, threads, count), threads);
    text_add(t, " are computed as one, as far as they differ in positions and data alone "
                "and their past is kept in memory\n");
}

static pav_status report(const adjoint *a, const pav_adjoint_options *o, int json,
                         char **result)
{
    history_choice c = {0};
    text t = {0};

    TRY(history_choose(a, o, &c));
    if (json) {
        text_add(&t,
                 "{\"steps\": %lld, \"every\": %lld, \"history\": %lld, "
                 "\"history_disk\": %lld, "
                 "\"taken\": \"%s\", \"ways\": [",
                 (long long)a->steps, (long long)c.size.every, (long long)c.budget.memory,
                 (long long)c.budget.disk, names[c.taken]);
        for (int k = 0; k < HISTORY_WAYS; k++)
            text_add(&t,
                     "%s{\"name\": \"%s\", \"bytes\": %lld, \"disk_bytes\": %lld, "
                     "\"states\": %lld, \"steps_again\": %lld, "
                     "\"times_forward\": %.4g, \"same_bits\": %s, \"fits\": %s}",
                     k ? ", " : "", names[k], (long long)c.way[k].bytes,
                     (long long)c.way[k].disk, (long long)c.way[k].states,
                     (long long)c.way[k].steps_again, times_forward(&c.way[k], a->steps),
                     k == HISTORY_BOUNDARY ? "false" : "true",
                     c.way[k].fits ? "true" : "false");
        text_add(&t, "]}\n");
    } else {
        text_add(&t, "the past of %lld steps", (long long)a->steps);
        if (c.size.every > 1)
            text_add(&t, ", every %lld of them,", (long long)c.size.every);
        text_add(&t, " within ");
        text_add_bytes_size(&t, c.budget.memory);
        if (c.disk) {
            text_add(&t, " and ");
            text_add_bytes_size(&t, c.budget.disk);
            text_add(&t, " in %s", c.disk);
        }
        if (c.size.narrow)
            text_add(&t, ", in %s", pav_type_name(c.size.type));
        text_add(&t, ":\n");
        for (int k = 0; k < HISTORY_WAYS; k++)
            add_way(&c, k, a->steps, &t);
        if (o->shots)
            add_together(a->forward, o, &t);
    }
    return text_take(&t, result);
}

pav_status pav_adjoint_plan(const pav_program *p, const pav_adjoint_options *options,
                            int json, char **result)
{
    GUARDED;
    static const pav_adjoint_options usual;
    pav_adjoint_options settled = options ? *options : usual;
    const pav_adjoint_options *o = &settled;
    OWNED_BY(adjoint_free) adjoint a = {0};
    OWNED const statement **receivers = NULL;

    if (result)
        *result = NULL;
    if (!p || !result)
        return FAIL(PAV_EINVAL,
                    "pav_adjoint_plan needs a program and a place for the text");
    TRY(every_settle(&p->tree, &settled));
    const bool chosen = o->coefficients || o->image;
    OWNED const char **all = chosen ? NULL : coefficients_of(&p->tree);
    if (!chosen && !all)
        return PAV_ENOMEM;
    TRY(receivers_choose(&p->tree, o->data, &receivers));
    const adjoint_wish wish = {.steps = o->steps,
                               .receivers = receivers,
                               .every = o->every,
                               .scaled = true,
                               .image = o->image != 0,
                               .coefficients = all        ? all
                                               : o->image ? NULL
                                                          : o->coefficients};
    TRY(adjoint_derive(&p->tree, &wish, &a));
    return report(&a, o, json, result);
}
