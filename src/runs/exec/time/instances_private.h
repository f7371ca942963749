/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of time blocks: operation instances. */
#ifndef EXEC_TIME_INSTANCES_PRIVATE_H
#define EXEC_TIME_INSTANCES_PRIVATE_H

#include "exec/exec.h"
#include "exec/host/host.h"
#include "exec/time/time.h"

/* Borders of one level of one field. */
typedef struct time_fill {
    const ir_field *field;
    const view *view;
    const view *slot[2];          /* levels +1 and 0, for its border stages */
    const view *const **views;    /* of all fields */
    time_ends ends[MAX_DIM];      /* filled: a border fills the face */
    ready_stage face[MAX_DIM][2]; /* of faces with a border stage */
} time_fill;

/* An operation of one step of a time block. */
struct time_instance {
    const ir_operation *operation;
    int step; /* of the time block */
    int64_t shift[MAX_DIM];
    const view *const *const *view; /* levels for this step */
    ready_stage stage;              /* of OPERATION_STAGE */
    ready_stage *inject;            /* of OPERATION_INJECT: a stage for each injection */
    box box;                        /* points of the stage */
    int64_t fills;
    time_fill *fill;
};

/* Everything needed by the steps of a time block, computed in the order of single
 * steps. */
pav_status time_instances_open(time_block *p);
void time_instances_close(time_block *p);

#endif
