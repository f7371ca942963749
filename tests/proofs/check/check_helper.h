/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the tests of check: programs from text, and stage runners with deliberate
 * mistakes. */
#ifndef CHECK_HELPER_H
#define CHECK_HELPER_H

#include "check/check_private.h"
#include "test.h"

static inline program *parse(const char *source)
{
    const pav_program_options options = {.name = "test"};
    program *p = NULL;
    REQUIRE_OK(program_parse(source, (int64_t)strlen(source), &options, &p));
    return p;
}

static inline double *first_stored(const interp_args *args)
{
    const ir_output *o = &args->stage->output[0];
    if (args->stage->outputs == 0 || o->kind != IR_STORE)
        return NULL;
    const view *v = args->view[o->field][1 - o->level];
    const box *b = &args->box;
    return v->type == PAV_F64
               ? (double *)v->data + view_offset(v, b->lo[0], b->lo[1], b->lo[2])
               : NULL;
}

#endif
