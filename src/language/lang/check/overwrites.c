/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks that no statement overwrites files of another statement. Names are compared
 * without `.`, `..` and doubled slashes, in the folder of the run. An output `every k`
 * writes a series of files, named after the steps. */
#include <stdlib.h>
#include <string.h>

#include "lang/lang_private.h"

typedef struct use_of_file {
    const char *path;
    const statement *statement;
    place at;
    bool written;
    int64_t every; /* above 0: a series, `path-000100` at multiples of `every` */
} use_of_file;

typedef struct use_list {
    int64_t count, capacity;
    use_of_file *item;
} use_list;

/* ---- names ------------------------------------------------------------------------- */

const char *path_plain(arena *memory, const char *path)
{
    char *plain = arena_alloc(memory, (int64_t)strlen(path) + 2, 1), *end = plain;

    if (*path == '/')
        *end++ = '/';
    char *const root = end;
    while (*path) {
        const size_t length = strcspn(path, "/");
        const char *last = end;
        while (last > root && last[-1] != '/')
            last--;
        const bool up = length == 2 && memcmp(path, "..", 2) == 0;
        const bool undoes = up && end > root && strcmp(last, "..") != 0;
        const bool above = up && end == root && root > plain; /* the root's own parent */
        if (undoes) {
            end = last > root ? plain + (last - plain) - 1 : root;
        } else if (length > 0 && !above && !(length == 1 && *path == '.')) {
            if (end > root)
                *end++ = '/';
            memcpy(end, path, length);
            end += length;
        }
        *end = '\0';
        path += length + (path[length] == '/');
    }
    return plain;
}

int64_t series_step(const char *path, int64_t *stem)
{
    const char *end = path_ending(path), *first = end;

    while (first > path && first[-1] >= '0' && first[-1] <= '9')
        first--;
    const int digits = (int)(end - first);
    if (digits < 6 || digits > 18 || (digits > 6 && *first == '0') || first == path ||
        first[-1] != '-')
        return -1;
    *stem = first - 1 - path;
    return strtoll(first, NULL, 10);
}

/* The name of the series, "heat.npy", and the step; NULL: no series. */
static const char *series_of(parser *p, const char *path, int64_t *step)
{
    int64_t stem;

    *step = series_step(path, &stem);
    return *step < 0
               ? NULL
               : arena_print(p->arena, "%.*s%s", (int)stem, path, path_ending(path));
}

static const char *kind_name(const statement *s)
{
    static const char *const names[] = {
        [STATEMENT_OUTPUT] = "output",    [STATEMENT_GATHER] = "sample",
        [STATEMENT_SAMPLE] = "sample",    [STATEMENT_CHECKPOINT] = "checkpoint",
        [STATEMENT_MEASURE] = "measure",  [STATEMENT_MASK] = "mask",
        [STATEMENT_INJECT] = "injection",
    };
    const char *name = (size_t)s->kind < COUNT_OF(names) ? names[s->kind] : NULL;

    return name ? name : "field";
}

/* ---- all uses ---------------------------------------------------------------------- */

static void add_use(parser *p, use_list *list, const use_of_file *u, const char *file)
{
    if (!file)
        return;
    ARENA_ADD(p->arena, list->item, list->count, list->capacity) = *u;
    list->item[list->count - 1].path = path_plain(p->arena, file);
}

/* The default name: u.npy, u-samples.csv, u-samples-2.csv. NULL for a measure or a
 * checkpoint. */
static const char *usual_name(parser *p, const statement *s)
{
    const char *name = s->symbol ? s->symbol->name : "";

    if (s->kind == STATEMENT_OUTPUT)
        return arena_print(p->arena, "%s.npy", name);
    if ((s->kind != STATEMENT_SAMPLE && s->kind != STATEMENT_GATHER) || !s->symbol)
        return NULL;
    const int64_t number = ++s->symbol->notes->samples;
    return number == 1
               ? arena_print(p->arena, "%s-samples.csv", name)
               : arena_print(p->arena, "%s-samples-%lld.csv", name, (long long)number);
}

/* The file of a dataset: model.h5 for "model.h5:/vp". */
static const char *data_file(parser *p, const char *file)
{
    const char *colon = strstr(file, ":/");

    return colon ? arena_print(p->arena, "%.*s", (int)(colon - file), file) : file;
}

static void add_uses(parser *p, use_list *list, const statement *s)
{
    const format_info *f = s->file ? format_find(s->file) : NULL;
    const bool samples = s->kind == STATEMENT_SAMPLE || s->kind == STATEMENT_GATHER;
    use_of_file u = {.statement = s, .at = s->file_at};

    if (s->kind == STATEMENT_INJECT || samples) {
        add_use(p, list, &u, s->points.file);
        add_use(p, list, &u, s->trace);
    }
    u.written = s->kind == STATEMENT_OUTPUT || samples || s->kind == STATEMENT_MEASURE ||
                s->kind == STATEMENT_CHECKPOINT;
    u.every = s->kind == STATEMENT_OUTPUT ? s->every_steps : 0;
    if (u.written && f && f->piece) {
        /* files listed by an index: for heat.pvd, heat.vti or its series */
        const int stem = (int)(strlen(s->file) - strlen(path_ending(s->file)));

        add_use(p, list, &u, arena_print(p->arena, "%.*s%s", stem, s->file, f->piece));
    }
    if (f && f->film)
        u.every = 0;
    if (s->file) {
        add_use(p, list, &u, u.written ? s->file : data_file(p, s->file));
    } else if (u.written) {
        u.at = s->at;
        add_use(p, list, &u, usual_name(p, s));
    }
}

static int by_path(const use_of_file *l, const use_of_file *r)
{
    const int order = strcmp(l->path, r->path);

    return order != 0 ? order : (l->every > 0) - (r->every > 0);
}

/* Sorts uses by path, then reads before writes, then by position in the source. */
static int by_use(const void *a, const void *b)
{
    const use_of_file *l = a, *r = b;
    const int order = by_path(l, r);

    if (order != 0)
        return order;
    if (l->written != r->written)
        return l->written ? 1 : -1;
    return l->at.line == r->at.line
               ? (l->at.column > r->at.column) - (l->at.column < r->at.column)
           : l->at.line < r->at.line ? -1
                                     : 1;
}

/* ---- telling ----------------------------------------------------------------------- */

static void report(parser *p, const use_of_file *writer, const use_of_file *other,
                   const char *path)
{
    const char *own = kind_name(writer->statement), *name = kind_name(other->statement);
    const int line = other->statement->at.line;

    if (other->written)
        mistake_at(p, writer->at,
                   "this %s writes \"%s\", and so does the %s in line %d; give one of "
                   "them another file name",
                   own, path, name, line);
    else
        mistake_at(p, writer->at,
                   "this %s writes over \"%s\", which the %s in line %d is read from; "
                   "give it another file name",
                   own, path, name, line);
}

/* Reports a file with the name of a series' file, at a step written by the series. */
static void check_series(parser *p, const use_list *list, const use_of_file *one)
{
    int64_t step = 0;
    const use_of_file wanted = {.path = series_of(p, one->path, &step), .every = 1};

    int64_t low = 0, high = wanted.path && one->every == 0 ? list->count : 0;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (by_path(&list->item[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const use_of_file *series = &list->item[low];
    if (!wanted.path || one->every > 0 || low == list->count ||
        by_path(series, &wanted) != 0 || step % series->every != 0)
        return;
    const bool late = one->written && one->at.line > series->at.line;
    report(p, late ? one : series, late ? series : one, one->path);
}

void overwrites_check(parser *p)
{
    use_list list = {0};

    for (int64_t i = 0; i < p->checks; i++)
        add_uses(p, &list, p->check[i].statement);
    if (list.count > 1)
        qsort(list.item, (size_t)list.count, sizeof *list.item, by_use);
    const use_of_file *first = list.item;
    for (int64_t i = 0; i < list.count; i++) {
        const use_of_file *u = &list.item[i];
        if (by_path(first, u) != 0)
            first = u;
        else if (u != first && u->written)
            report(p, u, first, u->path);
        check_series(p, &list, u);
    }
}
