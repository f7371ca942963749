/* SPDX-License-Identifier: BSD-3-Clause */
/* pavior compile: compiles kernels into the cache, so a later run starts at once, even on
 * a machine without a compiler. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

enum { SET, DEVICE, SCHEDULE, OUT, KERNELS, RULES };

static const option_rule rules[RULES] = {
    [SET] = {"set", true, true},
    [DEVICE] = {"device", true, false},
    [SCHEDULE] = {"schedule", true, false},
    [OUT] = {"out", true, false},
    [KERNELS] = {"kernels", true, false},
};

/* Compiles by the same calls as a run before its first step. */
static pav_status compile(const pav_program *program, const options *o,
                          pav_device *device)
{
    bool quiet = true;
    const pav_run_options wanted = {.no_files = 1,
                                    .early = -1, /* waits for its kernels */
                                    .schedule = o->value[SCHEDULE],
                                    .listener = notes_listen,
                                    .user = &quiet};
    OWNED_BY(close_run) pav_run *run = NULL;
    return o->value[OUT] ? pav_bundle_write(program, device, &wanted, o->value[OUT])
                         : pav_run_open(program, device, &wanted, &run);
}

static int with_options(const options *o)
{
    OWNED_BY(close_program) pav_program *program = NULL;
    OWNED_BY(close_device) pav_device *device = NULL;
    if (o->value[KERNELS] && (o->value[SCHEDULE] || o->value[OUT] || o->set_count > 0))
        return usage_error(&compile_command,
                           "--set, --schedule and --out are of no use with --kernels");
    if (o->value[KERNELS] && o->value[DEVICE])
        DO(exit_of(pav_device_open(o->value[DEVICE], &device)));
    if (o->value[KERNELS] && o->plain_count > 0)
        return exit_of(
            pav_kernels_write(o->plain, o->plain_count, device, o->value[KERNELS]));
    const int64_t before = pav_kernel_loads();
    DO(load_only(o, &program));
    DO(exit_of(pav_device_open(o->value[DEVICE], &device)));
    DO(exit_of(compile(program, o, device)));
    const int64_t loads = pav_kernel_loads() - before;
    const char *name = pav_device_name(device);
    if (o->value[OUT]) {
        printf("%s: kernels for %s are in %s\n", o->plain[0], name, o->value[OUT]);
    } else if (pav_kernels_not_kept() > 0) {
        return LATE(
            PAV_EIO,
            "pavior: %s is compiled for nothing: its kernels cannot be kept in the "
            "cache; PAV_CACHE names another directory, and -o FILE makes a bundle",
            o->plain[0]);
    } else if (loads > 0) {
        printf("%s: %lld source%s compiled for %s, or already there\n", o->plain[0],
               (long long)loads, loads == 1 ? "" : "s", name);
    } else {
        complain(PAV_EUNSUPPORTED, "pavior: the device %s compiles nothing", name);
    }
    return loads > 0 ? EXIT_DONE : EXIT_USAGE;
}

const command compile_command = {
    .name = "compile",
    .arguments = "FILE",
    .about = "compile the kernels of a description before it is run",
    .help =
        "FILE is a description, a catalogue word (see `pavior catalogue`), or - for\n"
        "standard input. Its kernels are compiled like those of `pavior run`, with\n"
        "the memory of the run. They are kept in $PAV_CACHE or ~/.cache/pavior, and\n"
        "`pavior run --require-cached` takes them from there. They are valid for this\n"
        "extent, processor and compiler. With --out they are written to one file, a\n"
        "bundle, for machines without a compiler.\n"
        "\n"
        "  --set NAME=VALUE  set a param or scalar; may be repeated\n"
        "  --device NAME     cpu, cuda or cuda:N; auto: the best\n"
        "  --schedule NAME   like `pavior run`\n"
        "  --out FILE, -o    write a bundle for `pavior run --bundle FILE`\n"
        "  --kernels FOLDER  write kernels of one FILE or several for an installation;\n"
        "                    with --device cuda for this architecture of GPUs, with\n"
        "                    --device cpu for this level of processors alone\n"
        "\n"
        "  pavior compile heat3d.pav --set n=512\n"
        "  pavior run heat3d.pav --set n=512 --require-cached\n"
        "  pavior compile heat3d.pav --set n=512 -o heat.bundle\n"
        "  pavior run heat3d.pav --set n=512 --bundle heat.bundle\n",
    .rule = rules,
    .rules = RULES,
    .work = with_options,
};
