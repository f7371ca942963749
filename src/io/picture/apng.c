/* SPDX-License-Identifier: BSD-3-Clause */
/* Animated PNG (W3C PNG, third edition): all pictures of a series in one file. Viewers
 * without animation show the first picture. The file is valid after every picture: the
 * new picture is written after the end chunk; then its first bytes replace the end chunk;
 * last the number of pictures at the beginning is updated. */
#include <string.h>
#include <unistd.h>

#include "io/io_private.h"

enum {
    TYPE = 4,               /* letters of a chunk's type */
    END = 12,               /* bytes of the last chunk, IEND */
    COUNT_AT = 8 + 12 + 13, /* offset of the chunk acTL */
    COUNT_SIZE = 12 + 8,    /* bytes of the chunk acTL */
    DELAY = 100,            /* milliseconds of a picture */
    WIDTH_AT = 16,          /* offset of the width; the height follows */
    LARGEST = 1 << 14,      /* largest side in pixels */
};

struct film {
    out_file out;
    int width, height;
    uint32_t pictures, sequence;
};

static void add_count(text *t, uint32_t pictures)
{
    uint8_t count[8] = {0}; /* second number 0: repeat for ever */

    png_put_32(count, pictures);
    png_add_chunk(t, "acTL", count, sizeof count);
}

static void add_control(text *t, struct film *m)
{
    uint8_t control[26] = {0};

    png_put_32(control, m->sequence++);
    png_put_32(control + 4, (uint32_t)m->width);
    png_put_32(control + 8, (uint32_t)m->height);
    control[21] = DELAY;
    control[22] = 1000 / 256;
    control[23] = 1000 % 256;
    png_add_chunk(t, "fcTL", control, sizeof control);
}

/* Adds the pixels of a picture. A sequence number precedes them, except in the first
 * picture. */
static void add_pixels(text *t, struct film *m, const canvas *c)
{
    int64_t size = 0;
    uint8_t *stream = png_pixels(c, &size), number[4];
    text numbered = {0};

    t->failed |= !stream;
    if (stream && m->pictures == 0) {
        png_add_chunk(t, "IDAT", stream, size);
    } else if (stream) {
        png_put_32(number, m->sequence++);
        text_add_bytes(&numbered, (const char *)number, sizeof number);
        text_add_bytes(&numbered, (const char *)stream, size);
        t->failed |= numbered.failed;
        if (!numbered.failed)
            png_add_chunk(t, "fdAT", (const uint8_t *)numbered.data, numbered.length);
    }
    text_free(&numbered);
    mem_free(stream);
}

/* Pictures of one animation have the same size: a larger picture is cut, a smaller one is
 * filled with white. */
static pav_status fit(const struct film *m, const canvas *c, canvas *fitted)
{
    if (!canvas_new(fitted, m->width, m->height))
        return PAV_ENOMEM;
    const int width = c->width < m->width ? c->width : m->width;
    for (int y = 0; y < c->height && y < m->height; y++)
        memcpy(fitted->pixel + 3 * (int64_t)y * m->width,
               c->pixel + 3 * (int64_t)y * c->width, 3 * (size_t)width);
    return PAV_OK;
}

static pav_status write_first(struct film *m, const char *path, const text *t)
{
    TRY(out_open(&m->out, path));
    pav_status status = out_write(&m->out, t->data, t->length);
    if (status == PAV_OK)
        status = out_publish(&m->out);
    return status == PAV_OK ? PAV_OK : out_close(&m->out, status);
}

/* Writes the next picture in an order keeping the file valid at any time. */
static pav_status write_next(struct film *m, const text *t)
{
    const int64_t end = m->out.written - END;
    text count = {0};

    add_count(&count, m->pictures + 1);
    pav_status status = count.failed ? PAV_ENOMEM : PAV_OK;
    if (status == PAV_OK)
        status = out_append(&m->out, t->data + END, t->length - END, NULL, NULL);
    if (status == PAV_OK)
        status = out_put(&m->out, t->data, END, end);
    if (status == PAV_OK)
        status = out_put(&m->out, count.data, count.length, COUNT_AT);
    if (status != PAV_OK)
        m->out.written = end + END; /* the next attempt starts from there */
    text_free(&count);
    return status;
}

static pav_status make_film(series *s)
{
    if (!s->film)
        s->film = mem_new(1, sizeof *s->film);
    return s->film ? PAV_OK : PAV_ENOMEM;
}

/* ---- resuming an earlier run ------------------------------------------------------- */

static uint32_t get_32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Returns the offset after the first `pictures` pictures; 0 if there are fewer, or if a
 * chunk before it has a wrong checksum. */
static int64_t find_end(const uint8_t *all, int64_t length, int64_t pictures,
                        uint32_t *sequence)
{
    int64_t seen = 0, at = sizeof png_signature;

    for (; at + 12 <= length; at += 12 + (int64_t)get_32(all + at)) {
        const uint8_t *type = all + at + 4;
        const int64_t bytes = get_32(all + at);
        if (memcmp(type, "IEND", TYPE) == 0)
            return seen == pictures ? at : 0;
        if (memcmp(type, "fcTL", TYPE) == 0 && seen++ == pictures)
            return at;
        if (bytes > length - at - 12 ||
            png_sum(all + at, bytes) != get_32(type + TYPE + bytes))
            return 0;
        *sequence += memcmp(type, "fcTL", TYPE) == 0 || memcmp(type, "fdAT", TYPE) == 0;
    }
    return 0;
}

/* True if the first chunks are those of an animation written here. */
static bool is_film(const uint8_t *all, int64_t length)
{
    return length > COUNT_AT + COUNT_SIZE &&
           memcmp(all, png_signature, sizeof png_signature) == 0 &&
           memcmp(all + COUNT_AT + 4, "acTL", TYPE) == 0 &&
           get_32(all + WIDTH_AT) - 1 < LARGEST &&
           get_32(all + WIDTH_AT + 4) - 1 < LARGEST;
}

/* Copies the first pictures, with a new end and their new number. Copies nothing if the
 * pictures or their size differ from the earlier run's: the file was replaced since
 * then. */
static void add_kept(struct film *m, const uint8_t *all, int64_t length,
                     const series_past *past, text *t)
{
    uint32_t sequence = 0;
    const int64_t end = is_film(all, length)
                            ? find_end(all, length, past->frames, &sequence)
                            : 0;

    if (end == 0 || end != past->bytes)
        return;
    m->width = (int)get_32(all + WIDTH_AT);
    m->height = (int)get_32(all + WIDTH_AT + 4);
    m->pictures = (uint32_t)past->frames;
    m->sequence = sequence;
    text_add_bytes(t, (const char *)all, COUNT_AT);
    add_count(t, m->pictures);
    text_add_bytes(t, (const char *)all + COUNT_AT + COUNT_SIZE,
                   end - COUNT_AT - COUNT_SIZE);
    png_add_chunk(t, "IEND", NULL, 0);
}

static pav_status cut_film(struct film *m, const char *path, const series_past *past)
{
    enum { LIMIT = 1 << 30 };
    char *all = NULL;
    int64_t length;
    text t = {0};

    TRY(file_read(path, LIMIT, &all, &length));
    add_kept(m, (const uint8_t *)all, length, past, &t);
    mem_free(all);
    pav_status status = PAV_OK;
    if (t.failed)
        status = FAIL(PAV_ENOMEM, "%s cannot be written: %s", path, pav_message());
    else if (m->pictures > 0)
        status = write_first(m, path, &t);
    else
        status = FAIL(
            PAV_EFORMAT,
            "%s does not begin with the %lld pictures that the run which is gone "
            "on with had written; bring it back, or move it away and a new one "
            "is begun",
            path, (long long)past->frames);
    text_free(&t);
    return status;
}

/* Resumes an animation. If the earlier run had no such output, an existing file is
 * rejected, because its pictures may belong to other steps. */
static pav_status resume_apng(series *s, series_past *past, text *said)
{
    const bool there = access(s->path, F_OK) == 0;
    const int64_t pictures = past->frames;

    if (there && pictures == 0)
        return FAIL(PAV_EFORMAT,
                    "%s is there, but the run that is gone on with had no such output: "
                    "move it away and a new one is begun",
                    s->path);
    if (there) {
        TRY(make_film(s));
        return cut_film(s->film, s->path, past);
    }
    if (pictures > 0)
        text_add(said,
                 "%s is gone, and %lld picture%s with it: it begins anew at step %lld",
                 s->path, (long long)pictures, pictures == 1 ? "" : "s",
                 (long long)past->frame.step);
    past->frames = 0;
    return said->failed ? PAV_ENOMEM : PAV_OK;
}

/* ---- pictures ---------------------------------------------------------------------- */

static pav_status write_canvas(struct film *m, const char *path, const canvas *c)
{
    text t = {0};
    const uint32_t sequence = m->sequence;

    if (m->pictures == 0) {
        png_add_header(&t, c);
        add_count(&t, 1);
    }
    add_control(&t, m);
    add_pixels(&t, m, c);
    png_add_chunk(&t, "IEND", NULL, 0);
    pav_status status = PAV_ENOMEM;
    if (t.failed)
        status = FAIL(PAV_ENOMEM, "%s cannot be written: %s", path, pav_message());
    else
        status = m->pictures == 0 ? write_first(m, path, &t) : write_next(m, &t);
    text_free(&t);
    m->pictures += status == PAV_OK;
    if (status != PAV_OK)
        m->sequence = sequence;
    return status;
}

static pav_status write_fitted(struct film *m, const char *path, const canvas *c)
{
    canvas fitted;

    if (m->pictures == 0) {
        m->width = c->width;
        m->height = c->height;
    }
    if (c->width == m->width && c->height == m->height)
        return write_canvas(m, path, c);
    TRY(fit(m, c, &fitted));
    const pav_status status = write_canvas(m, path, &fitted);
    canvas_free(&fitted);
    return status;
}

/* Writes a picture. Messages use s->path, because it lives as long as the series. */
static pav_status write_apng(series *s, const char *path, const io_frame *f)
{
    (void)path;
    frame_picture p;
    canvas c = {0};

    TRY(make_film(s));
    TRY(frame_picture_make(&s->style, f, &p));
    p.picture.title = p.title;
    pav_status status = picture_draw(&p.picture, &c);
    mem_free(p.value);
    if (status == PAV_OK)
        status = write_fitted(s->film, s->path, &c);
    canvas_free(&c);
    return status;
}

int64_t film_bytes(const struct film *m)
{
    return m->pictures > 0 ? m->out.written - END : 0;
}

static void close_apng(series *s)
{
    if (s->film)
        (void)out_close(&s->film->out, PAV_OK);
    mem_free(s->film);
}

const io_format apng_format = {
    .ending = ".apng",
    .about = "animated pictures of a slice",
    .picture = true,
    .film = true,
    .write = write_apng,
    .resume = resume_apng,
    .need = frame_picture_need,
    .close = close_apng,
};
