/* SPDX-License-Identifier: BSD-3-Clause */
/* pavior adjoint: prints the description of the adjoint, or runs the dot-product test. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

enum { SET, STEPS, DEVICE, THREADS, TEST, RULES };

static const option_rule rules[RULES] = {
    [SET] = {"set", true, true},        [STEPS] = {"steps", true, false},
    [DEVICE] = {"device", true, false}, [THREADS] = {"threads", true, false},
    [TEST] = {"test", false, false},
};

static const option_target targets[] = {
    {"steps", OPTION_INT64, offsetof(pav_adjoint_options, steps), INT64_MAX},
    {"threads", OPTION_INT, offsetof(pav_adjoint_options, threads), PAV_MAX_THREADS},
    {NULL, OPTION_WORD, 0, 0},
};

/* Rounding error allowed, relative to |F x| |y|. */
static double tolerance(const pav_program *program)
{
    OWNED_BY(close_text) char *text = NULL;

    if (pav_program_print(program, &text) != PAV_OK)
        return 1e-12;
    return strstr(text, "stored bf16") || strstr(text, "stored f16") ? 1e-2
           : strstr(text, "f32")                                     ? 1e-5
                                                                     : 1e-12;
}

static int test(const pav_program *program, const options *o,
                const pav_adjoint_options *wanted)
{
    OWNED_BY(close_device) pav_device *device = NULL;
    double forward = 0, backward = 0, size = 0;

    DO(exit_of(pav_device_open(o->value[DEVICE], &device)));
    DO(exit_of(pav_adjoint_test(program, device, wanted, &forward, &backward, &size)));
    const double error = fabs(forward - backward) / size;
    const double most = tolerance(program);
    if (!isfinite(error))
        return LATE(
            PAV_EINVAL,
            "the dot-product test shows nothing: (F x, y) = %g of |F x| |y| = %g; "
            "look at the steps with `pavior run`, or take more of them",
            forward, size);
    printf("(F x, y)  = %.17g\n(x, F' y) = %.17g\n", forward, backward);
    printf("difference: %.2e of |F x| |y| = %.6g%s\n", error, size,
           error <= most ? ", a rounding" : "");
    if (error <= most)
        return EXIT_DONE;
    return LATE(PAV_EINTERNAL,
                "the dot-product test fails: %.2e is more than the roundings of these "
                "steps, %.0e",
                error, most);
}

static int print_adjoint(const pav_program *program, int64_t steps)
{
    char *text = NULL;
    return print_text(pav_program_adjoint(program, steps, &text), &text);
}

static int with_options(const options *o)
{
    OWNED_BY(close_program) pav_program *program = NULL;
    pav_adjoint_options wanted = {0};

    DO(options_store(o, targets, &wanted));
    DO(load_only(o, &program));
    return o->value[TEST] ? test(program, o, &wanted)
                          : print_adjoint(program, wanted.steps);
}

const command adjoint_command = {
    .name = "adjoint",
    .arguments = "FILE",
    .about = "print or test the adjoint, which goes back from receivers to sources",
    .help =
        "FILE is a description with receivers (its `sample` lines) and with equations\n"
        "that are linear in the fields that they update. Its adjoint steps backwards:\n"
        "step s is the transpose of step N - s. Receivers become sources of the\n"
        "traces in data.npy, data-1.npy, ..., and sources become receivers.\n"
        "\n"
        "  --test            dot-product test: (F x, y) = (x, F' y) for random traces\n"
        "                    x of the sources and y of the receivers; exit code 1 if\n"
        "                    they differ by more than rounding\n"
        "  --set NAME=VALUE  set a param or scalar; may be repeated\n"
        "  --steps N         take N steps instead of the description's `steps`\n"
        "  --device NAME     device of the test; auto: the best\n"
        "  --threads N       threads of the device cpu\n"
        "\n"
        "  pavior adjoint shot.pav\n"
        "  pavior adjoint shot.pav --test\n",
    .rule = rules,
    .rules = RULES,
    .work = with_options,
};
