/* SPDX-License-Identifier: BSD-3-Clause */
/* Outputs of generated programs, and their files. The build makes a text of each part
 * (cmake/embed.cmake). */

/* ==== program_files ==== */
/* ---- input files ------------------------------------------------------------------- */

/* Reads a row of points. The file has the type of the field, and floats for bf16. */
static int read_row(FILE *in, const view *v, char *row)
{
    const size_t count = (size_t)v->extent[0];
    uint32_t bits;

    if (v->type != PROGRAM_BF16)
        return fread(row, pav_type_size(v->type), count, in) == count;
    for (size_t n = 0; n < count; n++) {
        if (fread(&bits, sizeof bits, 1, in) != 1)
            return 0;
        ((uint16_t *)(void *)row)[n] = (uint16_t)(bits >> 16);
    }
    return 1;
}

static int read_rows(FILE *in, const view *v)
{
    unsigned char head[10];

    if (fread(head, 1, sizeof head, in) != sizeof head ||
        fseek(in, head[8] + 256 * head[9], SEEK_CUR) != 0)
        return 0;
    for (int64_t k = 0; k < v->extent[2]; k++)
        for (int64_t j = 0; j < v->extent[1]; j++)
            if (!read_row(in, v, view_at(v, 0, j, k)))
                return 0;
    return fgetc(in) == EOF;
}

/* Reads the points of a level from a file written together with this program. */
static void read_level(program *p, int f, int level, const char *file)
{
    const view v = view_of(p, f, level);
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%s", PROGRAM_directory, file);
    FILE *const in = length < (int)sizeof path ? fopen(path, "rb") : NULL;

    if (!in || !read_rows(in, &v))
        p->failed = 1;
#if ON_GPU
    upload(p, f, level);
#endif
    if (in)
        fclose(in);
}

/* ==== program_output ==== */
/* ---- files ------------------------------------------------------------------------- */

/* Rows of numbers. They are written at the end of the run. */
typedef struct table {
    const char *path, *head;
    int64_t columns, skipped, rows, room;
    double *row;
} table;

/* An observer writes, prints or tests something between steps. A measure, an `until` and
 * an `expect` are numbers computed from the fields. A sample is a row of values of one
 * field at some positions. */
enum { NOTHING, OUTPUT, MEASURE, SAMPLE, UNTIL, EXPECT };
typedef struct observer {
    int kind;
    const char *name; /* for an output, the path without ending */
    int which;        /* number or field */
    int64_t every;    /* steps; 0: at the end; samples and `until`: each step */
    double time;      /* above 0: it is due at multiples of this time */
    table *table;     /* the rows of a measure or sample */
    /* An output has `count` points along each axis: the first is `from`, and `stride`
     * leads to the next. count 0: the output has no such axis. */
    int numbered;
    int64_t from[3], count[3], stride[3];
} observer;

static void fail(const char *what, const char *path)
{
    fprintf(stderr, "PROGRAM: %s %s: %s\n", path, what, strerror(errno));
    exit(EXIT_FAILURE);
}

static const char *out_directory = ".";

/* Joins three strings; free the result. */
static char *join(const char *first, const char *second, const char *third)
{
    const size_t length = strlen(first) + strlen(second) + strlen(third) + 1;
    char *const all = malloc(length);

    if (!all)
        fail("has a name that does not fit in memory", third);
    memcpy(all, first, strlen(first) + 1);
    strcat(all, second);
    return strcat(all, third);
}

/* Makes all missing directories above a file. */
static void make_directories(char *path)
{
    for (char *end = strchr(path + 1, '/'); end; end = strchr(end + 1, '/')) {
        *end = '\0';
        (void)mkdir(path, 0777);
        *end = '/';
    }
}

static FILE *open_file(const char *path)
{
    char *const whole = path[0] == '/' ? join("", "", path)
                                       : join(out_directory, "/", path);

    make_directories(whole);
    FILE *const file = fopen(whole, "wb");

    if (!file)
        fail("cannot be written", whole);
    free(whole);
    return file;
}

static void close_file(FILE *file, const char *path)
{
    if (ferror(file) || fclose(file) != 0)
        fail("cannot be written whole", path);
}

static void write_head(FILE *file, const char *type, int axes, const int64_t *extent)
{
    char head[NPY_HEADER];

    fwrite(head, 1, (size_t)npy_header_text(head, type, axes, extent), file);
}

/* bf16 is the upper half of a float. */
static void write_point(FILE *file, const PROGRAM_view *v, int64_t at)
{
    static const size_t size[] = {4, 8, 2, 2, 1};

    if (v->type == PROGRAM_BF16) {
        const uint32_t bits = (uint32_t)((const uint16_t *)v->data)[at] << 16;
        fwrite(&bits, sizeof bits, 1, file);
    } else {
        fwrite((const char *)v->data + at * (int64_t)size[v->type], size[v->type], 1,
               file);
    }
}

static void write_points(FILE *file, const PROGRAM_view *v, const observer *o)
{
    int64_t n[3];

    for (int axis = 0; axis < 3; axis++)
        n[axis] = o->count[axis] > 0 ? o->count[axis] : 1;
    for (int64_t k = 0; k < n[2]; k++)
        for (int64_t j = 0; j < n[1]; j++)
            for (int64_t i = 0; i < n[0]; i++)
                write_point(file, v,
                            o->from[0] + i * o->stride[0] +
                                (o->from[1] + j * o->stride[1]) * v->stride[1] +
                                (o->from[2] + k * o->stride[2]) * v->stride[2]);
}

/* "u.npy", or "u-000100.npy" of step 100. */
static char *path_of(const observer *o, int64_t step)
{
    char number[32] = "";

    if (o->numbered)
        (void)snprintf(number, sizeof number, "-%06lld", (long long)step);
    return join(o->name, number, ".npy");
}

static void write_output(PROGRAM_run *p, const observer *o)
{
    static const char *const type[] = {"<f4", "<f8", "<f4", "<f2", "|u1"};
    const PROGRAM_view v = PROGRAM_field(p, o->which, 0);
    char *const path = path_of(o, PROGRAM_steps(p));
    int64_t extent[3];
    int axes = 0;

    for (int axis = 2; axis >= 0; axis--)
        if (o->count[axis] > 0)
            extent[axes++] = o->count[axis];
    FILE *file = open_file(path);
    write_head(file, type[v.type], axes, extent);
    write_points(file, &v, o);
    close_file(file, path);
    free(path);
}

/* Returns the place of the values, behind the step and the time. */
static double *add_row(table *t, int64_t step, double time)
{
    if (t->rows == t->room) {
        t->room = 2 * t->room + 64;
        t->row = realloc(t->row, (size_t)(t->room * t->columns) * sizeof *t->row);
        if (!t->row)
            fail("does not fit in memory", t->path);
    }
    double *const row = t->row + t->rows++ * t->columns;
    row[0] = (double)step;
    row[1] = time;
    return row + 2;
}

static void write_numbers(FILE *file, const table *t)
{
    fprintf(file, "%s\n", t->head);
    for (int64_t n = 0; n < t->rows * t->columns; n++) {
        text_add_double(file, t->row[n]);
        fputc((n + 1) % t->columns ? ',' : '\n', file);
    }
}

static void write_table(table *t)
{
    const size_t length = t->path ? strlen(t->path) : 0;
    const int64_t extent[] = {t->rows, t->columns - t->skipped};

    if (length == 0)
        return;
    FILE *file = open_file(t->path);
    if (length > 4 && strcmp(t->path + length - 4, ".npy") == 0) {
        write_head(file, "<f8", 2, extent);
        for (int64_t n = 0; n < t->rows; n++)
            fwrite(t->row + n * t->columns + t->skipped, sizeof *t->row,
                   (size_t)extent[1], file);
    } else {
        write_numbers(file, t);
    }
    close_file(file, t->path);
}
