/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments: options and plain arguments, sizes and durations, with a sentence for each
 * mistake. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
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

static void keep(pav_status status, const char *format, va_list list)
{
    kept_status = status;
    vsnprintf(kept, sizeof kept, format, list);
}

void complain(pav_status status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    keep(status, format, list);
    va_end(list);
    fprintf(stderr, "%s\n", kept);
}

int usage_error(const command *c, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    keep(PAV_EINVAL, format, list);
    va_end(list);
    fprintf(stderr, "pavior %s: %s; see `pavior help %s`\n", c->name, kept, c->name);
    return EXIT_USAGE;
}

/* Before a run has begun, unreadable or unsupported input is bad usage. Failures to write
 * outputs come later, from the run. */
int fail_with(pav_status status)
{
    const bool usage = status == PAV_EINVAL || status == PAV_ESYNTAX ||
                       status == PAV_EIO || status == PAV_EFORMAT ||
                       status == PAV_ELIMIT || status == PAV_EUNSUPPORTED;
    complain(status, "%s", pav_message());
    return usage ? EXIT_USAGE : EXIT_RUN_FAILED;
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

/* Memory sizes of the user: 3GiB, 512MiB, 2.5GB, 4096. */

static bool read_size(const char *value, int64_t *bytes)
{
    static const struct {
        const char *name;
        double bytes;
    } units[] = {{"", 1},         {"B", 1},    {"KiB", 1024.0}, {"kB", 1e3},
                 {"MiB", 0x1p20}, {"MB", 1e6}, {"GiB", 0x1p30}, {"GB", 1e9},
                 {"TiB", 0x1p40}, {"TB", 1e12}};
    char *end;
    if (!isdigit((unsigned char)*value))
        return false;
    const double number = strtod(value, &end);
    for (size_t n = 0; n < sizeof units / sizeof *units; n++) {
        const double all = floor(number * units[n].bytes);
        if (strcmp(end, units[n].name) != 0 || !(all >= 1 && all < 0x1p62))
            continue;
        *bytes = (int64_t)all;
        return true;
    }
    return false;
}

static int size_option(const char *option, const char *value, int64_t *bytes)
{
    if (!value || read_size(value, bytes))
        return EXIT_DONE;
    complain(PAV_EINVAL,
             "pavior: --%s takes a size, such as 3GiB, 512MiB or 2.5GB, not '%s'", option,
             value);
    return EXIT_USAGE;
}

/* ---- durations --------------------------------------------------------------------- */

/* Durations of the user: 90s, 10min, 2h, or the batch systems' form 1-12:00:00. */

static const double longest = 1e9;

static bool read_unit(const char *value, double *seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"s", 1}, {"min", 60}, {"h", 3600}};
    char *end;
    const double number = strtod(value, &end);
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        if (end != value && number > 0 && strcmp(end, units[k].unit) == 0) {
            *seconds = number * units[k].seconds;
            return *seconds <= longest;
        }
    return false;
}

/* Reads digits up to `stop` and moves *at past it. */
static bool read_part(const char **at, char stop, double *number)
{
    const char *from = *at;
    *number = 0;
    for (; **at >= '0' && **at <= '9' && *at - from < 9; ++*at)
        *number = 10 * *number + (**at - '0');
    return *at > from && *(*at)++ == stop;
}

static bool read_clock(const char *value, double *seconds)
{
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

bool duration_read(const char *value, double *seconds)
{
    return read_unit(value, seconds) || read_clock(value, seconds);
}

/* ---- options ----------------------------------------------------------------------- */

/* Sorts arguments into options and plain arguments, with a sentence for each mistake. */

int print_text(pav_status status, char *text)
{
    if (status != PAV_OK)
        return fail_with(status);
    fputs(text, stdout);
    pav_text_free(text);
    return EXIT_DONE;
}

static int find_rule(const option_rule *rule, int rules, const char *word, size_t length)
{
    for (int k = 0; k < rules; k++)
        if (strlen(rule[k].name) == length && strncmp(rule[k].name, word, length) == 0)
            return k;
    return -1;
}

static int unknown_option(const command *c, const option_rule *rule, int rules,
                          const char *word)
{
    const char *names[MAX_RULES + 1] = {0};
    char known[512] = "";
    size_t length = 0;
    const char *bare = word + strspn(word, "-");
    if (strcmp(bare, "deterministic") == 0)
        return usage_error(c, "--deterministic is gone: all runs give the same bits, so "
                              "leave it out");
    for (int k = 0; k < rules && k < MAX_RULES; k++) {
        names[k] = rule[k].name;
        length += (size_t)snprintf(known + length, sizeof known - length, " --%s",
                                   rule[k].name);
    }
    const char *near = nearest_name(bare, strcspn(bare, "="), names);
    if (near)
        return usage_error(c, "there is no option %s (did you mean --%s?)", word, near);
    return usage_error(c, "there is no option %s; known are%s", word, known);
}

bool number_follows(const char *word)
{
    return *word && strspn(word, "0123456789") == strlen(word);
}

/* Takes the option at word[*at]; *at moves past its value. */
static int take_option(const command *c, const option_rule *rule, int rules, int count,
                       char **word, int *at, options *o)
{
    const char *name = word[*at] + 2;
    const char *equals = strchr(name, '=');
    const size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const int k = find_rule(rule, rules, name, length);
    if (k < 0)
        return unknown_option(c, rule, rules, word[*at]);
    if (!rule[k].takes_value && equals)
        return usage_error(c, "--%s takes no value", rule[k].name);
    const bool bare = rule[k].takes_value == MAY_BE_BARE && !equals &&
                      (*at + 1 >= count || !number_follows(word[*at + 1]));
    if (rule[k].takes_value && !bare && !equals && *at + 1 >= count)
        return usage_error(c, "--%s needs a value", rule[k].name);
    if (o->value[k] && !rule[k].repeats)
        return usage_error(c, "--%s is given twice", rule[k].name);
    const char *value = !rule[k].takes_value || bare ? ""
                        : equals                     ? equals + 1
                                                     : word[++*at];
    if (rule[k].takes_value && !bare && !*value)
        return usage_error(c, "--%s needs a value, not ''", rule[k].name);
    o->value[k] = value;
    if (rule[k].repeats)
        o->set[o->set_count++] = value;
    return EXIT_DONE;
}

/* -o is short for --out. */
static void spell_out(const option_rule *rule, int rules, char **word)
{
    static char out[] = "--out";
    if (strcmp(*word, "-o") == 0 && find_rule(rule, rules, "out", 3) >= 0)
        *word = out;
}

int options_read(const command *c, const option_rule *rule, int rules, int count,
                 char **word, options *o)
{
    *o = (options){
        .plain = calloc((size_t)count + 1, sizeof *o->plain),
        .set = calloc((size_t)count + 1, sizeof *o->set),
        .value = calloc((size_t)rules + 1, sizeof *o->value),
        .words = count,
        .word = word,
    };
    if (!o->plain || !o->set || !o->value)
        return usage_error(c, "memory ran out while reading %d words", count);
    bool ended = false;
    for (int at = 0; at < count; at++) {
        if (!ended)
            spell_out(rule, rules, &word[at]);
        if (!ended && strcmp(word[at], "--") == 0) {
            ended = true;
        } else if (!ended && word[at][0] == '-' && word[at][1] == '-') {
            const int code = take_option(c, rule, rules, count, word, &at, o);
            if (code != EXIT_DONE)
                return code;
        } else if (!ended && word[at][0] == '-' && word[at][1] != '\0') {
            return unknown_option(c, rule, rules, word[at]);
        } else {
            o->plain[o->plain_count++] = word[at];
        }
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
static void refuse_number(const char *option, const char *value, int64_t least,
                          int64_t most, bool beyond)
{
    char range[64];
    if (most < INT64_MAX || beyond)
        snprintf(range, sizeof range, "from %lld to %lld", (long long)least,
                 (long long)most);
    else
        snprintf(range, sizeof range, "of at least %lld", (long long)least);
    complain(PAV_EINVAL, "pavior: --%s takes a whole number %s, not '%s'", option, range,
             value);
}

bool number_read(const char *option, const char *value, int64_t least, int64_t most,
                 int64_t *number)
{
    char *end;
    errno = 0;
    const long long n = strtoll(value, &end, 10);
    if (errno == 0 && end != value && *end == '\0' && n >= least && n <= most) {
        *number = n;
        return true;
    }
    refuse_number(option, value, least, most, errno == ERANGE);
    return false;
}

int need_description(const command *c, const options *o)
{
    if (o->plain_count == 1)
        return EXIT_DONE;
    if (o->plain_count == 0)
        return usage_error(c, "one description is needed: a file, a catalogue word, or - "
                              "for standard input");
    return usage_error(c, "one description is needed, but %d are given: '%s', '%s'%s",
                       o->plain_count, o->plain[0], o->plain[1],
                       o->plain_count > 2 ? " and more" : "");
}

/* NULL: standard input cannot be read; the reason has been printed. */
static char *read_input(size_t *length)
{
    const size_t limit = (size_t)8 << 20;
    char *text = malloc(limit);
    errno = text ? 0 : ENOMEM;
    *length = text ? fread(text, 1, limit, stdin) : 0;
    if (text && !ferror(stdin))
        return text;
    complain(PAV_EIO, "pavior: standard input cannot be read: %s", strerror(errno));
    free(text);
    return NULL;
}

static int load_input(const char *const *set, pav_program **program)
{
    const pav_program_options wanted = {.set = set, .name = "standard input"};
    size_t length;
    char *text = read_input(&length);
    if (!text)
        return EXIT_USAGE;
    const pav_status status = pav_program_parse(text, length, &wanted, program);
    free(text);
    return status == PAV_OK ? EXIT_DONE : fail_with(status);
}

int load_program(const char *path, const char *const *set, pav_program **program)
{
    if (strcmp(path, "-") == 0)
        return load_input(set, program);
    const pav_program_options wanted = {.set = set};
    const pav_status status = pav_program_load(path, &wanted, program);
    return status == PAV_OK ? EXIT_DONE : fail_with(status);
}

int command_run(const command *c, int count, char **word)
{
    options o;
    int code = options_read(c, c->rule, c->rules, count, word, &o);
    if (code == EXIT_DONE)
        code = c->work(&o);
    options_free(&o);
    return code;
}

static bool read_count(const char *name, const char *value, int64_t most, int64_t *count)
{
    return !value || number_read(name, value, 1, most, count);
}

const char *option_value(const command *c, const options *o, const char *name)
{
    for (int k = 0; k < c->rules; k++)
        if (strcmp(c->rule[k].name, name) == 0)
            return o->value[k];
    return NULL;
}

static bool read_counts(const command *c, const options *o, pav_run_options *run)
{
    const char *verify = option_value(c, o, "verify");
    int64_t threads = 0, every = 0, verified;
    if (!read_count("threads", option_value(c, o, "threads"), PAV_MAX_THREADS,
                    &threads) ||
        !read_count("verify", verify && *verify ? verify : NULL, INT64_MAX, &verified) ||
        !read_count("exchange-every", option_value(c, o, "exchange-every"), 64, &every) ||
        !read_count("steps", option_value(c, o, "steps"), INT64_MAX, &run->steps))
        return false;
    run->threads = (int)threads;
    run->exchange_every = (int)every;
    return true;
}

/* With an explicit schedule there is no choice left for wisdom, so --wisdom-only is
 * refused. */
static bool read_wisdom(const command *c, const options *o, pav_run_options *run)
{
    const bool only = option_value(c, o, "wisdom-only") != NULL;
    const bool none = option_value(c, o, "no-wisdom") != NULL;
    const bool typed = run->schedule && strcmp(run->schedule, "auto") != 0;
    run->wisdom = only ? 1 : none ? -1 : 0;
    if (!only || (!typed && !none))
        return true;
    usage_error(c, "--wisdom-only asks wisdom, and %s does not",
                typed ? "--schedule" : "--no-wisdom");
    return false;
}

bool run_options_read(const command *c, const options *o, pav_run_options *run)
{
    run->directory = option_value(c, o, "out");
    run->bind = option_value(c, o, "bind");
    run->schedule = option_value(c, o, "schedule");
    run->subdomains = option_value(c, o, "subdomains");
    run->weights = option_value(c, o, "weights");
    run->out_of_core = option_value(c, o, "out-of-core");
    run->disk = option_value(c, o, "disk");
    run->checkpoint = option_value(c, o, "checkpoint");
    run->no_files = option_value(c, o, "no-files") != NULL;
    run->allow_outside = option_value(c, o, "allow-outside") != NULL;
    return size_option("device-memory", option_value(c, o, "device-memory"),
                       &run->device_memory) == EXIT_DONE &&
           size_option("host-memory", option_value(c, o, "host-memory"),
                       &run->host_memory) == EXIT_DONE &&
           read_counts(c, o, run) && read_wisdom(c, o, run);
}
