/* SPDX-License-Identifier: BSD-3-Clause */
/* The stability of linear equations: the longest stable step, and the points of the
 * shortest waves. A run checks them before its first step; a plan shows them with the
 * initial coefficients, which the interpreter computes, on small grids only.
 *
 * Each part of a run reads its own points and ranks join their results, so that no buffer
 * has the size of the whole grid. */
#include <math.h>
#include <string.h>

#include "run/plan/needs_private.h"
#include "run/record_private.h"
#include "run/run_private.h"

/* Visits the points of level 0 on this rank, part by part (stability.c). */
static pav_status run_visit_points(pav_run *run, int field, const part_visit *visit)
{
    const view *v = run->part->view[field][1];

    if (!v)
        return PAV_OK;
    const box all = view_points(v);
    if (run->cut.is_cut)
        return exec_split_read(run->part, field, 0, &all, visit);
    TRY(run_host_view(run, field, 0, HOST_READ, &v));
    return visit->part(visit->user, v, &all);
}

/* Joins the results of all ranks in their order, so that all ranks have the same. */
pav_status run_join_ranks(pav_run *run, void *own, int64_t bytes, run_joining *join)
{
    const int count = ranks_count(run->part->ranks);
    OWNED char *all = NULL;
    TRY(mem_take(&all, count, (size_t)bytes));
    TRY(ranks_gather(run->part->ranks, own, bytes, all));
    for (int n = 0; n < count; n++)
        join(own, all + n * bytes);
    return PAV_OK;
}

/* ---- the least and the largest ----------------------------------------------------- */

typedef struct range {
    double least, most;
} range;

typedef struct ranging {
    host_team *team;
    range all;
    const view *v; /* of the present part */
    box points;
    int axis, parts;
    double least[PAV_MAX_THREADS], most[PAV_MAX_THREADS]; /* of each thread */
} ranging;

/* Independent lanes: the comparisons of one lane need not wait for another. */
static void range_of_row(const double *value, int64_t count, double *least, double *most)
{
    enum { LANES = 8 };
    double low[LANES], high[LANES];

    for (int k = 0; k < LANES; k++) {
        low[k] = *least;
        high[k] = *most;
    }
    for (int64_t i = 0; i + LANES <= count; i += LANES)
        for (int k = 0; k < LANES; k++) {
            low[k] = value[i + k] < low[k] ? value[i + k] : low[k];
            high[k] = value[i + k] > high[k] ? value[i + k] : high[k];
        }
    for (int64_t i = count / LANES * LANES; i < count; i++) {
        low[0] = value[i] < low[0] ? value[i] : low[0];
        high[0] = value[i] > high[0] ? value[i] : high[0];
    }
    for (int k = 0; k < LANES; k++) {
        *least = low[k] < *least ? low[k] : *least;
        *most = high[k] > *most ? high[k] : *most;
    }
}

static void range_part(void *argument, int64_t n)
{
    enum { PIECE = 512 };
    ranging *r = argument;
    double value[PIECE];
    box part;

    if (!partition_box(&r->points, r->axis, r->parts, n, &part))
        return;
    for (int64_t k = part.lo[2]; k < part.hi[2]; k++)
        for (int64_t j = part.lo[1]; j < part.hi[1]; j++)
            for (int64_t i = part.lo[0]; i < part.hi[0]; i += PIECE) {
                const int64_t left = part.hi[0] - i, count = left < PIECE ? left : PIECE;
                const box piece = {{i, j, k}, {i + count, j + 1, k + 1}};
                view_read_box(r->v, &piece, PAV_F64, value);
                range_of_row(value, count, &r->least[n], &r->most[n]);
            }
}

static pav_status range_of_part(void *user, const view *v, const box *b)
{
    ranging *r = user;

    r->v = v;
    r->points = *b;
    r->axis = partition_axis(b, r->parts);
    for (int k = 0; k < r->parts; k++) {
        r->least[k] = INFINITY;
        r->most[k] = -INFINITY;
    }
    host_team_run(r->team, r->parts, range_part, r);
    for (int k = 0; k < r->parts; k++) {
        r->all.least = fmin(r->all.least, r->least[k]);
        r->all.most = fmax(r->all.most, r->most[k]);
    }
    return PAV_OK;
}

static void join_ranges(void *own, const void *other)
{
    range *a = own;
    const range *b = other;

    a->least = fmin(a->least, b->least);
    a->most = fmax(a->most, b->most);
}

pav_status run_field_range(pav_run *run, int field, double *least, double *most)
{
    ranging r = {.team = run->team.all,
                 .parts = host_team_threads(run->team.all),
                 .all = {INFINITY, -INFINITY}};

    TRY(run_visit_points(run, field, &(part_visit){range_of_part, &r}));
    TRY(run_join_ranks(run, &r.all, sizeof r.all, join_ranges));
    *least = r.all.least;
    *most = r.all.most;
    return PAV_OK;
}

/* ---- limits of a run --------------------------------------------------------------- */

static const double fewest = 4; /* points of a wavelength; fewer give a warning */

/* A Ricker wavelet contains frequencies up to 2.5 times its own. */
static double wave_points(const wave_limit *w, double dt)
{
    return w->frequency > 0 ? w->speed / (2.5 * w->frequency * dt) : 0;
}

static void report(pav_run *run, const wave_limit *w, double dt)
{
    const char *name = w->equation->symbol->name;
    const int line = w->equation->at.line;
    const double each = wave_points(w, dt);

    if (w->never)
        exec_warn(&run->client,
                  "%s:%d: no time step is stable for '%s'%s: the scheme's own waves grow "
                  "at any dt, as they do by differences with the flow, or by central "
                  "differences of a flow and an explicit step",
                  run->program->name, line, name,
                  w->equations > 1 ? " and the fields of its system" : "");
    else if (w->growth > 1 + 1e-6 && w->shares)
        exec_warn(&run->client,
                  "%s:%d: '%s'%s grows without bound: a step changes it by too much, and "
                  "at most %.4g of that is stable with the given coefficients",
                  run->program->name, line, name,
                  w->equations > 1 ? ", like the fields of its system," : "",
                  1 / sqrt(w->growth));
    else if (w->growth > 1 + 1e-6 && run->program->dt)
        exec_warn(&run->client,
                  "%s:%d: dt = %.4g is too long a step for '%s'%s: with the given "
                  "coefficients the longest stable step is %.4g",
                  run->program->name, line, dt, name,
                  w->equations > 1 ? " and the fields of its system" : "",
                  dt / sqrt(w->growth));
    else if (w->growth > 1 + 1e-6)
        exec_warn(
            &run->client,
            "%s:%d: '%s' grows without bound: with the given coefficients the symbol of "
            "its scheme goes down to %.4g, and -4 is the least stable value",
            run->program->name, line, name, -4 * w->growth);
    /* including the dispersion of the scheme */
    if (each > 0 && each < fewest * (1 - 1e-3))
        exec_warn(
            &run->client,
            "%s:%d: the shortest waves of '%s' have %.1f points, at 2.5 times the "
            "%.4g of the wavelet where they are slowest; order 8 needs 5, order 2 ten",
            run->program->name, line, name, each, w->frequency);
}

/* ---- points of a system ------------------------------------------------------------ */

/* Only some points are tested for stability: the points with the least or the greatest
 * value of a coefficient, or of a product or quotient of two coefficients. Speeds are
 * such products and quotients. */
enum { MOST_EXTREMES = 3 * WAVE_COEFFICIENTS * WAVE_COEFFICIENTS };

typedef struct extremes {
    int coefficients, count;
    double at[MOST_EXTREMES];
    double value[MOST_EXTREMES][WAVE_COEFFICIENTS];
} extremes;

static void take(extremes *e, double figure, const double *value)
{
    const int n = e->count++;
    if (isnan(e->at[n]) || figure > e->at[n]) {
        e->at[n] = figure;
        memcpy(e->value[n], value, sizeof e->value[n]);
    }
}

/* Takes the largest, the least, and the least above 0: a fluid has no slow shear wave. */
static void take_all(extremes *e, double figure, const double *value)
{
    take(e, figure, value);
    take(e, -figure, value);
    take(e, figure > 0 ? -figure : -INFINITY, value);
}

static void join_extremes(void *own, const void *other)
{
    extremes *e = own;
    const extremes *o = other;

    if (o->count == 0 || o->coefficients == 0)
        return;
    e->count = 0;
    for (int n = 0; n < o->count; n++)
        take(e, o->at[n], o->value[n]);
}

/* The same part of each coefficient field. */
typedef struct part_values {
    const view *v[WAVE_COEFFICIENTS];
    box points;
} part_values;

/* Reads every n-th row, a few million points in all. */
static void take_rows(const part_values *p, int64_t parts, extremes *e)
{
    enum { SAMPLED = 1 << 22 };
    const box *all = &p->points;
    const int64_t rows = int_parts(box_points(*all), all->hi[0] - all->lo[0]);
    const int64_t stride = int_parts(box_points(*all), int_parts(SAMPLED, parts));
    double value[WAVE_COEFFICIENTS] = {0};

    for (int64_t n = 0; n < rows; n += stride) {
        const int64_t ny = all->hi[1] - all->lo[1];
        const int64_t y = all->lo[1] + n % ny, z = all->lo[2] + n / ny;
        for (int64_t x = all->lo[0]; x < all->hi[0]; x++) {
            for (int k = 0; k < e->coefficients; k++)
                value[k] = type_load(p->v[k]->type, view_at(p->v[k], x, y, z));
            e->count = 0;
            for (int i = 0; i < e->coefficients; i++) {
                take_all(e, value[i], value);
                for (int j = 0; j < i; j++) {
                    take_all(e, value[i] * value[j], value);
                    take_all(e, value[i] / value[j], value);
                }
            }
        }
    }
}

/* Parts come in the same order for each field. */
typedef struct gathering {
    part_values *part;
    int64_t parts;
    int coefficient;
} gathering;

static pav_status add_part(void *user, const view *v, const box *b)
{
    gathering *g = user;
    part_values *p = &g->part[g->parts++];

    p->v[g->coefficient] = v;
    p->points = *b;
    return PAV_OK;
}

static pav_status find_system(pav_run *run, double dt, wave_limit *w)
{
    OWNED_NEW(extremes, e, 1);
    for (int n = 0; n < MOST_EXTREMES; n++)
        e->at[n] = NAN;
    e->coefficients = w->coefficients;
    e->count = w->coefficients == 0; /* without coefficients, any point will do */
    if (w->coefficients > 0) {
        OWNED_NEW(part_values, part, run->part->inners + 1);
        gathering g = {.part = part};
        const part_visit visit = {add_part, &g};
        bool all_there = true;

        for (int k = 0; k < w->coefficients; k++) {
            g.coefficient = k;
            g.parts = 0;
            TRY(run_visit_points(run, run_field_of(run, w->coefficient[k]), &visit));
            all_there = all_there && g.parts > 0;
        }
        for (int64_t n = 0; all_there && n < g.parts; n++)
            take_rows(&part[n], g.parts, e);
    }
    TRY(run_join_ranks(run, e, sizeof *e, join_extremes));
    return wave_system_find(run->program, dt, e->value[0], e->count, w);
}

/* ---- the check --------------------------------------------------------------------- */

/* The longest stable step. least, most: the range of each field of the program. */
static pav_status run_wave_limit(pav_run *run, double *least, double *most, wave_limit *w)
{
    const symbol_list *fields = &run->program->fields;
    const double dt = subdomain_step_time(run->part);

    for (int64_t f = 0; f < fields->count; f++)
        least[f] = most[f] = 1;
    TRY(wave_limit_find(run->program, dt, least, most, w));
    if (!w->equation) {
        TRY(wave_system_find(run->program, dt, NULL, 0, w));
        return w->equation ? find_system(run, dt, w) : PAV_OK;
    }
    for (int64_t f = 0; f < fields->count; f++)
        if (!fields->item[f]->updated && !fields->item[f]->coarse)
            TRY(run_field_range(run, run_field_of(run, fields->item[f]), &least[f],
                                &most[f]));
    return wave_limit_find(run->program, dt, least, most, w);
}

pav_status run_check_wave(pav_run *run)
{
    const int64_t count = run->program->fields.count;
    wave_limit w = {0};

    OWNED_NEW(double, ranges, 2 * count + 1);
    TRY(run_wave_limit(run, ranges, ranges + count, &w));
    if (w.equation)
        report(run, &w, subdomain_step_time(run->part));
    return PAV_OK;
}

/* ---- in a plan --------------------------------------------------------------------- */

enum { MOST_POINTS = 1 << 22 };

static pav_status find_wave(plan_wave *w, pav_run *run)
{
    const symbol_list *fields = &run->program->fields;
    OWNED_NEW(double, ranges, 2 * fields->count + 1);
    w->dt = subdomain_step_time(run->part);
    TRY(run_wave_limit(run, ranges, ranges + fields->count, &w->limit));
    for (int k = 0; k < w->limit.coefficients; k++) {
        const bool system = w->limit.equations > 0;
        const int64_t f = w->limit.coefficient[k]->index;
        w->least[k] = system ? w->limit.worst[k] : ranges[f];
        w->most[k] = system ? w->limit.worst[k] : ranges[fields->count + f];
    }
    return PAV_OK;
}

/* True if the description has linear equations, whatever their coefficients are. */
static bool is_wave(const pav_run *run)
{
    const int64_t count = run->program->fields.count;
    OWNED double *one = mem_new(count + 1, sizeof *one);
    wave_limit w = {0};

    for (int64_t f = 0; one && f < count; f++)
        one[f] = 1;
    if (one && wave_limit_find(run->program, 1, one, one, &w) == PAV_OK && w.equation)
        return true;
    return wave_system_find(run->program, 1, NULL, 0, &w) == PAV_OK && w.equation &&
           !w.shares;
}

/* If input files are missing, the plan is made without them. */
pav_status plan_find_wave(pav_plan *plan)
{
    OWNED_BY(free_run) pav_run *begun = NULL;

    if (!is_wave(plan->run))
        return PAV_OK;
    plan->wave.is = true;
    if (plan->run->work.points > MOST_POINTS)
        return PAV_OK;
    pav_status status = run_open_with(plan->run->program, interp_stage, &begun);
    if (status == PAV_OK)
        status = find_wave(&plan->wave, begun);
    if (status == PAV_OK && plan->wave.limit.equations > 0 &&
        !(plan->wave.limit.growth > 0) && !plan->wave.limit.never)
        plan->wave.is = false; /* it grows with any step, so it may be no wave */
    plan->wave.known = status == PAV_OK && plan->wave.limit.equation &&
                       (plan->wave.limit.growth > 0 || plan->wave.limit.never);
    if (status != PAV_OK)
        plan->wave.why = strdup(pav_message());
    return status == PAV_ENOMEM ? status : PAV_OK;
}

/* ---- telling ----------------------------------------------------------------------- */

static double longest(const plan_wave *w)
{
    return w->limit.never ? 0 : w->dt / sqrt(w->limit.growth);
}

void plan_wave_text(const pav_plan *plan, text *t)
{
    const plan_wave *w = &plan->wave;
    const bool system = w->limit.equations > 0;

    if (!w->is)
        return;
    if (!w->known && plan->run->work.points > MOST_POINTS)
        text_add(t, "\n%-12s its longest step is found by runs: the grid is large\n",
                 "stability");
    else if (!w->known)
        text_add(t,
                 "\n%-12s its coefficients could not be worked out before the run%s%s\n",
                 "stability", w->why ? ": " : "", w->why ? w->why : "");
    if (!w->known)
        return;
    if (w->limit.never)
        text_add(t, "\n%-12s no step is stable, dt is %.4g", "stability", w->dt);
    else
        text_add(t, "\n%-12s the longest stable step is %.4g, dt is %.4g%s", "stability",
                 longest(w), w->dt, w->limit.growth > 1 + 1e-6 ? ": TOO LONG" : "");
    for (int k = 0; k < w->limit.coefficients; k++) {
        const char *name = w->limit.coefficient[k]->name;
        if (system)
            text_add(t, "%s%s %.6g", k ? ", " : "; ", name, w->most[k]);
        else
            text_add(t, "%s%s from %.6g to %.6g", k ? ", " : "; ", name, w->least[k],
                     w->most[k]);
    }
    text_add(t, "%s\n",
             system && w->limit.coefficients > 0 ? " where that is least" : "");
    if (wave_points(&w->limit, w->dt) > 0)
        text_add(t,
                 "%-12s the shortest waves, of 2.5 times %.4g where they are slowest, "
                 "have %.3g points\n",
                 "", w->limit.frequency, wave_points(&w->limit, w->dt));
}

void plan_wave_json(const pav_plan *plan, text *t)
{
    const plan_wave *w = &plan->wave;

    if (!w->is || !w->known)
        return;
    json_open(t, "wave", '{');
    JSON_ADD(t, json_digits("dt", 9, w->dt), json_digits("longest_dt", 9, longest(w)),
             json_digits("points", 6, wave_points(&w->limit, w->dt)));
    json_open(t, "coefficients", '[');
    for (int k = 0; k < w->limit.coefficients; k++) {
        json_open(t, NULL, '{');
        JSON_ADD(t, json_word("name", w->limit.coefficient[k]->name),
                 json_digits("least", 9, w->least[k]),
                 json_digits("most", 9, w->most[k]));
        text_add(t, "}");
    }
    text_add(t, "]}");
}
