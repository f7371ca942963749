/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside run by the functions that find, learn and tune schedules. */
#ifndef RUN_CHOICE_PRIVATE_H
#define RUN_CHOICE_PRIVATE_H

#include "run/run_private.h"

/* choice.c: the key of a run in wisdom. */
pav_status choice_problem(const pav_run *run, const pav_device *device, wisdom_line *key);

/* choice.c: schedules of the stages of a step as a string; once if all are the same. */
void choice_print(const schedule *each, int64_t count, text *t);

#endif
