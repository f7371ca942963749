/* SPDX-License-Identifier: BSD-3-Clause */
/* An element kernel: its description, and the function over a column of cells, by the
 * interpreter or compiled. */
#include <stdio.h>
#include <string.h>

#include "fem/form/form_private.h"

/* ---- the description --------------------------------------------------------------- */

/* Writes the description of an element kernel. The coordinates of corner k's column are
 * the fields X0 Y0 Z0, ...; the values of the form's field n there are F0n, F1n, ...;
 * `[1]` is one layer higher.
 *
 * A quadrature point is a spot t in the triangle (barycentric coordinates) and a height
 * s. The columns of its Jacobian are c1 and c2, functions of the height alone, and c3, a
 * function of the spot alone. The rows of the inverse are the cross products r1, r2, r3 =
 * c1 x c2 over the determinant. The text repeats an expression at every point; the IR
 * computes equal expressions once. */

/* The quadrature points of a kernel: places in the triangle or along the edge, times
 * heights. */
typedef struct rule {
    int places, heights;
    double weight[4];
    const char *place[4][3], *height[2], *weights[4]; /* as text; place: of the corners */
} rule;

#define Z0 "0.21132486540518711774543"
#define Z1 "0.78867513459481288225457"
#define A0 "0.15505102572168219018027"
#define A1 "0.64494897427831780981973"
#define W0 "0.07951034543599429234859"
#define W1 "0.04548965456400570765141"
#define AT(a, z)                                                                         \
    {                                                                                    \
        "(1 - " a ")*(1 - " z ")", a, "(1 - " a ")*" z                                   \
    }

static const rule prism_rule = {.places = 4,
                                .heights = 2,
                                .place = {AT(A0, Z0), AT(A0, Z1), AT(A1, Z0), AT(A1, Z1)},
                                .height = {Z0, Z1},
                                .weights = {W0, W0, W1, W1}};
static const rule wall_rule = {.places = 2,
                               .heights = 2,
                               .place = {{Z1, Z0}, {Z0, Z1}},
                               .height = {Z0, Z1},
                               .weights = {"0.25", "0.25"}};
static const rule lid_rule = {.places = 4,
                              .heights = 1,
                              .place = {AT(A0, Z0), AT(A0, Z1), AT(A1, Z0), AT(A1, Z1)},
                              .height = {"0"},
                              .weights = {"2*" W0, "2*" W0, "2*" W1, "2*" W1}};
/* Nodes: the lower one alone. */
static const rule node_rule = {
    .places = 1, .heights = 1, .place = {{"1"}}, .height = {"0"}, .weights = {"1"}};

static const struct shape {
    const rule *rule;
    int corners;
    bool upright; /* the cell has a height */
} shapes[] = {[ELEMENT_NODE] = {&node_rule, 1, false},
              [ELEMENT_PRISM] = {&prism_rule, 3, true},
              [ELEMENT_WALL] = {&wall_rule, 2, true},
              [ELEMENT_LID] = {&lid_rule, 3, false}};

typedef struct draft {
    const struct shape *shape;
    const rule *rule;
    element_kind kind;
    bool empty;
    form_writer w;
    text *t;
} draft;

/* ---- names at points --------------------------------------------------------------- */

/* A corner's value of `name`, on the level above if `up`: "X0", "F2n1[1]". */
typedef struct corner_name {
    char text[32];
} corner_name;

static corner_name name_of(const char *name, int corner, int number, bool up)
{
    corner_name n;
    char field[16] = "";

    if (number >= 0)
        (void)snprintf(field, sizeof field, "n%d", number);
    (void)snprintf(n.text, sizeof n.text, "%s%d%s%s", name, corner, field,
                   up ? "[1]" : "");
    return n;
}

/* The value at a place: of corner columns `name`, on the level `up`. */
static void add_mixed(const draft *d, const char *name, int number, int spot, bool up,
                      text *t)
{
    for (int k = 0; k < d->shape->corners; k++)
        text_add(t, "%s(%s)*%s", k ? " + " : "(", d->rule->place[spot][k],
                 name_of(name, k, number, up).text);
    text_add(t, ")");
}

/* let NAME = lower + height*(upper - lower) */
static void add_value(draft *d, const char *let, const char *name, int number, int point)
{
    const int spot = point / d->rule->heights, height = point % d->rule->heights;

    text_add(d->t, "let %s_q%d = ", let, point);
    add_mixed(d, name, number, spot, false, d->t);
    if (d->shape->upright) {
        text_add(d->t, " + %s*(", d->rule->height[height]);
        add_mixed(d, name, number, spot, true, d->t);
        text_add(d->t, " - ");
        add_mixed(d, name, number, spot, false, d->t);
        text_add(d->t, ")");
    }
    text_add(d->t, "\n");
}

/* The difference between a corner and corner 0, at a height. */
static void add_edge(const draft *d, const char *name, int corner, int number, int height,
                     text *t)
{
    const corner_name low = name_of(name, corner, number, false),
                      low_0 = name_of(name, 0, number, false);

    text_add(t, "(%s - %s)", low.text, low_0.text);
    if (d->shape->upright)
        text_add(t, " + %s*((%s - %s) - (%s - %s))", d->rule->height[height],
                 name_of(name, corner, number, true).text,
                 name_of(name, 0, number, true).text, low.text, low_0.text);
}

static void add_rise(const draft *d, const char *name, int number, int spot, text *t)
{
    for (int k = 0; k < d->shape->corners; k++)
        text_add(t, "%s(%s)*(%s - %s)", k ? " + " : "", d->rule->place[spot][k],
                 name_of(name, k, number, true).text,
                 name_of(name, k, number, false).text);
}

/* Writes derivatives along the reference's axes: the Jacobian for coordinates, and for
 * fields the input of its inverse. */
static void add_derivatives(draft *d, const char *let, const char *name, int number,
                            int point)
{
    const int spot = point / d->rule->heights, height = point % d->rule->heights;

    for (int k = 1; k < d->shape->corners; k++) {
        text_add(d->t, "let %s%d_q%d = ", let, k, point);
        add_edge(d, name, k, number, height, d->t);
        text_add(d->t, "\n");
    }
    if (d->shape->upright) {
        text_add(d->t, "let %s3_q%d = ", let, point);
        add_rise(d, name, number, spot, d->t);
        text_add(d->t, "\n");
    }
}

/* ---- geometry ---------------------------------------------------------------------- */

static const char axes[] = "xyz";

/* r = ca x cb, by components. */
static void add_cross(draft *d, int r, int a, int b, int q)
{
    for (int i = 0; i < 3; i++) {
        const char y = axes[(i + 1) % 3], z = axes[(i + 2) % 3];
        text_add(d->t, "let r%d%c_q%d = c%c%d_q%d*c%c%d_q%d - c%c%d_q%d*c%c%d_q%d\n", r,
                 axes[i], q, y, a, q, z, b, q, z, a, q, y, b, q);
    }
}

/* weight_q: of the point, in the volume or on the surface. */
static void add_geometry(draft *d, int q)
{
    static const char *const column[] = {"cx", "cy", "cz"}, *const name[] = {"X", "Y",
                                                                             "Z"};
    const char *weight = d->rule->weights[q / d->rule->heights];

    for (int i = 0; i < 3; i++)
        add_derivatives(d, column[i], name[i], -1, q);
    if (d->kind == ELEMENT_PRISM) {
        add_cross(d, 1, 2, 3, q);
        add_cross(d, 2, 3, 1, q);
        add_cross(d, 3, 1, 2, q);
        text_add(d->t,
                 "let det_q%d = r3x_q%d*cx3_q%d + (r3y_q%d*cy3_q%d + r3z_q%d*cz3_q%d)\n"
                 "let weight_q%d = %s*det_q%d\n",
                 q, q, q, q, q, q, q, q, weight, q);
        return;
    }
    add_cross(d, 3, 1, d->kind == ELEMENT_WALL ? 3 : 2, q);
    text_add(d->t,
             "let weight_q%d = %s*sqrt(r3x_q%d*r3x_q%d + (r3y_q%d*r3y_q%d + "
             "r3z_q%d*r3z_q%d))\n",
             q, weight, q, q, q, q, q, q);
}

/* Writes the values read by expressions at a point. */
static void add_reads(draft *d, int q)
{
    static const char *const at[] = {"px", "py", "pz"}, *const name[] = {"X", "Y", "Z"};
    char let[32];

    for (int i = 0; i < 3 && d->w.points; i++)
        add_value(d, at[i], name[i], -1, q);
    for (int n = 0; n < d->w.fields; n++) {
        (void)snprintf(let, sizeof let, "f%d", n);
        if (d->w.field[n].symbol->on_cells)
            text_add(d->t, "let %s_q%d = F0n%d\n", let, q, n);
        else if (d->w.field[n].value)
            add_value(d, let, "F", n, q);
        (void)snprintf(let, sizeof let, "g%dd", n);
        if (d->w.field[n].gradient) {
            add_derivatives(d, let, "F", n, q);
            for (int i = 0; i < 3; i++)
                text_add(d->t,
                         "let f%c%d_q%d = inv_q%d*(r1%c_q%d*g%dd1_q%d + "
                         "(r2%c_q%d*g%dd2_q%d + r3%c_q%d*g%dd3_q%d))\n",
                         axes[i], n, q, q, axes[i], q, n, q, axes[i], q, n, q, axes[i], q,
                         n, q);
        }
    }
}

/* ---- equations --------------------------------------------------------------------- */

/* Factors of the test function (0) and of its derivatives (1 to 3). */
typedef struct parts {
    bool value, slope[3];
    bool slopes; /* any of them */
} parts;

/* let s_q = weight times the value's factor; let a1_q ... = its gradient's, along the
 * reference's axes. */
static void add_factors(draft *d, const parts *p, int q)
{
    const char *weight = d->rule->weights[q / d->rule->heights];

    if (p->value)
        text_add(d->t, "let s_q%d = weight_q%d*v_q%d\n", q, q, q);
    for (int r = 1; r <= 3 && p->slopes; r++) {
        const char *before = "";
        text_add(d->t, "let a%d_q%d = %s*(", r, q, weight);
        for (int i = 0; i < 3; i++)
            if (p->slope[i]) {
                text_add(d->t, "%sr%d%c_q%d*v%c_q%d", before, r, axes[i], q, axes[i], q);
                before = " + ";
            }
        text_add(d->t, ")\n");
    }
}

static parts add_form(draft *d, const element_source *o, int q)
{
    static const char *const let[] = {"v", "vx", "vy", "vz"};
    parts p = {false};

    for (int k = 0; k < 4; k++) {
        OWNED_BY(text_free) text part = {0};
        d->w.t = &part;
        d->w.point = q;
        const bool wanted = o->parts == ELEMENT_ALL ||
                            (k == 0) == (o->parts == ELEMENT_VALUES);
        const bool there = wanted && form_write_part(&d->w, o->form, k);
        if (there)
            text_add(d->t, "let %s_q%d = %s\n", let[k], q, part.data ? part.data : "");
        d->t->failed |= part.failed;
        if (k == 0)
            p.value = there;
        else
            p.slope[k - 1] = there;
        p.slopes |= k > 0 && there;
    }
    return p;
}

/* The sum over all places at one height: a corner's part of the gradient along the
 * reference's axes. */
static void add_flat(const draft *d, const parts *p, int corner, int height)
{
    const char *before = "";
    const int heights = d->rule->heights;

    for (int spot = 0; spot < d->rule->places && p->slopes; spot++) {
        const int q = spot * heights + height;
        if (corner == 0)
            text_add(d->t, "%s(-a1_q%d - a2_q%d)", before, q, q);
        else
            text_add(d->t, "%sa%d_q%d", before, corner, q);
        before = " + ";
    }
    for (int spot = 0; spot < d->rule->places && p->value; spot++) {
        text_add(d->t, "%s(%s)*s_q%d", before, d->rule->place[spot][corner],
                 spot * heights + height);
        before = " + ";
    }
}

/* A corner's equations: L of its lower node, H of its upper one. */
static void add_corner(draft *d, const parts *p, int corner)
{
    const rule *r = d->rule;

    for (int height = 0; height < r->heights; height++) {
        text_add(d->t, "let flat%d_%d = ", corner, height);
        add_flat(d, p, corner, height);
        text_add(d->t, "\n");
    }
    if (!d->shape->upright) {
        text_add(d->t, "L%d' = flat%d_0\n", corner, corner);
        return;
    }
    text_add(d->t, "let up%d = %s", corner, p->slopes ? "" : "0");
    for (int q = 0; p->slopes && q < r->places * r->heights; q++)
        text_add(d->t, "%s(%s)*a3_q%d", q ? " + " : "", r->place[q / r->heights][corner],
                 q);
    text_add(d->t,
             "\nL%d' = %s*flat%d_0 + (%s*flat%d_1 - up%d)\n"
             "H%d' = %s*flat%d_0 + (%s*flat%d_1 + up%d)\n",
             corner, r->height[1], corner, r->height[0], corner, corner, corner,
             r->height[0], corner, r->height[1], corner, corner);
}

static void add_fields(const draft *d, const element *k, pav_type real, text *t)
{
    text_add(t, "grid x 1000\nreal %s\n", pav_type_name(real));
    for (int c = 0; c < d->shape->corners; c++) {
        text_add(t, "field X%d, Y%d, Z%d", c, c, c);
        for (int n = 0; n < d->w.fields; n++)
            text_add(t, ", F%dn%d", c, n);
        text_add(t, "\n");
    }
    for (int n = 0; n < k->outputs; n++)
        text_add(t, "%s%c%d", n ? ", " : "field ", n < k->corners ? 'L' : 'H',
                 n % k->corners);
    text_add(t, "\n");
}

/* Writes the equations of all quadrature points. Expressions are written first, because
 * they determine the values to read. */
static void write_points(draft *d, const element_source *o, parts *p)
{
    for (int q = 0; q < d->rule->places * d->rule->heights; q++) {
        if (o->test) {
            *p = add_form(d, o, q);
            continue;
        }
        d->w.t = d->t;
        d->w.point = q;
        text_add(d->t, "let v_q%d = ", q);
        form_write_value(&d->w, o->form, o->bound);
        text_add(d->t, "\n");
    }
}

static void write_all(draft *d, const element *k, const element_source *o, text *t)
{
    OWNED_BY(text_free) text values = {0}, before = {0};
    parts p = {false};
    const int count = d->rule->places * d->rule->heights;

    d->t = &values;
    write_points(d, o, &p);
    d->empty = o->test && !p.value && !p.slopes;
    d->t = &before;
    for (int q = 0; q < count && d->kind != ELEMENT_NODE; q++)
        add_geometry(d, q);
    for (int q = 0; q < count && d->kind == ELEMENT_PRISM; q += 4) {
        /* inv_q = 1/det_q of four points, by one division. */
        text_add(d->t, "let all_q%d = 1/((det_q%d*det_q%d)*(det_q%d*det_q%d))\n", q, q,
                 q + 1, q + 2, q + 3);
        for (int n = q; n < q + 4; n++) /* of the pair of k, and of the other pair */
            text_add(d->t, "let inv_q%d = all_q%d*(det_q%d*det_q%d)*det_q%d\n", n, q,
                     q + 2 - (n - q) / 2 * 2, q + 3 - (n - q) / 2 * 2, q + ((n - q) ^ 1));
    }
    for (int q = 0; q < count; q++)
        add_reads(d, q);
    add_fields(d, k, o->real, t);
    text_add_bytes(t, before.data, before.length);
    text_add_bytes(t, values.data, values.length);
    t->failed |= before.failed || values.failed;
    d->t = t;
    for (int q = 0; q < count && o->test; q++)
        add_factors(d, &p, q);
    for (int c = 0; c < d->shape->corners && o->test; c++)
        add_corner(d, &p, c);
    /* of an integral: one number a cell; of values at nodes: the value */
    text_add(t, o->test ? "" : "L0' = ");
    for (int q = 0; q < count && !o->test; q++)
        text_add(t, d->kind == ELEMENT_NODE ? "%sv_q%d" : "%sweight_q%d*v_q%d",
                 q ? " + " : "", q, q);
    text_add(t, "%sborder clamp\nsteps 1\n", o->test ? "" : "\n");
}

/* ---- opening ----------------------------------------------------------------------- */

/* Parses the description, and computes the constants of all cells, such as exp(2),
 * once. */
static pav_status parse(element *k, const text *t)
{
    const pav_program_options options = {.name = "element kernel"};
    interp_args args = {.code = NULL};

    TRY(program_parse(t->data, t->length, &options, &k->tree));
    TRY(ir_build(k->tree, NULL, &k->code));
    /* the stage that stores level +1 */
    k->stage = k->code->step.count == 1 ? &k->code->stage[k->code->step.stage[0]] : NULL;
    if (!k->stage)
        return FAIL(PAV_EINTERNAL, "an element kernel is not one stage but %lld",
                    (long long)k->code->step.count);
    TRY(mem_take(&k->slot, k->stage->count + k->stage->outputs, sizeof *k->slot));
    TRY(mem_take(&k->uniform, k->code->uniforms + 1, sizeof *k->uniform));
    k->slots = emit_slots(k->stage, k->slot);
    k->bare = *k->stage;
    k->bare.before = -1;
    if (k->stage->before < 0)
        return PAV_OK;
    args.code = k->code;
    args.uniform = k->uniform;
    args.stage = &k->code->stage[k->stage->before];
    return interp_stage(&args);
}

static pav_status compile(element *k)
{
    char name[EMIT_NAME];
    OWNED_BY(text_free) text source = {0};
    const ir *code = k->code;

    emit_kernel_name(name, 0, k->stage - code->stage);
    TRY(emit_source(&code, 1, "An element kernel", NULL, &source, NULL));
    TRY(host_module_open(source.data, source.length, HOST_KEEP, &k->module));
    k->kernel = (emit_kernel *)host_module_find(k->module, name);
    return PAV_OK;
}

pav_status element_open(const element_source *o, bool compiled, element *k)
{
    OWNED_BY(text_free) text t = {0};

    *k = (element){0};
    /* The description of a kernel. */
    draft d = {.shape = &shapes[o->kind],
               .rule = shapes[o->kind].rule,
               .kind = o->kind,
               .w = {.test = o->test, .context = o->context, .known = o->known}};
    k->kind = o->kind;
    k->corners = d.shape->corners;
    k->outputs = !o->test ? 1 : d.shape->upright ? 2 * k->corners : k->corners;
    write_all(&d, k, o, &t);
    TRY(d.w.status);
    if (d.w.overflow)
        return FAIL(PAV_ELIMIT, "an expression reads more than %d fields", FORM_FIELDS);
    k->empty = d.empty;
    k->fields = d.w.fields;
    for (int n = 0; n < k->fields; n++)
        k->field[n] = d.w.field[n].symbol;
    TRY(t.failed ? PAV_ENOMEM : PAV_OK);
    if (k->empty)
        return PAV_OK;
    TRY(parse(k, &t));
    return compiled && emit_has_kernel(k->stage) ? compile(k) : PAV_OK;
}

void element_close(element *k)
{
    host_module_close(k->module);
    program_free(k->tree);
    ir_free(k->code);
    MEM_FREE_ALL(k->slot, k->uniform);
}
