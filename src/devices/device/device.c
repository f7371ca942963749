/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens devices by name: "auto", a name of the table, or several devices under one name.
 * If several devices of a kind may exist, a number may follow: "cuda:1". Without a
 * number, "cuda" means the first usable one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device_private.h"

/* ---- the interpreter and the processors -------------------------------------------- */

static bool interpreter_is_present(const char **why)
{
    *why = NULL;
    return true;
}

const device_ops interpreter_device = {
    .name = "interpreter",
    .about = "evaluates programs row by row on one core; needs nothing else",
    .present = interpreter_is_present,
    .rank = 1,
};

static bool cpu_is_present(const char **why)
{
    return host_has_compiler(LANGUAGE_C, why);
}

const device_ops cpu_device = {
    .name = "cpu",
    .about = "compiles each program for this processor; all its cores",
    .present = cpu_is_present,
    .rank = 2,
    .compiled = true,
};

/* ---- the table of devices ---------------------------------------------------------- */

const device_ops *const device_table[] = {&interpreter_device, &cpu_device, &cuda_device,
                                          &emulated_device, NULL};

enum {
    MOST_DEVICES = 32, /* names compared in a search for the nearest one */
    MOST_TURNS = 64    /* GPUs of a machine, shared among its ranks */
};

/* For devices preferred to the chosen one: collects the reasons why they are missing. A
 * device with an `awaited` function reports its reason only if the user expects this
 * device. */
static void find_lacking(const device_ops *chosen, pav_device *made)
{
    OWNED_BY(text_free) text t = {0};
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
}

/* Finds the device named before the colon; NULL if no device has this name. */
static const device_ops *find_any(const char *name)
{
    const size_t length = strcspn(name, ":");

    if (strcmp(name, "auto") == 0) {
        const device_ops *best = NULL;
        const char *why;
        for (int k = 0; device_table[k]; k++)
            if (device_table[k]->present(&why) &&
                (!best || device_table[k]->rank > best->rank))
                best = device_table[k];
        return best;
    }
    for (int n = 0; device_table[n]; n++)
        if (strlen(device_table[n]->name) == length &&
            memcmp(name, device_table[n]->name, length) == 0)
            return device_table[n];
    return NULL;
}

static pav_status unknown(const char *name)
{
    const char *known[MOST_DEVICES] = {"auto"};
    int64_t count = 1;
    OWNED_BY(text_free) text t = {0};

    for (; count < MOST_DEVICES && device_table[count - 1]; count++)
        known[count] = device_table[count - 1]->name;
    const char *near = text_nearest(name, known, count);

    text_add(&t, "there is no device called '%s'", name);
    if (near)
        text_add(&t, "; did you mean '%s'?", near);
    text_add(&t, "%s this version has auto", near ? "" : ";");
    for (int n = 0; device_table[n]; n++)
        text_add(&t, ", %s", device_table[n]->name);
    return t.failed ? PAV_ENOMEM : FAIL(PAV_EINVAL, "%s", t.data);
}

/* ---- numbers ----------------------------------------------------------------------- */

static bool has_numbers(const device_ops *ops)
{
    return ops->gpu && ops->gpu->count;
}

/* Reads a number from 0 to 999 and moves *at behind it. */
static bool read_number(const char **at, int *number)
{
    const size_t length = strspn(*at, "0123456789");

    *number = (int)strtol(*at, NULL, 10);
    *at += length;
    return length >= 1 && length <= 3;
}

static pav_status check_number(const device_ops *ops, const char *name, int *number)
{
    const int count = has_numbers(ops) ? ops->gpu->count() : ops->most;
    const char *digits = strchr(name, ':') + 1;

    if (count == 0 && !has_numbers(ops))
        return FAIL(PAV_EINVAL, "'%s': there is one device %s only; leave out the number",
                    name, ops->name);
    if (!read_number(&digits, number) || *digits)
        return FAIL(PAV_EINVAL, "'%s': give a number after the colon, such as %s:0", name,
                    ops->name);
    return count > 0 && *number >= count
               ? FAIL(PAV_EDEVICE, "there is no %s: the last one is %s:%d", name,
                      ops->name, count - 1)
               : PAV_OK;
}

/* ---- opening ----------------------------------------------------------------------- */

pav_status device_check_name(const char *name)
{
    const device_ops *ops = find_any(name);
    int number;

    return !ops                ? unknown(name)
           : strchr(name, ':') ? check_number(ops, name, &number)
                               : PAV_OK;
}

/* Sets *number to the number in the name, or else of the first usable GPU. */
static pav_status choose(const device_ops *ops, const char *name, int *number)
{
    const bool named = strchr(name, ':') != NULL;
    gpu_facts facts;
    const char *why;

    if (named)
        TRY(check_number(ops, name, number));
    if (named && has_numbers(ops) ? !ops->gpu->describe(*number, &facts, &why)
                                  : !ops->present(&why))
        return FAIL(PAV_EDEVICE, "the device %s cannot be used here: %s", name, why);
    const int count = !named && has_numbers(ops) ? ops->gpu->count() : 0;
    for (int n = 0; n < count; n++)
        if (ops->gpu->describe(n, &facts, &why)) {
            *number = n;
            break;
        }
    return PAV_OK;
}

/* If the caller names no device, $PAV_DEVICE may. */
static const char *requested(const char *name)
{
    const char *usual = getenv("PAV_DEVICE");

    return name && strcmp(name, "auto") != 0 ? name : usual && *usual ? usual : "auto";
}

static void set_name(pav_device *made, bool numbered)
{
    (void)snprintf(made->name, sizeof made->name, "%s", made->ops->name);
    if (has_numbers(made->ops) || numbered)
        (void)snprintf(made->name, sizeof made->name, "%s:%d", made->ops->name,
                       made->number);
}

static pav_status open_one(const char *name, pav_device **device)
{
    int number = 0;

    *device = NULL;
    const device_ops *ops = find_any(name);
    if (!ops)
        return unknown(name);
    TRY(choose(ops, name, &number));
    NEW_BY(free_device, pav_device, made, 1);
    *made = (pav_device){
        .ops = ops, .number = number, .automatic = strcmp(name, "auto") == 0};
    if (made->automatic)
        find_lacking(ops, made);
    set_name(made, strchr(name, ':') != NULL);
    *device = mem_hand_over(&made);
    return PAV_OK;
}

/* ---- lists ------------------------------------------------------------------------- */

/* Several devices under one name: "cpu+cuda:0-3", "cuda:0,2". Each device is a place for
 * subdomains of a grid. If the list contains GPUs, it behaves like its first GPU. */

enum { MOST_PLACES = 64 };

static bool is_list(const char *name)
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

/* Devices of an item: name is "cuda", numbers is ":0-3,5". */
static pav_status each_number(const char *name, const char *numbers, const char *whole,
                              device_item *add, void *user)
{
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
        for (int n = first; n <= last; n++)
            TRY(add(user, name, n));
    } while (*numbers == ',');
    return *numbers ? not_a_list(whole) : PAV_OK;
}

pav_status device_each(const char *list, device_item *add, void *user)
{
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, "+"), letters = strcspn(at, "+:");
        char name[DEVICE_NAME], numbers[DEVICE_NAME];
        if (length == 0 || length >= sizeof name)
            return not_a_list(list);
        (void)snprintf(name, sizeof name, "%.*s", (int)letters, at);
        (void)snprintf(numbers, sizeof numbers, "%.*s", (int)(length - letters),
                       at + letters);
        TRY(*numbers ? each_number(name, numbers, list, add, user) : add(user, name, -1));
        at += length;
        if (!*at)
            return PAV_OK;
    }
}

/* A GPU named twice counts as two places. Processors count as one place only. */
static pav_status add(void *user, const char *name, int number)
{
    pav_device *list = user, *made;
    char one[DEVICE_NAME + 8];
    if (strcmp(name, "auto") == 0)
        return FAIL(PAV_EINVAL,
                    "'%s': auto is no device of a list; name those that it "
                    "shall have",
                    name);
    if (list->places == MOST_PLACES)
        return FAIL(PAV_ELIMIT, "'%s' names more than %d devices", list->name,
                    MOST_PLACES);
    (void)snprintf(one, sizeof one, number < 0 ? "%s" : "%s:%d", name, number);
    TRY(open_one(one, &made));
    bool named = false;
    for (int n = 0; n < list->places && !made->ops->gpu; n++)
        named = named || list->place[n]->ops == made->ops;
    if (named) {
        pav_device_free(made);
        return FAIL(PAV_EINVAL,
                    "the device %s is named twice: its processors are one place, which "
                    "--subdomains cuts further",
                    one);
    }
    list->place[list->places++] = made;
    return PAV_OK;
}

static pav_status open_list(const char *name, pav_device **device)
{
    *device = NULL;
    NEW_BY(free_device, pav_device, list, 1);
    TRY(mem_take(&list->place, MOST_PLACES, sizeof(pav_device *)));
    if (strlen(name) >= sizeof list->name)
        return not_a_list(name);
    (void)snprintf(list->name, sizeof list->name, "%s", name);
    TRY(device_each(name, add, list));
    const pav_device *lead = list->place[0];
    for (int n = list->places - 1; n >= 0; n--)
        if (list->place[n]->ops->gpu)
            lead = list->place[n];
    list->ops = lead->ops;
    list->number = lead->number;
    *device = mem_hand_over(&list);
    return PAV_OK;
}

pav_status device_check_single(const pav_device *device, const char *what)
{
    return !device || device->places < 2
               ? PAV_OK
               : FAIL(PAV_EUNSUPPORTED, "%s takes one device, not the list %s", what,
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
    return a->number == b->number                                 ? HALO_BY_GPU
           : a->ops->peers && a->ops->peers(a->number, b->number) ? HALO_BY_PEER
                                                                  : HALO_STAGED;
}

double pav_message_seconds(const pav_device *device, int devices)
{
    enum { ONE_MACHINE = 8 };
    const bool on_gpu = device && device->ops->gpu;
    const halo_link near = on_gpu ? HALO_BY_PEER : HALO_BY_PROCESSORS,
                    far = on_gpu ? HALO_BY_NCCL : HALO_BY_NETWORK;
    return halo_cost_of(devices <= ONE_MACHINE ? near : far).begin;
}

/* ---- opening by any name ----------------------------------------------------------- */

pav_status pav_device_open(const char *name, pav_device **device)
{
    GUARDED;
    if (!device)
        return FAIL(PAV_EINVAL, "pav_device_open needs a place to put the device");
    *device = NULL;
    name = requested(name);
    TRY(settings_check());
    return is_list(name) ? open_list(name, device) : open_one(name, device);
}

pav_status device_open_turn(const char *name, int turn, pav_device **device)
{
    const char *asked = requested(name);
    const device_ops *ops = is_list(asked) ? NULL : find_any(asked);
    const bool turns = ops && !strchr(asked, ':') && has_numbers(ops);
    const int count = turns ? ops->gpu->count() : 0;
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
        MEM_FREE_ALL(device->place, device);
}

const char *pav_device_name(const pav_device *device)
{
    return device ? device->name : "";
}

bool device_compiles(const pav_device *device)
{
    const char *why;

    return !device || !device->ops->gpu ? device && device->ops->compiled &&
                                              (host_can_compile() || !device->automatic)
                                        : cpu_device.present(&why);
}

/* ---- identity ---------------------------------------------------------------------- */

/* The identity of a device for stored measurements. A measurement is valid only for the
 * same processor or GPU and the same compiler. */

static void add_compiler(language l, text *t)
{
    char target[PATH_MAX];
    compiler c;
    hash h;
    hash_init(&h);
    if (compiler_find(l, &c) != PAV_OK) {
        text_add(t, "none");
        return;
    }
    compiler_hash(&c, false, &h);
    text_add(t, "%s %08x", path_name(realpath(c.path, target) ? target : c.path),
             (unsigned)hash_end(&h));
}

pav_status device_identity(const pav_device *d, text *machine, text *compiled_by)
{
    const gpu_ops *ops = d->ops->gpu;
    const char *why;
    gpu_facts facts;

    if (ops && ops->describe) {
        (void)ops->describe(d->number, &facts, &why);
        text_add(machine, "%s", facts.name);
        ops->versions(compiled_by);
    } else if (ops) {
        text_add(machine, "%s GPU", d->ops->name);
        add_compiler(LANGUAGE_CXX, compiled_by);
    } else {
        text_add(machine, "%s", *pav_host_name() ? pav_host_name() : "a processor");
        add_compiler(LANGUAGE_C, compiled_by);
    }
    return machine->failed || compiled_by->failed ? PAV_ENOMEM : PAV_OK;
}
