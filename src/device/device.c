/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens devices by name: "auto", or a name of the table. If several devices of a kind may
 * exist, a number may follow: "cuda:1". Without a number, "cuda" means the first usable
 * one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device_private.h"

const device_ops *const device_table[] = {&interpreter_device, &cpu_device, &cuda_device,
                                          &emulated_device, NULL};

enum {
    MOST_DEVICES = 32, /* names compared in a search for the nearest one */
    MOST_TURNS = 64    /* GPUs of a machine, shared among its ranks */
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

/* Collects the reasons why no device ranked above the chosen one is present. A device
 * with an `awaited` function may suppress its reason. */
static void find_lacking(const device_ops *chosen, pav_device *made)
{
    text t = {0};
    const char *why;

    for (int n = 0; device_table[n]; n++) {
        const device_ops *o = device_table[n];
        if (o->rank > chosen->rank && !o->present(&why) && (!o->awaited || o->awaited()))
            text_add(&t, "%s%s", t.length > 0 ? "; " : "", why);
    }
    if (t.length > 0) {
        (void)snprintf(made->said, sizeof made->said, "%s", t.data);
        made->lacking = made->said;
    }
    text_free(&t);
}

static const device_ops *find(const char *name)
{
    for (int n = 0; device_table[n]; n++)
        if (strcmp(name, device_table[n]->name) == 0)
            return device_table[n];
    return NULL;
}

/* Finds the device named before the colon. */
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

/* ---- numbers ----------------------------------------------------------------------- */

static bool has_numbers(const device_ops *ops)
{
    return ops->gpu && ops->gpu->count;
}

/* Reads a number from 0 to 999 with no text after it. */
static bool read_number(const char *digits, int *number)
{
    const size_t length = strspn(digits, "0123456789");

    *number = (int)strtol(digits, NULL, 10);
    return length >= 1 && length <= 3 && digits[length] == '\0';
}

static pav_status check_number(const device_ops *ops, const char *name, int *number)
{
    const int count = has_numbers(ops) ? ops->gpu->count() : ops->most;

    if (count == 0 && !has_numbers(ops))
        return FAIL(PAV_EINVAL, "'%s': there is one device %s only; leave out the number",
                    name, ops->name);
    if (!read_number(strchr(name, ':') + 1, number))
        return FAIL(PAV_EINVAL, "'%s': give a number after the colon, such as %s:0", name,
                    ops->name);
    if (count > 0 && *number >= count)
        return FAIL(PAV_EDEVICE, "there is no %s: the last one is %s:%d", name, ops->name,
                    count - 1);
    return PAV_OK;
}

static pav_status choose_numbered(const device_ops *ops, const char *name, int *number)
{
    gpu_facts facts;
    const char *why;

    TRY(check_number(ops, name, number));
    if (has_numbers(ops) ? !ops->gpu->describe(*number, &facts, &why)
                         : !ops->present(&why))
        return FAIL(PAV_EDEVICE, "the device %s cannot be used here: %s", name, why);
    return PAV_OK;
}

static int first_usable(const device_ops *ops)
{
    const int count = has_numbers(ops) ? ops->gpu->count() : 0;
    gpu_facts facts;
    const char *why;

    for (int n = 0; n < count; n++)
        if (ops->gpu->describe(n, &facts, &why))
            return n;
    return 0;
}

/* ---- opening ----------------------------------------------------------------------- */

/* NULL if no device has this name. */
static const device_ops *find_any(const char *name)
{
    const device_ops *plain = strcmp(name, "auto") == 0 ? best_present() : find(name);

    return plain ? plain : find_numbered(name);
}

pav_status device_check_name(const char *name)
{
    const device_ops *ops = find_any(name);
    int number;

    if (!ops)
        return unknown(name);
    return strchr(name, ':') ? check_number(ops, name, &number) : PAV_OK;
}

static pav_status choose(const device_ops *ops, const char *name, int *number)
{
    const char *why;

    if (strchr(name, ':'))
        return choose_numbered(ops, name, number);
    if (!ops->present(&why))
        return FAIL(PAV_EDEVICE, "the device %s cannot be used here: %s", name, why);
    *number = first_usable(ops);
    return PAV_OK;
}

/* If the caller names no device, $PAV_DEVICE may. */
static const char *requested(const char *name)
{
    const char *usual = getenv("PAV_DEVICE");

    if (name && strcmp(name, "auto") != 0)
        return name;
    return usual && *usual ? usual : "auto";
}

static void set_name(pav_device *made, bool numbered)
{
    const char *name = made->ops->name;

    if (has_numbers(made->ops) || numbered)
        (void)snprintf(made->name, sizeof made->name, "%s:%d", name, made->number);
    else
        (void)snprintf(made->name, sizeof made->name, "%s", name);
}

pav_status device_open_one(const char *name, pav_device **device)
{
    int number = 0;

    *device = NULL;
    const device_ops *ops = find_any(name);
    if (!ops)
        return unknown(name);
    TRY(choose(ops, name, &number));
    pav_device *made = mem_new(1, sizeof *made);
    if (!made)
        return PAV_ENOMEM;
    *made = (pav_device){.ops = ops, .number = number};
    made->automatic = strcmp(name, "auto") == 0;
    if (made->automatic)
        find_lacking(ops, made);
    set_name(made, strchr(name, ':') != NULL);
    *device = made;
    return PAV_OK;
}

pav_status pav_device_open(const char *name, pav_device **device)
{
    GUARDED;
    if (!device)
        return FAIL(PAV_EINVAL, "pav_device_open needs a place to put the device");
    *device = NULL;
    name = requested(name);
    TRY(settings_check());
    return device_is_list(name) ? device_open_list(name, device)
                                : device_open_one(name, device);
}

/* NULL if the name has a number, or if no GPU of this kind is present. */
static const device_ops *find_turning(const char *name)
{
    const device_ops *ops = device_is_list(name) ? NULL : find_any(name);

    return ops && !strchr(name, ':') && has_numbers(ops) ? ops : NULL;
}

pav_status device_open_turn(const char *name, int turn, pav_device **device)
{
    const device_ops *ops = find_turning(requested(name));
    const int count = ops ? ops->gpu->count() : 0;
    int usable[MOST_TURNS], found = 0;
    gpu_facts facts;
    const char *why;

    TRY(pav_device_open(name, device));
    for (int n = 0; n < count && found < MOST_TURNS; n++)
        if (ops->gpu->describe(n, &facts, &why))
            usable[found++] = n;
    if (found == 0)
        return PAV_OK;
    (*device)->number = usable[turn % found];
    set_name(*device, false);
    return PAV_OK;
}

void pav_device_free(pav_device *device)
{
    for (int n = 0; device && n < device->places; n++)
        mem_free(device->place[n]);
    if (device)
        mem_free(device->place);
    mem_free(device);
}

const char *pav_device_name(const pav_device *device)
{
    return device ? device->name : "";
}

bool device_compiles(const pav_device *device)
{
    const char *why;

    if (!device || !device->ops->gpu)
        return device && device->ops->compiled;
    for (int n = 0; device_table[n]; n++)
        if (device_table[n]->compiled && device_table[n]->present(&why))
            return true;
    return false;
}
