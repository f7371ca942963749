/* SPDX-License-Identifier: BSD-3-Clause */
/* Output files: the contents allowed by the ending of a name, and the colours of
 * pictures. */
#include <string.h>

#include "lang/lang_private.h"

const format_info *format_find(const char *path)
{
    for (int i = 0; i < FORMATS; i++)
        if (strcmp(format_table[i].ending, path_ending(path)) == 0)
            return &format_table[i];
    return NULL;
}

static void report_ending(parser *p, const statement *s)
{
    const char *known[FORMATS], *ending = path_ending(s->file), *list = "";

    for (int i = 0; i < FORMATS; i++) {
        known[i] = format_table[i].ending;
        list = arena_print(p->arena, "%s%s%s", list,
                           i == 0             ? ""
                           : i == FORMATS - 1 ? " and "
                                              : ", ",
                           known[i]);
    }
    const char *near = text_nearest(ending, known, FORMATS);
    if (!*ending)
        mistake_at(p, s->file_at,
                   "this name has no ending that says what to write; %s can be", list);
    else
        mistake_at(p, s->file_at, "a %.20s file cannot be written; %s can%s%s%s", ending,
                   list, near ? "; did you mean '" : "", near ? near : "",
                   near ? "'?" : "");
}

static void check_colours(parser *p, const statement *s)
{
    if (word_find(colour_names, COLOUR_MAPS, s->colours, (int)strlen(s->colours)) >= 0)
        return;
    const char *list = "", *near = text_nearest(s->colours, colour_names, COLOUR_MAPS);
    for (int i = 0; i < COLOUR_MAPS; i++)
        list = arena_print(p->arena, "%s%s%s", list, i > 0 ? ", " : "", colour_names[i]);
    mistake_at(p, s->colours_at, "unknown colours '%.40s'; known are %s%s%s%s",
               s->colours, list, near ? "; did you mean '" : "", near ? near : "",
               near ? "'?" : "");
}

static void check_table(parser *p, const statement *s, const format_info *f)
{
    const bool sample = s->kind != STATEMENT_MEASURE;
    const bool painted = s->range[0] || s->colours;

    if (!f->table && !(sample && f->gather))
        mistake_at(p, s->file_at, "a %s is a table; write it into a .csv or .npy file%s",
                   sample ? "sample" : "measure",
                   sample ? ", or, as a gather, into a .png or .sgy file" : "");
    else if (painted && !f->picture)
        mistake_at(
            p, s->range[0] ? s->range_at : s->colours_at,
            "a %s file has no colours; write the sample into a .png file, or leave "
            "them out",
            f->ending);
    else if (s->colours)
        check_colours(p, s);
}

/* Checks that only pictures have a range and colours. */
static void check_field(parser *p, const statement *s, const format_info *f)
{
    const char *word = s->range[0] ? "range" : "colours";

    if (!f->picture && !f->field && p->dim > 2 && s->slice_axis < 0)
        mistake_at(p, s->file_at,
                   "a 3-D field does not fit a table; take a plane of it, such as `slice "
                   "z 0`, or write it into a .npy or .png file");
    if (!f->picture && (s->range[0] || s->colours))
        mistake_at(p, s->range[0] ? s->range_at : s->colours_at,
                   "'%s' is of the colours of a picture, and a %s file has none; write "
                   "into a .png or .apng file, or leave it out",
                   word, f->ending);
    else if (s->colours)
        check_colours(p, s);
}

/* Refuses image data of a stretched grid. */
static bool one_spacing(const parser *p, const format_info *f)
{
    const bool image = strcmp(f->ending, ".vti") == 0 || strcmp(f->ending, ".pvd") == 0;
    bool stretched = false;

    for (int axis = 0; axis < p->dim; axis++)
        stretched = stretched || axis_stretched(p->program, axis);
    return image && stretched;
}

static void check_format(parser *p, const statement *s)
{
    const format_info *f = s->file ? format_find(s->file) : &format_table[0];

    if (!f)
        report_ending(p, s);
    else if (s->kind == STATEMENT_OUTPUT && !f->field && !f->picture && !f->table)
        mistake_at(p, s->file_at,
                   "a %s file holds traces, of a sample; write a field into a .npy file",
                   f->ending);
    else if (s->kind == STATEMENT_OUTPUT && one_spacing(p, f))
        mistake_at(p, s->file_at,
                   "a %s file has one spacing an axis, and those of this grid differ; "
                   "write into a .vtr or .xdmf file",
                   f->ending);
    else if (s->kind == STATEMENT_OUTPUT)
        check_field(p, s, f);
    else if (s->file)
        check_table(p, s, f);
}

void files_check(parser *p)
{
    for (int64_t i = 0; i < p->checks; i++) {
        const statement *s = p->check[i].statement;
        if (s->kind == STATEMENT_OUTPUT || s->kind == STATEMENT_SAMPLE ||
            s->kind == STATEMENT_GATHER || s->kind == STATEMENT_MEASURE)
            check_format(p, s);
    }
    overwrites_check(p);
}
