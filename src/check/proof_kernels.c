/* SPDX-License-Identifier: BSD-3-Clause */
/* The proof that a device's kernels give the interpreter's bits. Programs to be checked are small, so a
 * second run is made to go over its boxes as large ones are. */
#include "check/check_private.h"

static const kernel_manner manners[] = {
    {.threads = 1, .streams = true, .ahead = 4096},
    {.threads = 2, .axis = 0, .block = 3},
    {.threads = 3, .axis = 1, .block = 2, .streams = true},
    {.threads = 5, .axis = 2, .block = 1},
};

static pav_status agree(const proof_case *c, const kernel_set *set, int64_t number,
                        const kernel_manner *manner)
{
    pav_run *a = NULL, *b = NULL;
    pav_status status = run_open_with(c->program, interp_stage, &a);
    if (status == PAV_OK)
        status = run_open_compiled(c->program, set, number, manner, &b);
    if (status == PAV_OK)
        status = runs_agree(a, b, true);
    pav_run_free(a);
    pav_run_free(b);
    return status;
}

static pav_status agree_in_all_manners(const proof_case *c, const kernel_set *set,
                                       int64_t number)
{
    for (size_t k = 0; k < COUNT_OF(manners); k++)
        TRY(agree(c, set, number, &manners[k]));
    return PAV_OK;
}

static pav_status agree_alone(const proof_case *c)
{
    ir *code = NULL;
    kernel_set *set = NULL;
    pav_status status = ir_build(c->program, NULL, &code);
    const ir *const all[] = {code};
    if (status == PAV_OK)
        status = kernel_set_open(all, 1, "Kernels of a program that is checked", false,
                                 &set);
    if (status == PAV_OK)
        status = agree_in_all_manners(c, set, 0);
    kernel_set_close(set);
    ir_free(code);
    return status;
}

pav_status kernels_equal_rows(const proof_case *c)
{
    if (!c->compiled)
        return PAV_OK;
    return c->set ? agree_in_all_manners(c, c->set, c->number) : agree_alone(c);
}
