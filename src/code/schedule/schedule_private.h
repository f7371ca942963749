/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of schedules, for tests. */
#ifndef SCHEDULE_SCHEDULE_PRIVATE_H
#define SCHEDULE_SCHEDULE_PRIVATE_H

#include "machine/machine.h"
#include "schedule/schedule.h"

/* Syntax of an option. */
typedef enum option_form {
    FORM_FLAG,    /* plain */
    FORM_VALUE,   /* shared: one of several words for a member */
    FORM_CHOICE,  /* copy=tma */
    FORM_COUNT,   /* rows=2 */
    FORM_THREADS, /* threads=32x8, or 128 for 128x1 */
    FORM_TILES,   /* tiles=1x8x16, or 8 for 8x1x1 */
    FORM_POINTS   /* tile=16x4: the first may be 0, for all */
} option_form;

/* An option of all kinds in the groups set in `groups`. */
typedef struct schedule_option {
    const char *name, *example; /* example: a value; NULL: the option has none */
    option_form form;
    size_t at; /* offset of its member in struct schedule */
    unsigned groups;
    int value;                /* FORM_VALUE: its meaning */
    const char *const *words; /* FORM_CHOICE, the default first */
    int count;                /* of words; of numbers: the largest */
    const char *what;         /* FORM_CHOICE: for messages */
} schedule_option;

/* Options in printing order. */
const schedule_option *schedule_options(int64_t *count);
bool option_is_of(const schedule_option *o, schedule_kind kind);
/* option_has_place: the option applies to the schedule; options about a thread's
 * registers apply to TIME only if planes are in registers. option_is_said: the schedule
 * has a value for it; 0 means left open. */
bool option_has_place(const schedule_option *o, const schedule *s);
bool option_is_said(const schedule_option *o, const schedule *s);
/* smallest value of a count */
int option_least(const schedule_option *o, schedule_kind kind);

/* Member of a flag, or of a number. */
static inline bool *option_flag(const schedule_option *o, schedule *s)
{
    return (bool *)((char *)s + o->at);
}

static inline int *option_number(const schedule_option *o, schedule *s)
{
    return (int *)(void *)((char *)s + o->at);
}

#endif
