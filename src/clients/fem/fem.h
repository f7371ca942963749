/* SPDX-License-Identifier: BSD-3-Clause */
/* fem: finite elements on extruded meshes: triangles in a plane or on a surface, times
 * layers above them.
 *
 * Each corner of a triangle is a column of nodes, the vertical index fastest: node =
 * column*levels + level. A cell is a triangular prism with six nodes. Triangles are
 * stored in the order of computation. Sums at a node follow the order of its triangles,
 * on every device and for every number of threads. */
#ifndef FEM_FEM_H
#define FEM_FEM_H

#include "base/base.h"
#include "device/device.h"

/* ---- triangles before layers are put on them (plane.c) ----------------------------- */

enum { PLANE_NAME = 64, PLANE_NAMES = 256, MESH_MOST_LAYERS = 1 << 16 };

/* Owned arrays, freed by plane_free. An edge is two points and the number of its name. */
typedef struct plane {
    int64_t points, triangles, edges;
    double *at;      /* x, y, z of each point */
    int32_t *corner; /* three of each triangle */
    int32_t *edge;   /* of named borders: from, to, name */
    char (*name)[PLANE_NAME];
    int names;
    char *left_out; /* unused groups of the file, as a list; or NULL */
    /* > 0: the radius of a sphere around the origin, with layers outward; else layers go
     * along z */
    double radius;
} plane;
pav_status plane_take(plane *p, int64_t points, int64_t triangles, int64_t edges);
void plane_free(plane *p);
/* The number of a border's name; a new name is added. Returns -1 if memory or room ran
 * out. */
int plane_name(plane *p, const char *name, int64_t length);

/* Gmsh MSH 2 and 4.1, ASCII (plane_gmsh.c). Safe on any bytes. */
pav_status plane_parse_gmsh(const char *name, const char *bytes, int64_t length,
                            plane *p);
/* Reads a generated mesh by its word, or "planet.msh", or "points.npy,triangles.npy". */
pav_status plane_read(const char *path, plane *p); /* free *p whatever the status */
/* Checks the plane: corners in range, no isolated point, no edge of three triangles, all
 * triangles with the same orientation. Clockwise triangles are reversed if all of them
 * are clockwise. Borders without a name are named "rim". */
pav_status plane_check(const char *name, plane *p);
/* ---- meshes (mesh.c) --------------------------------------------------------------- */

enum {
    MESH_CHUNK = 48, /* triangles that one thread computes one after another */
    /* unused values behind the last node; kernels may load them */
    MESH_PADDING = 32,
};

struct pav_mesh {
    const struct io_fact *made; /* for its files, by the run that owns it; or NULL */
    plane plane; /* reordered; plane.at holds the surface below the layers */
    int layers, levels;
    int64_t columns, triangles, nodes, cells;
    double *at[3];   /* of all nodes */
    int32_t *given;  /* column -> its number in the file */
    int32_t *cell;   /* triangle -> its number in the file */
    int32_t *corner; /* plane.corner: triangles in the order of computing */
    /* Chunks of one colour share no column: chunk k is triangles chunk[k] .. chunk[k + 1]
     * - 1, colour c is chunks colour[c] .. colour[c + 1] - 1. */
    int32_t *chunk, *colour;
    int chunks, colours;
    /* Corners at column c in the order of computation: 3*triangle + corner,
     * incident[first[c] .. first[c + 1] - 1]. */
    int64_t *first;
    int64_t *incident;
    double volume; /* of all cells */
};
/* Extrudes a plane to a mesh. The mesh takes over the plane's arrays and leaves the plane
 * empty, except if the options are wrong. */
pav_status mesh_extrude(const char *name, plane *p, const pav_mesh_options *options,
                        pav_mesh **result);
void mesh_drop(pav_mesh **m); /* for OWNED_BY */
/* Borders are the named borders of the plane, "bottom", "top" and "all" (mesh_border.c).
 * mesh_check_border returns PAV_EINVAL for any other name. */
pav_status mesh_check_border(const pav_mesh *m, const char *border);
bool mesh_is_border(const pav_mesh *m, int name, const char *border); /* or all */
/* Fills the list of corners at each point, in the order of triangles: 3*triangle +
 * corner, incident[first[n] .. first[n + 1] - 1]. `first` is zero before, of points + 2
 * numbers. */
void mesh_list_incident(const int32_t *corner, int64_t corners, int64_t points,
                        int64_t *first, int64_t *incident);
/* Six nodes of a cell: the lower triangle, then the upper; and x, y, z of each. */
void mesh_cell(const pav_mesh *m, int64_t triangle, int level, int64_t node[6]);
void mesh_cell_at(const pav_mesh *m, int64_t triangle, int level, int64_t node[6],
                  double at[18]);

/* Returns PAV_EINVAL: the call got NULL for a required argument (fem_api.c). */
pav_status fem_missing(const char *call, const char *what);

/* Values of an expression of x, y and z at points (node_expression.c). */
typedef struct node_expression {
    struct program *program;
    double *stack; /* a block for every level of the tree */
} node_expression;
/* Free *e whatever the status. */
pav_status node_expression_open(const char *source, node_expression *e);
void node_expression_values(const node_expression *e, const double *const at[3],
                            int64_t count, double *values);
void node_expression_free(node_expression *e);

#endif
