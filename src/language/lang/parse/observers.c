/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources, receivers, measures and outputs: positions, injected and recorded values,
 * files and their formats. */
#include <string.h>

#include "lang/lang_private.h"

/* ---- output files ------------------------------------------------------------------ */

/* Output files: the contents allowed by the ending of a name, and the colours of
 * pictures. */

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
    if (!*ending)
        mistake_at(p, s->file_at, "the ending of this name is no known format; %s can be",
                   list);
    else
        mistake_at(p, s->file_at, "a %.20s file cannot be written; %s can%s", ending,
                   list, did_you_mean(p, ending, known, FORMATS));
}

static void check_colours(parser *p, const statement *s)
{
    const char *list = "";

    if (word_find(colour_names, COLOUR_MAPS, s->colours, (int)strlen(s->colours)) >= 0)
        return;
    for (int i = 0; i < COLOUR_MAPS; i++)
        list = arena_print(p->arena, "%s%s%s", list, i > 0 ? ", " : "", colour_names[i]);
    mistake_at(p, s->colours_at, "unknown colours '%.40s'; known are %s%s", s->colours,
               list, did_you_mean(p, s->colours, colour_names, COLOUR_MAPS));
}

/* Checks that only pictures have a range, colours and the like. */
static void check_field(parser *p, const statement *s, const format_info *f)
{
    if (!f->picture && !f->field && p->dim > 2 && s->slice_axis < 0)
        mistake_at(p, s->file_at,
                   "a 3-D field does not fit a table; take a plane of it, such as `slice "
                   "z 0`, or write it into a .npy or .png file");
    if (!f->picture && s->painted)
        mistake_at(p, s->painted_at,
                   "'%s' is of the colours of a picture, and a %s file has none; write "
                   "into a .png or .apng file, or leave it out",
                   s->painted, f->ending);
    else if (p->dim < 2 && (s->contours > 0 || s->arrows))
        mistake_at(p, s->painted_at,
                   "'%s' needs a picture of two axes, and a 1-D field is drawn as a "
                   "curve; leave it out",
                   s->contours > 0 ? "contours" : s->arrows);
    else if (s->frames == RANGE_OF_FRAMES && !s->every)
        mistake_at(p, s->painted_at,
                   "'range over frames' needs several pictures; add `every`, or leave it "
                   "out");
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
    else if (s->left_count > 1 && s->kind == STATEMENT_OUTPUT && !f->several &&
             !s->arrows)
        mistake_at(p, s->file ? s->file_at : s->at,
                   "a %s file holds one field; write several into a .h5, .nc, .xdmf, "
                   ".vti, .vtr or .pvd file, or each by an output of its own",
                   f->ending);
    else if (s->vector && !f->vectors)
        mistake_at(p, s->file_at,
                   "a vector is written into a .vti, .vtr or .pvd file; leave `as %.40s` "
                   "out, and a %s file holds the fields themselves",
                   s->vector, f->ending);
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
    else if (s->file) {
        const bool sample = s->kind != STATEMENT_MEASURE;
        if (!f->table && !(sample && f->gather))
            mistake_at(p, s->file_at,
                       "a %s is a table; write it into a .csv or .npy file%s",
                       sample ? "sample" : "measure",
                       sample ? ", or, as a gather, into a .png or .sgy file" : "");
        else if (s->painted && !f->picture)
            mistake_at(
                p, s->painted_at,
                "a %s file has no colours; write the sample into a .png file, or leave "
                "them out",
                f->ending);
        else if (s->colours)
            check_colours(p, s);
    }
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

/* ---- files of bare values ---------------------------------------------------------- */

/* Files of bare values: "vp.bin" raw f32 little z 301, x 401. */

int axis_parse(parser *p, unsigned taken, const char *what)
{
    const token *t = expect_name(p, what);
    const char *at = t && t->length == 1 ? strchr(axis_letters, *t->text) : NULL;
    const int axis = at && *at ? (int)(at - axis_letters) : -1;

    if (!t)
        return 0;
    if (axis >= 0 && (p->dim == 0 || axis < p->dim) && !(taken >> axis & 1))
        return axis;
    mistake_at(p, t->at, "'%.*s' is no axis of the grid%s",
               t->length < 40 ? t->length : 40, t->text,
               axis >= 0 && taken >> axis & 1 ? ", or stands there twice" : "");
    return 0;
}

/* ---- points ------------------------------------------------------------------------ */

/* (x, y, z) */
static void point_parse(parser *p, points *list, int64_t *capacity)
{
    const token *open = p->next;
    const place at = open->at;
    int count = 0;

    arena_reserve(p->arena, &list->list, list->count, capacity, sizeof *list->list);
    expr **axis = list->list[list->count++];
    if (!accept(p, "(")) {
        syntax_mistake(p, "a position stands in parentheses, as in at (%s)",
                       p->dim == 1   ? "10"
                       : p->dim == 2 ? "10, 20"
                                     : "10, 20, 30");
        return;
    }
    do {
        expr *e = expr_parse(p);
        if (count < MAX_DIM)
            axis[count] = e;
        count++;
    } while (accept(p, ","));
    expect_closed(p, open, ")");
    if (!p->panic && p->dim > 0 && count != p->dim)
        mistake_at(p, at, "%d coordinate%s for a grid of %d ax%s", count,
                   count == 1 ? "" : "s", p->dim, p->dim == 1 ? "is" : "es");
    if (list->count == MAX_NODES_WRITTEN)
        syntax_mistake(p, "more than %d points are better kept in an npy file",
                       MAX_NODES_WRITTEN);
}

/* "shot.sgy", or receivers of "shot.sgy" */
static bool parse_file(parser *p, points *list)
{
    list->owner = accept(p, "receivers") ? POINTS_RECEIVERS
                  : accept(p, "sources") ? POINTS_SOURCES
                                         : POINTS_USUAL;
    if (list->owner != POINTS_USUAL)
        expect(p, "of");
    if (list->owner == POINTS_USUAL && p->next->kind != TOKEN_STRING)
        return false;
    list->file_at = p->next->at;
    list->file = expect_string(p);
    return true;
}

static void parse_points(parser *p, points *list)
{
    int64_t capacity = 0;

    if (parse_file(p, list))
        return;
    do
        point_parse(p, list, &capacity);
    while (accept_on(p, ","));
}

/* A to B */
static void parse_two(parser *p, points *list)
{
    int64_t capacity = 0;

    point_parse(p, list, &capacity);
    expect(p, "to");
    point_parse(p, list, &capacity);
}

static void parse_positions(parser *p, points *list)
{
    if (accept(p, "at"))
        parse_points(p, list);
    else if (accept(p, "along")) {
        /* along A to B count N */
        parse_two(p, list);
        expect(p, "count");
        list->line_count = integer_parse(p, "the number of points", 1, INT32_MAX,
                                         &list->line_points);
    } else
        syntax_mistake(p,
                       "after the field stands 'at' with points, or 'along' with a line");
}

/* ---- parts of statements ----------------------------------------------------------- */

static void parse_every(parser *p, statement *s)
{
    const bool observes = s->kind == STATEMENT_OUTPUT || s->kind == STATEMENT_SAMPLE ||
                          s->kind == STATEMENT_GATHER || s->kind == STATEMENT_MEASURE;

    s->every = expr_parse(p);
    s->timed = observes && !p->panic && accept(p, "time");
    if (p->panic)
        return;
    if (!s->timed)
        constant_integer(p, s->every, "the number of steps after 'every'", 1, INT64_MAX,
                         &s->every_steps);
    else if (constant_need(p, s->every, "the time after 'every'", &s->interval) &&
             s->interval.v <= 0)
        mistake_at(p, s->every->at, "the time after 'every' must be positive, not %.12g",
                   s->interval.v);
}

static void parse_into(parser *p, statement *s)
{
    s->file_at = p->next->at;
    s->file = list_file(p, expect_string(p));
}

static void parse_method(parser *p, statement *s)
{
    if (accept(p, "sinc"))
        s->points.method = POINTS_SINC;
    else if (accept(p, "linear"))
        s->points.method = POINTS_LINEAR;
    else
        syntax_mistake(p, "'by' is followed by linear or sinc");
}

static void parse_slice(parser *p, statement *s)
{
    s->slice_axis = axis_parse(p, 0, "an axis, as in slice z 10,");
    s->slice_at = expr_parse(p);
}

/* crop A to B: the indices of its corners, one for each axis. */
static void parse_crop(parser *p, statement *s)
{
    points corners = {0};

    parse_two(p, &corners);
    s->crop = corners.list;
}

/* True if the parenthesis at t contains a comma outside inner brackets. */
static bool opens_list(const token *t)
{
    int depth = 0;

    if (!token_is(t, "("))
        return false;
    for (; t->kind != TOKEN_END && t->kind != TOKEN_NEWLINE; t++) {
        depth += token_is(t, "(") || token_is(t, "[");
        depth -= token_is(t, ")") || token_is(t, "]");
        if (depth == 0)
            return false;
        if (depth == 1 && token_is(t, ","))
            return true;
    }
    return false;
}

/* stride 2, of all axes, or stride (2, 2, 1). */
static void parse_stride(parser *p, statement *s)
{
    points list = {0};
    int64_t capacity = 0;

    if (!opens_list(p->next)) {
        s->strides = 1;
        s->stride[0] = expr_parse(p);
        return;
    }
    point_parse(p, &list, &capacity);
    s->strides = p->dim;
    memcpy(s->stride, list.list[0], sizeof s->stride);
}

/* range a to b, range over frames, or range each frame. */
static void parse_range(parser *p, statement *s)
{
    const bool over = token_is(p->next, "over") && token_is(p->next + 1, "frames");
    const bool each = token_is(p->next, "each") && token_is(p->next + 1, "frame");

    if ((over || each) && s->kind == STATEMENT_OUTPUT) {
        s->frames = over ? RANGE_OF_FRAMES : RANGE_OF_EACH;
        take(p);
        take(p);
        return;
    }
    s->range[0] = expr_parse(p);
    expect(p, "to");
    s->range[1] = expr_parse(p);
}

static void parse_colours(parser *p, statement *s)
{
    s->colours_at = p->next->at;
    const token *name = expect_name(p, "the name of a colour map");
    s->colours = name ? token_text(p, name) : NULL;
}

static void parse_label(parser *p, statement *s)
{
    s->label = expect_string(p);
}

/* contours 10, or contours at 0.1, 0.5. */
static void parse_contours(parser *p, statement *s)
{
    int64_t capacity = 0;

    s->contours_at = accept(p, "at");
    do {
        ARENA_ADD(p->arena, s->contour, s->contours, capacity) = expr_parse(p);
    } while (s->contours_at && s->contours < MAX_CONTOURS && accept_on(p, ","));
}

/* arrows ux, uy, or streamlines ux, uy: components behind the field of the colours. */
static void parse_arrows(parser *p, statement *s)
{
    const place at = p->next->at;

    if (s->left_count > 1)
        mistake_at(p, at, "%s are drawn over one field; leave the others out",
                   s->painted);
    s->left = arena_alloc(p->arena, 3, sizeof(symbol *));
    for (int k = 0; k < 3; k++) {
        if (k == 2)
            expect_on(p, ",");
        s->left[k] = k == 0 ? s->symbol : field_parse(p);
        if (s->symbol && s->left[k] && s->symbol->coarse != s->left[k]->coarse)
            mistake_at(p, at,
                       "'%s' has other points than '%s', and no place among its "
                       "%s",
                       s->symbol->name, s->left[k]->name, s->painted);
    }
    s->left_count = 3;
    s->arrows = s->painted;
}

static void parse_size(parser *p, statement *s)
{
    s->size = expr_parse(p);
}

static void parse_end(parser *p, expr *axis[2], num value[2])
{
    const token *open = p->next;

    expect(p, "(");
    for (int k = 0; k < 2 && !p->panic; k++) {
        axis[k] = expr_parse(p);
        if (!p->panic)
            constant_need(p, axis[k], "an end of a cut", &value[k]);
        if (k == 0)
            expect(p, ",");
    }
    expect_closed(p, open, ")");
}

static void parse_layer(parser *p, statement *s)
{
    s->layer = integer_parse(p, "the level of a picture", 0, 1 << 16, &s->layer_index);
}

static void parse_cut(parser *p, statement *s)
{
    parse_end(p, s->cut[0], s->cut_value[0]);
    expect(p, "to");
    parse_end(p, s->cut[1], s->cut_value[1]);
}

static const struct part_row {
    const char *word;
    unsigned part;
    bool repeats; /* the last one counts */
    bool paints;  /* of pictures alone */
    void (*parse)(parser *p, statement *s);
} part_rows[] = {
    {"every", PART_EVERY, false, false, parse_every},
    {"into", PART_INTO, false, false, parse_into},
    {"by", PART_BY, true, false, parse_method},
    {"slice", PART_SLICE, false, false, parse_slice},
    {"crop", PART_CROP, false, false, parse_crop},
    {"stride", PART_STRIDE, false, false, parse_stride},
    {"range", PART_RANGE, false, true, parse_range},
    {"label", PART_LABEL, false, true, parse_label},
    {"contours", PART_CONTOURS, false, true, parse_contours},
    {"arrows", PART_ARROWS, false, true, parse_arrows},
    {"streamlines", PART_ARROWS, false, true, parse_arrows},
    {"size", PART_SIZE, false, true, parse_size},
    {"colours", PART_COLOURS, false, true, parse_colours},
    {"layer", PART_LAYER, true, false, parse_layer},
    {"cut", PART_CUT, true, false, parse_cut},
};

bool part_parse(parser *p, statement *s, unsigned parts)
{
    const place at = p->next->at;

    for (size_t i = 0; i < COUNT_OF(part_rows); i++) {
        const struct part_row *row = &part_rows[i];
        if (!(parts & row->part) || !accept(p, row->word))
            continue;
        if ((p->parts & row->part) && !row->repeats)
            mistake_at(p, at, "'%s' is given twice", row->word);
        p->parts |= row->part;
        s->painted = row->paints ? row->word : s->painted;
        s->painted_at = row->paints ? at : s->painted_at;
        row->parse(p, s);
        return true;
    }
    return false;
}

/* ---- sources ----------------------------------------------------------------------- */

/* Parses an injected value: an expression, or the traces of a file with an optional
 * factor. */
static void parse_signal(parser *p, statement *s)
{
    const place at = p->next->at;

    if (p->next->kind != TOKEN_STRING) {
        s->value = expr_parse_any(p);
        return;
    }
    s->trace = expect_string(p);
    if (accept_on(p, "*")) {
        s->value = expr_parse_factors(p);
        return;
    }
    s->value = number_new(p, at, num_int(1));
}

/* The field of an injection. */
static symbol *parse_target(parser *p)
{
    const place at = p->next->at;
    symbol *field = field_parse(p);

    if (field && field->coarse)
        mistake_at(p, at, "'%s' is coarse; only fields of the grid can be injected into",
                   field->name);
    return field;
}

/* An injection into several fields becomes a statement for each. */
bool inject_parse(parser *p, statement *s)
{
    int64_t capacity = 0, count = 0;
    symbol **field = NULL;

    parse_signal(p, s);
    expect(p, "into");
    do {
        if (list_skip(p))
            continue;
        ARENA_ADD(p->arena, field, count, capacity) = parse_target(p);
    } while (accept_on(p, ","));
    s->value = list_turn(p, s->value, p->numbers ? 0 : p->list, p->turn);
    parse_positions(p, &s->points);
    part_parse(p, s, PART_BY);
    if (!statement_ends(p) || count == 0)
        return false;
    for (int64_t i = 0; i < count; i++)
        if (!field[i])
            return false;
    expr_check(p, s->value, false, CONTEXT_INJECT, false, p->reads);
    s->symbol = field[0];
    for (int64_t i = 1; i < count; i++) {
        statement *more = statement_new(p, s->kind, s->at);
        *more = *s;
        more->next = NULL;
        more->symbol = field[i];
        statement_check(p, more, p->reads);
    }
    return true;
}

/* ---- receivers --------------------------------------------------------------------- */

static bool stands_alone(const parser *p, const token *t)
{
    const symbol *s = symbol_find(p, t->text, t->length);

    return t->kind == TOKEN_NAME && (token_is(t + 1, "at") || token_is(t + 1, "along")) &&
           !(s && s->kind == SYMBOL_LIST);
}

/* Parses a sample of expressions. The first field in it is the symbol of the
 * statement. */
static void parse_columns(parser *p, statement *s)
{
    int64_t capacity = 0, count = 0;

    s->kind = STATEMENT_GATHER;
    do {
        expr *e = expr_parse_any(p);
        const int parts = e->kind == EXPR_LIST ? e->count : 0;
        p->is_complex = e->is_complex;
        for (int i = 0; i < parts + !parts; i++) {
            ARENA_ADD(p->arena, s->column, count, capacity) = list_turn(p, e, parts, i);
        }
    } while (accept_on(p, ",") && count < MAX_FIELDS);
    s->columns = (int)count;
}

static void check_columns(parser *p, statement *s)
{
    reads *r = reads_new(p);

    for (int i = 0; i < s->columns; i++)
        expr_check(p, s->column[i], false, CONTEXT_SAMPLE, false, r);
    for (int64_t i = 0; i < r->count && !s->symbol; i++)
        if (r->item[i].symbol->kind == SYMBOL_FIELD)
            s->symbol = r->item[i].symbol;
    if (!s->symbol && !statement_is_bad(p))
        mistake_at(p, s->column[0]->at, "a sample is of a field, and none is read here");
}

bool sample_parse(parser *p, statement *s)
{
    const place name_at = p->next->at;

    if (stands_alone(p, p->next))
        s->symbol = field_parse(p);
    else
        parse_columns(p, s);
    parse_positions(p, &s->points);
    while (part_parse(p, s, PART_BY | PART_EVERY | PART_INTO | PART_RANGE | PART_COLOURS))
        continue;
    if (!statement_ends(p))
        return false;
    if (s->columns > 0)
        check_columns(p, s);
    if (!s->symbol || statement_is_bad(p))
        return false;
    if (s->symbol->coarse)
        mistake_at(p, name_at, "'%s' is coarse; only fields of the grid can be sampled",
                   s->symbol->name);
    return true;
}

/* ---- measures, outputs ------------------------------------------------------------- */

bool measure_parse(parser *p, statement *s)
{
    if (!p->on_mesh && p->next->kind == TOKEN_NAME && token_is(p->next + 1, "("))
        syntax_mistake(p, "a measure has a name, as in measure m = max(u)");
    const token *name = expect_name(p, "a name");

    if (!name)
        return false;
    expect_on(p, "=");
    s->value = expr_parse(p);
    while (!p->on_mesh && part_parse(p, s, PART_EVERY | PART_INTO))
        continue;
    const bool ends = statement_ends(p);
    if (ends && p->on_mesh)
        mesh_expr_check(p, s->value, false, MESH_AFTER);
    else if (ends)
        expr_check(p, s->value, false, CONTEXT_AFTER, false, p->reads);
    s->symbol = symbol_declare(p, SYMBOL_MEASURE, name);
    s->symbol->value = s->value;
    s->symbol->notes->bad |= statement_is_bad(p);
    return true;
}

/* An expression, under a name: a field that is computed for each output. */
static void parse_shown(parser *p, statement *s)
{
    expr *value = expr_parse_any(p);
    if (!p->panic && !next_is(p, "as"))
        syntax_mistake(p, "an expression is written under a name, as in output u^2 as "
                          "power; a number such as max(u) is recorded by measure m = "
                          "max(u)");
    const token *name = accept(p, "as") ? expect_name(p, "a name") : NULL;
    if (!name)
        return;
    token part = *name;
    s->value = list_declared(p, value, &part);
    if (!statement_is_bad(p))
        expr_check(p, s->value, false, CONTEXT_SHOWN, 0, p->reads);
    s->symbol = symbol_declare(p, SYMBOL_FIELD, &part);
    s->symbol->value = s->value;
    s->symbol->shown = true;
}

static void add_together(parser *p, statement *s, symbol *one, place at,
                         int64_t *capacity)
{
    const symbol *first = s->left_count > 0 ? s->left[0] : NULL;

    for (int k = 0; k < s->left_count && one; k++)
        if (s->left[k] == one)
            mistake_at(p, at, "'%s' is named twice", one->name);
    if (one && first && one->coarse != first->coarse)
        mistake_at(p, at,
                   "'%s' has other points than '%s'; write it into a file of its own",
                   one->name, first->name);
    ARENA_ADD(p->arena, s->left, s->left_count, *capacity) = one;
}

/* The vector whose name stands there; or NULL. */
static const symbol *next_vector(const parser *p)
{
    const symbol *s = p->next->kind == TOKEN_NAME
                          ? symbol_find(p, p->next->text, p->next->length)
                          : NULL;

    return s && s->kind == SYMBOL_LIST && !s->notes->bad &&
                   list_part(p, s, 0)->kind == SYMBOL_FIELD
               ? s
               : NULL;
}

/* Several fields and the components of vectors, perhaps as a vector. */
static void parse_together(parser *p, statement *s)
{
    int64_t capacity = 0;

    do {
        const place here = p->next->at;
        const symbol *vector = next_vector(p);
        if (!vector)
            add_together(p, s, field_parse(p), here, &capacity);
        else
            take(p);
        for (int k = 0; vector && k < vector->parts; k++)
            add_together(p, s, list_part(p, vector, k), here, &capacity);
    } while (accept_on(p, ","));
    const place at = p->next->at;
    const token *name = accept(p, "as") ? expect_name(p, "a name") : NULL;
    s->vector = name ? token_text(p, name) : NULL;
    if (s->vector && s->left_count > MAX_DIM)
        mistake_at(p, at, "a vector has two or three parts, not %d", s->left_count);
    s->symbol = s->left[0];
}

bool output_parse(parser *p, statement *s)
{
    const token *t = p->next;

    const symbol *vector = next_vector(p);
    if (t->kind == TOKEN_NAME &&
        (token_is(t + 1, ",") || (vector && token_is(t + 1, "as"))))
        parse_together(p, s);
    else if (t->kind == TOKEN_NAME && !token_is(t + 1, "as") &&
             (t[1].kind != TOKEN_SIGN || token_is(t + 1, ";")))
        s->symbol = field_parse(p);
    else
        parse_shown(p, s);
    while (part_parse(p, s,
                      PART_EVERY | PART_INTO | PART_SLICE | PART_CROP | PART_STRIDE |
                          PART_RANGE | PART_COLOURS | PART_LABEL | PART_CONTOURS |
                          PART_ARROWS | PART_SIZE))
        continue;
    return statement_ends(p) && s->symbol && !statement_is_bad(p);
}
