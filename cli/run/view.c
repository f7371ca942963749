/* SPDX-License-Identifier: BSD-3-Clause */
/* A run that can be watched: `run --view` serves one page about it, and `run --report
 * run.html` leaves the same page as a file.
 *
 * Only the thread of the run calls the library, in its listener. The thread of the server
 * sends the state that the listener left, and leaves wishes. The listener never waits for
 * the lock: while a reader is served, it does nothing, so no slow reader delays the run.
 * Without a reader nothing of a field is copied. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "http.h"

enum {
    FIELDS = 32,
    MEASURES = 13,
    SLICES = 4, /* different pictures at a time */
    ROWS = 400, /* of curves; when they are full, every second one goes */
    FIXED = 3   /* columns before the measures: step, rate, residual */
};
/* Of the time, for pictures and measures; with the first and last picture 0.05. */
static const double share = 0.04;
static const double attention = 2; /* seconds after the last request of a reader */

typedef struct slice {
    long field, axis, at;
    int more;     /* pictures at every chance, whatever they cost */
    double asked; /* clock; 0: never */
    char *png;    /* or NULL */
    size_t length;
    int64_t step; /* of the picture */
} slice;

struct view {
    pthread_mutex_t lock;
    http_server *server; /* or NULL: only the report is wanted */
    const char *name, *state;
    pav_run *run; /* NULL: still opening */
    pav_item field[FIELDS], measure[MEASURES];
    int fields, measures, rows;
    pav_progress now;
    char message[200];
    double row[ROWS][FIXED + MEASURES], next_row, row_gap;
    slice slice[SLICES];
    double asked, began, due; /* clocks; due: the next pictures may come */
    double spent, dearest;    /* seconds for readers; the most at a time */
    double served, charged;   /* seconds of the server's thread; counted in `spent` */
    bool reports, paused, stopped, saves;
    int pictures, steps; /* drawn; single steps still to take */
};

/* ---- the run's side ---------------------------------------------------------------- */

/* The last norm of an equation's residual. */
static double residual_of(const pav_run *run)
{
    const int64_t count = pav_run_residuals(run, NULL, 0);
    OWNED_BY(close_numbers)
    double *norm = count > 0 ? calloc((size_t)count, sizeof *norm) : NULL;
    return norm && pav_run_residuals(run, norm, count) == count ? norm[count - 1]
                                                                : (double)NAN;
}

/* Adds a row of the curves. Measures cost a pass over their fields. */
static void add_row(view *v, double now, bool measures)
{
    if (v->rows > 0 &&
        (now < v->next_row || (double)v->now.step <= v->row[v->rows - 1][0]))
        return;
    if (v->rows == ROWS) {
        for (v->rows = 0; v->rows < ROWS / 2; v->rows++)
            memcpy(v->row[v->rows], v->row[2 * v->rows], sizeof v->row[0]);
        v->row_gap = fmax(2 * v->row_gap, 0.2);
    }
    double *row = v->row[v->rows++];
    row[0] = (double)v->now.step;
    row[1] = v->now.gpts;
    row[2] = residual_of(v->run);
    for (int k = 0; k < v->measures; k++)
        if (!measures ||
            pav_run_get(v->run, v->measure[k].name, &row[FIXED + k]) != PAV_OK)
            row[FIXED + k] = (double)NAN;
    v->next_row = now + v->row_gap;
}

static bool is_watched(double asked)
{
    return asked > 0 && seconds_now() - asked < attention;
}

/* Seconds of pictures, measures and of the server before them. The next ones wait so long
 * that all take at most a share of the time. */
static void charge(view *v, double since)
{
    const double now = seconds_now(), cost = now - since + v->served - v->charged;
    v->due = now + cost / share;
    v->spent += cost;
    v->charged = v->served;
    v->dearest = fmax(v->dearest, cost);
}

/* Draws the requested slices and takes the measures, unless the last ones were so dear
 * that it is too early. A held run loses nothing, and a reader may want more. */
static void show(view *v, bool held)
{
    const double now = seconds_now();
    v->began = v->began > 0 ? v->began : now;
    const bool cheap = held || now >= v->due;
    const int before = v->pictures;
    for (slice *s = v->slice; s < v->slice + SLICES; s++)
        if (is_watched(s->asked) && (!s->png || s->step != v->now.step) &&
            (cheap || s->more)) {
            /* A picture that cannot be drawn inside fused steps comes a step later. */
            pav_text_free(s->png);
            s->step = v->now.step;
            v->pictures += pav_field_picture(v->run, v->field[s->field].name,
                                             (int)s->axis, s->at, &s->png,
                                             &s->length) == PAV_OK;
        }
    add_row(v, now, cheap && (v->reports || is_watched(v->asked)));
    if (!held && (cheap || v->pictures > before))
        charge(v, now);
}

/* Answers a held run: here its checkpoint is possible, too. */
static int answer_held(view *v)
{
    if (v->saves)
        (void)snprintf(v->message, sizeof v->message, "%s",
                       pav_run_checkpoint(v->run, NULL) == PAV_OK
                           ? pav_run_checkpointed(v->run, NULL)
                           : pav_message());
    const bool step = v->paused && v->steps > 0;
    v->saves = false;
    v->steps -= step;
    v->state = v->paused ? "paused" : "running";
    return step ? PAV_STEP : v->paused ? PAV_HOLD : PAV_GO_ON;
}

int view_listen(view *v, pav_event event, const pav_progress *progress, const char *text)
{
    int answer = event == PAV_EVENT_HELD ? PAV_HOLD : PAV_GO_ON;
    if (pthread_mutex_trylock(&v->lock) == 0) {
        const bool held = event == PAV_EVENT_HELD;
        const double rate = v->now.gpts;
        if (text)
            (void)snprintf(v->message, sizeof v->message, "%s", text);
        if (v->run && !text) {
            v->now = *progress;
            v->now.gpts = held ? rate : v->now.gpts;
            v->state = v->paused ? v->state
                                 : "running"; /* a single step stays "paused" */
            show(v, held);
        }

        answer = v->stopped                          ? PAV_STOP
                 : held                              ? answer_held(v)
                 : v->run && (v->paused || v->saves) ? PAV_HOLD
                                                     : PAV_GO_ON;
        (void)pthread_mutex_unlock(&v->lock);
    }
    if (answer == PAV_HOLD && event == PAV_EVENT_HELD) /* asked again at once */
        (void)usleep(20000);
    return answer;
}

/* ---- JSON -------------------------------------------------------------------------- */

static void put_number(FILE *out, const char *before, double value)
{
    fputs(before, out);
    fprintf(out, isfinite(value) ? "%.9g" : "null", value);
}

static void put_word(FILE *out, const char *before, const char *word)
{
    fputs(before, out);
    json_put_string(out, word);
}

static void put_state(FILE *out, const view *v)
{
    put_word(out, "{\"name\": ", v->name);
    put_word(out, ", \"message\": ", v->message);
    fprintf(out,
            ", \"state\": \"%s\", \"step\": %lld, \"steps\": %lld, \"pictures\": %lld, "
            "\"spent\": %.9g, \"dearest\": %.9g, \"watched\": %.9g",
            v->state, (long long)v->now.step, (long long)v->now.steps,
            (long long)v->pictures, v->spent, v->dearest,
            v->began > 0 ? seconds_now() - v->began : 0);
    put_number(out, ", \"gpts\": ", v->now.gpts);
    put_number(out, ", \"left\": ", v->now.seconds_left);
    fputs(", \"fields\": [", out);
    for (int k = 0; k < v->fields; k++) {
        put_word(out, k > 0 ? ", {\"name\": " : "{\"name\": ", v->field[k].name);
        for (int n = 0; n < v->field[k].dimensions; n++)
            fprintf(out, "%s%lld", n > 0 ? ", " : ", \"extent\": [",
                    (long long)v->field[k].extent[n]);
        fputs("]}", out);
    }
    fputs("], \"columns\": [\"step\", \"Gpts/s\", \"residual\"", out);
    for (int k = 0; k < v->measures; k++)
        put_word(out, ", ", v->measure[k].name);
    fputs("], \"rows\": [", out);
    for (int k = 0; k < v->rows; k++)
        for (int n = 0; n < FIXED + v->measures; n++)
            put_number(out, n > 0 ? ", " : k > 0 ? "], [" : "[", v->row[k][n]);
    fputs(v->rows > 0 ? "]]" : "]", out);
}

/* ---- the reader's side ------------------------------------------------------------- */

static void answer_state(const view *v, int socket)
{
    OWNED_BY(close_text) char *body = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&body, &length);
    if (out) {
        put_state(out, v);
        fputs("}\n", out);
        (void)fclose(out);
    }
    http_send(socket, out ? 200 : 503, "application/json", v->now.step, body, length);
}

/* name: with its '=', as in "seen=". */
static long read_number(const char *query, const char *name, long otherwise)
{
    const char *at = strstr(query, name);
    return at ? strtol(at + strlen(name), NULL, 10) : otherwise;
}

/* A picture of another step than `seen`, or 204. */
static void answer_picture(view *v, const char *query, int socket)
{
    const slice wish = {.asked = v->asked,
                        .field = read_number(query, "field=", 0),
                        .axis = read_number(query, "axis=", 0),
                        .at = read_number(query, "at=", 0),
                        .more = (int)read_number(query, "more=", 0)};
    const long seen = read_number(query, "seen=", -1);
    slice *s = v->slice;
    if (wish.field < 0 || wish.field >= v->fields) {
        http_send(socket, 404, "text/plain", 0, NULL, 0);
        return;
    }
    for (slice *k = v->slice; k < v->slice + SLICES; k++) /* it, else the least asked */
        if (memcmp(&k->field, &wish.field, 3 * sizeof wish.field) == 0 ||
            (memcmp(&s->field, &wish.field, 3 * sizeof wish.field) != 0 &&
             k->asked < s->asked))
            s = k;
    if (memcmp(&s->field, &wish.field, 3 * sizeof wish.field) != 0) {
        pav_text_free(s->png);
        *s = wish;
    }
    s->asked = v->asked;
    s->more = wish.more;
    const bool is_new = s->png && s->step != seen;
    http_send(socket, is_new ? 200 : 204, "image/png", s->step, s->png,
              is_new ? s->length : 0);
}

static int take_command(view *v, const char *path)
{
    const bool step = strcmp(path, "step") == 0, resume = strcmp(path, "resume") == 0;
    v->steps += step && v->paused;
    v->paused = !resume && (v->paused || step || strcmp(path, "pause") == 0);
    v->stopped = v->stopped || strcmp(path, "stop") == 0;
    v->saves = v->saves || strcmp(path, "checkpoint") == 0;
    return step || resume || v->paused || v->stopped || v->saves ? 204 : 404;
}

static void answer(void *user, const http_request *r, int socket)
{
    view *v = user;
    struct timespec served;
    (void)pthread_mutex_lock(&v->lock);
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &served);
    v->served = (double)served.tv_sec + 1e-9 * (double)served.tv_nsec;
    v->asked = seconds_now();
    if (!r->post && strcmp(r->path, "state") == 0)
        answer_state(v, socket);
    else if (!r->post && strcmp(r->path, "picture") == 0)
        answer_picture(v, r->query, socket);
    else if (!r->post && !*r->path)
        http_send(socket, 200, "text/html; charset=utf-8", 0, view_page,
                  strlen(view_page));
    else
        http_send(socket, r->post ? take_command(v, r->path) : 404, "text/plain", 0, NULL,
                  0);
    (void)pthread_mutex_unlock(&v->lock);
}

/* ---- the report -------------------------------------------------------------------- */

static void put_base64(FILE *out, const char *bytes, size_t length)
{
    static const char digit[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t k = 0; k < length; k += 3) {
        unsigned long word = 0;
        for (size_t n = 0; n < 3; n++)
            word = word << 8 | (k + n < length ? (unsigned char)bytes[k + n] : 0);
        for (size_t n = 0; n < 4; n++)
            fputc(k + n <= length ? digit[word >> (18 - 6 * n) & 63] : '=', out);
    }
}

/* The middle of each field. */
static void put_images(FILE *out, const view *v)
{
    const char *before = "{\"field\": ";
    for (int k = 0; k < v->fields; k++) {
        OWNED_BY(close_text) char *png = NULL;
        size_t length;
        if (pav_field_picture(v->run, v->field[k].name, 2, v->field[k].extent[2] / 2,
                              &png, &length) != PAV_OK)
            continue;
        put_word(out, before, v->field[k].name);
        fprintf(out, ", \"step\": %lld, \"png\": \"", (long long)pav_run_step(v->run));
        put_base64(out, png, length);
        fputs("\"}", out);
        before = ", {\"field\": ";
    }
}

void view_put_report(FILE *out, const view *v, const char *run)
{
    const char *script = strstr(view_page, "<script>");
    OWNED_BY(close_text) char *data = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&data, &length);
    if (!memory)
        return;
    fprintf(memory, "{\"run\": %s", run);
    if (v && v->run) {
        fputs(", \"view\": ", memory);
        put_state(memory, v);
        fputs(", \"images\": [", memory);
        put_images(memory, v);
        fputs("]}", memory);
    }
    fputs("}", memory);
    (void)fclose(memory);
    fwrite(view_page, 1, (size_t)(script - view_page), out);
    fputs("<script>const DATA = ", out);
    for (size_t k = 0; k < length; k++) /* no text of a run may end the script */
        fprintf(out, data[k] == '<' ? "\\u003c" : "%c", data[k]);
    fprintf(out, ";</script>\n%s", script);
}

/* ---- opening and closing ----------------------------------------------------------- */

view *view_open(const char *name, bool serves, bool reports)
{
    const char *address;
    view *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    *v = (view){.reports = reports, .name = name, .state = "set-up"};
    (void)pthread_mutex_init(&v->lock, NULL);
    if (!serves)
        return v;
    v->server = http_open(answer, v, &address);
    if (!v->server) {
        view_close(v);
        return NULL;
    }
    fprintf(stderr, "view: %s\n", address);
    return v;
}

void view_attach(view *v, pav_run *run)
{
    pav_item item;
    (void)pthread_mutex_lock(&v->lock);
    for (int64_t k = 0; pav_run_describe(run, k, &item) == PAV_OK; k++)
        if (item.kind == PAV_KIND_FIELD && v->fields < FIELDS)
            v->field[v->fields++] = item;
        else if (item.kind == PAV_KIND_MEASURE && v->measures < MEASURES)
            v->measure[v->measures++] = item;
    v->run = run;
    (void)pthread_mutex_unlock(&v->lock);
}

/* A reader still gets the last state and its pictures. */
void view_end(view *v, bool done)
{
    (void)pthread_mutex_lock(&v->lock);
    v->now.step = pav_run_step(v->run);
    v->rows -= v->rows > 0; /* the last row comes again, with all measures */
    v->next_row = 0;
    v->state = done ? "done" : "ended early";
    show(v, true);
    (void)pthread_mutex_unlock(&v->lock);
    if (is_watched(v->asked))
        (void)usleep(600000);
}

void view_close(view *v)
{
    if (!v)
        return;
    http_close(v->server);
    for (int k = 0; k < SLICES; k++)
        pav_text_free(v->slice[k].png);
    (void)pthread_mutex_destroy(&v->lock);
    free(v);
}
