/* SPDX-License-Identifier: BSD-3-Clause */
/* Triangles in memory, from a generated mesh, a Gmsh file, or two npy files. */
#include <math.h>
#include <string.h>

#include "fem/fem.h"
#include "io/io.h"

enum { MOST_BYTES = 1 << 30 /* of a mesh file */ };

pav_status plane_take(plane *p, int64_t points, int64_t triangles, int64_t edges)
{
    *p = (plane){.points = points, .triangles = triangles, .edges = edges};
    if (points > INT32_MAX / 4 || triangles > INT32_MAX / 4 || edges > INT32_MAX / 4)
        return FAIL(PAV_ELIMIT,
                    "a mesh of %lld points and %lld triangles: at most %d are supported",
                    (long long)points, (long long)triangles, INT32_MAX / 4);
    p->at = mem_new(3 * points + 1, sizeof *p->at);
    p->corner = mem_new(3 * triangles + 1, sizeof *p->corner);
    p->edge = mem_new(3 * edges + 1, sizeof *p->edge);
    if (p->at && p->corner && p->edge)
        return PAV_OK;
    plane_free(p);
    return PAV_ENOMEM;
}

void plane_free(plane *p)
{
    mem_free(p->at);
    mem_free(p->corner);
    mem_free(p->edge);
    mem_free(p->name);
    *p = (plane){0};
}

int plane_name(plane *p, const char *name, int64_t length)
{
    const size_t kept = length < PLANE_NAME ? (size_t)length : PLANE_NAME - 1;

    for (int n = 0; n < p->names; n++)
        if (strlen(p->name[n]) == kept && memcmp(p->name[n], name, kept) == 0)
            return n;
    if (p->names == PLANE_NAMES) {
        (void)FAIL(PAV_ELIMIT, "a mesh names at most %d borders", PLANE_NAMES);
        return -1;
    }
    char(*grown)[PLANE_NAME] = mem_grow(p->name, p->names + 1, PLANE_NAME);
    if (!grown)
        return -1;
    p->name = grown;
    memcpy(p->name[p->names], name, kept);
    p->name[p->names][kept] = '\0';
    return p->names++;
}

/* ---- a pair of npy files ----------------------------------------------------------- */

static pav_status read_table(const char *path, const char *what, int64_t least,
                             int64_t most, double **values, int64_t *rows,
                             int64_t *columns)
{
    npy_header h;

    TRY(npy_read_header(path, &h));
    if (h.dimensions != 2 || h.extent[1] < least || h.extent[1] > most)
        return FAIL(PAV_EFORMAT,
                    "%s: %s are rows of %lld%s numbers, this array has another shape: "
                    "save one of shape (n, %lld)",
                    path, what, (long long)least, least == most ? "" : " or 3",
                    (long long)most);
    *columns = h.extent[1];
    return npy_read_table(path, (int)h.extent[1], INT32_MAX / 4, values, rows);
}

static pav_status set_corners(const char *path, const double *values, plane *p)
{
    for (int64_t k = 0; k < 3 * p->triangles; k++) {
        if (!(values[k] >= 0 && values[k] < (double)p->points &&
              values[k] == floor(values[k])))
            return FAIL(PAV_EFORMAT,
                        "%s: corner %lld of triangle %lld is %g, no number of one of the "
                        "%lld points, which count from 0",
                        path, (long long)(k % 3), (long long)(k / 3), values[k],
                        (long long)p->points);
        p->corner[k] = (int32_t)values[k];
    }
    return PAV_OK;
}

static pav_status read_pair(const char *points, const char *triangles, plane *p)
{
    double *at = NULL, *corner = NULL;
    int64_t rows = 0, columns = 0, cells = 0, three = 0;
    pav_status status = read_table(points, "points", 2, 3, &at, &rows, &columns);

    if (status == PAV_OK)
        status = read_table(triangles, "triangles", 3, 3, &corner, &cells, &three);
    if (status == PAV_OK)
        status = plane_take(p, rows, cells, 0);
    if (status == PAV_OK && at && corner) {
        for (int64_t k = 0; k < rows * columns; k++)
            p->at[3 * (k / columns) + k % columns] = at[k];
        status = set_corners(triangles, corner, p);
    }
    mem_free(at);
    mem_free(corner);
    return status;
}

static pav_status read_npy(const char *path, plane *p)
{
    const char *comma = strchr(path, ',');
    text first = {0};
    char *points;

    text_add_bytes(&first, path, comma - path);
    TRY(text_take(&first, &points));
    const pav_status status = read_pair(points, comma + 1, p);
    mem_free(points);
    return status;
}

/* ---- whatever it is ---------------------------------------------------------------- */

static pav_status read_gmsh(const char *path, plane *p)
{
    char *bytes;
    int64_t length;

    TRY(file_read(path, MOST_BYTES, &bytes, &length));
    const pav_status status = plane_parse_gmsh(path, bytes, length, p);
    mem_free(bytes);
    return status;
}

static pav_status read_any(const char *path, plane *p)
{
    const char *ending = path_ending(path);

    if (plane_is_word(path))
        return plane_generate(path, p);
    if (strchr(path, ',') && strcmp(ending, ".npy") == 0)
        return read_npy(path, p);
    if (strcmp(ending, ".msh") == 0)
        return read_gmsh(path, p);
    return FAIL(PAV_EINVAL,
                "'%s' is no mesh: give square:n=64, disc:n=32, shell:n=4, a Gmsh file "
                "(.msh, ASCII), or points.npy,triangles.npy",
                path);
}

pav_status plane_read(const char *path, plane *p)
{
    *p = (plane){0};
    pav_status status = read_any(path, p);

    if (status == PAV_OK)
        status = plane_check(path, p);
    if (status != PAV_OK)
        plane_free(p);
    return status;
}
