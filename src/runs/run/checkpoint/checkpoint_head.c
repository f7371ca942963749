/* SPDX-License-Identifier: BSD-3-Clause */
/* The beginning of a checkpoint: prefix and head. The prefix has the hash of both. The
 * head has the program and all state except the values of fields. It is read twice: first
 * to check that it fits the run, then to restore the state.
 *
 * The program is identified by its printed statements, without those that change no
 * value, and by the positions of its sources and receivers. Differences are reported. */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "run/checkpoint/checkpoint_private.h"

/* ---- identity of the program ------------------------------------------------------- */

static void identity_add(const pav_run *run, text *t)
{
    EACH_STATEMENT(s, run->program) {
        /* these may differ, because they change no value */
        if (s->kind == STATEMENT_STEPS || s->kind == STATEMENT_OUTPUT ||
            s->kind == STATEMENT_CHECKPOINT)
            continue;
        statement_print(run->program, s, t);
        text_add_bytes(t, "\n", 1);
    }
}

/* A hash of the traces that sources inject from files. */
static int64_t identity_traces(const pav_run *run)
{
    hash h;
    hash_init(&h);
    for (int64_t k = 0; k < run->code->injections.count; k++) {
        const point_set *set = &run->part->injection[k];
        if (set->trace.value)
            hash_add(&h, set->trace.value,
                     set->trace.rows * set->trace.columns * (int64_t)sizeof(double));
    }
    return (int64_t)hash_end(&h);
}

/* A hash of the positions on stretched axes, of sources and of receivers: their files may
 * have changed. */
static int64_t identity_positions(const pav_run *run)
{
    const int64_t size = run->code->dim * (int64_t)sizeof(double);
    hash h;
    hash_init(&h);
    for (int axis = 0; axis < run->code->dim; axis++) {
        const axis_grid *a = &run->program->axis[axis];
        if (a->at)
            hash_add(&h, a->at, (a->points + a->known_around) * (int64_t)sizeof(double));
    }
    for (int64_t k = 0; k < run->code->injections.count; k++)
        hash_add(&h, run->part->injection[k].position,
                 run->part->injection[k].count * size);
    for (int64_t k = 0; k < run->observers.recorders; k++)
        if (run->observers.recorder[k].points.count > 0)
            hash_add(&h, run->observers.recorder[k].points.position,
                     run->observers.recorder[k].points.count * size);
    return (int64_t)hash_end(&h);
}

static int line_length(const char *line)
{
    const size_t length = strcspn(line, "\n");
    return length < 200 ? (int)length : 200;
}

static pav_status report_difference(const pav_run *run, const char *path,
                                    const char *theirs, const char *own)
{
    const char *name = run->program->name;
    while (*theirs && strcspn(theirs, "\n") == strcspn(own, "\n") &&
           strncmp(theirs, own, strcspn(own, "\n") + 1) == 0) {
        theirs += strcspn(theirs, "\n") + 1;
        own += strcspn(own, "\n") + 1;
    }
    /* The names of steps made of `solve` or `at once` begin so (solve/derive.c). */
    const char *a = strstr(theirs, "mg_"), *b = strstr(own, "mg_");
    if (!a != !b ||
        (a && (a - theirs < line_length(theirs) || b - own < line_length(own))))
        return FAIL(PAV_EINVAL,
                    "the checkpoint %s is of another program: it differs from %s in `at "
                    "once`, or in an equation to solve, its method or its numbers; a "
                    "continued run may differ in steps, output and checkpoint alone",
                    path, name);
    if (!*theirs || !*own)
        return FAIL(PAV_EINVAL,
                    "the checkpoint %s is of another program: `%.*s` stands in %s only; "
                    "a continued run may differ in steps, output and checkpoint alone",
                    path, line_length(*own ? own : theirs), *own ? own : theirs,
                    *own ? name : "the checkpoint's");
    return FAIL(
        PAV_EINVAL,
        "the checkpoint %s is of another program: it has `%.*s` where %s has `%.*s`; a "
        "continued run may differ in steps, output and checkpoint alone",
        path, line_length(theirs), theirs, name, line_length(own), own);
}

/* ---- bytes ------------------------------------------------------------------------- */

static void put_string(text *t, const char *string)
{
    const int64_t length = string ? (int64_t)strlen(string) : 0;
    CHECKPOINT_PUT(t, length);
    text_add_bytes(t, string ? string : "", length);
    text_add_bytes(t, "", 1);
}

typedef struct reader {
    const char *at;
    int64_t left;
    bool bad; /* the text was too short */
} reader;

static const char *get_bytes(reader *r, int64_t length)
{
    const char *at = r->at;
    r->bad |= length < 0 || length > r->left;
    if (r->bad)
        return NULL;
    r->at += length;
    r->left -= length;
    return at;
}

static int64_t get_int(reader *r)
{
    int64_t value = 0;
    const char *at = get_bytes(r, (int64_t)sizeof value);
    if (at)
        memcpy(&value, at, sizeof value);
    return value;
}

/* Of steps, rows or bytes. The limit is exact in a double, so that sums never
 * overflow. */
static bool is_count(int64_t value)
{
    return value >= 0 && value <= (int64_t)1 << 53;
}

static const char *get_string(reader *r)
{
    const int64_t length = get_int(r);
    const char *at = length >= 0 && length < r->left ? get_bytes(r, length + 1) : NULL;
    r->bad |= !at || at[length] != '\0';
    return r->bad ? "" : at;
}

/* ---- uniforms ---------------------------------------------------------------------- */

/* True for a uniform that a run goes on from. Each step computes the others anew: a GPU
 * or a decomposed grid leaves other values of them on the host, or none. Numbers of
 * kernels are uniforms, too (ir_lift_numbers); a run makes them when it opens. */
static bool is_state(ir_uniform_kind kind)
{
    return kind == UNIFORM_T || kind == UNIFORM_STEP || kind == UNIFORM_PARAM ||
           kind == UNIFORM_SCALAR;
}

/* The number of the next uniform of the run's state from k on, or of all uniforms. */
static int64_t next_state(const pav_run *run, int64_t k)
{
    while (k < run->code->uniforms && !is_state(run->code->uniform[k].kind))
        k++;
    return k;
}

/* False if they differ from the run's uniforms. Stores the values in `value`, unless
 * NULL. Files of earlier versions list all uniforms. */
static bool get_uniforms(const pav_run *run, reader *r, double *value)
{
    const int64_t count = get_int(r);
    int64_t at = next_state(run, 0);
    bool same = count >= 0;
    for (int64_t k = 0; same && !r->bad && k < count; k++) {
        const ir_uniform_kind kind = (ir_uniform_kind)get_int(r);
        const char *name = get_string(r);
        const int64_t bits = get_int(r);
        if (!is_state(kind))
            continue;
        const ir_uniform *own = at < run->code->uniforms ? &run->code->uniform[at] : NULL;
        same = own && kind == own->kind && strcmp(name, own->name ? own->name : "") == 0;
        if (same && value && !r->bad)
            memcpy(&value[at], &bits, sizeof bits);
        at = same ? next_state(run, at + 1) : at;
    }
    return same && !r->bad && at == run->code->uniforms;
}

/* ---- fields ------------------------------------------------------------------------ */

static void put_fields(const pav_run *run, text *t)
{
    const int64_t lasting = ir_lasting_fields(run->code);
    CHECKPOINT_PUT(t, lasting);
    for (int64_t k = 0; k < lasting; k++) {
        const ir_field *f = &run->code->field[k];
        put_string(t, f->name);
        CHECKPOINT_PUT(t, f->storage, f->memory ? f->levels : checkpoint_levels(run, f));
        for (int axis = 0; axis < MAX_DIM; axis++)
            CHECKPOINT_PUT(t, f->extent[axis], f->halo[axis][0], f->halo[axis][1]);
    }
    CHECKPOINT_PUT(t, data_bytes(run));
}

/* True if the next bytes are those of the run's fields. */
static bool get_fields(pav_run *run, reader *r)
{
    bool same = false;
    for (int apart = 0; apart < 2 && !same; apart++) {
        OWNED_BY(text_free) text own = {0};
        run->checkpoint.apart = apart;
        put_fields(run, &own);
        same = !own.failed && own.length <= r->left &&
               memcmp(r->at, own.data, (size_t)own.length) == 0;
        if (same)
            (void)get_bytes(r, own.length);
    }
    return same;
}

/* ---- recorders --------------------------------------------------------------------- */

static void put_recorder(const pav_run *run, const recorder *r, text *t)
{
    OWNED_BY(text_free) text written = {0};
    statement_print(run->program, r->statement, &written);
    put_string(t, written.data);
    t->failed |= written.failed;
    CHECKPOINT_PUT(t, r->rows, r->last_step, r->bytes, (int64_t)r->sum, r->columns);
    text_add_bytes(t, (const char *)r->row, r->columns * (int64_t)sizeof *r->row);
}

/* The first recorder of this statement without restored state, or NULL. */
static recorder *find_recorder(pav_run *run, const char *written)
{
    for (recorder *r = NULL; (r = run_next_recorder(run, r));) {
        OWNED_BY(text_free) text own = {0};
        statement_print(run->program, r->statement, &own);
        if (!own.failed && r->last_step < 0 && strcmp(own.data, written) == 0)
            return r;
    }
    return NULL;
}

static bool get_recorders(pav_run *run, reader *r)
{
    const int64_t count = get_int(r);
    r->bad |= count < 0;
    for (int64_t k = 0; !r->bad && k < count; k++) {
        /* run NULL: restores nothing. */
        const char *written = get_string(r);
        const int64_t rows = get_int(r), step = get_int(r), bytes = get_int(r);
        const uint64_t sum = (uint64_t)get_int(r);
        const int64_t columns = get_int(r);
        const int64_t size = (int64_t)sizeof(double);
        const char *row = columns >= 0 && columns <= r->left / size
                              ? get_bytes(r, columns * size)
                              : NULL;
        r->bad |= !row || !is_count(rows) || !is_count(bytes) ||
                  (step != -1 && !is_count(step));
        recorder *own = !r->bad && run ? find_recorder(run, written) : NULL;
        if (own && own->columns == columns) {
            own->rows = rows;
            own->last_step = step;
            own->taken = step >= 0;
            own->bytes = bytes;
            own->sum = sum;
            memcpy(own->row, row, (size_t)(columns * size));
        }
    }
    return !r->bad;
}

/* ---- the head ---------------------------------------------------------------------- */

pav_status head_write(const pav_run *run, text *t)
{
    OWNED_BY(text_free) text whole = {0};
    identity_add(run, &whole);
    put_string(t, pav_version());
    put_string(t, whole.data);
    int64_t state = 0;
    for (int64_t k = 0; k < run->code->uniforms; k++)
        state += is_state(run->code->uniform[k].kind);
    CHECKPOINT_PUT(t, run->part->step, identity_positions(run), identity_traces(run),
                   state);
    for (int64_t k = next_state(run, 0); k < run->code->uniforms;
         k = next_state(run, k + 1)) {
        const ir_uniform *u = &run->code->uniform[k];
        CHECKPOINT_PUT(t, u->kind);
        put_string(t, u->name);
        text_add_bytes(t, (const char *)&run->part->uniform[k],
                       (int64_t)sizeof *run->part->uniform);
    }
    put_fields(run, t);
    CHECKPOINT_PUT(t, run->observers.recorders);
    for (int64_t k = 0; k < run->observers.recorders; k++)
        put_recorder(run, &run->observers.recorder[k], t);
    t->failed |= whole.failed;
    return t->failed ? PAV_ENOMEM : PAV_OK;
}

static pav_status other_version(const char *path, const char *version, const char *what)
{
    return FAIL(
        PAV_EUNSUPPORTED,
        "the checkpoint %s was written by Pavior %s, which keeps other %s for this "
        "program than %s does; go on with that version",
        path, version, what, pav_version());
}

pav_status head_check(pav_run *run, const char *bytes, int64_t length, checkpoint_head *h)
{
    reader r = {bytes, length, false};
    const char *version = get_string(&r), *theirs = get_string(&r);
    h->step = get_int(&r);
    r.bad |= !is_count(h->step);
    if (!r.bad) {
        /* PAV_EINVAL with the difference if `theirs` differs from the text of
         * identity_add. */
        OWNED_BY(text_free) text own = {0};
        identity_add(run, &own);
        text_add_bytes(&own, "", 1);
        if (own.failed)
            return PAV_ENOMEM;
        TRY(strcmp(own.data, theirs) == 0
                ? PAV_OK
                : report_difference(run, h->path, theirs, own.data));
    }
    if (get_int(&r) != identity_positions(run) && !r.bad)
        return FAIL(PAV_EINVAL,
                    "the checkpoint %s is of other sources, receivers or coordinates of "
                    "points: a file with their positions has changed since",
                    h->path);
    if (get_int(&r) != identity_traces(run) && !r.bad)
        return FAIL(PAV_EINVAL,
                    "the sources of the checkpoint %s injected other values: a file with "
                    "their traces has changed since",
                    h->path);
    if (!get_uniforms(run, &r, NULL) && !r.bad)
        return other_version(h->path, version, "numbers");
    if (!r.bad && !get_fields(run, &r))
        return other_version(h->path, version, "fields");
    if (r.bad || !get_recorders(NULL, &r))
        return FAIL(PAV_EFORMAT, "the checkpoint %s is damaged: its head ends too early",
                    h->path);
    return PAV_OK;
}

void head_take(pav_run *run, const char *bytes, int64_t length)
{
    reader r = {bytes, length, false};
    (void)get_string(&r);
    (void)get_string(&r);
    run->first_step = get_int(&r);
    assert(is_count(run->first_step)); /* head_check has refused any other */
    subdomain_set_step(run->part, run->first_step);
    (void)get_int(&r); /* the hash of the positions */
    (void)get_int(&r); /* the hash of the traces */
    (void)get_uniforms(run, &r, run->part->uniform);
    (void)get_fields(run, &r);
    (void)get_recorders(run, &r);
}

/* ---- prefix ------------------------------------------------------------------------ */

enum { FORMAT = 5, FORMAT_STORE = 6, ORDER = 0x01020304, LIMIT = 1 << 30 };

typedef struct prefix {
    char magic[CHECKPOINT_MAGIC];
    uint32_t order, format;
    int64_t length; /* of the head */
    uint64_t hash;  /* of the members above and the head */
} prefix;
/* no padding before the hash */
_Static_assert(offsetof(prefix, hash) == CHECKPOINT_MAGIC + 4 + 4 + 8, "no gaps");

static uint64_t hash_prefix(const prefix *p, const char *bytes)
{
    hash h;
    hash_init(&h);
    hash_add(&h, p, offsetof(prefix, hash));
    hash_add(&h, bytes, p->length);
    return hash_end(&h);
}

int64_t prefix_bytes(const text *head)
{
    return (int64_t)sizeof(prefix) + head->length;
}

pav_status prefix_put(stream *s, const text *head, bool is_store)
{
    prefix p = {.order = ORDER,
                .format = is_store ? FORMAT_STORE : FORMAT,
                .length = head->length};
    memcpy(p.magic, checkpoint_magic, sizeof p.magic);
    p.hash = hash_prefix(&p, head->data);
    TRY(stream_put(s, &p, sizeof p));
    return stream_put(s, head->data, head->length);
}

pav_status prefix_get(stream *s, char **head, int64_t *length, bool *is_store)
{
    prefix p;
    TRY(stream_get(s, &p, sizeof p));
    if (memcmp(p.magic, checkpoint_magic, sizeof p.magic) != 0)
        return FAIL(PAV_EFORMAT, "%s is no checkpoint of Pavior", s->path);
    if (p.order == __builtin_bswap32(ORDER))
        return FAIL(PAV_EUNSUPPORTED,
                    "the checkpoint %s was written on a machine of the other byte order; "
                    "go on with it there",
                    s->path);
    if (p.order == ORDER && p.format != FORMAT && p.format != FORMAT_STORE)
        return FAIL(
            PAV_EUNSUPPORTED,
            "the checkpoint %s has format %u, and Pavior %s reads formats %d and %d; go "
            "on with the version that wrote it",
            s->path, (unsigned)p.format, pav_version(), FORMAT, FORMAT_STORE);
    if (p.order != ORDER || p.length < 0 || p.length > LIMIT || p.length > stream_left(s))
        return FAIL(PAV_EFORMAT,
                    "the checkpoint %s is damaged: its first bytes are not "
                    "what they should be",
                    s->path);
    *is_store = p.format == FORMAT_STORE;
    TRY(mem_take(head, p.length + 1, 1));
    *length = p.length;
    TRY(stream_get(s, *head, p.length));
    return hash_prefix(&p, *head) == p.hash
               ? PAV_OK
               : FAIL(PAV_EFORMAT,
                      "the checkpoint %s is damaged: its head does not have "
                      "its hash",
                      s->path);
}
