/* SPDX-License-Identifier: BSD-3-Clause */
/* opened.h: what most tests of the interface start from. Failures end the test. */
#ifndef OPENED_H
#define OPENED_H

#include "test.h"

typedef struct opened {
    pav_device *device;
    pav_program *program;
    pav_run *run;
} opened;

/* A run of a description without files; options may be NULL. */
opened open_text(const char *text, const pav_run_options *options);
void close_opened(opened *o);
pav_program *parse(const char *text);
/* The status of parsing a text that fails; nothing may be left behind. */
pav_status refuse_text(const char *text);
bool message_has(const char *words);

#endif
