/* SPDX-License-Identifier: BSD-3-Clause */
/* Solves equations. An equation that stands alone is the run itself: its steps are
 * iterations of the method. An equation within a step has a run of its own, on the same
 * device with the same decomposition. In each step it gets the right side, the
 * coefficients and a start, begins anew, and hands its solution back. It keeps nothing
 * from step to step. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/record_private.h"
#include "run/run_private.h"

/* ---- iterations -------------------------------------------------------------------- */

enum { LOUD = 60 }; /* the first observations, each reported */
static const double grown = 1e6, incompatible = 1e-2, sampled = 1e-6;

static pav_status keep(pav_run *run, double residual)
{
    run_solving *s = &run->solver;
    TRY(mem_reserve(&s->residual, &s->residual_room, s->residuals, sizeof *s->residual));
    s->watch.count = s->residuals;
    residual_note(&s->watch, residual);
    s->residual[s->residuals++] = residual;
    return PAV_OK;
}

static double last_residual(const pav_run *run)
{
    return run->solver.residual[run->solver.residuals - 1];
}

/* The steps until the tolerance is met, if no steps are requested. A solver within a step
 * begins again in each step, so its run takes all steps. */
int64_t solver_expected_steps(const pav_run *run)
{
    const int64_t expected = run->solver.solution.expected;
    return expected > 0 && expected < run->steps && run->options.steps <= 0 &&
                   !run->solver.outer
               ? expected
               : run->steps;
}

/* ---- the start --------------------------------------------------------------------- */

/* Parameters of a derived description have a common prefix. */
bool solver_owns(const pav_run *run, const char *param)
{
    const char *start = run->solver.solution.start;
    return start && strncmp(param, start, strlen(start) - strlen("start")) == 0;
}

/* Initial values were checked by name before. So the cause is a computed coefficient,
 * border or right side. */
pav_status solver_not_finite(pav_run *run)
{
    TRY(run_check_pivots(run));
    const long long step = (long long)run->part->step;
    char when[60] = "before the first step";
    if (step > 0)
        (void)snprintf(when, sizeof when, "after %lld steps", step);
    return FAIL(PAV_ENOTFINITE, "%s:%d: the residual is not finite %s: %s",
                run->program->name, run->solver.solution.line, when,
                step > 0 ? "a number grew too large, or the diagonal of the operator is "
                           "0 at a point; `--check-nan 1` names the field and the point"
                         : "a weight of the operator, the right side or a border is not "
                           "finite at a point, for example because a divisor is 0, or "
                           "its square is not finite; or the diagonal of the operator is "
                           "0, because coefficients are 0 all around a point");
}

/* True if the start tells the part of the right side in the null space. Without symmetry,
 * and beside large values of a system, the end tells it. */
static bool is_known_early(const solution *s)
{
    return s->symmetric && s->unknowns == 1;
}

/* The right side must have no part in the null space, except for errors of sampling. */
static pav_status check_gap(pav_run *run)
{
    const solution *s = &run->solver.solution;
    for (int k = 0; k < s->unknowns; k++) {
        const char *weighted = !s->symmetric     ? ", weighted by the left null vector,"
                               : *s->together[k] ? ", added over these equations,"
                                                 : "";
        double gap = 0;
        char weak[100] = "";
        if (s->share > 1e-16)
            (void)snprintf(
                weak, sizeof weak,
                ", and its weights add up to %.2g of their sizes, which counts "
                "as 0",
                s->share);
        if (s->gap[k])
            TRY(pav_run_get(run, s->gap[k], &gap));
        if (gap > incompatible)
            return FAIL(PAV_ECONVERGE,
                        "%s:%d: no value of '%s' is given at any face%s%s, so a solution "
                        "exists only where the right side%s sums to 0; its sum is %.2g "
                        "of the sum of its absolute values: subtract its mean, %sgive "
                        "'%s' a value at a face%s",
                        run->program->name, s->line, s->unknown[k], s->together[k], weak,
                        weighted, gap, *weak ? "" : "or ", s->unknown[k],
                        *weak ? ", or take a smaller step" : "");
        if (gap > sampled)
            exec_note(
                &run->client,
                "no value of '%s' is given at any face%s, and the right side%s sums "
                "to %.2g of the sum of its absolute values: its mean is left out, "
                "and the residual is that of the rest",
                s->unknown[k], s->together[k], weighted, gap);
    }
    return PAV_OK;
}

pav_status solver_begin(pav_run *run)
{
    double start = 0;
    if (!run->solver.solution.start || run->solver.residuals > 0)
        return PAV_OK;
    TRY(pav_run_get(run, run->solver.solution.start, &start));
    exec_note(&run->client, "%s", run->solver.solution.about);
    TRY(keep(run, start));
    if (start * run->solver.solution.tolerance < sqrt(DBL_MIN))
        exec_note(&run->client,
                  "the residual is %.3g at the start, and squares below 1e-308 count as "
                  "0: if u is not the solution yet, multiply the right side by a large "
                  "number",
                  start);
    TRY(isfinite(start) ? PAV_OK : solver_explain(run, solver_not_finite(run)));
    return is_known_early(&run->solver.solution) ? check_gap(run) : PAV_OK;
}

/* ---- each observation -------------------------------------------------------------- */

static double factor_of(double first, double last, int64_t steps)
{
    return first > 0 && last > 0 && isfinite(last / first) && steps > 0
               ? pow(last / first, 1 / (double)steps)
               : 0;
}

/* Of each look: of the last few, or (a residual may rise for some) since the start. */
static double factor_of_looks(const pav_run *run)
{
    enum { FEW = 5 };
    const double *r = run->solver.residual;
    const int64_t last = run->solver.residuals - 1, few = int64_least(FEW, last);
    const double recent = factor_of(r[last - few], r[last], few);

    return recent > 0 && recent < 1 ? recent : factor_of(r[0], r[last], last);
}

/* Of `steps` and `until t >= end`, the one reached first; -1: neither is given. */
static double steps_to_end(const pav_run *run)
{
    const double dt = subdomain_step_time(run->part),
                 time = num_f64(run->program->end) -
                        subdomain_time(run->part, run->part->step),
                 most = run->steps > 0 ? (double)(run->steps - run->part->step)
                                       : INFINITY,
                 left = run->program->ends && dt > 0
                            ? fmin(most, fmax(ceil(time / dt - TIME_TOLERANCE), 0))
                            : most;

    return isfinite(left) ? left : -1;
}

/* Steps until the tolerance is met, if the residual falls as in the last looks; -1: it is
 * not known. */
static double steps_at_last_rate(const pav_run *run)
{
    const int64_t looks = run->solver.residuals - 1;
    const double factor = factor_of_looks(run),
                 wanted = run->solver.solution.tolerance * run->solver.residual[0];
    const ir_event_list *untils = &run->code->untils;
    const double every = (double)untils->item[untils->count - 1].statement->every_steps,
                 left = ceil(log(wanted / run->solver.residual[looks]) / log(factor));

    return factor > 0 && factor < 1
               ? fmax(left * every - fmod((double)run->part->step, every), 0)
               : -1;
}

double solver_steps_left(const pav_run *run)
{
    const int64_t done = run->part->step, looks = run->solver.residuals - 1,
                  expected = solver_expected_steps(run);
    const double most = (double)(run->steps - done),
                 unknown = run->options.steps > 0 ? most : -1;

    if (!run->solver.solution.start)
        return steps_to_end(run);
    if (looks < 1)
        return expected > done && expected < run->steps ? (double)(expected - done)
                                                        : unknown;
    const double left = steps_at_last_rate(run);
    return left < 0 ? unknown : fmin(left, most);
}

static double share_of(const pav_run *run, double residual)
{
    return run->solver.residual[0] > 0 ? residual / run->solver.residual[0] : 0;
}

static void report(pav_run *run, double before, double residual, int64_t steps)
{
    const int64_t n = run->solver.residuals;
    const long long step = (long long)run->part->step;
    if (n > LOUD && (n & (n - 1)) != 0 && isfinite(residual))
        return;
    if (!isfinite(residual))
        exec_note(&run->client, "step %lld: the residual is not finite", step);
    else
        exec_note(&run->client,
                  "step %lld: residual %.3e, %.3e of the start's, factor %.3f, %.3g s",
                  step, residual, share_of(run, residual),
                  factor_of(before, residual, steps > 0 ? steps : 1),
                  run->seconds.spent[PHASE_STEPS]);
}

static const char unsymmetric[] =
    "the operator is not symmetric: take multigrid or bicgstab";

static pav_status diverged(const pav_run *run, double residual)
{
    return FAIL(
        PAV_ECONVERGE,
        "%s:%d: %s diverges: the residual was %.3g at the start and is %.3g after %lld "
        "steps; %s",
        run->program->name, run->solver.solution.line, run->solver.solution.method,
        run->solver.residual[0], residual, (long long)run->part->step,
        run->solver.solution.needs_spd && !run->solver.solution.symmetric ? unsymmetric
        : run->solver.solution.needs_spd
            ? "it is for operators that are symmetric and positive, and this one "
              "seems not to be: take minres, or change its sign"
            : "the operator may be indefinite, or its diagonal small beside its other "
              "weights, for example with strong convection in a cell: take cg if it is "
              "symmetric, a smaller weight or spacing, or differences against the flow");
}

/* Of one digit: by the type that unknowns are stored in. */
static const double last_digit_of[] = {[PAV_F64] = DBL_EPSILON,
                                       [PAV_F32] = FLT_EPSILON,
                                       [PAV_F16] = 0x1p-10,
                                       [PAV_BF16] = 0x1p-7};

static pav_type stored_type(const pav_run *run)
{
    const char *first = run->solver.solution.unknown[0];
    const pav_type type = run->code->field[run_field_number(run, first)].storage;

    return last_digit_of[type] > last_digit_of[run->program->real] ? type
                                                                   : run->program->real;
}

static const char of_system[] =
    "minres needs a symmetric system, and here weights between two unknowns differ from "
    "those back, by a sign or at a border: take gmres(preconditioner = multigrid, "
    "restart "
    "= 12), or multiply an equation by -1 if the sign is all";

static bool misses_symmetry(const solution *s)
{
    return s->unknowns > 1 && !s->symmetric && strncmp(s->method, "minres", 6) == 0;
}

/* share: the remaining part of the first residual; out: memory for the text. */
static const char *cause_of_stagnation(const pav_run *run, double share, bool rounding,
                                       char *out, size_t size)
{
    const pav_type real = run->program->real, type = stored_type(run);

    if (rounding && type != real) {
        (void)snprintf(out, size,
                       "'%s' is stored as %s, and its rounding allows no less: declare "
                       "it `stored %s`",
                       run->solver.solution.unknown[0], pav_type_name(type),
                       pav_type_name(real));
        return out;
    }
    if (rounding)
        return real == PAV_F32
                   ? "rounding in f32 allows no less: ask for less, or take real f64"
                   : "rounding allows no less, as where coefficients differ much: ask "
                     "for less";
    if (run->solver.solution.gap[0] && share <= incompatible)
        return "no face gives a value, so a solution exists only for some right sides, "
               "and this seems to be none: `clamp` beside an order above 2 is not "
               "symmetric, take mirror; or give a value at a face";
    const char *why = run->solver.solution.needs_spd && !run->solver.solution.symmetric
                          ? unsymmetric
                      : run->solver.solution.needs_spd
                          ? "rounding allows no less, or the operator is not symmetric "
                            "and positive, which this method needs: take minres, or "
                            "bicgstab without symmetry"
                      : misses_symmetry(&run->solver.solution) ? of_system
                      : run->solver.solution.unknowns > 1
                          ? "the method is not for this system, or it has no solution: "
                            "take gmres(preconditioner = multigrid, restart = 12), or "
                            "give an unknown a value at a face"
                      : run->solver.solution.symmetric
                          ? "the method is not for this operator: take "
                            "cg(preconditioner = multigrid), minres if the operator is "
                            "indefinite, or more relaxations"
                          : "the method is not for this operator: take "
                            "bicgstab(preconditioner = multigrid), or more relaxations";
    (void)snprintf(out, size, "%s%s",
                   share > 0.9 && share <= 1
                       ? "it hardly fell at all: either it starts from the solution, as "
                         "far as rounding allows, or "
                       : "",
                   why);
    return out;
}

/* True if rounding errors of the unknowns alone make a residual of this size: the norm of
 * the residual is computed once more, with all values changed in their last digit. */
static pav_status find_rounding(pav_run *run, const ir_event *event, double residual,
                                bool *result)
{
    const double last_digit = last_digit_of[stored_type(run)];
    const solution *of = &run->solver.solution;
    const int64_t *n = run->code->field[run_field_number(run, of->unknown[0])].extent;
    const int64_t count = n[0] * n[1] * n[2];
    *result = residual < 1e5 * last_digit * run->solver.residual[0];
    if (*result || run->part->ranks || run->stepper->windows)
        return PAV_OK;
    OWNED_NEW(double, u, (of->unknowns + 1) * count);
    double *changed = u + of->unknowns * count, met = 0;
    for (int e = 0; e < of->unknowns; e++) {
        double *own = u + e * count;
        TRY(pav_field_read(run, of->unknown[e], 0, PAV_F64, own, count));
        for (int64_t k = 0; k < count; k++)
            changed[k] = own[k] *
                         (1 + (hash_mix((uint64_t)k) & 1 ? last_digit : -last_digit));
        TRY(pav_field_write(run, of->unknown[e], 0, PAV_F64, changed, count));
    }
    TRY(run_event_value(run, event, &met));
    const double norm = run->part->uniform[event->left];
    /* without a solution the unknowns of a system grow until their roundings count */
    *result = norm * norm > 1.1 * residual * residual &&
              (of->unknowns == 1 || residual < run->solver.residual[0]);
    for (int e = 0; e < of->unknowns; e++)
        TRY(pav_field_write(run, of->unknown[e], 0, PAV_F64, u + e * count, count));
    return run_event_value(run, event, &met);
}

static pav_status stagnates(const pav_run *run, double best, int64_t since, bool rounding)
{
    const double share = share_of(run, best);
    char cause[400];
    return FAIL(
        PAV_ECONVERGE,
        "%s:%d: the residual does not fall below %.3g of the start's, reached %lld looks "
        "ago, and %.3g is asked for: %s",
        run->program->name, run->solver.solution.line, share, (long long)since,
        run->solver.solution.tolerance,
        cause_of_stagnation(run, share, rounding, cause, sizeof cause));
}

/* ---- from run to run --------------------------------------------------------------- */

/* Copies the points of a level, through the host's memory if no device memory has
 * both. */
static pav_status copy_level(const pav_run *from, int field, int level, const pav_run *to,
                             int target)
{
    static const int64_t nowhere[MAX_DIM];
    executor *a = from->part->executor, *b = to->part->executor;
    const view *there = from->part->view[field][1 - level],
               *here = to->part->view[target][1];

    if (!to->cut.is_cut && !to->stepper->windows && a->place == b->place &&
        here->type == there->type) {
        const box all = view_points(here);
        return b->ops.copy_box(b, target, here, &all, a, field, there, nowhere);
    }
    TRY(run_host_view(from, field, level, HOST_READ, &there));
    TRY(run_host_view(to, target, 0, HOST_FILL, &here));
    return executor_host_ops.copy_points(b, target, here, there, NULL);
}

/* Copies all unknowns to the fields with these names. */
static pav_status copy_unknowns(const pav_run *from, const pav_run *to,
                                const char *const *name)
{
    const solution *of = &from->solver.solution;

    for (int n = 0; n < of->unknowns; n++)
        TRY(copy_level(from, run_field_number(from, of->unknown[n]), 0, to,
                       run_field_number(to, name[n])));
    return PAV_OK;
}

static pav_run_options options_of(const pav_run *run)
{
    const pav_run_options *o = &run->options;
    const bool windows = run->stepper->windows;
    const char *how = o->out_of_core ? o->out_of_core : "auto";
    return (pav_run_options){.no_files = 1,
                             .out_of_core = windows ? how : NULL,
                             .device_memory = windows ? o->device_memory : 0,
                             .host_memory = windows ? o->host_memory : 0,
                             .disk = windows ? o->disk : NULL,
                             .ranks = run->options.ranks,
                             .nan_check_every = -1,
                             .threads = run->options.threads,
                             .bind = run->options.bind,
                             .copy_rate = -1,
                             .force = run->options.force};
}

/* ---- another method ---------------------------------------------------------------- */

/* The next method of `auto` has a run of its own, like an equation within a step. It gets
 * the fields of the description and hands the unknown back. */

/* The unknown is left out if its residual grew. */
static pav_status hand_fields(const pav_run *run, pav_run *other, bool grew)
{
    for (int k = 0; k < other->code->fields; k++) {
        const char *name = other->code->field[k].name;
        const int from = run_field_number(run, name);
        bool unknown = false;
        for (int n = 0; n < run->solver.solution.unknowns; n++)
            unknown |= strcmp(name, run->solver.solution.unknown[n]) == 0;
        if (from < 0 || solver_owns(run, name) ||
            (unknown && grew && !run->setup.written[from]))
            continue;
        TRY(copy_level(run, from, 0, other, k));
        other->setup.written[k] = true;
    }
    return PAV_OK;
}

/* Looks for the first point with weights that relaxations cannot solve with: the
 * interpreter takes a step of the solver with its weights in fields. Such a point is
 * reported by PAV_ENOTFINITE. */
static pav_status find_singular(const pav_run *run)
{
    const solution *s = &run->solver.solution;
    OWNED_BY(free_program) program *p = NULL;
    OWNED_BY(free_run) pav_run *check = NULL;
    OWNED_BY(text_free) text why = {0}, point = {0};
    double at[MAX_UNKNOWNS * MAX_UNKNOWNS];

    if (!s->weights || run->part->ranks || run->stepper->windows)
        return PAV_OK;
    TRY(program_parse_derived(s->weights, run->program, &p));
    TRY(run_open_with(p, interp_stage, &check));
    TRY(hand_fields(run, check, false));
    TRY(run_start_given(check));
    for (int64_t k = 0; k < check->code->uniforms; k++) {
        const ir_uniform *u = &check->code->uniform[k];
        const int slot = run_slot(run->code, u->kind, u->name);
        if (slot >= 0)
            check->part->uniform[k] = run->part->uniform[slot];
    }
    TRY(pav_run_steps(check, 1));
    const int n = s->related, first = run_field_number(check, s->weight);
    const int64_t *e = check->code->field[first].extent;
    for (int64_t k = 0; k < e[0] * e[1] * e[2]; k++) {
        const int64_t to[] = {k % e[0], k / e[0] % e[1], k / e[0] / e[1]};
        for (int m = 0; m < n * n; m++) {
            const view *v = check->part->view[first + m][1];
            at[m] = type_load(v->type, view_at(v, to[0], to[1], to[2]));
        }
        if (!weights_fail(at, n, s->field, &why))
            continue;
        for (int axis = 0; axis < MAX_DIM && axis < run->code->dim; axis++)
            text_add(&point, "%s%lld", axis ? ", " : "", (long long)to[axis]);
        return FAIL(
            PAV_ENOTFINITE,
            "%s:%d: the equations do not determine the unknowns at point (%s): [%s",
            run->program->name, s->line, point.data, why.data);
    }
    return PAV_OK;
}

pav_status solver_explain(const pav_run *run, pav_status status)
{
    char why[1000];

    (void)snprintf(why, sizeof why, "%s", pav_message());
    return find_singular(run) == PAV_ENOTFINITE ? status : FAIL(status, "%s", why);
}

/* All steps of a solver's run, once it has its fields and its start. */
static pav_status take_all_steps(pav_run *solver)
{
    solver->solver.residuals = 0;
    solver->progress.started = true;
    TRY(run_check_until(solver, false, &solver->progress.until_met));
    TRY(run_take_steps(solver, solver->steps));
    solver->observers.until_fails = !solver->progress.until_met;
    return solver_end(solver);
}

static pav_status go_on(pav_run *run, pav_run *other, bool grew)
{
    TRY(hand_fields(run, other, grew));
    TRY(run_start_given(other));
    /* The tolerance is a part of the first residual of all methods. */
    const int first = run_slot(other->code, UNIFORM_PARAM, other->solver.solution.start);
    if (first >= 0)
        other->part->uniform[first] = run->solver.residual[0];
    const pav_status status = take_all_steps(other);
    run->solver.then = other->solver.solution.method;
    run->solver.then_steps += other->part->step;
    const bool better = status == PAV_OK || (status == PAV_ECONVERGE &&
                                             last_residual(other) < last_residual(run));
    if (!better)
        return status;
    TRY(copy_unknowns(other, run, run->solver.solution.unknown));
    for (int64_t k = 2; k < other->solver.residuals; k++)
        TRY(keep(run, other->solver.residual[k]));
    return status;
}

/* Tries the other methods of `auto` until one solves the equation. `status` and its
 * message are the result of the first method. */
static pav_status try_others(pav_run *run, bool grew, pav_status status, bool *met)
{
    const int64_t left = run->options.steps - run->part->step;
    pav_run_options options = options_of(run);
    options.steps = run->options.steps > 0 && left > 0 ? left : 0;
    options.listener = run->options.listener;
    options.user = run->options.user;
    const bool can = run->solver.asked && run->solver.open && !run->stepper->windows &&
                     (run->options.steps <= 0 || left > 0);
    for (int way = 1; can && status == PAV_ECONVERGE; way++) {
        OWNED_BY(solution_free) solution next = {0};
        char why[1000];
        OWNED_BY(free_run) pav_run *other = NULL;
        (void)snprintf(why, sizeof why, "%s", pav_message());
        TRY(solve_derive_way(run->solver.asked, way - run->solver.solution.direct,
                             &next));
        if (!next.program)
            return FAIL(status, "%s", why);
        exec_note(&run->client, "step %lld: the residual %s by %s; auto goes on by %s",
                  (long long)run->part->step, grew ? "grows" : "stalls",
                  way > 1 ? run->solver.then : run->solver.solution.method, next.method);
        const opening how = {.device = run->solver.device,
                             .there.plain = run->part->plain,
                             .cut = run->cut.is_cut ? &run->cut.boxes : NULL,
                             .within = run,
                             .solution = &next};
        status = run->solver.open(&how, &options, &other);
        if (status == PAV_OK)
            status = go_on(run, other, grew);
    }
    *met = status == PAV_OK;
    return status;
}

/* ---- after each look --------------------------------------------------------------- */

/* Called after `until` was evaluated: its left side is the norm. */
pav_status solver_observe(pav_run *run, const ir_event *event, bool *met)
{
    if (!run->solver.solution.start ||
        event != &run->code->untils.item[run->code->untils.count - 1])
        return PAV_OK;
    TRY(solver_begin(run)); /* a checkpoint needs it before the first step */
    const double residual = run->part->uniform[event->left],
                 before = run->solver.residual[run->solver.residuals - 1];
    TRY(keep(run, residual));
    report(run, before, residual, event->statement->every_steps);
    if (*met)
        return is_known_early(&run->solver.solution) ? PAV_OK : check_gap(run);
    if (!isfinite(residual) && !(run->solver.asked && run->solver.solution.direct))
        return solver_explain(run, solver_not_finite(run));
    if (!isfinite(residual) || residual > grown * run->solver.residual[0])
        return try_others(run, true, diverged(run, residual), met);
    const residual_watch *w = &run->solver.watch;
    if (!residual_stalls(w, run->solver.solution.patience, run->solver.solution.steady))
        return PAV_OK;
    bool rounding = false;
    TRY(find_rounding(run, event, residual, &rounding));
    const pav_status status = stagnates(run, w->best, w->since, rounding);
    return rounding ? status
                    : try_others(run, residual > run->solver.residual[0], status, met);
}

/* All steps are taken, but the residual is too large. */
pav_status solver_end(const pav_run *run)
{
    if (!run->solver.solution.start || !run->observers.until_fails)
        return PAV_OK;
    const solution *s = &run->solver.solution;
    const double last = last_residual(run),
                 left = run->solver.residuals > 1 ? steps_at_last_rate(run) : -1;
    const bool gmres = s->unknowns < 2 || strncmp(s->method, "gmres", 5) == 0;
    char advice[200] = "take ";
    if (!s->solved[0])
        (void)snprintf(
            advice, sizeof advice,
            left > 0 && left < 1e9
                ? "take more, some %.0f at the last rate (`steps`, --steps), or "
                : "take more (`steps`, --steps), or ",
            left);
    const bool misses = misses_symmetry(s);
    return FAIL(PAV_ECONVERGE,
                "%s:%d: after all %lld steps of %s the residual is %.3g of the start's, "
                "and %.3g is asked for: %s%s",
                run->program->name, s->line, (long long)run->steps, s->method,
                share_of(run, last), s->tolerance, misses ? of_system : advice,
                misses  ? ""
                : gmres ? "another method"
                        : "gmres(preconditioner = multigrid, restart = 12)");
}

/* ---- steps at once ----------------------------------------------------------------- */

int64_t solver_compared_steps(const solution *s)
{
    enum { FEW_STEPS = 256 };

    return int64_least(s->jump, FEW_STEPS);
}

enum { MOST_SMALL = 512 }; /* points */

/* The values of u after some steps on the small grid. */
static pav_status take_small(const solution *s, const char *how, double *u,
                             int64_t *count)
{
    OWNED_BY(text_free) text t = {0};
    OWNED_BY(free_program) program *p = NULL;
    OWNED_BY(free_run) pav_run *run = NULL;

    text_add(&t, "%ssteps %lld%s\n", s->small, (long long)solver_compared_steps(s), how);
    TRY(t.failed ? PAV_ENOMEM : program_parse(t.data, t.length, NULL, &p));
    TRY(run_open_with(p, interp_stage, &run));
    TRY(pav_run_steps(run, run->steps));
    *count = run->work.points;
    return pav_field_read(run, "u0", 0, PAV_F64, u, *count);
}

/* Values of the start count, too: they are below 1/2. */
void solver_compare(pav_run *run)
{
    const solution *s = &run->solver.solution;
    double single[MOST_SMALL], once[MOST_SMALL], difference = 0, most = 0.5;
    int64_t count = 0;
    const bool taken = take_small(s, "", single, &count) == PAV_OK &&
                       take_small(s, " at once", once, &count) == PAV_OK;

    for (int64_t n = 0; taken && n < count; n++) {
        difference = fmax(difference, fabs(once[n] - single[n]));
        most = fmax(most, fabs(single[n]));
    }
    run->solver.difference = taken ? difference / most : (double)NAN;
}

/* ---- afterwards -------------------------------------------------------------------- */

static double mean_factor(const pav_run *run)
{
    return factor_of(run->solver.residual[0], last_residual(run),
                     run->part->step - run->first_step + run->solver.then_steps);
}

void solver_text(const pav_run *run, text *t)
{
    for (int64_t n = 0; run->solver.within && n < run->solver.solution.count; n++) {
        const step_solver *s = &run->solver.within[n];
        text_add(t,
                 "%-12s %s in each step by %s: %lld iterations for %lld solutions, %lld "
                 "at most; %s\n",
                 "solver", s->solution->field, s->solution->method, (long long)s->steps,
                 (long long)s->solutions, (long long)s->most, s->solution->about);
    }
    if (!run->solver.solution.start || run->solver.residuals == 0)
        return;
    const double last = last_residual(run);
    text_add(t, "%-12s %s by %s: %lld steps, ", "solver", run->solver.solution.field,
             run->solver.solution.method, (long long)run->part->step);
    if (run->solver.then)
        text_add(t, "then %lld by %s, ", (long long)run->solver.then_steps,
                 run->solver.then);
    if (!isfinite(last))
        text_add(t, "the residual is not finite\n");
    else
        text_add(t, "residual %.3e, %.3e of the start's, mean factor %.3f a step%s\n",
                 last, share_of(run, last), mean_factor(run),
                 run->solver.then ? " of all" : "");
}

static void json_solution(const solution *s, text *t)
{
    JSON_ADD(t, json_word("field", s->field), json_word("method", s->method),
             json_word("about", s->about), json_number("tolerance", s->tolerance));
}

void solver_json(const pav_run *run, text *t)
{
    json_open(t, "solvers", '[');
    for (int64_t n = 0; run->solver.within && n < run->solver.solution.count; n++) {
        const step_solver *s = &run->solver.within[n];
        json_open(t, NULL, '{');
        json_solution(s->solution, t);
        JSON_ADD(t, json_count("solutions", s->solutions),
                 json_count("iterations", s->steps), json_count("most", s->most));
        text_add(t, "}");
    }
    text_add(t, "]");
    if (!run->solver.solution.start || run->solver.residuals == 0) {
        JSON_ADD(t, json_known("solver", -1));
        return;
    }
    json_open(t, "solver", '{');
    json_solution(&run->solver.solution, t);
    JSON_ADD(t, json_number("factor", mean_factor(run)),
             json_word("then", run->solver.then),
             json_count("then_steps", run->solver.then_steps));
    json_open(t, "residuals", '[');
    for (int64_t k = 0; k < run->solver.residuals; k++)
        JSON_ADD(t, json_number(NULL, run->solver.residual[k]));
    text_add(t, "]}");
}

int64_t pav_run_residuals(const pav_run *run, double *values, int64_t count)
{
    if (!run || !run->solver.solution.start)
        return -1;
    for (int64_t k = 0; values && k < count && k < run->solver.residuals; k++)
        values[k] = run->solver.residual[k];
    return run->solver.residuals;
}

/* ---- equations within a step ------------------------------------------------------- */

int solver_stage(const ir *code, int field)
{
    for (int64_t n = 0; n < code->step.count; n++) {
        for (const ir_node *load = NULL;
             (load = ir_next_load(&code->stage[code->step.stage[n]], load));)
            if (load->field == field)
                return code->step.stage[n];
    }
    return -1;
}

int solver_number(const ir *solver, int64_t number, const ir *step)
{
    const ir_uniform *u = &solver->uniform[number];
    const int slot = u->kind == UNIFORM_SCALAR ? run_slot(step, UNIFORM_SCALAR, u->name)
                                               : -1;

    return u->kind != UNIFORM_SCALAR || slot >= 0
               ? slot
               : run_slot(step, UNIFORM_PARAM, u->name);
}

static pav_status open_one(pav_run *run, const opening *how, run_opener *open,
                           step_solver *s)
{
    const solution *of = s->solution;
    const pav_run_options options = options_of(run);
    opening own = {.runner = how->runner,
                   .device = how->device,
                   .there.plain = how->there.plain,
                   .cut = run->cut.is_cut ? &run->cut.boxes : NULL,
                   .within = run,
                   .solution = of};

    TRY(open(&own, &options, &s->run));
    s->stage = solver_stage(run->code, run_field_number(run, of->solved[0]));
    for (int k = 0; k < of->handed; k++) {
        s->from[k] = run_field_number(run, of->hand[k].from);
        s->to[k] = run_field_number(s->run, of->hand[k].to);
        if (s->from[k] < 0 || s->stage < 0)
            return FAIL(PAV_EINTERNAL, "a step lacks %s", of->hand[k].from);
        if (s->to[k] >= 0)
            s->run->setup.written[s->to[k]] = true;
    }
    return PAV_OK;
}

/* ---- a solution -------------------------------------------------------------------- */

static pav_status solve_now(pav_run *run, step_solver *s)
{
    pav_run *solver = s->run;
    const solution *of = s->solution;
    const int64_t step = run->part->step + 1;

    solver->part->time = subdomain_time(run->part, step);
    /* Parameters and scalars of the step become scalars of the solver. */
    for (int64_t k = 0; k < solver->code->uniforms; k++) {
        const int own = solver_number(solver->code, k, run->code);
        if (own >= 0)
            solver->part->uniform[k] = run->part->uniform[own];
    }
    /* the start writes the store of a solver out of core */
    for (int f = 0; solver->stepper->windows && f < solver->code->fields; f++)
        TRY(run_host_view(solver, f, 0, HOST_FILL, &(const view *){NULL}));
    for (int k = 0; k < of->handed; k++)
        if (s->to[k] >= 0)
            TRY(copy_level(run, s->from[k], of->hand[k].level, solver, s->to[k]));
    if (solver->stepper->written)
        solver->stepper->written(solver);
    subdomain_set_step(solver->part, 0);
    solver->solver.residuals = 0;
    solver->progress.until_met = false;
    TRY(run_start_given(solver));
    const pav_status status = take_all_steps(solver);
    if (status != PAV_OK)
        return FAIL(status, "%s; this was in step %lld", pav_message(), (long long)step);
    const int64_t steps = solver->part->step;
    s->solutions++;
    s->steps += steps;
    s->most = int64_most(steps, s->most);
    return copy_unknowns(solver, run, of->solved);
}

static pav_status solve_before(pav_run *run, int stage)
{
    for (int64_t n = 0; n < run->solver.solution.count; n++)
        if (run->solver.within[n].stage == stage)
            TRY(solve_now(run, &run->solver.within[n]));
    return PAV_OK;
}

pav_status step_solvers_open(pav_run *run, const opening *how, run_opener *open)
{
    run->solver.device = how->device;
    run->solver.open = open;
    if (run->solver.solution.count == 0)
        return PAV_OK;
    TRY(mem_take(&run->solver.within, run->solver.solution.count,
                 sizeof *run->solver.within));
    run->solver.before_stage = solve_before;
    for (int64_t n = 0; n < run->solver.solution.count; n++) {
        run->solver.within[n].solution = &run->solver.solution.each[n];
        TRY(open_one(run, how, open, &run->solver.within[n]));
        exec_note(&run->client, "%s in each step: %s", run->solver.solution.each[n].field,
                  run->solver.solution.each[n].about);
    }
    return PAV_OK;
}

/* ---- one call for an equation ------------------------------------------------------ */

static pav_status check_run(const pav_run *run, int64_t fields)
{
    if (!run->solver.solution.start)
        return FAIL(PAV_EINVAL,
                    "%s: pav_solve solves an equation that stands alone, as "
                    "in `solve -laplace(u) = f by auto to 1e-8`; %s",
                    run->program->name,
                    run->solver.solution.count > 0 ? "those within steps are solved by "
                                                     "pav_run_steps"
                                                   : "here is none");
    if (fields > 0 && run->stepper->windows)
        return FAIL(PAV_EUNSUPPORTED, "fields cannot be given to what is solved out of "
                                      "core: let the description read them from files");
    return PAV_OK;
}

/* Recomputes all that depends on the values, such as the norm of the first residual. */
static pav_status give(pav_run *run, const pav_solve_field *given, int64_t fields)
{
    for (int64_t k = 0; k < fields; k++)
        TRY(pav_field_write(run, given[k].name, 0, PAV_F64, given[k].values,
                            given[k].count));
    return fields > 0 ? run_start_given(run) : PAV_OK;
}

/* ---- the result -------------------------------------------------------------------- */

static void fill_result(const pav_run *run, pav_solve_result *result)
{
    if (!result || run->solver.residuals == 0)
        return;
    const double first = run->solver.residual[0],
                 last = run->solver.residual[run->solver.residuals - 1];
    result->iterations = run->part->step + run->solver.then_steps;
    result->residual = first > 0 ? last / first : last;
}

/* Reads the unknown also if the method did not converge, because the last iterate may be
 * of use. The status and the message stay those of the method. */
static pav_status read(pav_run *run, pav_status status, double *u, int64_t count)
{
    if (!u || (status != PAV_OK && status != PAV_ECONVERGE))
        return status;
    OWNED char *why = status == PAV_OK ? NULL : strdup(pav_message());
    const solution *of = &run->solver.solution;
    pav_status got = PAV_OK;
    for (int n = 0; n < of->unknowns && got == PAV_OK; n++)
        got = pav_field_read(run, of->unknown[n], 0, PAV_F64,
                             u + n * (count / of->unknowns),
                             n + 1 < of->unknowns ? count / of->unknowns
                                                  : count - n * (count / of->unknowns));
    if (got == PAV_OK && status != PAV_OK)
        FAIL(status, "%s", why ? why : "the method did not converge");
    return got == PAV_OK ? status : got;
}

pav_status pav_solve(const pav_program *p, pav_device *device,
                     const pav_run_options *options, const pav_solve_field *given,
                     int64_t fields, double *u, int64_t count, pav_solve_result *result)
{
    GUARDED;
    const double begun = clock_seconds();
    OWNED_BY(free_run) pav_run *run = NULL;
    if (result)
        *result = (pav_solve_result){0};
    if (fields < 0 || (fields > 0 && !given))
        return FAIL(PAV_EINVAL,
                    "pav_solve needs the fields that are given: %lld are not "
                    "there",
                    (long long)fields);
    TRY(pav_run_open(p, device, options, &run));
    pav_status status = check_run(run, fields);
    if (status == PAV_OK)
        status = give(run, given, fields);
    const double opened = clock_seconds();
    if (status == PAV_OK)
        status = pav_run_finish(run);
    fill_result(run, result);
    status = read(run, status, u, count);
    if (result) {
        result->setup_seconds = opened - begun;
        result->seconds = clock_seconds() - begun;
    }
    return status;
}
