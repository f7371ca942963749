/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a program on a mesh: takes its statements one after the other, and prints its
 * report and its explanation. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "fem/form/form_private.h"
#include "io/io.h"

enum {
    ONCE_CELLS = 20000, /* from here on compiling is quicker than interpreting once */
    GPU_CELLS = 100000  /* from here on a GPU is quicker than 16 cores */
};

const double *form_values(const pav_mesh_run *r, const symbol *field)
{
    return r->value[field->index];
}

pav_status form_open(const pav_mesh_run *r, const element_source *o, element *k)
{
    return element_open(o, r->compiled && (r->mesh->cells > ONCE_CELLS || !o->once), k);
}

/* ---- the mesh ---------------------------------------------------------------------- */

/* The path of a file beside the description, or of a pair of files. */
static void add_path(const pav_mesh_run *r, const char *path, text *t)
{
    const size_t length = strcspn(path, ",");

    if (*path != '/' && strcmp(r->p->directory, ".") != 0)
        text_add(t, "%s/", r->p->directory);
    text_add(t, "%.*s", (int)length, path);
    if (path[length]) {
        text_add(t, ",");
        add_path(r, path + length + 1, t);
    }
}

/* Heights of every point of the file: expressions of x and y. */
static pav_status height_of(const pav_mesh *flat, const expr *e, double *heights)
{
    OWNED_BY(text_free) text t = {0};
    OWNED double *of_column = mem_new(flat->nodes, sizeof *of_column);
    form_writer w = {.t = &t, .point = -1};

    form_write_value(&w, e, NULL);
    if (!of_column || t.failed)
        return PAV_ENOMEM;
    TRY(pav_mesh_evaluate(flat, t.data, of_column));
    for (int64_t c = 0; c < flat->columns; c++)
        heights[flat->given[c]] = of_column[c * flat->levels];
    return PAV_OK;
}

/* The message of a failure with the place of its statement in front. */
static pav_status placed(const pav_mesh_run *r, int line, pav_status status)
{
    if (status != PAV_OK && strncmp(pav_message(), r->p->name, strlen(r->p->name)) != 0)
        (void)FAIL(status, "%s:%d: %s", r->p->name, line, pav_message());
    return status;
}

static pav_status open_mesh(pav_mesh_run *r)
{
    const mesh_source *m = r->p->mesh;
    pav_mesh_options o = {.layers = (int)m->layer_count,
                          .grading = num_f64(m->grading_value)};
    OWNED_BY(text_free) text path = {0};
    OWNED_BY(mesh_drop) pav_mesh *flat = NULL;

    if (m->shape)
        text_add(&path, "%s", m->path);
    else
        add_path(r, m->path, &path);
    if (path.failed)
        return PAV_ENOMEM;
    if (!m->from)
        return pav_mesh_open(path.data, &o, &r->mesh);
    TRY(pav_mesh_open(path.data, &(pav_mesh_options){.layers = 1}, &flat));
    OWNED double *bottoms = mem_new(flat->columns, sizeof *bottoms),
                 *tops = mem_new(flat->columns, sizeof *tops);
    if (!bottoms || !tops)
        return PAV_ENOMEM;
    TRY(height_of(flat, m->from, bottoms));
    TRY(height_of(flat, m->to, tops));
    o.bottoms = bottoms;
    o.tops = tops;
    return pav_mesh_open(path.data, &o, &r->mesh);
}

/* ---- opening ----------------------------------------------------------------------- */

static int64_t count_values(const pav_mesh_run *r, const symbol *field)
{
    return field->on_cells ? r->mesh->cells : r->mesh->nodes;
}

/* A GPU not named by the user is used only for a large mesh. */
static pav_status open_parts(pav_mesh_run *r, const pav_device *device, int threads)
{
    const int64_t fields = r->p->fields.count;
    int64_t solves = 0;

    TRY(placed(r, r->p->mesh->line, open_mesh(r)));
    r->compiled = device_compiles(device);
    if (mesh_has_gpu(device) && (!device->automatic || r->mesh->cells >= GPU_CELLS))
        r->gpu = device;
    TRY(prism_operator_open(r->mesh, (pav_form){1, 0}, PAV_F64, NULL, threads, &r->team));
    EACH_STATEMENT(s, r->p)
        solves += s->kind == STATEMENT_SOLVE;
    TRY(mem_take(&r->value, fields + 1, sizeof *r->value));
    TRY(mem_take(&r->measure, r->p->measures.count + 1, sizeof *r->measure));
    TRY(mem_take(&r->solved, solves + 1, sizeof *r->solved));
    for (int64_t k = 0; k < fields; k++)
        TRY(mem_take(&r->value[k], count_values(r, r->p->fields.item[k]) + MESH_PADDING,
                     sizeof **r->value));
    return PAV_OK;
}

RELEASES(drop_run, pav_mesh_run, pav_mesh_run_free)

pav_status pav_mesh_run_open(const pav_program *p, const pav_device *device,
                             const pav_mesh_run_options *options, pav_mesh_run **result)
{
    GUARDED;
    const pav_mesh_run_options *o = options ? options : &(pav_mesh_run_options){0};

    if (result)
        *result = NULL;
    if (!p || !result)
        return FAIL(PAV_EINVAL,
                    "pav_mesh_run_open needs a program and a place for the run");
    TRY(device_check_single(device, "a run on a mesh"));
    if (!p->tree.mesh)
        return FAIL(PAV_EINVAL, "%s is a program on a grid: pav_run_open runs it",
                    p->tree.name);
    NEW_BY(drop_run, pav_mesh_run, r, 1);
    *r = (pav_mesh_run){.p = &p->tree,
                        .directory = o->directory,
                        .no_files = o->no_files != 0,
                        .allow_outside = o->allow_outside != 0};
    program_settings(r->p, &r->origin.settings);
    TRY(origin_note(&r->origin, device, o->no_stamp != 0));
    TRY(open_parts(r, device, o->threads));
    r->mesh->made = r->origin.stamp;
    *result = mem_hand_over(&r);
    return PAV_OK;
}

void pav_mesh_run_free(pav_mesh_run *r)
{
    if (!r)
        return;
    for (int64_t k = 0; k < r->p->fields.count && r->value; k++)
        mem_free(r->value[k]);
    MEM_FREE_ALL(r->value, r->measure, r->solved);
    TEXT_FREE_ALL(&r->why, &r->message);
    origin_free(&r->origin);
    prism_csr_close(r->matrix);
    prism_operator_close(r->team);
    pav_mesh_free(r->mesh);
    mem_free(r);
}

/* ---- statements -------------------------------------------------------------------- */

/* Rows of a file are points or triangles in the order of the mesh's file, columns are
 * levels or layers. */
static pav_status read_field(const pav_mesh_run *r, const symbol *f, double *values)
{
    const pav_mesh *m = r->mesh;
    const int64_t rows = f->on_cells ? m->triangles : m->columns,
                  each = f->on_cells ? m->layers : m->levels;
    const int32_t *given = f->on_cells ? m->cell : m->given;
    OWNED_BY(text_free) text path = {0};
    OWNED double *table = NULL;
    int64_t found = 0;
    npy_header h;

    add_path(r, f->file, &path);
    if (path.failed)
        return PAV_ENOMEM;
    TRY(npy_read_header(path.data, &h));
    if (h.extent[0] != rows || h.count != rows * each)
        return FAIL(
            PAV_EFORMAT,
            "%s:%d: %s holds %lld rows and %lld values; the field '%s' needs %lld "
            "%s with %lld %s each, %lld values",
            r->p->name, f->at.line, f->file, (long long)h.extent[0], (long long)h.count,
            f->name, (long long)rows, f->on_cells ? "triangles" : "points",
            (long long)each, f->on_cells ? "layers" : "levels", (long long)(rows * each));
    TRY(npy_read_table(path.data, (int)each, rows, &table, &found));
    for (int64_t k = 0; k < h.count; k++)
        if (!isfinite(table[k]))
            return FAIL(PAV_EFORMAT, "field %s: value %lld of row %lld of %s is %s",
                        f->name, (long long)(k % each), (long long)(k / each), f->file,
                        isnan(table[k]) ? "no number" : "infinite");
    for (int64_t k = 0; k < rows; k++)
        memcpy(values + k * each, table + given[k] * each, (size_t)each * sizeof *values);
    return PAV_OK;
}

static pav_status write_array(const pav_mesh *m, const char *path, const double *values)
{
    OWNED_NEW(double, table, m->nodes);

    for (int64_t c = 0; c < m->columns; c++)
        memcpy(table + (int64_t)m->given[c] * m->levels, values + c * m->levels,
               (size_t)m->levels * sizeof *table);
    return npy_write_table(path, table, m->columns, m->levels);
}

static pav_status write_file(const pav_mesh_run *r, const statement *s, const char *path)
{
    const char *name[MAX_ARGUMENTS];
    const double *values[MAX_ARGUMENTS];
    double end[2][2];

    for (int k = 0; k < s->left_count; k++) {
        name[k] = s->left[k]->name;
        values[k] = form_values(r, s->left[k]);
    }
    if (strcmp(path_ending(path), ".npy") == 0)
        return write_array(r->mesh, path, form_values(r, s->symbol));
    if (!s->layer && !s->cut[0][0])
        return pav_mesh_write(r->mesh, path, name, values, s->left_count);
    for (int k = 0; k < 4; k++)
        end[k / 2][k % 2] = num_f64(s->cut_value[k / 2][k % 2]);
    return pav_mesh_picture(r->mesh, path, values[0], s->layer ? (int)s->layer_index : -1,
                            s->layer ? NULL : end[0], s->layer ? NULL : end[1]);
}

/* The file lies inside the directory of outputs, and a level exists. */
static pav_status output(const pav_mesh_run *r, const statement *s)
{
    OWNED_BY(text_free) text path = {0};

    if (s->layer && s->layer_index > r->mesh->layers)
        return FAIL(PAV_EINVAL, "%s:%d: there is no level %lld: they are 0 to %d",
                    r->p->name, s->at.line, (long long)s->layer_index, r->mesh->layers);
    if (r->no_files)
        return PAV_OK;
    if (!r->allow_outside && path_leads_out(s->file))
        return FAIL(
            PAV_EINVAL,
            "%s:%d: %s is outside the directory of outputs (%s), and a description may "
            "write only there; give it a name without `/` in front and `..`, and --out a "
            "directory; or allow it by --allow-outside",
            r->p->name, s->at.line, s->file,
            r->directory ? r->directory : "the current one");
    if (r->directory)
        TRY(directory_make(r->directory));
    const bool below = r->directory && *s->file != '/';
    TRY(text_print(&path, "%s%s%s", below ? r->directory : "", below ? "/" : "",
                   s->file));
    return write_file(r, s, path.data);
}

/* Records a failed expectation. All failures are reported together at the end. */
static pav_status expect(pav_mesh_run *r, const statement *s)
{
    double holds, side[2];

    r->expectations++;
    TRY(form_scalar(r, s->value, &holds));
    if (holds != 0)
        return PAV_OK;
    r->failed++;
    text_add(&r->why, "%s%s:%d: does not hold: ", r->failed > 1 ? "\n" : "", r->p->name,
             s->at.line);
    expr_print(s->value, &r->why);
    if (!expr_compares(s->value))
        return PAV_OK;
    for (int k = 0; k < 2; k++)
        TRY(form_scalar(r, s->value->arg[k], &side[k]));
    text_add(&r->why, ": ");
    text_add_sides(&r->why, side[0], " and ", side[1]);
    return PAV_OK;
}

static pav_status do_one(pav_mesh_run *r, const statement *s)
{
    const symbol *of = s->symbol; /* NULL of an expectation */

    switch (s->kind) {
    case STATEMENT_FIELD:
        return of->file   ? read_field(r, of, r->value[of->index])
               : s->value ? form_at_nodes(r, s->value, NULL, r->value[of->index])
                          : PAV_OK;
    case STATEMENT_SOLVE: return form_solve(r, s);
    case STATEMENT_MEASURE: return form_scalar(r, s->value, &r->measure[of->index]);
    case STATEMENT_OUTPUT: return output(r, s);
    case STATEMENT_EXPECT: return expect(r, s);
    default: return PAV_OK;
    }
}

static pav_status do_all(pav_mesh_run *r)
{
    r->solves = r->expectations = r->failed = 0;
    text_free(&r->why);
    EACH_STATEMENT(s, r->p)
        TRY(placed(r, s->at.line, do_one(r, s)));
    if (r->failed == 0)
        return PAV_OK;
    return FAIL(PAV_EEXPECT, "%s", r->why.data ? r->why.data : "an expectation fails");
}

pav_status pav_mesh_run_finish(pav_mesh_run *r)
{
    GUARDED;
    if (!r)
        return FAIL(PAV_EINVAL, "pav_mesh_run_finish needs a run; it is NULL");
    r->status = do_all(r);
    text_free(&r->message);
    if (r->status != PAV_OK)
        text_add(&r->message, "%s", pav_message());
    return r->status;
}

/* ---- values for the caller --------------------------------------------------------- */

int pav_program_on_mesh(const pav_program *p)
{
    return p && p->tree.mesh;
}

const pav_mesh *pav_mesh_run_mesh(const pav_mesh_run *r)
{
    return r ? r->mesh : NULL;
}

pav_status pav_mesh_run_values(const pav_mesh_run *r, const char *field,
                               const double **values)
{
    GUARDED;
    if (!r || !field || !values)
        return FAIL(PAV_EINVAL,
                    "pav_mesh_run_values needs a run, the name of a field and "
                    "a place for its values");
    const symbol *s = symbol_in(&r->p->fields, field);
    *values = s && !s->on_cells ? form_values(r, s) : NULL;
    return *values ? PAV_OK
                   : FAIL(PAV_EINVAL, "%s has no field '%s' on nodes", r->p->name, field);
}

pav_status pav_mesh_run_measure(const pav_mesh_run *r, const char *measure, double *value)
{
    GUARDED;
    if (!r || !measure || !value)
        return FAIL(PAV_EINVAL, "pav_mesh_run_measure needs a run, the name of a measure "
                                "and a place for its value");
    const symbol *s = symbol_in(&r->p->measures, measure);
    *value = s ? r->measure[s->index] : 0;
    return s ? PAV_OK : FAIL(PAV_EINVAL, "%s has no measure '%s'", r->p->name, measure);
}

/* ---- reports ----------------------------------------------------------------------- */

static const char *device_word(const pav_mesh_run *r)
{
    return r->gpu ? r->gpu->name : r->compiled ? "cpu" : "interpreter";
}

static void report_json(const pav_mesh_run *r, text *t)
{
    const pav_mesh *m = r->mesh;

    text_add_values(t,
                    "{\"status\": %q, \"message\": %q, \"mesh\": %q, \"device\": %q, "
                    "\"cells\": %d, \"layers\": %d, \"nodes\": %d, \"volume\": %g, "
                    "\"left_out\": %q, \"solves\": [",
                    pav_status_name(r->status), r->message.data ? r->message.data : "",
                    r->p->mesh->path, device_word(r), m->cells, (int64_t)m->layers,
                    m->nodes, m->volume, m->plane.left_out ? m->plane.left_out : "");
    for (const struct form_solved *s = r->solved; s < r->solved + r->solves; s++) {
        text_add_values(t,
                        "%s{\"field\": %q, \"method\": %q, \"preconditioner\": %q, "
                        "\"grids\": %d, \"operator_complexity\": %g, \"iterations\": %d, "
                        "\"residual\": %g, \"seconds\": %g, \"setup_seconds\": %g}",
                        s > r->solved ? ", " : "", s->s->symbol->name, s->method,
                        s->preconditioner ? s->preconditioner : "column",
                        (int64_t)s->grids, s->complexity, s->result.iterations,
                        s->result.residual, s->result.seconds, s->result.setup_seconds);
    }
    text_add(t, "], \"measures\": {");
    for (int64_t k = 0; k < r->p->measures.count; k++) {
        text_add_values(t, "%s%q: %g", k ? ", " : "", r->p->measures.item[k]->name,
                        r->measure[k]);
    }
    text_add_values(t, "}, \"expectations\": %d, \"failed\": %d}\n", r->expectations,
                    r->failed);
}

pav_status pav_mesh_run_report(const pav_mesh_run *r, int json, char **result)
{
    GUARDED;
    text t = {0};

    if (!r || !result)
        return FAIL(PAV_EINVAL,
                    "pav_mesh_run_report needs a run and a place for the text");
    if (json)
        report_json(r, &t);
    else {
        const pav_mesh *m = r->mesh;
        text_add(&t, "%s: %lld cells in %d layers, %lld nodes, volume %.6g\n",
                 r->p->mesh->path, (long long)m->cells, m->layers, (long long)m->nodes,
                 m->volume);
        if (m->plane.left_out)
            text_add(&t, "left out of the mesh: %s; only physical lines name borders\n",
                     m->plane.left_out);
        for (const struct form_solved *s = r->solved; s < r->solved + r->solves; s++) {
            text_add(&t, "%s by %s", s->s->symbol->name, s->method);
            if (s->grids > 0)
                text_add(&t, " with multigrid (%d grids, operator complexity %.2f)",
                         s->grids, s->complexity);
            text_add(&t, ": %lld iterations, residual %.2e, ",
                     (long long)s->result.iterations, s->result.residual);
            text_add_duration(&t, s->result.seconds);
            text_add(&t, " on %s, of which ", device_word(r));
            text_add_duration(&t, s->result.setup_seconds);
            text_add(&t, " before the first iteration\n");
        }
        for (int64_t k = 0; k < r->p->measures.count; k++)
            text_add(&t, "%s = %.9g\n", r->p->measures.item[k]->name, r->measure[k]);
        if (r->expectations > 0)
            text_add(&t, "%lld of %lld expectations hold\n",
                     (long long)(r->expectations - r->failed),
                     (long long)r->expectations);
    }
    return text_take(&t, result);
}

/* ---- explanations ------------------------------------------------------------------ */

/* Explains a program on a mesh: operations and memory traffic per cell of each kernel,
 * pass by pass, and the memory of a run. */

/* ---- costs of a kernel ------------------------------------------------------------- */

static const char *const cell_names[] = {"a node", "a cell", "a face between columns",
                                         "a triangle of the bottom or top"};

static void add_pass(void *user, const ir *code, const char *pass, const char *about,
                     const ir_cost *before, const ir_cost *after)
{
    (void)code;
    if (before->flops != after->flops || before->instructions != after->instructions)
        text_add(user, "  %-9s %lld flops, %lld instructions: %s\n", pass,
                 (long long)after->flops, (long long)after->instructions, about);
}

static pav_status explain_kernel(const symbol *form, element_kind kind, bool json,
                                 text *t)
{
    const element_source o = {.kind = kind,
                              .form = form->value,
                              .test = form->argument[form->arguments - 1],
                              .real = PAV_F64};
    const ir_trace trace_of = {.after = add_pass, .user = t};
    OWNED_BY(element_close) element k = {0};
    ir_analysis c = {0};
    pav_status status = PAV_OK;
    OWNED_BY(free_code) ir *code = NULL;

    TRY(element_open(&o, false, &k));
    if (!k.empty)
        IN_ARENA(a, status, (ir_analyse(k.code, k.stage, a, &c), PAV_OK));
    TRY(status);
    if (json) {
        text_add_values(t,
                        "{\"form\": %q, \"of\": %q, \"flops\": %d, \"instructions\": %d, "
                        "\"special\": %d, \"bytes_loaded\": %d, \"bytes_of_sums\": %d}",
                        form->name, cell_names[kind], c.cost.flops, c.cost.instructions,
                        c.special, c.bytes_read, c.bytes_written);
        return PAV_OK;
    }
    text_add(t,
             "form %s, %s: %lld flops (%lld instructions, %lld of them divisions, "
             "roots or functions); %lld bytes loaded, %lld bytes of sums\n",
             form->name, cell_names[kind], (long long)c.cost.flops,
             (long long)c.cost.instructions, (long long)c.special,
             (long long)c.bytes_read, (long long)c.bytes_written);
    if (!k.empty) /* built once more, watched */
        TRY(ir_build(k.tree, &trace_of, &code));
    return PAV_OK;
}

static pav_status explain_form(const symbol *form, bool json, text *t)
{
    const char *before = "";

    for (int kind = ELEMENT_PRISM; kind <= ELEMENT_LID; kind++) {
        if (!form_covers(form->border, (element_kind)kind))
            continue;
        text_add(t, "%s", before);
        TRY(explain_kernel(form, (element_kind)kind, json, t));
        before = json ? ", " : "";
    }
    return PAV_OK;
}

static pav_status explain(const program *p, bool json, text *t)
{
    OWNED_BY(text_free) text printed = {0};

    program_print(p, &printed);
    if (printed.failed)
        return PAV_ENOMEM;
    if (json)
        text_add_values(t, "{\"program\": %q, \"kernels\": [", printed.data);
    else
        text_add(t, "%s\n", printed.data);
    for (int64_t k = 0; k < p->forms.count; k++) {
        text_add(t, json && k ? ", " : "");
        TRY(explain_form(p->forms.item[k], json, t));
    }
    text_add(t, json ? "]}\n" : "");
    return PAV_OK;
}

pav_status pav_mesh_explain(const pav_program *p, int json, char **result)
{
    GUARDED;
    OWNED_BY(text_free) text t = {0};

    if (result)
        *result = NULL;
    if (!p || !result)
        return FAIL(PAV_EINVAL,
                    "pav_mesh_explain needs a program and a place for the text");
    if (!p->tree.mesh)
        return FAIL(PAV_EINVAL, "%s is a program on a grid", p->tree.name);
    TRY(explain(&p->tree, json != 0, &t));
    return text_take(&t, result);
}

/* ---- memory ------------------------------------------------------------------------ */

enum {
    MINRES_VECTORS = MESH_SOLVER_VECTORS,
    OTHER_VECTORS = 5 /* b, fixed, couplings */
};

/* `auto` may take multigrid, too. */
static bool may_take_multigrid(const statement *s)
{
    return strcmp(s->preconditioner ? s->preconditioner : s->method, "multigrid") == 0 ||
           (!s->preconditioner && strcmp(s->method, "auto") == 0);
}

/* A solve holds its vectors and the preconditioner, while that is made; one solve runs at
 * a time. All grids of multigrid have at most twice the finest one's entries: groups have
 * two columns or more. */
pav_status pav_mesh_run_plan(const pav_mesh_run *r, int json, char **result)
{
    GUARDED;
    text t = {0};

    if (!r || !result)
        return FAIL(PAV_EINVAL, "pav_mesh_run_plan needs a run and a place for the text");
    const pav_mesh *m = r->mesh;
    const int64_t each = m->nodes * (int64_t)sizeof(double),
                  mesh = 3 * each +
                         m->triangles *
                             (int64_t)(6 * sizeof(int32_t) + 3 * sizeof(int64_t)) +
                         m->columns * (int64_t)(3 * sizeof(double) + 2 * sizeof(int64_t)),
                  couplings = m->columns + 3 * m->triangles + m->plane.edges;
    int64_t solver = 0, multigrid = 0, fields = 0;
    for (int64_t k = 0; k < r->p->fields.count; k++)
        fields += count_values(r, r->p->fields.item[k]) * (int64_t)sizeof(double);
    EACH_STATEMENT(s, r->p) {
        if (s->kind != STATEMENT_SOLVE)
            continue;
        solver = (MINRES_VECTORS + OTHER_VECTORS) * each;
        if (may_take_multigrid(s))
            multigrid = 2 * ((MESH_GRID_VECTORS + 2) * each +
                             3 * m->levels * couplings * (int64_t)sizeof(double));
    }
    const struct {
        const char *words, *key;
        int64_t bytes;
    } rows[] = {{"the mesh", "mesh_bytes", mesh},
                {"fields", "field_bytes", fields},
                {"a solve, at most", "solve_bytes", solver},
                {"multigrid, at most", "multigrid_bytes", multigrid},
                {"all", "all_bytes", mesh + fields + solver + multigrid},
                {"available", "available_bytes", mem_available()}};
    text_add(&t, json ? "{\"cells\": %lld, \"nodes\": %lld" : "%lld cells, %lld nodes\n",
             (long long)m->cells, (long long)m->nodes);
    for (size_t k = 0; k < COUNT_OF(rows); k++)
        if (json) {
            text_add_values(&t, ", %q: %d", rows[k].key, rows[k].bytes);
        } else {
            text_add(&t, "%-28s ", rows[k].words);
            text_add_bytes_size(&t, rows[k].bytes);
            text_add(&t, "\n");
        }
    if (multigrid > 0) /* groups have six columns on average */
        text_add(&t,
                 json ? ", \"grids\": %.0f, \"operator_complexity\": 1.3"
                      : "multigrid: about %.0f grids, operator complexity about 1.3\n",
                 1 + ceil(log((double)m->columns) / log(6)));
    text_add(&t, json ? "}\n" : "");
    return text_take(&t, result);
}
