/* SPDX-License-Identifier: BSD-3-Clause */
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
    if (in)
        fclose(in);
}
