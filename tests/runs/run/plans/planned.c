/* SPDX-License-Identifier: BSD-3-Clause */
#include "planned.h"

pav_status plan_text_of(const char *source, const char *device,
                        const pav_run_options *options, planned *p)
{
    *p = (planned){0};
    TRY(pav_program_parse(source, strlen(source), NULL, &p->program));
    TRY(pav_device_open(device, &p->device));
    return pav_plan_open(p->program, p->device, options, 10, &p->plan);
}

void close_planned(planned *p)
{
    pav_plan_free(p->plan);
    pav_program_free(p->program);
    pav_device_free(p->device);
    *p = (planned){0};
}

int64_t planned_bytes(const planned *p, need_kind kind, bool host)
{
    int64_t bytes = 0;
    for (int64_t k = 0; k < p->plan->needs.items; k++) {
        const need_item *n = &p->plan->needs.item[k];
        if (n->kind == kind && (n->store == STORE_HOST) == host)
            bytes += n->bytes;
    }
    return bytes;
}

const char *planned_report(const planned *p, int json)
{
    static char *report;
    pav_text_free(report);
    REQUIRE_OK(pav_plan_report(p->plan, json, &report));
    return report;
}
