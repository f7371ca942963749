/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks a level stored in a narrower type. A finite value that overflows to infinity is
 * an error. A level whose values all underflow to 0 is counted. */
#include <math.h>

#include "imaging/imaging_private.h"

static bool is_infinite(pav_type type, const void *at)
{
    return isinf(type_load(type, at));
}

/* Finds whether any value differs from 0 and whether any value is infinite. Values have 2
 * or 4 bytes. */
static void look(pav_type type, const void *memory, int64_t count, bool *some,
                 bool *infinite)
{
    const uint16_t *half = memory, top = type == PAV_F16 ? 0x7c00 : 0x7f80;
    const uint32_t *single = memory;
    uint32_t all = 0, most = 0;

    for (int64_t k = 0; type != PAV_F32 && k < count; k++) {
        const uint32_t value = half[k] & 0x7fffu;
        all |= value;
        most |= value == top;
    }
    for (int64_t k = 0; type == PAV_F32 && k < count; k++) {
        const uint32_t value = single[k] & 0x7fffffffu;
        all |= value;
        most |= value == 0x7f800000u;
    }
    *some = all != 0;
    *infinite = most != 0;
}

static pav_status too_large(const frame_item *i, double value)
{
    return FAIL(PAV_EINVAL,
                "the past of the run has the value %g, which is infinite in %s: store it "
                "in %s, or sources of a smaller amplitude",
                value, pav_type_name(i->type),
                i->type == PAV_F16 ? "bf16 or f32" : "its own type");
}

/* Compares with the level in its own type. Infinities and zeros may have been there
 * before, and then the narrow type is not the cause. */
static pav_status compare(const double *was, const frame_item *i, const char *memory,
                          int64_t count, bool *lost)
{
    const int64_t size = (int64_t)pav_type_size(i->type);
    bool some = false;

    for (int64_t k = 0; k < count; k++) {
        if (isfinite(was[k]) && is_infinite(i->type, memory + k * size))
            return too_large(i, was[k]);
        some |= was[k] != 0;
    }
    *lost = some && *lost;
    return PAV_OK;
}

pav_status narrow_check(pav_run *run, const frame_item *i, const char *memory,
                        int64_t count, narrowed *n)
{
    bool some, infinite, lost;

    look(i->type, memory, count, &some, &infinite);
    n->kept += some;
    if (some && !infinite)
        return PAV_OK;
    double *was = mem_new(count, sizeof *was);
    if (!was)
        return PAV_ENOMEM;
    lost = !some;
    pav_status status = run_keep_points(run, i->field, i->age, PAV_F64, was);
    if (status == PAV_OK)
        status = compare(was, i, memory, count, &lost);
    n->lost += lost;
    mem_free(was);
    return status;
}
