/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside schedule only: the tables of kinds and options, for parser and
 * printer. */
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
unsigned option_kinds(const schedule_option *o); /* bits of the kinds with this option */
/* option_has_place: the option applies to the schedule. An example of one that may not:
 * options about a thread's registers need planes in registers. option_is_said: the
 * schedule has a value for the option; 0 means no value was requested. */
bool option_has_place(const schedule_option *o, const schedule *s);
bool option_is_said(const schedule_option *o, const schedule *s);
/* smallest value of a count */
int option_least(const schedule_option *o, schedule_kind kind);
/* Bits of all kinds for the device of this kind. */
unsigned kinds_of_device(schedule_kind kind);
/* Finds the kind of this name for a device; false: there is none. */
bool kind_find(const char *name, bool gpu, schedule_kind *kind);
/* Names of all kinds for a device. */
int64_t kind_names(bool gpu, const char *names[SCHEDULE_KINDS]);

/* Member of a flag; the other two: of a number. */
static inline bool *option_flag(const schedule_option *o, schedule *s)
{
    return (bool *)((char *)s + o->at);
}

static inline int *option_number(const schedule_option *o, schedule *s)
{
    return (int *)(void *)((char *)s + o->at);
}

static inline const int *option_value(const schedule_option *o, const schedule *s)
{
    return (const int *)(const void *)((const char *)s + o->at);
}

#endif
