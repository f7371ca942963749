/* SPDX-License-Identifier: BSD-3-Clause */
/* pavior gen: the source that a device compiles for a description, or what compilers tell of it. */
#include <string.h>

#include "cli.h"

enum { SET, DEVICE, SCHEDULE, STATS, RULES };

static const option_rule rules[RULES] = {
    [SET] = {"set", true, true},
    [DEVICE] = {"device", true, false},
    [SCHEDULE] = {"schedule", true, false},
    [STATS] = {"stats", false, false},
};

static bool fits_comment(const char *word)
{
    if (strstr(word, "*/"))
        return false;
    for (; *word; word++)
        if ((unsigned char)*word < ' ')
            return false;
    return true;
}

/* The command that prints this text again. */
static void print_command(int count, char **word)
{
    for (int n = 0; n < count; n++)
        if (!fits_comment(word[n]))
            return;
    printf("/* pavior gen");
    for (int n = 0; n < count; n++)
        shell_word_put(stdout, word[n]);
    printf(" */\n");
}

static pav_status make(const pav_program *program, const options *o, char **text)
{
    const char *const name = o->value[SCHEDULE];

    return o->value[STATS] ? pav_program_stats(program, name, text)
                           : pav_program_generate(program, o->value[DEVICE], name, text);
}

static int gen(const options *o, int count, char **word)
{
    pav_program *program = NULL;
    char *text = NULL;
    if (need_description(&gen_command, o) != EXIT_DONE)
        return EXIT_USAGE;
    if (o->value[STATS] && (!o->value[DEVICE] || strcmp(o->value[DEVICE], "cuda") != 0))
        return usage_error(&gen_command,
                           "--stats tells of kernels for GPUs of three architectures, "
                           "whichever are here: add --device cuda");
    int code = load_program(o->plain[0], o->set, &program);
    if (code == EXIT_DONE) {
        const pav_status status = make(program, o, &text);
        if (status == PAV_OK && !o->value[STATS])
            print_command(count, word);
        code = print_text(status, text);
    }
    pav_program_free(program);
    return code;
}

static int run(int count, char **word)
{
    options o;
    int code = options_read(&gen_command, rules, RULES, count, word, &o);
    if (code == EXIT_DONE)
        code = gen(&o, count, word);
    options_free(&o);
    return code;
}

const command gen_command = {
    .name = "gen",
    .arguments = "FILE",
    .about = "print the C or CUDA that a description is compiled to",
    .help =
        "FILE is a description, a catalogue word, or - for standard input.\n"
        "\n"
        "  --set NAME=VALUE  gives a param or scalar another value; may be repeated\n"
        "  --device NAME     the device it is for: cpu, cuda (cuda:N and emulated: the "
        "same),\n"
        "                    or auto, the one that `pavior run` takes (cpu)\n"
        "  --schedule NAME   of the device cuda: point, sweep, two-pass, time, "
        "persistent "
        "(for\n"
        "                    an H200); settings as in sweep:shared,rows=2 or "
        "ghosts=separate\n"
        "                    (what is usual for each stage); docs/gpu.md lists them\n"
        "  --stats           in place of the text, bytes and operations a point of its "
        "kernels,\n"
        "                    registers, spills and shared memory for sm_80, sm_90, "
        "sm_100;\n"
        "                    needs --device cuda and NVRTC, no GPU\n"
        "\n"
        "  pavior gen examples/heat3d.pav\n"
        "  pavior gen examples/heat3d.pav --device cuda\n",
    .run = run,
};
