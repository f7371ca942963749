/* SPDX-License-Identifier: BSD-3-Clause */
/* Interface shared by the commands. Each command is one file and one line in the table of
 * main.c. Functions that return int return an exit code, after they have printed any
 * mistake. */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "pavior.h"

enum {
    EXIT_DONE = 0,
    EXIT_RUN_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_GO_ON = 75 /* stopped, with a checkpoint: EX_TEMPFAIL of sysexits.h */
};

/* Frees what a variable owns at the end of its scope, also after TRY and DO:
 *     OWNED_BY(close_run) pav_run *run = NULL; */
#define OWNED_BY(release) __attribute__((cleanup(release)))
/* Defines such a function for a pointer. */
#define CLOSES(name, type, release)                                                      \
    static inline void name(type **at)                                                   \
    {                                                                                    \
        release(*at);                                                                    \
    }
static inline void close_file(FILE *const *file)
{
    if (*file)
        fclose(*file);
}
CLOSES(close_text, char, pav_text_free)
CLOSES(close_numbers, double, free)
CLOSES(close_device, pav_device, pav_device_free)
CLOSES(close_program, pav_program, pav_program_free)
CLOSES(close_run, pav_run, pav_run_free)
CLOSES(close_plan, pav_plan, pav_plan_free)
CLOSES(close_mesh_run, pav_mesh_run, pav_mesh_run_free)

/* Ends a function that returns an exit code unless the call returns EXIT_DONE. */
#define DO(call)                                                                         \
    do {                                                                                 \
        const int code_ = (call);                                                        \
        if (code_ != EXIT_DONE)                                                          \
            return code_;                                                                \
    } while (0)

/* Ends a function of the type pav_status unless the call succeeds. */
#define TRY(call)                                                                        \
    do {                                                                                 \
        const pav_status status_ = (call);                                               \
        if (status_ != PAV_OK)                                                           \
            return status_;                                                              \
    } while (0)

enum { MAY_BE_BARE = 2 };
/* An option of a command: `--name VALUE`, `--name=VALUE` or a flag. */
typedef struct option_rule {
    const char *name; /* without the dashes */
    int takes_value;  /* or MAY_BE_BARE: a number, "" if none follows */
    bool repeats;
} option_rule;

enum { MAX_RULES = 40 }; /* of one command, "--" and a name of a dozen letters each */

typedef struct command command;
typedef struct options {
    const command *of;
    const char **plain; /* arguments that are not options */
    int plain_count;
    const char **set; /* values of --set, NULL-terminated */
    int set_count;
    const char **value; /* by rule: the value, "" for a bare flag, NULL if absent */
    int words;
    char **word; /* all arguments in their order */
} options;

struct command {
    const char *name, *arguments, *about;
    const char *help; /* options, one a line, and examples */
    const char *more; /* the help text goes on, as C's strings are short; or NULL */
    /* The command's options and its function on the parsed options: `work`, or `shared`
     * if MPI ranks may share the work; or `run` instead. */
    const option_rule *rule;
    int rules;
    int (*work)(const options *o);
    int (*shared)(const options *o, pav_ranks **ranks); /* *ranks: NULL without MPI */
    int (*run)(int count, char **word);                 /* parses its arguments itself */
};

extern const command run_command, plan_command, compile_command, explain_command,
    gen_command, bench_command, check_command, adjoint_command, gradient_command,
    sweep_command, migrate_command, tune_command, wisdom_command, doctor_command,
    catalogue_command, examples_command, help_command;
extern const char run_help[], run_help_more[];
extern const command *const command_table[];   /* NULL-terminated */
const command *find_command(const char *name); /* or NULL */
int unknown_command(const char *name);         /* EXIT_USAGE; prints the nearest name */

/* Sorts the arguments of a command into options and plain arguments. Prints a mistake and
 * returns EXIT_USAGE, else EXIT_DONE. */
int options_read(const command *c, int count, char **word, options *o);
void options_free(options *o);
/* True if the argument is a number and so belongs to the MAY_BE_BARE option before it. */
bool number_follows(const char *word);
/* Reads a whole number from `least` to `most` (INT64_MAX: no limit); prints a mistake. */
bool number_read(const char *option, const char *value, int64_t least, int64_t most,
                 int64_t *number);
/* Reads a number above 0 and below `most`; hint: "GB a second, such as 40". */
int real_read(const char *option, const char *value, double most, const char *hint,
              double *number);
/* Where the value of an option is stored in a struct: a word (const char *), a flag (int,
 * then 1), a whole number from 1 to `most` (int or int64_t), or a size in bytes
 * (int64_t). */
typedef struct option_target {
    const char *name;
    enum { OPTION_WORD, OPTION_FLAG, OPTION_INT, OPTION_INT64, OPTION_SIZE } kind;
    size_t at;
    int64_t most;
} option_target;
/* Stores the present options of a table (the last row has no name). Options unknown to
 * the command are absent. */
int options_store(const options *o, const option_target *target, void *into);
/* An option that needs another one, or excludes it; `why` is the mistake. */
typedef struct option_pair {
    int option, other;
    bool excludes;
    const char *why;
} option_pair;
/* Checks the pairs of a table (the last row has no `why`); returns like options_read. */
int options_check(const options *o, const option_pair *pair);
/* Reads the options common to run and plan. */
int run_options_read(const options *o, pav_run_options *run);
/* Checks the arguments of a command with exactly one description, or with none; returns
 * like options_read. load_only loads the description, too. */
int need_description(const options *o);
int load_only(const options *o, pav_program **program);

/* Programs on a mesh (command_run.c). */
typedef struct mesh_run_words {
    const char *device;
    bool quiet, json;
    pav_mesh_run_options options;
} mesh_run_words;

/* Shots (run_kinds.c). shots_read parses --at-once and --together (or NULL). run_shots
 * records a survey. */
int shots_read(const char *at_once, const char *together, pav_adjoint_options *wanted);

/* Complaints (options.c) go to stderr, and the last one is kept; they return the exit
 * code for the status. usage_error adds a pointer to the usage. fail_with prints
 * pav_message(). exit_of does so too, and PAV_OK gives EXIT_DONE. */
int complain(pav_status status, const char *format, ...)
    __attribute__((__format__(__printf__, 2, 3)));
/* The same in the middle of a run, whatever the status: EXIT_RUN_FAILED. */
#define LATE(...) (complain(__VA_ARGS__), EXIT_RUN_FAILED)
/* For functions that read a value: false. */
#define REFUSED(...) (complain(__VA_ARGS__), false)
int usage_error(const command *c, const char *format, ...)
    __attribute__((__format__(__printf__, 2, 3)));
int fail_with(pav_status status);
int exit_of(pav_status status);
const char *complaint(pav_status *status);
/* The most similar name to a mistyped word of `length` letters, or NULL. `names` ends
 * with NULL. */
const char *nearest_name(const char *word, size_t length, const char *const *names);

/* Prints and frees a string of the library; fails unless the status is PAV_OK. */
int print_text(pav_status status, char **text);
/* Loads a description from a path, from the catalogue or, for "-", from standard
 * input. */
int load_program(const char *path, const char *const *set, pav_program **program);

/* JSON (json_text.c). json_put_string writes a quoted string and replaces bytes outside
 * UTF-8 (legal in file names) by U+FFFD. json_read_object calls `member` for each member
 * of a flat object: strings, numbers, true, false or null. It returns false for any other
 * text. */
enum { JSON_TEXT = 256 };
/* First number with this key; 0 if the key is missing. */
double json_number_of(const char *json, const char *key);
typedef struct json_member {
    char key[32], string[JSON_TEXT]; /* longer strings are truncated */
    enum { JSON_STRING, JSON_NUMBER, JSON_WORD } kind;
    double number;
} json_member;
void json_put_string(FILE *out, const char *string);
bool json_read_object(const char *line, void (*member)(void *user, const json_member *m),
                      void *user);

/* A run that can be watched (view.c): a page in a browser, and its last state in a
 * report. view_open: NULL, and errno is set, if it cannot serve. view_listen: a
 * listener's answer; it counts from view_attach on. view_put_report: the page as one
 * file; `run` is the summary as JSON, `v` may be NULL. */
typedef struct view view;
extern const char view_page[];
view *view_open(const char *name, bool serves, bool reports);
void view_attach(view *v, pav_run *run);
int view_listen(view *v, pav_event event, const pav_progress *progress, const char *text);
void view_end(view *v, bool done);
void view_put_report(FILE *out, const view *v, const char *run);
void view_close(view *v);
CLOSES(close_view, view, view_close)

/* Prints the summary of a run to stdout and to a file (live.c); `run` may be NULL. */
typedef struct summary_options {
    bool json, quiet;
    double opening;   /* clock before the run opened */
    const char *path; /* of --report, or NULL; a page if it ends in .html */
    const view *view; /* or NULL */
} summary_options;
bool is_page(const char *path);
/* Checks before the first step that the report can be written. */
int summary_check(const char *path);

/* Prints a finished JSON object instead; it gets `status` as its first member. */
int summary_put(const char *json, pav_status status, const char *message,
                const summary_options *wanted);

typedef struct shots_run_words {
    const char *device;
    pav_adjoint_options options;
    summary_options summary;
} shots_run_words;
int run_shots(const pav_program *program, const shots_run_words *w);

/* The clock when the command began. */
extern double command_began;

/* Writes a space and a word, quoted for the shell. */
void shell_word_put(FILE *out, const char *word);

/* Sizes of memory: 3GiB, 512MiB, 2.5GB, 4096; it complains about other values
 * (options.c). */
bool size_read(const char *option, const char *value, int64_t *bytes);
/* 90s, 10min, 2h, 02:00:00, 1-12:00:00 (options.c). */
bool duration_read(const char *value, double *seconds);

/* MPI ranks (live.c). *ranks is NULL for a single process. ranks_end takes the exit
 * code of this rank. */
int ranks_begin(pav_ranks **ranks);
void ranks_end(pav_ranks *ranks, int code);

/* The progress line of a run (live.c). */
typedef struct live {
    bool quiet, terminal, drawn;
    bool noted; /* the hint about a second Ctrl-C was printed */
    /* seconds: time of the last line; time of the next log line */
    double last, setup_due;
    view *view; /* or NULL */
} live;
void live_open(live *l, bool quiet);
int live_listen(void *user, pav_event event, const pav_progress *progress,
                const char *text);
/* A listener without progress: prints warnings and, unless *quiet (a bool), notes. */
int notes_listen(void *quiet, pav_event event, const pav_progress *progress,
                 const char *text);
void live_say(void *user, const char *line); /* a line in place of a run's progress */
void live_close(live *l);
/* Handles Ctrl-C, SIGTERM and the end of a terminal (SIGHUP): the first signal stops the
 * run after the current step, the second ends the process at once. Notices of batch
 * systems (SIGUSR1, SIGUSR2, SIGXCPU) also stop the run. */
void interrupt_listen(void);
bool interrupted(void);

double seconds_now(void); /* live.c: monotonic clock */

#endif
