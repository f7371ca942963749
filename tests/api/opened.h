/* SPDX-License-Identifier: BSD-3-Clause */
/* opened.h: common start of the tests of the interface. A failure ends the test. */
#ifndef OPENED_H
#define OPENED_H

#include "test.h"

typedef struct opened {
    pav_device *device;
    pav_program *program;
    pav_run *run;
} opened;

/* Opens a run of a description, without files; options may be NULL. */
opened open_text(const char *text, const pav_run_options *options);
void close_opened(opened *o);
pav_program *parse(const char *text);
/* The status of parsing a faulty text. The program pointer must stay NULL. */
pav_status refuse_text(const char *text);
bool message_has(const char *words);

#endif
