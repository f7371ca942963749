/* SPDX-License-Identifier: BSD-3-Clause */
#include "opened.h"

pav_program *parse(const char *text)
{
    pav_program *program = NULL;
    REQUIRE_OK(pav_program_parse(text, strlen(text), NULL, &program));
    REQUIRE(program != NULL);
    return program;
}

pav_status refuse_text(const char *text)
{
    pav_program *program = (pav_program *)&program;
    const pav_status status = pav_program_parse(text, strlen(text), NULL, &program);
    CHECK(program == NULL);
    return status;
}

opened open_text(const char *text, const pav_run_options *options)
{
    static const pav_run_options plain = {.no_files = 1};
    opened o = {.program = parse(text)};
    REQUIRE_OK(pav_device_open("auto", &o.device));
    REQUIRE_OK(pav_run_open(o.program, o.device, options ? options : &plain, &o.run));
    return o;
}

void close_opened(opened *o)
{
    pav_run_free(o->run);
    pav_program_free(o->program);
    pav_device_free(o->device);
    *o = (opened){0};
}

bool message_has(const char *words)
{
    return strstr(pav_message(), words) != NULL;
}
