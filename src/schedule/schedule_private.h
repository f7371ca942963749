/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside schedule only: the tables of kinds and options, for parser and
 * printer. */
#ifndef SCHEDULE_SCHEDULE_PRIVATE_H
#define SCHEDULE_SCHEDULE_PRIVATE_H

#include "machine/machine.h"
#include "schedule/schedule.h"

/* How an option is written. */
typedef enum option_form {
    FORM_FLAG,    /* plain */
    FORM_VALUE,   /* shared: one of several words for the same member */
    FORM_CHOICE,  /* copy=tma */
    FORM_COUNT,   /* rows=2 */
    FORM_THREADS, /* threads=32x8, or 128 for 128x1 */
    FORM_TILES,   /* tiles=1x8x16, or 8 for 8x1x1 */
    FORM_POINTS   /* tile=16x4: the first may be 0, for all */
} option_form;

/* An option, of the groups whose bits are set. */
typedef struct schedule_option {
    const char *name, *example; /* example: a value; NULL: it stands alone */
    option_form form;
    size_t at; /* of its member in struct schedule */
    unsigned groups;
    int value;                /* FORM_VALUE: what it means */
    const char *const *words; /* FORM_CHOICE, the default first */
    int count;                /* of them; of numbers: the largest */
    const char *what;         /* FORM_CHOICE: for messages */
} schedule_option;

/* Options in the order in which they are printed. */
const schedule_option *schedule_options(int64_t *count);
bool option_is_of(const schedule_option *o, schedule_kind kind);
unsigned option_kinds(const schedule_option *o); /* bits of those that have it */
/* Whether the schedule has it: of TIME, what is about a thread's registers only where its
 * planes are in those. And whether it says it: what is 0 is left to be chosen. */
bool option_has_place(const schedule_option *o, const schedule *s);
bool option_is_said(const schedule_option *o, const schedule *s);
int option_least(const schedule_option *o, schedule_kind kind); /* value of a count */
/* Takes a value (NULL: none is written), in the range of the option. schedule_values.c */
pav_status option_take(const schedule_option *o, const char *value, schedule *s);
/* Bits of the kinds that some device has that has this one. */
unsigned kinds_of_device(schedule_kind kind);
/* The kind of that name on such a device; false: there is none. */
bool kind_find(const char *name, bool gpu, schedule_kind *kind);
/* All names of kinds there. */
int64_t kind_names(bool gpu, const char *names[SCHEDULE_KINDS]);

/* The member of a flag; the first of all others. */
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
