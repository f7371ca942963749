/* SPDX-License-Identifier: BSD-3-Clause */
/* The catalogue as a list for people and as JSON. */
#include "lang/lang_private.h"

static void add_extent(text *t, const catalogue_entry *e)
{
    text_add_extent(t, e->dim, e->extent);
}

static void add_lines(text *t)
{
    text_add(t, "WORD[:KEY=VALUE,...][@NxNxN][/f32|f64] is a program, wherever a file is "
                "taken.\n\n");
    for (int i = 0; i < catalogue_entries; i++) {
        const catalogue_entry *e = &catalogue_table[i];
        text_add(t, "  %-13s %s\n  %-13s @", e->name, e->about, "");
        add_extent(t, e);
        for (int k = 0; k < MAX_KEYS && e->key[k].name; k++) {
            text_add(t, "  %s=", e->key[k].name);
            catalogue_add_range(t, &e->key[k]);
        }
        text_add(t, "\n");
    }
}

static void add_json(text *t)
{
    text_add(t, "{\"catalogue\": [");
    for (int i = 0; i < catalogue_entries; i++) {
        const catalogue_entry *e = &catalogue_table[i];
        text_add(t, "%s{\"name\": ", i ? ", " : "");
        text_add_json(t, e->name);
        text_add(t, ", \"about\": ");
        text_add_json(t, e->about);
        text_add(t, ", \"extent\": \"");
        add_extent(t, e);
        text_add(t, "\", \"keys\": [");
        for (int k = 0; k < MAX_KEYS && e->key[k].name; k++) {
            text_add(t, "%s", k ? ", " : "");
            text_add_json(t, e->key[k].name);
        }
        text_add(t, "]}");
    }
    text_add(t, "]}\n");
}

pav_status pav_catalogue(int json, char **result)
{
    text t = {0};
    if (!result)
        return FAIL(PAV_EINVAL, "pav_catalogue needs a place for the text; it is NULL");
    *result = NULL;
    if (json)
        add_json(&t);
    else
        add_lines(&t);
    return text_take(&t, result);
}
