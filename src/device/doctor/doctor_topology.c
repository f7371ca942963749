/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports the nodes, cores and processors used for choosing threads, and the limit set by
 * control groups. */
#include "device/device_private.h"

static void add_count(text *t, int count, const char *what)
{
    text_add(t, "%d %s%s", count, what, count == 1 ? "" : "s");
}

void doctor_topology(text *t)
{
    const host_topology p = host_find_topology();

    if (p.processors == 0) {
        text_add(t, "unknown: the system does not say which processors may be used\n");
        return;
    }
    add_count(t, p.nodes, "NUMA node");
    text_add(t, ", ");
    add_count(t, p.cores, "core");
    text_add(t, ", ");
    add_count(t, p.processors, "processor");
    if (host_cpu_limit() > 0)
        text_add(t, "; control groups give the time of %d", host_cpu_limit());
    text_add(t, "\n");
}

void doctor_topology_json(text *t)
{
    const host_topology p = host_find_topology();

    text_add(t, "  \"numa_nodes\": %d,\n  \"cores\": %d,\n", p.nodes, p.cores);
    text_add(t, "  \"processor_limit\": %d,\n", host_cpu_limit());
}
