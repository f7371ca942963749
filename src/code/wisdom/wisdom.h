/* SPDX-License-Identifier: BSD-3-Clause */
/* wisdom: schedules found to be fast, by problem and machine. It is a text file with a
 * sorted line for each problem, so files can be compared and merged. */
#ifndef WISDOM_WISDOM_H
#define WISDOM_WISDOM_H

#include "base/base.h"
#include "lang/lang.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "schedule/schedule.h"

/* Effort of a search; results of a higher effort satisfy requests for a lower one. A
 * machine busy with other work measures badly, so its result is only a hint. */
typedef enum wisdom_effort {
    EFFORT_BUSY,
    EFFORT_ESTIMATE,
    EFFORT_MEASURE,
    EFFORT_PATIENT,
    EFFORT_EXHAUSTIVE,
    EFFORTS
} wisdom_effort;
extern const char *const wisdom_efforts[EFFORTS];

enum {
    WISDOM_NAME = 128,
    WISDOM_SCHEDULE = 1024, /* room for a printed choice */
    WISDOM_MOST_LINES = 1 << 14,
    WISDOM_MOST_BYTES = 1 << 24,
    WISDOM_PATH = 4096
};

/* A problem and its best known schedule. */
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
    wisdom_line *line; /* sorted, without duplicates */
} wisdom;

/* wisdom.c: two programs with this hash in common share their wisdom. It covers
 * operations and loads of a step, storage and borders of its fields, but no constants and
 * no extents. unobserved: steps between two observations; 0: no observations. */
uint64_t wisdom_program(const ir *code, int64_t unobserved);

/* wisdom_text.c. `path` is for messages. The message of PAV_EFORMAT names the error and
 * its line; nothing is kept then. */
pav_status wisdom_parse(const char *bytes, int64_t length, const char *path, wisdom *w);
void wisdom_print(const wisdom *w, text *t);
/* Characters that do not fit, or would end the column, become '_'. */
void wisdom_put(char to[WISDOM_NAME], const char *from);

/* wisdom.c */
void wisdom_free(wisdom *w);
/* Adds a line. It replaces a line of the same problem if its effort is higher, or equal
 * with a higher rate. */
pav_status wisdom_add(wisdom *w, const wisdom_line *line, bool *taken);
/* Adds a line measured here and now. It also replaces a line of equal effort with a
 * higher claimed rate, e.g. from an imported file. */
pav_status wisdom_renew(wisdom *w, const wisdom_line *line, bool *taken);
/* wisdom_find: the line of the same problem, or NULL. wisdom_nearest: the line of the
 * same problem with the nearest size; without one, the line with the nearest size among
 * all programs of the same name, dimension and type on the machine; or NULL. */
wisdom_line *wisdom_find(const wisdom *w, const wisdom_line *key);
const wisdom_line *wisdom_nearest(const wisdom *w, const wisdom_line *key);

/* wisdom_file.c. Path of the user's file: $PAV_WISDOM, or pavior/wisdom in $XDG_DATA_HOME
 * or ~/.local/share; false: there is none, or PAV_WISDOM=none. */
bool wisdom_path(char path[WISDOM_PATH]);
/* Loads the shipped wisdom and the machine's (/etc/pavior/wisdom), overridden by the
 * user's file. With $PAV_WISDOM only that file. */
pav_status wisdom_load(wisdom *w);
/* Wisdom of measured machines, with their hardware, compiler and driver. */
pav_status wisdom_load_shipped(wisdom *w);
/* Adds lines to the user's file, safe against other processes; *taken: number of lines
 * added, or NULL. measured: this process measured the lines, so wisdom_renew adds them;
 * otherwise wisdom_add does. */
pav_status wisdom_keep(const wisdom *more, bool measured, int64_t *taken);
/* Removes the lines for which `leave` is false. */
typedef bool wisdom_filter(const void *user, const wisdom_line *line);
/* wisdom.c: rates of machines by number of threads (GPUs: 0), in a file next to the
 * user's, a line each; `measured` is false if there are none. */
pav_status rates_load(const char *machine, int threads, machine_rates *r);
pav_status rates_keep(const char *machine, int threads, const machine_rates *r);
bool rates_path(char path[WISDOM_PATH]);
/* Makes the folder of a file. */
pav_status wisdom_make_directory(const char *path);
/* Replaces a file by a complete new one. */
pav_status wisdom_replace(const char *path, const text *t);
pav_status wisdom_forget(wisdom_filter *leave, const void *user, int64_t *forgotten);

#endif
