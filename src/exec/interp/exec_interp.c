/* SPDX-License-Identifier: BSD-3-Clause */
/* The interpreter: the reference executor, on one thread, row by row. */
#include "exec/exec.h"

typedef struct interpreter {
    executor base;
    stage_runner runner;
} interpreter;

static pav_status run_stage(executor *self, const interp_args *args)
{
    return ((interpreter *)self)->runner(args);
}

static const char *rows(const executor *self)
{
    (void)self;
    return "rows";
}

pav_status exec_interp_open(subdomain *part, stage_runner runner, executor **result)
{
    interpreter *n = mem_new(1, sizeof *n);
    *result = n ? &n->base : NULL;
    if (!n)
        return PAV_ENOMEM;
    n->base = (executor){.ops = executor_host_ops, .part = part};
    n->base.ops.stage = run_stage;
    n->base.ops.schedule = rows;
    n->runner = runner;
    return PAV_OK;
}
