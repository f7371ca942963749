/* SPDX-License-Identifier: BSD-3-Clause */
/* Wisdom for callers: prints its lines, exports them, imports a file as a whole or not at
 * all, and deletes lines. */
#include <stdio.h>
#include <string.h>

#include "run/choice/choice_private.h"

/* ---- the identity of this machine -------------------------------------------------- */

enum { MOST_IDENTITIES = 16 };
typedef struct identity {
    char machine[WISDOM_NAME], compiler[WISDOM_NAME];
} identity;
typedef struct identities {
    int count;
    identity each[MOST_IDENTITIES];
} identities;

static pav_status add_device(const char *name, identities *all)
{
    OWNED_BY(free_device) pav_device *device = NULL;
    OWNED_BY(text_free) text machine = {0}, compiled_by = {0};
    if (all->count == MOST_IDENTITIES || pav_device_open(name, &device) != PAV_OK)
        return PAV_EDEVICE;
    TRY(device_identity(device, &machine, &compiled_by));
    identity *one = &all->each[all->count++];
    wisdom_put(one->machine, machine.data);
    wisdom_put(one->compiler, compiled_by.data);
    return PAV_OK;
}

static void find_identities(identities *all)
{
    char name[16];
    *all = (identities){0};
    (void)add_device("cpu", all);
    (void)add_device("emulated", all);
    for (int n = 0; n < MOST_IDENTITIES; n++) {
        (void)snprintf(name, sizeof name, "cuda:%d", n);
        if (add_device(name, all) != PAV_OK)
            return;
    }
}

static pav_status check_line(const identities *all, const wisdom_line *l,
                             const char *path)
{
    bool machine = false, compiled_by = false;
    if (strcmp(l->version, pav_version()) != 0)
        return FAIL(PAV_EUNSUPPORTED,
                    "%s: %s was tuned by Pavior %s, and this is %s with other kernels; "
                    "none of its lines is used",
                    path, l->name, l->version, pav_version());
    for (int n = 0; n < all->count; n++) {
        /* True if the line belongs to this machine; on processors, the number of
         * threads follows the name. */
        const size_t length = strlen(all->each[n].machine);
        const bool here = strncmp(all->each[n].machine, l->machine, length) == 0 &&
                          (l->machine[length] == 0 || l->machine[length] == ',');
        machine = machine || here;
        compiled_by = compiled_by ||
                      (here && strcmp(all->each[n].compiler, l->compiler) == 0);
    }
    if (!machine)
        return FAIL(PAV_EUNSUPPORTED,
                    "%s: %s was tuned on %s, and this machine has none; no line of it is "
                    "used (--any takes all the same)",
                    path, l->name, l->machine);
    return compiled_by ? PAV_OK
                       : FAIL(PAV_EUNSUPPORTED,
                              "%s: %s was tuned with another compiler, %s; nothing of it "
                              "is taken (--any takes all the same)",
                              path, l->name, l->compiler);
}

/* ---- for callers ------------------------------------------------------------------- */

static void add_row(const wisdom_line *l, text *t)
{
    OWNED_BY(text_free) text grid = {0};
    text_add_extent(&grid, l->dim, l->extent);
    text_add(t, "%s: %s, %s on %s\n    %s: %.4g Gpts/s, %s, %s\n", l->name,
             grid.data ? grid.data : "", pav_type_name(l->real), l->machine, l->schedule,
             l->gpts, wisdom_efforts[l->effort], l->date);
}

pav_status pav_wisdom_text(int exported, char **result)
{
    GUARDED;
    OWNED_BY(wisdom_free) wisdom w = {0};
    text t = {0};
    if (!result)
        return FAIL(PAV_EINVAL, "pav_wisdom_text needs a place for the text");
    *result = NULL;
    TRY(wisdom_load(&w));
    if (exported)
        wisdom_print(&w, &t);
    for (int64_t n = 0; !exported && n < w.count; n++)
        add_row(&w.line[n], &t);
    if (t.length == 0)
        text_add(&t, "wisdom knows nothing yet: long runs and `pavior tune` add to it\n");
    return text_take(&t, result);
}

pav_status pav_wisdom_import(const char *path, int any, int64_t *taken)
{
    GUARDED;
    OWNED char *bytes = NULL;
    OWNED_BY(wisdom_free) wisdom w = {0};
    int64_t length;
    if (!path || !taken)
        return FAIL(PAV_EINVAL, "pav_wisdom_import needs a file and a place for a count");
    *taken = 0;
    TRY(file_read_ordinary(path, WISDOM_MOST_BYTES, &bytes, &length));
    TRY(wisdom_parse(bytes, length, path, &w));
    if (!any) {
        identities all;
        find_identities(&all);
        for (int64_t n = 0; n < w.count; n++)
            TRY(check_line(&all, &w.line[n], path));
    }
    return wisdom_keep(&w, false, taken);
}

/* For `wisdom forget NAME`: true if the line does not match the name, so it stays. NULL
 * matches all lines. "heat2d" also names "heat2d@512x512/f32" and
 * "examples/heat/heat2d.pav". */
static bool is_another(const void *user, const wisdom_line *line)
{
    const char *asked = user;
    const char *stem = strchr(line->name, '@') ? line->name : path_name(line->name);
    const size_t length = strcspn(stem, "@.");
    return asked && strcmp(line->name, asked) != 0 &&
           (strlen(asked) != length || strncmp(stem, asked, length) != 0);
}

pav_status pav_wisdom_forget(const char *name, int64_t *forgotten)
{
    GUARDED;
    if (!forgotten)
        return FAIL(PAV_EINVAL, "pav_wisdom_forget needs a place for a count");
    return wisdom_forget(is_another, name, forgotten);
}
