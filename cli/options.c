/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments: options and plain arguments, sizes and durations, with a sentence for each
 * mistake. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* ---- complaints -------------------------------------------------------------------- */

/* Errors are printed on stderr at once. The last one is kept, so --json can repeat it. */

enum { LONGEST = 65536 };

static char kept[LONGEST];
static pav_status kept_status = PAV_OK;

const char *complaint(pav_status *status)
{
    *status = kept_status;
    return kept;
}

/* Before a run has begun, unreadable or unsupported input is bad usage. Failures to write
 * outputs come later, from the run. */
int complain(pav_status status, const char *format, ...)
{
    const bool usage = status == PAV_EINVAL || status == PAV_ESYNTAX ||
                       status == PAV_EIO || status == PAV_EFORMAT ||
                       status == PAV_ELIMIT || status == PAV_EUNSUPPORTED;
    va_list list;
    va_start(list, format);
    kept_status = status;
    vsnprintf(kept, sizeof kept, format, list);
    va_end(list);
    fprintf(stderr, "%s\n", kept);
    return usage ? EXIT_USAGE : EXIT_RUN_FAILED;
}

int usage_error(const command *c, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    kept_status = PAV_EINVAL;
    vsnprintf(kept, sizeof kept, format, list);
    va_end(list);
    fprintf(stderr, "pavior %s: %s; see `pavior help %s`\n", c->name, kept, c->name);
    return EXIT_USAGE;
}

int fail_with(pav_status status)
{
    return complain(status, "%s", pav_message());
}

int exit_of(pav_status status)
{
    return status == PAV_OK ? EXIT_DONE : fail_with(status);
}

/* ---- the nearest name -------------------------------------------------------------- */

enum { MOST_LETTERS = 32 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Edit distance in letters. Words longer than every name are far from all names. */
static int distance(const char *a, size_t length, const char *b)
{
    int row[MOST_LETTERS + 1];
    const size_t other = strlen(b);
    if (length > MOST_LETTERS || other > MOST_LETTERS)
        return MOST_LETTERS;
    for (size_t j = 0; j <= other; j++)
        row[j] = (int)j;
    for (size_t i = 0; i < length; i++) {
        int corner = row[0]++;
        for (size_t j = 0; j < other; j++) {
            const int replaced = corner + (a[i] != b[j]);
            corner = row[j + 1];
            row[j + 1] = least(replaced, least(row[j], corner) + 1);
        }
    }
    return row[other];
}

const char *nearest_name(const char *word, size_t length, const char *const *names)
{
    const char *nearest = NULL;
    int best = (int)least(MOST_LETTERS, (int)length) / 3 + 2;
    for (; *names; names++) {
        const int found = distance(word, length, *names);
        if (found < best) {
            best = found;
            nearest = *names;
        }
    }
    return nearest;
}

/* ---- sizes ------------------------------------------------------------------------- */

typedef struct unit {
    const char *name;
    double size;
} unit;

/* A number and one of the units; `units` ends with NULL. */
static bool read_amount(const char *value, const unit *units, double *amount)
{
    char *end;
    const double number = strtod(value, &end);
    for (; units->name; units++)
        if (end != value && strcmp(end, units->name) == 0) {
            *amount = number * units->size;
            return true;
        }
    return false;
}

/* Memory sizes of the user: 3GiB, 512MiB, 2.5GB, 4096. */
bool size_read(const char *option, const char *value, int64_t *bytes)
{
    static const unit units[] = {{"", 1},         {"B", 1},        {"KiB", 1024.0},
                                 {"kB", 1e3},     {"MiB", 0x1p20}, {"MB", 1e6},
                                 {"GiB", 0x1p30}, {"GB", 1e9},     {"TiB", 0x1p40},
                                 {"TB", 1e12},    {NULL, 0}};
    double amount;
    if (isdigit((unsigned char)*value) && read_amount(value, units, &amount) &&
        amount >= 1 && amount < 0x1p62) {
        *bytes = (int64_t)amount;
        return true;
    }
    return REFUSED(PAV_EINVAL,
                   "pavior: --%s takes a size, such as 3GiB, 512MiB or 2.5GB, not '%s'",
                   option, value);
}

/* ---- durations --------------------------------------------------------------------- */

/* Durations of the user: 90s, 10min, 2h, or the batch systems' form 1-12:00:00. */

static const double longest = 1e9;

/* Reads digits up to `stop` and moves *at past it. */
static bool read_part(const char **at, char stop, double *number)
{
    const char *from = *at;
    *number = 0;
    for (; **at >= '0' && **at <= '9' && *at - from < 9; ++*at)
        *number = 10 * *number + (**at - '0');
    return *at > from && *(*at)++ == stop;
}

bool duration_read(const char *value, double *seconds)
{
    static const unit units[] = {{"s", 1}, {"min", 60}, {"h", 3600}, {NULL, 0}};
    if (read_amount(value, units, seconds))
        return *seconds > 0 && *seconds <= longest;
    double days = 0, hours, minutes, rest;
    const char *at = value;
    if (strchr(value, '-') && !read_part(&at, '-', &days))
        return false;
    if (!read_part(&at, ':', &hours) || !read_part(&at, ':', &minutes) ||
        !read_part(&at, '\0', &rest) || minutes >= 60 || rest >= 60)
        return false;
    *seconds = 86400 * days + 3600 * hours + 60 * minutes + rest;
    return *seconds > 0 && *seconds <= longest;
}

/* ---- options ----------------------------------------------------------------------- */

/* Sorts arguments into options and plain arguments, with a sentence for each mistake. */

int print_text(pav_status status, char **text)
{
    DO(exit_of(status));
    fputs(*text, stdout);
    pav_text_free(*text);
    return EXIT_DONE;
}

static int find_rule(const command *c, const char *word, size_t length)
{
    for (int k = 0; k < c->rules; k++)
        if (strlen(c->rule[k].name) == length &&
            strncmp(c->rule[k].name, word, length) == 0)
            return k;
    return -1;
}

static int unknown_option(const command *c, const char *word)
{
    const char *names[MAX_RULES + 1] = {0};
    char known[512] = "";
    size_t length = 0;
    const char *bare = word + strspn(word, "-");
    for (int k = 0; k < c->rules && k < MAX_RULES; k++) {
        names[k] = c->rule[k].name;
        length += (size_t)snprintf(known + length, sizeof known - length, " --%s",
                                   names[k]);
    }
    const char *near = nearest_name(bare, strcspn(bare, "="), names);
    return near ? usage_error(c, "there is no option %s (did you mean --%s?)", word, near)
                : usage_error(c, "there is no option %s; known are%s", word, known);
}

bool number_follows(const char *word)
{
    return *word && strspn(word, "0123456789") == strlen(word);
}

/* Takes the option at word[*at]; *at moves past its value. */
static int take_option(const command *c, int count, char **word, int *at, options *o)
{
    const char *name = word[*at] + 2;
    const char *equals = strchr(name, '=');
    const int k = find_rule(c, name, equals ? (size_t)(equals - name) : strlen(name));
    if (k < 0)
        return unknown_option(c, word[*at]);
    const option_rule *rule = &c->rule[k];
    if (!rule->takes_value && equals)
        return usage_error(c, "--%s takes no value", rule->name);
    const bool bare = rule->takes_value == MAY_BE_BARE && !equals &&
                      (*at + 1 >= count || !number_follows(word[*at + 1]));
    if (rule->takes_value && !bare && !equals && *at + 1 >= count)
        return usage_error(c, "--%s needs a value", rule->name);
    if (o->value[k] && !rule->repeats)
        return usage_error(c, "--%s is given twice", rule->name);
    const char *value = !rule->takes_value || bare ? ""
                        : equals                   ? equals + 1
                                                   : word[++*at];
    if (rule->takes_value && !bare && !*value)
        return usage_error(c, "--%s needs a value, not ''", rule->name);
    o->value[k] = value;
    if (rule->repeats)
        o->set[o->set_count++] = value;
    return EXIT_DONE;
}

/* -o is short for --out; after -- all words are plain. */
int options_read(const command *c, int count, char **word, options *o)
{
    static char out[] = "--out";
    *o = (options){
        .of = c,
        .plain = calloc((size_t)count + 1, sizeof *o->plain),
        .set = calloc((size_t)count + 2, sizeof *o->set),
        .value = calloc((size_t)c->rules + 1, sizeof *o->value),
        .words = count,
        .word = word,
    };
    if (!o->plain || !o->set || !o->value)
        return usage_error(c, "memory ran out while reading %d words", count);
    bool ended = false;
    for (int at = 0; at < count; at++) {
        if (!ended && strcmp(word[at], "-o") == 0 && find_rule(c, "out", 3) >= 0)
            word[at] = out;
        if (ended || word[at][0] != '-' || !word[at][1]) {
            o->plain[o->plain_count++] = word[at];
            continue;
        }
        ended = strcmp(word[at], "--") == 0;
        const int code = ended                ? EXIT_DONE
                         : word[at][1] == '-' ? take_option(c, count, word, &at, o)
                                              : unknown_option(c, word[at]);
        if (code != EXIT_DONE)
            return code;
    }
    return EXIT_DONE;
}

void options_free(options *o)
{
    free(o->plain);
    free(o->set);
    free(o->value);
}

/* The message names the upper limit if the option has one, or if the value exceeds all
 * integers. */
bool number_read(const char *option, const char *value, int64_t least, int64_t most,
                 int64_t *number)
{
    char *end, range[64];
    errno = 0;
    const long long n = strtoll(value, &end, 10);
    if (errno == 0 && end != value && *end == '\0' && n >= least && n <= most) {
        *number = n;
        return true;
    }
    if (most < INT64_MAX || errno == ERANGE)
        snprintf(range, sizeof range, "from %lld to %lld", (long long)least,
                 (long long)most);
    else
        snprintf(range, sizeof range, "of at least %lld", (long long)least);
    return REFUSED(PAV_EINVAL, "pavior: --%s takes a whole number %s, not '%s'", option,
                   range, value);
}

int real_read(const char *option, const char *value, double most, const char *hint,
              double *number)
{
    char *end;
    *number = strtod(value, &end);
    return end != value && *end == '\0' && *number > 0 && *number < most
               ? EXIT_DONE
               : complain(PAV_EINVAL, "pavior: --%s takes %s, not '%s'", option, hint,
                          value);
}

int need_description(const options *o)
{
    if (o->plain_count == 1)
        return EXIT_DONE;
    if (o->plain_count == 0)
        return usage_error(o->of,
                           "one description is needed: a file, a catalogue word, or - "
                           "for standard input");
    return usage_error(o->of, "one description is needed, but %d are given: '%s', '%s'%s",
                       o->plain_count, o->plain[0], o->plain[1],
                       o->plain_count > 2 ? " and more" : "");
}

int load_only(const options *o, pav_program **program)
{
    DO(need_description(o));
    return load_program(o->plain[0], o->set, program);
}

int load_program(const char *path, const char *const *set, pav_program **program)
{
    enum { LIMIT = 8 << 20 };
    const bool standard = strcmp(path, "-") == 0;
    const pav_program_options wanted = {.set = set,
                                        .name = standard ? "standard input" : NULL};
    OWNED_BY(close_text) char *text = standard ? malloc(LIMIT) : NULL;
    errno = ENOMEM;
    const size_t length = text ? fread(text, 1, LIMIT, stdin) : 0;
    if (standard && (!text || ferror(stdin)))
        return complain(PAV_EIO, "pavior: standard input cannot be read: %s",
                        strerror(errno));
    return exit_of(standard ? pav_program_parse(text, length, &wanted, program)
                            : pav_program_load(path, &wanted, program));
}

/* ---- options into structs ---------------------------------------------------------- */

/* The value of an option by name; NULL: absent, or unknown to the command. */
static const char *option_value(const options *o, const char *name)
{
    const int k = find_rule(o->of, name, strlen(name));
    return k < 0 ? NULL : o->value[k];
}

int options_store(const options *o, const option_target *target, void *into)
{
    for (; target->name; target++) {
        const char *value = option_value(o, target->name);
        void *at = (char *)into + target->at;
        int64_t number = 1;
        const bool counts = target->kind == OPTION_INT || target->kind == OPTION_INT64;
        if (!value)
            continue;
        if (counts && !number_read(target->name, value, 1, target->most, &number))
            return EXIT_USAGE;
        if (target->kind == OPTION_SIZE && !size_read(target->name, value, &number))
            return EXIT_USAGE;
        if (target->kind == OPTION_WORD)
            *(const char **)at = value;
        else if (target->kind == OPTION_INT || target->kind == OPTION_FLAG)
            *(int *)at = (int)number;
        else
            *(int64_t *)at = number;
    }
    return EXIT_DONE;
}

int options_check(const options *o, const option_pair *pair)
{
    for (; pair->why; pair++)
        if (o->value[pair->option] && (o->value[pair->other] != NULL) == pair->excludes)
            return usage_error(o->of, "%s", pair->why);
    return EXIT_DONE;
}

#define AT(member) offsetof(pav_run_options, member)
static const option_target run_targets[] = {
    {"out", OPTION_WORD, AT(directory), 0},
    {"bind", OPTION_WORD, AT(bind), 0},
    {"schedule", OPTION_WORD, AT(schedule), 0},
    {"subdomains", OPTION_WORD, AT(subdomains), 0},
    {"weights", OPTION_WORD, AT(weights), 0},
    {"out-of-core", OPTION_WORD, AT(out_of_core), 0},
    {"disk", OPTION_WORD, AT(disk), 0},
    {"checkpoint", OPTION_WORD, AT(checkpoint), 0},
    {"no-files", OPTION_FLAG, AT(no_files), 0},
    {"allow-outside", OPTION_FLAG, AT(allow_outside), 0},
    {"no-stamp", OPTION_FLAG, AT(no_stamp), 0},
    {"device-memory", OPTION_SIZE, AT(device_memory), 0},
    {"host-memory", OPTION_SIZE, AT(host_memory), 0},
    {"threads", OPTION_INT, AT(threads), PAV_MAX_THREADS},
    {"exchange-every", OPTION_INT, AT(exchange_every), 64},
    {"steps", OPTION_INT64, AT(steps), INT64_MAX},
    {NULL, OPTION_WORD, 0, 0},
};
#undef AT

/* With an explicit schedule there is no choice left for wisdom, so --wisdom-only is
 * refused. */
int run_options_read(const options *o, pav_run_options *run)
{
    const char *verify = option_value(o, "verify");
    const char *early = option_value(o, "early");
    const bool only = option_value(o, "wisdom-only"), none = option_value(o, "no-wisdom");
    int64_t steps;
    DO(options_store(o, run_targets, run));
    if ((verify && *verify && !number_read("verify", verify, 1, INT64_MAX, &steps)) ||
        (early && !number_read("early", early, 0, INT64_MAX, &run->early)))
        return EXIT_USAGE;
    run->early = early && run->early == 0 ? -1 : run->early;
    const bool typed = run->schedule && strcmp(run->schedule, "auto") != 0;
    run->wisdom = only ? 1 : none ? -1 : 0;
    if (!only || (!typed && !none))
        return EXIT_DONE;
    return usage_error(o->of, "--wisdom-only asks wisdom, and %s does not",
                       typed ? "--schedule" : "--no-wisdom");
}
