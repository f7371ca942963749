/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes and warnings of executors, passed to the listener of their client. */
#include <stdarg.h>
#include <stdio.h>

#include "exec/client/client.h"

static void report(const exec_client *c, bool warning, const char *format, va_list list)
{
    char line[1024];
    (void)vsnprintf(line, sizeof line, format, list);
    c->ops->report(c, warning, line);
}

void exec_note(const exec_client *c, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    report(c, false, format, list);
    va_end(list);
}

void exec_warn(const exec_client *c, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    report(c, true, format, list);
    va_end(list);
}
