/* SPDX-License-Identifier: BSD-3-Clause */
/* PNG files (ISO 15948) of 8-bit colours, written without a library. The same picture
 * and facts give the same bytes. */
#include <math.h>
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

/* The sum behind a chunk, of its type and data. */
uint32_t png_crc(const uint8_t *bytes, int64_t length)
{
    uint32_t table[256], crc = UINT32_MAX;

    for (uint32_t n = 0; n < COUNT_OF(table); n++) {
        table[n] = n;
        for (int bit = 0; bit < 8; bit++)
            table[n] = table[n] >> 1 ^ (table[n] & 1 ? 0xedb88320 : 0);
    }
    for (int64_t n = 0; n < length; n++)
        crc = table[(crc ^ bytes[n]) & 255] ^ crc >> 8;
    return ~crc;
}

static void png_put_32(uint8_t *to, uint32_t value)
{
    for (int n = 0; n < 4; n++)
        to[n] = (uint8_t)(value >> (24 - 8 * n));
}

static void add_32(text *t, uint32_t value)
{
    uint8_t word[4];

    png_put_32(word, value);
    text_add_bytes(t, (const char *)word, sizeof word);
}

/* number: stands before the bytes; or NULL. Returns the chunk's sum. */
static uint32_t png_add_chunk(text *t, const char *type, const uint32_t *number,
                              const void *bytes, int64_t length)
{
    const int64_t start = t->length + 4;

    t->failed |= length > INT32_MAX - 4;
    if (length > INT32_MAX - 4)
        FAIL(PAV_ELIMIT, "a picture of %lld bytes is too large for PNG",
             (long long)length);
    add_32(t, (uint32_t)length + (number ? 4 : 0));
    text_add_bytes(t, type, TYPE);
    if (number)
        add_32(t, *number);
    text_add_bytes(t, bytes, length);
    const uint32_t sum = t->failed ? 0
                                   : png_crc((const uint8_t *)t->data + start,
                                             t->length - start);
    add_32(t, sum);
    return sum;
}

static void png_add_header(text *t, const canvas *c)
{
    uint8_t header[13] = {[8] = 8 /* bits */, [9] = 2 /* red, green, blue */};

    png_put_32(header, (uint32_t)c->width);
    png_put_32(header + 4, (uint32_t)c->height);
    text_add_bytes(t, (const char *)png_signature, sizeof png_signature);
    png_add_chunk(t, "IHDR", NULL, header, sizeof header);
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

static void png_add_made(text *t, const io_fact *made)
{
    for (; made && made->name; made++) {
        OWNED_BY(text_free) text fact = {0};

        text_add_bytes(&fact, made->name, (int64_t)strlen(made->name) + 1);
        text_add(&fact, "%s", made->value);
        t->failed |= fact.failed;
        png_add_chunk(t, "tEXt", NULL, fact.data, fact.length);
    }
}

/* The private chunk of a picture: what frame_picture_pack kept of it. */
static const char kept_type[] = "paVs";

static pav_status png_add_canvas(text *t, const canvas *c, const io_fact *made,
                                 const text *kept)
{
    int64_t size = 0;
    OWNED uint8_t *stream = png_pixels(c, &size);

    if (!stream)
        return PAV_ENOMEM;
    png_add_header(t, c);
    png_add_made(t, made);
    png_add_chunk(t, "IDAT", NULL, stream, size);
    if (kept && kept->length > 0)
        png_add_chunk(t, kept_type, NULL, kept->data, kept->length);
    png_add_chunk(t, "IEND", NULL, NULL, 0);
    return PAV_OK;
}

pav_status png_write_canvas(const char *path, const canvas *c, const io_fact *made,
                            const text *kept)
{
    OWNED_BY(text_free) text t = {0};

    TRY(png_add_canvas(&t, c, made, kept));
    return text_write(path, &t);
}

pav_status png_write(const char *path, const picture *p, const io_fact *made)
{
    OWNED_BY(canvas_free) canvas c = {0};

    TRY(picture_draw(p, &c));
    return png_write_canvas(path, &c, made, NULL);
}

/* Draws a kept picture, with the range of the series if it has one for all pictures. */
static pav_status draw_kept(const series *s, frame_picture *p, canvas *c)
{
    if (s->style.over_frames) {
        p->picture.from = s->range.from;
        p->picture.to = s->range.to;
        p->picture.longest = s->range.longest;
    }
    return picture_draw(&p->picture, c);
}

static void take_range(series *s, const picture_range *range)
{
    const picture_range old = s->range;

    s->range = (picture_range){fmin(old.from, range->from), fmax(old.to, range->to),
                               fmax(old.longest, range->longest)};
    s->outgrown |= s->begun && (s->range.from < old.from || s->range.to > old.to ||
                                s->range.longest > old.longest);
}

/* kept: receives the bytes to draw the picture again; or NULL. */
static pav_status draw_frame(series *s, const io_frame *f, canvas *c, text *kept)
{
    OWNED_BY(frame_picture_free) frame_picture p = {.value = NULL};

    TRY(frame_picture_make(&s->style, f, &p));
    if (kept)
        TRY(frame_picture_pack(&s->style, &p, kept));
    take_range(s, &p.head.range);
    return draw_kept(s, &p, c);
}

pav_status frame_png(const io_frame *f, text *t)
{
    OWNED_BY(canvas_free) canvas c = {0};
    series s = {.format = NULL};

    TRY(draw_frame(&s, f, &c, NULL));
    return png_add_canvas(t, &c, NULL, NULL);
}

/* ---- animations -------------------------------------------------------------------- */

/* Animated PNG (W3C PNG, third edition): all pictures of a series in one file. Viewers
 * without animation show the first picture. The file is valid after every picture: the
 * new picture is written after the end chunk; then its first bytes replace the end chunk;
 * last the number of pictures at the beginning is updated. */

enum {
    END = 12,               /* bytes of the last chunk, IEND */
    COUNT_AT = 8 + 12 + 13, /* offset of the chunk acTL */
    DELAY = 100,            /* milliseconds of a picture */
};

static void add_count(text *t, uint32_t pictures)
{
    uint8_t count[8] = {0}; /* second number 0: repeat for ever */

    png_put_32(count, pictures);
    png_add_chunk(t, "acTL", NULL, count, sizeof count);
}

static pav_status write_first(film *m, const char *path, const text *t)
{
    TRY(out_open(&m->out, path));
    pav_status status = out_write(&m->out, t->data, t->length);
    if (status == PAV_OK)
        status = out_publish(&m->out);
    return status == PAV_OK ? PAV_OK : out_close(&m->out, status);
}

/* Writes the next picture in an order keeping the file valid at any time. */
static pav_status write_next(film *m, const text *t)
{
    const int64_t end = m->out.written - END;
    OWNED_BY(text_free) text count = {0};

    add_count(&count, m->pictures + 1);
    pav_status status = count.failed ? PAV_ENOMEM
                                     : out_append(&m->out, t->data + END, t->length - END,
                                                  NULL, NULL);
    if (status == PAV_OK)
        status = out_put(&m->out, t->data, END, end);
    if (status == PAV_OK)
        status = out_put(&m->out, count.data, count.length, COUNT_AT);
    if (status != PAV_OK)
        m->out.written = end + END; /* the next attempt starts from there */
    return status;
}

/* ---- pictures ---------------------------------------------------------------------- */

/* Adds the next picture of a film of `total` pictures, at least. */
static void add_picture(film *m, const canvas *c, const io_fact *made, const text *kept,
                        uint32_t total, text *t)
{
    if (m->pictures == 0) {
        png_add_header(t, c);
        add_count(t, total);
        png_add_made(t, made);
    }
    uint8_t control[26] = {0};

    png_put_32(control, m->sequence++);
    png_put_32(control + 4, (uint32_t)m->width);
    png_put_32(control + 8, (uint32_t)m->height);
    control[21] = DELAY;
    control[22] = 1000 / 256;
    control[23] = 1000 % 256;
    png_add_chunk(t, "fcTL", NULL, control, sizeof control);
    /* Adds the pixels of a picture. A sequence number precedes them, except in the
     * first picture. */
    int64_t size = 0;
    OWNED uint8_t *stream = png_pixels(c, &size);
    const uint32_t number = m->sequence;

    t->failed |= !stream;
    m->sequence += m->pictures > 0;
    png_add_chunk(t, m->pictures > 0 ? "fdAT" : "IDAT", m->pictures > 0 ? &number : NULL,
                  stream, size);
    m->kept += png_add_chunk(t, kept_type, NULL, kept->data, kept->length);
}

/* Pictures of one animation have the same size. */
static pav_status check_size(film *m, const canvas *c, const char *path)
{
    m->width = m->pictures == 0 ? c->width : m->width;
    m->height = m->pictures == 0 ? c->height : m->height;
    return c->width == m->width && c->height == m->height
               ? PAV_OK
               : FAIL(PAV_EFORMAT,
                      "%s has pictures of %d x %d pixels, and the next one has %d x %d: "
                      "move it away and a new one is begun",
                      path, m->width, m->height, c->width, c->height);
}

/* Writes a picture. Messages use s->path, because it lives as long as the series. */
static pav_status write_apng(series *s, const char *path, const io_frame *f)
{
    OWNED_BY(canvas_free) canvas c = {0};
    OWNED_BY(text_free) text kept = {0}, t = {0};

    (void)path;
    film *m = &s->film;
    TRY(draw_frame(s, f, &c, &kept));
    TRY(check_size(m, &c, s->path));
    const film before = *m;
    add_picture(m, &c, s->style.made, &kept, 1, &t);
    png_add_chunk(&t, "IEND", NULL, NULL, 0);
    const pav_status status = t.failed ? FAIL(PAV_ENOMEM, "%s cannot be written: %s",
                                              s->path, pav_message())
                              : m->pictures == 0 ? write_first(m, s->path, &t)
                                                 : write_next(m, &t);
    if (status == PAV_OK) {
        m->pictures++;
    } else {
        m->sequence = before.sequence;
        m->kept = before.kept;
    }
    return status;
}

/* ---- kept pictures, drawn again ---------------------------------------------------- */

typedef struct again {
    series *series;
    const char *path;
    film *film;       /* being written; or NULL: a file of its own */
    int64_t pictures; /* of the film */
} again;

static pav_status draw_again(const again *a, frame_picture *p, const text *bytes)
{
    OWNED_BY(canvas_free) canvas c = {0};
    OWNED_BY(text_free) text t = {0};

    if (a->film && a->film->pictures == a->pictures)
        return PAV_OK;
    take_range(a->series, &p->head.range);
    TRY(draw_kept(a->series, p, &c));
    if (!a->film) {
        TRY(png_write_canvas(a->path, &c, a->series->style.made, bytes));
        return series_note(a->series, a->path);
    }
    TRY(check_size(a->film, &c, a->path));
    add_picture(a->film, &c, a->series->style.made, bytes, (uint32_t)a->pictures, &t);
    a->film->pictures++;
    return out_write_text(&a->film->out, &t);
}

/* Draws each kept picture of a file again, with the range of the series. */
static pav_status read_kept(const again *a)
{
    OWNED_BY(in_close) in_file in = {0};
    uint8_t head[4 + TYPE];
    int64_t got = 0;

    TRY(in_open(&in, a->path));
    TRY(in_skip(&in, sizeof png_signature));
    for (;;) {
        TRY(in_read(&in, (char *)head, sizeof head, &got));
        if (got < (int64_t)sizeof head)
            return PAV_OK;
        const int64_t size = (uint32_t)head[0] << 24 | (uint32_t)head[1] << 16 |
                             (uint32_t)head[2] << 8 | head[3];
        if (memcmp(head + 4, kept_type, TYPE) != 0) {
            TRY(in_skip(&in, size + 4));
            continue;
        }
        OWNED char *bytes = NULL;
        OWNED_BY(frame_picture_free) frame_picture p = {.value = NULL};
        TRY(mem_take(&bytes, size, 1));
        TRY(in_read(&in, bytes, size, &got));
        TRY(frame_picture_unpack(&a->series->style, bytes, got, &p));
        TRY(draw_again(a, &p, &(text){.data = bytes, .length = got}));
        TRY(in_skip(&in, 4));
    }
}

/* Draws the first pictures of a film again into a new one beside it, which then replaces
 * it. `kept`: their check sums, since the file may be another one. */
static pav_status write_film_again(series *s, int64_t pictures, int64_t kept)
{
    film m = {.pictures = 0};
    OWNED_BY(text_free) text end = {0};

    png_add_chunk(&end, "IEND", NULL, NULL, 0);
    TRY(out_open(&m.out, s->path));
    pav_status status = read_kept(&(again){s, s->path, &m, pictures});
    if (status == PAV_EFORMAT ||
        (status == PAV_OK && (m.pictures < pictures || m.kept != kept)))
        status = FAIL(PAV_EFORMAT,
                      "%s does not begin with the %lld pictures that the run which is "
                      "gone on with had written; bring it back, or move it away and a "
                      "new one is begun",
                      s->path, (long long)pictures);
    if (status == PAV_OK)
        status = out_write_text(&m.out, &end);
    if (status == PAV_OK)
        status = out_publish(&m.out);
    if (status != PAV_OK)
        return out_close(&m.out, status);
    (void)out_close(&s->film.out, PAV_OK);
    s->film = m;
    return series_note(s, s->path);
}

static pav_status settle_film(series *s)
{
    return write_film_again(s, s->film.pictures, s->film.kept);
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
        s->outgrown = true;
        return write_film_again(s, pictures, past->bytes);
    }
    if (pictures > 0)
        text_add(said,
                 "%s is gone, and %lld picture%s with it: it begins anew at step %lld",
                 s->path, (long long)pictures, pictures == 1 ? "" : "s",
                 (long long)past->frame.step);
    past->frames = 0;
    return said->failed ? PAV_ENOMEM : PAV_OK;
}

static void close_apng(series *s)
{
    (void)out_close(&s->film.out, PAV_OK);
}

const io_format apng_format = {
    .ending = ".apng",
    .about = "animated pictures of a slice",
    .picture = true,
    .film = true,
    .write = write_apng,
    .resume = resume_apng,
    .settle = settle_film,
    .need = frame_picture_need,
    .close = close_apng,
};

/* ---- one picture a file ------------------------------------------------------------ */

static pav_status write_picture(series *s, const char *path, const io_frame *f)
{
    OWNED_BY(canvas_free) canvas c = {0};
    OWNED_BY(text_free) text kept = {0};

    TRY(draw_frame(s, f, &c, s->style.over_frames ? &kept : NULL));
    if (s->style.over_frames)
        text_add_bytes(&s->entries, path, (int64_t)strlen(path) + 1);
    return s->entries.failed ? PAV_ENOMEM
                             : png_write_canvas(path, &c, s->style.made, &kept);
}

static pav_status resume_pictures(series *s, series_past *past, text *said)
{
    (void)said;
    return s->style.over_frames && past->frames > 0
               ? FAIL(PAV_EUNSUPPORTED,
                      "%s has one range for all pictures, and a restarted run cannot "
                      "draw those of the run before again; give it `range a to b`, or "
                      "write an .apng file",
                      s->path)
               : PAV_OK;
}

static pav_status settle_pictures(series *s)
{
    for (int64_t at = 0; at < s->entries.length;
         at += (int64_t)strlen(s->entries.data + at) + 1)
        TRY(read_kept(&(again){s, s->entries.data + at, NULL, 0}));
    return PAV_OK;
}

const io_format png_format = {
    .ending = ".png",
    .about = "picture of a slice",
    .picture = true,
    .write = write_picture,
    .resume = resume_pictures,
    .settle = settle_pictures,
    .need = frame_picture_need,
};
