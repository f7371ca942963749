/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorted lines of wisdom, one for each problem; equality of problems; rates of
 * machines. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wisdom/wisdom.h"

/* ---- equal problems ---------------------------------------------------------------- */

/* Equality of programs for schedules: the same operations on the same points, and the
 * same fields around them. Values of constants and extents do not affect the speed of a
 * schedule. */

enum { MOST_UNOBSERVED = 16 };

/* Adds whole numbers. */
#define ADD(h, ...)                                                                      \
    hash_add(h, (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}))

static void add_stage(hash *h, const ir_stage *s)
{
    ADD(h, s->real, s->coarse, s->count);
    for (int64_t n = 0; n < s->count; n++) {
        ADD(h, s->node[n].op);
        for (int k = 0; k < ir_op_table[s->node[n].op].arguments; k++)
            ADD(h, s->node[n].arg[k]);
        if (s->node[n].op == IR_TABLE || s->node[n].op == IR_INDEX)
            ADD(h, s->node[n].axis);
        if (s->node[n].op == IR_RANDOM)
            ADD(h, s->node[n].level);
        if (s->node[n].op == IR_LOAD)
            ADD(h, s->node[n].field, s->node[n].level, s->node[n].transfer,
                s->node[n].kept, s->node[n].offset[0], s->node[n].offset[1],
                s->node[n].offset[2]);
    }
    ADD(h, s->outputs);
    for (const ir_output *o = NULL; (o = ir_next_output(s, o));) {
        const bool stores = o->kind == IR_STORE;
        ADD(h, o->kind, o->node, stores ? o->field : 0, stores ? o->level : 0);
    }
}

uint64_t wisdom_program(const ir *code, int64_t unobserved)
{
    const bool seldom = unobserved == 0 || unobserved > MOST_UNOBSERVED;
    hash h;
    hash_init(&h);
    ADD(&h, code->dim);
    for (int64_t n = 0; n < code->fields; n++) {
        ADD(&h, code->field[n].storage, code->field[n].coarse, code->field[n].updated,
            code->field[n].levels, code->field[n].masks);
        for (int axis = 0; axis < MAX_DIM; axis++)
            for (int side = 0; side < 2; side++)
                ADD(&h, code->field[n].halo[axis][side],
                    code->field[n].border[axis][side].kind);
    }
    for (int64_t n = 0; n < code->step.count; n++)
        add_stage(&h, &code->stage[code->step.stage[n]]);
    ADD(&h, code->injections.count, seldom ? MOST_UNOBSERVED : unobserved);
    return hash_end(&h);
}

/* ---- rates of machines ------------------------------------------------------------- */

/* Rates of machines, measured once and kept next to wisdom: a line for each machine and
 * number of threads, with tabs between columns. They only save measurements and change no
 * bit, so an unreadable line is ignored, and the next measurement replaces it. */

enum { LEAST = 6, NUMBERS = 10, MOST_BYTES = 1 << 20 };

bool rates_path(char path[WISDOM_PATH])
{
    if (!wisdom_path(path) || strlen(path) + sizeof ".rates" > WISDOM_PATH)
        return false;
    strcat(path, ".rates");
    return true;
}

static void put_key(const char *machine, int threads, char key[WISDOM_NAME + 16])
{
    char name[WISDOM_NAME];
    wisdom_put(name, machine);
    (void)snprintf(key, WISDOM_NAME + 16, "%s\t%d\t", name, threads);
}

/* Rates in bytes or results a second, except the sixth, in seconds. Impossible values are
 * refused. The last ones, of a GPU's link, may be missing, and so may the date behind
 * them. */
static bool read_numbers(const char *at, machine_rates *r)
{
    double value[NUMBERS] = {0};
    char *end;
    for (int n = 0; n < NUMBERS && (n < LEAST || *at); n++) {
        value[n] = strtod(at, &end);
        if (end == at || !isfinite(value[n]) || value[n] < 0 || value[n] > 1e18 ||
            (*end != '\t' && *end != 0 && *end != '\n'))
            return false;
        at = end + (*end == '\t');
    }
    if (value[0] <= 0 || value[5] > 1)
        return false;
    *r = (machine_rates){.memory = value[0],
                         .last_cache = value[1],
                         .core_cache = value[2],
                         .f32 = value[3],
                         .f64 = value[4],
                         .launch = value[5],
                         .link = {value[6], value[7]},
                         .staged = {value[8], value[9]},
                         .measured = true};
    (void)snprintf(r->date, sizeof r->date, "%.*s", (int)strspn(at, "0123456789-"), at);
    return true;
}

pav_status rates_load(const char *machine, int threads, machine_rates *r)
{
    char path[WISDOM_PATH], key[WISDOM_NAME + 16], *rest = NULL;
    OWNED char *bytes = NULL;
    int64_t length;
    *r = (machine_rates){0};
    put_key(machine, threads, key);
    if (!rates_path(path) || access(path, F_OK) != 0)
        return PAV_OK;
    TRY(file_read_ordinary(path, MOST_BYTES, &bytes, &length));
    for (char *line = strtok_r(bytes, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        if (strncmp(line, key, strlen(key)) == 0 && !read_numbers(line + strlen(key), r))
            *r = (machine_rates){0};
    return PAV_OK;
}

/* Copies all lines except the key's. */
static void copy_others(const char *path, const char *key, text *t)
{
    OWNED char *bytes = NULL;
    char *rest = NULL;
    int64_t length;
    if (access(path, F_OK) == 0 &&
        file_read_ordinary(path, MOST_BYTES, &bytes, &length) == PAV_OK)
        for (char *line = strtok_r(bytes, "\n", &rest); line;
             line = strtok_r(NULL, "\n", &rest))
            if (strncmp(line, key, strlen(key)) != 0)
                text_add(t, "%s\n", line);
}

pav_status rates_keep(const char *machine, int threads, const machine_rates *r)
{
    char path[WISDOM_PATH], key[WISDOM_NAME + 16];
    OWNED_BY(text_free) text t = {0};
    if (!rates_path(path))
        return FAIL(PAV_EIO, "there is no place to keep rates in: PAV_WISDOM names one");
    TRY(wisdom_make_directory(path));
    put_key(machine, threads, key);
    copy_others(path, key, &t);
    text_add(&t, "%s%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%s\n",
             key, r->memory, r->last_cache, r->core_cache, r->f32, r->f64, r->launch,
             r->link.alone, r->link.busy, r->staged.alone, r->staged.busy, r->date);
    return wisdom_replace(path, &t);
}

/* ---- lines ------------------------------------------------------------------------- */

const char *const wisdom_efforts[EFFORTS] = {
    [EFFORT_BUSY] = "busy",
    [EFFORT_ESTIMATE] = "estimate",
    [EFFORT_MEASURE] = "measure",
    [EFFORT_PATIENT] = "patient",
    [EFFORT_EXHAUSTIVE] = "exhaustive",
};

void wisdom_free(wisdom *w)
{
    mem_free(w->line);
    *w = (wisdom){0};
}

/* Compares two problems without their sizes. */
static int by_program(const wisdom_line *a, const wisdom_line *b)
{
    int order = (a->program > b->program) - (a->program < b->program);
    order = order ? order : int_compare(a->dim, b->dim);
    order = order ? order : int_compare(a->real, b->real);
    order = order ? order : strcmp(a->machine, b->machine);
    order = order ? order : strcmp(a->compiler, b->compiler);
    return order ? order : strcmp(a->version, b->version);
}

static int by_problem(const wisdom_line *a, const wisdom_line *b)
{
    int order = by_program(a, b);
    for (int axis = 0; axis < MAX_DIM; axis++)
        order = order ? order : int_compare(a->extent[axis], b->extent[axis]);
    return order;
}

/* Place of the first line equal to or behind the key. */
static int64_t place_of(const wisdom *w, const wisdom_line *key)
{
    int64_t lo = 0, hi = w->count;
    while (lo < hi) {
        const int64_t middle = lo + (hi - lo) / 2;
        if (by_problem(&w->line[middle], key) < 0)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

wisdom_line *wisdom_find(const wisdom *w, const wisdom_line *key)
{
    const int64_t at = place_of(w, key);
    return at < w->count && by_problem(&w->line[at], key) == 0 ? &w->line[at] : NULL;
}

pav_status wisdom_add(wisdom *w, const wisdom_line *line, bool *taken)
{
    const int64_t at = place_of(w, line);
    wisdom_line *known = wisdom_find(w, line);
    *taken = !known || (line->effort > known->effort ||
                        (line->effort == known->effort && line->gpts > known->gpts));
    if (known && *taken)
        *known = *line;
    if (known)
        return PAV_OK;
    if (w->count == WISDOM_MOST_LINES)
        return FAIL(PAV_ELIMIT,
                    "wisdom has %d lines, which is the most: `pavior wisdom forget` "
                    "makes room",
                    WISDOM_MOST_LINES);
    TRY(mem_reserve(&w->line, &w->capacity, w->count, sizeof *w->line));
    memmove(w->line + at + 1, w->line + at, (size_t)(w->count - at) * sizeof *w->line);
    w->line[at] = *line;
    w->count++;
    return PAV_OK;
}

pav_status wisdom_renew(wisdom *w, const wisdom_line *line, bool *taken)
{
    wisdom_line *known = wisdom_find(w, line);
    if (known && known->effort == line->effort)
        known->gpts = 0;
    return wisdom_add(w, line, taken);
}

/* Ratio of extents along all axes, in logarithms. */
static double distance(const wisdom_line *a, const wisdom_line *b)
{
    double sum = 0;
    for (int axis = 0; axis < MAX_DIM; axis++)
        sum += fabs(log((double)a->extent[axis] / (double)b->extent[axis]));
    return sum;
}

/* True if two problems differ only in size, borders or compiler. */
static bool is_alike(const wisdom_line *a, const wisdom_line *b)
{
    return strcmp(a->name, b->name) == 0 && a->dim == b->dim && a->real == b->real &&
           strcmp(a->machine, b->machine) == 0 && strcmp(a->version, b->version) == 0;
}

static bool is_same_program(const wisdom_line *a, const wisdom_line *b)
{
    return by_program(a, b) == 0;
}

typedef bool relation(const wisdom_line *a, const wisdom_line *b);
static const wisdom_line *nearest_of(const wisdom *w, const wisdom_line *key,
                                     relation *fits)
{
    const wisdom_line *found = NULL;
    for (int64_t n = 0; n < w->count; n++)
        if (fits(&w->line[n], key) &&
            (!found || distance(&w->line[n], key) < distance(found, key)))
            found = &w->line[n];
    return found;
}

const wisdom_line *wisdom_nearest(const wisdom *w, const wisdom_line *key)
{
    const wisdom_line *same = nearest_of(w, key, is_same_program);
    return same ? same : nearest_of(w, key, is_alike);
}
