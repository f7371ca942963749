/* SPDX-License-Identifier: BSD-3-Clause */
/* The proof of the passes. After each pass, every output of every lowered stage is
 * evaluated in extended precision at an imagined point. It must equal its value after
 * lowering, and no cost may rise. */
#include <float.h>
#include <math.h>

#include "check/check_private.h"

/* Values of all outputs, and behind them their magnitudes. */
static pav_status evaluate_all(const pass_watch *v, const ir *code, long double *value)
{
    for (int64_t k = 0; k < v->stages; k++) {
        TRY(ir_evaluate(code, &code->stage[k], v->seed, value, value + v->outputs));
        value += code->stage[k].outputs;
    }
    return PAV_OK;
}

static pav_status look(pass_watch *v, const ir *code, const char *pass)
{
    if (!v->value) {
        v->stages = code->stages;
        for (int64_t k = 0; k < code->stages; k++)
            v->outputs += code->stage[k].outputs;
        v->value = mem_new(4 * v->outputs + 1, sizeof *v->value);
        return v->value ? evaluate_all(v, code, v->value) : PAV_ENOMEM;
    }
    const long double *was = v->value, *magnitude = was + v->outputs,
                      *now = magnitude + v->outputs;
    TRY(evaluate_all(v, code, v->value + 2 * v->outputs));
    for (int64_t k = 0; k < v->stages; k++)
        for (int64_t n = 0; n < code->stage[k].outputs; n++, was++, now++, magnitude++) {
            /* the error of constants rounded to f64 after some hundred operations */
            const long double slack = 1000 * (long double)DBL_EPSILON * *magnitude;
            v->compared++;
            if (!isfinite(*magnitude))
                continue;
            v->sharp += slack <= fabsl(*was) / 100;
            if (fabsl(*was - *now) <= slack + LDBL_MIN || /* digits are lost below it */
                (isnan(*was) && isnan(*now)) || v->pass)
                continue;
            v->pass = pass;
            v->stage = code->stage[k].name;
            v->before = *was;
            v->after = *now;
        }
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

pav_status passes_keep_the_values(const proof_case *c)
{
    OWNED_BY(pass_watch_close) pass_watch v = {.seed = c->seed};
    OWNED_BY(free_code) ir *code = NULL;
    TRY(ir_build(c->program, &(ir_trace){pass_watch_after, &v}, &code));
    return pass_watch_verdict(&v);
}
