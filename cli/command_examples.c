/* SPDX-License-Identifier: BSD-3-Clause */
/* pavior examples: lists, prints, runs and copies the bundled descriptions. They are the
 * files FOLDER/NAME.pav below share/pavior/examples, at a fixed place relative to this
 * program: in the build tree and after `make install`. Names are unique. */
#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

enum { RUN, COPY, RULES };

static const option_rule rules[RULES] = {
    [RUN] = {"run", false, false},
    [COPY] = {"copy", true, false},
};

enum { SENTENCE = 256 };

/* Paths of the files at root/folder/name; the caller frees `found` by globfree. */
static bool find_files(const char *folder, const char *name, glob_t *found)
{
    static const char *const places[] = {"share/pavior/examples",
                                         "../share/pavior/examples"};
    char program[PATH_MAX], pattern[3 * PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return false;
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
    size_t end = 0;
    for (const char *c = program; *c; c++) {
        if (strchr("*?[\\", *c))
            pattern[end++] = '\\';
        pattern[end++] = *c;
    }
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        snprintf(pattern + end, sizeof pattern - end, "/%s/%s/%s", places[k], folder,
                 name);
        if (glob(pattern, 0, NULL, found) == 0)
            return true;
        globfree(found);
    }
    return false;
}

/* "heat/heat1d.pav" of a path. */
static const char *short_path(const char *path)
{
    const char *begin = strrchr(path, '/');
    while (begin > path && begin[-1] != '/')
        begin--;
    return begin;
}

/* The first sentence of the comment at the beginning of a file. */
static void read_sentence(const char *path, char sentence[SENTENCE])
{
    OWNED_BY(close_file) FILE *const file = fopen(path, "r");
    size_t length = 0;
    int c = 0, last = '\n';
    while (file && (c = getc(file)) != EOF && (last != '\n' || c == '#') &&
           !(last == '.' && isspace(c)) && length < SENTENCE - 1) {
        if (c != '#' && !(isspace(c) && (length == 0 || sentence[length - 1] == ' ')))
            sentence[length++] = isspace(c) ? ' ' : (char)c;
        last = c;
    }
    sentence[length] = '\0';
}

static void list(const glob_t *found)
{
    const char *folder = "";
    for (size_t k = 0; k < found->gl_pathc; k++) {
        char sentence[SENTENCE];
        const char *path = short_path(found->gl_pathv[k]);
        const char *name = strchr(path, '/') + 1;
        const int letters = (int)(name - path);
        if (strncmp(folder, path, (size_t)letters) != 0)
            printf("%s%.*s\n", k ? "\n" : "", letters - 1, path);
        folder = path;
        read_sentence(found->gl_pathv[k], sentence);
        printf("  %-18.*s %s\n", (int)(strlen(name) - strlen(".pav")), name, sentence);
    }
    printf(
        "\n`pavior examples NAME` prints one, `pavior examples NAME --run` runs it.\n");
}

/* Reads a whole file; NULL: a mistake was printed. */
static char *read_file(const char *path, size_t *bytes)
{
    struct stat about = {0};
    OWNED_BY(close_file) FILE *const file = fopen(path, "rb");
    char *text = NULL;
    if (file && fstat(fileno(file), &about) == 0)
        text = calloc(1, (size_t)about.st_size + 1);
    *bytes = (size_t)about.st_size;
    if (!text || fread(text, 1, *bytes, file) != *bytes) {
        complain(PAV_EIO, "%s: %s", path, strerror(errno));
        free(text);
        return NULL;
    }
    return text;
}

/* Copies a file into a directory, but over no other file; NULL: to standard output. */
static int copy(const char *path, const char *directory)
{
    char target[PATH_MAX + NAME_MAX];
    size_t bytes = 0;
    OWNED_BY(close_text) char *text = read_file(path, &bytes);
    if (!text)
        return EXIT_RUN_FAILED;
    snprintf(target, sizeof target, "%s%s", directory ? directory : "",
             strrchr(path, '/'));
    FILE *file = directory ? fopen(target, "wbx") : stdout;
    bool written = file && fwrite(text, 1, bytes, file) == bytes;
    if (directory && file && fclose(file) != 0)
        written = false;
    if (directory && written)
        printf("%s\n", target);
    return written ? EXIT_DONE : LATE(PAV_EIO, "%s: %s", target, strerror(errno));
}

/* Copies the examples, and the arrays and pictures that their texts name. */
static int copy_all(const glob_t *found, const char *directory)
{
    OWNED_BY(globfree) glob_t arrays = {0};
    if (mkdir(directory, 0777) != 0 && errno != EEXIST)
        return LATE(PAV_EIO, "%s: %s", directory, strerror(errno));
    const bool any = find_files("*", "*.[np][pn][yg]", &arrays);
    for (size_t k = 0; k < found->gl_pathc; k++)
        DO(copy(found->gl_pathv[k], directory));
    for (size_t n = 0; any && n < arrays.gl_pathc; n++) {
        bool named = false;
        for (size_t k = 0; k < found->gl_pathc && !named; k++) {
            size_t bytes = 0;
            OWNED_BY(close_text) char *text = read_file(found->gl_pathv[k], &bytes);
            named = text && strstr(text, strrchr(arrays.gl_pathv[n], '/') + 1);
        }
        if (named)
            DO(copy(arrays.gl_pathv[n], directory));
    }
    return EXIT_DONE;
}

/* The file of an example by its name, with or without .pav; all files without a name. */
static bool find_examples(const char *name, glob_t *found)
{
    char pattern[NAME_MAX];
    const char *end = name && strstr(name, ".pav") ? "" : ".pav";
    const bool is_pattern = name && strpbrk(name, "*?[\\/");
    snprintf(pattern, sizeof pattern, "%s%s", name ? name : "*", end);
    return !is_pattern && find_files("*", pattern, found);
}

/* Prints the nearest name, or the reason why there is none. */
static int unknown_example(const char *name, glob_t *all)
{
    enum { MOST_EXAMPLES = 1024 };
    const char *names[MOST_EXAMPLES + 1] = {0};
    if (!name || !find_examples(NULL, all))
        return usage_error(&examples_command,
                           "the examples are not installed: they belong to "
                           "share/pavior/examples of the installation");
    for (size_t k = 0; k < all->gl_pathc && k < MOST_EXAMPLES; k++) {
        *strrchr(all->gl_pathv[k], '.') = '\0';
        names[k] = strrchr(all->gl_pathv[k], '/') + 1;
    }
    const char *near = nearest_name(name, strcspn(name, "."), names);
    return usage_error(
        &examples_command, "there is no example '%s'%s%s%s: `pavior examples` lists them",
        name, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

/* The words behind --run are of `pavior run`; the path takes the place of --run. */
static int examples(int count, char **word)
{
    OWNED_BY(options_free) options o;
    OWNED_BY(globfree) glob_t found = {0};
    int at = 0;
    while (at < count && strcmp(word[at], "--run") != 0)
        at++;
    DO(options_read(&examples_command, at, word, &o));
    const char *name = o.plain_count == 1 ? o.plain[0] : NULL;
    if (o.plain_count > 1)
        return usage_error(&examples_command, "one name is needed, but '%s' is another",
                           o.plain[1]);
    if (at < count && (!name || o.value[COPY]))
        return usage_error(&examples_command, "--run needs a name, and no --copy");
    if (!find_examples(name, &found))
        return unknown_example(name, &found);
    if (o.value[COPY])
        return copy_all(&found, o.value[COPY]);
    if (at < count) {
        word[at] = found.gl_pathv[0];
        return run_command.run(count - at, word + at);
    }
    if (name)
        return copy(found.gl_pathv[0], NULL);
    list(&found);
    return EXIT_DONE;
}

const command examples_command = {
    .name = "examples",
    .arguments = "[NAME]",
    .about = "list the examples by field; print, run or copy them",
    .help =
        "Without NAME: lists the examples by folder, each with its first sentence.\n"
        "With NAME: prints the example.\n"
        "\n"
        "  --run       run the example; later options are those of `pavior run`\n"
        "  --copy DIR  copy the example, or all examples, into a directory, with the\n"
        "              arrays that they read; existing files are not replaced\n"
        "\n"
        "  pavior examples drum\n"
        "  pavior examples drum --run --steps 200 --out drum\n"
        "  pavior examples --copy examples\n",
    .rule = rules,
    .rules = RULES,
    .run = examples,
};
