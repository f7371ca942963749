/* SPDX-License-Identifier: BSD-3-Clause */
/* PNG files (ISO 15948) of 8-bit colours, written without a library. The same picture
 * gives the same bytes: nothing about the time or the machine is written. */
#include <string.h>
#include <unistd.h>

#include "io/io_private.h"

/* ---- compression ------------------------------------------------------------------- */

/* Compresses pictures to zlib streams (RFC 1950): one block of fixed codes (RFC 1951).
 * Matches are searched in two places only: the pixel before and the pixel above. Large
 * even areas shrink well; noise grows by a sixteenth. */

enum {
    PIXEL = 3,
    SHORTEST = 3, /* match, in bytes */
    LONGEST = 258,
    FARTHEST = 32768,
    END_OF_BLOCK = 256,
    LENGTHS = 257, /* first symbol of a length */
    LONGEST_SYMBOL = 285,
    OVERHEAD = 16, /* bytes before and after the symbols */
};

typedef struct bit_stream {
    uint8_t *at;
    uint64_t pending;
    int count; /* number of pending bits */
} bit_stream;

/* Writes bits, lowest first. */
static void put_bits(bit_stream *s, uint64_t value, int count)
{
    s->pending |= value << s->count;
    for (s->count += count; s->count >= 8; s->count -= 8, s->pending >>= 8)
        *s->at++ = (uint8_t)s->pending;
}

/* Writes a code, highest bit first. */
static void put_code(bit_stream *s, unsigned code, int count)
{
    uint64_t turned = 0;

    for (int n = 0; n < count; n++)
        turned |= (uint64_t)(code >> n & 1) << (count - 1 - n);
    put_bits(s, turned, count);
}

static void put_symbol(bit_stream *s, unsigned symbol)
{
    if (symbol < 144)
        put_code(s, 0x30 + symbol, 8);
    else if (symbol < 256)
        put_code(s, 0x190 + symbol - 144, 9);
    else if (symbol < 280)
        put_code(s, symbol - 256, 7);
    else
        put_code(s, 0xc0 + symbol - 280, 8);
}

/* Number of bits of `value` below its `leading` highest ones. These bits follow the
 * symbol unchanged. */
static int plain_bits(unsigned value, int leading)
{
    int count = 0;

    while (value >> count >= 1U << leading)
        count++;
    return count;
}

static void put_match(bit_stream *s, int length, int64_t distance)
{
    const unsigned l = (unsigned)length - SHORTEST, d = (unsigned)distance - 1;
    const int l_bits = plain_bits(l, 3), d_bits = plain_bits(d, 2);

    if (length == LONGEST) {
        put_symbol(s, LONGEST_SYMBOL);
    } else {
        put_symbol(s, LENGTHS + 4 * (unsigned)l_bits + (l >> l_bits));
        put_bits(s, l & ((1U << l_bits) - 1), l_bits);
    }
    put_code(s, 2 * (unsigned)d_bits + (d >> d_bits), 5);
    put_bits(s, d & ((1U << d_bits) - 1), d_bits);
}

/* Number of bytes from `at` on equal to the bytes `distance` earlier. */
static int repeated(const uint8_t *bytes, int64_t at, int64_t length, int64_t distance)
{
    const int64_t most = length - at < LONGEST ? length - at : LONGEST;
    int count = 0;

    if (distance > at || distance > FARTHEST)
        return 0;
    while (count < most && bytes[at + count] == bytes[at + count - distance])
        count++;
    return count;
}

static uint32_t adler32(const uint8_t *bytes, int64_t length)
{
    enum { PRIME = 65521, PIECE = 5000 /* sums of PIECE bytes fit into 32 bits */ };
    uint32_t sum = 1, sums = 0;

    for (int64_t from = 0; from < length; from += PIECE) {
        for (int64_t n = from; n < length && n < from + PIECE; n++)
            sums += sum += bytes[n];
        sum %= PRIME;
        sums %= PRIME;
    }
    return sums << 16 | sum;
}

uint8_t *deflate_rows(const uint8_t *bytes, int64_t length, int64_t row, int64_t *size)
{
    uint8_t *stream = mem_new(length + length / 8 + OVERHEAD, 1);
    bit_stream s = {.at = stream};

    if (!stream)
        return NULL;
    put_bits(&s, 0x0178, 16); /* deflate, a window of 32 KiB */
    put_bits(&s, 3, 3);       /* the last block, of fixed codes */
    for (int64_t at = 0; at < length;) {
        const int before = repeated(bytes, at, length, PIXEL);
        const int above = repeated(bytes, at, length, row);
        const int longer = above > before ? above : before;
        if (longer < SHORTEST) {
            put_symbol(&s, bytes[at++]);
        } else {
            put_match(&s, longer, above > before ? row : PIXEL);
            at += longer;
        }
    }
    put_symbol(&s, END_OF_BLOCK);
    put_bits(&s, 0, (8 - s.count) % 8);
    const uint32_t sum = adler32(bytes, length);
    for (int shift = 24; shift >= 0; shift -= 8)
        put_bits(&s, sum >> shift & 255, 8);
    *size = s.at - stream;
    return stream;
}

/* ---- PNG --------------------------------------------------------------------------- */

enum { TYPE = 4 /* letters of a chunk's type */ };
const uint8_t png_signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

/* The sum that stands behind a chunk: of its type and its data. */
static uint32_t crc32_of(const uint8_t *type, const uint8_t *bytes, int64_t length)
{
    uint32_t table[256], crc = UINT32_MAX;

    for (uint32_t n = 0; n < COUNT_OF(table); n++) {
        table[n] = n;
        for (int bit = 0; bit < 8; bit++)
            table[n] = table[n] >> 1 ^ (table[n] & 1 ? 0xedb88320 : 0);
    }
    for (int64_t n = -TYPE; n < length; n++)
        crc = table[(crc ^ (n < 0 ? type[n + TYPE] : bytes[n])) & 255] ^ crc >> 8;
    return ~crc;
}

static void png_put_32(uint8_t *to, uint32_t value)
{
    for (int n = 0; n < 4; n++)
        to[n] = (uint8_t)(value >> (24 - 8 * n));
}

static void png_add_chunk(text *t, const char *type, const uint8_t *bytes, int64_t length)
{
    uint8_t head[4 + TYPE], sum[4];

    if (length > INT32_MAX) {
        t->failed = true;
        FAIL(PAV_ELIMIT, "a picture of %lld bytes is too large for PNG",
             (long long)length);
        return;
    }
    png_put_32(head, (uint32_t)length);
    memcpy(head + 4, type, TYPE);
    png_put_32(sum, crc32_of(head + 4, bytes, length));
    text_add_bytes(t, (const char *)head, sizeof head);
    text_add_bytes(t, (const char *)bytes, length);
    text_add_bytes(t, (const char *)sum, sizeof sum);
}

static void png_add_header(text *t, const canvas *c)
{
    uint8_t header[13] = {[8] = 8 /* bits */, [9] = 2 /* red, green, blue */};

    png_put_32(header, (uint32_t)c->width);
    png_put_32(header + 4, (uint32_t)c->height);
    text_add_bytes(t, (const char *)png_signature, sizeof png_signature);
    png_add_chunk(t, "IHDR", header, sizeof header);
}

/* The compressed pixels: rows from the top, each after a byte 0: no filter. */
static uint8_t *png_pixels(const canvas *c, int64_t *size)
{
    const int64_t row = 1 + 3 * (int64_t)c->width;
    OWNED uint8_t *rows = mem_new(c->height, (size_t)row);

    for (int64_t y = 0; rows && y < c->height; y++)
        memcpy(rows + y * row + 1, c->pixel + y * (row - 1), (size_t)row - 1);
    return rows ? deflate_rows(rows, row * c->height, row, size) : NULL;
}

static pav_status png_add_canvas(text *t, const canvas *c)
{
    int64_t size = 0;
    OWNED uint8_t *stream = png_pixels(c, &size);

    if (!stream)
        return PAV_ENOMEM;
    png_add_header(t, c);
    png_add_chunk(t, "IDAT", stream, size);
    png_add_chunk(t, "IEND", NULL, 0);
    return PAV_OK;
}

pav_status png_write_canvas(const char *path, const canvas *c)
{
    OWNED_BY(text_free) text t = {0};

    TRY(png_add_canvas(&t, c));
    return text_write(path, &t);
}

pav_status png_write(const char *path, const picture *p)
{
    OWNED_BY(canvas_free) canvas c = {0};

    TRY(picture_draw(p, &c));
    return png_write_canvas(path, &c);
}

static pav_status draw_frame(const series_style *style, const io_frame *f, canvas *c)
{
    frame_picture p;

    TRY(frame_picture_make(style, f, &p));
    p.picture.title = p.title;
    const pav_status status = picture_draw(&p.picture, c);
    mem_free(p.value);
    return status;
}

pav_status frame_png(const io_frame *f, int64_t last_step, text *t)
{
    OWNED_BY(canvas_free) canvas c = {0};

    TRY(draw_frame(&(series_style){.last_step = last_step}, f, &c));
    return png_add_canvas(t, &c);
}

/* ---- animations -------------------------------------------------------------------- */

/* Animated PNG (W3C PNG, third edition): all pictures of a series in one file. Viewers
 * without animation show the first picture. The file is valid after every picture: the
 * new picture is written after the end chunk; then its first bytes replace the end chunk;
 * last the number of pictures at the beginning is updated. */

enum {
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

static pav_status write_first(struct film *m, const char *path, const text *t)
{
    TRY(out_open(&m->out, path));
    pav_status status = out_write(&m->out, t->data, t->length);
    if (status == PAV_OK)
        status = out_publish(&m->out);
    return status == PAV_OK ? PAV_OK : out_close(&m->out, status);
}

/* Writes the next picture in an order keeping the file valid at any time. */
static pav_status write_parts(struct film *m, const text *t, int64_t end)
{
    OWNED_BY(text_free) text count = {0};

    add_count(&count, m->pictures + 1);
    if (count.failed)
        return PAV_ENOMEM;
    TRY(out_append(&m->out, t->data + END, t->length - END, NULL, NULL));
    TRY(out_put(&m->out, t->data, END, end));
    return out_put(&m->out, count.data, count.length, COUNT_AT);
}

static pav_status write_next(struct film *m, const text *t)
{
    const int64_t end = m->out.written - END;
    const pav_status status = write_parts(m, t, end);

    if (status != PAV_OK)
        m->out.written = end + END; /* the next attempt starts from there */
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
            crc32_of(type, type + TYPE, bytes) != get_32(type + TYPE + bytes))
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

/* Continues a film after a restart: copies its first pictures, with a new end and their
 * new number. Copies nothing if the pictures or their size differ from the earlier run's,
 * because then the file was replaced. */
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
    OWNED char *all = NULL;
    OWNED_BY(text_free) text t = {0};
    int64_t length;

    TRY(file_read(path, LIMIT, &all, &length));
    add_kept(m, (const uint8_t *)all, length, past, &t);
    if (t.failed)
        return FAIL(PAV_ENOMEM, "%s cannot be written: %s", path, pav_message());
    if (m->pictures > 0)
        return write_first(m, path, &t);
    return FAIL(PAV_EFORMAT,
                "%s does not begin with the %lld pictures that the run which is gone "
                "on with had written; bring it back, or move it away and a new one "
                "is begun",
                path, (long long)past->frames);
}

/* Resumes an animation. If the earlier run had no such output, an existing file is
 * rejected, because its pictures may belong to other steps. */
static pav_status resume_apng(series *s, series_past *past, text *said)
{
    const bool there = access(s->path, F_OK) == 0;
    const int64_t pictures = past->frames;

    if (there && pictures == 0)
        return FAIL(PAV_EFORMAT,
                    "%s exists, but the run before the restart had no such output: move "
                    "it away and a new one is begun",
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
    OWNED_BY(text_free) text t = {0};
    const uint32_t sequence = m->sequence;

    if (m->pictures == 0) {
        png_add_header(&t, c);
        add_count(&t, 1);
    }
    uint8_t control[26] = {0};

    png_put_32(control, m->sequence++);
    png_put_32(control + 4, (uint32_t)m->width);
    png_put_32(control + 8, (uint32_t)m->height);
    control[21] = DELAY;
    control[22] = 1000 / 256;
    control[23] = 1000 % 256;
    png_add_chunk(&t, "fcTL", control, sizeof control);
    /* Adds the pixels of a picture. A sequence number precedes them, except in the
     * first picture. */
    int64_t size = 0;
    OWNED uint8_t *stream = png_pixels(c, &size);
    OWNED_BY(text_free) text numbered = {0};
    uint8_t number[4];

    t.failed |= !stream;
    if (stream && m->pictures == 0) {
        png_add_chunk(&t, "IDAT", stream, size);
    } else if (stream) {
        png_put_32(number, m->sequence++);
        text_add_bytes(&numbered, (const char *)number, sizeof number);
        text_add_bytes(&numbered, (const char *)stream, size);
        t.failed |= numbered.failed;
        if (!numbered.failed)
            png_add_chunk(&t, "fdAT", (const uint8_t *)numbered.data, numbered.length);
    }
    png_add_chunk(&t, "IEND", NULL, 0);
    const pav_status status = t.failed ? FAIL(PAV_ENOMEM, "%s cannot be written: %s",
                                              path, pav_message())
                              : m->pictures == 0 ? write_first(m, path, &t)
                                                 : write_next(m, &t);
    if (status == PAV_OK)
        m->pictures++;
    else
        m->sequence = sequence;
    return status;
}

/* Pictures of one animation have the same size: a larger picture is cut, a smaller one is
 * filled with white. */
static pav_status write_fitted(struct film *m, const char *path, const canvas *c)
{
    OWNED_BY(canvas_free) canvas fitted = {0};

    if (m->pictures == 0) {
        m->width = c->width;
        m->height = c->height;
    }
    if (c->width == m->width && c->height == m->height)
        return write_canvas(m, path, c);
    if (!canvas_new(&fitted, m->width, m->height, 1))
        return PAV_ENOMEM;
    for (int y = 0; y < c->height && y < m->height; y++)
        memcpy(fitted.pixel + 3 * (int64_t)y * m->width,
               c->pixel + 3 * (int64_t)y * c->width,
               3 * (size_t)int_least(c->width, m->width));
    return write_canvas(m, path, &fitted);
}

/* Writes a picture. Messages use s->path, because it lives as long as the series. */
static pav_status write_apng(series *s, const char *path, const io_frame *f)
{
    OWNED_BY(canvas_free) canvas c = {0};

    (void)path;
    TRY(make_film(s));
    TRY(draw_frame(&s->style, f, &c));
    return write_fitted(s->film, s->path, &c);
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
