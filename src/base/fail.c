/* SPDX-License-Identifier: BSD-3-Clause */
/* Failures: the message with the reason, one per thread.
 *
 * Two buffers alternate, so a message may quote the one before it: FAIL(status, "field u:
 * %s", pav_message()). They belong to the thread and are never freed. A message too long
 * is cut between two characters and ends in "...". */
#include <stdio.h>
#include <string.h>

#include "base/base.h"

enum { MESSAGE_SIZE = 64 * 1024 };

static _Thread_local char messages[2][MESSAGE_SIZE];
static _Thread_local int current;

/* Cuts the message before a character: continuation bytes of UTF-8 are skipped. */
static void cut(char *message)
{
    static const char mark[] = "...";
    size_t end = MESSAGE_SIZE - sizeof mark;

    while (end > 0 && utf8_continues(message[end]))
        end--;
    memcpy(message + end, mark, sizeof mark);
}

pav_status fail_list(pav_status status, const char *format, va_list list)
{
    char *message = messages[1 - current];
    const int length = vsnprintf(message, MESSAGE_SIZE, format, list);

    if (length < 0)
        message[0] = '\0';
    else if (length >= MESSAGE_SIZE)
        cut(message);
    current = 1 - current;
    return status;
}

pav_status fail(pav_status status, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    fail_list(status, format, list);
    va_end(list);
    return status;
}

const char *pav_message(void)
{
    return messages[current];
}

struct status_row {
    pav_status status;
    const char *name, *text;
};

static const struct status_row statuses[] = {
#define X(name, value, text) {PAV_##name, "PAV_" #name, text},
    PAV_STATUS_LIST(X)
#undef X
};

static const struct status_row *find_status(pav_status status)
{
    for (size_t i = 0; i < COUNT_OF(statuses); i++)
        if (statuses[i].status == status)
            return &statuses[i];
    return NULL;
}

const char *pav_status_name(pav_status status)
{
    const struct status_row *row = find_status(status);

    return row ? row->name : "unknown";
}

const char *pav_status_text(pav_status status)
{
    const struct status_row *row = find_status(status);

    return row ? row->text : "not a status of this version";
}

const char *pav_version(void)
{
    return PAV_VERSION;
}
