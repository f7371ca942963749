/* SPDX-License-Identifier: BSD-3-Clause */
/* The schedules of processors. One text serves all: a kernel goes over any box, and what
 * the schedule says is in its argument (emit_work); time tiles are such boxes, which
 * src/run/time hands to the threads. */
#include "codegen/codegen_private.h"

static pav_status emit(const ir *code, const schedule *s, const char *head, text *t)
{
    (void)s;
    return emit_source(&code, 1, head, t, NULL);
}

static pav_status accept_tiles(const ir *code, const schedule *s,
                               const gpu_facts *machine, text *why)
{
    ir_blocking b;

    (void)s;
    (void)machine;
    TRY(ir_blocking_open(code, NULL, &b));
    if (b.refusal)
        text_add(why, "%s", b.refusal);
    ir_blocking_close(&b);
    return PAV_OK;
}

const emitter host_rows = {emit_accept_all, emit};
const emitter host_blocks = {emit_accept_all, emit};
const emitter host_time = {accept_tiles, emit};
