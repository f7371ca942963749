/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of shots: the first line holds names, params of the description or `data`. Each
 * further line holds the values of one shot. Ranks share the shots of a list. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "imaging/imaging_private.h"

enum { MOST_LIST = 64 << 20 };

static char *trimmed(char *word)
{
    while (*word == ' ' || *word == '\t')
        word++;
    for (size_t n = strlen(word); n > 0 && strchr(" \t\r", word[n - 1]); n--)
        word[n - 1] = '\0';
    return word;
}

/* Cuts a line at its commas. Returns the number of cells, or MOST_SHOT_COLUMNS + 1 if
 * there are more. */
static int cut_line(char *line, char *cell[MOST_SHOT_COLUMNS])
{
    int count = 0;

    for (char *next; line && count < MOST_SHOT_COLUMNS; line = next) {
        next = strchr(line, ',');
        if (next)
            *next++ = '\0';
        cell[count++] = trimmed(line);
        if (!next)
            return count;
    }
    return MOST_SHOT_COLUMNS + 1;
}

static pav_status take_line(shot_list *l, const char *path, int64_t number, char *line)
{
    char *cell[MOST_SHOT_COLUMNS];
    const int count = cut_line(line, cell);

    if (count > MOST_SHOT_COLUMNS || (l->columns > 0 && count != l->columns))
        return FAIL(PAV_EFORMAT, "%s:%lld: %d values; %s", path, (long long)number, count,
                    l->columns > 0 ? "the first line has another number of names"
                                   : "64 are the most");
    if (l->columns == 0) {
        for (int k = 0; k < count; k++) {
            l->name[k] = cell[k];
            if (strcmp(cell[k], "data") == 0)
                l->data = k;
        }
        l->columns = count;
        return PAV_OK;
    }
    TRY(mem_reserve(&l->cell, &l->capacity, l->shots,
                    (size_t)l->columns * sizeof *l->cell));
    memcpy(l->cell + l->shots++ * l->columns, cell, (size_t)count * sizeof *cell);
    return PAV_OK;
}

static void print_in_lines(const program *p, text *t)
{
    int line = 1;

    EACH_STATEMENT(s, p)
        if (!s->made) {
            statement_begin_line(s, &line, t);
            statement_print(p, s, t);
        }
}

pav_status shots_open(const program *p, const char *path, const char *data, shot_list *l)
{
    OWNED_BY(free_program) program *first = NULL;
    text t = {0};

    *l = (shot_list){.p = p, .data_of_all = data};
    print_in_lines(p, &t);
    TRY(text_take(&t, &l->source));
    int64_t length = 0, number = 0;
    l->data = -1;
    TRY(file_read(path, MOST_LIST, &l->bytes, &length));
    for (char *line = l->bytes, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        number++;
        line = trimmed(line);
        if (*line && *line != '#')
            TRY(take_line(l, path, number, line));
    }
    if (l->shots == 0)
        return FAIL(PAV_EFORMAT,
                    "%s lists no shot: a line of names, as in `sx, data`, and a line of "
                    "values for each shot are needed",
                    path);
    pav_status status = shots_parse(l, 0, &first);
    for (int64_t k = 1; k < l->shots && status == PAV_ESYNTAX; k++)
        status = shots_parse(l, k, &first);
    TRY(status);
    l->points = program_all_points(first);
    return PAV_OK;
}

void shots_close(shot_list *l)
{
    MEM_FREE_ALL(l->bytes, l->cell, l->source);
}

const char *shots_cell(const shot_list *l, int64_t k, int column)
{
    return l->cell[k * l->columns + column];
}

pav_status shots_parse(const shot_list *l, int64_t k, program **result)
{
    OWNED_BY(text_free) text words = {0};
    const char *set[MOST_SHOT_COLUMNS + 1] = {NULL};
    int64_t at[MOST_SHOT_COLUMNS];
    int count = 0;

    for (int c = 0; c < l->columns; c++)
        if (c != l->data) {
            at[count++] = words.length;
            text_add(&words, "%s%s=%s", l->name[c], l->varies[c] ? ":" : "",
                     shots_cell(l, k, c));
            text_add_bytes(&words, "", 1);
        }
    if (words.failed)
        return PAV_ENOMEM;
    for (int n = 0; n < count; n++)
        set[n] = words.data + at[n];
    const pav_program_options options = {
        .set = set, .name = l->p->name, .directory = l->p->directory};
    const pav_status status = program_parse(l->source, (int64_t)strlen(l->source),
                                            &options, result);
    return status == PAV_OK
               ? PAV_OK
               : FAIL(status, "shot %lld: %s", (long long)k + 1, pav_message());
}

/* ---- notes ------------------------------------------------------------------------- */

/* Notes to the listener about the number of shots computed together. */

static void note(const pav_adjoint_options *o, const char *said)
{
    if (o->listener)
        (void)o->listener(o->user, PAV_EVENT_NOTE, NULL, said);
}

void shots_note_together(const pav_adjoint_options *o, int64_t count)
{
    char said[64];

    (void)snprintf(said, sizeof said, "%lld shots are computed as one", (long long)count);
    if (count > 1)
        note(o, said);
}

void shots_note_apart(const pav_adjoint_options *o, pav_status status)
{
    OWNED_BY(text_free) text t = {0};

    if (status != PAV_EUNSUPPORTED)
        return;
    text_add(&t, "fewer shots are computed as one: %s", pav_message());
    if (!t.failed)
        note(o, t.data);
}

/* ---- ranks ------------------------------------------------------------------------- */

/* Ranks share the shots of a list: shot k belongs to rank k modulo the number of
 * ranks. */

bool shots_own(const pav_adjoint_options *o, int64_t k)
{
    return k % ranks_count(o->ranks) == ranks_number(o->ranks);
}

pav_status shots_meet(pav_ranks *ranks, pav_status own)
{
    uint64_t failed = own != PAV_OK;
    OWNED char *why = own == PAV_OK ? NULL : strdup(pav_message());
    pav_status status = ranks_or(ranks, &failed, 1);

    if (own != PAV_OK)
        status = FAIL(own, "%s", why ? why : "memory ran out");
    else if (status == PAV_OK && failed)
        status = FAIL(PAV_EINTERRUPTED, "a shot of another rank failed; the same command "
                                        "continues with the missing shots");
    return status;
}
