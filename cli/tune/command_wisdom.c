/* SPDX-License-Identifier: BSD-3-Clause */
/* pavior wisdom: prints, exports, imports and deletes the known fast schedules. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

enum { ANY, ALL, RULES };

static const option_rule rules[RULES] = {
    [ANY] = {"any", false, false},
    [ALL] = {"all", false, false},
};

static int list(const options *o)
{
    char *text = NULL;
    (void)o;
    return print_text(pav_wisdom_text(0, &text), &text);
}

static int put(const char *path, const char *text)
{
    FILE *file = fopen(path, "wx");
    bool written = file && fputs(text, file) >= 0;
    if (file && fclose(file) != 0)
        written = false;
    return written
               ? EXIT_DONE
               : LATE(PAV_EIO, "pavior: %s cannot be written: %s", path, strerror(errno));
}

static int export(const options *o)
{
    OWNED_BY(close_text) char *text = NULL;
    DO(exit_of(pav_wisdom_text(1, &text)));
    if (o->plain_count > 1)
        return put(o->plain[1], text);
    fputs(text, stdout);
    return EXIT_DONE;
}

static int import(const options *o)
{
    int64_t taken;
    DO(exit_of(pav_wisdom_import(o->plain[1], o->value[ANY] != NULL, &taken)));
    printf("%lld line%s taken from %s; others were known, as fast or tried harder\n",
           (long long)taken, taken == 1 ? "" : "s", o->plain[1]);
    return EXIT_DONE;
}

static int forget(const options *o)
{
    int64_t forgotten;
    if ((o->plain_count < 2) == !o->value[ALL])
        return usage_error(&wisdom_command,
                           "forget takes the name of a program, or --all");
    DO(exit_of(pav_wisdom_forget(o->plain_count > 1 ? o->plain[1] : NULL, &forgotten)));
    printf("%lld line%s forgotten\n", (long long)forgotten, forgotten == 1 ? "" : "s");
    return EXIT_DONE;
}

static const struct {
    const char *name;
    int least, most; /* limits on the number of arguments, with the verb */
    int (*act)(const options *o);
} verbs[] = {
    {"list", 1, 1, list},
    {"export", 1, 2, export},
    {"import", 2, 2, import},
    {"forget", 1, 2, forget},
};

static int with_options(const options *o)
{
    for (size_t k = 0; k < sizeof verbs / sizeof *verbs && o->plain_count > 0; k++)
        if (strcmp(verbs[k].name, o->plain[0]) == 0) {
            if (o->plain_count < verbs[k].least || o->plain_count > verbs[k].most)
                return usage_error(&wisdom_command, "%s takes %s", verbs[k].name,
                                   verbs[k].least == 2 ? "a file" : "fewer words");
            return verbs[k].act(o);
        }
    if (o->plain_count == 0)
        return usage_error(&wisdom_command, "give list, export, import or forget");
    const char *near = nearest_name(
        o->plain[0], strlen(o->plain[0]),
        (const char *[]){"list", "export", "import", "forget", NULL});
    return usage_error(
        &wisdom_command,
        "there is no 'wisdom %s'%s%s%s: give list, export, import or forget", o->plain[0],
        near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

const command wisdom_command = {
    .name = "wisdom",
    .arguments = "list|export [FILE]|import FILE|forget NAME",
    .about = "list, export, import and forget schedules known to be fast",
    .help =
        "Wisdom is the list of schedules found to be fast by long runs and by `pavior\n"
        "tune`: a line for each problem, machine, compiler and version. Later runs\n"
        "use it. It never changes the bits of a result (docs/tuning.md).\n"
        "\n"
        "  list              print all lines\n"
        "  export [FILE]     write all lines to a new file, or to standard output\n"
        "  import FILE       add all lines of an exported file; add nothing if a line\n"
        "                    is of another machine, compiler or version\n"
        "  forget NAME       remove all lines of a program\n"
        "\n"
        "  --any             import: also lines of other machines and compilers\n"
        "  --all             forget: the lines of all programs\n"
        "\n"
        "The user's wisdom is in $PAV_WISDOM, or in pavior/wisdom in $XDG_DATA_HOME\n"
        "or ~/.local/share. All users also share /etc/pavior/wisdom. With\n"
        "PAV_WISDOM=none wisdom is neither used nor kept.\n"
        "\n"
        "  pavior wisdom export cluster.wisdom\n"
        "  pavior wisdom import cluster.wisdom\n",
    .rule = rules,
    .rules = RULES,
    .work = with_options,
};
