/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the command to continue a stopped run: the original command with --restart. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

static const char plain_letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                    "0123456789_-+=:,./@%^";

void shell_word_put(FILE *out, const char *word)
{
    if (*word && strspn(word, plain_letters) == strlen(word)) {
        fprintf(out, " %s", word);
        return;
    }
    fputs(" '", out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

/* Number of arguments to skip from here: --restart and --verify belong only to the start
 * of a run. */
static int left_out(const char *word, const char *next)
{
    if (strcmp(word, "--restart") == 0)
        return 2;
    if (strcmp(word, "--verify") == 0)
        return next && number_follows(next) ? 2 : 1;
    return strncmp(word, "--restart=", 10) == 0 || strncmp(word, "--verify=", 9) == 0;
}

void go_on_print(int count, char **word, const char *checkpoint)
{
    bool ended = false; /* arguments after "--" are not options */
    fprintf(stderr, "go on with: pavior run --restart");
    shell_word_put(stderr, checkpoint);
    for (int at = 0; at < count; at++) {
        const char *next = at + 1 < count ? word[at + 1] : NULL;
        const int skipped = ended ? 0 : left_out(word[at], next);
        ended = ended || strcmp(word[at], "--") == 0;
        if (skipped == 0)
            shell_word_put(stderr, word[at]);
        at += skipped > 1 ? 1 : 0;
    }
    fprintf(stderr, "\n");
}
