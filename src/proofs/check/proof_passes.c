/* SPDX-License-Identifier: BSD-3-Clause */
/* The proof of the passes. After each pass, every output of every lowered stage is
 * evaluated in extended precision at an imagined point. It must equal its value after
 * lowering, and no cost may rise. */
#include <float.h>
#include <math.h>

#include "check/check_private.h"

static pav_status remember(pass_watch *v, const ir *code)
{
    int64_t outputs = 1;
    v->stages = code->stages;
    for (int64_t k = 0; k < code->stages; k++)
        outputs += code->stage[k].outputs;
    v->value = mem_new(4 * outputs, sizeof *v->value);
    if (!v->value)
        return PAV_ENOMEM;
    v->magnitude = v->value + outputs;
    v->now = v->magnitude + outputs;
    v->now_magnitude = v->now + outputs;
    return PAV_OK;
}

static pav_status evaluate_all(const pass_watch *v, const ir *code, long double *value,
                               long double *magnitude)
{
    int64_t at = 0;
    for (int64_t k = 0; k < v->stages; k++) {
        TRY(ir_evaluate(code, &code->stage[k], v->seed, value + at, magnitude + at));
        at += code->stage[k].outputs;
    }
    return PAV_OK;
}

/* Allows the error of constants rounded to f64 after some hundred operations. */
static bool agrees(pass_watch *v, long double a, long double b, long double magnitude)
{
    const long double slack = 1000 * (long double)DBL_EPSILON * magnitude;
    v->compared++;
    if (!isfinite(magnitude))
        return true;
    v->sharp += slack <= fabsl(a) / 100;
    return fabsl(a - b) <= slack || (isnan(a) && isnan(b));
}

static void compare(pass_watch *v, const ir *code, const char *pass)
{
    int64_t at = 0;
    for (int64_t k = 0; k < v->stages; k++)
        for (int64_t n = 0; n < code->stage[k].outputs; n++, at++)
            if (!agrees(v, v->value[at], v->now[at], v->magnitude[at]) && !v->pass) {
                v->pass = pass;
                v->stage = code->stage[k].name;
                v->before = v->value[at];
                v->after = v->now[at];
            }
}

static pav_status look(pass_watch *v, const ir *code, const char *pass)
{
    if (!v->value) {
        TRY(remember(v, code));
        return evaluate_all(v, code, v->value, v->magnitude);
    }
    TRY(evaluate_all(v, code, v->now, v->now_magnitude));
    compare(v, code, pass);
    return PAV_OK;
}

void pass_watch_after(void *user, const ir *code, const char *pass, const char *about,
                      const ir_cost *before, const ir_cost *after)
{
    pass_watch *v = user;
    (void)about;
    const bool first = !v->value;
    if (v->status == PAV_OK)
        v->status = look(v, code, pass);
    if (!first && !v->pass && after->streamed > before->streamed) {
        v->pass = pass;
        v->costlier = true;
        v->before = (long double)before->streamed;
        v->after = (long double)after->streamed;
    }
}

pav_status pass_watch_verdict(const pass_watch *v)
{
    TRY(v->status);
    if (v->costlier)
        return FAIL(PAV_EINTERNAL, "pass %s raised the flops from %.0Lf to %.0Lf",
                    v->pass, v->before, v->after);
    if (v->pass)
        return FAIL(PAV_EINTERNAL, "pass %s changed stage '%s' from %.20Lg to %.20Lg",
                    v->pass, v->stage, v->before, v->after);
    return proof_is_sharp(v->compared, v->sharp);
}

void pass_watch_close(pass_watch *v)
{
    mem_free(v->value);
}

pav_status passes_keep_the_values(const program *p, uint64_t seed)
{
    pass_watch v = {.seed = seed};
    ir *code = NULL;
    pav_status status = ir_build(p, &(ir_trace){pass_watch_after, &v}, &code);
    if (status == PAV_OK)
        status = pass_watch_verdict(&v);
    ir_free(code);
    pass_watch_close(&v);
    return status;
}
