/* SPDX-License-Identifier: BSD-3-Clause */
/* pavior explain: prints the compiler's view of a description. */
#include <stdio.h>

#include "cli.h"

enum { SET, JSON, RULES };

static const option_rule rules[RULES] = {
    [SET] = {"set", true, true},
    [JSON] = {"json", false, false},
};

/* Prints the solver derived for an equation. If no method can solve it, the reason is
 * printed as a comment, without failure: the description has been explained. */
static int explain_solver(const pav_program *program)
{
    char *text = NULL;
    const pav_status status = pav_program_solver(program, &text);
    if (status == PAV_EUNSUPPORTED) {
        printf("\n# %s\n", pav_message());
        return EXIT_DONE;
    }
    if (text)
        printf("\n# the description whose steps solve it\n");
    return status == PAV_OK && !text ? EXIT_DONE : print_text(status, &text);
}

static int explain(const options *o)
{
    OWNED_BY(close_program) pav_program *program = NULL;
    const int json = o->value[JSON] != NULL;
    char *text = NULL;
    DO(load_only(o, &program));
    DO(print_text(pav_program_on_mesh(program)
                      ? pav_mesh_explain(program, json, &text)
                      : pav_program_explain(program, json, &text),
                  &text));
    return json ? EXIT_DONE : explain_solver(program);
}

const command explain_command = {
    .name = "explain",
    .arguments = "FILE",
    .about = "print a description, its arithmetic after each pass, and its costs",
    .help = "FILE is a description, a catalogue word (see `pavior catalogue`), or - for\n"
            "standard input.\n"
            "\n"
            "  --set NAME=VALUE  set a param or scalar; may be repeated\n"
            "  --json            print one JSON object\n"
            "\n"
            "  pavior explain sym27:preset=fe@64x64x64\n",
    .rule = rules,
    .rules = RULES,
    .work = explain,
};
