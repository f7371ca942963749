/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the first steps of a run with the interpreter: after each step, all levels of
 * all fields must be bitwise identical. Any NaN equals any NaN, because no rule says
 * which operand gives its bits. */
#include <math.h>
#include <string.h>

#include "run/run_private.h"

enum { USUAL_STEPS = MOST_LOOP_SCHEDULES }; /* kernels try each loop schedule once */

typedef struct verification {
    pav_run *device, *interpreter;
    int64_t steps, compared; /* requested, then taken; compared values */
    pav_listener listener;   /* or NULL */
    void *user;
} verification;

static void close_both(const verification *v)
{
    pav_run_free(v->device);
    pav_run_free(v->interpreter);
}

/* ---- comparing --------------------------------------------------------------------- */

/* The first differing point of a row, or -1. */
static int64_t differs_in_row(const view *a, const view *b, int64_t j, int64_t k)
{
    const size_t size = pav_type_size(a->type);
    const char *left = view_at(a, 0, j, k), *right = view_at(b, 0, j, k);
    if (memcmp(left, right, (size_t)a->extent[0] * size) == 0)
        return -1;
    for (int64_t i = 0; i < a->extent[0]; i++) {
        const char *l = left + i * (int64_t)size, *r = right + i * (int64_t)size;
        const bool both = isnan(type_load(a->type, l)) && isnan(type_load(a->type, r));
        if (!both && memcmp(l, r, size) != 0)
            return i;
    }
    return -1;
}

bool run_view_differs(const view *a, const view *b, int64_t *point)
{
    for (point[2] = 0; point[2] < a->extent[2]; point[2]++)
        for (point[1] = 0; point[1] < a->extent[1]; point[1]++) {
            point[0] = differs_in_row(a, b, point[1], point[2]);
            if (point[0] >= 0)
                return true;
        }
    return false;
}

static pav_status describe(const verification *v, int field, int age,
                           const view *const pair[2], const int64_t *point)
{
    const ir_field *f = &v->device->code->field[field];
    OWNED_BY(text_free) text t = {0};
    if (age == 0)
        text_add(&t, "field %s", f->name);
    else
        text_add(&t, "prev(%s, %d)", f->name, age);
    text_add(&t, " at point (");
    for (int axis = 0; axis < v->device->code->dim; axis++)
        text_add(&t, "%s%lld", axis ? ", " : "", (long long)point[axis]);
    text_add(&t, ") is ");
    text_add_double(&t, point_value(pair[0], point));
    text_add(&t, " on %s and ", v->device->device_name);
    text_add_double(&t, point_value(pair[1], point));
    if (t.failed)
        return PAV_ENOMEM;
    return FAIL(PAV_EEXPECT,
                "after step %lld %s on the %s: a defect of Pavior, of the compiler or of "
                "this machine; please report it with the description and what `pavior "
                "doctor` says",
                (long long)v->device->part->step, t.data,
                run_has_kernels(v->interpreter) ? "plainest kernels" : "interpreter");
}

/* With groups of stages a device shares other buffers on the finest grids than the
 * interpreter: these hold different fields of the step at its end. */
static bool is_passing(const verification *v, int field)
{
    const ir_field *f = &v->device->code->field[field];

    return f->coarse < v->device->code->grouped &&
           (f->within || f->shared || v->interpreter->code->field[field].shared);
}

static pav_status compare_level(verification *v, int field, int age)
{
    const view *pair[2];
    int64_t point[MAX_DIM] = {0};
    TRY(run_host_view(v->device, field, -age, HOST_READ, &pair[0]));
    TRY(run_host_view(v->interpreter, field, -age, HOST_READ, &pair[1]));
    v->compared += pair[0]->extent[0] * pair[0]->extent[1] * pair[0]->extent[2];
    return run_view_differs(pair[0], pair[1], point)
               ? describe(v, field, age, pair, point)
               : PAV_OK;
}

static pav_status compare(verification *v)
{
    const ir *code = v->interpreter->code;
    for (int field = 0; field < code->fields; field++)
        for (int age = 0; age < code->field[field].levels && !is_passing(v, field); age++)
            TRY(compare_level(v, field, age));
    return PAV_OK;
}

/* The listener of both runs. Notes and warnings are dropped, because the user would read
 * them twice. Other events reach the user's listener, because it may stop the runs. */
static int listen(void *user, pav_event event, const pav_progress *progress,
                  const char *said)
{
    const verification *v = user;
    return event == PAV_EVENT_NOTE || event == PAV_EVENT_WARNING
               ? 0
               : v->listener(v->user, event, progress, said);
}

/* ---- two runs ---------------------------------------------------------------------- */

/* The whole grid in core, so that it shares no decomposition and no visits with the
 * run. */
pav_status run_open_reference(const program *p, const pav_run_options *options,
                              pav_run **run)
{
    pav_run_options how = *options;
    how.verify = 0;
    how.exchange_every = 0;
    how.early = 0;
    how.schedule = how.subdomains = how.weights = NULL;
    how.out_of_core = how.disk = how.timeline = NULL;
    how.device_memory = how.host_memory = 0;
    return run_open_interpreted(p, &how, run);
}

static pav_status open_both(verification *v, const pav_program *p, pav_device *device,
                            const pav_run_options *options)
{
    pav_run_options how = options ? *options : (pav_run_options){0};
    how.no_files = 1;
    how.verify = 1; /* checks memory for both runs */
    how.early = -1;
    v->listener = how.listener;
    v->user = how.user;
    how.listener = how.listener ? listen : NULL;
    how.user = v;
    how.checkpoint = NULL;
    how.checkpoint_every = 0;
    how.checkpoint_seconds = 0;
    TRY(pav_run_open(p, device, &how, &v->device));
    return run_open_reference(&p->tree, &how, &v->interpreter);
}

/* The steps of launches of all lengths, and of the single step after them. */
static int64_t fused_steps(const pav_run *run)
{
    return run_block_steps(run) + run_executor_figures(run).shorter;
}

/* Both runs may end by `until`, after the same step. Fused steps are compared at the end
 * of their launch. */
static pav_status step_both(verification *v)
{
    const int64_t first = v->device->part->step;
    TRY(compare(v));
    while (v->device->part->step - first < v->steps && !v->device->progress.until_met) {
        const int64_t step = v->device->part->step, left = v->steps - (step - first);
        const int64_t fused = fused_steps(v->device);
        TRY(pav_run_steps(v->device, fused < left ? fused : left));
        TRY(pav_run_steps(v->interpreter, v->device->part->step - step));
        TRY(compare(v));
    }
    v->steps = v->device->part->step - first;
    return PAV_OK;
}

pav_status run_verify_pair(pav_run *run, pav_run *reference, int64_t steps)
{
    verification v = {.device = run, .interpreter = reference, .steps = steps};
    return step_both(&v);
}

static pav_status verify(verification *v, int64_t steps, char **result)
{
    text t = {0};
    if (v->device->program->chaotic)
        return FAIL(PAV_EUNSUPPORTED,
                    "%s leaves to chance what blocks see of each other, so there are no "
                    "bits to verify: leave out ages = chance, or `chaotic`",
                    v->device->program->name);
    /* With fewer steps the run would take single steps and check no fused launch. */
    const executor_figures f = run_executor_figures(v->device);
    const int64_t least = f.least;
    const int64_t usual = f.shorter > 0 ? fused_steps(v->device) : least;
    v->steps = steps > 0 ? steps : int64_most(usual, USUAL_STEPS);
    TRY(v->steps >= least
            ? PAV_OK
            : FAIL(PAV_EINVAL,
                   "%lld step%s cannot be verified by this schedule, whose launches "
                   "take more: verify at least %lld",
                   (long long)steps, steps == 1 ? "" : "s", (long long)least));
    TRY(step_both(v));
    text_add(&t,
             "verified: %lld step%s on %s, %lld values of all fields with the bits of "
             "the interpreter\n",
             (long long)v->steps, v->steps == 1 ? "" : "s", v->device->device_name,
             (long long)v->compared);
    return text_take(&t, result);
}

pav_status pav_run_verify(const pav_program *p, pav_device *device,
                          const pav_run_options *options, int64_t steps, char **result)
{
    GUARDED;
    if (result)
        *result = NULL;
    if (!p || !device || !result || steps < 0)
        return FAIL(PAV_EINVAL,
                    "pav_run_verify needs a program, a device, a number of steps that is "
                    "not negative, and a place for the text");
    if (options && options->ranks)
        return FAIL(PAV_EUNSUPPORTED,
                    "ranks cannot verify a run, since the interpreter takes all of its "
                    "grid: let one process do it");
    OWNED_BY(close_both) verification v = {0};
    TRY(open_both(&v, p, device, options));
    return verify(&v, steps, result);
}
