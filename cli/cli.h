/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the commands: each is one file and one line in the table of main.c. */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "pavior.h"

enum {
    EXIT_DONE = 0,
    EXIT_RUN_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_GO_ON = 75 /* stopped, with a checkpoint: EX_TEMPFAIL of sysexits.h */
};

enum { MAY_BE_BARE = 2 };
/* An option of a command: `--name VALUE`, `--name=VALUE` or a flag. */
typedef struct option_rule {
    const char *name; /* without the dashes */
    int takes_value;  /* or MAY_BE_BARE: a number, "" where none follows */
    bool repeats;
} option_rule;

enum { MAX_RULES = 40 }; /* of one command, "--" and a name of a dozen letters each */

typedef struct options {
    const char **plain; /* words that are no options */
    int plain_count;
    const char **set; /* values of --set, NULL-terminated */
    int set_count;
    const char **value; /* by rule: the value, "" for a flag given, NULL when not given */
    int words;
    char **word; /* all of them, as given */
} options;

typedef struct command {
    const char *name, *arguments, *about;
    const char *help; /* options, one a line, and examples */
    const char *more; /* what comes after them; or NULL */
    /* What it does with its options, by their rules, and its exit code; */
    const option_rule *rule;
    int rules;
    int (*work)(const options *o);
    int (*run)(int count, char **word); /* or, where it reads words by itself */
} command;

extern const command run_command, plan_command, compile_command, explain_command,
    gen_command, bench_command, check_command, adjoint_command, gradient_command,
    migrate_command, tune_command, wisdom_command, doctor_command, catalogue_command,
    help_command;
extern const char run_help[], run_help_more[];
extern const command *const command_table[];   /* NULL-terminated */
const command *find_command(const char *name); /* or NULL */
void unknown_command(const char *name);        /* complains, with the nearest name */

/* Sorts the words of a command; a mistake is printed and EXIT_USAGE given, else
 * EXIT_DONE. */
int options_read(const command *c, const option_rule *rule, int rules, int count,
                 char **word, options *o);
void options_free(options *o);
int command_run(const command *c, int count, char **word);
/* Whether the word is a number that an option which may be bare takes. */
bool number_follows(const char *word);
/* A whole number from `least` to `most` (INT64_MAX: any); a mistake is printed. */
bool number_read(const char *option, const char *value, int64_t least, int64_t most,
                 int64_t *number);
/* The value of an option by its name; NULL: not given, or the command has none. */
const char *option_value(const command *c, const options *o, const char *name);
/* What run and plan both take, as given; false: a mistake was printed. */
bool run_options_read(const command *c, const options *o, pav_run_options *run);
/* Of a command that takes one description and nothing else: as options_read. */
int need_description(const command *c, const options *o);

/* run_mesh.c: an exit code. */
typedef struct mesh_run_words {
    const char *device, *directory;
    int threads;
    bool no_files, quiet, json, allow_outside;
} mesh_run_words;
int run_mesh(const pav_program *program, const mesh_run_words *w);
int plan_mesh(const pav_program *program, bool json);

/* run_shots.c: --at-once and --together, as given or NULL; false: a mistake was printed.
 * And a survey that is recorded; an exit code. */
bool shots_read(const char *at_once, const char *together, pav_adjoint_options *wanted);
typedef struct shots_run_words {
    const char *device;
    pav_adjoint_options options;
    bool quiet, json;
} shots_run_words;
int run_shots(const pav_program *program, const shots_run_words *w);

/* plan --sizes (plan_sizes.c): a row for each number of points along an axis; an exit
 * code. */
typedef struct plan_request {
    pav_device *device;
    const pav_run_options *how;
    double copy_gbytes;
} plan_request;
int plan_sizes(const options *o, const plan_request *r, const char *list, bool json);

/* Complaints (complaints.c) go to stderr; the last is kept. usage_error adds where the
 * usage is printed; fail_with prints pav_message() and gives the exit code that fits the
 * status. */
void complain(pav_status status, const char *format, ...)
    __attribute__((__format__(__printf__, 2, 3)));
int usage_error(const command *c, const char *format, ...)
    __attribute__((__format__(__printf__, 2, 3)));
int fail_with(pav_status status);
const char *complaint(pav_status *status);
/* The name that a word of `length` letters was probably meant to be, or NULL. `names`
 * ends with NULL. */
const char *nearest_name(const char *word, size_t length, const char *const *names);

/* Prints a text that the library gave and frees it; PAV_OK is expected first. */
int print_text(pav_status status, char *text);
/* A description from a path, a catalogue word or, for "-", standard input; an exit
 * code. */
int load_program(const char *path, const char *const *set, pav_program **program);

/* JSON (json_text.c): a quoted string; what is not UTF-8, as file names need not be,
 * becomes U+FFFD. An object whose values are strings, numbers, true, false or null: each
 * member in turn; false where the text is no such object. */
enum { JSON_TEXT = 256 };
/* The first number of that key; 0: there is none. */
double json_number_of(const char *json, const char *key);
typedef struct json_member {
    char key[32], string[JSON_TEXT]; /* what is longer is cut */
    enum { JSON_STRING, JSON_NUMBER, JSON_WORD } kind;
    double number;
} json_member;
void json_put_string(FILE *out, const char *string);
bool json_read_object(const char *line, void (*member)(void *user, const json_member *m),
                      void *user);

/* How a run ended, on stdout and into a file (summary.c); `run` may be NULL. An exit
 * code. */
typedef struct summary_options {
    bool json, quiet;
    const char *path; /* of --report, or NULL */
} summary_options;
/* Before the first step: whether a report can be written there; an exit code. */
int summary_check(const char *path);
int summary_print(pav_run *run, pav_status status, const char *message,
                  const summary_options *wanted);

/* run --convergence FILE (run/convergence.c): whether a figure can be there, and draws
 * it. Exit codes. */
int convergence_check(const char *path);
int convergence_draw(const char *path, const pav_run *run);

/* The command that goes on with a run, given the words of this one, on stderr
 * (go_on.c). */
/* A word as a shell reads it back, behind a space. */
void shell_word_put(FILE *out, const char *word);
void go_on_print(int count, char **word, const char *checkpoint);

/* 90s, 10min, 2h, 02:00:00, 1-12:00:00 (durations.c). */
bool duration_read(const char *value, double *seconds);

/* 3GiB, 512MiB, 2.5GB (sizes.c); an exit code, where a mistake is printed. value: or
 * NULL. */
int size_option(const char *option, const char *value, int64_t *bytes);

/* Ranks of MPI (mpi_ranks.c): NULL where there is one process; an exit code, where a
 * mistake is printed. And at the end, with the exit code of this one. */
int ranks_begin(pav_ranks **ranks);
void ranks_end(pav_ranks *ranks, int code);

/* The live line of a run (live.c). */
typedef struct live {
    bool quiet, terminal, drawn;
    bool noted;             /* what a second Ctrl-C does */
    double last, setup_due; /* seconds: of the last line; when a log has the next */
} live;
void live_open(live *l, bool quiet);
int live_listen(void *user, pav_event event, const pav_progress *progress,
                const char *text);
void live_say(live *l, const char *line); /* in place of progress of a run */
void live_close(live *l);
/* Ctrl-C, SIGTERM and a terminal that closes (SIGHUP): the first asks the run to stop
 * after the step, the second ends at once. Notices of batch systems (SIGUSR1, SIGUSR2,
 * SIGXCPU) ask, too. */
void interrupt_listen(void);
bool interrupted(void);

double seconds_now(void); /* live.c: of a clock that only goes on */

#endif
