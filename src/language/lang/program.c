/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs: from a text, a file or a catalogue word, and back to text; coarse grids of a
 * program; programs computed together. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "lang/lang_private.h"

/* ---- parsing ----------------------------------------------------------------------- */

/* Finds the number of axes of the grid before parsing: lets and offsets may precede the
 * grid statement. If commas are missing, the letters decide. upright: the axes are x and
 * z. */
static int count_axes(const parser *p, bool *upright)
{
    const token *t = p->token;
    int axes = 1, letters = 0, named = 0;

    for (; t->kind != TOKEN_END; t++) {
        const bool begins = t == p->token || t[-1].kind == TOKEN_NEWLINE ||
                            token_is(t - 1, ";");
        if (begins && token_is(t, "grid"))
            break;
    }
    if (t->kind == TOKEN_END)
        return 0;
    int64_t open = 0;
    bool stretched = false; /* an expression of a coordinate follows */
    for (t++; t->kind != TOKEN_END && !token_is(t, ";"); t++) {
        if (t->kind == TOKEN_NEWLINE &&
            (t[-1].kind != TOKEN_SIGN || token_is(t - 1, ")")))
            break;
        open += token_is(t, "(") || token_is(t, "[");
        open -= token_is(t, ")") || token_is(t, "]");
        const bool comma = open == 0 && token_is(t, ",");
        axes += comma;
        stretched = !comma && (stretched || token_is(t, "at"));
        const bool plain = open == 0 && !stretched;
        letters += plain && (token_is(t, "x") || token_is(t, "y") || token_is(t, "z"));
        named |= plain ? token_is(t, "x") | token_is(t, "y") << 1 | token_is(t, "z") << 2
                       : 0;
    }
    *upright = letters == 2 && named == 5;
    axes = letters > axes ? letters : axes;
    return axes < MAX_DIM ? axes : MAX_DIM;
}

/* True for the first line of a mesh program: `mesh "planet.msh"` or `mesh disc 8`. */
static bool is_on_mesh(const parser *p)
{
    for (const token *t = p->token; t->kind != TOKEN_END; t++) {
        const bool begins = t == p->token || t[-1].kind == TOKEN_NEWLINE ||
                            token_is(t - 1, ";");
        if (begins && token_is(t, "mesh") &&
            (t[1].kind == TOKEN_STRING || t[1].kind == TOKEN_NAME))
            return true;
    }
    return false;
}

static bool is_blank(const parser *p)
{
    for (int64_t i = 0; i < p->tokens; i++)
        if (p->token[i].kind != TOKEN_NEWLINE && p->token[i].kind != TOKEN_END)
            return false;
    return p->mistakes.count == 0;
}

static symbol *unknown_new(parser *p)
{
    static const token name = {.kind = TOKEN_NAME, .text = "?", .length = 1};
    symbol *s = symbol_new(p, SYMBOL_SCALAR, &name);

    s->notes->bad = true;
    return s;
}

static pav_status parse(parser *p, const pav_program_options *options, const char *name,
                        const char *directory)
{
    pav_program *whole = arena_alloc(p->arena, 1, sizeof *whole);

    p->program = &whole->tree;
    p->program->arena = p->arena;
    p->program->real = p->program->stored = PAV_F64;
    p->last = &p->program->first;
    p->unknown = unknown_new(p);
    program *tree = p->program;
    tree->name = arena_print(p->arena, "%s",
                             options && options->name ? options->name : name);
    if (options && options->directory)
        directory = options->directory;
    tree->directory = arena_print(p->arena, "%s", directory);
    p->name = tree->name;
    TRY(settings_take(p, options ? options->set : NULL));
    if (!lexer_read(p))
        return PAV_OK;
    if (is_blank(p)) {
        mistake_at(p, (place){1, 1, 0, 0}, "the description is empty: it has no grid");
        return PAV_OK;
    }
    bool upright = false;
    p->on_mesh = is_on_mesh(p);
    p->dim = p->on_mesh ? MAX_DIM : count_axes(p, &upright);
    if (upright)
        upright_tokens(p);
    statements_parse(p);
    if (p->on_mesh)
        mesh_program_check(p);
    else
        program_check(p);
    p->program->warnings = warnings_print(p);
    return p->mistakes.count == 0 ? settings_done(p) : PAV_OK;
}

static pav_status parse_named(const char *source, int64_t length,
                              const pav_program_options *options, const char *name,
                              const char *directory, bool derived, program **result)
{
    parser p = {.source = source, .length = length, .derived = derived};
    pav_status status;

    *result = NULL;
    p.arena = arena_new();
    ARENA_GUARD(p.arena, status, parse(&p, options, name, directory));
    if (status == PAV_ELIMIT)
        status = FAIL(PAV_ESYNTAX, "%s: %s", p.name ? p.name : name, pav_message());
    if (status == PAV_OK)
        status = mistakes_report(&p);
    if (status == PAV_OK)
        *result = p.program;
    else
        arena_free(p.arena);
    return status;
}

pav_status program_parse(const char *source, int64_t length,
                         const pav_program_options *options, program **result)
{
    return parse_named(source, length, options, "text", ".", false, result);
}

pav_status program_parse_derived(const char *source, const program *of, program **result)
{
    const pav_program_options options = {.name = of->name, .directory = of->directory};

    return parse_named(source, (int64_t)strlen(source), &options, "text", ".", true,
                       result);
}

void program_settings(const program *p, text *t)
{
    const symbol_list *const lists[] = {&p->params, &p->scalars};
    const char *before = "{";

    for (size_t l = 0; l < COUNT_OF(lists); l++)
        for (int64_t k = 0; k < lists[l]->count; k++)
            if (lists[l]->item[k]->overridden) {
                text_add_values(t, "%s%q: %g", before, lists[l]->item[k]->name,
                                num_f64(lists[l]->item[k]->number));
                before = ", ";
            }
    text_add(t, *before == '{' ? "{}" : "}");
}

void program_free(program *p)
{
    if (p)
        arena_free(p->arena);
}

pav_status program_refuse_mesh(const program *p)
{
    return !p->mesh ? PAV_OK
                    : FAIL(PAV_EUNSUPPORTED,
                           "%s is a program on a mesh, without a grid to step through: "
                           "`pavior run` and pav_mesh_run_open run it, `pavior explain` "
                           "and pav_mesh_explain show its kernels",
                           p->name);
}

/* ---- loading ----------------------------------------------------------------------- */

static pav_status load_word(const char *word, const pav_program_options *options,
                            program **result)
{
    OWNED_BY(text_free) text t = {0};
    OWNED char *source = NULL;

    TRY(catalogue_text(word, &t));
    TRY(text_take(&t, &source));
    return parse_named(source, (int64_t)strlen(source), options, word, ".", false,
                       result);
}

static pav_status load_file(const char *path, const pav_program_options *options,
                            program **result)
{
    OWNED_BY(text_free) text folder = {0};
    OWNED char *source = NULL, *directory = NULL;
    int64_t length = 0;
    const pav_status status = file_read(path, MAX_SOURCE, &source, &length);

    if (status != PAV_OK)
        return status == PAV_EIO || status == PAV_ELIMIT ? PAV_EINVAL : status;
    /* Folder of a path, for input files of the description; freed with text_free. */
    const char *slash = strrchr(path, '/');
    if (!slash)
        text_add(&folder, ".");
    else
        text_add_bytes(&folder, path, slash > path ? slash - path : 1);
    TRY(text_take(&folder, &directory));
    return parse_named(source, length, options, path, directory, false, result);
}

pav_status program_load(const char *path, const pav_program_options *options,
                        program **result)
{
    struct stat about;

    *result = NULL;
    const bool there = stat(path, &about) == 0;
    const int reason = errno;
    if (there && S_ISDIR(about.st_mode))
        return FAIL(PAV_EINVAL, "%s is a folder; a file with a description is needed",
                    path);
    if (!there && catalogue_is_word(path))
        return load_word(path, options, result);
    return !there && reason == ENOENT
               ? FAIL(PAV_EINVAL,
                      "there is no file '%s', and no problem of that name in the "
                      "catalogue; `pavior examples NAME --run` runs an example",
                      path)
               : load_file(path, options, result);
}

/* ---- identity and public functions ------------------------------------------------- */

pav_status program_identity(const program *p, uint64_t *identity)
{
    text t = {0};
    OWNED char *printed = NULL;

    *identity = 0;
    program_print(p, &t);
    const int64_t length = t.length;
    TRY(text_take(&t, &printed));
    *identity = hash_bytes(printed, length);
    return PAV_OK;
}

static pav_status give(pav_status status, program *tree, pav_program **result)
{
    if (status == PAV_OK)
        *result = (pav_program *)(void *)tree;
    return status;
}

pav_status pav_program_load(const char *path, const pav_program_options *options,
                            pav_program **result)
{
    GUARDED;
    program *tree = NULL;

    if (!result)
        return FAIL(PAV_EINVAL,
                    "pav_program_load needs a place for the program; it is NULL");
    *result = NULL;
    if (!path || !*path)
        return FAIL(PAV_EINVAL,
                    "pav_program_load needs the path of a description; it is %s",
                    path ? "empty" : "NULL");
    const pav_status status = program_load(path, options, &tree);
    return give(status, tree, result);
}

pav_status pav_program_parse(const char *source, size_t length,
                             const pav_program_options *options, pav_program **result)
{
    GUARDED;
    program *tree = NULL;

    if (!result)
        return FAIL(PAV_EINVAL,
                    "pav_program_parse needs a place for the program; it is NULL");
    *result = NULL;
    if (!source)
        return FAIL(PAV_EINVAL, "pav_program_parse needs a text; it is NULL");
    if (length > INT64_MAX)
        return FAIL(PAV_EINVAL, "the length %zu of a text is not possible", length);
    const pav_status status = program_parse(source, (int64_t)length, options, &tree);
    return give(status, tree, result);
}

int pav_program_dimensions(const pav_program *p)
{
    return p ? p->tree.dim : 0;
}

void pav_program_free(pav_program *p)
{
    if (p)
        program_free(&p->tree);
}

pav_status pav_program_print(const pav_program *p, char **result)
{
    GUARDED;
    OWNED_BY(text_free) text t = {0};

    if (!result)
        return FAIL(PAV_EINVAL,
                    "pav_program_print needs a place for the text; it is NULL");
    *result = NULL;
    if (!p)
        return FAIL(PAV_EINVAL, "pav_program_print needs a program; it is NULL");
    program_print(&p->tree, &t);
    return text_take(&t, result);
}

/* ---- coarse grids: their halved axes and their extents ----------------------------- */

bool coarse_halves(const program *p, int coarse, int axis)
{
    return !(p->kept[coarse] >> axis & 1);
}

int coarse_shift(const program *p, int coarse, int axis)
{
    int shift = 0;

    for (; coarse > 0; coarse--)
        shift += coarse_halves(p, coarse, axis);
    return shift;
}

int64_t coarse_extent(const program *p, int coarse, int axis)
{
    int64_t extent = axis < program_axes(p) ? p->axis[axis].points : 1;

    for (int k = coarse_shift(p, coarse, axis); k > 0; k--)
        extent = extent / 2 + extent % 2;
    return extent;
}

int64_t field_extent(const program *p, const symbol *field, int axis)
{
    return coarse_extent(p, field->coarse, axis);
}

/* ---- stacks ------------------------------------------------------------------------ */

/* Stacks: programs that differ only in the positions of sources and receivers, computed
 * together. Each has its own copy of the grid. The copies lie along an extra axis without
 * any reads across it, so each point is bitwise identical to a separate run. */

void program_stack(program *p, const program *const *shot, int64_t count)
{
    p->shot = shot;
    p->shots = count;
    p->axis[p->dim] = (axis_grid){.points = count,
                                  .origin = num_int(0),
                                  .step = num_int(1),
                                  .span = num_int(1),
                                  .over = num_int(1)};
}

int program_axes(const program *p)
{
    return p->dim + (p->shots > 0);
}

int64_t program_all_points(const program *p)
{
    int64_t count = 1;

    for (int axis = 0; axis < program_axes(p); axis++)
        count *= p->axis[axis].points;
    return count;
}

bool sample_is_whole(const statement *s)
{
    return (s->kind == STATEMENT_SAMPLE && !s->gather) || s->kind == STATEMENT_GATHER;
}

const statement *statement_of_shot(const program *p, const statement *s, int64_t k)
{
    if (p->shots == 0)
        return s;
    const statement *own = p->shot[k]->first;
    for (const statement *n = p->first; n != s; n = n->next)
        own = own->next;
    return own;
}
