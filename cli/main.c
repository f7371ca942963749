/* SPDX-License-Identifier: BSD-3-Clause */
/* pavior: the command line. Exit codes: 0 done, 1 a run or check failed, 2 bad usage or
 * description. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

const command *const command_table[] = {
    &run_command,      &sweep_command,   &plan_command,
    &explain_command,  &compile_command, &gen_command,
    &bench_command,    &check_command,   &adjoint_command,
    &gradient_command, &migrate_command, &tune_command,
    &wisdom_command,   &doctor_command,  &catalogue_command,
    &examples_command, &help_command,    NULL,
};

const command *find_command(const char *name)
{
    for (int k = 0; command_table[k]; k++)
        if (strcmp(command_table[k]->name, name) == 0)
            return command_table[k];
    return NULL;
}

/* Used by `help`, too. */
int unknown_command(const char *name)
{
    const char *names[MAX_RULES + 2] = {"--version"};
    for (int k = 0; command_table[k] && k < MAX_RULES; k++)
        names[k + 1] = command_table[k]->name;
    const char *near = nearest_name(name, strlen(name), names);
    fprintf(stderr, "pavior: there is no command '%s'%s; %s%s%s", name,
            access(name, F_OK) == 0 ? "; 'pavior run' takes a file" : "",
            near ? "did you mean '" : "the commands are", near ? near : "",
            near ? "'?" : "");
    for (int k = 0; !near && command_table[k]; k++)
        fprintf(stderr, "%s %s", k ? "," : "", command_table[k]->name);
    fprintf(stderr, "\n");
    return EXIT_USAGE;
}

/* Checks that all output was written: a full disk behind a redirection is a failure. */
static int closing(int code)
{
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == EXIT_DONE) {
        fprintf(stderr, "pavior: the output could not be written\n");
        return EXIT_RUN_FAILED;
    }
    return code;
}

static int help_for(const char *name)
{
    return help_command.run(name ? 1 : 0, (char *[]){(char *)name});
}

static bool asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* A command that shares no work among MPI ranks would do the same work in each rank, so
 * it is refused there. */
static int refuse_ranks(const command *c)
{
    pav_ranks *ranks = NULL;
    if (c->shared || c == &run_command || c == &help_command)
        return EXIT_DONE;
    int code = ranks_begin(&ranks);
    if (ranks)
        code = usage_error(
            c,
            "ranks share runs and surveys (`pavior run`, `plan`, `gradient`, `migrate`), "
            "not `pavior %s`: start one process",
            c->name);
    if (code != EXIT_DONE)
        ranks_end(ranks, code);
    return code;
}

double command_began;

static int command_run(const command *c, int count, char **word)
{
    OWNED_BY(options_free) options o;
    pav_ranks *ranks = NULL;
    DO(options_read(c, count, word, &o));
    if (!c->shared)
        return c->work(&o);
    int code = ranks_begin(&ranks);
    if (code == EXIT_DONE)
        code = c->shared(&o, &ranks);
    ranks_end(ranks, code);
    return code;
}

int main(int count, char **word)
{
    command_began = seconds_now();
    /* Two precautions. A closed standard stream is replaced by a stream opened in the
     * opposite direction: no other file gets its number, and using it still fails.
     * SIGXFSZ is ignored, so a file at the size limit (ulimit -f) gives an error and does
     * not kill the process. */
    for (int k = STDIN_FILENO; k <= STDERR_FILENO; k++)
        if (fcntl(k, F_GETFD) < 0 &&
            open("/dev/null", k == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            (void)open("/", O_RDONLY);
    (void)signal(SIGXFSZ, SIG_IGN);
    if (count < 2) {
        help_for(NULL);
        return EXIT_USAGE;
    }
    if (strcmp(word[1], "--version") == 0) {
        if (count > 2) {
            fprintf(stderr,
                    "pavior: --version takes nothing behind it, but '%s' is given\n",
                    word[2]);
            return EXIT_USAGE;
        }
        printf("pavior %s\n", pav_version());
        return closing(EXIT_DONE);
    }
    if (asks_for_help(word[1]))
        return closing(help_command.run(count - 2, word + 2));
    const command *c = find_command(word[1]);
    if (!c)
        return unknown_command(word[1]);
    for (int k = 2; k < count; k++)
        if (asks_for_help(word[k]))
            return closing(help_for(c->name));
    int code = refuse_ranks(c);
    if (code == EXIT_DONE)
        code = c->run ? c->run(count - 2, word + 2) : command_run(c, count - 2, word + 2);
    return closing(code);
}
