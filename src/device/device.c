/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices are opened by name: "auto", or a name of the table. A number after a colon ("cuda:1") is for
 * devices of which there can be several; none of the present table is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device_private.h"

const device_ops *const device_table[] = {&interpreter_device, &cpu_device,
                                          &emulated_device, NULL};

enum {
    MOST_DEVICES = 32 /* named in a search for the nearest */
};

static const device_ops *best_present(void)
{
    const device_ops *best = NULL;
    const char *why;

    for (int n = 0; device_table[n]; n++)
        if (device_table[n]->present(&why) &&
            (!best || device_table[n]->rank > best->rank))
            best = device_table[n];
    return best;
}

/* Programs run slowly on what evaluates them; why nothing that compiles them was there. */
static const char *find_lacking(const device_ops *chosen)
{
    const char *why;

    for (int n = 0; !chosen->compiled && device_table[n]; n++)
        if (device_table[n]->compiled && !device_table[n]->present(&why))
            return why;
    return NULL;
}

static const device_ops *find(const char *name)
{
    for (int n = 0; device_table[n]; n++)
        if (strcmp(name, device_table[n]->name) == 0)
            return device_table[n];
    return NULL;
}

/* The name before a colon, where that is a device. */
static const device_ops *find_numbered(const char *name)
{
    const size_t length = strcspn(name, ":");

    for (int n = 0; name[length] && device_table[n]; n++)
        if (strlen(device_table[n]->name) == length &&
            memcmp(name, device_table[n]->name, length) == 0)
            return device_table[n];
    return NULL;
}

static const char *nearest(const char *name)
{
    const char *known[MOST_DEVICES] = {"auto"};
    int64_t count = 1;

    for (; count < MOST_DEVICES && device_table[count - 1]; count++)
        known[count] = device_table[count - 1]->name;
    return text_nearest(name, known, count);
}

static pav_status unknown(const char *name)
{
    const char *near = nearest(name);
    text t = {0};

    text_add(&t, "there is no device called '%s'", name);
    if (near)
        text_add(&t, "; did you mean '%s'?", near);
    text_add(&t, "%s this version has auto", near ? " " : ";");
    for (int n = 0; device_table[n]; n++)
        text_add(&t, ", %s", device_table[n]->name);
    const pav_status status = t.failed ? PAV_ENOMEM : FAIL(PAV_EINVAL, "%s", t.data);
    text_free(&t);
    return status;
}

static pav_status choose(const char *name, const device_ops **ops)
{
    const char *why;

    *ops = strcmp(name, "auto") == 0 ? best_present() : find(name);
    const device_ops *several = *ops ? NULL : find_numbered(name);
    if (several)
        return FAIL(PAV_EINVAL, "'%s': there is one %s only; leave out the number", name,
                    several->name);
    if (!*ops)
        return unknown(name);
    if (!(*ops)->present(&why))
        return FAIL(PAV_EDEVICE, "the device %s cannot be used here: %s", name, why);
    return PAV_OK;
}

/* Where nobody names a device, $PAV_DEVICE may. */
static const char *wanted(const char *name)
{
    const char *usual = getenv("PAV_DEVICE");

    if (name && strcmp(name, "auto") != 0)
        return name;
    return usual && *usual ? usual : "auto";
}

pav_status pav_device_open(const char *name, pav_device **device)
{
    const device_ops *ops;

    if (!device)
        return FAIL(PAV_EINVAL, "pav_device_open needs a place to put the device");
    *device = NULL;
    name = wanted(name);
    TRY(settings_check());
    TRY(choose(name, &ops));
    pav_device *made = mem_new(1, sizeof *made);
    if (!made)
        return PAV_ENOMEM;
    made->ops = ops;
    made->automatic = strcmp(name, "auto") == 0;
    const char *lacking = made->automatic ? find_lacking(ops) : NULL;
    if (lacking) {
        (void)snprintf(made->said, sizeof made->said, "%s", lacking);
        made->lacking = made->said;
    }
    (void)snprintf(made->name, sizeof made->name, "%s", ops->name);
    *device = made;
    return PAV_OK;
}

void pav_device_free(pav_device *device)
{
    mem_free(device);
}

const char *pav_device_name(const pav_device *device)
{
    return device ? device->name : "";
}
