/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands in front of the kernels: the types that they share with the caller, the walk over rows,
 * and those helpers that some stage needs. Narrow storage is converted by the same arithmetic as in
 * the interpreter (interp/storage.c tells why it is right). */
#include "emit/emit_private.h"

typedef struct needs {
    bool storage[PAV_U8 + 1], fold[REDUCTION_NORM + 1], streams;
} needs;

static const char types[] =
    "#include <math.h>\n"
    "#include <stdint.h>\n"
    "\n"
    "typedef struct grid {\n"
    "    void *data; /* point (0, 0, 0) */\n"
    "    int64_t y, z; /* strides */\n"
    "} grid;\n"
    "typedef struct work {\n"
    "    int64_t lo[3], hi[3];\n"
    "    const grid *grid;\n"
    "    const double *const *table;\n"
    "    const double *uniform;\n"
    "    double *fold;\n"
    "    int64_t chunk, block, pieces;\n"
    "    int threads, streams;\n"
    "} work;\n"
    "enum { PIECE = 512 };\n"
    "#define NOT_INLINE __attribute__((noinline))\n"
    "#define ALIGNED __attribute__((aligned(64)))\n"
    "#ifdef __clang__\n"
    "#define INDEPENDENT _Pragma(\"clang loop vectorize(assume_safety)\")\n"
    "#else\n"
    "#define INDEPENDENT _Pragma(\"GCC ivdep\")\n"
    "#endif\n";

static const char walk[] =
    "\n"
    "/* Stores that went past the caches are seen by others from here on. */\n"
    "static inline void fence(void)\n"
    "{\n"
    "#ifdef __SSE2__\n"
    "    __builtin_ia32_sfence();\n"
    "#endif\n"
    "}\n"
    "\n"
    "typedef void row_part(const work *, int64_t x, int64_t end, int64_t j, int64_t k);\n"
    "\n"
    "/* Part n of all rows, cut into chunks: chunks first, then the rows of a block, "
    "then z, then the\n"
    " * blocks along y: planes of a block stay in the caches until their neighbours need "
    "them. */\n"
    "static inline void one_part(const work *w, row_part *row, int64_t n, int64_t "
    "chunks)\n"
    "{\n"
    "    const int64_t ny = w->hi[1] - w->lo[1], nz = w->hi[2] - w->lo[2];\n"
    "    const int64_t r = n / chunks, c = n % chunks, b = r / (w->block * nz) * "
    "w->block;\n"
    "    const int64_t rows = b + w->block < ny ? w->block : ny - b, in = r - b * nz;\n"
    "    const int64_t first = (w->lo[0] & -(int64_t)PIECE) + c * w->chunk;\n"
    "    const int64_t x = first < w->lo[0] ? w->lo[0] : first;\n"
    "    const int64_t end = first + w->chunk < w->hi[0] ? first + w->chunk : w->hi[0];\n"
    "    row(w, x, end, w->lo[1] + b + in % rows, w->lo[2] + in / rows);\n"
    "}\n"
    "\n"
    "static NOT_INLINE void each_row(const work *w, row_part *row)\n"
    "{\n"
    "    const int64_t width = w->hi[0] - (w->lo[0] & -(int64_t)PIECE);\n"
    "    const int64_t chunks = (width + w->chunk - 1) / w->chunk;\n"
    "    const int64_t parts = chunks * (w->hi[1] - w->lo[1]) * (w->hi[2] - w->lo[2]);\n"
    "#ifdef _OPENMP\n"
    "    if (w->threads > 1) {\n"
    "#pragma omp parallel num_threads(w->threads)\n"
    "        {\n"
    "#pragma omp for schedule(static)\n"
    "            for (int64_t n = 0; n < parts; n++)\n"
    "                one_part(w, row, n, chunks);\n"
    "            fence();\n"
    "        }\n"
    "        return;\n"
    "    }\n"
    "#endif\n"
    "    for (int64_t n = 0; n < parts; n++)\n"
    "        one_part(w, row, n, chunks);\n"
    "    fence();\n"
    "}\n"
    "\n"
    "/* Points from x to the end of its piece, or of the row. */\n"
    "static inline int64_t piece(int64_t x, int64_t end)\n"
    "{\n"
    "    const int64_t cut = (x & -(int64_t)PIECE) + PIECE;\n"
    "    return (cut < end ? cut : end) - x;\n"
    "}\n"
    "\n"
    "/* Points of a long row up to where a line of the cache begins: with them done "
    "apart, the others\n"
    " * are stored in whole lines. */\n"
    "static inline int64_t lead(int64_t x, int64_t end)\n"
    "{\n"
    "    return (x & 15) && end - x >= 128 ? 16 - (x & 15) : 0;\n"
    "}\n";

static const char stream[] =
    "\n"
    "/* Asks for a row that will be read soon: memory is far, and its own guesses end "
    "with a page. */\n"
    "static inline void fetch(const void *row, int64_t bytes)\n"
    "{\n"
    "    for (int64_t at = 0; at < bytes; at += 64)\n"
    "        __builtin_prefetch((const char *)row + at, 0, 2);\n"
    "}\n"
    "\n"
    "/* Copies past the caches: what a large grid stores is not read again soon. Whole "
    "lines only: one\n"
    " * that is stored in both ways costs more than it saves. */\n"
    "static NOT_INLINE void stream(void *to, const void *from, int64_t bytes)\n"
    "{\n"
    "    char *out = to;\n"
    "    const char *in = from;\n"
    "#ifdef __SSE2__\n"
    "#ifdef __AVX__\n"
    "    typedef float part __attribute__((vector_size(32)));\n"
    "#else\n"
    "    typedef float part __attribute__((vector_size(16)));\n"
    "#endif\n"
    "    enum { LINE = 64, PARTS = LINE / sizeof(part) };\n"
    "    const int64_t odd = (int64_t)(-(uintptr_t)out & (LINE - 1));\n"
    "    const int64_t head = odd < bytes ? odd : bytes;\n"
    "    __builtin_memcpy(out, in, (unsigned long)head);\n"
    "    out += head, in += head, bytes -= head;\n"
    "    for (; bytes >= LINE; bytes -= LINE, out += LINE, in += LINE) {\n"
    "        part v[PARTS];\n"
    "        __builtin_memcpy(v, in, sizeof v);\n"
    "        for (int k = 0; k < PARTS; k++) {\n"
    "            part *const at = (part *)(void *)out + k;\n"
    "#ifdef __clang__\n"
    "            __builtin_nontemporal_store(v[k], at);\n"
    "#elif defined(__AVX__)\n"
    "            __builtin_ia32_movntps256((float *)at, v[k]);\n"
    "#else\n"
    "            __builtin_ia32_movntps((float *)at, v[k]);\n"
    "#endif\n"
    "        }\n"
    "    }\n"
    "#endif\n"
    "    __builtin_memcpy(out, in, (unsigned long)bytes);\n"
    "}\n";

/* ---- narrow storage ----------------------------------------------------------------------- */

static const char bits[] =
    "\n"
    "static inline uint64_t bits_of(double v)\n"
    "{\n"
    "    uint64_t b;\n"
    "    __builtin_memcpy(&b, &v, sizeof b);\n"
    "    return b;\n"
    "}\n"
    "static inline double double_of(uint64_t b)\n"
    "{\n"
    "    double v;\n"
    "    __builtin_memcpy(&v, &b, sizeof v);\n"
    "    return v;\n"
    "}\n"
    "static inline uint32_t bits_of_float(float v)\n"
    "{\n"
    "    uint32_t b;\n"
    "    __builtin_memcpy(&b, &v, sizeof b);\n"
    "    return b;\n"
    "}\n"
    "static inline float float_of(uint32_t b)\n"
    "{\n"
    "    float v;\n"
    "    __builtin_memcpy(&v, &b, sizeof v);\n"
    "    return v;\n"
    "}\n"
    "/* |v| rounded to `fraction` bits, exponents not below that of `least`, infinite "
    "from `limit`. */\n"
    "static inline double round_size(double v, int fraction, double least, double "
    "limit)\n"
    "{\n"
    "    const uint64_t infinite = UINT64_C(0x7ff) << 52, b = bits_of(v) & INT64_MAX;\n"
    "    const uint64_t finite = -(uint64_t)(b < bits_of(limit));\n"
    "    const uint64_t special = infinite | (uint64_t)(b > infinite) << 51;\n"
    "    const double size = double_of(b & finite), base = size > least ? size : least;\n"
    "    const double large = double_of((bits_of(base) & infinite) +\n"
    "                                   ((uint64_t)(52 - fraction) << 52));\n"
    "    const double rounded = (size + large) - large;\n"
    "    return double_of(bits_of(rounded) | (special & ~finite));\n"
    "}\n";

static const char bf16[] =
    "\n"
    "static inline float f32_of_bf16(uint16_t half)\n"
    "{\n"
    "    return float_of((uint32_t)half << 16);\n"
    "}\n"
    "static inline uint16_t bf16_of_f64(double v)\n"
    "{\n"
    "    const float size = (float)round_size(v, 7, 0x1p-126, 0x1.FFp127);\n"
    "    return (uint16_t)(bits_of_float(size) >> 16 | (bits_of(v) >> 48 & 0x8000U));\n"
    "}\n"
    "static inline uint16_t bf16_of_f32(float v)\n"
    "{\n"
    "    const uint32_t b = bits_of_float(v);\n"
    "    const uint32_t kept = b + 0x7fffU + (b >> 16 & 1U);\n"
    "    return (uint16_t)(((b & 0x7fffffffU) > 0x7f800000U ? b | 0x400000U : kept) >> "
    "16);\n"
    "}\n";

static const char f16[] =
    "\n"
    "static inline float f32_of_f16(uint16_t half)\n"
    "{\n"
    "    const uint32_t size = half & 0x7fffU;\n"
    "    const uint32_t b = bits_of_float(float_of(size << 13) * 0x1p112F);\n"
    "    const uint32_t special = size >= 0x7c00U ? 0x7f800000U : 0;\n"
    "    return float_of(b | special | (uint32_t)(half & 0x8000U) << 16);\n"
    "}\n"
    "static inline uint16_t f16_of_f64(double v)\n"
    "{\n"
    "    const float size = (float)round_size(v, 10, 0x1p-14, 65520.0) * 0x1p-112F;\n"
    "    return (uint16_t)((bits_of_float(size) >> 13 & 0x7fffU) |\n"
    "                      (bits_of(v) >> 48 & 0x8000U));\n"
    "}\n";

static const char u8[] =
    "\n"
    "static inline uint8_t u8_of_f64(double v)\n"
    "{\n"
    "    const double most = v < 255 ? v : 255, within = v > 0 ? most : 0;\n"
    "    return (uint8_t)(int32_t)((within + 0x1p52) - 0x1p52);\n"
    "}\n";

/* ---- reductions --------------------------------------------------------------------------- */

static const char folded[] =
    "\n"
    "/* Where reduction r of a piece goes. */\n"
    "static inline double *folded(const work *w, int r, int64_t x, int64_t j, int64_t "
    "k)\n"
    "{\n"
    "    const int64_t ny = w->hi[1] - w->lo[1], nz = w->hi[2] - w->lo[2];\n"
    "    const int64_t row = (k - w->lo[2]) * ny + (j - w->lo[1]);\n"
    "    const int64_t p = (x - (w->lo[0] & -(int64_t)PIECE)) / PIECE;\n"
    "    return &w->fold[(r * ny * nz + row) * w->pieces + p];\n"
    "}\n";

/* In text for one kind: its name, then the choice of `a`, the left, or `b`. */
static void add_fold(const char *name, const char *choice, text *t)
{
    text_add(
        t,
        "\n"
        "/* The fixed tree over v[0 .. count - 1], whose indices begin with `first`. */\n"
        "static double fold_%s(double *v, int64_t first, int64_t count)\n"
        "{\n"
        "    while (count > 1) {\n"
        "        const int64_t last = first + count - 1, alone = first & 1;\n"
        "        const int64_t pairs = (count - alone) / 2;\n"
        "        INDEPENDENT\n"
        "        for (int64_t i = 0; i < pairs; i++) {\n"
        "            const double a = v[alone + 2 * i], b = v[alone + 2 * i + 1];\n"
        "            v[alone + i] = %s;\n"
        "        }\n"
        "        if (count - alone > 2 * pairs)\n"
        "            v[alone + pairs] = v[count - 1];\n"
        "        first >>= 1;\n"
        "        count = (last >> 1) - first + 1;\n"
        "    }\n"
        "    return v[0];\n"
        "}\n",
        name, choice);
}

/* ---- which ones --------------------------------------------------------------------------- */

static void note_stage(const ir *code, const ir_stage *s, needs *n)
{
    for (int64_t k = 0; k < s->count; k++) {
        if (s->node[k].op == IR_ROUND)
            n->storage[s->node[k].type] = true;
        else if (s->node[k].op == IR_LOAD)
            n->storage[code->field[s->node[k].field].storage] = true;
    }
    for (int64_t k = 0; k < s->outputs; k++) {
        if (s->output[k].kind == IR_REDUCE)
            n->fold[s->output[k].reduction] = true;
        else
            n->storage[code->field[s->output[k].field].storage] = n->streams = true;
    }
}

static void note_programs(const ir *const *code, int64_t count, needs *n)
{
    for (int64_t p = 0; p < count; p++)
        for (int64_t s = 0; code[p] && s < code[p]->stages; s++)
            if (emit_has_kernel(&code[p]->stage[s]))
                note_stage(code[p], &code[p]->stage[s], n);
}

static void add_folds(const needs *n, text *t)
{
    const bool sum = n->fold[REDUCTION_SUM] || n->fold[REDUCTION_NORM];

    if (sum || n->fold[REDUCTION_MIN] || n->fold[REDUCTION_MAX])
        text_add(t, "%s", folded);
    if (sum)
        add_fold("sum", "a + b", t);
    if (n->fold[REDUCTION_MIN])
        add_fold("min", "a < b || a != a ? a : b", t);
    if (n->fold[REDUCTION_MAX])
        add_fold("max", "a > b || a != a ? a : b", t);
}

void emit_prelude(const ir *const *code, int64_t count, text *t)
{
    needs n = {0};

    note_programs(code, count, &n);
    text_add(t, "%s%s", types, walk);
    if (n.streams)
        text_add(t, "%s", stream);
    if (n.storage[PAV_BF16] || n.storage[PAV_F16])
        text_add(t, "%s", bits);
    if (n.storage[PAV_BF16])
        text_add(t, "%s", bf16);
    if (n.storage[PAV_F16])
        text_add(t, "%s", f16);
    if (n.storage[PAV_U8])
        text_add(t, "%s", u8);
    add_folds(&n, t);
}
