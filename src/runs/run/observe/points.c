/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources and receivers off the grid: their positions, neighbours and weights.
 * Neighbours are taken in a fixed order, so that sums are bitwise identical
 * everywhere. Before the first step, warnings are given about positions in absorbing
 * layers and about unsuitable wavelets. */
#include <math.h>
#include <string.h>

#include "run/plan/needs_private.h"
#include "run/record_private.h"
#include "run/run_private.h"

/* Converts a coordinate to an index along one axis. Grid points must give whole numbers,
 * even for 0.3*10/1 at spacing 1/10. */
static double to_index(const program *p, int axis, double coordinate)
{
    const axis_grid *g = &p->axis[axis];
    if (g->at)
        return axis_index(p, axis, coordinate);
    const double way = coordinate - num_f64(g->origin);
    return !g->step.exact ? way * num_f64(g->over) / num_f64(g->span)
                          : way * num_f64(num_ratio(g->step.q, 1)) /
                                num_f64(num_ratio(g->step.p, 1));
}

/* How weights beyond a face are folded back. If the border copies values, the same way.
 * If the border gives values, or has a flux that a sample must follow, or is missing:
 * straight on past the outermost point. */
static unsigned fold_at(const ir_border *border, bool sampled)
{
    const border_rule *rule = &border_rules[border->kind];
    const bool copies = rule->copies && !rule->has_face &&
                        !(sampled && border->stage >= 0);

    return copies ? rule->map : POINT_STRAIGHT;
}

/* Weighs the neighbours of a position, for each tap of a sample. */
static pav_status weigh_taps(const pav_run *run, const statement *s, const ir_field *f,
                             const double *index, point_set *set)
{
    static const sample_tap itself = {.weight = {.p = 1, .q = 1, .exact = true, .v = 1}};
    point_borders borders;
    for (int face = 0; face < 2 * MAX_DIM; face++)
        borders.side[face / 2][face % 2] = fold_at(&f->border[face / 2][face % 2],
                                                   s->kind != STATEMENT_INJECT);
    for (int n = 0; n < (s->taps > 0 ? s->taps : 1); n++) {
        const sample_tap *tap = s->taps > 0 ? &s->tap[n] : &itself;
        double there[MAX_DIM];
        point_weights weights;
        for (int axis = 0; axis < MAX_DIM; axis++)
            there[axis] = index[axis] + tap->offset[axis];
        point_weigh(run->code->dim, f->extent, &borders, there,
                    s->points.method == POINTS_SINC, &weights);
        for (int k = 0; k < weights.count && s->taps > 0; k++)
            weights.weight[k] *= num_f64(tap->weight);
        if (set->neighbours + weights.count > set->capacity) {
            const int64_t capacity = 2 * set->capacity + weights.count;
            TRY(mem_extend(&set->index, capacity, sizeof *set->index));
            TRY(mem_extend(&set->weight, capacity, sizeof *set->weight));
            set->capacity = capacity;
        }
        memcpy(set->index + set->neighbours, weights.index,
               (size_t)weights.count * sizeof *weights.index);
        memcpy(set->weight + set->neighbours, weights.weight,
               (size_t)weights.count * sizeof *weights.weight);
        set->neighbours += weights.count;
    }
    return PAV_OK;
}

/* The coordinates of position `row` in a list, a line or a file's rows. */
static void position(const statement *s, int dim, const double *rows, int64_t row,
                     int64_t count, double *at)
{
    for (int axis = 0; axis < dim; axis++) {
        if (rows) {
            at[axis] = rows[row * dim + axis];
        } else if (s->points.line_count) {
            const double share = count > 1 ? (double)row / (double)(count - 1) : 0;
            const double from = num_f64(s->points.value[0][axis]);
            at[axis] = from + share * (num_f64(s->points.value[1][axis]) - from);
        } else {
            at[axis] = num_f64(s->points.value[row][axis]);
        }
    }
}

enum { MAX_POSITIONS = 10000000 };

static int64_t position_bytes(const pav_run *run, const statement *s)
{
    const int64_t an_axis = s->points.method == POINTS_SINC ? 8 : 2;
    int64_t bytes = sizeof(int64_t[MAX_DIM]) + sizeof(double);
    for (int axis = 0; axis < run->code->dim; axis++)
        bytes *= an_axis;
    return bytes * (s->taps > 0 ? s->taps : 1);
}

/* Checks the number before any weights are computed. */
static pav_status check_positions(const pav_run *run, const statement *s, int64_t count)
{
    const int64_t bytes = position_bytes(run, s);
    if (count > MAX_POSITIONS)
        return FAIL(PAV_ELIMIT, "%s:%d: %lld positions; at most %d are supported",
                    run->program->name, s->at.line, (long long)count, MAX_POSITIONS);
    const int64_t free_now = mem_available();
    if (free_now >= 0 && bytes * count > free_now && !run->options.force) {
        return FAIL(
            PAV_ENOMEM,
            "%s:%d: %lld positions need up to %s of memory, %s are available; use "
            "fewer, or leave out `by sinc`",
            run->program->name, s->at.line, (long long)count,
            size_words(NULL, bytes * count).s, size_words(NULL, free_now).s);
    }
    return PAV_OK;
}

/* True if the positions are a SEG-Y file's sources. By default an injection takes sources
 * and a sample takes receivers. */
static bool takes_sources(const statement *s)
{
    return s->points.owner == POINTS_SOURCES ||
           (s->points.owner == POINTS_USUAL && s->kind == STATEMENT_INJECT);
}

/* The rows of a file of positions, freed with mem_free. */
static pav_status points_read(const pav_run *run, const statement *s, double **rows,
                              int64_t *count)
{
    char letters[MAX_DIM + 1] = {0};
    OWNED_BY(text_free) text path = {0};
    for (int axis = 0; axis < run->program->dim; axis++)
        letters[axis] = axis_letter(run->program, axis);
    TRY(run_input_path(run, s->points.file, &path));
    const pav_status status = positions_read(path.data, letters, takes_sources(s),
                                             MAX_POSITIONS, rows, count);
    return status == PAV_OK
               ? PAV_OK
               : FAIL(status, "%s:%d: %s", run->program->name, s->at.line, pav_message());
}

static int64_t shots_of(const pav_run *run)
{
    return run->program->shots > 0 ? run->program->shots : 1;
}

/* The positions of all shots. *rows: those of a file, for one shot, freed with mem_free;
 * otherwise NULL. */
static pav_status find_positions(const pav_run *run, const statement *s, double **rows,
                                 int64_t *count)
{
    *rows = NULL;
    *count = s->points.line_count ? s->points.line_points : s->points.count;
    if (s->points.file)
        TRY(points_read(run, s, rows, count));
    *count *= shots_of(run);
    return check_positions(run, s, *count);
}

pav_status points_measure(const pav_run *run, const statement *s, int64_t *count,
                          int64_t *bytes)
{
    OWNED double *rows = NULL;
    TRY(find_positions(run, s, &rows, count));
    *bytes = *count * position_bytes(run, s);
    return PAV_OK;
}

static const given_traces *find_given(const pav_run *run, const char *name)
{
    for (const given_traces *g = run->opened.given; g && *g->name; g++)
        if (strcmp(g->name, name) == 0)
            return g;
    return NULL;
}

/* Repeats the traces of one shot's positions for all shots of a stack. */
static pav_status repeat_traces(int64_t shots, trace_table *t)
{
    const trace_table one = *t;
    t->columns = shots * one.columns;
    t->value = mem_new(t->rows * t->columns + 1, sizeof *t->value);
    for (int64_t n = 0; t->value && n < one.rows * shots; n++)
        memcpy(t->value + n * one.columns, one.value + n / shots * one.columns,
               (size_t)one.columns * sizeof *t->value);
    mem_free(one.value);
    return t->value ? PAV_OK : PAV_ENOMEM;
}

static pav_status fit_traces(const pav_run *run, const statement *s, point_set *set)
{
    const int64_t shots = shots_of(run), columns = set->trace.columns;
    if (columns > 1 && shots > 1 && columns * shots == set->count)
        TRY(repeat_traces(shots, &set->trace));
    const trace_table *t = &set->trace;
    if (t->columns == 1 || t->columns == set->count)
        return PAV_OK;
    return FAIL(
        PAV_EFORMAT,
        "%s:%d: %s holds %lld traces for %lld position%s; one for all, or one for "
        "each, is needed",
        run->program->name, s->at.line, s->trace, (long long)t->columns,
        (long long)set->count, set->count == 1 ? "" : "s");
}

static pav_status open_traces(const pav_run *run, const statement *s, point_set *set)
{
    const given_traces *given = find_given(run, s->trace);
    OWNED_BY(text_free) text path = {0};
    if (given) {
        const int64_t count = given->table.rows * given->table.columns;
        set->trace = given->table;
        TRY(mem_take(&set->trace.value, count + 1, sizeof *set->trace.value));
        memcpy(set->trace.value, given->table.value,
               (size_t)count * sizeof *set->trace.value);
        return fit_traces(run, s, set);
    }
    TRY(run_input_path(run, s->trace, &path));
    const pav_status status = traces_read(path.data, &set->trace);
    if (status != PAV_OK)
        return FAIL(status, "%s:%d: %s", run->program->name, s->at.line, pav_message());
    return fit_traces(run, s, set);
}

pav_status points_open(const pav_run *run, const statement *s, point_set *set)
{
    OWNED double *rows = NULL;
    TRY(find_positions(run, s, &rows, &set->count));
    /* each: positions of one shot. */
    const int64_t each = set->count / shots_of(run);
    const int dim = run->code->dim;
    TRY(mem_take(&set->first, set->count + 1, sizeof *set->first));
    TRY(mem_take(&set->position, set->count * dim + 1, sizeof *set->position));
    for (int64_t row = 0; row < set->count; row++) {
        const int64_t shot = row / each;
        double *at = set->position + row * dim;
        position(statement_of_shot(run->program, s, shot), run->program->dim, rows,
                 row % each, each, at);
        if (run->program->shots > 0)
            at[dim - 1] = (double)shot;
        const ir_field *f = &run->code->field[run_field_of(run, s->symbol)];
        double index[MAX_DIM] = {0};
        for (int axis = 0; axis < run->code->dim; axis++) {
            index[axis] = axis < run->program->dim
                              ? to_index(run->program, axis, at[axis])
                              : at[axis];
            const double extent = (double)f->extent[axis];
            const bool periodic = border_wraps(f->border[axis][0].kind);
            if (!(index[axis] >= -1e-9 * extent) ||
                !(index[axis] <= (periodic ? extent : extent - 1) + 1e-9 * extent))
                return FAIL(
                    PAV_EFORMAT,
                    "%s:%d: position %lld of \"%s\" lies outside the grid along %c; "
                    "positions are in the grid's coordinates",
                    run->program->name, s->at.line, (long long)row + 1,
                    s->points.file ? s->points.file : "the list",
                    axis_letter(run->program, axis));
        }
        set->first[row] = set->neighbours;
        TRY(weigh_taps(run, s, f, index, set));
        set->first[row + 1] = set->neighbours;
    }
    return s->trace ? open_traces(run, s, set) : PAV_OK;
}

void points_close(point_set *set)
{
    MEM_FREE_ALL(set->first, set->index, set->weight, set->position);
    traces_free(&set->trace);
    *set = (point_set){0};
}

/* ---- positions in absorbing layers ------------------------------------------------- */

/* The cells of a layer between a position and the layer's inner edge, along one axis; 0:
 * the position is outside. */
static double depth_along(const program *p, const symbol *field, int axis,
                          double coordinate)
{
    const axis_grid *g = &p->axis[axis];
    const double at = (coordinate - num_f64(g->origin)) / num_f64(g->step);
    double most = 0;

    for (int side = 0; side < 2; side++) {
        const statement *rule = field_border(p, field, axis, side);
        if (!rule || rule->kind != STATEMENT_ABSORB)
            continue;
        const double depth = (double)rule->cell_count -
                             (side ? (double)(g->points - 1) - at : at);
        most = depth > most ? depth : most;
    }
    return most;
}

/* The deepest position, and the number of positions within a layer. */
typedef struct depths {
    int64_t within, count;
    double deepest;
} depths;

static void add_position(const program *p, const symbol *field, const double *position,
                         depths *d)
{
    double depth = 0;

    for (int axis = 0; axis < p->dim; axis++) {
        const double own = depth_along(p, field, axis, position[axis]);
        depth = own > depth ? own : depth;
    }
    d->count++;
    d->within += depth > 1e-6;
    d->deepest = depth > d->deepest ? depth : d->deepest;
}

static void warn_of_layers(pav_run *run, const statement *s, const point_set *set)
{
    const program *p = run->program;
    depths d = {0};

    if (s->symbol->coarse || !set->position)
        return;
    for (int64_t k = 0; k < set->count; k++)
        add_position(p, s->symbol, set->position + k * run->code->dim, &d);
    if (d.within > 0)
        exec_warn(&run->client,
                  "%s:%d: %lld of %lld %s lie in the absorbing layer, up to %.3g cells "
                  "deep, where the wave is damped: move them inwards, or let the grid go "
                  "on beyond them",
                  p->name, s->at.line, (long long)d.within, (long long)d.count,
                  s->kind == STATEMENT_INJECT ? "sources" : "receivers", d.deepest);
}

void run_check_positions(pav_run *run)
{
    for (int64_t k = 0; k < run->code->injections.count; k++) {
        warn_of_layers(run, run->code->injections.item[k].statement,
                       &run->part->injection[k]);
    }
    for (recorder *r = NULL; (r = run_next_recorder(run, r));) {
        const statement *s = r->statement;
        if (s->kind == STATEMENT_SAMPLE && s->symbol && !(s->gather && s->of > 0))
            warn_of_layers(run, s, &r->points);
    }
}

/* ---- before a run ------------------------------------------------------------------ */

/* An unreadable file is reported elsewhere, when its size is needed. */
static depths find_depths(const pav_run *run, const statement *s)
{
    const int dim = run->program->dim;
    OWNED double *rows = NULL;
    int64_t count = s->points.line_count ? s->points.line_points : s->points.count;
    depths d = {0};

    if (s->points.file && points_read(run, s, &rows, &count) != PAV_OK)
        return d;
    for (int64_t k = 0; k < count; k++) {
        double at[MAX_DIM];
        position(s, dim, rows, k, count, at);
        add_position(run->program, s->symbol, at, &d);
    }
    return d;
}

void plan_add_layers(const pav_run *run, text *t)
{
    EACH_STATEMENT(s, run->program) {
        const bool source = s->kind == STATEMENT_INJECT;
        if ((!source && !sample_is_whole(s)) || s->symbol->coarse)
            continue;
        const depths d = find_depths(run, s);
        if (d.within > 0)
            text_add(t,
                     "%-12s %lld of %lld %s of line %d LIE IN THE ABSORBING LAYER, up to "
                     "%.3g cells deep, where the wave is damped\n",
                     "layer", (long long)d.within, (long long)d.count,
                     source ? "sources" : "receivers", s->at.line, d.deepest);
    }
}

/* ---- wavelets ---------------------------------------------------------------------- */

/* Before the first step: warns of wavelets sampled at another interval than the step, and
 * of wavelets cut before their end. */

/* audible: share of the largest value, above this a wavelet has not ended. rounded:
 * tolerance of dt, because SEG-Y rounds it. */
static const double audible = 0.01, rounded = 1e-3;

static double largest(const trace_table *t, int64_t from, int64_t to)
{
    double most = 0;

    for (int64_t n = from * t->columns; n < to * t->columns; n++)
        most = fmax(most, fabs(t->value[n]));
    return most;
}

static void check_end(pav_run *run, const statement *s, const trace_table *t)
{
    const double all = largest(t, 0, t->rows);
    const int64_t taken = run->steps < t->rows ? run->steps : t->rows;
    const bool more = t->rows > run->steps + 1;
    const double left = more ? largest(t, run->steps, t->rows)
                             : largest(t, t->rows - 1, t->rows);

    if (run->steps <= 0 || left <= audible * all || (!more && t->rows >= run->steps))
        return;
    exec_warn(&run->client,
              "%s:%d: %s holds %lld samples, and the run takes %lld steps: after step "
              "%lld, where it is still %.0f %% of its largest value, %s",
              run->program->name, s->at.line, s->trace, (long long)t->rows,
              (long long)run->steps, (long long)taken, 100 * left / all,
              more ? "the rest is not injected" : "nothing is injected");
}

void run_check_wavelets(pav_run *run)
{
    const ir_event_list *list = &run->code->injections;

    for (int64_t k = 0; k < list->count && !run->opened.given; k++) {
        const statement *s = list->item[k].statement;
        const trace_table *t = &run->part->injection[k].trace;
        if (!s->trace || t->rows < 1)
            continue;
        const double dt = subdomain_step_time(run->part);

        if (t->interval > 0 && run->program->dt && fabs(t->interval - dt) > rounded * dt)
            exec_warn(
                &run->client,
                "%s:%d: %s has a sample each %.6g s, and a step takes %.6g: sample n "
                "is injected in step n; resample the wavelet, or change dt",
                run->program->name, s->at.line, s->trace, t->interval, dt);
        check_end(run, s, t);
    }
}
