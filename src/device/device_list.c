/* SPDX-License-Identifier: BSD-3-Clause */
/* Several devices under one name: "cpu+cuda:0-3", "cuda:0,2". Each device is a place for
 * subdomains of a grid. If the list contains GPUs, it behaves like its first GPU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device_private.h"

enum { MOST_PLACES = 64 };

bool device_is_list(const char *name)
{
    const char *numbers = strchr(name, ':');
    return strchr(name, '+') || (numbers && numbers[1] != '-' && strpbrk(numbers, ",-"));
}

static pav_status not_a_list(const char *name)
{
    return FAIL(PAV_EINVAL,
                "'%s' is no list of devices: give names with + between them, and after a "
                "colon numbers, as in cpu+cuda, cuda:0-3 or cuda:0,2",
                name);
}

static pav_status too_many(const char *name)
{
    return FAIL(PAV_ELIMIT, "'%s' names more than %d devices", name, MOST_PLACES);
}

static bool is_named(const pav_device *list, const pav_device *other)
{
    for (int n = 0; n < list->places; n++)
        if (!other->ops->gpu && list->place[n]->ops == other->ops)
            return true;
    return false;
}

/* A GPU named twice counts as two places. Processors count as one place only. */
static pav_status add(const char *one, pav_device *list)
{
    pav_device *made;
    if (strcmp(one, "auto") == 0)
        return FAIL(PAV_EINVAL,
                    "'%s': auto is no device of a list; name those that it "
                    "shall have",
                    one);
    if (list->places == MOST_PLACES)
        return too_many(list->name);
    TRY(device_open_one(one, &made));
    if (is_named(list, made)) {
        pav_device_free(made);
        return FAIL(PAV_EINVAL,
                    "the device %s is named twice: its processors are one place, which "
                    "--subdomains cuts further",
                    one);
    }
    list->place[list->places++] = made;
    return PAV_OK;
}

static bool read_number(const char **at, int *number)
{
    const size_t length = strspn(*at, "0123456789");
    *number = (int)strtol(*at, NULL, 10);
    *at += length;
    return length >= 1 && length <= 3;
}

/* Adds devices: name is "cuda", numbers is ":0-3,5". */
static pav_status add_numbers(const char *name, const char *numbers, const char *whole,
                              pav_device *list)
{
    char one[sizeof list->name + 8];
    int first, last;
    do {
        numbers++;
        if (!read_number(&numbers, &first))
            return not_a_list(whole);
        last = first;
        if (*numbers == '-' && (numbers++, !read_number(&numbers, &last)))
            return not_a_list(whole);
        if (last < first)
            return not_a_list(whole);
        for (int n = first; n <= last; n++) {
            (void)snprintf(one, sizeof one, "%s:%d", name, n);
            TRY(add(one, list));
        }
    } while (*numbers == ',');
    return *numbers ? not_a_list(whole) : PAV_OK;
}

static pav_status add_item(const char *item, size_t length, const char *whole,
                           pav_device *list)
{
    char name[sizeof list->name];
    if (length == 0 || length >= sizeof name)
        return not_a_list(whole);
    (void)snprintf(name, sizeof name, "%.*s", (int)length, item);
    char *numbers = strchr(name, ':');
    if (!numbers)
        return add(name, list);
    char copy[sizeof name];
    (void)snprintf(copy, sizeof copy, "%s", numbers);
    *numbers = '\0';
    return add_numbers(name, copy, whole, list);
}

static pav_status add_all(const char *name, pav_device *list)
{
    for (const char *at = name;; at++) {
        const size_t length = strcspn(at, "+");
        TRY(add_item(at, length, name, list));
        at += length;
        if (!*at)
            return PAV_OK;
    }
}

static void stand_for_lead(pav_device *list)
{
    const pav_device *lead = list->place[0];
    for (int n = list->places - 1; n >= 0; n--)
        if (list->place[n]->ops->gpu)
            lead = list->place[n];
    list->ops = lead->ops;
    list->number = lead->number;
}

pav_status device_open_list(const char *name, pav_device **device)
{
    pav_device *list = mem_new(1, sizeof *list);
    *device = NULL;
    if (!list)
        return PAV_ENOMEM;
    list->place = mem_new(MOST_PLACES, sizeof(pav_device *));
    pav_status status = list->place ? PAV_OK : PAV_ENOMEM;
    if (status == PAV_OK && strlen(name) >= sizeof list->name)
        status = not_a_list(name);
    (void)snprintf(list->name, sizeof list->name, "%s", name);
    if (status == PAV_OK)
        status = add_all(name, list);
    if (status != PAV_OK) {
        pav_device_free(list);
        return status;
    }
    stand_for_lead(list);
    *device = list;
    return PAV_OK;
}

pav_status device_check_single(const pav_device *device, const char *what)
{
    if (!device || device->places < 2)
        return PAV_OK;
    return FAIL(PAV_EUNSUPPORTED, "%s takes one device, not the list %s", what,
                device->name);
}

const pav_device *device_place(const pav_device *device, int n)
{
    return device && device->places > 0 ? device->place[n] : device;
}

halo_link device_link(const pav_device *a, const pav_device *b)
{
    if (!a->ops->gpu && !b->ops->gpu)
        return HALO_BY_PROCESSORS;
    if (a->ops != b->ops)
        return HALO_STAGED;
    if (a->number == b->number)
        return HALO_BY_GPU;
    return a->ops->peers && a->ops->peers(a->number, b->number) ? HALO_BY_PEER
                                                                : HALO_STAGED;
}

double pav_message_seconds(const pav_device *device, int devices)
{
    enum { ONE_MACHINE = 8 };
    const bool on_gpu = device && device->ops->gpu;
    const halo_link near = on_gpu ? HALO_BY_PEER : HALO_BY_PROCESSORS;
    const halo_link far = on_gpu ? HALO_BY_NCCL : HALO_BY_NETWORK;
    return halo_cost_of(devices <= ONE_MACHINE ? near : far).begin;
}
