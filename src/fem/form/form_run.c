/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of a program on a mesh: its statements one after the other. */
#include <string.h>

#include "fem/form/form_private.h"

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
    const bool large = r->mesh->cells > ONCE_CELLS;

    return element_open(o, r->compiled && (large || !o->once), k);
}

/* ---- the mesh ---------------------------------------------------------------------- */

/* Heights of every point of the file: expressions of x and y. */
static pav_status height_of(const pav_mesh *flat, const expr *e, double **heights)
{
    text t = {0};
    form_writer w = {.t = &t, .point = -1};
    pav_status status = PAV_OK;

    form_write_value(&w, e, NULL);
    double *of_column = mem_new(flat->nodes, sizeof *of_column);
    *heights = mem_new(flat->columns, sizeof **heights);
    if (!of_column || !*heights || t.failed)
        status = PAV_ENOMEM;
    if (status == PAV_OK)
        status = pav_mesh_evaluate(flat, t.data, of_column);
    for (int64_t c = 0; c < flat->columns && status == PAV_OK; c++)
        (*heights)[flat->given[c]] = of_column[c * flat->levels];
    mem_free(of_column);
    text_free(&t);
    return status;
}

static pav_status open_uneven(const char *path, const mesh_source *m, pav_mesh_options *o,
                              pav_mesh **result)
{
    const pav_mesh_options one = {.layers = 1};
    double *bottoms = NULL, *tops = NULL;
    pav_mesh *flat;

    TRY(pav_mesh_open(path, &one, &flat));
    pav_status status = height_of(flat, m->from, &bottoms);
    if (status == PAV_OK)
        status = height_of(flat, m->to, &tops);
    pav_mesh_free(flat);
    o->bottoms = bottoms;
    o->tops = tops;
    if (status == PAV_OK)
        status = pav_mesh_open(path, o, result);
    mem_free(bottoms);
    mem_free(tops);
    return status;
}

static void add_path(const pav_mesh_run *r, const char *path, text *t)
{
    const char *second = strchr(path, ',');
    const int length = second ? (int)(second - path) : (int)strlen(path);
    const bool near = r->p->mesh->shape || *path == '/' ||
                      strcmp(r->p->directory, ".") == 0;

    if (r->p->mesh->shape)
        text_add(t, "%s", path);
    else
        text_add(t, "%s%s%.*s", near ? "" : r->p->directory, near ? "" : "/", length,
                 path);
    if (second && !r->p->mesh->shape) {
        text_add(t, ",");
        add_path(r, second + 1, t);
    }
}

static pav_status open_mesh(pav_mesh_run *r)
{
    const mesh_source *m = r->p->mesh;
    pav_mesh_options o = {.layers = (int)m->layer_count,
                          .grading = num_f64(m->grading_value)};
    text path = {0};

    add_path(r, m->path, &path);
    const pav_status status = path.failed ? PAV_ENOMEM
                              : m->from   ? open_uneven(path.data, m, &o, &r->mesh)
                                          : pav_mesh_open(path.data, &o, &r->mesh);
    text_free(&path);
    return status;
}

/* ---- opening ----------------------------------------------------------------------- */

/* Chooses the device. A GPU not named by the user is used only for a large mesh. */
static void choose_device(const pav_device *device, pav_mesh_run *r)
{
    r->compiled = device_compiles(device);
    if (mesh_has_gpu(device) && (!device->automatic || r->mesh->cells >= GPU_CELLS))
        r->gpu = device;
}

static int64_t count_of(const program *p, statement_kind kind)
{
    int64_t count = 0;

    for (const statement *s = p->first; s; s = s->next)
        count += s->kind == kind;
    return count;
}

static pav_status take_values(pav_mesh_run *r)
{
    const int64_t fields = r->p->fields.count;

    r->value = mem_new(fields + 1, sizeof *r->value);
    r->measure = mem_new(r->p->measures.count + 1, sizeof *r->measure);
    r->solved = mem_new(count_of(r->p, STATEMENT_SOLVE) + 1, sizeof *r->solved);
    if (!r->value || !r->measure || !r->solved)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < fields; k++) {
        r->value[k] = mem_new(r->mesh->nodes + MESH_PADDING, sizeof **r->value);
        if (!r->value[k])
            return PAV_ENOMEM;
    }
    return PAV_OK;
}

static pav_status open_parts(pav_mesh_run *r, const pav_device *device, int threads)
{
    TRY(open_mesh(r));
    choose_device(device, r);
    TRY(prism_operator_open(r->mesh, (pav_form){1, 0}, PAV_F64, NULL, threads, &r->team));
    return take_values(r);
}

pav_status pav_mesh_run_open(const pav_program *p, const pav_device *device,
                             const pav_mesh_run_options *options, pav_mesh_run **result)
{
    GUARDED;
    static const pav_mesh_run_options usual = {0};
    const pav_mesh_run_options *o = options ? options : &usual;

    if (result)
        *result = NULL;
    if (!p || !result)
        return FAIL(PAV_EINVAL,
                    "pav_mesh_run_open needs a program and a place for the run");
    TRY(device_check_single(device, "a run on a mesh"));
    if (!p->tree.mesh)
        return FAIL(PAV_EINVAL, "%s is a program on a grid: pav_run_open runs it",
                    p->tree.name);
    pav_mesh_run *r = mem_new(1, sizeof *r);
    if (!r)
        return PAV_ENOMEM;
    *r = (pav_mesh_run){.p = &p->tree,
                        .directory = o->directory,
                        .no_files = o->no_files != 0,
                        .allow_outside = o->allow_outside != 0};
    const pav_status status = open_parts(r, device, o->threads);
    if (status == PAV_OK)
        *result = r;
    else
        pav_mesh_run_free(r);
    return status;
}

void pav_mesh_run_free(pav_mesh_run *r)
{
    if (!r)
        return;
    for (int64_t k = 0; k < r->p->fields.count && r->value; k++)
        mem_free(r->value[k]);
    mem_free(r->value);
    mem_free(r->measure);
    mem_free(r->solved);
    text_free(&r->why);
    text_free(&r->message);
    prism_csr_close(r->matrix);
    prism_operator_close(r->team);
    pav_mesh_free(r->mesh);
    mem_free(r);
}

/* ---- statements -------------------------------------------------------------------- */

/* Checks an output: a file name inside the directory of outputs, and an existing
 * level. */
static pav_status check_output(const pav_mesh_run *r, const statement *s)
{
    const char *f = s->file;

    if (s->layer && s->layer_index > r->mesh->layers)
        return FAIL(PAV_EINVAL, "%s:%d: there is no level %lld: they are 0 to %d",
                    r->p->name, s->at.line, (long long)s->layer_index, r->mesh->layers);
    if (r->allow_outside || r->no_files || !path_leads_out(f))
        return PAV_OK;
    return FAIL(PAV_EINVAL,
                "%s:%d: %s is outside the directory of outputs (%s), where alone a "
                "description may write; give it a name without `/` in front and `..`, "
                "and --out a directory; or allow it by --allow-outside",
                r->p->name, s->at.line, f,
                r->directory ? r->directory : "the current one");
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
    if (!s->layer && !s->cut[0][0])
        return pav_mesh_write(r->mesh, path, name, values, s->left_count);
    for (int k = 0; k < 4; k++)
        end[k / 2][k % 2] = num_f64(s->cut_value[k / 2][k % 2]);
    return pav_mesh_picture(r->mesh, path, values[0], s->layer ? (int)s->layer_index : -1,
                            s->layer ? NULL : end[0], s->layer ? NULL : end[1]);
}

static pav_status output(const pav_mesh_run *r, const statement *s)
{
    text path = {0};

    TRY(check_output(r, s));
    if (r->no_files)
        return PAV_OK;
    if (r->directory) {
        TRY(directory_make(r->directory));
        if (*s->file != '/')
            text_add(&path, "%s/", r->directory);
    }
    text_add(&path, "%s", s->file);
    const pav_status status = path.failed ? PAV_ENOMEM : write_file(r, s, path.data);
    text_free(&path);
    return status;
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

static pav_status do_statement(pav_mesh_run *r, const statement *s)
{
    switch (s->kind) {
    case STATEMENT_FIELD:
        return s->value ? form_at_nodes(r, s->value, NULL, r->value[s->symbol->index])
                        : PAV_OK;
    case STATEMENT_SOLVE: return form_solve(r, s);
    case STATEMENT_MEASURE:
        return form_scalar(r, s->value, &r->measure[s->symbol->index]);
    case STATEMENT_OUTPUT: return output(r, s);
    case STATEMENT_EXPECT: return expect(r, s);
    default: return PAV_OK;
    }
}

static pav_status do_all(pav_mesh_run *r)
{
    r->solves = r->expectations = r->failed = 0;
    text_free(&r->why);
    for (const statement *s = r->p->first; s; s = s->next)
        TRY(do_statement(r, s));
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

/* ---- what it reports --------------------------------------------------------------- */

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
    *values = s ? form_values(r, s) : NULL;
    return s ? PAV_OK : FAIL(PAV_EINVAL, "%s has no field '%s'", r->p->name, field);
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
