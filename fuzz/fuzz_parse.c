/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzes descriptions. Any bytes must be a program, or be refused with a message. The
 * canonical form of a program must parse to the same canonical form. Small programs are
 * lowered to the IR. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/lang.h"
#include "plan/plan.h"

enum {
    SMALL = 4000 /* bytes of canonical form that an IR is built of */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void broken(const char *what, const char *first, const char *second)
{
    (void)fprintf(stderr, "%s: %s\n---- first\n%s\n---- second\n%s\n", what,
                  pav_message(), first, second);
    abort();
}

/* Parses what was printed and prints it again: the two texts must be the same. */
static void check_canonical(const text *printed)
{
    program *again;
    text twice = {0};
    const pav_status status = program_parse(printed->data, printed->length, NULL, &again);

    if (status == PAV_ENOMEM)
        return;
    if (status != PAV_OK)
        broken("the canonical form is refused", printed->data, "");
    program_print(again, &twice);
    if (!twice.failed && strcmp(printed->data, twice.data) != 0)
        broken("the canonical form changes", printed->data, twice.data);
    text_free(&twice);
    program_free(again);
}

/* It may be refused, with a message. */
static void build(const program *p)
{
    ir *code;
    const pav_status status = ir_build(p, NULL, &code);

    if (status == PAV_OK)
        ir_free(code);
    else if (!*pav_message())
        broken("the program is refused without a word", "", "");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    program *p;
    text printed = {0};

    if (program_parse((const char *)data, (int64_t)size, NULL, &p) != PAV_OK)
        return 0;
    program_print(p, &printed);
    if (!printed.failed)
        check_canonical(&printed);
    if (printed.length <= SMALL)
        build(p);
    text_free(&printed);
    program_free(p);
    return 0;
}
