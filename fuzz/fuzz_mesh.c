/* SPDX-License-Identifier: BSD-3-Clause */
/* Gmsh files: any bytes are a mesh that can be extruded, or refused with a sentence. */
#include <stdlib.h>
#include <string.h>

#include "fem/fem.h"

enum { MOST_TRIANGLES = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void extrude(plane *p)
{
    const pav_mesh_options options = {.layers = 2};
    pav_mesh *m;

    if (mesh_extrude("fuzz.msh", p, &options, &m) == PAV_OK)
        pav_mesh_free(m);
}

/* Like what file_read gives, the bytes end with a NUL. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = malloc(size + 1);
    plane p;

    if (!bytes)
        return 0;
    memcpy(bytes, data, size);
    bytes[size] = '\0';
    pav_status status = plane_parse_gmsh("fuzz.msh", bytes, (int64_t)size, &p);
    if (status == PAV_OK)
        status = plane_check("fuzz.msh", &p);
    if (status == PAV_OK && p.triangles <= MOST_TRIANGLES)
        extrude(&p);
    else if (p.at || p.corner || p.edge || p.name)
        plane_free(&p);
    free(bytes);
    return 0;
}
