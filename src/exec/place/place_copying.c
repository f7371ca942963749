/* SPDX-License-Identifier: BSD-3-Clause */
/* Copy bandwidth of the host's memory, or of a device's, pass by pass. */
#include "exec/gpu/gpu.h"

struct place_copying {
    host_copy *host; /* or NULL */
    gpu_copies *gpu; /* or NULL */
};

static pav_status open_either(gpu *g, host_team *team, place_copying **result)
{
    place_copying *c = mem_new(1, sizeof *c);
    *result = c;
    if (!c)
        return PAV_ENOMEM;
    return g ? gpu_copies_open(g, &c->gpu) : host_copy_open(team, &c->host);
}

pav_status place_copying_open(const exec_place *p, host_team *team,
                              place_copying **result)
{
    return open_either(place_has_memory(p) ? executor_gpu(p->executor) : NULL, team,
                       result);
}

pav_status place_copying_of_gpu(gpu *g, place_copying **result)
{
    return open_either(g, NULL, result);
}

pav_status place_copying_pass(place_copying *c, double *rate)
{
    if (c->gpu)
        return gpu_copies_pass(c->gpu, rate);
    *rate = host_copy_pass(c->host);
    return PAV_OK;
}

void place_copying_close(place_copying *c)
{
    if (!c)
        return;
    gpu_copies_close(c->gpu);
    host_copy_close(c->host);
    mem_free(c);
}
