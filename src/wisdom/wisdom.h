/* SPDX-License-Identifier: BSD-3-Clause */
/* wisdom: which schedules were found to be fast, for which problem on which machine. A
 * text file, a line for each problem, sorted, so that two of them can be compared and put
 * together. */
#ifndef WISDOM_WISDOM_H
#define WISDOM_WISDOM_H

#include "base/base.h"
#include "lang/lang.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "schedule/schedule.h"

/* How much was tried; what was tried harder satisfies who asks for less. */
typedef enum wisdom_effort {
    EFFORT_ESTIMATE,
    EFFORT_MEASURE,
    EFFORT_PATIENT,
    EFFORT_EXHAUSTIVE,
    EFFORTS
} wisdom_effort;
extern const char *const wisdom_efforts[EFFORTS];

enum {
    WISDOM_NAME = 128,
    WISDOM_SCHEDULE = 1024, /* room for a choice in words */
    WISDOM_MOST_LINES = 1 << 14,
    WISDOM_MOST_BYTES = 1 << 24,
    WISDOM_PATH = 4096
};

/* A problem, and what is known of it. */
typedef struct wisdom_line {
    uint64_t program; /* wisdom_program */
    int dim;
    int64_t extent[MAX_DIM]; /* 1 along absent axes */
    pav_type real;
    char machine[WISDOM_NAME], compiler[WISDOM_NAME], version[WISDOM_NAME];
    char name[WISDOM_NAME]; /* of the program, for people */
    char schedule[WISDOM_SCHEDULE];
    double gpts; /* 1e9 points updated a second */
    wisdom_effort effort;
    char date[WISDOM_NAME]; /* 2026-11-25 */
} wisdom_line;

typedef struct wisdom {
    int64_t count, capacity;
    wisdom_line *line; /* sorted, none twice */
} wisdom;

/* wisdom_program.c: a hash of what a step computes and reads where, of how fields are
 * kept and of their borders; not of constants and extents. unobserved: steps from one
 * look at the fields to the next; 0: nothing looks. */
uint64_t wisdom_program(const ir *code, int64_t unobserved);

/* wisdom_text.c. `path` is for messages. PAV_EFORMAT says what is wrong, and in which
 * line; nothing is kept then. */
pav_status wisdom_parse(const char *bytes, int64_t length, const char *path, wisdom *w);
void wisdom_print(const wisdom *w, text *t);
/* What does not fit, or would end its column, becomes '_'. */
void wisdom_put(char to[WISDOM_NAME], const char *from);
void wisdom_put_date(char *to, size_t size); /* "2026-11-25": today */

/* wisdom.c */
void wisdom_free(wisdom *w);
/* Takes the place of what is known of the problem where it was tried harder, or as hard
 * and is faster. */
pav_status wisdom_add(wisdom *w, const wisdom_line *line, bool *taken);
/* What was measured here and now also takes the place of what was tried as hard and is
 * said to be faster, as lines of a file that was imported may be. */
pav_status wisdom_renew(wisdom *w, const wisdom_line *line, bool *taken);
/* Of the same problem; of the same but for its size, the nearest one, or else of a
 * program of the same name, dimension and type on the machine, whatever its borders and
 * its compiler, the nearest one; or NULL. */
const wisdom_line *wisdom_find(const wisdom *w, const wisdom_line *key);
const wisdom_line *wisdom_nearest(const wisdom *w, const wisdom_line *key);

/* wisdom_file.c. The user's file: $PAV_WISDOM, or pavior/wisdom in $XDG_DATA_HOME or
 * ~/.local/share; false: there is none, or PAV_WISDOM=none asks for none. */
bool wisdom_path(char path[WISDOM_PATH]);
/* What the library was shipped with and what all of the machine know
 * (/etc/pavior/wisdom), and over it what the user's file has. With $PAV_WISDOM that
 * alone. */
pav_status wisdom_load(wisdom *w);
/* Of machines that were measured, with their hardware, compiler and driver. */
pav_status wisdom_load_shipped(wisdom *w);
/* Adds lines to the user's file, whatever other processes add at the same time; *taken:
 * of them, or NULL. measured: here and now (wisdom_renew). */
pav_status wisdom_keep(const wisdom *more, bool measured, int64_t *taken);
/* Takes those lines out for which `leave` is false. */
typedef bool wisdom_filter(const void *user, const wisdom_line *line);
/* wisdom_rates.c: rates of machines, as of so many threads (GPUs: 0), in a file next to
 * the user's, a line each; `measured` is false where none are kept. */
pav_status rates_load(const char *machine, int threads, machine_rates *r);
pav_status rates_keep(const char *machine, int threads, const machine_rates *r);
bool rates_path(char path[WISDOM_PATH]);
pav_status wisdom_forget(wisdom_filter *leave, const void *user, int64_t *forgotten);

#endif
