/* SPDX-License-Identifier: BSD-3-Clause */
/* The kinds of places: each device with an executor of its own is a row here. */
#include <stdio.h>
#include <string.h>

#include "exec/place/place.h"

static bool is_interpreter(const pav_device *device)
{
    return !device || (!device->ops->compiled && !device->ops->gpu);
}

static bool is_processors(const pav_device *device)
{
    return device && device->ops->compiled;
}

static pav_status host_rates(const pav_device *device, int threads, place_rates *found)
{
    host_team *team;
    (void)device;
    TRY(host_team_open(threads > 0 ? threads : host_threads(), HOST_BIND_AUTO, &team));
    const pav_status status = host_rates_measure(team, &found->rate);
    found->threads = host_team_threads(team);
    host_team_close(team);
    (void)snprintf(found->machine, sizeof found->machine, "%s",
                   *pav_host_name() ? pav_host_name() : "a processor");
    return status;
}

static const place_kind interpreter = {.is_of = is_interpreter};
static const place_kind processors = {
    .is_of = is_processors, .kernels = true, .language = PLACE_C, .rates = host_rates};
static const place_kind *const kinds[] = {&interpreter, &processors, &gpu_place};

const place_kind *place_kind_of(const pav_device *device)
{
    for (size_t n = 1; n < COUNT_OF(kinds); n++)
        if (kinds[n]->is_of(device))
            return kinds[n];
    return kinds[0];
}

const place_kind *place_kind_named(const char *name)
{
    const size_t length = strcspn(name, ":");
    for (int n = 0; device_table[n]; n++)
        if (strlen(device_table[n]->name) == length &&
            strncmp(device_table[n]->name, name, length) == 0)
            return place_kind_of(&(pav_device){.ops = device_table[n]});
    return NULL;
}

bool place_has_schedules(const pav_device *device)
{
    const place_kind *kind = place_kind_of(device);
    return kind->kernels || kind->launches;
}

schedule_place place_schedules(const pav_device *device, const char *name)
{
    return (schedule_place){.gpu = place_kind_of(device)->launches, .name = name};
}
